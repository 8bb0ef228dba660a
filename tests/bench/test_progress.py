"""Progress: time left by work, failures shown on a terminal."""

import os
import pty
import re
import sys
from pathlib import Path

import pytest

from bench.sets import instance, make_set
from eegbench.progress import Counter, Progress, moves
from eegbench.terminal import progress_text

TESTS = Path(__file__).resolve().parents[1]


def test_time_left_follows_the_work_and_not_the_count():
    seen: list[Progress] = []
    counter = Counter(3, 100.0, seen.append)
    counter.count(failed=False, work=80.0)
    counter.count(failed=True, work=10.0)
    counter.count(failed=False, work=10.0)
    first, second, last = seen
    assert first.remaining_sec == pytest.approx(first.elapsed_sec / 4)
    assert (second.n_done, second.n_failed, second.n_total) == (2, 1, 3)
    assert last.remaining_sec == pytest.approx(0.0, abs=1e-9)
    told = []
    moves(lambda *numbers, **facts: told.append((numbers, facts)))(second)
    assert told[0][0] == (2, 3)
    assert told[0][1]["n_failed"] == 1


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((3.14, 12.2, 0), "3.1/s  0:12 left"),
        ((3.14, 3725.0, 2), "3.1/s  1:02:05 left  [red]2 failed[/red]"),
        ((0.0, None, 0), ""),
    ],
)
def test_line_beside_the_bar(numbers, text):
    assert progress_text(*numbers) == text


def test_terminal_shows_rate_time_left_and_failures(tmp_path):
    rows = [
        instance(k, facts={"n_channels": 2} | ({"deed": "raise"} if k % 2 else {}))
        for k in range(12)
    ]
    folder = make_set(tmp_path / "set", rows)
    words = [sys.executable, "-m", "eegbench.cli", "run", str(folder), "--workers=1"]
    words += ["--agent", "bench.agents_that_fail:OnFact", "-o", str(tmp_path / "run")]
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "PYTHONPATH": str(TESTS)}
    files = [(os.POSIX_SPAWN_DUP2, theirs, number) for number in (0, 1, 2)]
    process = os.posix_spawn(words[0], words, environment, file_actions=files)
    os.close(theirs)
    seen = b""
    while True:
        try:
            seen += (some := os.read(ours, 4096))
        except OSError:  # the terminal's other end is closed
            break
        if not some:
            break
    os.close(ours)
    os.waitpid(process, 0)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen.decode())
    assert re.search(r"12/12 \d+\.\d/s  0:00 left  6 failed", text), text
