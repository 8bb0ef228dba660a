"""An archive into one table: the same bytes however it came about, nothing lost."""

import csv
import errno
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import archive_that_fails
import eegcore
from edf_writer import Edf, Signal
from eegcore import archive, archive_tables
from eegcore.archive import Wanted, extract, find_recordings, parts_path
from eegcore.cli import main
from eegcore.errors import ArgumentError, MissingExtraError, WorkerError
from eegcore.windowed import FEATURES, windowed_features

ALL = Wanted(FEATURES, 2.0, 2.0, None, {})


def edf(path: Path, rng: np.random.Generator, *, n_sec: int = 9, n: int = 3) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    signals = [
        Signal(f"EEG C{k}", rng.integers(-900, 900, 128 * n_sec), per_record=128)
        for k in range(n)
    ]
    path.write_bytes(Edf(signals).to_bytes())
    return path


@pytest.fixture
def folder(tmp_path, rng) -> Path:
    for k in range(4):
        edf(tmp_path / "eeg" / f"s{k % 2}" / f"r{k}.edf", rng, n_sec=5 + 3 * k, n=1 + k)
    return tmp_path / "eeg"


def quick(folder: Path, out: Path, **given):
    return extract([folder], out, ALL, workers=2, form=out.suffix[1:], **given)


def test_parquet_holds_what_the_function_returns(folder, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    done = quick(folder, tmp_path / "out.parquet")
    assert done.n_failed == 0
    table = parquet.read_table(tmp_path / "out.parquet").to_pydict()
    assert list(table) == ["file", "channel", "t_start", *FEATURES]
    files = sorted(folder.rglob("*.edf"))
    expected = {name: [] for name in table}
    for file in files:
        got = windowed_features(
            eegcore.open(file), features=FEATURES, window_sec=2.0, step_sec=2.0
        )
        for c, channel in enumerate(got.channels):
            for w, start in enumerate(got.start_sec):
                expected["file"].append(str(file))
                expected["channel"].append(channel)
                expected["t_start"].append(start)
                for f, name in enumerate(FEATURES):
                    value = got.values[c, f, w]
                    expected[name].append(None if np.isnan(value) else value)
    assert table == expected
    assert done.n_rows == len(table["file"])
    failed = parquet.read_table(tmp_path / "out.failures.parquet")
    assert failed.num_rows == 0
    assert not parts_path(tmp_path / "out.parquet").exists()


@pytest.mark.parametrize("form", ["csv", "npz", "parquet"])
def test_same_bytes_whole_or_interrupted_with_one_worker_or_two(
    folder, tmp_path, form, monkeypatch
):
    if form == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    whole, cut = tmp_path / f"a.{form}", tmp_path / f"b.{form}"
    quick(folder, whole)
    kept, calls = archive._keep, []

    def stop_after_two(path: Path, data: bytes) -> None:
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(path)
        kept(path, data)

    monkeypatch.setattr(archive, "_keep", stop_after_two)
    with pytest.raises(KeyboardInterrupt):
        extract([folder], cut, ALL, form=form, workers=1)
    monkeypatch.undo()
    assert not cut.exists()
    done = extract([folder], cut, ALL, form=form, workers=1)
    assert (done.n_kept, done.n_failed) == (2, 0)
    assert cut.read_bytes() == whole.read_bytes()


def test_forms_agree(folder, tmp_path):
    quick(folder, tmp_path / "a.csv")
    quick(folder, tmp_path / "a.npz")
    with (tmp_path / "a.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    table = np.load(tmp_path / "a.npz")
    assert table["files"][table["file"]].tolist() == [row["file"] for row in rows]
    names = table["channels"][table["channel"]].tolist()
    assert names == [row["channel"] for row in rows]
    for name in ("t_start", *FEATURES):
        told = np.array([float(row[name] or "nan") for row in rows])
        np.testing.assert_array_equal(told, table[name])


def test_failures_stand_in_a_second_table_and_cost_nothing_else(folder, tmp_path, rng):
    (folder / "empty.edf").write_bytes(b"")
    (folder / "cut.edf").write_bytes((folder / "s0" / "r0.edf").read_bytes()[:300])
    edf(folder / "short.edf", rng, n_sec=1)
    (folder / "notes.txt").write_text("no recording")
    odd = os.fsdecode(os.fsencode(folder) + b"/caf\xe9.edf")
    shutil.copy(folder / "s0" / "r0.edf", odd)
    done = quick(folder, tmp_path / "out.csv")
    with (tmp_path / "out.failures.csv").open() as stream:
        rows = {Path(row["file"]).name: row for row in csv.DictReader(stream)}
    assert set(rows) == {"empty.edf", "cut.edf", "short.edf"}
    assert rows["empty.edf"]["error"] == "HeaderError"
    assert rows["short.edf"]["message"] == "no whole window of 2 s in 1 s"
    assert (done.n_recordings, done.n_failed) == (8, 3)
    again = tmp_path / "two.csv"
    good = [p for p in find_recordings([folder], with_rate=False) if p.name not in rows]
    extract(good, again, ALL, form="csv", workers=1)
    assert again.read_bytes() == (tmp_path / "out.csv").read_bytes()


def test_changed_file_or_question_is_measured_anew(folder, tmp_path, rng, monkeypatch):
    out = tmp_path / "out.csv"

    def no_space(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(archive, "write_table", no_space)
    with pytest.raises(OSError, match="No space left"):
        quick(folder, out)
    with pytest.raises(OSError, match="No space left"):
        extract([folder], out, Wanted(FEATURES, 1.0, 1.0, None, {}), form="csv")
    monkeypatch.undo()
    edf(folder / "s0" / "r0.edf", rng, n_sec=4)
    assert quick(folder, out).n_kept == 3


@pytest.mark.parametrize("form", ["csv", "npz", "parquet"])
def test_full_disk_leaves_the_parts_and_no_table(folder, tmp_path, form, monkeypatch):
    if form == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    out = tmp_path / f"out.{form}"
    seen = []

    def fills_up(*args: object) -> object:
        seen.append(args)
        raise OSError(errno.ENOSPC, "No space left on device")

    name = {"csv": "_csv_cells", "npz": "_column", "parquet": "_arrow_table"}[form]
    monkeypatch.setattr(archive_tables, name, fills_up)
    words = ["features", str(folder), "--window-sec", "2", "-o", str(out)]
    told = CliRunner().invoke(main, [*words, "--workers", "1"])
    assert told.exit_code == 1
    assert "No space left on device; what was measured is kept in" in told.stderr
    assert "\n" not in told.stderr.strip()
    monkeypatch.undo()
    assert seen
    assert not list(tmp_path.glob("*draft*")) + list(tmp_path.glob(f"out.{form}"))
    told = CliRunner().invoke(main, [*words, "--workers", "1"])
    assert told.exit_code == 0, told.stderr
    assert json.loads(told.stdout)["n_kept"] == 4


def test_cut_part_is_measured_again(folder, tmp_path):
    out = tmp_path / "out.csv"
    archive_folder = parts_path(out)
    archive_folder.mkdir()
    for file in folder.rglob("*.edf"):
        data = archive.measured(str(file), ALL)
        name = archive._part_name(file, ALL)
        (archive_folder / f"{name}.part").write_bytes(data[:-8])
    done = quick(folder, out)
    assert (done.n_kept, done.n_failed) == (0, 0)


def test_stalled_file_and_dead_worker_cost_one_recording_each(
    folder, tmp_path, monkeypatch
):
    monkeypatch.setattr(archive, "set_up", archive_that_fails.set_up)
    for name in ("stalls", "dies"):
        shutil.copy(folder / "s0" / "r0.edf", folder / f"{name}.edf")
    done = quick(folder, tmp_path / "out.csv", limit_sec=20.0)
    assert (done.n_recordings, done.n_failed) == (6, 2)
    with (tmp_path / "out.failures.csv").open() as stream:
        told = [(row["error"], row["message"]) for row in csv.DictReader(stream)]
    assert told == [
        ("crash", "the worker process ended with signal 9"),
        ("timeout", "not ended within the time limit"),
    ]


def test_what_cannot_be_done_is_said_before_anything_is(folder, tmp_path):
    out = tmp_path / "out.csv"
    with pytest.raises(ArgumentError, match="no such file or folder: nowhere"):
        extract(["nowhere"], out, ALL, form="csv")
    (tmp_path / "none").mkdir()
    with pytest.raises(ArgumentError, match="no recording in"):
        extract([tmp_path / "none"], out, ALL, form="csv")
    with pytest.raises(ArgumentError, match="format 'xls'; allowed are parquet"):
        extract([folder], out, ALL, form="xls")
    out.write_text("mine")
    with pytest.raises(ArgumentError, match=r"out\.csv exists; remove it"):
        extract([folder], out, ALL, form="csv")
    assert out.read_text() == "mine"


def test_parquet_without_pyarrow_names_the_extra(folder, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"eegbench\[parquet\]"):
        quick(folder, tmp_path / "out.parquet")


def test_second_process_is_kept_out(folder, tmp_path):
    out = tmp_path / "out.csv"
    with (
        archive._parts_folder(out),
        pytest.raises(WorkerError, match="another process writes"),
    ):
        quick(folder, out)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--features", "beauty"], "unknown feature 'beauty'"),
        (["--window-sec", "0"], "must be above 0"),
        (["-o", "table.xls"], "format 'xls'"),
        (["--scheduler", "tcp://a:1", "-o", "a.csv"], "needs the executor 'dask'"),
    ],
)
def test_misuse_is_named(folder, words, message):
    told = CliRunner().invoke(main, ["features", str(folder), "-o", "x.csv", *words])
    assert told.exit_code in (1, 2)
    assert message in told.stderr
