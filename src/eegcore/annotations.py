"""EDF+ annotation bytes -> (onset_sec, duration_sec, text).

A data record of an "EDF Annotations" signal holds time-stamped annotation lists
(TALs): onset, optional duration after byte 21, texts after bytes 20, and a zero byte
at the end. The first list of a record, with an empty first text, keeps its time.
"""

import re
from typing import NamedTuple

from eegcore.recording import Annotation

_ONSET = re.compile(rb"[+-]\d+(?:\.\d*)?")
_DURATION = re.compile(rb"\d+(?:\.\d*)?")


class RecordEvents(NamedTuple):
    """What the annotation bytes of one record say.

    Attributes
    ----------
    start_sec : float or None
        Time kept by the record; None: no timekeeping list.
    events : list of Annotation
        Without the empty texts.
    faults : list of str
        One line for each list that could not be read.
    """

    start_sec: float | None
    events: list[Annotation]
    faults: list[str]


def parse_tals(raw: bytes, *, timekeeping: bool = True) -> RecordEvents:
    """Read the annotation lists in the bytes of one record of one signal.

    Parameters
    ----------
    raw : bytes
    timekeeping : bool
        Whether the first list may keep the record's time (first annotation signal).

    Notes
    -----
    Texts are UTF-8; bytes that are not are taken as Latin-1. Empty texts are left
    out. A list with an onset or duration that is no number is a fault; the lists after
    it are read.
    """
    start_sec: float | None = None
    events: list[Annotation] = []
    faults: list[str] = []
    for position, tal in enumerate(raw.split(b"\x00")):
        if not tal:
            continue
        stamp, mark, rest = tal.partition(b"\x14")
        onset_bytes, has_duration, duration_bytes = stamp.partition(b"\x15")
        if (
            not mark
            or not _ONSET.fullmatch(onset_bytes)
            or (has_duration and not _DURATION.fullmatch(duration_bytes))
        ):
            faults.append(f"annotation with unreadable time {_shown(stamp)} left out")
            continue
        onset_sec = float(onset_bytes)
        if timekeeping and position == 0 and rest[:1] in (b"\x14", b""):
            start_sec = onset_sec
        duration_sec = float(duration_bytes) if has_duration else None
        events.extend(
            Annotation(onset_sec, duration_sec, decode_text(text))
            for text in rest.split(b"\x14")
            if text
        )
    return RecordEvents(start_sec, events, faults)


def record_start(raw: bytes) -> float | None:
    """Time kept by the first list of a record; None: there is none."""
    stamp, mark, rest = raw.partition(b"\x14")
    if not mark or rest[:1] != b"\x14" or not _ONSET.fullmatch(stamp):
        return None
    return float(stamp)


def decode_text(raw: bytes) -> str:
    """UTF-8 text, or Latin-1 where the bytes are no UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _shown(raw: bytes) -> str:
    """Damaged bytes, shortened and printable."""
    return ascii(raw[:24].decode("latin-1"))
