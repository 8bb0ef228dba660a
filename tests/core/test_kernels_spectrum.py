import numpy as np
import pytest
from scipy.signal import welch

import naive
from eegcore import bands, bandsums, spectrum, workspace
from stored import stored_recording

RATES_HZ = (100, 125, 128, 160, 200, 250, 256, 400, 500, 512, 1000, 2048)


def eeg_like(rng, n_channels, n, scale=30.0):
    steps = rng.standard_normal((n_channels, n)) * scale
    x = np.cumsum(steps, axis=1)
    return x - 0.9 * np.concatenate([np.zeros((n_channels, 5)), x[:, :-5]], axis=1)


def band_powers(x, rate_hz, names=bands.WINDOW_BANDS_HZ):
    n = int(2 * rate_hz)
    frequencies, density = welch(x, rate_hz, nperseg=n, noverlap=n // 2)
    edges = (*names.values(), bands.total_band_hz(rate_hz))
    weights = [bands.band_weights(frequencies, band) for band in edges]
    return np.stack([density @ w for w in weights])


def test_segment_powers_equal_the_slow_sum(rng):
    x = rng.integers(-500, 500, 64)
    recording = stored_recording(np.tile(x, (1, 2)), 32.0)
    found = spectrum.density_of(recording, 0, 0, 64)
    slow = np.array(naive.segment_powers(x.tolist(), range(33)))
    scale = 0.1**2 / (32.0 * 24.0)
    slow *= scale * np.where((np.arange(33) > 0) & (np.arange(33) < 32), 2, 1)
    np.testing.assert_allclose(found.density[1:], slow[1:], rtol=1e-12)
    assert found.density[0] < 1e-25 + 1e-12 * slow.max() or slow[0] > 0


@pytest.mark.parametrize("rate_hz", RATES_HZ)
@pytest.mark.parametrize("encoding", ["int16", "int24"])
def test_bands_equal_scipy_at_every_rate(rng, rate_hz, encoding):
    values = np.round(eeg_like(rng, 2, 40 * rate_hz)).astype(np.int64)
    recording = stored_recording(
        values, rate_hz, per_record=rate_hz * 4, encoding=encoding
    )
    starts = np.arange(3, 30, 5) * rate_hz
    for channel in (0, 1):
        found = bandsums.band_powers_of(recording, channel, starts, 10 * rate_hz)
        for k, start in enumerate(starts):
            x = recording.read_samples(channel, start, start + 10 * rate_hz)
            np.testing.assert_allclose(found[:7, k], band_powers(x, rate_hz), rtol=2e-6)


@pytest.mark.parametrize("rate_hz", [100, 125, 256, 500])
def test_density_of_a_long_range_equals_scipy(rng, rate_hz):
    values = np.round(eeg_like(rng, 1, 300 * rate_hz)).astype(np.int64)
    recording = stored_recording(values, rate_hz)
    for start, stop in ((0, 300 * rate_hz), (7, 299 * rate_hz), (0, 3 * rate_hz)):
        found = spectrum.density_of(recording, 0, start, stop)
        x = recording.read_samples(0, start, stop)
        frequencies, density = welch(x, rate_hz, nperseg=2 * rate_hz, noverlap=rate_hz)
        np.testing.assert_array_equal(found.frequencies_hz, frequencies)
        np.testing.assert_allclose(found.density[2:], density[2:], rtol=1e-5)


def test_windows_off_the_grid_equal_scipy(rng):
    values = np.round(eeg_like(rng, 1, 60 * 256)).astype(np.int64)
    recording = stored_recording(values, 256.0)
    starts = np.array([1, 700, 5001, 9999])
    found = bandsums.band_powers_of(recording, 0, starts, 1300)
    for k, start in enumerate(starts):
        x = recording.read_samples(0, start, start + 1300)
        np.testing.assert_allclose(found[:7, k], band_powers(x, 256.0), rtol=1e-10)


def test_electrode_offset_of_100_mv_under_1_uv_loses_nothing(rng):
    gain = 0.03125
    eeg = rng.standard_normal((1, 120 * 256)) / gain
    offset = int(100_000 / gain)
    with_offset = np.round(eeg).astype(np.int64) + offset
    recording = stored_recording(with_offset, 256.0, encoding="int24", gain=gain)
    starts = np.arange(0, 110, 10) * 256
    found = bandsums.band_powers_of(recording, 0, starts, 2560)
    x = np.round(eeg[0]) * gain
    for k, start in enumerate(starts):
        expected = band_powers(x[start : start + 2560], 256.0)
        np.testing.assert_allclose(found[:7, k], expected, rtol=2e-6)


def test_noise_of_a_thousandth_of_a_microvolt_keeps_its_digits(rng):
    gain = 1e-5
    values = np.round(rng.standard_normal((1, 60 * 256)) * 1e-3 / gain).astype(np.int64)
    recording = stored_recording(values, 256.0, gain=gain)
    starts = np.arange(0, 50, 10) * 256
    found = bandsums.band_powers_of(recording, 0, starts, 2560)
    for k, start in enumerate(starts):
        expected = band_powers(values[0, start : start + 2560] * gain, 256.0)
        np.testing.assert_allclose(found[:7, k], expected, rtol=2e-6)


N = 64 * 256
ADVERSARIAL = {
    "square wave of full scale": np.where(np.arange(N) // 37 % 2, 32767, -32768),
    "square wave on a bin": np.where(np.arange(N) // 16 % 2, 32767, -32768),
    "single spike": np.where(np.arange(N) == 5000, 32767, 0),
    "strong drift": np.arange(N) * 4 - 32000 + np.arange(N) % 3,
    "steps": np.repeat([-32768, 32767, 5, 0], N // 4),
    "one step of the converter": np.arange(N) * 7919 % 2,
}


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_adversarial_signals_keep_their_digits(name):
    recording = stored_recording(ADVERSARIAL[name][None], 256.0, gain=1.0)
    starts = np.arange(0, 54, 2) * 256
    found = bandsums.band_powers_of(recording, 0, starts, 2560)
    for k, start in enumerate(starts):
        x = ADVERSARIAL[name][start : start + 2560].astype(float)
        expected = band_powers(x, 256.0)
        floor = 1e-20 * np.mean(x * x) + 1e-300  # rounding of scipy itself
        np.testing.assert_allclose(found[:7, k], expected, rtol=2e-6, atol=floor)


def test_drift_under_weak_rhythm_is_done_in_float64(rng):
    t = np.arange(N) / 256.0
    values = np.round(30000 * np.sin(2 * np.pi * 0.11 * t) + rng.standard_normal(N))
    recording = stored_recording(values[None].astype(np.int64), 256.0, gain=1.0)
    starts = np.arange(0, 54, 2) * 256
    found = bandsums.band_powers_of(recording, 0, starts, 2560)
    expected = np.stack(
        [band_powers(values[s : s + 2560], 256.0) for s in starts], axis=1
    )
    np.testing.assert_allclose(found[:7], expected, rtol=2e-6)


def test_constant_has_no_power():
    recording = stored_recording(np.full((1, N), 12345), 256.0)
    found = bandsums.band_powers_of(recording, 0, np.array([0, 256]), 2560)
    assert (found[:7] == 0).all()


@pytest.mark.parametrize(
    ("rate_hz", "expected"),
    [(173.61, 0), (256.0, 256), (99.5, 0), (7.0, 0), (154.0, 0)],
)
def test_rates_without_a_fast_way(rate_hz, expected):
    assert workspace.block_length(rate_hz) == expected
