"""Transients of long recordings, slab by slab, so that memory does not follow duration.

See `eegcore.transients`, whose answers these are; `eegcore.kernels.transients` does
the work.
"""

import threading
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore.compiled import kernel
from eegcore.recording import Recording
from eegcore.threads import run
from eegcore.workspace import aligned, layout_of

Float = NDArray[np.float64]

_LANES = 16
_TILE = 128  # of `eegcore.kernels.transients`
_FORGOTTEN = 1e-13  # what is left of a wrong start after the run-up
_WINDOW = 8192  # rows of a slab that are answered together: they stay in the cache
_room = threading.local()


class Filter(NamedTuple):
    """A zero-phase filter of second-order sections.

    Attributes
    ----------
    sections : ndarray, float64, (n_sections, 6)
        Numerators 1, +-2, 1.
    settled : ndarray, float64, (n_sections, 2)
        State after a long input of ones.
    gain : float
        Factor of all sections together.
    edge : int
        Samples of odd reflection at either end.
    run_up : int
        Samples after which the start is forgotten.
    """

    sections: Float
    settled: Float
    gain: float
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
    """Return a Butterworth band-pass run both ways, as `scipy.signal.sosfiltfilt`.

    An even order. The analog poles lie on a circle, move to the band, and the bilinear
    transform takes them to the unit circle, zeros at 1 and -1 (scipy.signal, which
    gives the same figures, takes 0.4 s to import).
    """
    below, above = 2 * rate_hz * np.tan(np.pi * np.array([low_hz, high_hz]) / rate_hz)
    half = -(above - below) / 2 * np.exp(1j * np.pi * _odd(order) / (2 * order))
    root = np.sqrt(half * half - below * above)
    analog = np.concatenate([half + root, half - root])
    poles = (2 * rate_hz + analog) / (2 * rate_hz - analog)
    gain = ((above - below) * 2 * rate_hz) ** order / np.prod(2 * rate_hz - analog).real
    upper = poles[poles.imag > 0]
    upper = upper[np.argsort(-upper.real)]  # the slow ones first: zeros at 1
    sections = np.array(
        [
            (1.0, -2.0 if i < order // 2 else 2.0, 1.0, 1.0, -2 * p.real, abs(p) ** 2)
            for i, p in enumerate(upper)
        ]
    )
    run_up = int(np.ceil(np.log(_FORGOTTEN) / np.log(np.abs(poles).max())))
    edge = 3 * (2 * len(sections) + 1)
    return Filter(sections, _settled(sections), float(gain), edge, run_up)


def _odd(order: int) -> NDArray[np.int64]:
    return np.arange(1 - order, order, 2)


def _settled(sections: Float) -> Float:
    """State of each section after a long input of ones to the first."""
    states, level = [], 1.0
    for b0, b1, b2, _, a1, a2 in sections.tolist():
        answer = level * (b0 + b1 + b2) / (1.0 + a1 + a2)
        second = b2 * level - a2 * answer
        states.append((b1 * level - a1 * answer + second, second))
        level = answer
    return np.array(states)


class _Grid(NamedTuple):
    """Slabs of a signal, run-ups included of one length, in groups of 16.

    Attributes
    ----------
    length : int
        Rows of a slab.
    lanes : ndarray, int64, (n_slabs, 4)
        Channel, position of row 0, first and end position that it answers for.
    """

    length: int
    lanes: NDArray[np.int64]


def _grid(n: int, chosen: Filter, channel: int) -> _Grid:
    run_up, edge = chosen.run_up, chosen.edge
    groups = 2 if n > 2 * _LANES * 8 * run_up else 1  # two have work for two threads
    size = min(n, max(run_up, -(-n // (_LANES * groups))))
    length = min(size + 2 * run_up, n + 2 * edge)
    starts = np.arange(0, n, size)
    firsts = np.clip(starts - run_up, -edge, n + edge - length)
    ends = np.minimum(starts + size, n)
    lanes = [np.full(starts.size, channel), firsts, starts, ends]
    return _Grid(length, np.ascontiguousarray(np.stack(lanes, axis=1), np.int64))


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
    grid = _grid(n, chosen, channel)
    recording.check_samples()
    facts = recording.channels[channel]
    scale = facts.gain * (1.0 if facts.to_uv is None else facts.to_uv)
    groups = [
        _Group(recording, grid.lanes[at : at + _LANES], grid.length, (start, n), chosen)
        for at in range(0, len(grid.lanes), _LANES)
    ]
    run(lambda group: group.search(scale, least, distance), groups)
    parts = [part for group in groups for part in group.found()]
    position, value, steepest, width = np.concatenate(parts, axis=1)
    totals = np.concatenate([group.totals for group in groups])
    if width.size and width.min() < 0:
        return None
    return Found(
        position.astype(np.int64),
        value,
        steepest,
        width,
        float(totals[:, 0].sum() / n),
        float(totals[:, 1].min()),
        float(totals[:, 2].max()),
    )


class _Group:
    """Up to 16 slabs that are filtered side by side, window by window.

    Forward values are kept in a ring, so that each is computed once; a window is
    filtered backwards from a run-up after it.
    """

    def __init__(
        self,
        recording: Recording,
        lanes: NDArray[np.int64],
        length: int,
        signal: tuple[int, int],
        chosen: Filter,
    ) -> None:
        self._layout = layout_of(recording)
        self._lanes, self._length, self._chosen = lanes, length, chosen
        self._start, self._n = signal
        self.totals = np.array([[0.0, np.inf, -np.inf, 0.0]] * len(lanes))
        self._found: list[tuple[Float, list[int]]] = []

    def found(self) -> Iterator[Float]:
        """Tables of candidates in the order of time, each (4, n)."""
        for lane in range(len(self._lanes)):
            for table, edges in self._found:
                yield table[:, edges[lane] : edges[lane + 1]]

    def windows(self, scale: float) -> Iterator[tuple[Float, tuple[int, ...]]]:
        """Filtered rows, and rows: of column 0, first, end, end of the columns."""
        filter_window = kernel("filter_window")
        length, run_up = self._length, self._chosen.run_up
        margin = run_up // 8
        reach = -(-(_WINDOW + run_up + 2 * margin) // _TILE) + 3
        ring, rows, _ = _room_of(reach * _TILE, _WINDOW + 2 * margin + 4 * _TILE)
        n_states = 2 * len(self._chosen.sections) * _LANES
        work = (
            aligned((_LANES * _TILE + 64,), np.int32),
            aligned((_LANES,), np.float64),
            ring,
            aligned((n_states,), np.float64),
            aligned((n_states,), np.float64),
            aligned((_TILE * _LANES,), np.float64),
        )
        scales = np.full(_LANES, scale * self._chosen.gain**2)
        filters = (self._chosen.sections, self._chosen.settled, scales)
        done = 0
        for first in range(0, length, _WINDOW):
            stop = min(first + _WINDOW, length)
            low = max(0, first - margin) // _TILE * _TILE
            high = min(stop + margin, length)
            end = min(-(-(stop + margin + run_up) // _TILE) * _TILE, length)
            span = np.array([done, low, high, end, length, self._start, self._n])
            filter_window(self._layout, self._lanes, span, filters, work, rows)
            done = -(-end // _TILE) * _TILE
            yield rows, (low, first, stop, high)

    def search(self, scale: float, least: float, distance: int) -> None:
        """Find the candidates of all slabs."""
        find_candidates = kernel("find_candidates")
        more = (self._length, self._n, self._chosen.run_up // 8, distance)
        for rows, where in self.windows(scale):
            span = np.array((*where, *more))
            table = _room.kept[1][2]
            find_candidates(rows, self._lanes, span, least, self.totals, table)
            edges = [0, *accumulate(map(int, self.totals[:, 3].tolist()))]
            self._found.append((table[:, : edges[-1]].copy(), edges))


def _room_of(n_ring: int, n_rows: int) -> tuple[Float, Float, Float]:
    """Return work space of this thread: forward values, filtered rows, candidates."""
    key = (n_ring, n_rows)
    kept = getattr(_room, "kept", None)
    if kept is None or kept[0] != key:
        arrays = (
            aligned((n_ring * _LANES,), np.float64),
            aligned((_LANES, n_rows), np.float64),
            np.empty((4, _LANES * _WINDOW + 1)),
        )
        kept = (key, arrays)
        _room.kept = kept
    room: tuple[Float, Float, Float] = kept[1]
    return room


def select(
    position: NDArray[np.int64], size: Float, distance: int
) -> NDArray[np.bool_]:
    """Which candidates stay when the larger of two close ones wins."""
    close = np.diff(position) < distance
    crowded = np.flatnonzero(np.r_[close, False] | np.r_[False, close])
    some = np.ones(crowded.size, np.bool_)
    kernel("keep_apart")(position[crowded], np.argsort(size[crowded]), distance, some)
    keep = np.ones(position.size, np.bool_)
    keep[crowded] = some
    return keep
