"""The toolbox: argument checks, output budget, dispatch, error replies."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from eegcore.errors import ArgumentError, EegcoreError, ReadError
from eegcore.recording import Recording
from eegcore.threads import ForkLock
from eegcore.tools import TOOLS, Tool
from eegcore.tools.answers import Answer, Json, size_of
from eegcore.tools.arguments import as_mapping, check_arguments
from eegcore.tools.budget import CHARACTERS_PER_TOKEN, check_budget
from eegcore.tools.call import Call, RecordView, checked_range
from eegcore.tools.compact import ENCODINGS, Encoding, encode
from eegcore.tools.dialect import find_dialect
from eegcore.tools.failures import (
    ERROR_LIMIT,
    ToolError,
    harmless,
    nearest,
    quoted,
    some,
)
from eegcore.tools.labels import safe_message
from eegcore.tools.schemas import Flavour, render

DEFAULT_BUDGET_TOKENS = 8000

_log = logging.getLogger(__name__)


FAULT_CODES = ("internal", "unreadable")
"""Codes of failures that are not the agent's."""


class Toolbox:
    """The ten tools over some recordings, for an agent or for Python.

    Parameters
    ----------
    recordings : mapping of str to Recording or path
        By the name that agents use; a path is opened on first use.
    dialect : str
        "default" or "paper-1.0".
    budget_tokens : int or None
        Answers that may be longer are refused before computing; None: no limit.
    encoding : str
        "rows", or "compact" (not in `paper-1.0`): tables as columns, the same
        information in fewer tokens.

    Examples
    --------
    >>> box = Toolbox({"rec-1": "night.edf"})              # doctest: +SKIP
    >>> box.call("get_recording_info", {"record_id": "rec-1"})  # doctest: +SKIP
    """

    def __init__(
        self,
        recordings: Mapping[str, Recording | str | Path],
        *,
        dialect: str = "default",
        budget_tokens: int | None = DEFAULT_BUDGET_TOKENS,
        encoding: Encoding = "rows",
    ) -> None:
        if budget_tokens is not None and budget_tokens <= 0:
            raise ArgumentError(
                f"budget_tokens is {budget_tokens}; a number above 0 or None is needed"
            )
        self.dialect = find_dialect(dialect)
        self.encoding = _checked_encoding(encoding, dialect)
        self.budget_tokens = budget_tokens
        self._recordings = dict(recordings)
        self._views: dict[str, RecordView] = {}
        self._lock = ForkLock()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tools, in the order agents see them."""
        return tuple(TOOLS)

    @property
    def record_ids(self) -> tuple[str, ...]:
        """Names of the recordings."""
        return tuple(self._recordings)

    def schemas(self, flavour: Flavour = "json") -> list[Json]:
        """Schemas of all tools; those of "mcp" and "json" tell the answers too.

        Others are "openai", "openai-strict" and "anthropic".
        """
        return [
            render(t.spec, flavour, self.dialect.name, encoding=self.encoding)
            for t in TOOLS.values()
        ]

    def call(self, name: str, arguments: object = None) -> Json:
        """Answer of a tool; never raises for what an agent may send.

        Parameters
        ----------
        name : str
            Name of a tool.
        arguments : mapping, JSON text of one, or None

        Returns
        -------
        dict
            `_meta`, `record_id` and the tool's keys; or `record_id`, `error` and (in
            `default`) `code`. Numbers are rounded as they will be sent.
        """
        return dict(self._outcome(name, arguments))

    def _outcome(self, name: str, arguments: object) -> Json:
        record_id: str | None = None
        try:
            given = as_mapping(arguments)
            record_id = self._known_id(given)
            return self._answer(name, given)
        except ToolError as error:
            return self._failure(record_id, error)
        except ReadError as error:
            _log.warning("recording %r: %s", record_id, error)
            message = self._plain(record_id, error)
            return self._failure(record_id, ToolError("unreadable", message))
        except EegcoreError as error:
            message = self._plain(record_id, error)
            return self._failure(record_id, ToolError("not_possible", message))
        except Exception:
            # An agent's call must not end the episode; the fault is ours and is
            # logged with its traceback for whoever runs the tools.
            _log.exception("tool %r failed", name)
            message = f"the tool failed on this call of {quoted(name)}"
            return self._failure(record_id, ToolError("internal", message))

    def call_json(self, name: str, arguments: object = None) -> bytes:
        """Answer of a tool as canonical JSON: the same call gives the same bytes."""
        answer = self._outcome(name, arguments)
        return answer.to_json() if isinstance(answer, Answer) else orjson.dumps(answer)

    def _known_id(self, given: Mapping[str, Any]) -> str | None:
        record_id = given.get("record_id")
        return record_id if self._is_known(record_id) else None

    def _is_known(self, record_id: object) -> bool:
        return isinstance(record_id, str) and record_id in self._recordings

    def _answer(self, name: str, given: Mapping[str, Any]) -> Json:
        tool = self._find_tool(name)
        dialect = self.dialect
        values = check_arguments(
            tool.spec, given, dialect=dialect.name, strict=dialect.strict
        )
        view = self._view(values["record_id"])
        measures = tool.size is not None  # the others describe the file as a whole
        start_sec, stop_sec = checked_range(view, values) if measures else (0.0, 0.0)
        call = Call(
            view=view,
            tool=tool.spec.name,
            values=values,
            given={key: value for key, value in given.items() if value is not None},
            channels=view.resolve(values.get("channels")) if measures else (),
            start_sec=start_sec,
            stop_sec=stop_sec,
            characters=self._characters(),
            encoding=self.encoding,
        )
        if tool.check is not None:
            tool.check(call)
        if self.budget_tokens is not None:
            check_budget(tool, call, self.budget_tokens)
        with np.errstate(all="ignore"):  # what overflows has no value: null
            answer = tool.answer(call)
        view.recording.check_unchanged()  # nor while the answer was computed
        if self.encoding == "compact":
            answer = encode(name, answer)
        if tool.size is None and size_of(answer) > call.characters:
            raise ToolError(
                "too_large",
                f"even the shortest answer is above the budget of {self.budget_tokens}"
                " tokens",
                budget_tokens=self.budget_tokens,
            )
        return answer

    def _characters(self) -> float:
        if self.budget_tokens is None or not self.dialect.budget_for_all:
            return float("inf")
        return float(self.budget_tokens * CHARACTERS_PER_TOKEN)

    def _find_tool(self, name: object) -> Tool:
        tool = TOOLS.get(name) if isinstance(name, str) else None
        if tool is None:
            hint = nearest(name, list(TOOLS)) if isinstance(name, str) else ""
            raise ToolError(
                "unknown_tool",
                f"unknown tool {quoted(name)}; the tools are {', '.join(TOOLS)}.{hint}",
            )
        return tool

    def _view(self, record_id: str) -> RecordView:
        if not self._is_known(record_id):
            ids = [harmless(known, 60) for known in self._recordings]
            raise ToolError(
                "unknown_record",
                f"unknown record_id {quoted(record_id)}; there is {some(ids, 10)}",
            )
        with self._lock:
            view = self._views.get(record_id)
            if view is None:
                recording = self._recordings[record_id]
                if not isinstance(recording, Recording):
                    from eegcore.formats import open_recording

                    recording = open_recording(recording)
                view = RecordView(record_id, recording, self.dialect)
                self._views[record_id] = view
        return view

    def _failure(self, record_id: str | None, error: ToolError) -> Json:
        message = error.message
        if len(message) > ERROR_LIMIT:
            message = message[: ERROR_LIMIT - 1] + "…"
        answer: Json = {"record_id": record_id, "error": message}
        # Whose fault it was is told in both dialects: a harness must not score what
        # an agent answers to a recording that became unreadable.
        if self.dialect.error_codes or error.code in FAULT_CODES:
            answer["code"] = error.code
        return answer | error.facts

    def _plain(self, record_id: str | None, error: EegcoreError) -> str:
        """Return an error's text without any path, whoever put it there."""
        text = str(error.args[-1]) if error.args else str(error)
        recording = self._recordings.get(record_id or "")
        path = recording.path if isinstance(recording, Recording) else recording
        if path is not None:
            for form in (Path(path).resolve(), Path(path), Path(path).name):
                text = text.replace(str(form), "the file")
        return safe_message(text, ERROR_LIMIT)


def _checked_encoding(encoding: Encoding, dialect: str) -> Encoding:
    if encoding not in ENCODINGS:
        raise ArgumentError(
            f"unknown encoding {encoding!r}; allowed are {', '.join(ENCODINGS)}"
        )
    if encoding != "rows" and dialect == "paper-1.0":
        raise ArgumentError(
            f"encoding {encoding!r} is not offered in dialect paper-1.0, which answers"
            " as the release does; allowed is rows"
        )
    return encoding
