"""Building blocks of every simulated signal: coloured noise, rhythms, shapes."""

import numpy as np
from numpy.typing import NDArray
from scipy.signal import freqz, lfilter, oaconvolve

Samples = NDArray[np.float64]

LOWEST_POLE_HZ = 0.4  # below it 1/f noise is flat, as behind a 0.5-Hz high-pass


def white(rng: np.random.Generator, shape: int | tuple[int, ...]) -> Samples:
    """Return white noise of unit SD."""
    return rng.standard_normal(shape)


def pink(
    rng: np.random.Generator,
    shape: int | tuple[int, ...],
    rate_hz: float,
    *,
    exponent: float = 1.0,
) -> Samples:
    """Return noise whose power falls as 1/f**exponent above 0.4 Hz, unit SD.

    Notes
    -----
    Pole and zero pairs two octaves apart, each dropping 4**exponent in power.
    """
    poles: list[float] = []
    zeros: list[float] = []
    pole_hz = LOWEST_POLE_HZ
    while pole_hz < rate_hz / 2:
        zero_hz = pole_hz * 4 ** (exponent / 2)
        poles.append(float(np.exp(-2 * np.pi * pole_hz / rate_hz)))
        if zero_hz < rate_hz / 2:
            zeros.append(float(np.exp(-2 * np.pi * zero_hz / rate_hz)))
        pole_hz *= 4
    return shaped(white(rng, shape), _polynomial(zeros), _polynomial(poles))


def _polynomial(roots: list[float]) -> Samples:
    """Return the coefficients of the polynomial with these roots."""
    coefficients = np.ones(1)
    for root in roots:
        coefficients = np.convolve(coefficients, [1.0, -root])
    return coefficients


def rhythm(
    rng: np.random.Generator,
    shape: int | tuple[int, ...],
    rate_hz: float,
    *,
    centre_hz: float,
    width_hz: float,
) -> Samples:
    """Return narrow-band noise around a frequency, unit SD.

    Notes
    -----
    Two equal two-pole resonators in a row, so that power falls as f**-4 beside the
    band: one alone lets slow waves leak into beta. ``width_hz`` is the width at
    half power of the pair.
    """
    one_width_hz = width_hz / np.sqrt(np.sqrt(2) - 1)
    radius = np.exp(-np.pi * one_width_hz / rate_hz)
    angle = 2 * np.pi * centre_hz / rate_hz
    denominator = np.array([1.0, -2 * radius * np.cos(angle), radius**2])
    numerator = np.array([1.0, 0.0, -1.0])
    return shaped(
        white(rng, shape),
        np.convolve(numerator, numerator),
        np.convolve(denominator, denominator),
    )


def shaped(noise: Samples, numerator: Samples, denominator: Samples) -> Samples:
    """Filter white noise and scale by the filter's gain, so that its SD is 1."""
    _, response = freqz(numerator, denominator, worN=8192)
    gain = float(np.sqrt(np.mean(np.abs(response) ** 2)))
    filtered: Samples = lfilter(numerator / gain, denominator, noise, axis=-1)
    return filtered


def spread(values: Samples, n_samples: int) -> Samples:
    """Interpolate one value a block (its middle) linearly to n_samples."""
    middles = (np.arange(len(values)) + 0.5) * (n_samples / len(values))
    return np.interp(np.arange(n_samples), middles, values)


def placed(
    n_samples: int, starts: NDArray[np.int64], scales: Samples, shape: Samples
) -> Samples:
    """Return copies of one shape, scaled, added at the given sample numbers."""
    impulses = np.zeros(n_samples)
    inside = (starts >= 0) & (starts < n_samples)
    np.add.at(impulses, starts[inside], scales[inside])
    if not inside.any():
        return impulses
    summed: Samples = oaconvolve(impulses, shape)[:n_samples]
    return summed


def add_at(target: Samples, start: int, piece: Samples) -> None:
    """Add a piece to a signal in place; what falls outside is dropped."""
    first, last = max(start, 0), min(start + len(piece), len(target))
    if first < last:
        target[first:last] += piece[first - start : last - start]


def tapered(n_samples: int, n_edge: int) -> Samples:
    """Return a window of ones whose edges rise and fall as half a cosine."""
    n_edge = max(1, min(n_edge, n_samples // 2))
    window = np.ones(n_samples)
    edge = 0.5 - 0.5 * np.cos(np.pi * (np.arange(n_edge) + 0.5) / n_edge)
    window[:n_edge] = edge
    window[n_samples - n_edge :] = edge[::-1]
    return window
