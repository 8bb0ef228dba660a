"""One instance, one agent: turns, limits, transcript; no input or output.

`Episode` is a state machine. ``start`` gives the first observation; ``accept`` takes a
reply and says what follows: tool calls to be carried out (`PendingCalls`), another
observation, or the `Outcome`. ``deliver`` takes the tools' answers. ``step`` does both
for callers that have the tools at hand.

Why an episode ended (``Outcome.ended``):

=================  ==================================================================
answer             a valid final answer
invalid_answer     an answer that broke its schema after the last repair, taken as is
no_answer          no answer could be read after the last repair: empty, scored
turns_used_up      no turn was left: empty, scored
=================  ==================================================================

A reply that calls a tool where none is left, or where the task has none, is repaired
like one that cannot be parsed. Failures (``crash``, ``timeout``, ``provider``,
``harness``) are ended from outside by ``abandon``.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
import orjson

from eegbench.agents import InstanceView, Kind, Observation, Reply, ToolCall
from eegbench.answerschema import check_schema, problems
from eegbench.config import Limits
from eegbench.errors import HarnessError
from eegbench.instances import Instance
from eegbench.prompts import (
    calls_left_note,
    json_text,
    prompt_text,
    repair_text,
    results_text,
)
from eegbench.records import JsonObject, plain_json, plain_text
from eegbench.replies import parse_reply
from eegbench.toolcalls import FAULT_CODES, ToolAnswer, Tools, timed_answer, told_once

UNSUITED = (TypeError, ValueError, OverflowError, RecursionError)


class _Read(NamedTuple):
    """What a reply asks for; with faults it is not carried out."""

    calls: tuple[ToolCall, ...] = ()
    answer: JsonObject | None = None
    thought: str = ""
    notes: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class PendingCalls:
    """Tool calls that wait for their answers."""

    calls: tuple[ToolCall, ...]


@dataclass(frozen=True)
class Outcome:
    """How an episode ended."""

    ended: str
    answer: JsonObject | None
    answer_text: str | None
    error: str | None
    n_turns: int
    n_tool_calls: int
    n_repairs: int
    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    shown_tokens: int
    seconds: dict[str, float]


class Episode:
    """One instance as a dialogue with one agent.

    Parameters
    ----------
    instance : Instance
        The question; its id never reaches the agent.
    record_id : str
        Opaque id that the tools know the recording by.
    tools : Tools or None
        None: the task has no tools.
    limits : Limits, optional
        Turns, calls and repairs.
    seed : int, optional
        Handed to agents that draw at random.
    native : bool, optional
        Leave the tools out of the prompt: the model gets them by function calling.
    clock : callable, optional
        Seconds, for latencies.

    Attributes
    ----------
    events : list of dict
        The transcript so far: every text shown, reply, call and answer.
    """

    def __init__(
        self,
        instance: Instance,
        record_id: str,
        *,
        tools: Tools | None,
        limits: Limits | None = None,
        seed: int = 0,
        native: bool = False,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        check_schema(instance.answer_schema)
        self.limits = limits or Limits()
        self.events: list[JsonObject] = []
        self.n_turns = self.n_tool_calls = self.n_repairs = 0
        self.input_tokens = self.cached_input_tokens = self.output_tokens = 0
        self._tools, self._native, self._clock = tools, native, clock
        self._repairs_in_row = self._shown_characters = 0
        self._seconds = {"agent": 0.0, "queue": 0.0, "compute": 0.0, "encode": 0.0}
        self._asked_at = clock()
        self._pending: tuple[ToolCall, ...] = ()
        self._dropped: tuple[ToolCall, ...] = ()
        self._answer: JsonObject | None = None
        self._answer_text: str | None = None
        self._error: str | None = None
        self.view = InstanceView(
            task=instance.task,
            record_id=record_id,
            context=instance.context,
            question=instance.question,
            facts=instance.facts,
            options=instance.options,
            answer_schema=instance.answer_schema,
            n_epochs=instance.n_epochs,
            duration_sec=instance.duration_sec,
            tools=() if tools is None else tuple(tools.names),
            max_tool_calls=0 if tools is None else self.limits.max_tool_calls,
            seed=seed,
        )

    def start(self) -> Observation:
        """Show the task."""
        specs, rule = told_once(self._tools.schemas("anthropic") if self._tools else ())
        text = prompt_text(
            self.view,
            specs,
            calls_per_turn=self.limits.max_calls_per_turn,
            native=self._native,
            answers_rule=rule,
        )
        self._log("shown", kind="prompt", text=text)
        return self._show("prompt", text)

    def step(self, reply: Reply) -> Observation | Outcome:
        """Take a reply, carry out its tool calls, say what follows."""
        following = self.accept(reply)
        if isinstance(following, PendingCalls):
            return self.deliver([self._call(call) for call in following.calls])
        return following

    def accept(self, reply: Reply) -> PendingCalls | Observation | Outcome:
        """Take a reply; tool calls are handed back to be carried out."""
        self.n_turns += 1
        self.input_tokens += reply.usage.input_tokens
        self.cached_input_tokens += reply.usage.cached_input_tokens
        self.output_tokens += reply.usage.output_tokens
        agent_sec = self._clock() - self._asked_at
        self._seconds["agent"] += agent_sec
        calls, answer, thought, notes, faults = self._read(reply)
        self._log(
            "reply",
            native=bool(reply.tool_calls) or reply.answer is not None,
            text=plain_text(reply.text) or None,
            thought=thought or None,
            tool_calls=[{"name": c.name, "arguments": c.arguments} for c in calls],
            answer=answer,
            notes=list(notes),
            agent_sec=round(agent_sec, 6),
            input_tokens=reply.usage.input_tokens,
            output_tokens=reply.usage.output_tokens,
        )
        if calls and not faults:
            self._repairs_in_row = 0
            if self.n_turns >= self.limits.max_turns:
                return self._end("turns_used_up")
            self._pending = calls[: min(self._per_turn(), self.calls_left)]
            self._dropped = calls[len(self._pending) :]
            return PendingCalls(self._pending)
        if not faults:
            self._answer, self._error = answer, None
            return self._end("answer")
        self._error = "; ".join(faults)
        if self._repairs_in_row >= self.limits.max_repairs:
            self._answer = answer
            return self._end("no_answer" if answer is None else "invalid_answer")
        if self.n_turns >= self.limits.max_turns:
            return self._end("turns_used_up")
        self._repairs_in_row += 1
        self.n_repairs += 1
        text = repair_text(faults, self.view.answer_schema)
        self._log("shown", kind="repair", text=text)
        return self._show("repair", text)

    def deliver(self, answers: Sequence[ToolAnswer]) -> Observation:
        """Show the tools' answers to the calls that ``accept`` handed back.

        Raises
        ------
        HarnessError
            A tool says that the fault is not the agent's: the recording became
            unreadable, or the tool itself failed.
        """
        if len(answers) != len(self._pending):
            raise ValueError(
                f"{len(answers)} tool answers for {len(self._pending)} calls; "
                "each call needs one"
            )
        calls = self._pending + self._dropped
        every = [*answers, *(self._refused() for _ in self._dropped)]
        self.n_tool_calls += len(answers)
        self._pending = self._dropped = ()
        for answer in answers:
            self._seconds["queue"] += answer.queue_sec
            self._seconds["compute"] += answer.compute_sec
            self._seconds["encode"] += answer.encode_sec
        note = calls_left_note(self.calls_left)
        kind: Kind = "results" if self.calls_left else "answer_now"
        self._log(
            "tools",
            kind=kind,
            calls=[
                {
                    "name": call.name,
                    "arguments": call.arguments,
                    "answer": msgspec.Raw(answer.body),
                    "queue_sec": round(answer.queue_sec, 6),
                    "compute_sec": round(answer.compute_sec, 6),
                    "encode_sec": round(answer.encode_sec, 6),
                }
                for call, answer in zip(calls, every, strict=True)
            ],
            note=note,
        )
        bodies = [answer.body for answer in every]
        results: tuple[JsonObject, ...] = tuple(map(orjson.loads, bodies))
        for call, result in zip(calls, results, strict=True):
            if result.get("code") in FAULT_CODES:
                raise HarnessError(f"tool {call.name}: {result.get('error')}")
        return self._show(kind, results_text(calls, bodies, note), results)

    def abandon(self, ended: str, error: str) -> Outcome:
        """End the episode for a failure that is not the agent's answer."""
        self._answer = self._answer_text = None
        self._error = error
        return self._end(ended)

    @property
    def calls_left(self) -> int:
        """Tool calls that the agent still has."""
        return self.view.max_tool_calls - self.n_tool_calls

    def _per_turn(self) -> int:
        return self.limits.max_calls_per_turn

    def _read(self, reply: Reply) -> _Read:
        """Say what a reply asks for, and what is wrong with it."""
        calls, given = reply.tool_calls, reply.answer
        text = thought = plain_text(reply.text)
        notes: tuple[str, ...] = ()
        self._answer_text = text or None
        if not calls and given is None:
            parsed = parse_reply(text)
            thought, notes = plain_text(parsed.thought), parsed.notes
            if not parsed.tool_calls and parsed.answer is None:
                fault = parsed.error or "no tool call and no final answer was found"
                return _Read(thought=thought, notes=notes, faults=(fault,))
            calls = tuple(
                ToolCall(c.name, dict(c.arguments)) for c in parsed.tool_calls
            )
            given = parsed.answer
        try:
            if calls:
                calls = tuple(
                    ToolCall(plain_text(c.name), plain_json(c.arguments), c.call_id)
                    for c in calls
                )
                return _Read(calls, None, thought, notes, self._call_faults())
            faults = problems(
                self._bare(given or {}),
                self.view.answer_schema,
                n_epochs=self.view.n_epochs,
            )
            answer: JsonObject = plain_json(given)
        except UNSUITED:
            fault = "the reply holds values that are no JSON"
            return _Read(thought=thought, notes=notes, faults=(fault,))
        if reply.answer is not None:
            self._answer_text = json_text({"action": "final_answer", **answer})
        return _Read((), self._bare(answer), thought, notes, faults)

    def _bare(self, answer: JsonObject) -> JsonObject:
        """Leave out the protocol's own word, unless the schema asks for it."""
        if "action" in self.view.answer_schema.get("properties", {}):
            return {"action": "final_answer", **answer}
        return {key: value for key, value in answer.items() if key != "action"}

    def _call_faults(self) -> tuple[str, ...]:
        if self._tools is None:
            return ("this task has no tools; give the final answer",)
        if self.calls_left == 0:
            return ("no tool calls are left; give the final answer",)
        return ()

    def _call(self, call: ToolCall) -> ToolAnswer:
        if self._tools is None:
            raise ValueError("no tools; an episode without tools has no calls")
        return timed_answer(self._tools, call, clock=self._clock)

    def _refused(self) -> ToolAnswer:
        return ToolAnswer(
            msgspec.json.encode(
                {
                    "record_id": self.view.record_id,
                    "error": f"not called; at most {self._per_turn()} calls a turn",
                    "code": "too_many_calls",
                }
            )
        )

    def _show(
        self, kind: Kind, text: str, results: tuple[JsonObject, ...] = ()
    ) -> Observation:
        self._shown_characters += len(text)
        self._asked_at = self._clock()
        return Observation(
            kind=kind,
            text=text,
            view=self.view,
            results=results,
            calls_left=self.calls_left,
        )

    def _log(self, event: str, **values: object) -> None:
        self.events.append({"event": event, "turn": self.n_turns, **values})

    def _end(self, ended: str) -> Outcome:
        if ended == "turns_used_up":
            self._answer = self._answer_text = None
        self._log("end", ended=ended, answer=self._answer, error=self._error)
        return Outcome(
            ended=ended,
            answer=self._answer,
            answer_text=self._answer_text,
            error=self._error,
            n_turns=self.n_turns,
            n_tool_calls=self.n_tool_calls,
            n_repairs=self.n_repairs,
            input_tokens=self.input_tokens,
            cached_input_tokens=self.cached_input_tokens,
            output_tokens=self.output_tokens,
            shown_tokens=self._shown_characters // 4,
            seconds=dict(self._seconds),
        )
