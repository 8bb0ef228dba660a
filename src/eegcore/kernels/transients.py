"""Zero-phase filter and candidate peaks of slabs of a recording, one slab a lane.

A slab is filtered forwards from a run-up before it and backwards from one after it,
long enough for the filter to forget where it began; where the signal itself begins or
ends, it is extended by odd reflection with scipy's initial state. The public side is
`eegcore.transients`.
"""

from typing import Any

import numpy as np

from eegcore.kernels._jit import kernel, part
from eegcore.kernels._lanes import (
    greatest,
    total,
)
from eegcore.kernels._lanes import least as least_lane
from eegcore.kernels._vector import (
    LANES,
    add,
    bits_less,
    count_bits,
    fused,
    load,
    maximum,
    minimum,
    mul,
    negate,
    peek,
    splat,
    store,
    sub,
)
from eegcore.kernels.gather import copy_samples, lanes_of_blocks, sample, transposed

TILE = 128


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
    first, last = sample(layout, channel, start), sample(layout, channel, start + n - 1)
    for i in range(count):
        p = position + i
        if p < 0:
            out[at + i] = 2 * first - sample(layout, channel, start - p)
        elif p >= n:
            q = 2 * n - 2 - p
            out[at + i] = 2 * last - sample(layout, channel, start + q)


@part
def _two_sections(
    b: Any, first: int, count: int, step: int, c: Any, state: Any, s: int
) -> None:
    """Sections s and s + 1 over ``count`` rows from row ``first``, in place.

    Both in one pass, so that the second works while the first waits for its feedback.
    """
    b1, a1, a2 = splat(c[s, 1]), splat(-c[s, 4]), splat(-c[s, 5])
    d1, c1, c2 = splat(c[s + 1, 1]), splat(-c[s + 1, 4]), splat(-c[s + 1, 5])
    at = 2 * s * LANES
    z0, z1 = load(state, at), load(state, at + LANES)
    w0, w1 = load(state, at + 2 * LANES), load(state, at + 3 * LANES)
    for k in range(count):
        i = (first + k * step) * LANES
        x = load(b, i)
        y = add(x, z0)
        z0 = fused(a1, y, fused(b1, x, z1))
        z1 = fused(a2, y, x)
        u = add(y, w0)
        w0 = fused(c1, u, fused(d1, y, w1))
        w1 = fused(c2, u, y)
        store(b, i, u)
    store(state, at, z0)
    store(state, at + LANES, z1)
    store(state, at + 2 * LANES, w0)
    store(state, at + 3 * LANES, w1)


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
def filter_window(
    layout: Any, lanes: Any, span: Any, filters: Any, work: Any, out: Any
) -> None:
    """Band-passed values of a window of up to 16 slabs, which are walked together.

    lanes: channel and position of row 0 of each. span: rows filtered forwards before,
    first and end row wanted, row from which to filter backwards, rows of a slab, first
    stored sample and length of the signal. filters: sections with numerators 1, b, 1 in
    an even number, settled states, scale of each lane. work: samples, their mean, a
    ring of forward values, forward and backward states, a tile of lanes.
    out: (lane, row less the first one wanted).
    """
    x, zero, ring, state, back, tile = work
    sections, settled, scale = filters
    done, low, stop, end, length, start, n = span
    count = lanes.shape[0]
    slots = ring.shape[0] // (TILE * LANES)
    for first in range(done, end, TILE):
        rows = min(TILE, length - first)
        for lane in range(LANES):
            mine = min(lane, count - 1)
            where = (lanes[mine, 1] + first, start, n)
            _copy_extended(layout, lanes[mine, 0], where, rows, x, lane * rows)
        at = first // TILE % slots * TILE
        lanes_of_blocks(x, rows, zero, ring[at * LANES :], 0)
        if first == 0:
            _settle(state, settled, load(ring, 0))
        for s in range(0, sections.shape[0], 2):
            _two_sections(ring, at, rows, 1, sections, state, s)
    scales = load(scale, 0)
    for first in range((end - 1) // TILE * TILE, low - 1, -TILE):
        rows = min(TILE, length - first)
        at = first // TILE % slots * TILE
        for k in range(rows):  # in a tile that stays in the first cache
            store(tile, k * LANES, mul(scales, load(ring, (at + k) * LANES)))
        if first + rows >= end:
            _settle(back, settled, load(tile, (rows - 1) * LANES))
        for s in range(0, sections.shape[0], 2):
            _two_sections(tile, rows - 1, rows, -1, sections, back, s)
        if first < stop:
            _put_rows(tile, rows, count, out, first - low)


@part
def _lower(v: Any, i: int, half: float) -> Any:
    """Bits of the lanes at i.. whose size is below half."""
    a = load(v, i)
    return bits_less(maximum(a, negate(a)), splat(half)) & 65535


@part
def _reach(v: Any, peak: int, edges: Any) -> Any:
    """Steps down and up from a peak until the size falls below half.

    edges: first and last index to look at. -1: not before one of them.
    """
    half = abs(peek(v, peak)) / 2
    origin, final = edges
    left, right = -1, -1
    i = peak
    while i <= final:
        bits = _lower(v, i, half)
        if bits:
            right = i + count_bits(np.uint64((bits & -bits) - 1)) - peak
            break
        i += LANES
    if peak + right > final:
        right = -1
    i = peak
    while i - LANES + 1 >= origin and left < 0:
        bits = _lower(v, i - LANES + 1, half)
        if bits:
            bits |= bits >> 1
            bits |= bits >> 2
            bits |= bits >> 4
            bits |= bits >> 8
            left = peak - i + LANES - count_bits(np.uint64(bits))
        i -= LANES
    while i >= origin and left < 0:
        if abs(peek(v, i)) < half:
            left = peak - i
        i -= 1
    return left, right


@part
def _peaks(v: Any, i: int, least: float) -> Any:
    """Bits of the lanes at i.. that may be extrema of at least this size.

    Larger than the one before, not smaller than the one after.
    """
    a, b, c = load(v, i - 1), load(v, i), load(v, i + 1)
    limit = splat(least)
    up = bits_less(a, b) & ~bits_less(b, c) & ~bits_less(b, limit)
    low = negate(b)
    down = bits_less(b, a) & ~bits_less(c, b) & ~bits_less(low, limit)
    return (up | down) & 65535


@part
def _steepest(v: Any, first: int, stop: int) -> Any:
    """Largest absolute step from first..stop-1 to the next; 0 for none."""
    best = 0.0
    i = first
    if stop - first >= LANES:
        d = sub(load(v, stop - LANES + 1), load(v, stop - LANES))
        acc = maximum(d, negate(d))
        while i + LANES < stop:
            d = sub(load(v, i + 1), load(v, i))
            acc = maximum(acc, maximum(d, negate(d)))
            i += LANES
        return greatest(acc)
    while i < stop:
        best = max(best, abs(peek(v, i + 1) - peek(v, i)))
        i += 1
    return best


@part
def _describe(v: Any, first: int, stop: int) -> Any:
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
    return square, low, high


@part
def _measured(v: Any, i: int, edges: Any, distance: int, out: Any, at: int) -> int:
    """Column ``at`` of the candidate whose plateau begins at i; 0 if it is none.

    edges: index of the signal's first and last sample, of the first and last to trust.
    """
    origin, final, trusted, end = edges
    value = peek(v, i)
    size = abs(value)
    sign = 1.0 if value > 0 else -1.0
    ahead = i + 1
    while ahead < final and peek(v, ahead) == value:
        ahead += 1
    if sign * peek(v, ahead) >= size:
        return 0
    place = (i + ahead - 1) // 2
    left, right = _reach(v, place, (max(origin, trusted), min(final, end)))
    if right < 0 and final <= end:
        right = final - place
    if left < 0 and origin >= trusted:
        left = place - origin
    first = max(origin, place - distance)
    out[0, at], out[1, at] = place, value
    out[2, at] = _steepest(v, first, min(final - 1, place + distance))
    out[3, at] = -1.0 if left < 0 or right < 0 else left + right
    return 1


@part
def _searched(v: Any, bounds: Any, edges: Any, given: Any, out: Any, found: int) -> int:
    """Candidates among ``v[bounds[0] : bounds[1]]``, from column ``found`` on."""
    least, distance = given
    i, last = bounds
    while i + LANES <= last:
        bits = _peaks(v, i, least)
        while bits:
            lowest = bits & -bits
            bits ^= lowest
            k = i + count_bits(np.uint64(lowest - 1))
            found += _measured(v, k, edges, distance, out, found)
        i += LANES
    while i < last:
        value = peek(v, i)
        size = abs(value)
        sign = 1.0 if value > 0 else -1.0
        before, after = sign * peek(v, i - 1), sign * peek(v, i + 1)
        if size >= least and before < size and after <= size:
            found += _measured(v, i, edges, distance, out, found)
        i += 1
    return found


@kernel
def find_candidates(
    v: Any, lanes: Any, span: Any, least: float, totals: Any, out: Any
) -> None:
    """Local extrema at or above ``least`` of a window of filtered slabs, both signs.

    v: (lane, row), from `filter_window`. lanes: channel, position of row 0, first and
    end position to search of each. span: row of column 0, first and end row of the
    window, end row of ``v``, rows of a slab, length of the signal, rows to trust beyond
    what is searched, distance in samples. totals: sum of squares, least and greatest of
    each lane so far, and its candidates in this window. out: rows of position, value,
    steepest step, half widths (-1: not found), a column a candidate, lane after lane.
    """
    low, first, stop, end, length, n, margin, distance = span
    found = 0
    for lane in range(lanes.shape[0]):
        row0 = lanes[lane, 1]
        at = row0 + low  # position of column 0
        begin = max(lanes[lane, 2], row0 + first)
        last = min(lanes[lane, 3], row0 + stop)
        totals[lane, 3] = 0.0
        if begin >= last:
            continue
        trusted = 0 if row0 <= 0 else max(0, begin - margin - at)
        final = end - low - 1
        if row0 + length < n:
            final = min(final, last + margin - at)
        edges = (-at, n - 1 - at, trusted, final)
        square, lowest, highest = _describe(v[lane], begin - at, last - at)
        totals[lane, 0] += square
        totals[lane, 1] = min(totals[lane, 1], lowest)
        totals[lane, 2] = max(totals[lane, 2], highest)
        bounds = (max(begin, 1) - at, min(last, n - 1) - at)
        known = found
        found = _searched(v[lane], bounds, edges, (least, distance), out, known)
        for i in range(known, found):
            out[0, i] += at
        totals[lane, 3] = found - known


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
