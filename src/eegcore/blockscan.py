"""Sums of blocks and of segments of a recording, computed from its samples.

What `eegcore.blocksums` keeps, and what is used at once where keeping does not pay.
"""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eegcore.bands import Bands, window_bands
from eegcore.recording import Recording
from eegcore.workspace import (
    every_bin,
    fast_block,
    layout_of,
    plan_of,
    scan_work,
    segment_work,
)

Float = NDArray[np.float64]
Int = NDArray[np.int64]

PIECE = 64  # blocks that are computed together
SEGMENTS, STRETCHES, DENSITIES = range(3)
N_SUMS, N_MARKS = 6, 11  # rows of `eegcore.kernels.stretch`
_BATCH_SEGMENTS = 1024
_room = threading.local()


def scan_blocks(
    recording: Recording,
    pairs: Int,
    span: tuple[int, int, int, int],
    flat: Int,
    kinds: tuple[int, ...],
    out: tuple[Any, ...],
) -> None:
    """Compute sums of blocks of channels with one rate.

    Parameters
    ----------
    pairs : ndarray, int64, (n_channels, 2)
        Channel and row of `out`.
    span : tuple of int
        First block, end, blocks of the recording, block of column 0 of `out`. The
        first block and that of column 0 are multiples of PIECE for densities.
    flat : ndarray, int64, (n_channels,)
        Least step that is not flat.
    kinds : tuple of int
        Of SEGMENTS, STRETCHES, DENSITIES.
    out : tuple of ndarray
        See `eegcore.kernels.spectrum.scan`.
    """
    scanner(recording, pairs, flat, kinds, out)(span)


def scanner(
    recording: Recording,
    pairs: Int,
    flat: Int,
    kinds: tuple[int, ...],
    out: tuple[Any, ...],
) -> Callable[[tuple[int, int, int, int]], None]:
    """Return `scan_blocks` of some channels on this thread, to be called with spans."""
    from eegcore.kernels.spectrum import scan

    channel = int(pairs[0, 0])
    h = fast_block(recording, channel)
    bands = window_bands(recording.channels[channel].rate_hz).bands
    whole = DENSITIES in kinds
    segments = whole or SEGMENTS in kinds
    atoms, flags, sums, marks, density = out
    if whole and SEGMENTS not in kinds:  # on the way to densities; not kept
        atoms = _spare(atoms.shape)
        out = (atoms, flags, sums, marks, density)
    every = np.array_equal(pairs[:, 1], np.arange(len(flags)))
    rows = slice(None) if every else pairs[:, 1]
    want = (int(segments), int(STRETCHES in kinds), int(whole))
    plan, layout = plan_of(h, bands, np.float32), layout_of(recording)

    def scan_span(span: tuple[int, int, int, int]) -> None:
        first, stop, blocks, base = span
        low, high = first - base, stop - base
        if segments:
            flags[rows, low:high] = 0
        if whole:
            density[rows, low // PIECE : -(-high // PIECE)] = 0.0
        numbers = np.array((first, stop, blocks, *want, base))
        work = scan_work(recording, h, flat, len(bands.atoms) - 1, whole=whole)
        scan(layout, pairs, numbers, plan, work, out)
        if not segments or not flags[rows, low:high].any():
            return
        for channel, row in pairs.tolist():
            marked = np.flatnonzero(flags[row, low:high]) + low
            starts = (marked + base) * h
            direct = SegmentSums(recording, channel)
            atoms[row][:, marked] = 4.0 * direct.sums(starts, bands)
            for piece in np.unique(marked // PIECE) if whole else ():
                some = starts[marked // PIECE == piece]
                density[row, piece] += 4.0 * direct.density(some)

    return scan_span


def _spare(shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Space of this thread for atoms that nobody asked for."""
    kept: NDArray[np.float32] | None = getattr(_room, "atoms", None)
    if kept is None or kept.shape != shape:
        kept = np.empty(shape, np.float32)
        _room.atoms = kept
    return kept


class SegmentSums:
    """Sums of single segments of a channel at any start, in float64."""

    def __init__(self, recording: Recording, channel: int) -> None:
        self._channel = channel
        self._h = fast_block(recording, channel)
        self._layout = layout_of(recording)
        self._room = segment_work(recording, self._h)

    def sums(self, starts: Int, bands: Bands) -> Float:
        """|Hann-windowed bin|^2 summed over atoms, (n_atoms, n_starts)."""
        from eegcore.kernels.spectrum import segment_sums

        plan = plan_of(self._h, bands, np.float64)
        out = np.empty((len(bands.atoms) - 1, starts.size))
        if starts.size:
            segment_sums(self._layout, self._channel, starts, plan, self._room, out)
        return out

    def density(self, starts: Int) -> Float:
        """|Hann-windowed bin|^2 summed over segments, (h + 1,)."""
        total = np.zeros(self._h + 1)
        for at in range(0, starts.size, _BATCH_SEGMENTS):
            some = starts[at : at + _BATCH_SEGMENTS]
            total += self.sums(some, every_bin(self._h)).sum(axis=1)
        return total
