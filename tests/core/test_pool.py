"""Worker processes: what cannot be started, or ended, is one line."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
from eegcore.errors import WorkerError
from eegcore.pool import Task, run_tasks

def set_up():
    return bytes.upper

if __name__ == "__main__":
    given = {"n_workers": 1, "limit_sec": 60.0, "preload": ("no_good",)}
    try:
        print(list(run_tasks([Task("a", b"x")], set_up, (), **given)))
    except WorkerError as error:
        print(error)
"""


def test_module_that_the_fork_server_cannot_import_is_named(tmp_path: Path) -> None:
    (tmp_path / "no_good.py").write_text("raise ValueError('broken')")
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, tmp_path / "program.py"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        check=True,
        timeout=60,
    )
    assert "the process that starts workers has ended" in done.stdout
    assert "no_good" in done.stdout
    assert "Traceback" not in done.stdout
    assert "ValueError: broken" in done.stderr  # the reason, from the process itself


STALLS = """
import sys
from pathlib import Path
from eegcore import pool

pool.KILLED_SEC = 0.5

def set_up(disk):
    def work(payload):
        if payload == b"stall":
            (Path(disk) / "new").write_text("waits for the disk")
        return payload.upper()
    return work

if __name__ == "__main__":
    tasks = [pool.Task(text, text.encode()) for text in ("a", "stall", "b", "c")]
    for done in pool.run_tasks(tasks, set_up, sys.argv[1:], n_workers=2, limit_sec=1.0):
        print(done.key, done.ended, done.error)
"""


def test_file_system_that_stalls_costs_its_task_only(tmp_path: Path) -> None:
    """A frozen file system holds a process in a way that no signal ends."""
    needed = ("mount", "mkfs.ext4", "fsfreeze")
    if os.geteuid() != 0 or not all(map(shutil.which, needed)):
        pytest.skip("only root, with mkfs and fsfreeze, can have a disk that stalls")
    image, disk = tmp_path / "image", tmp_path / "disk"
    disk.mkdir()
    with image.open("wb") as stream:
        stream.truncate(8 << 20)
    subprocess.run(["mkfs.ext4", "-q", image], check=True)
    done = subprocess.run(["mount", "-o", "loop", image, disk], check=False)
    if done.returncode:
        pytest.skip("no image can be mounted here")
    (tmp_path / "program.py").write_text(STALLS)
    try:
        subprocess.run(["fsfreeze", "-f", disk], check=True)
        try:
            # into a file: the process that hangs would keep a pipe open
            with (tmp_path / "told").open("w") as told:
                subprocess.run(
                    [sys.executable, tmp_path / "program.py", disk],
                    stdout=told,
                    check=True,
                    timeout=60,
                )
        finally:
            subprocess.run(["fsfreeze", "-u", disk], check=True)
    finally:
        subprocess.run(["umount", "-l", disk], check=True)
    lines = (tmp_path / "told").read_text().splitlines()
    rows = dict(line.split(" ", 1) for line in lines)
    assert {key: text.split()[0] for key, text in rows.items()} == {
        **dict.fromkeys("abc", "done"),
        "stall": "timeout",
    }
    assert "its process cannot be killed" in rows["stall"]
