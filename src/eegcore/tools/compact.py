"""Tables of an answer as columns: the same information in fewer tokens.

`encode` turns the row form of an answer into the compact form. Nothing is lost: times
that are written as a start and a step are only those that give the same numbers
again. Sizes are upper bounds for the budget. docs/compact.md shows each tool's form.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, Literal

import orjson

Json = dict[str, Any]
Encoding = Literal["rows", "compact"]

ENCODINGS: tuple[Encoding, ...] = ("rows", "compact")
COMPACT_RULE = (
    "Tables in answers are columns: a list holds one value a row, a single value holds"
    ' for every row, {"rows": [...], "values": ...} for those rows only (from 0).'
    ' A list of decimals is one text: "12.5 .3 null" is 12.5, 0.3, null.'
)
_MISSING = object()
_TIMES = ("t_start", "t_end")


def encode(tool: str, answer: Json, *, longest: bool = False) -> Json:
    """Return the compact form of an answer.

    Parameters
    ----------
    tool : str
        Name of the tool that gave it.
    answer : dict
        A successful answer, or only its body.
    longest : bool
        Write every value, also where one would do: an upper bound of the length of
        any answer with such rows.
    """
    special = _SPECIAL.get(tool)
    body = dict(answer) if special is None else special(answer)
    for key, value in body.items():
        if _is_table(value):
            body[key] = _table(value, longest=longest)
    if "_meta" in body:
        meta = body["_meta"]
        body["_meta"] = {
            key: meta[key] for key in ("n_rows", "truncated_reason") if key in meta
        }
    return body


def _is_table(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _table(rows: Sequence[Json], *, longest: bool) -> Json:
    """Return columns of rows; the first one is always a list."""
    keys = dict.fromkeys(key for row in rows for key in row)
    columns: Json = {}
    for key in keys:
        values = [row.get(key, _MISSING) for row in rows]
        if all(isinstance(value, dict) for value in values) and _same_keys(values):
            columns[key] = _table(values, longest=longest)
        elif any(value is _MISSING for value in values):
            columns[key] = _sparse(values, longest=longest)
        else:
            first = not columns
            columns[key] = values if first else _shared(values, longest=longest)
    return columns


def _same_keys(values: Sequence[Any]) -> bool:
    return all(list(value) == list(values[0]) for value in values)


def _shared(values: list[Any], *, longest: bool) -> Any:
    """Return one value if all are the same and it cannot be taken for a column."""
    first = values[0]
    if longest or len(values) < 2 or isinstance(first, list | dict):
        return values
    same = all(type(value) is type(first) and value == first for value in values)
    return first if same else as_text(values)


def as_text(values: list[Any], *, at_least: int = 2) -> Any:
    """Return decimals as one text, which costs a token less a number; else the list.

    A space stands between numbers, the 0 before a point is left out: ``-.5`` is -0.5.
    """
    numbers = [value for value in values if value is not None]
    plain = all(type(value) in (int, float) for value in numbers)
    decimal = any(type(value) is float for value in numbers)
    if len(values) < at_least or not plain or not decimal:
        return values
    return " ".join(_number(value) for value in values)


def _number(value: float | None) -> str:
    text = orjson.dumps(value).decode()
    if text.startswith("0."):
        return text[1:]
    return f"-{text[2:]}" if text.startswith("-0.") else text


def _sparse(values: Sequence[Any], *, longest: bool) -> Json:
    there = [i for i, value in enumerate(values) if value is not _MISSING]
    return {
        "rows": there,
        "values": _shared([values[i] for i in there], longest=longest),
    }


# ------------------------------------------------------------------------ forms of
# two tools whose rows repeat more than their keys


def _correlation(answer: Json) -> Json:
    """Pairs as the upper triangle of a matrix, in the order of channel_names."""
    names, pairs = answer["channel_names"], answer["pairs"]
    expected = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    body = dict(answer)
    if [(p["channel_a"], p["channel_b"]) for p in pairs] == expected:
        found = iter([pair["correlation"] for pair in pairs])
        lines = [[next(found) for _ in names[i + 1 :]] for i in range(len(names) - 1)]
        body["pairs"] = [as_text(line, at_least=1) for line in lines]
    summary = answer["channel_summary"]
    if [row["channel"] for row in summary] == names:
        # every value is written, also where all agree
        means = [row["mean_abs_correlation"] for row in summary]
        body["channel_summary"] = {"mean_abs_correlation": as_text(means)}
    return body


def _windowed(answer: Json) -> Json:
    """Windows told once; of each feature one list a channel."""
    channels = answer["channels"]
    frames = [_frame(entry["windows"]) for entry in channels]
    n_windows = answer["n_windows"]
    if not channels or any(f is None or f != frames[0] for f in frames):
        return dict(answer)
    if any(entry["n_windows"] != n_windows for entry in channels):
        return dict(answer)
    frame = frames[0] or {}
    left = [{k: v for k, v in c.items() if k != "windows"} for c in channels]
    for row in left:
        del row["n_windows"]
    columns = _table(left, longest=False)
    for key in channels[0]["windows"][0]:
        if key not in frame:
            columns[key] = [as_text([w[key] for w in c["windows"]]) for c in channels]
    windows: Json = {key: progression(frame[key], answer["step_sec"]) for key in _TIMES}
    if "gap" in frame:
        windows["gap"] = frame["gap"]
    body: Json = {}
    for key, value in answer.items():
        if key == "channels":
            body["windows"] = windows
            value = columns
        body[key] = value
    return body


def _frame(rows: Sequence[Json]) -> Json | None:
    """Times of rows and the numbers of those with a gap; None: no usual rows."""
    if not rows:
        return None
    features = [key for key in rows[0] if key not in (*_TIMES, "gap")]
    for row in rows:
        if [key for key in row if key not in (*_TIMES, "gap")] != features:
            return None
    frame: Json = {key: [row[key] for row in rows] for key in _TIMES}
    gaps = [i for i, row in enumerate(rows) if "gap" in row]
    if gaps:
        frame["gap"] = gaps
    return frame


def progression(times: list[float], step_sec: float) -> Any:
    """Return {"first", "step"} of times that follow from it, else the times.

    Time i is `first + i * step`, rounded to the millisecond.
    """
    if len(times) < 3:
        return times
    first = times[0]
    for i, time_sec in enumerate(times):
        if round(first + i * step_sec, 3) != time_sec:
            return times
    return {"first": first, "step": step_sec}


_SPECIAL: dict[str, Callable[[Json], Json]] = {
    "compute_channel_correlation": _correlation,
    "compute_windowed_features": _windowed,
}


# ------------------------------------------------------------------------- sizes


def row_size(row: Json) -> int:
    """Upper bound of the characters that a row of plain values adds to columns."""
    return sum(len(orjson.dumps(value)) + 1 for value in row.values())


def windows_size(
    line: Json, *, times: Sequence[list[float]], n_channels: int, step_sec: float
) -> int:
    """Upper bound of the characters of windows and their features.

    Parameters
    ----------
    line : dict
        Longest values of a row of the row form.
    times : two lists of float
        Starts and ends as answers give them.
    """
    n_windows = len(times[0])
    features = [key for key in line if key not in (*_TIMES, "gap")]
    per_window = sum(len(orjson.dumps(line[key])) + 1 for key in features)
    size = n_channels * (n_windows * per_window + 3 * len(features))
    size += sum(len(key) + 4 for key in features)
    told = {
        key: progression(column, step_sec)
        for key, column in zip(_TIMES, times, strict=True)
    }
    size += len(orjson.dumps({"windows": told}))
    if "gap" in line:
        size += 10 + n_windows * (len(str(n_windows)) + 1)
    return size


# ------------------------------------------------------------------------ schemas


def compact_schema(tool: str, schema: Json) -> Json:
    """Return the answer schema of the compact form of a tool."""
    schema = deepcopy(schema)
    properties: Json = schema["properties"]
    meta = properties["_meta"]["properties"]
    properties["_meta"]["properties"] = {
        key: meta[key] for key in ("n_rows", "truncated_reason")
    }
    if tool == "compute_windowed_features":
        entry = properties["channels"]["items"]["properties"]
        windows = entry.pop("windows")["items"]["properties"]
        del entry["n_windows"]
        entry |= {key: windows[key] for key in windows if key not in _TIMES}
        properties["windows"] = {
            "type": "object",
            "description": "Windows, the same for all channels: t_start and t_end as"
            ' lists or as {"first", "step"} in seconds; gap: windows that touch a gap,'
            " counted from 0.",
        }
    if tool == "compute_channel_correlation":
        properties["pairs"] = {
            "type": "array",
            "items": {
                "type": ["string", "array"],
                "items": {"type": ["number", "null"]},
            },
            "description": "List i: correlations of channel i of channel_names with"
            " those behind it.",
        }
        del properties["channel_summary"]["items"]["properties"]["channel"]
    for key, value in properties.items():
        if value.get("items", {}).get("type") == "object":
            properties[key] = _columns_schema(value)
    return schema


def _columns_schema(table: Json) -> Json:
    columns = {
        key: {
            "type": ["array", "object", "string", "number", "boolean", "null"],
            "description": value.get("description", ""),
        }
        for key, value in table["items"]["properties"].items()
    }
    return {
        "type": ["object", "array"],
        "properties": columns,
        "description": f"{table['description']} As columns; [] where there is no row.",
    }
