"""Tokens and money: what a run took, priced as the paper prices it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from eegbench.analysis.trajectories import quantile
from eegbench.scored import ScoredCase

Row = dict[str, Any]
PARTS = ("open", "agent", "queue", "compute", "encode", "total")


def token_rows(cases: Iterable[ScoredCase]) -> list[Row]:
    """Return per task: episodes, tokens as the provider counts, tokens shown."""
    grouped: dict[str, list[ScoredCase]] = defaultdict(list)
    for case in cases:
        if case.prediction is not None:
            grouped[case.task].append(case)
    rows = []
    for task, kept in sorted(grouped.items()):
        predictions = [case.prediction for case in kept if case.prediction]
        rows.append(
            {
                "task": task,
                "n": len(predictions),
                "input_tokens": sum(row.input_tokens for row in predictions),
                "cached_input_tokens": sum(
                    row.cached_input_tokens for row in predictions
                ),
                "output_tokens": sum(row.output_tokens for row in predictions),
                "shown_tokens": sum(row.shown_tokens for row in predictions),
                "median_calls": _whole(
                    quantile([row.n_tool_calls for row in predictions], 0.5)
                ),
                "median_turns": _whole(
                    quantile([row.n_turns for row in predictions], 0.5)
                ),
                "repairs": sum(row.n_repairs for row in predictions),
            }
        )
    return rows


def cost_usd(rows: Iterable[Row], price: Mapping[str, float] | None) -> float | None:
    """Return tokens times price (USD per million tokens), or None without a price.

    Parameters
    ----------
    rows : iterable of dict
        As from `token_rows`.
    price : mapping, optional
        ``input_usd_per_mtok`` and ``output_usd_per_mtok``; no discount for cached
        input (paper equation 9).
    """
    if price is None:
        return None
    told = list(rows)
    paid_in = sum(row["input_tokens"] for row in told) * price["input_usd_per_mtok"]
    paid_out = sum(row["output_tokens"] for row in told) * price["output_usd_per_mtok"]
    return float(paid_in + paid_out) / 1e6


def time_rows(cases: Iterable[ScoredCase]) -> list[Row]:
    """Return per task the median and 95 % point of each part of an episode's time."""
    grouped: dict[str, list[dict[str, float]]] = defaultdict(list)
    for case in cases:
        if case.prediction is not None and case.prediction.seconds:
            grouped[case.task].append(case.prediction.seconds)
    rows = []
    for task, kept in sorted(grouped.items()):
        row: Row = {"task": task, "n": len(kept)}
        for part in PARTS:
            values = [seconds[part] for seconds in kept if part in seconds]
            row[f"{part}_sec"] = quantile(values, 0.5) if values else None
        totals = [seconds["total"] for seconds in kept if "total" in seconds]
        row["total_p95_sec"] = quantile(totals, 0.95) if totals else None
        rows.append(row)
    return rows


def ended_rows(cases: Iterable[ScoredCase]) -> list[Row]:
    """Return per task how often episodes ended in each way."""
    counts: Counter[tuple[str, str]] = Counter()
    for case in cases:
        ended = case.prediction.ended if case.prediction else "never run"
        counts[case.task, ended] += 1
    return [
        {"task": task, "ended": ended, "n": number}
        for (task, ended), number in sorted(counts.items())
    ]


def _whole(value: float) -> float:
    """Return a count as the integer that it mostly is; halves stay."""
    return int(value) if value == int(value) else value
