"""Who reached what: one row an agent, for the page and as text, CSV or JSON.

Runs of different dialects or conditions never share a table without a column that says
so; only runs on a `paper-like` set are placed among the paper's 29 models.
"""

import re
from collections.abc import Mapping, Sequence
from textwrap import fill, shorten
from typing import Any

from eegbench.report.paper_data import place_among_paper
from eegbench.report.tables import (
    MISSING,
    cell_text,
    interval_text,
    metric_text,
    number_text,
    render,
    to_json,
)

Result = dict[str, Any]
PLAIN_METRICS = (
    "run",
    "agent",
    "suite",
    "condition",
    "dialect",
    "simulated",
    "complete",
    "task",
    "n",
    "failed",
    "missing",
    "metric",
    "headline",
    "value",
    "low",
    "high",
    "chance",
    "no_signal",
    "no_signal_by",
    "skill",
)


SKILL = (
    "skill: share of what the best answer without a signal leaves open, "
    "(score - no signal) / (1 - no signal)"
)
RESEARCH = "For research; not for clinical use."


def tidy_rows(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Return one row per run, task and metric, with interval and baselines."""
    rows = []
    for result in results:
        shared = {
            key: result[key]
            for key in (
                "run", "agent", "suite", "condition", "dialect", "simulated", "complete"
            )
        }  # fmt: skip
        for name, task in result["tasks"].items():
            best = task.get("best_no_signal") or {}
            for metric, value in task["metrics"].items():
                low, high = task["intervals"].get(metric) or (None, None)
                headline = metric == task["headline"]
                rows.append(
                    {
                        **shared,
                        "task": name,
                        "n": task["n"],
                        "failed": task["failed"],
                        "missing": len(task["missing"]),
                        "metric": metric,
                        "headline": headline,
                        "value": value,
                        "low": low,
                        "high": high,
                        "chance": task["chance"] if headline else None,
                        "no_signal": best.get("score") if headline else None,
                        "no_signal_by": best.get("name") if headline else None,
                        "skill": task.get("skill") if headline else None,
                    }
                )
    return rows


def score_text(result: Result, *, form: str) -> str:
    """Return one run's scores as table (80 columns), md, csv or json."""
    if form == "json":
        return to_json(result)
    if form == "csv":
        return render(tidy_rows([result]), form="csv", columns=PLAIN_METRICS)
    narrow = form == "table"
    rows = []
    for name, task in result["tasks"].items():
        interval = interval_text(task["intervals"].get(task["headline"]))
        title = task["title"]
        rows.append(
            {
                "task": f"{name} {_short(title, 17) if narrow else title}",
                "n": task["n"],
                "metric": metric_text(task["headline"]),
                "score": number_text(task["metrics"].get(task["headline"])),
                "95 % range": interval.replace(" to ", "-"),
                "no signal": _baseline_text(task["best_no_signal"], narrow=narrow),
                "skill": number_text(task["skill"], decimals=2),
            }
        )
    table = render(rows, form=form)
    return f"{_title(result)}\n\n{table}\n{_closing(result)}"


def _short(title: str, width: int) -> str:
    """Return the beginning of a title, up to where it tells details."""
    head = re.split(r",| in an? | of an? ", title)[0].replace(" or ", "/")
    return shorten(head, width, placeholder="...")


def _baseline_text(best: Mapping[str, Any] | None, *, narrow: bool) -> str:
    if best is None:
        return MISSING
    name = str(best["name"])
    if narrow:  # the word that tells them apart
        name = {
            "class frequency": "frequency",
            "prompt facts": "facts",
            "typical night": "typical",
        }.get(name, name)
    return f"{number_text(best['score'])} {name}"


def leaderboard_text(results: Sequence[Result], *, form: str) -> str:
    """Return several runs side by side as md, csv or json."""
    if form == "json":
        return to_json([placed(result) for result in results])
    if form == "csv":
        return render(tidy_rows(results), form="csv", columns=PLAIN_METRICS)
    rows = []
    for result in ranked(results):
        row: dict[str, Any] = {
            "agent": result["agent"],
            "run": result["run"],
            "condition": result["condition"],
            "dialect": result["dialect"],
            "simulated": result["simulated"],
            "complete": result["complete"],
            "overall": result["overall"],
            "T2-T6": result["overall_t2_t6"],
        }
        for name, task in result["tasks"].items():
            score = cell_text(task["metrics"].get(task["headline"]))
            interval = interval_text(task["intervals"].get(task["headline"]))
            row[name] = score if interval == "-" else f"{score} ({interval})"
        rows.append(row)
    names = list(dict.fromkeys(key for row in rows for key in row))
    table = render(rows, form="md", columns=names)
    lines = [
        f"{result['agent']}: {line}"
        for result in ranked(results)
        for line in _closing_lines(result)
        if not line.startswith(("overall", "T2-T6")) and line not in (SKILL, RESEARCH)
    ]
    return "\n".join([table, *(_folded(line) for line in [*lines, RESEARCH])]) + "\n"


def ranked(results: Sequence[Result]) -> list[Result]:
    """Return results, the best first, those without an overall score last."""

    def key(result: Result) -> tuple[float, float]:
        overall, signal = result["overall"], result["overall_t2_t6"]
        return (
            -1.0 if overall is None else overall,
            -1.0 if signal is None else signal,
        )

    return sorted(results, key=key, reverse=True)


def placed(result: Result) -> Result:
    """Return the result with its rank among the paper's models, where that is fair."""
    fair = (
        result["condition"] == "paper-like"
        and result["complete"]
        and result["overall"] is not None
    )
    rank = place_among_paper(result["overall"]) if fair else None
    return {**result, "paper_rank": rank}


def task_names(results: Sequence[Result]) -> list[str]:
    """Return the names of all tasks that a result has."""
    return sorted({name for result in results for name in result["tasks"]})


def headline_score(result: Result, name: str) -> float | None:
    """Return the score of a task that counts, None without it."""
    task = result["tasks"].get(name)
    if task is None:
        return None
    value: float | None = task["metrics"].get(task["headline"])
    return value


def _title(result: Result) -> str:
    simulated = " - SIMULATED data" if result["simulated"] else ""
    return (
        f"{result['agent']} on {result['suite']} ({result['condition']} set, "
        f"dialect {result['dialect']}){simulated}"
    )


def _closing(result: Result) -> str:
    return "\n".join(_folded(line) for line in _closing_lines(result)) + "\n"


def _folded(line: str) -> str:
    return fill(line, 80, subsequent_indent="  ")


def _closing_lines(result: Result) -> list[str]:
    """Return what a reader must know beside the table, a line each."""
    lines = []
    overall, signal = result["overall"], result["overall_t2_t6"]
    if overall is None and not result["overall_missing"]:
        lines.append("this suite has no overall score")
    elif overall is None:
        lines.append(f"overall  -      no score for {_join(result['overall_missing'])}")
    else:
        lines.append(f"overall  {overall:.3f}  mean of the six headline metrics")
    if signal is not None:
        lines.append(f"T2-T6    {signal:.3f}  the five with a signal")
    if not result["complete"]:
        lines.append(f"not complete: {'; '.join(result['incomplete_because'])}.")
    for name, task in result["tasks"].items():
        if task["failed"]:
            lines.append(
                f"{name}: {task['failed']} rows failed in the harness and are left out"
            )
    if any(task["skill"] is not None for task in result["tasks"].values()):
        lines.append(SKILL)
    lines += result["notes"]
    lines.append(RESEARCH)
    return lines


def _join(names: Sequence[str]) -> str:
    return ", ".join(names)
