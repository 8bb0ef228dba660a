"""What stands beside simulated seizures: spikes, chewing, movement, muscle, pops."""

from collections.abc import Sequence

import numpy as np

from eegcore.simulate import parameters as par
from eegcore.simulate.sources import Samples, add_at, pink, placed, rhythm, tapered

TEMPORAL = ("F7", "T7", "P7", "F8", "T8", "P8", "FT9", "FT10", "FP1", "FP2")
FRONTAL = {
    "FP1": 1.0,
    "FP2": 1.0,
    "F3": 0.4,
    "F4": 0.4,
    "F7": 0.45,
    "F8": 0.45,
    "FZ": 0.4,
}


def muscle_noise(rng: np.random.Generator, n: int, rate_hz: float) -> Samples:
    """Return broad-band noise around 45 Hz of unit SD."""
    return rhythm(rng, n, rate_hz, centre_hz=45.0, width_hz=40.0)


def add_spikes(
    rng: np.random.Generator, heads: Samples, weights: Samples, rate_hz: float
) -> None:
    """Add interictal spike-and-waves of one focus, and drowsy 3-5 Hz bursts."""
    n = heads.shape[1]
    minutes = n / rate_hz / 60
    count = rng.poisson(rng.uniform(*par.INTERICTAL_PER_MINUTE) * minutes)
    t = np.arange(int(0.45 * rate_hz)) / rate_hz
    shape = -np.exp(-(((t - 0.06) / 0.02) ** 2)) + 0.5 * np.exp(
        -(((t - 0.22) / 0.08) ** 2)
    )
    starts = rng.integers(0, n, count)
    train = placed(n, starts, rng.uniform(*par.SPIKE_UV, count), shape)
    for weight, head in zip(weights, heads, strict=True):
        if weight > 0.1:
            head += weight * train
    bursts = rng.poisson(par.HYPERSYNCHRONY_PER_MINUTE * minutes * 0.3)
    for start in rng.integers(0, n, bursts):
        length = int(rng.uniform(*par.HYPERSYNCHRONY_SEC) * rate_hz)
        wave = rhythm(
            rng,
            length,
            rate_hz,
            centre_hz=rng.uniform(*par.HYPERSYNCHRONY_HZ),
            width_hz=0.4,
        ) * tapered(length, int(0.6 * rate_hz))
        size = rng.uniform(*par.HYPERSYNCHRONY_UV) / 2
        for channel, head in enumerate(heads):
            add_at(head, int(start), wave * size * (0.5 + 0.5 * np.cos(channel)) ** 2)


def add_artifacts(
    rng: np.random.Generator,
    heads: Samples,
    names: Sequence[str],
    rate_hz: float,
) -> list[tuple[str, float, float]]:
    """Add artifacts in place and return (kind, start_sec, stop_sec) of each."""
    n = heads.shape[1]
    hours = n / rate_hz / 3600
    noted: list[tuple[str, float, float]] = []
    _add_blinks(rng, heads, names, rate_hz)
    for kind, per_hour in par.ARTIFACTS_PER_HOUR.items():
        for _ in range(rng.poisson(per_hour * hours)):
            longest = n / rate_hz / 2
            span = {"chewing": par.CHEW_SEC, "movement": par.MOVE_SEC}.get(
                kind, par.MUSCLE_SEC
            )
            seconds = 1.0 if kind == "pop" else min(rng.uniform(*span), longest)
            start = float(rng.uniform(0, n / rate_hz - seconds))
            _ADD[kind](rng, heads, names, int(start * rate_hz), seconds, rate_hz)
            noted.append((kind, round(start, 3), round(start + seconds, 3)))
    return sorted(noted, key=lambda item: item[1])


def _add_blinks(
    rng: np.random.Generator, heads: Samples, names: Sequence[str], rate_hz: float
) -> None:
    n = heads.shape[1]
    per_minute = par.BLINKS_PER_MINUTE * rng.uniform(0.3, 1.0)
    count = rng.poisson(per_minute * n / rate_hz / 60)
    shape = np.hanning(int(0.3 * rate_hz))
    sizes = rng.uniform(*par.BLINK_UV, count)
    train = placed(n, rng.integers(0, n, count), sizes, shape)
    for name, head in zip(names, heads, strict=True):
        if name in FRONTAL:
            head += FRONTAL[name] * train


def _chew(
    rng: np.random.Generator,
    heads: Samples,
    names: Sequence[str],
    start: int,
    seconds: float,
    rate_hz: float,
) -> None:
    n = int(seconds * rate_hz)
    pace = rng.uniform(*par.CHEW_HZ)
    t = np.arange(n) / rate_hz
    phase = 2 * np.pi * pace * t + 0.4 * pink(rng, n, rate_hz, exponent=2.0)
    bursts = np.maximum(0, np.sin(phase)) ** 2 * tapered(n, int(0.5 * rate_hz))
    size = rng.uniform(*par.CHEW_UV)
    for name, head in zip(names, heads, strict=True):
        if name in TEMPORAL:
            share = rng.uniform(0.4, 1.0)
            add_at(head, start, size * share * bursts * muscle_noise(rng, n, rate_hz))
            add_at(head, start, 0.4 * size * share * np.sin(phase) * bursts)


def _move(
    rng: np.random.Generator,
    heads: Samples,
    names: Sequence[str],
    start: int,
    seconds: float,
    rate_hz: float,
) -> None:
    del names
    n = int(seconds * rate_hz)
    sway = pink(rng, n, rate_hz, exponent=2.0) * tapered(n, int(0.5 * rate_hz))
    size = rng.uniform(*par.MOVE_UV)
    for head in heads:
        own = pink(rng, n, rate_hz, exponent=1.8) * tapered(n, int(0.5 * rate_hz))
        mixed = 0.6 * sway * rng.normal() + 0.6 * own * rng.uniform(0.2, 1.0)
        add_at(head, start, 0.5 * size * mixed)
        burst = muscle_noise(rng, n, rate_hz) * tapered(n, int(0.3 * rate_hz))
        add_at(head, start, burst * rng.uniform(2, 15))


def _tense(
    rng: np.random.Generator,
    heads: Samples,
    names: Sequence[str],
    start: int,
    seconds: float,
    rate_hz: float,
) -> None:
    n = int(seconds * rate_hz)
    size = rng.uniform(*par.MUSCLE_UV)
    sides = int(rng.integers(0, 3))  # left, right, both
    for name, head in zip(names, heads, strict=True):
        odd = name[-1] in "13579"
        if name in TEMPORAL and (sides == 2 or odd == (sides == 0)):
            share = size * rng.uniform(0.3, 1.0) * tapered(n, int(0.5 * rate_hz))
            add_at(head, start, share * muscle_noise(rng, n, rate_hz))


def _pop(
    rng: np.random.Generator,
    heads: Samples,
    names: Sequence[str],
    start: int,
    seconds: float,
    rate_hz: float,
) -> None:
    del names
    n = int(seconds * rate_hz)
    decay = np.exp(-np.arange(n) / (0.2 * rate_hz)) * rng.uniform(*par.POP_UV)
    add_at(heads[int(rng.integers(0, len(heads)))], start, decay * rng.choice([-1, 1]))


_ADD = {"chewing": _chew, "movement": _move, "muscle": _tense, "pop": _pop}
