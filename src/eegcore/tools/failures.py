"""Mistakes of an agent, as answers: a stable code and one line that helps."""

import difflib
from collections.abc import Sequence
from typing import Any

from eegcore.errors import EegcoreError

Json = dict[str, Any]

QUOTE_LIMIT = 60
ERROR_LIMIT = 900


class ToolError(EegcoreError):
    """A call that gets no result; becomes the JSON answer, never leaves a toolbox.

    Parameters
    ----------
    code : str
        Stable name of the mistake.
    message : str
        What is wrong, the value, what is allowed.
    **facts
        Further keys of the answer.
    """

    def __init__(self, code: str, message: str, **facts: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.facts: Json = facts


def harmless(value: str, limit: int) -> str:
    """Text from a stranger without control characters, cut to a length."""
    shown = "".join(c if c.isprintable() else "?" for c in value[: limit + 1])
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def quoted(value: object, limit: int = QUOTE_LIMIT) -> str:
    """Return an agent's value for an error text, short and harmless."""
    if isinstance(value, str):
        return f"'{harmless(value, limit)}'"
    if isinstance(value, dict):
        return f"an object of {len(value)} keys"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**20:
        return "an integer of more than 20 digits"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return harmless(repr(value), limit)


def some(names: Sequence[str], limit: int = 24) -> str:
    """Names in one line, the rest counted."""
    if len(names) <= limit:
        return ", ".join(names) or "none"
    return ", ".join(names[:limit]) + f" and {len(names) - limit} more"


def nearest(name: str, known: Sequence[str]) -> str:
    """Return a hint at the name that was meant, or nothing."""
    folded = {other.casefold(): other for other in known}
    close = difflib.get_close_matches(name[:QUOTE_LIMIT].casefold(), folded, n=3)
    return f" did you mean {', '.join(folded[c] for c in close)}?" if close else ""
