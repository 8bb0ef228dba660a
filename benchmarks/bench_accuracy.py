"""How far windowed features are from scipy and numpy in float64.

Largest relative deviation over all 10-s windows of each signal: band powers (1-45 Hz)
and time domain. Stored integers go through the kernels; the peer gets the same samples
as float64. Real recordings are those of ../shared/data, where it is there.
"""

import sys
from pathlib import Path

import numpy as np

from eegcore.formats import open_recording
from eegcore.recording import Recording
from eegcore.windowed import FEATURES, features_of_windows
from eegcore.windows import place_windows
from gen_data import make
from plain import features

TESTS = Path(__file__).resolve().parents[1] / "tests"
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
WINDOW_SEC = 10.0
LONGEST_SEC = 1200.0
WAVEFORM = 7  # of FEATURES, the first are of the waveform, then six powers
POWERS = slice(WAVEFORM, WAVEFORM + 6)


def made() -> dict[str, Recording]:
    """Signals that are hard on an estimate, stored as integers."""
    sys.path.insert(0, str(TESTS))
    from stored import stored_recording

    rng = np.random.default_rng(5)
    n = 120 * 256
    t = np.arange(n) / 256.0
    noise = rng.standard_normal(n)
    drift = np.round(30000 * np.sin(2 * np.pi * 0.11 * t) + noise)
    offset = np.round(noise * 32) + round(1e5 / 0.03125)
    plain = {
        "noise of 1e-3 uV, steps of 1e-5 uV": (np.round(noise * 100), 1e-5, "int16"),
        "1 uV on an offset of 1e5 uV": (offset, 0.03125, "int24"),
        "square wave of full scale": (
            np.where(np.arange(n) // 37 % 2, 32767, -32768),
            1.0,
            "int16",
        ),
        "one spike of full scale": (np.where(t == 30.5, 32767, 0), 1.0, "int16"),
        "weak noise on a drift of full scale": (drift, 1.0, "int16"),
    }
    return {
        name: stored_recording(
            x[None].astype(np.int64), 256.0, gain=gain, encoding=encoding
        )
        for name, (x, gain, encoding) in plain.items()
    }


def recordings() -> dict[str, Recording]:
    """All signals by name."""
    found = {
        "simulated scalp, 256 Hz": open_recording(make("scalp")),
        "simulated night, 100 Hz": open_recording(make("night")),
        "simulated rest, 500 Hz": open_recording(make("rest")),
    }
    for path in sorted(DATA.glob("chbmit/excerpts/*.edf"))[:1]:
        found["CHB-MIT, 256 Hz"] = open_recording(path)
    for path in sorted(DATA.glob("eegmmidb/*.edf"))[:1]:
        found["eegmmidb, 160 Hz"] = open_recording(path)
    return found | made()


def deviations(recording: Recording) -> tuple[float, float]:
    """Largest relative deviation of band powers and of the time domain."""
    channels = recording.resolve(None)[:3] or (0,)
    stop_sec = min(recording.duration_sec, LONGEST_SEC) // WINDOW_SEC * WINDOW_SEC
    grid = place_windows(0.0, stop_sec, WINDOW_SEC, step_sec=WINDOW_SEC)
    ours = features_of_windows(recording, channels, grid, features=FEATURES).values
    worst = [0.0, 0.0]
    for row, channel in enumerate(channels):
        rate_hz = recording.channels[channel].rate_hz
        x = recording.read_samples(channel, 0, round(stop_sec * rate_hz))
        with np.errstate(all="ignore"):  # what is flat has no ratios on either side
            peer = np.array(features(x, rate_hz, WINDOW_SEC))
        for at, some in enumerate((POWERS, slice(0, WAVEFORM))):
            a, b = ours[row, some], peer[some]
            both = np.isfinite(a) & np.isfinite(b) & (np.abs(b) > 1e-25)
            off = np.abs(a[both] / b[both] - 1.0)
            worst[at] = max(worst[at], float(off.max(initial=0.0)))
    return worst[0], worst[1]


if __name__ == "__main__":
    print("\n## Accuracy: largest relative deviation from scipy and numpy in float64\n")
    print("| signal | band powers (limit 2e-6) | time domain (limit 1e-9) |")
    print("|---|---:|---:|")
    for name, recording in recordings().items():
        bands, waveform = deviations(recording)
        print(f"| {name} | {bands:.1e} | {waveform:.1e} |", flush=True)
