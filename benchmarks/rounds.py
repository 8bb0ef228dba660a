"""Interleaved rounds: every side once a round, ratios within the round."""

import os
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(name, None)


class Row(NamedTuple):
    """One comparison: times in ms and how often ours fits into theirs."""

    work: str
    peer: str
    ours_ms: float
    peer_ms: float
    ratio: float
    least: float
    greatest: float
    must: float | None
    aim: float | None

    def line(self) -> str:
        """Return a row of the table in Markdown."""
        goal = "" if self.must is None else f"{self.must:g} / {self.aim:g}"
        met = ""
        if self.must is not None and self.aim is not None:
            met = "aim" if self.ratio >= self.aim else "must"
            met = met if self.ratio >= self.must else "**missed**"
        return (
            f"| {self.work} | {self.peer} | {self.ours_ms:.3g} | {self.peer_ms:.4g} |"
            f" {self.ratio:.1f} ({self.least:.1f}-{self.greatest:.1f}) |"
            f" {goal} | {met} |"
        )


HEAD = (
    "| work | peer | ours, ms | peer, ms | ratio: median (min-max) | must / aim |"
    " reached |\n"
    "|---|---|---:|---:|---:|---:|---|"
)


def compare(
    work: str,
    peer: str,
    ours: Callable[[], object],
    theirs: Callable[[], object],
    *,
    rounds: int = 5,
    share: float = 1.0,
    must: float | None = None,
    aim: float | None = None,
) -> Row:
    """Time both sides in turn.

    share: part of the work that the peer does in a call; its time is scaled up.
    """
    ours()
    theirs()
    mine, other = [], []
    for _ in range(rounds):
        begin = time.perf_counter()
        ours()
        middle = time.perf_counter()
        theirs()
        end = time.perf_counter()
        mine.append(1e3 * (middle - begin))
        other.append(1e3 * (end - middle) / share)
    ratios = [b / a for a, b in zip(mine, other, strict=True)]
    return Row(
        work,
        peer,
        statistics.median(mine),
        statistics.median(other),
        statistics.median(ratios),
        min(ratios),
        max(ratios),
        must,
        aim,
    )


def show(title: str, rows: list[Row]) -> None:
    """Print a table in Markdown."""
    print(f"\n## {title}\n\n{HEAD}")
    for row in rows:
        print(row.line())
