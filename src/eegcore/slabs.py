"""Transients of long recordings, slab by slab, so that memory does not follow duration.

See `eegcore.transients`, whose answers these are; `eegcore.kernels.transients` does
the work.
"""

import threading
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore.recording import Recording
from eegcore.threads import run
from eegcore.workspace import aligned, layout_of

Float = NDArray[np.float64]

_LANES = 16
_TILE = 64
_FORGOTTEN = 1e-13  # what is left of a wrong start after the run-up
_LARGEST_SLAB = 40_000
_room = threading.local()


class Filter(NamedTuple):
    """A zero-phase filter of second-order sections.

    Attributes
    ----------
    sections : ndarray, float64, (n_sections, 6)
    settled : ndarray, float64, (n_sections, 2)
        State after a long input of ones.
    edge : int
        Samples of odd reflection at either end.
    run_up : int
        Samples after which the start is forgotten.
    """

    sections: Float
    settled: Float
    edge: int
    run_up: int


class Found(NamedTuple):
    """Raw candidates of one signal in the order of time.

    Attributes
    ----------
    position : ndarray, int64
        From the start of the signal.
    value, steepest, width : ndarray, float64
        Filtered value, steepest step near it, width in samples.
    mean_square, low, high : float
        Of the whole filtered signal.
    """

    position: NDArray[np.int64]
    value: Float
    steepest: Float
    width: Float
    mean_square: float
    low: float
    high: float


@lru_cache(maxsize=16)
def band_pass(order: int, low_hz: float, high_hz: float, rate_hz: float) -> Filter:
    """Return a Butterworth band-pass run both ways, as `scipy.signal.sosfiltfilt`."""
    from scipy.signal import butter, sosfilt_zi

    sections = butter(order, (low_hz, high_hz), "bandpass", fs=rate_hz, output="sos")
    slowest = max(np.abs(np.roots(row[3:])).max() for row in sections)
    zeros = min((sections[:, 2] == 0).sum(), (sections[:, 5] == 0).sum())
    run_up = int(np.ceil(np.log(_FORGOTTEN) / np.log(slowest)))
    edge = 3 * int(2 * len(sections) + 1 - zeros)
    return Filter(np.ascontiguousarray(sections), sosfilt_zi(sections), edge, run_up)


class _Grid(NamedTuple):
    """Slabs of a signal of n samples, run-ups included of one length."""

    size: int
    length: int
    firsts: NDArray[np.int64]


def _grid(n: int, chosen: Filter) -> _Grid:
    run_up, edge = chosen.run_up, chosen.edge
    wanted = max(2 * run_up, min(8 * run_up, _LARGEST_SLAB))
    groups = max(1, round(n / (_LANES * wanted)))  # no lane is left idle
    size = min(n, max(run_up, -(-n // (_LANES * groups))))
    length = min(size + 2 * run_up, n + 2 * edge)
    starts = np.arange(0, n, size)
    firsts = np.clip(starts - run_up, -edge, n + edge - length)
    return _Grid(size, length, firsts)


def find_candidates_of(
    recording: Recording,
    channel: int,
    start: int,
    stop: int,
    *,
    chosen: Filter,
    least: float,
    distance: int,
) -> Found | None:
    """Raw candidates among stored samples; None: some width reaches too far.

    Parameters
    ----------
    least : float
        Smallest size, above 0, in the channel's shown unit.
    distance : int
        Samples on either side in which the steepest step is sought.
    """
    n = stop - start
    grid = _grid(n, chosen)
    count = len(grid.firsts)
    parts: list[tuple[NDArray[np.int64], Float] | None] = [None] * count
    totals = np.zeros((count, 3))
    recording.check_unchanged()
    facts = recording.channels[channel]
    scale = facts.gain * (1.0 if facts.to_uv is None else facts.to_uv)
    layout = layout_of(recording)

    def search(at: int) -> None:
        slabs = np.array(
            [(channel, f) for f in grid.firsts[at : at + _LANES]], np.int64
        )
        rows = _filtered(layout, slabs, (grid.length, start, n), chosen, scale)
        for i in range(len(slabs)):
            k = at + i
            begin, end = k * grid.size, min((k + 1) * grid.size, n)
            parts[k] = _searched(
                rows[i],
                (begin, end, n),
                int(slabs[i, 1]),
                chosen,
                least,
                distance,
                totals[k],
            )

    run(search, range(0, count, _LANES))
    position = np.concatenate([p[0] for p in parts if p is not None])
    table = np.concatenate([p[1] for p in parts if p is not None])
    if (table[:, 3] < 0).any():
        return None
    return Found(
        position,
        table[:, 1].copy(),
        table[:, 2].copy(),
        table[:, 3].copy(),
        float(totals[:, 0].sum() / n),
        float(totals[:, 1].min()),
        float(totals[:, 2].max()),
    )


def _filtered(
    layout: Any,
    slabs: NDArray[np.int64],
    size: tuple[int, int, int],
    chosen: Filter,
    scale: float,
) -> Float:
    from eegcore.kernels.transients import filter_slabs

    length = size[0]
    kept = getattr(_room, "kept", None)
    if kept is None or kept[0].shape[0] < (length + 16) * _LANES:
        kept = (
            aligned(((length + 16) * _LANES,), np.float64),
            aligned((_LANES * (length + 16),), np.float64),
        )
        _room.kept = kept
    rows: Float = kept[1][: _LANES * length].reshape(_LANES, length)
    work = (
        aligned((_LANES * _TILE + 64,), np.int32),
        aligned((_LANES,), np.float64),
        kept[0],
        aligned((2 * len(chosen.sections) * _LANES,), np.float64),
        aligned((_TILE * _LANES,), np.float64),
    )
    scales = np.full(_LANES, scale)
    filters = (chosen.sections, chosen.settled, scales)
    filter_slabs(layout, slabs, np.array(size), filters, work, rows)
    return rows


def _searched(
    row: Float,
    where: tuple[int, int, int],
    first: int,
    chosen: Filter,
    least: float,
    distance: int,
    totals: Float,
) -> tuple[NDArray[np.int64], Float]:
    """Return candidates of one slab: positions in the signal, and their table."""
    from eegcore.kernels.transients import find_candidates

    begin, end, n = where
    margin = chosen.run_up // 4
    trusted = 0 if first <= 0 else begin - margin - first
    last = row.size if first + row.size >= n else end + margin - first
    span = np.array(
        [
            *(begin - first, end - first, -first, n - 1 - first),
            *(max(trusted, 0), min(last, row.size), distance),
        ]
    )
    out = np.empty((end - begin + 1, 4))
    found = find_candidates(row, span, least, totals, out)
    table = out[:found].copy()
    return table[:, 0].astype(np.int64) + first, table


def select(
    position: NDArray[np.int64], size: Float, distance: int
) -> NDArray[np.bool_]:
    """Which candidates stay when the larger of two close ones wins."""
    from eegcore.kernels.transients import keep_apart

    keep = np.ones(position.size, np.bool_)
    keep_apart(position, np.argsort(size), distance, keep)
    return keep
