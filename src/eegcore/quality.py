"""Signal quality: flat share, repeated extrema, line noise, high-frequency noise."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore.moments import figures_of
from eegcore.recording import Recording
from eegcore.signals import samples_of
from eegcore.spectrum import Spectrum, density_of, welch_density
from eegcore.workspace import fast_block

Float = NDArray[np.float64]

FLAT_STEP_UV = 0.1
LINE_HALF_WIDTH_HZ = 2.0
HIGH_FREQUENCY_HZ = 40.0
# The release guards its high-frequency ratio (not its line ratio) against a density
# of rounding noise alone; 1e-20 V^2/Hz is far below any amplifier.
_NOISE_GUARD = 1e-8


class Quality(NamedTuple):
    """Quality of one channel.

    Attributes
    ----------
    rms_uv : float
    flat_line_ratio : float
        Share of steps below 0.1 uV; NaN for fewer than two samples.
    saturation_ratio : float
        Share of samples equal to the maximum or the minimum: 1 for a constant, never
        below 2 / n.
    line_noise_ratio, high_frequency_ratio : float
        See `line_noise_ratio` and `high_frequency_ratio`.
    """

    rms_uv: float
    flat_line_ratio: float
    saturation_ratio: float
    line_noise_ratio: float
    high_frequency_ratio: float


def flat_ratio(samples: Float, *, step_uv: float = FLAT_STEP_UV) -> float:
    """Share of sample steps smaller than `step_uv`; NaN without a step or with NaN."""
    steps = np.abs(np.diff(samples))
    if not steps.size or np.isnan(samples).any():
        return float("nan")
    return float(np.count_nonzero(steps < step_uv) / steps.size)


def saturation_ratio(samples: Float) -> float:
    """Share of samples equal to the maximum or minimum; NaN for none or with NaN."""
    if not samples.size or np.isnan(samples).any():
        return float("nan")
    extreme = (samples == samples.max()) | (samples == samples.min())
    return float(np.count_nonzero(extreme) / samples.size)


def line_noise_ratio(spectrum: Spectrum, line_hz: float) -> float:
    """Mean density within 2 Hz of the mains over the mean density of the signal.

    Parameters
    ----------
    spectrum : Spectrum
        Of one signal.
    line_hz : float
        Mains frequency.

    Returns
    -------
    float
        1 for white noise. The signal's density is that from 1 Hz to half the rate
        less 1 Hz. NaN if the mains band does not lie below half the rate, or there
        is no power.
    """
    if line_hz + LINE_HALF_WIDTH_HZ > spectrum.rate_hz / 2:
        return float("nan")
    near = _near(spectrum, line_hz)
    whole = _whole(spectrum)
    if not near.any() or not whole.any():
        return float("nan")
    reference = spectrum.density[whole].mean()
    return float(spectrum.density[near].mean() / reference) if reference > 0 else np.nan


def high_frequency_ratio(spectrum: Spectrum, line_hz: float) -> float:
    """Share of the power above 40 Hz, mains and harmonics left out on both sides.

    Parameters
    ----------
    spectrum : Spectrum
        Of one signal.
    line_hz : float
        Mains frequency; bins within 2 Hz of it and of its multiples are left out.

    Returns
    -------
    float
        Power from 40 Hz to half the rate less 1 Hz / power from 1 Hz to there. NaN
        if that is no range, or there is no power.
    """
    frequencies = spectrum.frequencies_hz
    multiple = np.maximum(np.round(frequencies / line_hz), 1.0)
    clean = np.abs(frequencies - multiple * line_hz) > LINE_HALF_WIDTH_HZ
    whole = _whole(spectrum) & clean
    high = whole & (frequencies > HIGH_FREQUENCY_HZ)
    reference = spectrum.density[whole].sum()
    if not high.any() or not reference > 0:
        return float("nan")
    return float(spectrum.density[high].sum() / reference)


def _near(spectrum: Spectrum, line_hz: float) -> NDArray[np.bool_]:
    offset = np.abs(spectrum.frequencies_hz - line_hz)
    near: NDArray[np.bool_] = offset <= LINE_HALF_WIDTH_HZ
    return near


def _whole(spectrum: Spectrum) -> NDArray[np.bool_]:
    frequencies = spectrum.frequencies_hz
    whole: NDArray[np.bool_] = (frequencies >= 1.0) & (
        frequencies <= spectrum.rate_hz / 2 - 1.0
    )
    return whole


def _released_ratios(spectrum: Spectrum, line_hz: float) -> tuple[float, float]:
    """Line and high-frequency ratio as the published release forms them.

    0 where there is no such frequency; mains counted as high-frequency noise; of a
    constant, whatever the rounding left.
    """
    density = spectrum.density
    whole = density[_whole(spectrum)]
    near = density[_near(spectrum, line_hz)]
    high = density[spectrum.frequencies_hz > HIGH_FREQUENCY_HZ]
    if not whole.size or not whole.mean() > 0:
        return 0.0, 0.0
    line = float(near.mean() / whole.mean()) if near.size else 0.0
    return line, float(high.sum() / (whole.sum() + _NOISE_GUARD))


def quality(
    samples: Float,
    rate_hz: float,
    line_hz: float = 50.0,
    *,
    as_released: bool = False,
    to_uv: float = 1.0,
) -> Quality:
    """Quality of one signal.

    Parameters
    ----------
    samples : ndarray, float64, (n_samples,)
        NaN gives NaN everywhere. A constant has no noise ratios (NaN).
    rate_hz, line_hz : float
    as_released : bool
        The ratios of the published release (`paper-1.0`).
    to_uv : float
        Factor from `samples` to uV.
    """
    spectrum = welch_density(samples, rate_hz)
    spectrum = spectrum._replace(density=spectrum.density * to_uv**2)
    if as_released:
        line, high = _released_ratios(spectrum, line_hz)
    elif not np.ptp(samples) > 0:
        line = high = float("nan")
    else:
        line = line_noise_ratio(spectrum, line_hz)
        high = high_frequency_ratio(spectrum, line_hz)
    return Quality(
        rms_uv=float(np.sqrt(np.mean(samples * samples))) * to_uv,
        flat_line_ratio=flat_ratio(samples, step_uv=FLAT_STEP_UV / to_uv),
        saturation_ratio=saturation_ratio(samples),
        line_noise_ratio=line,
        high_frequency_ratio=high,
    )


def quality_of(
    recording: Recording,
    channel_index: int,
    start: int,
    stop: int,
    *,
    line_hz: float = 50.0,
    as_released: bool = False,
) -> Quality:
    """Quality of stored samples start..stop-1 of one channel."""
    quick = _stored_quality(recording, channel_index, start, stop, line_hz, as_released)
    if quick is not None:
        return quick
    values, to_shown, rate_hz = samples_of(
        recording, channel_index, start, stop, as_volts=as_released
    )
    return quality(values, rate_hz, line_hz, as_released=as_released, to_uv=to_shown)


def _stored_quality(
    recording: Recording,
    channel_index: int,
    start: int,
    stop: int,
    line_hz: float,
    as_released: bool,  # noqa: FBT001 - internal
) -> Quality | None:
    """Quality from the stored integers; None where there is no fast way.

    A step of exactly 0.1 uV, which rounding decides in the release, is none either.
    """
    facts = recording.channels[channel_index]
    h = fast_block(recording, channel_index)
    if not 0 < 2 * h <= stop - start or (as_released and facts.to_uv is None):
        return None
    scale = abs(facts.gain) * (1.0 if facts.to_uv is None else facts.to_uv)
    steps = FLAT_STEP_UV / scale
    if as_released and abs(steps - round(steps)) < 1e-6:
        return None
    spans = np.array([[start], [stop]], dtype=np.int64)
    found = figures_of(recording, channel_index, *spans, crossings=False)
    constant = found.peak_to_peak[0] == 0.0
    if as_released and constant:
        return None
    line = high = float("nan")
    if not constant:
        spectrum = density_of(
            recording, channel_index, start, stop, as_volts=as_released
        )
        if as_released:
            line, high = _released_ratios(spectrum, line_hz)
        else:
            line = line_noise_ratio(spectrum, line_hz)
            high = high_frequency_ratio(spectrum, line_hz)
    n = stop - start
    return Quality(
        rms_uv=float(np.sqrt(found.mean_square[0])),
        flat_line_ratio=float(found.n_flat[0] / (n - 1)),
        saturation_ratio=float(found.n_extreme[0] / n),
        line_noise_ratio=line,
        high_frequency_ratio=high,
    )
