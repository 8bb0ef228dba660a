"""Band powers of stretches of stored integers, from sums of Welch segments."""

import numpy as np
from numpy.typing import NDArray

from eegcore.bands import window_bands
from eegcore.blockchunks import CHUNK
from eegcore.blockscan import PIECE, SEGMENTS
from eegcore.blocksums import Sums
from eegcore.compiled import kernel
from eegcore.recording import Recording
from eegcore.workspace import (
    fast_block,
    layout_of,
    plan_of,
    segment_work,
)

Float = NDArray[np.float64]
Int = NDArray[np.int64]

_BATCH_BLOCKS = 4 * CHUNK


def band_powers_of(
    recording: Recording, channel: int, starts: Int, length: int
) -> Float:
    """Welch band powers of stretches of stored samples of one channel.

    Parameters
    ----------
    starts : ndarray, int64, (n,)
    length : int
        Samples of each; at least one segment.

    Returns
    -------
    ndarray, float64, (n_bands, n)
        In squares of the channel's shown unit; rows as of `eegcore.bands.window_bands`.
    """
    h = fast_block(recording, channel)
    facts = recording.channels[channel]
    scale = facts.gain * (1.0 if facts.to_uv is None else facts.to_uv)
    n_segments = length // h - 1
    table = window_bands(facts.rate_hz)
    if not (starts % h).any():
        atoms = _from_blocks(recording, channel, starts // h, n_segments) / 4
    else:
        atoms = _direct(recording, channel, starts, n_segments)
    # the squares of a periodic Hann window of 2 h samples add up to 3/8 of 2 h
    density = scale * scale / (facts.rate_hz * 0.75 * h * n_segments)
    powers = np.zeros((len(table.weights), starts.size))
    for weight, atom in zip(table.weights.T, atoms, strict=True):  # BLAS has no order
        powers += weight[:, None] * (atom * density)
    return powers


def _from_blocks(recording: Recording, channel: int, first: Int, count: int) -> Float:
    add_atoms = kernel("add_atoms")
    sums = Sums(recording, channel)
    out = np.zeros((sums.n_atoms, first.size))
    if count >= PIECE:  # by length alone: the same bytes for one stretch or many
        for i, low in enumerate(first.tolist()):
            total = np.zeros(sums.n_atoms)
            parts = sums.parts(channel, low, low + count, (SEGMENTS,))
            for chunk, row, start, stop in parts:
                add_atoms(chunk.atoms, row, start, stop, total)
            out[:, i] = total
        return out
    size = max(1, _BATCH_BLOCKS // count)
    for at in range(0, first.size, size):
        some = first[at : at + size]
        low, high = int(some.min()), int(some.max()) + count
        if high - low > 4 * size * count:
            for i, one in enumerate(some.tolist(), at):
                block = sums.blocks(channel, one, one + count, (SEGMENTS,))
                out[:, i] = _total(block.atoms)
            continue
        block = sums.blocks(channel, low, high, (SEGMENTS,))
        chosen = (some - low)[:, None] + np.arange(count)
        out[:, at : at + size] = _total(block.atoms[:, chosen])
    return out


def _total(sums: NDArray[np.floating]) -> Float:
    """Sum along the last axis in memory: the same order for one stretch or many."""
    total: Float = np.ascontiguousarray(sums, dtype=np.float64).sum(axis=-1)
    return total


def _direct(recording: Recording, channel: int, starts: Int, count: int) -> Float:
    segment_sums = kernel("segment_sums")
    h = fast_block(recording, channel)
    recording.check_samples()
    bands = window_bands(recording.channels[channel].rate_hz).bands
    n_atoms = len(bands.atoms) - 1
    out = np.empty((n_atoms, starts.size))
    plan, room = plan_of(h, bands, np.float64), segment_work(recording, h)
    layout = layout_of(recording)
    size = max(1, _BATCH_BLOCKS // count)
    for at in range(0, starts.size, size):
        some = starts[at : at + size]
        every = (some[:, None] + np.arange(count) * h).ravel()
        sums = np.empty((n_atoms, every.size))
        segment_sums(layout, channel, every, plan, room, sums)
        out[:, at : at + size] = _total(sums.reshape(n_atoms, some.size, count))
    return out
