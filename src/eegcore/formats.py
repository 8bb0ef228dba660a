"""Other formats into a Recording: text, .npy, and by MNE .set, .fif, .vhdr, .cnt.

`open_recording` (public name `eegcore.open`) looks at the content of a file, not at
its name, wherever the content can tell.
"""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eegcore.edf import open_edf, unit_and_factor
from eegcore.edf_header import is_edf
from eegcore.errors import ArgumentError, FormatError, HeaderError, ReadError
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

_MNE_READERS = {
    ".set": "read_raw_eeglab",
    ".fif": "read_raw_fif",
    ".vhdr": "read_raw_brainvision",
    ".cnt": "read_raw_cnt",
}
_EDF_SUFFIXES = (".edf", ".bdf", ".rec")
_TEXT_SUFFIXES = (".txt", ".csv", ".tsv", ".asc", ".dat")


def open_recording(
    path: str | PathLike[str],
    *,
    rate_hz: float | None = None,
    channel_names: Sequence[str] | None = None,
    unit: str | None = None,
) -> Recording:
    """Open a file as a recording.

    Parameters
    ----------
    path : str or path
        EDF, EDF+, BDF, BDF+ (only the header is read); `.npy`, text; by MNE `.set`,
        `.fif`, `.vhdr`, `.cnt`.
    rate_hz, channel_names, unit
        What `.npy` and text files do not say; unit "uV" if not given.

    Raises
    ------
    ReadError
        The file is missing, empty, cut or not what it seems; one line that says so.
    FormatError
        No adapter reads this kind of file.
    """
    path = Path(path)
    try:
        return _open(path, rate_hz, channel_names, unit)
    except ReadError as error:
        error.filename = str(path)
        raise
    except FileNotFoundError:
        raise _named(ReadError("no such file"), path) from None
    except IsADirectoryError:
        raise _named(ReadError("a folder, not a recording"), path) from None
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise _named(ReadError(f"cannot be read: {reason}"), path) from error


def _named(error: ReadError, path: Path) -> ReadError:
    error.filename = str(path)
    return error


def _open(
    path: Path,
    rate_hz: float | None,
    channel_names: Sequence[str] | None,
    unit: str | None,
) -> Recording:
    with path.open("rb", buffering=0) as file:
        head = file.read(512)
    suffix = path.suffix.lower()
    if not head:
        raise HeaderError("the file is empty (0 bytes)")
    if suffix not in _TEXT_SUFFIXES and (is_edf(head) or suffix in _EDF_SUFFIXES):
        return open_edf(path)
    if head.startswith(b"\x93NUMPY"):
        data = np.load(path, mmap_mode="r", allow_pickle=False)
        return from_array(
            data, _wanted_rate(rate_hz), channel_names, unit or "uV", path=path
        )
    if suffix in _MNE_READERS or path.name.lower().endswith(".fif.gz"):
        return _open_by_mne(path, suffix)
    return _open_text(path, rate_hz, channel_names, unit or "uV")


def _wanted_rate(rate_hz: float | None) -> float:
    if rate_hz is None:
        raise ArgumentError(
            "the file does not say its sampling rate; give rate_hz=... "
            "(173.61 for the Bonn set)"
        )
    return rate_hz


def from_array(
    data: ArrayLike,
    rate_hz: float,
    channel_names: Sequence[str] | None = None,
    unit: str = "uV",
    *,
    path: Path | None = None,
) -> Recording:
    """Make a recording of an array.

    Parameters
    ----------
    data : array, (n_samples,) or (n_channels, n_samples)
        In `unit`.
    rate_hz : float
    channel_names : sequence of str, optional
        "EEG" for one channel, "EEG 1", "EEG 2" and so on if not given.
    unit : str
        "uV", "mV", "V", "nV" or the text of another unit.
    """
    values = np.asarray(data)
    if values.dtype.kind not in "fiub":
        raise ArgumentError(f"data of type {values.dtype}; numbers are needed")
    if values.ndim not in (1, 2):
        raise ArgumentError(
            f"data of shape {values.shape}; (samples,) or (channels, samples) is needed"
        )
    values = np.atleast_2d(values)
    n_channels, n_samples = values.shape
    if not np.isfinite(rate_hz) or rate_hz <= 0:
        raise ArgumentError(f"rate_hz is {rate_hz}; a number above 0 is needed")
    labels = _labels(channel_names, n_channels)
    shown, to_uv = unit_and_factor(unit)
    kinds = [channel_kind(label, shown) for label in labels]
    return _from_values(
        values,
        float(rate_hz),
        labels,
        [(shown, to_uv)] * n_channels,
        kinds,
        path=path,
        format_name="array" if path is None else "NPY",
    )


def _labels(channel_names: Sequence[str] | None, n_channels: int) -> list[str]:
    if channel_names is None:
        if n_channels == 1:
            return ["EEG"]
        return [f"EEG {n}" for n in range(1, n_channels + 1)]
    if isinstance(channel_names, str):
        channel_names = [channel_names]
    if len(channel_names) != n_channels:
        raise ArgumentError(
            f"{len(channel_names)} channel names for {n_channels} channels"
        )
    return [str(name).strip() for name in channel_names]


def _from_values(
    values: NDArray[Any],
    rate_hz: float,
    labels: Sequence[str],
    units: Sequence[tuple[str, float | None]],
    kinds: Sequence[str],
    *,
    format_name: str,
    path: Path | None = None,
    **facts: Any,
) -> Recording:
    """Recording over a (n_channels, n_samples) array."""
    stored = np.ascontiguousarray(values, dtype=np.float64).reshape(-1).view()
    stored.flags.writeable = False
    n_channels, n = values.shape
    nan = float("nan")
    edges = facts.pop("edges", (None, None))
    channels = tuple(
        Channel(
            name,
            label,
            kind,
            rate_hz,
            n,
            unit,
            to_uv,
            1.0,
            0.0,
            nan,
            nan,
            nan,
            nan,
            edges[0],
            edges[1],
            "",
            "",
        )
        for name, label, kind, (unit, to_uv) in zip(
            unique_names(labels), labels, kinds, units, strict=True
        )
    )
    store = SampleStore(
        data=stored,
        encoding="float64",
        record_stride=n,
        offsets=np.arange(n_channels, dtype=np.int64) * n,
        samples_per_record=np.full(n_channels, n, dtype=np.int64),
        n_records=1,
    )
    events: tuple[Annotation, ...] = facts.pop("events", ())
    duration_sec = n / rate_hz
    timeline = Timeline((Segment(0.0, duration_sec),) if n else (), 0.0, None)
    return Recording(
        Source(
            format=format_name,
            channels=channels,
            record_duration_sec=duration_sec,
            n_records=1,
            continuous=True,
            load_store=lambda: store,
            load_timeline=lambda: (timeline, ()),
            load_annotations=lambda: (events, ()),
            path=path,
            stamp=FileStamp.of(path) if path else None,
            **facts,
        )
    )


def _open_text(
    path: Path,
    rate_hz: float | None,
    channel_names: Sequence[str] | None,
    unit: str,
) -> Recording:
    """Numbers as text: one value a line, or one column a channel."""
    text = path.read_bytes()
    if b"\0" in text[:4096]:
        raise FormatError(
            f"no adapter reads this kind of file ({path.suffix or 'no suffix'})"
        )
    lines = text.decode("utf-8-sig", errors="replace").splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    rows: list[list[float]] = []
    names: list[str] | None = None
    for number, line in enumerate(lines, 1):
        parts = line.replace(",", " ").replace(";", " ").split()
        try:
            rows.append([float(part) for part in parts])
        except ValueError:
            if number == 1:
                names = parts
                continue
            raise HeaderError(
                f"line {number} is no row of numbers: {line[:40]!r}"
            ) from None
        if len(rows[-1]) != len(rows[0]) or not parts:
            raise HeaderError(
                f"line {number} has {len(parts)} values, the lines before have {len(rows[0])}"
            )
    values = np.array(rows, dtype=np.float64).T
    recording = from_array(
        values, _wanted_rate(rate_hz), channel_names or names, unit, path=path
    )
    return recording


def _open_by_mne(path: Path, suffix: str) -> Recording:
    import mne

    reader = getattr(mne.io, _MNE_READERS.get(suffix, "read_raw_fif"))
    try:
        raw = reader(path, preload=True, verbose="ERROR")
    except Exception as error:
        raise ReadError(f"cannot be read as {suffix[1:]}: {error}") from error
    return from_mne(raw, path=path)


def from_mne(raw: Any, *, path: Path | None = None) -> Recording:
    """Make a recording of an MNE `Raw`."""
    values = raw.get_data()
    units, kinds = [], []
    for name, mne_kind in zip(raw.ch_names, raw.get_channel_types(), strict=True):
        volts = mne_kind in ("eeg", "eog", "ecg", "emg", "seeg", "ecog", "dbs", "bio")
        units.append(("uV", 1.0) if volts else ("", None))
        kind = channel_kind(name, "uV" if volts else "")
        kinds.append(kind)
    scale = np.array([1e6 if unit == "uV" else 1.0 for unit, _ in units])
    return _from_values(
        values * scale[:, None],
        float(raw.info["sfreq"]),
        list(raw.ch_names),
        units,
        kinds,
        path=path,
        format_name="MNE",
        bads=tuple(raw.info["bads"]),
    )


def to_mne(recording: Recording) -> Any:
    """Make an MNE `RawArray` of a recording."""
    import mne

    values = recording.read(recording.names)
    kinds = [
        c.kind if c.kind in ("eeg", "eog", "emg", "ecg", "resp", "stim") else "misc"
        for c in recording.channels
    ]
    for row, channel in enumerate(recording.channels):
        if channel.to_uv is not None:
            values[row] *= 1e-6
    info = mne.create_info(
        list(recording.names), recording.channels[0].rate_hz, kinds, verbose="ERROR"
    )
    return mne.io.RawArray(values, info, verbose="ERROR")
