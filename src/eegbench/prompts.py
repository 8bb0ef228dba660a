"""What a chat model reads: the text of every observation, as a pure function.

The same instance, record id and tools give the same bytes.
"""

from collections.abc import Iterable, Sequence

import msgspec
import orjson

from eegbench.agents import InstanceView, ToolCall
from eegbench.records import JsonObject

_HOW_TO_CALL = (
    "To measure, reply with one JSON object, or a JSON array of up to {most}, of the "
    'form {{"action": "tool_call", "tool_name": "<name>", "arguments": {{...}}}}. '
    "You have {calls} calls; an answer above the output budget is refused before it "
    "is computed."
)
_HOW_TO_CALL_NATIVE = (
    "To measure, call up to {most} tools a turn. You have {calls} calls; an answer "
    "above the output budget is refused before it is computed."
)
_HOW_TO_ANSWER = (
    'Finish with one JSON object: "action" is "final_answer", the other fields follow '
    "this JSON schema. Nothing outside of the object is scored."
)


def prompt_text(
    view: InstanceView,
    tool_specs: Sequence[JsonObject],
    *,
    calls_per_turn: int,
    native: bool = False,
    answers_rule: str = "",
) -> str:
    """Render task, recording facts, question, output contract and tools.

    Parameters
    ----------
    view : InstanceView
        What the agent may know.
    tool_specs : sequence of mapping
        Specification of each tool; empty: the task has none.
    calls_per_turn : int
        Calls that one reply may hold.
    native : bool
        The model gets the tools through its own function calling, so that they are
        left out of the text.
    answers_rule : str
        How the answers of all tools are read, where that is not plain.
    """
    parts: list[str] = []
    if view.context:
        parts += ["## Task", view.context]
    if view.tools:
        parts += ["## Recording", _fact_lines(view)]
    parts += ["## Question", view.question]
    if view.options:
        options = "\n".join(f"{key}. {text}" for key, text in view.options.items())
        parts += ["## Options", options]
    if view.tools:
        how = _HOW_TO_CALL_NATIVE if native else _HOW_TO_CALL
        parts += [
            "## Tools",
            how.format(most=calls_per_turn, calls=view.max_tool_calls),
            *([answers_rule] if answers_rule else ()),
        ]
        if not native:
            parts.append("\n".join(json_text(spec) for spec in tool_specs))
    parts += ["## Answer", _HOW_TO_ANSWER, json_text(view.answer_schema)]
    return "\n\n".join(parts) + "\n"


def _fact_lines(view: InstanceView) -> str:
    lines = [f"- record_id: {json_text(view.record_id)}"]
    lines += [f"- {key}: {json_text(value)}" for key, value in view.facts.items()]
    return "\n".join(lines)


def results_text(
    calls: Iterable[ToolCall], bodies: Iterable[bytes], note: str = ""
) -> str:
    """Render the answers to the calls of one turn, in their order."""
    parts = [
        f"[{number}] {call.name}\n{body.decode('utf-8')}"
        for number, (call, body) in enumerate(zip(calls, bodies, strict=True), start=1)
    ]
    return "\n".join([*parts, note] if note else parts)


def shown_text(event: JsonObject) -> str | None:
    """Return the text that an agent read at an event of a transcript, if it read one.

    The answers of tools are stored once, as JSON; canonical JSON is encoded again to
    the bytes that were shown.
    """
    if event["event"] == "shown":
        return str(event["text"])
    if event["event"] != "tools":
        return None
    calls = [ToolCall(call["name"], call["arguments"]) for call in event["calls"]]
    bodies = [orjson.dumps(call["answer"]) for call in event["calls"]]
    return results_text(calls, bodies, event["note"])


def calls_left_note(n_left: int) -> str:
    """Tell how many calls are left, once that matters."""
    if n_left == 0:
        return "No tool calls are left. Give your final answer now."
    return f"{n_left} tool calls are left." if n_left < 10 else ""


def repair_text(problems: Iterable[str], answer_schema: JsonObject) -> str:
    """Say what was wrong with a reply and what is wanted."""
    lines = "\n".join(f"- {problem}" for problem in problems)
    return (
        f"Your reply could not be used:\n{lines}\n"
        f"Reply with one JSON object. {_HOW_TO_ANSWER}\n{json_text(answer_schema)}"
    )


def json_text(value: object) -> str:
    """Encode as JSON, keys in their order."""
    return msgspec.json.encode(value).decode("utf-8")
