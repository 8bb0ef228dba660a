"""The paper's 29 models as a background: size, families, spread by task, rank groups.

Runs of ours are told apart by ``comparable``: only a complete run on a paper-like set
stands among the models, everything else beside them.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from eegbench.analysis.trajectories import quantile
from eegbench.report.paper_data import HEADLINES, paper_models, paper_table

Row = dict[str, Any]
GROUP_SIZE = 5
"""Runs in a rank group, as in the paper; half of the runs where there are fewer."""
LEAST_RATIO = 2.0
"""Of the largest to the smallest model of a family, below which no slope is given."""


def comparable(result: Mapping[str, Any]) -> bool:
    """Whether a run may stand among the paper's models."""
    return result["condition"] == "paper-like" and bool(result["complete"])


def size_rows() -> list[Row]:
    """Return every model with family, parameters and scores; None: not reported."""
    return [
        {
            "source": "paper",
            "model": row["model"],
            "family": row["family"],
            "parameters_b": row["parameters_b"],
            "active_b": row["active_b"],
            "overall": row["overall"],
            **{task: row[f"{task}_{metric}"] for task, metric in HEADLINES.items()},
        }
        for row in paper_models()
    ]


def family_rows() -> list[Row]:
    """Return how overall changes with size, over all models and within families.

    ``change_per_tenfold`` is the least-squares slope of overall on log10 of the
    parameters; models without a reported size are left out, families whose models are
    of about one size have no row.
    """
    known = [row for row in size_rows() if row["parameters_b"] is not None]
    families: dict[str, list[Row]] = {"all models": known}
    for row in known:
        families.setdefault(str(row["family"]), []).append(row)
    rows = []
    for family, members in families.items():
        sizes = [float(m["parameters_b"]) for m in members]
        if max(sizes) < LEAST_RATIO * min(sizes):
            continue
        rows.append(
            {
                "source": "paper",
                "family": family,
                "n": len(members),
                "smallest_b": min(sizes),
                "largest_b": max(sizes),
                "change_per_tenfold": _slope(
                    [math.log10(size) for size in sizes],
                    [float(m["overall"]) for m in members],
                ),
            }
        )
    return rows


def _slope(xs: Sequence[float], ys: Sequence[float]) -> float:
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    together = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    return together / sum((x - mean_x) ** 2 for x in xs)


def distribution_rows() -> list[Row]:
    """Return the spread of the 29 models' headline scores by task (figure 5)."""
    rows = []
    for task, metric in HEADLINES.items():
        values = [float(str(row[f"{task}_{metric}"])) for row in paper_models()]
        rows.append(
            {
                "source": "paper",
                "task": task,
                "metric": metric,
                "n": len(values),
                "least": min(values),
                "q25": quantile(values, 0.25),
                "median": quantile(values, 0.5),
                "q75": quantile(values, 0.75),
                "largest": max(values),
            }
        )
    return rows


def rank_group_rows(
    runs: Sequence[tuple[str, Mapping[str, Any], Mapping[str, Sequence[int]]]],
) -> list[Row]:
    """Return median tool calls of the best and the worst runs by task (figure 4b).

    Parameters
    ----------
    runs : sequence of (agent, scores, calls)
        Headline score by task, and the calls of every episode by task. A task with
        fewer than two scored runs has no groups.

    Returns
    -------
    list of dict
        Ours first, with the agents of each group; then what the paper states.
    """
    rows = []
    for task in HEADLINES:
        scored = sorted(
            (run for run in runs if run[1].get(task) is not None and run[2].get(task)),
            key=lambda run: (-float(run[1][task]), run[0]),
        )
        size = min(GROUP_SIZE, len(scored) // 2)
        if not size:
            continue
        for name, group in (("top", scored[:size]), ("bottom", scored[-size:])):
            calls = [n for _, _, by_task in group for n in by_task[task]]
            rows.append(
                {
                    "source": "runs",
                    "task": task,
                    "group": f"{name} {size}",
                    "median_calls": quantile(calls, 0.5),
                    "n_episodes": len(calls),
                    "agents": ", ".join(agent for agent, _, _ in group),
                }
            )
    for told in paper_table("findings").rows:
        if told["topic"] == "tools":
            rows.append(
                {
                    "source": "paper",
                    "task": told["task"],
                    "group": str(told["quantity"]).partition(", ")[2],
                    "median_calls": told["value"],
                    "n_episodes": None,
                    "agents": told["who"],
                }
            )
    return rows


def paper_errors() -> list[Row]:
    """Return miss and over-alarm rates of T5 that the paper states (figure 7a)."""
    found: dict[str, Row] = {}
    for told in paper_table("findings").rows:
        if told["topic"] == "errors" and told["task"] == "T5":
            row = found.setdefault(
                str(told["who"]), {"source": "paper", "agent": told["who"]}
            )
            row[str(told["quantity"])] = told["value"]
    return list(found.values())


def paper_axes() -> list[Row]:
    """Return detection, clean accuracy and type confusion of T2 that it states."""
    found: dict[str, Row] = {}
    for told in paper_table("findings").rows:
        if told["topic"] == "snr":
            row = found.setdefault(
                str(told["who"]), {"source": "paper", "agent": told["who"]}
            )
            row[str(told["quantity"])] = told["value"]
    return list(found.values())
