"""Numbers as text: one value a line, or one column a channel.

The form of the Bonn set, and of most exports to text. A line that is no row of numbers
is an error with its number: leaving it out would move all samples behind it.
"""

from itertools import chain
from math import isinf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore.errors import FormatError, HeaderError


class TextTable(NamedTuple):
    """Values of a text file, (n_channels, n_samples), and the names it gives."""

    values: NDArray[np.float64]
    names: list[str] | None


def parse_text(raw: bytes) -> TextTable:
    """Read numbers from text.

    Parameters
    ----------
    raw : bytes
        ASCII or UTF-8, any line ends. Columns are separated by semicolons, tabs,
        commas or spaces (the first of these that occurs); where it is not the
        comma, a comma is the decimal mark. A first line that is no row of numbers
        names the channels. A single line of several numbers is one channel.

    Raises
    ------
    FormatError
        Bytes that are no text.
    HeaderError
        A damaged line, with its number.
    """
    if b"\0" in raw or raw.startswith((b"PK\x03\x04", b"\x1f\x8b")):
        raise FormatError("neither text nor a format that an adapter reads")
    lines = raw.decode("utf-8-sig", errors="replace").rstrip().splitlines()
    if not lines:
        raise HeaderError("the file holds no values")
    separator = next((s for s in ";\t," if s in lines[-1]), None)
    if separator != "," and "," in raw.decode("latin-1"):
        lines = [line.replace(",", ".") for line in lines]
    names = None
    if _numbers(lines[0].split(separator)) is None:
        names = [name.strip().strip('"') for name in lines[0].split(separator)]
        if len(lines) == 1:
            raise HeaderError(f"line 1 is no row of numbers: {_shown(lines[0])}")
    rows = [line.split(separator) for line in lines[1 if names else 0 :]]
    values = _all_numbers(rows)
    if values is None or (names and len(names) != len(rows[0])):
        raise _damage(lines, rows, names)
    table = np.array(values, dtype=np.float64).reshape(len(rows), -1)
    if table.shape[0] == 1 and not names:
        return TextTable(table, None)
    return TextTable(np.ascontiguousarray(table.T), names)


def _all_numbers(rows: list[list[str]]) -> list[float] | None:
    """Values of all rows, row after row; None: a row is damaged."""
    width = len(rows[0])
    if width == 0 or any(len(row) != width for row in rows):
        return None
    return _numbers(list(chain.from_iterable(rows)))


def _numbers(cells: list[str]) -> list[float] | None:
    """Values of cells; None: one of them is no number."""
    try:
        values = [float(cell) for cell in cells]
    except ValueError:
        return None
    # float() also takes "1_000" and "infinity".
    if any(isinf(value) for value in values) or any("_" in cell for cell in cells):
        return None
    return values or None


def _damage(
    lines: list[str], rows: list[list[str]], names: list[str] | None
) -> HeaderError:
    """What is wrong with the first damaged row."""
    width = len(names or rows[0])
    first = 2 if names else 1
    for number, row in enumerate(rows, first):
        if _numbers(row) is None:
            shown = _shown(lines[number - 1])
            return HeaderError(f"line {number} is no row of numbers: {shown}")
        if len(row) != width:
            return HeaderError(
                f"line {number} has {len(row)} values, {width} are expected"
            )
    return HeaderError("the lines are no rows of numbers")


def _shown(line: str) -> str:
    return ascii(line[:40])
