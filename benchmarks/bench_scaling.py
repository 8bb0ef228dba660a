"""Cost against size: time and memory, each with the exponent of its growth.

    python benchmarks/bench_scaling.py

Recording length (1 min to 48 h), channels (1 to 256), instances (10 to 10,000). Time is
processor time of a fresh process after the kernels are loaded, memory its peak of
anonymous pages above what it held before (mapped files can be dropped and do not
count). The exponent is the slope of the logarithms over the upper half of the sizes,
where what a program costs anyway no longer hides it; 1 is linear, 0 flat. For workers
see bench_runner.py.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

LENGTHS_SEC = (60, 600, 3600, 6 * 3600, 24 * 3600, 48 * 3600)
CHANNELS = (1, 4, 16, 64, 256)
INSTANCES = (10, 100, 1000, 10_000)
RATE_HZ = 128
REPEATS = 3


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


def anonymous_kib() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1])
    return 0


def measured(work: Callable[[], object]) -> dict[str, float]:
    """Time and peak memory of a piece of work in this process."""
    before = peak = anonymous_kib()
    done = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.005):
            peak = max(peak, anonymous_kib())

    thread = threading.Thread(target=watch)
    thread.start()
    taken = float("inf")
    for _ in range(REPEATS):
        began = time.process_time()
        result = work()
        taken = min(taken, time.process_time() - began)
    peak = max(peak, anonymous_kib())
    done.set()
    thread.join()
    del result
    return {"sec": taken, "mib": (peak - before) / 1024}


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


def episodes(path: str) -> dict[str, float]:
    from eegbench.runner import run

    with tempfile.TemporaryDirectory() as name:
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
    title: str, kind: str, sizes: tuple[int, ...], make: Callable[[Path, int], None]
) -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            path = Path(folder) / str(size)
            make(path, size)
            words = [sys.executable, __file__, kind, str(path)]
            done = subprocess.run(words, capture_output=True, text=True, check=True)
            rows.append(json.loads(done.stdout.splitlines()[-1]))
            if path.is_file():
                path.unlink()
    print(f"\n| {title} | time, s | anonymous memory, MiB |\n|---:|---:|---:|")
    for size, row in zip(sizes, rows, strict=True):
        print(f"| {size} | {row['sec']:.4f} | {row['mib']:.1f} |")
    told = [exponent(sizes, [row[key] for row in rows]) for key in ("sec", "mib")]
    print(f"| exponent | {told[0]:.2f} | {told[1]:.2f} |", flush=True)


def make_instances(path: Path, size: int) -> None:
    from bench.sets import instance, make_set

    make_set(path, [instance(k) for k in range(size)])


def main() -> None:
    if len(sys.argv) == 3:
        work = {"features": features, "episodes": episodes}[sys.argv[1]]
        print(json.dumps(work(sys.argv[2])))
        return
    table(
        "length, s (4 channels, 128 Hz)",
        "features",
        LENGTHS_SEC,
        lambda path, size: write_edf(path, 4, size),
    )
    table(
        "channels (10 min, 128 Hz)",
        "features",
        CHANNELS,
        lambda path, size: write_edf(path, size, 600),
    )
    table("instances (a constant agent)", "episodes", INSTANCES, make_instances)


if __name__ == "__main__":
    main()
