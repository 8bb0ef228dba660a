"""Semi-real recordings: hours and nights spliced from real pieces of known label.

Hours: background from recordings without seizures, made bipolar, scaled to one
amplitude, joined with cross-fades of 2 s; ten-second crops of real seizures are scaled
as their own background was, repeated with cross-fades of 1 s to 28 s, and set in.
Nights: epochs of known stage, in runs as they were recorded, in the order of a real
hypnogram.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.signal import resample_poly

import eegcore
from eegbench.sources.hypnogram_files import read_hypnogram
from eegbench.suites.eegagent.trim import trim_edges

Values = NDArray[np.float64]
RATE = 256
MONTAGE = (
    "FP1-F7 F7-T7 T7-P7 P7-O1 FP1-F3 F3-C3 C3-P3 P3-O1 FP2-F4 F4-C4 C4-P4 P4-O2 "
    "FP2-F8 F8-T8 T8-P8 P8-O2 FZ-CZ CZ-PZ"
)
OLD_NAMES = {"T7": "T3", "T8": "T4", "P7": "T5", "P8": "T6"}
AMPLITUDE_UV = 30.0
FADE_SEC = 2.0
BACKGROUND = {
    "develop": ("eegmat/Subject00_1.edf", "eegmat/Subject00_2.edf"),
    "report": (
        "eegmat/Subject01_1.edf",
        "eegmat/Subject01_2.edf",
        "eegmat/Subject05_1.edf",
        "eegmat/Subject05_2.edf",
        "eegmmidb/S001R01_first60s.edf",
        "eegmmidb/S001R02_first60s.edf",
        "eegmmidb/S001R03.edf",
        "eegmmidb/S001R04.edf",
        "resting/eeg_microstates_test.edf",
    ),
}


def montage() -> list[str]:
    return MONTAGE.split()


def bipolar(path: Path) -> Values:
    """Return the 18 derivations of a recording with single electrodes, at 256 Hz."""
    with eegcore.open(path) as rec:
        found = {
            n.upper().removeprefix("EEG ").strip(" .").split("-")[0]: i
            for i, n in enumerate(rec.names)
        }
        rate = rec.channels[0].rate_hz
        rows = []
        for pair in montage():
            ends = []
            for name in pair.split("-"):
                index = found.get(name, found.get(OLD_NAMES.get(name, "")))
                if index is None:
                    raise LookupError(f"no electrode {name} in {path.name}")
                ends.append(rec.read(rec.names[index])[0])
            rows.append(ends[0] - ends[1])
    made = resample_poly(np.stack(rows), RATE, round(rate), axis=1)
    return made - np.median(made, axis=1, keepdims=True)


def crop(path: Path) -> Values:
    """Return the 18 derivations of a CHB-MIT excerpt."""
    with eegcore.open(path) as rec:
        names = [n.removesuffix("-0") for n in rec.names]
        return np.stack([rec.read(rec.names[names.index(p)])[0] for p in montage()])


def level(piece: Values) -> float:
    """Return the median over channels of the SD."""
    return float(np.median(piece.std(axis=1)))


def joined(pieces: Sequence[Values], fade_sec: float) -> Values:
    """Join pieces with linear cross-fades."""
    n_fade = round(fade_sec * RATE)
    ramp = np.linspace(0, 1, n_fade)
    out = pieces[0]
    for piece in pieces[1:]:
        seam = out[:, -n_fade:] * (1 - ramp) + piece[:, :n_fade] * ramp
        out = np.concatenate([out[:, :-n_fade], seam, piece[:, n_fade:]], axis=1)
    return out


def set_in(hour: Values, piece: Values, onset_sec: float) -> None:
    """Replace a stretch of the hour, cross-fading 1 s at both ends."""
    first = round(onset_sec * RATE)
    n_fade = RATE
    gain = np.ones(piece.shape[1])
    gain[:n_fade] = np.linspace(0, 1, n_fade)
    gain[-n_fade:] = np.linspace(1, 0, n_fade)
    stop = first + piece.shape[1]
    hour[:, first:stop] = hour[:, first:stop] * (1 - gain) + piece * gain


def spliced_hours(
    data: Path, subjects: Sequence[str], seed: int
) -> Iterator[tuple["eegcore.Recording", tuple[tuple[float, float], ...], str]]:
    """Yield hours with one or two events, and as many without any."""
    rng = np.random.default_rng([seed, 55])
    part = "develop" if subjects == ("chb01",) else "report"
    sources = [bipolar(data / name) for name in BACKGROUND[part]]
    sources = [piece * (AMPLITUDE_UV / level(piece)) for piece in sources]
    folder = data / "chbmit/excerpts"
    for subject in subjects:
        events = []
        for path in sorted(folder.glob(f"{subject}_*_ictal_*.edf")):
            if "chb02_19_" in path.name:  # its seizure was over: postictal
                continue
            stem = path.name.split("_ictal_")[0]
            before = crop(next(folder.glob(f"{stem}_preictal_*.edf")))
            scale = AMPLITUDE_UV / level(before)
            ictal = crop(path) * scale
            events.append(joined([ictal] * 3, 1.0))
            sources.append(before * scale)
        groups = [events[i : i + 2] for i in range(0, len(events), 2)]
        for group in [*groups, *[[] for _ in groups]]:
            yield _hour(rng, sources, group, subject)


def _hour(
    rng: np.random.Generator,
    sources: Sequence[Values],
    group: Sequence[Values],
    subject: str,
) -> tuple["eegcore.Recording", tuple[tuple[float, float], ...], str]:
    total = 0.0
    pieces = []
    while total < 3620:
        source = sources[int(rng.integers(len(sources)))]
        seconds = source.shape[1] / RATE
        length = min(seconds, rng.uniform(20, 90))
        start = rng.uniform(0, seconds - length)
        piece = source[:, round(start * RATE) : round((start + length) * RATE)]
        pieces.append(piece * np.exp(0.15 * rng.standard_normal()))
        total += length - FADE_SEC
    hour = joined(pieces, FADE_SEC)[:, : 3600 * RATE].copy()
    truth = []
    for i, event in enumerate(group):
        onset = float(rng.uniform(200, 1500) + 1800 * i)
        set_in(hour, event, onset)
        truth.append((onset, onset + event.shape[1] / RATE))
    rec = eegcore.from_array(hour, float(RATE), montage())
    return rec, tuple(truth), subject


def hypnograms(data: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield subject and trimmed stages of the 20 real Sleep-EDF nights."""
    for path in sorted((data / "sleep-edfx/hypnograms").glob("*.edf")):
        stages = read_hypnogram(path)
        trim = trim_edges(stages)
        kept = [stage or "W" for stage in stages[trim.start_epoch : trim.stop_epoch]]
        yield path.name[:5], kept


def spliced_nights(
    data: Path, signal: Values, stages: Sequence[str | None], awake: Values
) -> Iterator[tuple[Values, list[str], str]]:
    """Yield signal, stages and subject of each spliced night (100 Hz, one channel).

    Wake comes from a recording of wake, scaled so that its median SD is that of REM.
    """
    rng = np.random.default_rng(66)
    n = 3000
    rows = signal[: len(stages) * n].reshape(-1, n)
    rem = np.median([r.std() for r, s in zip(rows, stages, strict=True) if s == "REM"])
    awake_rows = awake[: len(awake) // n * n].reshape(-1, n)
    awake_rows = awake_rows * (rem / np.median(awake_rows.std(axis=1)))
    pools: dict[str, list[Values]] = {"W": [awake_rows]}
    for stage in ("W", "N1", "N2", "N3", "REM"):
        runs = _runs(rows, stages, stage)
        pools[stage] = pools.get(stage, []) + runs
    for subject, night in hypnograms(data):
        pieces: list[Values] = []
        i = 0
        while i < len(night):
            stop = i
            while stop < len(night) and night[stop] == night[i]:
                stop += 1
            need = stop - i
            while need > 0:
                pool = pools[night[i]]
                run = pool[0] if night[i] == "W" else pool[int(rng.integers(len(pool)))]
                start = int(rng.integers(len(run)))
                taken = run[start : start + min(need, 10)]
                pieces.append(taken.ravel())
                need -= len(taken)
            i = stop
        yield np.concatenate(pieces), night, subject


def _runs(rows: Values, stages: Sequence[str | None], wanted: str) -> list[Values]:
    out, first = [], None
    for i, stage in enumerate([*stages, None]):
        if stage == wanted and first is None:
            first = i
        elif stage != wanted and first is not None:
            out.append(rows[first:i])
            first = None
    return out
