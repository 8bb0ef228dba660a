"""Drives one rule-based analyst against a real Toolbox, as an episode would."""

from typing import Any, NamedTuple

import eegcore
from eegbench.agents import InstanceView, Observation
from eegbench.agents.rules import RuleAgent
from eegbench.suites.eegagent.tasks import SUITE


class Driven(NamedTuple):
    answer: dict[str, Any]
    calls: list[Any]
    largest_tokens: int
    most_per_turn: int


def view_of(task: str, **facts: Any) -> InstanceView:
    fields: dict[str, Any] = {
        "task": task,
        "record_id": "rec-1",
        "context": "",
        "question": "",
        "facts": {},
        "options": None,
        "answer_schema": SUITE.tasks[task].answer_schema,
        "n_epochs": None,
        "duration_sec": None,
        "tools": ("all",),
        "max_tool_calls": 999,
        "seed": 0,
    }
    return InstanceView(**(fields | facts))


def as_recording(simulated: Any, **options: Any) -> Any:
    return eegcore.from_array(
        simulated.data, simulated.rate_hz, _unique(simulated.channel_names), **options
    )


def _unique(names: tuple[str, ...]) -> list[str]:
    return [
        f"{name}-{names[:i].count(name)}" if names.count(name) > 1 else name
        for i, name in enumerate(names)
    ]


def drive(
    task: str,
    recording: Any,
    *,
    dialect: str = "default",
    budget: int | None = 8000,
    **facts: Any,
) -> Driven:
    view = view_of(task, **facts)
    box = eegcore.Toolbox(
        {view.record_id: recording}, dialect=dialect, budget_tokens=budget
    )
    agent = RuleAgent()
    agent.start(view)
    left = view.max_tool_calls
    seen = Observation(kind="prompt", text="", view=view, calls_left=left)
    calls: list[Any] = []
    largest = most = 0
    while True:
        reply = agent.reply(seen)
        if reply.answer is not None:
            return Driven(reply.answer, calls, largest, most)
        most = max(most, len(reply.tool_calls))
        results = [box.call(call.name, call.arguments) for call in reply.tool_calls]
        for result in results:
            meta = result.get("_meta", {})
            largest = max(largest, meta.get("approx_response_tokens", 0))
        calls += reply.tool_calls
        left -= len(results)
        seen = Observation(
            kind="results" if left else "answer_now",
            text="",
            view=view,
            results=tuple(results),
            calls_left=left,
        )


def stages_of(answer: dict[str, Any]) -> list[str]:
    return [
        run["stage"]
        for run in answer["hypnogram_rle"]
        for _ in range(run["start_epoch"], run["end_epoch"] + 1)
    ]
