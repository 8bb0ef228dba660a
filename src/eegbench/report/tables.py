"""Rows of dictionaries as plain text, Markdown, CSV or JSON.

Holds how a table looks, for every command; what stands in it is made elsewhere.
"""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

Row = Mapping[str, Any]
MISSING = "-"
METRICS_IN_WORDS = {
    "macro_f1": "macro-F1",
    "event_f1": "event-F1",
    "dice_seizure": "Dice, seizure records",
    "fp_per_24h": "false alarms / 24 h",
    "over_alarm_rate": "over-alarm rate",
    "snr_db": "SNR (dB)",
    "best_macro_f1": "best reachable macro-F1",
    "p_holm": "p (Holm)",
    "p_value": "p",
}


def render(
    rows: Sequence[Row], *, form: str, columns: Sequence[str] | None = None
) -> str:
    """Return rows in one of the four forms of ``--format``.

    Parameters
    ----------
    rows : sequence of mappings
        One a line; a key that a row lacks is shown as missing.
    form : {"table", "md", "csv", "json"}
        ``json`` gives the rows as they are, NaN as null.
    columns : sequence of str, optional
        Which keys, in which order; default: those of the first row.
    """
    names = list(columns) if columns is not None else list(rows[0]) if rows else []
    if form == "json":
        return to_json([{name: row.get(name) for name in names} for row in rows])
    if form == "csv":
        return to_csv(rows, names)
    cells = [[cell_text(row.get(name)) for name in names] for row in rows]
    right = [_is_numeric(rows, name) for name in names]
    return (
        _markdown(names, cells, right) if form == "md" else _plain(names, cells, right)
    )


def to_json(value: object) -> str:
    """Return indented JSON; NaN and infinity become null."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
    return orjson.dumps(value, option=options).decode()


def to_csv(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """Return comma separated values with a header; nested values as JSON."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_csv_cell(row.get(name)) for name in columns])
    return stream.getvalue()


def cell_text(value: object) -> str:
    """Return a value as a reader wants it: three decimals, ``-`` for none."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, list | tuple):
        return ", ".join(cell_text(item) for item in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {cell_text(item)}" for key, item in value.items())
    return str(value)


def number_text(value: float | None, *, decimals: int = 3) -> str:
    """Return a number with fixed decimals, grouped above 10,000; ``-`` for none."""
    if value is None or not math.isfinite(value):
        return MISSING
    if abs(value) >= 10_000:
        return f"{value:,.0f}"
    if abs(value) >= 1000:
        return f"{value:.1f}"
    return f"{value:.{decimals}f}"


def metric_text(name: str) -> str:
    """Return a key as a reader says it, its unit in brackets."""
    if name in METRICS_IN_WORDS:
        return METRICS_IN_WORDS[name]
    words = name.replace("_", " ")
    for ending, unit in ((" sec", "s"), (" h", "h"), (" usd", "USD")):
        if words.endswith(ending):
            return f"{words.removesuffix(ending)} ({unit})"
    return words


def interval_text(interval: Sequence[float | None] | None) -> str:
    """Return ``low to high`` with three decimals, or ``-``."""
    if interval is None or any(bound is None for bound in interval):
        return MISSING
    low, high = interval
    return f"{number_text(low)} to {number_text(high)}"


def _csv_cell(value: object) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, dict | list | tuple):
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
    return str(value)


def _is_numeric(rows: Sequence[Row], name: str) -> bool:
    values = [row.get(name) for row in rows if row.get(name) is not None]
    return bool(values) and all(
        isinstance(value, int | float) and not isinstance(value, bool)
        for value in values
    )


def _plain(
    names: Sequence[str], cells: Sequence[Sequence[str]], right: Sequence[bool]
) -> str:
    widths = [
        max(len(line[column]) for line in (names, *cells))
        for column in range(len(names))
    ]
    lines = []
    for line in (names, *cells):
        padded = [
            text.rjust(width) if to_right else text.ljust(width)
            for text, width, to_right in zip(line, widths, right, strict=True)
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines) + "\n"


def _markdown(
    names: Sequence[str], cells: Sequence[Sequence[str]], right: Sequence[bool]
) -> str:
    rule = ["---:" if to_right else "---" for to_right in right]
    escaped = [[text.replace("|", "\\|") for text in line] for line in cells]
    return "".join(f"| {' | '.join(line)} |\n" for line in (names, rule, *escaped))
