"""Commands on sets: list, show, check, audit, and the paper's tables."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from eegbench.errors import SetError
from eegbench.instances import read_set
from eegbench.references import read_references
from eegbench.report.tables import cell_text, render, to_json
from eegbench.suites import SUITES, Task, find_task, suite

Talk = Callable[[str], None]
JsonObject = dict[str, Any]


def list_suites(*, form: str) -> str:
    """Return suites and tasks, agents, and data sources as one table each."""
    from eegbench.agents.registry import NAMES

    rows = [
        {
            "suite": name,
            "task": task.name,
            "title": task.title,
            "headline": task.headline,
            "n": suite(name).frozen_counts.get(task.name),
            "data": task.data.partition(":")[0],
        }
        for name in SUITES
        for task in suite(name).tasks.values()
    ]
    if form != "table":
        return render(rows, form=form)
    agents = ", ".join(NAMES)
    return (
        f"{render(rows, form=form)}\nagents: {agents}, or package.module:Name\n"
        "more: eegbench show TASK\n"
    )


def show_task(name: str, *, form: str) -> str:
    """Return what a task asks, how it is judged, its chance level and its data."""
    owner, task = find_task(name)
    facts = _task_facts(owner.name, task, owner.frozen_counts.get(task.name))
    if form == "json":
        return to_json({**facts, "answer_schema": task.answer_schema})
    rows = [{"what": key, "value": value} for key, value in facts.items()]
    if form != "table":
        return render(rows, form=form)
    lines = []
    for key, value in facts.items():
        told = "; ".join(value) if isinstance(value, list) else cell_text(value)
        if value not in (None, "", []):
            lines.append(_wrapped(key.replace("_", " "), told))
    return "\n".join(lines) + "\n"


def check_set(set_path: Path, *, talk: Talk) -> tuple[str, bool]:
    """Return what is wrong with a set, and whether anything is."""
    from eegbench.checking import check

    return check(set_path, talk=talk)


def audit(set_path: Path, *, form: str, talk: Talk) -> str:
    """Return what is reached on a set without looking at any signal."""
    from eegbench.pipeline.baselines import baselines_of

    chosen = read_set(set_path)
    told = baselines_of(chosen, read_references(set_path), talk=talk)
    of = suite(chosen.info.suite)
    rows: list[JsonObject] = []
    for name, found in told.items():
        scores = [row["score"] for row in found if row["score"] is not None]
        rows += [
            {
                "task": name,
                "metric": of.task(name).headline,
                "baseline": row["name"],
                "score": row["score"],
                "best": row["score"] is not None and row["score"] == max(scores),
                "p": row["p_value"],
                "note": row["note"],
            }
            for row in found
        ]
    return render(rows, form=form)


def paper(table: str | None, *, form: str) -> str:
    """Return a table of the paper, or the list of them."""
    from eegbench.report.paper_data import TABLES, paper_table

    if table is None:
        rows = [{"table": name, "origin": paper_table(name).origin} for name in TABLES]
        return render(rows, form=form)
    if table not in TABLES:
        raise SetError(f"no paper table {table!r}; known: {', '.join(TABLES)}")
    told = paper_table(table)
    return render(told.rows, form=form, columns=told.columns)


def _task_facts(suite_name: str, task: Task, count: int | None) -> JsonObject:
    return {
        "task": f"{task.name} {task.title} (suite {suite_name})",
        "question": task.question,
        "answer": task.answer_field,
        "classes": list(task.classes),
        "headline_metric": task.headline,
        "averaged_over": task.averaged_over,
        "further_metrics": list(task.metrics[1:]),
        "chance_level": task.chance,
        "chance": task.chance_note,
        "data": task.data,
        "frozen_set": None if count is None else f"{count} instances",
        "interval_resamples": task.independent,
        "tools": "ten EEG tools" if task.has_tools else "none",
        "to_know": list(task.notes),
    }


def _wrapped(name: str, text: str) -> str:
    import textwrap

    return textwrap.fill(
        text, 80, initial_indent=f"{name:<18}  ", subsequent_indent=" " * 20
    )
