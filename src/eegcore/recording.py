"""One recording, whatever file it came from: the first waist of the project.

A `Recording` knows its channels and where their samples lie, and reads them as float64
microvolts by seconds. How a file format is taken apart is no business of
this module; `eegcore.edf` and `eegcore.formats` make recordings.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from eegcore.channel_names import NameIndex, some_of
from eegcore.errors import ChannelError, RangeError, ReadError
from eegcore.files import check_stamp, checksum_of
from eegcore.source import Annotation as Annotation
from eegcore.source import Channel as Channel
from eegcore.source import Source, common_rate
from eegcore.store import Encoding, calibrate, gather, note_mapped
from eegcore.store import SampleStore as SampleStore
from eegcore.timeline import Segment as Segment
from eegcore.timeline import (
    Timeline,
    checked_stop,
    sample_range,
    spans_of,
    touches_gap,
)
from eegcore.windows import first_sample


class Recording:
    """Channels of one recording and their samples, read as float64 microvolts.

    Made by `eegcore.open`, `eegcore.from_array` and `eegcore.from_mne`. Times are
    seconds from the first sample; ranges are half-open. Only `annotations` count
    from the start time of the header, as the file does; the difference is
    `first_sample_sec`.

    Attributes
    ----------
    path : Path or None
    format : str
        "EDF", "EDF+C", "EDF+D", "BDF", "BDF+C", "BDF+D", "NPY", "text", "array",
        "EEGLAB" or "MNE".
    channels : tuple of Channel
        In the order of the file, annotation signals left out.
    names : tuple of str
        Their unique names.
    record_duration_sec : float
        Length of a data record of the file.
    reference : str or None
        What all EEG channels say they are referred to.
    age : int or None
        In years; with `sex` ("F" or "M") all that is kept of the patient.
    bads : tuple of str
        Names that the file marks as bad.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self.format = source.format
        self.channels = source.channels
        self.names = tuple([channel.name for channel in source.channels])
        self.record_duration_sec = source.record_duration_sec
        self.reference = source.reference
        self.age = source.age
        self.sex = source.sex
        self.bads = source.bads
        self._index: NameIndex | None = None
        self._store: SampleStore | None = None
        self._timeline: Timeline | None = None
        self._annotations: tuple[Annotation, ...] | None = None
        self._found: dict[str, tuple[str, ...]] = {}
        self._checksum: str | None = None
        self._closed = False

    def __repr__(self) -> str:
        """Format and size, nothing about the subject."""
        return (
            f"<Recording {self.format}: {len(self.channels)} channels, "
            f"{self._source.n_records} records of {self.record_duration_sec:g} s>"
        )

    @property
    def path(self) -> Path | None:
        """File that was opened."""
        path = self._source.path
        return None if path is None else Path(path)

    def __getstate__(self) -> dict[str, Any]:
        """State without the memory map, which another process makes anew."""
        return {**self.__dict__, "_store": None}

    @property
    def n_records(self) -> int:
        """Whole data records in the file."""
        return self._source.n_records

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was odd about the file, as far as it has been read."""
        return self._source.warnings + tuple(chain(*self._found.values()))

    @property
    def timeline(self) -> Timeline:
        """When the records start; read on first use."""
        if self._timeline is None:
            self.check_unchanged()
            timeline, found = self._source.loader.load_timeline()
            self._found["timeline"] = found
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
    def has_gaps(self) -> bool:
        """Whether there is more than one segment."""
        return not self._source.continuous and len(self.timeline.segments) > 1

    @property
    def duration_sec(self) -> float:
        """End of the last segment."""
        if self._source.continuous:
            return self._source.n_records * self.record_duration_sec
        segments = self.segments
        return segments[-1].stop_sec if segments else 0.0

    @property
    def first_sample_sec(self) -> float:
        """Time of the first sample, from the start time of the header."""
        return self.timeline.first_sample_sec

    @property
    def start(self) -> datetime | None:
        """Date and time of the first sample; None: not known."""
        start = self._source.start
        try:
            return start and start + timedelta(seconds=self.first_sample_sec)
        except OverflowError:
            return None

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        """Events in the order of onset, from the start time of the header."""
        if self._annotations is None:
            self.check_unchanged()
            events, found = self._source.loader.load_annotations()
            self._found["annotations"] = found
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
    def encoding(self) -> Encoding:
        """How samples are stored: "int16", "int24" or "float64"."""
        return self._source.loader.encoding

    @property
    def store(self) -> SampleStore:
        """The stored samples, mapped on first use.

        Whoever reads them calls `check_samples` first: a map of a file that has
        been cut ends the process.
        """
        if self._closed:
            raise ReadError("the recording is closed")
        store = self._store
        if store is None:
            self.check_unchanged()
            store = self._store = self._source.loader.load_store()
            if self._source.stamp is not None:
                note_mapped(self)
        return store

    def check_samples(self) -> None:
        """Have the samples mapped, of the file that was opened."""
        if self._store is None:
            self.store  # noqa: B018 - which checks the file
        else:
            self.check_unchanged()

    def unmap(self) -> None:
        """Let go of the map of the file; the next reading makes it anew."""
        self._store = None

    def resolve(
        self, channels: str | Sequence[str] | None = None, *, ignore_case: bool = False
    ) -> tuple[int, ...]:
        """Positions of the named channels, in the order asked.

        Parameters
        ----------
        channels : str, sequence of str or None
            None: all channels of kind "eeg" (may be none at all).
        ignore_case : bool
            Also find "EEG Fp1-Ref" and "Fp1." by "FP1", if just one channel fits.

        Raises
        ------
        ChannelError
            Naming the unknown channel and those that exist.
        """
        if channels is None:
            return tuple(i for i, c in enumerate(self.channels) if c.kind == "eeg")
        if isinstance(channels, str):
            channels = (channels,)
        if self._index is None:
            self._index = NameIndex(self.names, [c.label for c in self.channels])
        find = self._index.find
        return tuple(find(name, ignore_case=ignore_case) for name in channels)

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
        record, inside = divmod(sample, channel.n_samples // self._source.n_records)
        return float(starts[record]) + inside / channel.rate_hz

    def gap_between(self, start_sec: float, stop_sec: float) -> bool:
        """Whether a part of [start_sec, stop_sec) was not recorded."""
        return touches_gap(self.segments, start_sec, stop_sec)

    def sample_range(
        self, channel_index: int, start_sec: float, stop_sec: float
    ) -> tuple[int, int]:
        """Stored samples with start_sec <= time < stop_sec, as (start, stop).

        Equal numbers: none. Times outside the recording are cut off; a range over
        a gap gives the samples on both sides of it.
        """
        rate_hz = self.channels[channel_index].rate_hz
        return sample_range(self.segments, rate_hz, start_sec, stop_sec)

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
        RangeError
            A range that leaves the recording.
        """
        indices = self.resolve(channels)
        if not indices:
            raise ChannelError(
                "no channel is known to be EEG; name those to read: "
                + some_of(self.names)
                if channels is None
                else "an empty list of channels"
            )
        rate_hz = common_rate([self.channels[i] for i in indices])
        duration_sec = self.duration_sec
        stop_sec = checked_stop(start_sec, stop_sec, duration_sec, rate_hz)
        spans = list(spans_of(self.segments, rate_hz, start_sec, stop_sec))
        n = first_sample(stop_sec, rate_hz) - first_sample(start_sec, rate_hz)
        out = np.empty((len(indices), n))
        if len(spans) != 1 or spans[0].length < n:
            out.fill(np.nan)
        self.check_unchanged()
        for row, index in enumerate(indices):
            for stored, position, length in spans:
                part = out[row, position : position + length]
                self._read_into(index, stored, stored + length, part)
        return out

    def read_samples(
        self, channel_index: int, start: int, stop: int
    ) -> NDArray[np.float64]:
        """Values of stored samples start..stop-1: microvolts or the header's unit."""
        self._check_samples(channel_index, start, stop)
        out = np.empty(stop - start)
        self._read_into(channel_index, start, stop, out)
        return out

    def read_digital(
        self, channel_index: int, start: int, stop: int
    ) -> NDArray[np.int32]:
        """Stored integers start..stop-1; an error for a recording made of floats."""
        self._check_samples(channel_index, start, stop)
        if self.encoding == "float64":
            raise ReadError(f"a {self.format} recording holds no stored integers")
        return gather(self.store, channel_index, start, stop).astype(np.int32)

    def _read_into(
        self, index: int, start: int, stop: int, out: NDArray[np.float64]
    ) -> None:
        channel = self.channels[index]
        factor = 1.0 if channel.to_uv is None else channel.to_uv
        stored = gather(self.store, index, start, stop)
        calibrate(stored, channel.gain, channel.offset, factor, out)

    def _check_samples(self, channel_index: int, start: int, stop: int) -> None:
        channel = self.channels[channel_index]
        if not 0 <= start <= stop <= channel.n_samples:
            raise RangeError(
                f"samples {start} to {stop} of {channel.name!r} do not exist; "
                f"allowed are 0 to {channel.n_samples}"
            )
        self.check_unchanged()

    def check_unchanged(self) -> None:
        """Raise FileChangedError if the file is not the one that was opened."""
        stamp, path = self._source.stamp, self._source.path
        if stamp is None or path is None:
            return
        check_stamp(stamp, path)

    def checksum(self) -> str:
        """SHA-256 in hexadecimal: of the file, or of the bytes of the array.

        Samples in files beside it: of all these files, one after the other.
        """
        self.check_unchanged()
        if self._checksum is None:
            if self.path is None:
                self._checksum = hashlib.sha256(self.store.data.data).hexdigest()
            else:
                self._checksum = checksum_of((self.path, *self._source.companions))
                self.check_unchanged()
        return self._checksum

    def trust_checksum(self, checksum: str) -> None:
        """Take a checksum that was computed of the same state of the file."""
        self._checksum = self._checksum or checksum

    def to_mne(self) -> Any:
        """The recording as an MNE `RawArray` (channels of one rate only)."""
        from eegcore.mne_export import to_mne

        return to_mne(self)

    def close(self) -> None:
        """Let go of the file; reading afterwards is an error."""
        self._store = None
        self._closed = True

    def __enter__(self) -> Self:
        """Return the recording; leaving the block closes it."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the recording."""
        self.close()
