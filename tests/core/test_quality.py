"""Quality figures on signals whose faults are known."""

import numpy as np
import pytest

from eegcore.quality import (
    flat_ratio,
    high_frequency_ratio,
    line_noise_ratio,
    quality,
    saturation_ratio,
)
from eegcore.spectrum import welch_density


def _mains(hz: float, rate_hz: float = 256.0, amplitude: float = 20.0) -> np.ndarray:
    return amplitude * np.sin(2 * np.pi * hz * np.arange(7680) / rate_hz)


def test_white_noise_has_a_line_ratio_of_one(rng) -> None:
    spectrum = welch_density(rng.normal(size=200_000), 256.0)
    assert line_noise_ratio(spectrum, 50.0) == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("line_hz", [50.0, 60.0])
def test_mains_show_in_the_line_ratio_and_not_in_the_noise(rng, line_hz) -> None:
    brain = rng.normal(size=7680)
    clean = quality(brain, 256.0, line_hz)
    noisy = quality(brain + _mains(line_hz) + _mains(2 * line_hz), 256.0, line_hz)
    assert noisy.line_noise_ratio > 5 * clean.line_noise_ratio
    assert noisy.high_frequency_ratio == pytest.approx(
        clean.high_frequency_ratio, rel=0.05
    )


def test_the_release_counts_mains_as_high_frequency_noise(rng) -> None:
    samples = 0.01 * rng.normal(size=7680) + _mains(50.0)
    assert quality(samples, 256.0, as_released=True).high_frequency_ratio > 0.9


def test_mains_at_half_the_rate_or_above_have_no_ratio(rng) -> None:
    spectrum = welch_density(rng.normal(size=3000), 100.0)
    assert np.isnan(line_noise_ratio(spectrum, 50.0))
    assert np.isnan(line_noise_ratio(spectrum, 60.0))
    assert np.isfinite(line_noise_ratio(spectrum, 48.0))


def test_a_rate_without_frequencies_above_40_has_no_noise_ratio(rng) -> None:
    spectrum = welch_density(rng.normal(size=3000), 64.0)
    assert np.isnan(high_frequency_ratio(spectrum, 50.0))


def test_a_constant_has_no_noise_ratios() -> None:
    found = quality(np.full(1000, 12.5), 256.0)
    assert np.isnan(found.line_noise_ratio)
    assert np.isnan(found.high_frequency_ratio)
    assert (found.flat_line_ratio, found.saturation_ratio) == (1.0, 1.0)


def test_flat_counts_steps_below_a_tenth_of_a_microvolt() -> None:
    assert flat_ratio(np.array([0.0, 0.05, 1.0, 1.09, 3.0])) == 0.5
    assert np.isnan(flat_ratio(np.array([1.0])))


def test_saturation_counts_samples_at_the_extremes() -> None:
    clipped = np.clip(np.sin(np.linspace(0, 60, 3000)), -0.5, 0.5)
    share = np.mean(np.abs(clipped) == 0.5)
    assert saturation_ratio(clipped) == pytest.approx(share)


def test_nan_gives_nan_everywhere() -> None:
    samples = np.arange(1000.0)
    samples[5] = np.nan
    assert all(np.isnan(figure) for figure in quality(samples, 256.0))


def test_volts_give_the_same_figures_as_microvolts(rng) -> None:
    samples = 30 * rng.normal(size=5000)
    plain = quality(samples, 256.0, as_released=True)
    volts = quality(samples * 1e-6, 256.0, as_released=True, to_uv=1e6)
    for a, b in zip(plain, volts, strict=True):
        assert a == pytest.approx(b, rel=1e-6)
