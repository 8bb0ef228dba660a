"""EDF and BDF header bytes -> EdfHeader, forgiving what real files get wrong.

Nothing here reads samples. What contradicts itself and can be settled from the size
of the file is settled and told in `warnings`; what cannot is a `HeaderError`.
"""

from datetime import datetime
from typing import NamedTuple, Protocol

from eegcore.edf_signals import (
    SignalHeader,
    SignalTable,
    field_integer,
    field_number,
    field_text,
    field_texts,
    signal_table,
)
from eegcore.edf_subject import age_and_sex, start_time
from eegcore.errors import HeaderError

FIXED_BYTES = 256
SIGNAL_BYTES = 256
# patient, recording, date, time, bytes of the header, EDF+ or not, records, duration
_FIELDS = (
    *((8, 88), (88, 168), (168, 176), (176, 184)),
    *((184, 192), (192, 197), (236, 244), (244, 252)),
)
_BDF_MAGIC = b"\xffBIOSEMI"


class Reads(Protocol):
    """What a header is read from: an opened file, or bytes in memory."""

    def read(self, size: int, /) -> bytes:
        """Next bytes, fewer at the end."""


class EdfHeader(NamedTuple):
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
    table: SignalTable
    start: datetime | None
    age: int | None
    sex: str | None
    warnings: tuple[str, ...] = ()

    @property
    def signals(self) -> tuple[SignalHeader, ...]:
        """Signal headers in the order of the file."""
        return self.table.signals

    @property
    def record_bytes(self) -> int:
        """Bytes of one data record."""
        return self.sample_bytes * self.table.record_samples


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
        field_integer(field_text(head[184:192])),
        field_number(field_text(head[244:252])),
        field_integer(field_text(head[252:256])),
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
    count = field_integer(field_text(head[252:256]))
    if count is None or count < 1:
        count = _count_by_size(head, size)
    if count is None:
        raise HeaderError(
            f"number of signals in the header is {field_text(head[252:256])!r}, "
            "a whole number from 1 is needed"
        )
    return count


def _count_by_size(head: bytes, size: int) -> int | None:
    """Number of signals that the declared size of the header implies."""
    told = field_integer(field_text(head[184:192]))
    if told is None or not FIXED_BYTES < told <= size or told % SIGNAL_BYTES:
        return None
    return told // SIGNAL_BYTES - 1


def read_header(stream: Reads, size: int, *, head: bytes = b"") -> EdfHeader:
    """Read the header at the beginning of a stream, and nothing behind it.

    A number of signals of more than four digits does not fit its field; if the header
    makes no sense by that field, the declared size of the header is tried.

    head: what has been read of the stream; at least 256 bytes, if anything.
    """
    raw = head or stream.read(FIXED_BYTES)
    head = raw[:FIXED_BYTES]
    count = signal_count(head, size)
    needed = min(SIGNAL_BYTES * (count + 1), size)
    if len(raw) < needed:
        raw += stream.read(needed - len(raw))
    try:
        return parse_header(raw, size, n_signals=count)
    except HeaderError:
        implied = _count_by_size(head, size)
        if implied is None or implied <= count:
            raise
        needed = min(SIGNAL_BYTES * (implied + 1), size)
        raw += stream.read(max(needed - len(raw), 0))
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
    table = signal_table(raw[FIXED_BYTES:needed], n_signals)
    patient, session, day, clock, told, plus, declared, length = field_texts(
        raw[:FIXED_BYTES], _FIELDS
    )
    duration_sec = field_number(length)
    if duration_sec is None or duration_sec < 0:
        raise HeaderError(
            f"duration of a data record in the header is {length!r}, "
            "a number of seconds from 0 is needed"
        )
    warnings: list[str] = []
    name, sample_bytes = ("BDF", 3) if raw[:1] == b"\xff" else ("EDF", 2)
    record_bytes = sample_bytes * table.record_samples
    offset = _data_offset(told, declared, needed, size, record_bytes, warnings)
    n_records = _record_count(declared, size - offset, record_bytes, warnings)
    plus = plus.upper()
    kind = name + plus[3:] if plus[:3] in ("EDF", "BDF") else name
    kind = kind if plus[3:] in ("+C", "+D") else name
    start = start_time(day, clock, session if kind != name else "", warnings)
    age, sex = age_and_sex(patient, start)
    return EdfHeader(
        format=kind,
        sample_bytes=sample_bytes,
        data_offset=offset,
        n_records=n_records,
        record_duration_sec=duration_sec,
        table=table,
        start=start,
        age=age,
        sex=sex,
        warnings=tuple(warnings),
    )


def _data_offset(
    shown: str,
    records: str,
    needed: int,
    size: int,
    record_bytes: int,
    warnings: list[str],
) -> int:
    """First byte of the data: behind the signal headers, whatever the field says.

    Only a longer header that the size of the file bears out to the byte is believed.
    """
    told = field_integer(shown)
    if told == needed:
        return needed
    declared = field_integer(records) or 0
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
    shown: str, data_bytes: int, record_bytes: int, warnings: list[str]
) -> int:
    """Whole records in the file, told where the header says other.

    More whole records than declared, without a spare byte, were recorded and are read;
    spare bytes that are no whole records are not.
    """
    declared = field_integer(shown)
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
