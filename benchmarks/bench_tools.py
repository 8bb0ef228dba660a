"""Each of the ten tools with default arguments on four recordings, and memory.

Times in ms: first call on a freshly opened recording, calls with no kept sums (warm),
calls with kept sums, first calls with the sums in a file (`eegcore sums`). The
release's warm time (another day, same kind of machine; not interleaved) is from
../shared/perf/release_latency.md.
"""

import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from eegcore import blocksums, warmup
from eegcore.formats import open_recording
from eegcore.keeping import keep_sums, kept_file
from eegcore.tools.toolbox import Toolbox
from gen_data import FOLDER, make

RECORDINGS = ("night", "scalp", "rest", "epoch")
RELEASE_SEC = {
    ("night", "compute_noise_metrics"): 7.98,
    ("night", "compute_psd"): 6.94,
    ("night", "compute_band_power"): 7.07,
    ("night", "detect_transients"): 8.80,
    ("night", "compute_temporal_features"): 1.93,
    ("scalp", "compute_noise_metrics"): 5.11,
    ("scalp", "compute_psd"): 4.75,
    ("scalp", "compute_band_power"): 4.65,
    ("scalp", "detect_transients"): 18.75,
    ("scalp", "compute_temporal_features"): 2.52,
}
RELEASE_MULTITAPER_SEC = 18.2  # one channel of the night
MULTITAPER = "compute_psd, multitaper, 1 channel"
HEAD = (
    "| recording | tool | first | warm p50 | warm p95 | kept p50 | kept p95 | first,"
    " sums on disk | times faster than the release |\n"
    "|---|---|---:|---:|---:|---:|---:|---:|---:|"
)
ROUNDS = 10


def anonymous_mb() -> float:
    """Private memory of this process that no file backs."""
    text = Path("/proc/self/status").read_text()
    line = next(x for x in text.splitlines() if x.startswith("RssAnon"))
    return int(line.split()[1]) / 1024


def _timed(box: Toolbox, tool: str, arguments: dict, *, fresh: bool) -> list[float]:
    found = []
    for _ in range(ROUNDS):
        if fresh:
            blocksums.forget()
        begin = time.perf_counter()
        box.call_json(tool, {"record_id": "r"} | arguments)
        found.append(1e3 * (time.perf_counter() - begin))
    return sorted(found)


def _row(name: str, label: str, tool: str, arguments: dict, release: float) -> str:
    path = make(name)
    blocksums.forget()
    box = Toolbox({"r": path}, dialect="default", budget_tokens=None)
    begin = time.perf_counter()
    box.call_json(tool, {"record_id": "r"} | arguments)
    first = 1e3 * (time.perf_counter() - begin)
    warm = _timed(box, tool, arguments, fresh=True)
    kept = _timed(box, tool, arguments, fresh=False)
    figures = [first]
    for times in (warm, kept):
        figures += [statistics.median(times), times[int(0.95 * len(times))]]
    figures.append(_from_disk(path, tool, arguments))
    ratio = f"{1e3 * release / statistics.median(warm):.0f}" if release else ""
    return f"| {name} | {label} | {' | '.join(f'{x:.1f}' for x in figures)} | {ratio} |"


def _from_disk(path: Path, tool: str, arguments: dict) -> float:
    """Median of first calls on the recording, freshly opened, its sums in a file."""
    folder = FOLDER / "sums"
    if kept_file(open_recording(path), folder) is None:
        keep_sums(open_recording(path), folder)
    os.environ["EEGCORE_SUMS_DIR"] = str(folder)
    found = []
    for _ in range(ROUNDS):
        blocksums.forget()
        box = Toolbox({"r": path}, dialect="default", budget_tokens=None)
        begin = time.perf_counter()
        box.call_json(tool, {"record_id": "r"} | arguments)
        found.append(1e3 * (time.perf_counter() - begin))
    del os.environ["EEGCORE_SUMS_DIR"]
    return statistics.median(found)


def lines() -> Iterator[str]:
    """Rows of the table; kernels are loaded before, on the 2-s epoch."""
    box = Toolbox({"r": make("epoch")}, budget_tokens=None)
    warmup.compile_all()
    for tool in box.names:
        box.call_json(tool, {"record_id": "r"})
    for name in RECORDINGS:
        tools = Toolbox({"r": make(name)}, budget_tokens=None).names
        for tool in tools:
            yield _row(name, tool, tool, {}, RELEASE_SEC.get((name, tool), 0.0))
    arguments = {"channels": ["EEG Fpz-Cz"], "method": "multitaper"}
    yield _row("night", MULTITAPER, "compute_psd", arguments, RELEASE_MULTITAPER_SEC)


def scan_memory(name: str) -> tuple[float, float]:
    """Anonymous memory in MB before and at most during all tools on a recording.

    Before: with everything imported and every tool called on the 2-s epoch.
    """
    for path in (make("epoch"), None):
        box = Toolbox({"r": path or make(name)}, budget_tokens=None)
        if path is None:
            before = most = anonymous_mb()
            done = threading.Event()

            def watch(done: threading.Event = done) -> None:
                nonlocal most
                while not done.wait(0.005):
                    most = max(most, anonymous_mb())

            watcher = threading.Thread(target=watch)
            watcher.start()
        for tool in box.names:
            if path is None and tool == "compute_windowed_features":
                continue  # its answer of many megabytes is no work space
            box.call_json(tool, {"record_id": "r"})
    done.set()
    watcher.join()
    return before, most


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print("{:.1f} {:.1f}".format(*scan_memory(sys.argv[1])))
        sys.exit()
    print(f"\n## Tools with default arguments, ms\n\n{HEAD}")
    for line in lines():
        print(line, flush=True)
    print("\n| all tools, a process of its own | RssAnon above the imports, MB |")
    print("|---|---:|")
    for name in RECORDINGS[:3]:
        command = [sys.executable, __file__, name]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        before, most = map(float, done.stdout.split())
        print(f"| {name} | {most - before:.1f} |", flush=True)
