"""Sums of stretches of samples of a channel, and how often they cross a level.

`eegcore.kernels.stretch` sums one stretch. The public side is `eegcore.blocksums`.
"""

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from eegcore.kernels._jit import kernel, part
from eegcore.kernels._vector import (
    bits_less,
    count_bits,
    load,
    peek,
    splat,
)
from eegcore.kernels.gather import copy_samples
from eegcore.kernels.stretch import stretch


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
