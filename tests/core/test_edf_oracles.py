"""Real EDF and BDF files against pyedflib and MNE."""

from pathlib import Path

import mne
import numpy as np
import pyedflib
import pytest

from eegcore.formats import open_recording
from eegcore.recording import Recording

pytestmark = pytest.mark.data

FILES = [
    "edf-reader/edfio_short_psg.bdf",
    "edf-reader/eeglab_bids_sub-S1_eeg.edf",
    "edf-reader/eeglab_test.bdf",
    "edf-reader/mne_duplicate_channel_labels.edf",
    "edf-reader/mne_test.bdf",
    "edf-reader/mne_test.edf",
    "edf-reader/mne_test_bdf_stim_channel.bdf",
    "edf-reader/mne_test_edf_stim_channel.edf",
    "edf-reader/mne_test_uneven_samp.edf",
    "edf-reader/nsrr_simulated-01.edf",
    "edf-reader/polyman_Calib5.edf",
    "edf-reader/rsleep_nox_psg_120s.edf",
    "sleep-edfx/SC4001E0-PSG_first300s.edf",
    "chbmit/excerpts/chb01_03_2986s-3036s.edf",
    "chbmit/excerpts/chb01_18_ictal_1730s-1740s.edf",
    "eegmat/Subject00_1.edf",
    "eegmmidb/S001R03.edf",
    "resting/eeg_microstates_test.edf",
    "ga-frontal/data.edf",
]
# pyedflib follows the standard by the letter: number of records -1 or padded on the
# left, non-ASCII labels, a wrong reserved field.
REFUSED_BY_PYEDFLIB = {
    "edf-reader/eeglab_test.bdf",
    "edf-reader/mne_test.bdf",
    "edf-reader/rsleep_nox_psg_120s.edf",
}


def whole(rec: Recording, index: int) -> np.ndarray:
    """Values in the header's own unit."""
    channel = rec.channels[index]
    return rec.read_samples(index, 0, channel.n_samples) / (channel.to_uv or 1.0)


@pytest.mark.parametrize("name", sorted(set(FILES) - REFUSED_BY_PYEDFLIB))
def test_values_are_those_of_pyedflib(data_dir: Path, name: str) -> None:
    rec = open_recording(data_dir / name)
    with pyedflib.EdfReader(str(data_dir / name)) as oracle:
        assert oracle.signals_in_file == len(rec.channels)
        assert oracle.getFileDuration() == pytest.approx(rec.duration_sec, abs=1.0)
        for index, channel in enumerate(rec.channels):
            n = channel.n_samples
            assert oracle.getNSamples()[index] == n
            assert oracle.getLabel(index).strip() == channel.label
            assert oracle.getSampleFrequency(index) == pytest.approx(channel.rate_hz)
            stored = oracle.readSignal(index, digital=True)
            np.testing.assert_array_equal(rec.read_digital(index, 0, n), stored)
            span = abs(channel.physical_max - channel.physical_min)
            np.testing.assert_allclose(
                whole(rec, index),
                oracle.readSignal(index),
                rtol=1e-9,
                atol=1e-12 * span,
            )


@pytest.mark.parametrize("name", FILES)
def test_values_are_those_of_mne(data_dir: Path, name: str) -> None:
    path = data_dir / name
    rec = open_recording(path)
    read = mne.io.read_raw_bdf if path.suffix == ".bdf" else mne.io.read_raw_edf
    encoding = "latin1" if "rsleep" in name else "utf8"
    raw = read(
        path, preload=True, stim_channel=False, encoding=encoding, verbose="ERROR"
    )
    fastest = max(channel.rate_hz for channel in rec.channels)
    if "rsleep" not in name:  # MNE shows its UTF-8 labels as Latin-1
        assert tuple(raw.ch_names) == rec.names
    compared = 0
    for index, channel in enumerate(rec.channels):
        if channel.rate_hz != fastest:  # MNE resamples it
            continue
        values = raw.get_data([index])[0]
        mine = rec.read_samples(index, 0, channel.n_samples)
        scale = 1.0 if channel.to_uv is None else 1e-6
        span = abs(channel.physical_max - channel.physical_min) * (channel.to_uv or 1)
        np.testing.assert_allclose(
            values, mine * scale, rtol=1e-9, atol=1e-12 * span * scale
        )
        compared += 1
    assert compared


@pytest.mark.parametrize(
    "name",
    [
        "edf-reader/mne_test.edf",
        "edf-reader/polyman_Calib5.edf",
        "edf-reader/wfdb_test_edfann.edf",
        "eegmmidb/S001R03.edf",
    ],
)
def test_annotations_are_those_of_pyedflib(data_dir: Path, name: str) -> None:
    rec = open_recording(data_dir / name)
    with pyedflib.EdfReader(str(data_dir / name)) as oracle:
        onsets, durations, texts = oracle.readAnnotations()
    assert len(onsets) == len(rec.annotations) > 0
    oracle_rows = sorted(zip(onsets, texts, durations, strict=True))
    rows = sorted((e.onset_sec, e.text, e.duration_sec) for e in rec.annotations)
    for (onset, text, duration), row in zip(oracle_rows, rows, strict=True):
        assert row[:2] == (pytest.approx(onset, abs=1e-6), text)
        if duration > 0:  # pyedflib gives -1 or 0 for none
            assert row[2] == pytest.approx(duration, abs=1e-6)


def test_hypnogram_is_that_of_pyedflib(data_dir: Path) -> None:
    paths = sorted((data_dir / "sleep-edfx").rglob("*Hypnogram.edf"))
    if not paths:
        pytest.skip(f"no hypnogram below {data_dir / 'sleep-edfx'}")
    for path in paths[:10]:
        rec = open_recording(path)
        with pyedflib.EdfReader(str(path)) as oracle:
            onsets, durations, texts = oracle.readAnnotations()
        assert [e.onset_sec for e in rec.annotations] == onsets.tolist()
        assert [e.duration_sec for e in rec.annotations] == durations.tolist()
        assert [e.text for e in rec.annotations] == texts.tolist()


def test_real_discontinuous_file(data_dir: Path) -> None:
    folder = data_dir / "chbmit" / "excerpts"
    rec = open_recording(folder / "chb01_18_discontinuous_EDFplusD.edf")
    assert rec.segments == ((0.0, 10.0), (20.0, 30.0))
    for start, part in ((0.0, "preictal_1710s-1720s"), (20.0, "ictal_1730s-1740s")):
        piece = open_recording(folder / f"chb01_18_{part}.edf")
        np.testing.assert_array_equal(
            rec.read(rec.names, start, start + 10.0), piece.read(piece.names)
        )


@pytest.mark.parametrize(
    "name", ["nsrr_invalid-date.edf", "nsrr_zero-data-records.edf"]
)
def test_real_files_without_data_open_with_a_warning(data_dir: Path, name: str) -> None:
    rec = open_recording(data_dir / "edf-reader" / name)
    assert (len(rec.channels), rec.duration_sec) == (14, 0.0)
    assert any("no data record" in warning for warning in rec.warnings)
