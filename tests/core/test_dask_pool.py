"""Tasks on a Dask cluster of separate processes: same bytes, lost workers survived."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import archive_that_fails
from edf_writer import Edf, Signal
from eegcore import archive, dask_pool
from eegcore.archive import Wanted, extract
from eegcore.errors import WorkerError

distributed = pytest.importorskip("distributed", reason="Dask is not installed")
WANTED = Wanted(("rms_uv", "alpha_power"), 2.0, 2.0, None, {})
TESTS = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def cluster():
    """Two processes; what a worker imports of the tests it finds by PYTHONPATH."""
    paths = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address="127.0.0.1:0",
        memory_limit=None,
        silence_logs=50,
        env={"PYTHONPATH": os.pathsep.join(paths)},
    ) as made:
        yield made


@pytest.fixture
def folder(tmp_path, rng) -> Path:
    (tmp_path / "eeg").mkdir()
    for k in range(5):
        signals = [Signal("EEG Cz", rng.integers(-900, 900, 128 * 6), per_record=128)]
        (tmp_path / "eeg" / f"r{k}.edf").write_bytes(Edf(signals).to_bytes())
    return tmp_path / "eeg"


def test_cluster_gives_the_same_bytes_and_survives_a_killed_worker(
    folder, tmp_path, cluster, monkeypatch
):
    shutil.copy(folder / "r0.edf", folder / "once.edf")
    extract([folder], tmp_path / "a.csv", WANTED, form="csv", workers=1)
    monkeypatch.setattr(archive, "set_up", archive_that_fails.set_up)
    done = extract(
        [folder],
        tmp_path / "b.csv",
        WANTED,
        form="csv",
        executor="dask",
        scheduler=cluster.scheduler_address,
    )
    assert (folder / "once.tried").exists()  # a worker was killed
    assert (done.n_recordings, done.n_failed) == (6, 0)
    assert (tmp_path / "b.csv").read_bytes() == (tmp_path / "a.csv").read_bytes()


def test_file_that_kills_every_worker_is_one_failure(
    folder, tmp_path, cluster, monkeypatch
):
    monkeypatch.setattr(archive, "set_up", archive_that_fails.set_up)
    shutil.copy(folder / "r0.edf", folder / "dies.edf")
    done = extract(
        [folder],
        tmp_path / "out.csv",
        WANTED,
        form="csv",
        executor="dask",
        scheduler=cluster.scheduler_address,
    )
    assert (done.n_recordings, done.n_failed) == (6, 1)
    told = (tmp_path / "out.failures.csv").read_text()
    assert "crash,Dask lost every worker that began it" in told


def test_worker_of_another_version_is_refused(folder, tmp_path, cluster, monkeypatch):
    real = dask_pool.versions()
    monkeypatch.setattr(dask_pool, "versions", lambda: {**real, "eegbench": "9.9"})
    with pytest.raises(WorkerError, match=r"has eegbench '.*', this machine '9\.9'"):
        extract(
            [folder],
            tmp_path / "out.csv",
            WANTED,
            form="csv",
            executor="dask",
            scheduler=cluster.scheduler_address,
        )
    assert not (tmp_path / "out.csv").exists()


def test_scheduler_that_is_not_there_is_named(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(dask_pool, "CONNECT_SEC", 0.5)
    with pytest.raises(WorkerError, match="no Dask scheduler answers at 'tcp://127"):
        extract(
            [folder],
            tmp_path / "out.csv",
            WANTED,
            form="csv",
            executor="dask",
            scheduler="tcp://127.0.0.1:9",
        )


def test_run_on_dask_equals_a_run_in_processes(tmp_path, cluster):
    from bench_folders import small_set
    from eegbench.merging import merge_runs
    from eegbench.predictions import read_predictions
    from eegbench.runner import run
    from eegbench.shards import Shard
    from eegcore.executors import executor_of

    folder = small_set(tmp_path / "set")
    on_dask = executor_of("dask", cluster.scheduler_address)
    run(folder, tmp_path / "a", agent="random", shard=Shard(1, 1), in_process=True)
    run(folder, tmp_path / "b", agent="random", shard=Shard(1, 1), executor=on_dask)
    rows = []
    for name in ("a", "b"):
        merge_runs([tmp_path / name], tmp_path / f"{name}-merged")
        rows.append(
            [
                {**{f: getattr(row, f) for f in row.__struct_fields__}, "seconds": {}}
                for row in read_predictions(tmp_path / f"{name}-merged")
            ]
        )
    assert rows[0] == rows[1]
    assert np.all([row["status"] == "completed" for row in rows[0]])


def test_scheduler_that_goes_away_and_odd_errors_are_one_line():
    from distributed.client import FutureCancelledError

    class Future:
        def __init__(self, error: Exception) -> None:
            self.error = error

        def result(self) -> bytes:
            raise self.error

    lost = FutureCancelledError("x", "scheduler-connection-lost")
    with pytest.raises(WorkerError, match="scheduler has gone; what is finished is"):
        dask_pool._done("key", Future(lost))
    with pytest.raises(WorkerError, match=r"Dask: .*no such"):
        dask_pool._done("key", Future(KeyError("no such\nthing")))


def test_checkouts_of_one_version_differ_by_their_source(tmp_path, monkeypatch):
    from eegcore import versions

    for name in ("eegcore", "eegbench"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text("x = 1")
    monkeypatch.setattr(versions, "__file__", str(tmp_path / "eegcore" / "versions.py"))
    before = versions.source_checksum()
    (tmp_path / "eegbench" / "a.py").write_text("x = 2")
    assert versions.source_checksum() != before
