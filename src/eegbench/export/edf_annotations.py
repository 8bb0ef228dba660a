"""An EDF+ file of nothing but annotations, as EDFbrowser and MNE read it."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from eegbench.export.events import Answer, Event

RECORD_BYTES = 30_000  # EDF asks for records under 61,440 bytes
NO_DATE = datetime(1985, 1, 1)
MONTHS = (
    *("JAN", "FEB", "MAR", "APR", "MAY", "JUN"),
    *("JUL", "AUG", "SEP", "OCT", "NOV", "DEC"),
)
TIMEKEEPING = b"+0\x14\x14\x00"


def edf_annotations(answer: Answer) -> bytes:
    """Return an answer as the bytes of an EDF+C file with one annotation signal.

    Notes
    -----
    A file without ordinary signals has data records of 0 s (EDF+ specification,
    section 2.2.1); every record opens with its timekeeping list. The start is that of
    the recording, so that both files lie on one clock.
    """
    records = list(_records(answer.events))
    size = max(len(record) for record in records)
    size += size % 2
    start = answer.start or NO_DATE
    day = f"{start:%d}-{MONTHS[start.month - 1]}-{start:%Y}"
    date = day if answer.start is not None else "X"
    header = _fields(
        ("0", 8),
        ("X X X X", 80),
        (f"Startdate {date} X X eegbench:{_plain(answer.agent)}", 80),
        (f"{start:%d.%m.%y}", 8),
        (f"{start:%H.%M.%S}", 8),
        ("512", 8),
        ("EDF+C", 44),
        (str(len(records)), 8),
        ("0", 8),
        ("1", 4),
        ("EDF Annotations", 16),
        ("", 80),
        ("", 8),
        ("-1", 8),
        ("1", 8),
        ("-32768", 8),
        ("32767", 8),
        ("", 80),
        (str(size // 2), 8),
        ("", 32),
    )
    return header + b"".join(record.ljust(size, b"\x00") for record in records)


def _records(events: Sequence[Event]) -> Iterator[bytes]:
    record = TIMEKEEPING
    for event in events:
        text = event.text.encode("utf-8").replace(b"\x14", b" ").replace(b"\x00", b" ")
        onset, length = _seconds(event.onset_sec), _seconds(event.duration_sec)
        line = f"+{onset}\x15{length}\x14".encode() + text + b"\x14\x00"
        if len(record) + len(line) > RECORD_BYTES:
            yield record
            record = TIMEKEEPING
        record += line
    yield record


def _seconds(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _plain(text: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in text)


def _fields(*pairs: tuple[str, int]) -> bytes:
    return b"".join(_field(text, width) for text, width in pairs)


def _field(text: str, width: int) -> bytes:
    return text.encode("ascii", "replace")[:width].ljust(width)
