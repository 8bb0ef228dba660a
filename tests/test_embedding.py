"""The programs of docs/embedding.md, run as they stand there."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from edf_writer import Edf, Signal

PAGE = Path(__file__).resolve().parents[1] / "docs" / "embedding.md"
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)


@pytest.fixture(scope="module")
def recording(tmp_path_factory) -> Path:
    rng = np.random.default_rng(5)
    signals = [
        Signal(f"EEG {name}", rng.integers(-900, 900, 128 * 60), per_record=128)
        for name in ("C3", "C4", "O1", "O2")
    ]
    path = tmp_path_factory.mktemp("embedding") / "simulated.edf"
    path.write_bytes(Edf(signals).to_bytes())
    return path


def printed(program: str, recording: Path, folder: Path) -> str:
    script = folder / "program.py"
    script.write_text(program)
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script), str(recording)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_plain_loop(recording, tmp_path):
    told = printed(PROGRAMS[0], recording, tmp_path)
    assert told.startswith("10 tools\n")
    assert "looked at 2 answers" in told
    assert "error" not in told


def test_server_answers_and_its_loop_goes_on(recording, tmp_path):
    call = "    return box.call_json"
    assert call in PROGRAMS[1]
    slow = PROGRAMS[1].replace(call, f"    time.sleep(1.0)\n{call}")
    told = printed(slow, recording, tmp_path).split()
    assert told[:2] == ["9", "answers;"]
    # nine calls of a second each in two threads; none of them holds the loop
    assert float(told[-2]) < 0.9


def test_loader_reads_the_same_after_fork_and_spawn(recording, tmp_path):
    told = printed(PROGRAMS[2], recording, tmp_path)
    assert told == (
        "fork 30 windows, the same: True\nspawn 30 windows, the same: True\n"
    )
