"""Kill -9 a run again and again, at random moments, and see that nothing is lost.

``python benchmarks/kill_test.py --kills 200`` plays small sets with the rule-based
agents. A session is killed at a random moment: all of it, its parent, or one worker.
When a set is complete it is checked: no instance is missing, none is completed twice,
every line of the predictions and of the transcripts is whole, and nothing else lies
in the folder. The last line of the output counts.
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
if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2], agent=sys.argv[3],
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


def main() -> int:
    """Kill, go on, check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--instances", type=int, default=40)
    parser.add_argument("--agent", default="rules")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    root = Path(tempfile.mkdtemp(prefix="kill-test-"))
    program = root / "program.py"
    program.write_text(PROGRAM)
    folder = make_set(root / "set", options.instances)
    began = time.monotonic()
    kills: Counter[str] = Counter()
    n_sets = n_sessions = 0
    faults: list[str] = []
    typical_sec = 4.0
    while sum(kills.values()) < options.kills or n_sets == 0:
        out = root / f"run-{n_sets}"
        for _ in range(rng.randrange(3, 9)):
            session_began = time.monotonic()
            with (root / "errors").open("wb") as errors:
                process = subprocess.Popen(
                    [sys.executable, program, folder, out, options.agent], stderr=errors
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
        for _ in range(2):  # a worker that was killed left a failed instance
            summary = run(folder, out, agent=options.agent)
            if summary.n_failed == 0:
                break
        found = faults_of(out, options.instances)
        faults += [f"{out.name}: {fault}" for fault in found]
        n_sets += 1
        print(f"run {n_sets}: {sum(kills.values())} kills, faults {found}", flush=True)
        shutil.rmtree(out)
    shutil.rmtree(root)
    told = ", ".join(f"{n} x {kind}" for kind, n in sorted(kills.items()))
    print(
        f"{sum(kills.values())} kills ({told}) in {n_sessions} sessions of {n_sets} "
        f"runs of {options.instances} instances, {time.monotonic() - began:.0f} s: "
        f"{len(faults)} faults"
    )
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
