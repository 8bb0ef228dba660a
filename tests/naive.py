"""Slow, obvious twins of the kernels: plain loops and exact integers.

Nothing here shares code with `eegcore.kernels`.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import cos, nan, pi, sin, sqrt


def stretch_sums(x: Sequence[int], flat_below: int, centre: int) -> dict[str, int]:
    """Sums of a stretch of samples, powers about a centre."""
    n = len(x)
    y = [v - centre for v in x]
    steps = [b - a for a, b in pairwise(x)]
    bends = [b - a for a, b in pairwise(steps)]
    return {
        "square": sum(v**2 for v in y),
        "cube": sum(v**3 for v in y),
        "fourth": sum(v**4 for v in y),
        "step_square": sum(v * v for v in steps),
        "bend_square": sum(v * v for v in bends),
        "path": sum(abs(v) for v in steps),
        "rest": sum(y),
        "least": min(x),
        "greatest": max(x),
        "n_least": list(x).count(min(x)),
        "n_greatest": list(x).count(max(x)),
        "n_flat": sum(abs(v) < flat_below for v in steps),
        "first": x[0],
        "second": x[min(1, n - 1)],
        "last_but_one": x[max(0, n - 2)],
        "last": x[-1],
    }


def crossings(x: Sequence[int]) -> int:
    """Changes between below the mean and not below it, decided without rounding."""
    mean = Fraction(sum(x), len(x))
    above = [v >= mean for v in x]
    return sum(a != b for a, b in pairwise(above))


def segment_powers(x: Sequence[int], bins: Sequence[int]) -> list[float]:
    """|bin|^2 of one segment, mean removed, periodic Hann window."""
    n = len(x)
    mean = sum(x) / n
    y = [(v - mean) * (0.5 - 0.5 * cos(2 * pi * i / n)) for i, v in enumerate(x)]
    powers = []
    for k in bins:
        re = sum(v * cos(2 * pi * (k * i % n) / n) for i, v in enumerate(y))
        im = sum(v * sin(2 * pi * (k * i % n) / n) for i, v in enumerate(y))
        powers.append(re * re + im * im)
    return powers


def product_sum(x: Sequence[int], y: Sequence[int]) -> Fraction:
    """Sum of products of the deviations from the means, exactly."""
    total = sum(a * b for a, b in zip(x, y, strict=True))
    return Fraction(total) - Fraction(sum(x) * sum(y), len(x))


def keep_apart(
    position: Sequence[int], size: Sequence[float], distance: int
) -> list[bool]:
    """Of candidates closer than ``distance``, the larger one stays."""
    keep = [True] * len(position)
    for i in sorted(range(len(position)), key=lambda i: -size[i]):
        if keep[i]:
            for j, other in enumerate(position):
                if j != i and abs(other - position[i]) < distance:
                    keep[j] = False
    return keep


def join(
    parts: Sequence[Sequence[int]], flat_below: int, centre: int
) -> dict[str, int]:
    """Sums of neighbouring parts as those of one stretch."""
    return stretch_sums([v for part in parts for v in part], flat_below, centre)


def band_power(
    powers: Sequence[float], rate_hz: float, low: float, high: float
) -> float:
    """Area under the one-sided density from edge to edge, edges on bins of 0.5 Hz."""
    n = 2 * rate_hz
    density = [2 * p / (rate_hz * 3 / 8 * n) for p in powers]
    area = 0.0
    for k in range(round(2 * low), round(2 * high)):
        if k + 1 >= len(density):
            return nan
        area += (density[k] + density[k + 1]) / 2 * 0.5
    return area


def window_features(x: Sequence[int], rate_hz: int, gain: float) -> list[float]:
    """The 21 features of one window of stored integers, gain above zero."""
    n = len(x)
    mean = Fraction(sum(x), n)
    moments = [sum((v - mean) ** k for v in x) / n for k in (2, 3, 4)]
    steps = [b - a for a, b in pairwise(x)]
    step_mean = Fraction(sum(steps), len(steps))
    step_variance = sum((s - step_mean) ** 2 for s in steps) / len(steps)
    flat = moments[0] == 0
    out = [
        gain * sqrt(sum(v * v for v in x) / n),
        gain * sqrt(moments[0]),
        nan if flat else float(moments[2] / moments[0] ** 2) - 3,
        gain * (max(x) - min(x)),
        gain * sum(abs(s) for s in steps) * rate_hz / n,
        nan if flat else sqrt(step_variance / moments[0]),
        crossings(x) * rate_hz / n,
    ]
    segments = [x[at : at + 2 * rate_hz] for at in range(0, n - rate_hz, rate_hz)]
    bins = range(min(92, rate_hz + 1))
    by_segment = [segment_powers(segment, bins) for segment in segments]
    powers = [
        gain * gain * sum(p) / len(segments) for p in zip(*by_segment, strict=True)
    ]
    edges = ((1, 4), (4, 8), (8, 13), (11, 16), (13, 30), (30, 45))
    bands = [band_power(powers, rate_hz, *edge) for edge in edges]
    total = band_power(powers, rate_hz, 1, min(45, rate_hz / 2 - 0.5))
    out += bands + [nan if flat else band / total for band in bands]
    slow, fast = bands[0] + bands[1], bands[2] + bands[4]
    return [*out, nan if flat else bands[1] / bands[2], nan if flat else slow / fast]


def band_passed(x: Sequence[float], sections: Sequence[Sequence[float]]) -> list[float]:
    """Second-order sections forwards and backwards, as scipy's `sosfiltfilt`."""
    at_zero = sum(section[2] == 0 for section in sections)
    poles_at_zero = sum(section[5] == 0 for section in sections)
    pad = 3 * (2 * len(sections) + 1 - min(at_zero, poles_at_zero))
    before = [2 * x[0] - v for v in x[pad:0:-1]]
    after = [2 * x[-1] - v for v in x[-2 : -pad - 2 : -1]]
    y = [*before, *x, *after]
    for _ in range(2):
        level = y[0]
        for b0, b1, b2, _, a1, a2 in sections:
            settled = (b0 + b1 + b2) / (1 + a1 + a2)  # answer to a constant 1
            first, second = (settled - b0) * level, (b2 - a2 * settled) * level
            out = []
            for v in y:
                w = b0 * v + first
                first, second = b1 * v - a1 * w + second, b2 * v - a2 * w
                out.append(w)
            y, level = out, settled * level
        y = y[::-1]
    return y[pad : len(y) - pad]


def candidates(
    v: Sequence[float], least: float, distance: int
) -> list[tuple[int, int, float]]:
    """Position, half width in samples and steepest step; positive ones first.

    Without plateaus: of equal neighbours none is a candidate.
    """
    n = len(v)
    found = []
    for sign in (1, -1):
        y = [sign * a for a in v]
        at = [
            i for i in range(1, n - 1) if y[i] >= least and y[i - 1] < y[i] > y[i + 1]
        ]
        keep = keep_apart(at, [y[i] for i in at], distance)
        for i in (i for i, kept in zip(at, keep, strict=True) if kept):
            low = next((k for k in range(i, -1, -1) if abs(v[k]) < y[i] / 2), 0)
            high = next((k for k in range(i, n) if abs(v[k]) < y[i] / 2), n - 1)
            steps = range(max(0, i - distance), min(n - 2, i + distance))
            found.append((i, high - low, max(abs(v[k + 1] - v[k]) for k in steps)))
    return found
