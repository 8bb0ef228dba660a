"""EDF, EDF+, BDF and BDF+ files: header -> memory map -> Recording.

Only the header is read when a file is opened. The map is made when samples are asked
for; record start times and annotations are read when they are asked for.

Read with a warning (`Recording.warnings`): a number of records that is missing, too
large or too small (whole records of the file count); spare bytes at the end; a wrong
header size; a start date that is none; channels without a usable calibration (their
values are NaN, the others are fine); annotation lists without a readable time; records
of a continuous file that tell of a gap; a discontinuous file without record times.
Read without a word: NUL padding, Latin-1 and UTF-8 in text fields, any usual spelling
of microvolt, decimal commas, negative gains, stored values beyond the digital limits,
equal labels, any rate, records of any length, several annotation signals.

Refused with a `HeaderError`: an empty file, one cut inside its header, one that is no
EDF or BDF; a number of signals, of samples or a record duration that is no number;
ordinary signals in records of no duration; by time (not by sample number), records out
of order or without a time in a discontinuous file.
"""

import mmap
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eegcore.annotations import MOST_FAULTS, parse_tals, record_start
from eegcore.channel_names import unique_names
from eegcore.edf_header import EdfHeader, Reads, SignalHeader, read_header
from eegcore.errors import FileChangedError, HeaderError
from eegcore.montage import channel_kinds, common_reference
from eegcore.recording import Recording
from eegcore.source import Annotation, Channel, FileStamp, Source
from eegcore.store import SampleStore
from eegcore.timeline import Segment, Timeline
from eegcore.units import filter_edges, unit_and_factor

_ANNOTATION_LABELS = frozenset({"edf annotations", "bdf annotations"})
# Events are bounded by the size of the file, so that memory is; a small file may have
# this many in any case.
LEAST_MOST_EVENTS = 100_000
_HIGHEST_RATE_HZ = 1e9
_LARGEST_VALUE = 1e30
_NAN = float("nan")


def read_edf(stream: Reads, path: Path, stamp: FileStamp) -> Recording:
    """Make a recording of an EDF or BDF file from its header.

    Parameters
    ----------
    stream : object with `read`
        At the beginning of the file; read up to the end of the header.
    path : Path
        Where the samples are read later.
    stamp : FileStamp
        State of the file.

    Raises
    ------
    HeaderError
        The file is empty, cut inside its header, not EDF, or its header cannot be
        made sense of.
    """
    header = read_header(stream, stamp.size)
    ordinary = [s for s in header.signals if not is_annotation(s)]
    warnings = list(header.warnings)
    channels = _channels(ordinary, header, warnings)
    source = Source(
        format=header.format,
        channels=channels,
        record_duration_sec=header.record_duration_sec,
        n_records=header.n_records,
        continuous=not header.format.endswith("+D"),
        loader=EdfLoader(path, header),
        path=path,
        stamp=stamp,
        start=header.start,
        reference=common_reference([c.label for c in channels if c.kind == "eeg"]),
        age=header.age,
        sex=header.sex,
        warnings=tuple(warnings),
    )
    return Recording(source)


def is_annotation(signal: SignalHeader) -> bool:
    """Whether a signal holds annotations in place of samples."""
    return signal.label.lower() in _ANNOTATION_LABELS


class EdfLoader:
    """Reads from a file of which the header is known.

    Parameters
    ----------
    path : Path
    header : EdfHeader
    """

    def __init__(self, path: Path, header: EdfHeader) -> None:
        self._path = path
        self._header = header

    def load_store(self) -> SampleStore:
        """Map the samples of the ordinary signals."""
        header = self._header
        counts = np.array([s.samples_per_record for s in header.signals], np.int64)
        starts = np.cumsum(counts) - counts
        ordinary = np.array([not is_annotation(s) for s in header.signals])
        wide = header.sample_bytes == 3
        scale = 3 if wide else 1
        return SampleStore(
            data=self._map(),
            encoding="int24" if wide else "int16",
            record_stride=int(counts.sum()) * scale,
            offsets=starts[ordinary] * scale,
            samples_per_record=counts[ordinary],
            n_records=header.n_records,
        )

    def load_timeline(self) -> tuple[Timeline, tuple[str, ...]]:
        """Read the start times that the records keep."""
        header = self._header
        stop_sec = header.n_records * header.record_duration_sec
        whole = (Segment(0.0, stop_sec),) if stop_sec > 0 else ()
        rows = self._annotation_rows()
        if header.format.endswith("+D"):
            if rows:
                starts = [record_start(row.tobytes()) for row in rows[0]]
                return _discontinuous(starts, header)
            if header.n_records == 0:
                return Timeline((), 0.0, None), ()
            note = "discontinuous file without record times, taken as continuous"
            return Timeline(whole, 0.0, None), (note,)
        if header.format.endswith("+C") and rows:
            first_sec = record_start(rows[0][0].tobytes())
            return Timeline(whole, first_sec or 0.0, None), ()
        return Timeline(whole, 0.0, None), ()

    def load_annotations(self) -> tuple[tuple[Annotation, ...], tuple[str, ...]]:
        """Read the events of all annotation signals."""
        events: list[Annotation] = []
        warnings: list[str] = []
        starts: list[float | None] = []
        n_bytes = self._header.n_records * self._header.record_bytes
        most = max(LEAST_MOST_EVENTS, n_bytes // 32)
        for number, rows in enumerate(self._annotation_rows()):
            for row in rows:
                first = number == 0
                left = most - len(events)
                found = parse_tals(row.tobytes(), timekeeping=first, most=left)
                events += found.events
                room = MOST_FAULTS - len(warnings)
                warnings += found.faults[: max(room, 0)]
                if len(found.faults) > room >= 0:
                    warnings.append("and more annotations of this kind")
                if first:
                    starts.append(found.start_sec)
        if self._header.format.endswith("+C"):
            warnings += _breaks(starts, self._header)
        events.sort(key=lambda event: event.onset_sec)
        return tuple(events), tuple(warnings)

    def _map(self) -> NDArray[Any]:
        """Elements of all records, read-only."""
        header = self._header
        dtype = np.dtype("u1") if header.sample_bytes == 3 else np.dtype("<i2")
        n_bytes = header.n_records * header.record_bytes
        if n_bytes == 0:
            return np.frombuffer(b"", dtype)
        try:
            with self._path.open("rb") as file:
                mapped = mmap.mmap(
                    file.fileno(), header.data_offset + n_bytes, access=mmap.ACCESS_READ
                )
        except (OSError, ValueError) as error:  # ValueError: the file is shorter now
            raise FileChangedError(
                "the file cannot be mapped any more; it was cut or removed"
            ) from error
        count = n_bytes // dtype.itemsize
        return np.frombuffer(mapped, dtype, count, header.data_offset)

    def _annotation_rows(self) -> list[NDArray[np.uint8]]:
        """(n_records, n_bytes) of each annotation signal."""
        header = self._header
        width = header.sample_bytes
        spans = []
        start = 0
        for signal in header.signals:
            stop = start + signal.samples_per_record * width
            if is_annotation(signal):
                spans.append((start, stop))
            start = stop
        if not spans or header.n_records == 0:
            return []
        rows = self._map().view(np.uint8).reshape(header.n_records, -1)
        return [rows[:, start:stop] for start, stop in spans]


def _tolerance(header: EdfHeader) -> float:
    """Seconds by which record times may be off: half a sample of the fastest."""
    counts = [s.samples_per_record for s in header.signals if not is_annotation(s)]
    most = max(counts, default=0)
    return 0.5 * header.record_duration_sec / most if most else 1e-6


def _discontinuous(
    starts: list[float | None], header: EdfHeader
) -> tuple[Timeline, tuple[str, ...]]:
    """Segments from the start times of the records.

    Records that do not follow each other in time make an error: no order of their
    samples would be right. Steps that are off by less than half a sample are no gaps;
    where they add up to more (a clock that drifts), that is told.
    """
    if None in starts:
        raise HeaderError(
            f"{starts.count(None)} of {len(starts)} records of a discontinuous file "
            "keep no time"
        )
    length = header.record_duration_sec
    first = starts[0] or 0.0
    times = np.array(starts, dtype=np.float64) - first
    gaps = np.diff(times) - length
    tolerance = _tolerance(header)
    if np.any(gaps < -tolerance):
        k = int(np.argmax(gaps < -tolerance))
        raise HeaderError(
            f"records out of order: record {k + 2} starts at {starts[k + 1]:g} s, "
            f"before record {k + 1} ends at {starts[k] + length:g} s"  # type: ignore[operator] # no None here
        )
    edges = [0, *(np.flatnonzero(gaps > tolerance) + 1).tolist(), times.size]
    segments = tuple(
        Segment(float(times[begin]), float(times[begin]) + (end - begin) * length)
        for begin, end in pairwise(edges)
    )
    drift = max(
        abs(float(times[end - 1]) + length - segment.stop_sec)
        for end, segment in zip(edges[1:], segments, strict=True)
    )
    warnings: tuple[str, ...] = ()
    if drift > tolerance:
        warnings = (f"record times drift by {drift:g} s against the sampling rate",)
    return Timeline(segments, first, times if len(segments) > 1 else None), warnings


def _breaks(starts: list[float | None], header: EdfHeader) -> list[str]:
    """A warning if the records of a file called continuous do not follow each other."""
    kept = [(k, start) for k, start in enumerate(starts) if start is not None]
    if len(kept) < 2 or header.record_duration_sec == 0:
        return []
    numbers, times = (np.array(column) for column in zip(*kept, strict=True))
    expected = times[0] + (numbers - numbers[0]) * header.record_duration_sec
    off = np.abs(times - expected) > max(_tolerance(header), 1e-3)
    if not off.any():
        return []
    k = int(np.argmax(off))
    order = "out of order: " if np.any(np.diff(times) < 0) else ""
    return [
        f"{order}record {numbers[k] + 1} of a continuous file says it starts at "
        f"{times[k]:g} s, expected {expected[k]:g} s; read as continuous"
    ]


def _channels(
    signals: list[SignalHeader], header: EdfHeader, warnings: list[str]
) -> tuple[Channel, ...]:
    labels = [signal.label for signal in signals]
    names = unique_names(labels)
    units = [unit_and_factor(signal.unit) for signal in signals]
    kinds = channel_kinds(labels, [unit for unit, _ in units])
    duration_sec, n_records = header.record_duration_sec, header.n_records
    channels = []
    for signal, name, (unit, to_uv), kind in zip(
        signals, names, units, kinds, strict=True
    ):
        gain, offset = _calibration(signal, name, warnings.append)
        channels.append(
            Channel(
                name,
                signal.label,
                kind,
                _rate(signal, duration_sec),
                signal.samples_per_record * n_records,
                unit,
                to_uv,
                gain,
                offset,
                _NAN if signal.digital_min is None else signal.digital_min,
                _NAN if signal.digital_max is None else signal.digital_max,
                _NAN if signal.physical_min is None else signal.physical_min,
                _NAN if signal.physical_max is None else signal.physical_max,
                *filter_edges(signal.prefilter),
                signal.prefilter,
                signal.transducer,
            )
        )
    return tuple(channels)


def _rate(signal: SignalHeader, duration_sec: float) -> float:
    if duration_sec == 0:
        raise HeaderError(
            "duration of a data record in the header is 0, "
            f"so the rate of {signal.label!r} is undefined"
        )
    rate_hz = signal.samples_per_record / duration_sec
    if rate_hz > _HIGHEST_RATE_HZ:
        raise HeaderError(
            f"rate of {signal.label!r} is {rate_hz:g} Hz by its header, "
            f"at most {_HIGHEST_RATE_HZ:g} is allowed"
        )
    return rate_hz


def _calibration(
    signal: SignalHeader, name: str, warn: Callable[[str], None]
) -> tuple[float, float]:
    """Gain and offset of the linear rule; NaN and a warning where there is none."""
    pmin, pmax = signal.physical_min, signal.physical_max
    dmin, dmax = signal.digital_min, signal.digital_max
    if pmin is None or pmax is None:
        warn(f"channel {name!r}: physical minimum or maximum is no number; no values")
    elif dmin is None or dmax is None:
        warn(f"channel {name!r}: digital minimum or maximum is no number; no values")
    elif pmin == pmax:
        warn(f"channel {name!r}: physical minimum = maximum = {pmin:g}; no values")
    elif dmin == dmax:
        warn(f"channel {name!r}: digital minimum = maximum = {dmin:g}; no values")
    else:
        gain = (pmax - pmin) / (dmax - dmin)
        offset = pmin - gain * dmin
        if abs(gain) < _LARGEST_VALUE and abs(offset) < _LARGEST_VALUE:
            return gain, offset
        warn(f"channel {name!r}: physical range {pmin:g} to {pmax:g}; no values")
    return _NAN, _NAN
