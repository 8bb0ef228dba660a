"""The same instances run several times: reliability, and where the variance sits."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class VarianceSplit:
    """Variance components of scores by instance and run; None where not estimable.

    Notes
    -----
    Two-way random effects without replication: score = mean + instance + run + rest.
    Estimates are from mean squares, negative ones set to 0. ``rest`` is what differs
    from run to run within an instance (sampling of the model), interaction included.

    References
    ----------
    Searle, S. R., Casella, G. & McCulloch, C. E. (1992), Variance Components, ch. 4.
    """

    n_instances: int
    n_runs: int
    instance: float | None
    run: float | None
    rest: float | None

    @property
    def instance_share(self) -> float | None:
        """Share of the variance that lies between instances."""
        if self.instance is None or self.run is None or self.rest is None:
            return None
        total = self.instance + self.run + self.rest
        return self.instance / total if total > 0 else None


def pass_hat_k(solved: NDArray[np.bool_] | Sequence[Sequence[bool]], k: int) -> float:
    """Chance that k runs of an instance, drawn without replacement, all solve it.

    Parameters
    ----------
    solved
        bool, shape (n_instances, n_runs).
    k
        Runs that have to succeed together, 1 to n_runs.

    Notes
    -----
    Mean over instances of C(successes, k) / C(runs, k), the unbiased estimate.

    References
    ----------
    Yao, S. et al. (2024), tau-bench, arXiv:2406.12045, section 3 (pass^k).
    """
    table = _table(solved)
    n_runs = table.shape[1]
    if not 1 <= k <= n_runs:
        raise ValueError(f"k is {k}; 1 to {n_runs} (runs of each instance) is allowed")
    successes = table.astype(bool).sum(axis=1).tolist()
    return sum(comb(count, k) for count in successes) / (
        len(successes) * comb(n_runs, k)
    )


def split_variance(scores: NDArray[np.float64]) -> VarianceSplit:
    """Split the variance of scores into instance, run and rest.

    Parameters
    ----------
    scores
        float64, shape (n_instances, n_runs), no missing values.
    """
    table = _table(scores).astype(np.float64)
    if not np.isfinite(table).all():
        raise ValueError("scores hold missing values; every instance needs every run")
    n, k = table.shape
    if n < 2 or k < 2:
        return VarianceSplit(n, k, None, None, None)
    mean = table.mean()
    by_instance, by_run = table.mean(axis=1), table.mean(axis=0)
    ms_instance = k * float(np.sum((by_instance - mean) ** 2)) / (n - 1)
    ms_run = n * float(np.sum((by_run - mean) ** 2)) / (k - 1)
    rest = table - by_instance[:, np.newaxis] - by_run[np.newaxis] + mean
    ms_rest = float(np.sum(rest**2)) / ((n - 1) * (k - 1))
    return VarianceSplit(
        n_instances=n,
        n_runs=k,
        instance=max(0.0, (ms_instance - ms_rest) / k),
        run=max(0.0, (ms_run - ms_rest) / n),
        rest=ms_rest,
    )


def _table(
    values: NDArray[np.bool_] | NDArray[np.float64] | Sequence[Sequence[float]],
) -> NDArray[np.bool_] | NDArray[np.float64]:
    table = np.asarray(values)
    if table.ndim != 2 or table.size == 0:
        raise ValueError(
            f"scores have shape {table.shape}; (n_instances, n_runs) is needed, "
            "neither of them 0"
        )
    return table
