"""A part of a set that stands for the whole: stratified, fixed, its error stated.

Strata are the tasks. Each task gets the same number of instances as far as it has so
many, because the overall score is the unweighted mean of the tasks. Within a task the
instances are taken at equal steps along their length, so that short and long recordings
keep their shares. Labels are not looked at: whoever runs agents cannot see them.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from eegbench.errors import ConfigError
from eegbench.instances import Instance
from eegbench.predictions import SubsetInfo

WORST_DEVIATION = 0.5
"""Largest standard deviation of scores between 0 and 1."""


class Subset(NamedTuple):
    """Chosen instances, and how far their score may be from that of the whole."""

    instance_ids: frozenset[str]
    counts: dict[str, tuple[int, int]]
    """Chosen and all instances by task."""
    task_errors: dict[str, float]
    """Standard error of a task's mean score, at worst."""
    overall_error: float
    """Of the unweighted mean of the tasks, at worst."""

    def info(self) -> SubsetInfo:
        """Return it as ``run.json`` keeps it."""
        return SubsetInfo(
            size=len(self.instance_ids),
            instance_ids=sorted(self.instance_ids),
            task_errors=self.task_errors,
            overall_error=self.overall_error,
        )

    def text(self) -> str:
        """Say it in one line."""
        parts = ", ".join(
            f"{task} {n}/{total} (+-{self.task_errors[task]:.3f})"
            for task, (n, total) in self.counts.items()
        )
        return (
            f"subset of {len(self.instance_ids)} instances: {parts}; standard error of "
            f"the overall score at most {self.overall_error:.3f}"
        )


def choose_subset(instances: Sequence[Instance], size: int, *, seed: int = 0) -> Subset:
    """Choose a part of some instances.

    Parameters
    ----------
    instances : sequence of Instance
    size : int
        Instances to choose; at least one for each task.
    seed : int, optional
        Another seed chooses others.

    Notes
    -----
    The standard error of a task's mean score is at most
    ``0.5 / sqrt(n) * sqrt((N - n) / (N - 1))``: scores between 0 and 1, n of N drawn
    without replacement. A macro-F1 or an event F1 is no mean of instances, so that the
    bound is an approximation for them; ``score`` gives bootstrap intervals.
    """
    by_task: dict[str, list[Instance]] = {}
    for item in instances:
        by_task.setdefault(item.task, []).append(item)
    if size < len(by_task):
        raise ConfigError(
            f"a subset of {size} instances leaves tasks out; {len(by_task)} tasks need "
            "at least one each"
        )
    totals = {task: len(rows) for task, rows in by_task.items()}
    sizes = shares(totals, size)
    chosen = {
        item.instance_id
        for task, rows in by_task.items()
        for item in _spread(rows, sizes[task], seed)
    }
    errors = {task: standard_error(sizes[task], totals[task]) for task in totals}
    overall = math.sqrt(sum(error**2 for error in errors.values())) / len(errors)
    counts = {task: (sizes[task], totals[task]) for task in totals}
    return Subset(frozenset(chosen), counts, errors, overall)


def shares(totals: Mapping[str, int], size: int) -> dict[str, int]:
    """Divide a number equally among strata, none above what it has."""
    given = dict.fromkeys(totals, 0)
    left = min(size, sum(totals.values()))
    while left:
        open_ones = [name for name in totals if given[name] < totals[name]]
        each = max(1, left // len(open_ones))
        for name in open_ones:
            more = min(each, totals[name] - given[name], left)
            given[name] += more
            left -= more
    return given


def standard_error(n: int, total: int) -> float:
    """Return the largest standard error of a mean of n of all scores."""
    if n >= total:
        return 0.0
    return WORST_DEVIATION / math.sqrt(n) * math.sqrt((total - n) / (total - 1))


def _spread(rows: list[Instance], n: int, seed: int) -> list[Instance]:
    """Take n rows at equal steps along their length."""

    def place(item: Instance) -> tuple[float, str]:
        told = item.duration_sec or item.facts.get("duration_sec")
        length = float(told) if isinstance(told, int | float) else 0.0
        return length, _hash(f"{seed}\0{item.instance_id}")

    ordered = sorted(rows, key=place)
    start = int(_hash(f"{seed}\0start"), 16) / 16**32
    return [ordered[int((index + start) * len(ordered) / n)] for index in range(n)]


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
