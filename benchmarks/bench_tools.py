"""Each of the ten tools with default arguments on four recordings, and memory.

Times in ms: first call on a freshly opened recording, calls with no kept sums, calls
with kept sums. The release's warm time (another day, same kind of machine; not
interleaved) is from ../shared/perf/release_latency.md.
"""

import statistics
import time
from pathlib import Path

from eegcore import blocksums
from eegcore.tools.toolbox import Toolbox
from gen_data import make

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
HEAD = (
    "| recording | tool | first | warm | with kept sums | times faster than the release |"
    "\n|---|---|---:|---:|---:|---:|"
)


def anonymous_mb() -> float:
    """Private memory of this process that no file backs."""
    text = Path("/proc/self/status").read_text()
    line = next(x for x in text.splitlines() if x.startswith("RssAnon"))
    return int(line.split()[1]) / 1024


def _timed(box: Toolbox, tool: str, *, fresh: bool, times: int) -> float:
    found = []
    for _ in range(times):
        if fresh:
            blocksums.forget()
        begin = time.perf_counter()
        box.call_json(tool, {"record_id": "r"})
        found.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(found)


def lines() -> list[str]:
    """Rows of the table."""
    rows = []
    for name in RECORDINGS:
        path = make(name)
        tools = Toolbox({"r": path}, dialect="default", budget_tokens=None).names
        for tool in tools:
            if tool == "compute_windowed_features" and name in ("night", "scalp"):
                continue  # see the table of windowed features
            blocksums.forget()
            box = Toolbox({"r": path}, dialect="default", budget_tokens=None)
            first = _timed(box, tool, fresh=True, times=1)
            warm = _timed(box, tool, fresh=True, times=5)
            kept = _timed(box, tool, fresh=False, times=5)
            release = RELEASE_SEC.get((name, tool))
            times = f"{1e3 * release / warm:.0f}" if release else ""
            rows.append(
                f"| {name} | {tool} | {first:.1f} | {warm:.1f} | {kept:.1f} | {times} |"
            )
    return rows


if __name__ == "__main__":
    before = anonymous_mb()
    print(f"\n## Tools with default arguments, ms\n\n{HEAD}")
    for row in lines():
        print(row, flush=True)
    print(f"\nAnonymous memory: {before:.0f} MB before, {anonymous_mb():.0f} MB after")
