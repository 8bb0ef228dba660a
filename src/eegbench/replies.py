"""What a model's reply asks for: tool calls, a final answer, or neither.

The episode reads each turn with `parse_reply`; scoring reads the stored last reply
again with `find_answer`. Both see the same values by one rule, so that a parsing fault
can be mended without a new model run. Nothing here raises for any text, and the time
taken grows in proportion to the length of the reply.

Where several values stand in one reply: what is inside a thinking block never counts;
an object with ``action: final_answer`` outranks tool calls, and they outrank an object
that only carries an answer's keys; of several of the same rank the last one counts
(of tool calls: all, in order).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from eegbench.loose_json import Found, Json, loads, scan

NO_ACTION = "no tool call and no final answer: one JSON object with 'action' is needed"


def _words(text: str) -> list[str]:
    return text.split()


FINAL_ACTIONS = frozenset(
    {
        "final_answer",
        "final",
        "answer",
        "submit",
        "submit_answer",
        "final_response",
        "finish",
    }
)
CALL_ACTIONS = frozenset(
    {
        "tool",
        "tools",
        "tool_call",
        "tool_calls",
        "tool_use",
        "call",
        "call_tool",
        "function_call",
    }
)
WRAPPERS = ("final_answer", "answer", "result", "output", "response", "arguments")
ANSWER_KEYS = frozenset(
    _words(
        """
        answer final_answer result output response prediction predictions choice
        option letter selected_option classification label class category diagnosis
        seizure_events seizure_event events event seizures seizure_intervals
        intervals seizure_times has_seizure onset_sec detections hypnogram_rle
        hypnogram rle sleep_stages stages epoch_stages epoch_labels segments
        architecture
        """
    )
)

_THINK_NAMES = (
    "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis|"
    "antml:thinking|seed:think"
)
_THINK_TAG = re.compile(
    rf"<(/?)(?:{_THINK_NAMES})>|\[(/?)THINK\]|\u25c1(/?)think\u25b7", re.IGNORECASE
)
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]{0,200}<\|message\|>")
_CHANNEL_TOKEN = re.compile(r"<\|\w+\|>")
_NAME_BEFORE = re.compile(
    r"([A-Za-z_]\w*)[\"'*`]{0,4}\s*(?::=|=|:)[\s*`]*(?:json\s*)?$"
)
_FENCE_BEFORE = re.compile(r"```[\w+-]*\s*$")
_BETWEEN_ROWS = re.compile(r"\s*(?:,|;|and|\s)\s*")
_PARAMETER = re.compile(r"<parameter=([^>\s<]{1,200})>([^<]*)</parameter>")
_NAME_KEYS = ("tool_name", "name", "tool", "function", "function_name")
_ARGUMENT_KEYS = (
    "arguments",
    "args",
    "parameters",
    "params",
    "input",
    "tool_input",
    "action_input",
)


class Call(NamedTuple):
    """One tool call as the reply states it; nothing about it is checked yet."""

    name: str
    arguments: dict[str, Json]


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """A reply, read: what it asks for and what else it said.

    With neither `tool_calls` nor `answer` the reply was no action, and `error` says
    so in one line that can be sent back to the model.
    """

    tool_calls: tuple[Call, ...] = ()
    """All calls in order, however many; the episode applies its limit."""
    answer: dict[str, Json] | None = None
    """The answer's fields, wrapping objects removed, without `thought`."""
    thought: str = ""
    """Everything that is no action: prose, other objects' thoughts."""
    error: str | None = None
    notes: tuple[str, ...] = ()
    """What was odd about the reply, in words, for the transcript."""


def strip_thinking(text: str) -> str:
    """Return the text outside thinking blocks.

    A block that is never closed runs to the end; a closing tag without an opening one
    ends a block that began with the reply.
    """
    if "<|channel|>" in text:
        text = _final_channel(text)
    kept: list[str] = []
    position, inside = 0, False
    for tag in _THINK_TAG.finditer(text):
        closing = any(tag.groups())
        if closing:
            if not inside:
                kept.clear()
            position, inside = tag.end(), False
        elif not inside:
            kept.append(text[position : tag.start()])
            inside = True
    if not inside:
        kept.append(text[position:])
    return "".join(kept)


def _final_channel(text: str) -> str:
    """Keep the messages of the final channel, or all of them if there is none."""
    heads = list(_CHANNEL.finditer(text))
    if not heads:
        return _CHANNEL_TOKEN.sub(" ", text)
    stops = [head.start() for head in heads[1:]] + [len(text)]
    final = [
        text[head.end() : stop]
        for head, stop in zip(heads, stops, strict=True)
        if head.group(1).lower() == "final"
    ]
    return _CHANNEL_TOKEN.sub(" ", " ".join(final) if final else text)


def plain_text(text: str) -> str:
    """Return the reply outside thinking, unpacked if it is a JSON string."""
    for _ in range(3):
        outside = strip_thinking(text).strip()
        whole = loads(outside) if outside[:1] == '"' else None
        if whole is None or not isinstance(whole.value, str):
            return outside
        text = whole.value
    return text


def parse_reply(text: str) -> ParsedReply:
    """Read one turn of a model by the module's rule.

    An empty reply, prose, a bare number, string or null is no action.
    """
    outside, values = _values(text)
    objects = [item for value in values for item in _objects(value)]
    finals = [item for item in objects if _is_final(item)]
    calls = tuple(call for item in objects for call in _calls(item))
    calls += tuple(_tagged_calls(outside))
    thought = _thought(outside, values, objects)
    if finals:
        notes = []
        if len(finals) > 1:
            notes.append(f"{len(finals)} final answers in one reply: the last counts")
        if calls:
            notes.append("tool calls beside a final answer are not executed")
        answer = unwrap(finals[-1])
        return ParsedReply(answer=answer, thought=thought, notes=tuple(notes))
    if calls:
        return ParsedReply(tool_calls=calls, thought=thought)
    bare = _bare_answer(outside, values)
    if bare is not None:
        notes = ["no action was named; read as an answer by its keys"]
        return ParsedReply(answer=unwrap(bare), thought=thought, notes=tuple(notes))
    return ParsedReply(thought=thought, error=NO_ACTION)


def find_answer(text: str) -> Json:
    """Return the answer of a reply by the module's rule.

    Returns
    -------
    Json
        The answering object (its wrappers kept), or a list where the reply is only a
        list; None where no structured answer is found.
    """
    outside, values = _values(text)
    objects = [item for value in values for item in _objects(value)]
    finals = [item for item in objects if _is_final(item)]
    if finals:
        return finals[-1]
    bare = _bare_answer(outside, values)
    if bare is not None:
        return bare
    lists = [
        found.value
        for found in values
        if isinstance(found.value, list) and _stands_alone(outside, found)
    ]
    return lists[-1] if lists else None


def unwrap(answer: Mapping[str, Json]) -> dict[str, Json]:
    """Lift the fields of one wrapping object to the top, and drop ``thought``."""
    result = {key: value for key, value in answer.items() if key != "thought"}
    for _ in range(3):
        inner_key = next(
            (key for key in WRAPPERS if isinstance(_decoded(result.get(key)), dict)),
            None,
        )
        if inner_key is None:
            return result
        inner = _decoded(result.pop(inner_key))
        if isinstance(inner, dict):
            result |= inner
    return result


def _decoded(value: Json) -> Json:
    """Return what a text that is itself an object or an array stands for."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        inner = loads(value)
        if inner is not None:
            return inner.value
    return value


def _values(text: str) -> tuple[str, list[Found]]:
    """Return the text outside thinking and the values in it."""
    whole = loads(text)
    if whole is None or not isinstance(whole.value, dict | list):
        text = plain_text(text)
        whole = loads(text)
    if whole is not None:
        is_value = isinstance(whole.value, dict | list)
        return text, [whole] if is_value else []
    return text, scan(text)


def _objects(found: Found) -> Iterator[dict[str, Json]]:
    if isinstance(found.value, dict):
        yield found.value
    elif isinstance(found.value, list):
        yield from (item for item in found.value if isinstance(item, dict))


def _action_name(item: Mapping[str, Json]) -> str | None:
    action = item.get("action", item.get("Action"))
    if not isinstance(action, str):
        return None
    return re.sub(r"[\s-]+", "_", action.strip().lower())


def _is_final(item: Mapping[str, Json]) -> bool:
    return _action_name(item) in FINAL_ACTIONS


def _bare_answer(outside: str, values: list[Found]) -> dict[str, Json] | None:
    """Return the last object with an answer's keys, else named arrays as one object."""
    named: dict[str, Json] = {}
    last: dict[str, Json] | None = None
    for index, found in enumerate(values):
        before = outside[max(0, found.start - 80) : found.start]
        match = _NAME_BEFORE.search(before)
        name = match.group(1) if match else ""
        if name.lower() in ANSWER_KEYS:
            named[name.lower()] = _with_neighbours(outside, values, index)
        elif isinstance(found.value, dict):
            last = found.value if _is_answer(found.value) else last
        elif isinstance(found.value, list):
            last = _answer_item(found.value) or last
    return last if last is not None else (named or None)


def _answer_item(value: list[Json]) -> dict[str, Json] | None:
    """Return the single object of a list that only wraps an answer."""
    if len(value) == 1 and isinstance(value[0], dict) and _is_answer(value[0]):
        return value[0]
    return None


def _is_answer(item: Mapping[str, Json]) -> bool:
    """Whether an object has an answer's keys, at the top or one level down."""
    levels = [item, *(inner for inner in item.values() if isinstance(inner, dict))]
    keys = {key.strip().lower() for level in levels for key in level}
    return bool(keys & ANSWER_KEYS) and not list(_calls(item))


def _with_neighbours(outside: str, values: list[Found], index: int) -> Json:
    """Join ``name = [a, b], [c, d]`` to one list."""
    first = values[index]
    rows, stop = [first.value], first.stop
    for place in range(index + 1, len(values)):
        found = values[place]
        if not isinstance(found.value, list):
            break
        if not _BETWEEN_ROWS.fullmatch(outside[stop : found.start][:20]):
            break
        rows.append(found.value)
        stop = found.stop
    return rows if len(rows) > 1 and isinstance(first.value, list) else first.value


def _stands_alone(outside: str, found: Found) -> bool:
    """Whether an array is the whole reply or opens a fenced block."""
    before = outside[: found.start]
    if not before.strip() and not outside[found.stop :].strip():
        return True
    return bool(_FENCE_BEFORE.search(before[-40:]))


def _calls(item: Mapping[str, Json]) -> Iterator[Call]:
    """Tool calls that one object states, in any of the usual forms."""
    action = _action_name(item)
    if action in FINAL_ACTIONS:
        return
    for key in ("tool_calls", "calls", "tools"):
        nested = item.get(key)
        if isinstance(nested, list):
            for entry in nested:
                if isinstance(entry, dict):
                    yield from _calls({"action": "tool_call"} | entry)
            return
    function = item.get("function")
    if isinstance(function, dict):
        yield from _calls({"action": "tool_call"} | function)
        return
    arguments = _arguments(item)
    name = next(
        (item[key] for key in _NAME_KEYS if isinstance(item.get(key), str)), None
    )
    if name is None and arguments is not None:
        name = arguments.pop("tool_name", None)
    if name is None and arguments is not None and action not in CALL_ACTIONS | {None}:
        name = item.get("action", item.get("Action"))
    if not isinstance(name, str):
        return
    if action in CALL_ACTIONS or arguments is not None:
        yield Call(name.strip(), arguments or {})


def _arguments(item: Mapping[str, Json]) -> dict[str, Json] | None:
    for key in _ARGUMENT_KEYS:
        if key in item:
            value = _decoded(item[key])
            if isinstance(value, dict):
                return dict(value)
            if value is None or value == "":
                return {}
    return None


def _tagged_calls(text: str) -> Iterator[Call]:
    """Read ``<function=NAME><parameter=KEY>VALUE</parameter></function>``."""
    position = text.find("<function=")
    while position >= 0:
        stop = text.find("</function>", position)
        head_stop = text.find(">", position)
        if stop < 0 or head_stop < 0:
            return
        arguments: dict[str, Json] = {}
        for match in _PARAMETER.finditer(text, head_stop, stop):
            value = loads(match.group(2))
            arguments[match.group(1)] = value.value if value else match.group(2).strip()
        yield Call(text[position + len("<function=") : head_stop].strip(), arguments)
        position = text.find("<function=", stop)


def _thought(outside: str, values: list[Found], objects: list[dict[str, Json]]) -> str:
    pieces = [str(item["thought"]) for item in objects if "thought" in item]
    position = 0
    for found in values:
        pieces.append(outside[position : found.start].strip())
        position = found.stop
    pieces.append(outside[position:].strip())
    return "\n".join(piece for piece in pieces if piece)
