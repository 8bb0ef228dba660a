"""Recordings to measure on, made once: noise with a 1/f spectrum, rhythms and spikes.

    python benchmarks/gen_data.py [FOLDER]

Written as int16 EDF by hand, so that no peer is needed to make what peers are measured
on. Four shapes: a 23-h night, 4 h of scalp EEG, 21.5 min of resting EEG, one 2-s epoch.
"""

import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.signal import lfilter

FOLDER = Path(tempfile.gettempdir()) / "eegcore-bench"


class Shape(NamedTuple):
    """Shape of a recording: (label, samples per record), seconds a record, records."""

    channels: tuple[tuple[str, int], ...]
    record_sec: int
    n_records: int
    scale_uv: float


_CHB = [
    "FP1-F7",
    "F7-T7",
    "T7-P7",
    "P7-O1",
    "FP1-F3",
    "F3-C3",
    "C3-P3",
    "P3-O1",
    "FP2-F4",
    "F4-C4",
    "C4-P4",
    "P4-O2",
    "FP2-F8",
    "F8-T8",
    "T8-P8",
    "P8-O2",
    "FZ-CZ",
    "CZ-PZ",
    "P7-T7",
    "T7-FT9",
    "FT9-FT10",
    "FT10-T8",
    "T8-P8",
]
_REST = [
    "Fp1",
    "Fp2",
    "F3",
    "F4",
    "C3",
    "C4",
    "P3",
    "P4",
    "O1",
    "O2",
    "F7",
    "F8",
    "T3",
    "T4",
    "T5",
    "T6",
    "Fz",
    "Cz",
    "Pz",
]
SHAPES = {
    "night": Shape(
        (
            *((f"EEG {name}", 3000) for name in ("Fpz-Cz", "Pz-Oz")),
            ("EOG horizontal", 3000),
            ("EMG submental", 3000),
            *((name, 30) for name in ("Resp oro-nasal", "Temp rectal", "Marker")),
        ),
        30,
        2760,
        18.0,
    ),
    "scalp": Shape(tuple((f"EEG {c}", 256) for c in _CHB), 1, 14400, 40.0),
    "rest": Shape(tuple((f"EEG {c}", 500) for c in _REST), 1, 1290, 18.0),
    "epoch": Shape((("EEG Cz", 512),), 2, 1, 18.0),
}


def signal(
    rng: np.random.Generator, n: int, rate_hz: float, scale: float
) -> np.ndarray:
    """Digital values of one channel."""
    pink_b = (0.049922035, -0.095993537, 0.050612699, -0.004408786)
    pink_a = (1.0, -2.494956002, 2.017265875, -0.522189400)
    x = lfilter(pink_b, pink_a, rng.standard_normal(n))
    x /= x.std() or 1.0
    t = np.arange(n) / rate_hz
    slow = 0.5 + 0.5 * np.sin(2 * np.pi * t / 1800)
    x += 0.8 * (1 - slow) * np.sin(2 * np.pi * rng.uniform(9, 11) * t)
    x += 0.9 * slow * np.sin(2 * np.pi * rng.uniform(0.8, 1.6) * t)
    width = max(2, int(0.06 * rate_hz))
    for at in rng.integers(0, max(1, n - width), max(1, int(n / rate_hz / 120))):
        part = x[at : at + width]
        part += 8 * np.hanning(width)[: part.size]
    return np.clip(np.round(x * scale / 0.0244), -32768, 32767).astype("<i2")


def header(shape: Shape) -> bytes:
    """Header of an EDF file."""
    fields = [("0", 8), ("X X X X", 80), ("Startdate X X X X", 80)]
    fields += [
        ("01.01.20", 8),
        ("00.00.00", 8),
        (str(256 * (len(shape.channels) + 1)), 8),
    ]
    fields += [("", 44), (str(shape.n_records), 8), (str(shape.record_sec), 8)]
    fields += [(str(len(shape.channels)), 4)]
    columns: tuple[tuple[str, int], ...] = (
        *(("", 80), ("uV", 8), ("-800", 8), ("800", 8)),
        *(("-32768", 8), ("32767", 8), ("", 80)),
    )
    fields += [(name, 16) for name, _ in shape.channels]
    for text, width in columns:
        fields += [(text, width)] * len(shape.channels)
    fields += [(str(n), 8) for _, n in shape.channels]
    fields += [("", 32)] * len(shape.channels)
    return b"".join(text.ljust(width).encode() for text, width in fields)


def make(name: str, folder: Path = FOLDER) -> Path:
    """Return the file of a shape, made if it is not there."""
    path = folder / f"{name}.edf"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    shape = SHAPES[name]
    rng = np.random.default_rng(sorted(SHAPES).index(name))
    widths = [n for _, n in shape.channels]
    body = np.empty((shape.n_records, sum(widths)), "<i2")
    at = 0
    for n in widths:
        values = signal(rng, n * shape.n_records, n / shape.record_sec, shape.scale_uv)
        body[:, at : at + n] = values.reshape(shape.n_records, n)
        at += n
    part = path.with_suffix(".part")
    part.write_bytes(header(shape) + body.tobytes())
    part.rename(path)
    return path


if __name__ == "__main__":
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    for shape_name in SHAPES:
        print(make(shape_name, where))
