"""Simulated hours of bipolar scalp EEG with focal seizures, artifacts beside them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

from eegcore.errors import ArgumentError
from eegcore.simulate import disturbances
from eegcore.simulate import parameters as par
from eegcore.simulate.simulated import Simulated, microvolt_recording, require_positive
from eegcore.simulate.sources import Samples, add_at, pink, rhythm, spread, tapered

RATE_HZ = 256.0
ELECTRODES = tuple(par.ELECTRODE_XY)
GAP_SEC = 300.0


class Seizure(NamedTuple):
    """Where and when a simulated seizure runs."""

    onset_sec: float
    offset_sec: float
    focus: str


def seizure_recording(
    seed: int,
    *,
    duration_sec: float = 3600.0,
    n_seizures: int = 1,
    artifacts: bool = True,
) -> Simulated:
    """Return a simulated hour on the 23 bipolar channels of CHB-MIT, 256 Hz.

    Parameters
    ----------
    seed : int
        Same seed, same digital samples.
    duration_sec : float
        At least 60 s.
    n_seizures : int
        Focal seizures, at least 300 s apart where the length allows.
    artifacts : bool
        Chewing, movement, muscle, pops, blinks and interictal spikes beside them.

    Returns
    -------
    Simulated
        ``truth["events"]``: a tuple of (onset_sec, offset_sec);
        ``truth["artifacts"]``: a tuple of (kind, start_sec, stop_sec).
    """
    require_positive("duration_sec", duration_sec)
    if duration_sec < 60 or n_seizures < 0:
        raise ArgumentError(
            f"duration_sec is {duration_sec}, n_seizures {n_seizures}; "
            "at least 60 and 0 are allowed"
        )
    rng = np.random.default_rng([seed, 5])
    n = int(duration_sec * RATE_HZ)
    seizures = _schedule(rng, duration_sec, n_seizures)
    heads = _background(rng, n, seizures)
    focus_spread = {name: _map(name, par.SEIZURE_WIDTH[1]) for name in ELECTRODES}
    for seizure in seizures:
        _add_seizure(rng, heads, seizure)
    noted: list[tuple[str, float, float]] = []
    if artifacts:
        focus = seizures[0].focus if seizures else str(rng.choice(ELECTRODES))
        disturbances.add_spikes(rng, heads, focus_spread[focus], RATE_HZ)
        noted = disturbances.add_artifacts(rng, heads, ELECTRODES, RATE_HZ)
    data = _bipolar(heads)
    mains = rng.uniform(*par.MAINS_UV)
    t = np.arange(n) / RATE_HZ
    data += (
        np.sin(2 * np.pi * par.MAINS_HZ * t)
        * mains
        * rng.uniform(0.2, 1.0, (len(par.CHB_MONTAGE), 1))
    )
    truth: dict[str, object] = {
        "events": tuple((s.onset_sec, s.offset_sec) for s in seizures),
        "foci": tuple(s.focus for s in seizures),
        "artifacts": tuple(noted),
        "simulated": True,
    }
    return microvolt_recording(
        data, RATE_HZ, channel_names=par.CHB_MONTAGE, truth=truth
    )


def _schedule(
    rng: np.random.Generator, duration_sec: float, n_seizures: int
) -> list[Seizure]:
    """Draw onset, duration and focus; whole seconds, inside the recording."""
    foci = [name for name in ELECTRODES if not name.startswith("FT")]
    focus = str(rng.choice(foci))
    out: list[Seizure] = []
    for _ in range(200 * n_seizures):
        if len(out) == n_seizures:
            break
        longest = min(par.SEIZURE_SEC[1], duration_sec / 3)
        length = rng.uniform(min(par.SEIZURE_SEC[0], longest), longest)
        onset = round(rng.uniform(10, duration_sec - length - 5))
        gap = min(GAP_SEC, duration_sec / (2 * n_seizures + 1))
        if all(
            onset > s.offset_sec + gap or onset + length < s.onset_sec - gap
            for s in out
        ):
            out.append(Seizure(float(onset), float(onset + round(length)), focus))
    if len(out) < n_seizures:
        raise ArgumentError(
            f"{n_seizures} seizures do not fit into {duration_sec} s; allowed: fewer"
        )
    return sorted(out)


def _map(focus: str, width: float) -> Samples:
    """Return how strongly each electrode sees a source at one electrode."""
    places = np.array([par.ELECTRODE_XY[name] for name in ELECTRODES])
    distance = np.linalg.norm(places - np.array(par.ELECTRODE_XY[focus]), axis=1)
    weights: Samples = np.exp(-((distance / width) ** 2) / 2)
    return weights


def _mixing(width: float) -> Samples:
    """Return (n_electrodes, n_electrodes): local sources smeared by the skull."""
    mixing = np.stack([_map(name, width) for name in ELECTRODES], axis=1)
    mixing /= np.linalg.norm(mixing, axis=1, keepdims=True)
    return mixing


def _mixed(mixing: Samples, sources: Samples) -> Samples:
    """Return mixing times sources, one electrode at a time (same order everywhere)."""
    mixed: Samples = np.einsum("es,st->et", mixing, sources)
    return mixed


def _background(rng: np.random.Generator, n: int, seizures: list[Seizure]) -> Samples:
    """Return float64 (n_electrodes, n): background that drifts between states."""
    size = rng.uniform(*par.BACKGROUND_UV)
    gains = _state_gains(rng, n, seizures)
    exponent = rng.uniform(1.1, 1.6)
    aperiodic = pink(rng, (len(ELECTRODES), n), RATE_HZ, exponent=exponent)
    heads: Samples = _mixed(_mixing(par.BACKGROUND_WIDTH), aperiodic) * (
        size * gains[0]
    )
    for part, (centre, width, focuses) in enumerate(
        (
            (1.6, 1.5, ("FZ", "CZ", "F3", "F4", "PZ")),
            (5.0, 2.0, ("CZ", "F3", "F4", "P3", "P4")),
            (rng.uniform(8.0, 10.5), 1.2, ("O1", "O2", "PZ")),
            (13.0, 1.0, ("CZ", "C3", "C4")),
        ),
        start=1,
    ):
        for focus in focuses:
            wave = rhythm(rng, n, RATE_HZ, centre_hz=centre, width_hz=width)
            wave *= gains[part] * (size * 0.45)
            if part == 4:
                wave *= np.maximum(0, spread(rng.standard_normal(max(1, n // 512)), n))
            for weight, head in zip(_map(focus, 0.5), heads, strict=True):
                if weight > 0.1:
                    head += weight * wave
    return heads


def _state_gains(rng: np.random.Generator, n: int, seizures: list[Seizure]) -> Samples:
    """Return gains (5, n) of the background's parts: states, postictal slowing."""
    seconds = int(np.ceil(n / RATE_HZ))
    table = np.empty((5, seconds))
    names = list(par.STATE_GAINS)
    index = int(rng.integers(0, len(names)))
    start = 0
    while start < seconds:
        stop = start + int(rng.uniform(*par.STATE_BLOCK_SEC))
        table[:, start:stop] = np.array(par.STATE_GAINS[names[index]])[:, None]
        index = int(np.clip(index + rng.choice([-1, 1]), 0, len(names) - 1))
        start = stop
    for seizure in seizures:
        first = int(seizure.offset_sec)
        last = first + int(rng.uniform(*par.POSTICTAL_SEC))
        table[1, first:last] += par.POSTICTAL_SLOW_GAIN
        table[0, first:last] *= 0.75
    kernel = np.ones(9) / 9
    table = np.stack(
        [np.convolve(np.pad(r, 4, mode="edge"), kernel, "valid") for r in table]
    )
    table *= np.exp(0.12 * lfilter([0.2], [1, -0.8], rng.standard_normal(table.shape)))
    return np.stack([spread(row, n) for row in table])


def _add_seizure(rng: np.random.Generator, heads: Samples, seizure: Seizure) -> None:
    """Add one seizure: rhythmic, slowing, growing, spreading; then it ends."""
    n = int((seizure.offset_sec - seizure.onset_sec) * RATE_HZ)
    course = np.linspace(0, 1, n)
    start_hz, end_hz = (
        rng.uniform(*par.SEIZURE_START_HZ),
        rng.uniform(*par.SEIZURE_END_HZ),
    )
    frequency = start_hz * (end_hz / start_hz) ** course
    frequency *= 1 + par.SEIZURE_FREQUENCY_JITTER * pink(rng, n, RATE_HZ, exponent=2.0)
    phase = 2 * np.pi * np.cumsum(frequency) / RATE_HZ
    low, high = rng.uniform(*par.SEIZURE_START_UV), rng.uniform(*par.SEIZURE_PEAK_UV)
    rise = np.minimum(course / par.SEIZURE_PEAK_AT, 1.0)
    height = low * (high / low) ** rise
    height *= tapered(n, int(2 * RATE_HZ))
    sharp = rng.uniform(0.5, 2.5)
    early, late = (_map(seizure.focus, width) for width in par.SEIZURE_WIDTH)
    first = int(seizure.onset_sec * RATE_HZ)
    for channel in map(int, np.flatnonzero(late > 0.08)):
        lag = 1.2 * (1 - late[channel])  # radians: what is farther comes later
        spikes = np.exp(sharp * (np.cos(phase - lag) - 1))
        wave = 2 * (spikes - spikes.mean())
        weight = early[channel] + (late[channel] - early[channel]) * course
        add_at(heads[channel], first, wave * height * weight)
    if rng.random() < 0.5:
        begin = n // 3
        strength = par.SEIZURE_MUSCLE_UV * tapered(n - begin, int(3 * RATE_HZ))
        for channel, name in enumerate(ELECTRODES):
            if name in disturbances.TEMPORAL:
                add_at(
                    heads[channel],
                    first + begin,
                    disturbances.muscle_noise(rng, n - begin, RATE_HZ) * strength,
                )


def _bipolar(heads: Samples) -> NDArray[np.float64]:
    """Return the montage's differences of electrodes."""
    index = {name: i for i, name in enumerate(ELECTRODES)}
    out = np.empty((len(par.CHB_MONTAGE), heads.shape[1]))
    for row, pair in zip(out, par.CHB_MONTAGE, strict=True):
        plus, minus = pair.split("-")
        np.subtract(heads[index[plus]], heads[index[minus]], out=row)
    return out
