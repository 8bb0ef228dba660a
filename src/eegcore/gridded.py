"""Features of windows of whole blocks, from the sums of their blocks.

The sums are those that `eegcore.blocksums` keeps, or are computed slab by slab on the
spot and forgotten: the same numbers, added up by the same kernel. A slab is so small
that its samples are still in the cache when crossings are counted.
"""

import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore.bands import WINDOW_BANDS_HZ, window_bands
from eegcore.blockchunks import CHUNK
from eegcore.blockscan import PIECE, SEGMENTS, STRETCHES, scanner
from eegcore.blocksums import FLAT_STEP_UV, BlockSums, Sums
from eegcore.compiled import kernel
from eegcore.kernels.rows import N_FEATURES, N_MARKS, N_SUMS
from eegcore.recording import Recording
from eegcore.threads import n_threads, run
from eegcore.workspace import (
    fast_block,
    flat_limit,
    layout_of,
    sample_kind,
)

Float = NDArray[np.float64]
Int = NDArray[np.int64]

# the order of all is that of the rows of `eegcore.kernels.features`
WAVEFORM_FEATURES = (
    "rms_uv",
    "std_uv",
    "kurtosis",
    "peak_to_peak_uv",
    "line_length_uv_s",
    "hjorth_mobility",
    "zero_crossing_rate_hz",
)
FEATURES = (
    *WAVEFORM_FEATURES,
    *(f"{band}_power" for band in WINDOW_BANDS_HZ),
    *(f"{band}_relative" for band in WINDOW_BANDS_HZ),
    "theta_alpha_ratio",
    "slow_fast_ratio",
)
_LONGEST = 1 << 18  # sums of more samples at once could overflow
_BATCH_SAMPLES = 1 << 21  # of a slab, which is read twice and should stay in cache
_CROSSING_SAMPLES = 1 << 12  # that are looked at together where they are copied
_SLAB_SAMPLES = 3 << 18  # of all channels of a slab that is computed and forgotten
_room = threading.local()


class _Work(NamedTuple):
    """What is wanted of every window."""

    channels: tuple[int, ...]
    rows: Sequence[int]
    n_blocks: int
    h: int
    kinds: tuple[int, ...]
    scales: Float
    rate_hz: float
    lengths: Int
    weights: Float
    place: Int
    want: Int


def is_on_grid(h: int, starts: Int, length: int) -> bool:
    """Whether windows consist of whole blocks, not too few and not too many."""
    if not h or length % h or not 2 * h <= length <= min(_LONGEST, CHUNK * h):
        return False
    if starts.size == 1:
        return not int(starts[0]) % h
    return not np.count_nonzero(starts % h)


@lru_cache(maxsize=64)
def _rows(features: tuple[str, ...]) -> tuple[Int, Int, tuple[int, ...]]:
    """Row of each kernel row in a table of some features; what is wanted; its kinds."""
    place = np.array(
        [features.index(f) if f in features else -1 for f in FEATURES], np.int64
    )
    n = len(WAVEFORM_FEATURES)
    want = [(place[:n] >= 0).any(), place[n - 1] >= 0, (place[n:] >= 0).any()]
    kinds = (SEGMENTS,) * int(want[2]) + (STRETCHES,) * int(want[0])
    return place, np.array(want, np.int64), kinds


@lru_cache(maxsize=64)
def _lengths(count: int, h: int) -> Int:
    return np.full(count, h, np.int64)


def features_on_grid(
    recording: Recording,
    channels: Sequence[int],
    starts: Int,
    length: int,
    *,
    features: tuple[str, ...],
    rows: Sequence[int],
    columns: Int,
    out: Float,
    keep: bool,
) -> None:
    """Features of windows of whole blocks of channels with one rate.

    Parameters
    ----------
    starts : ndarray, int64, (n_windows,)
        First stored samples; `is_on_grid`.
    rows : sequence of int
        Where in `out` each channel goes.
    columns : ndarray, int64, (n_windows,)
        Where in `out` each window goes.
    out : ndarray, float64, (n_rows, n_features, n_columns)
        Contiguous.
    keep : bool
        Whether the sums should be kept for later calls, if they fit.
    """
    if not starts.size:
        return
    work = _work(recording, channels, length, features, rows)
    first = starts // work.h
    if first.size > 1 and (first[1:] < first[:-1]).any():
        order = np.argsort(first, kind="stable")
        first, columns = first[order], columns[order]
    recording.check_samples()
    low, high = int(first[0]), int(first[-1]) + work.n_blocks
    if high - low > PIECE:
        sums = Sums(recording, work.channels[0])
        kept = sums.fits(work.channels, high - low, work.kinds) if keep else False
        if kept or sums.has(work.channels, low, high, work.kinds):
            _from_kept(recording, work, first, columns, out)
            return
    _streamed(recording, work, first, columns, out)


def _streamed(
    recording: Recording, work: _Work, first: Int, columns: Int, out: Float
) -> None:
    """Features from sums that are computed slab by slab and forgotten."""
    n = len(work.channels)
    span = int(first[-1] - first[0]) + work.n_blocks
    size = max(PIECE, work.n_blocks)
    if span <= size:
        _slab(recording, work, first, columns, out)
        return
    threads = n_threads()
    size = max(size, min(_SLAB_SAMPLES // (n * work.h), -(-span // threads)))
    slabs = []
    at = 0
    while at < first.size:
        end = int(np.searchsorted(first, first[at] + size - work.n_blocks, "right"))
        gaps = np.flatnonzero(np.diff(first[at:end]) > work.n_blocks + PIECE)
        end = at + int(gaps[0]) + 1 if gaps.size else end
        slabs.append(slice(at, end))
        at = end

    def compute(slabs: Sequence[slice]) -> None:
        for some in slabs:
            _slab(recording, work, first[some], columns[some], out, size)

    share = -(-len(slabs) // threads)
    run(compute, [slabs[i : i + share] for i in range(0, len(slabs), share)])


def _slab(
    recording: Recording,
    work: _Work,
    first: Int,
    columns: Int,
    out: Float,
    size: int = 0,
) -> None:
    """Features of windows close to each other, with space for at least so many blocks.

    The sums are as if the recording ended behind them: the last block begins no
    segment.
    """
    low, high = int(first[0]), int(first[-1]) + work.n_blocks
    room = _room_for(work, max(size, high - low), sample_kind(recording))
    room.which[:, 0] = work.channels
    room.which[:, 2] = work.rows
    room.flat[:] = work.scales[:, 2]
    room.scan(recording, (low, high, high, low))
    _answer(recording, work, room.tables, room.which, (first, columns, low), out)


def _work(
    recording: Recording,
    channels: Sequence[int],
    length: int,
    features: tuple[str, ...],
    rows: Sequence[int],
) -> _Work:
    facts = recording.channels[channels[0]]
    rate_hz = facts.rate_hz
    h = fast_block(recording, channels[0])
    count = length // h
    # the squares of a periodic Hann window of 2 h samples add up to 3/8 of 2 h; the
    # atoms are fourfold
    divisor = rate_hz * 3.0 * h * (count - 1)
    scales = []
    for channel in channels:
        facts = recording.channels[channel]
        factor = 1.0 if facts.to_uv is None else facts.to_uv
        gain = facts.gain * factor
        limit = flat_limit(recording, channel, FLAT_STEP_UV)
        scales.append((gain, facts.offset * factor, limit, gain * gain / divisor))
    place, want, kinds = _rows(features)
    weights = window_bands(rate_hz).weights
    lengths = _lengths(count, h)
    table = np.array(scales, np.float64)
    every = tuple(channels)
    return _Work(
        every, rows, count, h, kinds, table, rate_hz, lengths, weights, place, want
    )


class _Room(NamedTuple):
    """Space of a thread for sums that are computed and forgotten, and what fills it."""

    tables: BlockSums
    which: Int
    flat: Int
    scan: Callable[[Recording, tuple[int, int, int, int]], None]


def _room_for(work: _Work, blocks: int, kind: type[np.integer[Any]]) -> _Room:
    """Space of this thread for sums of so many blocks; the last one is kept."""
    n = len(work.channels)
    size = (n, work.weights.shape[1], -(-blocks // PIECE) * PIECE)
    key = (size, work.rate_hz, work.kinds, kind)
    kept: tuple[Any, _Room] | None = getattr(_room, "kept", None)
    if kept is not None and kept[0] == key:
        return kept[1]
    tables = BlockSums(
        np.empty(size, np.float32),
        np.empty((n, N_SUMS, size[2])),
        np.empty((n, N_MARKS, size[2]), np.int32),
    )
    which = np.zeros((n, 3), np.int64)
    which[:, 1] = np.arange(n)
    flat = np.empty(n, np.int64)
    flags, density = np.empty((n, size[2]), np.uint8), np.empty((n, 1, 1))
    out = (tables.atoms, flags, tables.sums, tables.marks, density)
    scan = scanner(kind, work.rate_hz, which, flat, work.kinds, out)
    room = _Room(tables, which, flat, scan)
    _room.kept = (key, room)
    return room


def _which(work: _Work, rows: Sequence[int]) -> Int:
    """Channel, row of sums and row of the result of each."""
    return np.array(list(zip(work.channels, rows, work.rows, strict=True)), np.int64)


def _from_kept(
    recording: Recording, work: _Work, first: Int, columns: Int, out: Float
) -> None:
    sums = Sums(recording, work.channels[0])
    last = (first + work.n_blocks - 1) // CHUNK  # chunk in which a window ends
    per_chunk = CHUNK * work.h * len(work.channels)
    several = max(1, _BATCH_SAMPLES // per_chunk)
    cuts = np.flatnonzero(np.diff(last // several)) + 1
    for some in np.split(np.arange(first.size), cuts):
        _prepare(sums, work, first[some])
        for number in np.unique(last[some]).tolist():
            chosen = some[last[some] == number]
            inside = first[chosen] >= number * CHUNK
            for members in (chosen[~inside], chosen[inside]):
                if not members.size:
                    continue
                low, high = (
                    int(first[members[0]]),
                    int(first[members[-1]]) + work.n_blocks,
                )
                tables, rows, base = sums.tables(work.channels, low, high, work.kinds)
                which = _which(work, rows)
                places = (first[members], columns[members])
                _compute(recording, work, tables, which, places, base, out)
        sums.bound()


def _prepare(sums: Sums, work: _Work, first: Int) -> None:
    """Have the blocks of windows computed; blocks between distant ones are left out."""
    cuts = np.flatnonzero(first[1:] - first[:-1] > work.n_blocks + 2 * PIECE) + 1
    for some in np.split(first, cuts):
        low, high = int(some[0]), int(some[-1]) + work.n_blocks
        sums.prepare(work.channels, low, high, work.kinds)


def _compute(
    recording: Recording,
    work: _Work,
    tables: BlockSums,
    which: Int,
    places: tuple[Int, Int],
    base: int,
    out: Float,
) -> None:
    """Features from sums, several channels or windows at a time on several threads."""
    everything = slice(None)
    begins, columns = places
    n, threads = len(which), n_threads()
    parts = [(everything, everything)]
    if threads > 1 and len(begins) * n * work.n_blocks >= CHUNK:
        if n > 1:
            parts = [(slice(i, i + 1), everything) for i in range(n)]
        else:
            size = -(-len(begins) // threads)
            starts = range(0, len(begins), size)
            parts = [(everything, slice(i, i + size)) for i in starts]

    def compute(part: tuple[slice, slice]) -> None:
        channels, windows = part
        some = work._replace(scales=work.scales[channels])
        chosen = (begins[windows], columns[windows], base)
        _answer(recording, some, tables, which[channels], chosen, out)

    run(compute, parts)


def _answer(
    recording: Recording,
    work: _Work,
    tables: BlockSums,
    which: Int,
    windows: tuple[Int, Int, int],
    out: Float,
) -> None:
    """Features from sums.

    windows: first block of each window, its column of `out`, and the block of column 0
    of the sums.
    """
    window_features = kernel("window_features")
    room = _small_room(sample_kind(recording), work.weights.shape[1])
    given = (work.lengths, work.weights, work.place, work.want, room)
    channels = (which, work.scales, work.rate_hz)
    window_features(layout_of(recording), channels, windows, tuple(tables), given, out)


def _small_room(
    kind: type[np.integer[Any]], n_atoms: int
) -> tuple[NDArray[Any], Float, Float]:
    """Work space of this thread for features from sums."""
    key = (kind, n_atoms)
    kept: tuple[Any, tuple[NDArray[Any], Float, Float]] | None
    kept = getattr(_room, "small", None)
    if kept is None or kept[0] != key:
        samples = np.empty(_CROSSING_SAMPLES, kind)
        kept = (key, (samples, np.empty(n_atoms), np.empty(N_FEATURES)))
        _room.small = kept
    return kept[1]
