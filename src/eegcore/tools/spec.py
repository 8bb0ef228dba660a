"""One neutral specification a tool, and the schemas made of it.

The specification is the single source of the argument checks, the command line and
the schemas for OpenAI, Anthropic and plain JSON (which MCP and Inspect read too).
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

from eegcore.errors import ArgumentError

Json = dict[str, Any]
Kind = Literal["text", "number", "integer", "choice", "names"]
Flavour = Literal["openai", "anthropic", "json"]

TEXT_RULE = (
    'A value sent as JSON text ("5" for 5, "[\\"C3\\"]" for ["C3"]) is read as that'
    " value, in every tool; null means not given."
)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool.

    Attributes
    ----------
    name : str
    kind : str
        "text", "number", "integer", "choice" (one of `choices`) or "names" (list of
        texts; of `choices`, if there are any).
    purpose : str
        One sentence with the unit.
    default
        None: see `purpose`.
    minimum, maximum : float or None
    above : float or None
        Exclusive lower limit.
    required : bool
    dialects : tuple of str or None
        Only in these dialects; None: in all.
    """

    name: str
    kind: Kind
    purpose: str
    default: Any = None
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    choices: tuple[str, ...] = ()
    required: bool = False
    dialects: tuple[str, ...] | None = None

    def schema(self) -> Json:
        """JSON Schema of the value."""
        shape: Json = {"description": self.purpose}
        if self.kind == "names":
            items: Json = {"type": "string"}
            if self.choices:
                items["enum"] = list(self.choices)
            shape |= {"type": "array", "items": items, "minItems": 1}
            shape["uniqueItems"] = True
        elif self.kind == "choice":
            shape |= {"type": "string", "enum": list(self.choices)}
        else:
            shape["type"] = {"text": "string"}.get(self.kind, self.kind)
        if self.default is not None:
            shape["default"] = (
                list(self.default) if isinstance(self.default, tuple) else self.default
            )
        limits = (
            ("minimum", self.minimum),
            ("exclusiveMinimum", self.above),
            ("maximum", self.maximum),
        )
        return shape | {key: limit for key, limit in limits if limit is not None}


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What a tool is for, what it takes and what it answers.

    Attributes
    ----------
    name, purpose : str
    arguments : tuple of Argument
        `record_id` first.
    answer : dict
        JSON Schema of the keys that follow `_meta` and `record_id`.
    """

    name: str
    purpose: str
    arguments: tuple[Argument, ...]
    answer: Mapping[str, Json]

    def arguments_of(self, dialect: str) -> tuple[Argument, ...]:
        """Arguments that exist in a dialect."""
        return tuple(
            a for a in self.arguments if a.dialects is None or dialect in a.dialects
        )

    def input_schema(self, dialect: str) -> Json:
        """JSON Schema of the arguments."""
        arguments = self.arguments_of(dialect)
        return {
            "type": "object",
            "properties": {a.name: a.schema() for a in arguments},
            "required": [a.name for a in arguments if a.required],
            "additionalProperties": False,
        }

    def answer_schema(self) -> Json:
        """JSON Schema of a successful answer."""
        head = {"_meta": deepcopy(META_SCHEMA), "record_id": {"type": "string"}}
        tail = {"notes": listing("Why values are null, where some are.")}
        return {
            "type": "object",
            "properties": head | deepcopy(dict(self.answer)) | tail,
            "required": ["_meta", "record_id", *self.answer],
        }


META_SCHEMA: Json = {
    "type": "object",
    "properties": {
        "approx_response_bytes": {"type": "integer"},
        "approx_response_kb": {"type": "number"},
        "approx_response_tokens": {"type": "integer"},
        "truncated": {"type": "boolean"},
        "n_rows": {"type": "integer"},
        "truncated_reason": {"type": "string"},
    },
}

RECORD_ID = Argument("record_id", "text", "Name of the recording.", required=True)
CHANNELS = Argument(
    "channels",
    "names",
    "Channel names; if not given, all EEG channels.",
)
TMIN = Argument("tmin", "number", "Start in seconds; if not given, 0.", minimum=0.0)
TMAX = Argument(
    "tmax",
    "number",
    "End in seconds, not included; if not given, the end of the recording.",
    above=0.0,
)


def number(purpose: str) -> Json:
    """Return schema of a number that may not exist."""
    return {"type": ["number", "null"], "description": purpose}


def integer(purpose: str) -> Json:
    """Return schema of a count."""
    return {"type": "integer", "description": purpose}


def text(purpose: str) -> Json:
    """Return schema of a text that may not exist."""
    return {"type": ["string", "null"], "description": purpose}


def pair(purpose: str) -> Json:
    """Return schema of two numbers."""
    return {
        "type": "array",
        "items": {"type": ["number", "null"]},
        "minItems": 2,
        "maxItems": 2,
        "description": purpose,
    }


def listing(purpose: str) -> Json:
    """Return schema of a list of texts."""
    return {"type": "array", "items": {"type": "string"}, "description": purpose}


def rows(purpose: str, columns: Mapping[str, Json]) -> Json:
    """Return schema of a list of objects."""
    return {
        "type": "array",
        "items": {"type": "object", "properties": dict(columns)},
        "description": purpose,
    }


def mapping(purpose: str, names: tuple[str, ...], unit: str) -> Json:
    """Return schema of an object of numbers by name."""
    return {
        "type": "object",
        "properties": {name: number(unit) for name in names},
        "description": purpose,
    }


def render(spec: ToolSpec, flavour: Flavour, dialect: str) -> Json:
    """Return schema of a tool in one of the usual wire forms."""
    if flavour not in _RENDERERS:
        raise ArgumentError(
            f"unknown schema flavour {flavour!r}; allowed are {', '.join(_RENDERERS)}"
        )
    return _RENDERERS[flavour](spec, dialect)


def _openai(spec: ToolSpec, dialect: str) -> Json:
    return {
        "type": "function",
        "function": {
            "name": spec.name,
            "description": _described(spec),
            "parameters": spec.input_schema(dialect),
        },
    }


def _anthropic(spec: ToolSpec, dialect: str) -> Json:
    return {
        "name": spec.name,
        "description": _described(spec),
        "input_schema": spec.input_schema(dialect),
    }


def _json(spec: ToolSpec, dialect: str) -> Json:
    return {
        "name": spec.name,
        "description": _described(spec),
        "arguments": spec.input_schema(dialect),
        "answer": spec.answer_schema(),
    }


def _described(spec: ToolSpec) -> str:
    return f"{spec.purpose} {TEXT_RULE}"


_RENDERERS: dict[str, Callable[[ToolSpec, str], Json]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "json": _json,
}
