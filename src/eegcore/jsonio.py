"""Canonical JSON: one rounding, null for what does not exist, order as given.

Every tool answer and every file of results goes through this module, so that the
same content is the same bytes. It imports nothing but numpy and orjson: scoring
starts without the rest of eegcore.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from eegcore.errors import ReadError

_TIME_KEYS = frozenset(
    {"t_start", "t_end", "tmin", "tmax", "time_window", "time_range", "times"}
)
_TIME_ENDINGS = ("_sec", "_secs", "_seconds")
# 10^0 ... 10^22 are exact in float64; k = 5 - floor(log10(value)) must stay within.
_POWERS = np.array([float(10**k) for k in range(23)])
_SMALLEST, _LARGEST = 1e-16, 1e26
_LARGEST_TIME = 1e12
_CONTAINERS = frozenset({dict, list, tuple})
_BASIC = _CONTAINERS | {float, str, int, bool, type(None)}


class Lines(NamedTuple):
    """Rows of a JSON Lines file.

    Attributes
    ----------
    rows : list
        One value a line, in order; empty lines are passed over.
    cut_line : int or None
        Number (from 1) of a last line that is not whole: a writer was stopped in the
        middle. None: the file ends well.
    """

    rows: list[Any]
    cut_line: int | None


def canonical(value: Any) -> Any:
    """Plain JSON values with the canonical rounding.

    Parameters
    ----------
    value
        Mappings, lists, tuples, numpy arrays and scalars, texts, numbers, None.

    Returns
    -------
    object
        dict, list, str, int, float, bool or None. Floats under a key of time
        (`..._sec`, `tmin`, `tmax`, `t_start`, `t_end`, `time_window`, `time_range`,
        `times`) are rounded to the millisecond, other floats to six significant
        digits; NaN and infinity become None, -0.0 becomes 0.0. Integers are kept.

    Notes
    -----
    The floats are collected, rounded together and put back: rounding one by one costs
    three times the rest of an answer.
    """
    numbers, times = _Floats([], [], []), _Floats([], [], [])
    root = _copy([value], numbers, times, is_time=False)
    numbers.put_back(round_significant)
    times.put_back(round_milliseconds)
    return root[0]


def dumps(value: Any) -> bytes:
    """Canonical JSON as UTF-8 bytes, without white space, keys in the order given."""
    return orjson.dumps(canonical(value))


def dumps_exact(value: Any) -> bytes:
    """JSON with every digit of every float, for records that are read back."""
    return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY)


def loads(raw: bytes | bytearray | memoryview | str) -> Any:
    """Value of JSON text; raises ValueError (`orjson.JSONDecodeError`)."""
    return orjson.loads(raw)


@lru_cache(maxsize=4096)
def is_time_key(key: str) -> bool:
    """Whether numbers under this key are times, rounded to the millisecond."""
    return key.endswith(_TIME_ENDINGS) or key in _TIME_KEYS


def round_significant(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to six significant digits, element by element; NaN and infinity stay.

    Notes
    -----
    The nearest integer of value x 10^k, over 10^k, so that a result has the shortest
    text of its digits. 10^k is exact up to k = 22; smaller and larger numbers are
    rounded by way of their text.
    """
    out = np.array(values, dtype=np.float64)
    size = np.abs(out)
    plain = (size >= _SMALLEST) & (size <= _LARGEST)
    safe = np.where(plain, size, 1.0)
    power = 5 - np.floor(np.log10(safe)).astype(np.int64)
    up = _POWERS[np.maximum(power, 0)]
    down = _POWERS[np.maximum(-power, 0)]
    rounded = np.copysign(np.rint(safe * up / down) * down / up, out)
    odd = np.isfinite(out) & ~plain & (size > 0)
    texts = [float(f"{value:.6g}") for value in out[odd].tolist()]
    out[plain] = rounded[plain]
    out[odd] = texts
    return out


def round_milliseconds(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round seconds to milliseconds, element by element; NaN and infinity stay."""
    out = np.array(values, dtype=np.float64)
    plain = np.abs(out) < _LARGEST_TIME
    out[plain] = np.rint(out[plain] * 1e3) / 1e3
    return out


def round_number(value: float) -> float | None:
    """As `round_significant` for one number; None for NaN and infinity."""
    size = abs(value)
    if not _SMALLEST <= size <= _LARGEST:
        return float(f"{value:.6g}") + 0.0 if math.isfinite(value) else None
    power = 5 - math.floor(math.log10(size))
    up, down = 10.0 ** max(power, 0), 10.0 ** max(-power, 0)
    return math.copysign(round(size * up / down) * down / up, value)


def round_time(value: float) -> float | None:
    """As `round_milliseconds` for one number; None for NaN and infinity."""
    if abs(value) < _LARGEST_TIME:
        return round(value * 1e3) / 1e3 + 0.0
    return value if math.isfinite(value) else None


class _Floats(NamedTuple):
    """Floats found in a value, and the containers and keys they go back to."""

    values: list[float]
    containers: list[Any]
    keys: list[Any]

    def put_back(
        self, rounding: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    ) -> None:
        """Round all floats at once and store them where they were found."""
        if not self.values:
            return
        rounded = rounding(np.array(self.values)) + 0.0  # -0.0 becomes 0.0
        items: list[float | None] = rounded.tolist()
        for gone in np.flatnonzero(~np.isfinite(rounded)).tolist():
            items[gone] = None
        for container, key, item in zip(self.containers, self.keys, items, strict=True):
            container[key] = item


def _copy(value: Any, numbers: _Floats, times: _Floats, *, is_time: bool) -> Any:
    """Copy a dict, list or tuple, noting the floats inside instead of copying them."""
    if type(value) is dict:
        copy: dict[Any, Any] = dict.fromkeys(value)  # keeps the order of the keys
        for key, item in value.items():
            kind = type(item)
            if kind not in _BASIC:
                item = _plain(item)
                kind = type(item)
            if kind is float:
                floats = times if is_time_key(key) else numbers
                floats.values.append(item)
                floats.containers.append(copy)
                floats.keys.append(key)
            elif kind in _CONTAINERS:
                copy[key] = _copy(item, numbers, times, is_time=is_time_key(key))
            else:
                copy[key] = item
        return copy
    floats = times if is_time else numbers
    items: list[Any] = list(value)
    for position, item in enumerate(value):
        kind = type(item)
        if kind not in _BASIC:
            item = _plain(item)
            kind = type(item)
        if kind is float:
            floats.values.append(item)
            floats.containers.append(items)
            floats.keys.append(position)
        elif kind in _CONTAINERS:
            items[position] = _copy(item, numbers, times, is_time=is_time)
        else:
            items[position] = item
    return items


def _plain(value: Any) -> Any:
    """One of the basic types for a value of a rarer one."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, list | tuple):
        return list(value)
    for basic in (str, int, float):
        if isinstance(value, basic):
            return basic(value)
    raise TypeError(f"no JSON for a value of type {type(value).__name__}")


def read_lines(path: str | Path) -> Lines:
    """Read a JSON Lines file that a stopped writer may have left unfinished.

    Raises
    ------
    ReadError
        The file is missing, or a line that is not the last one is no JSON; with the
        number of the line.
    """
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise ReadError(f"{Path(path).name}: {reason}") from error
    return parse_lines(raw, name=Path(path).name)


def parse_lines(raw: bytes, *, name: str = "input") -> Lines:
    """Rows of JSON Lines; a last line without a line end that is no JSON is cut."""
    rows: list[Any] = []
    lines = raw.split(b"\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            rows.append(orjson.loads(line))
        except orjson.JSONDecodeError as error:
            if number == len(lines):
                return Lines(rows, number)
            raise ReadError(f"{name}: line {number} is no JSON: {error}") from error
    return Lines(rows, None)


def write_lines(path: str | Path, rows: Iterable[Any]) -> None:
    """Write rows as JSON Lines with every digit, replacing the file at once."""
    target = Path(path)
    partial = target.with_name(target.name + ".part")
    with partial.open("wb") as file:
        for row in rows:
            file.write(dumps_exact(row) + b"\n")
    partial.replace(target)
