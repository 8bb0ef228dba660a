"""Worker processes: what cannot be started is one line."""

import os
import subprocess
import sys
from pathlib import Path

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
