"""Features of windows as rows: compute_windowed_features."""

from itertools import repeat
from typing import NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from eegcore.tools.answers import (
    Json,
    echoed,
    notes_of,
    shown_array,
    shown_time,
    size_of,
    unit_key,
    unit_note,
    with_meta,
    worst_answer_size,
    worst_notes,
    worst_number,
)
from eegcore.tools.call import Call
from eegcore.tools.compact import windows_size
from eegcore.tools.failures import ToolError
from eegcore.tools.spec import (
    CHANNELS,
    RECORD_ID,
    TMAX,
    TMIN,
    Argument,
    ToolSpec,
    integer,
    listing,
    number,
    pair,
    rows,
    text,
)
from eegcore.tools.temporal import largest
from eegcore.windowed import (
    DEFAULT_FEATURES,
    DEFAULT_WINDOW_SEC,
    FEATURES,
    features_of_windows,
    window_table,
)
from eegcore.windows import WindowGrid, count_windows, place_windows, truncated_sample

Float = NDArray[np.float64]
Int = NDArray[np.int64]

WINDOWED_SPEC = ToolSpec(
    name="compute_windowed_features",
    purpose="Features of consecutive windows of channels, one row a window. Amplitudes"
    " in uV, powers in uV^2; *_relative: share of the power from 1 to 45 Hz (or"
    " half the sampling rate); delta begins at 1 Hz; sigma 11-16 Hz overlaps alpha and"
    " beta.",
    arguments=(
        RECORD_ID,
        CHANNELS,
        TMIN,
        TMAX,
        Argument(
            "features",
            "names",
            "Features to compute.",
            default=DEFAULT_FEATURES,
            choices=FEATURES,
        ),
        Argument(
            "window_sec",
            "number",
            f"Length of a window in seconds; if not given, {DEFAULT_WINDOW_SEC:g}.",
        ),
        Argument(
            "step_sec",
            "number",
            "From one window to the next in seconds; if not given, the window.",
        ),
    ),
    answer={
        "window_sec": number("Seconds."),
        "step_sec": number("Seconds."),
        "time_range": pair("Range in seconds."),
        "n_windows": integer("Windows a channel."),
        "features_computed": listing("Sorted by name."),
        "n_channels": integer("Channels."),
        "channels": rows(
            "One entry a channel.",
            {
                "channel": text("Name."),
                "n_windows": integer("Windows."),
                "windows": rows(
                    "One row a window.",
                    {name: number("") for name in FEATURES}
                    | {"t_start": number("Seconds."), "t_end": number("Seconds.")},
                ),
            },
        ),
    },
)
_DECIMALS = {
    "rms_uv": 2,
    "std_uv": 2,
    "kurtosis": 3,
    "peak_to_peak_uv": 1,
    "line_length_uv_s": 1,
    "zero_crossing_rate_hz": 2,
}


_MANY_WINDOWS = 5000


class Plan(NamedTuple):
    """Windows of a call.

    Attributes
    ----------
    features : tuple of str
        In the order of rows.
    window_sec, step_sec : float
    n_windows : int
    """

    features: tuple[str, ...]
    window_sec: float
    step_sec: float
    n_windows: int


def plan(call: Call) -> Plan:
    """Windows that a call asks for.

    Raises
    ------
    ToolError
        A window or step that is too short, or longer than the range.
    """
    chosen = call.values["features"]
    features = tuple(name for name in FEATURES if name in chosen)
    window_sec, step_sec = call.values["window_sec"], call.values["step_sec"]
    span_sec = call.stop_sec - call.start_sec
    if call.dialect.placed_by_time:
        if window_sec is None:
            window_sec = min(DEFAULT_WINDOW_SEC, span_sec)
        step_sec = window_sec if step_sec is None else step_sec
        _check_sizes(call, window_sec, step_sec)
        if window_sec > span_sec + 1e-9:
            raise ToolError(
                "out_of_range",
                f"window_sec is {window_sec:g}; the range {call.start_sec:g} to"
                f" {call.stop_sec:g} s holds windows of up to {span_sec:.3f} s",
            )
        n_windows = count_windows(span_sec, window_sec, step_sec)
        return Plan(features, window_sec, step_sec, n_windows)
    window_sec = DEFAULT_WINDOW_SEC if window_sec is None else window_sec
    step_sec = window_sec if step_sec is None else step_sec
    _check_sizes(call, window_sec, step_sec)
    starts, _ = _released_windows(call, window_sec, step_sec)
    return Plan(features, window_sec, step_sec, starts.size)


def check_windows(call: Call) -> None:
    """Refuse windows that the range cannot hold."""
    plan(call)


def _check_sizes(call: Call, window_sec: float, step_sec: float) -> None:
    for name, value in (("window_sec", window_sec), ("step_sec", step_sec)):
        choose = min if call.dialect.placed_by_time else max
        rate_hz = choose(call.rate_hz(c) for c in call.channels)
        least = 2.0 if name == "window_sec" else 1.0
        if rate_hz == 0:
            raise ToolError("too_short", "a channel asked for holds no samples")
        if value <= 0 or value * rate_hz < least - 1e-9:
            raise ToolError(
                "out_of_range",
                f"{name} is {value:g}; at this sampling rate ({rate_hz:g} Hz) it must"
                f" be at least {least / rate_hz:.6g} s",
            )


def _fastest(call: Call) -> int:
    """Return the fastest channel, to whose rate the release resamples the others."""
    return max(call.channels, key=call.rate_hz)


def _released_windows(
    call: Call, window_sec: float, step_sec: float
) -> tuple[Int, Int]:
    """Windows as the release places them: lengths cut to samples of the fastest.

    Starts and stops are stored samples of the channel `_fastest(call)`.
    """
    channel = _fastest(call)
    start, stop = call.samples(channel)
    rate_hz = call.rate_hz(channel)
    length = min(truncated_sample(window_sec, rate_hz), stop - start)
    step = truncated_sample(step_sec, rate_hz)
    if stop - start < 1:
        raise ToolError(
            "too_short",
            f"the range holds {stop - start} samples; it must lie within"
            f" 0 to {call.view.duration_sec:.3f} s",
        )
    count = max(1, 1 + (stop - start - length) // step)
    starts = start + np.arange(count, dtype=np.int64) * step
    return starts, starts + length


def compute_windowed_features(call: Call) -> Json:
    """Answer of the tool of that name."""
    planned = plan(call)
    if call.dialect.placed_by_time:
        body = _answer(call, planned)
    else:
        body = _released_answer(call, planned)
    n_rows = planned.n_windows * len(call.channels)
    return with_meta(call.view.record_id, body, n_rows=n_rows)


def _answer(call: Call, planned: Plan) -> Json:
    grid = place_windows(
        call.start_sec, call.stop_sec, planned.window_sec, step_sec=planned.step_sec
    )
    found = features_of_windows(
        call.recording,
        call.channels,
        grid,
        features=planned.features,
        keep=True,
    )
    gaps = found.touches_gap if call.recording.has_gaps else None
    times = _shown_times(call, grid)
    channels = [
        _channel(call, channel, planned, found.values[row], times, gaps)
        for row, channel in enumerate(call.channels)
    ]
    notes = unit_note(call)
    filled = found.values[:, :, ~found.touches_gap].reshape(len(channels), -1)
    hollow = np.atleast_1d(np.isnan(filled).any(axis=1))
    notes["window_null"] = [
        call.name(c)
        for c, is_hollow in zip(call.channels, hollow, strict=True)
        if is_hollow
    ]
    body = _head(call, planned, [call.start_sec, call.stop_sec])
    body["left_out_sec"] = round(found.left_out_sec, 3)
    body |= {"n_channels": len(channels), "channels": channels}
    return body | notes_of(call, notes)


def _released_answer(call: Call, planned: Plan) -> Json:
    fastest = _fastest(call)
    begin, end = call.samples(fastest)
    rate_hz = call.rate_hz(fastest)
    tmin = 0.0 if call.values["tmin"] is None else call.values["tmin"]
    starts, stops = _released_windows(call, planned.window_sec, planned.step_sec)
    shift = tmin - begin / rate_hz
    grid = WindowGrid(starts / rate_hz + shift, stops / rate_hz + shift, 0.0)
    times = _shown_times(call, grid)
    channels = []
    for channel in call.channels:
        factor = call.rate_hz(channel) / rate_hz
        values = window_table(
            call.recording,
            channel,
            (starts * factor).astype(np.int64),
            (stops * factor).astype(np.int64),
            features=planned.features,
            as_released=True,
        )
        channels.append(_channel(call, channel, planned, values, times, None))
    body = _head(call, planned, [tmin, round(tmin + (end - begin) / rate_hz, 2)])
    return body | {"n_channels": len(channels), "channels": channels}


def _head(call: Call, planned: Plan, time_range: list[float]) -> Json:
    if call.dialect.placed_by_time:
        time_range = [round(t, 3) for t in time_range]
    return {
        "window_sec": echoed(planned.window_sec, call.dialect, is_time=True),
        "step_sec": echoed(planned.step_sec, call.dialect, is_time=True),
        "time_range": time_range,
        "n_windows": planned.n_windows,
        "features_computed": sorted(planned.features),
    }


def _shown_times(call: Call, grid: WindowGrid) -> list[list[float]]:
    """Start and end of each window."""
    decimals = 2 if call.dialect.fixed_decimals else 3
    return [_rounded(times, decimals) for times in (grid.start_sec, grid.stop_sec)]


def _channel(
    call: Call,
    channel: int,
    planned: Plan,
    values: Float,
    times: list[list[float]],
    gaps: NDArray[np.bool_] | None,
) -> Json:
    dialect = call.dialect
    columns = [
        shown_array(values[row], _DECIMALS.get(name, 4), dialect)
        for row, name in enumerate(planned.features)
    ]
    columns += times
    keys = (*planned.features, "t_start", "t_end")
    # without a step in Python: rows take a quarter of the time of a long answer
    given = map(zip, repeat(keys), zip(*columns, strict=True))
    lines: list[Json] = list(map(dict, given))
    if gaps is not None:
        for line, touches in zip(lines, gaps.tolist(), strict=True):
            if touches:
                line["gap"] = True
    entry: Json = {"channel": call.name(channel), "n_windows": len(lines)}
    return entry | unit_key(call, channel) | {"windows": lines}


def windowed_size(call: Call) -> int:
    """Upper bound of the characters of the answer."""
    planned = plan(call)
    size = largest(call)
    fastest = max(call.rate_hz(c) for c in call.channels)
    line: Json = {}
    for name in planned.features:
        limit = 2 * size
        if name.endswith("_ratio"):
            limit = float("inf")
        elif name.endswith("_power"):
            limit = 4 * size * size
        elif name == "line_length_uv_s":
            limit = 2 * size * fastest
        elif name.endswith("_relative") or name in ("kurtosis", "hjorth_mobility"):
            limit = 0.0
        line[name] = worst_number(limit, signed=name == "kurtosis")
    latest = shown_time(call.stop_sec, 3, call.dialect)
    longest = max((latest or 0.0, int(latest or 0.0) + 0.123), key=_digits)
    line |= {"t_start": longest, "t_end": longest}
    if call.recording.has_gaps:
        line["gap"] = True
    channels = [
        {"channel": call.name(c), "n_windows": planned.n_windows}
        | unit_key(call, c)
        | {"windows": []}
        for c in call.channels
    ]
    body = _head(call, planned, [call.start_sec, call.stop_sec])
    body |= {"left_out_sec": longest, "n_channels": len(channels), "channels": channels}
    body |= worst_notes(call, ("own_unit", "window_null"))
    if call.encoding == "compact":
        return worst_answer_size(call, body) + _columns_size(call, planned, line)
    per_row = size_of(line) + 1
    n_rows = planned.n_windows * len(call.channels)
    return worst_answer_size(call, body) + per_row * n_rows


def _columns_size(call: Call, planned: Plan, line: Json) -> int:
    """Upper bound of the characters of the windows in the compact form."""
    if planned.n_windows > _MANY_WINDOWS:  # no budget holds them: do not place them
        times = [
            [line["t_end"] + 0.001 * (i % 2) for i in range(planned.n_windows)]
        ] * 2
    else:
        grid = place_windows(
            call.start_sec, call.stop_sec, planned.window_sec, step_sec=planned.step_sec
        )
        times = [_rounded(grid.start_sec, 3), _rounded(grid.stop_sec, 3)]
    return windows_size(
        line,
        times=times,
        n_channels=len(call.channels),
        step_sec=_head(call, planned, [0.0])["step_sec"],
    )


def _rounded(times_sec: Float, decimals: int) -> list[float]:
    return [round(t, decimals) for t in times_sec.tolist()]


def _digits(value: float) -> int:
    return len(orjson.dumps(value))


def released_tokens(call: Call) -> int:
    """Return the release's own estimate: a row of -12.3456 at time 0, times rows."""
    import json

    planned = plan(call)
    line = dict.fromkeys(planned.features, -12.3456) | {"t_start": 0.0, "t_end": 0.0}
    n_channels = len(call.channels)
    per_row = len(json.dumps(line)) + 2
    return (planned.n_windows * n_channels * per_row + 60 * n_channels) // 4
