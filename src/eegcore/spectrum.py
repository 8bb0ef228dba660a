"""Power spectral density (Welch, multitaper), named bands, band power.

Band power is a weighted sum of density bins (`band_weights`), so every band rule is a
vector of weights, whatever computes the density.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from eegcore.bands import BANDS_HZ as BANDS_HZ
from eegcore.bands import SIGMA_HZ as SIGMA_HZ
from eegcore.bands import TOTAL_HZ as TOTAL_HZ
from eegcore.bands import Band as Band
from eegcore.bands import band_weights as band_weights
from eegcore.bands import bin_spacing
from eegcore.bands import total_band_hz as total_band_hz
from eegcore.blocksums import Sums
from eegcore.recording import Recording
from eegcore.signals import samples_of
from eegcore.workspace import fast_block

Float = NDArray[np.float64]

SEGMENT_SEC = 2.0
_CHUNK_SEGMENTS = 2048
_AT_ONCE = 32
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
    mean over segments. To the last bit what `scipy.signal.welch` gives, whose import
    takes half a second of every worker process.

    References
    ----------
    Welch 1967, IEEE Trans. Audio Electroacoust. 15:70-73.
    """
    n_samples = samples.shape[-1]
    n_segment = segment_length(n_samples, rate_hz, segment_sec=segment_sec)
    overlap = n_segment // 2
    hop = n_segment - overlap
    n_segments = max(1, 1 + (n_samples - n_segment) // hop)
    window = _hann(n_segment, rate_hz)
    total: Float = np.zeros((*samples.shape[:-1], n_segment // 2 + 1))
    for first in range(0, n_segments, _CHUNK_SEGMENTS):  # memory stays flat
        count = min(_CHUNK_SEGMENTS, n_segments - first)
        chunk = samples[..., first * hop : (first + count) * hop + overlap]
        segments = sliding_window_view(chunk, n_segment, axis=-1)[..., ::hop, :]
        total += _mean_density(segments, window) * (count / n_segments)
    bins = np.arange(n_segment // 2 + 1, dtype=np.float64)
    frequencies: Float = bins * (rate_hz / n_segment)
    return Spectrum(frequencies, total, rate_hz)


def _hann(n: int, rate_hz: float) -> Float:
    """Return the periodic Hann window, scaled so that squares are a density."""
    angles = np.linspace(-np.pi, np.pi, n + 1)[:-1]
    window = 0.5 + 0.5 * np.cos(angles) if n > 1 else np.ones(1)
    # summed one by one, as scipy does: another order is another last bit
    power = sum((window**2).tolist())
    return np.asarray(window * (1 / np.sqrt(power / (1 / rate_hz))))


def _mean_density(segments: Float, window: Float) -> Float:
    """Return the mean density of segments (..., n_segments, n_samples)."""
    *rows, n_segments, n = segments.shape
    # segments last: the mean of a contiguous axis is summed in pairs, as scipy's
    density: Float = np.empty((*rows, n // 2 + 1, n_segments))
    for first in range(0, n_segments, _AT_ONCE):
        some = segments[..., first : first + _AT_ONCE, :]
        some = (some - some.mean(axis=-1, keepdims=True)) * window
        lines = np.moveaxis(np.fft.rfft(some, axis=-1), -1, -2)
        density[..., first : first + _AT_ONCE] = lines.real**2 + lines.imag**2
    density[..., 1 : -1 if n % 2 == 0 else None, :] *= 2
    return np.asarray(density.mean(axis=-1))


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
    if method == "welch":
        kernel_density = _stored_density(
            recording, channel_index, start, stop, as_volts
        )
        if kernel_density is not None:
            return kernel_density
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


def _stored_density(
    recording: Recording,
    channel_index: int,
    start: int,
    stop: int,
    as_volts: bool,  # noqa: FBT001 - internal
) -> Spectrum | None:
    """Welch density from the stored integers; None where there is no fast way.

    A density of rounding noise alone (a constant), which the release shows, is none.
    """
    facts = recording.channels[channel_index]
    h = fast_block(recording, channel_index)
    if not 0 < 2 * h <= stop - start or (as_volts and facts.to_uv is None):
        return None
    n_segments = (stop - start) // h - 1
    density = Sums(recording, channel_index).density_sum(
        channel_index, start, n_segments
    )
    if as_volts and not density[1:].max() > 0:
        return None
    scale = facts.gain * (1.0 if facts.to_uv is None else facts.to_uv)
    # the squares of a periodic Hann window of 2 h samples add up to 3/8 of 2 h
    density *= scale * scale / (facts.rate_hz * 0.75 * h * n_segments)
    density[1:-1] *= 2.0
    frequencies = np.arange(h + 1, dtype=np.float64) * (facts.rate_hz / (2 * h))
    return Spectrum(frequencies, density, facts.rate_hz)
