"""Whether the numbers that an agent gives as reasons are those that it measured.

Every number in the rationale and the findings of a final answer is looked up in the
tool answers that the agent saw. A long tool answer holds so many numbers that some fit
by accident; the share that the answers of other episodes of the same task would give is
therefore taken off.
"""

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegbench.records import JsonObject

REASONS = ("rationale", "findings")
MOST_OTHERS = 20
"""Other episodes that chance is averaged over, at most."""
Values = NDArray[np.float64]
Row = dict[str, object]

_NUMBER = re.compile(
    r"(?<![\w.,])(?<![A-Za-z]-)[-+\u2212]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?:\s?%)?"
)
"""A number that no letter precedes: neither C3 nor N2 nor rec-12ab is one."""


_ONE = r"(?:null|-?(?:\d+(?:\.\d+)?|\.\d+)(?:e-?\d+)?)"
_DECIMALS = re.compile(rf"(?=.*(?:\.\d|\de)){_ONE}(?: {_ONE})*")
"""At least one is no integer, so that a channel that is called 12 is none."""


class Cited(NamedTuple):
    """A number as it is written."""

    value: float
    half_step: float
    """Half a unit of its last written digit: what rounding may have moved."""
    is_percent: bool


@dataclass(frozen=True)
class Grounded:
    """How one episode's reasons fare."""

    n_cited: int
    """Numbers in the reasons that were not in the prompt."""
    n_found: int
    n_from_prompt: int
    """Numbers that the agent was told; they show nothing and are left out."""
    chance: float | None
    """Share found in the tool answers of another episode, on average; None: there is
    no other."""

    @property
    def share(self) -> float | None:
        """Found of cited; None: nothing was cited."""
        return self.n_found / self.n_cited if self.n_cited else None

    @property
    def excess(self) -> float | None:
        """Share above chance: what the agent's own measurements explain."""
        if self.share is None or self.chance is None:
            return None
        return self.share - self.chance


def cited_numbers(text: str) -> list[Cited]:
    """Return the numbers of a text, each as often as it stands there."""
    found = []
    for match in _NUMBER.finditer(text):
        written = match.group().replace("\u2212", "-")
        is_percent = written.endswith("%")
        written = written.rstrip("% ")
        value = float(written)
        if not math.isfinite(value):
            continue
        digits, _, exponent = written.lower().partition("e")
        decimals = len(digits.partition(".")[2])
        half_step = 0.5 * 10.0 ** (int(exponent or 0) - decimals)
        found.append(Cited(value, half_step, is_percent))
    return found


def reasons_of(answer: Mapping[str, object] | None) -> str:
    """Return the free text of an answer."""
    return "\n".join(
        text for name in REASONS for text in _texts((answer or {}).get(name))
    )


def seen_numbers(events: Iterable[JsonObject]) -> Values:
    """Return all numbers of the tool answers in a transcript, sorted."""
    values: list[float] = []
    for event in events:
        if event.get("event") != "tools":
            continue
        for call in event["calls"]:
            answer = call["answer"]
            if isinstance(answer, dict):
                shown = {key: told for key, told in answer.items() if key != "_meta"}
                values.extend(_numbers(shown))
                values.extend(_window_times(answer))
    return np.unique(np.array(values, dtype=np.float64))


def prompt_numbers(events: Iterable[JsonObject]) -> Values:
    """Return the numbers of the prompt in a transcript, sorted."""
    texts = [
        str(event["text"])
        for event in events
        if event.get("event") == "shown" and event.get("kind") == "prompt"
    ]
    told = [number.value for text in texts for number in cited_numbers(text)]
    return np.unique(np.array(told, dtype=np.float64))


def is_among(number: Cited, values: Values) -> bool:
    """Say whether a number is one of some values, rounded as it is written.

    ``45 %`` fits 45 and 0.45. The sign must agree. Nothing is among no values.
    """
    scales = (1.0, 0.01) if number.is_percent else (1.0,)
    for scale in scales:
        aim, reach = number.value * scale, number.half_step * scale * (1 + 1e-9)
        place = bisect_left(values, aim - reach)
        if place < len(values) and values[place] <= aim + reach:
            return True
    return False


class Episode(NamedTuple):
    """What is looked at of one episode; its transcript need not be kept."""

    instance_id: str
    task: str
    cited: list[Cited]
    seen: Values
    """Numbers of the tool answers, sorted."""
    told: Values
    """Numbers of the prompt, sorted."""


def look_at(
    instance_id: str,
    task: str,
    answer: Mapping[str, object] | None,
    events: Sequence[JsonObject],
) -> Episode:
    """Take from an episode's answer and transcript what is looked at."""
    cited = cited_numbers(reasons_of(answer))
    return Episode(
        instance_id, task, cited, seen_numbers(events), prompt_numbers(events)
    )


def groundedness(episodes: Sequence[Episode]) -> list[Grounded]:
    """Look up the numbers of each episode's reasons; all are of one task and agent.

    Notes
    -----
    Chance is the mean, over at most 20 other episodes with tool answers (at equal
    steps through the list), of the share of the same numbers found there.
    """
    seen = [episode.seen for episode in episodes]
    results = []
    for index, episode in enumerate(episodes):
        cited = [one for one in episode.cited if not _is_told(one, episode.told)]
        others = _others(index, seen)
        chance = None
        if cited and others:
            chance = fmean(_share(cited, values) for values in others)
        results.append(
            Grounded(
                n_cited=len(cited),
                n_found=sum(is_among(number, seen[index]) for number in cited),
                n_from_prompt=len(episode.cited) - len(cited),
                chance=chance,
            )
        )
    return results


def summary(results: Sequence[Grounded]) -> Row:
    """Return an agent's means over the episodes that cite a number.

    ``standard_error`` is that of the mean excess; None with fewer than two.
    """
    citing = [one for one in results if one.share is not None]
    excess = [one.excess for one in citing if one.excess is not None]
    chance = [one.chance for one in citing if one.chance is not None]
    shares = [one.share for one in citing if one.share is not None]
    error = stdev(excess) / math.sqrt(len(excess)) if len(excess) > 1 else None
    return {
        "n": len(results),
        "n_citing": len(citing),
        "numbers": sum(one.n_cited for one in citing),
        "share": fmean(shares) if shares else None,
        "chance": fmean(chance) if chance else None,
        "excess": fmean(excess) if excess else None,
        "standard_error": error,
    }


def rows(episodes: Sequence[Episode]) -> tuple[list[Row], list[Row]]:
    """Return one agent's rows by task (and ``all``), and by instance.

    Tasks whose answers cite no number have no row.
    """
    by_task: list[Row] = []
    by_instance: list[Row] = []
    every: list[Grounded] = []
    for task in sorted({one.task for one in episodes}):
        mine = [one for one in episodes if one.task == task]
        told = groundedness(mine)
        every += told
        by_task.append({"task": task, **summary(told)})
        by_instance += [
            {
                "instance_id": one.instance_id,
                "task": task,
                "n_cited": each.n_cited,
                "n_found": each.n_found,
                "n_from_prompt": each.n_from_prompt,
                "share": each.share,
                "chance": each.chance,
                "excess": each.excess,
            }
            for one, each in zip(mine, told, strict=True)
            if each.n_cited
        ]
    if len(by_task) > 1:
        by_task.append({"task": "all", **summary(every)})
    return [row for row in by_task if row["n_citing"]], by_instance


def _share(cited: Sequence[Cited], values: Values) -> float:
    return sum(is_among(number, values) for number in cited) / len(cited)


def _others(index: int, seen: Sequence[Values]) -> list[Values]:
    """Return the tool numbers of other episodes that have any."""
    # begin behind the episode itself, so that not all are judged by the same few
    turned = [*seen[index + 1 :], *seen[:index]]
    useful = [values for values in turned if values.size]
    n = min(MOST_OTHERS, len(useful))
    return [useful[step * len(useful) // n] for step in range(n)]


def _is_told(number: Cited, told: Values) -> bool:
    place = bisect_left(told, number.value)
    return place < len(told) and bool(told[place] == number.value)


def _numbers(value: object) -> Iterator[float]:
    """Walk through the numbers of an answer, in rows or compact (docs/compact.md)."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            sparse = set(each) == {"rows", "values"}
            for key, told in each.items():
                # places of rows and of windows are no measurements
                named = sparse and key == "rows"
                if not named and not (key == "windows" and isinstance(told, dict)):
                    waiting.append(told)
        elif isinstance(each, list):
            waiting.extend(each)
        elif isinstance(each, str):
            yield from _decimals(each)
        elif isinstance(each, int | float) and not isinstance(each, bool):
            yield float(each)


def _decimals(text: str) -> Iterator[float]:
    """Read a compact answer's text of decimals; other texts hold no number."""
    if _DECIMALS.fullmatch(text):
        yield from (float(word) for word in text.split(" ") if word != "null")


def _window_times(answer: JsonObject) -> Iterator[float]:
    """Return starts and ends of the windows of a compact answer."""
    windows = answer.get("windows")
    if not isinstance(windows, dict):
        return
    for key in ("t_start", "t_end"):
        told = windows.get(key)
        if isinstance(told, dict):
            steps = range(int(answer["n_windows"]))
            yield from (round(told["first"] + i * told["step"], 3) for i in steps)
        else:
            yield from _numbers(told)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, dict):
        yield from _texts(list(value.values()))
