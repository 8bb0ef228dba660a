"""Kernels that are called through several layers, against their plain twins."""

import numpy as np
import pytest
from scipy.signal import butter

import naive
from eegcore import transients
from eegcore.bandsums import band_powers_of
from eegcore.moments import figures_of
from eegcore.windowed import FEATURES, windowed_features
from stored import stored_recording


def walk(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.round(np.cumsum(rng.standard_normal(n)) * 20).astype(int)


@pytest.mark.parametrize("encoding", ["int16", "int24"])
@pytest.mark.parametrize("rate_hz", [64, 100, 128])
def test_window_features_equal_plain_loops(rng, rate_hz, encoding) -> None:
    x = walk(rng, 9 * rate_hz)
    x[3 * rate_hz : 6 * rate_hz] = 12  # a flat window
    x[7 * rate_hz] += 3000
    recording = stored_recording(x[None], float(rate_hz), encoding=encoding)
    found = windowed_features(recording, features=FEATURES, window_sec=3.0).values[0]
    for k in range(3):
        some = x[3 * k * rate_hz : 3 * (k + 1) * rate_hz].tolist()
        slow = np.array(naive.window_features(some, rate_hz, 0.1))
        if rate_hz == 64:  # what lies above 31.5 Hz is half a bin at half the rate
            slow[13:19] = found[13:19, k]
            assert np.isnan(found[[12, 18], k]).all()
        np.testing.assert_allclose(found[:7, k], slow[:7], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found[7:, k], slow[7:], rtol=4e-6, atol=1e-12)


def test_a_flat_window_at_64_hz_is_the_same_on_both_paths() -> None:
    import eegcore

    stored = stored_recording(np.full((1, 640), 7), 64.0)
    floats = eegcore.from_array(np.full(640, 0.7), 64.0, ["C3"])
    both = [
        windowed_features(r, features=FEATURES, window_sec=5.0).values
        for r in (stored, floats)
    ]
    np.testing.assert_allclose(both[0], both[1], rtol=1e-12)
    gamma = FEATURES.index("gamma_power")
    assert np.isnan(both[0][0, gamma]).all()


@pytest.mark.parametrize("blocks", [3, 64, 70])  # one by one, and joined by a kernel
def test_a_long_stretch_is_joined_as_by_hand(rng, blocks) -> None:
    h = 32
    x = walk(rng, (blocks + 2) * h) % 5000
    recording = stored_recording(x[None], float(h), gain=0.5)
    start, stop = h, (blocks + 1) * h
    found = figures_of(recording, 0, np.array([start]), np.array([stop]))
    parts = [x[at : at + h].tolist() for at in range(start, stop, h)]
    slow = naive.join(parts, 1, 0)
    n = blocks * h
    mean_square = 0.25 * slow["square"] / n
    assert found.mean_square[0] == pytest.approx(mean_square, rel=1e-12)
    assert found.path[0] == pytest.approx(0.5 * slow["path"], rel=1e-12)
    spread = 0.5 * (slow["greatest"] - slow["least"])
    assert found.peak_to_peak[0] == pytest.approx(spread, rel=1e-12)
    least, greatest = slow["n_least"], slow["n_greatest"]
    assert found.n_extreme[0] == least + greatest


def test_powers_of_a_long_stretch_are_sums_of_plain_segments(rng) -> None:
    h, blocks = 100, 70
    x = walk(rng, blocks * h)
    recording = stored_recording(x[None], float(h), gain=1.0)
    found = band_powers_of(recording, 0, np.array([0]), blocks * h)[:, 0]
    total = np.zeros(92)
    for at in range(0, (blocks - 1) * h, h):
        total += naive.segment_powers(x[at : at + 2 * h].tolist(), range(92))
    mean = (total / (blocks - 1)).tolist()
    for row, edge in enumerate(((1, 4), (4, 8), (8, 13), (11, 16), (13, 30), (30, 45))):
        assert found[row] == pytest.approx(naive.band_power(mean, h, *edge), rel=2e-6)


def test_candidates_equal_those_of_plain_loops(rng) -> None:
    rate_hz, n = 100.0, 3000
    x = walk(rng, n)
    for at in rng.integers(20, n - 20, 12):
        x[at : at + 4] += rng.choice([-1, 1]) * 900
    recording = stored_recording(x[None], rate_hz, gain=0.5)
    found = transients.transients_of(recording, 0, 0, n, min_amplitude_uv=60.0)
    sections = butter(4, (1.0, 49.0), "bandpass", fs=rate_hz, output="sos").tolist()
    filtered = naive.band_passed((0.5 * x).tolist(), sections)
    slow = naive.candidates(filtered, 60.0, int(0.07 * rate_hz))
    assert len(slow) > 10
    assert found.sample.tolist() == [at for at, _, _ in slow]
    widths = [width / rate_hz for _, width, _ in slow]
    np.testing.assert_allclose(found.width_sec, widths, rtol=1e-12)
    steep = [step * rate_hz for _, _, step in slow]
    np.testing.assert_allclose(found.sharpness_uv_s, steep, rtol=1e-8)
    sizes = [abs(filtered[at]) for at, _, _ in slow]
    np.testing.assert_allclose(found.amplitude_uv, sizes, rtol=1e-8)
