"""Answers of all tools over a fixed set of recordings, hashed; run as a program.

``python tests/answers_program.py FOLDER MODE`` prints {call: hash of its bytes} as
JSON. `test_same_bytes.py` and `benchmarks/stress.py` compare what it prints in one
way of running with what it prints in another.
"""

import hashlib
import json
import multiprocessing
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import eegcore
from edf_writer import Edf, Signal, bdf

RATES = {"a256": (256, 1.0, 90), "b250": (250, 0.5, 120), "c512": (512, 1.0, 40)}
NAMES = ("EEG C3", "EEG C4", "EEG F3", "EEG F4", "EOG left")
Answers = dict[str, str]


def noise(rate_hz: int, duration_sec: float) -> np.ndarray:
    """Stored integers with rhythm, drift, spikes and a flat stretch."""
    rng = np.random.default_rng(rate_hz)
    n = round(rate_hz * duration_sec)
    data = rng.standard_normal((len(NAMES), n)) * 150
    data += 400 * np.sin(2 * np.pi * 10 * np.arange(n) / rate_hz)
    data += np.cumsum(rng.standard_normal((len(NAMES), n)), axis=1)
    data[:, rng.integers(0, n, 25)] += 2500
    data[1, n // 3 : n // 3 + 3 * rate_hz] = 7
    return np.clip(np.round(data), -32768, 32767).astype(int)


def write_files(folder: Path) -> None:
    """Three rates as EDF, one of them as BDF too."""
    for name, (rate_hz, record_sec, n_records) in RATES.items():
        data = noise(rate_hz, record_sec * n_records)
        per_record = round(rate_hz * record_sec)
        signals = [
            Signal(label, row.tolist(), per_record)
            for label, row in zip(NAMES, data, strict=True)
        ]
        file = Edf(signals, duration=f"{record_sec:g}")
        (folder / f"{name}.edf").write_bytes(file.to_bytes())
        if name == "b250":
            (folder / f"{name}.bdf").write_bytes(bdf(file).to_bytes())


def calls(stop_sec: float) -> Iterator[tuple[str, dict[str, object]]]:
    """Whole range, aligned and odd ranges of every tool."""
    for name in ("get_recording_info", "get_channel_list"):
        yield name, {}
    ranges = ({}, {"tmin": 3, "tmax": 27}, {"tmin": 1.37, "tmax": stop_sec - 2.21})
    for between in ranges:
        for name in (
            "compute_noise_metrics",
            "compute_psd",
            "compute_band_power",
            "detect_transients",
            "compute_temporal_features",
            "compute_asymmetry",
            "compute_channel_correlation",
        ):
            yield name, dict(between)
        for window_sec, step_sec in ((5, 5), (4, 1.5)):
            windows = {"window_sec": window_sec, "step_sec": step_sec}
            yield "compute_windowed_features", {**between, **windows}


def answers(folder: Path) -> Answers:
    """Hash of each answer, of recordings opened anew."""
    paths = sorted(folder.glob("*.[eb]df"))
    found = {}
    box = eegcore.Toolbox({p.name: p for p in paths}, budget_tokens=None)
    for path in paths:
        duration_sec = box.call("get_recording_info", {"record_id": path.name})[
            "duration_sec"
        ]
        for name, arguments in calls(duration_sec):
            body = box.call_json(name, {"record_id": path.name, **arguments})
            key = f"{path.name} {name} {json.dumps(arguments)}"
            found[key] = hashlib.sha256(body).hexdigest()[:16]
            assert b'"code"' not in body, body
    return found


def by_threads(folder: Path, n: int) -> list[Answers]:
    """Let threads ask at once."""
    found: list[Answers] = []
    threads = [
        threading.Thread(target=lambda: found.append(answers(folder))) for _ in range(n)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == n
    return found


def by_processes(folder: Path, method: str, n: int) -> list[Answers]:
    """Let new processes ask at once."""
    with multiprocessing.get_context(method).Pool(n) as pool:
        return pool.map(answers, [folder] * n)


def fork_while_busy(folder: Path) -> list[Answers]:
    """Fork while threads of the parent are in the middle of their calls."""
    busy = threading.Thread(target=by_threads, args=(folder, 3))
    busy.start()
    time.sleep(0.02)
    found = by_processes(folder, "fork", 2)
    busy.join()
    return found


MODES: dict[str, Callable[[Path], list[Answers]]] = {
    "once": lambda folder: [answers(folder)],
    "again": lambda folder: [answers(folder), answers(folder)],
    "threads": lambda folder: [answers(folder), *by_threads(folder, 8)],
    "fork": lambda folder: [answers(folder), *by_processes(folder, "fork", 3)],
    "fork_while_busy": lambda folder: [answers(folder), *fork_while_busy(folder)],
    "spawn": lambda folder: [answers(folder), *by_processes(folder, "spawn", 2)],
}


if __name__ == "__main__":
    rounds = MODES[sys.argv[2]](Path(sys.argv[1]))
    assert all(row == rounds[0] for row in rounds), "answers differ within the program"
    sys.stdout.write(json.dumps(rounds[0]) + "\n")
