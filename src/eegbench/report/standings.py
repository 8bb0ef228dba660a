"""The page's leaderboard: a table with drawn intervals, and a chart of all tasks.

Only runs on a `paper-like` set are placed among the paper's 29 models; others stand
above them, behind a gap.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from eegbench.report.bars import interval_bar
from eegbench.report.cells import Cell, Head, Line, Table, number_cell
from eegbench.report.leaderboard import headline_score, placed, ranked, task_names
from eegbench.report.paper_data import HEADLINES, paper_models
from eegbench.report.svg import Axis, Marked, strip_chart
from eegbench.report.tables import MISSING, interval_text, metric_text

Result = dict[str, Any]


def leaderboard_table(results: Sequence[Result]) -> Table:
    """Return the page's leaderboard: ours, and the paper's models in grey."""
    tasks = task_names(results)
    heads = [
        Head("agent"),
        Head("overall", number=True),
        Head("T2-T6", number=True),
    ]
    heads += [
        Head(name, number=True, small=_headline_text(results, name)) for name in tasks
    ]
    heads.append(Head("set"))
    among = [result for result in results if is_fair(result)]
    beside = [result for result in results if not is_fair(result)]
    ours = [_own_line(result, tasks) for result in ranked(beside)]
    paper = [_paper_line(row, tasks, hidden=not among) for row in paper_models()]
    fair = [_own_line(result, tasks) for result in among]
    all_placed = sorted([*paper, *fair], key=_overall_of, reverse=True)
    gap = Line(
        [
            Cell(
                "The paper's 29 models, on the paper's own set and tools: "
                "not comparable with runs on other sets.",
                span=len(heads),
            )
        ],
        "gap",
        hidden=not among,
    )
    without = _no_signal_lines(results, tasks)
    bodies = [ours, without, [gap], all_placed] if ours else [all_placed, without]
    return Table("Leaderboard", heads, [body for body in bodies if body])


def overview_chart(results: Sequence[Result]) -> str:
    """Return the headline score of each task; the paper's models in grey.

    They are there for runs on a `paper-like` set of real recordings alone; other runs
    stand beside them, behind a gap.
    """
    tasks = [name for name in HEADLINES if name in task_names(results)]
    fair = [is_fair(result) for result in results]
    models = paper_models() if any(fair) else []
    if all(
        headline_score(result, name) is None for result in results for name in tasks
    ):
        return ""
    columns = [
        (
            name,
            [
                (str(row["model"]), _as_float(row[f"{name}_{HEADLINES[name]}"]))
                for row in models
            ],
        )
        for name in tasks
    ]
    marked = [
        Marked(
            result["agent"],
            [headline_score(result, name) for name in tasks],
            [_headline_interval(result, name) for name in tasks],
            beside=not among,
        )
        for result, among in zip(results, fair, strict=True)
    ]
    chart = strip_chart(
        columns,
        marked,
        Axis("headline score", 0.0, 1.0),
        title="headline score of each task",
        x_label="task",
    )
    if not models:
        return chart
    return (
        f'{chart}<p class="note">Grey: the paper\'s 29 models, with the runs on a '
        "paper-like set; to their right runs that do not compare.</p>"
    )


def is_fair(result: Result) -> bool:
    """Return whether a run may stand among the paper's models."""
    return result["condition"] == "paper-like" and not result["simulated"]


def _headline_interval(result: Result, name: str) -> Sequence[float | None] | None:
    task = result["tasks"].get(name) or {}
    told: Sequence[float | None] | None = task.get("intervals", {}).get(
        task.get("headline")
    )
    return told


def _own_line(result: Result, tasks: Sequence[str]) -> Line:
    marks = ["SIMULATED"] if result["simulated"] else []
    marks.append("complete" if result["complete"] else "incomplete")
    place = placed(result).get("paper_rank")
    small = [result["run"]] if result["run"] != result["agent"] else []
    if place:
        small.append(f"place {place} of {1 + len(paper_models())} with the paper's")
    cells = [
        Cell(result["agent"], small="\n".join(small)),
        number_cell(result["overall"]),
        number_cell(result["overall_t2_t6"]),
        *(_task_cell(result["tasks"].get(name)) for name in tasks),
        Cell(
            f"{result['condition']} set",
            small=f"dialect {result['dialect']}\n{', '.join(marks)}",
        ),
    ]
    return Line(cells, "ours")


def _task_cell(task: Result | None) -> Cell:
    """Return a headline score with its interval, drawn and told, and the skill."""
    if task is None:
        return number_cell(None)
    score = task["metrics"].get(task["headline"])
    interval = task["intervals"].get(task["headline"])
    best = task.get("best_no_signal") or {}
    small = [interval_text(interval).replace(" to ", "\u2013")]
    if task.get("skill") is not None:
        small.append(f"skill {task['skill']:+.2f}".replace("-", "\u2212"))
    return number_cell(
        score,
        small="\n".join(line for line in small if line != MISSING),
        bar=interval_bar(score, interval, best.get("score")),
    )


def _no_signal_lines(results: Sequence[Result], tasks: Sequence[str]) -> list[Line]:
    """Return what the best answer without a signal reaches, a row a set."""
    lines = []
    by_set = {result["set"]["checksum"]: result for result in reversed(results)}
    for result in reversed(by_set.values()):
        best = [
            (result["tasks"].get(name) or {}).get("best_no_signal") or {}
            for name in tasks
        ]
        if not any(best):
            continue
        scores = [row.get("score") for row in best]
        where = f"{result['condition']} set"
        cells = [
            Cell("best without a signal"),
            *_means(dict(zip(tasks, scores, strict=True))),
            *[
                number_cell(row.get("score"), small=str(row.get("name", "")))
                for row in best
            ],
            Cell(where, small="the best baseline of each task"),
        ]
        lines.append(Line(cells, "baseline"))
    return lines


def _means(scores: Mapping[str, float | None]) -> list[Cell]:
    """Return the overall score and that of T2 to T6, where all are there."""
    cells = []
    for names in (list(HEADLINES), [name for name in HEADLINES if name != "T1"]):
        known = [scores.get(name) for name in names]
        told = [score for score in known if score is not None]
        whole = len(told) == len(names)
        cells.append(number_cell(sum(told) / len(told) if whole else None))
    return cells


def _headline_text(results: Sequence[Result], name: str) -> str:
    told = next(r["tasks"][name] for r in results if name in r["tasks"])
    return metric_text(told["headline"])


def _paper_line(row: dict[str, Any], tasks: Sequence[str], *, hidden: bool) -> Line:
    scores = [row.get(f"{name}_{HEADLINES.get(name)}") for name in tasks]
    signal = [float(row[f"{t}_{m}"]) for t, m in HEADLINES.items() if t != "T1"]
    cells = [
        Cell(row["model"]),
        number_cell(row["overall"]),
        number_cell(sum(signal) / len(signal)),
        *(number_cell(score) for score in scores),
        Cell(f"paper, rank {row['rank']}"),
    ]
    return Line(cells, "paper", hidden)


def _overall_of(line: Line) -> float:
    value = line.cells[1].value
    return value if isinstance(value, float) else -1.0


def _as_float(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
