"""Sums of a stretch of samples from which every time-domain feature follows.

All are exact integers while the stretch spans at most 16,383 steps of the converter, as
EEG does: 32 int16 at a time, squares and fourth powers as sums of products of 16 bits.
A wider stretch takes a plain loop in float64. The public side is `eegcore.blocksums`.
"""

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from eegcore.kernels._jit import inlined, kernel, part
from eegcore.kernels._vector import (
    absolute,
    add,
    bit_and,
    bits_equal,
    bits_less,
    count_bits,
    greatest,
    high1,
    high2,
    high4,
    high8,
    lane,
    least,
    load,
    low1,
    low2,
    low4,
    low8,
    maximum,
    minimum,
    mul,
    multiply_high,
    multiply_pairs,
    peek,
    poke,
    shift15,
    shift16,
    splat,
    sub,
    total,
    widen,
)
from eegcore.kernels.gather import copy_samples

# rows of the float64 sums: powers of x - centre, steps, steps of steps, path
SQUARE, CUBE, FOURTH, STEP_SQUARE, BEND_SQUARE, PATH = range(6)
N_SUMS = 6
# rows of the int32 marks
(CENTRE, REST, LEAST, GREATEST, N_LEAST, N_GREATEST, N_FLAT) = range(7)
FIRST, SECOND, LAST_BUT_ONE, LAST = range(7, 11)
N_MARKS = 11
NARROW = 16383
FOLDED = 4096  # of so many samples, sums of 32 bits do not overflow when folded


@part
def _halves(low: Any, high: Any) -> Any:
    """A sum that was kept as lower and upper 16 bits."""
    return total(low) + 65536 * total(high)


def _range(x: Any, at: Any, n: Any) -> Any:
    """Lowest and highest of ``x[at : at + n]``."""


@overload(_range)
def _range_of(x: Any, at: Any, n: Any) -> Any:
    def plain(x: Any, at: Any, n: Any) -> Any:
        low = np.int64(peek(x, at))
        high = low
        for i in range(n):
            v = np.int64(peek(x, at + i))
            low, high = min(low, v), max(high, v)
        return low, high

    if x.dtype != types.int16:
        return plain

    def lanes(x: Any, at: Any, n: Any) -> Any:
        if n < 32:
            low = np.int64(peek(x, at))
            high = low
            for i in range(n):
                v = np.int64(peek(x, at + i))
                low, high = min(low, v), max(high, v)
            return low, high
        a = load(x, at)
        b = a
        for j in range(32, n - 31, 32):
            w = load(x, at + j)
            a, b = minimum(a, w), maximum(b, w)
        w = load(x, at + n - 32)
        a, b = minimum(a, w), maximum(b, w)
        return np.int64(least(a)), np.int64(greatest(b))

    return lanes


@inlined
def _sum(z: Any, at: int, n: int, mask: Any) -> Any:
    one = splat(np.int16(1))
    acc = multiply_pairs(bit_and(load(mask, 64), one), one)
    for j in range(0, n, 32):
        v = bit_and(load(z, at + j), load(mask, max(0, 64 - (n - j))))
        acc = add(acc, multiply_pairs(v, one))
    return total(acc)


@part
def _fold8(a: Any, b: Any) -> Any:
    return add(low8(a, b), high8(a, b))


@part
def _fold4(a: Any, b: Any) -> Any:
    return add(low4(a, b), high4(a, b))


@part
def _fold2(a: Any, b: Any) -> Any:
    return add(low2(a, b), high2(a, b))


@part
def _fold1(a: Any, b: Any) -> Any:
    return add(low1(a, b), high1(a, b))


@part
def _totals(v: Any) -> Any:
    """Totals of eight vectors without overflow: in lanes 0, 8, 4, 12, 2, 10, 6, 14."""
    a, b, c, d, e, f, g, h = v
    one = _fold4(_fold8(a, b), _fold8(c, d))
    two = _fold4(_fold8(e, f), _fold8(g, h))
    both = _fold2(one, two)
    return _fold1(both, both)


@inlined
def _narrow(z: Any, at: int, n: int, given: Any, sums: Any, marks: Any, b: int) -> None:
    """All sums of ``z[at : at + n]``, which spans at most NARROW steps.

    given: mask, offset of z, lowest and highest of z, limit of a flat step.
    """
    mask, base, low, high, flat_below = given
    mean = np.int64(np.floor(_sum(z, at, n, mask) / n))
    one, low16 = splat(np.int16(1)), splat(np.int32(65535))
    nothing = multiply_pairs(bit_and(load(mask, 64), one), one)
    centre, at_low, at_high = (
        splat(np.int16(mean)),
        splat(np.int16(low)),
        splat(np.int16(high)),
    )
    limit = splat(np.int16(min(flat_below, 32767)))
    rest, path = nothing, nothing
    y2, d2, hh, hl, hy = (
        widen(nothing),
        widen(nothing),
        widen(nothing),
        widen(nothing),
        widen(nothing),
    )
    e_low, e_high, c_low, c_high = nothing, nothing, nothing, nothing
    f_low, f_high = nothing, nothing
    n_low, n_high, n_flat = np.int64(0), np.int64(0), np.int64(0)
    for start in range(0, n, 128):
        sy2, sd2, shh, shl, shy = nothing, nothing, nothing, nothing, nothing
        for j in range(start, min(n, start + 128), 32):
            s = max(0, 64 - (n - j))
            x0, x1, x2 = load(z, at + j), load(z, at + j + 1), load(z, at + j + 2)
            my, md, me = load(mask, s), load(mask, s + 1), load(mask, s + 2)
            y = bit_and(sub(x0, centre), my)
            d = sub(x1, x0)
            e = bit_and(sub(sub(x2, x1), d), me)
            d = bit_and(d, md)
            lo = mul(y, y)
            hi = sub(multiply_high(y, y), shift15(lo))
            rest = add(rest, multiply_pairs(y, one))
            sy2 = add(sy2, multiply_pairs(y, y))
            sd2 = add(sd2, multiply_pairs(d, d))
            shh = add(shh, multiply_pairs(hi, hi))
            shl = add(shl, multiply_pairs(hi, lo))
            shy = add(shy, multiply_pairs(hi, y))
            p = multiply_pairs(e, e)
            e_low, e_high = add(e_low, bit_and(p, low16)), add(e_high, shift16(p))
            p = multiply_pairs(lo, lo)
            c_low, c_high = add(c_low, bit_and(p, low16)), add(c_high, shift16(p))
            p = multiply_pairs(lo, y)
            f_low, f_high = add(f_low, bit_and(p, low16)), add(f_high, shift16(p))
            step = absolute(d)
            path = add(path, multiply_pairs(step, one))
            n_flat += count_bits(bits_less(step, limit))
            inside = bits_less(my, splat(np.int16(0)))
            n_low += count_bits(bits_equal(x0, at_low) & inside)
            n_high += count_bits(bits_equal(x0, at_high) & inside)
        y2, d2 = add(y2, widen(sy2)), add(d2, widen(sd2))
        hh, hl, hy = add(hh, widen(shh)), add(hl, widen(shl)), add(hy, widen(shy))
    padded = (n + 31) // 32 * 32 - (n - 1)  # masked steps are zero: not steps at all
    if flat_below > 0:
        n_flat -= padded
    marks[CENTRE, b] = base + mean
    v = _totals((y2, d2, hh, hl, hy, y2, y2, y2))
    sums[SQUARE, b] = lane(v, 0)
    sums[STEP_SQUARE, b] = lane(v, 8)
    fourth = 4294967296.0 * lane(v, 4) + 131072.0 * lane(v, 12)
    cube = 65536.0 * lane(v, 2)
    if n <= FOLDED:
        u = _totals((rest, path, e_low, e_high, c_low, c_high, f_low, f_high))
        marks[REST, b] = lane(u, 0)
        sums[PATH, b] = lane(u, 8)
        sums[BEND_SQUARE, b] = lane(u, 4) + 65536 * np.int64(lane(u, 12))
        fourth += lane(u, 2) + 65536 * np.int64(lane(u, 10))
        cube += lane(u, 6) + 65536 * np.int64(lane(u, 14))
    else:
        marks[REST, b] = total(rest)
        sums[PATH, b] = total(path)
        sums[BEND_SQUARE, b] = _halves(e_low, e_high)
        fourth += _halves(c_low, c_high)
        cube += _halves(f_low, f_high)
    sums[CUBE, b], sums[FOURTH, b] = cube, fourth
    marks[N_LEAST, b], marks[N_GREATEST, b], marks[N_FLAT, b] = n_low, n_high, n_flat


@part
def _wide(x: Any, at: int, n: int, given: Any, sums: Any, marks: Any, b: int) -> None:
    """All sums of a stretch of any span, in float64."""
    low, high, flat_below = given
    s = np.int64(0)
    for i in range(n):
        s += np.int64(peek(x, at + i))
    mean = np.int64(np.floor(s / n))
    s2, s3, s4, d2, e2 = 0.0, 0.0, 0.0, 0.0, 0.0
    path, n_low, n_high, n_flat = np.int64(0), 0, 0, 0
    before = np.int64(0)
    for i in range(n):
        v = np.int64(peek(x, at + i))
        y = np.float64(v - mean)
        s2 += y * y
        s3 += y * y * y
        s4 += y * y * y * y
        n_low += v == low
        n_high += v == high
        if i > 0:
            d = v - np.int64(peek(x, at + i - 1))
            d2 += np.float64(d) * np.float64(d)
            path += abs(d)
            n_flat += abs(d) < flat_below
            if i > 1:
                e = np.float64(d - before)
                e2 += e * e
            before = d
    sums[SQUARE, b], sums[CUBE, b], sums[FOURTH, b] = s2, s3, s4
    sums[STEP_SQUARE, b], sums[BEND_SQUARE, b], sums[PATH, b] = d2, e2, path
    marks[CENTRE, b], marks[REST, b] = mean, s - mean * n
    marks[N_LEAST, b], marks[N_GREATEST, b], marks[N_FLAT, b] = n_low, n_high, n_flat


def _as_int16(x: Any, at: Any, n: Any, low: Any, room: Any) -> Any:
    """The stretch as int16, where it starts, and what was subtracted."""


@overload(_as_int16)
def _as_int16_of(x: Any, at: Any, n: Any, low: Any, room: Any) -> Any:
    def same(x: Any, at: Any, n: Any, low: Any, room: Any) -> Any:
        return x, at, np.int64(0)

    def moved(x: Any, at: Any, n: Any, low: Any, room: Any) -> Any:
        for i in range(n):
            poke(room, i, np.int16(peek(x, at + i) - low))
        return room, np.int64(0), low

    return same if x.dtype == types.int16 else moved


@inlined
def stretch(x: Any, at: int, n: int, given: Any, sums: Any, marks: Any, b: int) -> None:
    """All sums of ``x[at : at + n]`` to column ``b``; given: mask, room, flat limit.

    64 samples after the stretch must exist. room: int16 for a wide sample type.
    """
    mask, room, flat_below = given
    low, high = _range(x, at, n)
    if high - low > NARROW:
        _wide(x, at, n, (low, high, flat_below), sums, marks, b)
    else:
        z, start, base = _as_int16(x, at, n, low, room)
        known = (mask, base, low - base, high - base, flat_below)
        _narrow(z, start, n, known, sums, marks, b)
    marks[LEAST, b], marks[GREATEST, b] = low, high
    marks[FIRST, b], marks[LAST, b] = peek(x, at), peek(x, at + n - 1)
    marks[SECOND, b] = peek(x, at + min(1, n - 1))
    marks[LAST_BUT_ONE, b] = peek(x, at + max(0, n - 2))


@part
def stretches(x: Any, size: Any, given: Any, sums: Any, marks: Any, b: int) -> None:
    """All sums of neighbouring stretches to columns ``b`` on; size: samples, count."""
    n, count = size
    for k in range(count):
        stretch(x, k * n, n, given, sums, marks, b + k)


@kernel
def stretch_sums(
    layout: Any, channel: int, spans: Any, given: Any, work: Any, out: Any
) -> None:
    """Sums of each stretch of samples spans[i, 0] to spans[i, 1].

    given: mask and flat limit; work: samples and int16 room, each 64 longer than the
    longest stretch. See `eegcore.blocksums`.
    """
    x, room = work
    sums, marks = out
    for b in range(spans.shape[0]):
        copy_samples(layout, channel, (spans[b, 0], spans[b, 1]), x, 0)
        n = spans[b, 1] - spans[b, 0]
        stretch(x, 0, n, (given[0], room, given[1]), sums, marks, b)


def changes(x: Any, n: Any, level: Any, mask: Any) -> Any:
    """Number of changes between below ``level`` and not, in ``x[:n]``."""


@overload(changes)
def _changes_of(x: Any, n: Any, level: Any, mask: Any) -> Any:
    def plain(x: Any, n: Any, level: Any, mask: Any) -> Any:
        count = np.int64(0)
        for i in range(n - 1):
            count += (peek(x, i) < level) != (peek(x, i + 1) < level)
        return count

    if x.dtype != types.int16:
        return plain

    def lanes(x: Any, n: Any, level: Any, mask: Any) -> Any:
        count = np.int64(0)
        if level < -32768 or level > 32767:
            return count
        limit = splat(np.int16(level))
        one, low32 = np.uint64(1), np.uint64(0xFFFFFFFF)
        before = bits_less(load(x, 0), limit) & one  # no change before the first
        for j in range(0, n, 32):
            below = bits_less(load(x, j), limit)
            changed = (below ^ ((below << one) | before)) & low32
            if n - j < 32:
                changed &= (one << np.uint64(n - j)) - one
            count += count_bits(changed)
            before = below >> np.uint64(31)
        return count

    return lanes


@kernel
def crossings(
    layout: Any, channel: int, spans: Any, levels: Any, work: Any, out: Any
) -> None:
    """How often each stretch changes between ``x < level`` and ``x >= level``.

    levels: int64, one a stretch; work: samples and mask. out: int64.
    """
    x, mask = work
    for b in range(spans.shape[0]):
        n = spans[b, 1] - spans[b, 0]
        copy_samples(layout, channel, (spans[b, 0], spans[b, 1]), x, 0)
        out[b] = changes(x, n, levels[b], mask)
