import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from bench_folders import perfect_answers, run_folder, small_set
from eegbench.cli import main
from eegbench.instances import read_set, write_set

FORMS = ("audit", "build", "case", "check", "demo", "latency", "list", "report", "run")


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


@pytest.fixture
def run(tmp_path: Path) -> Path:
    small_set(tmp_path / "set")
    return run_folder(tmp_path / "run", tmp_path / "set", perfect_answers())


def test_help_lists_every_command_and_an_example() -> None:
    text = call("--help").output
    for name in main.commands:
        assert f"\n  {name} " in text
        assert "Usage" in call(name, "--help").output
    assert set(main.commands) >= set(FORMS)
    assert "eegbench demo -o demo" in text
    assert "not for clinical use" in text


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "{tmp}/nowhere"],
        ["score", "{tmp}"],
        ["report", "{tmp}/nowhere", "-o", "{tmp}/x.html"],
        ["case", "{tmp}/nowhere"],
        ["check", "{tmp}/nowhere"],
        ["run", "{tmp}/nowhere", "--agent", "random", "-o", "{tmp}/r"],
        ["show", "T9"],
        ["paper", "7"],
        ["analyse", "{tmp}/nowhere", "-o", "{tmp}/a"],
        ["latency", "{tmp}/nowhere.edf"],
        ["latency", "--compare", "{tmp}/a.json", "{tmp}/b.json"],
        ["build", "eegagent", "--sources", "{tmp}/nowhere", "-o", "{tmp}/s"],
        ["build", "own", "nights", "{tmp}/nowhere", "-o", "{tmp}/s"],
        ["build", "eegagent", "--release", "{tmp}/nowhere", "-o", "{tmp}/s"],
    ],
)
def test_bad_input_is_one_clear_line_and_status_1(
    tmp_path: Path, arguments: Sequence[str]
) -> None:
    result = call(*(each.format(tmp=tmp_path) for each in arguments))
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("eegbench: ")
    assert "Traceback" not in result.stderr
    assert isinstance(result.exception, SystemExit)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["score"],
        ["report", "r"],
        ["build", "eegagent", "-o", "s"],
        ["build", "other"],
    ],
)
def test_misuse_is_status_2(arguments: Sequence[str]) -> None:
    assert call(*arguments).exit_code == 2


def test_score_in_every_form(run: Path) -> None:
    told = json.loads(call("score", run, "--format", "json").stdout)
    assert told["tasks"]["T3"]["metrics"]["accuracy"] == 1.0
    assert call("score", run, "--format", "csv").stdout.startswith("run,agent,")
    assert "| T3 Normal" in call("score", run, "--format", "md").stdout
    table = call("score", run)
    assert table.exit_code == 0
    assert max(len(line) for line in table.stdout.splitlines()) <= 80


def test_rows_that_failed_in_the_harness_end_with_status_1(
    tmp_path: Path, run: Path
) -> None:
    bad = run_folder(tmp_path / "bad", tmp_path / "set", {}, failed=["T3-0"])
    result = call("score", bad)
    assert result.exit_code == 1
    assert "1 rows failed in the harness" in result.stdout


def test_notes_on_a_run_go_to_stderr(run: Path) -> None:
    predictions = run / "predictions.jsonl"
    predictions.write_bytes(predictions.read_bytes()[:-40])
    result = call("score", run, "--format", "json")
    assert "is cut" in result.stderr
    json.loads(result.stdout)


def test_report_writes_a_page_and_text_forms_to_stdout(
    tmp_path: Path, run: Path
) -> None:
    result = call("report", run, "-o", tmp_path / "r.html")
    assert result.exit_code == 0
    assert result.stdout == ""
    assert "wrote" in result.stderr
    assert "<!doctype html>" in (tmp_path / "r.html").read_text()
    assert json.loads(call("report", run, run, "--format", "json").stdout)[1]["run"]
    assert call("report", run, "--format", "md").stdout.startswith("| agent")


def test_case_lists_and_prints(run: Path) -> None:
    assert "T6-1" in call("case", run).stdout
    text = call("case", run, "T6-1").stdout
    assert "predicted" in text
    assert call("case", run, "rT6-1").stdout == text
    missing = call("case", run, "T6-7")
    assert missing.exit_code == 1
    assert "no case 'T6-7'" in missing.stderr


def test_check_names_every_problem(tmp_path: Path) -> None:
    folder = small_set(tmp_path / "set")
    assert call("check", folder).exit_code == 0
    lines = (folder / "references" / "references.jsonl").read_text().splitlines()
    (folder / "references" / "references.jsonl").write_text(lines[0] + "\n")
    result = call("check", folder)
    assert result.exit_code == 1
    assert "T3-1: no reference" in result.stdout


def test_show_states_metric_average_chance_and_data() -> None:
    text = call("show", "T5").stdout
    for word in ("event_f1", "averaged over", "chance", "CHB-MIT", "280 instances"):
        assert word in text
    assert json.loads(call("show", "T4", "--format", "json").stdout)["classes"]
    assert max(len(line) for line in text.splitlines()) <= 80


def test_paper_prints_tables_in_every_form() -> None:
    assert call("paper", "2", "--format", "csv").stdout.count("\n") == 30
    assert len(json.loads(call("paper", "6", "--format", "json").stdout)) == 19
    assert "table2" not in call("paper").stdout
    assert "Table 2" in call("paper").stdout


def test_list_names_tasks_and_agents() -> None:
    text = call("list").stdout
    assert "event_f1" in text
    assert "id-only" in text


def test_run_then_score_with_a_baseline(tmp_path: Path) -> None:
    folder = small_set(tmp_path / "set")
    out = tmp_path / "run"
    told = ("run", folder, "--agent", "constant", "--workers", "1", "--limit", "2")
    result = call(*told, "-o", out)
    assert result.exit_code == 0, result.output
    assert "2 instances" in result.stdout
    again = call(*told, "-o", out)
    assert "2 done before" in again.stdout
    assert call("score", out, "--rounds", "0").exit_code == 0
    unknown = call("run", folder, "--agent", "nobody", "-o", tmp_path / "x")
    assert unknown.exit_code == 1
    assert "unknown agent 'nobody'" in unknown.stderr


def test_a_reader_that_goes_away_ends_quietly() -> None:
    code = "from eegbench.cli import main; main(['paper', '2'])"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        error = process.stderr.read() if process.stderr else b""
    assert b"Traceback" not in error
    assert b"Exception" not in error


def test_two_runs_compare_and_other_sets_do_not(tmp_path: Path, run: Path) -> None:
    answers = {**perfect_answers(), "T3-0": '{"classification": "epileptic"}'}
    other = run_folder(tmp_path / "other", tmp_path / "set", answers)
    rows = json.loads(call("compare", run, other, "--format", "json").stdout)
    by_task = {row["task"]: row["difference"] for row in rows}
    assert by_task["T3"] > 0
    assert by_task["T5"] == 0
    assert call("repeats", run, other).exit_code == 0
    small_set(tmp_path / "set2", condition="paper-like")
    third = run_folder(tmp_path / "third", tmp_path / "set2", answers)
    refused = call("compare", run, third)
    assert refused.exit_code == 1
    assert "different sets" in refused.stderr


def test_export_writes_files_and_names_them(tmp_path: Path, run: Path) -> None:
    out = tmp_path / "out"
    result = call("export", run, "--to", "szcore", "-o", out)
    assert result.exit_code == 1  # the small set has no recordings
    assert "no answered instance" in result.stderr
    chosen = read_set(tmp_path / "set")
    rows = [replace(row, recording=f"recordings/{row.instance_id}") for row in chosen]
    write_set(tmp_path / "set", chosen.info, rows)
    # the files themselves are not asked for: a set may have been cleaned up
    written = call("export", run, "--to", "szcore", "-o", out).stdout.split()
    assert [Path(path).name for path in written] == [
        f"T5-{number}_events.tsv" for number in range(3)
    ]
    assert all(Path(path).is_file() for path in written)
    refused = call("export", run, "T5-0", "--to", "yasa", "-o", out)
    assert refused.exit_code == 1
    assert "fits yasa, which holds hypnograms (T6)" in refused.stderr


@pytest.mark.parametrize("identity", ["T5-0", "T6-1"])
def test_a_case_is_drawn_where_asked(tmp_path: Path, run: Path, identity: str) -> None:
    path = tmp_path / "case.svg"
    assert call("case", run, identity, "--figure", path).exit_code == 0
    assert "time from the start" in path.read_text()
    wrong = call("case", run, identity, "--figure", tmp_path / "case.doc")
    assert wrong.exit_code == 1
    other = call("case", run, "T3-0", "--figure", path)
    assert "T5 and T6 cases have one" in other.stderr
