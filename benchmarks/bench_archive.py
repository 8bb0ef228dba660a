"""Features of an archive against the kernel alone, and of 200 hours in one sitting.

    python benchmarks/bench_archive.py [--hours 200] [--rounds 3]

First, 100 simulated recordings: `eegcore features`, from the folder to the Parquet
file, against `windowed_features` on recordings that are open, with all threads and
nothing written; in turn, at least .7 of it. Then the archive: one simulated hour of 23
channels at 256 Hz under 200 names, by the command as a user types it. Needs 0.5 GB of
disk for temporary files, which are removed.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import eegcore
from bench_scaling import write_edf
from eegcore.archive import Wanted, extract
from eegcore.blocksums import forget
from eegcore.windowed import FEATURES, windowed_features

N_RECORDINGS = 100
WINDOW_SEC = 30.0


def hundred(folder: Path) -> Path:
    """Make 100 recordings of 20 min, 23 channels, 256 Hz: one file under 100 names."""
    (folder / "hundred").mkdir()
    for k in range(N_RECORDINGS):
        path = folder / "hundred" / f"{k:03d}.edf"
        if k < 1:
            write_23(path, 1200)
        else:
            path.symlink_to(folder / "hundred" / "000.edf")
    return folder / "hundred"


def write_23(path: Path, n_sec: int) -> None:
    import bench_scaling

    bench_scaling.RATE_HZ = 256
    write_edf(path, 23, n_sec)


def kernel_alone(files: list[Path]) -> float:
    recordings = [eegcore.open(file) for file in files]
    began = time.perf_counter()
    for recording in recordings:
        windowed_features(recording, features=FEATURES, window_sec=WINDOW_SEC)
        forget(recording)
    taken = time.perf_counter() - began
    for recording in recordings:
        recording.close()
    return taken


def against_the_kernel(folder: Path, rounds: int) -> None:
    files = sorted(hundred(folder).glob("*.edf"))
    wanted = Wanted(FEATURES, WINDOW_SEC, WINDOW_SEC, None, {})
    kernel_alone(files[:2])
    found = []
    print(
        f"\n## Features of an archive: {N_RECORDINGS} recordings of 20 min x 23 ch x "
        f"256 Hz, {len(FEATURES)} features of 30-s windows\n\n"
        "| round | kernel alone, s | `eegcore features`, to Parquet, s | share |\n"
        "|---:|---:|---:|---:|"
    )
    for number in range(rounds):
        alone = kernel_alone(files)
        began = time.perf_counter()
        extract([folder / "hundred"], folder / f"{number}.parquet", wanted)
        whole = time.perf_counter() - began
        found.append(alone / whole)
        share = f"{alone / whole:.2f}"
        print(f"| {number + 1} | {alone:.2f} | {whole:.2f} | {share} |", flush=True)
    print(f"\nMedian: {statistics.median(found):.2f} (must be .7).")


def one_sitting(folder: Path, hours: int) -> None:
    (folder / "archive").mkdir()
    write_23(folder / "archive" / "0000.edf", 3600)
    for k in range(1, hours):
        (folder / "archive" / f"{k:04d}.edf").symlink_to(folder / "archive/0000.edf")
    words = [Path(sys.executable).with_name("eegcore"), "features", folder / "archive"]
    done = subprocess.run(
        [*words, "-o", folder / "archive.parquet"],
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(done.stdout)
    size = (folder / "archive.parquet").stat().st_size / 1e6
    print(
        "\n| archive in one sitting | s | h of EEG a second | rows | Parquet, MB |\n"
        "|---|---:|---:|---:|---:|\n"
        f"| {told['n_recordings']} files, {told['eeg_hours']:.0f} h x 23 ch x 256 Hz "
        f"| {told['elapsed_sec']:.1f} | {told['eeg_hours_per_sec']:.2f} | "
        f"{told['n_rows']:,} | {size:.0f} |\n\n"
        "The files are one under many names: the table compresses more than a real one."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        against_the_kernel(Path(name), told.rounds)
        one_sitting(Path(name), told.hours)


if __name__ == "__main__":
    main()
