"""A recording whatever its source: names, times, ranges, copies, other processes."""

import hashlib
import multiprocessing
import pickle
import threading
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import eegcore
from edf_writer import Edf, Signal
from eegcore.channel_names import unique_names
from eegcore.errors import ChannelError, RangeError, RateError, ReadError
from eegcore.formats import from_array, open_recording
from eegcore.recording import Recording

LABELS = ("EEG Fp1-Ref", "Fc5.", "ECG", "SpO2", "EEG Fp2-Ref", "FC5")


@pytest.fixture
def path(tmp_path: Path, rng: np.random.Generator) -> Path:
    """Six channels at 50 Hz but for SpO2 at 1 Hz, 20 records of 1 s."""
    signals = [
        Signal(label, rng.integers(-999, 999, 1000).tolist(), 50) for label in LABELS
    ]
    signals[3] = replace(signals[3], samples=range(20), per_record=1, unit="%")
    file = tmp_path / "x.edf"
    file.write_bytes(Edf(signals).to_bytes())
    return file


@pytest.fixture
def rec(path: Path) -> Recording:
    return open_recording(path)


def test_default_channels_are_those_of_kind_eeg(rec: Recording) -> None:
    assert rec.resolve(None) == (0, 1, 4, 5)
    assert rec.read().shape == (4, 1000)


def test_names_are_found_exactly_and_in_the_order_asked(rec: Recording) -> None:
    assert rec.resolve(["SpO2", "ECG", "SpO2"]) == (3, 2, 3)
    assert rec.resolve("ECG") == (2,)


@pytest.mark.parametrize(
    ("name", "index"),
    [("fp1", 0), ("FP2", 4), ("eeg fp1-ref", 0), ("ecg", 2), ("FC5", 5), ("fc5.", 1)],
)
def test_names_in_another_dress(rec: Recording, name: str, index: int) -> None:
    assert rec.resolve([name], ignore_case=True) == (index,)


def test_name_that_fits_two_channels_is_refused() -> None:
    rec = from_array(np.zeros((2, 10)), 10.0, ["EEG Fz-Ref", "Fz-A1A2"])
    with pytest.raises(
        ChannelError, match="'fz' is ambiguous; it may be EEG Fz-Ref or"
    ):
        rec.resolve(["fz"], ignore_case=True)


@pytest.mark.parametrize("name", ["C9", "fp1", "", "FP1-F7", 3, None])
def test_unknown_channel_is_named_with_those_there_are(
    rec: Recording, name: object
) -> None:
    with pytest.raises(ChannelError, match=r"unknown channel .*has EEG Fp1-Ref, Fc5"):
        rec.resolve([name])  # type: ignore[list-item]


def test_no_eeg_channel_says_what_there_is() -> None:
    rec = from_array(np.zeros((2, 10)), 10.0, ["x", "vy"])
    with pytest.raises(ChannelError, match=r"no channel is known to be EEG.*x, vy"):
        rec.read()
    with pytest.raises(ChannelError, match="empty list"):
        rec.read([])


def test_long_lists_of_names_are_cut_short() -> None:
    names = [f"ch{n}" for n in range(100)]
    rec = from_array(np.zeros((100, 200)), 10.0, names)
    with pytest.raises(ChannelError, match="ch23 and 76 more"):
        rec.resolve(["y"])


def test_different_rates_in_one_call_are_refused_naming_them(rec: Recording) -> None:
    with pytest.raises(RateError, match=r"50 Hz \(ECG\).*1 Hz \(SpO2\)|1 Hz.*50 Hz"):
        rec.read(["ECG", "SpO2"])


def test_neighbouring_ranges_share_no_sample(rec: Recording) -> None:
    edges = [0.0, 0.01, 1.999, 7.3, 7.31, 19.99, 20.0]
    pieces = [rec.read(["ECG"], a, b) for a, b in pairwise(edges)]
    np.testing.assert_array_equal(np.hstack(pieces), rec.read(["ECG"]))


@pytest.mark.parametrize(
    ("start", "stop"),
    [(-1.0, 5.0), (5.0, 4.0), (0.0, 21.0), (25.0, 26.0), (float("nan"), 5.0)],
)
def test_range_outside_the_recording_is_refused(
    rec: Recording, start: float, stop: float
) -> None:
    with pytest.raises(RangeError, match="runs from 0 to 20 s"):
        rec.read(["ECG"], start, stop)


def test_half_a_sample_beyond_the_end_is_the_end(rec: Recording) -> None:
    assert rec.read(["ECG"], 19.0, 20.009).shape == (1, 50)
    assert rec.sample_range(2, -5.0, 99.0) == (0, 1000)


@pytest.mark.parametrize(("start", "stop"), [(-1, 5), (5, 4), (0, 1001)])
def test_samples_that_do_not_exist_are_refused(
    rec: Recording, start: int, stop: int
) -> None:
    for read in (rec.read_samples, rec.read_digital):
        with pytest.raises(RangeError, match="allowed are 0 to 1000"):
            read(0, start, stop)


def test_time_of_a_sample(rec: Recording) -> None:
    assert rec.sample_time(0, 999) == 999 / 50
    with pytest.raises(RangeError, match="sample 1000"):
        rec.sample_time(0, 1000)


def test_any_piece_equals_the_whole(rec: Recording, rng: np.random.Generator) -> None:
    whole = rec.read_digital(1, 0, 1000)
    for start, stop in np.sort(rng.integers(0, 1001, (100, 2)), axis=1).tolist():
        np.testing.assert_array_equal(
            rec.read_digital(1, start, stop), whole[start:stop]
        )


def test_samples_are_read_only_and_answers_are_copies(rec: Recording) -> None:
    assert not rec.store.data.flags.writeable
    values = rec.read(["ECG"])
    values[:] = 0.0
    assert rec.read(["ECG"]).any()


def test_closed_recording_is_refused(rec: Recording) -> None:
    with rec:
        rec.read()
    with pytest.raises(ReadError, match="closed"):
        rec.read()


def test_checksum_is_that_of_the_file(rec: Recording, path: Path) -> None:
    assert rec.checksum() == hashlib.sha256(path.read_bytes()).hexdigest()


def test_threads_read_the_same(rec: Recording) -> None:
    wanted = rec.read()
    other = open_recording(rec.path or "")
    found: list[bool] = []

    def work() -> None:
        found.append(bool(np.array_equal(other.read(), wanted)))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 8


def _mean(rec: Recording) -> float:
    return float(rec.read().mean())


@pytest.mark.parametrize("mapped", [True, False])
def test_recording_travels_to_another_process(rec: Recording, mapped: bool) -> None:
    if not mapped:
        rec = from_array(rec.read(), 50.0)
    wanted = rec.read()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(rec)).read(), wanted)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_mean, (rec,)) == _mean(rec)


def test_path_does_not_depend_on_the_working_folder(
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    monkeypatch.chdir(path.parent)
    rec = open_recording("x.edf")
    monkeypatch.chdir(tmp_path_factory.mktemp("other"))
    assert rec.read().any()


def test_equal_labels_are_numbered_around_taken_names() -> None:
    assert unique_names(["a", "b"]) == ("a", "b")
    assert unique_names(["a", "a", "a-0"]) == ("a-1", "a-2", "a-0")
    assert unique_names(["", ""]) == ("channel-1", "channel-2")


def test_public_names() -> None:
    assert eegcore.open is open_recording
    assert eegcore.from_array is from_array
    assert eegcore.Recording is Recording
