"""Numbers, notes and `_meta` of an answer, and the longest text they can become."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from eegcore.jsonio import round_number, round_time
from eegcore.tools.call import Call
from eegcore.tools.compact import encode
from eegcore.tools.dialect import Dialect

Json = dict[str, Any]
Float = NDArray[np.float64]

# No number below 1e10 is longer than these as JSON: six digits, exponent of three.
WORST_NUMBER = -1.23456e-300
WORST_POSITIVE = 1.23456e-300
_PLAIN_LIMIT = 1e10
_POWERS_OF_TEN = np.array([float(f"1e{n}") for n in range(23)])
_WORST_META: Json = {
    "approx_response_bytes": 10**9,
    "approx_response_kb": 10.0**6,
    "approx_response_tokens": 10**8,
    "truncated": False,
    "n_rows": 10**8,
    "truncated_reason": "x" * 80,
}
_NAMES_IN_NOTE = 4

NOTES = {
    "flat": "constant signal: what divides by its power is null",
    "not_finite": "not-a-number samples: values are null",
    "own_unit": "no voltage: values are in the channel's own unit",
    "gap": "the range touches a gap of the recording: values are null; ranges without"
    " a gap (s)",
    "line": "mains band not below half the sampling rate: line_noise_ratio is null",
    "high": "sampling rate too low for noise above 40 Hz: hf_noise_ratio is null",
    "band": "band cut by the frequency range or not resolved: null",
    "rate": "sampling rate too low for the 1-70 Hz filter: values are null",
    "window_null": "null in some windows: flat, not finite, or band not resolved",
    "nyquist": "frequency range ends at half the sampling rate",
}


def shown(value: float, decimals: int, dialect: Dialect) -> float | None:
    """Return a number as answers give it.

    In `default` six significant digits and null for what does not exist; as released,
    rounded to decimals, and 0.0 for what does not exist.
    """
    if not dialect.fixed_decimals:
        return round_number(float(value))
    return round(float(value), decimals) + 0.0 if math.isfinite(value) else 0.0


def shown_time(value: float, decimals: int, dialect: Dialect) -> float | None:
    """Return a time in seconds: to the millisecond, or (release) to decimals."""
    if not dialect.fixed_decimals:
        return round_time(float(value))
    return round(float(value), decimals)


def echoed(value: Any, dialect: Dialect, *, is_time: bool = False) -> Any:
    """Return an argument as answers repeat it; the release repeats it as sent."""
    if dialect.fixed_decimals or not isinstance(value, float):
        return value
    return round_time(value) if is_time else round_number(value)


def shown_array(values: Float, decimals: int, dialect: Dialect) -> list[Any]:
    """Many numbers at once, the same as `shown` of each."""
    if dialect.fixed_decimals:
        return [shown(v, decimals, dialect) for v in values.tolist()]
    rounded = six_digits(values)
    items: list[Any] = rounded.tolist()
    if np.isnan(rounded).any():
        return [None if item != item else item for item in items]
    return items


def six_digits(values: Float) -> Float:
    """Values to six significant digits, NaN for what is not finite."""
    out = np.full(values.shape, np.nan)
    finite = np.isfinite(values)
    out[finite] = 0.0
    sized = np.abs(values)
    # Powers of ten up to 22 are exact, so one multiplication and one division give
    # the nearest double to the decimal; the rest goes through text.
    plain = finite & (sized >= 1e-9) & (sized < 1e15)
    exponent = np.floor(np.log10(sized, where=plain, out=np.zeros(values.shape)))
    scale = _POWERS_OF_TEN[np.abs(5.0 - exponent).astype(np.intp)]
    small = plain & (exponent <= 5)
    large = plain & (exponent > 5)
    out[small] = np.rint(values[small] * scale[small]) / scale[small]
    out[large] = np.rint(values[large] / scale[large]) * scale[large]
    rest = np.flatnonzero((finite & ~plain & (sized > 0)).ravel())
    flat, source = out.reshape(-1), values.reshape(-1)
    for i in rest:
        flat[i] = float(f"{source[i]:.6g}")
    return out


def worst_number(limit: float, *, signed: bool = True) -> float:
    """Return the number of most characters among those up to a size."""
    if limit < _PLAIN_LIMIT:
        return WORST_NUMBER if signed else WORST_POSITIVE
    digits = min(15, int(math.log10(limit))) if math.isfinite(limit) else 15
    return (-1.23456 if signed else 1.23456) * 10.0**digits


def row_of(
    values: Mapping[str, float], decimals: Mapping[str, int], dialect: Dialect
) -> Json:
    """Return numbers by name; `decimals` gives the release's rounding and order."""
    return {key: shown(values[key], decimals[key], dialect) for key in decimals}


def size_of(body: Any) -> int:
    """Characters of a value as JSON."""
    return len(orjson.dumps(body))


def notes_of(call: Call, found: Mapping[str, Sequence[str]]) -> Json:
    """Return the key `notes` that says why values are null; nothing in `paper-1.0`.

    Parameters
    ----------
    found : mapping
        Code of `NOTES` to the names that it concerns.
    """
    if not call.dialect.error_codes:
        return {}
    lines = []
    for code, names in found.items():
        if not names:
            continue
        rest = len(names) - _NAMES_IN_NOTE
        listed = ", ".join(names[:_NAMES_IN_NOTE])
        lines.append(
            f"{NOTES[code]}: {listed}" + (f" and {rest} more" if rest > 0 else "")
        )
    return {"notes": lines} if lines else {}


def worst_notes(call: Call, codes: Iterable[str]) -> Json:
    """Return notes as long as they can get for a call."""
    names = sorted((call.name(c) for c in call.channels), key=len, reverse=True)
    padded = [*names, *[""] * (_NAMES_IN_NOTE + 1)]
    found = {code: padded for code in codes if code != "gap"}
    if "gap" in codes:
        found["gap"] = gap_free(call)
    return notes_of(call, found)


def gap_free(call: Call) -> list[str]:
    """Ranges without a gap within a call's range, as text, the longest first."""
    pieces = []
    for start_sec, stop_sec in call.recording.segments:
        begin, end = max(start_sec, call.start_sec), min(stop_sec, call.stop_sec)
        if end > begin:
            pieces.append((end - begin, f"{begin:.3f}-{end:.3f}"))
    pieces.sort(key=lambda piece: -piece[0])
    return [text for _, text in pieces]


def unit_key(call: Call, channel: int) -> Json:
    """Return the key `unit` of a row whose channel is no voltage."""
    unit = call.view.unit(channel)
    return {} if unit is None else {"unit": unit}


def unit_note(call: Call) -> dict[str, list[str]]:
    """Names of the channels that are no voltage, for `notes_of`."""
    return {
        "own_unit": [
            f"{call.name(c)} ({call.view.unit(c)})"
            for c in call.channels
            if call.view.unit(c) is not None
        ]
    }


class Answer(dict[str, Any]):
    """An answer that knows its own JSON, since its size was needed.

    Attributes
    ----------
    encoded : bytes
        All but `_meta`, as a JSON object.
    """

    __slots__ = ("encoded",)
    encoded: bytes

    def to_json(self) -> bytes:
        """Return the whole answer as JSON; it must not have been changed."""
        return b'{"_meta":%b,%b' % (orjson.dumps(self["_meta"]), self.encoded[1:])


def with_meta(
    record_id: str, body: Json, *, n_rows: int, truncated_reason: str | None = None
) -> Json:
    """Return the whole answer: `_meta` first, then `record_id`, then the body."""
    body = {"record_id": record_id, **body}
    encoded = orjson.dumps(body)
    n_bytes = len(encoded)
    meta: Json = {
        "approx_response_bytes": n_bytes,
        "approx_response_kb": round(n_bytes / 1024, 1),
        "approx_response_tokens": n_bytes // 4,
        "truncated": truncated_reason is not None,
        "n_rows": n_rows,
    }
    if truncated_reason is not None:
        meta["truncated_reason"] = truncated_reason
    answer = Answer(_meta=meta, **body)
    answer.encoded = encoded
    return answer


def worst_answer_size(call: Call, body: Json) -> int:
    """Upper bound of the characters of an answer with such a body."""
    answer = {"_meta": _WORST_META, "record_id": call.view.record_id, **body}
    if call.encoding == "compact":
        answer = encode(call.tool, answer, longest=True)
    return size_of(answer)
