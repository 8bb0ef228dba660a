"""The same call gives the same bytes: threads, processes, caches, instruction sets.

Each way of running is a fresh interpreter of `answers_program`, which prints a hash
for each of its calls; all must be those of a plain run. Cut files are compared in
this process.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import answers_program
import eegcore
from edf_writer import Edf, Signal
from eegcore.crop import crop

PROGRAM = Path(answers_program.__file__)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recordings")
    answers_program.write_files(path)
    return path


def hashes(folder: Path, mode: str, **variables: str) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(PROGRAM), str(folder), mode],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def plain(folder: Path) -> dict[str, str]:
    found = hashes(folder, "once", EEGCORE_THREADS="1")
    assert len(found) > 100
    return found


@pytest.mark.parametrize(
    ("mode", "threads"),
    [
        ("again", "1"),
        ("again", "5"),
        ("threads", "3"),
        ("fork", "2"),
        ("fork_while_busy", "2"),
        ("spawn", "2"),
    ],
)
def test_same_bytes_however_it_runs(
    folder: Path, plain: dict[str, str], mode: str, threads: str
) -> None:
    assert hashes(folder, mode, EEGCORE_THREADS=threads) == plain


def test_same_bytes_with_a_cold_cache_and_without_wide_vectors(
    folder: Path, plain: dict[str, str], tmp_path: Path
) -> None:
    cold = {"EEGCORE_CACHE_DIR": str(tmp_path), "NUMBA_CPU_NAME": "generic"}
    assert hashes(folder, "once", **cold) == plain


TIMES = ("t_start", "t_end", "time_sec", "t_sec", "onset_sec", "start_sec", "stop_sec")


def shifted(value: Any, by_sec: float, key: str = "") -> Any:
    """An answer with its times moved; sizes, which follow from digits, left out."""
    if isinstance(value, dict):
        return {k: shifted(v, by_sec, k) for k, v in value.items() if k != "_meta"}
    if isinstance(value, list):
        if key in ("time_window", "time_range"):
            return [round(v + by_sec, 3) for v in value]
        return [shifted(v, by_sec) for v in value]
    if key in TIMES and value is not None:
        return round(value + by_sec, 3)
    return value


def assert_close(found: Any, wanted: Any, where: str) -> None:
    """Equal but for one unit in the sixth significant digit."""
    if isinstance(wanted, dict):
        assert list(found) == list(wanted), where
        for key in wanted:
            assert_close(found[key], wanted[key], f"{where}.{key}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), where
        for one, other in zip(found, wanted, strict=True):
            assert_close(one, other, where)
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1.01e-5, abs=1e-12), where
    else:
        assert found == wanted, where


@pytest.mark.parametrize("record_sec", [1.0, 0.75])
def test_a_cut_file_gives_the_answers_of_the_whole_file(
    tmp_path: Path, record_sec: float
) -> None:
    rate_hz, n_records = 256, 96
    data = answers_program.noise(rate_hz, record_sec * n_records)
    per_record = round(rate_hz * record_sec)
    signals = [
        Signal(label, row.tolist(), per_record)
        for label, row in zip(answers_program.NAMES, data, strict=True)
    ]
    whole, part = tmp_path / "whole.edf", tmp_path / "part.edf"
    whole.write_bytes(Edf(signals, duration=f"{record_sec:g}").to_bytes())
    shift_sec = 21 * record_sec
    cut = crop(whole, part, tmin=shift_sec, tmax=shift_sec + 60 * record_sec)
    assert cut.start_sec == shift_sec
    box = eegcore.Toolbox({"whole": whole, "part": part}, budget_tokens=None)
    stop_sec = 60 * record_sec
    for name, arguments in answers_program.calls(stop_sec):
        if name.startswith("get_"):
            continue
        begin = float(arguments.pop("tmin", 0.0))  # type: ignore[arg-type]
        end = float(arguments.pop("tmax", stop_sec))  # type: ignore[arg-type]
        found = box.call(
            name, {"record_id": "part", "tmin": begin, "tmax": end, **arguments}
        )
        begin, end = begin + shift_sec, end + shift_sec
        wanted = box.call(
            name, {"record_id": "whole", "tmin": begin, "tmax": end, **arguments}
        )
        assert "code" not in wanted, wanted
        found, wanted = shifted(found, shift_sec), shifted(wanted, 0.0)
        found["record_id"] = "whole"
        if record_sec == 1.0:
            assert json.dumps(found) == json.dumps(wanted), (name, begin, end)
        else:  # cut between two blocks: the stated margin, a unit of the sixth digit
            assert_close(found, wanted, name)
