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
    prefetch,
    splat,
)
from eegcore.kernels.gather import copy_samples, sample
from eegcore.kernels.stretch import stretch

_LOW32 = np.uint64(0xFFFFFFFF)


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


def changes(layout: Any, channel: Any, span: Any, level: Any, x: Any) -> Any:
    """Changes between below ``level`` and not, among samples span[0] to span[1].

    x: space for two samples or more, which are looked at together.
    """


@overload(changes)
def _changes_of(layout: Any, channel: Any, span: Any, level: Any, x: Any) -> Any:
    return _changes_in_place if x.dtype == types.int16 else _changes_in_copies


def _changes_in_copies(layout: Any, channel: Any, span: Any, level: Any, x: Any) -> Any:
    count = np.int64(0)
    for first in range(span[0], span[1] - 1, x.shape[0] - 1):  # they share a sample
        stop = min(first + x.shape[0], span[1])
        copy_samples(layout, channel, (first, stop), x, 0)
        for i in range(stop - first - 1):
            count += (peek(x, i) < level) != (peek(x, i + 1) < level)
    return count


def _changes_in_place(layout: Any, channel: Any, span: Any, level: Any, x: Any) -> Any:
    data, offsets, per_record, stride = layout
    count = np.int64(0)
    if level < -32768 or level > 32767:
        return count
    n = per_record[channel]
    start, stop = span
    limit, one = splat(np.int16(level)), np.uint64(1)
    before = np.uint64(sample(layout, channel, start) < level)
    while start < stop:
        record = start // n
        at = offsets[channel] + record * stride + start - record * n
        many = min((record + 1) * n, stop) - start
        for j in range(0, many, 32):
            prefetch(data, at + j + stride)  # a record ahead
        for j in range(0, many - 31, 32):
            below = bits_less(load(data, at + j), limit)
            count += count_bits((below ^ (below << one | before)) & _LOW32)
            before = below >> np.uint64(31)
        rest = many % 32
        if rest and at + many - rest + 32 <= data.shape[0]:
            below = bits_less(load(data, at + many - rest), limit)
            within = (one << np.uint64(rest)) - one
            count += count_bits((below ^ (below << one | before)) & within)
            before = (below >> np.uint64(rest - 1)) & one
        elif rest:
            for j in range(many - rest, many):
                is_below = np.uint64(peek(data, at + j) < level)
                count += np.int64(is_below ^ before)
                before = is_below
        start += many
    return count


@kernel
def crossings(
    layout: Any, channel: int, spans: Any, levels: Any, x: Any, out: Any
) -> None:
    """How often each stretch changes between ``x < level`` and ``x >= level``.

    levels: int64, one a stretch; x: space as of `changes`. out: int64.
    """
    for b in range(spans.shape[0]):
        span = (spans[b, 0], spans[b, 1])
        out[b] = changes(layout, channel, span, levels[b], x)
