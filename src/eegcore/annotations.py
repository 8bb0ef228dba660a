"""EDF+ annotation bytes -> (onset_sec, duration_sec, text).

A data record of an "EDF Annotations" signal holds time-stamped annotation lists
(TALs): onset, optional duration behind byte 21, texts behind bytes 20, and a zero
byte at the end. The first list of a record, with an empty first text, keeps the
record's time.
"""

import re
from typing import NamedTuple

from eegcore.source import Annotation

MOST_EVENTS = 1_000_000
MOST_FAULTS = 50
_DECIMAL = rb"(?:\d{1,15}(?:[.,]\d*)?|[.,]\d+)"
_ONSET = re.compile(rb"[+-]?" + _DECIMAL)
_DURATION = re.compile(rb"\+?" + _DECIMAL)


class RecordEvents(NamedTuple):
    """What the annotation bytes of one record say.

    Attributes
    ----------
    start_sec : float or None
        Time kept by the record; None: no timekeeping list.
    events : list of Annotation
        Without empty texts.
    faults : list of str
        One line for each list that could not be read.
    """

    start_sec: float | None
    events: list[Annotation]
    faults: list[str]


def parse_tals(
    raw: bytes, *, timekeeping: bool = True, most: int = MOST_EVENTS
) -> RecordEvents:
    """Read the annotation lists in the bytes of one record of one signal.

    Parameters
    ----------
    raw : bytes
    timekeeping : bool
        Whether the first list may keep the record's time: it does in the first
        annotation signal of a file only.
    most : int
        Events at most: two bytes of a hostile file can make one of a hundred bytes.

    Notes
    -----
    Texts are UTF-8; bytes that are not are taken as Latin-1. Empty texts are left out.
    A list whose onset or duration is no number is a fault; those behind it are
    read. A missing sign and a decimal comma are forgiven.
    """
    start_sec: float | None = None
    events: list[Annotation] = []
    faults: list[str] = []
    for position, tal in enumerate(raw.rstrip(b"\0 ").split(b"\0")):
        if not tal.strip():
            continue
        stamp, mark, texts = tal.partition(b"\x14")
        onset, _, duration = stamp.partition(b"\x15")
        onset_sec = _seconds(onset, _ONSET)
        duration_sec = _seconds(duration, _DURATION) if duration else None
        if not mark or onset_sec is None or (duration and duration_sec is None):
            if len(faults) < MOST_FAULTS:
                shown = _shown(stamp)
                faults.append(f"annotation with unreadable time {shown} left out")
            continue
        if timekeeping and position == 0 and not duration and texts[:1] in b"\x14":
            start_sec = onset_sec
        events.extend(
            Annotation(onset_sec, duration_sec, decode_text(text))
            for text in texts.split(b"\x14", most + 1 - len(events))[: most + 1]
            if text
        )
        if len(events) > most:
            faults.append(f"more than {most} annotations; those behind are left out")
            del events[most:]
            break
    return RecordEvents(start_sec, events, faults)


def record_start(raw: bytes) -> float | None:
    """Time kept by the first list of a record; None: there is none."""
    stamp, mark, texts = raw.partition(b"\x14")
    if not mark or texts[:1] not in (b"\x14", b"\0", b""):
        return None
    return _seconds(stamp, _ONSET)


def decode_text(raw: bytes) -> str:
    """UTF-8 text, or Latin-1 where the bytes are no UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _seconds(raw: bytes, pattern: re.Pattern[bytes]) -> float | None:
    raw = raw.strip()
    if not pattern.fullmatch(raw):
        return None
    return float(raw.replace(b",", b"."))


def _shown(raw: bytes) -> str:
    """Damaged bytes, shortened and printable."""
    return ascii(raw[:24].decode("latin-1"))
