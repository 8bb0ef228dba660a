"""Every table and figure of the analysis, written to a folder.

``NAME.csv`` and ``NAME.json`` hold the tidy rows, ``NAME.svg`` and ``NAME.png`` the
figure drawn from them. Rows of the paper say so in ``source``.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from eegbench import groundedness
from eegbench.analysis.behaviour import behaviour_of
from eegbench.analysis.cost import cost_usd
from eegbench.analysis.errors_by import (
    artifact_axes,
    duration_bins,
    seizure_errors,
    snr_response,
)
from eegbench.analysis.models import (
    comparable,
    distribution_rows,
    family_rows,
    paper_axes,
    paper_errors,
    rank_group_rows,
    size_rows,
)
from eegbench.analysis.trajectories import calls_of
from eegbench.report.paper_data import (
    HEADLINES,
    paper_models,
    paper_table,
    pareto_front,
)
from eegbench.report.tables import render
from eegbench.scored import ScoredCase

Rows = list[dict[str, Any]]
Run = tuple[dict[str, Any], Sequence[ScoredCase], Callable[[ScoredCase], Any]]


def write_analysis(
    runs: Sequence[Run],
    output: Path,
    *,
    figures: bool = True,
    prices: Mapping[str, Mapping[str, float]] | None = None,
) -> list[Path]:
    """Write tables and figures of several runs; return the paths, in order.

    Parameters
    ----------
    runs : sequence of (result, cases, read)
        ``result`` as from ``evaluate``; ``read`` gives a case's transcript.
    output : Path
        Folder, made if it is not there.
    figures : bool, optional
        Whether to draw as well; needs matplotlib.
    prices : mapping, optional
        By run: ``input_usd_per_mtok`` and ``output_usd_per_mtok`` (paper equation 9).
    """
    tables = analysis_tables(runs, prices)
    output.mkdir(parents=True, exist_ok=True)
    written = []
    for name, rows in tables.items():
        columns = list(dict.fromkeys(key for row in rows for key in row))
        for form in ("csv", "json"):
            path = output / f"{name}.{form}"
            path.write_text(render(rows, form=form, columns=columns), encoding="utf-8")
            written.append(path)
    if figures:
        from eegbench.analysis.drawing import draw_all

        written += draw_all(tables, _marked(runs), output)
    return written


def analysis_tables(
    runs: Sequence[Run], prices: Mapping[str, Mapping[str, float]] | None = None
) -> dict[str, Rows]:
    """Return the tidy rows by name; tables without a row are left out."""
    tables: dict[str, Rows] = {}

    def add(name: str, agent: str, rows: Rows) -> None:
        tables.setdefault(name, []).extend({"agent": agent, **row} for row in rows)

    for result, cases, read in runs:
        agent = _name(result)
        did = behaviour_of(cases, [calls_of(read(case)) for case in cases])
        for name, rows in did._asdict().items():
            add(name, agent, rows)
        by_task, by_instance = grounded_rows(cases, read)
        add("groundedness", agent, by_task)
        add("groundedness_by_case", agent, by_instance)
        add("snr_response", agent, snr_response(cases))
        add("duration_bins", agent, duration_bins(cases))
        for name, row in (
            ("artifact_axes", artifact_axes(cases)),
            ("seizure_errors", seizure_errors(cases)),
        ):
            add(name, agent, [] if row is None else [row])
    for name, told in (
        ("artifact_axes", paper_axes()),
        ("seizure_errors", paper_errors()),
    ):
        if tables.get(name):
            tables[name] += told
    tables["calls_by_rank"] = rank_group_rows(
        [
            (_name(result), _headlines(result), _calls(cases))
            for result, cases, _ in runs
        ]
    )
    tables["model_size"] = size_rows()
    tables["model_families"] = family_rows()
    tables["task_distributions"] = distribution_rows()
    tables["cost"] = _cost_rows(runs, tables.get("tokens", []), prices or {})
    tables["construction"] = [dict(row) for row in paper_table("construction").rows]
    folders = dict.fromkeys(Path(result["set"]["path"]) for result, _, _ in runs)
    tables["construction_of_sets"] = [
        {"set": folder.name, **row} for folder in folders for row in _flow(folder)
    ]
    return {name: rows for name, rows in tables.items() if rows}


def grounded_rows(
    cases: Sequence[ScoredCase], read: Callable[[ScoredCase], Any]
) -> tuple[Rows, Rows]:
    """Return how the numbers of a run's reasons fare, by task and by instance."""
    return groundedness.rows(
        [
            groundedness.look_at(
                case.instance.instance_id,
                case.task,
                case.prediction.answer,
                read(case),
            )
            for case in cases
            if case.prediction is not None and case.prediction.status == "completed"
        ]
    )


def _flow(set_path: Path) -> Rows:
    """Return a set's counts by stage beside the paper's; none if it has no file."""
    try:
        rows = orjson.loads((set_path / "construction.json").read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return []
    return [row for row in rows if isinstance(row, dict)]


def _cost_rows(
    runs: Sequence[Run], tokens: Rows, prices: Mapping[str, Mapping[str, float]]
) -> Rows:
    """Return models of the paper and our runs that have a price, with the front."""
    models = [
        {
            "source": "paper",
            "model": row["model"],
            "overall": row["overall"],
            "cost_usd": row["cost_usd"],
            "comparable": True,
        }
        for row in paper_models()
        if row["cost_usd"] is not None
    ]
    for result, _, _ in runs:
        price = prices.get(result["run"])
        mine = [row for row in tokens if row["agent"] == _name(result)]
        paid = cost_usd(mine, price)
        if paid is not None and result["overall"] is not None:
            models.append(
                {
                    "source": "run",
                    "model": _name(result),
                    "overall": result["overall"],
                    "cost_usd": paid,
                    "comparable": comparable(result),
                }
            )
    points = [
        (str(row["model"]), float(row["cost_usd"] or 0), float(row["overall"] or 0))
        for row in models
        if row["comparable"]
    ]
    front = pareto_front(points)
    return [{**row, "on_front": row["model"] in front} for row in models]


def _name(result: dict[str, Any]) -> str:
    """Return the agent, and that its recordings were simulated."""
    return f"{result['agent']} (simulated)" if result["simulated"] else result["agent"]


def _marked(
    runs: Sequence[Run],
) -> list[tuple[str, list[float | None], bool]]:
    """Return each run's name, headline scores, and whether the models compare."""
    return [
        (_name(result), [*_headlines(result).values()], comparable(result))
        for result, _, _ in runs
    ]


def _headlines(result: dict[str, Any]) -> dict[str, float | None]:
    return {
        task: result["tasks"].get(task, {}).get("metrics", {}).get(metric)
        for task, metric in HEADLINES.items()
    }


def _calls(cases: Sequence[ScoredCase]) -> dict[str, list[int]]:
    counts: dict[str, list[int]] = {}
    for case in cases:
        if case.prediction is not None:
            counts.setdefault(case.task, []).append(case.prediction.n_tool_calls)
    return counts
