"""Cases of the compile cache, fork and threads: the steps that a case lists, in words.

Each is a small program in a fresh interpreter; what it prints is a hash of all answers,
which must be that of a plain run.
"""

import json
import os
import subprocess
import sys

PROGRAM = """
import hashlib, json, multiprocessing, os, sys, threading
import numpy as np
import eegcore

def answers(_=None):
    rng = np.random.default_rng(7)
    data = np.cumsum(rng.standard_normal((4, 256 * 60)), axis=1)
    names = ["C3", "C4", "F3", "F4"]
    box = eegcore.Toolbox({"r": eegcore.from_array(data, 256.0, names)})
    calls = [
        ("compute_windowed_features", {"window_sec": 10}),
        ("compute_psd", {}), ("compute_temporal_features", {}),
        ("compute_noise_metrics", {}), ("detect_transients", {}),
        ("compute_channel_correlation", {}),
    ]
    bodies = [box.call_json(name, {"record_id": "r", **args}) for name, args in calls]
    return hashlib.sha256(b"".join(bodies)).hexdigest()

def main(mode):
    first = answers()
    if mode == "fork":
        with multiprocessing.get_context("fork").Pool(4) as pool:
            found = pool.map(answers, range(4))
    elif mode == "threads":
        found = []
        def work():
            found.append(answers())
        threads = [threading.Thread(target=work) for _ in range(8)]
        [t.start() for t in threads]
        [t.join() for t in threads]
    else:
        found = [answers()]
    print(json.dumps([first, *found]))

if __name__ == "__main__":
    main(sys.argv[1])
"""


def start(mode, folder, **variables):
    """One fresh interpreter that runs the program."""
    script = folder / "program.py"
    script.write_text(PROGRAM)
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"}
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", str(script), mode],
        env=environment | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def hashes(process):
    """Set of the hashes that a program printed."""
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err[-2000:]
    return set(json.loads(out))


def check(row, root, folder):
    """Read from the steps what is to be tried."""
    steps = " ".join(json.loads((root / row["file"]).read_text())["steps"]).lower()
    plain = hashes(start("plain", folder))
    assert len(plain) == 1
    nowhere = {"HOME": str(folder / "nowhere"), "XDG_CACHE_HOME": "/proc/nowhere"}
    if "fork" in steps:
        tried = [start("fork", folder)]
    elif "thread" in steps:
        tried = [start("threads", folder)]
    elif "empty" in steps:
        cache = folder / "cache"
        cache.mkdir()
        tried = [start("plain", folder, EEGCORE_CACHE_DIR=str(cache)) for _ in range(2)]
    else:
        tried = [start("plain", folder, **nowhere)]
    for process in tried:
        assert hashes(process) == plain
