"""An agent's answer as timed events: what every export form is made of."""

from datetime import datetime
from typing import NamedTuple

from eegbench.errors import SetError
from eegbench.scored import ScoredCase
from eegcore.hypnogram import EPOCH_SEC, Codes, encode, runs

STAGE_TEXTS = ("W", "N1", "N2", "N3", "R")


class Event(NamedTuple):
    """Something that an answer says of a stretch of the recording."""

    onset_sec: float
    duration_sec: float
    text: str


class Answer(NamedTuple):
    """What an agent said of one recording."""

    name: str
    """File name stem: the instance's id in letters, digits and dashes."""
    agent: str
    task: str
    duration_sec: float
    start: datetime | None
    """When the recording began, where its header tells."""
    kind: str
    """seizures, stages or class."""
    events: tuple[Event, ...]
    stages: Codes | None
    simulated: bool


def answer_of(case: ScoredCase, *, start: datetime | None = None) -> Answer:
    """Return a case's answer as events.

    Raises
    ------
    SetError
        The case was never answered, or has no recording (T1).
    """
    identity = case.instance.instance_id
    if case.prediction is None or case.outcome in ("failed", "missing"):
        raise SetError(f"{identity} was not answered; there is nothing to export")
    if case.instance.recording is None:
        raise SetError(f"{identity} has no recording; T1 answers are not exported")
    stages: Codes | None = None
    duration = case.duration_sec or 0.0
    if case.stages is not None:
        stages = encode(case.stages)
        duration = EPOCH_SEC * stages.size
        kind, events = "stages", tuple(
            Event(
                run.start * EPOCH_SEC,
                (run.stop - run.start) * EPOCH_SEC,
                f"Sleep stage {STAGE_TEXTS[run.code]}" if run.code >= 0 else "?",
            )
            for run in runs(stages)
        )  # fmt: skip
    elif case.events is not None:
        kind = "seizures"
        events = tuple(
            Event(onset, offset - onset, "Seizure") for onset, offset in case.events
        )
    else:
        kind = "class"
        events = (Event(0.0, duration, case.label or "no valid answer"),)
    return Answer(
        name="".join(c if c.isalnum() or c == "-" else "-" for c in identity),
        agent=case.prediction.agent,
        task=case.task,
        duration_sec=duration,
        start=start,
        kind=kind,
        events=events,
        stages=stages,
        simulated=case.instance.simulated,
    )
