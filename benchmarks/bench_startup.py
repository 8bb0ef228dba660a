"""Whole processes: import, and one window of a 23-h file from the command line.

The last row has kernels frozen for this processor (EEGCORE_FROZEN=1), which takes a
minute or two before.
"""

import os
import statistics
import subprocess
import sys
import time

from gen_data import make

COMMANDS = {
    "python -c pass": ("-c", "pass"),
    "import numpy": ("-c", "import numpy"),
    "import eegcore": ("-c", "import eegcore"),
    "import eegbench.scoring": ("-c", "import eegbench.scoring"),
}


def seconds(arguments: tuple[str, ...], **environment: str) -> float:
    """Median time of five processes."""
    found = []
    command, env = [sys.executable, *arguments], os.environ | environment
    for _ in range(5):
        begin = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=env)
        found.append(time.perf_counter() - begin)
    return statistics.median(found)


if __name__ == "__main__":
    night = str(make("night"))
    start = ("-c", "from eegcore.cli import run; run()")
    call = (*start, "call", "compute_windowed_features", night)
    call += ("--channels", "EEG Fpz-Cz", "--window-sec", "30")
    call += ("--tmin", "3000", "--tmax", "3030")
    print("\n## Whole processes, s\n\n| process | s |\n|---|---:|")
    rows = COMMANDS | {
        "eegcore schemas": (*start, "schemas"),
        "eegcore info, 23-h file": (*start, "info", night),
        "eegcore call, one window of a 23-h file": call,
    }
    for name, arguments in rows.items():
        print(f"| {name} | {seconds(arguments):.3f} |", flush=True)
    subprocess.run(
        [sys.executable, *start, "warmup"],
        check=True,
        capture_output=True,
        env=os.environ | {"EEGCORE_FROZEN": "1"},
    )
    name = "the same, EEGCORE_FROZEN=1"
    print(f"| {name} | {seconds(call, EEGCORE_FROZEN='1'):.3f} |")
