"""T5: the seizure intervals that an answer states, in seconds.

Rows may be objects, pairs or short texts; times may be numbers, numbers in text with or
without a unit, or clock times. What a row says about its unit is believed, never
guessed: a row in a unit that is no time (samples, epochs) is skipped and counted.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from eegbench.loose_json import Json
from eegbench.scoring.answers import (
    NO_ANSWER,
    Missing,
    Parsed,
    answer_of,
    any_rows,
    decoded,
    fold_keys,
    number_of,
    payload,
    text_of,
)

Intervals: TypeAlias = tuple[tuple[float, float], ...]

PUBLISHED_KEY = "seizure_events"
EVENT_KEYS = (
    PUBLISHED_KEY,
    "seizures",
    "events",
    "seizure_intervals",
    "intervals",
    "seizure_times",
    "detections",
    "seizure_event",
    "seizure",
    "event",
    "segments",
    "events_min",
    "events_minutes",
    "seizures_min",
    "seizures_minutes",
)
_PUBLISHED_PAIRS = (
    ("onset_sec", "offset_sec"),
    ("onset", "offset"),
    ("start_sec", "end_sec"),
    ("start", "end"),
)
_STARTS = ("onset", "start", "begin", "beginning", "from", "t_start", "tmin", "t0")
_STOPS = ("offset", "end", "stop", "finish", "to", "until", "t_end", "tmax", "t1")
_LENGTHS = ("duration", "length", "dur")
_PAIRS = ("interval", "time", "times", "range", "span", "window", "time_range")
_UNITS = {
    **dict.fromkeys(("", "s", "sec", "secs", "second", "seconds", "time"), 1.0),
    **dict.fromkeys(("min", "mins", "minute", "minutes", "m"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600.0),
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), 0.001),
}
_NUMBER_AND_UNIT = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*([a-z]*)\.?")
_CLOCK = re.compile(r"(?:(\d+):)?(\d{1,3}):(\d{1,2}(?:\.\d+)?)")
_PARTS = re.compile(r"\d+(?:\.\d+)?\s*[a-z]+")
_RANGE = re.compile(
    r"^\D{0,20}?([\d.:]+\s*[a-z]*?)\s*(?:-|\u2013|\u2014|to|until)\s*(.+)$"
)
_NOTHING = frozenset(
    {"", "none", "no", "null", "no seizure", "no seizures", "no events", "no event"}
    | {"no seizures detected", "no seizure detected", "no seizures found", "n/a"}
)


class _Times(NamedTuple):
    start: float
    stop: float


@dataclass(slots=True)
class _Counts:
    skipped: int = 0
    clipped: int = 0
    reversed: int = 0
    warnings: list[str] = field(default_factory=list)


def parse_events(
    raw: object, duration_sec: float | None = None, *, strict: bool = False
) -> Parsed[Intervals]:
    """Read the seizure intervals of an answer.

    Parameters
    ----------
    raw
        The reply as text, or the accepted answer object.
    duration_sec
        Length of the record; intervals are cut to it.
    strict
        Accept the published form only: the field ``seizure_events``, a list of pairs
        or objects with the published keys, numbers (also as plain text, and true and
        false as 1 and 0). For standing beside scores that were read so.

    Returns
    -------
    Parsed
        Intervals (onset, offset) in the order given, reversed ones swapped with a
        warning. An empty list is a valid answer; with ``parse_failed`` the empty
        value is a fallback.
    """
    answer = answer_of(raw)
    counts = _Counts()
    if answer is None:
        warning = NO_ANSWER if text_of(raw) else "empty reply"
        return Parsed((), parse_failed=True, warnings=(warning,))
    rows = payload(answer, (PUBLISHED_KEY,) if strict else EVENT_KEYS)
    if not strict and isinstance(rows, Missing) and isinstance(answer, dict):
        rows = _said_without_list(answer)
    if rows is None or (isinstance(rows, str) and rows.strip().lower() in _NOTHING):
        note = () if isinstance(rows, str) else ("the list of events is null",)
        return Parsed((), missing=rows is None, warnings=note)
    scale = 1.0 if strict else _list_scale(answer)
    entries = _entries(rows, strict=strict)
    if entries is None:
        shown = "missing" if isinstance(rows, Missing) else repr(rows)[:60]
        return Parsed((), parse_failed=True, warnings=(f"events are {shown}, no list",))
    intervals = _intervals(entries, counts, scale, duration_sec, strict=strict)
    return Parsed(
        intervals,
        parse_failed=bool(entries)
        and counts.skipped == len(entries)
        and not strict
        and not any_rows(entries),
        rows_read=len(entries),
        rows_skipped=counts.skipped,
        rows_clipped=counts.clipped,
        rows_reversed=counts.reversed,
        warnings=tuple(counts.warnings),
    )


def _said_without_list(answer: Mapping[str, Json]) -> Json | Missing:
    """Return an empty list for an answer that only says there is no seizure."""
    said = payload(dict(answer), ("has_seizure", "seizure_present", "seizure_detected"))
    if said is False:
        return []
    folded = fold_keys(answer)
    columns = _columns(folded)
    if columns is not None:
        return columns
    if any(key.startswith(("onset", "start")) for key in folded):
        return [dict(answer)]
    return Missing()


def _list_scale(answer: Json) -> float:
    """Seconds per unit that the answer states for all of its rows; NaN: no time."""
    if not isinstance(answer, dict):
        return 1.0
    folded = fold_keys(answer)
    for key in ("unit", "units", "time_unit", "time_units"):
        unit = folded.get(key)
        if isinstance(unit, str):
            return _UNITS.get(unit.strip().lower(), math.nan)
    for key in EVENT_KEYS:
        if key in folded:
            return 60.0 if key.endswith(("_min", "_minutes")) else 1.0
    inner = next(
        (decoded(folded[key]) for key in ("answer", "final_answer") if key in folded),
        None,
    )
    return _list_scale(inner) if isinstance(inner, dict) else 1.0


def _entries(rows: Json | Missing, *, strict: bool) -> list[Json] | None:
    if isinstance(rows, list):
        if not strict and len(rows) == 2 and all(_is_time(item) for item in rows):
            return [rows]
        return rows
    if strict:
        return [None] * len(rows) if isinstance(rows, str | dict) else None
    if isinstance(rows, dict):
        folded = fold_keys(rows)
        columns = _columns(folded)
        if columns is not None:
            return columns
        if _times_of_object(folded, 1.0) is not None or not folded:
            return [rows] if folded else None
        if all(isinstance(item, dict | list) for item in rows.values()):
            return list(rows.values())
        return [rows]
    if isinstance(rows, str):
        parts = [part for part in re.split(r"[;,\n]", rows) if part.strip()]
        return (
            [*parts]
            if all(_RANGE.match(part.strip().lower()) for part in parts)
            else None
        )
    return None


def _columns(item: Mapping[str, Json]) -> list[Json] | None:
    """Return the rows of ``{"onsets": [...], "offsets": [...]}``."""
    sides: list[list[Json]] = []
    for names in (_STARTS, _STOPS):
        for key, value in item.items():
            bare = key.split("_")[0].removesuffix("s")
            if bare in names and isinstance(value, list):
                sides.append(value)
                break
    if len(sides) == 2 and len(sides[0]) == len(sides[1]):
        return [[start, stop] for start, stop in zip(*sides, strict=True)]
    return None


def _is_time(value: Json) -> bool:
    return not isinstance(value, bool) and (
        isinstance(value, int | float)
        or (isinstance(value, str) and _seconds(value, 1.0) is not None)
    )


def _intervals(
    entries: list[Json],
    counts: _Counts,
    scale: float,
    duration_sec: float | None,
    *,
    strict: bool,
) -> Intervals:
    result: list[tuple[float, float]] = []
    last = math.inf if duration_sec is None else duration_sec
    for number, entry in enumerate(entries):
        times = _published_times(entry) if strict else _times(entry, scale)
        if times is None:
            counts.skipped += 1
            counts.warnings.append(f"event {number} skipped: {repr(entry)[:60]}")
            continue
        start, stop = times
        if stop < start:
            start, stop = stop, start
            counts.reversed += 1
            counts.warnings.append(f"event {number} ends before it starts: swapped")
        clipped = (min(max(start, 0.0), last), min(max(stop, 0.0), last))
        if clipped[1] <= clipped[0]:
            counts.skipped += 1
            counts.warnings.append(f"event {number} skipped: empty within the record")
            continue
        counts.clipped += clipped != (start, stop)
        result.append(clipped)
    return tuple(result)


def _published_times(entry: Json) -> _Times | None:
    values: tuple[Json, Json] | None = None
    if isinstance(entry, list) and len(entry) >= 2:
        values = (entry[0], entry[1])
    elif isinstance(entry, dict):
        for start_key, stop_key in _PUBLISHED_PAIRS:
            if start_key in entry or stop_key in entry:
                values = (entry.get(start_key), entry.get(stop_key))
                break
    if values is None:
        return None
    numbers = [
        float(value) if isinstance(value, bool) else number_of(value)
        for value in values
    ]
    start, stop = numbers
    return None if start is None or stop is None else _Times(start, stop)


def _times(entry: Json, scale: float) -> _Times | None:
    entry = decoded(entry)
    if isinstance(entry, dict):
        return _times_of_object(fold_keys(entry), scale)
    if isinstance(entry, list) and len(entry) >= 2:
        return _both(_seconds(entry[0], scale), _seconds(entry[1], scale))
    if isinstance(entry, str):
        match = _RANGE.match(entry.strip().lower())
        if match is not None:
            stop = _seconds(match.group(2), scale)
            start = _seconds(match.group(1), _own_unit(match.group(2)) or scale)
            return _both(start, stop)
    return None


def _own_unit(text: str) -> float | None:
    """Return the unit that a text ends with: ``10-15 min`` states it once for both."""
    match = _NUMBER_AND_UNIT.fullmatch(text.strip())
    return _UNITS.get(match.group(2)) if match and match.group(2) else None


def _both(start: float | None, stop: float | None) -> _Times | None:
    return None if start is None or stop is None else _Times(start, stop)


def _times_of_object(item: Mapping[str, Json], scale: float) -> _Times | None:
    unit = item.get("unit", item.get("units"))
    if isinstance(unit, str):
        scale = _UNITS.get(unit.strip().lower(), math.nan)
    start = _field(item, _STARTS, scale)
    stop = _field(item, _STOPS, scale)
    if stop is None and start is not None:
        length = _field(item, _LENGTHS, scale)
        stop = None if length is None else start + length
    if start is None and stop is None:
        for key in _PAIRS:
            pair = item.get(key)
            if isinstance(pair, list | str):
                return _times(pair, scale)
    return _both(start, stop)


def _field(
    item: Mapping[str, Json], names: tuple[str, ...], scale: float
) -> float | None:
    """Value in seconds of the first field of some names, its unit from the key."""
    for key, value in item.items():
        bare = (
            re.sub(r"[()\[\]]", "", key).removeprefix("seizure_").removeprefix("event_")
        )
        for name in names:
            if bare == name:
                return _seconds(value, scale)
            if bare.startswith(name + "_") or (bare.startswith(name) and "(" in key):
                unit = (
                    bare.removeprefix(name).strip("_").removeprefix("time").strip("_")
                )
                own = scale if unit == "" else _UNITS.get(unit)
                return None if own is None else _seconds(value, own)
    return None


def _seconds(value: Json, scale: float) -> float | None:
    """Seconds of a number, of a number with a unit, or of a clock time."""
    if isinstance(value, str):
        text = value.strip().lower().replace("\u2212", "-")
        clock = _CLOCK.fullmatch(text)
        if clock is not None:
            hours, minutes, seconds = clock.groups()
            return int(hours or 0) * 3600.0 + int(minutes) * 60 + float(seconds)
        match = _NUMBER_AND_UNIT.fullmatch(text)
        if match is None:
            return _summed(text)
        unit = _UNITS.get(match.group(2)) if match.group(2) else scale
        number = number_of(match.group(1))
        return None if unit is None or number is None else _finite(number * unit)
    number = number_of(value)
    return None if number is None else _finite(number * scale)


def _summed(text: str) -> float | None:
    """Seconds of ``13 min 54 s``."""
    parts = _PARTS.findall(text)
    if not parts or len("".join(parts).replace(" ", "")) != len(text.replace(" ", "")):
        return None
    total = 0.0
    for part in parts:
        seconds = _seconds(part, math.nan)
        if seconds is None:
            return None
        total += seconds
    return total


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
