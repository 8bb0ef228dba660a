"""Partial sums of blocks of a recording, from which longer stretches are answered.

A block is half a Welch segment (1 s at a whole rate), on a grid from the first stored
sample. Kept of each: sums of the segment that starts there over bins, in float32 where
that is enough, and the exact integer sums of its samples. Any stretch that starts on
the grid is a sum of these, always in the same order, so that an answer has the same
bytes whether the sums were kept from an earlier call or not, with one thread or many.
Kept sums are bounded; the oldest go first.
"""

import weakref
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore import productsums
from eegcore.bands import window_bands
from eegcore.blockchunks import CHUNK, Chunk, Kept, Task, divided, new_chunk
from eegcore.blockscan import (
    DENSITIES,
    PIECE,
    SEGMENTS,
    STRETCHES,
    SegmentSums,
    scan_blocks,
)
from eegcore.kernels.rows import N_MARKS, N_SUMS
from eegcore.recording import Recording
from eegcore.sumsfile import stored_sums
from eegcore.threads import ForkLock, run
from eegcore.workspace import fast_block, flat_limit

Float = NDArray[np.float64]
Int = NDArray[np.int64]

BATCH = 4  # chunks that are needed at the same time
KEPT_BYTES = 44 * 2**20
FLAT_STEP_UV = 0.1


_lock = ForkLock()
_kept: "weakref.WeakKeyDictionary[Recording, dict[float, Kept]]" = (
    weakref.WeakKeyDictionary()
)


def forget(recording: Recording | None = None) -> None:
    """Drop the kept sums of a recording, or of all."""
    with _lock:
        if recording is None:
            _kept.clear()
        else:
            _kept.pop(recording, None)
    productsums.forget(recording)


def kept_bytes() -> int:
    """Memory that kept sums take now."""
    with _lock:
        every = [k for by_key in _kept.values() for k in by_key.values()]
        return sum(c.n_bytes for k in every for c in k.chunks.values())


def _kept_of(recording: Recording, rate_hz: float, h: int) -> Kept:
    by_rate = _kept.setdefault(recording, {})
    if rate_hz not in by_rate:
        members = [
            i
            for i, channel in enumerate(recording.channels)
            if channel.rate_hz == rate_hz and fast_block(recording, i)
        ]
        flat = [flat_limit(recording, i, FLAT_STEP_UV) for i in members]
        n_blocks = recording.channels[members[0]].n_samples // h
        rows = {channel: row for row, channel in enumerate(members)}
        limits = np.array(flat, np.int64)
        n_atoms = len(window_bands(rate_hz).bands.atoms) - 1
        kept = by_rate[rate_hz] = Kept(h, n_atoms, rows, limits, n_blocks)
        kept.stored = stored_sums(recording, rate_hz, kept)
    return by_rate[rate_hz]


class BlockSums(NamedTuple):
    """Sums of some consecutive blocks of one channel.

    Attributes
    ----------
    atoms : ndarray, float32, (n_atoms, n_blocks)
        4 |Hann-windowed bin|^2 of the segment that starts at each block, in squares of
        stored integers; the last block of a recording starts none.
    sums, marks : ndarray, float64 (6, n_blocks) and int32 (11, n_blocks)
        See `eegcore.kernels.stretch`.
    """

    atoms: NDArray[np.float32]
    sums: Float
    marks: NDArray[np.int32]


class Sums:
    """Access to the block sums of the channels of one recording with one rate.

    Parameters
    ----------
    recording : Recording
    channel : int
        One of these channels; it must have a fast way (`fast_block`).
    """

    def __init__(self, recording: Recording, channel: int) -> None:
        self._recording = recording
        self._h = fast_block(recording, channel)
        rate_hz = recording.channels[channel].rate_hz
        with _lock:
            self._kept = _kept_of(recording, rate_hz, self._h)

    @property
    def n_atoms(self) -> int:
        """Sums over bins of each segment."""
        return self._kept.n_atoms

    @property
    def n_blocks(self) -> int:
        """Whole blocks of the recording."""
        return self._kept.n_blocks

    def bytes_of(self, kinds: tuple[int, ...]) -> int:
        """Memory of the kept sums of one block of one channel."""
        stretch = 8 * N_SUMS + 4 * N_MARKS
        sizes = (4 * self.n_atoms + 1, stretch, 8 * (self._h + 1) // PIECE)
        return sum(sizes[kind] for kind in kinds)

    def fits(
        self, channels: Sequence[int], n_blocks: int, kinds: tuple[int, ...]
    ) -> bool:
        """Whether the sums of so many blocks can be kept all at once, or are stored."""
        if self._kept.stored is not None:
            return True
        return self.bytes_of(kinds) * len(channels) * n_blocks <= KEPT_BYTES

    def has(
        self, channels: Sequence[int], first: int, stop: int, kinds: tuple[int, ...]
    ) -> bool:
        """Whether sums of some blocks are kept or stored."""
        if self._kept.stored is not None:
            return True
        rows = np.array([self._kept.rows[channel] for channel in channels])
        with _lock:
            for number in range(first // CHUNK, -(-stop // CHUNK)):
                chunk = self._kept.chunks.get(number)
                if chunk is None:
                    return False
                low, high = max(first - number * CHUNK, 0), stop - number * CHUNK
                pieces = slice(low // PIECE, -(-min(high, CHUNK) // PIECE))
                if not all(chunk.have[kind, rows, pieces].all() for kind in kinds):
                    return False
        return True

    def prepare(
        self, channels: Sequence[int], first: int, stop: int, kinds: tuple[int, ...]
    ) -> None:
        """Compute what is not yet kept of some blocks, in file order on all threads."""
        with _lock:
            tasks: list[Task] = []
            for number in range(first // CHUNK, -(-stop // CHUNK)):
                base = number * CHUNK
                low, high = max(first - base, 0), min(stop - base, CHUNK)
                pieces = slice(low // PIECE, -(-high // PIECE))
                tasks += self._missing(
                    self._chunk(number), base, pieces, channels, kinds
                )
            if tasks:
                self._recording.check_samples()
                run(lambda task: self._scan(task, kinds), divided(tasks))
                for task in tasks:
                    rows = [self._kept.rows[c] for c in task.channels]
                    low, high = task.first - task.base, task.stop - task.base
                    done = slice(low // PIECE, -(-high // PIECE))
                    for kind in kinds:
                        task.chunk.note(kind, rows, done)
                self._kept.grown = True

    def keep(
        self, channels: Sequence[int], first: int, stop: int, kinds: tuple[int, ...]
    ) -> None:
        """`prepare`, and stay within the bounds."""
        with _lock:
            self.prepare(channels, first, stop, kinds)
            self.bound()

    def _chunk(self, number: int) -> Chunk:
        chunks = self._kept.chunks
        if number not in chunks:
            stored = self._kept.stored
            make = partial(new_chunk, self._kept) if stored is None else stored.chunk
            chunks[number] = make(number)
            self._kept.grown = True
        chunks.move_to_end(number)
        return chunks[number]

    def _missing(
        self,
        chunk: Chunk,
        base: int,
        pieces: slice,
        channels: Sequence[int],
        kinds: tuple[int, ...],
    ) -> list[Task]:
        """Runs of pieces in which some channel lacks something."""
        rows = [self._kept.rows[c] for c in channels]
        if all(chunk.full[kind].issuperset(rows) for kind in kinds):
            return []
        have = np.asarray(chunk.have[kinds[0], rows, pieces])
        for kind in kinds[1:]:
            have = have & chunk.have[kind, rows, pieces]
        if have.all():
            return []
        tasks = []
        edges = np.flatnonzero(np.diff(~have.all(axis=0), prepend=0, append=0))
        for start, end in edges.reshape(-1, 2):
            lacking = [not row.all() for row in have[:, start:end]]
            chosen = tuple(
                c for c, lacks in zip(channels, lacking, strict=True) if lacks
            )
            first = base + (pieces.start + int(start)) * PIECE
            stop = min(base + (pieces.start + int(end)) * PIECE, self._kept.n_blocks)
            tasks.append(Task(chunk, base, first, stop, chosen))
        return tasks

    def _scan(self, task: Task, kinds: tuple[int, ...]) -> None:
        kept, chunk = self._kept, task.chunk
        rows = [kept.rows[c] for c in task.channels]
        pairs = np.array(list(zip(task.channels, rows, strict=True)), np.int64)
        span = (task.first, task.stop, kept.n_blocks, task.base)
        out = (chunk.atoms, chunk.flags, chunk.sums, chunk.marks, chunk.density)
        scan_blocks(self._recording, pairs, span, kept.flat[rows], kinds, out)

    def whole_chunks(self) -> Iterator[Chunk]:
        """Each chunk in turn, all of it computed, then forgotten."""
        kinds = (SEGMENTS, STRETCHES, DENSITIES)
        channels = tuple(self._kept.rows)
        for number in range(-(-self.n_blocks // CHUNK)):
            with _lock:
                self._kept.chunks.pop(number, None)
                chunk = self._chunk(number)
                if not chunk.is_mapped:
                    for array in chunk.arrays:
                        array.fill(0)  # nothing of other memory gets out
                base = number * CHUNK
                stop = min(base + CHUNK, self.n_blocks)
                self.prepare(channels, base, stop, kinds)
                self._kept.chunks.pop(number)
            yield chunk

    @property
    def kept(self) -> Kept:
        """What is known of all channels of this rate."""
        return self._kept

    def tables(
        self, channels: Sequence[int], first: int, stop: int, kinds: tuple[int, ...]
    ) -> tuple[BlockSums, list[int], int]:
        """Return sums of some channels that hold those of some blocks, uncopied if so.

        Returns
        -------
        BlockSums
            Each with one axis before those of its arrays.
        list of int
            Where on that axis each channel is.
        int
            Block of column 0.
        """
        with _lock:
            self.prepare(channels, first, stop, kinds)
            rows = [self._kept.rows[channel] for channel in channels]
            parts = []
            for number in range(first // CHUNK, -(-stop // CHUNK)):
                base = number * CHUNK
                one = self._kept.chunks[number]
                tables = (one.atoms, one.sums, one.marks)
                if first >= base and stop <= base + CHUNK:
                    return BlockSums(*tables), rows, base
                some = slice(max(first - base, 0), stop - base)
                parts.append([table[rows, :, some] for table in tables])
            joined = (np.concatenate(x, axis=2) for x in zip(*parts, strict=True))
            return BlockSums(*joined), list(range(len(rows))), first

    def blocks(
        self, channel: int, first: int, stop: int, kinds: tuple[int, ...]
    ) -> BlockSums:
        """Return sums of blocks first..stop-1 of one channel."""
        with _lock:
            self.prepare((channel,), first, stop, kinds)
            row = self._kept.rows[channel]
            parts = []
            for number in range(first // CHUNK, -(-stop // CHUNK)):
                base = number * CHUNK
                chunk = self._kept.chunks[number]
                part = slice(max(first - base, 0), min(stop - base, CHUNK))
                parts.append(
                    (
                        chunk.atoms[row, :, part],
                        chunk.sums[row, :, part],
                        chunk.marks[row, :, part],
                    )
                )
            joined = BlockSums(
                *(np.concatenate(x, axis=1) for x in zip(*parts, strict=True))
            )
            self.bound()
            return joined

    def parts(
        self, channel: int, first: int, stop: int, kinds: tuple[int, ...]
    ) -> Iterator[tuple[Chunk, int, int, int]]:
        """Where sums of blocks first..stop-1 of one channel are kept, uncopied.

        Yields
        ------
        Chunk, int, int, int
            Its sums; row of the channel; first and end column.
        """
        row = self._kept.rows[channel]
        for batch in range(first // CHUNK, -(-stop // CHUNK), BATCH):
            numbers = range(batch, min(batch + BATCH, -(-stop // CHUNK)))
            with _lock:  # other threads never write to what is already there
                low = max(first, numbers[0] * CHUNK)
                self.prepare(
                    (channel,), low, min(stop, numbers[-1] * CHUNK + CHUNK), kinds
                )
                chunks = [self._kept.chunks[number] for number in numbers]
                self.bound()
            for number, chunk in zip(numbers, chunks, strict=True):
                low, high = first - number * CHUNK, stop - number * CHUNK
                yield chunk, row, max(low, 0), min(high, CHUNK)

    def density_sum(self, channel: int, start: int, n_segments: int) -> Float:
        """Sum over segments of |Hann-windowed bin|^2, from sample `start` on.

        Parameters
        ----------
        start : int
            Stored sample; on the grid of blocks whole pieces come from kept sums.

        Returns
        -------
        ndarray, float64, (h + 1,)
        """
        h = self._h
        total = np.zeros(h + 1)
        first = start // h
        low = -(-first // PIECE) * PIECE
        high = (first + n_segments) // PIECE * PIECE
        singles = np.arange(n_segments) * h + start
        if start % h == 0 and low < high:
            before, after = low - first, first + n_segments - high
            singles = np.r_[singles[:before], singles[n_segments - after :]]
            total += self._pieces(channel, low, high)
        if singles.size:
            self._recording.check_samples()
            total += SegmentSums(self._recording, channel).density(singles)
        return total

    def _pieces(self, channel: int, low: int, high: int) -> Float:
        with _lock:
            self.prepare((channel,), low, high, (DENSITIES,))
            row = self._kept.rows[channel]
            total = np.zeros(self._h + 1)
            for number in range(low // CHUNK, -(-high // CHUNK)):
                base = number * CHUNK
                rows = self._kept.chunks[number].density[row]
                first, stop = max(low - base, 0), min(high - base, CHUNK)
                total += rows[first // PIECE : stop // PIECE].sum(axis=0)
            self.bound()
            return total / 4.0

    def bound(self) -> None:
        """Drop the oldest chunks, other recordings' first, to stay within bounds."""
        if not self._kept.grown:
            return
        self._kept.grown = False
        excess = kept_bytes() - KEPT_BYTES
        others = [k for by_key in _kept.values() for k in by_key.values()]
        for kept in [k for k in others if k is not self._kept] + [self._kept]:
            least = 1 if kept is self._kept else 0
            while len(kept.chunks) > least and excess > 0:
                excess -= kept.chunks.popitem(last=False)[1].n_bytes
