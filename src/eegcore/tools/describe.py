"""What a recording is: get_recording_info and get_channel_list."""

import re
from collections.abc import Callable
from typing import Any

from eegcore.errors import ReadError
from eegcore.montage import parse_electrode
from eegcore.tools.answers import Json, shown, size_of, with_meta
from eegcore.tools.call import Call, RecordView
from eegcore.tools.compact import row_size
from eegcore.tools.labels import safe_label
from eegcore.tools.spec import (
    RECORD_ID,
    ToolSpec,
    integer,
    listing,
    number,
    rows,
    text,
)

INFO_SPEC = ToolSpec(
    name="get_recording_info",
    purpose="Basic facts of a recording: sampling rate, duration, channels, filters,"
    " and age and sex if the file gives them.",
    arguments=(RECORD_ID,),
    answer={
        "sampling_rate": number("Hz, of the EEG channels."),
        "duration_sec": number("Seconds."),
        "n_channels": integer("All signals."),
        "n_eeg_channels": integer("Signals that are EEG."),
        "channel_names": listing("Names to use in other calls."),
        "reference": text("Reference electrode, if known."),
        "highpass_hz": number("Filter of the EEG channels at recording."),
        "lowpass_hz": number("Filter of the EEG channels at recording."),
        "age": number("Years."),
        "sex": text("F or M."),
    },
)
CHANNEL_LIST_SPEC = ToolSpec(
    name="get_channel_list",
    purpose="Every channel with its type, hemisphere (L, R, M midline), region, rate"
    " and unit.",
    arguments=(RECORD_ID,),
    answer={
        "n_channels": integer("All signals."),
        "channels": rows(
            "One row a channel.",
            {
                "name": text("Name to use in other calls."),
                "type": text("eeg, eog, emg, ecg, resp, temp, stim, misc, unknown."),
                "hemisphere": text("L, R, M or unknown."),
                "region": text("frontal, central, temporal, parietal, occipital."),
                "marked_bad_in_file": {"type": "boolean"},
                "rate_hz": number("Sampling rate, Hz."),
                "unit": text("uV for every voltage, else the file's unit."),
            },
        ),
        "file_header_bads": listing("Channels that the file marks as bad."),
    },
)

# The electrodes that the release knows, by exact case.
_PAPER_REGIONS = {
    "frontal": ("Fp1", "Fp2", "Fpz", "F3", "F4", "Fz"),
    "temporal": ("F7", "F8", "T3", "T4", "T5", "T6", "T7", "T8", "P7", "P8"),
    "central": ("C3", "C4", "Cz"),
    "parietal": ("P3", "P4", "Pz"),
    "occipital": ("O1", "O2", "Oz"),
    "unknown": ("A1", "A2"),
}
_PAPER_REGION = {
    name: region for region, names in _PAPER_REGIONS.items() for name in names
}
# Characters kept free for everything but the list that may be cut.
_SPARE = 3000
_FILTER_VALUE = {
    kind: re.compile(rf"{kind}:\s*([A-Za-z0-9.,]+)") for kind in ("HP", "LP")
}


def paper_name(name: str) -> str:
    """Return a channel name without the type in front, as the release shows pairs."""
    return name.removeprefix("EEG ")


def side_and_region(view: RecordView, channel: int) -> tuple[str, str]:
    """Hemisphere and region of a channel."""
    if view.dialect.full_montage:
        electrode = parse_electrode(view.recording.channels[channel].label)
        return electrode.hemisphere, electrode.region
    electrode_name = paper_name(view.names[channel]).split("-")[0]
    region = _PAPER_REGION.get(electrode_name)
    if region is None:
        return "unknown", "unknown"
    last = electrode_name[-1]
    if not last.isdigit():
        return "M", region
    return ("L" if int(last) % 2 else "R"), region


def get_recording_info(call: Call) -> Json:
    """Answer of the tool of that name."""
    view, recording = call.view, call.recording
    names = list(view.names)
    eeg = [i for i in range(len(names)) if view.kind(i) == "eeg"]
    facts = _released_facts(view) if call.dialect.fixed_decimals else _facts(view, eeg)
    shown_names, reason = _fitting(names, call.characters - _SPARE)
    body: Json = {
        **{key: facts[key] for key in ("sampling_rate", "duration_sec")},
        "n_channels": len(names),
        "n_eeg_channels": len(eeg),
        "channel_names": shown_names,
        **{k: facts[k] for k in ("reference", "highpass_hz", "lowpass_hz")},
        **{k: facts[k] for k in ("age", "sex")},
    }
    if call.dialect.error_codes and len(recording.segments) > 1:
        body["segments_sec"] = [
            [round(a, 3), round(b, 3)] for a, b in recording.segments[:50]
        ]
        if len(recording.segments) > 50:
            body["n_segments"] = len(recording.segments)
    return with_meta(view.record_id, body, n_rows=1, truncated_reason=reason)


def _facts(view: RecordView, eeg: list[int]) -> Json:
    recording = view.recording
    of_interest = [recording.channels[i] for i in eeg] or list(recording.channels)
    rates = sorted({c.rate_hz for c in of_interest}, reverse=True)
    dialect = view.dialect
    reference = recording.reference
    return {
        "sampling_rate": shown(rates[0], 6, dialect) if rates else None,
        "duration_sec": round(view.duration_sec, 3),
        "reference": None if reference is None else safe_label(reference, 40),
        "highpass_hz": _shared([c.highpass_hz for c in of_interest], view),
        "lowpass_hz": _shared([c.lowpass_hz for c in of_interest], view),
        "age": recording.age,
        "sex": recording.sex if recording.sex in ("F", "M") else None,
    }


def _shared(values: list[float | None], view: RecordView) -> float | None:
    """Return the value that all have; None if they differ."""
    first = values[0] if values else None
    if first is None or any(value != first for value in values):
        return None
    return shown(first, 6, view.dialect)


def _released_facts(view: RecordView) -> Json:
    recording = view.recording
    rate_hz = max((c.rate_hz for c in recording.channels), default=0.0)
    n_samples = round(view.duration_sec * rate_hz)
    highpass_hz, lowpass_hz = released_filter(view)
    return {
        "sampling_rate": round(rate_hz, 1),
        "duration_sec": round((n_samples - 1) / rate_hz, 1) if rate_hz else 0.0,
        "reference": 0,
        "highpass_hz": round(highpass_hz, 2),
        "lowpass_hz": round(lowpass_hz, 2),
        "age": None,
        "sex": _sex_code(view),
    }


def released_filter(view: RecordView) -> tuple[float, float]:
    """Filter edges as MNE sums up the header texts of all channels.

    The highest high-pass and the lowest low-pass; 0 and half the rate if a text does
    not say it, or the two contradict each other.
    """
    channels = view.recording.channels
    nyquist_hz = max((c.rate_hz for c in channels), default=0.0) / 2
    high = [v for c in channels if (v := _filter_value(c.prefilter, "HP")) is not None]
    low = [v for c in channels if (v := _filter_value(c.prefilter, "LP")) is not None]
    highpass_hz = max(high, default=0.0)
    lowpass_hz = min(low, default=0.0) or nyquist_hz
    if highpass_hz > lowpass_hz:
        return 0.0, nyquist_hz
    return highpass_hz, min(lowpass_hz, nyquist_hz)


def _filter_value(prefilter: str, kind: str) -> float | None:
    found = _FILTER_VALUE[kind].findall(prefilter)
    if not found:
        return None
    value = found[-1].replace("Hz", "").replace(",", ".")
    if value == "DC":
        return 0.0
    return float(value) if re.fullmatch(r"\d+\.?\d*|\.\d+", value) else None


def _sex_code(view: RecordView) -> int | None:
    """MNE's code for sex: 1 male, 2 female, 0 not said; None: no such field."""
    recording = view.recording
    if not recording.format.startswith(("EDF", "BDF")) or recording.path is None:
        return None
    try:
        with recording.path.open("rb") as file:
            patient = file.read(88)[8:].decode("latin-1").rstrip().split(" ")
    except OSError as error:
        raise ReadError("the file cannot be read any more") from error
    if len(patient) < 4:
        return None
    return {"M": 1, "F": 2}.get(patient[1], 0)


def get_channel_list(call: Call) -> Json:
    """Answer of the tool of that name; cut to the budget, saying so."""
    view = call.view
    every = [_channel_row(view, i) for i in range(len(view.names))]
    bads = [
        name
        for name, known in zip(view.names, view.recording.names, strict=True)
        if known in view.recording.bads
    ]
    body: Json = {"n_channels": len(every), "channels": every}
    measure = row_size if call.encoding == "compact" else size_of
    kept, reason = _fitting(
        every, call.characters - _SPARE - size_of(bads), measure=measure
    )
    body |= {"channels": kept, "file_header_bads": bads}
    return with_meta(view.record_id, body, n_rows=len(kept), truncated_reason=reason)


def _channel_row(view: RecordView, channel: int) -> Json:
    facts = view.recording.channels[channel]
    hemisphere, region = side_and_region(view, channel)
    row: Json = {
        "name": view.names[channel],
        "type": view.kind(channel),
        "hemisphere": hemisphere,
        "region": region,
        "marked_bad_in_file": view.recording.names[channel] in view.recording.bads,
    }
    if view.dialect.own_kinds:
        row["rate_hz"] = shown(facts.rate_hz, 6, view.dialect)
        row["unit"] = view.unit(channel) or "uV"
    return row


def _fitting(
    every: list[Any], characters: float, *, measure: Callable[[Any], int] = size_of
) -> tuple[list[Any], str | None]:
    """As many rows as fit, and what to say if those are not all."""
    used = 0
    for n, row in enumerate(every):
        used += measure(row) + 1
        if used > characters:
            return every[:n], f"first {n} of {len(every)} channels, to fit the budget"
    return every, None
