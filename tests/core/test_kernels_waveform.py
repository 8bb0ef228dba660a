import numpy as np
import pytest

import naive
from eegcore.kernels import waveform as kernels
from eegcore.moments import figures_of
from eegcore.waveform import waveform, waveform_from, waveform_of
from eegcore.workspace import layout_of, ones_then_zeros, sample_kind
from stored import stored_recording

ROWS = (
    *("rest", "least", "greatest", "n_least", "n_greatest", "n_flat"),
    *("first", "second", "last_but_one", "last"),
)
SUMS = ("square", "cube", "fourth", "step_square", "bend_square", "path")


@pytest.mark.parametrize("scale", [0, 1, 100, 1000, 4000, 60000])
@pytest.mark.parametrize("encoding", ["int16", "int24"])
@pytest.mark.parametrize("n", [1, 2, 3, 31, 32, 33, 100, 125, 256, 449, 1000])
def test_sums_equal_the_slow_twin(rng, scale, encoding, n):
    x = np.round(rng.standard_normal(4 * n) * scale).clip(-32768, 32767).astype(int)
    if encoding == "int24":
        x = x * 120 - 100_000
    recording = stored_recording(x[None], 100.0, encoding=encoding)
    spans = np.arange(4)[:, None] * n + np.array([0, n])
    out = (np.zeros((6, 4)), np.zeros((11, 4), np.int32))
    work = (np.zeros(n + 96, sample_kind(recording)), np.zeros(n + 96, np.int16))
    given = (ones_then_zeros(), 7)
    kernels.stretch_sums(layout_of(recording), 0, spans, given, work, out)
    for k in range(4):
        some, centre = x[k * n : k * n + n], out[1][0, k]
        assert some.min() <= centre <= some.max()
        slow = naive.stretch_sums(some.tolist(), 7, int(centre))
        assert [slow[row] for row in ROWS] == out[1][1:, k].tolist()
        np.testing.assert_allclose(
            out[0][:, k], [float(slow[row]) for row in SUMS], rtol=1e-12
        )


@pytest.mark.parametrize("gain", [0.1, -0.1])
def test_figures_equal_numpy_however_the_range_is_cut(rng, gain):
    x = np.round(np.cumsum(rng.standard_normal(60 * 250)) * 20).astype(int)
    recording = stored_recording(x[None], 250.0, per_record=750, gain=gain, offset=-3.0)
    for start, stop in ((0, 15000), (3, 14999), (249, 2501), (5, 9), (250, 1000)):
        found = waveform_of(recording, 0, start, stop)
        plain = waveform(recording.read_samples(0, start, stop), 250.0)
        np.testing.assert_allclose(np.array(found), np.array(plain), rtol=1e-9)


@pytest.mark.parametrize("encoding", ["int16", "int24"])
@pytest.mark.parametrize("per_record", [50, 4000])
@pytest.mark.parametrize("levels", [2, 3, 1000])
def test_crossings_equal_the_exact_twin(rng, levels, per_record, encoding):
    x = rng.integers(0, levels, 40 * 100)
    recording = stored_recording(
        x[None], 100.0, per_record=per_record, encoding=encoding
    )
    starts = np.arange(0, 3901, 130)  # the last stretch ends with the data
    found = figures_of(recording, 0, starts, starts + 100)
    slow = [naive.crossings(x[s : s + 100].tolist()) for s in starts]
    assert found.crossings.tolist() == slow


def test_an_offset_of_a_million_steps_changes_no_moment(rng):
    x = np.round(rng.standard_normal(5120) * 30).astype(int)
    near = stored_recording(x[None], 256.0, encoding="int24")
    far = stored_recording(x[None] + 3_000_000, 256.0, encoding="int24")
    span = np.array([0]), np.array([5120])
    a = waveform_from(figures_of(near, 0, *span), 5120, 256.0)
    b = waveform_from(figures_of(far, 0, *span), 5120, 256.0)
    assert a.std_uv == b.std_uv
    assert a.kurtosis == b.kurtosis
    assert a.hjorth_complexity == b.hjorth_complexity
    assert a.zero_crossing_rate_hz == b.zero_crossing_rate_hz


def test_full_scale_square_wave_is_summed_exactly():
    x = np.where(np.arange(2560) % 2, 32767, -32768)
    recording = stored_recording(x[None], 256.0, gain=1.0)
    found = figures_of(recording, 0, np.array([0]), np.array([2560]))
    assert found.path[0] == 2559 * 65535
    assert found.n_extreme[0] == 2560
    np.testing.assert_allclose(found.fourth[0], 32767.5**4, rtol=1e-14)
