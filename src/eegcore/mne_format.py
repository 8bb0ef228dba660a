"""MNE's `Raw` objects and the file formats that are read by MNE.

MNE is imported inside the functions: it costs a second or two, and nothing else
needs it.
"""

import struct
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from eegcore.arrays import values_recording
from eegcore.errors import ReadError
from eegcore.montage import Kind, channel_kinds
from eegcore.recording import Annotation, Recording

READERS = {
    ".set": "read_raw_eeglab",
    ".fif": "read_raw_fif",
    ".vhdr": "read_raw_brainvision",
    ".ahdr": "read_raw_brainvision",
    ".cnt": "read_raw_cnt",
}
# What MNE and the libraries under it raise on a damaged file.
_READER_ERRORS = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    RuntimeError,
    AssertionError,
    ArithmeticError,
    MemoryError,
    ImportError,
    struct.error,
)
_VOLT, _TESLA = 107, 112  # FIFF unit codes
_KINDS: dict[str, Kind] = {
    "eog": "eog",
    "ecg": "ecg",
    "emg": "emg",
    "resp": "resp",
    "temperature": "temp",
    "stim": "stim",
    "seeg": "eeg",
    "ecog": "eeg",
    "dbs": "eeg",
}


def read_by_mne(path: Path, suffix: str) -> Any:
    """Read a whole file as an MNE `Raw`.

    Raises
    ------
    ReadError
        MNE cannot read it; with the first line of its reason.
    """
    import mne

    reader = getattr(mne.io, READERS[suffix])
    try:
        return reader(path, preload=True, verbose="ERROR")
    except _READER_ERRORS as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        reason = reason.replace(str(path), "the file")
        raise ReadError(f"cannot be read as {suffix}: {reason}") from error


def companions_of(raw: Any, path: Path) -> tuple[Path, ...]:
    """Files beside `path` that hold samples of a `Raw`."""
    files = [Path(name) for name in raw.filenames if name is not None]
    return tuple(file for file in files if file.resolve() != path.resolve())


def from_mne(raw: Any) -> Recording:
    """Make a recording of an MNE `Raw` object.

    Voltages become microvolts. A channel of MNE's default type "eeg" counts as EEG only
    if its name is that of an electrode or it has a place on the head.
    """
    return raw_recording(raw, format_name="MNE")


def raw_recording(raw: Any, **facts: Any) -> Recording:
    """As `from_mne`, with further facts of the source."""
    values = raw.get_data(verbose="ERROR")
    labels = [str(name) for name in raw.ch_names]
    units = [
        ("", None) if kind == "stim" else _unit(channel["unit"])
        for kind, channel in zip(raw.get_channel_types(), raw.info["chs"], strict=True)
    ]
    for row, (unit, _) in enumerate(units):
        if unit == "uV":
            values[row] *= 1e6
    rate_hz = float(raw.info["sfreq"])
    subject = _subject(raw.info)
    return values_recording(
        values,
        rate_hz,
        labels,
        units,
        kinds=_kinds(raw, labels, [unit for unit, _ in units]),
        edges=_edges(raw.info["highpass"], raw.info["lowpass"], rate_hz),
        events=_events(raw),
        start=_start(raw),
        age=subject.age,
        sex=subject.sex,
        bads=tuple(raw.info["bads"]),
        **facts,
    )


class _Subject(NamedTuple):
    age: int | None
    sex: str | None


def _unit(code: int) -> tuple[str, float | None]:
    if code == _VOLT:
        return "uV", 1.0
    return ("T", None) if code == _TESLA else ("", None)


def _kinds(raw: Any, labels: Sequence[str], units: Sequence[str]) -> list[Kind]:
    """MNE's type where it says more than the default, else by name and place."""
    by_name = channel_kinds(labels, units)
    kinds: list[Kind] = []
    for mne_type, channel, kind in zip(
        raw.get_channel_types(), raw.info["chs"], by_name, strict=True
    ):
        if mne_type == "eeg":
            kinds.append("eeg" if kind == "unknown" and _has_place(channel) else kind)
        else:
            kinds.append(_KINDS.get(mne_type, "misc"))
    return kinds


def _has_place(channel: Any) -> bool:
    place = np.asarray(channel["loc"][:3], dtype=np.float64)
    return bool(np.isfinite(place).all() and np.any(place != 0.0))


def _edges(
    highpass_hz: float, lowpass_hz: float, rate_hz: float
) -> tuple[float | None, float | None]:
    """Filter edges; MNE's stand-ins for "not known" become None."""
    return (
        float(highpass_hz) if highpass_hz and highpass_hz > 0 else None,
        float(lowpass_hz) if lowpass_hz and lowpass_hz < rate_hz / 2 else None,
    )


def _events(raw: Any) -> tuple[Annotation, ...]:
    """Annotations, from the first sample."""
    shift = raw.first_time if raw.annotations.orig_time is not None else 0.0
    return tuple(
        Annotation(round(float(onset) - shift, 9), float(duration), str(text))
        for onset, duration, text in zip(
            raw.annotations.onset,
            raw.annotations.duration,
            raw.annotations.description,
            strict=True,
        )
    )


def _start(raw: Any) -> datetime | None:
    start = raw.info["meas_date"]
    return start.replace(tzinfo=None) if isinstance(start, datetime) else None


def _subject(info: Any) -> _Subject:
    facts = info["subject_info"] or {}
    sex = {1: "M", 2: "F"}.get(int(facts.get("sex") or 0))
    birth, start = facts.get("birthday"), info["meas_date"]
    if birth is None or not isinstance(start, datetime):
        return _Subject(None, sex)
    if isinstance(birth, tuple):
        year, month, day = birth
    else:
        year, month, day = birth.year, birth.month, birth.day
    age = start.year - year - ((start.month, start.day) < (month, day))
    return _Subject(age if 0 <= age <= 120 else None, sex)
