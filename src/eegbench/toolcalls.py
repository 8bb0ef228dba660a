"""Tool calls as an episode carries them out: the bytes of the answer and its times."""

import time
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, Protocol

import orjson

from eegbench.agents import ToolCall
from eegbench.records import JsonObject
from eegcore.tools.compact import COMPACT_RULE

FAULT_CODES = ("internal", "unreadable")
"""Codes of answers whose fault is not the agent's."""


class Tools(Protocol):
    """What an episode needs of a toolbox; ``eegcore.Toolbox`` is one."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tools."""

    def schemas(self, flavour: Literal["anthropic"], /) -> Sequence[JsonObject]:
        """Name, description and argument schema of each tool."""

    def call(self, name: str, arguments: object, /) -> JsonObject:
        """Answer a call; never raises for what an agent sends."""


def told_once(schemas: Sequence[JsonObject]) -> tuple[list[JsonObject], str]:
    """Take from descriptions the rule that all of them end with; return it, too.

    A schema must stand alone elsewhere; in a prompt one rule for all tools is enough.
    """
    texts = [str(schema.get("description", "")) for schema in schemas]
    if not texts or not all(text.endswith(COMPACT_RULE) for text in texts):
        return list(schemas), ""
    shorter = [
        {**schema, "description": text.removesuffix(COMPACT_RULE).rstrip()}
        for schema, text in zip(schemas, texts, strict=True)
    ]
    return shorter, COMPACT_RULE


class ToolAnswer(NamedTuple):
    """A tool's answer and the time it took."""

    body: bytes
    queue_sec: float = 0.0
    compute_sec: float = 0.0
    encode_sec: float = 0.0


def timed_answer(
    tools: Tools, call: ToolCall, *, clock: Callable[[], float] = time.perf_counter
) -> ToolAnswer:
    """Carry out a call: the bytes of ``call_json``, and the time of its two halves."""
    began = clock()
    answer = tools.call(call.name, call.arguments)
    computed = clock()
    body = orjson.dumps(answer)
    return ToolAnswer(body, compute_sec=computed - began, encode_sec=clock() - computed)
