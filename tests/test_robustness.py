"""Disks that are full or read-only, limits in small, and ids that tell nothing."""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.sets import instance, make_set
from eegbench.agents.command import can_isolate
from eegbench.predictions import predictions_path, read_predictions
from eegbench.runner import run
from eegbench.scoring.labels import score_labels

ROOT = Path(__file__).resolve().parents[1]


@contextlib.contextmanager
def mounted(path: Path, options: str) -> Iterator[Path]:
    """A file system in memory; needs root."""
    path.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)]
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can mount a small disk")
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")
    try:
        yield path
    finally:
        subprocess.run(["umount", str(path)], check=True)


def test_full_disk_stops_a_run_which_goes_on_when_there_is_room(tmp_path: Path) -> None:
    folder = make_set(tmp_path / "set", [instance(n) for n in range(300)])
    with mounted(tmp_path / "disk", "size=64k") as disk:
        with pytest.raises(OSError, match="No space left"):
            run(folder, disk / "run", agent="random", in_process=True)
        data = predictions_path(disk / "run").read_bytes()
        assert not data or data.endswith(b"\n")
        n_before = data.count(b"\n")
        subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)
        run(folder, disk / "run", agent="random", in_process=True)
        summary = run(folder, disk / "run", agent="random", in_process=True)
        found = read_predictions(disk / "run")
        assert (len(found), found.duplicates, found.notes) == (300, (), ())
        assert all(row.status == "completed" for row in found)
        assert (summary.n_played, summary.n_skipped) == (0, 300)
        assert n_before <= 300


def test_read_only_folder_is_refused_in_one_line(tmp_path: Path) -> None:
    folder = make_set(tmp_path / "set", [instance(0)])
    with mounted(tmp_path / "disk", "size=1m") as disk:
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        command = [sys.executable, "-m", "eegbench.cli", "run", str(folder)]
        done = subprocess.run(
            [*command, "--agent", "constant", "-o", str(disk / "run")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (1, 2)
        assert "read-only file system" in done.stderr.lower()
        assert "Traceback" not in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


CLOCK_GOES_BACK = """
import sys, time
now, calls = time.time, []
def back():
    calls.append(1)
    return now() - 3600.0 * len(calls)
time.time = back
from eegbench.runner import run
made = run(sys.argv[1], sys.argv[2], agent="random", in_process=True)
assert made.n_played == 12 and made.n_failed == 0 and 0 <= made.elapsed_sec < 60
"""


def test_clock_that_goes_back_changes_nothing(tmp_path: Path) -> None:
    folder = make_set(tmp_path / "set", [instance(n) for n in range(12)])
    command = [sys.executable, "-c", CLOCK_GOES_BACK, str(folder), str(tmp_path / "r")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for row in read_predictions(tmp_path / "r"):
        assert all(value >= 0 for value in row.seconds.values())


def test_id_only_baseline_stays_at_chance(tmp_path: Path) -> None:
    """The labels are alternating, sorted and by file size; the ids follow neither."""
    rows = [instance(n) for n in range(200)]
    folder = make_set(tmp_path / "set", rows)
    key = "5a" * 16
    run(folder, tmp_path / "run", agent="id-only", in_process=True, record_key=key)
    found = {row.instance_id: row for row in read_predictions(tmp_path / "run")}
    answers = [
        (found[row.instance_id].answer or {}).get("classification") for row in rows
    ]
    for wanted in (
        ["normal" if n % 2 else "epileptic" for n in range(200)],
        ["normal" if n < 100 else "epileptic" for n in range(200)],
    ):
        score = score_labels(wanted, answers, ["normal", "epileptic"], n_rounds=500)
        low, high = score.intervals["accuracy"][:2]
        assert low <= 0.5 <= high


@pytest.mark.parametrize(
    ("case", "most_mb"),
    [
        ("many_recordings", 60),
        ("wide_header", 30),
        ("two_days", 60),
        ("wide_bdf", 450),  # answers for 256 channels and 32,640 pairs, no budget
        ("hostile_annotations", 60),
    ],
)
def test_limits_in_small(case: str, most_mb: float) -> None:
    import json

    script = ROOT / "benchmarks" / "limits.py"
    done = subprocess.run(
        [sys.executable, str(script), "--small", "--case", case],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    row = json.loads(done.stdout)
    assert row["own_peak_mb"] < most_mb
    assert row["handles"] < 300
    assert "internal" not in row["answers"]


def test_kill_9_in_small() -> None:
    script = ROOT / "benchmarks" / "kill_test.py"
    words = ["--kills", "4", "--instances", "8", "--agent", "random"]
    done = subprocess.run(
        [sys.executable, str(script), *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "0 faults" in done.stdout


def test_16_threads_in_4_processes() -> None:
    script = ROOT / "benchmarks" / "stress.py"
    words = ["--seconds", "3", "--threads", "4", "--processes", "2"]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(script), *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "all the same" in done.stdout


def test_sandbox_is_tried_where_there_is_one() -> None:
    if not can_isolate():
        pytest.skip("bubblewrap is not installed or may not make a sandbox here")
    assert shutil.which("bwrap")
