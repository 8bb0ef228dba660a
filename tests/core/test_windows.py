"""Seconds to samples: membership, no drift, what is left over."""

import numpy as np
import pytest

from eegcore.windows import (
    count_windows,
    first_sample,
    first_samples,
    place_windows,
    truncated_sample,
)


@pytest.mark.parametrize("rate_hz", [1.0, 100.0, 128.0, 173.61, 256.0, 2048.0])
def test_a_sample_belongs_to_the_range_that_holds_its_time(rate_hz: float) -> None:
    for n in (0, 1, 29, 57, 1000, 40_000, 16_956_001):
        assert first_sample(n / rate_hz, rate_hz) == n
        assert first_sample((n + 0.5) / rate_hz, rate_hz) == n + 1


def test_rounding_noise_does_not_lose_a_sample() -> None:
    assert 0.29 * 100 < 29
    assert first_sample(0.29, 100.0) == 29
    assert truncated_sample(0.29, 100.0) == 28  # as the release counts


@pytest.mark.parametrize("rate_hz", [100.0, 173.61, 256.0])
@pytest.mark.parametrize("window_sec", [2.0, 2.5, 30.0])
def test_adjoining_windows_share_no_sample_and_leave_none_out(
    rate_hz: float, window_sec: float
) -> None:
    grid = place_windows(0.0, 3600.0, window_sec, step_sec=window_sec)
    starts = first_samples(grid.start_sec, rate_hz)
    stops = first_samples(grid.stop_sec, rate_hz)
    assert np.array_equal(starts[1:], stops[:-1])
    assert set(np.diff(starts)) <= {
        int(window_sec * rate_hz),
        int(window_sec * rate_hz) + 1,
    }


def test_windows_at_the_rate_of_bonn_do_not_drift() -> None:
    grid = place_windows(0.0, 86400.0, 2.0, step_sec=2.0)
    assert grid.start_sec[-1] == 86398.0
    start = first_samples(grid.start_sec, 173.61)[-1]
    assert abs(start / 173.61 - 86398.0) < 1 / 173.61


def test_what_is_left_out_is_told() -> None:
    grid = place_windows(0.0, 10.0, 3.0, step_sec=3.0)
    assert grid.start_sec.tolist() == [0.0, 3.0, 6.0]
    assert grid.left_out_sec == pytest.approx(1.0)


def test_a_range_of_one_window_holds_it_despite_rounding() -> None:
    assert count_windows(0.3 - 0.1, 0.2, 0.2) == 1
    assert count_windows(30.0, 30.0, 5.0) == 1
    assert count_windows(29.9, 30.0, 5.0) == 0


def test_steps_may_overlap_or_skip() -> None:
    assert place_windows(0.0, 10.0, 4.0, step_sec=2.0).start_sec.size == 4
    assert place_windows(0.0, 10.0, 1.0, step_sec=5.0).start_sec.tolist() == [0.0, 5.0]


def test_an_agents_huge_time_does_not_overflow() -> None:
    assert truncated_sample(1e308, 256.0) == 256 * 10**9


@pytest.mark.parametrize("count", [0, 1, 2])
def test_times_are_floats_whatever_was_given(count: int) -> None:
    grid = place_windows(3, 3 + 5 * count, 5, step_sec=5)
    assert grid.start_sec.tolist() == [3.0 + 5 * k for k in range(count)]
    assert grid.start_sec.dtype == grid.stop_sec.dtype == np.float64
    found = first_samples(grid.stop_sec, 100.0)
    assert found.tolist() == [100 * (8 + 5 * k) for k in range(count)]
    assert found.dtype == np.int64
