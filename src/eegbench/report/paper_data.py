"""The paper's tables as data: read from the TOML files beside, and placed upon.

Holds facts typed over from the EEGAgentBench paper (origin in each file) and the
arithmetic on them: the 29 models as leaderboard rows, their cost, their Pareto front.
"""

import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

Cell = str | float | None

TABLES = {
    "1": "table1_tasks",
    "2": "table2_scores",
    "3": "table3_event_parameters",
    "4": "table4_models",
    "5": "table5_tokens",
    "6": "table6_prices",
    "construction": "figure3_construction",
    "findings": "findings",
}
HEADLINES = {
    "T1": "accuracy",
    "T2": "macro_f1",
    "T3": "macro_f1",
    "T4": "macro_f1",
    "T5": "event_f1",
    "T6": "macro_f1",
}


class PaperTable(NamedTuple):
    """One table of the paper: where it stands, and its rows as dictionaries."""

    origin: str
    columns: tuple[str, ...]
    rows: tuple[dict[str, Cell], ...]


@cache
def paper_table(name: str) -> PaperTable:
    """Return a table of the paper by its number (``"1"`` to ``"6"``) or name.

    An empty text in the file stands for "not reported" and becomes ``None``.
    """
    if name not in TABLES:
        known = ", ".join(TABLES)
        raise KeyError(f"no paper table {name!r}; there are {known}")
    source = files("eegbench.report").joinpath("paper", f"{TABLES[name]}.toml")
    raw = tomllib.loads(source.read_text(encoding="utf-8"))
    columns = tuple(raw["columns"])
    rows = tuple(
        {
            column: None if cell == "" else cell
            for column, cell in zip(columns, row, strict=True)
        }
        for row in raw["rows"]
    )
    return PaperTable(raw["origin"], columns, rows)


def paper_models() -> list[dict[str, Cell]]:
    """Return the 29 models: scores, size, tokens and cost (USD; ``None``: no price).

    Cost is prompt tokens times input price plus completion tokens times output
    price, without discounts for cached input (paper equation 9).
    """
    sizes = {row["model"]: row for row in paper_table("4").rows}
    tokens = {row["model"]: row for row in paper_table("5").rows}
    prices = {row["model"]: row for row in paper_table("6").rows}
    models = []
    for row in paper_table("2").rows:
        name = row["model"]
        size, used, price = sizes[name], tokens[name], prices.get(name)
        cost = None
        if price is not None:
            cost = _number(used["prompt_mtok"]) * _number(price["input_usd_per_mtok"])
            cost += _number(used["completion_mtok"]) * _number(
                price["output_usd_per_mtok"]
            )
        models.append(
            {
                **row,
                "family": size["family"],
                "parameters_b": size["parameters_b"],
                "active_b": size["active_b"],
                "context_tokens": size["context_tokens"],
                "prompt_mtok": used["prompt_mtok"],
                "completion_mtok": used["completion_mtok"],
                "cost_usd": None if cost is None else round(cost, 1),
            }
        )
    return models


def place_among_paper(overall: float) -> int:
    """Return the rank that a score would take among the 29 models (1 is best)."""
    return 1 + sum(
        _number(row["overall"]) > round(overall, 3) for row in paper_table("2").rows
    )


def pareto_front(points: list[tuple[str, float, float]]) -> list[str]:
    """Return the names, cheapest first, that no other beats in cost and score.

    Each point is (name, cost, score); of equal points all stay.
    """
    front = []
    for name, cost, score in sorted(points, key=lambda point: (point[1], -point[2])):
        beaten = any(
            other_cost <= cost
            and other_score >= score
            and (other_cost < cost or other_score > score)
            for _, other_cost, other_score in points
        )
        if not beaten:
            front.append(name)
    return front


def _number(cell: Cell) -> float:
    if not isinstance(cell, int | float):
        raise TypeError(f"expected a number in a paper table, found {cell!r}")
    return float(cell)
