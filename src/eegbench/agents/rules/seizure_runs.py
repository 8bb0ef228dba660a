"""From band powers to runs that are, or are not, a seizure: arithmetic alone."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegbench.agents.rules.desk import Values

FLOOR_UV2 = 0.01
FEWEST_FOR_BACKGROUND = (
    30  # 10-s windows: a shorter record has no background of its own
)
SHORT_PERCENTILE, SHORT_SPREAD = 15, 0.2
SPREAD_RANGE = (0.25, 0.6)
ON, OFF, OFF_SHARE = 2.5, 1.5, 0.3
LONGEST_GAP = 6  # windows of 2 s
SMOOTHED = 3
LEAST_HEIGHT, LEAST_MEDIAN, LEAST_FILLED = 4.5, 3.8, 0.45
LENIENT = 0.75  # of height, median and length where there is no background
RHYTHMIC_SEC, MASSIVE_SEC = 16.0, 26.0
RHYTHMIC_SLOW, RHYTHMIC_FAST, MASSIVE_FAST = 0.5, 0.8, -0.9
MOVEMENT_RISE, MOVEMENT_SLOW, MOVEMENT_SEC = 1.8, 0.4, 45.0
MUSCLE_GAMMA, MUSCLE_FAST = 0.6, 0.9


class Background(NamedTuple):
    """What is usual at each channel, natural logs of uV2."""

    level: Values
    spread: Values
    fast_level: Values
    short: bool = False
    """The record is too short to have a background of its own."""


class Run(NamedTuple):
    """A run of excess and its figures (natural logs)."""

    start_sec: float
    stop_sec: float
    height: float
    median: float
    filled: float
    slow: float
    fast: float
    rise: float
    is_seizure: bool

    def words(self) -> str:
        """Return the run in numbers."""
        return (
            f"{self.start_sec:.0f}-{self.stop_sec:.0f} s, excess {self.median:.1f} "
            f"(height {self.height:.1f}) SD, log slow/mid {self.slow:+.2f}, "
            f"log mid/fast {self.fast:+.2f}, fast rise {self.rise:+.2f}"
        )


def middle_power(values: Mapping[str, Values]) -> Values:
    """Return the log of power from 4 to 13 Hz."""
    return np.log(values["theta_power"] + values["alpha_power"] + FLOOR_UV2)


def fast_power(values: Mapping[str, Values]) -> Values:
    """Return the log of power from 13 to 45 Hz; without gamma, of beta."""
    gamma = np.nan_to_num(values["gamma_power"])
    return np.log(values["beta_power"] + gamma + FLOOR_UV2)


def background(values: Mapping[str, Values]) -> Background:
    """Return level and spread of each channel.

    The spread is that of the windows below the median, so that a seizure, however long,
    does not widen it.
    """
    middle, fast = middle_power(values), fast_power(values)
    enough = middle.shape[1] >= FEWEST_FOR_BACKGROUND
    percent = 50 if enough else SHORT_PERCENTILE
    level, fast_level = (_percentile(x, percent) for x in (middle, fast))
    if not enough:
        return Background(
            level, np.full_like(level, SHORT_SPREAD), fast_level, short=True
        )
    below = np.where(middle <= level[:, None], (middle - level[:, None]) ** 2, np.nan)
    count = np.maximum(np.isfinite(below).sum(axis=1), 1)
    spread = np.sqrt(np.nansum(below, axis=1) / count)
    return Background(level, np.clip(spread, *SPREAD_RANGE), fast_level)


def _percentile(values: Values, percent: float) -> Values:
    """Return a percentile of each row; 0 for a row without values."""
    rows = [row[np.isfinite(row)] for row in values]
    return np.array([np.percentile(row, percent) if row.size else 0.0 for row in rows])


def excess(values: Mapping[str, Values], usual: Background) -> Values:
    """Return how far power of 4 to 13 Hz lies above the background, in spreads."""
    above = (middle_power(values) - usual.level[:, None]) / usual.spread[:, None]
    return np.nan_to_num(above, nan=-9.0)


def neighbour_excess(above: Values, adjacent: NDArray[np.bool_]) -> Values:
    """Return for each channel the lesser of its excess and its best neighbour's."""
    out = np.full(above.shape, -9.0)
    for i, row in enumerate(adjacent):
        if row.any():
            out[i] = np.minimum(above[i], above[row].max(axis=0))
    return out


def runs_of(
    indices: NDArray[np.intp], *, longest_gap: int
) -> Iterator[tuple[int, int]]:
    """Yield first and last of runs whose gaps are at most so many windows."""
    first = last = -1
    for index in map(int, indices):
        if last >= 0 and index - last <= longest_gap + 1:
            last = index
            continue
        if last >= 0:
            yield first, last
        first = last = index
    if last >= 0:
        yield first, last


def judged(
    values: Mapping[str, Values],
    usual: Background,
    start_sec: float,
    window_sec: float,
) -> list[Run]:
    """Return the runs of a stretch, each with its figures and its verdict."""
    above = _smooth(excess(values, usual))
    if above.shape[1] == 0:
        return []
    middle, fast = middle_power(values), fast_power(values)
    slow = np.log(values["delta_power"] + FLOOR_UV2) - middle
    gamma = np.log(values["gamma_power"] + FLOOR_UV2) - np.log(
        values["beta_power"] + FLOOR_UV2
    )
    rise = _smooth(fast - usual.fast_level[:, None])
    leading = np.argsort(-above, axis=0, kind="stable")[:2]

    def lead(figure: Values) -> Values:
        mean: Values = np.take_along_axis(figure, leading, axis=0).mean(axis=0)
        return np.nan_to_num(mean)

    second = np.sort(above, axis=0)[-2 if len(above) > 1 else -1]
    figures = {"slow": lead(slow), "fast": lead(middle - fast), "rise": lead(rise)}
    muscle = (lead(gamma) > MUSCLE_GAMMA) & (figures["fast"] < MUSCLE_FAST)
    hot = np.flatnonzero((second >= ON) & ~muscle)
    ease = LENIENT if usual.short else 1.0
    out: list[Run] = []
    for first, last in runs_of(hot, longest_gap=LONGEST_GAP - 1):
        height = float(np.percentile(second[first : last + 1], 80))
        edges = _edges(second, muscle, first, last, max(OFF, OFF_SHARE * height))
        inside = slice(edges[0], edges[1] + 1)
        filled = float(((second >= ON) & ~muscle)[inside].mean())
        middles = {key: float(np.median(v[inside])) for key, v in figures.items()}
        begin = start_sec + edges[0] * window_sec
        end = start_sec + (edges[1] + 1) * window_sec
        median = float(np.median(second[inside]))
        out.append(
            Run(
                begin,
                end,
                height,
                median,
                filled,
                **middles,
                is_seizure=height >= ease * LEAST_HEIGHT
                and median >= ease * LEAST_MEDIAN
                and filled >= LEAST_FILLED
                and _is_ictal((end - begin) / ease, **middles),
            )
        )
    return out


def _is_ictal(length_sec: float, *, slow: float, fast: float, rise: float) -> bool:
    """Tell a discharge from movement and muscle by its bands and its length."""
    if rise > MOVEMENT_RISE and slow > MOVEMENT_SLOW and length_sec < MOVEMENT_SEC:
        return False
    rhythmic = slow < RHYTHMIC_SLOW and fast > RHYTHMIC_FAST
    if rhythmic and length_sec >= RHYTHMIC_SEC:
        return True
    return length_sec >= MASSIVE_SEC and fast > MASSIVE_FAST


def _edges(
    second: Values,
    muscle: NDArray[np.bool_],
    first: int,
    last: int,
    low: float,
) -> tuple[int, int]:
    """Move both ends to where the excess crosses a lower threshold."""
    while first > 0 and second[first - 1] >= low and not muscle[first - 1]:
        first -= 1
    while last < len(second) - 1 and second[last + 1] >= low and not muscle[last + 1]:
        last += 1
    while first < last and second[first] < low:
        first += 1
    while last > first and second[last] < low:
        last -= 1
    return first, last


def _smooth(rows: Values) -> Values:
    """Return the moving mean of three windows, ends repeated."""
    if rows.shape[1] == 0:
        return rows
    half = SMOOTHED // 2
    padded = np.pad(rows, ((0, 0), (half, half)), mode="edge")
    kernel = np.full(SMOOTHED, 1 / SMOOTHED)
    return np.stack([np.convolve(row, kernel, "valid") for row in padded])
