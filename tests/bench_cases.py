"""Scored cases made by hand, for tests of analysis and reports."""

from itertools import count
from typing import Any

from eegbench.instances import Instance
from eegbench.predictions import Prediction
from eegbench.references import Reference
from eegbench.scored import Outcome, ScoredCase
from eegbench.suites.eegagent.tasks import SUITE

_NUMBER = count(1)


def _case(
    task: str,
    *,
    reference: dict[str, Any],
    outcome: Outcome,
    score: float | None,
    duration_sec: float | None = None,
    answer_text: str = '{"answer": 1}',
    **judged: Any,
) -> ScoredCase:
    identity = f"{task}-made-{next(_NUMBER)}"
    prediction = Prediction(
        instance_id=identity,
        task=task,
        agent="by-hand",
        status="failed" if outcome == "failed" else "completed",
        ended="crash" if outcome == "failed" else "answer",
        answer_text=answer_text,
        n_turns=2,
        n_tool_calls=3,
        seconds={"total": 1.5, "agent": 1.0},
        record_id=f"rec{identity}",
    )
    return ScoredCase(
        instance=Instance(
            instance_id=identity,
            task=task,
            suite="eegagent",
            question="?",
            answer_schema={},
            recording=None if task == "T1" else "recordings/x.edf",
            duration_sec=duration_sec,
            simulated=True,
        ),
        reference=Reference(
            instance_id=identity, task=task, duration_sec=duration_sec, **reference
        ),
        prediction=None if outcome == "missing" else prediction,
        outcome=outcome,
        score=None if outcome in ("failed", "missing") else score,
        values={},
        **judged,
    )


def labelled_case(
    task: str,
    truth: str,
    label: str | None,
    *,
    outcome: Outcome | None = None,
    answer_text: str = '{"classification": "?"}',
    **extra: Any,
) -> ScoredCase:
    right = truth == label
    return _case(
        task,
        reference={"label": truth, "extra": extra},
        outcome=outcome or ("right" if right else "wrong"),
        score=float(right),
        label=label,
        answer_text=answer_text,
    )


def seizure_case(
    truth: list[tuple[float, float]],
    events: list[tuple[float, float]],
    *,
    outcome: Outcome = "partly",
    duration_sec: float = 3600.0,
) -> ScoredCase:
    return _case(
        "T5",
        reference={"events": truth, "subject": "s1"},
        outcome=outcome,
        score=0.5,
        duration_sec=duration_sec,
        events=tuple(events),
    )


def night_case(
    *, hours: float = 8.0, score: float = 0.5, outcome: Outcome = "partly"
) -> ScoredCase:
    n_epochs = round(hours * 120)
    stages = (["W"] * 10 + ["N2"] * 20 + [None]) * (n_epochs // 31 + 1)
    return _case(
        "T6",
        reference={"stages": stages[:n_epochs]},
        outcome=outcome,
        score=score,
        duration_sec=hours * 3600,
        stages=tuple(["N2"] * n_epochs),
    )


def made_result(agent: str, cases: list[ScoredCase], **changes: Any) -> dict[str, Any]:
    """Return a result of the documented form; scores are means of the cases."""
    tasks = {}
    for name in dict.fromkeys(case.task for case in cases):
        mine = [case for case in cases if case.task == name]
        scores = [case.score for case in mine if case.score is not None]
        task = SUITE.tasks[name]
        score = sum(scores) / len(scores) if scores else None
        tasks[name] = {
            "title": task.title,
            "headline": task.headline,
            "n": len(scores),
            "n_set": len(mine),
            "metrics": {task.headline: score},
            "intervals": {task.headline: [0.1, 0.9]},
            "failed": sum(case.outcome == "failed" for case in mine),
            "failed_ids": [],
            "missing": [],
            "duplicates": [],
            "invalid": 0,
            "counts": {},
            "chance": task.chance,
            "confusion": None,
            "baselines": [{"name": "constant", "score": 0.3}],
            "best_no_signal": {"name": "constant", "score": 0.3},
            "skill": 0.2,
            "warnings": [],
        }
    return {
        "format": "eegbench-results/1",
        "run": f"run-{agent}",
        "agent": agent,
        "agent_config": {},
        "suite": "eegagent",
        "dialect": "default",
        "condition": "default",
        "simulated": True,
        "complete": False,
        "incomplete_because": ["T1: 3 of 38 instances"],
        "tasks": tasks,
        "overall": None,
        "overall_t2_t6": None,
        "overall_missing": ["T1"],
        "subset": None,
        "limit": None,
        "encoding": "rows",
        "set": {"path": "set", "checksum": "ab" * 32, "n_instances": len(cases)},
        "scoring": {"rounds": 10, "confidence": 0.95, "seed": 1},
        "limits": {"max_turns": 5},
        "seed": 0,
        "started": "2026-11-30T00:00:00+00:00",
        "versions": {"eegbench": "0.1.0"},
        "machine": {"cores": "2"},
        "notes": [],
        **changes,
    }
