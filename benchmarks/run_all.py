"""Run every table and write benchmarks/RESULTS.md.

    python benchmarks/run_all.py

Both sides of a comparison run in turn in one process, so that a busy machine slows
both. A script that fails or takes too long is listed; the others run all the same.
"""

import importlib.metadata
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gen_data import SHAPES, make

HERE = Path(__file__).resolve().parent
SCRIPTS = (
    *("bench_accuracy", "bench_spectrum", "bench_windowed", "bench_tools"),
    "bench_startup",
    *("bench_runner", "bench_scaling", "bench_archive", "bench_identity"),
    "bench_estimate",
)
LIMIT_SEC = 210.0  # each, so that all end within a quarter of an hour
PACKAGES = (
    *("numpy", "scipy", "numba", "llvmlite", "mne", "pyedflib", "edfio"),
    *("rocket-fft", "yasa", "mne-features"),
)


def machine() -> list[str]:
    """Return what the numbers were measured on."""
    model = "unknown processor"
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [x for x in info.read_text().splitlines() if x.startswith("model name")]
        model = f"{len(names)} x {names[0].split(':')[1].strip()}"
    versions = []
    for package in PACKAGES:
        try:
            versions.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"{package} not installed")
    load = " ".join(f"{x:.1f}" for x in os.getloadavg())
    return [
        f"Machine: {model}; Python {platform.python_version()}; load average {load}.",
        f"Versions: {', '.join(versions)}.",
        "Page cache warm. Ratios are of interleaved rounds.",
    ]


def run_script(script: str, environment: dict[str, str]) -> tuple[str, str]:
    """Return what a script printed and, if it did not end well, why."""
    begin = time.perf_counter()
    # what a script leaves in it, also one that was stopped, is removed
    with tempfile.TemporaryDirectory() as folder:
        printed, problem = ended_in_time(script, environment | {"TMPDIR": folder})
    print(f"  {time.perf_counter() - begin:.0f} s {problem}", file=sys.stderr)
    return printed.rstrip(), problem


def ended_in_time(script: str, environment: dict[str, str]) -> tuple[str, str]:
    """Return what a script printed and, if it did not end well, why."""
    process = subprocess.Popen(
        [sys.executable, str(HERE / f"{script}.py")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        printed, told = process.communicate(timeout=LIMIT_SEC)
        problem = ""
        if process.returncode:
            last = (told.strip().splitlines() or ["no message"])[-1]
            problem = f"{script} failed: {last}"
    except subprocess.TimeoutExpired:
        process.kill()
        printed, _ = process.communicate()
        problem = f"{script} was stopped after {LIMIT_SEC:.0f} s"
    return printed, problem


def main() -> None:
    """Write the report; what failed or took too long is listed in it."""
    begin = time.perf_counter()
    parts = ["# Benchmarks", "", *machine()]
    environment = dict(os.environ)
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        environment.pop(name, None)
    for name in SHAPES:
        make(name)
    warm = "from eegcore.warmup import compile_all; compile_all()"
    subprocess.run([sys.executable, "-c", warm], check=True, env=environment)
    problems = []
    for script in SCRIPTS:
        print(f"{script} ...", file=sys.stderr, flush=True)
        printed, problem = run_script(script, environment)
        parts.append(printed)
        if problem:
            problems.append(problem)
    if problems:
        parts += ["", "## What failed", "", *(f"- {p}" for p in problems)]
    minutes = (time.perf_counter() - begin) / 60
    load = " ".join(f"{x:.1f}" for x in os.getloadavg())
    parts.append(f"\nAll tables took {minutes:.1f} minutes; load at the end {load}.")
    (HERE / "RESULTS.md").write_text("\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
