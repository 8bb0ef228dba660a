"""Set and run folders written by hand, one instance of each task and more."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from eegbench.instances import Instance, SetInfo, read_set, write_set
from eegbench.predictions import Prediction, RunInfo
from eegbench.records import write_rows, write_struct
from eegbench.references import Reference, write_references
from eegbench.suites.eegagent.tasks import SUITE

NIGHT = ["W"] * 40 + ["N1"] * 10 + ["N2"] * 40 + ["N3"] * 20 + [None] * 2 + ["REM"] * 18
OPTIONS = {"A": "alpha waves", "B": "spindles", "C": "K complexes", "D": "mu rhythm"}


def instance(task: str, identity: str, **changes: Any) -> Instance:
    known = SUITE.tasks[task]
    facts: dict[str, Any] = {
        "instance_id": identity,
        "task": task,
        "suite": "eegagent",
        "question": known.question,
        "answer_schema": known.answer_schema,
        "options": OPTIONS if task == "T1" else None,
        "n_epochs": len(NIGHT) if task == "T6" else None,
        "duration_sec": {"T5": 3600.0, "T6": 30.0 * len(NIGHT)}.get(task),
    }
    return Instance(**facts | changes)


def small_set(path: Path, **info: Any) -> Path:
    """Two instances of each task, three of T5: a subject of two records."""
    instances, references = [], []
    truths: dict[str, list[dict[str, Any]]] = {
        "T1": [{"label": "B"}, {"label": "A"}],
        "T2": [
            {"label": "ocular", "group": "s1", "extra": {"snr_db": -3}},
            {"label": "clean", "group": "s2"},
        ],
        "T3": [{"label": "normal"}, {"label": "epileptic"}],
        "T4": [{"label": "AD"}, {"label": "HC"}],
        "T5": [
            {"events": [(100, 160)], "subject": "c1", "group": "c1"},
            {"events": [], "subject": "c1", "group": "c1"},
            {"events": [(900, 950)], "subject": "c2", "group": "c2"},
        ],
        "T6": [
            {"stages": NIGHT, "subject": "p1", "group": "p1"},
            {"stages": NIGHT, "subject": "p2", "group": "p2"},
        ],
    }
    for task, told in truths.items():
        for number, truth in enumerate(told):
            identity = f"{task}-{number}"
            made = instance(task, identity)
            instances.append(made)
            references.append(
                Reference(
                    instance_id=identity,
                    task=task,
                    duration_sec=made.duration_sec,
                    **truth,
                )
            )
    write_references(path, references)
    write_set(path, SetInfo(suite="eegagent", **info), instances)
    return path


def run_folder(
    path: Path,
    set_path: Path,
    answers: Mapping[str, str | None] | Iterable[tuple[str, str | None]],
    *,
    failed: Iterable[str] = (),
    **changes: Any,
) -> Path:
    """Write a run with these raw answers; ``failed`` ids are the harness's."""
    chosen = read_set(set_path)
    info: dict[str, Any] = {
        "suite": chosen.info.suite,
        "condition": chosen.info.condition,
        "dialect": chosen.info.dialect,
        "simulated": chosen.info.simulated,
        "agent": "by-hand",
        "agent_config": {},
        "limits": {"max_turns": 10},
        "budget_tokens": 8000,
        "seed": 0,
        "set_path": str(set_path),
        "set_checksum": chosen.checksum,
        "n_instances": len(chosen),
        "record_key": "00",
    }
    path.mkdir(parents=True, exist_ok=True)
    wanted = {field.name for field in msgspec.structs.fields(RunInfo)}
    info = {key: value for key, value in (info | changes).items() if key in wanted}
    write_struct(path / "run.json", RunInfo(**info))
    pairs = answers.items() if isinstance(answers, Mapping) else answers
    rows = [_prediction(identity, text, failed=False) for identity, text in pairs]
    rows += [_prediction(identity, None, failed=True) for identity in failed]
    write_rows(path / "predictions.jsonl", rows)
    return path


def _prediction(identity: str, text: str | None, *, failed: bool) -> Prediction:
    return Prediction(
        instance_id=identity,
        task=identity.split("-")[0],
        agent="by-hand",
        status="failed" if failed else "completed",
        ended="provider" if failed else "answer",
        answer_text=text,
        record_id=f"r{identity}",
        seconds={"total": 0.5},
    )


def perfect_answers() -> dict[str, str]:
    """Return the right answer to every instance of the small set, as a model writes."""
    night = (
        '{"action": "final_answer", "hypnogram_rle": [[0, 39, "W"], [40, 49, "N1"], '
        '[50, 89, "N2"], [90, 111, "N3"], [112, 129, "REM"]], "architecture": '
        '{"REM_pct": 0.14, "N3_pct": 0.16, "sleep_efficiency": 0.69}}'
    )
    return {
        "T1-0": '{"action": "final_answer", "answer": "B"}',
        "T1-1": "The answer is A.",
        "T2-0": '{"classification": "EOG"}',
        "T2-1": '```json\n{"classification": "clean"}\n```',
        "T3-0": '{"classification": "Normal "}',
        "T3-1": '{"classification": "epileptic"}',
        "T4-0": '{"classification": "AD"}',
        "T4-1": '{"classification": "hc"}',
        "T5-0": '{"seizure_events": [{"onset_sec": 95, "offset_sec": 150}]}',
        "T5-1": '{"seizure_events": []}',
        "T5-2": '{"seizure_events": [[900, 950]]}',
        "T6-0": night,
        "T6-1": night,
    }
