"""Relations between channels: asymmetry and correlation."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore.blockscan import STRETCHES
from eegcore.coupling import asymmetry, correlation_of, mean_absolute
from eegcore.montage import homologous_pairs
from eegcore.preparing import prepare
from eegcore.spectrum import BANDS_HZ, Spectrum, band_power, total_band_hz
from eegcore.tools.answers import (
    WORST_NUMBER,
    Json,
    gap_free,
    notes_of,
    shown,
    with_meta,
    worst_answer_size,
    worst_notes,
    worst_number,
)
from eegcore.tools.call import Call
from eegcore.tools.describe import paper_name
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
    mapping,
    number,
    pair,
    rows,
    text,
)
from eegcore.tools.spectral import is_flat, spectra
from eegcore.tools.temporal import largest
from eegcore.waveform import waveform_of

Float = NDArray[np.float64]

ASYMMETRY_SPEC = ToolSpec(
    name="compute_asymmetry",
    purpose="Left-right asymmetry (L-R)/(L+R) of homologous channels: -1 only right, 0"
    " equal, 1 only left. Bipolar pairs are matched with their mirror images.",
    arguments=(
        RECORD_ID,
        Argument(
            "channels",
            "names",
            "Channel names to look for pairs in; if not given, all EEG channels.",
            dialects=("default",),
        ),
        TMIN,
        TMAX,
        Argument(
            "feature",
            "choice",
            "What to compare.",
            default="all",
            choices=("band_power", "amplitude", "all"),
        ),
    ),
    answer={
        "applicable": {"type": "boolean"},
        "n_pairs_analyzed": integer("Pairs."),
        "pairs": rows(
            "One row a pair.",
            {
                "left": text("Name."),
                "right": text("Name."),
                "amplitude_asymmetry": number("Of the rms."),
                "left_rms_uv": number("uV."),
                "right_rms_uv": number("uV."),
                "band_power_asymmetry": mapping("By band.", tuple(BANDS_HZ), ""),
                "total_power_asymmetry": number("Of the power from 1 Hz to 45 Hz."),
            },
        ),
    },
)
CORRELATION_SPEC = ToolSpec(
    name="compute_channel_correlation",
    purpose="Pearson correlation of every pair of channels (of one sampling rate).",
    arguments=(RECORD_ID, CHANNELS, TMIN, TMAX),
    answer={
        "time_window": pair("Range in seconds."),
        "n_channels": integer("Channels."),
        "channel_names": listing("In the order of the pairs."),
        "n_pairs": integer("Rows."),
        "pairs": rows(
            "One row a pair.",
            {
                "channel_a": text("Name."),
                "channel_b": text("Name."),
                "correlation": number("-1 to 1; null for a constant channel."),
            },
        ),
        "channel_summary": rows(
            "One row a channel.",
            {
                "channel": text("Name."),
                "mean_abs_correlation": number("Mean size with the others."),
            },
        ),
    },
)
_PAPER_PAIRS = (
    ("Fp1", "Fp2"),
    ("F3", "F4"),
    ("C3", "C4"),
    ("P3", "P4"),
    ("O1", "O2"),
    ("F7", "F8"),
    ("T3", "T4"),
    ("T5", "T6"),
)


class _Side(NamedTuple):
    """What is compared: rms in uV, power by band and in total."""

    rms_uv: float
    bands: dict[str, float]
    total: float


# ------------------------------------------------------------ compute_asymmetry


def pairs_of(call: Call) -> list[tuple[int, int]]:
    """Homologous channels (left, right) of a call."""
    if call.dialect.full_montage:
        labels = [call.recording.channels[c].label for c in call.channels]
        return [
            (call.channels[a], call.channels[b]) for a, b in homologous_pairs(labels)
        ]
    index = {paper_name(call.name(c)): c for c in reversed(call.channels)}
    return [(index[a], index[b]) for a, b in _PAPER_PAIRS if {a, b} <= index.keys()]


def _shown_name(call: Call, channel: int) -> str:
    name = call.name(channel)
    return name if call.dialect.full_montage else paper_name(name)


def compute_asymmetry(call: Call) -> Json:
    """Answer of the tool of that name."""
    pairs = pairs_of(call)
    record_id = call.view.record_id
    if not pairs:
        return with_meta(record_id, _not_applicable(call), n_rows=0)
    used = tuple(dict.fromkeys(c for pair in pairs for c in pair))
    call = call.with_channels(used)
    gap = call.touches_gap()
    sides = _sides(call, gap=gap)
    lines = [_pair_row(call, a, b, sides[a], sides[b]) for a, b in pairs]
    found: dict[str, list[str]] = {}
    if gap:
        found["gap"] = gap_free(call)
    else:
        found["flat"] = [call.name(c) for c in used if sides[c].rms_uv == 0.0]
        found["not_finite"] = [call.name(c) for c in used if np.isnan(sides[c].rms_uv)]
    body = _asymmetry_body(call, lines) | notes_of(call, found)
    return with_meta(record_id, body, n_rows=len(lines))


def _not_applicable(call: Call) -> Json:
    return {
        "applicable": False,
        "n_pairs_analyzed": 0,
        "pairs": [],
        "reason": "no left and right channel at mirrored places in this recording",
        "available_channels": [call.name(c) for c in call.channels],
    }


def _sides(call: Call, *, gap: bool) -> dict[int, _Side]:
    released = call.dialect.released_formulas
    wanted = call.values["feature"]
    nan = float("nan")
    unknown = _Side(nan, dict.fromkeys(BANDS_HZ, nan), nan)
    sides = dict.fromkeys(call.channels, unknown)
    if gap:
        return sides
    ranges = {channel: call.samples(channel) for channel in call.channels}
    prepare(call.recording, ranges, (STRETCHES,))
    for channel, (start, stop) in ranges.items():
        figures = waveform_of(
            call.recording, channel, start, stop, as_volts=released, crossings=False
        )
        sides[channel] = unknown._replace(rms_uv=float(figures.rms_uv))
    if wanted != "amplitude":
        for channel, spectrum in zip(call.channels, spectra(call), strict=True):
            bands, total = _powers(spectrum, released=released)
            sides[channel] = sides[channel]._replace(bands=bands, total=total)
    return sides


def _powers(spectrum: Spectrum, *, released: bool) -> tuple[dict[str, float], float]:
    if is_flat(spectrum):
        return dict.fromkeys(BANDS_HZ, 0.0), 0.0
    bands = {
        name: float(band_power(spectrum, band, exact_edges=not released))
        for name, band in BANDS_HZ.items()
    }
    if released:  # there, the total is that of the whole spectrum
        whole = (0.0, spectrum.rate_hz)
        return bands, float(band_power(spectrum, whole, exact_edges=False))
    return bands, float(band_power(spectrum, total_band_hz(spectrum.rate_hz)))


def _pair_row(call: Call, left: int, right: int, a: _Side, b: _Side) -> Json:
    dialect, wanted = call.dialect, call.values["feature"]

    def compared(x: float, y: float) -> float | None:
        return shown(float(asymmetry(x, y)), 4, dialect)

    row: Json = {"left": _shown_name(call, left), "right": _shown_name(call, right)}
    if wanted in ("amplitude", "all"):
        row |= {
            "amplitude_asymmetry": compared(a.rms_uv, b.rms_uv),
            "left_rms_uv": shown(a.rms_uv, 2, dialect),
            "right_rms_uv": shown(b.rms_uv, 2, dialect),
        }
    if wanted in ("band_power", "all"):
        row |= {
            "band_power_asymmetry": {
                band: compared(a.bands[band], b.bands[band]) for band in BANDS_HZ
            },
            "total_power_asymmetry": compared(a.total, b.total),
        }
    return row


def _asymmetry_body(call: Call, lines: list[Json]) -> Json:
    return {
        "applicable": True,
        "time_window": call.time_window(),
        "n_pairs_analyzed": len(lines),
        "pairs": lines,
    }


def asymmetry_size(call: Call) -> int:
    """Upper bound of the characters of the answer."""
    pairs = pairs_of(call)
    if not pairs:
        return worst_answer_size(call, _not_applicable(call))
    row: Json = {"left": "", "right": ""}
    rms = worst_number(largest(call))
    if call.values["feature"] in ("amplitude", "all"):
        row |= {"amplitude_asymmetry": WORST_NUMBER}
        row |= {"left_rms_uv": rms, "right_rms_uv": rms}
    if call.values["feature"] in ("band_power", "all"):
        row["band_power_asymmetry"] = dict.fromkeys(BANDS_HZ, WORST_NUMBER)
        row["total_power_asymmetry"] = WORST_NUMBER
    lines = [
        row | {"left": _shown_name(call, a), "right": _shown_name(call, b)}
        for a, b in pairs
    ]
    body = _asymmetry_body(call, lines)
    codes = ("gap", "flat", "not_finite")
    return worst_answer_size(call, body | worst_notes(call, codes))


# -------------------------------------------------- compute_channel_correlation


def compute_channel_correlation(call: Call) -> Json:
    """Answer of the tool of that name."""
    n_channels = len(call.channels)
    found: dict[str, list[str]] = {}
    constant: list[str] = []
    if call.touches_gap():
        matrix = np.full((n_channels, n_channels), np.nan)
        found["gap"] = gap_free(call)
    else:
        start, stop = call.samples(call.channels[0])
        result = correlation_of(call.recording, call.channels, start, stop)
        matrix = result.matrix
        names = [call.name(c) for c in call.channels]
        constant = [n for n, c in zip(names, result.is_constant, strict=True) if c]
        lost = np.isnan(np.diag(matrix)) & ~result.is_constant
        found["not_finite"] = [n for n, x in zip(names, lost, strict=True) if x]
    body = _correlation_body(call, matrix, constant) | notes_of(call, found)
    return with_meta(call.view.record_id, body, n_rows=body["n_pairs"])


def check_correlation(call: Call) -> None:
    """Refuse fewer than two channels, several rates, or too few samples."""
    names = [call.name(c) for c in call.channels]
    if len(names) < 2:
        raise ToolError(
            "too_few_channels",
            f"at least two channels are needed; there is {', '.join(names)}",
        )
    rates: dict[float, str] = {}
    for channel in call.channels:
        rates.setdefault(call.rate_hz(channel), call.name(channel))
    if len(rates) > 1:
        told = ", ".join(f"{rate:g} Hz ({name})" for rate, name in rates.items())
        raise ToolError(
            "different_rates",
            f"channels of different sampling rates: {told}; name channels of one rate",
        )
    call.require(0.0)


def _correlation_body(call: Call, matrix: Float, constant: list[str]) -> Json:
    dialect = call.dialect
    names = [call.name(c) for c in call.channels]
    n = len(names)
    pairs = [
        {
            "channel_a": names[a],
            "channel_b": names[b],
            "correlation": shown(matrix[a, b], 4, dialect),
        }
        for a in range(n)
        for b in range(a + 1, n)
    ]
    known = np.nan_to_num(matrix) if dialect.released_formulas else matrix
    body: Json = {
        "time_window": call.time_window(),
        "n_channels": n,
        "channel_names": names,
        "n_pairs": len(pairs),
        "pairs": pairs,
        "channel_summary": [
            {"channel": name, "mean_abs_correlation": shown(mean, 4, dialect)}
            for name, mean in zip(names, mean_absolute(known), strict=True)
        ],
    }
    return body | ({"constant_channels": constant} if constant else {})


def correlation_size(call: Call) -> int:
    """Upper bound of the characters of the answer."""
    n = len(call.channels)
    worst = np.full((n, n), WORST_NUMBER)
    body = _correlation_body(call, worst, [call.name(c) for c in call.channels])
    codes = ("gap", "not_finite")
    return worst_answer_size(call, body | worst_notes(call, codes))
