"""An agent that says again what an earlier run said.

A replay run takes the record key of the run that it replays, so that record ids,
prompts and tool calls are the same bytes, and a transcript is found by record id.
"""

from pathlib import Path

import msgspec

from eegbench.agents import InstanceView, Observation, Reply, ToolCall, Usage
from eegbench.errors import HarnessError
from eegbench.records import JsonObject
from eegbench.transcripts import read_transcript, transcript_name


class ReplayOptions(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True
):
    """Which run is said again."""

    run: str
    """Folder of the earlier run."""


class ReplayAgent:
    """Gives the replies of a stored transcript, one after the other."""

    name = "replay"

    def __init__(self, options: ReplayOptions) -> None:
        self._run = Path(options.run)
        self._replies: list[JsonObject] = []

    def start(self, view: InstanceView) -> None:
        """Read the transcript of the instance."""
        path = self._run / transcript_name(view.record_id)
        if not path.is_file():
            raise HarnessError(f"no transcript {path}; was the run kept whole?")
        events = read_transcript(path)
        self._replies = [event for event in events if event["event"] == "reply"]

    def reply(self, observation: Observation) -> Reply:
        """Give the next stored reply."""
        if not self._replies:
            raise HarnessError("the transcript has no further reply")
        stored = self._replies.pop(0)
        usage = Usage(
            input_tokens=stored["input_tokens"], output_tokens=stored["output_tokens"]
        )
        if not stored["native"]:
            return Reply(text=stored["text"] or "", usage=usage)
        calls = tuple(
            ToolCall(call["name"], call["arguments"]) for call in stored["tool_calls"]
        )
        return Reply(
            text=stored["text"] or "",
            tool_calls=calls,
            answer=None if calls else stored["answer"],
            usage=usage,
        )
