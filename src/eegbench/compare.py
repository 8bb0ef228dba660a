"""Two runs of one set, instance by instance; and one agent's repeated runs.

Only runs whose single answers are at hand can be compared; both are judged anew from
their raw answers. Instances that either run lacks, or that a failure spoiled, are left
out of both.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from eegbench.errors import SetError
from eegbench.records import JsonObject
from eegbench.scored import ScoredCase
from eegbench.scoring.event_records import event_statistic, event_table
from eegbench.scoring.hypnogram import night_statistic, night_table
from eegbench.scoring.labels import label_statistic, label_table
from eegbench.scoring.paired import PairedTest, holm, mcnemar, permutation_test
from eegbench.scoring.repeats import pass_hat_k, split_variance
from eegbench.scoring.uncertainty import Statistic
from eegbench.suites import Task

N_ROUNDS = 10_000

Cases = Sequence[ScoredCase]


def compare(
    first: Cases, second: Cases, tasks: Mapping[str, Task], *, n_rounds: int = N_ROUNDS
) -> list[JsonObject]:
    """Test the difference of two runs in each task, adjusted over the tasks.

    Parameters
    ----------
    first, second
        Judged instances of the two runs.
    tasks
        Tasks by name, with their classes.
    n_rounds
        Random swaps of the permutation tests.

    Returns
    -------
    list of dict
        Per task: ``task``, ``metric``, ``n`` (instances in both), ``n_groups`` (what
        is swapped), ``difference`` (first minus second), ``test``, ``p_value``,
        ``p_holm``.

    Notes
    -----
    Accuracy of single questions (T1): exact McNemar. Everything else: permutation of
    whole groups, since macro-F1 and means over subjects are no sums of right answers.

    Raises
    ------
    SetError
        No instance is in both runs.
    """
    others = {case.instance.instance_id: case for case in second if _judged(case)}
    pairs: dict[str, list[tuple[ScoredCase, ScoredCase]]] = {}
    for case in first:
        other = others.get(case.instance.instance_id)
        if other is not None and _judged(case):
            pairs.setdefault(case.task, []).append((case, other))
    if not pairs:
        raise SetError("the two runs have no judged instance in common")
    found = [
        (tasks[name], len(rows), _test(tasks[name], rows, n_rounds))
        for name, rows in sorted(pairs.items())
    ]
    adjusted = holm([test.p_value for _, _, test in found])
    return [
        {
            "task": task.name,
            "metric": task.headline,
            "n": n,
            "n_groups": test.n,
            "difference": test.difference,
            "test": test.test,
            "p_value": test.p_value,
            "p_holm": p_holm,
        }
        for (task, n, test), p_holm in zip(found, adjusted, strict=True)
    ]


def _judged(case: ScoredCase) -> bool:
    return case.outcome not in ("failed", "missing")


def _test(
    task: Task, pairs: Sequence[tuple[ScoredCase, ScoredCase]], n_rounds: int
) -> PairedTest:
    one, two = [case for case, _ in pairs], [case for _, case in pairs]
    if task.kind == "choice":
        return mcnemar(
            [case.outcome == "right" for case in one],
            [case.outcome == "right" for case in two],
        )
    groups = [_group(case) for case in one]
    if task.kind == "events":
        first, groups = event_table([case.record for case in one if case.record])
        second, _ = event_table([case.record for case in two if case.record])
        statistic: Statistic = event_statistic
    elif task.kind == "hypnogram":
        first = night_table([case.night for case in one if case.night])
        second = night_table([case.night for case in two if case.night])
        statistic = night_statistic
    else:
        true = [str(case.reference.label) for case in one]
        first = label_table(true, [case.label for case in one], task.classes)
        second = label_table(true, [case.label for case in two], task.classes)
        statistic = label_statistic(len(task.classes))
    return permutation_test(
        first, second, statistic, task.headline, groups=groups, n_rounds=n_rounds
    )


def _group(case: ScoredCase) -> str:
    row = case.reference
    return row.group or row.subject or row.instance_id


def repeated(runs: Sequence[Cases]) -> list[JsonObject]:
    """Say how far repeated runs of one agent agree, by task.

    Returns
    -------
    list of dict
        Per task: ``n`` instances in all runs, ``runs``, the mean ``score`` of single
        instances, ``pass_k`` (all of k runs right, for k from 1 on), and the variance
        of these scores by ``instance``, ``run`` and ``rest``.

    Raises
    ------
    SetError
        No instance is judged in every run.
    """
    by_id = [
        {case.instance.instance_id: case for case in run if _judged(case)}
        for run in runs
    ]
    shared = [
        name for name in (by_id[0] if by_id else ()) if all(name in r for r in by_id)
    ]
    tasks: dict[str, list[str]] = {}
    for name in shared:
        tasks.setdefault(by_id[0][name].task, []).append(name)
    if not tasks:
        raise SetError("no instance is judged in every one of the runs")
    rows: list[JsonObject] = []
    for task, names in sorted(tasks.items()):
        table = np.array([[run[name].score or 0.0 for run in by_id] for name in names])
        right = [[run[name].outcome == "right" for run in by_id] for name in names]
        split = split_variance(table)
        rows.append(
            {
                "task": task,
                "n": len(names),
                "runs": len(by_id),
                "score": float(table.mean()),
                "pass_k": [pass_hat_k(right, k) for k in range(1, len(by_id) + 1)],
                "instance": split.instance,
                "run": split.run,
                "rest": split.rest,
            }
        )
    return rows
