"""What a file format hands to a `Recording`: channels, facts, and how to get the rest.

`eegcore.edf` and `eegcore.formats` make a `Source`; nothing else needs to.
"""

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Protocol

from eegcore.errors import RateError
from eegcore.montage import Kind
from eegcore.store import Encoding, SampleStore
from eegcore.timeline import Timeline


class Channel(NamedTuple):
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
        "uV" for every spelling of microvolt, "mV", "V", "nV", else the header's text.
    to_uv : float or None
        Factor from `unit` to microvolt; None: the unit is no voltage.
    gain, offset : float
        Value in `unit` = stored integer * gain + offset; NaN where the header gives
        no calibration.
    digital_min, digital_max, physical_min, physical_max : float
        As stored; NaN where the header has no number.
    highpass_hz, lowpass_hz : float or None
        Filter edges that the header tells.
    """

    name: str
    label: str
    kind: Kind
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


def common_rate(channels: Sequence[Channel]) -> float:
    """Rate of channels that are read together.

    Raises
    ------
    RateError
        They have several.
    """
    rates = {channel.rate_hz: channel.name for channel in reversed(channels)}
    if len(rates) > 1:
        told = ", ".join(f"{rate:g} Hz ({name})" for rate, name in rates.items())
        raise RateError(f"channels of different rates in one call: {told}")
    return channels[0].rate_hz


class Annotation(NamedTuple):
    """One event of the file, in seconds from the start time of its header."""

    onset_sec: float
    duration_sec: float | None
    text: str


class FileStamp(NamedTuple):
    """What tells one state of a file from another."""

    size: int
    modified_ns: int
    inode: int = 0

    @classmethod
    def of(cls, path: str | Path) -> "FileStamp":
        """Stamp of the file as it is now; OSError if it is gone."""
        status = os.stat(path)  # noqa: PTH116 - half the time of Path.stat
        return cls(status.st_size, status.st_mtime_ns, status.st_ino)


class Loader(Protocol):
    """Reads the parts of a file that wait until they are asked for.

    Each is asked once by a `Recording`; what was odd comes back beside the result.
    """

    @property
    def encoding(self) -> Encoding:
        """How samples are stored, known before they are mapped."""

    def load_store(self) -> SampleStore:
        """Map or hold the samples."""

    def load_timeline(self) -> tuple[Timeline, tuple[str, ...]]:
        """Read the start times of the records."""

    def load_annotations(self) -> tuple[tuple[Annotation, ...], tuple[str, ...]]:
        """Read the events."""


class Source(NamedTuple):
    """Facts of one opened file or array.

    Attributes
    ----------
    continuous : bool
        Whether the records follow each other without a gap, known from the header.
    path : str, Path or None
        Absolute; None: no file behind.
    stamp : FileStamp or None
        State of the file when its header was read; None: no file behind.
    companions : tuple of Path
        Further files that hold the samples.
    """

    format: str
    channels: tuple[Channel, ...]
    record_duration_sec: float
    n_records: int
    continuous: bool
    loader: Loader
    path: str | Path | None = None
    stamp: FileStamp | None = None
    companions: tuple[Path, ...] = ()
    start: datetime | None = None
    reference: str | None = None
    age: int | None = None
    sex: str | None = None
    bads: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
