"""Sums of products of channels over parts of a recording, kept for later calls.

Parts lie on a grid from the first stored sample, each with its own pivots, so that a
range is the sum of a beginning, whole parts and an end: the same bytes whether parts
were kept or not.
"""

import weakref
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore.compiled import kernel
from eegcore.kernels.rows import PRODUCT_TILE
from eegcore.recording import Recording
from eegcore.threads import ForkLock, each
from eegcore.workspace import aligned, layout_of, sample_kind

Float = NDArray[np.float64]
Int = NDArray[np.int64]

PART_SAMPLES = 1 << 18
_KEPT_PARTS = 512  # a recording; 12 KB each for 38 channels


class Products(NamedTuple):
    """Sums over stored samples of some channels, less a pivot each.

    Attributes
    ----------
    products : ndarray, float64, (n_channels, n_channels)
        Upper triangle.
    sums, pivot, low, high : ndarray, int64, (n_channels,)
    n_samples : int
    """

    products: Float
    sums: Int
    pivot: Int
    low: Int
    high: Int
    n_samples: int


_lock = ForkLock()
_Parts = OrderedDict[tuple[object, ...], Products]
_kept: "weakref.WeakKeyDictionary[Recording, _Parts]" = weakref.WeakKeyDictionary()


def forget(recording: Recording | None = None) -> None:
    """Drop the kept parts of a recording, or of all."""
    with _lock:
        if recording is None:
            _kept.clear()
        else:
            _kept.pop(recording, None)


def products_of(
    recording: Recording, channels: Sequence[int], start: int, stop: int
) -> Products:
    """Sums over stored samples start..stop-1 of channels of one rate.

    Parameters
    ----------
    channels : sequence of int
        Stored as integers.
    start, stop : int
        Not an empty range.
    """
    recording.check_samples()
    some = tuple(channels)
    cuts = range(start // PART_SAMPLES * PART_SAMPLES, stop, PART_SAMPLES)
    spans = [(max(start, at), min(stop, at + PART_SAMPLES)) for at in cuts]

    def found(span: tuple[int, int]) -> Products:
        whole = span[1] - span[0] == PART_SAMPLES
        key = (some, span[0])
        with _lock:
            kept = _kept.setdefault(recording, _Parts())
            if whole and key in kept:
                kept.move_to_end(key)
                return kept[key]
        products = _summed(recording, some, span)
        if whole:
            with _lock:
                kept[key] = products
                if len(kept) > _KEPT_PARTS:
                    kept.popitem(last=False)
        return products

    return _joined(each(found, spans))


def _summed(
    recording: Recording, channels: tuple[int, ...], span: tuple[int, int]
) -> Products:
    n = len(channels)
    some = np.array([*channels, *channels[-1:] * (n % 2)], np.int64)  # an even number
    head = min(span[1], span[0] + PRODUCT_TILE)
    pivot = np.array([recording.read_digital(c, span[0], head).mean() for c in some])
    pivot = np.round(pivot).astype(np.int64)
    products = np.zeros((some.size, some.size))
    sums = np.zeros(some.size, np.int64)
    low = np.full(some.size, np.iinfo(np.int64).max)
    high = np.full(some.size, np.iinfo(np.int64).min)
    work = (
        aligned((PRODUCT_TILE + 64,), sample_kind(recording)),
        aligned((some.size * PRODUCT_TILE,), np.int16),
        np.zeros((some.size, some.size), np.int64),
        np.empty((some.size, PRODUCT_TILE)),
    )
    out = (products, sums, low, high)
    kernel("product_sums")(layout_of(recording), some, np.array(span), pivot, work, out)
    return Products(
        products[:n, :n], sums[:n], pivot[:n], low[:n], high[:n], span[1] - span[0]
    )


def _joined(parts: list[Products]) -> Products:
    """Sum of parts about the pivots of the first; in their order."""
    pivot = parts[0].pivot
    products = np.zeros_like(parts[0].products)
    sums = np.zeros_like(pivot)
    for p in parts:
        moved = (p.pivot - pivot).astype(np.float64)
        one = np.outer(moved, p.sums.astype(np.float64))
        products += p.products + one + one.T + p.n_samples * np.outer(moved, moved)
        sums += p.sums + p.n_samples * (p.pivot - pivot)
    return Products(
        products,
        sums,
        pivot,
        np.min([p.low for p in parts], axis=0),
        np.max([p.high for p in parts], axis=0),
        sum(p.n_samples for p in parts),
    )
