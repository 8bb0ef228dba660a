"""Power spectral density (Welch, multitaper), named bands, band power.

Band power is a weighted sum of density bins (`band_weights`), so every band rule is a
vector of weights, whatever computes the density.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore.recording import Recording
from eegcore.signals import samples_of

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
SEGMENT_SEC = 2.0
TOTAL_HZ: Band = (1.0, 45.0)
_CHUNK_SEGMENTS = 2048
_TAPER_SEGMENT_SEC = 30.0
_TAPER_BANDWIDTH = 4.0  # time times half bandwidth
_N_TAPERS = 7


class Spectrum(NamedTuple):
    """One-sided power spectral density.

    Attributes
    ----------
    frequencies_hz : ndarray, float64, (n_bins,)
        From 0, evenly spaced.
    density : ndarray, float64, (..., n_bins)
        uV^2/Hz (or the signal's unit squared per Hz).
    rate_hz : float
    """

    frequencies_hz: Float
    density: Float
    rate_hz: float

    @property
    def resolution_hz(self) -> float:
        """Spacing of the bins."""
        return bin_spacing(self.frequencies_hz)


def bin_spacing(frequencies_hz: Float) -> float:
    """Spacing of evenly spaced bins; infinite for a single one."""
    if frequencies_hz.size < 2:
        return float("inf")
    return float(frequencies_hz[1] - frequencies_hz[0])


def segment_length(
    n_samples: int, rate_hz: float, *, segment_sec: float = SEGMENT_SEC
) -> int:
    """Return samples of a Welch segment: whole ones in `segment_sec`, or all."""
    return max(1, min(int(segment_sec * rate_hz), n_samples))


def welch_density(
    samples: Float, rate_hz: float, *, segment_sec: float = SEGMENT_SEC
) -> Spectrum:
    """Power spectral density by Welch's method.

    Parameters
    ----------
    samples : ndarray, float64, (..., n_samples)
        uV. A signal shorter than a segment is one segment. NaN gives NaN; a constant
        gives 0.
    rate_hz : float
    segment_sec : float
        Length of a segment, `int(segment_sec * rate_hz)` samples.

    Notes
    -----
    Periodic Hann window, 50 % overlap, mean of each segment removed, density scaling,
    mean over segments.

    References
    ----------
    Welch 1967, IEEE Trans. Audio Electroacoust. 15:70-73.
    """
    from scipy.signal import welch

    n_samples = samples.shape[-1]
    n_segment = segment_length(n_samples, rate_hz, segment_sec=segment_sec)
    overlap = n_segment // 2
    hop = n_segment - overlap
    n_segments = max(1, 1 + (n_samples - n_segment) // hop)
    total: Float = np.zeros((*samples.shape[:-1], n_segment // 2 + 1))
    for first in range(0, n_segments, _CHUNK_SEGMENTS):  # memory stays flat
        count = min(_CHUNK_SEGMENTS, n_segments - first)
        chunk = samples[..., first * hop : (first + count) * hop + overlap]
        density = welch(chunk, rate_hz, nperseg=n_segment, noverlap=overlap)[1]
        total += density * (count / n_segments)
    bins = np.arange(n_segment // 2 + 1, dtype=np.float64)
    frequencies: Float = bins * (rate_hz / n_segment)
    return Spectrum(frequencies, total, rate_hz)


def multitaper_density(
    samples: Float, rate_hz: float, *, segment_sec: float = _TAPER_SEGMENT_SEC
) -> Spectrum:
    """Power spectral density by Thomson's multitaper method.

    Parameters
    ----------
    samples : ndarray, float64, (n_samples,)
        uV. NaN gives NaN; a constant gives 0.
    rate_hz : float
    segment_sec : float
        A longer signal is cut into equal segments of at most this length, without
        overlap, and their densities averaged; up to one sample a segment is left out.

    Notes
    -----
    Seven DPSS tapers of unit energy, time half-bandwidth product 4 (in 30 s: +-0.13
    Hz), mean removed; density = 2 / rate * mean over tapers of |FFT(taper * x)|^2.
    White noise of variance s^2 has density 2 s^2 / rate.

    References
    ----------
    Thomson 1982, Proc. IEEE 70:1055-1096.
    """
    longest = max(1, int(segment_sec * rate_hz))
    n_segments = max(1, -(-samples.shape[-1] // longest))
    n = samples.shape[-1] // n_segments
    tapers = _tapers(n)
    total: Float = np.zeros(n // 2 + 1)
    for k in range(n_segments):
        segment = samples[k * n : (k + 1) * n]
        centred = segment - segment.mean()
        lines = np.fft.rfft(tapers * centred, axis=-1)
        total += np.mean(lines.real**2 + lines.imag**2, axis=0)
    density = total / (n_segments * rate_hz)
    density[1 : (n + 1) // 2] *= 2.0
    frequencies: Float = np.arange(n // 2 + 1) * (rate_hz / n)
    return Spectrum(frequencies, density, rate_hz)


@lru_cache(maxsize=8)
def _tapers(n: int) -> Float:
    from scipy.signal.windows import dpss

    half_bandwidth = min(_TAPER_BANDWIDTH, (n - 1) / 2 - 0.01)
    count = max(1, min(_N_TAPERS, int(2 * half_bandwidth) - 1, n))
    tapers: Float = np.atleast_2d(dpss(n, half_bandwidth, Kmax=count))
    return tapers


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


def band_power(spectrum: Spectrum, band_hz: Band, *, exact_edges: bool = True) -> Float:
    """Power within a band, uV^2; NaN where the spectrum does not resolve it.

    Parameters
    ----------
    spectrum : Spectrum
    band_hz : (float, float)
    exact_edges : bool
        See `band_weights`.
    """
    weights = band_weights(spectrum.frequencies_hz, band_hz, exact_edges=exact_edges)
    power: Float = spectrum.density @ weights
    return power


def band_powers(
    spectrum: Spectrum,
    bands_hz: Mapping[str, Band] | None = None,
    *,
    exact_edges: bool = True,
) -> dict[str, Float]:
    """Power of each named band (default: `BANDS_HZ`), uV^2."""
    bands = BANDS_HZ if bands_hz is None else bands_hz
    return {
        name: band_power(spectrum, band, exact_edges=exact_edges)
        for name, band in bands.items()
    }


def total_band_hz(rate_hz: float) -> Band:
    """Return what relative power refers to: 1 Hz to 45 Hz, or to half the rate."""
    return TOTAL_HZ[0], min(TOTAL_HZ[1], rate_hz / 2)


def density_of(
    recording: Recording,
    channel_index: int,
    start: int,
    stop: int,
    *,
    method: str = "welch",
    as_volts: bool = False,
) -> Spectrum:
    """Power spectral density of stored samples start..stop-1 of one channel.

    Parameters
    ----------
    method : str
        "welch" or "multitaper".
    as_volts : bool
        See `eegcore.signals.samples_of`; the density is in uV^2/Hz all the same.
    """
    values, to_shown, rate_hz = samples_of(
        recording, channel_index, start, stop, as_volts=as_volts
    )
    if not as_volts and values.size:
        values -= values[0]  # makes a constant exactly zero, at any offset
    estimate = welch_density if method == "welch" else multitaper_density
    spectrum = estimate(values, rate_hz)
    if to_shown != 1.0:
        return spectrum._replace(density=spectrum.density * to_shown**2)
    return spectrum
