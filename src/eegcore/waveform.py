"""Time-domain figures of a signal: moments, range, Hjorth, line length, crossings."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore.moments import Figures, figures_of
from eegcore.recording import Recording
from eegcore.signals import samples_of
from eegcore.workspace import fast_block

Float = NDArray[np.float64]


class Waveform(NamedTuple):
    """Time-domain figures, each float64 of shape (...), one number a signal.

    Attributes
    ----------
    mean_uv, std_uv, rms_uv, peak_to_peak_uv : ndarray
    skewness, kurtosis : ndarray
        Third and fourth standardized moment, the latter minus 3; of the sample, not
        corrected for bias. NaN for a constant.
    hjorth_activity : ndarray
        Variance, uV^2.
    hjorth_mobility, hjorth_complexity : ndarray
        On sample differences, so that they change with the rate; NaN for a constant.
    line_length_uv_s : ndarray
        Sum of absolute steps per second.
    zero_crossing_rate_hz : ndarray
        Crossings of the mean per second.
    """

    mean_uv: Float
    std_uv: Float
    rms_uv: Float
    peak_to_peak_uv: Float
    skewness: Float
    kurtosis: Float
    hjorth_activity: Float
    hjorth_mobility: Float
    hjorth_complexity: Float
    line_length_uv_s: Float
    zero_crossing_rate_hz: Float


def waveform(
    samples: Float,
    rate_hz: float,
    *,
    zero_is_above: bool = True,
    flat_by_range: bool = True,
) -> Waveform:
    """Time-domain figures of one or more signals.

    Parameters
    ----------
    samples : ndarray, float64, (..., n_samples)
        uV. NaN gives NaN everywhere; fewer than two samples give NaN for what needs
        differences.
    rate_hz : float
    zero_is_above : bool
        A sample at exactly the mean counts as above it. False: as a state of its
        own, so that passing through it counts twice (`paper-1.0`).
    flat_by_range : bool
        A signal whose samples are all equal has variance 0, exactly.

    Notes
    -----
    With x the signal, d its steps, dd the steps of d and var the variance:
    mobility = sqrt(var(d) / var(x)), complexity = sqrt(var(dd) / var(d)) / mobility,
    line length = sum(abs(d)) * rate / n. Moments are taken about the mean, so an
    offset of any size costs no digits.

    References
    ----------
    Hjorth 1970, Electroencephalogr. Clin. Neurophysiol. 29:306-310. Line length:
    Esteller et al. 2001, Proc. IEEE EMBS 23:1707-1710.
    """
    samples = np.asarray(samples, dtype=np.float64)
    n = samples.shape[-1]
    if n == 0:
        nothing = np.full(samples.shape[:-1], np.nan)
        return Waveform(*(nothing,) * 11)
    mean = samples.mean(axis=-1)
    centred = samples - mean[..., None]
    span = np.ptp(samples, axis=-1)
    variance = np.mean(centred * centred, axis=-1)
    if flat_by_range:
        variance = np.where(span == 0.0, 0.0, variance)
    steps = np.diff(samples, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        square = centred * centred
        skewness = np.mean(square * centred, axis=-1) / variance**1.5
        kurtosis = np.mean(square * square, axis=-1) / variance**2 - 3.0
        mobility, complexity = _hjorth(steps, variance)
    flat = variance == 0.0
    return Waveform(
        mean_uv=mean,
        std_uv=np.sqrt(variance),
        rms_uv=np.sqrt(np.mean(samples * samples, axis=-1)),
        peak_to_peak_uv=span,
        skewness=np.where(flat, np.nan, skewness),
        kurtosis=np.where(flat, np.nan, kurtosis),
        hjorth_activity=variance,
        hjorth_mobility=mobility,
        hjorth_complexity=complexity,
        line_length_uv_s=np.sum(np.abs(steps), axis=-1) * rate_hz / n,
        zero_crossing_rate_hz=_crossings(centred, zero_is_above) * rate_hz / n,
    )


def _hjorth(steps: Float, variance: Float) -> tuple[Float, Float]:
    nothing = np.full(variance.shape, np.nan)
    if steps.shape[-1] < 1:
        return nothing, nothing
    step_variance = steps.var(axis=-1)
    mobility = np.where(variance > 0, np.sqrt(step_variance / variance), np.nan)
    mobility = np.where(np.isnan(variance), np.nan, mobility)
    if steps.shape[-1] < 3:
        return mobility, nothing
    bend_variance = np.diff(steps, axis=-1).var(axis=-1)
    complexity = np.sqrt(bend_variance / step_variance) / mobility
    return mobility, np.where(step_variance > 0, complexity, np.nan)


def _crossings(centred: Float, zero_is_above: bool) -> Float:  # noqa: FBT001 - internal
    """Return changes of side along the last axis; NaN where a sample is NaN."""
    if zero_is_above:
        above = centred >= 0.0
        changes = above[..., 1:] != above[..., :-1]
    else:
        sign = np.sign(centred)
        changes = sign[..., 1:] != sign[..., :-1]
    count = np.count_nonzero(changes, axis=-1).astype(np.float64)
    bad = np.isnan(centred).any(axis=-1)
    return np.where(bad, np.nan, count)


def line_length(samples: Float, rate_hz: float) -> Float:
    """Line length, uV/s, of signals (..., n_samples); NaN for NaN or no sample."""
    n = samples.shape[-1]
    if n == 0:
        return np.full(samples.shape[:-1], np.nan)
    length: Float = np.sum(np.abs(np.diff(samples, axis=-1)), axis=-1) * rate_hz / n
    return length


def scaled(figures: Waveform, factor: float) -> Waveform:
    """Return the same figures of the signal times `factor` (above zero)."""
    if factor == 1.0:
        return figures
    return figures._replace(
        mean_uv=figures.mean_uv * factor,
        std_uv=figures.std_uv * factor,
        rms_uv=figures.rms_uv * factor,
        peak_to_peak_uv=figures.peak_to_peak_uv * factor,
        hjorth_activity=figures.hjorth_activity * factor**2,
        line_length_uv_s=figures.line_length_uv_s * factor,
    )


def waveform_from(figures: Figures, n: int, rate_hz: float) -> Waveform:
    """Time-domain figures of stretches of `n` stored integers, from their sums."""
    variance = figures.variance
    flat = variance == 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        mobility = np.where(flat, np.nan, np.sqrt(figures.step_variance / variance))
        complexity = np.sqrt(figures.bend_variance / figures.step_variance) / mobility
        skewness = np.where(flat, np.nan, figures.third / variance**1.5)
        kurtosis = np.where(flat, np.nan, figures.fourth / variance**2 - 3.0)
    moving = (figures.step_variance > 0) & (n > 3)
    return Waveform(
        mean_uv=figures.mean,
        std_uv=np.sqrt(variance),
        rms_uv=np.sqrt(figures.mean_square),
        peak_to_peak_uv=figures.peak_to_peak,
        skewness=skewness,
        kurtosis=kurtosis,
        hjorth_activity=variance,
        hjorth_mobility=mobility,
        hjorth_complexity=np.where(moving, complexity, np.nan),
        line_length_uv_s=figures.path * rate_hz / n,
        zero_crossing_rate_hz=figures.crossings * rate_hz / n,
    )


def waveform_of(
    recording: Recording,
    channel_index: int,
    start: int,
    stop: int,
    *,
    as_volts: bool = False,
    crossings: bool = True,
) -> Waveform:
    """Time-domain figures of stored samples start..stop-1 of one channel.

    Without `crossings` those of zero may be NaN: only they need the samples once their
    sums are kept. With `as_volts` computed as the published release does (see
    `eegcore.signals.samples_of`); amplitudes are in uV all the same.
    """
    facts = recording.channels[channel_index]
    fast = fast_block(recording, channel_index) and stop - start > 3
    if fast and (not as_volts or facts.to_uv is not None):
        spans = np.array([[start], [stop]], dtype=np.int64)
        found = figures_of(recording, channel_index, *spans, crossings=crossings)
        # where the release's answer hangs on its rounding, it is rounded as there
        hangs = found.mean_is_stored[0] or found.peak_to_peak[0] == 0
        if not as_volts or not hangs:
            figures = waveform_from(found, stop - start, facts.rate_hz)
            return Waveform(*(value[0] for value in figures))
    values, to_shown, rate_hz = samples_of(
        recording, channel_index, start, stop, as_volts=as_volts
    )
    figures = waveform(values, rate_hz, zero_is_above=not as_volts)
    return scaled(figures, to_shown)
