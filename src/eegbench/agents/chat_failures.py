"""What a provider's failure means: one clear line, and whether asking on makes sense.

Providers raise through several libraries; what they agree on is an HTTP status
somewhere along the chain of causes, and a message in which the reason stands.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

Kind = Literal["key", "model", "unreachable", "budget", "busy", "failing", "refused"]
_MARKUP = re.compile(r"\[/?[a-z]+(?: [a-z]+)*\]")
_BUDGET = re.compile(
    r"insufficient[_ ](quota|credit|balance|funds)|billing|credit balance|out of credit"
    r"|exceeded your current quota|payment required|budget",
    re.IGNORECASE,
)
_KEY_VARIABLE = re.compile(r"KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)
SHORTEST_KEY = 8
_NO_ACCESS = re.compile(r"api.?key|authenti|permission|credential", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"model.{0,80}(not (exist|found|available|recognized)|unknown)"
    r"|(no such|unknown|invalid|unsupported) model|model_not_found",
    re.IGNORECASE | re.DOTALL,
)
_UNREACHABLE = (
    "ConnectError",
    "ConnectTimeout",
    "ConnectionRefusedError",
    "gaierror",
)
_WRAPPERS = ("RetryError", "HTTPStatusError")
ADVICE: dict[str, str] = {
    "key": "the provider does not take the key; set the right one and run again",
    "model": "the provider does not have this model; check its name",
    "unreachable": "the provider cannot be reached; check the address and the network",
    "budget": "the account with the provider is used up",
    "busy": "the provider was busy up to the last retry",
    "failing": "the provider failed up to the last retry",
    "refused": "the provider refused the request",
}


class ContextFullError(Exception):
    """The conversation is longer than the model takes; no retry can help."""


@dataclass(frozen=True)
class Trouble:
    """A provider's failure, read."""

    kind: Kind
    message: str
    """One line."""

    @property
    def is_final(self) -> bool:
        """Whether every further request would meet the same."""
        return self.kind in ("key", "model", "budget")


def read_trouble(error: BaseException) -> Trouble:
    """Say what a provider's failure means."""
    chain = list(_chain(error))
    status = next(
        (code for code in map(_status, chain) if code is not None),
        None,
    )
    told = [words for each in chain if (words := _words(each))]
    told.reverse()  # of equals, what is closest to the cause
    words = max(told, key=lambda each: each.rank, default=_Words(0, one_line(error)))
    kind = _kind(status, " ".join(each.text for each in told), chain)
    number = f" ({status})" if status is not None else ""
    return Trouble(kind, without_keys(f"{ADVICE[kind]}{number}: {words.text}")[:600])


def without_keys(text: str) -> str:
    """Return a text in which the name of its variable stands for each key.

    Some servers repeat the key that they refuse.
    """
    for name, value in os.environ.items():
        if len(value) >= SHORTEST_KEY and _KEY_VARIABLE.search(name):
            text = text.replace(value, f"${name}")
    return text


def _kind(status: int | None, text: str, chain: list[BaseException]) -> Kind:
    if status == 402 or (status in (400, 403, 429) and _BUDGET.search(text)):
        return "budget"
    if status == 401 or (status == 403 and _NO_ACCESS.search(text)):
        return "key"
    if status == 404 or (status == 400 and _NO_MODEL.search(text)):
        return "model"
    if status == 429:
        return "busy"
    if status is not None and 400 <= status < 500:
        return "refused"
    names = {kind.__name__ for each in chain for kind in type(each).__mro__}
    if status is None and names.intersection(_UNREACHABLE):
        return "unreachable"
    return "failing"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Walk from an error to what caused it, through tenacity's wrapping too."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop(0)
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        attempt = getattr(each, "last_attempt", None)
        if attempt is not None and hasattr(attempt, "exception"):
            waiting.append(attempt.exception())
        waiting += [each.__cause__, each.__context__]


def _status(error: BaseException) -> int | None:
    code = getattr(error, "status_code", None)
    return code if isinstance(code, int) else None


class _Words(NamedTuple):
    """What an error of a chain says, and how close to the provider it stands."""

    rank: int
    text: str


def _words(error: BaseException) -> _Words | None:
    """Return an error's message; None for one that only repeats what was asked."""
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        inner = body.get("error")
        told = (inner if isinstance(inner, dict) else body).get("message")
        if isinstance(told, str) and told.strip():
            return _Words(3, " ".join(told.split())[:400])
    told = getattr(error, "provider_message", None)
    if isinstance(told, str) and told.strip():
        return _Words(2, " ".join(told.split())[:400])
    line = one_line(error)
    if line.startswith("Request:") or type(error).__name__ in _WRAPPERS:
        return None
    return _Words(1, line)


def one_line(error: BaseException) -> str:
    """Return an error's message as one line without a terminal's markup."""
    text = _MARKUP.sub("", str(getattr(error, "message", None) or error))
    line = " ".join(text.split()).removeprefix("ERROR: ")
    return (line or type(error).__name__)[:400]
