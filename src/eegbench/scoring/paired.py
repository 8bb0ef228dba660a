"""Two runs on the same instances: whether they differ by more than chance.

Only for runs whose single answers are at hand; a published mean cannot be paired.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from eegbench.errors import EegbenchError
from eegbench.scoring.uncertainty import Statistic, Table, group_sums


class PairedTest(NamedTuple):
    """A paired comparison of a first and a second run."""

    difference: float
    """First minus second."""
    p_value: float
    n: int
    """Independent units that were compared."""
    test: Literal["mcnemar", "permutation"]


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> PairedTest:
    """Exact McNemar test of two runs' right and wrong answers, two-sided.

    Returns
    -------
    PairedTest
        ``difference`` is in accuracy; p is 1 where the runs never differ.

    References
    ----------
    McNemar, Q. (1947), Psychometrika 12, 153-157; the exact form is the binomial test
    on the discordant pairs.
    """
    from scipy.stats import binomtest  # half a second, for every command

    right, other = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    if right.shape != other.shape or right.size == 0:
        raise ValueError(
            f"{right.size} and {other.size} answers; the same instances are needed, "
            "and at least one"
        )
    only_first = int(np.sum(right & ~other))
    only_second = int(np.sum(~right & other))
    n_discordant = only_first + only_second
    p_value = binomtest(only_first, n_discordant).pvalue if n_discordant else 1.0
    difference = (only_first - only_second) / right.size
    return PairedTest(difference, float(p_value), right.size, "mcnemar")


def permutation_test(
    first: Table,
    second: Table,
    statistic: Statistic,
    score: str,
    *,
    groups: Sequence[object] | None = None,
    n_rounds: int = 10_000,
    seed: int = 0,
) -> PairedTest:
    """Swap the runs' answers within groups at random, and compare the difference.

    Parameters
    ----------
    first, second
        float64, shape (n_instances, n_statistics): what the score sums, per run.
    statistic, score
        From totals to scores (as for the bootstrap), and which of them to test.
    groups
        What is independent, per instance; a group is swapped as a whole.
    n_rounds, seed
        Random swaps besides the one observed, which counts as one of them.

    Notes
    -----
    p = (1 + rounds with a difference at least as large) / (1 + rounds), two-sided.
    Rounds where either score is undefined count as at least as large.

    References
    ----------
    Phipson, B. & Smyth, G. K. (2010), Stat. Appl. Genet. Mol. Biol. 9, 39.
    """
    if first.shape != second.shape or len(first) == 0:
        raise ValueError(
            f"tables of shape {first.shape} and {second.shape}; the same instances are "
            "needed, and at least one"
        )
    one, two = group_sums(first, groups), group_sums(second, groups)
    rng = np.random.default_rng(seed)
    swap = rng.integers(0, 2, size=(n_rounds, len(one))).astype(np.float64)
    moved = swap @ (two - one)
    total_one, total_two = one.sum(axis=0), two.sum(axis=0)
    observed = float(
        (
            statistic(total_one[np.newaxis])[score]
            - statistic(total_two[np.newaxis])[score]
        )[0]
    )
    rounds = statistic(total_one + moved)[score] - statistic(total_two - moved)[score]
    # A hair below, so that the observed split is not lost to rounding.
    larger = ~(np.abs(rounds) < abs(observed) - 1e-12)
    p_value = (1 + int(np.sum(larger))) / (1 + n_rounds)
    return PairedTest(observed, p_value, len(one), "permutation")


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p values for several tests by Holm's method.

    Raises
    ------
    EegbenchError
        statsmodels is not installed (extra ``stats``).

    References
    ----------
    Holm, S. (1979), Scand. J. Statist. 6, 65-70.
    """
    if not p_values:
        return []
    try:
        from statsmodels.stats.multitest import multipletests
    except ImportError as error:
        raise EegbenchError(
            "Holm's adjustment needs statsmodels; install eegbench[stats]"
        ) from error
    adjusted = multipletests(np.asarray(p_values, dtype=np.float64), method="holm")[1]
    return [float(value) for value in adjusted]
