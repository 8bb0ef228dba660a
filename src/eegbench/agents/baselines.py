"""Agents without a signal: what a score is measured against.

`ConstantAgent` always says the same, `RandomAgent` draws evenly, `IdOnlyAgent` reads
nothing but the opaque record id. The three share one way of turning choices into an
answer that fits the task's schema.

How each task is answered: an option or class is picked from those of the schema. Of
events (T5), a coin decides whether there are any; then one to four of 60 s lie evenly
over the recording, the constant has none. Every epoch of a night (T6) gets a stage of
its own, the constant is awake throughout; the shares are those of the hypnogram.
"""

import hashlib
import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

from eegbench.agents import InstanceView, Observation, Reply
from eegbench.answerschema import HYPNOGRAM
from eegbench.records import JsonObject

EVENT_SEC = 60.0
MOST_EVENTS = 4
AWAKE = "W"
STAGES = (AWAKE, "N1", "N2", "N3", "REM")


class Choice(Protocol):
    """How an agent picks."""

    def one_of(self, values: Sequence[str]) -> str:
        """Pick one of some values, in the order of the schema."""

    def onsets(self, latest_sec: float) -> list[float]:
        """Pick onsets of events."""

    def number(self) -> float:
        """Pick a number from 0 to 1."""


class _First:
    """The first of everything, and no events."""

    def one_of(self, values: Sequence[str]) -> str:
        return values[0]

    def onsets(self, latest_sec: float) -> list[float]:
        return []

    def number(self) -> float:
        return 0.0


class _Drawn:
    """Even draws from one generator."""

    def __init__(self, seed: int) -> None:
        self._generator = random.Random(seed)

    def one_of(self, values: Sequence[str]) -> str:
        return values[self._generator.randrange(len(values))]

    def onsets(self, latest_sec: float) -> list[float]:
        if self._generator.random() < 0.5:
            return []
        count = self._generator.randint(1, MOST_EVENTS)
        return [self._generator.uniform(0.0, latest_sec) for _ in range(count)]

    def number(self) -> float:
        return self._generator.random()


class _ById(_Drawn):
    """The place of an id among all ids decides between classes.

    If ids followed the order of the labels, as they do in the release, this would
    find them; what is no choice between classes is drawn by a hash of the id.
    """

    def __init__(self, record_id: str) -> None:
        digest = hashlib.blake2b(record_id.encode(), digest_size=8).digest()
        super().__init__(int.from_bytes(digest))
        number = record_id.rpartition("-")[2]
        try:
            self._place = int(number, 16) / 16 ** len(number)
        except ValueError:
            self._place = int.from_bytes(digest) / 2**64
        self._decided = False

    def one_of(self, values: Sequence[str]) -> str:
        if self._decided:
            return super().one_of(values)
        self._decided = True
        return values[int(self._place * len(values))]


class _Baseline(ABC):
    """An agent that answers at once."""

    name: str

    def start(self, view: InstanceView) -> None:  # noqa: B027 - nothing to begin
        """Begin an instance."""

    def reply(self, observation: Observation) -> Reply:
        """Answer."""
        return Reply(answer=answer_for(observation.view, self.choice(observation.view)))

    @abstractmethod
    def choice(self, view: InstanceView) -> Choice:
        """Say how to pick."""


class ConstantAgent(_Baseline):
    """Option A, the first class, no seizure, all wake."""

    name = "constant"

    def choice(self, view: InstanceView) -> Choice:
        """Take the first of everything."""
        return _First()


class RandomAgent(_Baseline):
    """Even draws, seeded by the run and the instance."""

    name = "random"

    def choice(self, view: InstanceView) -> Choice:
        """Draw by the view's seed."""
        return _Drawn(view.seed)


class IdOnlyAgent(_Baseline):
    """Answers from the record id alone; at chance unless the ids leak."""

    name = "id-only"

    def choice(self, view: InstanceView) -> Choice:
        """Take the place of the id, then draws by its hash."""
        return _ById(view.record_id)


def answer_for(view: InstanceView, choice: Choice) -> JsonObject:
    """Fill the required fields of a view's answer schema by a choice."""
    properties: JsonObject = view.answer_schema.get("properties", {})
    required = view.answer_schema.get("required", list(properties))
    answer: JsonObject = {}
    for field in required:
        if field == "action":
            continue
        schema = properties.get(field, {})
        if field == HYPNOGRAM:
            answer[field] = _hypnogram(view.n_epochs or 0, choice)
        elif field == "seizure_events":
            answer[field] = _events(view.duration_sec or 0.0, choice)
        elif field == "architecture":
            continue
        elif field == "answer" and view.options:
            answer[field] = choice.one_of(list(view.options))
        else:
            answer[field] = _value(schema, choice)
    if "architecture" in required:
        answer["architecture"] = _architecture(answer.get(HYPNOGRAM, []))
    return answer


def _value(schema: JsonObject, choice: Choice) -> object:
    """Return some value of a schema: a class by choice, else the emptiest."""
    if "enum" in schema:
        return choice.one_of(schema["enum"])
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        names = schema.get("required", [])
        inner = schema.get("properties", {})
        return {name: _value(inner.get(name, {}), choice) for name in names}
    if kind in ("number", "integer"):
        low, high = schema.get("minimum", 0), schema.get("maximum", 1)
        value = low + choice.number() * (high - low)
        return int(value) if kind == "integer" else value
    return {"array": [], "boolean": False, "null": None}.get(str(kind), "")


def _events(duration_sec: float, choice: Choice) -> list[JsonObject]:
    latest = max(0.0, duration_sec - EVENT_SEC)
    onsets = sorted(round(onset, 1) for onset in choice.onsets(latest))
    return [
        {"onset_sec": onset, "offset_sec": min(onset + EVENT_SEC, duration_sec)}
        for onset in onsets
    ]


def _hypnogram(n_epochs: int, choice: Choice) -> list[JsonObject]:
    segments: list[JsonObject] = []
    for epoch in range(n_epochs):
        stage = choice.one_of(STAGES)
        if segments and segments[-1]["stage"] == stage:
            segments[-1]["end_epoch"] = epoch
        else:
            segments.append({"start_epoch": epoch, "end_epoch": epoch, "stage": stage})
    return segments


def _architecture(segments: list[JsonObject]) -> JsonObject:
    """Return the shares of all epochs that the answer asks for."""
    counts = dict.fromkeys(STAGES, 0)
    for segment in segments:
        counts[segment["stage"]] += segment["end_epoch"] - segment["start_epoch"] + 1
    total = max(1, sum(counts.values()))
    asleep = sum(counts.values()) - counts[AWAKE]
    return {
        "REM_pct": round(counts["REM"] / total, 6),
        "N3_pct": round(counts["N3"] / total, 6),
        "sleep_efficiency": round(asleep / total, 6),
    }
