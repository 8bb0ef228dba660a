"""Candidates of the tasks without long recordings: T1 to T4."""

from pathlib import Path

import numpy as np

from eegbench.errors import SourceError
from eegbench.instances import Instance
from eegbench.references import Reference
from eegbench.sources import bonn, ds004504, eegdenoisenet, medmcqa
from eegbench.suites.eegagent.build.pool import Candidate, Pool
from eegbench.suites.eegagent.tasks import SUITE

SNR_LEVELS_DB = tuple(range(-7, 3))
"""Levels of T2, -7 to +2."""
PER_LEVEL = 10
N_CLEAN = 100


def knowledge_pool(folder: Path) -> Pool:
    """T1: EEG questions of MedMCQA, options reshuffled."""
    pool = Pool(task="T1")
    paths = medmcqa.find_files(folder)
    if not paths:
        raise SourceError(f"{folder}: no train.json or dev.json")
    found = medmcqa.read_questions(paths)
    pool.problems += found.problems
    pool.problems.append(
        f"T1: {len(found.kept)} of {found.n_read} questions in "
        f"{', '.join(path.name for path in paths)} pass our EEG filter; the paper "
        "does not print its own"
    )
    for question in found.kept:
        if question.correct is None:
            pool.unreadable.append(f"{question.question_id}: no right option given")
        else:
            pool.candidates.append(_question(question))
    return pool


def _question(question: medmcqa.Question) -> Candidate:
    order = medmcqa.shuffled(question)
    options = {
        letter: question.options[index]
        for letter, index in zip(medmcqa.LETTERS, order, strict=True)
    }
    right = next(
        letter
        for letter, index in zip(medmcqa.LETTERS, order, strict=True)
        if index == question.correct
    )
    identity = f"T1-medmcqa-{question.question_id}"
    subject_name = question.subject_name or "medicine"
    return Candidate(
        name=question.question_id,
        group=question.reasons[0],
        instance=question_instance(
            identity, question.question, options, f"An examination in {subject_name}."
        ),
        reference=Reference(
            instance_id=identity,
            task="T1",
            label=right,
            group=question.question_id,
            extra={"reasons": list(question.reasons), "subject_name": subject_name},
        ),
    )


def question_instance(
    identity: str,
    question: str,
    options: dict[str, str],
    context: str,
    *,
    simulated: bool = False,
) -> Instance:
    """Instance of T1; the question itself is what is asked."""
    return Instance(
        instance_id=identity,
        task="T1",
        suite=SUITE.name,
        context=context,
        question=f"{question}\n\n{SUITE.tasks['T1'].question}",
        options=options,
        answer_schema=SUITE.tasks["T1"].answer_schema,
        simulated=simulated,
    )


def artifact_pool(folder: Path) -> Pool:
    """T2: clean segments, and segments with an artifact mixed in at ten levels.

    Every instance has an EEG segment of its own, so that no two share a source.
    """
    pool = Pool(task="T2")
    arrays = eegdenoisenet.load_segments(folder)
    n_mixed = len(SNR_LEVELS_DB) * PER_LEVEL
    eeg_rows = eegdenoisenet.drawn_rows(len(arrays.eeg), N_CLEAN + 2 * n_mixed, "EEG")
    for number in range(N_CLEAN):
        row = int(eeg_rows[number])
        pool.candidates.append(
            _segment(
                f"clean-{number:03d}",
                "clean",
                eegdenoisenet.segment(arrays.eeg, row),
                {"artifact": None, "snr_db": None, "eeg_row": row},
            )
        )
    for offset, label, array in (
        (N_CLEAN, "ocular", arrays.eog),
        (N_CLEAN + n_mixed, "muscle", arrays.emg),
    ):
        rows = eegdenoisenet.drawn_rows(len(array), n_mixed, label)
        for number in range(n_mixed):
            snr_db = SNR_LEVELS_DB[number // PER_LEVEL]
            eeg_row, row = int(eeg_rows[offset + number]), int(rows[number])
            mixture = eegdenoisenet.mixed(
                eegdenoisenet.segment(arrays.eeg, eeg_row),
                eegdenoisenet.segment(array, row),
                snr_db,
            )
            facts = {"artifact": label, "snr_db": snr_db}
            pool.candidates.append(
                _segment(
                    f"{label}-{snr_db:+d}dB-{number % PER_LEVEL}",
                    label,
                    mixture,
                    {**facts, "eeg_row": eeg_row, "artifact_row": row},
                )
            )
    return pool


def _segment(
    name: str,
    label: str,
    values_uv: np.ndarray[tuple[int], np.dtype[np.float64]],
    extra: dict[str, object],
) -> Candidate:
    identity = f"T2-eegdenoisenet-{name}"
    return Candidate(
        name=name,
        group=label,
        instance=segment_instance(identity, n_samples=values_uv.size),
        reference=Reference(
            instance_id=identity,
            task="T2",
            label=label,
            group=f"eeg-{extra['eeg_row']}",
            extra=extra,
        ),
        write=lambda path: np.save(path, values_uv.astype(np.float32)),
        file_name=f"{name}.npy",
    )


def segment_instance(
    identity: str,
    *,
    n_samples: int = eegdenoisenet.N_SAMPLES,
    rate_hz: float = eegdenoisenet.RATE_HZ,
    simulated: bool = False,
) -> Instance:
    """Instance of T2: one short channel."""
    duration_sec = round(n_samples / rate_hz, 6)
    return Instance(
        instance_id=identity,
        task="T2",
        suite=SUITE.name,
        context="A short stretch of one EEG channel, to be checked before it is used.",
        question=SUITE.tasks["T2"].question,
        facts={
            "sampling_rate": rate_hz,
            "n_channels": 1,
            "channel_names": [eegdenoisenet.CHANNEL],
            "n_samples": n_samples,
            "duration_sec": duration_sec,
        },
        answer_schema=SUITE.tasks["T2"].answer_schema,
        open_args={
            "rate_hz": rate_hz,
            "channel_names": [eegdenoisenet.CHANNEL],
            "unit": "uV",
        },
        duration_sec=duration_sec,
        simulated=simulated,
    )


def screening_pool(folder: Path) -> Pool:
    """T3: sets Z and O (normal) and S (epileptic) of Bonn; N and F are left out.

    A member of a zip is written into the set, its bytes unchanged: so every reader can
    open it by a plain path, its checksum is that of a file, and a set stays usable
    where the zip is not (300 members are 4.5 MB). A file of its own is referred to.
    """
    pool = Pool(task="T3")
    for segment in bonn.find_segments(folder):
        if segment.label is None:
            continue
        try:
            text = segment.text()
            values = bonn.parse_values(text, segment.name)
        except SourceError as error:
            pool.unreadable.append(str(error))
            continue
        if values.size != bonn.N_SAMPLES:
            pool.problems.append(
                f"{segment.name}: {values.size} samples, {bonn.N_SAMPLES} are usual"
            )
        pool.candidates.append(_bonn_candidate(segment, values.size))
    if not pool.candidates:
        raise SourceError(f"{folder}: no Bonn files Z, O, S, alone or in zips")
    return pool


def _bonn_candidate(segment: bonn.BonnSegment, n_samples: int) -> Candidate:
    identity = f"T3-bonn-{segment.name}"
    in_zip = segment.member is not None
    return Candidate(
        name=segment.name,
        group=segment.letter,
        instance=bonn_instance(identity, n_samples=n_samples),
        reference=Reference(
            instance_id=identity,
            task="T3",
            label=segment.label,
            group=segment.name,
            extra={"set": segment.set_letter, "letter": segment.letter},
        ),
        source=None if in_zip else segment.path,
        write=(lambda path: path.write_bytes(segment.text())) if in_zip else None,
        file_name=f"{segment.name}.txt",
    )


def bonn_instance(
    identity: str, *, n_samples: int = bonn.N_SAMPLES, simulated: bool = False
) -> Instance:
    """Instance of T3: one channel of 23.6 s."""
    duration_sec = round(n_samples / bonn.RATE_HZ, 6)
    return Instance(
        instance_id=identity,
        task="T3",
        suite=SUITE.name,
        context="A recording of one EEG channel, 23.6 s long, at 173.61 Hz.",
        question=SUITE.tasks["T3"].question,
        facts={
            "n_channels": 1,
            "channel_names": [bonn.CHANNEL],
            "sampling_rate": bonn.RATE_HZ,
            "n_samples": n_samples,
            "duration_sec": round(duration_sec, 2),
        },
        answer_schema=SUITE.tasks["T3"].answer_schema,
        open_args={
            "rate_hz": bonn.RATE_HZ,
            "channel_names": [bonn.CHANNEL],
            "unit": "uV",
        },
        duration_sec=duration_sec,
        simulated=simulated,
    )


def cohort_pool(folder: Path) -> Pool:
    """T4: everyone of ds004504 whose recording is there."""
    pool = Pool(task="T4")
    found = ds004504.read_participants(folder)
    pool.unreadable += found.problems
    pool.extra_counts["listed"] = len(found.participants)
    for person in found.participants:
        if person.path is None:
            continue
        identity = f"T4-ds004504-{person.participant_id}"
        sidecar = person.sidecar
        pool.candidates.append(
            Candidate(
                name=person.participant_id,
                group=person.label,
                instance=cohort_instance(
                    identity,
                    age=person.age,
                    sex=person.sex,
                    facts={
                        "n_channels": len(person.channel_names) or 19,
                        "channel_names": list(person.channel_names),
                        "sampling_rate": sidecar.sampling_frequency,
                        "montage": sidecar.eeg_placement_scheme,
                        "reference": sidecar.eeg_reference,
                    },
                    duration_sec=sidecar.recording_duration,
                ),
                reference=Reference(
                    instance_id=identity,
                    task="T4",
                    label=person.label,
                    subject=person.participant_id,
                    group=person.participant_id,
                    duration_sec=sidecar.recording_duration,
                ),
                source=person.path,
                file_name=person.path.name,
            )
        )
    return pool


def cohort_instance(
    identity: str,
    *,
    age: int | None,
    sex: str | None,
    facts: dict[str, object],
    duration_sec: float | None,
    simulated: bool = False,
) -> Instance:
    """Instance of T4: one person at rest."""
    person = {"age": age, "sex": sex, "duration_sec": duration_sec}
    return Instance(
        instance_id=identity,
        task="T4",
        suite=SUITE.name,
        context=(
            "A person at rest with eyes closed, recorded for a study that compares "
            "three cohorts. Age and sex are among the facts below."
        ),
        question=SUITE.tasks["T4"].question,
        facts={key: value for key, value in {**person, **facts}.items() if value},
        answer_schema=SUITE.tasks["T4"].answer_schema,
        duration_sec=duration_sec,
        simulated=simulated,
    )
