"""EEGLAB .set files (MATLAB 5), with their samples inside or in an .fdt file beside.

Read without MNE, whose import costs a hundred times the reading; files of MATLAB 7.3
(HDF5) are left to MNE.
"""

import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore.arrays import values_recording
from eegcore.errors import HeaderError, ReadError
from eegcore.montage import Kind, channel_kinds
from eegcore.recording import Annotation, Recording

# What scipy raises on a damaged MATLAB file beside its own MatReadError.
_MAT_ERRORS = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    MemoryError,
    EOFError,
    OSError,
    zlib.error,
)
_KINDS: dict[str, Kind] = {
    "EEG": "eeg",
    "EOG": "eog",
    "HEOG": "eog",
    "VEOG": "eog",
    "ECG": "ecg",
    "EKG": "ecg",
    "EMG": "emg",
    "RESP": "resp",
    "TEMP": "temp",
    "TRIG": "stim",
    "STIM": "stim",
    "MISC": "misc",
    "AUX": "misc",
}


class _Channels(NamedTuple):
    labels: list[str]
    kinds: list[Kind]


def is_hdf5_mat(path: Path) -> bool:
    """Whether a MATLAB file is of version 7.3, an HDF5 file."""
    with path.open("rb") as file:
        head = file.read(520)
    return head.startswith(b"MATLAB 7.3") or b"\x89HDF" in (head[:4], head[512:516])


def read_eeglab(path: Path, **facts: Any) -> Recording:
    """Read an EEGLAB file as a recording in microvolts.

    A channel counts as EEG if its type says so, if its name is that of an electrode, or
    if it has a place on the head and a name that says nothing.

    Raises
    ------
    ReadError
        Not an EEGLAB file, damaged, cut, or made of epochs.
    """
    fields = _fields(path)
    n_channels, n_samples = _whole(fields, "nbchan"), _whole(fields, "pnts")
    if _whole(fields, "trials", 1) > 1:
        raise ReadError(
            f"holds {fields['trials']} epochs; a continuous recording is needed"
        )
    rate_hz = _rate(fields)
    values, companions = _values(path, fields, n_channels, n_samples)
    channels = _channels(fields, n_channels)
    return values_recording(
        values,
        rate_hz,
        channels.labels,
        [("uV", 1.0)] * n_channels,
        kinds=channels.kinds,
        events=_events(fields, rate_hz),
        format_name="EEGLAB",
        path=path,
        companions=companions,
        reference=_reference(_text(fields.get("ref"))),
        **facts,
    )


def _fields(path: Path) -> dict[str, Any]:
    """Fields of the EEG struct, or of the top level in files without one."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        content = loadmat(path, struct_as_record=False, squeeze_me=True)
    except (MatReadError, *_MAT_ERRORS) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise ReadError(f"cannot be read as .set: {reason}") from error
    fields = vars(content["EEG"]) if hasattr(content.get("EEG"), "srate") else content
    if "srate" not in fields or "data" not in fields:
        raise ReadError("not an EEGLAB file: it has no field 'srate' or 'data'")
    return fields


def _whole(fields: dict[str, Any], name: str, usual: int | None = None) -> int:
    value = np.asarray(fields.get(name, usual))
    if value.size == 0 and usual is not None:
        return usual
    if value.size != 1 or value.dtype.kind not in "uif" or value.item() % 1:
        raise HeaderError(f"field {name!r} is {value!r}; a whole number is needed")
    return int(value.item())


def _rate(fields: dict[str, Any]) -> float:
    value = np.asarray(fields["srate"])
    if value.size != 1 or value.dtype.kind not in "uif" or not 0 < value.item() < 1e9:
        raise HeaderError(f"field 'srate' is {value!r}; a number above 0 is needed")
    return float(value.item())


def _values(
    path: Path, fields: dict[str, Any], n_channels: int, n_samples: int
) -> tuple[NDArray[Any], tuple[Path, ...]]:
    """Samples (n_channels, n_samples), and the file beside that holds them."""
    data = fields["data"]
    if not isinstance(data, str):
        values = np.asarray(data)
        if values.dtype.kind not in "uif" or values.size != n_channels * n_samples:
            raise HeaderError(
                f"data of shape {values.shape}; {n_channels} channels x "
                f"{n_samples} samples by its header"
            )
        return values.reshape(n_channels, n_samples), ()
    # Only the name is taken: the folder is that of the machine that wrote the file.
    name = data.replace("\\", "/").rsplit("/", 1)[-1]
    beside = [path.with_name(name), path.with_suffix(".fdt"), path.with_suffix(".dat")]
    found = next((file for file in beside if file.is_file()), None)
    if found is None:
        raise ReadError(f"its data file {name!r} is not beside it")
    values = np.fromfile(found, dtype="<f4")
    if values.size != n_channels * n_samples:
        raise HeaderError(
            f"its data file holds {values.size} values, {n_channels} channels x "
            f"{n_samples} samples need {n_channels * n_samples}"
        )
    if found.suffix.lower() == ".dat":
        return values.reshape(n_channels, n_samples), (found,)
    return values.reshape(n_samples, n_channels).T, (found,)


def _channels(fields: dict[str, Any], n_channels: int) -> _Channels:
    places = np.atleast_1d(fields.get("chanlocs", ())).tolist()
    if len(places) != n_channels or not all(hasattr(p, "labels") for p in places):
        labels = [f"EEG {number}" for number in range(1, n_channels + 1)]
        return _Channels(labels, ["eeg"] * n_channels)
    labels = [_text(place.labels) for place in places]
    kinds = [
        _kind(place, kind)
        for place, kind in zip(
            places, channel_kinds(labels, ["uV"] * n_channels), strict=True
        )
    ]
    return _Channels(labels, kinds)


def _kind(place: Any, by_name: Kind) -> Kind:
    told = _KINDS.get(_text(getattr(place, "type", "")).upper())
    # "EEG" is what many programs write for every channel.
    if told is not None and (told != "eeg" or by_name == "unknown"):
        return told
    position = np.asarray(getattr(place, "X", ()))
    has_place = position.size == 1 and position.dtype.kind in "uif"
    return "eeg" if by_name == "unknown" and has_place else by_name


def _reference(text: str) -> str | None:
    """Reference of all channels; "common" says only that they share one."""
    if text in ("", "common"):
        return None
    return "average" if text == "averef" else text


def _events(fields: dict[str, Any], rate_hz: float) -> tuple[Annotation, ...]:
    """Events; latencies count samples from 1."""
    events = []
    for event in np.atleast_1d(fields.get("event", ())).tolist():
        latency = np.asarray(getattr(event, "latency", ()))
        if latency.size != 1 or latency.dtype.kind not in "uif":
            continue
        length = np.asarray(getattr(event, "duration", ()))
        has_length = length.size == 1 and length.dtype.kind in "uif"
        events.append(
            Annotation(
                round((float(latency.item()) - 1.0) / rate_hz, 9),
                round(float(length.item()) / rate_hz, 9) if has_length else None,
                _text(getattr(event, "type", "")),
            )
        )
    return tuple(sorted(events, key=lambda event: event.onset_sec))


def _text(value: Any) -> str:
    """Text of a field: empty arrays are empty texts, numbers their digits."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int | float):
        return f"{value:g}"
    return ""
