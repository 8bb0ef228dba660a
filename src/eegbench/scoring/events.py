"""T5: seizure events against reference events: counts, F1, Dice, alarms.

All event arithmetic is done in integers of 0.1 s (ticks), so that an edge that touches
is told apart from one that overlaps. Dice is taken on the seconds themselves.
"""

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Final, NamedTuple, TypeAlias

from eegbench.scoring.event_answers import Intervals, parse_events

__all__ = [
    "EventCounts",
    "EventRatios",
    "dice",
    "event_ratios",
    "parse_events",
    "score_events",
    "shared",
    "union",
]

TICKS_PER_SEC: Final = 10
MERGE_GAP_SEC: Final = 90
LONGEST_EVENT_SEC: Final = 300
BEFORE_SEC: Final = 30
AFTER_SEC: Final = 60

Ticks: TypeAlias = list[tuple[int, int]]
Seconds: TypeAlias = Sequence[Sequence[float]]


class EventCounts(NamedTuple):
    """Counts of one record, and the events that were counted, in seconds."""

    tp: int
    fp: int
    fn: int
    reference_events: Intervals
    predicted_events: Intervals


class EventRatios(NamedTuple):
    """Ratios of counts; None where there is nothing to divide by."""

    f1: float | None
    sensitivity: float | None
    precision: float | None
    fp_per_24h: float | None


def to_ticks(seconds: float) -> int:
    """Return the nearest 0.1 s, exact halves to the even one.

    The decimal value as written counts: 0.35 is half-way between 3 and 4 ticks, though
    the nearest double lies below.
    """
    tenths = Decimal(repr(float(seconds))) * TICKS_PER_SEC
    return int(tenths.to_integral_value(rounding=ROUND_HALF_EVEN))


def quantized(intervals: Seconds, duration_sec: float) -> Ticks:
    """Clip to the record, quantize, drop what is empty or not finite; sorted."""
    result = []
    for start, stop in intervals:
        if not (math.isfinite(start) and math.isfinite(stop)):
            continue
        low, high = sorted((start, stop))
        ticks = (
            to_ticks(min(max(low, 0.0), duration_sec)),
            to_ticks(min(max(high, 0.0), duration_sec)),
        )
        if ticks[1] > ticks[0]:
            result.append(ticks)
    return sorted(result)


def merged(events: Ticks, *, gap: int) -> Ticks:
    """Join sorted events whose gap is strictly below ``gap`` ticks."""
    result: Ticks = []
    for start, stop in events:
        if result and start - result[-1][1] < gap:
            result[-1] = (result[-1][0], max(result[-1][1], stop))
        else:
            result.append((start, stop))
    return result


def split(events: Ticks, *, longest: int) -> Ticks:
    """Cut events above ``longest`` ticks into pieces of that length and a rest."""
    return [
        (begin, min(begin + longest, stop))
        for start, stop in events
        for begin in range(start, stop, longest)
    ]


def score_events(
    reference: Seconds, predicted: Seconds, *, duration_sec: float
) -> EventCounts:
    """Count found, false and missed events of one record.

    Parameters
    ----------
    reference, predicted
        Intervals (onset, offset) in seconds, any order; reversed ones are swapped.
    duration_sec
        Length of the record.

    Notes
    -----
    Clip, quantize, drop what is empty, merge gaps under 90 s, split above 300 s, extend
    references by 30 s before and 60 s after, clip. Then any overlap of a tick counts,
    and matching is not one to one.

    References
    ----------
    EEGAgentBench, section 6.3 and table 3.
    """
    references = _processed(reference, duration_sec)
    predictions = _processed(predicted, duration_sec)
    last = to_ticks(duration_sec)
    extended = [
        (
            max(start - BEFORE_SEC * TICKS_PER_SEC, 0),
            min(stop + AFTER_SEC * TICKS_PER_SEC, last),
        )
        for start, stop in references
    ]
    found = sum(
        any(_overlap(event, other) for other in predictions) for event in extended
    )
    false = sum(
        not any(_overlap(event, other) for other in extended) for event in predictions
    )
    return EventCounts(
        tp=found,
        fp=false,
        fn=len(extended) - found,
        reference_events=_in_seconds(references),
        predicted_events=_in_seconds(predictions),
    )


def _processed(intervals: Seconds, duration_sec: float) -> Ticks:
    joined = merged(
        quantized(intervals, duration_sec), gap=MERGE_GAP_SEC * TICKS_PER_SEC
    )
    return split(joined, longest=LONGEST_EVENT_SEC * TICKS_PER_SEC)


def _overlap(first: tuple[int, int], second: tuple[int, int]) -> bool:
    return min(first[1], second[1]) > max(first[0], second[0])


def _in_seconds(events: Ticks) -> Intervals:
    return tuple(
        (start / TICKS_PER_SEC, stop / TICKS_PER_SEC) for start, stop in events
    )


def event_ratios(tp: int, fp: int, fn: int, *, duration_sec: float) -> EventRatios:
    """Return F1, sensitivity, precision and false alarms per 24 h of some counts.

    References
    ----------
    EEGAgentBench, section 6.3, equations 4 to 6.
    """
    return EventRatios(
        f1=_divided(2 * tp, 2 * tp + fp + fn),
        sensitivity=_divided(tp, tp + fn),
        precision=_divided(tp, tp + fp),
        fp_per_24h=_divided(fp * 86400.0, duration_sec),
    )


def _divided(top: float, bottom: float) -> float | None:
    return top / bottom if bottom > 0 else None


def dice(
    reference: Seconds, predicted: Seconds, *, duration_sec: float | None = None
) -> float:
    """Overlap of two sets of intervals in time: 2 |both| / (|one| + |other|).

    Parameters
    ----------
    reference, predicted
        Intervals in seconds; overlapping ones of one set are counted once.
    duration_sec
        If given, intervals are cut to the record first.

    Returns
    -------
    float
        1 if both are empty, 0 if one is.

    References
    ----------
    EEGAgentBench, section 6.4, equation 7.
    """
    first = union(reference, duration_sec)
    second = union(predicted, duration_sec)
    total = sum(stop - start for start, stop in first + second)
    if total == 0:
        return 1.0
    return 2 * shared(first, second) / total


def union(intervals: Seconds, duration_sec: float | None) -> list[tuple[float, float]]:
    """Cut to the record, sort, and join what overlaps or touches; in seconds."""
    last = math.inf if duration_sec is None else duration_sec
    cut = []
    for interval in intervals:
        low, high = min(interval[0], interval[1]), max(interval[0], interval[1])
        if not (math.isfinite(low) and math.isfinite(high)):
            continue
        cut.append((min(max(low, 0.0), last), min(max(high, 0.0), last)))
    result: list[tuple[float, float]] = []
    for start, stop in sorted(cut):
        if stop <= start:
            continue
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], stop))
        else:
            result.append((start, stop))
    return result


def shared(
    first: list[tuple[float, float]], second: list[tuple[float, float]]
) -> float:
    """Seconds in both of two sorted lists of disjoint intervals."""
    total, i, j = 0.0, 0, 0
    while i < len(first) and j < len(second):
        total += max(
            0.0, min(first[i][1], second[j][1]) - max(first[i][0], second[j][0])
        )
        if first[i][1] <= second[j][1]:
            i += 1
        else:
            j += 1
    return total
