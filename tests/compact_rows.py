"""Compact answers back into rows, written from docs/compact.md and the row schemas.

Shares no code with the encoder.
"""

import re
from typing import Any

import orjson

from eegcore.tools import TOOLS

Json = dict[str, Any]


def rows_of(tool: str, compact: Json) -> Json:
    """Return the row form that a compact answer stands for."""
    schema = TOOLS[tool].spec.answer
    answer: Json = {}
    for key, value in compact.items():
        if key in ("_meta", "windows"):
            continue
        columns = schema.get(key, {}).get("items", {}).get("properties")
        if columns is None or (isinstance(value, list) and key != "pairs"):
            answer[key] = value
        elif tool == "compute_windowed_features":
            answer[key] = _windows(value, compact["windows"], compact["n_windows"])
        elif tool == "compute_channel_correlation":
            answer[key] = _correlations(key, value, compact["channel_names"])
        else:
            answer[key] = value if isinstance(value, list) else _table(value, columns)
    return _with_meta(answer, compact["_meta"])


def _with_meta(answer: Json, told: Json) -> Json:
    size = len(orjson.dumps(answer))
    meta = {
        "approx_response_bytes": size,
        "approx_response_kb": round(size / 1024, 1),
        "approx_response_tokens": size // 4,
        "truncated": "truncated_reason" in told,
        **told,
    }
    return {"_meta": meta, **answer}


def _list(told: Any) -> Any:
    """Read a text of decimals; leave lists and single values."""
    if not isinstance(told, str):
        return told
    words = [re.sub(r"^(-?)\.", r"\g<1>0.", word) for word in told.split(" ")]
    return [orjson.loads(word) for word in words]


def _is_number(schema: Json) -> bool:
    kinds = schema.get("type", ())
    return "number" in ([kinds] if isinstance(kinds, str) else kinds)


def _length(columns: Json) -> int:
    first = next(iter(columns.values()))
    return len(first)


def _table(columns: Json, schemas: Json, n_rows: int | None = None) -> list[Json]:
    n_rows = _length(columns) if n_rows is None else n_rows
    table: list[Json] = [{} for _ in range(n_rows)]
    for key, column in columns.items():
        inner = schemas.get(key, {}).get("properties")
        if inner is not None and isinstance(column, dict) and "rows" not in column:
            column = _table(column, inner, n_rows)
        if isinstance(column, dict):
            places, values = column["rows"], column["values"]
        else:
            places, values = range(n_rows), column
        if _is_number(schemas.get(key, {})):
            values = _list(values)
        if not isinstance(values, list):
            values = [values] * len(places)
        for place, value in zip(places, values, strict=True):
            table[place][key] = value
    return table


def _times(told: Any, n_windows: int) -> list[float]:
    if isinstance(told, list):
        return told
    return [round(told["first"] + i * told["step"], 3) for i in range(n_windows)]


def _windows(columns: Json, windows: Json, n_windows: int) -> list[Json]:
    schema = TOOLS["compute_windowed_features"].spec.answer["channels"]["items"]
    known = schema["properties"]["windows"]["items"]["properties"]
    features = {
        key: [_list(line) for line in column]
        for key, column in columns.items()
        if key in known
    }
    plain = {key: column for key, column in columns.items() if key not in features}
    channels = []
    for place, head in enumerate(_table(plain, {})):
        rows = [
            {key: column[place][i] for key, column in features.items()}
            for i in range(n_windows)
        ]
        for key in ("t_start", "t_end"):
            for row, time in zip(rows, _times(windows[key], n_windows), strict=True):
                row[key] = time
        for i in windows.get("gap", ()):
            rows[i]["gap"] = True
        name = {"channel": head.pop("channel"), "n_windows": n_windows}
        channels.append({**name, **head, "windows": rows})
    return channels


def _correlations(key: str, value: Any, names: list[str]) -> list[Json]:
    if key == "channel_summary":
        means = _list(value["mean_abs_correlation"])
        return [
            {"channel": name, "mean_abs_correlation": mean}
            for name, mean in zip(names, means, strict=True)
        ]
    return [
        {"channel_a": a, "channel_b": b, "correlation": found}
        for i, (a, line) in enumerate(zip(names, value, strict=False))
        for b, found in zip(names[i + 1 :], _list(line), strict=True)
    ]
