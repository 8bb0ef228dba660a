"""Relations between channels: correlation, left-right asymmetry."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore.productsums import products_of
from eegcore.recording import Recording
from eegcore.signals import samples_of
from eegcore.workspace import is_stored_voltage

Float = NDArray[np.float64]

_BLOCK_SAMPLES = 1 << 16


class Correlation(NamedTuple):
    """Pearson correlation between channels.

    Attributes
    ----------
    matrix : ndarray, float64, (n_channels, n_channels)
        NaN in the rows and columns of constant channels and of those with NaN.
    is_constant : ndarray, bool, (n_channels,)
    """

    matrix: Float
    is_constant: NDArray[np.bool_]


def correlation(samples: Float) -> Correlation:
    """Pearson correlation of every pair of channels.

    Parameters
    ----------
    samples : ndarray, float64, (n_channels, n_samples)
        Any unit. Fewer than two samples: all NaN.
    """
    centred = samples - samples.mean(axis=-1, keepdims=True)
    is_constant = np.ptp(samples, axis=-1) == 0.0
    return _from_products(centred @ centred.T, is_constant)


def _from_products(products: Float, is_constant: NDArray[np.bool_]) -> Correlation:
    """Correlation from the sums of products of mean-removed samples."""
    norm = np.sqrt(np.diag(products))
    norm = np.where(is_constant | ~(norm > 0), np.nan, norm)
    matrix = products / norm[:, None] / norm[None, :]
    matrix = np.clip(matrix, -1.0, 1.0)
    exact = np.flatnonzero(~np.isnan(norm))
    matrix[exact, exact] = 1.0
    return Correlation(matrix, is_constant)


def asymmetry(left: Float | float, right: Float | float) -> Float:
    """(left - right) / (left + right): -1 to 1 for sizes; NaN where both are zero."""
    left, right = np.asarray(left, np.float64), np.asarray(right, np.float64)
    total = left + right
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(total > 0, (left - right) / total, np.nan)


def mean_absolute(matrix: Float) -> Float:
    """Mean absolute correlation of each channel with the others, NaN ones left out.

    NaN for a channel without any number.
    """
    others = np.abs(matrix)
    np.fill_diagonal(others, np.nan)
    known = ~np.isnan(others)
    total = np.where(known, others, 0.0).sum(axis=1)
    count = known.sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def correlation_of(
    recording: Recording, channels: Sequence[int], start: int, stop: int
) -> Correlation:
    """Correlation of some channels of one rate over stored samples start..stop-1.

    Two passes in blocks (means, then products of mean-removed samples), so that
    memory follows the number of channels, not the duration.
    """
    if start < stop and all(is_stored_voltage(recording, c) for c in channels):
        return _stored_correlation(recording, channels, start, stop)
    blocks = range(start, stop, _BLOCK_SAMPLES)
    n_channels = len(channels)
    total = np.zeros(n_channels)
    low, high = np.full(n_channels, np.inf), np.full(n_channels, -np.inf)
    shift: Float | None = None
    for begin in blocks:
        block = _block(recording, channels, begin, stop)
        shift = block[:, :1].copy() if shift is None else shift
        total += (block - shift).sum(axis=1)
        low = np.minimum(low, block.min(axis=1))
        high = np.maximum(high, block.max(axis=1))
    if shift is None:
        empty = np.full((n_channels, n_channels), np.nan)
        return Correlation(empty, np.zeros(n_channels, dtype=np.bool_))
    mean = shift[:, 0] + total / (stop - start)
    products = np.zeros((n_channels, n_channels))
    for begin in blocks:
        block = _block(recording, channels, begin, stop) - mean[:, None]
        products += block @ block.T
    return _from_products(products, low == high)


def _stored_correlation(
    recording: Recording, channels: Sequence[int], start: int, stop: int
) -> Correlation:
    """Correlation from exact sums of products of the stored integers."""
    found = products_of(recording, channels, start, stop)
    total = found.sums.astype(np.float64)
    every = np.triu(found.products) + np.triu(found.products, 1).T
    sign = np.array([np.sign(recording.channels[c].gain) for c in channels])
    centred = (every - np.outer(total, total) / found.n_samples) * np.outer(sign, sign)
    return _from_products(centred, found.low == found.high)


def _block(
    recording: Recording, channels: Sequence[int], begin: int, stop: int
) -> Float:
    end = min(begin + _BLOCK_SAMPLES, stop)
    return np.stack([samples_of(recording, c, begin, end).values for c in channels])
