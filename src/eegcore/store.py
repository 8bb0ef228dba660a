"""Where the stored samples of a recording lie, and how to get at them.

A `SampleStore` is what kernels read; `gather` and `calibrate` are the plain numpy way
to the same values.
"""

import weakref
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Encoding = Literal["int16", "int24", "float64"]


class Layout(NamedTuple):
    """Where samples lie, as kernels take it; read-only."""

    data: NDArray[Any]
    offsets: NDArray[np.int64]
    per_record: NDArray[np.int64]
    stride: int


@dataclass(slots=True, eq=False)
class SampleStore:
    """Stored samples of all channels of a recording, record after record.

    Sample number `s` of channel `c` lies in record `r = s // samples_per_record[c]`,
    at element `offsets[c] + r * record_stride + s % samples_per_record[c]`. For
    "int24" elements are bytes: the last term counts three times, and the sample is
    the three bytes from there, least significant first.

    Attributes
    ----------
    data : ndarray, 1-D, read-only
        int16 ("int16"), uint8 ("int24") or float64 ("float64": values in the channel's
        unit, gain 1 and offset 0).
    record_stride : int
        Elements from one record to the next.
    offsets : ndarray of int64, (n_channels,)
        First element of each channel in record 0.
    layout : Layout
        The same for kernels.
    """

    data: NDArray[Any]
    encoding: Encoding
    record_stride: int
    offsets: NDArray[np.int64]
    samples_per_record: NDArray[np.int64]
    n_records: int
    layout: Layout = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Make the layout."""
        data = np.asarray(self.data)
        if data.flags.writeable or type(data) is not type(self.data):
            data = data.view()
            data.flags.writeable = False
        offsets = np.ascontiguousarray(self.offsets, np.int64)
        per_record = np.ascontiguousarray(self.samples_per_record, np.int64)
        self.layout = Layout(data, offsets, per_record, int(self.record_stride))


class Mapping(Protocol):
    """Something that holds a mapped store and can make it anew."""

    def unmap(self) -> None:
        """Let go of the map."""


# Each map keeps a file handle (until Python 3.13), and a process has 1,024 of them.
MOST_MAPPED = 256
_mapped: deque[weakref.ref[Mapping]] = deque()


def note_mapped(owner: Mapping) -> None:
    """Tell of a new map; the oldest ones are let go when there are too many."""
    _mapped.append(weakref.ref(owner))
    while len(_mapped) > MOST_MAPPED:
        try:
            oldest = _mapped.popleft()()
        except IndexError:  # another thread was faster
            return
        if oldest is not None and oldest is not owner:
            oldest.unmap()


def gather(
    store: SampleStore, channel_index: int, start: int, stop: int
) -> NDArray[Any]:
    """Stored samples start..stop-1 of one channel, in the order of time.

    Returns
    -------
    ndarray, (stop - start,)
        int16 ("int16"), int32 ("int24") or float64, a copy.

    Notes
    -----
    Unchecked: the range must exist. Three copies: the rest of the first record, whole
    records in one strided copy, the beginning of the last; so a small window
    does not touch the whole of a large record.
    """
    width = 3 if store.encoding == "int24" else 1
    data = store.data
    out = np.empty((stop - start) * width, data.dtype)
    if stop > start:
        _copy(store, channel_index, start, stop, width, out)
    if width == 1:
        return out
    wide = np.zeros(stop - start, "<i4")
    wide.view(np.uint8).reshape(-1, 4)[:, 1:] = out.reshape(-1, 3)
    wide >>= 8  # carries the sign down
    return wide


def _copy(
    store: SampleStore,
    channel_index: int,
    start: int,
    stop: int,
    width: int,
    out: NDArray[Any],
) -> None:
    """Copy elements of a range that is not empty into `out`."""
    per_record = int(store.samples_per_record[channel_index])
    stride = store.record_stride
    data = store.data
    record, inside = divmod(start, per_record)
    position = int(store.offsets[channel_index]) + record * stride + inside * width
    done = min(stop - start, per_record - inside) * width
    out[:done] = data[position : position + done]
    position += stride - inside * width
    row = per_record * width
    whole = (out.size - done) // row
    if whole:
        item = data.itemsize
        records: NDArray[Any] = np.ndarray(
            (whole, row), data.dtype, data, position * item, (stride * item, item)
        )
        out[done : done + whole * row].reshape(whole, row)[:] = records
        done += whole * row
        position += whole * stride
    if done < out.size:
        out[done:] = data[position : position + out.size - done]


def calibrate(
    stored: NDArray[Any],
    gain: float,
    offset: float,
    factor: float,
    out: NDArray[np.float64],
) -> None:
    """(stored * gain + offset) * factor into `out`, rounded after each step."""
    np.multiply(stored, gain, out=out)
    if offset != 0.0:  # also true for NaN
        out += offset
    if factor != 1.0:
        out *= factor
