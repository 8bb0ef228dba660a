"""One section a task: scores with intervals, the paper's figure for it, its data."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from eegbench.analysis.errors_by import duration_bins, seizure_errors, snr_response
from eegbench.report.bars import interval_bar
from eegbench.report.cells import (
    BLANK,
    Cell,
    Head,
    Line,
    Table,
    number_cell,
    plain_table,
)
from eegbench.report.svg import (
    N_COLOURS,
    Axis,
    Point,
    legend,
    line_chart,
    scatter_chart,
    style_of,
)
from eegbench.report.svg import Line as ChartLine
from eegbench.report.tables import MISSING, interval_text, metric_text, number_text
from eegbench.scored import ScoredCase
from eegbench.suites import Task

Result = dict[str, Any]
Runs = Sequence[tuple[Result, Sequence[ScoredCase]]]


class Figure(NamedTuple):
    """A chart (safe SVG text) with its note and the rows behind it."""

    title: str
    chart: str
    note: str = ""
    table: Table | None = None


class Section(NamedTuple):
    """What the page says of one task."""

    name: str
    title: str
    about: Sequence[tuple[str, str]]
    """What the headline is, its chance level, the data: (word, text) each."""
    notes: Sequence[str]
    table: Table
    figures: Sequence[Figure]
    more: Sequence[Figure] = ()
    """Confusions of further agents, folded."""


def task_section(task: Task, runs: Runs) -> Section:
    """Return a task's section for several runs."""
    chance = "" if task.chance is None else f"{number_text(task.chance)}; "
    about = [
        ("headline", f"{metric_text(task.headline)}, over {task.averaged_over}"),
        ("chance", f"{chance}{task.chance_note}"),
        ("data", task.data),
        ("intervals", f"95 % bootstrap over {task.independent}"),
    ]
    notes = list(task.notes)
    for result, _ in runs:
        told = result["tasks"].get(task.name, {})
        notes += [f"{result['agent']}: {note}" for note in told.get("warnings", ())]
    confusions = _confusions(task, runs)
    return Section(
        task.name,
        task.title,
        about,
        notes,
        _score_table(task, runs),
        _figures(task, runs) + confusions[:N_COLOURS],
        confusions[N_COLOURS:],
    )


def _score_table(task: Task, runs: Runs) -> Table:
    heads = [Head("agent"), Head("n", number=True), Head("failed", number=True)]
    heads += [Head("missing", number=True)]
    heads += [Head(metric_text(name), number=True) for name in task.metrics]
    ours, baselines = [], {}
    for result, _ in runs:
        told = result["tasks"].get(task.name)
        if told is None:
            continue
        cells = [
            Cell(result["agent"], small=_run_beside(result)),
            number_cell(told["n"]),
            number_cell(told["failed"]),
            number_cell(len(told["missing"])),
        ]
        for metric in task.metrics:
            cells.append(_metric_cell(told, metric))
        ours.append(Line(cells, "ours"))
        for baseline in told["baselines"]:  # the same for every run on one set
            baselines[baseline["name"], baseline["score"]] = baseline
    beside = [
        Line(
            [
                Cell(f"no signal: {name}"),
                *[BLANK] * 3,
                number_cell(score),
                *[BLANK] * (len(heads) - 5),
            ],
            "baseline",
        )
        for name, score in baselines
    ]
    return Table(f"{task.name} scores", heads, [ours, beside])


def _metric_cell(told: Result, metric: str) -> Cell:
    """Return a metric with its interval; the headline is drawn, too."""
    score, interval = told["metrics"].get(metric), told["intervals"].get(metric)
    text = interval_text(interval).replace(" to ", "\u2013")
    bar = ""
    if metric == told["headline"]:
        best = told.get("best_no_signal") or {}
        bar = interval_bar(score, interval, best.get("score"))
    return number_cell(score, small="" if text == MISSING else text, bar=bar)


def _run_beside(result: Result) -> str:
    return "" if result["run"] == result["agent"] else str(result["run"])


def _figures(task: Task, runs: Runs) -> list[Figure]:
    figures = []
    if task.name == "T2":
        figures += _snr_figures(runs)
    if task.kind == "events":
        figures += _seizure_figure(runs)
    if task.kind == "hypnogram":
        figures += _duration_figure(runs)
    return figures


def _confusions(task: Task, runs: Runs) -> list[Figure]:
    found = [
        (result["agent"], result["tasks"].get(task.name, {}).get("confusion"))
        for result, _ in runs
    ]
    return [_confusion(agent, task, matrix) for agent, matrix in found if matrix]


def _snr_figures(runs: Runs) -> list[Figure]:
    tidy = [
        {"agent": result["agent"], **row}
        for result, cases in runs
        for row in snr_response(cases)
    ]
    figures = []
    for artifact in ("ocular", "muscle"):
        rows = [row for row in tidy if row["artifact"] == artifact]
        rows = [row for row in rows if row["snr_db"] is not None]
        if not rows:
            continue
        levels = sorted({row["snr_db"] for row in rows})
        lines = []
        for agent in dict.fromkeys(row["agent"] for row in rows):
            at = {r["snr_db"]: r["accuracy"] for r in rows if r["agent"] == agent}
            lines.append(ChartLine(agent, levels, [at.get(level) for level in levels]))
        axis = Axis(
            "signal-to-noise ratio (dB); the artifact grows to the right",
            levels[0] - 0.5,
            levels[-1] + 0.5,
            reverse=True,
        )
        clean = ", ".join(
            f"{row['agent']} {number_text(row['accuracy'])}"
            for row in tidy
            if row["artifact"] == "clean"
        )
        figures.append(
            Figure(
                f"{artifact} artifact: accuracy by level",
                line_chart(
                    lines,
                    axis,
                    Axis("accuracy", 0.0, 1.0),
                    title=f"accuracy on {artifact} artifacts by level",
                    levels=[(1 / 3, "chance")],
                ),
                f"Clean segments left clean: {clean}." if clean else "",
                plain_table(f"{artifact} accuracy by level", rows),
            )
        )
    return figures


def _seizure_figure(runs: Runs) -> list[Figure]:
    rows = [
        {"agent": result["agent"], **row}
        for result, cases in runs
        for row in [seizure_errors(cases)]
        if row is not None
    ]
    points = [
        Point(
            row["agent"],
            row["over_alarm_rate"],
            row["miss_rate"],
            style_of(k),
            label=style_of(k) >= 0,
        )
        for k, row in enumerate(rows)
        if row["over_alarm_rate"] is not None and row["miss_rate"] is not None
    ]
    if not points:
        return []
    chart = scatter_chart(
        points,
        Axis("over-alarm rate (of seizure-free records)", 0.0, 1.0),
        Axis("miss rate (of seizure records)", 0.0, 1.0),
        title="miss rate against over-alarm rate",
    )
    note = (
        "Down and to the left is better. Missed: no predicted interval overlaps; "
        "over-alarm: any alarm in a record without a seizure."
    )
    return [
        Figure(
            "Misses against over-alarms",
            chart + legend([point.name for point in points]),
            note,
            plain_table("misses and over-alarms", rows),
        )
    ]


def _duration_figure(runs: Runs) -> list[Figure]:
    rows = [
        {"agent": result["agent"], **row}
        for result, cases in runs
        for row in duration_bins(cases)
    ]
    if not rows:
        return []
    edges = sorted({(row["from_h"], row["to_h"]) for row in rows})
    lines = []
    for agent in dict.fromkeys(row["agent"] for row in rows):
        at = {row["from_h"]: row for row in rows if row["agent"] == agent}
        told = [at.get(low) for low, _ in edges]
        lines.append(
            ChartLine(
                agent,
                range(len(edges)),
                [None if row is None else row["macro_f1"] for row in told],
                [None if row is None else row["q25"] for row in told],
                [None if row is None else row["q75"] for row in told],
            )
        )
    ticks = tuple((float(k), f"{a:g}-{b:g}") for k, (a, b) in enumerate(edges))
    chart = line_chart(
        lines,
        Axis("length of the recording (h)", -0.5, len(edges) - 0.5, ticks=ticks),
        Axis("macro-F1", 0.0, 1.0),
        title="macro-F1 by length of the recording",
    )
    return [
        Figure(
            "Macro-F1 by length of the recording",
            chart,
            "Mean of the nights in each bin; band: the middle half of them.",
            plain_table("macro-F1 by length", rows),
        )
    ]


def _confusion(agent: str, task: Task, matrix: dict[str, Any]) -> Figure:
    classes, answers = matrix["classes"], matrix["answers"]
    rows = []
    for name, counts in zip(classes, matrix["counts"], strict=True):
        total = sum(counts) or 1
        cells = [Cell(f"is {name}")]
        cells += [
            Cell(f"{count:,}", count, "number heat", heat=round(count / total, 3))
            for count in counts
        ]
        rows.append(Line(cells))
    heads = [
        Head("reference"),
        *(Head(f"says {name}", number=True) for name in answers),
    ]
    return Figure(
        f"Confusion: {agent}",
        "",
        "Shade: share of the reference class"
        + (", in epochs." if task.kind == "hypnogram" else "."),
        Table(f"{task.name} confusion of {agent}", heads, [rows]),
    )
