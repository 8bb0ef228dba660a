"""Rule-based analysts: one fixed, explainable workflow a task, and no model.

An analyst is a generator. It is started with the `InstanceView` (what a prompt shows),
yields lists of tool calls, is sent the tools' answers in the same order, and returns
the answer with a rationale in numbers. It sees what a model sees and nothing else.
"""

from collections import deque
from collections.abc import Callable

from eegbench.agents import InstanceView, Observation, Reply, ToolCall
from eegbench.agents.rules.artifact import analyse as name_artifact
from eegbench.agents.rules.dementia import analyse as sort_cohort
from eegbench.agents.rules.desk import Analysis
from eegbench.agents.rules.epilepsy import analyse as screen_epilepsy
from eegbench.agents.rules.knowledge import analyse as answer_question
from eegbench.agents.rules.seizure import analyse as find_seizures
from eegbench.agents.rules.sleep import analyse as stage_sleep
from eegbench.records import JsonObject

CALLS_PER_TURN = 3
ANALYSTS: dict[str, Callable[[InstanceView], Analysis]] = {
    "T1": answer_question,
    "T2": name_artifact,
    "T3": screen_epilepsy,
    "T4": sort_cohort,
    "T5": find_seizures,
    "T6": stage_sleep,
}
_NO_CALLS_LEFT: JsonObject = {"error": "no tool calls are left", "code": "no_calls"}


class RuleAgent:
    """The analysts behind the Agent protocol.

    An analyst may ask for any number of measurements at once; they are handed on three
    a turn. Once the calls are used up, what is still asked for is answered by an error,
    so that the analyst concludes from what it has.
    """

    name = "rules"

    def __init__(self) -> None:
        self._analysis: Analysis | None = None
        self._asked: deque[ToolCall] = deque()
        self._results: list[JsonObject] = []
        self._answer: JsonObject | None = None

    def start(self, view: InstanceView) -> None:
        """Begin an instance: forget the one before."""
        del view
        self._analysis = None
        self._asked.clear()
        self._results = []
        self._answer = None

    def reply(self, observation: Observation) -> Reply:
        """Ask for the next measurements, or answer."""
        if self._analysis is None:
            self._analysis = analyst_for(observation.view)(observation.view)
            self._advance(None)
        else:
            self._results.extend(observation.results)
        left = observation.calls_left if observation.kind != "answer_now" else 0
        while self._answer is None:
            if not self._asked or left <= 0:
                self._results.extend(_NO_CALLS_LEFT for _ in self._asked)
                self._asked.clear()
                self._advance(self._results)
                continue
            n_calls = min(CALLS_PER_TURN, left, len(self._asked))
            return Reply(
                tool_calls=tuple(self._asked.popleft() for _ in range(n_calls))
            )
        return Reply(answer=self._answer)

    def _advance(self, results: list[JsonObject] | None) -> None:
        """Let the analyst go on until it asks or answers."""
        analysis = self._analysis
        if analysis is None:
            return
        self._results = []
        try:
            asked = next(analysis) if results is None else analysis.send(results)
        except StopIteration as done:
            self._answer = done.value
        else:
            self._asked.extend(asked)


def analyst_for(view: InstanceView) -> Callable[[InstanceView], Analysis]:
    """Return the analyst of a task; of an unknown task, by the answer wanted."""
    if view.task in ANALYSTS:
        return ANALYSTS[view.task]
    wanted = view.answer_schema.get("properties", {})
    if isinstance(wanted, dict):
        for field, task in (("hypnogram_rle", "T6"), ("seizure_events", "T5")):
            if field in wanted:
                return ANALYSTS[task]
    return ANALYSTS["T1"] if view.options else ANALYSTS["T3"]
