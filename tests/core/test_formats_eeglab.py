"""EEGLAB, MNE and their files as recordings, and back."""

from pathlib import Path
from typing import Any

import mne
import numpy as np
import pytest
import scipy.io

from edf_writer import Annotations, Edf, Signal, tal
from eegcore.errors import ArgumentError, HeaderError, RateError, ReadError
from eegcore.formats import from_array, from_mne, open_recording, to_mne

NAMES = ["Fp1", "C3", "x", "EKG"]


@pytest.fixture
def values(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(0, 30, (4, 501))


def eeglab(values: np.ndarray, **fields: Any) -> dict[str, Any]:
    """Fields of an EEGLAB struct."""
    labels = fields.pop("labels", NAMES)
    places = np.array(
        [(name, "", []) for name in labels],
        dtype=[("labels", object), ("type", object), ("X", object)],
    )
    return {
        "nbchan": float(values.shape[0]),
        "pnts": float(values.shape[1]),
        "trials": 1.0,
        "srate": 250.5,
        "data": values,
        "chanlocs": places,
        "ref": "common",
        "event": [],
    } | fields


@pytest.mark.parametrize("nested", [True, False])
def test_eeglab_file(tmp_path: Path, values: np.ndarray, nested: bool) -> None:
    events = np.array(
        [("left", 126.25, 50.1), (7.0, 1.0, [])],
        dtype=[("type", object), ("latency", object), ("duration", object)],
    )
    fields = eeglab(values, event=events, ref="averef")
    path = tmp_path / "x.set"
    scipy.io.savemat(path, {"EEG": fields} if nested else fields)
    rec = open_recording(path)
    assert rec.format == "EEGLAB"
    assert rec.names == tuple(NAMES)
    assert [c.kind for c in rec.channels] == ["eeg", "eeg", "unknown", "ecg"]
    assert {c.rate_hz for c in rec.channels} == {250.5}
    assert rec.reference == "average"
    np.testing.assert_array_equal(rec.read(NAMES), values)
    assert rec.annotations == ((0.0, None, "7"), (0.5, 0.2, "left"))


def test_eeglab_samples_in_a_file_beside(tmp_path: Path, values: np.ndarray) -> None:
    path = tmp_path / "x.set"
    stored = values.astype("<f4")
    scipy.io.savemat(path, {"EEG": eeglab(values, data="C:\\old\\y.fdt")})
    with pytest.raises(ReadError, match=r"its data file 'y\.fdt' is not beside it"):
        open_recording(path)
    stored.T.tofile(tmp_path / "x.fdt")  # renamed along with the .set
    rec = open_recording(path)
    np.testing.assert_array_equal(rec.read(NAMES), stored)
    before = rec.checksum()
    (stored + 1).T.astype("<f4").tofile(tmp_path / "x.fdt")
    assert open_recording(path).checksum() != before
    stored[:, :-1].T.tofile(tmp_path / "x.fdt")
    with pytest.raises(HeaderError, match="its data file holds 2000 values"):
        open_recording(path)


def test_eeglab_place_on_the_head_makes_an_unknown_name_eeg(
    tmp_path: Path, values: np.ndarray
) -> None:
    fields = eeglab(values)
    fields["chanlocs"]["X"][2] = 0.5
    scipy.io.savemat(tmp_path / "x.set", {"EEG": fields})
    assert open_recording(tmp_path / "x.set").channels[2].kind == "eeg"


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"trials": 12.0}, "holds 12"),
        ({"srate": []}, "'srate'"),
        ({"srate": -1.0}, "'srate'"),
        ({"nbchan": 3.0}, "3 channels x 501 samples by its header"),
        ({"pnts": "many"}, "'pnts'"),
    ],
)
def test_eeglab_file_that_is_no_recording(
    tmp_path: Path, values: np.ndarray, fields: dict[str, Any], told: str
) -> None:
    scipy.io.savemat(tmp_path / "x.set", {"EEG": eeglab(values) | fields})
    with pytest.raises(ReadError, match=told):
        open_recording(tmp_path / "x.set")


@pytest.mark.parametrize("length", [0, 10, 127, 128, 300, 2000])
def test_cut_eeglab_file_is_refused(
    tmp_path: Path, values: np.ndarray, length: int
) -> None:
    path = tmp_path / "x.set"
    scipy.io.savemat(path, {"EEG": eeglab(values)}, do_compression=True)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(ReadError, match=r"empty|cannot be read as|not an EEGLAB"):
        open_recording(path)


def raw_of(values: np.ndarray, types: Any = "eeg") -> Any:
    info = mne.create_info(NAMES, 250.0, types, verbose="ERROR")
    return mne.io.RawArray(values * 1e-6, info, verbose="ERROR")


def test_mne_volts_become_microvolts(values: np.ndarray) -> None:
    raw = raw_of(values)
    raw.info["bads"] = ["C3"]
    raw.set_annotations(mne.Annotations([0.5], [0.25], ["blink"]), verbose="ERROR")
    rec = from_mne(raw)
    assert (rec.format, rec.bads) == ("MNE", ("C3",))
    assert [c.kind for c in rec.channels] == ["eeg", "eeg", "unknown", "ecg"]
    np.testing.assert_allclose(rec.read(NAMES), values, rtol=1e-14)
    assert rec.annotations == ((0.5, 0.25, "blink"),)


def test_mne_types_other_than_the_default_are_believed(values: np.ndarray) -> None:
    rec = from_mne(raw_of(values, ["eog", "eeg", "misc", "stim"]))
    assert [c.kind for c in rec.channels] == ["eog", "eeg", "misc", "stim"]
    assert [c.unit for c in rec.channels] == ["uV", "uV", "", ""]


def test_fif_file_cropped_at_the_start(tmp_path: Path, values: np.ndarray) -> None:
    raw = raw_of(values)
    raw.set_meas_date(1e9)
    onset = mne.Annotations([1.5], [0.1], ["x"], orig_time=raw.info["meas_date"])
    raw.set_annotations(onset, verbose="ERROR")
    path = tmp_path / "x_raw.fif"
    raw.crop(1.0).save(path, fmt="double", verbose="ERROR")
    rec = open_recording(path)
    np.testing.assert_allclose(rec.read(NAMES), values[:, 250:], rtol=1e-12)
    assert rec.annotations == ((0.5, pytest.approx(0.1, rel=1e-6), "x"),)


def test_brainvision_by_mne(tmp_path: Path) -> None:
    stored = np.arange(20, dtype="<i2").reshape(10, 2)
    (tmp_path / "x.eeg").write_bytes(stored.tobytes())
    (tmp_path / "x.vmrk").write_text(
        "Brain Vision Data Exchange Marker File, Version 1.0\n[Common Infos]\n"
        "DataFile=x.eeg\n[Marker Infos]\nMk1=Stimulus,S  1,6,1,0\n"
    )
    (tmp_path / "x.vhdr").write_text(
        "Brain Vision Data Exchange Header File Version 1.0\n[Common Infos]\n"
        "DataFile=x.eeg\nMarkerFile=x.vmrk\nDataFormat=BINARY\n"
        "DataOrientation=MULTIPLEXED\nNumberOfChannels=2\nSamplingInterval=4000\n"
        "[Binary Infos]\nBinaryFormat=INT_16\n[Channel Infos]\n"
        "Ch1=Fp1,,0.5,µV\nCh2=Fp2,,0.5,µV\n"
    )
    rec = open_recording(tmp_path / "x.vhdr")
    np.testing.assert_allclose(rec.read(), stored.T * 0.5, atol=1e-12)
    assert (rec.annotations[0].onset_sec, rec.annotations[0].text) == (
        0.02,
        "Stimulus/S  1",
    )
    before = rec.checksum()
    (tmp_path / "x.eeg").write_bytes((stored + 1).tobytes())
    assert open_recording(tmp_path / "x.vhdr").checksum() != before


@pytest.mark.parametrize("suffix", [".fif", ".vhdr", ".cnt"])
def test_what_mne_cannot_read_is_one_line(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    path.write_bytes(b"rubbish " * 200)
    with pytest.raises(ReadError, match=rf"cannot be read as \{suffix}") as caught:
        open_recording(path)
    assert "\n" not in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


def test_to_mne_and_back(values: np.ndarray) -> None:
    rec = from_array(values, 250.0, NAMES)
    raw = rec.to_mne()
    assert raw.get_channel_types() == ["eeg", "eeg", "misc", "ecg"]
    np.testing.assert_allclose(raw.get_data() * 1e6, values, rtol=1e-14)
    np.testing.assert_allclose(from_mne(raw).read(["Fp1"])[0], values[0], rtol=1e-14)


def test_gap_goes_to_mne_as_bad_gap(tmp_path: Path) -> None:
    lists = [tal("+0") + tal("+0.5", "blink", duration="0.25"), tal("+3")]
    path = tmp_path / "x.edf"
    signals = [Signal(samples=range(20)), Annotations(lists)]
    path.write_bytes(Edf(signals, reserved="EDF+D").to_bytes())
    raw = to_mne(open_recording(path))
    assert raw.annotations.description.tolist() == ["blink", "BAD_gap"]
    assert raw.annotations.onset.tolist() == [0.5, 1.0]
    assert raw.annotations.duration.tolist() == [0.25, 2.0]
    assert np.isnan(raw.get_data()[0]).sum() == 20


def test_what_does_not_fit_mne_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.edf"
    slow = Signal("Resp", range(2), 1)
    path.write_bytes(Edf([Signal(samples=range(20)), slow]).to_bytes())
    with pytest.raises(RateError):
        open_recording(path).to_mne()
    path.write_bytes(Edf([Annotations([tal("+0")])], reserved="EDF+C").to_bytes())
    with pytest.raises(ArgumentError, match="without samples"):
        open_recording(path).to_mne()


@pytest.mark.data
def test_eeglab_values_are_those_of_mne(data_dir: Path) -> None:
    path = data_dir / "eeglab" / "eeglab_data.set"
    rec = open_recording(path)
    raw = mne.io.read_raw_eeglab(path, preload=True, verbose="ERROR")
    assert rec.names == tuple(raw.ch_names)
    np.testing.assert_allclose(rec.read(rec.names), raw.get_data() * 1e6, rtol=1e-12)
    assert [c.kind for c in rec.channels].count("eog") == 2
    mine = from_mne(raw)
    assert [c.kind for c in mine.channels] == [c.kind for c in rec.channels]
    assert len(rec.annotations) == len(raw.annotations)
    for event, onset in zip(rec.annotations, raw.annotations.onset, strict=True):
        assert event.onset_sec == pytest.approx(onset, abs=1e-5)


@pytest.mark.data
def test_real_fif_file(data_dir: Path) -> None:
    path = data_dir / "yasa" / "data_resting_EO_200Hz_raw.fif"
    rec = open_recording(path)
    raw = mne.io.read_raw_fif(path, preload=True, verbose="ERROR")
    assert rec.names == ("F4-A1", "CZ-A2")
    np.testing.assert_array_equal(rec.read(), raw.get_data() * 1e6)
