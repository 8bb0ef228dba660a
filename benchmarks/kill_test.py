"""Kill -9 a run again and again, at random moments, and see that nothing is lost.

``python benchmarks/kill_test.py --kills 200 [--what run|dask|features]`` plays small
sets with the rule-based agents, by processes of this machine or on a local cluster of
Dask, or measures an archive. A session is killed at a random moment: all of it, its
parent, or one worker. When a set is complete it is checked: no instance is missing,
none is completed twice, every line of the predictions and of the transcripts is whole,
and nothing else lies in the folder. A table of features must be the very bytes of one
that was never interrupted, with nothing left beside it. The last line counts.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import msgspec
import numpy as np

from eegbench.instances import Instance, SetInfo, write_set
from eegbench.predictions import Prediction, predictions_path
from eegbench.runner import run

PROGRAM = """
import sys
from eegbench.config import Config, RunSettings
from eegbench.runner import run
from eegcore.executors import executor_of
if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2], agent=sys.argv[3], executor=executor_of(sys.argv[4]),
        config=Config(run=RunSettings(workers=2)))
"""
SCHEMA = {
    "type": "object",
    "properties": {
        "classification": {"type": "string", "enum": ["normal", "abnormal"]}
    },
    "required": ["classification"],
}


def make_set(path: Path, n_instances: int) -> Path:
    """Small recordings of noise, one an instance."""
    (path / "recordings").mkdir(parents=True)
    rng = np.random.default_rng(1)
    rows = []
    for number in range(n_instances):
        name = f"recordings/{number}.npy"
        np.save(path / name, rng.normal(scale=30.0, size=(2, 256 * 8)))
        opening = {"rate_hz": 256.0, "channel_names": ["C3", "C4"], "unit": "uV"}
        rows.append(
            Instance(
                instance_id=f"T3/{number:04d}",
                task="T3",
                suite="eegagent",
                context="Two channels.",
                question="Is it normal?",
                facts={"n_channels": 2, "channel_names": ["C3", "C4"]},
                answer_schema=SCHEMA,
                recording=name,
                open_args=opening,
                simulated=True,
            )
        )
    write_set(path, SetInfo(suite="eegagent", simulated=True), rows)
    return path


def children_of(pid: int) -> list[int]:
    """All processes below one."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(words[1]) == pid:
                found += [int(entry.name), *children_of(int(entry.name))]
    return found


def kill_once(process: subprocess.Popen[bytes], kind: str, after_sec: float) -> bool:
    """Kill the parent, a worker, or both; False: the session had ended before."""
    try:
        process.wait(timeout=after_sec)
        return False
    except subprocess.TimeoutExpired:
        pass
    below = children_of(process.pid)
    targets = {
        "parent": [process.pid],
        "worker": below[-1:],
        "all": [process.pid, *below],
    }
    for target in targets[kind] or [process.pid]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(target, signal.SIGKILL)
    if kind != "worker":
        process.wait()
    else:
        process.wait(timeout=120)
    return True


def faults_of(run_path: Path, n_instances: int) -> list[str]:
    """What is wrong with the folder of a complete run."""
    faults = []
    data = predictions_path(run_path).read_bytes()
    if not data.endswith(b"\n"):
        faults.append("the last line has no end")
    completed: Counter[str] = Counter()
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            row = msgspec.json.decode(line, type=Prediction)
        except msgspec.MsgspecError:
            faults.append(f"line {number} is not whole")
            continue
        completed[row.instance_id] += row.status == "completed"
    wanted = {f"T3/{number:04d}" for number in range(n_instances)}
    faults += [f"{name} is missing" for name in wanted if not completed[name]]
    faults += [f"{name} is there {n} times" for name, n in completed.items() if n > 1]
    for path in sorted((run_path / "transcripts").iterdir()):
        text = path.read_bytes()
        ended = text.endswith(b"\n") and b'"event":"end"' in text.splitlines()[-1]
        try:
            [json.loads(line) for line in text.splitlines()]
        except ValueError:
            ended = False
        if not ended:
            faults.append(f"transcript {path.name} is not whole")
    known = {".lock", "run.json", "predictions.jsonl", "transcripts"}
    faults += [
        f"stray file {path.name}"
        for path in run_path.iterdir()
        if path.name not in known
    ]
    return faults


class Runs:
    """Sessions of a run, in processes or on Dask."""

    def __init__(self, root: Path, options: argparse.Namespace) -> None:
        self.root, self.options = root, options
        self.folder = make_set(root / "set", options.instances)
        self.program = root / "program.py"
        self.program.write_text(PROGRAM)
        self.executor = "dask" if options.what == "dask" else "processes"

    def words(self, out: Path) -> list[str | Path]:
        """Return the command of a session."""
        words = [sys.executable, self.program, self.folder, out, self.options.agent]
        return [*words, self.executor]

    def faults(self, out: Path) -> list[str]:
        """Let a run end, and say what is wrong with it."""
        for _ in range(2):  # a worker that was killed left a failed instance
            if run(self.folder, out, agent=self.options.agent).n_failed == 0:
                break
        found = faults_of(out, self.options.instances)
        shutil.rmtree(out)
        return found


class Tables:
    """Sessions of `eegcore features`."""

    def __init__(self, root: Path, options: argparse.Namespace) -> None:
        self.root, self.folder = root, root / "eeg"
        self.folder.mkdir()
        rng = np.random.default_rng(1)
        for number in range(options.instances):
            data = rng.normal(scale=30.0, size=(8, 256 * 600)).astype(np.float32)
            np.save(self.folder / f"{number}.npy", data)
        whole = root / "whole.parquet"
        subprocess.run(self.words(whole), check=True, capture_output=True)
        self.wanted = whole.read_bytes()

    def words(self, out: Path) -> list[str | Path]:
        """Return the command of a session."""
        names = ",".join(f"C{k}" for k in range(8))
        given = ["--rate-hz", "256", "--channel-names", names, "--window-sec", "2"]
        program = Path(sys.executable).with_name("eegcore")
        return [program, "features", self.folder, *given, "-o", out]

    def faults(self, out: Path) -> list[str]:
        """Let a table be completed, and say what is wrong with it."""
        failures = out.with_name(f"{out.stem}.failures.parquet")
        for _ in range(2):  # a worker that was killed left a failure in the table
            if out.exists() and out.read_bytes() != self.wanted:
                out.unlink()
            if not out.exists():
                subprocess.run(self.words(out), check=False, capture_output=True)
        found = []
        if not out.exists() or out.read_bytes() != self.wanted:
            found.append("the table differs from one that was not interrupted")
        out.unlink(missing_ok=True)
        failures.unlink(missing_ok=True)
        known = {"eeg", "errors", "whole.parquet", "whole.failures.parquet"}
        strays = [path for path in self.root.iterdir() if path.name not in known]
        for path in strays:
            found.append(f"stray file {path.name}")
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        return found


def main() -> int:
    """Kill, go on, check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--instances", type=int, default=40)
    parser.add_argument("--agent", default="rules")
    parser.add_argument("--what", default="run", choices=["run", "dask", "features"])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    root = Path(tempfile.mkdtemp(prefix="kill-test-"))
    work = Tables(root, options) if options.what == "features" else Runs(root, options)
    began = time.monotonic()
    kills: Counter[str] = Counter()
    n_sets = n_sessions = 0
    faults: list[str] = []
    typical_sec = 4.0
    while sum(kills.values()) < options.kills or n_sets == 0:
        out = root / f"run-{n_sets}"
        if options.what == "features":
            out = out.with_suffix(".parquet")
        for _ in range(rng.randrange(3, 9)):
            if out.is_file():
                break
            session_began = time.monotonic()
            with (root / "errors").open("wb") as errors:
                process = subprocess.Popen(
                    work.words(out), stdout=errors, stderr=errors
                )
            n_sessions += 1
            kind = rng.choice(["parent", "worker", "all"])
            if kill_once(process, kind, rng.uniform(0.05, typical_sec)):
                kills[kind] += 1
            elif process.returncode:
                faults.append((root / "errors").read_text()[-500:])
            else:
                taken = time.monotonic() - session_began
                typical_sec = 0.5 * typical_sec + 0.5 * max(taken, 1.0)
        found = work.faults(out)
        faults += [f"{out.name}: {fault}" for fault in found]
        n_sets += 1
        print(f"run {n_sets}: {sum(kills.values())} kills, faults {found}", flush=True)
    shutil.rmtree(root)
    told = ", ".join(f"{n} x {kind}" for kind, n in sorted(kills.items()))
    print(
        f"{options.what}: {sum(kills.values())} kills ({told}) in {n_sessions} sessions"
        f" of {n_sets} sets of {options.instances}, {time.monotonic() - began:.0f} s: "
        f"{len(faults)} faults"
    )
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
