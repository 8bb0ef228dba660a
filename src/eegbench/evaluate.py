"""Predictions and references into results: the form of ``score --format json``.

Everything is recomputed from the stored raw answers. Rows that the harness or a
provider spoiled are left out and counted apart; missing ones are listed; a set that is
not the frozen one is scored and never called complete.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from eegbench import __version__
from eegbench.judging import judge_run, task_of
from eegbench.predictions import RunInfo
from eegbench.records import listing
from eegbench.scored import LoadedRun, ScoredCase, asked_for, load_run
from eegbench.scoring.event_records import score_event_records
from eegbench.scoring.hypnogram import score_nights
from eegbench.scoring.labels import score_labels
from eegbench.scoring.uncertainty import Interval
from eegbench.suites import Task

FORMAT = "eegbench-results/1"
LEVEL = 0.95
SEED = 0
JsonObject = dict[str, Any]
Baselines = Mapping[str, Sequence[JsonObject]]


class Evaluation(NamedTuple):
    """A result and the judged instances behind it."""

    result: JsonObject
    cases: list[ScoredCase]


class Scores(NamedTuple):
    """What one task's judged answers add up to."""

    metrics: dict[str, float | None]
    intervals: dict[str, Interval | None]
    confusion: JsonObject | None
    counts: dict[str, int]
    """What the metrics are averaged over."""


def evaluate(
    run_path: str | Path, *, set_path: str | Path | None = None, rounds: int = 1000
) -> JsonObject:
    """Score a run from its stored raw answers.

    Parameters
    ----------
    run_path : path
        Folder of the run.
    set_path : path, optional
        Where its set lies now, if it was moved.
    rounds : int, optional
        Rounds of the bootstrap; 0 gives no intervals.

    Returns
    -------
    dict
        As documented in ``docs/formats.md``, ``eegbench-results/1``, without
        baselines.

    Raises
    ------
    SetError
        Run, set or references are missing or malformed.
    """
    return evaluate_run(load_run(run_path, set_path=set_path), rounds=rounds).result


def evaluate_run(
    run: LoadedRun, *, rounds: int = 1000, baselines: Baselines | None = None
) -> Evaluation:
    """Score a loaded run; ``baselines`` holds no-signal scores by task."""
    cases = judge_run(run)
    tasks: JsonObject = {}
    for name in sorted({case.task for case in cases}):
        mine = [case for case in cases if case.task == name]
        task = task_of(run, mine[0].instance)
        told = list((baselines or {}).get(name, ()))
        tasks[name] = _task_result(run, task, mine, rounds=rounds, baselines=told)
    because = _incomplete(run, tasks)
    overall, missing = _overall(run, tasks, run.suite.overall)
    signal = [name for name in run.suite.overall if run.suite.task(name).has_tools]
    info = run.info
    result = {
        "format": FORMAT,
        "run": run.name,
        "agent": agent_name(info),
        "agent_config": info.agent_config,
        "suite": info.suite,
        "dialect": info.dialect,
        "condition": info.condition,
        "simulated": info.simulated,
        "complete": not because,
        "incomplete_because": because,
        "tasks": tasks,
        "subset": _subset(info),
        "limit": info.limit,
        "overall": overall,
        "overall_t2_t6": _overall(run, tasks, signal)[0],
        "overall_missing": missing,
        "set": {
            "path": str(run.set.path),
            "checksum": run.set.checksum,
            "n_instances": len(run.set),
        },
        "scoring": {"rounds": rounds, "confidence": LEVEL, "seed": SEED},
        "limits": info.limits,
        "encoding": info.encoding,
        "seed": info.seed,
        "started": info.started,
        "versions": {**info.versions, "scored_with": __version__},
        "machine": info.machine,
        "notes": _notes(run),
    }
    return Evaluation(result, cases)


def agent_name(info: RunInfo) -> str:
    """Return what an agent is called in tables: a chat model by the model's name."""
    model = info.agent_config.get("model")
    return str(model) if info.agent == "chat" and model else info.agent


def _task_result(
    run: LoadedRun,
    task: Task,
    cases: Sequence[ScoredCase],
    *,
    rounds: int,
    baselines: list[JsonObject],
) -> JsonObject:
    judged = [case for case in cases if case.score is not None]
    failed = [case.instance.instance_id for case in cases if case.outcome == "failed"]
    scores = score_task(task, judged, rounds=rounds)
    invalid = sum(case.parse_failed for case in judged)
    score = scores.metrics.get(task.headline)
    known = [row for row in baselines if row["score"] is not None]
    best = max(known, key=lambda row: float(row["score"]), default=None)
    ids = {case.instance.instance_id for case in cases}
    missing = [case.instance.instance_id for case in cases if case.outcome == "missing"]
    return {
        "title": task.title,
        "headline": task.headline,
        "n": len(judged),
        "n_set": sum(row.task == task.name for row in run.set),
        "metrics": scores.metrics,
        "intervals": {
            name: None if told is None else [told.low, told.high]
            for name, told in scores.intervals.items()
        },
        "failed": len(failed),
        "failed_ids": failed,
        "missing": missing,
        "duplicates": [name for name in run.duplicates if name in ids],
        "invalid": invalid,
        "counts": scores.counts,
        "chance": task.chance,
        "confusion": scores.confusion,
        "baselines": baselines,
        "best_no_signal": best,
        "skill": skill(score, None if best is None else best["score"]),
        "warnings": _warnings(judged, invalid),
    }


def score_task(task: Task, judged: Sequence[ScoredCase], *, rounds: int) -> Scores:
    """Return the metrics of one task over its judged answers."""
    if not judged:
        return Scores(dict.fromkeys(task.metrics), {}, None, {})
    if task.kind == "events":
        records = [case.record for case in judged if case.record is not None]
        events = score_event_records(records, n_rounds=rounds, seed=SEED)
        counts = {
            "subjects": events.n_subjects,
            "records_with_seizures": events.n_seizure_records,
            **{key: int(events.pooled[key] or 0) for key in ("tp", "fp", "fn")},
        }
        return Scores(events.metrics, events.intervals, None, counts)
    if task.kind == "hypnogram":
        nights = [case.night for case in judged if case.night is not None]
        sleep = score_nights(nights, groups=_groups(judged), n_rounds=rounds, seed=SEED)
        metrics = {**sleep.metrics, "best_macro_f1": sleep.best_macro_f1}
        counts = {"epochs": sleep.n_epochs, "scored_epochs": sleep.n_scored}
        return Scores(metrics, sleep.intervals, _matrix(sleep.confusion), counts)
    labels = score_labels(
        [str(case.reference.label) for case in judged],
        [case.label for case in judged],
        task.classes,
        groups=_groups(judged),
        n_rounds=rounds,
        seed=SEED,
    )
    kept = {name: labels.metrics[name] for name in task.metrics}
    intervals = {name: labels.intervals[name] for name in task.metrics}
    return Scores(kept, intervals, _matrix(labels.confusion), {})


def skill(score: float | None, baseline: float | None) -> float | None:
    """Return the share of what a baseline leaves open: (score - b) / (1 - b)."""
    if score is None or baseline is None or baseline >= 1:
        return None
    return (score - baseline) / (1 - baseline)


def _groups(judged: Sequence[ScoredCase]) -> list[str]:
    """Return what is independent of the others, for each instance."""
    return [
        case.reference.group or case.reference.subject or case.instance.instance_id
        for case in judged
    ]


def _matrix(counts: Mapping[str, Mapping[str, int]]) -> JsonObject:
    answers = list(dict.fromkeys(name for row in counts.values() for name in row))
    return {
        "classes": list(counts),
        "answers": answers,
        "counts": [[row.get(name, 0) for name in answers] for row in counts.values()],
    }


def _overall(
    run: LoadedRun, tasks: JsonObject, names: Sequence[str]
) -> tuple[float | None, list[str]]:
    """Return the mean of the headline metrics, or None and the tasks without one."""
    scores = {
        name: tasks.get(name, {}).get("metrics", {}).get(run.suite.task(name).headline)
        for name in names
    }
    missing = [name for name, score in scores.items() if score is None]
    if missing or not scores:
        return None, missing
    return fmean(scores.values()), []


def _incomplete(run: LoadedRun, tasks: JsonObject) -> list[str]:
    """Return why a result is not that of the complete frozen set."""
    because = []
    if run.info.simulated or run.set.info.simulated:
        because.append("simulated recordings")
    if run.info.subset is not None:
        part = run.info.subset
        because.append(
            f"a subset of {part.size} instances, whose choice alone gives the overall "
            f"score a standard error of at most {part.overall_error:.3f}"
        )
    if run.info.limit is not None:
        because.append(f"only the first {run.info.limit} instances")
    frozen = run.suite.frozen_counts
    if not frozen:
        because.append(f"suite {run.suite.name} has no frozen set")
    counts = Counter(row.task for row in run.set)
    asked = Counter(row.task for row in asked_for(run.set, run.info))
    for name in sorted({*frozen, *counts} if frozen else ()):
        told = tasks.get(name)
        if counts[name] != frozen.get(name, 0):
            because.append(f"{name}: {counts[name]} of {frozen.get(name, 0)} instances")
        elif told is None:
            because.append(f"{name}: not asked for")
        elif told["n"] + len(told["missing"]) + told["failed"] < asked[name]:
            because.append(f"{name}: instances without a reference")
    for name, told in tasks.items():
        for what in ("missing", "duplicates", "failed_ids"):
            if told[what]:
                word = what.removesuffix("_ids")
                because.append(f"{name}: {len(told[what])} {word}")
    if run.strays:
        because.append(f"{len(run.strays)} answers to instances outside the set")
    if run.set.checksum != run.info.set_checksum:
        because.append("the set has changed since the run")
    return because


def _subset(info: RunInfo) -> JsonObject | None:
    """Return the size of a subset and what its choice may move, without the ids."""
    part = info.subset
    if part is None:
        return None
    return {
        "size": part.size,
        "task_errors": part.task_errors,
        "overall_error": part.overall_error,
    }


def _notes(run: LoadedRun) -> list[str]:
    notes = list(run.notes)
    for what, names in (
        ("missing", run.missing),
        ("stray", run.strays),
        ("answered twice, the first answer counts", run.duplicates),
    ):
        if names:
            notes.append(f"{what} ({len(names)}): {listing(names)}")
    return notes


def _warnings(judged: Sequence[ScoredCase], invalid: int) -> list[str]:
    """Return what a reader of the score must know of the answers."""
    warnings = []
    if invalid:
        warnings.append(f"{invalid} of {len(judged)} answers could not be read")
    odd = [case for case in judged if case.warnings and not case.parse_failed]
    if odd:
        first = odd[0]
        warnings.append(
            f"{len(odd)} answers were read with a warning, the first: "
            f"{first.instance.instance_id}: {first.warnings[0]}"
        )
    return warnings
