"""A run joined with its set: each instance with prediction, reference and score.

Holds what evaluation, analysis and reports all walk through; nothing is averaged here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from eegbench.errors import SetError
from eegbench.instances import Instance, SetFolder, read_set
from eegbench.predictions import (
    Prediction,
    RunInfo,
    coverage,
    read_predictions,
    read_run,
)
from eegbench.records import listing
from eegbench.references import Reference, read_references
from eegbench.scoring.event_records import EventRecord
from eegbench.scoring.hypnogram import NightScore
from eegbench.suites import Suite, suite

Outcome = Literal["right", "partly", "wrong", "failed", "missing"]
OUTCOMES: tuple[Outcome, ...] = ("right", "partly", "wrong", "failed", "missing")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredCase:
    """One instance of a run, judged.

    ``outcome`` is ``failed`` for a row that the harness or a provider spoiled and
    ``missing`` for one that was never run; neither has a score.
    """

    instance: Instance
    reference: Reference
    prediction: Prediction | None
    outcome: Outcome
    score: float | None = None
    """0 to 1: correctness (T1 to T4), F1 of the recording's events (T5; without any
    event on both sides 1), macro-F1 of the night (T6)."""
    values: dict[str, float | None]
    """Metrics of this one instance."""
    label: str | None = None
    """Answer as a class or letter; None: invalid, or another kind of task."""
    events: tuple[tuple[float, float], ...] | None = None
    record: EventRecord | None = None
    """The counts behind an events answer."""
    stages: tuple[str | None, ...] | None = None
    night: NightScore | None = None
    """The counts behind a hypnogram answer."""
    parse_failed: bool = False
    """No usable answer was found in the reply; told apart from an empty one."""
    warnings: tuple[str, ...] = ()

    @property
    def task(self) -> str:
        """Name of the task."""
        return self.instance.task

    @property
    def duration_sec(self) -> float | None:
        """Length of the recording, from the reference or the instance."""
        told = self.reference.duration_sec
        return self.instance.duration_sec if told is None else told


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedRun:
    """A run and its set, as read; not judged yet."""

    path: Path
    info: RunInfo
    suite: Suite
    set: SetFolder
    references: dict[str, Reference]
    predictions: dict[str, Prediction]
    missing: tuple[str, ...]
    strays: tuple[str, ...]
    duplicates: tuple[str, ...]
    notes: tuple[str, ...]
    """What was odd: a cut line, a set that changed since the run."""

    @property
    def name(self) -> str:
        """Name of the run: its folder."""
        return self.path.resolve().name

    def wanted(self) -> list[Instance]:
        """Return the instances to be judged: asked for, with a reference."""
        asked = asked_for(self.set, self.info)
        return [row for row in asked if row.instance_id in self.references]


def asked_for(instances: Iterable[Instance], info: RunInfo) -> list[Instance]:
    """Return the instances of the tasks and the subset that a run was told."""
    tasks = info.tasks
    part = None if info.subset is None else frozenset(info.subset.instance_ids)
    return [
        row
        for row in instances
        if (tasks is None or row.task in tasks)
        and (part is None or row.instance_id in part)
    ]


def load_run(run_path: str | Path, *, set_path: str | Path | None = None) -> LoadedRun:
    """Read a run with its set and references.

    Parameters
    ----------
    run_path : path
        Folder with ``run.json`` and ``predictions.jsonl``.
    set_path : path, optional
        Where the set lies now; default: where it lay when the run was made, also as
        seen from the run folder.

    Raises
    ------
    SetError
        Run, set or references are missing or malformed.
    """
    path = Path(run_path)
    info = read_run(path)
    folder = Path(set_path) if set_path is not None else _find_set(path, info)
    chosen = read_set(folder)
    references = read_references(folder)
    wanted = asked_for(chosen, info)
    predictions = read_predictions(path)
    missing, strays = coverage(predictions, [row.instance_id for row in wanted])
    notes = [*chosen.notes, *predictions.notes]
    unknown = [row.instance_id for row in wanted if row.instance_id not in references]
    if unknown:
        notes.append(
            f"{len(unknown)} instances have no reference and are left out: "
            f"{listing(unknown)}"
        )
    if chosen.checksum != info.set_checksum:
        notes.append(
            f"the set {folder} has changed since this run was made: checksum "
            f"{chosen.checksum[:12]}, then {info.set_checksum[:12]}"
        )
    return LoadedRun(
        path=path,
        info=info,
        suite=suite(info.suite),
        set=chosen,
        references=references,
        predictions={row.instance_id: row for row in predictions},
        missing=missing,
        strays=strays,
        duplicates=predictions.duplicates,
        notes=tuple(notes),
    )


def _find_set(run_path: Path, info: RunInfo) -> Path:
    told = Path(info.set_path)
    places = [told] if told.is_absolute() else [told, run_path / told]
    places += [run_path.parent / told.name, run_path.parent.parent / told.name]
    for place in places:
        if (place / "set.json").is_file():
            return place
    raise SetError(
        f"the set {told} of run {run_path} is not there; name its place with --set"
    )
