"""What the page draws for one case, as JSON: stages, timeline, measurements."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from eegbench.analysis.measured import Spread
from eegbench.analysis.trajectories import RESOLUTION_SEC, Call, looked_at, overlaps
from eegbench.report.tables import number_text
from eegbench.scored import ScoredCase

JsonObject = dict[str, Any]
BEFORE_SEC, AFTER_SEC = 30.0, 60.0
EPOCH_SEC = 30.0


def picture_of(
    case: ScoredCase,
    calls: Sequence[Call],
    measured: Mapping[str, float],
    spreads: Mapping[str, Sequence[Spread]],
) -> JsonObject | None:
    """Return the picture that suits the case's task, or None."""
    if case.reference.stages is not None and case.stages is not None:
        return _hypnogram(case, calls)
    if case.reference.events is not None and case.duration_sec:
        return _timeline(case, calls)
    if case.reference.label is not None and measured:
        return _measurements(measured, spreads)
    return None


def tolerance_windows(
    events: Iterable[Sequence[float]], duration_sec: float
) -> list[tuple[float, float]]:
    """Return references with the tolerance of the event score, clipped."""
    return [
        (max(0.0, start - BEFORE_SEC), min(duration_sec, stop + AFTER_SEC))
        for start, stop in events
    ]


def runs_of(stages: Sequence[str | None]) -> list[tuple[int, int, str | None]]:
    """Return runs of one stage as (first, last, stage), ends inclusive."""
    runs: list[tuple[int, int, str | None]] = []
    for epoch, stage in enumerate(stages):
        if runs and runs[-1][2] == stage:
            runs[-1] = (runs[-1][0], epoch, stage)
        else:
            runs.append((epoch, epoch, stage))
    return runs


def _hypnogram(case: ScoredCase, calls: Sequence[Call]) -> JsonObject:
    reference, predicted = case.reference.stages or [], case.stages or ()
    duration = EPOCH_SEC * len(reference)
    differs = [
        truth is not None and truth != guess
        for truth, guess in zip(reference, predicted, strict=False)
    ]
    wrong = [
        (first * EPOCH_SEC, (last + 1) * EPOCH_SEC)
        for first, last, kind in runs_of([str(each) for each in differs])
        if kind == "True"
    ]
    looked = looked_at(calls, duration, resolution_sec=RESOLUTION_SEC["T6"])
    return {
        "kind": "hypnogram",
        "epoch_sec": EPOCH_SEC,
        "duration_sec": duration,
        "reference": runs_of(reference),
        "predicted": runs_of(predicted),
        "wrong": wrong,
        "looked": looked,
        "note": "Looked at: windows of 5 min or less, by the arguments of its calls.",
    }


def _timeline(case: ScoredCase, calls: Sequence[Call]) -> JsonObject:
    duration = float(case.duration_sec or 0.0)
    reference = case.reference.events or []
    windows = tolerance_windows(reference, duration)
    return {
        "kind": "timeline",
        "duration_sec": duration,
        "reference": reference,
        "windows": windows,
        "predicted": [
            (start, stop, overlaps((start, stop), windows))
            for start, stop in case.events or ()
        ],
        "looked": looked_at(calls, duration, resolution_sec=RESOLUTION_SEC["T5"]),
        "note": "Grey: tolerance of 30 s before and 60 s after. Looked at: windows of "
        "1 min or less, by the arguments of its calls.",
    }


def _measurements(
    measured: Mapping[str, float], spreads: Mapping[str, Sequence[Spread]]
) -> JsonObject | None:
    items = [
        {
            "name": name.replace("_", " "),
            "value": measured[name],
            "text": number_text(measured[name]),
            "groups": [group._asdict() for group in groups],
        }
        for name, groups in spreads.items()
        if name in measured
    ]
    if not items:
        return None
    return {
        "kind": "measurements",
        "items": items,
        "note": "What this agent's tools answered (mean over channels) against all "
        "recordings of each class in this run: 10, 25, 50, 75, 90 % points.",
    }
