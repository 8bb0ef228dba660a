"""One neutral specification a tool.

It is the single source of the argument checks, the command line and the schemas of
schemas.py.
"""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

Json = dict[str, Any]
Kind = Literal["text", "number", "integer", "choice", "names"]

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
