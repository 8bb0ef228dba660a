"""Band power of channels, absolute, relative and in ratios: compute_band_power."""

from typing import NamedTuple

import numpy as np

from eegcore.spectrum import BANDS_HZ, Spectrum, band_power, total_band_hz
from eegcore.tools.answers import (
    WORST_POSITIVE,
    Json,
    gap_free,
    notes_of,
    shown,
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
    ToolSpec,
    integer,
    mapping,
    pair,
    rows,
    text,
)
from eegcore.tools.spectral import BANDS_TEXT, is_bad, is_flat, spectra, worst_power
from eegcore.window_values import ratio

BAND_POWER_SPEC = ToolSpec(
    name="compute_band_power",
    purpose="Absolute and relative band power of channels and ratios of bands."
    f" {BANDS_TEXT} Relative: share of the power from 1 Hz to 45 Hz (or half the"
    " sampling rate). slow_fast = (delta + theta) / (alpha + beta).",
    arguments=(RECORD_ID, CHANNELS, TMIN, TMAX),
    answer={
        "time_window": pair("Range in seconds."),
        "n_channels": integer("Rows."),
        "channels": rows(
            "One row a channel.",
            {
                "channel": text("Name."),
                "absolute_power_uv2": mapping("By band.", tuple(BANDS_HZ), "uV^2."),
                "relative_power": mapping("By band.", tuple(BANDS_HZ), "0 to 1."),
                "ratios": mapping(
                    "Quotients of band powers.",
                    ("theta_alpha_ratio", "delta_alpha_ratio", "slow_fast_ratio"),
                    "",
                ),
            },
        ),
    },
)


class BandPower(NamedTuple):
    """What compute_band_power tells of one channel."""

    absolute: dict[str, float]
    relative: dict[str, float]
    theta_alpha: float
    delta_alpha: float
    slow_fast: float


def compute_band_power(call: Call) -> Json:
    """Answer of the tool of that name."""
    names = [call.name(c) for c in call.channels]
    found = unit_note(call)
    if call.touches_gap():
        nan = float("nan")
        bands = dict.fromkeys(BANDS_HZ, nan)
        figures = [BandPower(bands, bands, nan, nan, nan)] * len(names)
        found["gap"] = gap_free(call)
    else:
        measured = spectra(call)
        figures = [_band_power(call, s) for s in measured]
        pairs = list(zip(names, measured, strict=True))
        found["flat"] = [n for n, s in pairs if is_flat(s)]
        found["not_finite"] = [n for n, s in pairs if is_bad(s)]
        found["band"] = [
            n
            for (n, s), f in zip(pairs, figures, strict=True)
            if not is_bad(s) and any(np.isnan(v) for v in f.absolute.values())
        ]
    body = _band_power_body(call, figures) | notes_of(call, found)
    return with_meta(call.view.record_id, body, n_rows=len(names))


def _band_power(call: Call, spectrum: Spectrum) -> BandPower:
    released = call.dialect.released_formulas
    if not released and is_flat(spectrum):
        spectrum = spectrum._replace(density=np.zeros_like(spectrum.density))
    absolute = {
        name: float(band_power(spectrum, band, exact_edges=not released))
        for name, band in BANDS_HZ.items()
    }
    if released:
        absolute = {n: 0.0 if np.isnan(v) else v for n, v in absolute.items()}
        total = sum(absolute.values())
    else:
        total = float(band_power(spectrum, total_band_hz(spectrum.rate_hz)))

    def quotient(above: float, below: float) -> float:
        return float(ratio(np.asarray(above), np.asarray(below), as_released=released))

    slow = absolute["delta"] + absolute["theta"]
    return BandPower(
        absolute,
        {name: quotient(value, total) for name, value in absolute.items()},
        quotient(absolute["theta"], absolute["alpha"]),
        quotient(absolute["delta"], absolute["alpha"]),
        quotient(slow, absolute["alpha"] + absolute["beta"]),
    )


def _band_power_body(call: Call, figures: list[BandPower]) -> Json:
    dialect = call.dialect
    lines = []
    for channel, f in zip(call.channels, figures, strict=True):
        row: Json = {
            "channel": call.name(channel),
            "absolute_power_uv2": {
                b: shown(v, 4, dialect) for b, v in f.absolute.items()
            },
            "relative_power": {b: shown(v, 4, dialect) for b, v in f.relative.items()},
            "ratios": {
                "theta_alpha_ratio": shown(f.theta_alpha, 4, dialect),
                "delta_alpha_ratio": shown(f.delta_alpha, 4, dialect),
                "slow_fast_ratio": shown(f.slow_fast, 4, dialect),
            },
        }
        lines.append(row | unit_key(call, channel))
    return {
        "time_window": call.time_window(),
        "n_channels": len(lines),
        "channels": lines,
    }


def band_power_size(call: Call) -> int:
    """Upper bound of the characters of the answer."""
    power, quotient = worst_power(call), worst_number(float("inf"), signed=False)
    figures = BandPower(
        dict.fromkeys(BANDS_HZ, power),
        dict.fromkeys(BANDS_HZ, WORST_POSITIVE),
        *(quotient,) * 3,
    )
    body = _band_power_body(call, [figures] * len(call.channels))
    codes = ("own_unit", "gap", "flat", "not_finite", "band")
    return worst_answer_size(call, body | worst_notes(call, codes))
