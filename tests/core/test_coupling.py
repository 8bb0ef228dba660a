"""Correlation and asymmetry."""

import numpy as np
import pytest

import eegcore
from eegcore.coupling import asymmetry, correlation, correlation_of, mean_absolute


def test_correlation_equals_numpy(rng) -> None:
    samples = rng.normal(size=(5, 2000)) @ np.diag(np.ones(2000))
    samples[1] += samples[0]
    found = correlation(samples)
    assert np.allclose(found.matrix, np.corrcoef(samples), atol=1e-12)


def test_blocks_give_the_same_as_the_whole(rng, monkeypatch) -> None:
    samples = rng.normal(size=(3, 10_000)) + np.array([[1e5], [0.0], [-3.0]])
    recording = eegcore.from_array(samples, 100.0, ["C3", "C4", "Cz"])
    monkeypatch.setattr("eegcore.coupling._BLOCK_SAMPLES", 333)
    found = correlation_of(recording, (0, 1, 2), 100, 9_900)
    wanted = np.corrcoef(samples[:, 100:9_900])
    assert np.allclose(found.matrix, wanted, atol=1e-9)


def test_a_constant_channel_correlates_with_nothing(rng) -> None:
    samples = rng.normal(size=(3, 100))
    samples[1] = 7.0
    found = correlation(samples)
    assert found.is_constant.tolist() == [False, True, False]
    assert np.isnan(found.matrix[1]).all()
    assert np.isfinite(found.matrix[0, 2])


def test_nan_stays_in_its_channel(rng) -> None:
    samples = rng.normal(size=(3, 100))
    samples[2, 5] = np.nan
    recording = eegcore.from_array(samples, 100.0, ["C3", "C4", "Cz"])
    for found in (correlation(samples), correlation_of(recording, (0, 1, 2), 0, 100)):
        assert np.isnan(found.matrix[2]).all()
        assert np.isfinite(found.matrix[0, 1])
        assert not found.is_constant.any()


def test_the_mean_leaves_out_what_does_not_exist() -> None:
    matrix = np.array([[1.0, 0.5, np.nan], [0.5, 1.0, np.nan], [np.nan] * 3])
    found = mean_absolute(matrix)
    assert found[:2].tolist() == [0.5, 0.5]
    assert np.isnan(found[2])


@pytest.mark.parametrize(
    ("left", "right", "wanted"), [(3.0, 1.0, 0.5), (0.0, 2.0, -1.0), (2.0, 2.0, 0.0)]
)
def test_asymmetry_is_the_difference_over_the_sum(left, right, wanted) -> None:
    assert float(asymmetry(left, right)) == wanted


def test_asymmetry_of_nothing_does_not_exist() -> None:
    assert np.isnan(asymmetry(0.0, 0.0))
