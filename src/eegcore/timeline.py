"""Segments of a recording: from seconds to stored samples, gaps and all.

Rounding is that of `eegcore.windows`.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore.errors import RangeError
from eegcore.windows import first_sample


class Segment(NamedTuple):
    """A stretch without a gap, in seconds from the first sample, half-open."""

    start_sec: float
    stop_sec: float


class Timeline(NamedTuple):
    """What is known only after the record starts of a file have been read.

    Attributes
    ----------
    segments : tuple of Segment
    first_sample_sec : float
        Start of the first record, from the start time of the header.
    record_starts : ndarray of float64 or None
        Start of each record from the first sample; None: one after the other.
    """

    segments: tuple[Segment, ...]
    first_sample_sec: float
    record_starts: NDArray[np.float64] | None


class Span(NamedTuple):
    """Recorded piece of a time range: first stored sample, place in it, length."""

    stored: int
    position: int
    length: int


def spans_of(
    segments: Sequence[Segment], rate_hz: float, start_sec: float, stop_sec: float
) -> Iterator[Span]:
    """Pieces of [start_sec, stop_sec) that were recorded, one per segment touched.

    Places are on the grid n / rate_hz of the whole recording; a segment that starts
    between two samples of the grid goes to the nearer one.
    """
    begin = first_sample(start_sec, rate_hz)
    end = first_sample(stop_sec, rate_hz)
    stored = 0
    for segment in segments:
        length = round((segment.stop_sec - segment.start_sec) * rate_hz)
        onset = round(segment.start_sec * rate_hz)
        first, last = max(begin, onset), min(end, onset + length)
        if first < last:
            yield Span(stored + first - onset, first - begin, last - first)
        stored += length


def sample_range(
    segments: Sequence[Segment], rate_hz: float, start_sec: float, stop_sec: float
) -> tuple[int, int]:
    """Stored samples with start_sec <= time < stop_sec, as (start, stop)."""
    begin = end = stored = 0
    for segment in segments:
        length = round((segment.stop_sec - segment.start_sec) * rate_hz)
        first = max(first_sample(start_sec - segment.start_sec, rate_hz), 0)
        last = min(first_sample(stop_sec - segment.start_sec, rate_hz), length)
        if first < last:
            begin = stored + first if end == 0 else begin
            end = stored + last
        stored += length
    return begin, end


def touches_gap(segments: Sequence[Segment], start_sec: float, stop_sec: float) -> bool:
    """Whether a part of [start_sec, stop_sec) lies in no segment."""
    return not any(
        segment.start_sec <= start_sec + 1e-9 and stop_sec <= segment.stop_sec + 1e-9
        for segment in segments
    )


def checked_stop(
    start_sec: float, stop_sec: float | None, duration_sec: float, rate_hz: float
) -> float:
    """End of a range; half a sample beyond the end of the recording is its end.

    Raises
    ------
    RangeError
        The range leaves the recording.
    """
    stop_sec = duration_sec if stop_sec is None else stop_sec
    limit_sec = duration_sec + (0.5 / rate_hz if rate_hz else 0.0)
    if not 0.0 <= start_sec <= stop_sec <= limit_sec:
        raise RangeError(
            f"no such range: {start_sec:g} to {stop_sec:g} s; "
            f"this recording runs from 0 to {duration_sec:g} s"
        )
    return min(stop_sec, duration_sec)
