"""JSON Lines of frozen structs: strict reading, whole-file writing, own errors.

What the three kinds of record (instances, references, predictions) share: a line
that does not decode names the file, the line, the field and what is allowed; a file
whose last line was cut is read up to there and says so.
"""

import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import msgspec

from eegbench.errors import SetError

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object as it came from outside: facts, tool answers, an agent's answer."""

Row = TypeVar("Row")


class ReadRows(NamedTuple, Generic[Row]):
    """The rows of a JSON Lines file, and what was odd about it."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...]


def read_rows(
    path: Path, kind: type[Row], *, mend: Callable[[Row], Row] | None = None
) -> ReadRows[Row]:
    """Read every line of a JSON Lines file as one struct.

    Parameters
    ----------
    path : Path
        UTF-8, one JSON object a line; empty lines are skipped.
    kind : type
        The struct of a line; unknown fields and wrong types are refused.
    mend : callable, optional
        Given each row as it is read; what it returns takes the row's place.

    Returns
    -------
    ReadRows
        Rows in file order. A last line without an end that does not decode was cut
        while it was written: it is left out and named in ``notes``.

    Raises
    ------
    SetError
        No such file, or a whole line does not decode.
    """
    decoder = msgspec.json.Decoder(kind)
    rows: list[Row] = []
    notes: list[str] = []
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        try:
            row = decoder.decode(line)
            rows.append(row if mend is None else mend(row))
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            if not line.endswith(b"\n"):
                notes.append(
                    f"{path}: line {number} is cut after {len(line)} bytes; "
                    f"read up to line {number - 1}"
                )
                break
            message = explain(error, kind)
            raise SetError(f"{path}, line {number}: {message}") from error
    return ReadRows(tuple(rows), tuple(notes))


def _lines(path: Path) -> Iterator[bytes]:
    """Walk through the lines of a file, which is never in memory as a whole."""
    with readable(path), path.open("rb") as stream:
        yield from stream


def read_struct(path: Path, kind: type[Row]) -> Row:
    """Read one JSON file as one struct; SetError names file and field."""
    data = read_bytes(path)
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise SetError(f"{path}: {explain(error, kind)}") from error


def read_bytes(path: Path) -> bytes:
    """Return a file's bytes, or raise SetError saying why not."""
    with readable(path):
        return path.read_bytes()


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Raise SetError saying why a file cannot be read."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise SetError(f"cannot read {path}: {reason}") from error


def write_rows(path: Path, rows: Iterable[msgspec.Struct]) -> None:
    """Write a whole JSON Lines file, or leave the old one as it was."""
    write_whole(path, msgspec.json.Encoder().encode_lines(rows))


def write_struct(path: Path, value: msgspec.Struct) -> None:
    """Write one struct as an indented JSON file, or leave the old file as it was."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=2)
    write_whole(path, text + b"\n")


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file in one step: a reader sees the old bytes or the new ones.

    The bytes are not forced to the disk: after a killed process the file is whole,
    after a power cut it may be the old one or empty.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(name).chmod(_usual_mode(path))
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _usual_mode(path: Path) -> int:
    """Return the mode of the replaced file, or of a new one; mkstemp gives 600."""
    with suppress(OSError):
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def plain_json(value: object) -> Any:
    """Return a value as JSON would bring it back; NaN and infinities become None.

    Halves of surrogate pairs, which a model may write but no UTF-8 file can hold,
    become U+FFFD.

    Raises
    ------
    TypeError, ValueError, OverflowError, RecursionError
        The value is no JSON: a foreign type, a circle, nested too deeply.
    """
    try:
        return msgspec.json.decode(msgspec.json.encode(value))
    except UnicodeEncodeError:
        return msgspec.json.decode(msgspec.json.encode(_paired(value)))


def plain_text(text: str) -> str:
    """Return a text whose halves of surrogate pairs are joined or replaced."""
    return text if text.isascii() else str(_paired(text))


def _paired(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_paired(key): _paired(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_paired(inner) for inner in value]
    return value


def index_unique(
    path: Path, rows: Iterable[Row], key: Callable[[Row], str]
) -> dict[str, Row]:
    """Index rows by id; SetError lists the ids that stand there more than once."""
    rows = list(rows)
    counts = Counter(key(row) for row in rows)
    doubled = [name for name, count in counts.items() if count > 1]
    if doubled:
        raise SetError(f"{path}: ids that stand there twice: {listing(doubled)}")
    return {key(row): row for row in rows}


def listing(names: Iterable[str], *, most: int = 8) -> str:
    """Join names for a message, saying how many were left out."""
    ordered = list(names)
    text = ", ".join(ordered[:most])
    return text if len(ordered) <= most else f"{text} and {len(ordered) - most} more"


def explain(error: Exception, kind: object) -> str:
    """Say in one lower-case line what msgspec found wrong with a record."""
    text = str(error).replace("`", "'")
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if match := re.match(
        r"Object contains unknown field '(.*?)'(?: - at '\$\.?(.*)')?$", text
    ):
        where = f" in '{match[2]}'" if match[2] else ""
        fields = sorted(_fields(_inner(kind, match[2] or "")))
        known = f"; known: {', '.join(fields)}" if fields else ""
        return f"unknown field '{match[1]}'{where}{known}"
    if match := re.match(r"Object missing required field '(.*?)'( - at .*)?$", text):
        return f"field '{match[1]}' is missing{match[2] or ''}"
    if match := re.match(r"(.*?) - at '\$\.?(.*)'$", text):
        field = match[2]
        allowed = _allowed(kind, field)
        return f"field '{field}': {_lower_first(match[1])}{allowed}"
    if isinstance(error, msgspec.ValidationError):
        return _lower_first(text)
    return f"not JSON: {_lower_first(text)}"


def _inner(kind: object, path: str) -> object:
    """Return the type of a field, given by its names with dots between."""
    for name in filter(None, path.split(".")):
        if not _fields(kind):
            return None
        known = msgspec.structs.fields(kind)  # type: ignore[arg-type]
        kind = next((field.type for field in known if field.name == name), None)
    return kind


def _fields(kind: object) -> tuple[str, ...]:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind.__struct_fields__
    return ()


def _allowed(kind: object, field: str) -> str:
    """Return ``; allowed: ...`` for a field of written-out values, else nothing."""
    values = [
        item
        for item in getattr(_inner(kind, field), "__args__", ())
        if isinstance(item, str)
    ]
    return f"; allowed: {', '.join(map(repr, values))}" if values else ""


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
