import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bench_folders import perfect_answers, run_folder, small_set
from eegbench.errors import SetError
from eegbench.evaluate import evaluate, evaluate_run, skill
from eegbench.references import read_references, write_references
from eegbench.scored import load_run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return small_set(tmp_path / "set")


def headline(result: dict[str, Any], task: str) -> float:
    told = result["tasks"][task]
    return told["metrics"][told["headline"]]


def test_right_answers_score_full_marks(tmp_path: Path, folder: Path) -> None:
    result = evaluate(run_folder(tmp_path / "run", folder, perfect_answers()))
    for task in ("T1", "T3", "T5", "T6"):
        assert headline(result, task) == 1.0, task
    # a class that is on neither side counts 0: two of three classes are there
    assert headline(result, "T2") == pytest.approx(2 / 3)
    assert headline(result, "T4") == pytest.approx(2 / 3)
    assert result["overall"] == pytest.approx((1 + 2 / 3 + 1 + 2 / 3 + 1 + 1) / 6)
    assert result["overall_t2_t6"] == pytest.approx((2 / 3 + 1 + 2 / 3 + 1 + 1) / 5)


def test_a_set_that_is_not_the_frozen_one_is_scored_but_never_complete(
    tmp_path: Path, folder: Path
) -> None:
    result = evaluate(run_folder(tmp_path / "run", folder, perfect_answers()))
    assert result["complete"] is False
    assert "T1: 2 of 38 instances" in result["incomplete_because"]


def test_the_frozen_counts_once_each_are_complete(tmp_path: Path, folder: Path) -> None:
    run = load_run(run_folder(tmp_path / "run", folder, perfect_answers()))
    counts = {"T1": 2, "T2": 2, "T3": 2, "T4": 2, "T5": 3, "T6": 2}
    frozen = replace(run, suite=replace(run.suite, frozen_counts=counts))
    assert evaluate_run(frozen).result["complete"] is True
    asked = replace(frozen, info=msgspec.structs.replace(run.info, tasks=["T3"]))
    part = evaluate_run(asked).result
    assert part["complete"] is False
    assert "T5: not asked for" in part["incomplete_because"]
    blind = {k: v for k, v in run.references.items() if k != "T1-0"}
    unknown = evaluate_run(replace(frozen, references=blind)).result
    assert unknown["incomplete_because"] == ["T1: instances without a reference"]


def test_failed_rows_are_left_out_and_counted_apart(
    tmp_path: Path, folder: Path
) -> None:
    answers = perfect_answers()
    del answers["T3-1"]
    result = evaluate(run_folder(tmp_path / "run", folder, answers, failed=["T3-1"]))
    told = result["tasks"]["T3"]
    assert (told["n"], told["failed"], told["failed_ids"]) == (1, 1, ["T3-1"])
    assert told["metrics"]["accuracy"] == 1.0
    assert told["missing"] == []


def test_missing_rows_are_listed_and_not_counted_as_wrong(
    tmp_path: Path, folder: Path
) -> None:
    answers = perfect_answers()
    del answers["T3-1"]
    told = evaluate(run_folder(tmp_path / "run", folder, answers))["tasks"]["T3"]
    assert told["missing"] == ["T3-1"]
    assert told["n"] == 1


def test_overall_is_null_and_says_which_task_is_missing(
    tmp_path: Path, folder: Path
) -> None:
    answers = {k: v for k, v in perfect_answers().items() if not k.startswith("T4")}
    result = evaluate(run_folder(tmp_path / "run", folder, answers))
    assert result["overall"] is None
    assert result["overall_t2_t6"] is None
    assert result["overall_missing"] == ["T4"]


def test_tasks_that_were_not_asked_for_are_not_missing(
    tmp_path: Path, folder: Path
) -> None:
    answers = {k: v for k, v in perfect_answers().items() if k.startswith("T3")}
    result = evaluate(run_folder(tmp_path / "run", folder, answers, tasks=["T3"]))
    assert list(result["tasks"]) == ["T3"]
    assert result["overall"] is None


@pytest.mark.parametrize(
    ("identity", "text", "task"),
    [
        ("T5-0", '{"seizure_events": [[NaN, 160]]}', "T5"),
        ("T5-0", '{"seizure_events": 3}', "T5"),
        ("T5-0", '{"seizure_events": [[1e400, -Infinity]]}', "T5"),
        ("T6-0", '{"hypnogram_rle": [[0, Infinity, "W"]]}', "T6"),
        ("T6-0", '{"hypnogram_rle": 12}', "T6"),
        ("T6-0", "", "T6"),
        ("T3-0", '{"classification": NaN}', "T3"),
        ("T3-0", '{"classification": ["normal", "epileptic"]}', "T3"),
        ("T3-0", None, "T3"),
        ("T1-0", "[" * 5000, "T1"),
    ],
)
def test_one_odd_answer_costs_that_answer_only(
    tmp_path: Path, folder: Path, identity: str, text: str | None, task: str
) -> None:
    good = evaluate(run_folder(tmp_path / "good", folder, perfect_answers()))
    answers = {**perfect_answers(), identity: text}
    result = evaluate(run_folder(tmp_path / "run", folder, answers))
    json.dumps(result, allow_nan=False)
    for name in result["tasks"]:
        assert result["tasks"][name]["n"] == good["tasks"][name]["n"]
        if name != task:
            assert result["tasks"][name]["metrics"] == good["tasks"][name]["metrics"]
    assert 0 <= headline(result, task) < headline(good, task)


def test_an_unreadable_answer_is_told_from_an_empty_one(
    tmp_path: Path, folder: Path
) -> None:
    answers = {**perfect_answers(), "T5-1": "I could not decide."}
    told = evaluate(run_folder(tmp_path / "run", folder, answers))["tasks"]["T5"]
    assert told["invalid"] == 1
    assert "1 of 3 answers could not be read" in told["warnings"]


def test_strays_and_duplicates_are_named(tmp_path: Path, folder: Path) -> None:
    pairs = [*perfect_answers().items(), ("T3-0", '{"classification": "epileptic"}')]
    pairs.append(("T3-99", '{"classification": "normal"}'))
    result = evaluate(run_folder(tmp_path / "run", folder, pairs))
    assert result["tasks"]["T3"]["duplicates"] == ["T3-0"]
    assert result["tasks"]["T3"]["metrics"]["accuracy"] == 1.0
    assert any("stray (1): T3-99" in note for note in result["notes"])
    assert any("1 answers to instances" in why for why in result["incomplete_because"])


def test_a_cut_last_line_is_read_up_to_there_and_said(
    tmp_path: Path, folder: Path
) -> None:
    path = run_folder(tmp_path / "run", folder, perfect_answers())
    lines = (path / "predictions.jsonl").read_bytes()
    (path / "predictions.jsonl").write_bytes(lines[:-60])
    result = evaluate(path)
    assert any("is cut" in note for note in result["notes"])
    assert result["tasks"]["T6"]["missing"] == ["T6-1"]


def test_a_set_that_changed_since_the_run_is_said(tmp_path: Path, folder: Path) -> None:
    path = run_folder(
        tmp_path / "run", folder, perfect_answers(), set_checksum="0" * 64
    )
    result = evaluate(path)
    assert any("has changed" in note for note in result["notes"])
    assert result["complete"] is False


def test_a_moved_set_is_named_and_can_be_given(tmp_path: Path, folder: Path) -> None:
    path = run_folder(tmp_path / "a" / "b" / "run", folder, perfect_answers())
    moved = folder.rename(tmp_path / "elsewhere")
    with pytest.raises(SetError, match="name its place with --set"):
        evaluate(path)
    assert evaluate(path, set_path=moved)["tasks"]["T3"]["n"] == 2


def test_instances_without_reference_are_left_out_and_named(
    tmp_path: Path, folder: Path
) -> None:
    kept = [r for r in read_references(folder).values() if r.instance_id != "T1-0"]
    write_references(folder, kept)
    result = evaluate(run_folder(tmp_path / "run", folder, perfect_answers()))
    assert result["tasks"]["T1"]["n"] == 1
    assert any("no reference" in note for note in result["notes"])


def test_a_reference_outside_the_classes_is_one_clear_error(
    tmp_path: Path, folder: Path
) -> None:
    rows = read_references(folder)
    rows["T3-0"] = msgspec.structs.replace(rows["T3-0"], label="sleepy")
    write_references(folder, rows.values())
    with pytest.raises(SetError, match="sleepy"):
        evaluate(run_folder(tmp_path / "run", folder, perfect_answers()))


def test_the_same_run_scores_the_same_twice(tmp_path: Path, folder: Path) -> None:
    path = run_folder(tmp_path / "run", folder, perfect_answers())
    assert evaluate(path) == evaluate(path)


def test_no_rounds_no_intervals(tmp_path: Path, folder: Path) -> None:
    path = run_folder(tmp_path / "run", folder, perfect_answers())
    told = evaluate(path, rounds=0)["tasks"]["T3"]["intervals"]
    assert set(told.values()) == {None}


def test_skill_is_the_share_of_what_the_baseline_leaves() -> None:
    assert skill(0.7, 0.4) == pytest.approx(0.5)
    assert skill(0.4, None) is None
    assert skill(0.4, 1.0) is None
