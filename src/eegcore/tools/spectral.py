"""Spectrum of channels: compute_psd, and what other spectral tools share."""

from typing import NamedTuple

import numpy as np

from eegcore.blockscan import DENSITIES
from eegcore.preparing import prepare
from eegcore.spectrum import (
    BANDS_HZ,
    Band,
    Spectrum,
    band_power,
    density_of,
)
from eegcore.threads import each
from eegcore.tools.answers import (
    WORST_POSITIVE,
    Json,
    echoed,
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
    mapping,
    number,
    pair,
    rows,
    text,
)

BANDS_TEXT = (
    "Bands: delta 1-4 Hz (from 1, not 0.5), theta 4-8, alpha 8-13, beta 13-30, gamma"
    " 30-45."
)
PSD_SPEC = ToolSpec(
    name="compute_psd",
    purpose="Power spectrum of channels: alpha peak, dominant frequency, total and band"
    f" power. {BANDS_TEXT} Welch: Hann, 2 s segments, half overlap, each segment's"
    " mean removed; multitaper: DPSS tapers on segments of up to 30 s.",
    arguments=(
        RECORD_ID,
        CHANNELS,
        TMIN,
        TMAX,
        Argument(
            "method",
            "choice",
            "Estimate of the spectrum.",
            default="welch",
            choices=("welch", "multitaper"),
        ),
        Argument("fmin", "number", "Lowest frequency, Hz.", default=0.5, minimum=0.0),
        Argument("fmax", "number", "Highest frequency, Hz.", default=45, above=0.0),
    ),
    answer={
        "method": text("Estimate used."),
        "time_window": pair("Range in seconds."),
        "freq_range_hz": pair("Frequency range, Hz."),
        "n_channels": integer("Rows."),
        "global_alpha_peak_hz": number("Alpha peak of the mean spectrum, Hz."),
        "channels": rows(
            "One row a channel.",
            {
                "channel": text("Name."),
                "alpha_peak_freq_hz": number("Largest density in 8-13 Hz, Hz."),
                "alpha_peak_power_uv2hz": number("That density, uV^2/Hz."),
                "dominant_freq_hz": number("Largest density in the range, Hz."),
                "total_power_uv2": number("Power in the range, uV^2."),
                "band_powers_uv2": mapping(
                    "Power by band; null for a band cut by the range.",
                    tuple(BANDS_HZ),
                    "uV^2.",
                ),
            },
        ),
    },
)
# Powers stay below (largest sample)^2 times this: mean removed, and per 1/30 Hz.
_POWER_FACTOR = 4 * 60.0


class Peaks(NamedTuple):
    """What compute_psd tells of one channel; None: no such key."""

    alpha_hz: float
    alpha_density: float
    dominant_hz: float
    total: float
    bands: dict[str, float]


def worst_power(call: Call) -> float:
    """Return the longest number that a power of this call can be."""
    largest = max((call.view.largest(c) for c in call.channels), default=0.0)
    return worst_number(largest * largest * _POWER_FACTOR, signed=False)


def spectra(call: Call, *, method: str = "welch") -> list[Spectrum]:
    """Power spectral density of each channel over the range of a call."""
    released = call.dialect.released_formulas
    is_kept = False
    if method == "welch":
        ranges = {channel: call.samples(channel) for channel in call.channels}
        is_kept = prepare(call.recording, ranges, (DENSITIES,))
    return each(
        lambda channel: density_of(
            call.recording,
            channel,
            *call.samples(channel),
            method=method,
            as_volts=released,
        ),
        call.channels,
        alone=is_kept,
    )


def is_flat(spectrum: Spectrum) -> bool:
    """Whether a signal has no power at all."""
    return not np.isnan(spectrum.density).any() and not spectrum.density.max() > 0


def check_psd(call: Call) -> None:
    """Refuse a frequency range or a range of time that gives no spectrum."""
    values = call.values
    fmin, fmax = values["fmin"], values["fmax"]
    if fmin >= fmax:
        raise ToolError(
            "reversed_range", f"fmax ({fmax:g}) must be greater than fmin ({fmin:g})"
        )
    if values["method"] == "multitaper" and not call.dialect.real_multitaper:
        raise ToolError(
            "not_in_dialect",
            "method 'multitaper' is not offered in dialect paper-1.0, whose scale"
            " was wrong; use 'welch'",
        )
    call.require(LEAST_SPECTRAL_SEC)
    highest = max(call.rate_hz(c) for c in call.channels) / 2
    if fmin >= highest:
        raise ToolError(
            "out_of_range",
            f"fmin is {fmin:g}; it must be below half the sampling rate,"
            f" {highest:g} Hz",
        )


def compute_psd(call: Call) -> Json:
    """Answer of the tool of that name."""
    range_hz = (call.values["fmin"], call.values["fmax"])
    gap = call.touches_gap()
    measured = spectra(call, method=call.values["method"]) if not gap else []
    if gap:
        peaks = [_no_peaks()] * len(call.channels)
    else:
        peaks = [_peaks(call, s, range_hz) for s in measured]
    body = _psd_body(call, peaks, _common_alpha(call, measured, range_hz))
    body |= notes_of(call, _psd_notes(call, measured, peaks, gap=gap))
    return with_meta(call.view.record_id, body, n_rows=len(call.channels))


def _no_peaks() -> Peaks:
    nan = float("nan")
    return Peaks(nan, nan, nan, nan, dict.fromkeys(BANDS_HZ, nan))


def _peaks(call: Call, spectrum: Spectrum, range_hz: Band) -> Peaks:
    frequencies, density = spectrum.frequencies_hz, spectrum.density
    inside = (frequencies >= range_hz[0]) & (frequencies <= range_hz[1])
    released = call.dialect.released_formulas
    if not inside.any() or (not released and (is_flat(spectrum) or is_bad(spectrum))):
        empty = _no_peaks()
        if not released and is_flat(spectrum):
            return empty._replace(total=0.0, bands=dict.fromkeys(BANDS_HZ, 0.0))
        return empty
    alpha = inside & _in_alpha(spectrum)
    alpha_hz = alpha_density = float("nan")
    if alpha.any() and density[alpha].max() > 0:
        best = np.flatnonzero(alpha)[np.argmax(density[alpha])]
        alpha_hz, alpha_density = float(frequencies[best]), float(density[best])
    chosen = np.flatnonzero(inside)
    dominant = frequencies[chosen[np.argmax(density[chosen])]]
    if released:
        total, bands = _released_powers(spectrum, range_hz)
    else:
        total, bands = _powers(spectrum, range_hz)
    return Peaks(alpha_hz, alpha_density, float(dominant), total, bands)


def is_bad(spectrum: Spectrum) -> bool:
    """Whether a signal holds a NaN."""
    return bool(np.isnan(spectrum.density).any())


def _in_alpha(spectrum: Spectrum) -> "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]":
    low, high = BANDS_HZ["alpha"]
    frequencies = spectrum.frequencies_hz
    within: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] = (frequencies >= low) & (
        frequencies <= high
    )
    return within


def _powers(spectrum: Spectrum, range_hz: Band) -> tuple[float, dict[str, float]]:
    """Total power and bands; NaN for a band that the range cuts."""
    low, high = range_hz[0], min(range_hz[1], spectrum.rate_hz / 2)
    total = float(band_power(spectrum, (low, high)))
    bands = {
        name: float(band_power(spectrum, band))
        if low <= band[0] and band[1] <= high
        else float("nan")
        for name, band in BANDS_HZ.items()
    }
    return total, bands


def _released_powers(
    spectrum: Spectrum, range_hz: Band
) -> tuple[float, dict[str, float]]:
    """Trapezoids over the bins in the range; a cut band as if it were whole."""
    bands = {}
    for name, (low, high) in BANDS_HZ.items():
        cut = (max(low, range_hz[0]), min(high, range_hz[1]))
        power = float(band_power(spectrum, cut, exact_edges=False))
        if not np.isnan(power):
            bands[name] = power
    return float(band_power(spectrum, range_hz, exact_edges=False)), bands


def _common_alpha(call: Call, measured: list[Spectrum], range_hz: Band) -> float:
    """Alpha peak of the mean spectrum of the channels with the first one's bins."""
    if not measured:
        return float("nan")
    first = measured[0]
    usable = [
        s.density
        for s, channel in zip(measured, call.channels, strict=True)
        if s.frequencies_hz.size == first.frequencies_hz.size
        and s.rate_hz == first.rate_hz
        and call.view.unit(channel) is None
        and not is_bad(s)
    ]
    if not usable:
        return float("nan")
    mean = first._replace(density=np.mean(usable, axis=0))
    if not call.dialect.released_formulas and is_flat(mean):
        return float("nan")
    return _peaks(call, mean, range_hz).alpha_hz


def _psd_notes(
    call: Call, measured: list[Spectrum], peaks: list[Peaks], *, gap: bool
) -> dict[str, list[str]]:
    found = unit_note(call)
    if gap:
        return found | {"gap": gap_free(call)}
    names = [call.name(c) for c in call.channels]
    pairs = list(zip(names, measured, strict=True))
    found["flat"] = [n for n, s in pairs if is_flat(s)]
    found["not_finite"] = [n for n, s in pairs if is_bad(s)]
    found["nyquist"] = [n for n, s in pairs if call.values["fmax"] > s.rate_hz / 2]
    cut = {b for p in peaks for b, v in p.bands.items() if np.isnan(v)}
    unknown = set(found["flat"]) | set(found["not_finite"])
    if len(unknown) < len(names):
        found["band"] = [b for b in BANDS_HZ if b in cut]
    return found


def _psd_body(call: Call, peaks: list[Peaks], common_alpha_hz: float) -> Json:
    dialect = call.dialect
    lines = []
    for channel, p in zip(call.channels, peaks, strict=True):
        known = not np.isnan(p.alpha_hz)
        row: Json = {
            "channel": call.name(channel),
            "alpha_peak_freq_hz": shown(p.alpha_hz, 4, dialect) if known else None,
            "alpha_peak_power_uv2hz": shown(p.alpha_density, 4, dialect)
            if known
            else None,
            "dominant_freq_hz": shown(p.dominant_hz, 4, dialect),
            "total_power_uv2": shown(p.total, 4, dialect),
            "band_powers_uv2": {b: shown(v, 4, dialect) for b, v in p.bands.items()},
        }
        lines.append(row | unit_key(call, channel))
    known = not np.isnan(common_alpha_hz)
    return {
        "method": call.values["method"],
        "time_window": call.time_window(),
        "freq_range_hz": [echoed(call.values[k], dialect) for k in ("fmin", "fmax")],
        "n_channels": len(lines),
        "global_alpha_peak_hz": shown(common_alpha_hz, 4, dialect) if known else None,
        "channels": lines,
    }


def psd_size(call: Call) -> int:
    """Upper bound of the characters of the answer."""
    power = worst_power(call)
    peaks = Peaks(
        WORST_POSITIVE, power, WORST_POSITIVE, power, dict.fromkeys(BANDS_HZ, power)
    )
    body = _psd_body(call, [peaks] * len(call.channels), WORST_POSITIVE)
    codes = ("own_unit", "gap", "flat", "not_finite", "nyquist", "band")
    return worst_answer_size(call, body | worst_notes(call, codes))
