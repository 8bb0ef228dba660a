"""Reference: what only the evaluator may see.

References lie in a folder of their own, ``SET/references/references.jsonl``, which
nothing on the side that runs agents opens.
"""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from eegbench.errors import SetError
from eegbench.records import JsonObject, index_unique, read_rows, write_rows


class Reference(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The right answer of one instance."""

    instance_id: str
    task: str
    label: str | None = None
    """Class (T2 to T4) or option letter (T1)."""
    events: list[tuple[float, float]] | None = None
    """Seizures as (onset, offset) in seconds from the start (T5)."""
    stages: list[str | None] | None = None
    """One stage per 30-s epoch; None: unscored (T6)."""
    subject: str | None = None
    group: str | None = None
    """What is independent of the other groups, for the bootstrap."""
    duration_sec: float | None = None
    extra: JsonObject = {}
    """What analyses group by: snr_db, artifact, ..."""


def references_path(set_path: str | Path) -> Path:
    """Return where a set keeps its references."""
    return Path(set_path) / "references" / "references.jsonl"


def read_references(set_path: str | Path) -> dict[str, Reference]:
    """Read a set's references by instance id.

    Raises
    ------
    SetError
        The file is missing or cut, a line does not decode, or an id stands there
        twice: a score against half of the references would look like a score.
    """
    path = references_path(set_path)
    rows, notes = read_rows(path, Reference)
    if notes:
        raise SetError(notes[0])
    return index_unique(path, rows, lambda row: row.instance_id)


def write_references(set_path: str | Path, references: Iterable[Reference]) -> None:
    """Write a set's references; SetError names doubled ids."""
    path, rows = references_path(set_path), list(references)
    index_unique(path, rows, lambda row: row.instance_id)
    write_rows(path, rows)
