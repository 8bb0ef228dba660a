import json
from pathlib import Path

import pytest

from eegbench.answerschema import check_schema, problems
from eegbench.errors import SetError
from eegbench.suites import SUITES, find_task, suite
from eegbench.suites.own import label_task

ANSWERS = {
    "T1": {"answer": "A"},
    "T2": {"classification": "ocular", "findings": ["slow"]},
    "T3": {"classification": "normal"},
    "T4": {"classification": "AD", "rationale": "theta"},
    "T5": {"seizure_events": [{"onset_sec": 1, "offset_sec": 2.5}]},
    "T6": {
        "hypnogram_rle": [{"start_epoch": 0, "end_epoch": 9, "stage": "N2"}],
        "architecture": {"REM_pct": 0, "N3_pct": 0, "sleep_efficiency": 1},
    },
}


@pytest.mark.parametrize("name", SUITES)
def test_suites_load_and_tasks_are_found(name: str) -> None:
    found = suite(name)
    assert set(found.overall) <= set(found.tasks)
    for task in found.tasks.values():
        assert found.task(task.key) is task
        assert task.answer_field in task.answer_schema["properties"]
        check_schema(task.answer_schema)


@pytest.mark.parametrize("name", ANSWERS)
def test_schemas_accept_a_proper_answer_and_no_empty_one(name: str) -> None:
    _, task = find_task(name)
    assert problems(ANSWERS[name], task.answer_schema) == ()
    assert problems({}, task.answer_schema)


@pytest.mark.parametrize("name", ["T1", "T2", "T3", "T4", "T6"])
def test_classes_are_those_of_the_schema(name: str) -> None:
    _, task = find_task(name)
    assert all(
        json.dumps(label) in json.dumps(task.answer_schema) for label in task.classes
    )


def test_frozen_counts_are_those_of_table_1() -> None:
    counts = suite("eegagent").frozen_counts
    assert sum(counts.values()) == 1072


def test_headlines_are_those_of_the_overall_score() -> None:
    # paper, Table 2
    headlines = [task.headline for task in suite("eegagent").tasks.values()]
    assert headlines == ["accuracy", *["macro_f1"] * 3, "event_f1", "macro_f1"]


def test_chance_is_that_of_the_paper() -> None:
    # section 6.2: .25, 1/3, .5, 1/3; none for T5 and T6
    chances = [task.chance for task in suite("eegagent").tasks.values()]
    assert chances == [0.25, 1 / 3, 0.5, 1 / 3, None, None]


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(SetError, match="unknown suite 'x'; known: eegagent, own"):
        suite("x")
    with pytest.raises(SetError, match="unknown task 'T9'; known: T1"):
        find_task("T9")
    with pytest.raises(SetError, match="unknown task 'T9' of suite eegagent"):
        suite("eegagent").task("T9")


def test_a_label_task_has_the_classes_of_its_table() -> None:
    task = label_task(["rest", "task", "sleep"])
    assert task.chance == pytest.approx(1 / 3)
    assert "rest, task, sleep" in task.question


@pytest.mark.data
def test_texts_are_not_those_of_the_release(data_dir: Path) -> None:
    ours = {task.question.lower() for task in suite("eegagent").tasks.values()}
    for path in sorted((data_dir / "official" / "smoke" / "scenarios").glob("*.jsonl")):
        for line in path.read_text().splitlines():
            shown = json.loads(line)["input"]
            text = f"{shown['question']} {shown.get('clinical_context', '')}".lower()
            for question in ours:
                words = question.split()
                shared = [
                    " ".join(words[n : n + 9])
                    for n in range(len(words) - 8)
                    if " ".join(words[n : n + 9]) in text
                ]
                assert not shared
