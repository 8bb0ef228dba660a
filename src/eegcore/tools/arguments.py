"""Checks of what an agent sends: one rule for each kind of value, in every tool."""

import math
from collections.abc import Mapping
from typing import Any

import orjson

from eegcore.tools.failures import ToolError, nearest, quoted, some
from eegcore.tools.spec import Argument, ToolSpec

MAX_NAMES = 4096
_MAX_TEXT = 1 << 20
_LARGEST_INTEGER = 2**53


def as_mapping(arguments: object) -> Mapping[str, Any]:
    """Return the arguments of a call; JSON text and null are understood."""
    if arguments is None:
        return {}
    if isinstance(arguments, str | bytes):
        arguments = _from_text(arguments)
    if not isinstance(arguments, Mapping):
        raise ToolError(
            "wrong_type",
            f"the arguments are {quoted(arguments)}; an object of named arguments is"
            " needed",
        )
    return arguments


def _from_text(raw: str | bytes) -> object:
    """Value of JSON text, or the text itself if it is none."""
    if len(raw) > _MAX_TEXT:
        return raw
    try:
        return orjson.loads(raw)
    except (orjson.JSONDecodeError, UnicodeEncodeError, RecursionError):
        return raw


def check_arguments(
    spec: ToolSpec, arguments: Mapping[str, Any], *, dialect: str, strict: bool
) -> dict[str, Any]:
    """Values of all arguments of a tool, defaults filled in.

    Parameters
    ----------
    strict : bool
        Names given twice are an error.

    Raises
    ------
    ToolError
        Naming the first argument that is wrong and what is allowed.
    """
    known = {argument.name: argument for argument in spec.arguments_of(dialect)}
    for name in arguments:
        if not isinstance(name, str) or name not in known:
            raise ToolError(
                "unknown_argument",
                f"{spec.name} has no argument {quoted(name)}; it has"
                f" {', '.join(known)}.{nearest(str(name), list(known))}",
            )
    values: dict[str, Any] = {}
    for name, argument in known.items():
        value = arguments.get(name)
        if value is None:
            if argument.required:
                raise ToolError("missing_argument", f"{name} is missing")
            values[name] = argument.default
            continue
        values[name] = _checked(argument, value, strict=strict)
    return values


def _checked(argument: Argument, value: object, *, strict: bool) -> Any:
    if argument.kind == "names":
        return _names(argument, value, strict=strict)
    if argument.kind in ("text", "choice"):
        return _text(argument, value)
    return _number(argument, value)


def _wrong_type(argument: Argument, value: object, wanted: str) -> ToolError:
    return ToolError(
        "wrong_type", f"{argument.name} is {quoted(value)}; {wanted} is needed"
    )


def _number(argument: Argument, value: object) -> float | int:
    wanted = "an integer" if argument.kind == "integer" else "a finite number"
    number = _from_text(value) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise _wrong_type(argument, value, wanted)
    try:
        finite = math.isfinite(number)
    except OverflowError:
        finite = False
    if not finite:
        raise _wrong_type(argument, value, wanted)
    if argument.kind == "integer":
        if number != int(number):
            raise _wrong_type(argument, value, wanted)
        number = int(number)
    elif abs(number) > _LARGEST_INTEGER:
        number = float(number)  # no JSON integer is longer
    low, above, high = argument.minimum, argument.above, argument.maximum
    if low is not None and number < low:
        limit = f"at least {low:g}"
    elif above is not None and number <= above:
        limit = f"above {above:g}"
    elif high is not None and number > high:
        limit = f"at most {high:g}"
    else:
        return number
    raise ToolError(
        "out_of_range", f"{argument.name} is {quoted(value)}; it must be {limit}"
    )


def _text(argument: Argument, value: object) -> str:
    if not isinstance(value, str):
        raise _wrong_type(argument, value, "a text")
    if argument.kind == "choice" and value not in argument.choices:
        raise ToolError(
            "unknown_value",
            f"{argument.name} is {quoted(value)}; allowed are"
            f" {', '.join(argument.choices)}",
        )
    return value


def _names(argument: Argument, value: object, *, strict: bool) -> tuple[str, ...]:
    wanted = 'a list of names, such as ["C3", "C4"],'
    if isinstance(value, str):
        unpacked = _from_text(value)
        value = unpacked if isinstance(unpacked, list) else value
    if not isinstance(value, list | tuple):
        raise _wrong_type(argument, value, wanted)
    if not value:
        raise ToolError(
            "empty_list",
            f"{argument.name} is an empty list; name at least one, or leave it out for"
            " the default",
        )
    if len(value) > MAX_NAMES:
        raise ToolError(
            "out_of_range",
            f"{argument.name} is a list of {len(value)}; at most {MAX_NAMES} are"
            " allowed",
        )
    for name in value:
        if not isinstance(name, str):
            raise ToolError(
                "wrong_type",
                f"{argument.name} holds {quoted(name)}; every entry must be a text",
            )
    if argument.choices:
        unknown = [name for name in value if name not in argument.choices]
        if unknown:
            one = argument.name.rstrip("s")
            raise ToolError(
                f"unknown_{one}",
                f"unknown {one} {quoted(unknown[0])}; allowed are"
                f" {some(argument.choices, 99)}."
                + nearest(unknown[0], argument.choices),
            )
    if strict:
        _refuse_duplicates(argument.name, value)
    return tuple(value)


def _refuse_duplicates(argument: str, names: list[str] | tuple[str, ...]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ToolError(
                "duplicate", f"{argument} names {quoted(name)} twice; name each once"
            )
        seen.add(name)
