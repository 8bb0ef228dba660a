"""Lossless cut of an EDF or BDF file at data-record borders.

The bytes of the records that are kept are copied as they are, in chunks by the kernel;
the header gets a new number of records and a new start time. Only annotation signals
of EDF+ and BDF+ are written anew (`crop_annotations`), since their times count from the
start of the file. The recording is never loaded.
"""

import math
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore.annotations import record_start
from eegcore.crop_annotations import AnnotationCut, cut_annotations
from eegcore.edf_header import (
    FIXED_BYTES,
    SIGNAL_BYTES,
    EdfHeader,
    parse_header,
    signal_count,
)
from eegcore.edf_signals import is_annotation
from eegcore.errors import ArgumentError, FormatError, HeaderError, RangeError

EPOCH_SEC = 30.0
_CHUNK_BYTES = 1 << 22
_TOLERANCE_SEC = 1e-6
_MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC"


@dataclass(frozen=True, slots=True)
class Crop:
    """What was kept of a recording.

    Attributes
    ----------
    path : Path
        The new file.
    start_sec, stop_sec : float
        Range kept, in seconds from the first sample of the source. It is the range
        asked for, moved outwards to data-record borders.
    first_record, n_records : int
        Records kept.
    n_annotations : int
        Annotations in the new file.
    warnings : tuple of str
        Odd headers, annotations cut at a border, a fraction of a second that a plain
        EDF header cannot say.
    """

    path: Path
    start_sec: float
    stop_sec: float
    first_record: int
    n_records: int
    n_annotations: int
    warnings: tuple[str, ...]


class _Layout(NamedTuple):
    """Where things lie in the source."""

    header: EdfHeader
    raw: bytes
    """All bytes before the first record."""
    annotation_spans: tuple[tuple[int, int], ...]
    """Byte range of each annotation signal within a record."""


def crop(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    tmin: float | None = None,
    tmax: float | None = None,
    epochs: tuple[int, int] | None = None,
) -> Crop:
    """Cut a file to a time range without touching a sample.

    Parameters
    ----------
    path, out : path
        Source, and the file to write. `out` appears when it is whole; an older file
        of this name is replaced, the source itself is refused.
    tmin, tmax : float or None
        Range in seconds from the first sample, half-open; None: from the start, to
        the end. Ends that are no record border move outwards.
    epochs : (int, int) or None
        First and last 30-s epoch instead, the last included.

    Notes
    -----
    Records are no epochs: a cut at epoch 3 of a file with 60-s records keeps epoch 2
    as well. A discontinuous file stays so; its records are chosen by their own times,
    those that touch the range are kept.
    """
    source, target = Path(path), Path(out)
    if target.exists() and target.samefile(source):
        raise ArgumentError(f"cannot cut {source.name!r} into itself")
    with source.open("rb") as stream:
        layout = _read_layout(stream)
        duration_sec = layout.header.record_duration_sec
        starts = _record_starts(stream, layout)
        stop_all = float(starts[-1]) + duration_sec
        low, high = _wanted(tmin, tmax, epochs, stop_all)
        first, stop = _records(starts, duration_sec, low, high)
        with _whole_file(target) as output:
            cut = _write(stream, output, layout, starts, first, stop)
    return Crop(
        path=target,
        start_sec=float(starts[first]),
        stop_sec=float(starts[stop - 1]) + duration_sec,
        first_record=first,
        n_records=stop - first,
        n_annotations=cut.n_annotations,
        warnings=(*layout.header.warnings, *cut.warnings),
    )


def _read_layout(stream: BinaryIO) -> _Layout:
    size = os.fstat(stream.fileno()).st_size
    head = stream.read(FIXED_BYTES)
    count = signal_count(head, size)
    raw = head + stream.read(SIGNAL_BYTES * count)
    header = parse_header(raw, size)
    if header.record_duration_sec <= 0:
        raise FormatError("a file whose data records have no duration cannot be cut")
    if header.n_records < 1:
        raise HeaderError("the file holds no data record")
    spans, position = [], 0
    for signal in header.signals:
        width = signal.samples_per_record * header.sample_bytes
        is_plus = "+" in header.format
        if is_plus and is_annotation(signal):
            spans.append((position, width))
        position += width
    stream.seek(0)
    return _Layout(header, stream.read(header.data_offset), tuple(spans))


def _record_starts(stream: BinaryIO, layout: _Layout) -> NDArray[np.float64]:
    """Start of every record from the first sample; a `+D` file's own times."""
    header = layout.header
    duration_sec = header.record_duration_sec
    if not header.format.endswith("+D") or not layout.annotation_spans:
        return np.arange(header.n_records, dtype=np.float64) * duration_sec
    begin, width = layout.annotation_spans[0]
    starts = []
    for number in range(header.n_records):
        stream.seek(header.data_offset + number * header.record_bytes + begin)
        start_sec = record_start(stream.read(width))
        if start_sec is None:
            raise HeaderError(f"record {number} of a discontinuous file has no time")
        starts.append(start_sec)
    return np.array(starts, dtype=np.float64) - starts[0]


def _wanted(
    tmin: float | None,
    tmax: float | None,
    epochs: tuple[int, int] | None,
    duration_sec: float,
) -> tuple[float, float]:
    """Range asked for, in seconds, checked against the recording."""
    if epochs is not None:
        if tmin is not None or tmax is not None:
            raise ArgumentError("epochs or tmin and tmax, not both")
        first, last = epochs
        if not 0 <= first <= last:
            raise RangeError(f"epochs {first}:{last}; 0 <= first <= last is needed")
        tmin, tmax = first * EPOCH_SEC, (last + 1) * EPOCH_SEC
    low = 0.0 if tmin is None else float(tmin)
    high = duration_sec if tmax is None else float(tmax)
    bounded = math.isfinite(low) and math.isfinite(high)
    if not bounded or low < 0 or (tmax is not None and high <= low):
        raise RangeError(f"range {low:g} to {high:g} s; 0 <= tmin < tmax is needed")
    if low >= duration_sec - _TOLERANCE_SEC or high > duration_sec + _TOLERANCE_SEC:
        raise RangeError(
            f"range {low:g} to {high:g} s; the recording has {duration_sec:g} s"
        )
    return low, high


def _records(
    starts: NDArray[np.float64], duration_sec: float, low: float, high: float
) -> tuple[int, int]:
    """Find the records that touch a range, half-open."""
    touched = (starts + duration_sec > low + _TOLERANCE_SEC) & (
        starts < high - _TOLERANCE_SEC
    )
    kept = np.flatnonzero(touched)
    if not kept.size:
        raise RangeError(f"nothing was recorded from {low:g} to {high:g} s")
    return int(kept[0]), int(kept[-1]) + 1


@contextmanager
def _whole_file(target: Path) -> Iterator[BinaryIO]:
    """Stream to a file that gets its name when it is complete."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as output:
            yield output
        Path(name).chmod(0o644)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _write(
    stream: BinaryIO,
    output: BinaryIO,
    layout: _Layout,
    starts: NDArray[np.float64],
    first: int,
    stop: int,
) -> AnnotationCut:
    header = layout.header
    begin = header.data_offset + first * header.record_bytes
    if not layout.annotation_spans:
        start, notes = _new_start(header.start, float(starts[first]))
        output.write(_new_header(layout, stop - first, start))
        output.flush()
        _copy(stream, output, begin, (stop - first) * header.record_bytes)
        return AnnotationCut((), 0, 0, notes)
    cut = cut_annotations(
        stream, header, layout.annotation_spans, (starts, first, stop)
    )
    start = None
    if header.start is not None:
        start = header.start + timedelta(seconds=cut.header_shift_sec)
    output.write(_new_header(layout, stop - first, start))
    for number, replaced in enumerate(cut.records):
        stream.seek(begin + number * header.record_bytes)
        record = bytearray(stream.read(header.record_bytes))
        for (position, width), data in zip(
            layout.annotation_spans, replaced, strict=True
        ):
            record[position : position + width] = data
        output.write(record)
    return cut


def _copy(stream: BinaryIO, output: BinaryIO, begin: int, n_bytes: int) -> None:
    """Copy a byte range by `sendfile`; by chunks where the system refuses that."""
    done = 0
    try:
        while done < n_bytes:
            sent = os.sendfile(
                output.fileno(), stream.fileno(), begin + done, n_bytes - done
            )
            if sent == 0:
                raise HeaderError("the file became shorter while it was cut")
            done += sent
        return
    except (OSError, AttributeError) as error:
        if isinstance(error, HeaderError) or done:
            raise
    stream.seek(begin)
    while done < n_bytes:
        chunk = stream.read(min(_CHUNK_BYTES, n_bytes - done))
        if not chunk:
            raise HeaderError("the file became shorter while it was cut")
        output.write(chunk)
        done += len(chunk)


def _new_start(
    start: datetime | None, shift_sec: float
) -> tuple[datetime | None, tuple[str, ...]]:
    """Start in a header that knows whole seconds only."""
    if start is None:
        return None, ("the header has no valid start, so it was left as it is",)
    moved = start + timedelta(seconds=shift_sec)
    if moved.microsecond:
        note = f"start rounded down to the second, {moved.microsecond} us are lost"
        return moved.replace(microsecond=0), (note,)
    return moved, ()


def _new_header(layout: _Layout, n_records: int, start: datetime | None) -> bytes:
    """Header with a new record count and, if it is known, a new start."""
    header = bytearray(layout.raw)
    header[184:192] = f"{len(header):<8d}".encode()
    header[236:244] = f"{n_records:<8d}".encode()
    if start is not None and start != layout.header.start:
        header[168:176] = start.strftime("%d.%m.%y").encode()
        header[176:184] = start.strftime("%H.%M.%S").encode()
        if "+" in layout.header.format:
            header[88:168] = _new_identification(bytes(header[88:168]), start)
    return bytes(header)


def _new_identification(field: bytes, start: datetime) -> bytes:
    """Replace the date in the recording field of EDF+; one without is left alone."""
    words = field.decode("latin-1").rstrip().split(" ")
    if len(words) > 1 and words[0].lower() == "startdate" and words[1] != "X":
        month = _MONTHS.split()[start.month - 1]
        words[1] = f"{start.day:02d}-{month}-{start.year}"
    return " ".join(words).encode("latin-1").ljust(80)[:80]
