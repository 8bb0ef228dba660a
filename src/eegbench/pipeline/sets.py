"""Commands on sets: list, show, build, check, audit, and the paper's tables."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from eegbench.errors import ConfigError, SetError
from eegbench.instances import Condition, read_set
from eegbench.records import read_bytes
from eegbench.references import read_references
from eegbench.report.tables import render, to_json
from eegbench.suites import SUITES, Task, find_task, suite
from eegbench.suites.eegagent.build.pool import Place

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
        told = "; ".join(value) if isinstance(value, list | tuple) else value
        if told not in (None, ""):
            lines.append(_wrapped(key.replace("_", " "), str(told)))
    return "\n".join(lines) + "\n"


class BuildOptions(NamedTuple):
    """What ``build`` was told besides suite and folder."""

    sources: Path | None = None
    release: Path | None = None
    signals: Path | None = None
    tasks: Sequence[str] | None = None
    condition: Condition = "default"
    panel: Path | None = None
    balanced: bool | None = None
    trim: bool = True
    exclude: str | None = None
    """Names after commas, or a file of names (`excluded`)."""
    place: Place = "refer"
    compare_with: Path | None = None
    kind: str | None = None
    """For recordings of one's own: seizures, nights, labels."""


def build_set(
    suite_name: str, output: Path, options: BuildOptions, *, talk: Talk
) -> tuple[str, bool]:
    """Build a set; return what was built, and whether something was left out."""
    sources, release = options.sources, options.release
    if suite_name not in SUITES:
        raise SetError(f"unknown suite {suite_name!r}; known: {', '.join(SUITES)}")
    if release is not None:
        from eegbench.suites.eegagent.build.release import build_release

        report = build_release(
            release,
            output,
            signals=options.signals,
            tasks=options.tasks,
            condition=options.condition,
            place=options.place,
            talk=talk,
        )
        return report.text(), bool(report.missing or report.unreadable)
    if sources is None:
        raise ConfigError("give a folder of sources or a folder of the release")
    if options.condition != "default":
        raise ConfigError(
            "a paper-like set takes its texts and ids from the release; use --release"
        )
    if suite_name == "own":
        from eegbench.suites.eegagent.build.own import build_own

        if options.kind is None:
            raise ConfigError("recordings of your own need --kind")
        report = build_own(
            options.kind, sources, output, place=options.place, talk=talk
        )
        return report.text(), bool(report.unreadable)
    from eegbench.suites.eegagent.build import build

    report = build(
        sources,
        options.tasks,
        output,
        panel=options.panel,
        balanced=options.balanced,
        trim=options.trim,
        exclude=excluded(options.exclude),
        place=options.place,
        compare_with=options.compare_with,
        talk=talk,
    )
    return report.text(), bool(report.unreadable)


def excluded(told: str | None) -> set[str]:
    """Return record names to leave out, from a comma list or a file.

    A file holds one name a line, or JSON Lines of the release's runtime form, whose
    records are named by their ``data_path``.
    """
    if not told:
        return set()
    path = Path(told)
    if not path.is_file():
        if "/" in told or told.endswith((".txt", ".jsonl")):
            raise SetError(f"no file {told} of names to leave out")
        return {name.strip() for name in told.split(",") if name.strip()}
    names: set[str] = set()
    for line in read_bytes(path).decode("utf-8", "replace").splitlines():
        names |= set(_names_of(line.strip()))
    return names


def _names_of(line: str) -> Iterable[str]:
    if not line.startswith("{"):
        return [line] if line else []
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise SetError(f"names to leave out: not JSON: {line[:60]!r}") from error
    records = row.get("records", []) if isinstance(row, dict) else []
    return [Path(str(record["data_path"])).stem for record in records]


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
