"""What the page draws for one case, as JSON: stages, timeline, measurements."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from eegbench.analysis.measured import Spread
from eegbench.analysis.trajectories import (
    RESOLUTION_SEC,
    Call,
    covered_share,
    looked_at,
    overlaps,
)
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
    """Return the picture that suits the case's task; None without an answer."""
    if case.outcome in ("failed", "missing"):
        return None
    if case.reference.stages is not None and case.stages is not None:
        return _hypnogram(case, calls)
    if case.reference.events is not None and case.duration_sec:
        return _timeline(case, calls)
    if case.reference.label is not None and measured:
        return _measurements(case, measured, spreads)
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
        "told": [*confusions(reference, predicted), _seen(looked, duration, "5 min")],
    }


def confusions(
    reference: Sequence[str | None], predicted: Sequence[str | None], *, most: int = 4
) -> list[str]:
    """Return how many epochs differ, and which stages were taken for which."""
    pairs = [
        (truth, guess)
        for truth, guess in zip(reference, predicted, strict=False)
        if truth is not None
    ]
    wrong = Counter(pair for pair in pairs if pair[0] != pair[1])
    if not pairs:
        return ["no scored epoch"]
    share = 100 * wrong.total() / len(pairs)
    told = [f"{wrong.total()} of {len(pairs)} epochs differ ({share:.0f} %)"]
    listed = [
        f"{truth} called {guess} {n}" for (truth, guess), n in wrong.most_common()
    ]
    if listed:
        rest = len(listed) - most
        told.append(
            ", ".join(listed[:most]) + (f" and {rest} other" if rest > 0 else "")
        )
    return told


def _seen(looked: Sequence[tuple[float, float]], duration: float, fine: str) -> str:
    share = covered_share(looked, duration) or 0.0
    return f"looked at {100 * share:.0f} % in windows of {fine} or less"


def _timeline(case: ScoredCase, calls: Sequence[Call]) -> JsonObject:
    duration = float(case.duration_sec or 0.0)
    reference = case.reference.events or []
    windows = tolerance_windows(reference, duration)
    said = case.events or ()
    looked = looked_at(calls, duration, resolution_sec=RESOLUTION_SEC["T5"])
    found = [overlaps(window, said) for window in windows]
    hits = [overlaps(each, windows) for each in said]
    told = []
    if reference:
        told.append(f"{sum(found)} of {len(found)} seizures found")
    else:
        told.append("no seizure in the record")
    told.append(f"{hits.count(False)} false alarms")
    for (start, stop), each in zip(reference, found, strict=True):
        if not each:
            seen = overlaps((start, stop), looked)
            because = "looked at, not called" if seen else "never looked at"
            told.append(f"{start:.0f}-{stop:.0f} s missed: {because}")
    return {
        "kind": "timeline",
        "duration_sec": duration,
        "reference": [
            (*span, each) for span, each in zip(reference, found, strict=True)
        ],
        "windows": windows,
        "predicted": [(*span, hit) for span, hit in zip(said, hits, strict=True)],
        "looked": looked,
        "told": [*told, _seen(looked, duration, "1 min")],
    }


def _measurements(
    case: ScoredCase,
    measured: Mapping[str, float],
    spreads: Mapping[str, Sequence[Spread]],
) -> JsonObject | None:
    items: list[JsonObject] = []
    for name, groups in spreads.items():
        item = {
            "value": measured.get(name),
            "groups": [group._asdict() for group in groups],
        }
        # two tools may answer the same figure under two names
        if name in measured and all(
            item != {key: kept[key] for key in item} for kept in items
        ):
            text = number_text(measured[name])
            items.append({"name": measure_name(name), "text": text, **item})
    if not items:
        return None
    return {
        "kind": "measurements",
        "items": items,
        "is": case.reference.label,
        "said": case.label,
        "told": _fits(case, items),
    }


def _fits(case: ScoredCase, items: Sequence[JsonObject]) -> list[str]:
    """Return in how many measurements the recording looks like either class.

    The middle 80 % is what the picture draws as a line, from the 10 to the 90 % point.
    """
    told = []
    for role, label in (("reference", case.reference.label), ("answer", case.label)):
        spreads = [
            (item["value"], group["quantiles"])
            for item in items
            for group in item["groups"]
            if group["name"] == label
        ]
        inside = sum(q[0] <= value <= q[-1] for value, q in spreads)
        if spreads and not (role == "answer" and label == case.reference.label):
            told.append(
                f"within the middle 80 % of {label} ({role}) in {inside} of "
                f"{len(spreads)} measurements"
            )
    return told


UNITS = {
    "uv2hz": "\u00b5V\u00b2/Hz",
    "uv2": "\u00b5V\u00b2",
    "uv_s": "\u00b5V/s",
    "uv": "\u00b5V",
    "hz": "Hz",
    "ms": "ms",
    "sec": "s",
}


def measure_name(name: str) -> str:
    """Return a measurement's key in words: band first, unit in brackets."""
    path, _, band = name.rpartition(".")
    key, unit = path or band, ""
    for ending, sign in UNITS.items():
        if key.endswith(f"_{ending}"):
            key, unit = key.removesuffix(f"_{ending}"), f" ({sign})"
            break
    words = f"{band} {key}" if path else key
    return words.replace("_", " ").replace(".", " ") + unit
