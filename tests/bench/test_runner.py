"""Runs with processes: what may go wrong, and what it may cost."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bench.running import GOOD, config, ends, set_of
from bench.sets import instance, make_set
from eegbench.errors import ConfigError, RunBusyError, SetError
from eegbench.instances import opaque_id, read_set
from eegbench.predictions import predictions_path, read_predictions, read_run
from eegbench.progress import Progress
from eegbench.runner import run
from eegbench.transcripts import read_transcript, transcript_name

TESTS = Path(__file__).resolve().parents[1]
ON_FACT = "bench.agents_that_fail:OnFact"
SLOW = "bench.agents_that_fail:Slow"


def test_run_writes_a_prediction_and_a_transcript_for_each_instance(tmp_path):
    folder = make_set(
        tmp_path / "set",
        [instance(i, task) for i in range(3) for task in ("T1", "T3", "T5", "T6")],
    )
    seen: list[Progress] = []
    summary = run(
        folder, tmp_path / "run", agent="random", config=config(),
        on_progress=seen.append,
    )  # fmt: skip
    assert (summary.n_played, summary.n_failed, summary.n_skipped) == (12, 0, 0)
    assert [one.n_done for one in seen] == list(range(1, 13))
    assert seen[-1].remaining_sec == 0.0
    info = read_run(tmp_path / "run")
    assert (info.agent, info.simulated, info.n_instances) == ("random", True, 12)
    assert info.isolated is None
    rows = read_predictions(tmp_path / "run").rows
    assert {row.instance_id for row in rows} == {
        i.instance_id for i in read_set(folder)
    }
    for row in rows:
        assert row.record_id == opaque_id(row.instance_id, info.record_key)
        events = read_transcript(tmp_path / "run" / (row.transcript or ""))
        assert events[0]["instance_id"] == row.instance_id
        assert events[-1]["ended"] == "answer"
    assert not [name for row in rows for name in row.seconds if row.seconds[name] < 0]


def test_failures_cost_their_own_instance_and_are_told_apart(tmp_path):
    deeds = [None, "raise", "hang", "spin", "kill", "exit", "nonsense", None]
    folder = set_of(tmp_path, *deeds)
    summary = run(folder, tmp_path / "run", agent=ON_FACT, config=config(limit_sec=1.0))
    assert ends(tmp_path / "run") == {
        "0": GOOD,
        "1": ("failed", "crash"),
        "2": ("failed", "timeout"),
        "3": ("failed", "timeout"),
        "4": ("failed", "crash"),
        "5": ("failed", "crash"),
        "6": ("completed", "no_answer"),
        "7": GOOD,
    }
    assert (summary.n_played, summary.n_failed) == (8, 5)
    errors = {
        row.instance_id[-1]: row.error for row in read_predictions(tmp_path / "run")
    }
    assert errors["1"] == "RuntimeError: lost the thread"
    assert errors["4"] == "the worker process ended with signal 9"
    assert errors["5"] == "the worker process ended with status 3"
    assert "classification" not in (errors["2"] or "")


def test_failed_instances_are_tried_again_and_finished_ones_are_not(tmp_path):
    folder = set_of(tmp_path, None, "raise", None)
    run(folder, tmp_path / "run", agent=ON_FACT, config=config())
    first = predictions_path(tmp_path / "run").read_bytes()
    summary = run(folder, tmp_path / "run", agent=ON_FACT, config=config())
    assert (summary.n_played, summary.n_failed, summary.n_skipped) == (1, 1, 2)
    second = predictions_path(tmp_path / "run").read_bytes()
    assert second.startswith(first)
    assert second.count(b"\n") == 4
    assert len(read_predictions(tmp_path / "run")) == 3


@pytest.mark.parametrize("keep", [-1, -30, -200])
def test_cut_last_line_is_dropped_and_played_again(tmp_path, keep):
    folder = set_of(tmp_path, *[None] * 4)
    run(folder, tmp_path / "run", agent="constant", config=config(1))
    path = predictions_path(tmp_path / "run")
    path.write_bytes(path.read_bytes()[:keep])
    summary = run(folder, tmp_path / "run", agent="constant", config=config(1))
    assert summary.n_played == (0 if keep == -1 else 1)
    assert ("cut after" in "".join(summary.notes)) is (keep != -1)
    lines = path.read_bytes().splitlines()
    assert sorted(json.loads(line)["instance_id"] for line in lines) == [
        f"T3/000{i}" for i in range(4)
    ]


def test_other_run_in_the_same_folder_is_refused(tmp_path):
    folder = set_of(tmp_path, None)
    run(folder, tmp_path / "run", agent="constant", config=config(1))
    with pytest.raises(SetError, match='with agent "constant", this run has "random"'):
        run(folder, tmp_path / "run", agent="random", config=config(1))
    with pytest.raises(SetError, match="limits"):
        run(folder, tmp_path / "run", agent="constant", config=config(1, max_turns=5))
    set_of(tmp_path, None, None)
    with pytest.raises(SetError, match="set_checksum"):
        run(folder, tmp_path / "run", agent="constant", config=config(1))


def test_mistakes_are_named_before_the_first_instance(tmp_path):
    folder = set_of(tmp_path, None)
    with pytest.raises(ConfigError, match="unknown agent 'oracle'"):
        run(folder, tmp_path / "run", agent="oracle")
    with pytest.raises(SetError, match=r"no task T9 in .*; it has T3"):
        run(folder, tmp_path / "run", agent="constant", tasks=["T9"])
    assert not (tmp_path / "run").exists()


def start_in_background(folder: Path, out: Path) -> subprocess.Popen[bytes]:
    code = (
        "import sys; from eegbench.runner import run\n"
        "from eegbench.config import Config, RunSettings\n"
        "if __name__ == '__main__':\n"
        f"    run({str(folder)!r}, {str(out)!r}, agent={SLOW!r},"
        " config=Config(run=RunSettings(workers=2)))\n"
    )
    script = out.parent / "go.py"
    script.write_text(code)
    paths = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def wait_for_lines(out: Path, n_lines: int, within_sec: float = 60.0) -> None:
    until = time.monotonic() + within_sec
    path = predictions_path(out)
    while not path.exists() or path.read_bytes().count(b"\n") < n_lines:
        assert time.monotonic() < until, "no predictions came"
        time.sleep(0.01)


def workers_of(process: subprocess.Popen[bytes]) -> list[int]:
    """Process ids of the workers: the children of the fork server."""
    found = []
    for server in children(process.pid):
        found += children(server)
    return found


def children(parent: int) -> list[int]:
    path = Path(f"/proc/{parent}/task/{parent}/children")
    return [int(word) for word in path.read_text().split()]


def is_running(number: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{number}/status").read_text()
    except OSError:
        return False


def test_second_run_into_a_folder_in_use_is_refused(tmp_path):
    folder = set_of(tmp_path, *[None] * 9)
    process = start_in_background(folder, tmp_path / "run")
    try:
        wait_for_lines(tmp_path / "run", 1)
        with pytest.raises(RunBusyError, match="another process writes into"):
            run(folder, tmp_path / "run", agent=SLOW, config=config())
    finally:
        process.communicate(timeout=60)
    assert process.returncode == 0
    assert len(read_predictions(tmp_path / "run")) == 9


def test_killed_worker_costs_its_instance_only(tmp_path):
    folder = set_of(tmp_path, *[None] * 9)
    process = start_in_background(folder, tmp_path / "run")
    wait_for_lines(tmp_path / "run", 2)
    os.kill(workers_of(process)[0], signal.SIGKILL)
    printed, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert (printed, b"let me see" in errors) == (b"", True)  # stdout is for data
    read = read_predictions(tmp_path / "run")
    assert len(read) == 9
    failed = [row.ended for row in read if row.status == "failed"]
    assert failed in ([], ["crash"])  # [] if it was killed between two instances
    run(folder, tmp_path / "run", agent=SLOW, config=config())
    assert set(ends(tmp_path / "run").values()) == {GOOD}


def test_killed_parent_leaves_no_process_and_its_run_goes_on(tmp_path):
    folder = set_of(tmp_path, *[None] * 9)
    out = tmp_path / "run"
    process = start_in_background(folder, out)
    wait_for_lines(out, 2)
    workers = workers_of(process)
    process.kill()
    process.communicate(timeout=60)
    summary = run(folder, out, agent=SLOW, config=config())
    assert summary.n_skipped >= 2
    ids = [row.instance_id for row in read_predictions(out)]
    assert sorted(ids) == [f"T3/000{i}" for i in range(9)]
    assert predictions_path(out).read_bytes().count(b"\n") == 9
    until = time.monotonic() + 10
    while any(is_running(number) for number in workers):
        assert time.monotonic() < until, "workers outlived their parent"
        time.sleep(0.05)


def test_full_disk_takes_a_line_back_whole(tmp_path, monkeypatch):
    folder = set_of(tmp_path, None, None, None)
    whole, calls = os.write, []

    def fills_up(handle: int, data: bytes) -> int:
        if not bytes(data).startswith(b'{"instance_id"'):
            return whole(handle, data)
        calls.append(handle)
        if len(calls) == 2:
            whole(handle, bytes(data)[:20])
            raise OSError(28, "No space left on device")
        return whole(handle, data)

    monkeypatch.setattr(os, "write", fills_up)
    with pytest.raises(OSError, match="No space left"):
        run(folder, tmp_path / "run", agent="constant", in_process=True)
    monkeypatch.undo()
    data = predictions_path(tmp_path / "run").read_bytes()
    assert data.count(b"\n") == 1
    assert data.endswith(b"\n")
    summary = run(folder, tmp_path / "run", agent="constant", in_process=True)
    assert (summary.n_played, summary.n_skipped) == (2, 1)


def test_replay_gives_the_same_answers(tmp_path):
    folder = make_set(
        tmp_path / "set", [instance(i, task) for i in range(4) for task in ("T3", "T6")]
    )
    run(folder, tmp_path / "a", agent="random", config=config(1))
    options = {"run": str(tmp_path / "a")}
    run(folder, tmp_path / "b", agent="replay", agent_options=options, config=config(1))
    first, second = (
        {
            row.instance_id: (row.answer, row.answer_text)
            for row in read_predictions(path)
        }
        for path in (tmp_path / "a", tmp_path / "b")
    )
    assert first == second
    assert read_run(tmp_path / "b").record_key == read_run(tmp_path / "a").record_key


def test_replay_without_a_transcript_is_a_failure_of_the_harness(tmp_path):
    folder = set_of(tmp_path, None, None)
    run(folder, tmp_path / "a", agent="constant", in_process=True)
    key = read_run(tmp_path / "a").record_key
    (tmp_path / "a" / transcript_name(opaque_id("T3/0001", key))).unlink()
    options = {"run": str(tmp_path / "a")}
    run(folder, tmp_path / "b", agent="replay", agent_options=options, in_process=True)
    assert ends(tmp_path / "b") == {"0": GOOD, "1": ("failed", "harness")}
