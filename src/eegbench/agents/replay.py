"""An agent that says again what an earlier run said.

A replay run takes the record key of the run that it replays, so that record ids,
prompts and tool calls are the same bytes. A transcript is found by task and record id.
"""

import functools
from pathlib import Path

import msgspec

from eegbench.agents import InstanceView, Observation, Reply, ToolCall, Usage
from eegbench.errors import HarnessError
from eegbench.predictions import read_predictions
from eegbench.records import JsonObject
from eegbench.transcripts import read_transcript


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
        name = _transcripts(self._run).get((view.task, view.record_id))
        if name is None or not (self._run / name).is_file():
            raise HarnessError(
                f"no transcript of {view.record_id} in {self._run}; was it kept whole?"
            )
        events = read_transcript(self._run / name)
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


@functools.cache
def _transcripts(run: Path) -> dict[tuple[str, str], str]:
    """Index a run's transcripts by task and record id, once a process."""
    return {
        (row.task, row.record_id): row.transcript
        for row in read_predictions(run)
        if row.transcript is not None
    }
