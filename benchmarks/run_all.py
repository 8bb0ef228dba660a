"""Run every table and write benchmarks/RESULTS.md.

    python benchmarks/run_all.py

Both sides of a comparison run in turn in one process, so that a busy machine slows both.
"""

import importlib.metadata
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPTS = ("bench_spectrum", "bench_windowed", "bench_tools", "bench_startup")
PACKAGES = (
    *("numpy", "scipy", "numba", "llvmlite", "mne", "pyedflib", "edfio"),
    *("rocket-fft", "yasa"),
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


def main() -> None:
    """Write the report."""
    begin = time.perf_counter()
    parts = ["# Benchmarks", "", *machine()]
    environment = dict(os.environ)
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        environment.pop(name, None)
    warm = "from eegcore.warmup import compile_all; compile_all()"
    subprocess.run([sys.executable, "-c", warm], check=True, env=environment)
    for script in SCRIPTS:
        print(f"{script} ...", file=sys.stderr, flush=True)
        done = subprocess.run(
            [sys.executable, str(HERE / f"{script}.py")],
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )
        parts.append(done.stdout.rstrip())
        if done.returncode:
            parts.append(f"\n{script} failed: {done.stderr.strip().splitlines()[-1]}")
    minutes = (time.perf_counter() - begin) / 60
    parts.append(f"\nAll tables took {minutes:.1f} minutes.")
    (HERE / "RESULTS.md").write_text("\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
