"""T5 over many records: sums per subject, means over subjects, rates over records."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eegbench.scoring.events import (
    EventCounts,
    EventRatios,
    Seconds,
    dice,
    event_ratios,
    score_events,
    shared,
    union,
)
from eegbench.scoring.uncertainty import Interval, Table, bootstrap, group_sums


@dataclass(frozen=True, slots=True)
class EventRecord:
    """One record, judged.

    ``missed``: it has seizures, and no predicted interval overlaps any of them;
    ``over_alarm``: it has none, and something was predicted. None: does not apply.
    """

    subject: str
    group: str
    duration_sec: float
    counts: EventCounts
    dice: float
    missed: bool | None
    over_alarm: bool | None


@dataclass(frozen=True, slots=True)
class EventScore:
    """Scores over many records."""

    n: int
    n_subjects: int
    n_seizure_records: int
    metrics: dict[str, float | None]
    intervals: dict[str, Interval | None]
    subjects: dict[str, dict[str, float | int | None]]
    pooled: dict[str, float | int | None]
    """Counts and ratios over all records at once, subjects ignored."""


def score_record(
    reference: Seconds,
    predicted: Seconds,
    *,
    duration_sec: float,
    subject: str,
    group: str | None = None,
) -> EventRecord:
    """Judge one record.

    An interval that is empty after clipping and quantization is neither a false alarm
    nor an over-alarm. A miss is judged without tolerance, on the seconds themselves.
    """
    counts = score_events(reference, predicted, duration_sec=duration_sec)
    truth, claim = union(reference, duration_sec), union(predicted, duration_sec)
    seizures = bool(counts.reference_events)
    return EventRecord(
        subject=subject,
        group=subject if group is None else group,
        duration_sec=duration_sec,
        counts=counts,
        dice=dice(reference, predicted, duration_sec=duration_sec),
        missed=shared(truth, claim) == 0 if seizures else None,
        over_alarm=None if seizures else bool(counts.predicted_events),
    )


_SUBJECT_KEYS = ("event_f1", "sensitivity", "precision", "fp_per_24h")
_RECORD_KEYS = ("dice_seizure", "miss_rate", "over_alarm_rate")


def score_event_records(
    records: Iterable[EventRecord], *, n_rounds: int = 1000, seed: int = 0
) -> EventScore:
    """Aggregate records: ratios per subject, then means; Dice and rates over records.

    Notes
    -----
    Counts and durations are summed within each subject; a subject without any event on
    either side has no F1 and is left out of that mean. Intervals resample groups, which
    may hold several subjects (chb01 and chb21 are one child).

    References
    ----------
    EEGAgentBench, sections 6.3 and 6.4, equation 8.
    """
    rows = list(records)
    subjects = _by_subject(rows)
    table, names = event_table(rows)
    totals = table.sum(axis=0, keepdims=True)
    metrics = {
        key: float(values[0]) if np.isfinite(values[0]) else None
        for key, values in event_statistic(totals).items()
    }
    intervals = bootstrap(
        group_sums(table, names), event_statistic, n_rounds=n_rounds, seed=seed
    )
    tp, fp, fn = (sum(int(s[key] or 0) for s in subjects.values()) for key in _COUNTS)
    duration = sum(row.duration_sec for row in rows)
    pooled: dict[str, float | int | None] = {
        "tp": tp,
        "fp": fp,
        "fn": fn,
        "duration_sec": duration,
    }
    pooled |= event_ratios(tp, fp, fn, duration_sec=duration)._asdict()
    return EventScore(
        n=len(rows),
        n_subjects=len(subjects),
        n_seizure_records=sum(row.missed is not None for row in rows),
        metrics=metrics,
        intervals=intervals or dict.fromkeys(metrics),
        subjects=subjects,
        pooled=pooled,
    )


_COUNTS = ("tp", "fp", "fn")


def _by_subject(
    rows: Sequence[EventRecord],
) -> dict[str, dict[str, float | int | None]]:
    sums: dict[str, list[float]] = {}
    for row in rows:
        total = sums.setdefault(row.subject, [0, 0, 0, 0.0])
        counts = (row.counts.tp, row.counts.fp, row.counts.fn, row.duration_sec)
        sums[row.subject] = [a + b for a, b in zip(total, counts, strict=True)]
    result: dict[str, dict[str, float | int | None]] = {}
    for subject, (tp, fp, fn, duration) in sums.items():
        ratios = event_ratios(int(tp), int(fp), int(fn), duration_sec=duration)
        counts_of: dict[str, float | int | None] = {
            "tp": int(tp),
            "fp": int(fp),
            "fn": int(fn),
            "duration_sec": duration,
        }
        result[subject] = counts_of | ratios._asdict()
    return result


def event_table(rows: Sequence[EventRecord]) -> tuple[Table, list[str]]:
    """Return sums and counts of every metric, and the group of each row.

    A row a subject, in the order of first records, then a row a record.
    """
    subjects = _by_subject(rows)
    groups: dict[str, str] = {}
    for row in rows:
        if groups.setdefault(row.subject, row.group) != row.group:
            raise ValueError(f"subject {row.subject} is in more than one group")
    n_keys = len(_SUBJECT_KEYS) + len(_RECORD_KEYS)
    table = np.zeros((len(subjects) + len(rows), 2 * n_keys))
    names: list[str] = []
    values: list[tuple[float | None, ...]] = []
    for subject, item in subjects.items():
        names.append(groups[subject])
        ratios = (item[key] for key in EventRatios._fields)
        values.append((*ratios, *[None] * len(_RECORD_KEYS)))
    for row in rows:
        names.append(row.group)
        of_seizure = None if row.missed is None else row.dice
        scores = (of_seizure, row.missed, row.over_alarm)
        values.append((*[None] * len(_SUBJECT_KEYS), *scores))
    for number, scores_of in enumerate(values):
        for column, value in enumerate(scores_of):
            if value is not None:
                table[number, column] = float(value)
                table[number, n_keys + column] = 1
    return table, names


def event_statistic(totals: Table) -> dict[str, NDArray[np.float64]]:
    """Return scores from summed rows of `event_table`; NaN where undefined."""
    keys = (*_SUBJECT_KEYS, *_RECORD_KEYS)
    result = {}
    for column, key in enumerate(keys):
        counts = totals[:, len(keys) + column]
        means = np.full(len(totals), np.nan)
        np.divide(totals[:, column], counts, out=means, where=counts > 0)
        result[key] = means
    return result
