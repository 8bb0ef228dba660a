"""Tables of the HTML page as plain values: heads, rows, cells with their heat."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from eegbench.report.tables import cell_text


class Head(NamedTuple):
    """A column's name and whether it holds numbers."""

    text: str
    number: bool = False


class Cell(NamedTuple):
    """One cell; ``value`` sorts, ``heat`` (0 to 1) tints, ``small`` stands below."""

    text: str
    value: float | str | None = None
    kind: str = ""
    small: str = ""
    heat: float | None = None
    span: int = 1


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


def number_cell(
    value: float | None, *, small: str = "", heat: float | None = None
) -> Cell:
    """Return a cell for a number; None shows as ``-`` and sorts last."""
    kind = "number" if heat is None else "number heat"
    sort = "" if value is None else float(value)
    return Cell(cell_text(value), sort, kind, small, heat)


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
    heads = [Head(name.replace("_", " "), name in numeric) for name in names]
    return Table(caption, heads, [lines])


def _is_number_column(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    values = [row[name] for row in rows if row.get(name) is not None]
    return bool(values) and all(
        isinstance(value, int | float) and not isinstance(value, bool)
        for value in values
    )
