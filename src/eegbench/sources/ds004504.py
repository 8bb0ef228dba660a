"""OpenNeuro ds004504: resting EEG of Alzheimer, frontotemporal dementia and controls.

A BIDS folder: `participants.tsv` (Group A, F or C, Gender, Age) and, per subject,
`sub-NNN_task-eyesclosed_eeg.set` with a JSON and a channel table beside it. A clone
without its annexed content has pointers of some hundred bytes in place of signals:
those are told apart by their first bytes.

References
----------
A. Miltiadous et al., Data 8(6), 95 (2023).
"""

import csv
from dataclasses import dataclass
from pathlib import Path

import msgspec

from eegbench.errors import SourceError
from eegbench.sources.folders import walk_files

COHORTS = {"A": "AD", "F": "FTD", "C": "HC"}
"""Letter of `participants.tsv` to label."""

_MATLAB = (b"MATLAB 5.0", b"\x89HDF\r\n\x1a\n")


class Sidecar(msgspec.Struct, frozen=True, rename="pascal"):
    """What the JSON beside a recording says."""

    sampling_frequency: float | None = None
    recording_duration: float | None = None
    eeg_reference: str | None = msgspec.field(default=None, name="EEGReference")
    eeg_placement_scheme: str | None = msgspec.field(
        default=None, name="EEGPlacementScheme"
    )


@dataclass(frozen=True, slots=True)
class Participant:
    """One person: cohort, age, sex, and where the recording lies."""

    participant_id: str
    label: str
    age: int | None
    sex: str | None
    path: Path | None
    """The `.set` file; None where there is none, or a pointer without content."""
    sidecar: Sidecar
    channel_names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Participants:
    """Everyone in `participants.tsv` with a known cohort."""

    participants: tuple[Participant, ...]
    problems: tuple[str, ...]


def read_participants(folder: Path) -> Participants:
    """Read the participants and find their recordings, without opening these.

    Derivatives (the folder's preprocessed copies) are not looked at.
    """
    table = folder / "participants.tsv"
    if not table.is_file():
        table = next(walk_files(folder, r"participants\.tsv"), table)
    try:
        text = table.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SourceError(f"cannot read {table}: {error.strerror}") from error
    problems: list[str] = []
    found: list[Participant] = []
    missing: list[str] = []
    for row in csv.DictReader(text.splitlines(), delimiter="\t"):
        identity = row.get("participant_id") or ""
        label = COHORTS.get((row.get("Group") or "").strip())
        if not identity or label is None:
            problems.append(f"{identity or 'a row'}: group {row.get('Group')!r}")
            continue
        found.append(_participant(table.parent, row, identity, label, problems))
        if found[-1].path is None:
            missing.append(identity)
    if missing:
        problems.append(
            f"{len(missing)} participants without a signal file: {', '.join(missing)}"
        )
    return Participants(tuple(found), tuple(problems))


def is_matlab(path: Path) -> bool:
    """Tell whether a file begins as a MATLAB file does; a pointer does not."""
    with path.open("rb") as stream:
        return stream.read(16).startswith(_MATLAB)


def _participant(
    folder: Path,
    row: dict[str, str],
    identity: str,
    label: str,
    problems: list[str],
) -> Participant:
    eeg = folder / identity / "eeg"
    stem = f"{identity}_task-eyesclosed"
    path: Path | None = eeg / f"{stem}_eeg.set"
    try:
        if path is not None and not is_matlab(path):
            problems.append(f"{path.name}: a pointer or no EEGLAB file")
            path = None
    except OSError:
        path = None
    age = (row.get("Age") or "").strip()
    return Participant(
        participant_id=identity,
        label=label,
        age=int(float(age)) if age.replace(".", "", 1).isdigit() else None,
        sex=(row.get("Gender") or "").strip() or None,
        path=path,
        sidecar=_sidecar(eeg / f"{stem}_eeg.json", problems),
        channel_names=_channel_names(eeg / f"{stem}_channels.tsv"),
    )


def _sidecar(path: Path, problems: list[str]) -> Sidecar:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Sidecar)
    except OSError:
        return Sidecar()
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        problems.append(f"{path.name}: {error}")
        return Sidecar()


def _channel_names(path: Path) -> tuple[str, ...]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError:
        return ()
    rows = csv.DictReader(lines, delimiter="\t")
    return tuple(row["name"] for row in rows if row.get("type", "EEG") == "EEG")
