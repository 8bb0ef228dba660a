"""Suites and their tasks: what is asked, how it is judged, against what chance.

A `Task` is one question form with its answer schema and its metrics; a `Suite` is an
ordered table of tasks with one overall score. `SUITES` names the module of each suite;
a new one is a folder with `tasks.py` and `build` and one line here. Nothing in this
package processes signals or runs an agent.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, TypeAlias

from eegbench.errors import SetError

JsonObject: TypeAlias = dict[str, Any]

Kind = Literal["choice", "label", "events", "hypnogram"]
"""Which of the four scorers judges the answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task: what an agent is asked and how its answers are judged."""

    name: str
    """Short name, such as `T5`."""
    key: str
    """Name in words, such as `seizure_detection`."""
    title: str
    kind: Kind
    question: str
    """What every instance asks; `{n_epochs}` is filled in where it stands."""
    answer_schema: JsonObject
    metrics: tuple[str, ...]
    """Metric keys, the headline first."""
    averaged_over: str
    """What the headline metric is a mean of, or computed over."""
    chance: float | None
    """Headline score of blind guessing; None: no agreed value."""
    chance_note: str
    data: str
    """Data set, licence, and what one instance is."""
    independent: str
    """What the bootstrap resamples."""
    answer_field: str
    """Field of the answer that is scored."""
    classes: tuple[str, ...] = ()
    """Labels, in the order of tables; empty for events."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other spellings of a label that count; complete."""
    has_tools: bool = True
    notes: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """Metric that enters the overall score."""
        return self.metrics[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Tasks that are reported together."""

    name: str
    title: str
    tasks: Mapping[str, Task]
    overall: tuple[str, ...]
    """Tasks whose headline metrics make the overall score, by unweighted mean."""
    frozen_counts: Mapping[str, int]
    """Instances of the frozen set by task; a summary is complete at exactly these."""
    source: str

    def task(self, name: str) -> Task:
        """Task by its short name or its name in words."""
        for task in self.tasks.values():
            if name.lower() in (task.name.lower(), task.key):
                return task
        known = ", ".join(self.tasks)
        raise SetError(f"unknown task {name!r} of suite {self.name}; known: {known}")


SUITES: Mapping[str, str] = {
    "eegagent": "eegbench.suites.eegagent.tasks",
    "own": "eegbench.suites.own",
}
"""Suite to the module whose `SUITE` is it."""


def suite(name: str) -> Suite:
    """Suite by name."""
    if name not in SUITES:
        raise SetError(f"unknown suite {name!r}; known: {', '.join(SUITES)}")
    found = import_module(SUITES[name]).SUITE
    if not isinstance(found, Suite):
        raise SetError(f"module {SUITES[name]} has no suite")
    return found


def find_task(name: str) -> tuple[Suite, Task]:
    """First suite that has a task of this name, and the task."""
    for suite_name in SUITES:
        found = suite(suite_name)
        for task in found.tasks.values():
            if name.lower() in (task.name.lower(), task.key):
                return found, task
    known = ", ".join(key for name in SUITES for key in suite(name).tasks)
    raise SetError(f"unknown task {name!r}; known: {known}")
