"""Files of any accepted format into a Recording: the adapters' one entrance.

`open_recording` (public name `eegcore.open`) looks at the content of a file, not at
its name, wherever the content can tell.
"""

import os
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from eegcore.arrays import array_recording
from eegcore.arrays import from_array as from_array
from eegcore.edf import read_edf
from eegcore.edf_header import is_edf, is_whole_header
from eegcore.eeglab_format import is_hdf5_mat, read_eeglab
from eegcore.errors import ArgumentError, EegcoreError, HeaderError, ReadError
from eegcore.files import opened
from eegcore.mne_export import to_mne as to_mne
from eegcore.mne_format import READERS, companions_of, raw_recording, read_by_mne
from eegcore.mne_format import from_mne as from_mne
from eegcore.recording import Recording
from eegcore.source import FileStamp
from eegcore.text_format import parse_text

_EDF_SUFFIXES = frozenset({".edf", ".bdf", ".rec"})
_TEXT_SUFFIXES = frozenset({".txt", ".csv", ".tsv", ".asc"})
_FIRST_BYTES = 1 << 13  # the header of 31 signals at once
_NPY_MAGIC = b"\x93NUMPY"


class _Given(NamedTuple):
    """What the caller says of a file that does not say it itself."""

    rate_hz: float | None
    channel_names: Sequence[str] | None
    unit: str | None


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
        EDF, EDF+, BDF, BDF+ (nothing but the header is read), `.npy`, text, EEGLAB
        `.set`, and by MNE `.fif`, `.vhdr`, `.cnt` (read whole).
    rate_hz, channel_names, unit
        What `.npy` and text files do not say; the unit is "uV" if not given. They
        are not accepted for a file that says them itself.

    Raises
    ------
    ReadError
        The file is missing, empty, cut or not what it seems. The message has no path;
        a note of the error has.
    FormatError
        No adapter reads this kind of file.
    """
    path = os.path.abspath(path)  # noqa: PTH100 - no Path: a tenth of the time
    try:
        return _open(path, _Given(rate_hz, channel_names, unit))
    except EegcoreError as error:
        _named(error, path)
        raise
    except ValueError as error:  # a path with a NUL character
        raise _named(ReadError(f"no valid path: {error}"), path) from error
    except FileNotFoundError as error:
        raise _named(ReadError("no such file"), path) from error
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise _named(ReadError(f"cannot be read: {reason}"), path) from error


def _named(error: EegcoreError, path: str) -> EegcoreError:
    """Tell the path beside the message: messages may reach an agent, paths not."""
    error.add_note(f"file: {path}")
    return error


def _open(name: str, given: _Given) -> Recording:
    suffix = os.path.splitext(name)[1].lower()  # noqa: PTH122 - see above
    with opened(name) as file:
        stamp = file.stamp()
        head = file.read(_FIRST_BYTES)
        says_edf = is_whole_header if suffix in _TEXT_SUFFIXES else is_edf
        if suffix in _EDF_SUFFIXES or says_edf(head):
            _refuse(given, "EDF and BDF files")
            return read_edf(file, name, stamp, head=head)
    path = Path(name)
    if not head:
        raise HeaderError("the file is empty (0 bytes)")
    if head.startswith(_NPY_MAGIC):
        return _open_npy(path, stamp, given)
    if path.name.lower().endswith(".fif.gz"):
        suffix = ".fif"
    if suffix in READERS:
        _refuse(given, f"{suffix} files")
        if suffix == ".set" and not is_hdf5_mat(path):
            return read_eeglab(path, stamp=stamp)
        raw = read_by_mne(path, suffix)
        return raw_recording(
            raw,
            format_name="MNE",
            path=path,
            stamp=stamp,
            companions=companions_of(raw, path),
        )
    table = parse_text(path.read_bytes())
    return array_recording(
        table.values,
        _needed_rate(given.rate_hz),
        given.channel_names if given.channel_names is not None else table.names,
        given.unit or "uV",
        format_name="text",
        path=path,
        stamp=stamp,
    )


def _open_npy(path: Path, stamp: FileStamp, given: _Given) -> Recording:
    try:
        data = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        reason = str(error).splitlines()[0]
        raise HeaderError(f"cannot be read as .npy: {reason}") from error
    return array_recording(
        data,
        _needed_rate(given.rate_hz),
        given.channel_names,
        given.unit or "uV",
        format_name="NPY",
        path=path,
        stamp=stamp,
    )


def _needed_rate(rate_hz: float | None) -> float:
    if rate_hz is None:
        raise ArgumentError(
            "the file does not say its sampling rate; give rate_hz "
            "(173.61 for the Bonn set)"
        )
    return rate_hz


def _refuse(given: _Given, kind: str) -> None:
    """Refuse what a file says itself."""
    for name, value in zip(given._fields, given, strict=True):
        if value is not None:
            raise ArgumentError(f"{name} was given, but {kind} say it themselves")
