"""Candidate transients of channels: detect_transients."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore.threads import each
from eegcore.tools.answers import (
    WORST_NUMBER,
    Json,
    echoed,
    gap_free,
    notes_of,
    row_of,
    shown,
    shown_time,
    unit_key,
    unit_note,
    with_meta,
    worst_answer_size,
    worst_notes,
    worst_number,
)
from eegcore.tools.call import LEAST_SPECTRAL_SEC, Call
from eegcore.tools.failures import ToolError
from eegcore.tools.spec import (
    CHANNELS,
    RECORD_ID,
    TMAX,
    TMIN,
    Argument,
    ToolSpec,
    integer,
    number,
    pair,
    rows,
    text,
)
from eegcore.tools.temporal import largest
from eegcore.transients import (
    FILTER_BAND_HZ,
    PEAK_DISTANCE_SEC,
    Transients,
    can_filter,
    least_samples,
    transients_of,
)

N_TOP = 5
TRANSIENTS_SPEC = ToolSpec(
    name="detect_transients",
    purpose="Candidate transients (sharp deflections, not yet spikes) in the 1-70 Hz"
    " band: counts and means by channel, and the five largest.",
    arguments=(
        RECORD_ID,
        CHANNELS,
        TMIN,
        TMAX,
        Argument(
            "min_amplitude_uv",
            "number",
            "Smallest amplitude, uV.",
            default=70,
            minimum=0.0,
        ),
        Argument(
            "max_candidates_per_channel",
            "integer",
            "Largest candidates of each channel that count as returned.",
            default=20,
            minimum=1,
            maximum=100000,
        ),
    ),
    answer={
        "time_window": pair("Range in seconds."),
        "min_amplitude_uv": number("uV."),
        "peak_distance_ms": number("Least time between two of one sign, ms."),
        "filter_band_hz": pair("Zero-phase Butterworth band, Hz."),
        "max_candidates_per_channel": integer("As asked."),
        "candidate_sort_key": text("Order of the candidates."),
        "n_candidates_detected": integer("All channels."),
        "n_candidates_returned": integer("All channels, after the limit."),
        "channel_summary": rows(
            "One row a channel; means over all its candidates.",
            {
                "channel": text("Name."),
                "n_candidates": integer("Detected."),
                "amplitude_mean_uv": number("uV."),
                "amplitude_max_uv": number("uV."),
                "width_mean_ms": number("Width at half height, ms."),
                "sharpness_mean_uv_s": number("Steepest slope near the peak, uV/s."),
                "background_rms_uv": number("Of the filtered signal, uV."),
                "background_peak_to_peak_uv": number("Of the filtered signal, uV."),
                "amplitude_to_rms_ratio_mean": number("Mean amplitude / rms."),
                "amplitude_to_rms_ratio_max": number("Largest amplitude / rms."),
            },
        ),
        "top_candidates": rows(
            "The five largest of all channels.",
            {
                "channel": text("Name."),
                "time_sec": number("Seconds."),
                "width_ms": number("ms."),
                "amplitude_uv": number("uV."),
                "sharpness_uv_s": number("uV/s."),
                "polarity": text("positive or negative."),
            },
        ),
    },
)
_SUMMARY_DECIMALS = {
    "amplitude_mean_uv": 1,
    "amplitude_max_uv": 1,
    "width_mean_ms": 1,
    "sharpness_mean_uv_s": 1,
    "background_rms_uv": 1,
    "background_peak_to_peak_uv": 1,
    "amplitude_to_rms_ratio_mean": 2,
    "amplitude_to_rms_ratio_max": 2,
}


class Candidates(NamedTuple):
    """Candidates of one channel: means over all listed ones, and the largest few.

    Attributes
    ----------
    n_detected, n_listed : int
    means : dict
        By key of the answer.
    time_sec, amplitude_uv, width_ms, sharpness_uv_s, is_positive : ndarray
        Of at most five, largest first.
    background_rms_uv, background_peak_to_peak_uv : float
    """

    channel: int
    n_detected: int
    n_listed: int
    means: dict[str, float]
    time_sec: np.ndarray
    amplitude_uv: np.ndarray
    width_ms: np.ndarray
    sharpness_uv_s: np.ndarray
    is_positive: np.ndarray
    background_rms_uv: float
    background_peak_to_peak_uv: float


_MEANS = ("amplitude_mean_uv", "width_mean_ms", "sharpness_mean_uv_s")


def _filterable(call: Call) -> list[int]:
    """Channels whose rate leaves room for the filter."""
    return [c for c in call.channels if can_filter(call.rate_hz(c))]


def check_transients(call: Call) -> None:
    """Refuse rates and ranges that the filter cannot take."""
    able = _filterable(call)
    if not able:
        raise ToolError(
            "rate_too_low",
            "the sampling rate is too low for the 1-70 Hz filter; above 4 Hz is needed",
        )
    for channel in able:
        call.with_channels((channel,)).require(
            LEAST_SPECTRAL_SEC, least_samples=least_samples(call.rate_hz(channel))
        )


def detect_transients(call: Call) -> Json:
    """Answer of the tool of that name."""
    found = unit_note(call)
    able = _filterable(call)
    found["rate"] = [call.name(c) for c in call.channels if c not in able]
    gap = call.touches_gap()
    if gap:
        found["gap"] = gap_free(call)
        able = []
    every = each(
        lambda c: _candidates(call, c) if c in able else _unknown(c), call.channels
    )
    if not gap:
        found["not_finite"] = [
            call.name(c.channel)
            for c in every
            if np.isnan(c.background_rms_uv) and c.channel in able
        ]
    body, n_returned, n_detected = _body(call, every)
    reason = None
    if n_returned < n_detected:
        limit = call.values["max_candidates_per_channel"]
        reason = (
            f"{n_returned} of {n_detected} candidates: the {limit} largest a channel"
        )
    return with_meta(
        call.view.record_id,
        body | notes_of(call, found),
        n_rows=n_returned,
        truncated_reason=reason,
    )


def _unknown(channel: int) -> Candidates:
    none = np.empty(0)
    nan = float("nan")
    means = dict.fromkeys(_MEANS, nan)
    return Candidates(channel, 0, 0, means, none, none, none, none, none, nan, nan)


def _candidates(call: Call, channel: int) -> Candidates:
    dialect = call.dialect
    least: float | None = call.values["min_amplitude_uv"]
    if dialect.released_formulas and least == 0:
        least = None  # there, zero means no limit: maxima below zero count too
    start, stop = call.samples(channel)
    t: Transients = transients_of(
        call.recording,
        channel,
        start,
        stop,
        min_amplitude_uv=least,
        as_volts=dialect.released_formulas,
    )
    rate_hz = call.rate_hz(channel)
    first_sec = (
        call.recording.sample_time(channel, start)
        if dialect.placed_by_time
        else start / rate_hz
    )
    time_sec = first_sec + t.sample / rate_hz
    columns = [t.amplitude_uv, t.width_sec * 1000, t.sharpness_uv_s]
    if dialect.fixed_decimals:  # the release rounds first and sorts what it rounded
        columns = [np.round(column, 1) for column in columns]
    n_detected = n_listed = t.sample.size
    order = _largest_first(columns[0], N_TOP)
    listed: slice | NDArray[np.int64] = slice(None)
    if not dialect.all_candidates:
        limit = call.values["max_candidates_per_channel"]
        n_listed = min(n_detected, limit)
        listed = _largest_first(columns[0], limit)
    means = {
        key: float(np.mean(column[listed])) if n_listed else float("nan")
        for key, column in zip(_MEANS, columns, strict=True)
    }
    rms, span = t.background_rms_uv, t.background_peak_to_peak_uv
    top = order[: min(N_TOP, n_listed)]
    return Candidates(
        channel,
        n_detected,
        n_listed,
        means,
        time_sec[top],
        columns[0][top],
        columns[1][top],
        columns[2][top],
        t.is_positive[top],
        round(rms, 1) if dialect.fixed_decimals else rms,
        span,
    )


def _largest_first(amplitude: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Return places of the ``count`` largest, equal ones in the order of places."""
    places = np.arange(amplitude.size)
    if count < amplitude.size:
        least = np.partition(amplitude, amplitude.size - count)[-count]
        places = np.flatnonzero(amplitude >= least)
    return places[np.argsort(-amplitude[places], kind="stable")][:count]


def _summary(call: Call, c: Candidates) -> Json:
    top = float(c.amplitude_uv.max()) if c.amplitude_uv.size else float("nan")
    rms = c.background_rms_uv if c.background_rms_uv > 0 else float("nan")
    figures = c.means | {
        "amplitude_max_uv": top,
        "background_rms_uv": c.background_rms_uv,
        "background_peak_to_peak_uv": c.background_peak_to_peak_uv,
        "amplitude_to_rms_ratio_mean": c.means["amplitude_mean_uv"] / rms,
        "amplitude_to_rms_ratio_max": top / rms,
    }
    head: Json = {"channel": call.name(c.channel), "n_candidates": c.n_listed}
    return (
        head
        | row_of(figures, _SUMMARY_DECIMALS, call.dialect)
        | unit_key(call, c.channel)
    )


def _top(call: Call, every: list[Candidates]) -> list[Json]:
    """Return the largest of all channels; equal ones in the order of channels."""
    dialect = call.dialect
    found = [
        (-float(c.amplitude_uv[i]), place, i, c)
        for place, c in enumerate(every)
        if call.view.unit(c.channel) is None
        for i in range(c.amplitude_uv.size)
    ]
    found.sort(key=lambda entry: entry[:3])
    return [
        {
            "channel": call.name(c.channel),
            "time_sec": shown_time(float(c.time_sec[i]), 2, dialect),
            "width_ms": shown(float(c.width_ms[i]), 1, dialect),
            "amplitude_uv": shown(float(c.amplitude_uv[i]), 1, dialect),
            "sharpness_uv_s": shown(float(c.sharpness_uv_s[i]), 1, dialect),
            "polarity": "positive" if c.is_positive[i] else "negative",
        }
        for _, _, i, c in found[:N_TOP]
    ]


def _body(call: Call, every: list[Candidates]) -> tuple[Json, int, int]:
    values = call.values
    limit = values["max_candidates_per_channel"]
    n_detected = sum(c.n_detected for c in every)
    n_returned = sum(min(limit, c.n_detected) for c in every)
    listed = [c for c in every if call.dialect.all_candidates or c.n_detected]
    window = call.time_window()
    if not call.dialect.placed_by_time:
        window[0] = window[0] or 0
    body: Json = {
        "time_window": window,
        "min_amplitude_uv": echoed(values["min_amplitude_uv"], call.dialect),
        "peak_distance_ms": PEAK_DISTANCE_SEC * 1000,
        "filter_band_hz": list(FILTER_BAND_HZ),
        "max_candidates_per_channel": limit,
        "candidate_sort_key": "amplitude_descending",
        "n_candidates_detected": n_detected,
        "n_candidates_returned": n_returned,
        "channel_summary": [_summary(call, c) for c in listed],
        "top_candidates": _top(call, every),
    }
    return body, n_returned, n_detected


def transients_size(call: Call) -> int:
    """Upper bound of the characters of the answer."""
    size = largest(call) * 100  # a filter can overshoot; not a hundredfold
    fastest = max((call.rate_hz(c) for c in call.channels), default=1.0)
    figures = dict.fromkeys(_SUMMARY_DECIMALS, worst_number(size))
    figures["width_mean_ms"] = WORST_NUMBER
    figures["sharpness_mean_uv_s"] = worst_number(size * fastest)
    for key in ("amplitude_to_rms_ratio_mean", "amplitude_to_rms_ratio_max"):
        figures[key] = worst_number(float("inf"))
    summary = [
        {"channel": call.name(c), "n_candidates": 10**9}
        | row_of(figures, _SUMMARY_DECIMALS, call.dialect)
        | unit_key(call, c)
        for c in call.channels
    ]
    longest = max((call.name(c) for c in call.channels), key=len, default="")
    top = {
        "channel": longest,
        "time_sec": 1234567.123,
        "width_ms": WORST_NUMBER,
        "amplitude_uv": figures["amplitude_max_uv"],
        "sharpness_uv_s": figures["sharpness_mean_uv_s"],
        "polarity": "negative",
    }
    body, _, _ = _body(call, [])
    body |= {
        "n_candidates_detected": 10**9,
        "n_candidates_returned": 10**9,
        "channel_summary": summary,
        "top_candidates": [top] * N_TOP,
    }
    codes = ("own_unit", "gap", "not_finite", "rate")
    return worst_answer_size(call, body | worst_notes(call, codes))
