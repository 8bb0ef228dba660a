"""Candidates of the tasks with long recordings: T5 and T6.

Recordings are opened for their headers only; nothing loads a whole one.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from eegbench.instances import Instance
from eegbench.references import Reference
from eegbench.sources import chbmit, sleep_edfx
from eegbench.sources.chbmit_compare import compare, read_times_table
from eegbench.sources.folders import walk_files
from eegbench.suites.eegagent.build.pool import Candidate, Pool
from eegbench.suites.eegagent.tasks import EPOCH_SEC, SUITE
from eegbench.suites.eegagent.trim import Trim, trim_edges
from eegcore.crop import crop
from eegcore.errors import EegcoreError
from eegcore.formats import open_recording
from eegcore.recording import Recording

_CONTEXTS = {
    "SC": "A night's polysomnogram, recorded at home in a study of healthy ageing.",
    "ST": "A night's polysomnogram, recorded in a study of people who sleep badly.",
}


def seizure_pool(folder: Path) -> Pool:
    """T5: every annotated record of CHB-MIT, with seizures or without."""
    pool = Pool(task="T5")
    annotations = chbmit.read_annotations(folder)
    pool.problems += annotations.problems
    for table in walk_files(folder, r"seizure_times\.tsv"):
        times = read_times_table(table)
        known = {name: rows for name, rows in annotations.seizures.items() if rows}
        both = {name: times.get(name, ()) for name in known}
        pool.problems += compare({"annotations": known, table.name: both})
        pool.problems += compare({table.name: times}, annotations)
    records = chbmit.find_records(folder, annotations)
    there = {record.name for record in records}
    missing = sorted(annotations.listed - there)
    if missing:
        pool.unreadable.append(
            f"{len(missing)} records of RECORDS are not there: {', '.join(missing)}"
        )
    pool.problems += [
        f"{name}: no annotation speaks of it; left out"
        for name in chbmit.unannotated(folder, annotations)
    ]
    for record in records:
        try:
            with open_recording(record.path) as recording:
                pool.candidates.append(_seizure_candidate(record, recording))
                pool.problems += [
                    f"{record.name}: {warning}" for warning in recording.warnings
                ]
        except EegcoreError as error:
            pool.unreadable.append(f"{record.path.name}: {error}")
    return pool


def _seizure_candidate(record: chbmit.SeizureRecord, recording: Recording) -> Candidate:
    identity = f"T5-chbmit-{record.name}"
    return Candidate(
        name=record.name,
        group="seizure" if record.seizures else "free",
        instance=seizure_instance(
            identity, recording, context="Scalp EEG of a child in epilepsy monitoring."
        ),
        reference=Reference(
            instance_id=identity,
            task="T5",
            events=list(record.seizures),
            subject=record.subject,
            group=record.child,
            duration_sec=recording.duration_sec,
        ),
        source=record.path,
        file_name=record.path.name,
    )


def seizure_instance(
    identity: str,
    recording: Recording,
    *,
    context: str,
    suite: str = SUITE.name,
    simulated: bool = False,
) -> Instance:
    """Instance of T5: one long recording."""
    return Instance(
        instance_id=identity,
        task="T5",
        suite=suite,
        context=context,
        question=SUITE.tasks["T5"].question,
        facts={
            "duration_sec": round(recording.duration_sec, 3),
            "n_channels": len(recording.resolve(None)) or len(recording.channels),
            "montage": _montage(recording),
            "sampling_rate": _top_rate(recording),
        },
        answer_schema=SUITE.tasks["T5"].answer_schema,
        duration_sec=round(recording.duration_sec, 3),
        simulated=simulated,
    )


def _montage(recording: Recording) -> str:
    names = [recording.channels[index].label for index in recording.resolve(None)]
    pairs = sum("-" in name for name in names)
    return "bipolar" if 2 * pairs > len(names) else "referential"


def _top_rate(recording: Recording) -> float | None:
    return max((channel.rate_hz for channel in recording.channels), default=None)


def staging_pool(folder: Path, *, trim: bool = True) -> Pool:
    """T6: every night of Sleep-EDFx with its hypnogram, wake at the ends trimmed."""
    pool = Pool(task="T6", extra_counts={"epochs": 0, "wake": 0})
    found = sleep_edfx.find_nights(folder)
    pool.unreadable += found.problems
    for night in found.nights:
        try:
            with open_recording(night.psg_path) as psg:
                stages = night_stages(psg, night.hypnogram_path, pool.problems)
                pool.extra_counts["epochs"] += len(stages)
                pool.extra_counts["wake"] += stages.count("W")
                pool.candidates.append(_night_candidate(night, psg, stages, trim=trim))
        except EegcoreError as error:
            pool.unreadable.append(f"{night.psg_path.name}: {error}")
    return pool


def night_stages(
    psg: Recording, hypnogram_path: Path, problems: list[str]
) -> list[str | None]:
    """Stages of a recording's whole epochs, placed by the clocks of both files.

    Starts that differ by less than half a day shift the stages, and are told; a larger
    difference is one of dates and left alone.
    """
    with open_recording(hypnogram_path) as hypnogram:
        rows = list(hypnogram.annotations)
        if psg.start is not None and hypnogram.start is not None:
            late_sec = (hypnogram.start - psg.start).total_seconds()
            if 0 < abs(late_sec) < 12 * 3600:
                problems.append(
                    f"{hypnogram_path.name}: starts {late_sec:+g} s from its recording"
                )
                rows = [
                    row._replace(onset_sec=row.onset_sec + late_sec) for row in rows
                ]
    n_epochs = sleep_edfx.whole_epochs(psg.duration_sec)
    return sleep_edfx.stages_of(rows, n_epochs=n_epochs)


def _night_candidate(
    night: sleep_edfx.Night,
    psg: Recording,
    stages: list[str | None],
    *,
    trim: bool,
) -> Candidate:
    kept = Trim(0, len(stages), len(stages), "kept whole")
    if trim:
        kept = trim_edges(stages, record_sec=psg.record_duration_sec)
    identity = f"T6-sleepedfx-{night.name}"
    stages = stages[kept.start_epoch : kept.stop_epoch]
    source: Path | None = night.psg_path
    file_name, write = night.psg_path.name, None
    if kept.cut:
        file_name = f"{night.name}-{kept.start_epoch}-{kept.stop_epoch - 1}.edf"
        epochs = (kept.start_epoch, kept.stop_epoch - 1)
        write = partial(crop, night.psg_path, epochs=epochs)
        source = None
    return Candidate(
        name=night.name,
        group=night.study,
        instance=night_instance(
            identity,
            psg,
            n_epochs=len(stages),
            facts={"night": night.night, "study": sleep_edfx.SOURCE_NAMES[night.study]},
            context=_CONTEXTS[night.study],
        ),
        reference=Reference(
            instance_id=identity,
            task="T6",
            stages=list(stages),
            subject=night.subject,
            group=night.subject,
            duration_sec=float(len(stages) * EPOCH_SEC),
            extra={
                "study": night.study,
                "night": night.night,
                "start_epoch": kept.start_epoch,
                "n_epochs_source": kept.n_epochs,
                "trim": kept.case,
            },
        ),
        source=source,
        write=write,
        file_name=file_name,
    )


def night_instance(
    identity: str,
    psg: Recording,
    *,
    n_epochs: int,
    facts: dict[str, object],
    context: str,
    suite: str = SUITE.name,
    simulated: bool = False,
) -> Instance:
    """Instance of T6: one night."""
    person = {"age": psg.age, "sex": psg.sex}
    return Instance(
        instance_id=identity,
        task="T6",
        suite=suite,
        context=context,
        question=SUITE.tasks["T6"].question.format(
            n_epochs=n_epochs, last_epoch=n_epochs - 1
        ),
        facts={
            **{key: value for key, value in person.items() if value is not None},
            "n_channels": len(psg.channels),
            "channel_names": list(psg.names),
            "eeg_channels": [psg.names[index] for index in psg.resolve(None)],
            "sampling_rate": _top_rate(psg),
            "duration_sec": n_epochs * EPOCH_SEC,
            "epoch_sec": EPOCH_SEC,
            "n_epochs": n_epochs,
            **facts,
        },
        answer_schema=SUITE.tasks["T6"].answer_schema,
        n_epochs=n_epochs,
        duration_sec=float(n_epochs * EPOCH_SEC),
        simulated=simulated,
    )


def wake_share(stages: Sequence[str | None]) -> float:
    """Share of wake among scored epochs."""
    scored = [stage for stage in stages if stage is not None]
    return scored.count("W") / len(scored) if scored else 0.0
