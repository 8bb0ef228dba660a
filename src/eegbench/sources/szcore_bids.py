"""BIDS-EEG folders with event tables in the style of SzCORE.

Beside `sub-..._eeg.edf` lies `sub-..._events.tsv` with `onset`, `duration` and
`eventType`; types that begin with `sz` are seizures (`sz`, `sz_foc_ia`, ...), `bckg`
says that there is none. Where a table has `trial_type` instead, that is taken.

References
----------
J. Dan et al., "SzCORE: Seizure Community Open-source Research Evaluation framework",
Epilepsia (2024); BIDS specification, EEG and task events.
"""

import csv
import re
from dataclasses import dataclass
from pathlib import Path

from eegbench.errors import SourceError
from eegbench.sources.folders import walk_files

_EEG = r"(sub-[A-Za-z0-9]+)_.*eeg\.(edf|bdf|set|vhdr|fif)"
_SEIZURE = re.compile(r"(sz|seizure)", re.IGNORECASE)
_NONE = ("", "n/a", "nan", "none")


@dataclass(frozen=True, slots=True)
class BidsRecord:
    """One recording with its seizures, seconds from its start."""

    name: str
    path: Path
    subject: str
    seizures: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class BidsRecords:
    """What a folder holds, and what was left out."""

    records: tuple[BidsRecord, ...]
    problems: tuple[str, ...]


def read_events(path: Path) -> tuple[tuple[float, float], ...]:
    """Read the seizures of an event table, sorted by onset.

    A seizure without a usable onset or with a negative duration is an error; one of
    duration 0 or `n/a` is an error too, for an instant cannot be detected.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise SourceError(f"cannot read {path.name}: {error.strerror}") from error
    reader = csv.DictReader(lines, delimiter="\t")
    fields = reader.fieldnames or []
    kind = next((name for name in ("eventType", "trial_type") if name in fields), None)
    if kind is None or "onset" not in fields or "duration" not in fields:
        raise SourceError(
            f"{path.name}: columns are {', '.join(fields)}; onset, duration and "
            "eventType are needed"
        )
    events = []
    for row in reader:
        if not _SEIZURE.match((row[kind] or "").strip()):
            continue
        where = f"{path.name}, line {reader.line_num}"
        onset_sec = _seconds(row["onset"], where)
        duration_sec = _seconds(row["duration"], where)
        if duration_sec <= 0 or onset_sec < 0:
            raise SourceError(
                f"{where}: a seizure from {onset_sec:g} s that lasts {duration_sec:g} s"
            )
        events.append((onset_sec, onset_sec + duration_sec))
    return tuple(sorted(events))


def find_records(folder: Path) -> BidsRecords:
    """Find the recordings with event tables below a folder, by name.

    A recording without a table is left out and named: no table is not the same as no
    seizure. Derivatives are not looked at.
    """
    records, problems = [], []
    for path in walk_files(folder, _EEG):
        if "derivatives" in path.relative_to(folder).parts:
            continue
        stem = re.sub(r"_eeg$", "", path.stem)
        table = path.with_name(f"{stem}_events.tsv")
        match = re.match(r"(sub-[A-Za-z0-9]+)_", path.name)
        if not table.is_file() or match is None:
            problems.append(f"{path.name}: no {table.name}; left out")
            continue
        try:
            events = read_events(table)
        except SourceError as error:
            problems.append(str(error))
            continue
        records.append(BidsRecord(stem, path, match[1], events))
    return BidsRecords(tuple(records), tuple(problems))


def _seconds(text: str | None, where: str) -> float:
    text = (text or "").strip()
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if text.lower() in _NONE or value != value:
        raise SourceError(f"{where}: time {text!r} of a seizure is no number")
    return value
