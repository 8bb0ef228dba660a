"""A small byte-level writer of EDF and BDF files; it shares no code with the reader.

Every field takes text or raw bytes and is written as given, so that a test can make any
fault. Nothing is checked.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np


@dataclass(frozen=True)
class Signal:
    """One signal: header fields as text or bytes, and stored integers."""

    label: str | bytes = "EEG Cz"
    samples: Sequence[int] = ()
    per_record: int = 10
    unit: str | bytes = "uV"
    physical: tuple[str | bytes, str | bytes] = ("-3276.8", "3276.7")
    digital: tuple[str | bytes, str | bytes] = ("-32768", "32767")
    transducer: str | bytes = ""
    prefilter: str | bytes = ""
    reserved: str | bytes = ""

    def values(self) -> np.ndarray:
        """Physical values by the linear rule of the standard."""
        low, high = (float(x) for x in self.physical)
        dlow, dhigh = (float(x) for x in self.digital)
        stored = np.asarray(self.samples, dtype=np.float64)
        return low + (stored - dlow) * (high - low) / (dhigh - dlow)


@dataclass(frozen=True)
class Annotations:
    """An annotation signal: the bytes of its lists, one entry a record."""

    records: Sequence[bytes] = ()
    per_record: int = 30
    label: str | bytes = "EDF Annotations"


@dataclass(frozen=True)
class Edf:
    """A whole file. Numbers that are None are written as they should be."""

    signals: Sequence[Signal | Annotations] = ()
    version: bytes = b"0"
    patient: str | bytes = ""
    recording: str | bytes = ""
    date: str | bytes = "02.01.05"
    clock: str | bytes = "10.20.30"
    reserved: str | bytes = ""
    duration: str | bytes = "1"
    header_bytes: str | bytes | None = None
    n_records: str | bytes | None = None
    n_signals: str | bytes | None = None
    width: int = 2
    padding: bytes = b" "
    behind: bytes = b""
    between: bytes = field(default=b"", repr=False)  # between header and data

    def records(self) -> int:
        """Number of whole records that the signals fill."""
        counts = [
            len(s.records)
            if isinstance(s, Annotations)
            else len(s.samples) // max(s.per_record, 1)
            for s in self.signals
        ]
        return max(counts, default=0)

    def header(self) -> bytes:
        """Bytes of the header."""
        n = len(self.signals)
        plain = [
            Signal(s.label, (), s.per_record, "", ("-1", "1"), ("-32768", "32767"))
            if isinstance(s, Annotations)
            else s
            for s in self.signals
        ]

        def given(value: str | bytes | None, usual: int) -> str | bytes:
            return str(usual) if value is None else value

        fixed = [
            (self.version, 8),
            (self.patient, 80),
            (self.recording, 80),
            (self.date, 8),
            (self.clock, 8),
            (given(self.header_bytes, 256 * (n + 1) + len(self.between)), 8),
            (self.reserved, 44),
            (given(self.n_records, self.records()), 8),
            (self.duration, 8),
            (given(self.n_signals, n), 4),
        ]
        columns = [
            ([s.label for s in plain], 16),
            ([s.transducer for s in plain], 80),
            ([s.unit for s in plain], 8),
            ([s.physical[0] for s in plain], 8),
            ([s.physical[1] for s in plain], 8),
            ([s.digital[0] for s in plain], 8),
            ([s.digital[1] for s in plain], 8),
            ([s.prefilter for s in plain], 80),
            ([str(s.per_record) for s in plain], 8),
            ([s.reserved for s in plain], 32),
        ]
        fields = fixed + [(text, size) for texts, size in columns for text in texts]
        return b"".join(self._field(text, size) for text, size in fields)

    def _field(self, text: str | bytes, size: int) -> bytes:
        raw = text.encode("ascii") if isinstance(text, str) else text
        return raw[:size].ljust(size, self.padding)

    def data(self) -> bytes:
        """Bytes of all records."""
        parts = []
        for record in range(self.records()):
            for signal in self.signals:
                n = signal.per_record
                if isinstance(signal, Annotations):
                    lists = signal.records[record] if signal.records else b""
                    parts.append(lists[: n * self.width].ljust(n * self.width, b"\0"))
                else:
                    block = signal.samples[record * n : (record + 1) * n]
                    parts += [
                        int(v).to_bytes(self.width, "little", signed=True)
                        for v in block
                    ]
        return b"".join(parts)

    def to_bytes(self) -> bytes:
        """Bytes of the file."""
        return self.header() + self.between + self.data() + self.behind


def bdf(file: Edf) -> Edf:
    """Return the same file as BDF: 24 bits a sample."""
    return replace(file, version=b"\xffBIOSEMI", width=3)


def tal(onset: str, *texts: str | bytes, duration: str | None = None) -> bytes:
    """One annotation list; no text at all makes the list that keeps a record's time."""
    raw = onset.encode()
    if duration is not None:
        raw += b"\x15" + duration.encode()
    for text in texts or ("",):
        raw += b"\x14" + (text.encode() if isinstance(text, str) else text)
    return raw + b"\x14\0"
