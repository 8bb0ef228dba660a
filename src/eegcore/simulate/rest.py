"""Short simulated recordings with one label: Bonn-like segments, resting EEG."""

import numpy as np
from scipy.signal import butter, sosfiltfilt

from eegcore.errors import ArgumentError
from eegcore.simulate import parameters as par
from eegcore.simulate.simulated import Simulated, microvolt_recording, require_positive
from eegcore.simulate.sources import Samples, pink, rhythm


def bonn_like(seed: int, *, label: str) -> Simulated:
    """Return a 23.6-s, 173.61-Hz single-channel segment in the manner of Bonn.

    Parameters
    ----------
    seed : int
        Same seed, same digital samples.
    label : "normal" or "epileptic"
        Scalp background with more or less alpha, or rhythmic ictal spiking.

    Returns
    -------
    Simulated
        ``truth["label"]``.
    """
    if label not in ("normal", "epileptic"):
        raise ArgumentError(f"unknown label {label!r}; allowed: normal, epileptic")
    rng = np.random.default_rng([seed, 3])
    n, rate = par.BONN_SAMPLES, par.BONN_RATE_HZ
    signal = _normal(rng, n + 400)[400:]
    if label == "epileptic":
        discharge = _discharge(rng, n)
        size = rng.uniform(*par.BONN_ICTAL_UV) * 0.7
        signal = signal + discharge / discharge.std() * size
    sos = butter(2, par.BONN_BAND_HZ, "bandpass", fs=rate, output="sos")
    signal = sosfiltfilt(sos, signal)
    return microvolt_recording(
        signal[None],
        rate,
        channel_names=["EEG"],
        truth={"label": label, "simulated": True},
        record_duration_sec=round(n / rate, 5),
    )


def _normal(rng: np.random.Generator, n: int) -> Samples:
    """Return background EEG of a healthy adult, eyes open or closed."""
    rate = par.BONN_RATE_HZ
    share = float(rng.choice([rng.uniform(0.02, 0.2), rng.uniform(0.3, 0.75)]))
    alpha_hz = rng.uniform(*par.ALPHA_CENTRE_HZ)
    signal = np.sqrt(1 - share) * pink(rng, n, rate, exponent=rng.uniform(1.2, 1.9))
    signal += np.sqrt(share) * rhythm(rng, n, rate, centre_hz=alpha_hz, width_hz=1.2)
    scaled: Samples = signal * rng.uniform(*par.BONN_NORMAL_UV)
    return scaled


def _discharge(rng: np.random.Generator, n: int) -> Samples:
    """Return rhythmic spiking whose frequency and height wander."""
    rate = par.BONN_RATE_HZ
    wander = pink(rng, n, rate, exponent=2.0)
    frequency = rng.uniform(*par.BONN_ICTAL_HZ) * (1 + 0.08 * wander)
    phase = 2 * np.pi * np.cumsum(frequency) / rate
    sharp = rng.uniform(1.0, 4.0)
    spikes = np.exp(sharp * (np.cos(phase) - 1)) - 0.5 * np.exp(
        sharp * (np.cos(phase - 1.8) - 1)
    )
    height = 1 + 0.3 * np.tanh(pink(rng, n, rate, exponent=2.0))
    discharge: Samples = (spikes - spikes.mean()) * height
    return discharge


def resting(
    seed: int, *, label: str, duration_sec: float = 120.0, rate_hz: float = 500.0
) -> Simulated:
    """Return eyes-closed resting EEG on 19 channels of the 10-20 system.

    Parameters
    ----------
    seed : int
        Same seed, same digital samples.
    label : "HC", "AD" or "FTD"
    duration_sec, rate_hz : float

    Returns
    -------
    Simulated
        ``truth["label"]``; ``age`` and ``sex`` as drawn from the cohort of ds004504.
    """
    if label not in par.RESTING_GROUPS:
        allowed = ", ".join(par.RESTING_GROUPS)
        raise ArgumentError(f"unknown label {label!r}; allowed: {allowed}")
    require_positive("duration_sec", duration_sec)
    require_positive("rate_hz", rate_hz)
    rng = np.random.default_rng([seed, 4])
    group = par.RESTING_GROUPS[label]
    age = int(np.clip(rng.normal(*group.age), 44, 79))
    sex = str(rng.choice(["F", "M"]))
    data = _resting_signals(rng, label, int(duration_sec * rate_hz), rate_hz)
    return microvolt_recording(
        data,
        rate_hz,
        channel_names=par.RESTING_CHANNELS,
        truth={"label": label, "simulated": True},
        age=age,
        sex=sex,
    )


def _resting_signals(
    rng: np.random.Generator, label: str, n: int, rate_hz: float
) -> Samples:
    """Return float64 (19, n) in uV."""
    group = par.RESTING_GROUPS[label]
    names = [par.RESTING_NEW_NAMES.get(c, c).upper() for c in par.RESTING_CHANNELS]
    ahead = np.array([par.ELECTRODE_XY[name][1] for name in names])  # 1 front, -1 back
    n_channels = len(names)
    peak_hz = float(np.clip(rng.normal(*group.peak_hz), 6.2, 12.5))
    sizes = np.array(group.rms_uv) * np.exp(
        par.RESTING_SUBJECT_SD * rng.standard_normal(3)
    )
    # linear from back (1) to front (the group's share)
    slope = 1 + (group.front - 1) * (ahead + 1) / 2
    frontal = par.FTD_FRONTAL_SLOW if label == "FTD" else 1.0
    slow_slope = 1 + (frontal - 1) * (ahead + 1) / 2
    size = par.RESTING_BACKGROUND_UV * np.exp(0.2 * rng.standard_normal())
    aperiodic = pink(rng, (n_channels + 1, n), rate_hz, exponent=1.2)
    data: Samples = size * _partly_shared(aperiodic)
    rhythms = ((peak_hz, 1.4, slope), (5.5, 2.2, slow_slope), (2.0, 2.0, slow_slope))
    for (centre, width, gain), rms in zip(rhythms, sizes, strict=True):
        shape = (n_channels + 1, n)
        part = rhythm(rng, shape, rate_hz, centre_hz=centre, width_hz=width)
        data += _partly_shared(part) * (gain * rms)[:, None]
    return data


def _partly_shared(rows: Samples) -> Samples:
    """Return all rows but the last, each sharing half of its variance with it."""
    shared: Samples = np.sqrt(0.5) * (rows[:-1] + rows[-1])
    return shared
