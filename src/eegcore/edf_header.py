"""EDF and BDF header bytes -> EdfHeader, forgiving what real files get wrong.

Nothing here reads samples. What contradicts itself and can be settled from the size
of the file is settled and told in `warnings`; what cannot is a `HeaderError`.
"""

import re
from dataclasses import dataclass, field
from datetime import date, datetime, time

from eegcore.annotations import decode_text
from eegcore.errors import HeaderError

FIXED_BYTES = 256
SIGNAL_BYTES = 256
_BDF_MAGIC = b"\xffBIOSEMI"
# Widths of the fields of the signal headers, in their order.
_WIDTHS = (16, 80, 8, 8, 8, 8, 8, 80, 8, 32)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?")
_MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split()
_DATE = re.compile(r"(\d{1,2})-([A-Za-z]{3})-(\d{4})")


@dataclass(frozen=True, slots=True)
class SignalHeader:
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
    warnings: tuple[str, ...] = field(default=())

    @property
    def record_bytes(self) -> int:
        """Bytes of one data record."""
        return self.sample_bytes * sum(s.samples_per_record for s in self.signals)


def is_edf(head: bytes) -> bool:
    """Whether the first bytes of a file are those of an EDF or BDF header."""
    return head[:8] == _BDF_MAGIC or (head[:1] == b"0" and not head[1:8].strip(b" \0"))


def signal_count(head: bytes, size: int) -> int:
    """Number of signals that the first 256 bytes declare.

    Raises
    ------
    HeaderError
        Not an EDF header, or one that is cut.
    """
    if size == 0:
        raise HeaderError("the file is empty (0 bytes)")
    if len(head) < FIXED_BYTES:
        if not is_edf(head):
            raise HeaderError(f"not an EDF or BDF file: it begins with {head[:8]!r}")
        raise HeaderError(
            f"the header is cut: {len(head)} bytes, at least {FIXED_BYTES} are needed"
        )
    if not is_edf(head):
        raise HeaderError(f"not an EDF or BDF file: it begins with {head[:8]!r}")
    count = _integer(_text(head[252:256]))
    if count is None or count < 1:
        raise HeaderError(
            f"number of signals in the header is {_text(head[252:256])!r}, "
            "a whole number from 1 is needed"
        )
    return count


def parse_header(raw: bytes, size: int) -> EdfHeader:
    """Read a header.

    Parameters
    ----------
    raw : bytes
        The first 256 x (number of signals + 1) bytes of the file, or all of it.
    size : int
        Bytes of the whole file.
    """
    n_signals = signal_count(raw[:FIXED_BYTES], size)
    warnings: list[str] = []
    needed = FIXED_BYTES + SIGNAL_BYTES * n_signals
    if len(raw) < needed:
        raise HeaderError(
            f"the header is cut: {len(raw)} bytes, {n_signals} signals need {needed}"
        )
    is_bdf = raw[:1] == b"\xff"
    signals = _signals(raw[FIXED_BYTES:needed], n_signals)
    sample_bytes = 3 if is_bdf else 2
    record_bytes = sample_bytes * sum(s.samples_per_record for s in signals)
    duration_sec = _number(_text(raw[244:252]))
    if duration_sec is None or duration_sec < 0:
        raise HeaderError(
            f"duration of a data record in the header is {_text(raw[244:252])!r}, "
            "a number of seconds from 0 is needed"
        )
    offset = _data_offset(raw, needed, size, record_bytes, warnings)
    n_records = _record_count(raw, offset, size, record_bytes, warnings)
    reserved = _text(raw[192:236])
    name = "BDF" if is_bdf else "EDF"
    plus = reserved[:5].upper()
    kind = plus if plus in (f"{name}+C", f"{name}+D") else name
    patient = _text(raw[8:88])
    start = _start(raw, kind != name, warnings)
    age, sex = _age_and_sex(patient, start, plus=kind != name)
    return EdfHeader(
        kind,
        sample_bytes,
        offset,
        n_records,
        duration_sec,
        signals,
        start,
        age,
        sex,
        tuple(warnings),
    )


def _signals(raw: bytes, count: int) -> tuple[SignalHeader, ...]:
    """Split the signal headers, which are stored field by field."""
    columns: list[list[str]] = []
    position = 0
    text = raw.replace(b"\0", b" ").decode("ascii") if raw.isascii() else None
    for width in _WIDTHS[:-1]:
        stop = position + width * count
        if text is not None:
            column = [
                text[at : at + width].strip() for at in range(position, stop, width)
            ]
        else:
            column = [
                _text(raw[at : at + width]) for at in range(position, stop, width)
            ]
        columns.append(column)
        position = stop
    signals = []
    for row in zip(*columns, strict=True):
        label, transducer, unit, pmin, pmax, dmin, dmax, prefilter, samples = row
        n_samples = _integer(samples)
        if n_samples is None or n_samples < 0:
            raise HeaderError(
                f"number of samples of signal {label!r} in the header is {samples!r}, "
                "a whole number from 0 is needed"
            )
        signals.append(
            SignalHeader(
                label,
                transducer,
                unit,
                _number(pmin),
                _number(pmax),
                _number(dmin),
                _number(dmax),
                prefilter,
                n_samples,
            )
        )
    return tuple(signals)


def _data_offset(
    raw: bytes, needed: int, size: int, record_bytes: int, warnings: list[str]
) -> int:
    """First byte of the data: behind the signal headers, whatever the field says."""
    told = _integer(_text(raw[184:192]))
    if told == needed:
        return needed
    shown = _text(raw[184:192])
    declared = _integer(_text(raw[236:244])) or 0
    if (
        told is not None
        and told > needed
        and declared > 0
        and told + declared * record_bytes == size
    ):
        warnings.append(
            f"header says it has {told} bytes, {needed} are usual; "
            "the size of the file agrees with it"
        )
        return told
    warnings.append(
        f"header says it has {shown!r} bytes, its signals need {needed}; "
        f"data read from byte {needed}"
    )
    return needed


def _record_count(
    raw: bytes, offset: int, size: int, record_bytes: int, warnings: list[str]
) -> int:
    """Whole records in the file, told where the header says other."""
    shown = _text(raw[236:244])
    declared = _integer(shown)
    there, spare = (
        divmod(max(size - offset, 0), record_bytes) if record_bytes else (0, 0)
    )
    if declared is None or declared < 0:
        warnings.append(
            f"header does not say the number of records ({shown!r}); "
            f"{there} taken from the size of the file"
        )
        if spare:
            warnings.append(f"{spare} bytes behind the last whole record left out")
        return there
    if declared > there:
        warnings.append(
            f"header says {declared} records, {there} whole ones are in the file; "
            f"{declared - there} records are missing"
        )
        return there
    if declared == there:
        if spare:
            warnings.append(f"{spare} spare bytes behind the last record left out")
        return there
    if spare == 0:
        warnings.append(
            f"header says {declared} records, the file holds {there}; all are read"
        )
        return there
    warnings.append(
        f"{size - offset - declared * record_bytes} spare bytes behind the "
        f"{declared} records of the header left out"
    )
    return declared


def _text(raw: bytes) -> str:
    """Field as text: NUL padding as spaces, UTF-8 or else Latin-1."""
    return decode_text(raw.replace(b"\0", b" ")).strip()


def _number(text: str) -> float | None:
    """Number of a field, decimal comma allowed; None: it is none."""
    text = text.replace(",", ".")
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if abs(value) < float("inf") else None


def _integer(text: str) -> int | None:
    value = _number(text)
    return int(value) if value is not None and value == int(value) else None


def _start(raw: bytes, plus: bool, warnings: list[str]) -> datetime | None:  # noqa: FBT001 - private
    """Start of the header; the four-digit year of EDF+ where it fits."""
    clock = _clock(_text(raw[176:184]))
    day = _day(_text(raw[168:176]))
    if plus:
        words = _text(raw[88:168]).split()
        if len(words) > 1 and words[0].lower() == "startdate":
            full = full_date(words[1])
            if full and (day is None or (full.day, full.month) == (day.day, day.month)):
                day = full
    if day is None:
        warnings.append("start date in the header is no date; start unknown")
        return None
    if clock is None:
        warnings.append("start time in the header is no time; start unknown")
        return None
    return datetime.combine(day, clock)


def _day(text: str) -> date | None:
    """dd.mm.yy, with the clipping year 1985."""
    parts = re.split(r"[.\-/: ]+", text)
    if len(parts) != 3 or not all(part.isdigit() for part in parts):
        return None
    day, month, year = (int(part) for part in parts)
    if year < 100:
        year += 1900 if year >= 85 else 2000
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _clock(text: str) -> time | None:
    parts = re.split(r"[.\-/: ]+", text)
    if len(parts) != 3 or not all(part.isdigit() for part in parts):
        return None
    try:
        return time(*(int(part) for part in parts))
    except ValueError:
        return None


def full_date(text: str) -> date | None:
    """dd-MMM-yyyy with an English month in any letter case; None: it is none."""
    found = _DATE.fullmatch(text)
    if not found or found.group(2).upper() not in _MONTHS:
        return None
    month = _MONTHS.index(found.group(2).upper()) + 1
    try:
        return date(int(found.group(3)), month, int(found.group(1)))
    except ValueError:
        return None


_SEX_WORDS = re.compile(r"(?<![A-Za-z])(female|male|f|m)(?![A-Za-z])", re.IGNORECASE)
_AGE_WORDS = re.compile(
    r"(?<!\d)(\d{1,3})\s*_?(?:yrs?|years?|y/?o)(?![A-Za-z])|"
    r"(?<![A-Za-z])age\s*[:=_]?\s*(\d{1,3})(?!\d)",
    re.IGNORECASE,
)


def _age_and_sex(
    patient: str, start: datetime | None, *, plus: bool
) -> tuple[int | None, str | None]:
    """Age in whole years and sex ("F", "M"), the only facts kept of the patient."""
    words = patient.split()
    sex = age = None
    if len(words) > 1 and words[1].upper() in ("F", "M"):
        sex = words[1].upper()
    elif not plus:
        found = _SEX_WORDS.search(patient.replace("_", " "))
        sex = found.group(1)[0].upper() if found else None
    birth = next((full_date(word) for word in words if full_date(word)), None)
    if birth and start:
        age = start.year - birth.year
        age -= (start.month, start.day) < (birth.month, birth.day)
    else:
        years = _AGE_WORDS.search(patient)
        age = int(years.group(1) or years.group(2)) if years else None
    return (age if age is not None and 0 <= age <= 120 else None), sex
