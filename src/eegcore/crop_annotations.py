"""Annotation signals of a cut EDF+ or BDF+ file: times shifted, lists laid anew.

Times in annotation lists count from the start time of the header. When a file loses
its beginning, that start moves by whole seconds, so every list of every kept record
has to be written again; a list may also stand in a record that is not kept.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO, NamedTuple

from eegcore.annotations import parse_tals
from eegcore.edf_header import EdfHeader
from eegcore.errors import FormatError
from eegcore.recording import Annotation


class AnnotationCut(NamedTuple):
    """New annotation bytes of the kept records.

    Attributes
    ----------
    records : sequence of tuple of bytes
        Per record, the bytes of each annotation signal.
    header_shift_sec : int
        Whole seconds by which the start in the header moves.
    n_annotations : int
    warnings : tuple of str
    """

    records: Sequence[tuple[bytes, ...]]
    header_shift_sec: int
    n_annotations: int
    warnings: tuple[str, ...]


def cut_annotations(
    stream: BinaryIO,
    header: EdfHeader,
    spans: Sequence[tuple[int, int]],
    kept: tuple[Iterable[float], int, int],
) -> AnnotationCut:
    """Read the lists of all records, keep those of the range, lay them out again.

    Parameters
    ----------
    stream : binary file
        The source.
    spans : sequence of (int, int)
        Byte position and width of each annotation signal within a record.
    kept : (starts, first, stop)
        Start of every record from the first sample, and the records kept.

    Notes
    -----
    An annotation is kept if it touches the range. One that began before the range is
    cut to it, one that ends after it keeps its duration. Lists are laid into the kept
    records in time order, each as near to its own record as there is room; too little
    room in all of them is an error, for the width of a record is not changed.
    """
    all_starts, first, stop = kept
    starts = [float(start_sec) for start_sec in all_starts]
    events, faults, first_onset = _read_events(stream, header, spans)
    low = first_onset + starts[first]
    high = first_onset + starts[stop - 1] + header.record_duration_sec
    shift = math.floor(low + 1e-9)
    inside, n_clipped = _inside(events, low, high)
    notes = list(dict.fromkeys(faults))
    if n_clipped:
        notes.append(f"{n_clipped} annotations began earlier and are cut to the start")
    onsets = [first_onset + starts[number] - shift for number in range(first, stop)]
    shifted = [event._replace(onset_sec=event.onset_sec - shift) for event in inside]
    records = _lay_out(shifted, onsets, header.record_duration_sec, spans)
    return AnnotationCut(records, shift, len(inside), tuple(notes))


def _read_events(
    stream: BinaryIO, header: EdfHeader, spans: Sequence[tuple[int, int]]
) -> tuple[list[Annotation], list[str], float]:
    """All annotations, what could not be read, and the onset of the first record."""
    events: list[Annotation] = []
    faults: list[str] = []
    first_onset = 0.0
    for number in range(header.n_records):
        for position, (begin, width) in enumerate(spans):
            stream.seek(header.data_offset + number * header.record_bytes + begin)
            found = parse_tals(stream.read(width), timekeeping=position == 0)
            events += found.events
            faults += found.faults
            if number == 0 and position == 0 and found.start_sec is not None:
                first_onset = found.start_sec
    events.sort(key=lambda event: event.onset_sec)
    return events, faults, first_onset


def _inside(
    events: Sequence[Annotation], low: float, high: float
) -> tuple[list[Annotation], int]:
    """Annotations that touch a range, those that began earlier cut to it."""
    inside = []
    n_clipped = 0
    for event in events:
        end = event.onset_sec + (event.duration_sec or 0.0)
        if low - 1e-9 <= event.onset_sec < high - 1e-9:
            inside.append(event)
        elif event.onset_sec < low and end > low + 1e-9:
            inside.append(
                event._replace(onset_sec=low, duration_sec=round(end - low, 7))
            )
            n_clipped += 1
    return inside, n_clipped


def _lay_out(
    events: Sequence[Annotation],
    onsets: Sequence[float],
    duration_sec: float,
    spans: Sequence[tuple[int, int]],
) -> list[tuple[bytes, ...]]:
    """Bytes of every annotation signal of every record."""
    rows = [
        [
            bytearray(_tal(onset, None, "")) if n == 0 else bytearray()
            for n in range(len(spans))
        ]
        for onset in onsets
    ]
    ends = [onset + duration_sec - 1e-9 for onset in onsets]
    for event in events:
        # the record in which it begins, or the next one after a gap
        home = min(bisect_right(ends, event.onset_sec), len(rows) - 1)
        data = _tal(event.onset_sec, event.duration_sec, event.text)
        if not _put(data, _outwards(home, len(rows)), rows, spans):
            raise FormatError(
                f"no room for an annotation of {len(data)} bytes in the kept records"
            )
    return [
        tuple(
            bytes(cell).ljust(width, b"\x00")
            for cell, (_, width) in zip(row, spans, strict=True)
        )
        for row in rows
    ]


def _put(
    data: bytes,
    order: Iterable[int],
    rows: list[list[bytearray]],
    spans: Sequence[tuple[int, int]],
) -> bool:
    for number in order:
        for cell, (_, width) in zip(rows[number], spans, strict=True):
            if len(cell) + len(data) <= width:
                cell += data
                return True
    return False


def _outwards(home: int, n_rows: int) -> Iterator[int]:
    """Numbers of all rows, those near `home` first."""
    yield home
    for step in range(1, n_rows):
        if home - step >= 0:
            yield home - step
        if home + step < n_rows:
            yield home + step


def _tal(onset_sec: float, duration_sec: float | None, text: str) -> bytes:
    """One list: onset, duration if there is one, one text."""
    duration = b"" if duration_sec is None else b"\x15" + _seconds(duration_sec)
    sign = b"" if onset_sec < 0 else b"+"
    return sign + _seconds(onset_sec) + duration + b"\x14" + text.encode() + b"\x14\x00"


def _seconds(value: float) -> bytes:
    """Seconds to 100 ns, without trailing zeros."""
    return f"{value:.7f}".rstrip("0").rstrip(".").encode()
