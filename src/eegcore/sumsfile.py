"""Block sums of a recording in a file, found by the recording's content.

`eegcore.keep_sums` (command ``eegcore sums``) writes such files to a folder; where
EEGCORE_SUMS_DIR names the folder, tools take the sums from there instead of reading
all samples. The file is mapped: sums that nobody asks for take neither time nor memory.

A file is called ``<bytes>-<SHA-256 of the recording>.sums``. It holds a line of JSON,
then the arrays of `eegcore.blockchunks.Chunk` one after the other, each at a multiple
of 64 bytes. The line says all that the numbers depend on, the kernels' checksum among
it; a file that says anything else than expected is not used. Which recording has which
checksum is remembered by its path, size, time of change and inode.
"""

import hashlib
import logging
import math
import mmap
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from eegcore.bands import window_bands
from eegcore.blockchunks import CHUNK, Chunk, Kept, chunk_shapes
from eegcore.blockscan import PIECE
from eegcore.kernels._folder import source_checksum
from eegcore.recording import Recording

FOLDER_VARIABLE = "EEGCORE_SUMS_DIR"
_FORMAT = "eegcore block sums 1"
_ALIGNED = 64
_SHA_256 = re.compile(r"[0-9a-f]{64}")
_log = logging.getLogger("eegcore")


class Part(NamedTuple):
    """One array in a file."""

    offset: int
    shape: tuple[int, ...]
    kind: np.dtype[Any]


class StoredSums:
    """Sums of the channels of a recording with one rate, mapped from a file.

    Parameters
    ----------
    path : Path
    kept : Kept
        Says which; its chunks are not looked at.
    begin : int
        First byte of these sums in the file.
    """

    def __init__(self, path: Path, kept: Kept, begin: int) -> None:
        self._parts = list(_parts(kept, begin))
        with path.open("rb") as file:
            # a private copy of what is written to: kernels take writable arrays only,
            # and nobody writes
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)

    def chunk(self, number: int) -> Chunk:
        """Return a chunk of which nothing is missing."""
        atoms, flags, sums, marks, density = (
            np.frombuffer(
                self._map, part.kind, math.prod(part.shape), part.offset
            ).reshape(part.shape)
            for part in self._parts[number]
        )
        have = np.ones((3, *density.shape[:2]), np.bool_)
        every = set(range(len(atoms)))
        full = (every, every, every)
        return Chunk(
            atoms, flags, sums, marks, density, have, is_mapped=True, full=full
        )


def _parts(kept: Kept, begin: int) -> Iterator[list[Part]]:
    """Places of the arrays of each chunk."""
    for number in range(-(-kept.n_blocks // CHUNK)):
        row = []
        for shape, kind in chunk_shapes(kept, number):
            begin = -(-begin // _ALIGNED) * _ALIGNED
            row.append(Part(begin, shape, kind))
            begin += math.prod(shape) * kind.itemsize
        yield row


def group_bytes(kept: Kept) -> int:
    """Bytes of the sums of one rate, padding included."""
    end = 0
    for row in _parts(kept, 0):
        last = row[-1]
        end = last.offset + math.prod(last.shape) * last.kind.itemsize
    return -(-end // _ALIGNED) * _ALIGNED


def header_line(recording: Recording, groups: dict[float, Kept]) -> bytes:
    """Return the first bytes of a file, padded."""
    told = {
        "format": _FORMAT,
        "recording": recording.checksum(),
        "groups": [_told(rate_hz, kept) for rate_hz, kept in groups.items()],
    }
    line = orjson.dumps(told)
    size = -(-(len(line) + 1) // _ALIGNED) * _ALIGNED
    return line.ljust(size - 1) + b"\n"


def _told(rate_hz: float, kept: Kept) -> dict[str, Any]:
    """All that the sums of one rate depend on beside the samples."""
    return {
        "rate_hz": rate_hz,
        "block": kept.h,
        "n_blocks": kept.n_blocks,
        "channels": list(kept.rows),
        "flat": kept.flat.tolist(),
        "atoms": list(window_bands(rate_hz).bands.atoms),
        "arrays": [[shape, kind.str] for shape, kind in chunk_shapes(kept, 0)],
        "kernels": source_checksum(),
        "n_bytes": group_bytes(kept),
    }


def file_name(recording: Recording) -> str:
    """Name of the file with the sums of a recording."""
    size = 0 if recording.path is None else recording.path.stat().st_size
    return f"{size}-{recording.checksum()}.sums"


def usable_file(
    recording: Recording, groups: dict[float, Kept], folder: Path
) -> Path | None:
    """File of a folder that holds the sums of a recording, all of them."""
    path = _find(recording, folder)
    if path is None:
        return None
    begins = [_begin(path, recording, rate, kept) for rate, kept in groups.items()]
    return None if None in begins else path


def stored_sums(recording: Recording, rate_hz: float, kept: Kept) -> StoredSums | None:
    """Return the sums of one rate from the folder of EEGCORE_SUMS_DIR, if it has them.

    What is wrong with a file is logged once and is no error: the samples are there.
    """
    chosen = os.environ.get(FOLDER_VARIABLE, "").strip()
    if not chosen or recording.path is None or not kept.n_blocks:
        return None
    try:
        path = _find(recording, Path(chosen).expanduser())
        begin = path and _begin(path, recording, rate_hz, kept)
        return StoredSums(path, kept, begin) if path and begin else None
    except OSError as error:
        _log.warning("block sums in %s cannot be read: %s", chosen, error.strerror)
        return None


def _begin(path: Path, recording: Recording, rate_hz: float, kept: Kept) -> int | None:
    """First byte of the sums of one rate, if they are as those computed now."""
    with path.open("rb") as file:
        line = file.readline(1 << 24)
        size = os.fstat(file.fileno()).st_size
    begin = len(line)
    try:
        told = orjson.loads(line)
        groups = {group["rate_hz"]: group for group in told["groups"]}
        places = {}
        for group in told["groups"]:
            places[group["rate_hz"]] = begin
            begin += group["n_bytes"]
        is_whole = begin == size and told["format"] == _FORMAT
        is_ours = told["recording"] == recording.checksum()
    except (ValueError, LookupError, TypeError):
        is_whole = is_ours = False
    if not (is_whole and is_ours):
        _log.warning("%s is no whole file of block sums; not used", path)
        return None
    expected = orjson.loads(orjson.dumps(_told(rate_hz, kept)))
    if groups.get(rate_hz) != expected:
        _log.info("%s was written by other kernels; not used", path)
        return None
    return int(places[rate_hz])


def _find(recording: Recording, folder: Path) -> Path | None:
    """File of a recording in a folder; the recording is read through at most once."""
    path = recording.path
    if path is None or not folder.is_dir():
        return None
    state = path.stat()
    known = (str(path), state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)
    note = folder / f"{hashlib.sha256(repr(known).encode()).hexdigest()[:32]}.seen"
    try:
        told = note.read_text("ascii")
    except (OSError, UnicodeDecodeError):
        told = ""
    if _SHA_256.fullmatch(told):
        recording.trust_checksum(told)
    else:
        if next(folder.glob(f"{state.st_size}-*.sums"), None) is None:
            return None
        _note(note, recording.checksum())
    found = folder / file_name(recording)
    return found if found.exists() else None


def _note(note: Path, checksum: str) -> None:
    """Remember a checksum; a folder that cannot be written to is no fault."""
    try:
        with tempfile.NamedTemporaryFile(
            "w", dir=note.parent, suffix=".part", delete=False
        ) as file:
            file.write(checksum)
        Path(file.name).replace(note)
    except OSError:
        return


def write_arrays(file: Any, kept: Kept, chunks: Iterator[Chunk]) -> Iterator[int]:
    """Write the sums of one rate from the place of a file on; yields blocks written."""
    begin = file.tell()
    for row, chunk in zip(_parts(kept, begin), chunks, strict=True):
        arrays: tuple[NDArray[Any], ...] = chunk.arrays
        for part, array in zip(row, arrays, strict=True):
            file.write(b"\0" * (part.offset - file.tell()))
            file.write(array.data)
        yield chunk.have.shape[2] * PIECE
    file.write(b"\0" * (begin + group_bytes(kept) - file.tell()))
