"""Sums of products of channels, exact in integers, in one pass in file order."""

from typing import Any

import numpy as np

from eegcore.kernels._jit import kernel, part
from eegcore.kernels._lanes import (
    total,
)
from eegcore.kernels._vector import (
    add,
    bit_and,
    load,
    multiply_pairs,
    peek,
    poke,
    splat,
    widen,
)
from eegcore.kernels.gather import copy_samples
from eegcore.kernels.rows import PRODUCT_TILE


@part
def _two_by_two(y: Any, i: int, j: int, tile: int, out: Any) -> None:
    """Products of rows i, i + 1 with j, j + 1 of ``y``, added to ``out``."""
    one = splat(np.int16(1))
    none = multiply_pairs(bit_and(one, splat(np.int16(0))), one)
    aa, ab = widen(none), widen(none)
    ba, bb = widen(none), widen(none)
    for start in range(0, tile, 128):
        saa, sab, sba, sbb = none, none, none, none
        for k in range(start, start + 128, 32):
            a0, a1 = load(y, i * tile + k), load(y, (i + 1) * tile + k)
            b0, b1 = load(y, j * tile + k), load(y, (j + 1) * tile + k)
            saa, sab = (
                add(saa, multiply_pairs(a0, b0)),
                add(sab, multiply_pairs(a0, b1)),
            )
            sba, sbb = (
                add(sba, multiply_pairs(a1, b0)),
                add(sbb, multiply_pairs(a1, b1)),
            )
        aa, ab = add(aa, widen(saa)), add(ab, widen(sab))
        ba, bb = add(ba, widen(sba)), add(bb, widen(sbb))
    out[i, j] += total(aa)
    out[i, j + 1] += total(ab)
    out[i + 1, j] += total(ba)
    out[i + 1, j + 1] += total(bb)


@kernel
def product_sums(
    layout: Any, channels: Any, span: Any, pivot: Any, work: Any, out: Any
) -> None:
    """Sums of x_i and of x_i x_j over stored samples span[0] to span[1].

    channels: even in number (the last may be twice there). pivot: int64, what is taken
    from each channel first. work: samples, int16 rows of PRODUCT_TILE, int64
    zeros (row, row), float64 (row, PRODUCT_TILE). out: products float64
    (row, row), sums int64, least and greatest int64. A tile in which a channel leaves
    the pivot by more than 16,383 is summed in float64.
    """
    x, y, part_sums, wide = work
    products, sums, low, high = out
    n = channels.shape[0]
    for first in range(span[0], span[1], PRODUCT_TILE):
        count = min(PRODUCT_TILE, span[1] - first)
        narrow = True
        for i in range(n):
            copy_samples(layout, channels[i], (first, first + count), x, 0)
            a, b, s = np.int64(peek(x, 0)), np.int64(peek(x, 0)), np.int64(0)
            for k in range(count):
                v = np.int64(peek(x, k))
                a, b = min(a, v), max(b, v)
                s += v - pivot[i]
                poke(y, i * PRODUCT_TILE + k, np.int16(v - pivot[i]))
            for k in range(count, PRODUCT_TILE):
                poke(y, i * PRODUCT_TILE + k, np.int16(0))
            sums[i] += s
            low[i], high[i] = min(low[i], a), max(high[i], b)
            if a - pivot[i] < -16383 or b - pivot[i] > 16383:
                narrow = False
        if narrow:
            for i in range(0, n, 2):
                for j in range(i, n, 2):
                    _two_by_two(y, i, j, PRODUCT_TILE, part_sums)
            continue
        for i in range(n):
            copy_samples(layout, channels[i], (first, first + count), x, 0)
            for k in range(count):
                wide[i, k] = np.float64(np.int64(peek(x, k)) - pivot[i])
        for i in range(n):
            for j in range(i, n):
                acc = 0.0
                for k in range(count):
                    acc += wide[i, k] * wide[j, k]
                products[i, j] += acc
    for i in range(n):
        for j in range(n):
            products[i, j] += part_sums[i, j]
