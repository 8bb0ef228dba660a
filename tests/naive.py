"""Slow, obvious twins of the kernels: plain loops and exact integers.

Nothing here shares code with `eegcore.kernels`.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import cos, pi, sin


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
