"""Memory in which sums of blocks are kept, and what is to be computed into it."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from eegcore.blockscan import PIECE
from eegcore.kernels.rows import N_MARKS, N_SUMS
from eegcore.threads import n_threads

Float = NDArray[np.float64]
Int = NDArray[np.int64]

CHUNK = 1024  # blocks whose sums are kept or dropped together
LAZY_BYTES = 2**17  # zeros of so many bytes take memory only once they are written to


@dataclass(eq=False)
class Chunk:
    """Sums of CHUNK blocks of all channels with one block length.

    have : bool, (3, n_channels, CHUNK / PIECE): what has been computed.
    full : rows of which nothing of a kind is missing, for each kind.
    joined : sums and marks of all blocks of a channel (its row), joined to one.
    """

    atoms: NDArray[np.float32]
    flags: NDArray[np.uint8]
    sums: Float
    marks: NDArray[np.int32]
    density: Float
    have: NDArray[np.bool_]
    is_mapped: bool = False
    full: tuple[set[int], ...] = field(default_factory=lambda: (set(), set(), set()))
    joined: dict[int, tuple[Float, Int]] = field(default_factory=dict)

    def note(self, kind: int, rows: Iterable[int], pieces: slice) -> None:
        """Note that these pieces of rows have been computed."""
        for row in rows:
            self.have[kind, row, pieces] = True
            if self.have[kind, row].all():
                self.full[kind].add(row)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All sums."""
        return self.atoms, self.flags, self.sums, self.marks, self.density

    @property
    def n_bytes(self) -> int:
        """Memory that has been written to; none where a file is mapped.

        Whole arrays: rows are about a page long, so one block touches all of a row.
        Small arrays are written to when they are made.
        """
        if self.is_mapped:
            return 0
        kinds: tuple[tuple[NDArray[Any], ...], ...] = (
            (self.atoms, self.flags),
            (self.sums, self.marks),
            (self.density,),
        )
        used = np.asarray(self.have.any(axis=(1, 2)))
        return sum(
            array.nbytes
            for arrays, is_used in zip(kinds, used, strict=True)
            for array in arrays
            if is_used or array.nbytes < LAZY_BYTES
        )


@dataclass(eq=False)
class Kept:
    """Kept sums of the channels of one recording with one rate."""

    h: int
    n_atoms: int
    rows: dict[int, int]
    flat: Int
    n_blocks: int
    chunks: "OrderedDict[int, Chunk]" = field(default_factory=OrderedDict)
    grown: bool = False
    stored: "Stored | None" = None


class Stored(Protocol):
    """Sums that are on the disk."""

    def chunk(self, number: int) -> Chunk:
        """Return a chunk of which nothing is missing."""


def chunk_shapes(
    kept: Kept, number: int
) -> tuple[tuple[tuple[int, ...], np.dtype[Any]], ...]:
    """Shape and type of each array of a chunk, the last one as long as needed."""
    n = len(kept.rows)
    pieces = min(CHUNK // PIECE, -(-(kept.n_blocks - number * CHUNK) // PIECE))
    blocks = pieces * PIECE
    return (
        ((n, kept.n_atoms, blocks), np.dtype(np.float32)),
        ((n, blocks), np.dtype(np.uint8)),
        ((n, N_SUMS, blocks), np.dtype(np.float64)),
        ((n, N_MARKS, blocks), np.dtype(np.int32)),
        ((n, pieces, kept.h + 1), np.dtype(np.float64)),
    )


def new_chunk(kept: Kept, number: int) -> Chunk:
    """Return an empty chunk."""
    atoms, flags, sums, marks, density = (
        np.empty(shape, kind) for shape, kind in chunk_shapes(kept, number)
    )
    have = np.zeros((3, *density.shape[:2]), np.bool_)
    return Chunk(atoms, flags, sums, marks, density, have)


class Task(NamedTuple):
    """Blocks first..stop-1 of some channels of a chunk, one after the other."""

    chunk: Chunk
    base: int
    first: int
    stop: int
    channels: tuple[int, ...]


def divided(tasks: list[Task]) -> list[Task]:
    """The same work in parts small enough for all threads to have some."""
    total = sum(t.stop - t.first for t in tasks)
    size = max(PIECE, -(-total // (2 * n_threads() * PIECE)) * PIECE)
    if n_threads() == 1:
        size = CHUNK
    return [
        task._replace(first=first, stop=min(first + size, task.stop))
        for task in tasks
        for first in range(task.first, task.stop, size)
    ]
