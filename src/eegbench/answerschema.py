"""Check an answer against the JSON schema of its task.

The keywords that answer schemas use, nothing more: a schema with another keyword is
refused when an episode is made, so that no rule is skipped in silence. The one rule
beyond JSON schema is that a hypnogram covers every epoch.
"""

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from numbers import Number

from eegbench.errors import SetError

MOST_PROBLEMS = 8
HYPNOGRAM = "hypnogram_rle"

_KINDS: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list, tuple),
    "string": (str,),
    "integer": (int, float),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_BOUNDS: tuple[tuple[str, Callable[[float, float], bool], str], ...] = (
    ("minimum", operator.lt, "below"),
    ("maximum", operator.gt, "above"),
    ("exclusiveMinimum", operator.le, "not above"),
    ("exclusiveMaximum", operator.ge, "not below"),
)
_CHECKED = frozenset(
    (
        *("type", "enum", "const", "anyOf", "required", "properties"),
        *("additionalProperties", "items", "prefixItems", "minItems", "maxItems"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        *("minLength", "maxLength"),
    )
)
_SAID = frozenset(
    ("title", "description", "examples", "default", "$schema", "$id", "$comment")
)


def check_schema(schema: Mapping[str, object], *, path: str = "$") -> None:
    """Raise SetError for a keyword or type that `problems` does not check."""
    for keyword, value in schema.items():
        if keyword not in _CHECKED and keyword not in _SAID:
            known = ", ".join(sorted(_CHECKED))
            raise SetError(
                f"unknown schema keyword {keyword!r} at {path}; known: {known}"
            )
        if keyword == "type":
            for kind in [value] if isinstance(value, str) else _list(value):
                if kind not in _KINDS:
                    known = ", ".join(_KINDS)
                    raise SetError(
                        f"unknown schema type {kind!r} at {path}; known: {known}"
                    )
    for place, inner in _inner_schemas(schema):
        check_schema(inner, path=f"{path}.{place}")


def _inner_schemas(
    schema: Mapping[str, object],
) -> Iterator[tuple[str, Mapping[str, object]]]:
    for name, inner in _dict(schema.get("properties")).items():
        yield name, _dict(inner)
    for keyword in ("items", "additionalProperties"):
        if isinstance(inner := schema.get(keyword), dict):
            yield keyword, inner
    for keyword in ("prefixItems", "anyOf"):
        for number, inner in enumerate(_list(schema.get(keyword))):
            yield f"{keyword}[{number}]", _dict(inner)


def problems(
    answer: object, schema: Mapping[str, object], *, n_epochs: int | None = None
) -> tuple[str, ...]:
    """Say how an answer breaks its schema.

    Parameters
    ----------
    answer : object
        The answer as JSON values.
    schema : Mapping
        JSON schema with the keywords that `check_schema` accepts.
    n_epochs : int, optional
        Number of epochs that ``hypnogram_rle`` must cover.

    Returns
    -------
    tuple of str
        One line a problem, eight at most; empty: the answer is valid. NaN and
        infinities are no numbers.
    """
    found: list[str] = []
    for problem in _problems(answer, schema, "$"):
        found.append(problem)
        if len(found) == MOST_PROBLEMS:
            return tuple(found)
    if n_epochs is not None and not found and isinstance(answer, dict):
        found.extend(_uncovered(answer.get(HYPNOGRAM), n_epochs))
    return tuple(found)


def _problems(value: object, schema: Mapping[str, object], path: str) -> Iterator[str]:
    kinds = schema.get("type")
    if kinds is not None:
        wanted = [kinds] if isinstance(kinds, str) else _list(kinds)
        if not any(_is_kind(value, str(kind)) for kind in wanted):
            yield f"{path}: {_shown(value)} is no {' or '.join(map(str, wanted))}"
            return
    if "enum" in schema and not any(
        _same(value, item) for item in _list(schema["enum"])
    ):
        allowed = ", ".join(map(str, _list(schema["enum"])))
        yield f"{path}: {_shown(value)} is not one of {allowed}"
    if "const" in schema and not _same(value, schema["const"]):
        yield f"{path}: {_shown(value)} is not {schema['const']}"
    if "anyOf" in schema and all(
        any(_problems(value, _dict(option), path)) for option in _list(schema["anyOf"])
    ):
        yield f"{path}: {_shown(value)} has none of the allowed forms"
    if isinstance(value, dict):
        yield from _object_problems(value, schema, path)
    elif isinstance(value, list | tuple):
        yield from _array_problems(value, schema, path)
    else:
        yield from _scalar_problems(value, schema, path)


def _object_problems(
    value: dict[str, object], schema: Mapping[str, object], path: str
) -> Iterator[str]:
    properties = _dict(schema.get("properties"))
    for name in _list(schema.get("required")):
        if name not in value:
            yield f"{path}.{name}: missing"
    extra = schema.get("additionalProperties", True)
    for name, inner in value.items():
        if name in properties:
            yield from _problems(inner, _dict(properties[name]), f"{path}.{name}")
        elif extra is False:
            known = ", ".join(properties)
            yield f"{path}.{name}: unknown field; allowed: {known}"
        elif isinstance(extra, dict):
            yield from _problems(inner, extra, f"{path}.{name}")


def _array_problems(
    value: list[object] | tuple[object, ...], schema: Mapping[str, object], path: str
) -> Iterator[str]:
    fewest, most = schema.get("minItems"), schema.get("maxItems")
    if isinstance(fewest, int) and len(value) < fewest:
        yield f"{path}: {len(value)} items; at least {fewest} are needed"
    if isinstance(most, int) and len(value) > most:
        yield f"{path}: {len(value)} items; at most {most} are allowed"
    first = _list(schema.get("prefixItems"))
    rest = schema.get("items")
    for number, inner in enumerate(value):
        if number < len(first):
            yield from _problems(inner, _dict(first[number]), f"{path}[{number}]")
        elif isinstance(rest, dict):
            yield from _problems(inner, rest, f"{path}[{number}]")


def _scalar_problems(
    value: object, schema: Mapping[str, object], path: str
) -> Iterator[str]:
    if isinstance(value, str):
        shortest, longest = schema.get("minLength"), schema.get("maxLength")
        if isinstance(shortest, int) and len(value) < shortest:
            yield f"{path}: shorter than {shortest} characters"
        if isinstance(longest, int) and len(value) > longest:
            yield f"{path}: longer than {longest} characters"
    if not isinstance(value, int | float) or isinstance(value, bool):
        return
    for keyword, is_broken, words in _BOUNDS:
        limit = schema.get(keyword)
        if isinstance(limit, int | float) and is_broken(value, limit):
            yield f"{path}: {value} is {words} {limit}"


def _uncovered(segments: object, n_epochs: int) -> Iterator[str]:
    """Say which epochs no segment covers; segments have inclusive ends."""
    if not isinstance(segments, list | tuple):
        return
    spans = sorted(span for item in segments if (span := _span(item)) is not None)
    free: list[str] = []
    n_free, reached = 0, 0
    for start, end in [*spans, (n_epochs, n_epochs)]:
        start = min(start, n_epochs)
        if start > reached:
            n_free += start - reached
            free.append(f"{reached}-{start - 1}")
        reached = max(reached, end + 1)
    if n_free:
        shown = ", ".join(free[:5]) + (", ..." if len(free) > 5 else "")
        yield (
            f"$.{HYPNOGRAM}: {n_free} of {n_epochs} epochs are not covered ({shown}); "
            f"cover 0 to {n_epochs - 1}, ends inclusive"
        )


def _span(segment: object) -> tuple[int, int] | None:
    """Return a segment's first and last epoch; None for one that has none."""
    if isinstance(segment, dict):
        first, last = segment.get("start_epoch"), segment.get("end_epoch")
    elif isinstance(segment, list | tuple) and len(segment) >= 2:
        first, last = segment[0], segment[1]
    else:
        return None
    if not (_is_kind(first, "integer") and _is_kind(last, "integer")):
        return None
    start, end = int(first), int(last)  # type: ignore[arg-type]
    return (max(start, 0), end) if end >= start else None


def _is_kind(value: object, kind: str) -> bool:
    if kind in ("integer", "number"):
        if not isinstance(value, int | float) or isinstance(value, bool):
            return False
        if isinstance(value, int):
            return True
        return math.isfinite(value) and (kind == "number" or value.is_integer())
    return isinstance(value, _KINDS[kind])


def _same(value: object, other: object) -> bool:
    """Compare as JSON does: true is not 1, but 1.0 is 1."""
    if isinstance(value, bool) or isinstance(other, bool):
        return value is other
    if isinstance(value, Number) or isinstance(other, Number):
        return isinstance(value, Number) and value == other
    return type(value) is type(other) and value == other


def _shown(value: object) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _dict(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []
