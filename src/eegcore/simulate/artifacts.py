"""Two-second epochs of simulated EEG, clean or mixed with an artifact at an SNR."""

import numpy as np
from scipy.signal import butter, sosfiltfilt

from eegcore.errors import ArgumentError
from eegcore.simulate import parameters as par
from eegcore.simulate.simulated import Simulated, microvolt_recording
from eegcore.simulate.sources import Samples, add_at, pink, rhythm, tapered, white

KINDS = ("clean", "ocular", "muscle")


def mixed(eeg: Samples, artifact: Samples, snr_db: float) -> Samples:
    """Return EEG plus the artifact at the given signal-to-noise ratio.

    Notes
    -----
    scale = RMS(eeg) / (RMS(artifact) * 10 ** (SNR / 10)), the rule of the paper
    (section 6.1): amplitudes, not powers, stand in the ratio.
    """
    rms_eeg, rms_artifact = (float(np.sqrt(np.mean(x**2))) for x in (eeg, artifact))
    if rms_artifact == 0:
        raise ArgumentError("the artifact is zero everywhere; it cannot be scaled")
    return eeg + artifact * (rms_eeg / (rms_artifact * 10 ** (snr_db / 10)))


def artifact_epoch(seed: int, *, kind: str, snr_db: float | None = None) -> Simulated:
    """Return one 2-s, 256-Hz, single-channel epoch.

    Parameters
    ----------
    seed : int
        Same seed, same digital samples.
    kind : "clean", "ocular" or "muscle"
    snr_db : float, optional
        Needed unless clean; the paper takes -7 to +2.

    Returns
    -------
    Simulated
        ``truth``: ``label`` and ``snr_db``.
    """
    if kind not in KINDS:
        raise ArgumentError(f"unknown kind {kind!r}; allowed: {', '.join(KINDS)}")
    if (snr_db is None) != (kind == "clean"):
        raise ArgumentError(f"snr_db is {snr_db} for kind {kind!r}; clean has none")
    rng = np.random.default_rng([seed, 2])
    signal = _clean(rng)
    if snr_db is not None:
        artifact = _ocular(rng) if kind == "ocular" else _muscle(rng)
        signal = mixed(signal, artifact, snr_db)
    return microvolt_recording(
        signal[None],
        par.EPOCH_RATE_HZ,
        channel_names=["EEG"],
        truth={"label": kind, "snr_db": snr_db, "simulated": True},
        record_duration_sec=par.ARTIFACT_EPOCH_SEC,
    )


def _samples() -> int:
    return int(par.EPOCH_RATE_HZ * par.ARTIFACT_EPOCH_SEC)


def _clean(rng: np.random.Generator) -> Samples:
    """Return 1/f activity with more or less alpha and beta."""
    n, rate = _samples(), par.EPOCH_RATE_HZ
    warm = int(2 * rate)
    share = rng.uniform(*par.EPOCH_ALPHA_SHARE)
    alpha_hz = rng.uniform(*par.EPOCH_ALPHA_HZ)
    signal = (
        np.sqrt(1 - share) * pink(rng, n + warm, rate, exponent=rng.uniform(1.0, 1.8))
        + np.sqrt(share) * rhythm(rng, n + warm, rate, centre_hz=alpha_hz, width_hz=1.5)
        + 0.25 * rhythm(rng, n + warm, rate, centre_hz=20.0, width_hz=12.0)
    )[warm:]
    sos = butter(2, [0.5, 80.0], "bandpass", fs=rate, output="sos")
    signal = sosfiltfilt(sos, signal)
    scaled: Samples = signal / signal.std() * rng.uniform(*par.EPOCH_EEG_UV)
    return scaled


def _ocular(rng: np.random.Generator) -> Samples:
    """Return blinks, or saccades that decay, on a slow drift."""
    n, rate = _samples(), par.EPOCH_RATE_HZ
    eye = np.zeros(n)
    if rng.random() < 0.65:
        for _ in range(
            rng.integers(par.BLINKS_PER_EPOCH[0], par.BLINKS_PER_EPOCH[1] + 1)
        ):
            width = int(rng.uniform(*par.BLINK_SEC) * rate)
            start = int(rng.integers(-width // 2, n - width // 2))
            add_at(eye, start, np.hanning(width) * rng.uniform(0.6, 1.0))
    else:
        for _ in range(rng.integers(1, 4)):
            start = int(rng.integers(-n // 4, n - 40))
            decay = np.exp(-np.arange(2 * n) / (par.SACCADE_DECAY_SEC * rate))
            add_at(eye, start, decay * rng.choice([-1, 1]) * rng.uniform(0.5, 1))
    eye += 0.15 * pink(rng, n, rate, exponent=2.0)
    sos = butter(2, [0.3, 10.0], "bandpass", fs=rate, output="sos")
    eye = sosfiltfilt(sos, eye)
    centred: Samples = eye - eye.mean()
    return centred


def _muscle(rng: np.random.Generator) -> Samples:
    """Return broad-band motor-unit noise, tonic or in bursts."""
    n, rate = _samples(), par.EPOCH_RATE_HZ
    centre = rng.uniform(*par.MUSCLE_PEAK_HZ)
    noise = rhythm(rng, n, rate, centre_hz=centre, width_hz=par.MUSCLE_WIDTH_HZ)
    noise += 0.3 * white(rng, n)
    if rng.random() < 0.5:
        length = int(rng.uniform(0.3, 1.5) * rate)
        start = int(rng.integers(0, n - length + 1))
        gain = np.full(n, 0.2)
        add_at(gain, start, tapered(length, 25))
        noise *= gain
    return noise
