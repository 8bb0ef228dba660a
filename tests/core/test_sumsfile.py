"""Block sums in files: the same bytes as without, and only those of the recording."""

import json
import logging
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import eegcore
from edf_writer import Edf, Signal, bdf
from eegcore import blocksums, recording
from eegcore.cli import main
from eegcore.errors import ArgumentError
from eegcore.keeping import keep_sums, kept_file
from eegcore.tools import TOOLS

SECONDS = 1300  # two chunks


@pytest.fixture
def edf_path(tmp_path: Path, rng: np.random.Generator) -> Path:
    """Two rates, the second without EEG, and one second that is flat."""
    signals = []
    for label, rate in (("C3", 64), ("C4", 64), ("EMG chin", 32)):
        x = np.cumsum(rng.integers(-40, 41, SECONDS * rate)) % 8000 - 4000
        x[rate : 2 * rate] = 7
        signals.append(Signal(label, x.tolist(), rate))
    path = tmp_path / "one.edf"
    path.write_bytes(Edf(signals).to_bytes())
    return path


@pytest.fixture
def folder(tmp_path: Path, edf_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sums of the recording, which tools find from here on."""
    target = tmp_path / "sums"
    keep_sums(eegcore.open(edf_path), target)
    monkeypatch.setenv("EEGCORE_SUMS_DIR", str(target))
    return target


def answers(path: Path) -> dict[str, bytes]:
    blocksums.forget()
    box = eegcore.Toolbox({"r": eegcore.open(path)}, budget_tokens=None)
    every = {
        "r": {"record_id": "r"},
        "p": {"record_id": "r", "tmin": 100, "tmax": 1200},
    }
    return {
        f"{name} {key}": box.call_json(name, arguments)
        for key, arguments in every.items()
        for name in TOOLS
        if key == "r" or TOOLS[name].size is not None
    }


def direct(path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    with monkeypatch.context() as now:
        now.delenv("EEGCORE_SUMS_DIR", raising=False)
        return answers(path)


def no_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("samples were read for sums that are in a file")

    monkeypatch.setattr(blocksums, "scan_blocks", fail)


@pytest.mark.parametrize("kind", ["edf", "bdf"])
def test_answers_from_a_file_are_the_same_bytes(
    edf_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    if kind == "bdf":
        signals = [Signal("C3", list(range(-900, 900)) * 64, 64)]
        edf_path.write_bytes(bdf(Edf(signals)).to_bytes())
    expected = direct(edf_path, monkeypatch)
    keep_sums(eegcore.open(edf_path), tmp_path / "sums")
    monkeypatch.setenv("EEGCORE_SUMS_DIR", str(tmp_path / "sums"))
    no_scan(monkeypatch)
    assert answers(edf_path) == expected
    assert blocksums.kept_bytes() == 0  # mapped, not copied


def test_a_file_is_the_same_bytes_each_time(
    edf_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EEGCORE_THREADS", "1")
    first = keep_sums(eegcore.open(edf_path), tmp_path / "a").read_bytes()
    monkeypatch.setenv("EEGCORE_THREADS", "3")
    second = keep_sums(eegcore.open(edf_path), tmp_path / "b").read_bytes()
    assert first == second
    assert sorted(p.suffix for p in (tmp_path / "b").iterdir()) == [".sums"]


def test_a_recording_is_known_by_its_content(
    edf_path: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "another name.edf"
    shutil.copyfile(edf_path, copy)
    no_scan(monkeypatch)
    assert answers(copy)["compute_psd r"] == answers(edf_path)["compute_psd r"]
    assert len(list(folder.glob("*.seen"))) == 2
    monkeypatch.setattr(recording, "checksum_of", None)  # it is not read through again
    assert answers(copy)["compute_psd r"] == answers(edf_path)["compute_psd r"]


def test_a_changed_recording_gets_its_own_answers(
    edf_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = answers(edf_path)
    content = bytearray(edf_path.read_bytes())
    content[-3000:-2000] = bytes(1000)
    state = edf_path.stat()
    edf_path.write_bytes(content)
    os.utime(edf_path, ns=(state.st_atime_ns, state.st_mtime_ns + 1))
    after = answers(edf_path)
    assert after != before
    assert after == direct(edf_path, monkeypatch)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-64])


def garbage(path: Path) -> None:
    path.write_bytes(b"x" * path.stat().st_size)


def other_kernels(path: Path) -> None:
    content = path.read_bytes()
    line = content[: content.index(b"\n")]
    told = json.loads(line)
    for group in told["groups"]:
        group["kernels"] = "f" * 20
    new = json.dumps(told, separators=(",", ":")).encode().ljust(len(line))
    assert len(new) == len(line)
    path.write_bytes(new + content[len(line) :])


def of_another(path: Path) -> None:
    content = path.read_bytes()
    at = content.index(b'"recording":"') + 13
    path.write_bytes(content[:at] + b"0" * 64 + content[at + 64 :])


@pytest.mark.parametrize("fault", [cut, garbage, other_kernels, of_another])
def test_a_file_that_is_not_as_expected_is_not_used(
    edf_path: Path,
    folder: Path,
    fault: object,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    expected = direct(edf_path, monkeypatch)
    (path,) = folder.glob("*.sums")
    fault(path)  # type: ignore[operator] # a function of the list above
    with caplog.at_level(logging.INFO, "eegcore"):
        assert answers(edf_path) == expected
    assert "not used" in caplog.text
    assert kept_file(eegcore.open(edf_path), folder) is None
    keep_sums(eegcore.open(edf_path), folder)
    assert kept_file(eegcore.open(edf_path), folder) == path


def test_a_folder_that_is_not_there_is_no_fault(
    edf_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = direct(edf_path, monkeypatch)
    monkeypatch.setenv("EEGCORE_SUMS_DIR", str(tmp_path / "nowhere"))
    assert answers(edf_path) == expected


def test_a_recording_without_sums_is_refused(tmp_path: Path) -> None:
    rec = eegcore.from_array(np.zeros((1, 1000)), 100.0)
    with pytest.raises(ArgumentError, match="no block sums"):
        keep_sums(rec, tmp_path)


def test_a_stopped_writing_leaves_nothing(edf_path: Path, tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        keep_sums(eegcore.open(edf_path), tmp_path / "sums", progress=stop)
    assert list((tmp_path / "sums").iterdir()) == []


def test_the_command_goes_on_after_a_bad_file_and_does_nothing_twice(
    edf_path: Path, tmp_path: Path
) -> None:
    (tmp_path / "bad.edf").write_bytes(b"0" + b" " * 300)
    told = ["sums", str(tmp_path), "-o", str(tmp_path / "sums")]
    first = CliRunner().invoke(main, told)
    assert first.exit_code == 1
    assert "bad.edf: " in first.stderr
    row = json.loads(first.stdout)
    path = Path(row["sums"])
    assert row["recording"] == str(edf_path)
    assert path.stat().st_size == row["n_bytes"]
    written = path.stat().st_mtime_ns
    second = CliRunner().invoke(main, told)
    assert json.loads(second.stdout) == row
    assert path.stat().st_mtime_ns == written


def test_recordings_without_sums_are_passed_over(
    edf_path: Path, tmp_path: Path
) -> None:
    odd = tmp_path / "odd.edf"
    odd.write_bytes(Edf([Signal("C3", list(range(30)), 30)], duration="7").to_bytes())
    done = CliRunner().invoke(main, ["sums", str(tmp_path), "-o", str(tmp_path / "s")])
    assert done.exit_code == 0
    assert "odd.edf: passed over: this EDF recording (4.28571 Hz)" in done.stderr
    assert json.loads(done.stdout)["recording"] == str(edf_path)
    alone = CliRunner().invoke(main, ["sums", str(odd), "-o", str(tmp_path / "s")])
    assert alone.exit_code == 1
