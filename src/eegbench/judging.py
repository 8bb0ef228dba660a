"""Each instance judged alone: its raw answer read again, its own score.

The raw final reply is what counts; the answer that the episode took stands in where an
agent gave no text. An answer that cannot be read, or holds NaN, infinity or something
of the wrong kind, costs its own instance and nothing else.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from eegbench.errors import SetError
from eegbench.instances import Instance
from eegbench.predictions import Prediction
from eegbench.references import Reference
from eegbench.scored import LoadedRun, Outcome, ScoredCase
from eegbench.scoring.answers import Parsed
from eegbench.scoring.event_records import score_record
from eegbench.scoring.events import parse_events
from eegbench.scoring.hypnogram import (
    aligned,
    parse_hypnogram,
    parse_shares,
    score_hypnogram,
)
from eegbench.scoring.labels import parse_choice, parse_label
from eegbench.suites import Task
from eegcore.hypnogram import decode, encode

Raw = object
Judged = dict[str, Any]


def judge_run(run: LoadedRun) -> list[ScoredCase]:
    """Return every instance of a run with its judgement, in the set's order."""
    return [
        judge(
            task_of(run, instance),
            instance,
            run.references[instance.instance_id],
            run.predictions.get(instance.instance_id),
        )
        for instance in run.wanted()
    ]


def task_of(run: LoadedRun, instance: Instance) -> Task:
    """Return an instance's task; classes of one's own come from its answer schema."""
    task = run.suite.task(instance.task)
    if task.kind == "label" and not task.classes:
        return replace(task, classes=schema_classes(instance, task.answer_field))
    return task


def schema_classes(instance: Instance, field: str) -> tuple[str, ...]:
    """Return the classes that an instance's answer schema allows."""
    properties = instance.answer_schema.get("properties", {})
    return tuple(str(name) for name in properties.get(field, {}).get("enum", ()))


def judge(
    task: Task,
    instance: Instance,
    reference: Reference,
    prediction: Prediction | None,
) -> ScoredCase:
    """Return one instance with its judgement."""
    shared: Judged = {
        "instance": instance,
        "reference": reference,
        "prediction": prediction,
    }
    if prediction is None:
        return ScoredCase(**shared, outcome="missing", values={})
    if prediction.status == "failed":
        return ScoredCase(**shared, outcome="failed", values={})
    _check_reference(task, instance, reference)
    return ScoredCase(**shared, **_JUDGES[task.kind](task, shared, raw_of(prediction)))


def raw_of(prediction: Prediction) -> Raw:
    """Return what is scored: the final reply as text, else the accepted answer."""
    if prediction.answer_text is not None:
        return prediction.answer_text
    return prediction.answer


def _check_reference(task: Task, instance: Instance, reference: Reference) -> None:
    """Raise SetError for a reference that no answer could equal."""
    known = tuple(instance.options or ()) if task.kind == "choice" else task.classes
    wanted = {"events": reference.events, "hypnogram": reference.stages}
    told = wanted.get(task.kind, reference.label)
    where = f"reference of {instance.instance_id}"
    if told is None:
        raise SetError(f"{where}: a task of kind {task.kind} needs its field")
    if task.kind in ("choice", "label") and told not in known:
        raise SetError(f"{where}: label {told!r} is none of {', '.join(known)}")


def _outcome(score: float) -> Outcome:
    return "right" if score >= 1 else "wrong" if score <= 0 else "partly"


def _choice(task: Task, shared: Judged, raw: Raw) -> Judged:
    parsed = parse_choice(raw, shared["instance"].options or {})
    return _labelled(parsed, shared["reference"])


def _label(task: Task, shared: Judged, raw: Raw) -> Judged:
    parsed = parse_label(raw, task.classes, task.aliases)
    return _labelled(parsed, shared["reference"])


def _labelled(parsed: Parsed[str | None], reference: Reference) -> Judged:
    score = float(parsed.value is not None and parsed.value == reference.label)
    return {
        "outcome": _outcome(score),
        "score": score,
        "values": {},
        "label": parsed.value,
        "parse_failed": parsed.parse_failed,
        "warnings": parsed.warnings,
    }


def _events(task: Task, shared: Judged, raw: Raw) -> Judged:
    instance, reference = shared["instance"], shared["reference"]
    duration = reference.duration_sec
    if duration is None:
        duration = instance.duration_sec or 0.0
    parsed = parse_events(raw, duration)
    record = score_record(
        reference.events or [],
        parsed.value,
        duration_sec=duration,
        subject=reference.subject or instance.instance_id,
        group=reference.group,
    )
    counts = record.counts
    total = 2 * counts.tp + counts.fp + counts.fn
    score = 2 * counts.tp / total if total else 1.0
    values: dict[str, float | None] = {
        "found": counts.tp,
        "false": counts.fp,
        "missed": counts.fn,
        "dice": record.dice,
    }
    return {
        "outcome": _outcome(score),
        "score": score,
        "values": values,
        "events": parsed.value,
        "record": record,
        "parse_failed": parsed.parse_failed,
        "warnings": parsed.warnings,
    }


def _hypnogram(task: Task, shared: Judged, raw: Raw) -> Judged:
    reference = shared["reference"]
    try:
        truth = encode(reference.stages)
    except ValueError as error:
        raise SetError(f"reference of {reference.instance_id}: {error}") from error
    parsed = parse_hypnogram(raw, truth.size)
    night = score_hypnogram(truth, parsed.value, stated=parse_shares(raw))
    values: dict[str, float | None] = {
        "macro_f1": night.macro_f1,
        "kappa": night.kappa,
        "accuracy": night.accuracy,
        "best_macro_f1": night.best_macro_f1,
        **{f"{key}_error": value for key, value in night.share_errors.items()},
    }
    return {
        "outcome": "partly" if night.accuracy is None else _outcome(night.accuracy),
        "score": night.macro_f1,
        "values": values,
        "stages": tuple(decode(aligned(parsed.value, truth.size))),
        "night": night,
        "parse_failed": parsed.parse_failed,
        "warnings": parsed.warnings,
    }


_JUDGES: dict[str, Callable[[Task, Judged, Raw], Judged]] = {
    "choice": _choice,
    "label": _label,
    "events": _events,
    "hypnogram": _hypnogram,
}
