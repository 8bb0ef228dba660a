"""Wire forms of a tool's specification: OpenAI, Anthropic, MCP, plain JSON.

All are made of `ToolSpec.input_schema` and `answer_schema`; a test takes each form back
to them. Inspect takes its parameters from the plain form.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Literal, get_args

from eegcore.errors import ArgumentError
from eegcore.tools.compact import COMPACT_RULE, Encoding, compact_schema
from eegcore.tools.spec import TEXT_RULE, Json, ToolSpec

Flavour = Literal["openai", "openai-strict", "anthropic", "mcp", "json"]

FLAVOURS: tuple[Flavour, ...] = get_args(Flavour)
# Refused by OpenAI's strict mode; a default goes into the description instead.
_NOT_STRICT = ("default", "uniqueItems")
# Hints for MCP clients that ask a person before each call.
ANNOTATIONS: Json = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}


@dataclass(frozen=True, slots=True)
class _Form:
    """What a schema depends on beside the specification."""

    dialect: str
    encoding: Encoding


def render(
    spec: ToolSpec, flavour: Flavour, dialect: str, *, encoding: Encoding = "rows"
) -> Json:
    """Return schema of a tool in one of the usual wire forms."""
    if flavour not in _RENDERERS:
        raise ArgumentError(
            f"unknown schema flavour {flavour!r}; allowed are {', '.join(_RENDERERS)}"
        )
    return _RENDERERS[flavour](spec, _Form(dialect, encoding))


def answer_schema(spec: ToolSpec, encoding: Encoding) -> Json:
    """JSON Schema of a successful answer of a tool in an encoding."""
    schema = spec.answer_schema()
    return schema if encoding == "rows" else compact_schema(spec.name, schema)


def _openai(spec: ToolSpec, form: _Form) -> Json:
    return {
        "type": "function",
        "function": {
            "name": spec.name,
            "description": _described(spec, form),
            "parameters": spec.input_schema(form.dialect),
        },
    }


def _openai_strict(spec: ToolSpec, form: _Form) -> Json:
    schema = _openai(spec, form)
    schema["function"]["strict"] = True
    schema["function"]["parameters"] = strict(spec.input_schema(form.dialect))
    return schema


def strict(schema: Json) -> Json:
    """Return an argument schema with every property required, null allowed instead.

    The tools take null for "not given", so both forms of a call mean the same.
    """
    schema = deepcopy(schema)
    required = schema["required"]
    for name, argument in schema["properties"].items():
        if "default" in argument:
            told = argument["default"]
            told = ", ".join(told) if isinstance(told, list) else told
            argument["description"] += f" Null: {told}."
        for key in _NOT_STRICT:
            argument.pop(key, None)
        if name not in required:
            argument["type"] = [argument["type"], "null"]
            if "enum" in argument:
                argument["enum"] = [*argument["enum"], None]
    schema["required"] = list(schema["properties"])
    return schema


def _anthropic(spec: ToolSpec, form: _Form) -> Json:
    return {
        "name": spec.name,
        "description": _described(spec, form),
        "input_schema": spec.input_schema(form.dialect),
    }


def _mcp(spec: ToolSpec, form: _Form) -> Json:
    return {
        "name": spec.name,
        "description": _described(spec, form),
        "inputSchema": spec.input_schema(form.dialect),
        "outputSchema": answer_schema(spec, form.encoding),
        "annotations": dict(ANNOTATIONS),
    }


def _json(spec: ToolSpec, form: _Form) -> Json:
    return {
        "name": spec.name,
        "description": _described(spec, form),
        "arguments": spec.input_schema(form.dialect),
        "answer": answer_schema(spec, form.encoding),
    }


def _described(spec: ToolSpec, form: _Form) -> str:
    parts = [spec.purpose, TEXT_RULE]
    if form.encoding == "compact":
        parts.append(COMPACT_RULE)
    return " ".join(parts)


_RENDERERS: dict[str, Callable[[ToolSpec, _Form], Json]] = {
    "openai": _openai,
    "openai-strict": _openai_strict,
    "anthropic": _anthropic,
    "mcp": _mcp,
    "json": _json,
}
