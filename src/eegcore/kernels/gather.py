"""Samples from the file's layout into small contiguous buffers, and lanes of them."""

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from eegcore.kernels._jit import part
from eegcore.kernels._lanes import (
    high1,
    high2,
    high4,
    high8,
    low1,
    low2,
    low4,
    low8,
    total,
)
from eegcore.kernels._vector import (
    LANES,
    add,
    as_pairs,
    even_as,
    fused,
    load,
    load_as,
    odd_as,
    pair_sums,
    peek,
    poke,
    prefetch,
    store,
    sub,
)


def _read(data: Any, base: Any, i: Any) -> Any:
    """Sample ``i`` after element ``base``."""


@overload(_read, inline="always")
def _read_of(data: Any, base: Any, i: Any) -> Any:
    if data.dtype == types.uint8:  # 24 bits, little endian, two's complement

        def read24(data: Any, base: Any, i: Any) -> Any:
            at = base + 3 * i
            low = np.int32(peek(data, at)) | (np.int32(peek(data, at + 1)) << 8)
            return np.int32(low | (np.int32(np.int8(peek(data, at + 2))) << 16))

        return read24

    def read(data: Any, base: Any, i: Any) -> Any:
        return peek(data, base + i)

    return read


@part
def sample(layout: Any, channel: int, i: int) -> Any:
    """Sample ``i`` of a channel."""
    data, offsets, per_record, stride = layout
    n = per_record[channel]
    return np.int64(_read(data, offsets[channel] + i // n * stride, i % n))


@part
def copy_samples(layout: Any, channel: int, span: Any, out: Any, at: int) -> None:
    """Samples span[0]:span[1] of a channel to ``out[at:]``.

    layout: data, offsets, samples per record, record stride.
    """
    data, offsets, per_record, stride = layout
    n = per_record[channel]
    start, stop = span
    record = start // n
    inside = start - record * n
    while start < stop:
        count = min(n - inside, stop - start)
        base = offsets[channel] + record * stride
        for i in range(count):
            poke(out, at + i, _read(data, base, inside + i))
        at += count
        start += count
        record += 1
        inside = 0


@part
def ask_for(layout: Any, channel: int, span: Any) -> None:
    """Have samples span[0]:span[1] of a channel brought to the cache meanwhile."""
    data, offsets, per_record, stride = layout
    n = per_record[channel]
    wide = np.int64(3 if data.itemsize == 1 else 1)
    line = 64 // data.itemsize
    start, stop = span
    while start < stop:
        record = start // n
        end = min(stop, (record + 1) * n)
        base = offsets[channel] + record * (stride - n * wide)
        for at in range(base + start * wide, base + end * wide, line):
            prefetch(data, at)
        start = end


def sum_of(x: Any, at: Any, n: Any) -> Any:
    """Sum of x[at : at + n]."""


@overload(sum_of)
def _sum_of(x: Any, at: Any, n: Any) -> Any:
    def plain(x: Any, at: Any, n: Any) -> Any:
        s = np.int64(0)
        for i in range(n):
            s += np.int64(peek(x, at + i))
        return s

    if x.dtype != types.int16:
        return plain

    def lanes(x: Any, at: Any, n: Any) -> Any:
        s, i = np.int64(0), 0
        if n >= 32:
            acc = pair_sums(load(x, at))
            for j in range(32, n - 31, 32):
                acc = add(acc, pair_sums(load(x, at + j)))
            s, i = total(acc), n // 32 * 32
        while i < n:
            s += np.int64(peek(x, at + i))
            i += 1
        return s

    return lanes


@part
def transposed(r: Any) -> Any:
    """16 vectors of 16 lanes, rows and columns exchanged."""
    r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, ra, rb, rc, rd, re, rf = r
    r0, r8, r1, r9 = low8(r0, r8), high8(r0, r8), low8(r1, r9), high8(r1, r9)
    r2, ra, r3, rb = low8(r2, ra), high8(r2, ra), low8(r3, rb), high8(r3, rb)
    r4, rc, r5, rd = low8(r4, rc), high8(r4, rc), low8(r5, rd), high8(r5, rd)
    r6, re, r7, rf = low8(r6, re), high8(r6, re), low8(r7, rf), high8(r7, rf)
    r0, r4, r1, r5 = low4(r0, r4), high4(r0, r4), low4(r1, r5), high4(r1, r5)
    r2, r6, r3, r7 = low4(r2, r6), high4(r2, r6), low4(r3, r7), high4(r3, r7)
    r8, rc, r9, rd = low4(r8, rc), high4(r8, rc), low4(r9, rd), high4(r9, rd)
    ra, re, rb, rf = low4(ra, re), high4(ra, re), low4(rb, rf), high4(rb, rf)
    r0, r2, r1, r3 = low2(r0, r2), high2(r0, r2), low2(r1, r3), high2(r1, r3)
    r4, r6, r5, r7 = low2(r4, r6), high2(r4, r6), low2(r5, r7), high2(r5, r7)
    r8, ra, r9, rb = low2(r8, ra), high2(r8, ra), low2(r9, rb), high2(r9, rb)
    rc, re, rd, rf = low2(rc, re), high2(rc, re), low2(rd, rf), high2(rd, rf)
    return (
        low1(r0, r1), high1(r0, r1), low1(r2, r3), high1(r2, r3),
        low1(r4, r5), high1(r4, r5), low1(r6, r7), high1(r6, r7),
        low1(r8, r9), high1(r8, r9), low1(ra, rb), high1(ra, rb),
        low1(rc, rd), high1(rc, rd), low1(re, rf), high1(re, rf),
    )  # fmt: skip


def lanes_of_blocks(x: Any, n: Any, less: Any, b: Any, first: Any) -> Any:
    """16 rows x[first + lane * n:][:n], less one number a lane, to b[m * 16 + lane].

    Returns each lane's sum of squares; the last rows may be read past their end by
    up to 31 samples, and n may be shorter than 16.
    """


@overload(lanes_of_blocks)
def _lanes_of_blocks(x: Any, n: Any, less: Any, b: Any, first: Any) -> Any:
    return _lanes_of_pairs if x.dtype == types.int16 else _lanes_of_singles


def _lanes_of_pairs(x: Any, n: Any, less: Any, b: Any, first: Any) -> Any:
    # two samples a lane: half as many exchanges
    minus = load_as(less, 0, b)
    energy = sub(minus, minus)
    for m in range(0, n, 32):
        o = first + m
        p0, p1 = as_pairs(load(x, o)), as_pairs(load(x, o + n))
        p2, p3 = as_pairs(load(x, o + 2 * n)), as_pairs(load(x, o + 3 * n))
        p4, p5 = as_pairs(load(x, o + 4 * n)), as_pairs(load(x, o + 5 * n))
        p6, p7 = as_pairs(load(x, o + 6 * n)), as_pairs(load(x, o + 7 * n))
        p8, p9 = as_pairs(load(x, o + 8 * n)), as_pairs(load(x, o + 9 * n))
        pa, pb = as_pairs(load(x, o + 10 * n)), as_pairs(load(x, o + 11 * n))
        pc, pd = as_pairs(load(x, o + 12 * n)), as_pairs(load(x, o + 13 * n))
        pe, pf = as_pairs(load(x, o + 14 * n)), as_pairs(load(x, o + 15 * n))
        rows = transposed(
            (p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, pa, pb, pc, pd, pe, pf)
        )
        if m + 32 <= n:
            for i in range(16):
                v = sub(even_as(rows[i], b), minus)
                w = sub(odd_as(rows[i], b), minus)
                energy = fused(w, w, fused(v, v, energy))
                store(b, (m + 2 * i) * LANES, v)
                store(b, (m + 2 * i + 1) * LANES, w)
        else:
            for i in range((n - m + 1) // 2):
                v = sub(even_as(rows[i], b), minus)
                energy = fused(v, v, energy)
                store(b, (m + 2 * i) * LANES, v)
                if m + 2 * i + 1 < n:
                    w = sub(odd_as(rows[i], b), minus)
                    energy = fused(w, w, energy)
                    store(b, (m + 2 * i + 1) * LANES, w)
    return energy


def _lanes_of_singles(x: Any, n: Any, less: Any, b: Any, first: Any) -> Any:
    minus = load_as(less, 0, b)
    energy = sub(minus, minus)
    for m in range(0, n, 16):
        o = first + m
        r0, r1 = load_as(x, o, b), load_as(x, o + n, b)
        r2, r3 = load_as(x, o + 2 * n, b), load_as(x, o + 3 * n, b)
        r4, r5 = load_as(x, o + 4 * n, b), load_as(x, o + 5 * n, b)
        r6, r7 = load_as(x, o + 6 * n, b), load_as(x, o + 7 * n, b)
        r8, r9 = load_as(x, o + 8 * n, b), load_as(x, o + 9 * n, b)
        ra, rb = load_as(x, o + 10 * n, b), load_as(x, o + 11 * n, b)
        rc, rd = load_as(x, o + 12 * n, b), load_as(x, o + 13 * n, b)
        re, rf = load_as(x, o + 14 * n, b), load_as(x, o + 15 * n, b)
        rows = transposed(
            (r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, ra, rb, rc, rd, re, rf)
        )
        if m + 16 <= n:
            for i in range(16):
                v = sub(rows[i], minus)
                energy = fused(v, v, energy)
                store(b, (m + i) * LANES, v)
        else:
            for i in range(n - m):
                v = sub(rows[i], minus)
                energy = fused(v, v, energy)
                store(b, (m + i) * LANES, v)
    return energy
