"""Tables of a user's own: one recording a row, with a label or a hypnogram.

CSV or TSV with a header. `recording` is a path from the folder of the table; further
columns say what the file does not: `rate_hz`, `channel_names` (with `;` between),
`unit`, `subject`, `age`, `sex`.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

from eegbench.errors import SourceError


@dataclass(frozen=True, slots=True)
class TableRow:
    """One recording of a table."""

    path: Path
    value: str
    """Text of the column that was asked for: a label, the path of a hypnogram."""
    subject: str | None
    age: int | None
    sex: str | None
    open_args: dict[str, object]


def read_table(
    path: Path, *, value_column: str, recording_column: str = "recording"
) -> list[TableRow]:
    """Read the rows of a table; a missing column or an empty field is an error."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"cannot read the table {path}: {error}") from error
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    reader = csv.DictReader(text.splitlines(), delimiter=delimiter)
    fields = reader.fieldnames or []
    for column in (recording_column, value_column):
        if column not in fields:
            raise SourceError(
                f"{path.name}: no column {column!r}; it has {', '.join(fields)}"
            )
    rows = []
    for row in reader:
        name = (row[recording_column] or "").strip()
        value = (row[value_column] or "").strip()
        if not name or not value:
            raise SourceError(
                f"{path.name}, line {reader.line_num}: {recording_column} or "
                f"{value_column} is empty"
            )
        rows.append(_table_row(path, name, value, row, reader.line_num))
    if not rows:
        raise SourceError(f"{path.name}: no rows")
    return rows


def _table_row(
    path: Path, name: str, value: str, row: dict[str, str], line: int
) -> TableRow:
    def number(column: str) -> float | None:
        text = (row.get(column) or "").strip()
        try:
            return float(text) if text else None
        except ValueError:
            raise SourceError(
                f"{path.name}, line {line}: {column} is {text!r}, no number"
            ) from None

    open_args: dict[str, object] = {}
    if (rate_hz := number("rate_hz")) is not None:
        open_args["rate_hz"] = rate_hz
    if names := (row.get("channel_names") or "").strip():
        open_args["channel_names"] = [part.strip() for part in names.split(";")]
    if unit := (row.get("unit") or "").strip():
        open_args["unit"] = unit
    age = number("age")
    return TableRow(
        path=path.parent / name,
        value=value,
        subject=(row.get("subject") or "").strip() or None,
        age=None if age is None else int(age),
        sex=(row.get("sex") or "").strip().upper()[:1] or None,
        open_args=open_args,
    )
