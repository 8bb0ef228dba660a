"""Zero-phase filter and candidate peaks of slabs of a recording, one slab a lane.

A slab is filtered forwards from a run-up before it and backwards from one after it,
long enough for the filter to forget where it began; where the signal itself begins or
ends, it is extended by odd reflection with scipy's initial state. The public side is
`eegcore.transients`.
"""

from typing import Any

import numpy as np

from eegcore.kernels._jit import kernel, part
from eegcore.kernels._vector import (
    LANES,
    bits_less,
    fused,
    greatest,
    load,
    maximum,
    minimum,
    mul,
    negate,
    peek,
    splat,
    store,
    sub,
    total,
)
from eegcore.kernels._vector import least as least_lane
from eegcore.kernels.gather import copy_samples, lanes_of_blocks, transposed

TILE = 64


@part
def _copy_extended(
    layout: Any, channel: int, where: Any, count: int, out: Any, at: int
) -> None:
    """``count`` samples from position where[0] of the signal extended oddly.

    where: position (may be negative), first stored sample of the signal, its length.
    """
    position, start, n = where
    low, high = max(position, 0), min(position + count, n)
    if low < high:
        copy_samples(
            layout, channel, (start + low, start + high), out, at + low - position
        )
    if low == position and high == position + count:
        return
    edge = np.zeros(2, np.int32)
    copy_samples(layout, channel, (start, start + 1), edge, 0)
    copy_samples(layout, channel, (start + n - 1, start + n), edge, 1)
    one = np.zeros(1, np.int32)
    for i in range(count):
        p = position + i
        if p < 0:
            copy_samples(layout, channel, (start - p, start - p + 1), one, 0)
            out[at + i] = 2 * edge[0] - one[0]
        elif p >= n:
            q = 2 * n - 2 - p
            copy_samples(layout, channel, (start + q, start + q + 1), one, 0)
            out[at + i] = 2 * edge[1] - one[0]


@part
def _section(
    b: Any, first: int, count: int, step: int, c: Any, state: Any, s: int
) -> None:
    """One second-order section over ``count`` rows from row ``first``, in place."""
    b0, b1, b2 = splat(c[s, 0]), splat(c[s, 1]), splat(c[s, 2])
    a1, a2 = splat(-c[s, 4]), splat(-c[s, 5])
    z0, z1 = load(state, 2 * s * LANES), load(state, (2 * s + 1) * LANES)
    for k in range(count):
        i = (first + k * step) * LANES
        x = load(b, i)
        y = fused(b0, x, z0)
        z0 = fused(a1, y, fused(b1, x, z1))
        z1 = fused(a2, y, mul(b2, x))
        store(b, i, y)
    store(state, 2 * s * LANES, z0)
    store(state, (2 * s + 1) * LANES, z1)


@part
def _settle(state: Any, settled: Any, first: Any) -> None:
    """State of a filter that has always seen the first value of its lane."""
    for s in range(settled.shape[0]):
        store(state, 2 * s * LANES, mul(splat(settled[s, 0]), first))
        store(state, (2 * s + 1) * LANES, mul(splat(settled[s, 1]), first))


@part
def _put_rows(tile: Any, rows: int, count: int, out: Any, at: int) -> None:
    """``rows`` rows of lanes to columns at.. of one row a lane."""
    whole = rows // LANES * LANES
    for k in range(0, whole, LANES):
        i = k * LANES
        r = transposed(
            (
                load(tile, i), load(tile, i + 16), load(tile, i + 32),
                load(tile, i + 48), load(tile, i + 64), load(tile, i + 80),
                load(tile, i + 96), load(tile, i + 112), load(tile, i + 128),
                load(tile, i + 144), load(tile, i + 160), load(tile, i + 176),
                load(tile, i + 192), load(tile, i + 208), load(tile, i + 224),
                load(tile, i + 240),
            )
        )  # fmt: skip
        for lane in range(count):
            store(out[lane], at + k, r[lane])
    for k in range(whole, rows):
        for lane in range(count):
            out[lane, at + k] = tile[k * LANES + lane]


@kernel
def filter_slabs(
    layout: Any, slabs: Any, size: Any, filters: Any, work: Any, out: Any
) -> None:
    """Band-passed values of up to 16 slabs.

    slabs: channel and first position of each lane. size: positions of a slab, first
    stored sample, length of the signal. filters: sections, settled states and the scale
    of each lane. work: samples, their
    mean, lanes, states, a tile of lanes. out: (lane, position).
    """
    x, zero, b, state, tile = work
    sections, settled, scale = filters
    length, start, n = size
    count = slabs.shape[0]
    for first in range(0, length, TILE):
        rows = min(TILE, length - first)
        for lane in range(LANES):
            mine = min(lane, count - 1)
            where = (slabs[mine, 1] + first, start, n)
            _copy_extended(layout, slabs[mine, 0], where, rows, x, lane * rows)
        lanes_of_blocks(x, rows, zero, b[first * LANES :], 0)
        if first == 0:
            _settle(state, settled, load(b, 0))
        for s in range(sections.shape[0]):
            _section(b, first, rows, 1, sections, state, s)
    scales = load(scale, 0)
    for first in range((length - 1) // TILE * TILE, -1, -TILE):
        rows = min(TILE, length - first)
        for k in range(rows):  # in a tile that stays in the first cache
            store(tile, k * LANES, mul(scales, load(b, (first + k) * LANES)))
        if first + rows == length:
            _settle(state, settled, load(tile, (rows - 1) * LANES))
        for s in range(sections.shape[0]):
            _section(tile, rows - 1, rows, -1, sections, state, s)
        _put_rows(tile, rows, count, out, first)


@part
def _reach(v: Any, peak: int, step: int, end: int) -> int:
    """Steps from a peak until the size falls below half; -1: not before ``end``."""
    half = abs(v[peak]) / 2
    i = peak
    while i != end:
        if abs(v[i]) < half:
            return abs(i - peak)
        i += step
    return -1 if abs(v[end]) >= half else abs(end - peak)


@part
def _any_large(v: Any, i: int, least: float) -> Any:
    a = load(v, i)
    return bits_less(maximum(a, negate(a)), splat(least)) != 65535


@part
def _steepest(v: Any, first: int, stop: int) -> float:
    """Largest absolute step from first..stop-1 to the next; 0 for none."""
    best = 0.0
    i = first
    if stop - first >= LANES:
        d = sub(load(v, i + 1), load(v, i))
        acc = maximum(d, negate(d))
        i += LANES
        while i + LANES <= stop:
            d = sub(load(v, i + 1), load(v, i))
            acc = maximum(acc, maximum(d, negate(d)))
            i += LANES
        best = greatest(acc)
    while i < stop:
        best = max(best, abs(peek(v, i + 1) - peek(v, i)))
        i += 1
    return best


@part
def _describe(v: Any, first: int, stop: int, out: Any) -> None:
    """Sum of squares, least and greatest of ``v[first:stop]``."""
    square, low, high = 0.0, v[first], v[first]
    i = first
    if stop - first >= LANES:
        a = load(v, i)
        acc, small, large = mul(a, a), a, a
        i += LANES
        while i + LANES <= stop:
            a = load(v, i)
            acc, small, large = fused(a, a, acc), minimum(small, a), maximum(large, a)
            i += LANES
        square, low, high = total(acc), least_lane(small), greatest(large)
    while i < stop:
        value = peek(v, i)
        square += value * value
        low, high = min(low, value), max(high, value)
        i += 1
    out[0], out[1], out[2] = square, low, high


@kernel
def find_candidates(v: Any, span: Any, least: float, work: Any, out: Any) -> int:
    """Local extrema at or above ``least`` of one filtered slab, both signs.

    span: first and end position in ``v`` to search, position in ``v`` of the signal's
    first and last sample, how far ``v`` may be trusted (first, end), distance in
    samples. out: position, sign, half widths (-1: not found), steepest step, and
    sum of squares, least and greatest of the span in its last row.
    """
    first, stop, origin, final, trusted, end, distance = span
    found = 0
    _describe(v, first, stop, work)
    i = max(first, origin + 1)
    last = min(stop, final)
    while i < last:
        if i + LANES <= last and not _any_large(v, i, least):
            i += LANES
            continue
        value = peek(v, i)
        size = abs(value)
        if size < least:
            i += 1
            continue
        sign = 1.0 if value > 0 else -1.0
        before, after = sign * peek(v, i - 1), sign * peek(v, i + 1)
        if before >= size or after > size:
            i += 1
            continue
        ahead = i + 1
        while ahead < final and peek(v, ahead) == value:
            ahead += 1
        if sign * peek(v, ahead) < size:
            peak = (i + ahead - 1) // 2
            right = _reach(v, peak, 1, min(final, end - 1))
            left = _reach(v, peak, -1, max(origin, trusted))
            if right < 0 and final <= end - 1:
                right = final - peak
            if left < 0 and origin >= trusted:
                left = peak - origin
            low_step = max(origin, peak - distance)
            steepest = _steepest(v, low_step, min(final - 1, peak + distance))
            out[found, 0], out[found, 1], out[found, 2] = peak, value, steepest
            out[found, 3] = -1.0 if left < 0 or right < 0 else left + right
            found += 1
        i = ahead
    return found


@kernel
def keep_apart(position: Any, order: Any, distance: int, keep: Any) -> None:
    """Of candidates closer than ``distance`` keep the larger; order: rising size."""
    n = position.shape[0]
    for i in range(n):
        keep[i] = True
    for at in range(n - 1, -1, -1):
        j = order[at]
        if not keep[j]:
            continue
        k = j - 1
        while k >= 0 and position[j] - position[k] < distance:
            keep[k] = False
            k -= 1
        k = j + 1
        while k < n and position[k] - position[j] < distance:
            keep[k] = False
            k += 1
