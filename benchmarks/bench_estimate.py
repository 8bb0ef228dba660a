"""What the paper's whole set would take on many machines, from figures measured here.

    python benchmarks/bench_estimate.py [--write docs/batches.md]

Rule-based agents. Measured: processor time of an episode of each task on simulated
recordings of the real shapes, at two lengths, hence a cost that stands and one for each
sample; the start of a session, from the command to its first prediction; a merge.
Assumed: what the lists below say. The instances are divided by `eegbench.shards` as
--shard does it, and each part is played longest first by the cores of its machine.
"""

import argparse
import heapq
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from bench.sets import instance
from eegbench.instances import Instance
from eegbench.predictions import read_predictions
from eegbench.runner import run
from eegbench.shards import divide, expected_work

CORES = 2
MACHINES = (1, 10, 100)
DISK_MB_SEC = 1000.0
MARKS = ("<!-- bench_estimate: begin -->", "<!-- bench_estimate: end -->")
HOUR = 3600.0


class Part(NamedTuple):
    """The instances of a task: lengths, shape, and where the numbers come from."""

    lengths_sec: Sequence[float]
    n_channels: int
    rate_hz: float
    bytes_per_sample: int
    source: str


PAPER = {
    "T1": Part([0.0] * 38, 0, 0.0, 0, "38 questions"),
    "T2": Part([2.0] * 300, 1, 256.0, 4, "2 s, 1 channel, 256 Hz"),
    "T3": Part([23.6] * 188, 1, 173.61, 5, "23.6 s, 1 channel, 173.61 Hz, as text"),
    "T4": Part(
        np.linspace(5.1, 21.5, 69) * 60,
        *(19, 500.0, 4),
        "5.1-21.5 min evenly, 19 channels, 500 Hz, float32",
    ),
    "T5": Part(
        [HOUR] * 210 + [2 * HOUR] * 35 + [4 * HOUR] * 35,
        *(23, 256.0, 2),
        "1 h, an eighth of 2 h and of 4 h, 23 channels, 256 Hz",
    ),
    "T6": Part(
        # 264,422 epochs of 30 s in 197 recordings: 11.2 h in the mean
        np.linspace(5.7, 16.68, 197) * HOUR,
        *(4, 100.0, 2),
        "5.7-16.7 h evenly (mean 11.2 h, as the paper's epochs), 4 channels at 100 Hz",
    ),
}


class Cost(NamedTuple):
    """Processor seconds of an episode: a part that stands, and one a sample."""

    fixed_sec: float
    per_sample_sec: float
    largest: float
    """Samples of the largest that was measured."""

    def of(self, samples: float) -> float:
        """Return the cost of an episode on so many samples."""
        return self.fixed_sec + self.per_sample_sec * samples


def samples_of(item: Instance, rate_hz: float) -> float:
    return expected_work(item) * rate_hz


def build(folder: Path, scale: float) -> Path:
    """Build the simulated set with few and long recordings."""
    from eegbench.suites.eegagent import demo

    demo.N_CLEAN, demo.SNR_LEVELS_DB, demo.N_BONN = 10, (-7, -2, 2), 24
    demo.N_PEOPLE, demo.PERSON_SEC = 3, scale * 780.0
    demo.SEIZURES, demo.SEIZURE_SEC = (1, 0), scale * HOUR
    demo.N_NIGHTS, demo.NIGHT_SEC = 1, scale * 11.2 * HOUR // 30 * 30
    demo.build_demo(folder)
    return folder


def measured(set_path: Path, out: Path, task: str) -> float:
    """Processor seconds of an episode: the median of three runs of a task."""
    taken = []
    for number in range(4):
        began = time.process_time()
        done = run(set_path, out / f"{task}-{number}", tasks=[task], in_process=True)
        taken.append((time.process_time() - began) / done.n_played)
    return float(np.median(taken[1:]))


def costs(folder: Path) -> dict[str, Cost]:
    from eegbench.instances import read_set

    sets = [build(folder / f"set-{scale}", scale) for scale in (0.25, 1.0)]
    found = {}
    for task, part in PAPER.items():
        points = []
        for number, path in enumerate(sets):
            mine = [item for item in read_set(path) if item.task == task]
            rate = mine[0].facts.get("sampling_rate", part.rate_hz)
            sizes = [samples_of(item, float(rate)) for item in mine]
            taken = measured(path, folder / f"runs-{number}", task)
            points.append((float(np.mean(sizes)), taken))
        (few, short), (many, long) = points
        slope = max(0.0, long - short) / (many - few) if many > few else 0.0
        found[task] = Cost(max(0.0, long - slope * many), slope, many)
    return found


def session_sec(folder: Path) -> float:
    """From the command to its first prediction, on a set that is there."""
    times = []
    for number in range(3):
        words = [sys.executable, "-m", "eegbench.cli", "run", str(folder / "set-0.25")]
        words += [
            "--agent",
            "rules",
            "--tasks",
            "T3",
            "--limit",
            "1",
            "-o",
            str(folder / f"s{number}"),
        ]
        began = time.perf_counter()
        subprocess.run(words, check=True, capture_output=True)
        times.append(time.perf_counter() - began)
    return min(times)


def whole_set() -> dict[str, list[Instance]]:
    made = {}
    for task, part in PAPER.items():
        made[task] = [
            instance(
                number,
                task,
                facts={"n_channels": part.n_channels},
                duration_sec=float(length),
                recording=f"{task}/{number}" if part.n_channels else None,
            )
            for number, length in enumerate(part.lengths_sec)
        ]
    return made


def makespan(costs_sec: Sequence[float], cores: int) -> float:
    """Longest first, each to the core that is free first."""
    free = [0.0] * cores
    for cost in sorted(costs_sec, reverse=True):
        heapq.heapreplace(free, free[0] + cost)
    return max(free)


def table(found: dict[str, Cost], start_sec: float) -> str:
    """Return the estimate in Markdown."""
    made = whole_set()
    rate = {
        item.task: PAPER[item.task].rate_hz for rows in made.values() for item in rows
    }
    cost = {
        item.instance_id: found[item.task].of(samples_of(item, rate[item.task]))
        for rows in made.values()
        for item in rows
    }
    lines = [
        "| task | instances | assumed | GB | processor, s an episode | of all, s |",
        "|---|---:|---|---:|---:|---:|",
    ]
    total_gb = 0.0
    for task, rows in made.items():
        part, mine = PAPER[task], [cost[item.instance_id] for item in rows]
        n = sum(samples_of(item, part.rate_hz) for item in rows)
        gb = n * part.bytes_per_sample / 1e9
        total_gb += gb
        lines.append(
            f"| {task} | {len(rows)} | {part.source} | {gb:.2f} | "
            f"{np.mean(mine):.3f} | {sum(mine):.1f} |"
        )
    every = [item for rows in made.values() for item in rows]
    lines.append(
        f"| all | {len(every)} | | {total_gb:.1f} | {np.mean(list(cost.values())):.3f} "
        f"| {sum(cost.values()):.1f} |"
    )
    lines += [
        "",
        f"| machines of {CORES} cores | start, s | longest shard, s | reading, s | "
        "in all, s | machine-seconds |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for count in MACHINES:
        shards = divide(every, count)
        longest = max(
            makespan([cost[item.instance_id] for item in shard], CORES)
            for shard in shards
        )
        reading = total_gb * 1000 / DISK_MB_SEC
        # files are read while others are computed: the slower of both counts
        whole = start_sec + max(longest, reading)
        lines.append(
            f"| {count} | {start_sec:.1f} | {longest:.1f} | {reading:.1f} | "
            f"{whole:.1f} | {count * whole:.0f} |"
        )
    lines += [
        "",
        f"Assumed further: recordings lie on a file system that gives {DISK_MB_SEC:g} "
        "MB/s to all machines together, read once; cores as fast as the one measured, "
        "both used fully; the queue of the cluster not counted. Start: imports and "
        "kernels from the disk's cache (`eegcore warmup` has run on each machine).",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="a page with the marks")
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = costs(Path(name))
        start_sec = session_sec(Path(name))
        assert all(row.status for row in read_predictions(Path(name) / "s0"))
    text = table(found, start_sec)
    print("\n## The paper's 1,072 instances with rule-based agents: estimate\n")
    print(text)
    if told.write is not None:
        page = told.write.read_text()
        before, _, rest = page.partition(MARKS[0])
        after = rest.partition(MARKS[1])[2]
        told.write.write_text(f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{after}")


if __name__ == "__main__":
    main()
