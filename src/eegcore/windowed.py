"""Many features over many windows."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore.bands import WINDOW_BANDS_HZ
from eegcore.bandsums import band_powers_of
from eegcore.errors import ArgumentError, RangeError
from eegcore.gridded import FEATURES as FEATURES
from eegcore.gridded import WAVEFORM_FEATURES as WAVEFORM_FEATURES
from eegcore.gridded import features_on_grid, is_on_grid
from eegcore.moments import figures_of
from eegcore.recording import Recording
from eegcore.signals import samples_of
from eegcore.waveform import Waveform, waveform_from
from eegcore.window_values import shares, window_values
from eegcore.windows import WindowGrid, first_samples, place_windows
from eegcore.workspace import fast_block

Float = NDArray[np.float64]
Int = NDArray[np.int64]

DEFAULT_FEATURES = (
    "rms_uv",
    "kurtosis",
    "delta_relative",
    "theta_relative",
    "alpha_relative",
    "beta_relative",
    "gamma_relative",
)
DEFAULT_WINDOW_SEC = 5.0
_CHUNK_SAMPLES = 1 << 19
_KNOWN = frozenset(FEATURES)
_BATCH_WINDOWS = 1 << 12


class WindowedFeatures(NamedTuple):
    """Features of every window of every channel.

    Attributes
    ----------
    channels, features : tuple of str
    values : ndarray, float64, (n_channels, n_features, n_windows)
        NaN where a window has no such value: it touches a gap, holds NaN, is flat (of
        ratios), or does not resolve the band.
    start_sec, stop_sec : ndarray, float64, (n_windows,)
    touches_gap : ndarray, bool, (n_windows,)
    left_out_sec : float
        Rest at the end that is shorter than a window.
    """

    channels: tuple[str, ...]
    features: tuple[str, ...]
    values: Float
    start_sec: Float
    stop_sec: Float
    touches_gap: NDArray[np.bool_]
    left_out_sec: float


def windowed_features(
    recording: Recording,
    *,
    channels: str | Sequence[str] | None = None,
    features: Sequence[str] = DEFAULT_FEATURES,
    window_sec: float = DEFAULT_WINDOW_SEC,
    step_sec: float | None = None,
    start_sec: float | None = None,
    stop_sec: float | None = None,
) -> WindowedFeatures:
    """Features of every whole window in a range.

    Parameters
    ----------
    recording : Recording
    channels : str, sequence of str or None
        None: all of kind "eeg". Channels may differ in rate.
    features : sequence of str
        Of `FEATURES`. Amplitudes in uV, powers in uV^2; `*_relative` is the share of
        the power from 1 Hz to 45 Hz or half the rate; sigma (11-16 Hz) overlaps
        alpha and beta, and delta begins at 1 Hz.
    window_sec : float
        Above 0.
    step_sec : float or None
        From one window to the next; None: `window_sec`.
    start_sec, stop_sec : float or None
        None: start and end of the recording.

    Raises
    ------
    ArgumentError
        An unknown feature, or a window or step that is not above zero.
    RangeError
        A range that is not within the recording.
    """
    if not _KNOWN.issuperset(features):
        unknown = [name for name in features if name not in _KNOWN]
        raise ArgumentError(
            f"unknown feature {unknown[0]!r}; allowed are {', '.join(FEATURES)}"
        )
    step_sec = window_sec if step_sec is None else step_sec
    if not (window_sec > 0 and step_sec > 0):
        raise ArgumentError(
            f"window_sec {window_sec} and step_sec {step_sec}; both must be above 0"
        )
    duration_sec = recording.duration_sec
    begin = 0.0 if start_sec is None else start_sec
    end = duration_sec if stop_sec is None else stop_sec
    if not 0.0 <= begin <= end <= duration_sec + 1e-9:
        raise RangeError(
            f"no such range: {begin:g} to {end:g} s; this recording runs from 0 to"
            f" {duration_sec:g} s"
        )
    grid = place_windows(begin, end, window_sec, step_sec=step_sec)
    indices = recording.resolve(channels)
    return features_of_windows(recording, indices, grid, features=tuple(features))


def features_of_windows(
    recording: Recording,
    channels: Sequence[int],
    grid: WindowGrid,
    *,
    features: tuple[str, ...],
    keep: bool = False,
) -> WindowedFeatures:
    """Features of the windows of a grid, for channels given by position.

    keep: whether the sums of blocks should be kept for later calls, if they fit.
    """
    n_windows = grid.start_sec.size
    touches_gap = np.zeros(n_windows, dtype=np.bool_)
    if recording.has_gaps:
        for k in range(n_windows):
            touches_gap[k] = recording.gap_between(
                float(grid.start_sec[k]), float(grid.stop_sec[k])
            )
    values = np.empty((len(channels), len(features), n_windows))
    rows_of: dict[float, list[int]] = {}
    for row, channel in enumerate(channels):
        rows_of.setdefault(recording.channels[channel].rate_hz, []).append(row)
    for rows in rows_of.values():
        some = [channels[row] for row in rows]
        _fill(recording, some, grid, features, rows, values, keep=keep)
    if recording.has_gaps:
        values[:, :, touches_gap] = np.nan
    return WindowedFeatures(
        tuple([recording.names[i] for i in channels]),
        features,
        values,
        grid.start_sec,
        grid.stop_sec,
        touches_gap,
        grid.left_out_sec,
    )


def _fill(
    recording: Recording,
    channels: list[int],
    grid: WindowGrid,
    features: tuple[str, ...],
    rows: list[int],
    values: Float,
    *,
    keep: bool,
) -> None:
    """Features of channels with one rate to some rows of `values`."""
    starts, stops = window_samples(recording, channels[0], grid)
    length = int(stops[0]) - int(starts[0]) if starts.size else 0
    h = min([fast_block(recording, c) for c in channels])
    alike = starts.size < 2 or not np.count_nonzero(stops - starts != length)
    if alike and is_on_grid(h, starts, length):
        features_on_grid(
            recording,
            channels,
            starts,
            length,
            features=features,
            rows=rows,
            columns=np.arange(starts.size),
            out=values,
            keep=keep,
        )
        return
    for row, channel in zip(rows, channels, strict=True):
        for first in range(0, starts.size, _BATCH_WINDOWS):
            some = slice(first, first + _BATCH_WINDOWS)
            values[row, :, some] = window_table(
                recording, channel, starts[some], stops[some], features=features
            )


def window_samples(
    recording: Recording, channel: int, grid: WindowGrid
) -> tuple[Int, Int]:
    """Return stored sample numbers (starts, stops) of the windows of a grid."""
    facts = recording.channels[channel]
    if recording.has_gaps:
        pairs = [
            recording.sample_range(channel, float(a), float(b))
            for a, b in zip(grid.start_sec, grid.stop_sec, strict=True)
        ]
        both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return both[:, 0].copy(), both[:, 1].copy()
    starts = first_samples(grid.start_sec, facts.rate_hz)
    stops = first_samples(grid.stop_sec, facts.rate_hz)
    if starts.size and starts[0] >= 0 and stops[-1] <= facts.n_samples:
        return starts, stops  # both ascend
    return np.clip(starts, 0, facts.n_samples), np.clip(stops, 0, facts.n_samples)


def window_table(
    recording: Recording,
    channel: int,
    starts: Int,
    stops: Int,
    *,
    features: tuple[str, ...],
    as_released: bool = False,
) -> Float:
    """Features of windows of stored samples of one channel.

    Parameters
    ----------
    starts, stops : ndarray, int64, (n_windows,)
        In ascending order; windows may overlap and differ in length.

    Returns
    -------
    ndarray, float64, (n_features, n_windows)
        NaN for an empty window.
    """
    out = np.full((len(features), starts.size), np.nan)
    lengths = stops - starts
    for length in np.unique(lengths[lengths > 0]):
        members = np.flatnonzero(lengths == length)
        h = fast_block(recording, channel)
        if not as_released and is_on_grid(h, starts[members], int(length)):
            found = np.empty((1, len(features), members.size))
            features_on_grid(
                recording,
                (channel,),
                starts[members],
                int(length),
                features=features,
                rows=(0,),
                columns=np.arange(members.size),
                out=found,
                keep=True,
            )
            out[:, members] = found[0]
            continue
        if is_fast(recording, channel, int(length), as_released=as_released):
            out[:, members] = _kernel_values(
                recording,
                channel,
                starts[members],
                int(length),
                features,
                as_released=as_released,
            )
            continue
        size = max(1, _CHUNK_SAMPLES // int(length))
        for first in range(0, members.size, size):
            chosen = members[first : first + size]
            windows, to_shown, rate_hz = _gathered(
                recording, channel, starts[chosen], int(length), as_released
            )
            out[:, chosen] = window_values(
                windows,
                rate_hz,
                features=features,
                as_released=as_released,
                to_uv=to_shown,
            )
    return out


def is_fast(
    recording: Recording, channel: int, length: int, *, as_released: bool = False
) -> bool:
    """Whether kernels answer windows of `length` samples from the stored integers."""
    if as_released and recording.channels[channel].to_uv is None:
        return False
    h = fast_block(recording, channel)
    return 0 < 2 * h <= length


def _kernel_values(
    recording: Recording,
    channel: int,
    starts: Int,
    length: int,
    features: tuple[str, ...],
    *,
    as_released: bool,
) -> Float:
    """Return `window_values` of windows given by their first stored samples."""
    out = np.empty((len(features), starts.size))
    figures: Waveform | None = None
    bands: dict[str, Float] = {}
    rate_hz = recording.channels[channel].rate_hz
    odd = np.zeros(starts.size, dtype=np.bool_)
    wanted = set(features)
    if wanted.intersection(WAVEFORM_FEATURES):
        found = figures_of(
            recording,
            channel,
            starts,
            starts + length,
            crossings="zero_crossing_rate_hz" in wanted,
        )
        figures = waveform_from(found, length, rate_hz)
        # where the release's answer hangs on its rounding, it is rounded as there
        odd = (found.peak_to_peak == 0.0) | found.mean_is_stored
    if wanted.difference(WAVEFORM_FEATURES):
        powers = band_powers_of(recording, channel, starts, length)
        n = len(WINDOW_BANDS_HZ)
        rows = powers[n + 1 :] if as_released else powers[:n]
        whole = None if as_released else powers[n]
        bands = shares(
            dict(zip(WINDOW_BANDS_HZ, rows, strict=True)),
            whole,
            as_released=as_released,
        )
    for row, name in enumerate(features):
        source = bands[name] if name in bands else getattr(figures, name)
        out[row] = np.nan_to_num(source, nan=0.0) if as_released else source
    for k in np.flatnonzero(odd) if as_released else ():
        some = _gathered(recording, channel, starts[k : k + 1], length, as_released)
        windows, to_shown, rate_hz = some
        out[:, k : k + 1] = window_values(
            windows, rate_hz, features=features, as_released=True, to_uv=to_shown
        )
    return out


def _gathered(
    recording: Recording,
    channel: int,
    starts: Int,
    length: int,
    as_volts: bool,  # noqa: FBT001 - internal
) -> tuple[Float, float, float]:
    """Windows of one length as rows; windows far apart are read one by one."""
    begin, end = int(starts[0]), int(starts[-1]) + length
    if end - begin <= 2 * length * starts.size:
        values, factor, rate_hz = samples_of(
            recording, channel, begin, end, as_volts=as_volts
        )
        every = np.lib.stride_tricks.sliding_window_view(values, length)
        return every[starts - begin], factor, rate_hz
    rows = [
        samples_of(recording, channel, int(s), int(s) + length, as_volts=as_volts)
        for s in starts
    ]
    return np.stack([row.values for row in rows]), rows[0].to_shown, rows[0].rate_hz
