import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt

import naive
from eegcore import blocksums, coupling, productsums, slabs, transients
from stored import stored_recording


def spiky(rng, n, rate_hz):
    x = np.cumsum(rng.standard_normal(n)) * 3
    for at in rng.integers(0, n - 20, n // 300):
        x[at : at + 10] += rng.choice([-1, 1]) * rng.integers(300, 3000)
    return np.round(x + 4000 * np.sin(np.arange(n) / rate_hz)).astype(int)


@pytest.mark.parametrize("rate_hz", [100.0, 173.61, 256.0])
@pytest.mark.parametrize("n", [28 + 60, 5000, 40000, 400_000])
def test_slabs_are_filtered_as_scipy_filters_the_whole(rng, rate_hz, n):
    x = spiky(rng, n, rate_hz)
    recording = stored_recording(x[None] + 9000, rate_hz, gain=0.2)
    high = min(70.0, rate_hz / 2 - 1)
    sections = butter(4, (1.0, high), "bandpass", fs=rate_hz, output="sos")
    plain = sosfiltfilt(sections, (x + 9000) * 0.2)
    chosen = slabs.band_pass(4, 1.0, high, rate_hz)
    grid = slabs._grid(n, chosen, 0)
    seen = np.zeros(n, int)
    for at in range(0, len(grid.lanes), 16):
        lanes = grid.lanes[at : at + 16]
        group = slabs._Group(recording, lanes, grid.length, (0, n), chosen)
        for rows, (low, first, stop, _) in group.windows(0.2):
            for row, (_, row0, begin, end) in zip(rows, lanes, strict=False):
                begin, end = max(begin, row0 + first), min(end, row0 + stop)
                if begin >= end:
                    continue
                part = row[begin - row0 - low : end - row0 - low]
                seen[begin:end] += 1
                np.testing.assert_allclose(
                    part, plain[begin:end], atol=1e-9 * np.abs(plain).max()
                )
    assert (seen == 1).all()


@pytest.mark.parametrize("gain", [0.2, -0.2])
@pytest.mark.parametrize("least", [5.0, 70.0])
def test_candidates_equal_those_of_scipy(rng, gain, least):
    x = spiky(rng, 60_000, 200.0)
    recording = stored_recording(x[None], 200.0, gain=gain)
    for start, stop in ((0, 60_000), (123, 20_000)):
        found = transients.transients_of(
            recording, 0, start, stop, min_amplitude_uv=least
        )
        values = recording.read_samples(0, start, stop)
        plain = transients.find_transients(values, 200.0, min_amplitude_uv=least)
        np.testing.assert_array_equal(found.sample, plain.sample)
        np.testing.assert_array_equal(found.width_sec, plain.width_sec)
        np.testing.assert_array_equal(found.is_positive, plain.is_positive)
        np.testing.assert_allclose(found.amplitude_uv, plain.amplitude_uv, rtol=1e-9)
        np.testing.assert_allclose(
            found.sharpness_uv_s, plain.sharpness_uv_s, rtol=1e-9
        )
        np.testing.assert_allclose(found[5:], plain[5:], rtol=1e-9)


def test_every_sample_may_be_a_candidate():
    x = np.where(np.arange(4000) % 2, 3000, -3000)
    recording = stored_recording(x[None], 100.0)
    found = transients.transients_of(recording, 0, 0, 4000, min_amplitude_uv=1e-3)
    values = recording.read_samples(0, 0, 4000)
    plain = transients.find_transients(values, 100.0, min_amplitude_uv=1e-3)
    assert abs(found.sample.size - plain.sample.size) <= 2


def test_the_larger_of_two_close_candidates_stays(rng):
    position = np.cumsum(rng.integers(1, 12, 400))
    size = rng.permutation(400).astype(float)
    found = slabs.select(position, size, 9)
    assert found.tolist() == naive.keep_apart(position.tolist(), size.tolist(), 9)


@pytest.mark.parametrize("n_channels", [1, 2, 5])
@pytest.mark.parametrize("scale", [10, 20_000])
def test_correlation_is_exact(rng, n_channels, scale):
    common = rng.standard_normal(1500)
    values = (rng.standard_normal((n_channels, 1500)) + common) * scale
    values = np.round(values.clip(-32768, 32767)).astype(int)
    recording = stored_recording(values, 100.0, per_record=100, gain=-0.5)
    found = coupling.correlation_of(recording, range(n_channels), 3, 1497)
    for i in range(n_channels):
        for j in range(n_channels):
            x, y = values[i, 3:1497].tolist(), values[j, 3:1497].tolist()
            both = naive.product_sum(x, y)
            alone = naive.product_sum(x, x) * naive.product_sum(y, y)
            expected = float(both) / float(alone) ** 0.5
            assert found.matrix[i, j] == pytest.approx(expected, rel=1e-12)


def test_kept_products_change_no_byte(rng, monkeypatch):
    monkeypatch.setattr(productsums, "PART_SAMPLES", 1000)
    values = np.cumsum(rng.integers(-300, 301, (3, 4800)), axis=1)
    recording = stored_recording(values % 30_000, 100.0, per_record=100, gain=0.5)
    fresh = coupling.correlation_of(recording, range(3), 250, 4700).matrix
    coupling.correlation_of(recording, range(3), 0, 4800)
    kept = coupling.correlation_of(recording, range(3), 250, 4700).matrix
    assert kept.tobytes() == fresh.tobytes()
    blocksums.forget(recording)
    assert recording not in productsums._kept
    plain = np.corrcoef(values[:, 250:4700] % 30_000)
    np.testing.assert_allclose(kept, plain, rtol=1e-11)
