"""A short run of each fuzz target: coverage-guided where atheris is installed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).resolve().parent / "run.py"
# `make fuzz` and a server of continuous integration take a minute for each target.
SECONDS = os.environ.get("FUZZ_SECONDS", "60" if "CI" in os.environ else "10")


@pytest.mark.parametrize("target", ["header", "annotations", "replies", "files"])
def test_no_finding(target: str, tmp_path: Path) -> None:
    findings = tmp_path / "findings"
    command = [sys.executable, str(RUN), target, "--seconds", SECONDS]
    command += ["--findings", str(findings)]
    if target == "files":  # a crash of compiled code would leave no other trace
        command += ["--engine", "mutation", "--keep-last", str(tmp_path / "last")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-3000:]
    told = done.stdout + done.stderr
    assert "executions in" in told or "number_of_executed_units" in told
