"""Recordings of your own into instances: seizures, nights, labelled files.

Three ways in, described in `docs/own-data.md`: a BIDS folder with event tables makes T5
instances, a table of recordings and hypnograms (or a folder of pairs) makes T6
instances, a table of recordings and labels makes a classification task.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from eegbench.errors import SetError, SourceError
from eegbench.instances import Instance
from eegbench.references import Reference
from eegbench.sources import sleep_edfx, szcore_bids
from eegbench.sources.folders import walk_files
from eegbench.sources.hypnogram_files import read_hypnogram
from eegbench.sources.tables import TableRow, read_table
from eegbench.suites import Task
from eegbench.suites.eegagent.build.long_tasks import night_instance, seizure_instance
from eegbench.suites.eegagent.build.place import (
    BuildReport,
    place_all,
    start_set,
    write_all,
)
from eegbench.suites.eegagent.build.pool import Candidate, Place
from eegbench.suites.eegagent.tasks import EPOCH_SEC, SUITE
from eegbench.suites.own import label_task
from eegcore.errors import EegcoreError
from eegcore.formats import open_recording
from eegcore.recording import Recording

OWN = "own"
KINDS = ("seizures", "nights", "labels")


def build_own(
    kind: str,
    path: str | Path,
    out: str | Path,
    *,
    label_column: str = "label",
    recording_column: str = "recording",
    codes: str | None = None,
    line_sec: float = 30.0,
    context: str | None = None,
    question: str | None = None,
    place: Place = "refer",
    checksums: bool = True,
    talk: Callable[[str], None] | None = None,
) -> BuildReport:
    """Build a set from recordings of your own.

    Parameters
    ----------
    kind : str
        `seizures`: `path` is a BIDS folder. `nights`: a folder of pairs or a table
        with the columns recording and hypnogram. `labels`: a table with the columns
        recording and label.
    path, out : path
        Source, and folder of the set.
    label_column, recording_column : str
        Other names of these columns.
    codes, line_sec : str or None, float
        How text hypnograms are to be read (`read_hypnogram`).
    context, question : str or None
        What the agent is told and asked, in place of the general words.
    place, checksums, talk
        As for `build`.
    """
    if kind not in KINDS:
        raise SetError(f"unknown kind {kind!r}; known: {', '.join(KINDS)}")
    path, out = Path(path), Path(out)
    report = BuildReport(set_path=out)
    if kind == "seizures":
        candidates = _seizures(path, report, context)
    elif kind == "nights":
        rows = _night_rows(path, recording_column, report)
        candidates = _nights(rows, report, context, codes=codes, line_sec=line_sec)
    else:
        rows = read_table(
            path, value_column=label_column, recording_column=recording_column
        )
        candidates = _labels(rows, report, context, question)
    if talk is not None:
        talk(f"{len(candidates)} recordings can be used")
    if candidates:
        start_set(out)
    placed = place_all(candidates, out, place=place, checksums=checksums, report=report)
    write_all(placed, report, suite=OWN, condition="default")
    return report


def _seizures(
    folder: Path, report: BuildReport, context: str | None
) -> list[Candidate]:
    found = szcore_bids.find_records(folder)
    report.unreadable += found.problems
    candidates = []
    for record in found.records:
        identity = f"T5-own-{record.name}"
        recording = _opened(record.path, {}, report)
        if recording is None:
            continue
        duration_sec = recording.duration_sec
        late = [event for event in record.seizures if event[1] > duration_sec + 1]
        if late:
            report.problems.append(
                f"{record.name}: {len(late)} seizures end after the recording "
                f"({duration_sec:g} s)"
            )
        candidates.append(
            Candidate(
                name=record.name,
                group="seizure" if record.seizures else "free",
                instance=seizure_instance(
                    identity,
                    recording,
                    context=context or "A long EEG recording.",
                    suite=OWN,
                ),
                reference=Reference(
                    instance_id=identity,
                    task="T5",
                    events=list(record.seizures),
                    subject=record.subject,
                    group=record.subject,
                    duration_sec=duration_sec,
                ),
                source=record.path,
                file_name=record.path.name,
            )
        )
        recording.close()
    return candidates


def _night_rows(
    path: Path, recording_column: str, report: BuildReport
) -> list[TableRow]:
    """Rows of a table, or pairs of a folder by the beginning of their names."""
    if path.is_file():
        rows = read_table(
            path, value_column="hypnogram", recording_column=recording_column
        )
        # a path in a table counts from the folder of the table
        return [
            replace(row, value=str((path.parent / row.value).absolute()))
            for row in rows
        ]
    rows = []
    hypnograms = list(walk_files(path, r".*(hypnogram|hypno|stages|scoring).*"))
    for recording in walk_files(path, r".*\.(edf|bdf|rec)"):
        if recording in hypnograms:
            continue
        stem = recording.stem.removesuffix("-PSG").removesuffix("_psg")
        mates = [h for h in hypnograms if h.name.startswith(stem)]
        # Sleep-EDF: the last letter of a hypnogram's stem names its scorer
        mates = mates or [h for h in hypnograms if h.name.startswith(stem[:-1])]
        if not mates:
            report.unreadable.append(f"{recording.name}: no hypnogram {stem}*")
            continue
        rows.append(TableRow(recording, str(mates[0].absolute()), None, None, None, {}))
    return rows


def _nights(
    rows: list[TableRow],
    report: BuildReport,
    context: str | None,
    *,
    codes: str | None,
    line_sec: float,
) -> list[Candidate]:
    candidates = []
    for row, name in zip(rows, unique_stems(rows), strict=True):
        psg = _opened(row.path, row.open_args, report)
        if psg is None:
            continue
        n_epochs = sleep_edfx.whole_epochs(psg.duration_sec)
        try:
            stages = read_hypnogram(
                Path(row.value),
                codes=codes,
                line_sec=line_sec,
                n_epochs=n_epochs,
            )
        except SourceError as error:
            report.unreadable.append(f"{row.path.name}: {error}")
            continue
        n_unscored = stages.count(None)
        if n_unscored:
            report.problems.append(
                f"{row.path.name}: {n_unscored} of {n_epochs} epochs are unscored"
            )
        identity = f"T6-own-{name}"
        subject = row.subject or name
        facts = {"age": row.age, "sex": row.sex}
        candidates.append(
            Candidate(
                name=name,
                group="night",
                instance=_with_open_args(
                    night_instance(
                        identity,
                        psg,
                        n_epochs=n_epochs,
                        facts={k: v for k, v in facts.items() if v is not None},
                        context=context or "A sleep recording.",
                        suite=OWN,
                    ),
                    row,
                ),
                reference=Reference(
                    instance_id=identity,
                    task="T6",
                    stages=list(stages),
                    subject=subject,
                    group=subject,
                    duration_sec=float(n_epochs * EPOCH_SEC),
                ),
                source=row.path,
                file_name=f"{name}{row.path.suffix}",
            )
        )
        psg.close()
    return candidates


def unique_stems(rows: Sequence[TableRow]) -> list[str]:
    """File names without suffix, with the folder before those that occur twice."""
    counts = Counter(row.path.stem for row in rows)
    names = []
    for number, row in enumerate(rows):
        name = row.path.stem
        if counts[name] > 1:
            name = f"{row.path.parent.name}-{name}"
        names.append(f"{name}-{number}" if name in names else name)
    return names


def task_for(classes: tuple[str, ...]) -> Task:
    """T3 or T4 where the labels are theirs, else a task with these classes."""
    for name in ("T3", "T4"):
        if set(classes) <= set(SUITE.tasks[name].classes):
            return SUITE.tasks[name]
    return label_task(classes)


def _labels(
    rows: list[TableRow],
    report: BuildReport,
    context: str | None,
    question: str | None,
) -> list[Candidate]:
    classes = tuple(sorted({row.value for row in rows}))
    if len(classes) < 2:
        raise SetError(f"only one class in the table: {', '.join(classes)}")
    task = task_for(classes)
    candidates = []
    for row, name in zip(rows, unique_stems(rows), strict=True):
        recording = _opened(row.path, row.open_args, report)
        if recording is None:
            continue
        identity = f"{task.name}-own-{name}"
        instance = label_instance(
            identity, task, recording, context=context, question=question
        )
        subject = row.subject or name
        candidates.append(
            Candidate(
                name=name,
                group=row.value,
                instance=_with_open_args(instance, row),
                reference=Reference(
                    instance_id=identity,
                    task=task.name,
                    label=row.value,
                    subject=row.subject,
                    group=subject,
                    duration_sec=recording.duration_sec,
                ),
                source=row.path,
                file_name=f"{name}{row.path.suffix}",
            )
        )
        recording.close()
    return candidates


def label_instance(
    identity: str,
    task: Task,
    recording: Recording,
    *,
    context: str | None = None,
    question: str | None = None,
) -> Instance:
    """Instance of a labelled recording."""
    return Instance(
        instance_id=identity,
        task=task.name,
        suite=OWN,
        context=context or "An EEG recording.",
        question=question or task.question,
        facts={
            "n_channels": len(recording.channels),
            "channel_names": list(recording.names),
            "sampling_rate": max((c.rate_hz for c in recording.channels), default=None),
            "duration_sec": round(recording.duration_sec, 3),
        },
        answer_schema=task.answer_schema,
        duration_sec=round(recording.duration_sec, 3),
    )


def _opened(
    path: Path, open_args: dict[str, object], report: BuildReport
) -> Recording | None:
    try:
        return open_recording(path, **open_args)  # type: ignore[arg-type] # as in table
    except EegcoreError as error:
        report.unreadable.append(f"{path.name}: {error}")
        return None


def _with_open_args(instance: Instance, row: TableRow) -> Instance:
    return msgspec.structs.replace(instance, open_args=dict(row.open_args))
