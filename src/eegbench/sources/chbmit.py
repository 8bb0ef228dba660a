"""CHB-MIT Scalp EEG (PhysioNet chbmit 1.0.0): long recordings with seizure times.

What is annotated is learned from three places: `NAME.edf.seizures` beside the
recording, `chbNN-summary.txt`, and the list `RECORDS-WITH-SEIZURES`. A record that
none of them speaks of is left out, not taken for seizure-free; where they differ the
difference is told, and the `.seizures` file counts (it is what PhysioNet's checksums
cover and machines read).

References
----------
A. H. Shoeb, PhD thesis, MIT (2009); A. L. Goldberger et al., Circulation 101 (2000).
"""

import re
from dataclasses import dataclass
from pathlib import Path

from eegbench.errors import SourceError
from eegbench.sources.chbmit_annotations import (
    SummaryFile,
    read_seizures,
    read_summary,
)
from eegbench.sources.folders import walk_files

SAME_CHILD = {"chb21": "chb01"}
"""Case to the earlier case of the same child (recorded 1.5 years apart)."""

Intervals = tuple[tuple[float, float], ...]

_RECORD = r"(chb\d\d)[a-z]?_(\d+)\+?"


@dataclass(frozen=True, slots=True)
class SeizureRecord:
    """One recording and its seizures, seconds from its start."""

    name: str
    path: Path
    subject: str
    seizures: Intervals

    @property
    def child(self) -> str:
        """The child: two cases of one child have one value."""
        return SAME_CHILD.get(self.subject, self.subject)


@dataclass(frozen=True, slots=True)
class Annotations:
    """What the annotation files of a folder say, by record name."""

    seizures: dict[str, Intervals]
    origins: dict[str, str]
    """Record to the file that its seizures were taken from."""
    listed: frozenset[str]
    """Names in RECORDS."""
    listed_with_seizures: frozenset[str]
    """Names in RECORDS-WITH-SEIZURES."""
    problems: tuple[str, ...]


def record_name(text: str) -> str:
    """`chb01/chb01_03.edf` to `chb01_03`."""
    return text.strip().rsplit("/", maxsplit=1)[-1].removesuffix(".edf")


def subject_of(name: str) -> str | None:
    """Case of a record name (`chb17` of `chb17a_03`), None if it is no such name."""
    match = re.fullmatch(_RECORD, name)
    return None if match is None else match[1]


def read_annotations(folder: Path) -> Annotations:
    """All annotation files below a folder; contradictions are named, not raised."""
    problems: list[str] = []
    seizures: dict[str, Intervals] = {}
    origins: dict[str, str] = {}
    for path in walk_files(folder, r".*\.seizures"):
        name = record_name(path.name.removesuffix(".seizures"))
        try:
            seizures[name] = read_seizures(path)
            origins[name] = path.name
        except SourceError as error:
            problems.append(str(error))
    for path in walk_files(folder, r".*-summary\.txt"):
        try:
            summary = read_summary(path)
        except SourceError as error:
            problems.append(str(error))
            continue
        problems.extend(f"{path.name}: {warning}" for warning in summary.warnings)
        for file in summary.files:
            _take_summary(file, path.name, seizures, origins, problems)
    listed = _read_list(folder, "RECORDS")
    with_seizures = _read_list(folder, "RECORDS-WITH-SEIZURES")
    _take_lists(listed, with_seizures, seizures, origins, problems)
    return Annotations(
        seizures, origins, listed, with_seizures, tuple(dict.fromkeys(problems))
    )


def find_records(folder: Path, annotations: Annotations) -> list[SeizureRecord]:
    """Find recordings below `folder` that are annotated, by name.

    Files of other names (excerpts, copies) are none of the data set and passed by.
    """
    found: dict[str, SeizureRecord] = {}
    for path in walk_files(folder, _RECORD + r"\.edf"):
        name = record_name(path.name)
        subject = subject_of(name)
        if subject is not None and name in annotations.seizures:
            found.setdefault(
                name, SeizureRecord(name, path, subject, annotations.seizures[name])
            )
    return [found[name] for name in sorted(found)]


def unannotated(folder: Path, annotations: Annotations) -> list[str]:
    """Names of recordings that no annotation file speaks of."""
    names = {record_name(p.name) for p in walk_files(folder, _RECORD + r"\.edf")}
    return sorted(names - set(annotations.seizures))


def _take_summary(
    file: SummaryFile,
    source: str,
    seizures: dict[str, Intervals],
    origins: dict[str, str],
    problems: list[str],
) -> None:
    name = record_name(file.name)
    if name in seizures:
        if file.complete and seizures[name] != file.seizures:
            problems.append(
                f"{name}: {origins[name]} says {_shown(seizures[name])}, "
                f"{source} says {_shown(file.seizures)}; the first counts"
            )
    elif file.complete:
        seizures[name] = file.seizures
        origins[name] = source


def _take_lists(
    listed: frozenset[str],
    with_seizures: frozenset[str],
    seizures: dict[str, Intervals],
    origins: dict[str, str],
    problems: list[str],
) -> None:
    """Compare with the record lists; a record only listed as seizure-free is so."""
    if not with_seizures:
        return
    for name in sorted(seizures):
        if seizures[name] and name not in with_seizures:
            problems.append(
                f"{name}: seizures in {origins[name]}, absent from "
                f"RECORDS-WITH-SEIZURES"
            )
        if not seizures[name] and name in with_seizures:
            problems.append(
                f"{name}: no seizure in {origins[name]}, but in RECORDS-WITH-SEIZURES"
            )
    for name in sorted(listed - with_seizures):
        if name not in seizures:
            seizures[name] = ()
            origins[name] = "RECORDS-WITH-SEIZURES"
    without = sorted(with_seizures - set(seizures))
    if without:
        problems.append(
            f"{len(without)} records of RECORDS-WITH-SEIZURES without times: "
            f"{', '.join(without)}"
        )


def _read_list(folder: Path, name: str) -> frozenset[str]:
    for path in walk_files(folder, re.escape(name)):
        lines = path.read_text(encoding="latin-1").splitlines()
        return frozenset(record_name(line) for line in lines if line.strip())
    return frozenset()


def _shown(intervals: Intervals) -> str:
    return ", ".join(f"{a:g}-{b:g} s" for a, b in intervals) or "none"
