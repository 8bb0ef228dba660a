"""Candidate transients: where, how large, how wide, how steep."""

import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt

from eegcore.errors import ArgumentError
from eegcore.transients import (
    band_passed,
    can_filter,
    find_transients,
    least_samples,
)

RATE_HZ = 256.0


def _spikes(times: tuple[float, ...], size: float, n: int = 5120) -> np.ndarray:
    t = np.arange(n) / RATE_HZ
    bumps = [size * np.exp(-(((t - at) / 0.02) ** 2)) for at in times]
    return np.sum(bumps, axis=0)


def test_spikes_are_found_where_they_are() -> None:
    found = find_transients(_spikes((3.0, 7.0, 12.0), 150.0), RATE_HZ)
    positive = found.sample[found.is_positive]
    assert positive / RATE_HZ == pytest.approx([3.0, 7.0, 12.0], abs=0.005)
    assert found.amplitude_uv[found.is_positive] == pytest.approx([137] * 3, abs=8)


def test_polarity_follows_the_sign(rng) -> None:
    samples = _spikes((3.0, 7.0), 150.0) + rng.normal(size=5120)
    up, down = find_transients(samples, RATE_HZ), find_transients(-samples, RATE_HZ)
    assert np.array_equal(up.sample[up.is_positive], down.sample[~down.is_positive])
    assert up.background_rms_uv == pytest.approx(down.background_rms_uv)


def test_the_band_pass_is_a_zero_phase_butterworth(rng) -> None:
    samples = rng.normal(size=3000)
    sections = butter(4, (1.0, 70.0), "bandpass", fs=RATE_HZ, output="sos")
    assert np.allclose(band_passed(samples, RATE_HZ), sosfiltfilt(sections, samples))


def test_width_is_measured_at_half_height() -> None:
    found = find_transients(_spikes((3.0,), 150.0), RATE_HZ)
    # 2 sqrt(ln 2) of 20 ms, widened by the filter and by whole samples
    assert found.width_sec[0] == pytest.approx(0.033, abs=0.012)


def test_sharpness_is_the_steepest_step_near_the_peak(rng) -> None:
    samples = _spikes((3.0,), 150.0) + rng.normal(size=5120)
    found = find_transients(samples, RATE_HZ)
    filtered = band_passed(samples, RATE_HZ)
    near = slice(found.sample[0] - 17, found.sample[0] + 18)
    steepest = np.abs(np.diff(filtered[near])).max() * RATE_HZ
    assert found.sharpness_uv_s[0] == pytest.approx(steepest)


def test_two_of_one_sign_are_70_ms_apart(rng) -> None:
    found = find_transients(80 * rng.normal(size=20_000), RATE_HZ, min_amplitude_uv=10)
    for mask in (found.is_positive, ~found.is_positive):
        assert np.diff(found.sample[mask]).min() >= int(0.07 * RATE_HZ)


def test_amplitude_scales_and_nothing_else(rng) -> None:
    samples = 50 * rng.normal(size=5000)
    one = find_transients(samples, RATE_HZ, min_amplitude_uv=60)
    two = find_transients(2 * samples, RATE_HZ, min_amplitude_uv=120)
    assert np.array_equal(one.sample, two.sample)
    assert np.allclose(2 * one.amplitude_uv, two.amplitude_uv)
    assert np.allclose(one.width_sec, two.width_sec)


def test_a_constant_and_nan_have_no_candidates() -> None:
    assert find_transients(np.full(1000, 5.0), RATE_HZ).sample.size == 0
    broken = np.zeros(1000)
    broken[500] = np.nan
    found = find_transients(broken, RATE_HZ)
    assert found.sample.size == 0
    assert np.isnan(found.background_rms_uv)


def test_a_rate_without_room_for_the_band_is_refused() -> None:
    assert not can_filter(4.0)
    with pytest.raises(ArgumentError, match="4 Hz is too low"):
        band_passed(np.zeros(1000), 4.0)
    with pytest.raises(ArgumentError, match="20 samples are too few"):
        band_passed(np.zeros(20), RATE_HZ)
    assert least_samples(RATE_HZ) == 128


def test_no_limit_keeps_maxima_below_zero(rng) -> None:
    samples = 50 * rng.normal(size=5000)
    all_of_them = find_transients(samples, RATE_HZ, min_amplitude_uv=None)
    above_zero = find_transients(samples, RATE_HZ, min_amplitude_uv=0.0)
    assert all_of_them.sample.size > above_zero.sample.size
