"""Sums of blocks and of segments of a recording, computed from its samples.

What `eegcore.blocksums` keeps, and what is used at once where keeping does not pay.
"""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eegcore.bands import Bands, window_bands
from eegcore.compiled import kernel
from eegcore.kernels.rows import COARSE
from eegcore.recording import Recording
from eegcore.workspace import (
    block_length,
    every_bin,
    fast_block,
    layout_of,
    plan_of,
    sample_kind,
    scan_work,
    segment_work,
)

Float = NDArray[np.float64]
Int = NDArray[np.int64]

PIECE = COARSE  # blocks that are computed together
SEGMENTS, STRETCHES, DENSITIES = range(3)
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
    pairs : ndarray, int64, (n_channels, 2 or more)
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
    rate_hz = recording.channels[int(pairs[0, 0])].rate_hz
    scanner(sample_kind(recording), rate_hz, pairs, flat, kinds, out)(recording, span)


def scanner(
    sample_kind: type[np.integer[Any]],
    rate_hz: float,
    pairs: Int,
    flat: Int,
    kinds: tuple[int, ...],
    out: tuple[Any, ...],
) -> Callable[[Recording, tuple[int, int, int, int]], None]:
    """Return `scan_blocks` on this thread, to be called with recordings and spans.

    Each time it takes what ``pairs`` and ``flat`` hold then.
    """
    scan = kernel("scan")
    h = block_length(rate_hz)
    bands = window_bands(rate_hz).bands
    whole = DENSITIES in kinds
    segments = whole or SEGMENTS in kinds
    atoms, flags, sums, marks, density = out
    if whole and SEGMENTS not in kinds:  # on the way to densities; not kept
        atoms = _spare(atoms.shape)
        out = (atoms, flags, sums, marks, density)
    want = (int(segments), int(STRETCHES in kinds), int(whole))
    numbers = np.array((0, 0, 0, *want, 0))
    plan = plan_of(h, bands, np.float32)
    n_atoms = len(bands.atoms) - 1

    def scan_span(recording: Recording, span: tuple[int, int, int, int]) -> None:
        first, stop, _blocks, base = span
        low, high = first - base, stop - base
        if whole:
            density[pairs[:, 1], low // PIECE : -(-high // PIECE)] = 0.0
        numbers[0], numbers[1], numbers[2], numbers[6] = span
        work = scan_work(sample_kind, h, flat, n_atoms, whole=whole)
        if not scan(layout_of(recording), pairs, numbers, plan, work, out):
            return
        for channel, row in pairs[:, :2].tolist():
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
        segment_sums = kernel("segment_sums")
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
