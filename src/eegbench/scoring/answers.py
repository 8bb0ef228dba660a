"""What the parsers of all answer kinds share: the result, and ways to the payload."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from eegbench.loose_json import Json, loads
from eegbench.replies import find_answer, plain_text

T = TypeVar("T")

NO_ANSWER = "no structured answer in the reply"
_WRAPPERS = (
    "answer",
    "final_answer",
    "result",
    "results",
    "output",
    "response",
    "prediction",
    "predictions",
    "arguments",
    "data",
)


@dataclass(frozen=True, slots=True)
class Parsed(Generic[T]):
    """An answer as scored, and what had to be done to read it."""

    value: T
    """The answer; where it could not be read, the task's fallback."""
    parse_failed: bool = False
    """No usable answer was found; told apart from an empty answer."""
    missing: bool = False
    """The answer's field is there but null, or says nothing."""
    rows_read: int = 0
    rows_skipped: int = 0
    """Rows that could not be used: malformed, not finite, outside the record."""
    rows_unknown_stage: int = 0
    """Rows whose stage is in no table; scored as wake."""
    rows_clipped: int = 0
    rows_reversed: int = 0
    warnings: tuple[str, ...] = ()


def answer_of(raw: object) -> Json:
    """Return the structured answer in what was stored.

    Parameters
    ----------
    raw
        The model's last reply as text, or the answer object that the episode took.

    Returns
    -------
    Json
        An object, a list, a scalar; None where there is nothing.
    """
    if isinstance(raw, str):
        return find_answer(raw)
    if isinstance(raw, dict | list | int | float):
        return raw
    return None


def text_of(raw: object) -> str:
    """Return a reply's text outside thinking; empty for an object."""
    return plain_text(raw) if isinstance(raw, str) else ""


def decoded(value: Json) -> Json:
    """Return what a text that holds a JSON object or array stands for."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        inner = loads(value)
        if inner is not None:
            return inner.value
    return value


class Missing:
    """No such field, as opposed to a field that is null."""


MISSING = Missing()


def payload(answer: Json, keys: Iterable[str]) -> Json | Missing:
    """Return the first of some fields, in the answer or in an object inside it.

    A field of the wanted name wins over a wrapper (``answer``, ``result``, ...), and
    that over objects under other names; three levels are looked through. Where the
    answer itself, or a wrapper's content, is no object, it is the payload.
    """
    wanted = tuple(keys)
    value = decoded(answer)
    for _ in range(4):
        if not isinstance(value, dict):
            return value
        folded = fold_keys(value)
        for key in wanted:
            if key in folded:
                return decoded(folded[key])
        wrapper = next((key for key in _WRAPPERS if key in folded), None)
        if wrapper is None:
            return _inside(value, wanted, 3)
        value = decoded(folded[wrapper])
    return MISSING


def _inside(
    value: Mapping[str, Json], wanted: Sequence[str], depth: int
) -> Json | Missing:
    """Return a wanted field of an object under any other name, breadth first."""
    inner = [item for item in map(decoded, value.values()) if isinstance(item, dict)]
    for item in inner:
        folded = fold_keys(item)
        for key in wanted:
            if key in folded:
                return decoded(folded[key])
    for item in inner if depth > 1 else []:
        found = _inside(item, wanted, depth - 1)
        if not isinstance(found, Missing):
            return found
    return MISSING


def fold_keys(item: Mapping[str, Json]) -> dict[str, Json]:
    """Return an object with its keys in lower case, spaces and dashes as ``_``."""
    return {re.sub(r"[\s-]+", "_", key.strip().lower()): item[key] for key in item}


def number_of(value: object) -> float | None:
    """Return a finite number, also from a text of nothing but a number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        value = value.strip().replace("\u2212", "-")
    if isinstance(value, int | float | str):
        try:
            number = float(value)
        except (ValueError, OverflowError):
            return None
        return number if math.isfinite(number) else None
    return None


def any_rows(entries: Iterable[Json]) -> bool:
    """Whether any entry of a list has the form of a row, usable or not."""
    return any(isinstance(decoded(entry), list | dict) for entry in entries)
