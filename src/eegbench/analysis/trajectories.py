"""What an agent did: its calls, what it looked at, where time and tokens went.

Reads the events of a transcript (see ``docs/formats.md``) and nothing of the signal.

Notes
-----
*Looked at* is judged from tool arguments. A call that was refused shows nothing. One
figure for three hours does not show where in these hours something is, so a call counts
only if its resolution is fine enough: the window of windowed features, the width of the
time range of every other measurement. Descriptions (header, list of channels) show no
signal.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

JsonObject = dict[str, Any]
Span = tuple[float, float]

DESCRIBE = ("get_recording_info", "get_channel_list")
RESOLUTION_SEC = {"T5": 60, "T6": 300}
"""Coarsest window that still counts as looking: about the length of a seizure with its
tolerance; ten epochs of sleep."""


class Call(NamedTuple):
    """One tool call of a transcript."""

    name: str
    arguments: JsonObject
    answer: JsonObject
    turn: int
    queue_sec: float = 0.0
    compute_sec: float = 0.0
    encode_sec: float = 0.0

    @property
    def refused(self) -> bool:
        """Whether the answer was an error object."""
        return "error" in self.answer


def calls_of(events: Iterable[Mapping[str, Any]]) -> list[Call]:
    """Return every tool call of a transcript, in order."""
    return [
        Call(
            str(call.get("name", "")),
            _object(call.get("arguments")),
            _object(call.get("answer")),
            int(event.get("turn", 0)),
            float(call.get("queue_sec", 0.0)),
            float(call.get("compute_sec", 0.0)),
            float(call.get("encode_sec", 0.0)),
        )
        for event in events
        if event.get("event") == "tools"
        for call in event.get("calls", ())
    ]


def looked_at(
    calls: Sequence[Call], duration_sec: float, *, resolution_sec: float
) -> list[Span]:
    """Return the stretches that were measured at least this finely, merged.

    Parameters
    ----------
    calls : sequence of Call
        In any order; refused calls are passed over.
    duration_sec : float
        Length of the recording; ranges are clipped to it.
    resolution_sec : float
        Coarsest window that counts.
    """
    spans = []
    for call in calls:
        if call.refused or call.name in DESCRIBE:
            continue
        start, stop = _time_range(call, duration_sec)
        width = _number(call.answer.get("window_sec"))
        if width is None:
            width = _number(call.arguments.get("window_sec"))
        if call.name != "compute_windowed_features":
            width = stop - start
        elif width is None:
            width = 5.0  # the tool's default
        if stop > start and width <= resolution_sec:
            spans.append((start, stop))
    return merge_spans(spans)


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Return the union of half-open spans as disjoint ones, in order."""
    merged: list[Span] = []
    for start, stop in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((start, stop))
    return merged


def covered_share(spans: Iterable[Span], duration_sec: float) -> float | None:
    """Return the share of a recording inside the spans; None for an empty one."""
    if not duration_sec > 0:
        return None
    total = sum(stop - start for start, stop in merge_spans(spans))
    return min(1.0, total / duration_sec)


def overlaps(span: Sequence[float], spans: Iterable[Span]) -> bool:
    """Return whether a span shares more than a border with any of the others."""
    return any(span[0] < stop and start < span[1] for start, stop in spans)


def tool_use(trajectories: Iterable[tuple[str, Sequence[Call]]]) -> list[JsonObject]:
    """Return per task and tool: share of trajectories with a call, calls, refusals.

    Parameters
    ----------
    trajectories : iterable of (task, calls)
        One per episode; an episode without calls counts in the denominator.
    """
    episodes: Counter[str] = Counter()
    using: Counter[tuple[str, str]] = Counter()
    made: Counter[tuple[str, str]] = Counter()
    refused: Counter[tuple[str, str]] = Counter()
    for task, calls in trajectories:
        episodes[task] += 1
        for name in {call.name for call in calls}:
            using[task, name] += 1
        for call in calls:
            made[task, call.name] += 1
            refused[task, call.name] += call.refused
    return [
        {
            "task": task,
            "tool": name,
            "use_rate": using[task, name] / episodes[task],
            "calls": made[task, name],
            "refused": refused[task, name],
            "n": episodes[task],
        }
        for task, name in sorted(made)
    ]


def call_counts(numbers: Iterable[tuple[str, int]]) -> list[JsonObject]:
    """Return per task the median, quartiles and largest number of calls."""
    grouped: dict[str, list[int]] = {}
    for task, number in numbers:
        grouped.setdefault(task, []).append(number)
    return [
        {
            "task": task,
            "n": len(values),
            "median": quantile(values, 0.5),
            "q25": quantile(values, 0.25),
            "q75": quantile(values, 0.75),
            "largest": max(values),
        }
        for task, values in sorted(grouped.items())
    ]


def quantile(values: Sequence[float], share: float) -> float:
    """Return a quantile by linear interpolation between order statistics."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _time_range(call: Call, duration_sec: float) -> Span:
    told = call.answer.get("time_range") or call.answer.get("time_window")
    if isinstance(told, list) and len(told) == 2 and None not in map(_number, told):
        start, stop = float(told[0]), float(told[1])
    else:
        start = _number(call.arguments.get("tmin")) or 0.0
        given = _number(call.arguments.get("tmax"))
        stop = duration_sec if given is None else given
    return max(0.0, start), min(duration_sec, stop)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def _object(value: object) -> JsonObject:
    return value if isinstance(value, dict) else {}
