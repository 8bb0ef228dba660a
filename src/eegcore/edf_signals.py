"""Fields and signal headers of EDF and BDF files: bytes -> texts, numbers, signals.

The signal headers of a montage are the same in many files, and in one file that is
opened again; what is read from them is kept by their bytes.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from eegcore.annotations import decode_text
from eegcore.errors import HeaderError

# Widths of the fields of the signal headers, in their order; the last is reserved.
_WIDTHS = (16, 80, 8, 8, 8, 8, 8, 80, 8)
# NUL padding and control characters of a field count as spaces.
_SPACES = bytes(32 if byte < 32 or byte == 127 else byte for byte in range(256))
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?")
_ANNOTATION_LABELS = frozenset({"edf annotations", "bdf annotations"})
_SMALL_BYTES = 1 << 15  # signal headers up to here are kept


class SignalHeader(NamedTuple):
    """Header of one signal as stored: texts stripped, None for what is no number."""

    label: str
    transducer: str
    unit: str
    physical_min: float | None
    physical_max: float | None
    digital_min: float | None
    digital_max: float | None
    prefilter: str
    samples_per_record: int


@dataclass(frozen=True, slots=True, eq=False)
class SignalTable:
    """All signal headers of a file; equal only to itself.

    Attributes
    ----------
    signals : tuple of SignalHeader
    ordinary : tuple of SignalHeader
        Those that hold samples, not annotations.
    places : tuple of int
        Samples of a record in front of each ordinary signal.
    record_samples : int
        Samples of a record, those of annotation signals among them.
    """

    signals: tuple[SignalHeader, ...]
    ordinary: tuple[SignalHeader, ...]
    places: tuple[int, ...]
    record_samples: int


def is_annotation(signal: SignalHeader) -> bool:
    """Whether a signal holds annotations in place of samples."""
    return signal.label.lower() in _ANNOTATION_LABELS


def signal_table(raw: bytes, count: int) -> SignalTable:
    """Read the signal headers, which are stored field by field.

    Raises
    ------
    HeaderError
        A number of samples is none.
    """
    read = _read_signals if len(raw) > _SMALL_BYTES else _known_signals
    return read(raw, count)


def _read_signals(raw: bytes, count: int) -> SignalTable:
    raw = raw.translate(_SPACES)
    text = raw.decode("ascii") if raw.isascii() else None
    columns: list[list[str]] = []
    position = 0
    for width in _WIDTHS:
        stop = position + width * count
        places = range(position, stop, width)
        if text is None:
            columns.append([field_text(raw[at : at + width]) for at in places])
        elif text[position:stop] == text[position : position + width] * count:
            columns.append([text[position : position + width].strip()] * count)
        else:
            columns.append([text[at : at + width].strip() for at in places])
        position = stop
    counts = [field_integer(samples) for samples in columns[8]]
    for label, shown, n in zip(columns[0], columns[8], counts, strict=True):
        if n is None or n < 0:
            raise HeaderError(
                f"number of samples of signal {label!r} in the header is {shown!r}, "
                "a whole number from 0 is needed"
            )
    limits = [map(field_number, column) for column in columns[3:7]]
    rows = zip(*columns[:3], *limits, columns[7], counts, strict=True)
    return _table(tuple(map(SignalHeader._make, rows)))


_known_signals = lru_cache(maxsize=64)(_read_signals)


def _table(signals: tuple[SignalHeader, ...]) -> SignalTable:
    ordinary, places = [], []
    position = 0
    for signal in signals:
        if not is_annotation(signal):
            ordinary.append(signal)
            places.append(position)
        position += signal.samples_per_record
    return SignalTable(signals, tuple(ordinary), tuple(places), position)


def field_texts(raw: bytes, places: Sequence[tuple[int, int]]) -> list[str]:
    """Return `field_text` of several byte ranges."""
    whole = raw.translate(_SPACES)
    if whole.isascii():
        text = whole.decode("ascii")
        return [text[start:stop].strip() for start, stop in places]
    return [field_text(raw[start:stop]) for start, stop in places]


def field_text(raw: bytes) -> str:
    """Field as text: UTF-8 or else Latin-1, NUL and control bytes as spaces."""
    raw = raw.translate(_SPACES).strip()
    if raw.isascii():
        return raw.decode("ascii")
    text = decode_text(raw)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " for c in text).strip()


@lru_cache(maxsize=4096)
def field_number(text: str) -> float | None:
    """Number of a field, decimal comma allowed; None: it is none."""
    try:
        value = float(text)
    except ValueError:
        text = text.replace(",", ".")
        if not _NUMBER.fullmatch(text):
            return None
        value = float(text)
    # float() also takes "nan", "inf" and "1_000"; + 0.0: no negative zero
    return value + 0.0 if value - value == 0.0 and "_" not in text else None


@lru_cache(maxsize=4096)
def field_integer(text: str) -> int | None:
    """Whole number of a field; None: it is none."""
    value = field_number(text)
    return int(value) if value is not None and value == int(value) else None
