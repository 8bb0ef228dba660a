"""Tables of the HTML page as plain values: heads, rows, cells with their heat."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from eegbench.report.tables import MISSING, cell_text, metric_text


class Head(NamedTuple):
    """A column's name, whether it holds numbers, and what stands below the name."""

    text: str
    number: bool = False
    small: str = ""


class Cell(NamedTuple):
    """One cell; ``value`` sorts, ``heat`` (0 to 1) tints, ``small`` stands below.

    ``small`` may have several lines; ``bar`` is safe SVG text, drawn under the value.
    """

    text: str
    value: float | str | None = None
    kind: str = ""
    small: str = ""
    heat: float | None = None
    span: int = 1
    bar: str = ""


class Line(NamedTuple):
    """One row; ``kind`` is a CSS class such as ``ours``, ``paper``, ``gap``."""

    cells: Sequence[Cell]
    kind: str = ""
    hidden: bool = False


class Table(NamedTuple):
    """A table with several bodies; sorting stays within a body."""

    caption: str
    heads: Sequence[Head]
    bodies: Sequence[Sequence[Line]]


BLANK = Cell("", "", "number")
"""A cell of numbers in which nothing could stand; sorts last."""


def number_cell(
    value: float | None, *, small: str = "", heat: float | None = None, bar: str = ""
) -> Cell:
    """Return a cell for a number; None shows as ``-`` and sorts last."""
    kind = "number" if heat is None else "number heat"
    sort = "" if value is None else float(value)
    return Cell(cell_text(value), sort, kind, small, heat, bar=bar)


def share_cell(share: float) -> Cell:
    """Return a tinted cell in whole percent; nothing at all is an empty one."""
    text = f"{100 * share:.0f} %" if share > 0 else ""
    return Cell(text, share, "number heat", heat=round(min(1.0, share), 3))


def seconds_cell(value: float | None) -> Cell:
    """Return a cell for a time, in the unit that suits its size."""
    return number_cell(value)._replace(text=seconds_text(value))


def seconds_text(value: float | None) -> str:
    """Return a time as milliseconds, seconds, minutes or hours; ``-`` for none."""
    if value is None:
        return MISSING
    if value < 0.00005:
        return "< 0.1 ms" if value > 0 else "0"
    if value < 0.9995:
        return f"{1000 * value:.1f} ms" if value < 0.0995 else f"{1000 * value:.0f} ms"
    if value < 120:
        return f"{value:.1f} s"
    return f"{value / 60:.1f} min" if value < 7200 else f"{value / 3600:.1f} h"


def plain_table(
    caption: str,
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[str] | None = None,
    *,
    heat: Sequence[str] = (),
) -> Table:
    """Return rows of dictionaries as a table; columns in ``heat`` are tinted 0 to 1."""
    names = list(columns) if columns is not None else list(rows[0]) if rows else []
    numeric = {name for name in names if _is_number_column(rows, name)}
    lines = []
    for row in rows:
        cells = []
        for name in names:
            value = row.get(name)
            if name in numeric:
                tint = None
                if name in heat and value is not None:
                    tint = round(max(0.0, min(1.0, float(value))), 3)
                cells.append(number_cell(value, heat=tint))
            else:
                cells.append(Cell(cell_text(value)))
        lines.append(Line(cells))
    heads = [Head(metric_text(name), name in numeric) for name in names]
    return Table(caption, heads, [lines])


def _is_number_column(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    values = [row[name] for row in rows if row.get(name) is not None]
    return bool(values) and all(
        isinstance(value, int | float) and not isinstance(value, bool)
        for value in values
    )
