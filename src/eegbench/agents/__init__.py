"""The Agent protocol: what an agent is shown, and what it may reply.

An agent sees an `Observation` and gives a `Reply`, until the episode ends. Any object
with ``name``, ``start`` and ``reply`` is an agent; nothing is inherited. What an agent
knows of its instance is the `InstanceView`: never the instance's id, its file or a
reference.
"""

from typing import Literal, Protocol, runtime_checkable

import msgspec

from eegbench.records import JsonObject

Kind = Literal["prompt", "results", "repair", "answer_now"]


class ToolCall(msgspec.Struct, frozen=True):
    """One call of a tool."""

    name: str
    arguments: JsonObject = {}
    call_id: str | None = None
    """The provider's id of a native call; None: the text protocol."""


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What one reply cost, as the provider counts."""

    input_tokens: int = 0
    """All of the input, cached or not."""
    cached_input_tokens: int = 0
    """Those of the input that were read from the provider's cache."""
    output_tokens: int = 0


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent says in one turn.

    Either native (``tool_calls``, or ``answer``) or a text in the text protocol,
    which the episode parses. ``text`` beside a native call is kept as its thought.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    answer: JsonObject | None = None
    usage: Usage = Usage()


class InstanceView(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent may know of its instance."""

    task: str
    record_id: str
    """Opaque; the ``record_id`` of every tool call."""
    context: str
    question: str
    facts: JsonObject
    options: dict[str, str] | None
    answer_schema: JsonObject
    n_epochs: int | None
    duration_sec: float | None
    tools: tuple[str, ...]
    """Names of the tools; empty: the task has none."""
    max_tool_calls: int
    seed: int
    """For agents that draw at random; by run seed and instance, not by answer."""


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent is shown in one turn."""

    kind: Kind
    """``prompt``: the task. ``results``: answers to its calls. ``repair``: its reply
    could not be used, the text says why. ``answer_now``: no calls are left."""
    text: str
    """What a chat model would read."""
    view: InstanceView
    results: tuple[JsonObject, ...] = ()
    """The tools' answers to the calls of the last reply, in the order of the calls."""
    calls_left: int = 0

    @property
    def task(self) -> str:
        """Task of the instance."""
        return self.view.task

    @property
    def record_id(self) -> str:
        """Opaque id that the tools know the recording by."""
        return self.view.record_id

    @property
    def facts(self) -> JsonObject:
        """Recording facts of the prompt."""
        return self.view.facts

    @property
    def options(self) -> dict[str, str] | None:
        """Choices by letter; None: the task has none."""
        return self.view.options

    @property
    def answer_schema(self) -> JsonObject:
        """JSON schema of the final answer."""
        return self.view.answer_schema

    @property
    def n_epochs(self) -> int | None:
        """Epochs that a hypnogram must cover."""
        return self.view.n_epochs

    @property
    def duration_sec(self) -> float | None:
        """Length of the recording."""
        return self.view.duration_sec


@runtime_checkable
class Agent(Protocol):
    """Anything that replies to observations."""

    @property
    def name(self) -> str:
        """Name in predictions and tables."""

    def start(self, view: InstanceView) -> None:
        """Begin an instance: forget the one before."""

    def reply(self, observation: Observation) -> Reply:
        """Say what to do next."""
