"""Windowed features: same numbers as the parts, placed by time, honest about gaps."""

import numpy as np
import pytest

import eegcore
from edf_writer import Annotations, Edf, Signal
from eegcore.errors import ArgumentError, RangeError
from eegcore.spectrum import band_power, welch_density
from eegcore.waveform import waveform
from eegcore.windowed import FEATURES, windowed_features


@pytest.fixture
def recording(rng) -> eegcore.Recording:
    samples = np.cumsum(rng.normal(size=(2, 6000)), axis=1)
    samples -= samples.mean(axis=1, keepdims=True)
    return eegcore.from_array(samples, 173.61, ["C3", "C4"])


def test_a_window_gives_what_the_parts_give(recording) -> None:
    found = windowed_features(recording, features=FEATURES, window_sec=4.0)
    assert found.values.shape == (2, 21, 8)
    start, stop = recording.sample_range(1, 8.0, 12.0)
    window = recording.read_samples(1, start, stop)
    values = dict(zip(found.features, found.values[1, :, 2], strict=True))
    figures = waveform(window, 173.61)
    spectrum = welch_density(window, 173.61)
    assert values["rms_uv"] == pytest.approx(float(figures.rms_uv))
    assert values["zero_crossing_rate_hz"] == float(figures.zero_crossing_rate_hz)
    sigma = float(band_power(spectrum, (11.0, 16.0)))
    assert values["sigma_power"] == pytest.approx(sigma)
    total = float(band_power(spectrum, (1.0, 45.0)))
    assert values["sigma_relative"] == pytest.approx(sigma / total)
    slow = values["delta_power"] + values["theta_power"]
    fast = values["alpha_power"] + values["beta_power"]
    assert values["slow_fast_ratio"] == pytest.approx(slow / fast)


def test_five_relative_bands_add_up_to_one(recording) -> None:
    names = [f"{b}_relative" for b in ("delta", "theta", "alpha", "beta", "gamma")]
    found = windowed_features(recording, features=names, window_sec=3.0)
    assert np.allclose(found.values.sum(axis=1), 1.0, atol=1e-9)


def test_the_end_that_is_no_window_is_told(recording) -> None:
    found = windowed_features(recording, window_sec=10.0)
    assert found.start_sec.tolist() == [0.0, 10.0, 20.0]
    assert found.left_out_sec == pytest.approx(6000 / 173.61 - 30.0)


def test_chunks_do_not_change_a_value(recording, monkeypatch) -> None:
    whole = windowed_features(recording, window_sec=2.0, step_sec=0.5)
    monkeypatch.setattr("eegcore.windowed._CHUNK_SAMPLES", 800)
    parts = windowed_features(recording, window_sec=2.0, step_sec=0.5)
    assert np.allclose(whole.values, parts.values, rtol=1e-10, atol=0)


def test_windows_far_apart_are_read_alone(recording) -> None:
    sparse = windowed_features(recording, window_sec=1.0, step_sec=10.0)
    dense = windowed_features(recording, window_sec=1.0)
    assert np.allclose(sparse.values, dense.values[:, :, ::10][:, :, :4])


def test_each_channel_keeps_its_rate(tmp_path, rng) -> None:
    stored = rng.integers(-500, 500, size=2560)
    path = tmp_path / "two.edf"
    edf = Edf(
        signals=[
            Signal(label="EEG C3", samples=stored.tolist(), per_record=256),
            Signal(label="EMG chin", samples=stored[:100].tolist(), per_record=10),
        ]
    )
    path.write_bytes(edf.to_bytes())
    recording = eegcore.open(path)
    found = windowed_features(
        recording,
        channels=["EEG C3", "EMG chin"],
        features=["rms_uv", "beta_power"],
        window_sec=2.0,
    )
    assert np.isfinite(found.values[:, 0]).all()
    assert np.isfinite(found.values[0, 1]).all()
    assert np.isnan(found.values[1, 1]).all()  # 10 Hz holds no beta


def test_a_flat_window_has_power_zero_and_no_ratios() -> None:
    samples = np.concatenate([np.full(512, 3.3), np.sin(np.arange(512.0))])
    recording = eegcore.from_array(samples, 256.0, ["C3"])
    found = windowed_features(recording, features=FEATURES, window_sec=2.0)
    values = dict(zip(found.features, found.values[0, :, 0], strict=True))
    assert values["alpha_power"] == 0.0
    assert values["std_uv"] == 0.0
    for name in ("alpha_relative", "theta_alpha_ratio", "kurtosis", "hjorth_mobility"):
        assert np.isnan(values[name]), name
    assert np.isfinite(found.values[0, :, 1]).all()


def test_nan_spoils_its_window_only() -> None:
    samples = np.sin(np.arange(1024.0))
    samples[600] = np.nan
    recording = eegcore.from_array(samples, 256.0, ["C3"])
    found = windowed_features(recording, features=FEATURES, window_sec=2.0)
    assert np.isfinite(found.values[0, :, 0]).all()
    assert np.isnan(found.values[0, :, 1]).all()


def test_a_window_that_touches_a_gap_has_no_values(tmp_path, rng) -> None:
    stored = rng.integers(-500, 500, size=4 * 100)
    starts = [b"+0\x14\x14\0", b"+1\x14\x14\0", b"+3.5\x14\x14\0", b"+4.5\x14\x14\0"]
    edf = Edf(
        signals=[
            Signal(label="EEG C3", samples=stored.tolist(), per_record=100),
            Annotations(records=starts),
        ],
        reserved="EDF+D",
    )
    path = tmp_path / "gap.edf"
    path.write_bytes(edf.to_bytes())
    recording = eegcore.open(path)
    found = windowed_features(recording, features=["rms_uv"], window_sec=1.0)
    assert found.touches_gap.tolist() == [False, False, True, True, False]
    assert np.isnan(found.values[0, 0]).tolist() == [False, False, True, True, False]
    window = recording.read_samples(0, 250, 350)
    assert found.values[0, 0, 4] == pytest.approx(np.sqrt(np.mean(window**2)))


def test_wrong_arguments_are_named(recording) -> None:
    with pytest.raises(
        ArgumentError, match="unknown feature 'rms'; allowed are rms_uv"
    ):
        windowed_features(recording, features=["rms"])
    with pytest.raises(ArgumentError, match="must be above 0"):
        windowed_features(recording, window_sec=0.0)
    for start_sec, stop_sec in ((-1.0, 5.0), (0.0, 99.0), (5.0, 4.0)):
        with pytest.raises(RangeError, match=r"runs from 0 to 34\.5602 s"):
            windowed_features(recording, start_sec=start_sec, stop_sec=stop_sec)
