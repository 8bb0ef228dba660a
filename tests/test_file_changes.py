"""A file that changes under the tools is noticed by every one of them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import answers_program
import eegcore
from eegcore.tools import TOOLS


def cut(path: Path) -> None:
    os.truncate(path, 4000)


def removed(path: Path) -> None:
    path.unlink()


def grown(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(b"12")


def replaced_with_its_old_times(path: Path) -> None:
    """As `cp -p` of another file of the same size."""
    status = path.stat()
    other = path.with_suffix(".new")
    shutil.copy2(path, other)
    with other.open("r+b") as stream:
        stream.seek(-4, os.SEEK_END)
        stream.write(b"abcd")
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(path)


@pytest.mark.parametrize("change", [cut, removed, grown, replaced_with_its_old_times])
@pytest.mark.parametrize("name", TOOLS)
@pytest.mark.parametrize("used_before", [False, True])
def test_every_tool_notices_a_change_between_two_calls(
    tmp_path: Path, change: Callable[[Path], None], name: str, used_before: bool
) -> None:
    path = tmp_path / "x.edf"
    shutil.copy(_recording(tmp_path), path)
    box = eegcore.Toolbox({"r": eegcore.open(path)})
    if used_before:
        assert "code" not in box.call(name, {"record_id": "r"})
    change(path)
    answer = box.call(name, {"record_id": "r"})
    assert answer["code"] == "unreadable"
    assert str(tmp_path) not in answer["error"]


def _recording(folder: Path) -> Path:
    from edf_writer import Edf, Signal

    data = answers_program.noise(256, 12)
    signals = [
        Signal(label, row.tolist(), 256)
        for label, row in zip(answers_program.NAMES, data, strict=True)
    ]
    path = folder / "original.edf"
    path.write_bytes(Edf(signals).to_bytes())
    return path


CHURN = """
import os, shutil, sys, threading, eegcore
source, path = sys.argv[1:]
whole = os.path.getsize(source)
shutil.copy(source, path)
going = True
def change():
    while going:
        os.truncate(path, 4000); os.truncate(path, whole)
codes = set()
thread = threading.Thread(target=change)
thread.start()
try:
    for _ in range(150):
        box = eegcore.Toolbox({"r": path})
        for name in box.names:
            codes.add(box.call(name, {"record_id": "r"}).get("code", "answer"))
finally:
    going = False
    thread.join()
print(*codes)
"""


def test_a_file_cut_while_it_is_read_ends_in_an_error_or_its_own_process(
    tmp_path: Path,
) -> None:
    """The window that is left: a map cut between the check and the access.

    It ends the worker process by SIGBUS, which a run counts as a crash of this one
    instance; see docs/robustness.md.
    """
    source = _recording(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", CHURN, str(source), str(tmp_path / "y.edf")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, -7), done.stderr[-2000:]
    if done.returncode == 0:
        assert set(done.stdout.split()) <= {"answer", "unreadable"}
