"""A run's folder: its lock, its description, its growing predictions file.

One process writes into a run at a time. ``predictions.jsonl`` only grows, one whole
line a write; a line that was cut by a crash is removed before the file grows on.
"""

import os
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import filelock
import msgspec

from eegbench.errors import RunBusyError, SetError
from eegbench.predictions import (
    Prediction,
    RunInfo,
    predictions_path,
    read_predictions,
    read_run,
)
from eegbench.records import write_struct

FORCE_SEC = 1.0
MUST_AGREE = (
    "agent",
    "agent_config",
    "set_checksum",
    "dialect",
    "budget_tokens",
    "encoding",
    "limits",
    "protocol",
    "seed",
    "versions",
    "subset",
    "shard",
)


class RunFolder:
    """A run's folder, held for writing.

    Parameters
    ----------
    path : Path
        Made if it is not there.
    info : RunInfo
        How this run is made. An earlier run in the folder must have been made the same
        way; its record key is then kept.

    Attributes
    ----------
    info : RunInfo
        As it stands in ``run.json``.
    finished : frozenset of str
        Instances that were completed before.
    notes : list of str
        What was mended.

    Raises
    ------
    RunBusyError
        Another process writes into the folder.
    SetError
        The folder holds another run.
    """

    def __init__(self, path: Path, info: RunInfo) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.notes: list[str] = []
        self._stream: int | None = None
        self._forced_at = time.monotonic()
        self._lock = filelock.FileLock(path / ".lock", timeout=0)
        try:
            self._lock.acquire()
        except filelock.Timeout as error:
            raise RunBusyError(
                f"another process writes into {path}; wait for it or use another folder"
            ) from error
        try:
            self.info = self._described(info)
            self.finished = self._resumed()
            self._stream = os.open(
                predictions_path(path), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644
            )
        except BaseException:
            self._lock.release()
            raise

    def append(self, line: bytes) -> None:
        """Add one encoded prediction as one line.

        A line that does not fit on the disk is taken back whole before the OSError is
        raised.
        """
        if self._stream is None:
            raise SetError(f"the run {self.path} is closed; open it again")
        size = os.fstat(self._stream).st_size
        try:
            rest = memoryview(line + b"\n")
            while rest:
                rest = rest[os.write(self._stream, rest) :]
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._stream, size)
            raise
        if time.monotonic() - self._forced_at >= FORCE_SEC:
            self.force()

    def force(self) -> None:
        """Force what was written to the disk."""
        if self._stream is not None:
            os.fsync(self._stream)
        self._forced_at = time.monotonic()

    def close(self) -> None:
        """Force, close and let others write."""
        stream, self._stream = self._stream, None
        try:
            if stream is not None:
                try:
                    os.fsync(stream)
                finally:
                    os.close(stream)
        finally:
            self._lock.release()

    def __enter__(self) -> "RunFolder":
        """Return the folder itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()

    def _described(self, info: RunInfo) -> RunInfo:
        """Write ``run.json``, or check that it describes the same run."""
        path = self.path / "run.json"
        if not path.exists():
            if predictions_path(self.path).exists():
                raise SetError(
                    f"{self.path} holds predictions without a run.json; "
                    "use another folder"
                )
            write_struct(path, info)
            return info
        earlier = read_run(self.path)
        for name in MUST_AGREE:
            before, now = getattr(earlier, name), getattr(info, name)
            if before != now:
                raise SetError(
                    f"{self.path} was run with {name} {brief(before)}, this run has "
                    f"{brief(now)}; use another folder"
                )
        grown = msgspec.structs.replace(
            earlier, limit=info.limit, tasks=_joined(earlier.tasks, info.tasks)
        )
        if grown != earlier:
            write_struct(path, grown)
        return grown

    def _resumed(self) -> frozenset[str]:
        """Drop a cut last line and return the instances that were completed."""
        path = predictions_path(self.path)
        if not path.exists():
            return frozenset()
        self._mend_end(path)
        done = read_predictions(self.path)
        return frozenset(row.instance_id for row in done if row.status == "completed")

    def _mend_end(self, path: Path) -> None:
        with path.open("r+b") as stream:
            data = stream.read()
            whole = data.rfind(b"\n") + 1
            tail = data[whole:]
            if not tail:
                return
            try:
                msgspec.json.decode(tail, type=Prediction)
            except (msgspec.MsgspecError, ValueError):
                stream.truncate(whole)
                self.notes.append(
                    f"dropped a line of {path} that was cut after {len(tail)} bytes"
                )
            else:
                stream.write(b"\n")


def _joined(before: list[str] | None, now: list[str] | None) -> list[str] | None:
    """Return the tasks of a run that may have grown; None: all."""
    if before is None or now is None:
        return None
    return list(dict.fromkeys([*before, *now]))


def brief(value: object) -> str:
    """Return a value as JSON, shortened for a message."""
    text = msgspec.json.encode(value).decode("utf-8")
    return text if len(text) <= 100 else f"{text[:97]}..."
