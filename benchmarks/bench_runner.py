"""What the runner costs, and how far a second core helps.

    python benchmarks/bench_runner.py [--set SET] [--times N] [--rounds N]

Overhead: the harness's own processor time for an episode, without tools and agents:
reading and writing, the dialogue, the transcript, and the parent's share. Processor
time, so that other programs on the machine do not count.

Speed-up: rule-based agents on simulated recordings, with one worker on one core and
with two, interleaved. The ideal is measured in the same round: two busy processes
against one, so that a machine that others use, or that has no second core to give,
counts as such. Beside the times stands what they are made of and what does not depend
on other programs: the workers' processor time (more of it with two workers: caches and
memory are shared) and their idle time (waiting for work, or for the last to end).
"""

import argparse
import multiprocessing
import os
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
from process_watch import Watch

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
    print(f"\n## The runner: cost of an episode ({N_EPISODES}, a constant agent)\n")
    print("| part | ms an episode |\n|---|---:|")
    print(f"| episode and its files, processor | {1e3 * inline:.3f} |")
    print(f"| parent of the workers, processor | {1e3 * parent:.3f} |")
    print(f"| sum (must be below 1) | {1e3 * (inline + parent):.3f} |")
    print(f"| one worker, its start included, wall | {1e3 * wall:.3f} |")


def shares(run_path: Path) -> None:
    rows = list(read_predictions(run_path))
    print(f"\n## Rule-based agents: an episode, mean of {len(rows)}\n")
    print("| part | ms |\n|---|---:|")
    for name in ("total", "open", "agent", "queue", "compute", "encode"):
        told = sum(row.seconds.get(name, 0.0) for row in rows) / len(rows)
        print(f"| {name} | {1e3 * told:.3f} |")
    rest = [
        row.seconds["total"]
        - sum(row.seconds[n] for n in ("open", "agent", "compute", "encode"))
        for row in rows
    ]
    print(f"| harness (median) | {1e3 * statistics.median(rest):.3f} |", flush=True)


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


def watched(set_path: Path, out: Path, workers: int) -> Watch:
    """Run, each worker with one thread, and see what the workers use."""
    settings = Config(run=RunSettings(workers=workers))
    with Watch() as watch:
        run(set_path, out, agent="rules", config=settings)
    return watch


def speed_up(set_path: Path, folder: Path, rounds: int) -> None:
    os.environ["EEGCORE_THREADS"] = "1"  # one worker is to use one core
    run(set_path, folder / "warm", agent="rules")  # compiles, fills the page cache
    shares(folder / "warm")
    n = len(read_set(set_path))
    print(f"\n## Rule-based agents: one worker against two, {n} episodes\n")
    print(
        "| round | workers | wall, s | workers' processor, s | no core, s | idle, s |"
        " parent's processor, s | RssAnon of all, MB | speed-up | possible | share |\n"
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    )
    found = []
    for number in range(rounds):
        before, taken = ideal(), {}
        for workers in (1, 2):
            watch = watched(set_path, folder / f"{number}-{workers}", workers)
            taken[workers] = watch.wall_sec
            told = f"| {number + 1} | {workers} | {line(watch, workers)} |"
            if workers == 1:
                print(f"{told} | | |", flush=True)
        best = statistics.mean((before, ideal()))
        ratio = taken[1] / taken[2]
        found.append(ratio / best)
        print(f"{told} {ratio:.2f} | {best:.2f} | {ratio / best:.2f} |", flush=True)
    print(
        f"\nOf the possible speed-up: {statistics.median(found):.2f} (median; must be "
        ".9). Possible: two busy loops against one, just before and after."
    )


def line(watch: Watch, workers: int) -> str:
    """Return the cells of a row: all workers together."""
    used = watch.workers(workers)
    sums = [sum(getattr(u, f"{k}_sec") for u in used) for k in ("cpu", "queue", "idle")]
    cells = [watch.wall_sec, *sums, watch.own_cpu_sec]
    return " | ".join(
        [*(f"{x:.2f}" for x in cells), f"{watch.peak_mib * 1.048576:.0f}"]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", type=Path, help="default: the simulated demo set")
    parser.add_argument("--times", type=int, default=6, help="of each instance")
    parser.add_argument("--rounds", type=int, default=3)
    told = parser.parse_args()
    # not at the top: each worker process imports this file, too
    from eegbench.suites.eegagent.demo import build_demo

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        overhead(folder)
        if told.set is None:
            build_demo(folder / "set")
        many = repeated(told.set or folder / "set", folder / "many", told.times)
        speed_up(many, folder, told.rounds)


if __name__ == "__main__":
    main()
