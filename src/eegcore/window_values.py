"""Features of windows given as samples, and ratios of their band powers."""

import numpy as np
from numpy.typing import NDArray

from eegcore.bands import WINDOW_BANDS_HZ
from eegcore.gridded import WAVEFORM_FEATURES
from eegcore.spectrum import Spectrum, band_power, total_band_hz, welch_density
from eegcore.waveform import Waveform, scaled, waveform

Float = NDArray[np.float64]

# The release adds this to every divisor of powers in uV^2.
RELEASED_GUARD = 1e-20


def window_values(
    windows: Float,
    rate_hz: float,
    *,
    features: tuple[str, ...],
    as_released: bool = False,
    to_uv: float = 1.0,
) -> Float:
    """Features of windows given as rows.

    Parameters
    ----------
    windows : ndarray, float64, (n_windows, n_samples)
    as_released : bool
        As the published release computes (`paper-1.0`): bands from bins, relative to
        the sum of the six overlapping bands, 0 for what does not exist.
    to_uv : float
        Factor from `windows` to uV.

    Returns
    -------
    ndarray, float64, (n_features, n_windows)
    """
    out = np.empty((len(features), windows.shape[0]))
    figures: Waveform | None = None
    bands: dict[str, Float] = {}
    if any(name in WAVEFORM_FEATURES for name in features):
        figures = scaled(
            waveform(windows, rate_hz, zero_is_above=not as_released), to_uv
        )
    if any(name not in WAVEFORM_FEATURES for name in features):
        spectrum = welch_density(windows, rate_hz)
        spectrum = spectrum._replace(density=spectrum.density * to_uv**2)
        bands = _spectral(spectrum, windows, as_released=as_released)
    for row, name in enumerate(features):
        source = bands[name] if name in bands else getattr(figures, name)
        out[row] = np.nan_to_num(source, nan=0.0) if as_released else source
    return out


def _spectral(
    spectrum: Spectrum, windows: Float, *, as_released: bool
) -> dict[str, Float]:
    """All spectral features by name."""
    exact = not as_released
    power = {
        name: band_power(spectrum, band, exact_edges=exact)
        for name, band in WINDOW_BANDS_HZ.items()
    }
    if as_released:
        return shares(power, None, as_released=True)
    flat = np.ptp(windows, axis=-1) == 0.0
    power = {name: _zeroed(value, flat) for name, value in power.items()}
    whole = band_power(spectrum, total_band_hz(spectrum.rate_hz))
    return shares(power, _zeroed(whole, flat), as_released=False)


def _zeroed(power: Float, flat: NDArray[np.bool_]) -> Float:
    """Powers with 0 for flat windows; a band that does not exist has none there."""
    return np.where(flat & ~np.isnan(power), 0.0, power)


def shares(
    power: dict[str, Float], whole: Float | None, *, as_released: bool
) -> dict[str, Float]:
    """Return powers, relative powers and ratios by name of the feature."""
    if as_released or whole is None:
        power = {name: np.nan_to_num(value, nan=0.0) for name, value in power.items()}
        total: Float = np.sum(list(power.values()), axis=0)
    else:
        total = whole
    slow, fast = power["delta"] + power["theta"], power["alpha"] + power["beta"]
    features = {f"{name}_power": value for name, value in power.items()}
    for name, value in power.items():
        features[f"{name}_relative"] = ratio(value, total, as_released=as_released)
    features["theta_alpha_ratio"] = ratio(
        power["theta"], power["alpha"], as_released=as_released
    )
    features["slow_fast_ratio"] = ratio(slow, fast, as_released=as_released)
    return features


def ratio(above: Float, below: Float, *, as_released: bool = False) -> Float:
    """Quotient of two powers; NaN where the divisor is zero (released: guarded)."""
    if as_released:
        return above / (below + RELEASED_GUARD)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below > 0, above / below, np.nan)
