"""Time-domain figures against their definitions."""

import numpy as np
import pytest
from scipy import stats

import eegcore
from eegcore.waveform import line_length, waveform, waveform_of


def test_figures_follow_their_definitions(rng) -> None:
    x = rng.gamma(2.0, size=5000) + 100.0
    found = waveform(x, 200.0)
    steps = np.diff(x)
    assert float(found.std_uv) == pytest.approx(x.std())
    assert float(found.rms_uv) == pytest.approx(np.sqrt(np.mean(x**2)))
    assert float(found.skewness) == pytest.approx(stats.skew(x))
    assert float(found.kurtosis) == pytest.approx(stats.kurtosis(x))
    assert float(found.hjorth_mobility) == pytest.approx(np.sqrt(steps.var() / x.var()))
    bend = np.sqrt(np.diff(steps).var() / steps.var())
    wanted = bend / np.sqrt(steps.var() / x.var())
    assert float(found.hjorth_complexity) == pytest.approx(wanted)
    assert float(found.line_length_uv_s) == pytest.approx(np.abs(steps).sum() / 25.0)
    assert float(found.peak_to_peak_uv) == pytest.approx(np.ptp(x))


def test_a_sine_has_its_textbook_figures() -> None:
    x = 30 * np.sin(2 * np.pi * 10 * (np.arange(2560) + 0.5) / 256)
    found = waveform(x, 256.0)
    assert float(found.rms_uv) == pytest.approx(30 / np.sqrt(2))
    assert float(found.kurtosis) == pytest.approx(-1.5)
    assert float(found.zero_crossing_rate_hz) == pytest.approx(20.0, abs=0.11)


def test_a_sample_at_the_mean_counts_once_or_as_released_twice() -> None:
    x = np.array([-1.0, 0.0, 1.0, 0.0, -1.0, 1.0])
    assert float(waveform(x, 6.0).zero_crossing_rate_hz) == 3.0
    released = waveform(x, 6.0, zero_is_above=False)
    assert float(released.zero_crossing_rate_hz) == 5.0


def test_a_constant_has_size_but_no_shape() -> None:
    found = waveform(np.full(100, 12.499999999999998), 100.0)
    assert float(found.hjorth_activity) == 0.0
    assert float(found.rms_uv) == pytest.approx(12.5)
    for name in ("skewness", "kurtosis", "hjorth_mobility", "hjorth_complexity"):
        assert np.isnan(getattr(found, name)), name


def test_nan_makes_every_figure_nan(rng) -> None:
    x = rng.normal(size=(2, 100))
    x[0, 7] = np.nan
    found = waveform(x, 100.0)
    assert all(np.isnan(figure[0]) for figure in found)
    assert all(np.isfinite(figure[1]) for figure in found)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_few_samples_give_nan_where_steps_are_missing(n: int) -> None:
    found = waveform(np.arange(n) * 2.0, 10.0)
    assert np.isnan(found.hjorth_complexity)
    assert (n == 0) == np.isnan(found.mean_uv)


def test_a_large_offset_costs_no_digits(rng) -> None:
    x = rng.normal(size=2000)
    near, far = waveform(x, 100.0), waveform(x + 1e6, 100.0)
    for name in ("hjorth_activity", "kurtosis", "skewness", "zero_crossing_rate_hz"):
        assert float(getattr(far, name)) == pytest.approx(
            float(getattr(near, name)), rel=1e-6, abs=1e-6
        )


def test_rows_are_independent(rng) -> None:
    x = rng.normal(size=(4, 300))
    together = waveform(x, 100.0)
    for i in range(4):
        for a, b in zip(together, waveform(x[i], 100.0), strict=True):
            assert a[i] == pytest.approx(float(b), rel=1e-12)


def test_line_length_alone_is_the_same(rng) -> None:
    x = rng.normal(size=300)
    assert line_length(x, 50.0) == pytest.approx(
        float(waveform(x, 50.0).line_length_uv_s)
    )
    assert np.isnan(line_length(np.empty(0), 50.0))


def test_computing_in_volts_gives_microvolts_all_the_same(rng) -> None:
    recording = eegcore.from_array(50 * rng.normal(size=1000), 100.0, ["C3"])
    plain = waveform_of(recording, 0, 0, 1000)
    volts = waveform_of(recording, 0, 0, 1000, as_volts=True)
    for name, a, b in zip(plain._fields, plain, volts, strict=True):
        assert float(a) == pytest.approx(float(b), rel=1e-9), name
