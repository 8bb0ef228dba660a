"""A small set of all six tasks from simulated recordings with known truth.

Nothing in it is real, and every name says so. It shows that the whole path works and
how the results look; scores on it say nothing about scores on real recordings.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from eegbench.references import Reference
from eegbench.sources import medmcqa
from eegbench.suites.eegagent.build.long_tasks import night_instance, seizure_instance
from eegbench.suites.eegagent.build.place import (
    BuildReport,
    place_all,
    start_set,
    write_all,
)
from eegbench.suites.eegagent.build.pool import Candidate
from eegbench.suites.eegagent.build.short_tasks import (
    bonn_instance,
    cohort_instance,
    question_instance,
    segment_instance,
)
from eegbench.suites.eegagent.demo_questions import QUESTIONS
from eegbench.suites.eegagent.tasks import EPOCH_SEC, SUITE
from eegcore import simulate
from eegcore.formats import open_recording
from eegcore.simulate import Simulated

N_CLEAN = 10
SNR_LEVELS_DB = tuple(range(-7, 3))
N_BONN = 24
N_PEOPLE = 12
PERSON_SEC = 120.0
SEIZURES = (1, 0, 2, 0, 1, 0)
"""Seizures of each recording of T5."""
SEIZURE_SEC = 900.0
N_NIGHTS = 2
NIGHT_SEC = 4 * 3600.0


def build_demo(
    out: str | Path, *, seed: int = 1, talk: Callable[[str], None] | None = None
) -> BuildReport:
    """Build the simulated set; the same seed gives the same files.

    Parameters
    ----------
    out : path
        Folder of the set; an older set in it is replaced.
    seed : int
        Of the first recording of every task; the others follow on.
    """
    out = Path(out)
    start_set(out)
    report = BuildReport(set_path=out)
    placed: list[Candidate] = []
    for task, make in (
        ("T1", _questions),
        ("T2", _segments),
        ("T3", _bonn),
        ("T4", _people),
        ("T5", _seizures),
        ("T6", _nights),
    ):
        if talk is not None:
            talk(f"{task}: simulating")
        rows = make(out, seed)
        placed += place_all(rows, out, place="refer", checksums=True, report=report)
    report.problems.append("simulated: scores say nothing about real recordings")
    write_all(placed, report, suite=SUITE.name, condition="default", simulated=True)
    return report


def _identity(task: str, number: int) -> str:
    return f"simulated-{task}-{number:02d}"


def _questions(_out: Path, _seed: int) -> Iterator[Candidate]:
    for number, (text, options) in enumerate(QUESTIONS):
        identity = _identity("T1", number)
        question = medmcqa.Question(
            question_id=identity, question=text, options=options, correct=0
        )
        order = medmcqa.shuffled(question)
        shown = dict(zip(medmcqa.LETTERS, (options[i] for i in order), strict=True))
        right = medmcqa.LETTERS[order.index(0)]
        yield Candidate(
            name=identity,
            group="T1",
            instance=question_instance(
                identity, text, shown, "A question of our own.", simulated=True
            ),
            reference=Reference(
                instance_id=identity, task="T1", label=right, group=identity
            ),
        )


def _segments(out: Path, seed: int) -> Iterator[Candidate]:
    plan: list[tuple[str, int | None]] = [("clean", None)] * N_CLEAN
    plan += [(kind, snr) for kind in ("ocular", "muscle") for snr in SNR_LEVELS_DB]
    for number, (kind, snr_db) in enumerate(plan):
        identity = _identity("T2", number)
        made = simulate.artifact_epoch(seed + number, kind=kind, snr_db=snr_db)
        path = _path(out, "T2", identity, ".npy")
        np.save(path, made.data[0].astype(np.float32))
        extra = {"artifact": None if kind == "clean" else kind, "snr_db": snr_db}
        yield Candidate(
            name=identity,
            group=kind,
            instance=segment_instance(
                identity,
                n_samples=made.data.shape[1],
                rate_hz=made.rate_hz,
                simulated=True,
            ),
            reference=Reference(
                instance_id=identity,
                task="T2",
                label=kind,
                group=identity,
                extra=extra,
            ),
            source=path,
        )


def _bonn(out: Path, seed: int) -> Iterator[Candidate]:
    for number in range(N_BONN):
        label = ("normal", "epileptic")[number % 2]
        identity = _identity("T3", number)
        made = simulate.bonn_like(seed + number, label=label)
        path = _path(out, "T3", identity, ".txt")
        lines = "\n".join(str(round(value)) for value in made.data[0])
        path.write_text(f"{lines}\n", encoding="ascii")
        yield Candidate(
            name=identity,
            group=label,
            instance=bonn_instance(
                identity, n_samples=made.data.shape[1], simulated=True
            ),
            reference=Reference(
                instance_id=identity, task="T3", label=label, group=identity
            ),
            source=path,
        )


def _people(out: Path, seed: int) -> Iterator[Candidate]:
    for number in range(N_PEOPLE):
        label = SUITE.tasks["T4"].classes[number % 3]
        identity = _identity("T4", number)
        made = simulate.resting(seed + number, label=label, duration_sec=PERSON_SEC)
        path = _edf(made, _path(out, "T4", identity, ".edf"))
        facts = {
            "n_channels": len(made.channel_names),
            "channel_names": list(made.channel_names),
            "sampling_rate": made.rate_hz,
            "montage": "10-20",
        }
        yield Candidate(
            name=identity,
            group=label,
            instance=cohort_instance(
                identity,
                age=made.age,
                sex=made.sex,
                facts=facts,
                duration_sec=made.duration_sec,
                simulated=True,
            ),
            reference=Reference(
                instance_id=identity,
                task="T4",
                label=label,
                subject=identity,
                group=identity,
                duration_sec=made.duration_sec,
            ),
            source=path,
        )


def _seizures(out: Path, seed: int) -> Iterator[Candidate]:
    for number, n_seizures in enumerate(SEIZURES):
        identity = _identity("T5", number)
        made = simulate.seizure_recording(
            seed + number, duration_sec=SEIZURE_SEC, n_seizures=n_seizures
        )
        path = _edf(made, _path(out, "T5", identity, ".edf"))
        with open_recording(path) as recording:
            instance = seizure_instance(
                identity,
                recording,
                context="Simulated scalp EEG of epilepsy monitoring.",
                simulated=True,
            )
        # two recordings a subject, as scores are averaged over subjects
        subject = f"simulated-{number // 2}"
        yield Candidate(
            name=identity,
            group="seizure" if n_seizures else "free",
            instance=instance,
            reference=Reference(
                instance_id=identity,
                task="T5",
                events=_events(made),
                subject=subject,
                group=subject,
                duration_sec=made.duration_sec,
            ),
            source=path,
        )


def _nights(out: Path, seed: int) -> Iterator[Candidate]:
    for number in range(N_NIGHTS):
        identity = _identity("T6", number)
        made = simulate.night(seed + number, duration_sec=NIGHT_SEC)
        path = _edf(made, _path(out, "T6", identity, ".edf"))
        stages = [str(stage) for stage in _sequence(made, "stages")]
        with open_recording(path) as psg:
            instance = night_instance(
                identity,
                psg,
                n_epochs=len(stages),
                facts={"age": made.age, "sex": made.sex, "night": 1},
                context="A simulated night's polysomnogram.",
                simulated=True,
            )
        yield Candidate(
            name=identity,
            group="T6",
            instance=instance,
            reference=Reference(
                instance_id=identity,
                task="T6",
                stages=list(stages),
                subject=identity,
                group=identity,
                duration_sec=float(len(stages) * EPOCH_SEC),
            ),
            source=path,
        )


def _path(out: Path, task: str, identity: str, suffix: str) -> Path:
    path = out / "recordings" / task / f"{identity}{suffix}"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _edf(made: Simulated, path: Path) -> Path:
    return made.write_edf(path)


def _sequence(made: Simulated, key: str) -> tuple[object, ...]:
    value = made.truth[key]
    return value if isinstance(value, tuple) else ()


def _events(made: Simulated) -> list[tuple[float, float]]:
    return [
        (float(event[0]), float(event[1]))
        for event in _sequence(made, "events")
        if isinstance(event, tuple)
    ]
