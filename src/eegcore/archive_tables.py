"""One tidy table of many recordings: Parquet, CSV or .npz, written part by part.

Columns are `file`, `channel`, `t_start` (seconds) and the features; a value that does
not exist is null (Parquet), empty (CSV) or NaN (.npz). Memory holds one recording at a
time. A table appears whole or not at all.
"""

import csv
import io
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from eegcore.errors import ArgumentError, MissingExtraError

FORMATS = ("parquet", "npz", "csv")
KEYS = ("file", "channel", "t_start")
FAILURE_COLUMNS = ("file", "error", "message")
ROWS_AT_ONCE = 1 << 18
Float = NDArray[np.float64]


class Part(NamedTuple):
    """What was measured of one recording.

    Attributes
    ----------
    file : str
    channels : list of str
    start_sec : ndarray, float64, (n_windows,)
    values : ndarray, float64, (n_channels, n_features, n_windows)
    """

    file: str
    channels: list[str]
    start_sec: Float
    values: Float

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return len(self.channels) * self.start_sec.size


Parts = Callable[[], Iterable[Part]]
"""Walks through the parts, as often as it is called."""


def check_format(form: str) -> None:
    """Refuse a format that is not known, or whose library is not installed."""
    if form not in FORMATS:
        raise ArgumentError(f"format {form!r}; allowed are {', '.join(FORMATS)}")
    if form == "parquet":
        _arrow()


def failures_path(output: Path, form: str) -> Path:
    """Return where the table of failures goes, beside a table."""
    ending = "parquet" if form == "parquet" else "csv"
    return output.with_name(f"{output.stem}.failures.{ending}")


def write_table(path: Path, parts: Parts, features: Sequence[str], *, form: str) -> int:
    """Write the table of all parts; return its rows."""
    write = {"parquet": _write_parquet, "npz": _write_npz, "csv": _write_csv}[form]
    with _whole(path) as draft:
        return write(draft, parts, features)


def write_failures(path: Path, rows: Iterable[tuple[str, str, str]], form: str) -> None:
    """Write the table of recordings that could not be measured, perhaps empty."""
    told = [tuple(_text(cell) for cell in row) for row in rows]
    with _whole(path) as draft:
        if form == "parquet":
            arrow, parquet = _arrow()
            columns = {
                name: arrow.array([row[k] for row in told], arrow.string())
                for k, name in enumerate(FAILURE_COLUMNS)
            }
            parquet.write_table(arrow.table(columns), draft)
            return
        with draft.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerows([FAILURE_COLUMNS, *told])


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """Yield a name to write to, which takes its place when all is written."""
    draft = path.with_name(f".{path.name}.draft")
    try:
        yield draft
        draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def _text(name: str) -> str:
    """Return a name that UTF-8 can hold: file names may be any bytes."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError(
            "Parquet needs pyarrow: pip install 'eegbench[parquet]', or take "
            "--format csv or npz"
        ) from error
    return pyarrow, parquet


def _write_parquet(path: Path, parts: Parts, features: Sequence[str]) -> int:
    arrow, parquet = _arrow()
    names = arrow.dictionary(arrow.int32(), arrow.string())
    schema = arrow.schema(
        [("file", names), ("channel", names), ("t_start", arrow.float64())]
        + [(name, arrow.float64()) for name in features]
    )
    n_rows = 0
    with parquet.ParquetWriter(
        path, schema, compression="zstd", compression_level=1, use_dictionary=KEYS[:2]
    ) as writer:
        for some in _batches(parts()):
            table = arrow.concat_tables(
                [_arrow_table(arrow, schema, part) for part in some]
            ).unify_dictionaries()
            writer.write_table(table, row_group_size=table.num_rows)
            n_rows += table.num_rows
    return n_rows


def _batches(parts: Iterable[Part]) -> Iterator[list[Part]]:
    """Collect short recordings, so that each row group holds many rows."""
    some: list[Part] = []
    for part in parts:
        some.append(part)
        if sum(each.n_rows for each in some) >= ROWS_AT_ONCE:
            yield some
            some = []
    if some:
        yield some


def _arrow_table(arrow: Any, schema: Any, part: Part) -> Any:
    n_channels, n_windows = len(part.channels), part.start_sec.size
    code = np.repeat(np.arange(n_channels, dtype=np.int32), n_windows)
    columns = [
        arrow.DictionaryArray.from_arrays(
            np.zeros(code.size, np.int32), [_text(part.file)]
        ),
        arrow.DictionaryArray.from_arrays(code, [_text(c) for c in part.channels]),
        arrow.array(np.tile(part.start_sec, n_channels)),
    ]
    columns += [
        arrow.array(part.values[:, k, :].ravel(), from_pandas=True)
        for k in range(part.values.shape[1])
    ]
    return arrow.Table.from_arrays(columns, schema=schema)


def _write_csv(path: Path, parts: Parts, features: Sequence[str]) -> int:
    n_rows = 0
    with path.open("wb") as stream:
        stream.write(_csv_cells([*KEYS, *features]) + b"\n")
        for part in parts():
            for channel, values in zip(part.channels, part.values, strict=True):
                start = _csv_cells([_text(part.file), _text(channel)]) + b","
                block = np.ascontiguousarray(np.vstack((part.start_sec, values)).T)
                text = orjson.dumps(block, option=orjson.OPT_SERIALIZE_NUMPY)
                rows = text[2:-2].replace(b"null", b"").split(b"],[")
                stream.write(b"".join(start + row + b"\n" for row in rows))
            n_rows += part.n_rows
    return n_rows


def _csv_cells(cells: Sequence[str]) -> bytes:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(cells)
    return line.getvalue().encode()


def _write_npz(path: Path, parts: Parts, features: Sequence[str]) -> int:
    """Write each column as an array; names as codes into `files` and `channels`."""
    channels: dict[str, int] = {}
    files, n_rows = [], 0
    for part in parts():
        files.append(_text(part.file))
        n_rows += part.n_rows
        for name in part.channels:
            channels.setdefault(_text(name), len(channels))

    def codes(part: Part) -> NDArray[np.int32]:
        mine = np.array([channels[_text(c)] for c in part.channels], np.int32)
        return np.repeat(mine, part.start_sec.size)

    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, values in (("files", files), ("channels", list(channels))):
            with _member(archive, name) as stream:
                np.lib.format.write_array(stream, np.array(values, dtype=np.str_))
        _column(
            archive, "file", "<i4", n_rows,
            (np.full(p.n_rows, k, np.int32) for k, p in enumerate(parts())),
        )  # fmt: skip
        _column(archive, "channel", "<i4", n_rows, (codes(p) for p in parts()))
        _column(
            archive, "t_start", "<f8", n_rows,
            (np.tile(p.start_sec, len(p.channels)) for p in parts()),
        )  # fmt: skip
        for k, name in enumerate(features):
            _column(
                archive, name, "<f8", n_rows,
                (p.values[:, k, :].ravel() for p in parts()),
            )  # fmt: skip
    return n_rows


@contextmanager
def _member(archive: zipfile.ZipFile, name: str) -> Iterator[IO[bytes]]:
    """Open a member whose time is fixed, so that the same table is the same bytes."""
    info = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
    with archive.open(info, "w", force_zip64=True) as stream:
        yield stream


def _column(
    archive: zipfile.ZipFile,
    name: str,
    kind: str,
    n_rows: int,
    pieces: Iterable[NDArray[Any]],
) -> None:
    header = {"descr": kind, "fortran_order": False, "shape": (n_rows,)}
    with _member(archive, name) as stream:
        np.lib.format.write_array_header_1_0(stream, header)
        for piece in pieces:
            stream.write(np.ascontiguousarray(piece, dtype=kind).data)
