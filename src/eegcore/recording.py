"""One recording, whatever file it came from: the first waist of the project.

A `Recording` knows its channels and where their samples lie (`SampleStore`), and
reads them as float64 microvolts by seconds. How a file format is taken apart is no
business of this module; `eegcore.edf` and `eegcore.formats` make recordings.
"""

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from eegcore.errors import (
    ChannelError,
    FileChangedError,
    RangeError,
    RateError,
    ReadError,
)
from eegcore.montage import clean_label


@dataclass(frozen=True, slots=True)
class Channel:
    """One signal of a recording: names, unit, calibration.

    Attributes
    ----------
    name : str
        Unique in the recording; equal labels become LABEL-0, LABEL-1.
    label : str
        Text of the header, white space stripped.
    kind : str
        "eeg", "eog", "emg", "ecg", "resp", "temp", "stim", "misc" or "unknown".
    rate_hz : float
    n_samples : int
        Stored samples.
    unit : str
        "uV" for every spelling of microvolt, else the header's text.
    to_uv : float or None
        Factor from `unit` to microvolt; None: the unit is no voltage.
    gain, offset : float
        value in `unit` = stored integer * gain + offset; NaN where the header gives
        no calibration.
    """

    name: str
    label: str
    kind: str
    rate_hz: float
    n_samples: int
    unit: str
    to_uv: float | None
    gain: float
    offset: float
    digital_min: float
    digital_max: float
    physical_min: float
    physical_max: float
    highpass_hz: float | None
    lowpass_hz: float | None
    prefilter: str
    transducer: str


class Segment(NamedTuple):
    """A stretch without a gap, in seconds from the first sample, half-open."""

    start_sec: float
    stop_sec: float


class Annotation(NamedTuple):
    """One event of the file, in seconds from the start time of its header."""

    onset_sec: float
    duration_sec: float | None
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class SampleStore:
    """Where the stored samples lie: what kernels read.

    Sample number `s` of channel `c` lies in record `s // samples_per_record[c]`; its
    element is `offsets[c] + record * record_stride + (s % samples_per_record[c])`,
    for "int24" times three, since elements are bytes there.

    Attributes
    ----------
    data : ndarray, 1-D, read-only
        int16 ("int16"), uint8 ("int24", little endian) or float64 ("float64": values
        in the channel's unit).
    """

    data: NDArray[Any]
    encoding: Literal["int16", "int24", "float64"]
    record_stride: int
    offsets: NDArray[np.int64]
    samples_per_record: NDArray[np.int64]
    n_records: int


class FileStamp(NamedTuple):
    """What tells one state of a file from another."""

    size: int
    modified_ns: int
    inode: int
    device: int

    @classmethod
    def of(cls, path: Path) -> "FileStamp":
        """Stamp of the file as it is now."""
        status = path.stat()
        return cls(status.st_size, status.st_mtime_ns, status.st_ino, status.st_dev)


class Timeline(NamedTuple):
    """What is known only after the record starts of a file have been read.

    Attributes
    ----------
    segments : tuple of Segment
    first_sample_sec : float
        Start of the first record, from the start time of the header.
    record_starts : ndarray of float64 or None
        Start of each record from the first sample; None: one after the other.
    """

    segments: tuple[Segment, ...]
    first_sample_sec: float
    record_starts: NDArray[np.float64] | None


@dataclass(frozen=True, slots=True)
class Source:
    """What a file format hands to `Recording`: facts, and how to get the rest.

    The four callables are asked once, when needed; they return warnings beside
    their result, so that what was odd can be told.
    """

    format: str
    channels: tuple[Channel, ...]
    record_duration_sec: float
    n_records: int
    continuous: bool
    load_store: Callable[[], SampleStore]
    load_timeline: Callable[[], tuple[Timeline, tuple[str, ...]]]
    load_annotations: Callable[[], tuple[tuple[Annotation, ...], tuple[str, ...]]]
    path: Path | None = None
    stamp: FileStamp | None = None
    start: datetime | None = None
    reference: str | None = None
    age: int | None = None
    sex: str | None = None
    bads: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def unique_names(labels: Sequence[str]) -> tuple[str, ...]:
    """Labels made unique: equal ones become LABEL-0, LABEL-1, as MNE names them.

    An empty label becomes "channel-<number>", counted from 1.
    """
    named = [label or f"channel-{n}" for n, label in enumerate(labels, 1)]
    if len(set(named)) == len(named):
        return tuple(named)
    counts: dict[str, int] = {}
    for label in named:
        counts[label] = counts.get(label, 0) + 1
    taken = {label for label, count in counts.items() if count == 1}
    numbers = dict.fromkeys(counts, 0)
    names = []
    for label in named:
        name = label
        if counts[label] > 1:
            while (name := f"{label}-{numbers[label]}") in taken:
                numbers[label] += 1
            taken.add(name)
        names.append(name)
    return tuple(names)


class Recording:
    """Channels of one recording and their samples, read as float64 microvolts.

    Times are seconds from the first sample; ranges are half-open. Made by
    `eegcore.open`, `eegcore.from_array` and `eegcore.from_mne`.
    """

    def __init__(self, source: Source) -> None:
        self._source: Source = source
        self.path = source.path
        self.format = source.format
        self.channels = source.channels
        self.names = tuple(channel.name for channel in source.channels)
        self.record_duration_sec = source.record_duration_sec
        self.reference = source.reference
        self.age = source.age
        self.sex = source.sex
        self.bads = source.bads
        self._index: dict[str, int] | None = None
        self._folded: dict[str, list[int]] | None = None
        self._store: SampleStore | None = None
        self._timeline: Timeline | None = None
        self._annotations: tuple[Annotation, ...] | None = None
        self._found: tuple[str, ...] = ()
        self._checksum: str | None = None
        self._closed = False

    def __repr__(self) -> str:
        return (
            f"<Recording {self.format}: {len(self.channels)} channels, "
            f"{self._source.n_records} records of {self.record_duration_sec:g} s>"
        )

    # ---------------------------------------------------------------- facts

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was odd about the file, as far as it has been read."""
        return self._source.warnings + self._found

    @property
    def timeline(self) -> Timeline:
        """When the records start; read on first use."""
        if self._timeline is None:
            self.check_unchanged()
            timeline, found = self._source.load_timeline()
            self._found += found
            self._timeline = timeline
        return self._timeline

    @property
    def segments(self) -> tuple[Segment, ...]:
        """Stretches without a gap: one for a continuous file, none without samples."""
        if self._source.continuous:
            stop_sec = self._source.n_records * self.record_duration_sec
            return (Segment(0.0, stop_sec),) if stop_sec > 0 else ()
        return self.timeline.segments

    @property
    def duration_sec(self) -> float:
        """End of the last segment."""
        segments = self.segments
        return segments[-1].stop_sec if segments else 0.0

    @property
    def first_sample_sec(self) -> float:
        """Time of the first sample, from the start time in the header."""
        return self.timeline.first_sample_sec

    @property
    def start(self) -> datetime | None:
        """Date and time of the first sample; None: not known."""
        if self._source.start is None:
            return None
        return self._source.start + timedelta(seconds=self.first_sample_sec)

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        """Events, from the start time of the header; read when asked."""
        if self._annotations is None:
            self.check_unchanged()
            events, found = self._source.load_annotations()
            self._found += found
            self._annotations = events
        return self._annotations

    @property
    def annotations_from_first_sample(self) -> tuple[Annotation, ...]:
        """The same events on the time axis of `read`."""
        shift = self.first_sample_sec
        if shift == 0.0:
            return self.annotations
        return tuple(
            event._replace(onset_sec=round(event.onset_sec - shift, 9))
            for event in self.annotations
        )

    @property
    def store(self) -> SampleStore:
        """The stored samples; mapped on first use."""
        if self._closed:
            raise ReadError("the recording is closed")
        if self._store is None:
            self.check_unchanged()
            self._store = self._source.load_store()
        return self._store

    # ------------------------------------------------------------- channels

    def resolve(
        self, channels: str | Sequence[str] | None = None, *, ignore_case: bool = False
    ) -> tuple[int, ...]:
        """Positions of the named channels, in the order asked.

        Parameters
        ----------
        channels : str, sequence of str or None
            None: all channels of kind "eeg" (may be none at all).
        ignore_case : bool
            Also find "fp1" and "FP1" as "EEG Fp1-Ref", if just one channel fits.

        Raises
        ------
        ChannelError
            Naming the unknown channel and those that exist.
        """
        if channels is None:
            return tuple(i for i, c in enumerate(self.channels) if c.kind == "eeg")
        if isinstance(channels, str):
            channels = (channels,)
        return tuple(self._find(name, ignore_case=ignore_case) for name in channels)

    def _find(self, name: str, *, ignore_case: bool) -> int:
        if self._index is None:
            self._index = {known: i for i, known in enumerate(self.names)}
        found = self._index.get(name) if isinstance(name, str) else None
        if found is not None:
            return found
        if ignore_case and isinstance(name, str):
            positions = self._find_folded(name)
            if len(positions) == 1:
                return positions[0]
            if positions:
                names = ", ".join(self.names[i] for i in positions)
                raise ChannelError(f"channel {name!r} may be any of {names}")
        raise ChannelError(
            f"unknown channel {name!r}; this recording has {_some(self.names)}"
        )

    def _find_folded(self, name: str) -> list[int]:
        if self._folded is None:
            self._folded = {}
            for i, channel in enumerate(self.channels):
                for key in {
                    "=" + channel.name.casefold(),
                    "~" + clean_label(channel.label),
                }:
                    self._folded.setdefault(key, []).append(i)
        exact = self._folded.get("=" + name.strip().casefold())
        return exact or self._folded.get("~" + clean_label(name), [])

    # ----------------------------------------------------------------- time

    def sample_time(self, channel_index: int, sample: int) -> float:
        """Time of a stored sample, in seconds from the first sample."""
        channel = self.channels[channel_index]
        if not 0 <= sample < channel.n_samples:
            raise RangeError(
                f"sample {sample} of {channel.name!r} does not exist; "
                f"it has {channel.n_samples} samples"
            )
        starts = None if self._source.continuous else self.timeline.record_starts
        if starts is None:
            return sample / channel.rate_hz
        record, rest = divmod(sample, channel.n_samples // self._source.n_records)
        return float(starts[record]) + rest / channel.rate_hz

    def gap_between(self, start_sec: float, stop_sec: float) -> bool:
        """Whether a part of [start_sec, stop_sec) was not recorded."""
        return not any(
            segment.start_sec <= start_sec + 1e-9
            and stop_sec <= segment.stop_sec + 1e-9
            for segment in self.segments
        )

    def sample_range(
        self, channel_index: int, start_sec: float, stop_sec: float
    ) -> tuple[int, int]:
        """Stored samples with start_sec <= time < stop_sec, as (start, stop).

        Equal numbers: none. Times outside the recording are cut off; a range over
        a gap gives the samples on both sides of it.
        """
        channel = self.channels[channel_index]
        rate_hz = channel.rate_hz
        if self._source.continuous:
            start = min(max(first_sample(start_sec, rate_hz), 0), channel.n_samples)
            stop = min(max(first_sample(stop_sec, rate_hz), start), channel.n_samples)
            return start, stop
        spans = [span for span in self._spans(channel_index, start_sec, stop_sec)]
        if not spans:
            return 0, 0
        return spans[0].stored, spans[-1].stored + spans[-1].count

    def _spans(
        self, channel_index: int, start_sec: float, stop_sec: float
    ) -> Iterator["_Span"]:
        """Pieces of a time range that were recorded, one per segment touched."""
        channel = self.channels[channel_index]
        rate_hz = channel.rate_hz
        base = first_sample(start_sec, rate_hz)
        end = first_sample(stop_sec, rate_hz)
        stored = 0
        for segment in self.segments:
            length = round((segment.stop_sec - segment.start_sec) * rate_hz)
            begin = round(segment.start_sec * rate_hz)
            low, high = max(base, begin), min(end, begin + length)
            if low < high:
                yield _Span(stored + low - begin, low - base, high - low)
            stored += length

    # ----------------------------------------------------------------- read

    def read(
        self,
        channels: str | Sequence[str] | None = None,
        start_sec: float = 0.0,
        stop_sec: float | None = None,
    ) -> NDArray[np.float64]:
        """Values of some channels between two times.

        Parameters
        ----------
        channels : str, sequence of str or None
            Names; None: all of kind "eeg".
        start_sec, stop_sec : float
            Samples with start_sec <= time < stop_sec; None: up to the end.

        Returns
        -------
        ndarray, float64, (n_channels, n_samples)
            Microvolts of voltages, else the header's unit. NaN where nothing was
            recorded, and for a channel without calibration.

        Raises
        ------
        RateError
            Channels of different rates: read them in calls of their own.
        """
        indices = self.resolve(channels)
        if not indices:
            raise ChannelError(
                "no channel is known to be EEG; name the channels to read: "
                + _some(self.names)
            )
        rate_hz = self._common_rate(indices)
        stop_sec = self.duration_sec if stop_sec is None else stop_sec
        self._check_range(start_sec, stop_sec, rate_hz)
        if self._source.continuous:
            start, stop = self.sample_range(indices[0], start_sec, stop_sec)
            spans = [_Span(start, 0, stop - start)]
            n = stop - start
        else:
            spans = list(self._spans(indices[0], start_sec, stop_sec))
            n = first_sample(stop_sec, rate_hz) - first_sample(start_sec, rate_hz)
        covered = sum(span.count for span in spans) == n
        out = (
            np.empty((len(indices), n))
            if covered
            else np.full((len(indices), n), np.nan)
        )
        self.check_unchanged()
        store = self.store
        for row, index in enumerate(indices):
            for stored, position, count in spans:
                raw = gather(store, index, stored, stored + count)
                _calibrate(
                    raw, self.channels[index], out[row, position : position + count]
                )
        return out

    def read_samples(
        self, channel_index: int, start: int, stop: int
    ) -> NDArray[np.float64]:
        """Values of stored samples start..stop-1: microvolts or the header's unit."""
        raw = self._stored(channel_index, start, stop)
        out = np.empty(raw.size)
        _calibrate(raw, self.channels[channel_index], out)
        return out

    def read_digital(
        self, channel_index: int, start: int, stop: int
    ) -> NDArray[np.int32]:
        """Stored integers start..stop-1; none in a recording made of floats."""
        if self.store.encoding == "float64":
            raise ReadError(f"{self.format} holds floats, no stored integers")
        return self._stored(channel_index, start, stop)

    def _stored(self, channel_index: int, start: int, stop: int) -> NDArray[Any]:
        channel = self.channels[channel_index]
        if not 0 <= start <= stop <= channel.n_samples:
            raise RangeError(
                f"samples {start} to {stop} of {channel.name!r} do not exist; "
                f"allowed are 0 to {channel.n_samples}"
            )
        self.check_unchanged()
        return gather(self.store, channel_index, start, stop)

    def _common_rate(self, indices: Sequence[int]) -> float:
        rate_hz = self.channels[indices[0]].rate_hz
        if any(self.channels[i].rate_hz != rate_hz for i in indices):
            rates = {self.channels[i].rate_hz: self.names[i] for i in reversed(indices)}
            told = ", ".join(f"{rate:g} Hz ({name})" for rate, name in rates.items())
            raise RateError(f"channels of different rates in one call: {told}")
        return rate_hz

    def _check_range(self, start_sec: float, stop_sec: float, rate_hz: float) -> None:
        duration_sec = self.duration_sec
        limit = duration_sec + 0.5 / rate_hz if rate_hz else duration_sec
        if not (0.0 <= start_sec <= stop_sec <= limit):
            raise RangeError(
                f"no such range: {start_sec:g} to {stop_sec:g} s; "
                f"this recording runs from 0 to {duration_sec:g} s"
            )

    # ----------------------------------------------------------------- file

    def check_unchanged(self) -> None:
        """Raise FileChangedError if the file is not the one that was opened."""
        stamp = self._source.stamp
        if stamp is None or self.path is None:
            return
        try:
            now = FileStamp.of(self.path)
        except OSError as error:
            raise FileChangedError(
                "the file was removed after it was opened"
            ) from error
        if now == stamp:
            return
        if now.size < stamp.size:
            raise FileChangedError(
                f"the file was cut from {stamp.size} to {now.size} bytes "
                "after it was opened"
            )
        raise FileChangedError("the file was changed after it was opened")

    def checksum(self) -> str:
        """SHA-256 of the file, or of the bytes of the array, in hexadecimal."""
        if self._checksum is None:
            if self.path is not None:
                with self.path.open("rb") as file:
                    self._checksum = hashlib.file_digest(file, "sha256").hexdigest()
                self.check_unchanged()
            else:
                self._checksum = hashlib.sha256(self.store.data).hexdigest()
        return self._checksum

    def to_mne(self) -> Any:
        """The recording as an MNE `RawArray` (needs MNE; channels of one rate)."""
        from eegcore.formats import to_mne

        return to_mne(self)

    def close(self) -> None:
        """Let go of the file; reading afterwards is an error."""
        self._store = None
        self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Span(NamedTuple):
    """Recorded piece of a time range: first stored sample, place in it, length."""

    stored: int
    position: int
    count: int


def first_sample(time_sec: float, rate_hz: float) -> int:
    """Number of the first sample at or after a time, forgiving rounding noise."""
    return math.ceil(time_sec * rate_hz - 1e-6)


def _some(names: Sequence[str], limit: int = 24) -> str:
    """Names in one line, the rest counted."""
    if len(names) <= limit:
        return ", ".join(names) or "none"
    return ", ".join(names[:limit]) + f" and {len(names) - limit} more"


def gather(
    store: SampleStore, channel_index: int, start: int, stop: int
) -> NDArray[Any]:
    """Stored values start..stop-1 of one channel, as they are: int32 or float64.

    Unchecked: the range must exist.
    """
    n = stop - start
    width = 3 if store.encoding == "int24" else 1
    per_record = int(store.samples_per_record[channel_index])
    stride = store.record_stride
    base = int(store.offsets[channel_index])
    data = store.data
    out = np.empty(
        n * width,
        dtype=np.int32 if width == 1 and data.dtype != np.float64 else data.dtype,
    )
    if n == 0:
        return _widen(out, width)
    record, inside = divmod(start, per_record)
    done = min(n, per_record - inside)
    first = base + record * stride + inside * width
    out[: done * width] = data[first : first + done * width]
    whole = (n - done) // per_record
    if whole:
        first = base + (record + 1) * stride
        item = data.itemsize
        view = np.ndarray(
            (whole, per_record * width),
            data.dtype,
            data,
            first * item,
            (stride * item, item),
        )
        done_width = done * width
        out[done_width : done_width + view.size].reshape(view.shape)[:] = view
        done += whole * per_record
    if done < n:
        first = base + (record + 1 + whole) * stride
        out[done * width :] = data[first : first + (n - done) * width]
    return _widen(out, width)


def _widen(out: NDArray[Any], width: int) -> NDArray[Any]:
    """Three bytes a sample, little endian, to int32."""
    if width == 1:
        return out
    wide = np.zeros(out.size // 3, dtype="<i4")
    wide.view(np.uint8).reshape(-1, 4)[:, 1:] = out.reshape(-1, 3)
    return wide >> 8


def _calibrate(raw: NDArray[Any], channel: Channel, out: NDArray[np.float64]) -> None:
    """Stored values to microvolts, or to the channel's unit, into `out`."""
    np.multiply(raw, channel.gain, out=out)
    out += channel.offset
    if channel.to_uv is not None and channel.to_uv != 1.0:
        out *= channel.to_uv
