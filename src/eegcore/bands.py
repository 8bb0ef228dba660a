"""Frequency bands, and what each bin of a spectrum counts in them.

A band power is a weighted sum of density bins; bins with the same weights in every band
are summed once by the kernels (an atom).
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
Band = tuple[float, float]

BANDS_HZ: dict[str, Band] = {
    "delta": (1.0, 4.0),
    "theta": (4.0, 8.0),
    "alpha": (8.0, 13.0),
    "beta": (13.0, 30.0),
    "gamma": (30.0, 45.0),
}
SIGMA_HZ: Band = (11.0, 16.0)
TOTAL_HZ: Band = (1.0, 45.0)
WINDOW_BANDS_HZ: dict[str, Band] = {
    "delta": BANDS_HZ["delta"],
    "theta": BANDS_HZ["theta"],
    "alpha": BANDS_HZ["alpha"],
    "sigma": SIGMA_HZ,
    "beta": BANDS_HZ["beta"],
    "gamma": BANDS_HZ["gamma"],
}


_FEW_BINS = 4097  # weights in spectra of so many bins are kept


def bin_spacing(frequencies_hz: Float) -> float:
    """Spacing of evenly spaced bins; infinite for a single one."""
    if frequencies_hz.size < 2:
        return float("inf")
    return float(frequencies_hz[1] - frequencies_hz[0])


def band_weights(
    frequencies_hz: Float, band_hz: Band, *, exact_edges: bool = True
) -> Float:
    """Weights w with power in the band = sum(w * density).

    Parameters
    ----------
    frequencies_hz : ndarray, float64, (n_bins,)
        Evenly spaced from 0.
    band_hz : (float, float)
        Lower and upper edge.
    exact_edges : bool
        True: the density, taken as straight lines between bins, is integrated from
        edge to edge, so that neighbouring bands add up. False: trapezoids over the
        bins within the band; what lies between an edge and the next bin is lost.

    Returns
    -------
    ndarray, float64, (n_bins,)
        All NaN where the band does not exist in such a spectrum: narrower than the
        spacing of the bins, or (exact edges) beyond the last bin; False: no bin.
    """
    frequencies_hz = np.asarray(frequencies_hz, np.float64)
    if frequencies_hz.size > _FEW_BINS:
        return _weights(frequencies_hz, band_hz, exact_edges=exact_edges)
    return _known_weights(frequencies_hz.tobytes(), band_hz, exact_edges=exact_edges)


@lru_cache(maxsize=256)
def _known_weights(frequencies: bytes, band_hz: Band, *, exact_edges: bool) -> Float:
    weights = _weights(np.frombuffer(frequencies), band_hz, exact_edges=exact_edges)
    weights.flags.writeable = False
    return weights


def _weights(frequencies_hz: Float, band_hz: Band, *, exact_edges: bool) -> Float:
    low, high = band_hz
    step = bin_spacing(frequencies_hz)
    if not exact_edges:
        inside = (frequencies_hz >= low) & (frequencies_hz <= high)
        return _trapezoid_weights(inside, step)
    beyond = high > frequencies_hz[-1] + step / 2 + 1e-9 or not np.isfinite(step)
    if beyond or high - low < step * (1 - 1e-9):
        return np.full(frequencies_hz.size, np.nan)
    return _integral_weights(frequencies_hz, high) - _integral_weights(
        frequencies_hz, low
    )


def _trapezoid_weights(inside: NDArray[np.bool_], step: float) -> Float:
    positions = np.flatnonzero(inside)
    if not positions.size:
        return np.full(inside.size, np.nan)
    weights = np.zeros(inside.size)
    if positions.size > 1:
        weights[positions] = step
        weights[positions[[0, -1]]] = step / 2
    return weights


def _integral_weights(frequencies_hz: Float, edge_hz: float) -> Float:
    """Weights of the integral from 0 to an edge."""
    step = bin_spacing(frequencies_hz)
    weights = np.zeros(frequencies_hz.size)
    whole = min(int(edge_hz / step + 1e-9), frequencies_hz.size - 1)
    if whole:
        weights[: whole + 1] = step
        weights[[0, whole]] = step / 2
    rest = edge_hz - whole * step
    if rest > 1e-9 * step:
        if whole + 1 < frequencies_hz.size:
            weights[whole] += rest - rest * rest / (2 * step)
            weights[whole + 1] += rest * rest / (2 * step)
        else:  # between the last bin of an odd length and half the rate
            weights[whole] += rest
    return weights


def total_band_hz(rate_hz: float) -> Band:
    """Return what relative power refers to: 1 Hz to 45 Hz, or to half the rate."""
    return TOTAL_HZ[0], min(TOTAL_HZ[1], rate_hz / 2)


class Bands(NamedTuple):
    """Bins whose sums are kept.

    Attributes
    ----------
    atoms : tuple of int
        Rising bin numbers; sum a covers bins atoms[a] <= k < atoms[a + 1].
    checked : tuple of (int, int)
        First atom and end of each band that must be exact to 2e-6.
    """

    atoms: tuple[int, ...]
    checked: tuple[tuple[int, int], ...]


class BandTable(NamedTuple):
    """Bands as atoms and what each atom counts in each band.

    Attributes
    ----------
    bands : Bands
    weights : ndarray, float64, (n_bands, n_atoms)
        One-sided factor included; NaN in the row of a band that does not exist.
    """

    bands: Bands
    weights: Float


def band_table(weights: Float) -> BandTable:
    """Atoms of some bands.

    Parameters
    ----------
    weights : ndarray, float64, (n_bands, n_bins)
        Power in a band = sum of weights * one-sided density. Bin 0 must count nothing.
    """
    exists = np.array([not np.isnan(row).any() for row in weights])
    known = np.where(exists[:, None], weights, 0.0)
    factor = np.full(known.shape[1], 2.0)
    factor[[0, -1]] = 1.0
    known = known * factor
    used = np.flatnonzero((known != 0).any(axis=0))
    low, high = (int(used[0]), int(used[-1]) + 1) if used.size else (1, 2)
    changes = np.flatnonzero(
        (known[:, low + 1 : high] != known[:, low : high - 1]).any(axis=0)
    )
    atoms = (low, *(changes + low + 1).tolist(), high)
    per_atom = known[:, list(atoms[:-1])]
    checked = []
    for row in per_atom[exists]:
        counted = np.flatnonzero(row)
        if counted.size:
            checked.append((int(counted[0]), int(counted[-1]) + 1))
    per_atom = np.where(exists[:, None], per_atom, np.nan)
    return BandTable(Bands(atoms, tuple(dict.fromkeys(checked))), per_atom)


@lru_cache(maxsize=64)
def window_bands(rate_hz: float) -> BandTable:
    """Return the bands of windows in a spectrum with segments of 2 s.

    Rows: the bands of `WINDOW_BANDS_HZ` and what relative power refers to, with exact
    edges; then the same bands by trapezoids over bins, as the published release.
    """
    n = int(2 * rate_hz)
    frequencies = np.arange(n // 2 + 1, dtype=np.float64) * (rate_hz / n)
    bands = tuple(WINDOW_BANDS_HZ.values())
    exact = [band_weights(frequencies, b) for b in (*bands, total_band_hz(rate_hz))]
    released = [band_weights(frequencies, b, exact_edges=False) for b in bands]
    return band_table(np.stack([*exact, *released]))
