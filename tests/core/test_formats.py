"""Arrays, text, .npy, EEGLAB and MNE into a recording, and back to MNE."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edf_writer import Edf, Signal
from eegcore.errors import ArgumentError, FormatError, HeaderError, ReadError
from eegcore.formats import from_array, open_recording
from eegcore.text_format import parse_text

NAMES = ["Fp1", "C3", "x", "EKG"]


@pytest.fixture
def values(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(0, 30, (4, 501))


# Arrays


def test_array_is_kept_as_it_is(values: np.ndarray) -> None:
    rec = from_array(values, 250.5, NAMES)
    assert rec.format == "array"
    assert [c.kind for c in rec.channels] == ["eeg", "eeg", "unknown", "ecg"]
    assert rec.duration_sec == 501 / 250.5
    np.testing.assert_array_equal(rec.read(NAMES), values)
    assert rec.store.encoding == "float64"
    assert np.shares_memory(rec.store.data, values)
    assert not rec.store.data.flags.writeable
    assert values.flags.writeable


def test_default_names_count_as_eeg(values: np.ndarray) -> None:
    assert from_array(values[0], 100.0).names == ("EEG",)
    assert from_array(values[:2], 100.0).names == ("EEG 1", "EEG 2")
    assert {c.kind for c in from_array(values, 100.0).channels} == {"eeg"}


@pytest.mark.parametrize(
    ("unit", "factor"), [("uV", 1.0), ("µV", 1.0), ("mV", 1e3), ("V", 1e6), ("%", 1.0)]
)
def test_units_of_an_array(values: np.ndarray, unit: str, factor: float) -> None:
    rec = from_array(values, 100.0, ["Fp1", "Fp2", "C3", "C4"], unit)
    np.testing.assert_allclose(rec.read(rec.names), values * factor, rtol=1e-15)
    assert {c.kind for c in rec.channels} == {"misc" if unit == "%" else "eeg"}


def test_integers_floats_and_strides_become_float64() -> None:
    for data in (
        np.arange(12, dtype=np.int16).reshape(3, 4),
        np.arange(12, dtype=">f4").reshape(4, 3).T,
        [[1, 2, 3], [4, 5, 6]],
    ):
        rec = from_array(data, 4.0)
        assert rec.read(rec.names).dtype == np.float64
        np.testing.assert_array_equal(rec.read(rec.names), np.asarray(data, float))


def test_nan_stays_nan() -> None:
    assert np.isnan(from_array([1.0, float("nan")], 1.0).read()[0, 1])


@pytest.mark.parametrize(
    ("data", "rate", "names", "told"),
    [
        (np.zeros((2, 3, 4)), 100.0, None, r"shape \(2, 3, 4\)"),
        (np.zeros((0, 5)), 100.0, None, "without a channel"),
        (np.array(["a"]), 100.0, None, "real numbers are needed"),
        (np.zeros(3, complex), 100.0, None, "real numbers are needed"),
        (np.zeros(5), 0.0, None, "rate_hz is 0.0"),
        (np.zeros(5), float("nan"), None, "rate_hz is nan"),
        (np.zeros(5), "100", None, "rate_hz is '100'"),
        (np.zeros((2, 5)), 100.0, ["a"], "1 channel names for data of 2 channels"),
    ],
)
def test_array_that_is_no_recording_is_refused(
    data: Any, rate: Any, names: list[str] | None, told: str
) -> None:
    with pytest.raises(ArgumentError, match=told):
        from_array(data, rate, names)


def test_more_channels_than_samples_is_told() -> None:
    assert "more channels" in from_array(np.zeros((10, 2)), 10.0).warnings[0]


def test_stored_integers_of_floats_do_not_exist() -> None:
    with pytest.raises(ReadError, match="no stored integers"):
        from_array(np.zeros(5), 10.0).read_digital(0, 0, 5)


# .npy


def test_npy_is_mapped_and_not_copied(tmp_path: Path, values: np.ndarray) -> None:
    path = tmp_path / "x.npy"
    np.save(path, values)
    rec = open_recording(path, rate_hz=100, channel_names=NAMES, unit="uV")
    assert (rec.format, rec.path) == ("NPY", path)
    np.testing.assert_array_equal(rec.read(NAMES), values)
    base = rec.store.data
    while isinstance(base.base, np.ndarray):
        base = base.base
    assert isinstance(base, np.memmap)


def test_npy_needs_a_rate(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros(5))
    with pytest.raises(ArgumentError, match="rate_hz"):
        open_recording(tmp_path / "x.npy")


@pytest.mark.parametrize("length", [7, 20, 130, 200])
def test_cut_npy_is_refused(tmp_path: Path, length: int) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.zeros(500))
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(HeaderError, match=r"cannot be read as \.npy"):
        open_recording(path, rate_hz=100.0)


def test_pickles_are_not_loaded(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(HeaderError, match=r"\.npy"):
        open_recording(tmp_path / "x.npy", rate_hz=100.0)


# Text


@pytest.mark.parametrize(
    ("text", "values", "names"),
    [
        (b"1\r\n-2\r\n3\r\n", [[1, -2, 3]], None),
        (b"  1.5\n 2e1 \n3", [[1.5, 20, 3]], None),
        (b"1,2\n3,4\n", [[1, 3], [2, 4]], None),
        (b"1;2,5\n3;4\n", [[1, 3], [2.5, 4]], None),
        (b"1\t2\n3\t4\n", [[1, 3], [2, 4]], None),
        (b"C3,EEG C4\n1,2\n3,4\n", [[1, 3], [2, 4]], ["C3", "EEG C4"]),
        (b"C3 C4\n1 2\n3 4\n", [[1, 3], [2, 4]], ["C3", "C4"]),
        (b"EEG\n1\n2\n", [[1, 2]], ["EEG"]),
        (b"1 2 3 4\n", [[1, 2, 3, 4]], None),
        (b"\xef\xbb\xbf1\n2\n\n\n", [[1, 2]], None),
        (b"1\nnan\n3\n", [[1, np.nan, 3]], None),
    ],
)
def test_numbers_as_text(
    text: bytes, values: list[list[float]], names: list[str] | None
) -> None:
    table = parse_text(text)
    np.testing.assert_array_equal(table.values, values)
    assert table.names == names


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"1\n2\n3x\n4\n", "line 3 is no row of numbers: '3x'"),
        (b"1\n2\n\n4\n", "line 3 is no row"),
        (b"1,2\n3\n4,5\n", "line 2 has 1 values, 2 are expected"),
        (b"a,b\n1,2\n3,4,5\n", "line 3 has 3 values, 2 are expected"),
        (b"1\n1_000\n", "line 2 is no row"),
        (b"1\ninf\n", "line 2 is no row"),
        (b"a\nb\n", "line 2 is no row"),
        (b"only words\n", "line 1 is no row"),
        (b"\n \n", "holds no values"),
    ],
)
def test_damaged_line_is_an_error_with_its_number(text: bytes, told: str) -> None:
    with pytest.raises(HeaderError, match=told):
        parse_text(text)


@pytest.mark.parametrize("raw", [b"\x00\x01\x02", b"PK\x03\x04abc", b"\x1f\x8b\x08"])
def test_bytes_that_are_no_text_are_refused(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "x.bin"
    path.write_bytes(raw)
    with pytest.raises(FormatError, match="neither text nor"):
        open_recording(path, rate_hz=100.0)


def test_bonn_file(tmp_path: Path) -> None:
    path = tmp_path / "Z001.txt"
    path.write_bytes(b"".join(b"%d\r\n" % v for v in range(4097)))
    with pytest.raises(ArgumentError, match=r"173\.61 for the Bonn set"):
        open_recording(path)
    rec = open_recording(path, rate_hz=173.61)
    assert (rec.format, rec.names, rec.channels[0].kind) == ("text", ("EEG",), "eeg")
    assert rec.duration_sec == pytest.approx(23.598871, abs=1e-6)
    assert rec.read()[0].tolist() == list(range(4097))


def test_given_names_go_before_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    assert open_recording(path, rate_hz=1.0).names == ("a", "b")
    rec = open_recording(path, rate_hz=1.0, channel_names=["C3", "C4"], unit="mV")
    assert rec.names == ("C3", "C4")
    assert rec.read(["C3"]).tolist() == [[1000.0, 3000.0]]


# Paths


def test_paths_that_are_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.edf")
    for name, told in (
        ("no.edf", "no such file"),
        ("", "a folder"),
        ("pipe.edf", "not a regular file"),
        ("a\0b.edf", "no valid path"),
        ("x" * 300, "cannot be read"),
    ):
        with pytest.raises(ReadError, match=told) as caught:
            open_recording(f"{tmp_path}/{name}")
        assert str(tmp_path) not in str(caught.value)


def test_what_a_file_says_itself_is_not_accepted(tmp_path: Path) -> None:
    path = tmp_path / "x.edf"
    path.write_bytes(Edf([Signal(samples=range(20))]).to_bytes())
    with pytest.raises(ArgumentError, match="rate_hz was given, but EDF"):
        open_recording(path, rate_hz=100.0)


# EEGLAB


# MNE
