"""Answers of the ten tools over the recordings of one folder, served.

`ToolService` knows nothing of a protocol; serve_mcp.py brings it to clients. Nothing
is kept but the last recordings opened. Only measurements leave: no samples, no names,
no dates.
"""

import logging
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple

import orjson

from eegcore.errors import EegcoreError
from eegcore.serve_folder import RecordingFolder
from eegcore.tools import TOOLS
from eegcore.tools.arguments import check_arguments
from eegcore.tools.compact import Encoding
from eegcore.tools.failures import ERROR_LIMIT, ToolError, nearest, quoted
from eegcore.tools.labels import safe_message
from eegcore.tools.schemas import ANNOTATIONS
from eegcore.tools.spec import (
    TEXT_RULE,
    Argument,
    ToolSpec,
    integer,
    number,
    rows,
    text,
)
from eegcore.tools.toolbox import Toolbox

Json = dict[str, Any]

# Characters of the longest answer / 4. A tokenizer that makes one token of each digit
# (Gemma's) makes one of 1.8 characters of rows, of 1.1 of columns: docs/compact.md.
# So answers stay below 10,000 tokens of any usual model.
BUDGET_TOKENS: dict[Encoding, int] = {"rows": 4000, "compact": 2600}
MOST_OPEN = 8
# Measurements of shorter stretches would be the samples themselves.
LEAST_SEC = 0.25
_MOST_LISTED = 100

LIST_SPEC = ToolSpec(
    name="list_recordings",
    purpose="The recordings there are, with the record_id that the other tools take.",
    arguments=(
        Argument("offset", "integer", "First one to list.", default=0, minimum=0),
        Argument(
            "limit",
            "integer",
            "Most to list.",
            default=50,
            minimum=1,
            maximum=_MOST_LISTED,
        ),
    ),
    answer={
        "n_recordings": integer("All in the folder."),
        "recordings": rows(
            "One row a recording.",
            {
                "record_id": text("Name to use in other calls."),
                "format": text("Ending of the file."),
                "size_mb": number("Millions of bytes."),
            },
        ),
        "next_offset": {
            "type": ["integer", "null"],
            "description": "Where to go on; null: these were the last.",
        },
    },
)

_log = logging.getLogger(__name__)


@dataclass(eq=False)
class ToolService:
    """Answers of eleven tools: the ten, and the list of recordings.

    Parameters
    ----------
    folder : RecordingFolder
    encoding : str
        "rows" or "compact".
    budget_tokens : int or None
        Longest answer, in fours of characters; None: that of `BUDGET_TOKENS`.
    most_open : int
        Recordings kept open; the one used longest ago is let go.
    """

    folder: RecordingFolder
    encoding: Encoding = "rows"
    budget_tokens: int | None = None
    most_open: int = MOST_OPEN
    _open: "OrderedDict[str, _Opened]" = field(default_factory=OrderedDict, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def schemas(self) -> list[Json]:
        """Tools in the form of MCP, the list of recordings first."""
        listing: Json = {
            "name": LIST_SPEC.name,
            "description": f"{LIST_SPEC.purpose} {TEXT_RULE}",
            "inputSchema": LIST_SPEC.input_schema("default"),
            "outputSchema": {
                "type": "object",
                "properties": dict(LIST_SPEC.answer),
                "required": list(LIST_SPEC.answer),
            },
            "annotations": dict(ANNOTATIONS),
        }
        return [listing, *Toolbox({}, encoding=self.encoding).schemas("mcp")]

    @property
    def open_ids(self) -> tuple[str, ...]:
        """Recordings that are open, the one used longest ago first."""
        with self._lock:
            return tuple(self._open)

    def answer(self, name: str, arguments: Mapping[str, Any]) -> Json:
        """Answer of a tool; a mistake is an answer with `error` and `code`."""
        record_id = arguments.get("record_id")
        known = self.folder.known(record_id)
        try:
            if name == LIST_SPEC.name:
                return self._list(arguments)
            if name not in TOOLS:
                names = [LIST_SPEC.name, *TOOLS]
                raise ToolError(
                    "unknown_tool",
                    f"unknown tool {quoted(name)}; the tools are {', '.join(names)}."
                    + nearest(name, names),
                )
            if not isinstance(record_id, str):
                raise ToolError(
                    "missing_argument", "record_id is missing; list_recordings has them"
                )
            return self._measured(name, record_id, arguments)
        except ToolError as error:
            return _failure(known, error.code, error.message)
        except EegcoreError as error:
            _log.warning("a recording cannot be read: %s", error)
            message = str(error.args[-1]) if error.args else "cannot be read"
            return _failure(known, "unreadable", safe_message(message, ERROR_LIMIT))
        except Exception:  # one call must not end the server
            _log.exception("tool %r failed", name)
            return _failure(known, "internal", "the tool failed on this call")

    def _list(self, arguments: Mapping[str, Any]) -> Json:
        values = check_arguments(LIST_SPEC, arguments, dialect="default", strict=True)
        every = self.folder.scan()
        offset = values["offset"]
        shown = every[offset : offset + values["limit"]]
        behind = offset + len(shown)
        return {
            "n_recordings": len(every),
            "recordings": [
                {
                    "record_id": listed.record_id,
                    "format": listed.format,
                    "size_mb": listed.size_mb,
                }
                for listed in shown
            ],
            "next_offset": behind if behind < len(every) else None,
        }

    def _measured(
        self, name: str, record_id: str, arguments: Mapping[str, Any]
    ) -> Json:
        opened = self._opened(record_id)
        _refuse_samples(name, arguments, opened.duration_sec)
        answer = opened.box.call(name, arguments)
        if answer.get("code") == "unreadable":  # changed or gone: the next call reopens
            with self._lock:
                self._open.pop(record_id, None)
        return answer

    def _opened(self, record_id: str) -> "_Opened":
        with self._lock:
            if record_id in self._open:
                self._open.move_to_end(record_id)
                return self._open[record_id]
        listed = self.folder.find(record_id)
        if listed is None:
            raise ToolError(
                "unknown_record",
                f"unknown record_id {quoted(record_id)}; list_recordings has those"
                " there are",
            )
        recording = self.folder.open(listed)
        box = Toolbox(
            {record_id: recording},
            budget_tokens=self.budget_tokens or BUDGET_TOKENS[self.encoding],
            encoding=self.encoding,
        )
        with self._lock:
            opened = _Opened(box, recording.duration_sec)
            opened = self._open.setdefault(record_id, opened)
            self._open.move_to_end(record_id)
            while len(self._open) > self.most_open:
                # Not closed here: another thread may be measuring. It is unmapped
                # with its last reference.
                self._open.popitem(last=False)
        return opened


class _Opened(NamedTuple):
    box: Toolbox
    duration_sec: float


def _refuse_samples(
    name: str, arguments: Mapping[str, Any], duration_sec: float
) -> None:
    """Refuse ranges and windows so short that the answer would be the samples."""
    if TOOLS[name].size is None:
        return
    start_sec = _as_number(arguments.get("tmin"), 0.0)
    stop_sec = min(_as_number(arguments.get("tmax"), duration_sec), duration_sec)
    window_sec = _as_number(arguments.get("window_sec"), LEAST_SEC)
    # Reversed ranges and those past the end are told by the tool itself.
    too_short = 0 < stop_sec - start_sec < LEAST_SEC
    if too_short or 0 < window_sec < LEAST_SEC:
        raise ToolError(
            "out_of_range",
            f"ranges and windows must be at least {LEAST_SEC:g} s here: this server"
            " gives measurements, not samples",
        )


def _as_number(value: object, otherwise: float) -> float:
    """Return a number as the tools read it; what is none they refuse themselves."""
    if isinstance(value, str):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return otherwise
    if isinstance(value, bool) or not isinstance(value, int | float):
        return otherwise
    return float(value) if abs(value) < 1e15 else otherwise


def _failure(record_id: str | None, code: str, message: str) -> Json:
    return {"record_id": record_id, "error": message, "code": code}
