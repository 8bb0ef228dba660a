"""The two forms of CHB-MIT seizure annotations: summary text and `.seizures` bytes.

`chbNN-summary.txt` is written for people: line forms, spacing and clocks vary, files
may have no times at all. `NAME.edf.seizures` holds WFDB annotations (MIT format): two
bytes an annotation, little endian, type in the upper six bits and a time step in the
lower ten; `SKIP` carries a long step (high word first), `[` opens and `]` closes a
seizure, `AUX` carries text, here the ticks per second.

References
----------
G. B. Moody, WFDB Applications Guide, annot(5): MIT format.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from eegbench.errors import SourceError

_SKIP, _NUM, _SUB, _CHN, _AUX = 59, 60, 61, 62, 63
_SEIZURE_START, _SEIZURE_STOP = 32, 33
_TICKS_PER_SEC = 256.0
_DAY_SEC = 24 * 3600

_FILE = re.compile(r"file name:\s*(\S+)", re.IGNORECASE)
_CLOCK = re.compile(
    r"file (start|end) time:\s*(\d+):(\d+):(\d+(?:\.\d+)?)", re.IGNORECASE
)
_COUNT = re.compile(r"number of seizures in file:\s*(\d+)", re.IGNORECASE)
_SEIZURE = re.compile(
    r"seizure\s*\d*\s*(start|end) time:\s*(\d+(?:\.\d+)?)", re.IGNORECASE
)
_RATE = re.compile(r"data sampling rate:\s*(\d+(?:\.\d+)?)", re.IGNORECASE)
_CHANNELS = re.compile(r"channels (in edf files|changed)", re.IGNORECASE)
_CHANNEL = re.compile(r"channel\s+\d+:\s*(.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SummaryFile:
    """What a summary says about one recording; times in seconds from its start."""

    name: str
    duration_sec: float | None
    """End time minus start time; None without times."""
    seizures: tuple[tuple[float, float], ...]
    channels: tuple[str, ...]
    complete: bool
    """False if it announces another number of seizures than it lists."""


@dataclass(frozen=True, slots=True)
class Summary:
    """One summary text."""

    rate_hz: float | None
    files: tuple[SummaryFile, ...]
    warnings: tuple[str, ...]


class _Entry:
    """A file being read."""

    def __init__(self, name: str, channels: tuple[str, ...]) -> None:
        self.name = name
        self.channels = channels
        self.clock: dict[str, float] = {}
        self.announced: int | None = None
        self.times: dict[str, list[float]] = {"start": [], "end": []}

    def finished(self, warnings: list[str]) -> SummaryFile:
        starts, ends = self.times["start"], self.times["end"]
        pairs = tuple(zip(starts, ends, strict=False))
        seizures = tuple((start, end) for start, end in pairs if end > start)
        complete = len(starts) == len(ends) == len(seizures)
        if not complete:
            warnings.append(f"{self.name}: seizure times are not proper pairs")
        if self.announced is not None and self.announced != len(seizures):
            complete = False
            warnings.append(
                f"{self.name}: announces {self.announced} seizures, lists "
                f"{len(seizures)}"
            )
        return SummaryFile(
            self.name, self.duration_sec(), seizures, self.channels, complete
        )

    def duration_sec(self) -> float | None:
        if len(self.clock) < 2:
            return None
        return (self.clock["end"] - self.clock["start"]) % _DAY_SEC or None


def parse_summary(text: str) -> Summary:
    """Read a summary text.

    Both seizure line forms (`Seizure Start Time`, `Seizure 2 Start Time`), any
    spacing, clocks past 24:00 and past midnight, files without times, and a montage
    that changes on the way are understood. Warnings name files whose announced and
    listed seizures differ.
    """
    rate_hz: float | None = None
    warnings: list[str] = []
    entries: list[_Entry] = []
    channels: list[str] = []
    for line in text.splitlines():
        line = line.strip()
        if match := _FILE.match(line):
            entries.append(_Entry(match[1], tuple(channels)))
        elif match := _CHANNEL.match(line):
            channels.append(match[1].strip())
        elif _CHANNELS.match(line):
            channels = []
        elif match := _RATE.match(line):
            rate_hz = float(match[1])
        elif entries:
            _read_line(line, entries[-1], warnings)
    files = tuple(entry.finished(warnings) for entry in entries)
    seen: dict[str, SummaryFile] = {}
    for file in files:
        if file.name in seen:
            warnings.append(f"{file.name}: listed twice")
        seen.setdefault(file.name, file)
    return Summary(rate_hz, tuple(seen.values()), tuple(warnings))


def _read_line(line: str, entry: _Entry, warnings: list[str]) -> None:
    if match := _CLOCK.match(line):
        seconds = int(match[2]) * 3600 + int(match[3]) * 60 + float(match[4])
        entry.clock[match[1].lower()] = seconds
    elif match := _COUNT.match(line):
        entry.announced = int(match[1])
    elif match := _SEIZURE.match(line):
        entry.times[match[1].lower()].append(float(match[2]))
    elif line.lower().startswith("seizure"):
        warnings.append(f"{entry.name}: line not understood: {line[:60]!r}")


def parse_seizures(data: bytes, name: str) -> tuple[tuple[float, float], ...]:
    """Seizures in the bytes of a `.seizures` file, seconds from the file's start.

    A file that ends early, or opens a seizure without closing it, is an error.
    """
    ticks_per_sec, ticks, position = _TICKS_PER_SEC, 0, 0
    onset: float | None = None
    seizures: list[tuple[float, float]] = []
    while position + 2 <= len(data):
        word = int.from_bytes(data[position : position + 2], "little")
        position += 2
        kind, step = word >> 10, word & 0x3FF
        if word == 0:
            break
        if kind == _SKIP:
            high = data[position : position + 2]
            low = data[position + 2 : position + 4]
            ticks += int.from_bytes(low + high, "little", signed=True)
            position += 4
        elif kind == _AUX:
            note = data[position : position + step].decode("latin-1")
            position += step + step % 2
            if match := re.search(r"time resolution:\s*([\d.]+)", note):
                ticks_per_sec = float(match[1])
        elif kind not in (_NUM, _SUB, _CHN):
            ticks += step
            if kind == _SEIZURE_START and onset is None:
                onset = ticks / ticks_per_sec
            elif kind == _SEIZURE_STOP and onset is not None:
                seizures.append((onset, ticks / ticks_per_sec))
                onset = None
            elif kind in (_SEIZURE_START, _SEIZURE_STOP):
                raise SourceError(f"{name}: seizure marks do not alternate")
    else:
        raise SourceError(f"{name}: ends without its end mark")
    if onset is not None:
        raise SourceError(f"{name}: a seizure opens at {onset:g} s and is not closed")
    return tuple(seizures)


def read_summary(path: Path) -> Summary:
    """`parse_summary` of a file."""
    try:
        return parse_summary(path.read_text(encoding="latin-1"))
    except OSError as error:
        raise SourceError(f"cannot read {path.name}: {error}") from error


def read_seizures(path: Path) -> tuple[tuple[float, float], ...]:
    """`parse_seizures` of a file."""
    try:
        return parse_seizures(path.read_bytes(), path.name)
    except OSError as error:
        raise SourceError(f"cannot read {path.name}: {error}") from error
