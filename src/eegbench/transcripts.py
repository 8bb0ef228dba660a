"""Transcripts: one JSON Lines file an episode, written while the episode runs.

One file an instance, because the process that plays an episode can write it without
another's help, a reader finds an instance without an index, a killed process leaves
everything up to its last turn, and a second attempt starts a file of its own. A line
is written when a turn ends; nothing is forced to the disk.
"""

from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

import msgspec

from eegbench.errors import SetError
from eegbench.records import JsonObject, read_bytes

FOLDER = "transcripts"


class TranscriptWriter:
    """Writes the events of one episode as they come.

    An older file of the same name is removed, not overwritten: a process that was
    left behind and still writes to it writes to a file that has no name any more.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        self._stream = path.open("xb", buffering=0)
        self._encoder = msgspec.json.Encoder()

    def write(self, events: Iterable[JsonObject]) -> None:
        """Append events, each as one line, in one piece."""
        self._stream.write(self._encoder.encode_lines(events))

    def __enter__(self) -> "TranscriptWriter":
        """Return the writer itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self._stream.close()


def transcript_name(record_id: str) -> str:
    """Return a transcript's path from its run folder."""
    return f"{FOLDER}/{record_id}.jsonl"


def read_transcript(path: str | Path) -> list[JsonObject]:
    """Read the events of one episode; a cut last line is left out."""
    events: list[JsonObject] = []
    lines = read_bytes(Path(path)).split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            events.append(msgspec.json.decode(line, type=dict))
        except (msgspec.MsgspecError, ValueError) as error:
            if number == len(lines):
                break
            raise SetError(f"{path}, line {number}: not JSON") from error
    return events
