"""A simulated night (or a day and a night) as polysomnography with known stages."""

from types import MappingProxyType

import numpy as np
from scipy.ndimage import uniform_filter1d

from eegcore.errors import ArgumentError
from eegcore.simulate import parameters as par
from eegcore.simulate.architecture import course, states
from eegcore.simulate.simulated import MICROVOLT_STEP, Simulated, quantize
from eegcore.simulate.sources import (
    Samples,
    add_at,
    pink,
    placed,
    rhythm,
    spread,
    tapered,
    white,
)

RATE_HZ = 100.0
CHANNELS = ("EEG Fpz-Cz", "EEG Pz-Oz", "EOG horizontal", "EMG submental")
EMG_1HZ_STEP = 0.01


def night(
    seed: int,
    *,
    duration_sec: float = 8 * 3600.0,
    sleep_sec: float | None = None,
    age: int | None = None,
    sex: str | None = None,
    emg_rate_hz: float = 100.0,
    eeg_only: bool = False,
) -> Simulated:
    """Return a simulated polysomnogram in the manner of Sleep-EDF.

    Parameters
    ----------
    seed : int
        Same seed, same digital samples.
    duration_sec : float
        From 300 s to days; what is not sleep is wake before and after it.
    sleep_sec : float, optional
        Length of the sleep period; by default 6.2 to 8.2 h, at most 0.88 of all.
    age, sex : optional
        Drawn if not given; age lowers N3.
    emg_rate_hz : 100.0 or 1.0
        The chin EMG as a signal, or as its 1-Hz envelope (Sleep Cassette).
    eeg_only : bool
        Only the channel EEG Fpz-Cz.

    Returns
    -------
    Simulated
        ``truth["stages"]``: a tuple of W, N1, N2, N3, REM, one per 30 s.
    """
    if emg_rate_hz not in (1.0, 100.0):
        raise ArgumentError(f"emg_rate_hz is {emg_rate_hz}; allowed: 1, 100")
    rng = np.random.default_rng([seed, 6])
    drawn_age, drawn_sex = int(rng.integers(22, 80)), str(rng.choice(["F", "M"]))
    age, sex = (drawn_age if age is None else age), (drawn_sex if sex is None else sex)
    stages = course(rng, duration_sec, sleep_sec=sleep_sec, age=age)
    now = states(rng, stages)
    n = int(len(stages) * par.EPOCH_SEC * RATE_HZ)
    fpz, pz = _rhythms(rng, now, n)
    _add_sleep_events(rng, now, fpz, pz)
    eyes, blinks = _eyes(rng, now, n)
    tone = _tone(rng, now, n)
    muscle = rhythm(rng, n, RATE_HZ, centre_hz=33.0, width_hz=30.0) * tone
    eog = (
        eyes
        + par.BLINK_AT_EOG * blinks
        + par.EEG_AT_EOG * fpz
        + par.EOG_NOISE_UV * white(rng, n)
    )
    fpz += par.BLINK_AT_FPZ * blinks + par.EOG_AT_FPZ * eyes
    fpz += par.EMG_LEAK_TO_EEG * muscle
    pz += 0.6 * par.EMG_LEAK_TO_EEG * muscle
    _add_movement(rng, now, (fpz, pz, eog, muscle))
    muscle += par.EMG_FLOOR_UV * white(rng, n)
    return _pack(
        stages, (fpz, pz, eog, muscle), emg_rate_hz, eeg_only=eeg_only, age=age, sex=sex
    )


def _pack(
    stages: list[str],
    signals: tuple[Samples, ...],
    emg_rate_hz: float,
    *,
    eeg_only: bool,
    age: int,
    sex: str,
) -> Simulated:
    """Quantize the signals and put the recording together."""
    kept = list(signals[:1] if eeg_only else signals)
    rates = [RATE_HZ] * len(kept)
    steps = [MICROVOLT_STEP] * len(kept)
    if not eeg_only and emg_rate_hz == 1.0:
        kept[3] = np.sqrt((kept[3].reshape(-1, int(RATE_HZ)) ** 2).mean(axis=1))
        rates[3], steps[3] = 1.0, EMG_1HZ_STEP
    return Simulated(
        digital=quantize(kept, steps),
        rates_hz=tuple(rates),
        channel_names=CHANNELS[: len(kept)],
        units=("uV",) * len(kept),
        steps=tuple(steps),
        truth=MappingProxyType({"stages": tuple(stages), "simulated": True}),
        record_duration_sec=par.EPOCH_SEC,
        age=age,
        sex=sex,
    )


def _rhythms(
    rng: np.random.Generator, now: list[str], n: int
) -> tuple[Samples, Samples]:
    """Return the ongoing activity at Fpz-Cz and Pz-Oz."""
    names = list(par.STATE_RMS_UV)
    table = np.array([par.STATE_RMS_UV[name] for name in names])  # state, channel, part
    rms = table[[names.index(state) for state in now]].transpose(1, 2, 0).copy()
    subject = np.exp(par.SUBJECT_SD * rng.standard_normal(5))
    subject[3] = np.exp(par.ALPHA_SUBJECT_SD * rng.standard_normal())
    rms *= subject[None, :, None]
    rms *= np.exp(par.EPOCH_SD * rng.standard_normal((1, 5, len(now))))
    # slow activity builds up and fades over some minutes, alpha changes at once
    rms[:, 1] = uniform_filter1d(rms[:, 1], 5, axis=-1, mode="nearest")
    fpz, pz = (
        pink(rng, n, RATE_HZ, exponent=par.BACKGROUND_EXPONENT)
        * spread(rms[channel, 0], n)
        for channel in (0, 1)
    )
    alpha_hz = rng.uniform(*par.ALPHA_CENTRE_HZ)
    common = np.sqrt(par.SHARED_BETWEEN_CHANNELS)
    own = np.sqrt(1 - par.SHARED_BETWEEN_CHANNELS)
    for part, (centre_hz, width_hz) in enumerate(par.RHYTHMS_HZ, start=1):
        centre = alpha_hz if part == 3 else centre_hz
        shared, first, second = (
            rhythm(rng, n, RATE_HZ, centre_hz=centre, width_hz=width_hz)
            for _ in range(3)
        )
        fpz += (common * shared + own * first) * spread(rms[0, part], n)
        pz += (common * shared + own * second) * spread(rms[1, part], n)
    return fpz, pz


def _times(
    rng: np.random.Generator, now: list[str], per_minute: dict[str, float]
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return sorted sample numbers of events with a rate by state."""
    rates = np.array([per_minute.get(state, 0.0) for state in now])
    counts = rng.poisson(rates * par.EPOCH_SEC / 60)
    starts = np.repeat(np.arange(len(now)) * par.EPOCH_SEC, counts)
    seconds = np.sort(starts + rng.uniform(0, par.EPOCH_SEC, len(starts)))
    return (seconds * RATE_HZ).astype(np.int64)


def _add_sleep_events(
    rng: np.random.Generator, now: list[str], fpz: Samples, pz: Samples
) -> None:
    """Add spindles, K complexes and vertex waves in place."""
    own_hz = rng.uniform(*par.SPINDLE_HZ)
    density = np.exp(0.3 * rng.standard_normal())
    per_minute = {k: v * density for k, v in par.SPINDLES_PER_MINUTE.items()}
    for start in _times(rng, now, per_minute):
        length = int(rng.uniform(*par.SPINDLE_SEC) * RATE_HZ)
        t = np.arange(length) / RATE_HZ
        wave = np.sin(2 * np.pi * (own_hz + rng.normal(0, 0.4)) * t)
        wave *= np.hanning(length) * rng.uniform(*par.SPINDLE_PEAK_UV)
        add_at(fpz, int(start), wave)
        add_at(pz, int(start), par.SPINDLE_AT_PZ_OZ * wave)
    t = np.arange(int(1.2 * RATE_HZ)) / RATE_HZ
    k_shape = np.exp(-(((t - 0.25) / 0.1) ** 2)) - 0.8 * np.exp(
        -(((t - 0.6) / 0.18) ** 2)
    )
    starts = _times(rng, now, dict(par.K_COMPLEX_PER_MINUTE))
    sizes = rng.uniform(*par.K_COMPLEX_UV, len(starts)) / 1.6
    complexes = placed(len(fpz), starts, sizes, k_shape)
    fpz += complexes
    pz += par.K_COMPLEX_AT_PZ_OZ * complexes
    starts = _times(rng, now, {"N1": par.VERTEX_PER_MINUTE_N1})
    vertex = placed(
        len(fpz), starts, rng.uniform(*par.VERTEX_UV, len(starts)), k_shape[:50]
    )
    fpz += 0.7 * vertex
    pz += 0.3 * vertex


def _eyes(rng: np.random.Generator, now: list[str], n: int) -> tuple[Samples, Samples]:
    """Return horizontal eye movements and blinks, in uV at their own sites."""
    decay = np.exp(-np.arange(int(3 * RATE_HZ)) / (par.SACCADE_DECAY_SEC * RATE_HZ))
    jump = np.convolve(np.ones(4) / 4, decay)  # a saccade takes about 40 ms
    starts = [_times(rng, now, {"open": par.SACCADES_PER_MINUTE_OPEN, "closed": 3.0})]
    rate = rng.uniform(*par.REM_BURSTS_PER_MINUTE)
    for burst in _times(rng, now, {"REM": rate}):
        count = 1 + rng.poisson(par.REM_PER_BURST - 1)
        offsets = np.cumsum(rng.uniform(0.3, 1.2, count)) * RATE_HZ
        starts.append(burst + offsets.astype(np.int64))
    all_starts = np.concatenate(starts)
    sizes = rng.uniform(*par.SACCADE_UV, len(all_starts))
    signs = rng.choice([-1.0, 1.0], len(all_starts))
    eyes = placed(n, all_starts, sizes * signs, jump)
    rolling = rhythm(rng, n, RATE_HZ, centre_hz=0.3, width_hz=0.2)
    size = rng.uniform(*par.SLOW_EYE_UV) / 2
    gain = np.array([{"N1": 1.0, "closed": 0.35}.get(s, 0.05) for s in now]) * size
    eyes += rolling * spread(gain, n)
    width = int(0.3 * RATE_HZ)
    lid = np.concatenate([np.hanning(width), -0.25 * np.hanning(2 * width)])
    starts_blink = _times(rng, now, {"open": par.BLINKS_PER_MINUTE, "closed": 1.0})
    blinks = placed(n, starts_blink, rng.uniform(*par.BLINK_UV, len(starts_blink)), lid)
    return eyes, blinks


def _tone(rng: np.random.Generator, now: list[str], n: int) -> Samples:
    """Return the RMS of the chin EMG at every sample, with arousals and twitches."""
    size = np.exp(0.35 * rng.standard_normal())
    tone = np.array([par.EMG_TONE_UV[state] for state in now]) * size
    tone *= np.exp(par.EPOCH_SD * rng.standard_normal(len(now)))
    envelope = spread(tone, n)
    per_minute = dict.fromkeys(("N1", "N2", "N3", "REM"), par.AROUSALS_PER_HOUR / 60)
    for start in _times(rng, now, per_minute):
        length = int(rng.uniform(*par.AROUSAL_SEC) * RATE_HZ)
        add_at(envelope, int(start), 2.5 * size * tapered(length, 50))
    for start in _times(rng, now, {"REM": par.TWITCHES_PER_MINUTE_REM}):
        length = int(rng.uniform(0.1, 0.4) * RATE_HZ)
        add_at(envelope, int(start), rng.uniform(2, 8) * size * tapered(length, 5))
    return envelope


def _add_movement(
    rng: np.random.Generator, now: list[str], signals: tuple[Samples, ...]
) -> None:
    """Add body movement, shared by all channels, in place."""
    chances = [
        par.MOVEMENT_SHARE_OPEN if state == "open" else par.MOVEMENT_SHARE_SLEEP
        for state in now
    ]
    for epoch in np.flatnonzero(rng.random(len(now)) < np.array(chances)):
        length = int(rng.uniform(2, 15) * RATE_HZ)
        start = int((epoch * par.EPOCH_SEC + rng.uniform(0, 20)) * RATE_HZ)
        sway = pink(rng, length, RATE_HZ, exponent=1.8)
        sway *= tapered(length, 60) * rng.uniform(*par.MOVEMENT_UV) * 0.4
        burst = white(rng, length) * tapered(length, 30) * rng.uniform(5, 25)
        for share, signal in zip((0.6, 0.5, 0.8, 0.3), signals, strict=True):
            add_at(signal, start, share * sway)
            add_at(signal, start, (share if signal is not signals[3] else 2.0) * burst)
