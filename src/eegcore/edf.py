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
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eegcore.annotations import MOST_FAULTS, parse_tals, record_start
from eegcore.channel_names import unique_names
from eegcore.edf_header import EdfHeader, Reads, read_header
from eegcore.edf_signals import SignalHeader, SignalTable, is_annotation
from eegcore.errors import FileChangedError, HeaderError
from eegcore.files import opened
from eegcore.montage import Kind, channel_kinds, common_reference
from eegcore.recording import Recording
from eegcore.source import Annotation, Channel, FileStamp, Source
from eegcore.store import Encoding, SampleStore
from eegcore.timeline import Segment, Timeline
from eegcore.units import filter_edges, unit_and_factor

# Events are bounded by the size of the file, so that memory is; a small file may have
# this many in any case.
LEAST_MOST_EVENTS = 100_000
_FEW_SIGNALS = 128  # channels of files with no more are kept
_HIGHEST_RATE_HZ = 1e9
_LARGEST_VALUE = 1e30
_NAN = float("nan")


def read_edf(
    stream: Reads, path: str | Path, stamp: FileStamp, *, head: bytes = b""
) -> Recording:
    """Make a recording of an EDF or BDF file from its header.

    Parameters
    ----------
    stream : object with `read`
        At the beginning of the file; read up to the end of the header.
    path : str or Path
        Where the samples are read later.
    stamp : FileStamp
        State of the file.
    head : bytes
        What has been read of the stream: nothing, or at least 256 bytes.

    Raises
    ------
    HeaderError
        The file is empty, cut inside its header, not EDF, or its header cannot be
        made sense of.
    """
    header = read_header(stream, stamp.size, head=head)
    few = len(header.signals) <= _FEW_SIGNALS
    channels, reference, warnings = (_known_channels if few else _channels)(
        header.table, header.record_duration_sec, header.n_records
    )
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
        reference=reference,
        age=header.age,
        sex=header.sex,
        warnings=header.warnings + warnings,
    )
    return Recording(source)


class EdfLoader:
    """Reads from a file of which the header is known.

    Parameters
    ----------
    path : str or Path
    header : EdfHeader
    """

    def __init__(self, path: str | Path, header: EdfHeader) -> None:
        self._path = path
        self._header = header

    @property
    def encoding(self) -> Encoding:
        """How samples are stored."""
        return "int24" if self._header.sample_bytes == 3 else "int16"

    def load_store(self) -> SampleStore:
        """Map the samples of the ordinary signals."""
        header = self._header
        scale = 3 if header.sample_bytes == 3 else 1
        few = len(header.signals) <= _FEW_SIGNALS
        offsets, counts = (_known_places if few else _places)(header.table, scale)
        stride = header.table.record_samples * scale
        return SampleStore(
            self._map(), self.encoding, stride, offsets, counts, header.n_records
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
            with opened(self._path) as file:
                length = header.data_offset + n_bytes
                mapped = mmap.mmap(file.number, length, access=mmap.ACCESS_READ)
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
    counts = [signal.samples_per_record for signal in header.table.ordinary]
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
    table: SignalTable, duration_sec: float, n_records: int
) -> tuple[tuple[Channel, ...], str | None, tuple[str, ...]]:
    """Channels, the reference that those of kind "eeg" share, and warnings."""
    signals = table.ordinary
    warnings = []
    labels = tuple([signal.label for signal in signals])
    units = tuple([signal.unit for signal in signals])
    names, kinds, reference = _montage(labels, units)
    channels = []
    for signal, name, kind in zip(signals, names, kinds, strict=True):
        label, transducer, unit, pmin, pmax, dmin, dmax, prefilter, count = signal
        gain, offset, fault = _calibration(pmin, pmax, dmin, dmax)
        if fault:
            warnings.append(f"channel {name!r}: {fault}; no values")
        channels.append(
            Channel(
                name,
                label,
                kind,
                _rate(signal, duration_sec),
                count * n_records,
                *unit_and_factor(unit),
                gain,
                offset,
                _NAN if dmin is None else dmin,
                _NAN if dmax is None else dmax,
                _NAN if pmin is None else pmin,
                _NAN if pmax is None else pmax,
                *filter_edges(prefilter),
                prefilter,
                transducer,
            )
        )
    return tuple(channels), reference, tuple(warnings)


_known_channels = lru_cache(maxsize=64)(_channels)


def _places(
    table: SignalTable, scale: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First element in a record, and samples a record, of each ordinary signal.

    Shared by recordings; nobody writes to them.
    """
    counts = [signal.samples_per_record for signal in table.ordinary]
    return np.array(table.places, np.int64) * scale, np.array(counts, np.int64)


_known_places = lru_cache(maxsize=64)(_places)


@lru_cache(maxsize=256)
def _montage(
    labels: tuple[str, ...], units: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[Kind, ...], str | None]:
    """Unique names, kinds and common reference: the same in all files of a montage."""
    kinds = channel_kinds(labels, [unit_and_factor(unit)[0] for unit in units])
    eeg = [label for label, kind in zip(labels, kinds, strict=True) if kind == "eeg"]
    return unique_names(labels), kinds, common_reference(eeg)


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


@lru_cache(maxsize=1024)
def _calibration(
    pmin: float | None, pmax: float | None, dmin: float | None, dmax: float | None
) -> tuple[float, float, str]:
    """Gain and offset of the linear rule; NaN and the reason where there is none."""
    if pmin is None or pmax is None:
        fault = "physical minimum or maximum is no number"
    elif dmin is None or dmax is None:
        fault = "digital minimum or maximum is no number"
    elif pmin == pmax:
        fault = f"physical minimum = maximum = {pmin:g}"
    elif dmin == dmax:
        fault = f"digital minimum = maximum = {dmin:g}"
    else:
        gain = (pmax - pmin) / (dmax - dmin)
        offset = pmin - gain * dmin
        if abs(gain) < _LARGEST_VALUE and abs(offset) < _LARGEST_VALUE:
            return gain, offset, ""
        fault = f"physical range {pmin:g} to {pmax:g}"
    return _NAN, _NAN, fault
