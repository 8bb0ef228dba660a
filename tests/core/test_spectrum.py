"""Density and band power: scale, edges, additivity, what does not exist."""

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.signal import welch

import eegcore
from eegcore.spectrum import (
    BANDS_HZ,
    band_power,
    band_powers,
    band_weights,
    density_of,
    multitaper_density,
    segment_length,
    total_band_hz,
    welch_density,
)

RATES = (100.0, 173.61, 256.0, 500.0)


def _sine(amplitude: float, frequency: float, rate_hz: float, n: int) -> np.ndarray:
    return amplitude * np.sin(2 * np.pi * frequency * np.arange(n) / rate_hz)


@pytest.mark.parametrize("rate_hz", RATES)
@pytest.mark.parametrize("estimate", [welch_density, multitaper_density])
def test_a_sine_has_half_its_squared_amplitude(rate_hz, estimate) -> None:
    spectrum = estimate(_sine(50.0, 10.0, rate_hz, int(30 * rate_hz)), rate_hz)
    assert float(band_power(spectrum, (7.0, 13.0))) == pytest.approx(1250.0, rel=0.01)


@pytest.mark.parametrize("estimate", [welch_density, multitaper_density])
def test_white_noise_has_two_variances_per_rate(rng, estimate) -> None:
    noise = rng.normal(scale=3.0, size=100_000)
    spectrum = estimate(noise, 250.0)
    inner = spectrum.density[5:-5].mean()
    assert inner == pytest.approx(2 * 9.0 / 250.0, rel=0.02)


@pytest.mark.parametrize("shape", [(3, 30_000), (2, 5, 3000), (100,), (2, 3), (1, 1)])
def test_welch_equals_scipy_by_definition(rng, shape: tuple[int, ...]) -> None:
    samples = rng.normal(size=shape)
    spectrum = welch_density(samples, 173.61)
    n_segment = segment_length(shape[-1], 173.61)
    assert n_segment == min(347, shape[-1])  # whole samples in 2 s
    frequencies, density = welch(samples, 173.61, nperseg=n_segment)
    assert np.allclose(spectrum.frequencies_hz, frequencies, rtol=1e-14)
    assert np.allclose(spectrum.density, density, rtol=1e-12, atol=0)


@pytest.mark.parametrize("n_samples", [2000, 2003, 3999])
def test_a_long_signal_is_summed_in_chunks(rng, monkeypatch, n_samples: int) -> None:
    samples = rng.normal(size=(2, n_samples))
    wanted = welch(samples, 50.5, nperseg=101, noverlap=50)[1]
    monkeypatch.setattr("eegcore.spectrum._CHUNK_SEGMENTS", 7)
    assert np.allclose(welch_density(samples, 50.5).density, wanted, rtol=1e-12)


@pytest.mark.parametrize("rate_hz", RATES)
def test_bands_add_up_to_the_whole(rng, rate_hz: float) -> None:
    spectrum = welch_density(rng.normal(size=5000), rate_hz)
    parts = sum(float(p) for p in band_powers(spectrum).values())
    assert parts == pytest.approx(float(band_power(spectrum, (1.0, 45.0))), rel=1e-12)


def test_edges_between_bins_lose_power_only_as_released(rng) -> None:
    spectrum = welch_density(rng.normal(size=5000), 173.61)
    exact = sum(float(p) for p in band_powers(spectrum).values())
    released = sum(float(p) for p in band_powers(spectrum, exact_edges=False).values())
    assert 0.85 < released / exact < 0.98


def test_on_a_grid_of_half_hertz_both_rules_are_trapezoids(rng) -> None:
    spectrum = welch_density(rng.normal(size=5000), 256.0)
    for low, high in BANDS_HZ.values():
        inside = (spectrum.frequencies_hz >= low) & (spectrum.frequencies_hz <= high)
        wanted = trapezoid(spectrum.density[inside], spectrum.frequencies_hz[inside])
        for exact in (True, False):
            found = band_power(spectrum, (low, high), exact_edges=exact)
            assert float(found) == pytest.approx(wanted, rel=1e-12)


def test_exact_edges_integrate_straight_lines() -> None:
    frequencies = np.arange(11) * 0.5
    line = 2.0 + 3.0 * frequencies
    weights = band_weights(frequencies, (0.7, 3.1))
    assert weights @ line == pytest.approx(2.0 * 2.4 + 1.5 * (3.1**2 - 0.7**2))


def test_a_band_narrower_than_the_resolution_does_not_exist() -> None:
    assert np.isnan(band_weights(np.arange(100) * 0.5, (0.6, 0.9))).all()


def test_a_band_beyond_half_the_rate_does_not_exist(rng) -> None:
    spectrum = welch_density(rng.normal(size=1000), 64.0)
    assert np.isnan(band_power(spectrum, BANDS_HZ["gamma"]))
    assert total_band_hz(64.0) == (1.0, 32.0)


def test_an_odd_length_reaches_half_the_rate(rng) -> None:
    spectrum = welch_density(rng.normal(size=1000), 50.5)
    assert spectrum.frequencies_hz[-1] < 25.25
    assert np.isfinite(band_power(spectrum, total_band_hz(50.5)))


def test_nan_gives_nan_and_a_constant_gives_zero() -> None:
    broken = np.ones(1000)
    broken[3] = np.nan
    recording = eegcore.from_array([broken, np.full(1000, 12.5)], 100.0, ["C3", "C4"])
    for method in ("welch", "multitaper"):
        assert np.isnan(density_of(recording, 0, 0, 1000, method=method).density).all()
        assert not density_of(recording, 1, 0, 1000, method=method).density.any()


def test_an_offset_does_not_leak(rng) -> None:
    samples = rng.normal(size=4000)
    near, far = (
        band_power(welch_density(samples + offset, 256.0), (1.0, 4.0))
        for offset in (0.0, 1e5)
    )
    assert float(far) == pytest.approx(float(near), rel=1e-6)


def test_power_scales_with_the_square(rng) -> None:
    samples = rng.normal(size=4000)
    for estimate in (welch_density, multitaper_density):
        single, triple = estimate(samples, 128.0), estimate(3 * samples, 128.0)
        assert np.allclose(triple.density, 9 * single.density, rtol=1e-9)


def test_a_long_multitaper_is_the_mean_of_its_segments(rng) -> None:
    samples = rng.normal(size=6000)
    halves = [multitaper_density(part, 100.0).density for part in np.split(samples, 2)]
    whole = multitaper_density(samples, 100.0, segment_sec=30.0)
    assert np.allclose(whole.density, np.mean(halves, axis=0), rtol=1e-12)


def test_computing_in_volts_changes_nothing_but_noise(rng) -> None:
    recording = eegcore.from_array(rng.normal(size=1000), 100.0, ["C3"])
    plain = density_of(recording, 0, 0, 1000)
    volts = density_of(recording, 0, 0, 1000, as_volts=True)
    assert np.allclose(plain.density, volts.density, rtol=1e-9)


def test_weights_do_not_hang_on_the_type_of_the_frequencies() -> None:
    frequencies = np.arange(65) * 0.5
    for band in ((1.0, 4.0), (2.2, 7.9)):
        expected = band_weights(frequencies, band)
        found = band_weights(frequencies.astype(np.float32), band)
        np.testing.assert_array_equal(found, expected)
