"""Small bars as inline SVG text: a score with its interval, shares of a whole.

Colours and shapes are those of ``svg``; sizes are fixed, so that bars stand in tables.
"""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from eegbench.report.svg import N_COLOURS
from eegbench.report.tables import number_text

BAR_WIDTH, BAR_HEIGHT = 92, 12
SHARE_WIDTH, ROW_HEIGHT = 300, 14


class Shares(NamedTuple):
    """One bar of parts, each a share of the whole."""

    values: Sequence[float]
    """Of the parts in order, all in one unit."""
    texts: Sequence[str]
    """What hovering over a part says."""


def interval_bar(
    score: float | None,
    interval: Sequence[float | None] | None,
    baseline: float | None,
) -> str:
    """Return a line from 0 to 1 with the score, its interval and a baseline's tick.

    Empty for a score of None; values outside 0 to 1 are drawn at the end.
    """
    if score is None:
        return ""
    middle = BAR_HEIGHT / 2
    told = f"score {number_text(score)}"
    parts = [
        f'<line class="rail" x1="1" x2="{BAR_WIDTH - 1}" y1="{middle}" y2="{middle}"/>'
    ]
    if interval is not None and None not in interval:
        low, high = (_at(bound) for bound in interval)
        told += f", interval {number_text(interval[0])} to {number_text(interval[1])}"
        parts.append(
            f'<line class="span" x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" '
            f'y2="{middle}"/>'
        )
    if baseline is not None:
        x = _at(baseline)
        told += f", best without a signal {number_text(baseline)}"
        parts.append(
            f'<line class="base" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{BAR_HEIGHT}"/>'
        )
    parts.append(
        f'<circle class="dot s0" cx="{_at(score):.1f}" cy="{middle}" r="3.5"/>'
    )
    return (
        f'<svg class="bar" width="{BAR_WIDTH}" height="{BAR_HEIGHT}" role="img" '
        f'aria-label="{told}"><title>{told}</title>{"".join(parts)}</svg>'
    )


def share_bar(shares: Shares, *, label: str) -> str:
    """Return one bar of coloured parts whose widths are shares of their sum."""
    whole = sum(shares.values)
    if not whole > 0:
        return ""
    parts, at = [], 0.0
    for number, (value, text) in enumerate(
        zip(shares.values, shares.texts, strict=True)
    ):
        width = SHARE_WIDTH * value / whole
        if width >= 0.3:
            parts.append(
                f'<rect class="part s{number % N_COLOURS}" x="{at:.1f}" y="1" '
                f'width="{width:.1f}" height="{ROW_HEIGHT - 2}">'
                f"<title>{escape(text)}</title></rect>"
            )
        at += width
    return (
        f'<svg class="shares" viewBox="0 0 {SHARE_WIDTH} {ROW_HEIGHT}" '
        f'preserveAspectRatio="none" role="img" aria-label="{escape(label)}">'
        f"{''.join(parts)}</svg>"
    )


def _at(value: float | None) -> float:
    inside = min(1.0, max(0.0, value or 0.0))
    return 4 + inside * (BAR_WIDTH - 8)
