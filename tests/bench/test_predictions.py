import pytest

from eegbench.errors import SetError
from eegbench.predictions import (
    Prediction,
    coverage,
    predictions_path,
    read_predictions,
    read_run,
)
from eegbench.records import plain_json, plain_text, write_rows


def prediction(name: str, status: str = "completed", **changes: object) -> Prediction:
    values = {
        "instance_id": name,
        "task": "T3",
        "agent": "rules",
        "status": status,
        "ended": "answer" if status == "completed" else "crash",
        **changes,
    }
    return Prediction(**values)  # type: ignore[arg-type]


def written(path, *rows: Prediction):
    write_rows(predictions_path(path), rows)
    return read_predictions(path)


def test_retry_after_a_failure_counts_by_its_last_line(tmp_path):
    read = written(
        tmp_path, prediction("a", "failed"), prediction("b"), prediction("a")
    )
    assert [(row.instance_id, row.status) for row in read] == [
        ("b", "completed"),
        ("a", "completed"),
    ]
    assert read.n_lines == 3
    assert read.duplicates == ()


def test_second_completed_answer_is_listed_and_the_first_counts(tmp_path):
    first = prediction("a", answer_text="first")
    read = written(tmp_path, first, prediction("a", answer_text="second"))
    assert list(read) == [first]
    assert read.duplicates == ("a",)


def test_failure_after_an_answer_does_not_replace_it(tmp_path):
    read = written(tmp_path, prediction("a"), prediction("a", "failed"))
    assert read.rows[0].status == "completed"


def test_cut_last_line_is_noted(tmp_path):
    written(tmp_path, prediction("a"), prediction("b"))
    path = predictions_path(tmp_path)
    path.write_bytes(path.read_bytes()[:-7])
    read = read_predictions(tmp_path)
    assert [row.instance_id for row in read] == ["a"]
    assert "line 2 is cut" in read.notes[0]


def test_unknown_status_lists_the_known(tmp_path):
    written(tmp_path, prediction("a"))
    path = predictions_path(tmp_path)
    path.write_text(path.read_text().replace("completed", "done"))
    with pytest.raises(SetError, match="allowed: 'completed', 'failed'"):
        read_predictions(tmp_path)


def test_missing_and_stray_predictions_are_listed():
    found = coverage([prediction("a"), prediction("x")], ["a", "b", "c"])
    assert found.missing == ("b", "c")
    assert found.strays == ("x",)


def test_folder_without_a_run_is_named(tmp_path):
    with pytest.raises(SetError, match=r"run\.json is missing"):
        read_run(tmp_path)


def test_halves_of_surrogate_pairs_are_made_harmless():
    assert plain_text("a\ud83d") == "a\ufffd"
    assert plain_text("\ud83d\ude00") == "\U0001f600"
    assert plain_json({"k\udc00": ["\ud83d\ude00", float("nan")]}) == {
        "k\ufffd": ["\U0001f600", None]
    }
    with pytest.raises(TypeError):
        plain_json({"a": object()})
