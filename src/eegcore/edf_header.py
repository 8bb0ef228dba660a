"""EDF and BDF header bytes -> EdfHeader, forgiving what real files get wrong.

Nothing here reads samples. What contradicts itself and can be settled from the size
of the file is settled and told in `warnings`; what cannot is a `HeaderError`.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple, Protocol

from eegcore.annotations import decode_text
from eegcore.edf_subject import age_and_sex, start_time
from eegcore.errors import HeaderError

FIXED_BYTES = 256
SIGNAL_BYTES = 256
_BDF_MAGIC = b"\xffBIOSEMI"
# Widths of the fields of the signal headers, in their order; the last is reserved.
_WIDTHS = (16, 80, 8, 8, 8, 8, 8, 80, 8)
# NUL padding and control characters of a field count as spaces.
_SPACES = bytes(32 if byte < 32 or byte == 127 else byte for byte in range(256))
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?")


class Reads(Protocol):
    """What a header is read from: an opened file, or bytes in memory."""

    def read(self, size: int, /) -> bytes:
        """Next bytes, fewer at the end."""


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


@dataclass(frozen=True, slots=True)
class EdfHeader:
    """Header of one file, made consistent with the file's size.

    Attributes
    ----------
    format : str
        "EDF", "EDF+C", "EDF+D", "BDF", "BDF+C" or "BDF+D".
    sample_bytes : int
        2 (EDF) or 3 (BDF).
    data_offset : int
        First byte of the first record.
    n_records : int
        Whole records that are there.
    start : datetime or None
        None: the header has no valid date or time.
    age, sex : int or None, str or None
        All that is kept of the patient field.
    warnings : tuple of str
        What was odd, one line each.
    """

    format: str
    sample_bytes: int
    data_offset: int
    n_records: int
    record_duration_sec: float
    signals: tuple[SignalHeader, ...]
    start: datetime | None
    age: int | None
    sex: str | None
    warnings: tuple[str, ...] = ()

    @property
    def record_bytes(self) -> int:
        """Bytes of one data record."""
        return self.sample_bytes * sum([s.samples_per_record for s in self.signals])


def is_edf(head: bytes) -> bool:
    """Whether the first bytes of a file are those of an EDF or BDF header."""
    return head[:8] == _BDF_MAGIC or (
        head[:1] == b"0" and len(head) > 7 and not head[1:8].strip(b" \0")
    )


def is_whole_header(head: bytes) -> bool:
    """Whether 256 bytes are those of an EDF header by more than the first eight.

    For files that say by their name that they are something else: a text of numbers may
    begin with "0       ".
    """
    return is_edf(head) and None not in (
        _integer(_text(head[184:192])),
        _number(_text(head[244:252])),
        _integer(_text(head[252:256])),
    )


def signal_count(head: bytes, size: int) -> int:
    """Number of signals that the first 256 bytes declare.

    Raises
    ------
    HeaderError
        Not an EDF header, or one that is cut.
    """
    if size == 0:
        raise HeaderError("the file is empty (0 bytes)")
    if not is_edf(head):
        raise HeaderError(f"not an EDF or BDF file: it begins with {head[:8]!r}")
    if len(head) < FIXED_BYTES:
        raise HeaderError(
            f"the header is cut: {len(head)} bytes, at least {FIXED_BYTES} are needed"
        )
    count = _integer(_text(head[252:256]))
    if count is None or count < 1:
        count = _count_by_size(head, size)
    if count is None:
        raise HeaderError(
            f"number of signals in the header is {_text(head[252:256])!r}, "
            "a whole number from 1 is needed"
        )
    return count


def _count_by_size(head: bytes, size: int) -> int | None:
    """Number of signals that the declared size of the header implies."""
    told = _integer(_text(head[184:192]))
    if told is None or not FIXED_BYTES < told <= size or told % SIGNAL_BYTES:
        return None
    return told // SIGNAL_BYTES - 1


def read_header(stream: Reads, size: int) -> EdfHeader:
    """Read the header at the beginning of a stream, and nothing behind it.

    A number of signals of more than four digits does not fit its field; if the header
    makes no sense by that field, the declared size of the header is tried.
    """
    head = stream.read(FIXED_BYTES)
    count = signal_count(head, size)
    raw = head + stream.read(min(SIGNAL_BYTES * count, size))
    try:
        return parse_header(raw, size)
    except HeaderError:
        implied = _count_by_size(head, size)
        if implied is None or implied <= count:
            raise
        raw += stream.read(SIGNAL_BYTES * (implied - count))
        return parse_header(raw, size, n_signals=implied)


def parse_header(raw: bytes, size: int, *, n_signals: int | None = None) -> EdfHeader:
    """Read a header.

    Parameters
    ----------
    raw : bytes
        The first 256 x (number of signals + 1) bytes of the file, or more of it.
    size : int
        Bytes of the whole file.
    n_signals : int, optional
        In place of the number in the header.

    Raises
    ------
    HeaderError
        The header is cut, or a number without which no sample can be found is none.
    """
    n_signals = n_signals or signal_count(raw[:FIXED_BYTES], size)
    needed = FIXED_BYTES + SIGNAL_BYTES * n_signals
    if len(raw) < needed:
        raise HeaderError(
            f"the header is cut: {len(raw)} bytes, {n_signals} signals need {needed}"
        )
    signals = _signals(raw[FIXED_BYTES:needed], n_signals)
    duration_sec = _number(_text(raw[244:252]))
    if duration_sec is None or duration_sec < 0:
        raise HeaderError(
            f"duration of a data record in the header is {_text(raw[244:252])!r}, "
            "a number of seconds from 0 is needed"
        )
    warnings: list[str] = []
    name, sample_bytes = ("BDF", 3) if raw[:1] == b"\xff" else ("EDF", 2)
    record_bytes = sample_bytes * sum([s.samples_per_record for s in signals])
    offset = _data_offset(raw, needed, size, record_bytes, warnings)
    n_records = _record_count(raw, size - offset, record_bytes, warnings)
    plus = _text(raw[192:197]).upper()
    kind = name + plus[3:] if plus[:3] in ("EDF", "BDF") else name
    kind = kind if plus[3:] in ("+C", "+D") else name
    start = start_time(
        _text(raw[168:176]),
        _text(raw[176:184]),
        _text(raw[88:168]) if kind != name else "",
        warnings,
    )
    age, sex = age_and_sex(_text(raw[8:88]), start)
    return EdfHeader(
        format=kind,
        sample_bytes=sample_bytes,
        data_offset=offset,
        n_records=n_records,
        record_duration_sec=duration_sec,
        signals=signals,
        start=start,
        age=age,
        sex=sex,
        warnings=tuple(warnings),
    )


def _signals(raw: bytes, count: int) -> tuple[SignalHeader, ...]:
    """Split the signal headers, which are stored field by field."""
    raw = raw.translate(_SPACES)
    text = raw.decode("ascii") if raw.isascii() else None
    columns: list[list[str]] = []
    position = 0
    for width in _WIDTHS:
        stop = position + width * count
        places = range(position, stop, width)
        if text is not None:
            columns.append([text[at : at + width].strip() for at in places])
        else:
            columns.append([_text(raw[at : at + width]) for at in places])
        position = stop
    counts = [_integer(samples) for samples in columns[8]]
    for label, shown, n in zip(columns[0], columns[8], counts, strict=True):
        if n is None or n < 0:
            raise HeaderError(
                f"number of samples of signal {label!r} in the header is {shown!r}, "
                "a whole number from 0 is needed"
            )
    limits = [map(_number, column) for column in columns[3:7]]
    rows = zip(*columns[:3], *limits, columns[7], counts, strict=True)
    return tuple(map(SignalHeader._make, rows))


def _data_offset(
    raw: bytes, needed: int, size: int, record_bytes: int, warnings: list[str]
) -> int:
    """First byte of the data: behind the signal headers, whatever the field says.

    Only a longer header that the size of the file bears out to the byte is believed.
    """
    shown = _text(raw[184:192])
    told = _integer(shown)
    if told == needed:
        return needed
    declared = _integer(_text(raw[236:244])) or 0
    if told is not None and told > needed and declared > 0 and record_bytes > 0:
        behind = size - declared * record_bytes
        if behind == told:
            warnings.append(
                f"header says it has {told} bytes where {needed} are usual; "
                "the size of the file agrees"
            )
            return told
    warnings.append(
        f"header says it has {shown!r} bytes, its signals need {needed}; "
        f"data read from byte {needed}"
    )
    return needed


def _record_count(
    raw: bytes, data_bytes: int, record_bytes: int, warnings: list[str]
) -> int:
    """Whole records in the file, told where the header says other.

    More whole records than declared, without a spare byte, were recorded and are read;
    spare bytes that are no whole records are not.
    """
    shown = _text(raw[236:244])
    declared = _integer(shown)
    if record_bytes == 0:
        warnings.append("the header declares no samples at all")
        return 0
    there, spare = divmod(data_bytes, record_bytes)
    if declared is None or declared < 0:
        warnings.append(
            f"number of records in the header is {shown!r}; "
            f"{there} whole ones are in the file"
        )
        declared = there
    elif declared > there:
        warnings.append(
            f"header says {declared} records, {there} whole ones are in the file; "
            f"{declared - there} are missing"
        )
        declared = there
    elif declared < there and spare == 0:
        warnings.append(
            f"header says {declared} records, {there} are in the file and read"
        )
        declared = there
    spare = data_bytes - declared * record_bytes
    if spare:
        warnings.append(f"{spare} bytes behind the last whole record are not read")
    if declared == 0:
        warnings.append("the file holds no data record")
    return declared


def _text(raw: bytes) -> str:
    """Field as text: UTF-8 or else Latin-1, NUL and control bytes as spaces."""
    raw = raw.translate(_SPACES).strip()
    if raw.isascii():
        return raw.decode("ascii")
    text = decode_text(raw)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " for c in text).strip()


@lru_cache(maxsize=4096)
def _number(text: str) -> float | None:
    """Number of a field, decimal comma allowed; None: it is none."""
    try:
        value = float(text)
    except ValueError:
        text = text.replace(",", ".")
        if not _NUMBER.fullmatch(text):
            return None
        value = float(text)
    # float() also takes "nan", "inf" and "1_000".
    return value if value - value == 0.0 and "_" not in text else None


@lru_cache(maxsize=4096)
def _integer(text: str) -> int | None:
    """Whole number of a field; None: it is none."""
    value = _number(text)
    return int(value) if value is not None and value == int(value) else None
