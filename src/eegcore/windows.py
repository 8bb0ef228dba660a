"""Seconds <-> sample numbers: the only place that rounds time.

The rule: sample n lies at n / rate_hz seconds, and a range holds the samples with
start_sec <= time < stop_sec. Neighbouring ranges therefore share no sample and leave
none out, at any rate; a window of a fixed duration may hold one sample more or less
than the one before (at 173.61 Hz, 2 s are 347 or 348), and never drifts.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# A time that misses a sample by less than this share of a sample means that sample:
# 0.29 s * 100 Hz is 28.999999999999996.
_TOLERANCE = 1e-6
_LATEST_SEC = 1e9  # no recording is longer; an agent's 1e308 must not overflow


class WindowGrid(NamedTuple):
    """Windows of one duration at a fixed step.

    Attributes
    ----------
    start_sec, stop_sec : ndarray, float64, (n_windows,)
        Seconds from the first sample of the recording.
    left_out_sec : float
        Time between the end of the last window and the end of the range.
    """

    start_sec: NDArray[np.float64]
    stop_sec: NDArray[np.float64]
    left_out_sec: float


def first_sample(time_sec: float, rate_hz: float) -> int:
    """Return number of the first sample at or after a time."""
    return math.ceil(time_sec * rate_hz - _TOLERANCE)


def first_samples(time_sec: NDArray[np.float64], rate_hz: float) -> NDArray[np.int64]:
    """Numbers of the first samples at or after some times."""
    if time_sec.size == 1:
        return np.array([first_sample(float(time_sec[0]), rate_hz)])
    return np.ceil(time_sec * rate_hz - _TOLERANCE).astype(np.int64)


def truncated_sample(time_sec: float, rate_hz: float) -> int:
    """Return number of the last sample before a time, as the published release counts.

    Not for new code: 0.29 s at 100 Hz gives sample 28, and windows placed so drift.
    """
    return int(min(time_sec, _LATEST_SEC) * rate_hz)


def count_windows(span_sec: float, window_sec: float, step_sec: float) -> int:
    """How many whole windows fit into a span."""
    if span_sec < window_sec - 1e-9:
        return 0
    return int((span_sec - window_sec) / step_sec + 1e-9) + 1


def place_windows(
    start_sec: float, stop_sec: float, window_sec: float, *, step_sec: float
) -> WindowGrid:
    """Whole windows from `start_sec`, each placed by time, so that none drifts.

    Parameters
    ----------
    start_sec, stop_sec : float
        The range to cover.
    window_sec, step_sec : float
        Above zero. A step above the window leaves gaps, one below overlaps.

    Returns
    -------
    WindowGrid
        Window k starts at start_sec + k * step_sec; none at all if the range is
        shorter than a window.
    """
    count = count_windows(stop_sec - start_sec, window_sec, step_sec)
    if count == 1:  # the same, in a third of the time
        starts = np.array([start_sec], np.float64)
    else:
        starts = start_sec + np.arange(count, dtype=np.float64) * step_sec
    stops = starts + window_sec
    covered_sec = float(stops[-1]) if count else start_sec
    return WindowGrid(starts, stops, max(0.0, stop_sec - covered_sec))
