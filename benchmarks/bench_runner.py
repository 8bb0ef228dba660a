"""What the runner costs, and how far a second core helps.

    python benchmarks/bench_runner.py [--set SET] [--rounds N]

Overhead: the harness's own processor time for an episode, without tools and agents:
reading and writing, the dialogue, the transcript, and the parent's share. Processor
time, so that other programs on the machine do not count.

Speed-up: rule-based agents on simulated recordings with one worker and with two,
interleaved. The ideal is measured in the same round: two busy processes against one, so
that a machine that others use, or that has no second core to give, counts as such.
"""

import argparse
import multiprocessing
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import msgspec

from bench.sets import instance, make_set
from eegbench.config import Config, RunSettings
from eegbench.instances import read_set, write_set
from eegbench.predictions import read_predictions
from eegbench.runner import run
from eegbench.suites.eegagent.demo import build_demo

N_EPISODES = 2000
SPIN = 6_000_000


def overhead(folder: Path) -> None:
    small = make_set(folder / "small", [instance(k) for k in range(N_EPISODES)])
    began = time.process_time()
    run(small, folder / "inline", agent="constant", in_process=True)
    inline = (time.process_time() - began) / N_EPISODES
    one = Config(run=RunSettings(workers=1))
    began, wall = time.process_time(), time.perf_counter()
    run(small, folder / "pooled", agent="constant", config=one)
    parent = (time.process_time() - began) / N_EPISODES
    wall = (time.perf_counter() - wall) / N_EPISODES
    print(f"episode and files, processor: {1e3 * inline:.3f} ms an episode")
    print(f"parent of the pool, processor: {1e3 * parent:.3f} ms an episode")
    print(f"sum: {1e3 * (inline + parent):.3f} ms an episode (must: below 1)")
    print(f"one worker, wall (start included): {1e3 * wall:.3f} ms an episode")


def shares(run_path: Path) -> None:
    rows = list(read_predictions(run_path))
    for name in ("total", "open", "agent", "queue", "compute", "encode"):
        told = sum(row.seconds.get(name, 0.0) for row in rows) / len(rows)
        print(f"rules, {name}: {1e3 * told:.3f} ms an episode (mean, wall)")
    rest = [
        row.seconds["total"]
        - sum(row.seconds[n] for n in ("open", "agent", "compute", "encode"))
        for row in rows
    ]
    print(f"rules, harness: {1e3 * statistics.median(rest):.3f} ms (median, wall)")


def spin(_: int) -> None:
    total = 0
    for k in range(SPIN):
        total += k


def ideal() -> float:
    """How much more two processes get done than one, at this moment."""
    context = multiprocessing.get_context("fork")
    times = []
    for n in (1, 2):
        some = [context.Process(target=spin, args=(0,)) for _ in range(n)]
        began = time.perf_counter()
        for process in some:
            process.start()
        for process in some:
            process.join()
        times.append(time.perf_counter() - began)
    return 2 * times[0] / times[1]


def repeated(set_path: Path, target: Path, times: int) -> Path:
    """Make a set of each instance many times, each time with a file of its own name."""
    read = read_set(set_path)
    rows = []
    for number in range(times):
        (target / str(number)).parent.mkdir(parents=True, exist_ok=True)
        (target / str(number)).symlink_to(set_path.absolute())
        rows += [
            msgspec.structs.replace(
                item,
                instance_id=f"{item.instance_id}-{number}",
                recording=item.recording and f"{number}/{item.recording}",
            )
            for item in read
        ]
    write_set(target, read.info, rows)
    return target


def speed_up(set_path: Path, folder: Path, rounds: int) -> None:
    run(set_path, folder / "warm", agent="rules")  # compiles, fills the page cache
    shares(folder / "warm")
    found = []
    for number in range(rounds):
        before = ideal()
        taken = {}
        for workers in (1, 2):
            began = time.perf_counter()
            run(
                set_path,
                folder / f"{number}-{workers}",
                agent="rules",
                config=Config(run=RunSettings(workers=workers)),
            )
            taken[workers] = time.perf_counter() - began
        best = statistics.mean((before, ideal()))
        ratio = taken[1] / taken[2]
        found.append(ratio / best)
        print(
            f"round {number}: 1 worker {taken[1]:.2f} s, 2 workers {taken[2]:.2f} s, "
            f"speed-up {ratio:.2f} of {best:.2f}: {ratio / best:.2f} of the ideal"
        )
    print(f"of the ideal, median: {statistics.median(found):.2f} (must: .9)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", type=Path, help="default: the simulated demo set")
    parser.add_argument("--times", type=int, default=8, help="of each instance")
    parser.add_argument("--rounds", type=int, default=5)
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        overhead(folder)
        if told.set is None:
            build_demo(folder / "set")
        many = repeated(told.set or folder / "set", folder / "many", told.times)
        speed_up(many, folder, told.rounds)


if __name__ == "__main__":
    main()
