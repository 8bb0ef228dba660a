"""Sums of a stretch of samples from which every time-domain feature follows.

All are exact integers while the stretch spans at most 16,382 steps of the converter and
moves by at most 8,191 a sample, as EEG does: 32 int16 at a time, powers as sums of
products of 13 bits. Any other stretch takes a plain loop in float64.
`eegcore.kernels.waveform` is the caller.
"""

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from eegcore.kernels._jit import inlined, part
from eegcore.kernels._lanes import (
    fold1,
    fold2,
    fold4,
    greatest,
    halved,
    lane,
    least,
    total,
)
from eegcore.kernels._vector import (
    absolute,
    add,
    bit_and,
    bits_equal,
    bits_less,
    count_bits,
    load,
    maximum,
    minimum,
    mul,
    multiply_high,
    multiply_pairs,
    pair_sums,
    peek,
    poke,
    splat,
    sub,
)
from eegcore.kernels.rows import (
    BEND_SQUARE,
    CENTRE,
    CUBE,
    FIRST,
    FOURTH,
    GREATEST,
    LAST,
    LAST_BUT_ONE,
    LEAST,
    N_FLAT,
    N_GREATEST,
    N_LEAST,
    PATH,
    REST,
    SECOND,
    SQUARE,
    STEP_SQUARE,
)

NARROW, STEEP = 16382, 8191
FOLDED = 448  # samples of which sums of 32 bits do not overflow


def _overview(x: Any, at: Any, n: Any, mask: Any) -> Any:
    """Lowest, highest and sum of ``x[at : at + n]``."""


@overload(_overview, jit_options={"forceinline": True})
def _overview_of(x: Any, at: Any, n: Any, mask: Any) -> Any:
    def plain(x: Any, at: Any, n: Any, mask: Any) -> Any:
        low = np.int64(peek(x, at))
        high, s = low, np.int64(0)
        for i in range(n):
            v = np.int64(peek(x, at + i))
            low, high, s = min(low, v), max(high, v), s + v
        return low, high, s

    if x.dtype != types.int16:
        return plain

    def lanes(x: Any, at: Any, n: Any, mask: Any) -> Any:
        if n < 32:
            low = np.int64(peek(x, at))
            high, s = low, np.int64(0)
            for i in range(n):
                v = np.int64(peek(x, at + i))
                low, high, s = min(low, v), max(high, v), s + v
            return low, high, s
        a = load(x, at)
        b, acc = a, pair_sums(a)
        for j in range(32, n - 31, 32):
            w = load(x, at + j)
            a, b = minimum(a, w), maximum(b, w)
            acc = add(acc, pair_sums(w))
        rest = n % 32
        if rest:
            w = load(x, at + n - 32)
            a, b = minimum(a, w), maximum(b, w)
            w = bit_and(load(x, at + n - rest), load(mask, 64 - rest))
            acc = add(acc, pair_sums(w))
        return np.int64(least(a)), np.int64(greatest(b)), total(acc)

    return lanes


@inlined
def _step(x: Any, masks: Any, c: Any, acc: Any, small: Any) -> Any:
    """Add 32 samples to the sums; x: these and those one and two later."""
    x0, x1, x2 = x
    my, md, me = masks
    centre, low13 = c
    y2, d2, e2, hh, hl, ll, hy, ly = acc
    path, bound = small
    y = bit_and(sub(x0, centre), my)
    d = sub(x1, x0)
    e = absolute(bit_and(sub(sub(x2, x1), d), me))
    d = absolute(bit_and(d, md))
    lo = bit_and(mul(y, y), low13)
    double = add(y, y)
    hi = multiply_high(double, add(double, double))  # y * y = 8192 hi + lo
    acc = (
        add(y2, multiply_pairs(y, y)),
        add(d2, multiply_pairs(d, d)),
        add(e2, multiply_pairs(e, e)),
        add(hh, multiply_pairs(hi, hi)),
        add(hl, multiply_pairs(hi, lo)),
        add(ll, multiply_pairs(lo, lo)),
        add(hy, multiply_pairs(hi, y)),
        add(ly, multiply_pairs(lo, y)),
    )
    return d, acc, (add(path, pair_sums(d)), maximum(bound, maximum(d, e)))


@inlined
def _more(total8: Any, acc: Any) -> Any:
    """Sums of 64 bits, those of 32 bits added."""
    a, b, c, d, e, f, g, h = total8
    s, t, u, v, w, x, y, z = acc
    return (
        add(a, halved(s)), add(b, halved(t)), add(c, halved(u)), add(d, halved(v)),
        add(e, halved(w)), add(f, halved(x)), add(g, halved(y)), add(h, halved(z)),
    )  # fmt: skip


@inlined
def _narrow(z: Any, at: int, n: int, given: Any, sums: Any, marks: Any, b: int) -> Any:
    """All sums of ``z[at : at + n]``, which spans at most NARROW.

    given: mask, lowest, highest and middle of z, limit of a flat step. With the middle
    taken off, a sample has 13 bits and a sign, its square two parts of 13 bits, and so
    14 pairs of products fit into 32 bits. Returns the longest step, or step of steps:
    the sums are only right if it is at most STEEP.
    """
    mask, low, high, middle, flat_below = given
    c = (splat(np.int16(middle)), splat(np.int16(8191)))
    at_low, at_high = splat(np.int16(low)), splat(np.int16(high))
    limit = splat(np.int16(min(flat_below, 32767)))
    full, none = splat(np.int16(-1)), splat(np.int16(0))
    zero = multiply_pairs(none, none)
    wide = halved(zero)
    sums8 = (wide, wide, wide, wide, wide, wide, wide, wide)
    small = (zero, none)
    n_low, n_high, n_flat = np.int64(0), np.int64(0), np.int64(0)
    inner = max(0, (n - 2) // 32 * 32)  # before it, all three samples are inside
    for start in range(0, n, FOLDED):
        stop = min(n, start + FOLDED)
        acc = (zero, zero, zero, zero, zero, zero, zero, zero)
        for j in range(start, min(stop, inner), 32):
            x0, x1, x2 = load(z, at + j), load(z, at + j + 1), load(z, at + j + 2)
            d, acc, small = _step((x0, x1, x2), (full, full, full), c, acc, small)
            n_flat += count_bits(bits_less(d, limit))
            n_low += count_bits(bits_equal(x0, at_low))
            n_high += count_bits(bits_equal(x0, at_high))
        for j in range(max(start, inner), stop, 32):
            s = max(0, 64 - (n - j))
            x0, x1, x2 = load(z, at + j), load(z, at + j + 1), load(z, at + j + 2)
            my = load(mask, s)
            masks = (my, load(mask, s + 1), load(mask, s + 2))
            d, acc, small = _step((x0, x1, x2), masks, c, acc, small)
            inside = bits_less(my, none)
            n_flat += count_bits(bits_less(d, limit))
            n_low += count_bits(bits_equal(x0, at_low) & inside)
            n_high += count_bits(bits_equal(x0, at_high) & inside)
        sums8 = _more(sums8, acc)
    if flat_below > 0:  # masked steps are zero: not steps at all
        n_flat -= (n + 31) // 32 * 32 - (n - 1)
    y2, d2, e2, hh, hl, ll, hy, ly = sums8
    one = fold2(fold4(y2, d2), fold4(e2, hh))
    v = fold1(one, fold2(fold4(hl, ll), fold4(hy, ly)))
    path, bound = small
    sums[SQUARE, b] = lane(v, 0)
    sums[STEP_SQUARE, b], sums[BEND_SQUARE, b] = lane(v, 4), lane(v, 2)
    fourth = 67108864.0 * lane(v, 6) + 16384.0 * lane(v, 1)
    sums[FOURTH, b] = fourth + lane(v, 5)
    sums[CUBE, b] = 8192 * lane(v, 3) + lane(v, 7)
    sums[PATH, b] = total(path)
    marks[N_LEAST, b], marks[N_GREATEST, b], marks[N_FLAT, b] = n_low, n_high, n_flat
    return greatest(bound)


@part
def _wide(x: Any, at: int, n: int, given: Any, sums: Any, marks: Any, b: int) -> None:
    """All sums of a stretch of any span, in float64."""
    low, high, s, flat_below = given
    mean = s // n
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
    low, high, s = _overview(x, at, n, mask)
    is_done = False
    if high - low <= NARROW:
        z, start, base = _as_int16(x, at, n, low, room)
        middle = (low + high + 1) >> 1
        known = (mask, low - base, high - base, middle - base, flat_below)
        marks[CENTRE, b], marks[REST, b] = middle, s - middle * n
        is_done = _narrow(z, start, n, known, sums, marks, b) <= STEEP
    if not is_done:
        _wide(x, at, n, (low, high, s, flat_below), sums, marks, b)
    marks[LEAST, b], marks[GREATEST, b] = low, high
    marks[FIRST, b], marks[LAST, b] = peek(x, at), peek(x, at + n - 1)
    marks[SECOND, b] = peek(x, at + min(1, n - 1))
    marks[LAST_BUT_ONE, b] = peek(x, at + max(0, n - 2))
