"""How an analyst asks: calls, and tables of windowed features within the budget."""

import math
from collections.abc import Generator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegbench.agents import InstanceView, ToolCall
from eegbench.records import JsonObject

Analysis = Generator[list[ToolCall], list[JsonObject], JsonObject]
Values = NDArray[np.float64]
WINDOWED = "compute_windowed_features"
SMALLEST_SPLIT = 1


class Record(NamedTuple):
    """What the first two calls tell of a recording."""

    record_id: str
    duration_sec: float
    channels: tuple[str, ...]
    types: tuple[str, ...]
    age: float | None


class Table(NamedTuple):
    """Windowed features on a grid; NaN where there is no value.

    ``values[feature]`` is float64 (n_channels, n_windows); window i begins at
    ``start_sec + i * window_sec``.
    """

    values: dict[str, Values]
    channels: tuple[str, ...]
    start_sec: float
    window_sec: float
    n_calls: int


class Plan(NamedTuple):
    """One request for windowed features."""

    record_id: str
    channels: tuple[str, ...]
    features: tuple[str, ...]
    window_sec: float
    start_sec: float
    n_windows: int


def call(name: str, record_id: str, **arguments: object) -> ToolCall:
    """Return a tool call; arguments that are None are left out."""
    given = {key: value for key, value in arguments.items() if value is not None}
    return ToolCall(name=name, arguments={"record_id": record_id, **given})


def record(
    view: InstanceView,
) -> Generator[list[ToolCall], list[JsonObject], Record]:
    """Ask what the recording is; facts of the prompt fill what is missing."""
    info, listed = yield [
        call("get_recording_info", view.record_id),
        call("get_channel_list", view.record_id),
    ]
    rows = [row for row in items(listed.get("channels")) if "name" in row]
    names = tuple(str(row["name"]) for row in rows)
    duration = number(info.get("duration_sec"))
    if not math.isfinite(duration):
        duration = number(view.duration_sec)
    age = number(view.facts.get("age"))
    return Record(
        view.record_id,
        duration,
        names,
        tuple(str(row.get("type", "eeg")) for row in rows),
        age if math.isfinite(age) else None,
    )


def whole_windows(duration_sec: float, window_sec: float) -> int:
    """Return how many whole windows a recording holds; 0 if its length is unknown."""
    if not math.isfinite(duration_sec):
        return 0
    return int(duration_sec / window_sec + 1e-6)


def number(value: object) -> float:
    """Return a JSON value as a float; NaN if it is none."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return math.nan


def items(value: object) -> list[Mapping[str, object]]:
    """Return the objects of a JSON array."""
    if not isinstance(value, list):
        return []
    return [item for item in value if isinstance(item, dict)]


def by_channel(answer: JsonObject, *path: str) -> dict[str, float]:
    """Return one figure of every channel row, e.g. absolute_power_uv2, theta."""
    out: dict[str, float] = {}
    for row in items(answer.get("channels")):
        value: object = row
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        out[str(row.get("channel"))] = number(value)
    return out


def windowed(
    plan: Plan,
) -> Generator[list[ToolCall], list[JsonObject], Table]:
    """Ask for all of a plan; if refused, for pieces that fit the budget.

    The refusal says how much would fit: the suggested call, else the ratio of budget
    and estimate. Without a budget the first call already holds everything.
    """
    shape = (len(plan.channels), plan.n_windows)
    values = {name: np.full(shape, np.nan) for name in plan.features}
    todo = [(0, plan.n_windows, plan.channels)]
    n_calls = 0
    while todo:
        answers = yield [_call_of(plan, *piece) for piece in todo]
        n_calls += len(todo)
        again: list[tuple[int, int, tuple[str, ...]]] = []
        for (first, last, channels), answer in zip(todo, answers, strict=True):
            if answer.get("error") is None:
                _fill(values, plan, answer)
            elif "budget_tokens" in answer or "suggested_call" in answer:
                again += _smaller(plan, first, last, channels, answer)
        todo = again
    return Table(values, plan.channels, plan.start_sec, plan.window_sec, n_calls)


def _call_of(plan: Plan, first: int, last: int, channels: Sequence[str]) -> ToolCall:
    """Return the call for windows first to last (exclusive) of some channels."""
    return call(
        WINDOWED,
        plan.record_id,
        channels=list(channels),
        features=list(plan.features),
        window_sec=plan.window_sec,
        tmin=round(plan.start_sec + first * plan.window_sec, 3),
        tmax=round(plan.start_sec + last * plan.window_sec, 3),
    )


def _smaller(
    plan: Plan,
    first: int,
    last: int,
    channels: tuple[str, ...],
    answer: JsonObject,
) -> list[tuple[int, int, tuple[str, ...]]]:
    """Split a refused piece: by time as far as it goes, else by channels."""
    n_windows = last - first
    fits = _windows_that_fit(plan, first, n_windows, answer)
    if fits < SMALLEST_SPLIT:
        half = len(channels) // 2
        if half == 0 and n_windows == 1:
            return []  # not even one value fits: it stays a hole
        if half == 0:
            middle = first + n_windows // 2
            return [(first, middle, channels), (middle, last, channels)]
        return [(first, last, channels[:half]), (first, last, channels[half:])]
    n_pieces = math.ceil(n_windows / fits)
    edges = [first + round(i * n_windows / n_pieces) for i in range(n_pieces + 1)]
    return [(a, b, channels) for a, b in pairwise(edges) if b > a]


def _windows_that_fit(
    plan: Plan, first: int, n_windows: int, answer: JsonObject
) -> int:
    """Return how many windows a piece may have; 0: not one, with so many channels."""
    suggested = answer.get("suggested_call")
    fits = 0
    if isinstance(suggested, dict):
        arguments = suggested.get("arguments")
        stop = (
            number(arguments.get("tmax")) if isinstance(arguments, dict) else math.nan
        )
        if math.isfinite(stop):
            start = plan.start_sec + first * plan.window_sec
            fits = int((stop - start) / plan.window_sec + 1e-6)
    if not 0 < fits < n_windows:
        estimate = number(answer.get("estimated_tokens"))
        budget = number(answer.get("budget_tokens"))
        ratio = budget / estimate if estimate > 0 else math.nan
        fits = int(0.97 * n_windows * ratio) if math.isfinite(ratio) else n_windows // 2
    return min(fits, n_windows - 1)


def _fill(values: dict[str, Values], plan: Plan, answer: JsonObject) -> None:
    """Write the rows of one answer into the grid."""
    for row in items(answer.get("channels")):
        name = str(row.get("channel"))
        if name not in plan.channels:
            continue
        channel = plan.channels.index(name)
        for window in items(row.get("windows")):
            start = number(window.get("t_start")) - plan.start_sec
            if not math.isfinite(start):
                continue
            place = round(start / plan.window_sec)
            if 0 <= place < plan.n_windows:
                for feature, column in values.items():
                    column[channel, place] = number(window.get(feature))


def nearest(options: Sequence[str], wanted: str) -> str:
    """Return the class of the schema that means a word, e.g. ocular_contaminated."""
    for option in options:
        if option.lower() == wanted.lower():
            return option
    for option in options:
        if option.lower().startswith(wanted.lower()):
            return option
    return wanted


def classes(view: InstanceView) -> tuple[str, ...]:
    """Return the classes that the answer schema allows."""
    properties = view.answer_schema.get("properties")
    field = properties.get("classification") if isinstance(properties, dict) else None
    allowed = field.get("enum") if isinstance(field, dict) else None
    return tuple(str(c) for c in allowed) if isinstance(allowed, list) else ()


def finite_median(values: Sequence[float] | Values) -> float:
    """Return the median of the finite values; NaN if there are none."""
    array = np.asarray(values, dtype=np.float64)
    array = array[np.isfinite(array)]
    return float(np.median(array)) if array.size else math.nan
