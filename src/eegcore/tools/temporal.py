"""Figures in time: noise metrics, temporal features, transients."""

from typing import NamedTuple

import numpy as np

from eegcore.blockscan import DENSITIES, STRETCHES
from eegcore.preparing import prepare
from eegcore.quality import LINE_HALF_WIDTH_HZ, Quality, quality_of
from eegcore.threads import each
from eegcore.tools.answers import (
    WORST_NUMBER,
    WORST_POSITIVE,
    Json,
    echoed,
    gap_free,
    notes_of,
    row_of,
    unit_key,
    unit_note,
    with_meta,
    worst_answer_size,
    worst_notes,
    worst_number,
)
from eegcore.tools.call import Call
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
from eegcore.waveform import Waveform, waveform_of

NOISE_SPEC = ToolSpec(
    name="compute_noise_metrics",
    purpose="Quality of channels: amplitude, share of flat steps (below 0.1 uV), share"
    " of samples at the extremes, mains noise, high-frequency noise.",
    arguments=(
        RECORD_ID,
        CHANNELS,
        Argument(
            "line_freq",
            "number",
            "Mains frequency, Hz.",
            default=50,
            minimum=1.0,
            maximum=1000.0,
        ),
        Argument(
            TMIN.name, TMIN.kind, TMIN.purpose, minimum=0.0, dialects=("default",)
        ),
        Argument(TMAX.name, TMAX.kind, TMAX.purpose, above=0.0, dialects=("default",)),
    ),
    answer={
        "line_freq_hz": number("Mains frequency, Hz."),
        "n_channels": integer("Rows."),
        "channels": rows(
            "One row a channel.",
            {
                "channel": text("Name."),
                "rms_uv": number("Root mean square, uV."),
                "flat_line_ratio": number("Share of steps under 0.1 uV."),
                "saturation_ratio": number("Share of samples at an extreme."),
                "line_noise_ratio": number(
                    "Mean density within 2 Hz of the mains / mean density from 1 Hz"
                    " to half the sampling rate less 1 Hz; 1 for white noise."
                ),
                "hf_noise_ratio": number(
                    "Power above 40 Hz / power above 1 Hz, mains left out."
                ),
            },
        ),
    },
)
TEMPORAL_SPEC = ToolSpec(
    name="compute_temporal_features",
    purpose="Amplitude statistics of channels: moments, Hjorth parameters, line length,"
    " zero crossings.",
    arguments=(RECORD_ID, CHANNELS, TMIN, TMAX),
    answer={
        "time_window": pair("Range in seconds."),
        "n_channels": integer("Rows."),
        "channels": rows(
            "One row a channel.",
            {
                "channel": text("Name."),
                "mean_uv": number("uV."),
                "std_uv": number("uV."),
                "rms_uv": number("uV."),
                "peak_to_peak_uv": number("uV."),
                "skewness": number("Third standardized moment."),
                "kurtosis": number("Fourth standardized moment minus 3."),
                "hjorth_activity": number("Variance, uV^2."),
                "hjorth_mobility": number("On sample differences, per sample."),
                "hjorth_complexity": number("On sample differences."),
                "line_length_uv_s": number("Sum of absolute steps, uV/s."),
                "zero_crossing_rate_hz": number("Crossings of the mean, Hz."),
            },
        ),
    },
)
_NOISE_DECIMALS = {
    "rms_uv": 1,
    "flat_line_ratio": 4,
    "saturation_ratio": 4,
    "line_noise_ratio": 2,
    "hf_noise_ratio": 3,
}
_TEMPORAL_DECIMALS = {
    "mean_uv": 2,
    "std_uv": 2,
    "rms_uv": 2,
    "peak_to_peak_uv": 1,
    "skewness": 3,
    "kurtosis": 3,
    "hjorth_activity": 4,
    "hjorth_mobility": 4,
    "hjorth_complexity": 4,
    "line_length_uv_s": 1,
    "zero_crossing_rate_hz": 2,
}


class _Row(NamedTuple):
    """Figures of a channel by key of the answer."""

    channel: int
    figures: dict[str, float]


def largest(call: Call) -> float:
    """Upper bound of the absolute value of the samples of a call."""
    return max((call.view.largest(c) for c in call.channels), default=0.0)


# -------------------------------------------------------- compute_noise_metrics


def compute_noise_metrics(call: Call) -> Json:
    """Answer of the tool of that name."""
    gap = call.touches_gap()
    ranges = {c: call.samples(c) for c in call.channels}
    is_kept = gap or prepare(call.recording, ranges, (STRETCHES, DENSITIES))
    lines = each(
        lambda c: _Row(c, _noise_figures(call, c, gap=gap)),
        call.channels,
        alone=is_kept,
    )
    found = unit_note(call)
    if gap:
        found["gap"] = gap_free(call)
    else:
        found |= _noise_notes(call, lines)
    body = _noise_body(call, lines) | notes_of(call, found)
    return with_meta(call.view.record_id, body, n_rows=len(lines))


def _noise_figures(call: Call, channel: int, *, gap: bool) -> dict[str, float]:
    if gap:
        return dict.fromkeys(_NOISE_DECIMALS, float("nan"))
    quality: Quality = quality_of(
        call.recording,
        channel,
        *call.samples(channel),
        line_hz=call.values["line_freq"],
        as_released=call.dialect.released_formulas,
    )
    return dict(zip(_NOISE_DECIMALS, quality, strict=True))


def _noise_notes(call: Call, lines: list[_Row]) -> dict[str, list[str]]:
    line_hz = call.values["line_freq"]
    found: dict[str, list[str]] = {
        code: [] for code in ("flat", "not_finite", "line", "high")
    }
    for channel, figures in lines:
        name, rate_hz = call.name(channel), call.rate_hz(channel)
        if np.isnan(figures["rms_uv"]):
            found["not_finite"].append(name)
            continue
        if figures["saturation_ratio"] == 1.0 and np.isnan(figures["hf_noise_ratio"]):
            found["flat"].append(name)
            continue
        if line_hz + LINE_HALF_WIDTH_HZ > rate_hz / 2:
            found["line"].append(name)
        if np.isnan(figures["hf_noise_ratio"]):
            found["high"].append(name)
    return found


def _noise_body(call: Call, lines: list[_Row]) -> Json:
    return {
        "line_freq_hz": echoed(call.values["line_freq"], call.dialect),
        "n_channels": len(lines),
        "channels": [
            {"channel": call.name(channel)}
            | row_of(figures, _NOISE_DECIMALS, call.dialect)
            | unit_key(call, channel)
            for channel, figures in lines
        ],
    }


def noise_size(call: Call) -> int:
    """Upper bound of the characters of the answer."""
    figures = dict.fromkeys(_NOISE_DECIMALS, WORST_POSITIVE)
    figures["rms_uv"] = worst_number(largest(call), signed=False)
    body = _noise_body(call, [_Row(c, figures) for c in call.channels])
    codes = ("own_unit", "gap", "flat", "not_finite", "line", "high")
    return worst_answer_size(call, body | worst_notes(call, codes))


# ---------------------------------------------------- compute_temporal_features


def compute_temporal_features(call: Call) -> Json:
    """Answer of the tool of that name."""
    found = unit_note(call)
    gap = call.touches_gap()
    lines = []
    found |= {"flat": [], "not_finite": []}
    measured = [dict.fromkeys(_TEMPORAL_DECIMALS, float("nan"))] * len(call.channels)
    if not gap:
        prepare(
            call.recording, {c: call.samples(c) for c in call.channels}, (STRETCHES,)
        )
        measured = each(lambda c: _temporal_figures(call, c), call.channels)
    for channel, figures in zip(call.channels, measured, strict=True):
        if not gap:
            if np.isnan(figures["mean_uv"]):
                found["not_finite"].append(call.name(channel))
            elif figures["peak_to_peak_uv"] == 0.0:
                found["flat"].append(call.name(channel))
        lines.append(_Row(channel, figures))
    if gap:
        found["gap"] = gap_free(call)
    body = _temporal_body(call, lines) | notes_of(call, found)
    return with_meta(call.view.record_id, body, n_rows=len(lines))


def _temporal_figures(call: Call, channel: int) -> dict[str, float]:
    measured: Waveform = waveform_of(
        call.recording,
        channel,
        *call.samples(channel),
        as_volts=call.dialect.released_formulas,
    )
    return {key: float(getattr(measured, key)) for key in _TEMPORAL_DECIMALS}


def _temporal_body(call: Call, lines: list[_Row]) -> Json:
    return {
        "time_window": call.time_window(),
        "n_channels": len(lines),
        "channels": [
            {"channel": call.name(channel)}
            | row_of(figures, _TEMPORAL_DECIMALS, call.dialect)
            | unit_key(call, channel)
            for channel, figures in lines
        ],
    }


def temporal_size(call: Call) -> int:
    """Upper bound of the characters of the answer."""
    fastest = max((call.rate_hz(c) for c in call.channels), default=1.0)
    size = largest(call)
    figures = dict.fromkeys(_TEMPORAL_DECIMALS, worst_number(2 * size))
    figures["hjorth_activity"] = worst_number(size * size)
    figures["line_length_uv_s"] = worst_number(2 * size * fastest)
    for key in ("skewness", "kurtosis", "hjorth_mobility"):
        figures[key] = WORST_NUMBER
    figures["hjorth_complexity"] = worst_number(float("inf"))
    body = _temporal_body(call, [_Row(c, figures) for c in call.channels])
    codes = ("own_unit", "gap", "flat", "not_finite")
    return worst_answer_size(call, body | worst_notes(call, codes))
