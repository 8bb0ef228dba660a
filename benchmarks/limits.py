"""Peak memory at the limits: each case in a process of its own.

``python benchmarks/limits.py`` prints a table: size of the file, peak of resident
memory above the imports, time, open handles, and what came out. `--small` shrinks
everything for tests. Sparse files: their samples are zeros that take no disk.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import eegcore
from eegcore.errors import EegcoreError

Made = tuple[Path, dict[str, object]]


def fields(values: list[str], width: int) -> str:
    """Fields of a header, each of a width."""
    return "".join(value[:width].ljust(width) for value in values)


def write_sparse(
    path: Path, n_channels: int, rate_hz: int, n_records: int, *, width: int = 2
) -> Path:
    """A file of which only the header is on the disk."""
    n = n_channels
    most = 2 ** (8 * width - 1)
    count = str(n) if n < 10_000 else "-1"
    fixed = ["0" if width == 2 else "\xffBIOSEMI"]
    text = fields(fixed, 8) + fields(["", ""], 80) + fields(["01.01.20", "00.00.00"], 8)
    text += fields([str(256 * (n + 1))], 8) + fields([""], 44)
    text += fields([str(n_records), "1"], 8) + fields([count], 4)
    text += fields([f"E{i}" for i in range(n)], 16) + fields([""] * n, 80)
    text += fields(["uV"] * n, 8) + fields(["-3276.8"] * n, 8)
    text += fields(["3276.7"] * n, 8) + fields([str(-most)] * n, 8)
    text += fields([str(most - 1)] * n, 8) + fields([""] * n, 80)
    text += fields([str(rate_hz)] * n, 8) + fields([""] * n, 32)
    path.write_bytes(text.encode("latin-1"))
    os.truncate(path, len(text) + n_records * n * rate_hz * width)
    return path


def use(path: Path, stop_sec: float | None, channels: list[str] | None) -> str:
    """Open a file and ask all tools."""
    box = eegcore.Toolbox({"r": path}, budget_tokens=None)
    codes = []
    for name in box.names:
        given: dict[str, object] = {"record_id": "r"}
        if not name.startswith("get_"):
            given |= {"channels": channels, "tmin": 0, "tmax": stop_sec}
        if name == "compute_windowed_features":
            given["window_sec"] = 30
        codes.append(str(box.call(name, given).get("code", "answer")))
    return ", ".join(f"{codes.count(code)} x {code}" for code in sorted(set(codes)))


def many_recordings(folder: Path, small: int) -> Made:
    """1,000 recordings in turn, in one toolbox."""
    count = 60 if small else 1000
    path = write_sparse(folder / "0.edf", 23, 256, 60)
    for number in range(1, count):
        path.with_name(f"{number}.edf").write_bytes(b"")
        write_sparse(folder / f"{number}.edf", 23, 256, 60)
    box = eegcore.Toolbox({str(n): folder / f"{n}.edf" for n in range(count)})
    grown = []
    for number in range(count):
        given = {"record_id": str(number), "tmin": 0, "tmax": 20}
        assert "code" not in box.call("compute_band_power", given)
        if number in (count // 2, count - 1):
            grown.append(own_mb())
    return path, {"answers": f"{count} x answer, +{grown[1] - grown[0]:.0f} MB in the "
                  "second half"}  # fmt: skip


def wide_header(folder: Path, small: int) -> Made:
    """10,000 channels in the header."""
    n = 1000 if small else 10_000
    path = write_sparse(folder / "x.edf", n, 100, 4)
    return path, {"answers": use(path, 4, ["E0", f"E{n - 1}"])}


def large_file(folder: Path, small: int) -> Made:
    """4.5 GB, above 32 bits."""
    path = write_sparse(folder / "x.edf", 64, 512, 600 if small else 68_700)
    rec = eegcore.open(path)
    last = rec.read(["E63"], rec.duration_sec - 1)
    assert last.shape == (1, 512)
    return path, {"answers": use(path, None, ["E0", "E63"])}


def two_days(folder: Path, small: int) -> Made:
    """48 hours of 8 channels at 256 Hz."""
    path = write_sparse(folder / "x.edf", 8, 256, 1200 if small else 172_800)
    return path, {"answers": use(path, None, None)}


def wide_bdf(folder: Path, small: int) -> Made:
    """BDF of 256 channels at 2,048 Hz, ten minutes."""
    path = write_sparse(folder / "x.bdf", 256, 2048, 10 if small else 600, width=3)
    return path, {"answers": use(path, None, None)}


def hostile_annotations(folder: Path, small: int) -> Made:
    """Annotation lists of two bytes an event: as many events as fit."""
    n = 100_000 if small else 8_000_000
    text = fields(["0"], 8) + fields(["", ""], 80) + fields(["01.01.20"] * 2, 8)
    text += fields(["512"], 8) + fields(["EDF+C"], 44) + fields(["1", "0"], 8)
    text += fields(["1"], 4) + fields(["EDF Annotations"], 16) + fields([""], 80)
    text += fields(["", "-1", "1", "-32768", "32767"], 8) + fields([""], 80)
    text += fields([str(n)], 8) + fields([""], 32)
    path = folder / "x.edf"
    path.write_bytes(text.encode() + b"+0\x14\x14\0+0\x14" + b"a\x14" * (n - 4) + b"\0")
    rec = eegcore.open(path)
    return path, {"answers": f"{len(rec.annotations)} events, {rec.warnings}"}


CASES: dict[str, Callable[[Path, int], Made]] = {
    "many_recordings": many_recordings,
    "wide_header": wide_header,
    "large_file": large_file,
    "two_days": two_days,
    "wide_bdf": wide_bdf,
    "hostile_annotations": hostile_annotations,
}


def peak_mb() -> float:
    """Highest resident memory so far; pages of a mapped file count."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def own_mb() -> float:
    """Resident memory now, pages of mapped files left out."""
    text = Path("/proc/self/status").read_text()
    return int(text.split("RssAnon:")[1].split()[0]) / 1024


def measure(name: str, *, small: bool) -> dict[str, object]:
    """Run one case in this process."""
    import threading

    with tempfile.TemporaryDirectory() as folder:
        warm = write_sparse(Path(folder) / "warm.edf", 2, 256, 60)
        use(warm, None, None)
        before, highest, going = own_mb(), [0.0], True

        def watch() -> None:
            while going:
                highest[0] = max(highest[0], own_mb())
                time.sleep(0.002)

        thread = threading.Thread(target=watch)
        thread.start()
        began = time.perf_counter()
        try:
            path, told = CASES[name](Path(folder), small)
            size_mb = path.stat().st_size / 1e6
        except EegcoreError as error:
            told, size_mb = {"answers": f"refused: {error}"}, 0.0
        taken = time.perf_counter() - began
        going = False
        thread.join()
        handles = len(list(Path("/proc/self/fd").iterdir()))
    return {
        "case": name,
        "file_mb": round(size_mb, 1),
        "own_peak_mb": round(highest[0] - before, 1),
        "with_mapped_peak_mb": round(peak_mb()),
        "seconds": round(taken, 1),
        "handles": handles,
        **told,
    }


def main() -> None:
    """Run all cases, or the one that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", choices=CASES)
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    if options.case:
        print(json.dumps(measure(options.case, small=options.small)))
        return
    for number, name in enumerate(CASES):
        words = [sys.executable, __file__, "--case", name]
        words += ["--small"] if options.small else []
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            print(name, "failed:", done.stderr[-800:])
            continue
        row = json.loads(done.stdout)
        if number == 0:
            print("| " + " | ".join(row) + " |\n|" + " --- |" * len(row))
        print(
            "| " + " | ".join(str(value) for value in row.values()) + " |", flush=True
        )


if __name__ == "__main__":
    main()
