import json
from pathlib import Path

import pytest

from eegbench.errors import SetError
from eegbench.latency import FORMAT, compare, count_rows, measure, read_result
from eegcore import simulate


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    path = tmp_path_factory.mktemp("latency") / "scalp.edf"
    simulate.seizure_recording(1990, duration_sec=120.0).write_edf(path)
    return measure([path], rounds=2)


def test_every_tool_is_timed_and_none_is_refused(result: dict[str, object]) -> None:
    rows = result["rows"]
    assert isinstance(rows, list)
    tools = {row["tool"].partition(",")[0] for row in rows}
    assert len(tools) == 10
    assert not any(row["refused"] for row in rows)
    for row in rows:
        assert 0 < row["p50_ms"] <= row["p95_ms"] <= row["p99_ms"]
        assert row["read_ms"] > 0
        assert row["rows"] > 0


def test_a_default_call_above_the_budget_is_timed_smaller_and_whole(
    result: dict[str, object],
) -> None:
    rows = {row["tool"]: row for row in result["rows"]}  # type: ignore[attr-defined]
    small = rows["compute_windowed_features"]
    whole = rows["compute_windowed_features, whole"]
    assert small["arguments"]
    assert whole["rows"] == 23 * 24
    assert 0 < small["rows"] < whole["rows"]


def test_a_stored_result_reads_back_and_compares(
    tmp_path: Path, result: dict[str, object]
) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(result))
    rows = compare(read_result(path), read_result(path))
    assert {row["ratio"] for row in rows} == {1.0}
    assert len(rows) == len(result["rows"])  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "[1]", '{"format": "other/1"}'])
def test_what_is_no_result_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(SetError, match=r"not JSON|no latency result"):
        read_result(path)


def test_no_recording_is_an_error() -> None:
    with pytest.raises(SetError, match="no recording"):
        measure([])


def test_rows_are_windows_channels_or_pairs() -> None:
    assert count_rows({"channels": [{"windows": [1, 2]}, {"windows": [3]}]}) == 3
    assert count_rows({"channels": [{}, {}]}) == 2
    assert count_rows({"pairs": [1, 2, 3]}) == 3
    assert count_rows({"error": "no"}) == 0
    assert FORMAT.endswith("/1")
