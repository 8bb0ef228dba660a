"""How scores depend on something: artifact level, length of the night, call depth.

Each function takes scored cases and returns tidy rows (paper sections 4.5, 6.9).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from eegbench.analysis.trajectories import (
    Call,
    covered_share,
    looked_at,
    overlaps,
    quantile,
)
from eegbench.scored import ScoredCase

Row = dict[str, Any]
DURATION_EDGES_H = (0.0, 8.0, 10.0, 12.0, 14.0, 16.0, 20.0, 24.0)
"""Seven bins of a night's length; the paper names the first (< 8) and last (>= 20)."""
TOLERANCE_SEC = (30.0, 60.0)


def judged(cases: Iterable[ScoredCase], task: str) -> list[ScoredCase]:
    """Return the cases of one task that have a score."""
    return [case for case in cases if case.task == task and case.score is not None]


def snr_response(cases: Iterable[ScoredCase]) -> list[Row]:
    """Return accuracy per artifact class and SNR level (T2; paper figure 8).

    Clean segments have no level: one row with ``snr_db`` None, their specificity.
    """
    groups: dict[tuple[str, float | None], list[float]] = defaultdict(list)
    for case in judged(cases, "T2"):
        level = case.reference.extra.get("snr_db")
        key = (str(case.reference.label), None if level is None else float(level))
        groups[key].append(float(case.score or 0.0))

    def order(key: tuple[str, float | None]) -> tuple[str, float]:
        return key[0], float("-inf") if key[1] is None else -key[1]

    return [
        {
            "artifact": label,
            "snr_db": level,
            "n": len(groups[label, level]),
            "accuracy": _mean(groups[label, level]),
        }
        for label, level in sorted(groups, key=order)
    ]


def artifact_axes(cases: Iterable[ScoredCase]) -> Row | None:
    """Return T2 in three numbers: detection, clean specificity, type confusion.

    Detection: contaminated segments called anything but clean. Type confusion: of the
    contaminated ones called ocular or muscle, the share with the wrong one.
    """
    kept = judged(cases, "T2")
    dirty = [case for case in kept if case.reference.label != "clean"]
    clean = [case for case in kept if case.reference.label == "clean"]
    if not kept:
        return None
    called = [case for case in dirty if case.label in ("ocular", "muscle")]
    return {
        "n": len(kept),
        "detection_rate": _mean([float(case in called) for case in dirty]),
        "clean_accuracy": _mean([float(case.label == "clean") for case in clean]),
        "type_confusion": _mean(
            [float(case.label != case.reference.label) for case in called]
        ),
    }


def duration_bins(
    cases: Iterable[ScoredCase], *, edges_h: Sequence[float] = DURATION_EDGES_H
) -> list[Row]:
    """Return mean macro-F1 of nights by length of the recording (paper figure 7d)."""
    rows = []
    kept = judged(cases, "T6")
    for low, high in pairwise(edges_h):
        scores = [
            float(case.score or 0.0)
            for case in kept
            if case.duration_sec is not None and low <= case.duration_sec / 3600 < high
        ]
        if scores:
            rows.append(
                {
                    "from_h": low,
                    "to_h": high,
                    "n": len(scores),
                    "macro_f1": _mean(scores),
                    "q25": quantile(scores, 0.25),
                    "q75": quantile(scores, 0.75),
                }
            )
    return rows


def seizure_errors(cases: Iterable[ScoredCase]) -> Row | None:
    """Return miss and over-alarm rate of T5 (paper figure 7a).

    Miss: share of seizure records where no predicted interval overlaps a reference
    seizure. Over-alarm: share of seizure-free records with any predicted interval.
    """
    kept = judged(cases, "T5")
    if not kept:
        return None
    positive = [case for case in kept if case.reference.events]
    negative = [case for case in kept if not case.reference.events]
    missed = [
        not any(
            overlaps(event, case.events or ()) for event in case.reference.events or []
        )
        for case in positive
    ]
    return {
        "n_seizure": len(positive),
        "n_free": len(negative),
        "miss_rate": _mean([float(each) for each in missed]),
        "over_alarm_rate": _mean([float(bool(case.events)) for case in negative]),
    }


def evidence_coverage(
    case: ScoredCase, calls: Sequence[Call], *, resolution_sec: float
) -> Row | None:
    """Return how much of one recording an agent looked at, and why it missed events.

    Parameters
    ----------
    case : ScoredCase
        Its reference events (T5) are split into hit, looked at but misjudged, and
        never looked at; an event was looked at if any span touches it.
    calls : sequence of Call
        The calls of its transcript.
    resolution_sec : float
        Coarsest window that counts as looking.
    """
    duration = case.duration_sec
    if duration is None or not duration > 0:
        return None
    spans = looked_at(calls, duration, resolution_sec=resolution_sec)
    row: Row = {
        "instance_id": case.instance.instance_id,
        "task": case.task,
        "duration_sec": duration,
        "resolution_sec": resolution_sec,
        "n_calls": len(calls),
        "n_refused": sum(call.refused for call in calls),
        "coverage": covered_share(spans, duration),
        "n_events": None,
        "n_hit": None,
        "n_misjudged": None,
        "n_never_looked": None,
    }
    if case.reference.events is not None and case.events is not None:
        row |= {"n_events": 0, "n_hit": 0, "n_misjudged": 0, "n_never_looked": 0}
        for start, stop in case.reference.events:
            window = (start - TOLERANCE_SEC[0], stop + TOLERANCE_SEC[1])
            row["n_events"] += 1
            if overlaps(window, case.events):
                row["n_hit"] += 1
            elif overlaps((start, stop), spans):
                row["n_misjudged"] += 1
            else:
                row["n_never_looked"] += 1
    return row


def coverage_summary(rows: Iterable[Row]) -> list[Row]:
    """Return per task mean coverage and the sums of hits and misses."""
    grouped: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row["task"]].append(row)
    summary = []
    for task, kept in sorted(grouped.items()):
        shares = [row["coverage"] for row in kept if row["coverage"] is not None]
        sums = {
            key: sum(row[key] for row in kept if row[key] is not None)
            if any(row[key] is not None for row in kept)
            else None
            for key in ("n_events", "n_hit", "n_misjudged", "n_never_looked")
        }
        summary.append(
            {
                "task": task,
                "n": len(kept),
                "resolution_sec": kept[0]["resolution_sec"],
                "coverage": _mean(shares),
                **sums,
            }
        )
    return summary


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
