"""Cost against size: time and memory, each with the exponent of its growth.

    python benchmarks/bench_scaling.py

Recording length (1 min to 48 h), channels (1 to 256), instances (10 to 30,000),
workers (1, 2). Time is processor time of a fresh process after the kernels are loaded,
memory its peak of anonymous pages above what it held before (mapped files can be
dropped and do not count). The exponent is the slope of the logarithms over the upper
half of the sizes, where what a program costs anyway no longer hides it; 1 is linear,
0 flat.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from process_watch import Watch, anonymous_mib

LENGTHS_SEC = (60, 600, 3600, 6 * 3600, 24 * 3600, 48 * 3600)
CHANNELS = (1, 4, 16, 64, 256)
INSTANCES = (10, 100, 1000, 3000, 10_000, 30_000)
RATE_HZ = 128
REPEATS = 3
MEMORY_DISK = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Where runs are written: a disk's own work counts as the writer's processor time."""


def write_edf(path: Path, n_channels: int, n_sec: int) -> None:
    """Write noise; one minute of it, again and again."""
    from edf_writer import Edf, Signal

    rng = np.random.default_rng(1)
    some = min(n_sec, 60)
    signals = [
        Signal(f"EEG {k}", rng.integers(-900, 900, RATE_HZ * some), per_record=RATE_HZ)
        for k in range(n_channels)
    ]
    data = Edf(signals).to_bytes()
    edge = 256 * (1 + n_channels)
    head = data[:236] + f"{n_sec:<8d}".encode() + data[244:edge]
    with path.open("wb") as stream:
        stream.write(head)
        for _ in range(n_sec // some):
            stream.write(data[edge:])


def measured(work: Callable[[], object]) -> dict[str, float]:
    """Time and peak memory of a piece of work in this process."""
    before = peak = anonymous_mib()
    done = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.005):
            peak = max(peak, anonymous_mib())

    thread = threading.Thread(target=watch)
    thread.start()
    taken = float("inf")
    for _ in range(REPEATS):
        began = time.process_time()
        result = work()
        taken = min(taken, time.process_time() - began)
    peak = max(peak, anonymous_mib())
    done.set()
    thread.join()
    del result
    return {"sec": taken, "mib": peak - before}


def features(path: str) -> dict[str, float]:
    import eegcore
    from eegcore.blocksums import forget
    from eegcore.windowed import FEATURES, windowed_features

    def work() -> object:
        forget()
        with eegcore.open(path) as recording:
            return windowed_features(recording, features=FEATURES, window_sec=30.0)

    work()  # loads the kernels, and what any call leaves behind
    return measured(work)


def spectrum(path: str) -> dict[str, float]:
    """As an agent asks for it: all channels, the whole recording."""
    import eegcore
    from eegcore.blocksums import forget

    def work() -> object:
        forget()
        box = eegcore.Toolbox({"r": path}, budget_tokens=None)
        return box.call_json("compute_psd", {"record_id": "r"})

    work()
    return measured(work)


def episodes(path: str) -> dict[str, float]:
    from eegbench.runner import run

    with tempfile.TemporaryDirectory(dir=MEMORY_DISK) as name:
        run(path, Path(name) / "warm", agent="constant", limit=10, in_process=True)
        runs = (Path(name) / str(number) for number in range(REPEATS))
        return measured(
            lambda: run(path, next(runs), agent="constant", in_process=True)
        )


def exponent(sizes: tuple[int, ...], values: list[float]) -> float:
    half = len(sizes) // 2
    x, y = np.log(sizes[half:]), np.log(np.maximum(values[half:], 1e-6))
    return float(np.polyfit(x, y, 1)[0])


def table(
    title: str,
    kinds: dict[str, str],
    sizes: tuple[int, ...],
    make: Callable[[Path, int], None],
) -> None:
    """Print a table: kinds of work by name of the function and as shown."""
    rows: list[list[float]] = []
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            path = Path(folder) / str(size)
            make(path, size)
            rows.append([])
            for kind in kinds:
                words = [sys.executable, __file__, kind, str(path)]
                done = subprocess.run(words, capture_output=True, text=True, check=True)
                told = json.loads(done.stdout.splitlines()[-1])
                rows[-1] += [told["sec"], told["mib"]]
            if path.is_file():
                path.unlink()
    head = [f"{shown}, s | memory, MiB" for shown in kinds.values()]
    print(f"\n| {title} | {' | '.join(head)} |\n|---:|{'---:|---:|' * len(kinds)}")
    for size, row in zip(sizes, rows, strict=True):
        cells = [f"{x:.1f}" if k % 2 else f"{x:.4f}" for k, x in enumerate(row)]
        print(f"| {size:,} | {' | '.join(cells)} |")
    told = [f"{exponent(sizes, list(x)):.2f}" for x in zip(*rows, strict=True)]
    print(f"| exponent | {' | '.join(told)} |", flush=True)


def make_instances(path: Path, size: int) -> None:
    from bench.sets import instance, make_set

    make_set(path, [instance(k) for k in range(size)])


def with_workers(path: str, count: int) -> dict[str, float]:
    """Rule-based episodes by so many workers, each with one thread."""
    from eegbench.config import Config, RunSettings
    from eegbench.runner import run

    os.environ["EEGCORE_THREADS"] = "1"
    settings = Config(run=RunSettings(workers=count))
    with tempfile.TemporaryDirectory() as name:
        # the processes are started and the kernels loaded beforehand
        run(path, Path(name) / "warm", agent="rules", limit=4, config=settings)
        with Watch() as watch:
            run(path, Path(name) / "run", agent="rules", config=settings)
    used = watch.workers(count)
    return {
        "wall": watch.wall_sec,
        "cpu": sum(one.cpu_sec for one in used),
        "queue": sum(one.queue_sec for one in used),
        "each": max(one.peak_mib for one in used),
        "all": watch.peak_mib,
    }


def worker_table() -> None:
    """Print what two workers take against one; -1 would be half, 0 the same."""
    from bench_runner import repeated
    from eegbench.suites.eegagent.demo import build_demo

    rows = []
    with tempfile.TemporaryDirectory() as name:
        build_demo(Path(name) / "set")
        many = repeated(Path(name) / "set", Path(name) / "many", 6)
        for count in (1, 2):
            words = [sys.executable, __file__, "workers", str(many), str(count)]
            done = subprocess.run(words, capture_output=True, text=True, check=True)
            rows.append(json.loads(done.stdout.splitlines()[-1]))
    print(
        "\n| workers (492 episodes of rules) | wall, s | their processor, s | "
        "ready but no core, s | each, MiB | all with parents, MiB |\n"
        "|---:|---:|---:|---:|---:|---:|"
    )
    for count, row in zip((1, 2), rows, strict=True):
        times = " | ".join(f"{row[k]:.2f}" for k in ("wall", "cpu", "queue"))
        print(f"| {count} | {times} | {row['each']:.0f} | {row['all']:.0f} |")
    told = [np.log2(rows[1][k] / rows[0][k]) for k in ("wall", "cpu", "each", "all")]
    wall, cpu, each, every = (f"{x:.2f}" for x in told)
    print(f"| exponent | {wall} | {cpu} | | {each} | {every} |", flush=True)


KINDS = {"features": features, "spectrum": spectrum, "episodes": episodes}
BOTH = {"features": "21 features of 30-s windows", "spectrum": "`compute_psd`"}


def main() -> None:
    if len(sys.argv) == 3:
        print(json.dumps(KINDS[sys.argv[1]](sys.argv[2])))
        return
    if len(sys.argv) == 4:
        print(json.dumps(with_workers(sys.argv[2], int(sys.argv[3]))))
        return
    print("\n## Cost of growth (anonymous memory; exponents over the upper half)")
    table(
        "length, s (4 channels, 128 Hz)",
        BOTH,
        LENGTHS_SEC,
        lambda path, size: write_edf(path, 4, size),
    )
    table(
        "channels (10 min, 128 Hz)",
        BOTH,
        CHANNELS,
        lambda path, size: write_edf(path, size, 600),
    )
    constant = {"episodes": "episodes of a constant agent"}
    table("instances", constant, INSTANCES, make_instances)
    worker_table()


if __name__ == "__main__":
    main()
