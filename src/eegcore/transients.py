"""Candidate transients: sharp deflections by time, amplitude, width and steepness.

Candidates are local extrema of the band-passed signal, nothing more: what an
epileptiform spike is, is for the reader to judge.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore.errors import ArgumentError
from eegcore.recording import Recording
from eegcore.signals import samples_of
from eegcore.slabs import band_pass, find_candidates_of, select
from eegcore.workspace import is_stored_voltage

Float = NDArray[np.float64]

FILTER_BAND_HZ = (1.0, 70.0)
FILTER_ORDER = 4
PEAK_DISTANCE_SEC = 0.07


class Transients(NamedTuple):
    """Candidates of one signal: positive ones by time, then negative ones by time.

    Attributes
    ----------
    sample : ndarray, int64, (n,)
        Position of the extremum.
    amplitude_uv : ndarray, float64, (n,)
        Absolute value of the filtered signal there.
    width_sec : ndarray, float64, (n,)
        Time around it in which the signal's size stays at half of that or above.
    sharpness_uv_s : ndarray, float64, (n,)
        Steepest step within 70 ms of it.
    is_positive : ndarray, bool, (n,)
    background_rms_uv, background_peak_to_peak_uv : float
        Of the whole filtered signal.
    """

    sample: NDArray[np.int64]
    amplitude_uv: Float
    width_sec: Float
    sharpness_uv_s: Float
    is_positive: NDArray[np.bool_]
    background_rms_uv: float
    background_peak_to_peak_uv: float


def least_samples(rate_hz: float) -> int:
    """Fewest samples that the zero-phase filter can pad."""
    return max(28, int(0.5 * rate_hz))


def can_filter(rate_hz: float) -> bool:
    """Whether a band from 1 Hz fits below half the rate less 1 Hz."""
    return min(FILTER_BAND_HZ[1], rate_hz / 2 - 1.0) > FILTER_BAND_HZ[0]


def band_passed(samples: Float, rate_hz: float) -> Float:
    """Zero-phase 1-70 Hz Butterworth band-pass of order 4, run both ways.

    Parameters
    ----------
    samples : ndarray, float64, (n_samples,)
        Padded at both ends by odd reflection, as `scipy.signal.sosfiltfilt` does.
        NaN spreads over all of it.
    rate_hz : float
        The upper edge is at most half the rate less 1 Hz.

    Raises
    ------
    ArgumentError
        The rate leaves no band, or there are too few samples.
    """
    from scipy.signal import butter, sosfiltfilt

    if not can_filter(rate_hz):
        raise ArgumentError(
            f"a rate of {rate_hz:g} Hz is too low for a band from 1 Hz; above 4 Hz is"
            " needed"
        )
    if samples.size < 28:
        raise ArgumentError(f"{samples.size} samples are too few; 28 are needed")
    high = min(FILTER_BAND_HZ[1], rate_hz / 2 - 1.0)
    sections = butter(
        FILTER_ORDER, (FILTER_BAND_HZ[0], high), "bandpass", fs=rate_hz, output="sos"
    )
    filtered: Float = sosfiltfilt(sections, samples)
    return filtered


def find_transients(
    samples: Float,
    rate_hz: float,
    *,
    min_amplitude_uv: float | None = 70.0,
    to_uv: float = 1.0,
) -> Transients:
    """Candidate transients of one signal.

    Parameters
    ----------
    samples : ndarray, float64, (n_samples,)
        At least `least_samples(rate_hz)`. NaN gives no candidate and NaN figures; a
        constant gives no candidate.
    rate_hz : float
    min_amplitude_uv : float or None
        None: every local extremum, also a maximum below zero.
    to_uv : float
        Factor from `samples` to uV.

    Notes
    -----
    Extrema of both signs, each sign with at least 70 ms between two (the larger one
    wins). Width counts samples, without interpolation.
    """
    filtered = band_passed(samples, rate_hz) * to_uv
    distance = max(1, int(PEAK_DISTANCE_SEC * rate_hz))
    if np.isnan(filtered).any():
        positive = negative = np.empty(0, dtype=np.int64)
    else:
        positive = _peaks(filtered, min_amplitude_uv, distance)
        negative = _peaks(-filtered, min_amplitude_uv, distance)
    sample = np.concatenate([positive, negative])
    size = np.abs(filtered)
    return Transients(
        sample=sample,
        amplitude_uv=size[sample],
        width_sec=_half_widths(size, sample) / rate_hz,
        sharpness_uv_s=_steepest(filtered, sample, distance) * rate_hz,
        is_positive=np.arange(sample.size) < positive.size,
        background_rms_uv=float(np.sqrt(np.mean(filtered * filtered))),
        background_peak_to_peak_uv=float(np.ptp(filtered)),
    )


def _peaks(signal: Float, least: float | None, distance: int) -> NDArray[np.int64]:
    from scipy.signal import find_peaks

    found = find_peaks(signal, height=least, distance=distance)[0]
    return np.asarray(found, dtype=np.int64)


def _half_widths(size: Float, peaks: NDArray[np.int64]) -> Float:
    """Return samples between the nearest ones below half the peak, or the ends."""
    widths = np.empty(peaks.size)
    last = size.size - 1
    for i, peak in enumerate(peaks):
        half = size[peak] / 2
        widths[i] = _below(size[peak:], half, last - peak) + _below(
            size[peak::-1], half, int(peak)
        )
    return widths


def _below(size: Float, half: float, limit: int) -> int:
    """Return steps until the first value below half, at most `limit`."""
    reach = 64
    while reach < limit:
        found = size[:reach] < half
        if found.any():
            return int(np.argmax(found))
        reach *= 8
    found = size[: limit + 1] < half
    return int(np.argmax(found)) if found.any() else limit


def _steepest(filtered: Float, peaks: NDArray[np.int64], distance: int) -> Float:
    """Largest absolute step from `distance` samples before a peak to as many after.

    The step onto the very last sample of the signal is not counted.
    """
    steps = np.abs(np.diff(filtered))
    out = np.zeros(peaks.size)
    for i, peak in enumerate(peaks):
        low, high = max(0, peak - distance), min(steps.size - 1, peak + distance)
        if low < high:
            out[i] = steps[low:high].max()
    return out


def transients_of(
    recording: Recording,
    channel_index: int,
    start: int,
    stop: int,
    *,
    min_amplitude_uv: float | None = 70.0,
    as_volts: bool = False,
) -> Transients:
    """Candidates among stored samples start..stop-1; `sample` counts from `start`."""
    facts = recording.channels[channel_index]
    able = can_filter(facts.rate_hz) and stop - start >= least_samples(facts.rate_hz)
    if able and min_amplitude_uv and is_stored_voltage(recording, channel_index):
        quick = _stored_transients(
            recording, channel_index, start, stop, float(min_amplitude_uv)
        )
        if quick is not None:
            return quick
    values, to_shown, rate_hz = samples_of(
        recording, channel_index, start, stop, as_volts=as_volts
    )
    return find_transients(
        values, rate_hz, min_amplitude_uv=min_amplitude_uv, to_uv=to_shown
    )


def _stored_transients(
    recording: Recording, channel_index: int, start: int, stop: int, least_uv: float
) -> Transients | None:
    """Return transients from the stored integers; None where there is no such way."""
    rate_hz = recording.channels[channel_index].rate_hz
    low_hz, high_hz = FILTER_BAND_HZ[0], min(FILTER_BAND_HZ[1], rate_hz / 2 - 1.0)
    distance = max(1, int(PEAK_DISTANCE_SEC * rate_hz))
    found = find_candidates_of(
        recording,
        channel_index,
        start,
        stop,
        chosen=band_pass(FILTER_ORDER, low_hz, high_hz, rate_hz),
        least=least_uv,
        distance=distance,
    )
    if found is None:
        return None
    size = np.abs(found.value)
    chosen = []
    for side in (found.value > 0, found.value < 0):
        members = np.flatnonzero(side)
        keep = select(found.position[members], size[members], distance)
        chosen.append(members[keep])
    both = np.concatenate(chosen)
    return Transients(
        sample=found.position[both],
        amplitude_uv=size[both],
        width_sec=found.width[both] / rate_hz,
        sharpness_uv_s=found.steepest[both] * rate_hz,
        is_positive=np.arange(both.size) < chosen[0].size,
        background_rms_uv=float(np.sqrt(found.mean_square)),
        background_peak_to_peak_uv=found.high - found.low,
    )
