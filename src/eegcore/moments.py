"""Time-domain figures of stretches of stored integers, from exact sums.

The stretch is the sum of blocks (`eegcore.blocksums`) or is summed whole; means,
moments, Hjorth figures and line length then follow in a few operations a stretch.
Crossings of the mean need the mean first, so the samples are read a second time.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore.blockchunks import CHUNK
from eegcore.blockscan import PIECE, STRETCHES
from eegcore.blocksums import FLAT_STEP_UV, Sums
from eegcore.compiled import kernel
from eegcore.kernels import rows as k
from eegcore.recording import Recording
from eegcore.threads import run
from eegcore.workspace import (
    fast_block,
    flat_limit,
    layout_of,
    ones_then_zeros,
    sample_kind,
)

Float = NDArray[np.float64]
Int = NDArray[np.int64]

_BATCH_BLOCKS = 4 * CHUNK
_CROSSING_SAMPLES = 1 << 12  # that are looked at together where they are copied
_LONGEST = 1 << 18  # sums of more samples at once could overflow
_LEAST_BLOCKS = 3  # a shorter stretch is summed whole


class Figures(NamedTuple):
    """Figures of some stretches, each ndarray (n,), in the channel's shown unit.

    Attributes
    ----------
    mean, variance, mean_square, peak_to_peak : float64
    third, fourth : float64
        Central moments.
    step_variance, bend_variance : float64
        Of the steps and of their steps; NaN where there are none.
    path : float64
        Sum of absolute steps.
    crossings : float64
        Changes between below the mean and not below it; NaN: not counted.
    n_flat, n_extreme : float64
        Steps below 0.1 uV; samples equal to the largest or the smallest.
    mean_is_stored : bool
        Whether the mean is itself a number that can be stored.
    """

    mean: Float
    variance: Float
    mean_square: Float
    peak_to_peak: Float
    third: Float
    fourth: Float
    step_variance: Float
    bend_variance: Float
    path: Float
    crossings: Float
    n_flat: Float
    n_extreme: Float
    mean_is_stored: NDArray[np.bool_]


def figures_of(
    recording: Recording,
    channel: int,
    starts: Int,
    stops: Int,
    *,
    crossings: bool = True,
) -> Figures:
    """Figures of stretches of stored samples of one channel.

    Parameters
    ----------
    starts, stops : ndarray, int64, (n,)
        Not empty, and all of one length.
    crossings : bool
        Whether crossings of the mean are counted.
    """
    h = fast_block(recording, channel)
    length = int(stops[0] - starts[0]) if starts.size else 0
    on_grid = length % h == 0 and length >= _LEAST_BLOCKS * h and not (starts % h).any()
    limit = flat_limit(recording, channel, FLAT_STEP_UV)
    parts: Iterator[Part]
    if on_grid and length >= PIECE * h:  # by length: same bytes for one stretch or many
        parts = (
            _reduced(recording, channel, start // h, (start + length) // h, h, limit)
            for start in starts.tolist()
        )
    elif on_grid:
        parts = _from_blocks(recording, channel, starts // h, length // h, h)
    elif length >= (_LEAST_BLOCKS + 2) * h and (starts.size == 1 or length > _LONGEST):
        parts = (
            _pieced(recording, channel, (int(start), int(stop)), h, limit)
            for start, stop in zip(starts, stops, strict=True)
        )
    else:
        parts = iter([_whole(recording, channel, starts, stops)])
    found = [_combined(*part, limit) for part in parts]
    total = _Totals(*(np.concatenate(x) for x in zip(*found, strict=True)))
    facts = recording.channels[channel]
    factor = 1.0 if facts.to_uv is None else facts.to_uv
    gain, offset = facts.gain * factor, facts.offset * factor
    counted = np.full(starts.size, np.nan)
    if crossings:
        level = _level(total, length, upward=gain > 0)
        counted = _crossings(recording, channel, starts, length, level)
    return _figures(total, length, gain, offset, counted)


class _Totals(NamedTuple):
    """Totals of stretches, in stored integers, powers about ``centre``."""

    centre: Int
    rest: Int
    square: Float
    cube: Float
    fourth: Float
    step_square: Float
    bend_square: Float
    path: Float
    low: Int
    high: Int
    n_low: Int
    n_high: Int
    n_flat: Int
    first: Int
    second: Int
    last_but_one: Int
    last: Int


Part = tuple[Float, NDArray[np.signedinteger[Any]], Int]
"""Sums (n, 6, b), marks (n, 11, b), samples of each of b parts."""


def _from_blocks(
    recording: Recording, channel: int, first: Int, count: int, h: int
) -> Iterator[Part]:
    """Sums and marks of the blocks of each stretch, some stretches at a time."""
    sums = Sums(recording, channel)
    size = max(1, _BATCH_BLOCKS // count)
    counts = np.full(count, h, np.int64)
    for at in range(0, first.size, size):
        some = first[at : at + size]
        low, high = int(some.min()), int(some.max()) + count
        if high - low > 4 * size * count:  # far apart: one by one
            for one in some.tolist():
                block = sums.blocks(channel, one, one + count, (STRETCHES,))
                yield block.sums[None], block.marks[None], counts
            continue
        block = sums.blocks(channel, low, high, (STRETCHES,))
        chosen = (some - low)[:, None] + np.arange(count)
        yield (
            block.sums[:, chosen].transpose(1, 0, 2),
            block.marks[:, chosen].transpose(1, 0, 2),
            counts,
        )


def _reduced(
    recording: Recording, channel: int, first: int, stop: int, h: int, flat_below: int
) -> Part:
    """Sums and marks of blocks first..stop-1, those of a chunk joined to one part."""
    join_blocks = kernel("join_blocks")
    n = -(-stop // CHUNK) - first // CHUNK
    out = (np.empty((k.N_SUMS, n)), np.empty((k.N_MARKS, n), np.int64))
    counts = np.empty(n, np.int64)
    parts = Sums(recording, channel).parts(channel, first, stop, (STRETCHES,))
    for column, (chunk, row, low, high) in enumerate(parts):
        counts[column] = (high - low) * h
        is_whole = high - low == CHUNK
        known = chunk.joined.get(row) if is_whole else None
        if known is not None:
            out[0][:, column], out[1][:, column] = known
            continue
        which = np.array([row, low, flat_below, column])
        lengths = np.full(high - low, h, np.int64)
        join_blocks(chunk.sums, chunk.marks, which, lengths, out)
        if is_whole:
            chunk.joined[row] = out[0][:, column].copy(), out[1][:, column].copy()
    return out[0][None], out[1][None], counts


def _pieced(
    recording: Recording, channel: int, span: tuple[int, int], h: int, flat_below: int
) -> Part:
    """One long stretch: a beginning, whole blocks on the grid, an end."""
    start, stop = span
    low, high = -(-start // h), stop // h
    edges = [(start, low * h), (high * h, stop)]
    spans = np.array([e for e in edges if e[1] > e[0]], np.int64).reshape(-1, 2)
    sums, marks = _summed(recording, channel, spans)
    kept = _reduced(recording, channel, low, high, h, flat_below)
    before = int(start < low * h)
    lengths = spans[:, 1] - spans[:, 0]
    all_sums = [sums[:, :before], kept[0][0], sums[:, before:]]
    all_marks = [marks[:, :before], kept[1][0], marks[:, before:]]
    return (
        np.concatenate(all_sums, axis=1)[None],
        np.concatenate(all_marks, axis=1)[None],
        np.r_[lengths[:before], kept[2], lengths[before:]],
    )


def _whole(recording: Recording, channel: int, starts: Int, stops: Int) -> Part:
    spans = np.stack([starts, stops], axis=1)
    sums, marks = _summed(recording, channel, spans)
    return sums.T[:, :, None], marks.T[:, :, None], stops[:1] - starts[:1]


def _summed(
    recording: Recording, channel: int, spans: Int
) -> tuple[Float, NDArray[np.int32]]:
    """Sums and marks of stretches, each (rows, n)."""
    recording.check_samples()
    n = len(spans)
    out = (np.zeros((k.N_SUMS, n)), np.zeros((k.N_MARKS, n), np.int32))
    if n:
        longest = int((spans[:, 1] - spans[:, 0]).max())
        x = np.zeros(longest + 96, sample_kind(recording))
        work = (x, np.zeros(longest + 96, np.int16))
        limit = flat_limit(recording, channel, FLAT_STEP_UV)
        given = (ones_then_zeros(), limit)
        kernel("stretch_sums")(layout_of(recording), channel, spans, given, work, out)
    return out


def _combined(
    sums: Float, marks: NDArray[np.signedinteger[Any]], counts: Int, flat_below: int
) -> _Totals:
    """Totals of stretches from those of their parts, joined at the seams."""
    # sums run along the last axis in memory: the same order for one stretch or many
    sums = np.ascontiguousarray(sums)
    wide = np.ascontiguousarray(marks, dtype=np.int64)
    centre, rest = wide[:, k.CENTRE], wide[:, k.REST]
    total = (centre * counts + rest).sum(axis=1)
    middle = total // counts.sum()
    shift = (centre - middle[:, None]).astype(np.float64)
    s1, s2, s3, s4 = (
        rest,
        sums[:, k.SQUARE],
        sums[:, k.CUBE],
        sums[:, k.FOURTH],
    )
    shift2 = shift * shift
    square = s2 + 2 * shift * s1 + counts * shift2
    cube = s3 + 3 * shift * s2 + 3 * shift2 * s1 + counts * shift2 * shift
    fourth = s4 + 4 * shift * s3 + 6 * shift2 * s2 + 4 * shift2 * shift * s1
    fourth += counts * shift2 * shift2
    first, second = wide[:, k.FIRST], wide[:, k.SECOND]
    last_but_one, last = wide[:, k.LAST_BUT_ONE], wide[:, k.LAST]
    seam = (first[:, 1:] - last[:, :-1]).astype(np.float64)
    bend_in = seam - (last - last_but_one)[:, :-1]
    bend_out = (second - first)[:, 1:] - seam
    # a part of a single sample has no step of its own
    bend_in[:, counts[:-1] < 2] = 0.0
    bend_out[:, counts[1:] < 2] = 0.0
    low, high = wide[:, k.LEAST].min(axis=1), wide[:, k.GREATEST].max(axis=1)
    n_low = np.where(wide[:, k.LEAST] == low[:, None], wide[:, k.N_LEAST], 0)
    n_high = np.where(wide[:, k.GREATEST] == high[:, None], wide[:, k.N_GREATEST], 0)
    alone = counts.size == 1
    return _Totals(
        centre=middle,
        rest=total - middle * counts.sum(),
        square=square.sum(axis=1),
        cube=cube.sum(axis=1),
        fourth=fourth.sum(axis=1),
        step_square=sums[:, k.STEP_SQUARE].sum(axis=1) + (seam**2).sum(axis=1),
        bend_square=sums[:, k.BEND_SQUARE].sum(axis=1)
        + (bend_in**2 + bend_out**2).sum(axis=1),
        path=sums[:, k.PATH].sum(axis=1) + np.abs(seam).sum(axis=1),
        low=low,
        high=high,
        n_low=n_low.sum(axis=1),
        n_high=n_high.sum(axis=1),
        n_flat=wide[:, k.N_FLAT].sum(axis=1) + (np.abs(seam) < flat_below).sum(axis=1),
        first=first[:, 0],
        second=second[:, 0] if alone or counts[0] > 1 else first[:, 1],
        last_but_one=last_but_one[:, -1] if alone or counts[-1] > 1 else last[:, -2],
        last=last[:, -1],
    )


def _figures(t: _Totals, n: int, gain: float, offset: float, counted: Float) -> Figures:
    m = t.rest / n
    var = np.maximum(t.square / n - m * m, 0.0)
    third = t.cube / n - 3 * m * t.square / n + 2 * m**3
    fourth = t.fourth / n - 4 * m * t.cube / n + 6 * m**2 * t.square / n - 3 * m**4
    mean = (t.centre + m) * gain + offset
    steps, bends = n - 1, n - 2
    nan = np.full(m.shape, np.nan)
    step_var = bend_var = nan
    if steps > 0:
        drift = (t.last - t.first) / steps
        step_var = np.maximum(t.step_square / steps - drift**2, 0.0) * gain**2
    if bends > 0:
        drift = ((t.last - t.last_but_one) - (t.second - t.first)) / bends
        bend_var = np.maximum(t.bend_square / bends - drift**2, 0.0) * gain**2
    return Figures(
        mean=mean,
        variance=var * gain**2,
        mean_square=var * gain**2 + mean * mean,
        peak_to_peak=(t.high - t.low).astype(np.float64) * abs(gain),
        third=third * gain**3,
        fourth=fourth * gain**4,
        step_variance=step_var,
        bend_variance=bend_var,
        path=t.path * abs(gain),
        crossings=counted,
        n_flat=t.n_flat.astype(np.float64),
        n_extreme=np.where(t.low == t.high, n, t.n_low + t.n_high).astype(np.float64),
        mean_is_stored=t.rest == 0,
    )


def _level(t: _Totals, n: int, *, upward: bool) -> Int:
    """Return the stored integer below which a sample lies under the mean."""
    if upward:
        return t.centre + (t.rest > 0)
    return t.centre + 1  # a negative gain: what is stored above the mean lies under it


def _crossings(
    recording: Recording, channel: int, starts: Int, length: int, level: Int
) -> Float:
    layout = layout_of(recording)
    out = np.empty(starts.size, np.int64)
    spans = np.stack([starts, starts + length], axis=1)
    size = max(1, -(-_BATCH_BLOCKS * 512 // max(length, 1)))

    def count(at: int) -> None:
        x = np.empty(_CROSSING_SAMPLES, sample_kind(recording))
        some = slice(at, at + size)
        kernel("crossings")(layout, channel, spans[some], level[some], x, out[some])

    recording.check_samples()
    run(count, range(0, starts.size, size))
    return out.astype(np.float64)
