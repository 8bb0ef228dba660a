"""EDF, EDF+, BDF and BDF+ files: header -> memory map -> Recording.

Only the header is read when a file is opened. The map is made when samples are asked
for, record start times and annotations when they are asked for.
"""

import mmap
import re
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eegcore.annotations import parse_tals, record_start
from eegcore.edf_header import (
    FIXED_BYTES,
    SIGNAL_BYTES,
    EdfHeader,
    SignalHeader,
    parse_header,
    signal_count,
)
from eegcore.errors import HeaderError, ReadError
from eegcore.montage import channel_kind
from eegcore.recording import (
    Annotation,
    Channel,
    FileStamp,
    Recording,
    SampleStore,
    Segment,
    Source,
    Timeline,
    unique_names,
)

_ANNOTATION_LABELS = ("edf annotations", "bdf annotations")
_MICROVOLT = re.compile(r"(?:[uµμ�]|micro)\s*v(?:olts?)?\.?|[uµμ]volts?", re.IGNORECASE)
_NAN = float("nan")


def open_edf(path: Path) -> Recording:
    """Open an EDF or BDF file of any flavour; reads nothing but its header.

    Raises
    ------
    HeaderError
        The file is empty, cut inside its header, not EDF, or its header cannot be
        made sense of.
    """
    with path.open("rb", buffering=0) as file:
        stamp = FileStamp.of(path)
        head = file.read(FIXED_BYTES)
        count = signal_count(head, stamp.size)
        header = parse_header(head + _read(file, SIGNAL_BYTES * count), stamp.size)
    return Recording(_EdfFile(path, stamp, header).source())


def _read(file, n: int) -> bytes:
    return file.read(n) or b""


class _EdfFile:
    """An opened file: its header, and where its ordinary signals lie."""

    def __init__(self, path: Path, stamp: FileStamp, header: EdfHeader) -> None:
        self.path = path
        self.stamp = stamp
        self.header = header
        ordinary, notes = [], []
        offset = 0
        offsets: list[int] = []
        self.annotation_spans: list[tuple[int, int]] = []
        for signal in header.signals:
            n = signal.samples_per_record
            if signal.label.lower() in _ANNOTATION_LABELS:
                self.annotation_spans.append((offset, n))
            else:
                ordinary.append(signal)
                offsets.append(offset)
            offset += n
        self.record_samples = offset
        self.ordinary = ordinary
        self.offsets = np.array(offsets, dtype=np.int64)

    def source(self) -> Source:
        header = self.header
        duration_sec = header.record_duration_sec
        notes = list(header.warnings)
        if duration_sec == 0 and self.ordinary:
            raise HeaderError(
                "duration of a data record in the header is 0, "
                f"so the rate of {self.ordinary[0].label!r} is undefined"
            )
        names = unique_names([signal.label for signal in self.ordinary])
        channels = tuple(
            _channel(signal, name, header, notes)
            for signal, name in zip(self.ordinary, names, strict=True)
        )
        return Source(
            format=header.format,
            channels=channels,
            record_duration_sec=duration_sec,
            n_records=header.n_records,
            continuous=not header.format.endswith("+D"),
            load_store=self.load_store,
            load_timeline=self.load_timeline,
            load_annotations=self.load_annotations,
            path=self.path,
            stamp=self.stamp,
            start=header.start,
            reference=None,
            age=header.age,
            sex=header.sex,
            warnings=tuple(notes),
        )

    def load_store(self) -> SampleStore:
        header = self.header
        wide = header.sample_bytes == 3
        samples = np.array(
            [s.samples_per_record for s in self.ordinary], dtype=np.int64
        )
        return SampleStore(
            data=self._map(),
            encoding="int24" if wide else "int16",
            record_stride=self.record_samples * (3 if wide else 1),
            offsets=self.offsets * (3 if wide else 1),
            samples_per_record=samples,
            n_records=header.n_records,
        )

    def _map(self) -> NDArray:
        header = self.header
        dtype = np.dtype("u1") if header.sample_bytes == 3 else np.dtype("<i2")
        count = header.n_records * header.record_bytes // dtype.itemsize
        if count == 0:
            return np.empty(0, dtype)
        with self.path.open("rb") as file:
            stop = header.data_offset + header.n_records * header.record_bytes
            view = mmap.mmap(file.fileno(), stop, access=mmap.ACCESS_READ)
        return np.frombuffer(view, dtype, count, header.data_offset)

    def _annotation_bytes(self, span: tuple[int, int]) -> NDArray[np.uint8]:
        """(n_records, n_bytes) of one annotation signal."""
        width = self.header.sample_bytes
        data = self._map().view(np.uint8)
        rows = (
            data.reshape(self.header.n_records, -1) if data.size else data.reshape(0, 0)
        )
        return rows[:, span[0] * width : (span[0] + span[1]) * width]

    def load_timeline(self) -> tuple[Timeline, tuple[str, ...]]:
        header = self.header
        n, length = header.n_records, header.record_duration_sec
        whole = (Segment(0.0, n * length),) if n * length > 0 else ()
        if not self.annotation_spans or n == 0 or "+" not in header.format:
            notes = ("discontinuous file without record times, read as continuous",)
            return Timeline(whole, 0.0, None), notes if header.format.endswith(
                "+D"
            ) else ()
        rows = self._annotation_bytes(self.annotation_spans[0])
        if header.format.endswith("+C"):
            return Timeline(whole, record_start(rows[0].tobytes()) or 0.0, None), ()
        starts = [record_start(row.tobytes()) for row in rows]
        return _discontinuous(starts, header, self._tolerance())

    def _tolerance(self) -> float:
        """Seconds by which record times may be off: half a sample of the fastest."""
        most = max((s.samples_per_record for s in self.ordinary), default=0)
        return 0.5 * self.header.record_duration_sec / most if most else 1e-6

    def load_annotations(self) -> tuple[tuple[Annotation, ...], tuple[str, ...]]:
        events: list[Annotation] = []
        faults: list[str] = []
        for number, span in enumerate(self.annotation_spans):
            for row in self._annotation_bytes(span):
                found = parse_tals(row.tobytes(), timekeeping=number == 0)
                events += found.events
                faults += found.faults
        events.sort(key=lambda event: event.onset_sec)
        return tuple(events), tuple(faults)


def _discontinuous(
    starts: list[float | None], header: EdfHeader, tolerance: float
) -> tuple[Timeline, tuple[str, ...]]:
    """Segments from the start times of the records."""
    length = header.record_duration_sec
    notes: tuple[str, ...] = ()
    if any(start is None for start in starts):
        missing = sum(start is None for start in starts)
        raise HeaderError(
            f"{missing} of {len(starts)} records of a discontinuous file keep no time"
        )
    times = np.array(starts, dtype=np.float64)
    first = float(times[0])
    times -= first
    steps = np.diff(times) - length
    back = np.flatnonzero(steps < -tolerance)
    if back.size:
        k = int(back[0]) + 1
        raise HeaderError(
            f"records out of order: record {k + 1} starts at {times[k] + first:g} s, "
            f"before record {k} ends at {times[k - 1] + first + length:g} s"
        )
    cuts = np.flatnonzero(steps > tolerance) + 1
    edges = [0, *cuts.tolist(), len(starts)]
    segments = tuple(
        Segment(float(times[a]), float(times[a]) + (b - a) * length)
        for a, b in zip(edges[:-1], edges[1:], strict=True)
    )
    if len(segments) == 1:
        return Timeline(segments, first, None), notes
    return Timeline(segments, first, times), notes


def _channel(
    signal: SignalHeader, name: str, header: EdfHeader, notes: list[str]
) -> Channel:
    unit, to_uv = unit_and_factor(signal.unit)
    gain, offset = _calibration(signal, name, notes)
    n = signal.samples_per_record
    highpass_hz, lowpass_hz = filter_edges(signal.prefilter)
    duration_sec = header.record_duration_sec
    return Channel(
        name,
        signal.label,
        channel_kind(signal.label, unit),
        n / duration_sec if duration_sec else _NAN,
        n * header.n_records,
        unit,
        to_uv,
        gain,
        offset,
        _or_nan(signal.digital_min),
        _or_nan(signal.digital_max),
        _or_nan(signal.physical_min),
        _or_nan(signal.physical_max),
        highpass_hz,
        lowpass_hz,
        signal.prefilter,
        signal.transducer,
    )


def _or_nan(value: float | None) -> float:
    return _NAN if value is None else value


def _calibration(
    signal: SignalHeader, name: str, notes: list[str]
) -> tuple[float, float]:
    """Gain and offset of the linear rule; NaN and a note where there is none."""
    pmin, pmax = signal.physical_min, signal.physical_max
    dmin, dmax = signal.digital_min, signal.digital_max
    for kind, low, high in (("physical", pmin, pmax), ("digital", dmin, dmax)):
        if low is None or high is None:
            notes.append(
                f"channel {name!r}: {kind} minimum or maximum is no number; no values"
            )
            return _NAN, _NAN
        if low == high:
            notes.append(
                f"channel {name!r}: {kind} minimum equals {kind} maximum ({low:g}); "
                "no values"
            )
            return _NAN, _NAN
    gain = (pmax - pmin) / (dmax - dmin)
    return gain, pmin - gain * dmin


@lru_cache(maxsize=256)
def unit_and_factor(text: str) -> tuple[str, float | None]:
    """Unit, "uV" for every spelling of microvolt, and its factor to microvolt."""
    text = text.strip()
    if _MICROVOLT.fullmatch(text):
        return "uV", 1.0
    folded = text.casefold().rstrip(".")
    if text == "MV":
        return text, None
    if folded in ("mv", "millivolt", "millivolts"):
        return "mV", 1e3
    if folded in ("v", "volt", "volts"):
        return "V", 1e6
    if folded in ("nv", "nanovolt", "nanovolts"):
        return "nV", 1e-3
    return text, None


_HIGHPASS = re.compile(r"HP\s*[:=]?\s*(DC|\d+(?:[.,]\d+)?)", re.IGNORECASE)
_LOWPASS = re.compile(r"LP\s*[:=]?\s*(\d+(?:[.,]\d+)?)", re.IGNORECASE)


@lru_cache(maxsize=1024)
def filter_edges(prefilter: str) -> tuple[float | None, float | None]:
    """High-pass and low-pass edge in Hz from text such as "HP:0.1Hz LP:75Hz"."""
    high, low = _HIGHPASS.search(prefilter), _LOWPASS.search(prefilter)
    highpass_hz = lowpass_hz = None
    if high:
        edge = high.group(1)
        highpass_hz = 0.0 if edge.upper() == "DC" else float(edge.replace(",", "."))
    if low:
        lowpass_hz = float(low.group(1).replace(",", "."))
    return highpass_hz, lowpass_hz
