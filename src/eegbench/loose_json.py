"""JSON as language models write it: strict first, then with stated liberties.

One parser, used by everything that reads a reply. On top of JSON it takes single
quotes, trailing commas, comments, tuples, Python's ``None``, ``True``, ``False``,
``NaN`` and ``Infinity`` in any spelling, bare words (``N3``) as text, and raw line
ends inside strings. It never evaluates anything and never raises for its input.
"""

import json
import re
from typing import NamedTuple, TypeAlias

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None

MAX_DEPTH = 32  # no answer nests deeper; bounds the work on "[[[[[["

_SPACE = re.compile(r"(?:[\s\ufeff\u200b]+|//[^\n]*|/\*[^*]{0,400}\*/|#[^\n]*)*")
_BLANK = re.compile(r"[\s\ufeff\u200b]*")
_NUMBER = re.compile(r"[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_WORD = re.compile(r"[-+]?[^\W\d][\w.+-]*|\?")
_SIGNED_WORD_END = re.compile(r"[\w.]")
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "`": "`"}
_CLOSERS = {"{": "}", "[": "]", "(": ")"}
_PLAIN = {
    quote: re.compile(rf"[^{re.escape(end)}\\]*") for quote, end in _QUOTES.items()
}
_AFTER_STRING = (",", ":", "=", "}", "]", ")", "#", "//", "/*")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_WORDS: dict[str, Json] = {
    "null": None,
    "none": None,
    "true": True,
    "false": False,
    "nan": float("nan"),
    "inf": float("inf"),
    "+inf": float("inf"),
    "infinity": float("inf"),
    "+infinity": float("inf"),
    "-inf": float("-inf"),
    "-infinity": float("-inf"),
}


class Found(NamedTuple):
    """A value inside a text: what it is and the half-open span it takes."""

    value: Json
    start: int
    stop: int


class _SyntaxError(Exception):
    """The text at this place is no value; holds where reading stopped."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


def loads(text: str) -> Found | None:
    """Read a text that is one value from end to end, or return None."""
    stripped = text.strip().lstrip("\ufeff")
    try:
        return Found(json.loads(stripped, strict=False), 0, len(text))
    except (ValueError, RecursionError):
        pass  # not JSON by the letter; an integer of 5,000 digits also lands here
    try:
        value, stop = _value(stripped, _skip(stripped, 0), 0)
        if _skip(stripped, stop) == len(stripped):
            return Found(value, 0, len(text))
    except _SyntaxError:
        pass
    return None


def scan(text: str, openers: str = "{[") -> list[Found]:
    """Objects and arrays that stand in a text, in order, outermost only.

    A bracket group of prose (``{A, B}``, ``[1]``) that is no value, is passed over and
    the search goes on behind its first bracket.

    Notes
    -----
    Each start is tried once. A failed try costs what it has read; the sum of these
    costs is limited to about the length, so a megabyte of brackets takes
    linear time; where the limit ends the search, the last 20,000 characters are still
    read, since answers come last.
    """
    found, stopped_at = _scan(text, 0, openers)
    if stopped_at is not None:
        tail = max(stopped_at, len(text) - 20_000)
        found += _scan(text, tail, openers)[0]
    return found


def _scan(text: str, begin: int, openers: str) -> tuple[list[Found], int | None]:
    """Values from ``begin`` on, and where the search gave up (None: at the end)."""
    found: list[Found] = []
    budget = len(text) + 50_000
    opener = re.compile(f"[{re.escape(openers)}]")
    match = opener.search(text, begin)
    while match is not None:
        if budget <= 0:
            return found, match.start()
        start = match.start()
        try:
            value, stop = _value(text, start, 0)
        except _SyntaxError as error:
            budget -= error.position - start + 1
            match = opener.search(text, start + 1)
            continue
        found.append(Found(value, start, stop))
        match = opener.search(text, stop)
    return found, None


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _value(text: str, position: int, depth: int) -> tuple[Json, int]:
    if position >= len(text) or depth > MAX_DEPTH:
        raise _SyntaxError(position)
    character = text[position]
    if character == "{":
        return _object(text, position, depth)
    if character in "[(":
        return _array(text, position, depth)
    if character in _QUOTES:
        return _string(text, position)
    return _scalar(text, position)


def _object(text: str, position: int, depth: int) -> tuple[Json, int]:
    result: dict[str, Json] = {}
    position = _skip(text, position + 1)
    while True:
        if position >= len(text):
            raise _SyntaxError(position)
        if text[position] == "}":
            return result, position + 1
        key, position = _key(text, position)
        position = _skip(text, position)
        if text[position : position + 1] not in (":", "="):
            raise _SyntaxError(position)
        value, position = _value(text, _skip(text, position + 1), depth + 1)
        result[key] = value
        position = _separator(text, position, "}")


def _key(text: str, position: int) -> tuple[str, int]:
    if text[position] in _QUOTES:
        return _string(text, position)
    match = _WORD.match(text, position) or _NUMBER.match(text, position)
    if match is None:
        raise _SyntaxError(position)
    return match.group(), match.end()


def _array(text: str, position: int, depth: int) -> tuple[Json, int]:
    closer = _CLOSERS[text[position]]
    result: list[Json] = []
    position = _skip(text, position + 1)
    while True:
        if position >= len(text):
            raise _SyntaxError(position)
        if text[position] == closer:
            return result, position + 1
        value, position = _value(text, position, depth + 1)
        result.append(value)
        position = _separator(text, position, closer)


def _separator(text: str, position: int, closer: str) -> int:
    """Step over a comma, or stay at the closing bracket."""
    position = _skip(text, position)
    character = text[position : position + 1]
    if character == ",":
        return _skip(text, position + 1)
    if character == closer:
        return position
    raise _SyntaxError(position)


def _string(text: str, position: int) -> tuple[str, int]:
    quote = text[position]
    end, plain = _QUOTES[quote], _PLAIN[quote]
    parts: list[str] = []
    position += 1
    while True:
        match = plain.match(text, position)
        stop = match.end() if match else position
        parts.append(text[position:stop])
        if stop >= len(text):
            raise _SyntaxError(stop)
        if text[stop] == end:
            # A quote that no separator follows is an apostrophe: 'the child's EEG'.
            if quote == "'" and not _ends_string(text, stop + 1):
                parts.append(end)
                position = stop + 1
                continue
            return "".join(parts), stop + 1
        piece, position = _escape(text, stop + 1)
        parts.append(piece)


def _ends_string(text: str, position: int) -> bool:
    # Comments are not skipped: each apostrophe of "'#'#'#" would read to the end.
    match = _BLANK.match(text, position)
    position = match.end() if match else position
    return position >= len(text) or text.startswith(_AFTER_STRING, position)


def _escape(text: str, position: int) -> tuple[str, int]:
    if position >= len(text):
        raise _SyntaxError(position)
    character = text[position]
    if character == "u":
        digits = text[position + 1 : position + 5]
        try:
            return chr(int(digits, 16)), position + 1 + len(digits)
        except ValueError:
            return "u", position + 1
    return _ESCAPES.get(character, character), position + 1


def _scalar(text: str, position: int) -> tuple[Json, int]:
    match = _NUMBER.match(text, position)
    if match is not None and not _SIGNED_WORD_END.match(text, match.end()):
        return _number(match.group()), match.end()
    match = _WORD.match(text, position)
    if match is None:
        raise _SyntaxError(position)
    word = match.group()
    return _WORDS.get(word.lower(), word), match.end()


def _number(token: str) -> Json:
    token = token.replace("_", "")
    try:
        return int(token)
    except ValueError:
        pass  # a fraction, an exponent, or more digits than int() reads
    try:
        return float(token)
    except (ValueError, OverflowError):
        return token
