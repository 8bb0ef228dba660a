import os
import subprocess
import sys

import numpy as np
import pytest

from eegcore import blocksums, threads
from eegcore.bandsums import band_powers_of
from eegcore.errors import ArgumentError
from eegcore.moments import figures_of
from eegcore.windowed import FEATURES, windowed_features
from stored import stored_recording


@pytest.fixture
def recording(rng):
    x = np.round(np.cumsum(rng.standard_normal((3, 2200 * 64)), axis=1) * 9) % 9000
    return stored_recording(x.astype(int) - 4500, 64.0, per_record=640)


def features(recording, **options):
    return windowed_features(recording, features=FEATURES, **options).values


def test_kept_sums_change_no_byte(recording):
    fresh = []
    for start in range(0, 2190, 10):
        blocksums.forget(recording)
        one = features(
            recording, window_sec=10.0, start_sec=float(start), stop_sec=start + 10.0
        )
        fresh.append(one[:, :, 0])
    blocksums.forget(recording)
    whole = features(recording, window_sec=10.0, stop_sec=2190.0)
    again = features(recording, window_sec=10.0, stop_sec=2190.0)
    assert whole.tobytes() == again.tobytes()
    assert np.stack(fresh, axis=2).tobytes() == whole.tobytes()


def test_number_of_threads_changes_no_byte(recording, monkeypatch):
    found = []
    for count in ("1", "2", "5"):
        monkeypatch.setenv("EEGCORE_THREADS", count)
        blocksums.forget()
        found.append(features(recording, window_sec=7.0, step_sec=3.0).tobytes())
    assert found[0] == found[1] == found[2]


def test_kept_sums_stay_within_bounds(recording, monkeypatch):
    blocksums.forget()
    monkeypatch.setattr(blocksums, "KEPT_BYTES", 200_000)
    bounded = features(recording, window_sec=10.0)
    assert blocksums.kept_bytes() <= 2 * 200_000
    monkeypatch.undo()
    blocksums.forget()
    assert bounded.tobytes() == features(recording, window_sec=10.0).tobytes()


def test_threads_refuse_nonsense(monkeypatch):
    monkeypatch.setenv("EEGCORE_THREADS", "many")
    with pytest.raises(ArgumentError, match="EEGCORE_THREADS is 'many'"):
        threads.n_threads()


def test_results_keep_their_order(monkeypatch):
    monkeypatch.setenv("EEGCORE_THREADS", "4")
    assert threads.each(lambda k: k * k, range(50)) == [k * k for k in range(50)]


def test_an_error_in_a_thread_is_raised(monkeypatch):
    monkeypatch.setenv("EEGCORE_THREADS", "2")
    with pytest.raises(ZeroDivisionError):
        threads.each(lambda k: 1 // k, range(3))


def test_import_works_where_nothing_can_be_written():
    code = "import eegcore.kernels._jit as j; print(j.cache_folder)"
    nowhere = "/dev/null/nowhere"
    env = os.environ | {
        "HOME": nowhere,
        "XDG_CACHE_HOME": nowhere,
        "EEGCORE_CACHE_DIR": nowhere,
        "TMPDIR": nowhere,
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip()


def test_a_folder_of_others_is_not_trusted(tmp_path):
    from eegcore.kernels import _folder

    tmp_path.chmod(0o777)
    assert not _folder._private(tmp_path)


@pytest.mark.parametrize("count", [10, 100])
def test_a_stretch_alone_has_the_bytes_of_one_among_many(rng, count):
    h = 32
    # so far apart in size that the order of a sum shows in its last digit
    sizes = np.repeat(2.0 ** rng.integers(1, 14, 1400), h)
    x = np.round(rng.standard_normal(1400 * h).clip(-2, 2) * sizes).astype(int)
    recording = stored_recording(x[None], float(h), per_record=h)
    starts = np.arange(1000, 1200, 9) * h  # some lie across two chunks of kept sums
    length = count * h
    every = figures_of(recording, 0, starts, starts + length)
    powers = band_powers_of(recording, 0, starts, length)
    for i in range(starts.size):
        one = starts[i : i + 1]
        alone = figures_of(recording, 0, one, one + length)
        assert [v[0] for v in alone] == [v[i] for v in every]
        power = band_powers_of(recording, 0, one, length)[:, 0]
        assert power.tobytes() == powers[:, i].tobytes()
