"""Whole processes: import, and one window of a 23-h file from the command line."""

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


def seconds(arguments: tuple[str, ...]) -> float:
    """Median time of five processes."""
    found = []
    for _ in range(5):
        begin = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        found.append(time.perf_counter() - begin)
    return statistics.median(found)


if __name__ == "__main__":
    night = str(make("night"))
    start = ("-c", "from eegcore.cli import main; main()")
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
        print(f"| {name} | {seconds(arguments):.3f} |")
