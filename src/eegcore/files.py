"""Files: opened by descriptors, found unchanged, known by their content."""

import hashlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from eegcore.errors import FileChangedError, ReadError
from eegcore.source import FileStamp

# A pipe without a writer must not be waited for, and a terminal must not be taken over.
_MODE = os.O_RDONLY
for _flag in ("O_BINARY", "O_NONBLOCK", "O_NOCTTY"):
    _MODE |= getattr(os, _flag, 0)


class opened:  # noqa: N801 - used like `open`
    """A regular file opened for reading, closed at the end of a `with` block.

    By its descriptor: a file object takes three times as long to open.

    Attributes
    ----------
    number : int
        The file descriptor.

    Raises
    ------
    ReadError
        A folder, a pipe, or what else is no regular file.
    OSError
        The file is not there or cannot be read.
    """

    __slots__ = ("_state", "number")

    def __init__(self, path: str | Path) -> None:
        try:
            self.number = os.open(path, _MODE)
        except OSError:
            _check_kind(os.stat(path).st_mode)  # noqa: PTH116 - a descriptor's twin
            raise
        try:
            self._state = os.fstat(self.number)
            _check_kind(self._state.st_mode)
        except BaseException:
            os.close(self.number)
            raise

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        os.close(self.number)

    def stamp(self) -> FileStamp:
        """State of the file when it was opened."""
        state = self._state
        return FileStamp(state.st_size, state.st_mtime_ns, state.st_ino)

    def read(self, size: int, /) -> bytes:
        """Next bytes: as many as asked for unless the file ends."""
        found = os.read(self.number, size)
        while 0 < len(found) < size:
            more = os.read(self.number, size - len(found))
            if not more:
                break
            found += more
        return found


def _check_kind(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise ReadError("a folder, not a recording")
    if not stat.S_ISREG(mode):
        raise ReadError("not a regular file")


def check_stamp(stamp: FileStamp, path: str | Path) -> None:
    """Raise FileChangedError if a file is not as it was."""
    try:
        now = FileStamp.of(path)
    except OSError as error:
        raise FileChangedError("the file is gone since it was opened") from error
    if now.size != stamp.size:
        raise FileChangedError(
            f"the file went from {stamp.size} to {now.size} bytes since it was opened"
        )
    if now != stamp:
        raise FileChangedError("the file was changed since it was opened")


def checksum_of(paths: Iterable[Path]) -> str:
    """SHA-256 in hexadecimal of files, one after the other."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()
