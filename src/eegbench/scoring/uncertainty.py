"""Bootstrap intervals: groups of instances are drawn, sums of statistics are added.

Every score of the benchmark is a function of sums over instances (confusion counts,
sums of per-night scores, sums of per-subject F1), so one round is one row of weights
times a small table. 1,000 rounds over the whole set take milliseconds.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float64]
Statistic = Callable[[Table], Mapping[str, NDArray[np.float64]]]

_CELLS_AT_ONCE = 4_000_000  # doubles in one block of weights: 32 MB


class Interval(NamedTuple):
    """Percentile interval of one score."""

    low: float
    high: float
    level: float
    n_groups: int
    """Independent groups that were resampled."""
    n_undefined: int
    """Rounds in which the score had nothing to divide by; left out."""


def group_sums(rows: Table, groups: Sequence[object] | None) -> Table:
    """Add up the rows of each group, in the order in which groups first occur.

    Parameters
    ----------
    rows
        float64, shape (n_instances, n_statistics).
    groups
        Name of the group per instance; None: each instance is its own.

    Returns
    -------
    ndarray of float64, shape (n_groups, n_statistics)
    """
    if groups is None:
        return rows
    if len(groups) != len(rows):
        raise ValueError(f"{len(groups)} groups but {len(rows)} instances")
    order: dict[object, int] = {}
    index = np.array(
        [order.setdefault(name, len(order)) for name in groups], dtype=np.intp
    )
    sums = np.zeros((len(order), rows.shape[1]))
    np.add.at(sums, index, rows)
    return sums


def bootstrap(
    sums: Table,
    statistic: Statistic,
    *,
    n_rounds: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> dict[str, Interval | None]:
    """Percentile intervals by resampling groups with replacement.

    Parameters
    ----------
    sums
        float64, shape (n_groups, n_statistics): sums over each group's instances.
    statistic
        From totals of shape (n_rounds, n_statistics) to scores of shape (n_rounds,);
        NaN where a score is undefined.
    n_rounds
        Rounds; 0 gives no intervals.
    seed
        Of the generator: the same seed gives the same interval.
    level
        Share of the rounds inside the interval.

    Returns
    -------
    dict
        Interval by score; None where fewer than two groups, or no round, define it.

    Notes
    -----
    With few groups (24 subjects, of whom two are one child) a percentile interval is
    somewhat too narrow; it is given because it needs no assumption on the score.

    References
    ----------
    Efron, B. & Tibshirani, R. (1993), An Introduction to the Bootstrap, ch. 13.
    """
    n_groups = len(sums)
    if n_rounds == 0 or n_groups == 0:
        return {}
    totals = _resampled(sums, n_rounds, np.random.default_rng(seed))
    tails = [(1 - level) / 2, (1 + level) / 2]
    result: dict[str, Interval | None] = {}
    for name, values in statistic(totals).items():
        defined = values[np.isfinite(values)]
        if n_groups < 2 or defined.size == 0:
            result[name] = None
            continue
        low, high = np.quantile(defined, tails).tolist()
        result[name] = Interval(low, high, level, n_groups, values.size - defined.size)
    return result


def _resampled(sums: Table, n_rounds: int, rng: np.random.Generator) -> Table:
    """Totals of each round's draw of groups, shape (n_rounds, n_statistics)."""
    n_groups = len(sums)
    block = max(1, _CELLS_AT_ONCE // n_groups)
    parts = []
    for begin in range(0, n_rounds, block):
        size = min(block, n_rounds - begin)
        drawn = rng.integers(0, n_groups, size=(size, n_groups))
        cells = drawn + np.arange(size)[:, np.newaxis] * n_groups
        weights = np.bincount(cells.ravel(), minlength=size * n_groups)
        parts.append(weights.reshape(size, n_groups).astype(np.float64) @ sums)
    return np.concatenate(parts)
