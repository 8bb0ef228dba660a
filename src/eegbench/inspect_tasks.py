"""The other way round: Inspect runs, and takes tasks, tools and scores from here.

Inspect finds this module by its entry point: ``inspect eval eegbench/t5 -T set=SET``.
Six tasks over a set's folder; the ten tools as plain Inspect tools, ready in
``state.tools`` and as `eeg_tools` for agents that take tools of their own; our scorer.
Without ``--solver`` a task is played by our own protocol.
"""

import os
import secrets
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec
from anyio import to_thread
from inspect_ai import Task, task
from inspect_ai.agent import Agent, agent, react
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    mean,
    metric,
    scorer,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolDef, ToolParams

from eegbench.agents.chat import Dialogue, tool_infos
from eegbench.agents.chat_episode import Table, drive_chat
from eegbench.agents.chat_watch import Watch
from eegbench.config import Config
from eegbench.episode import Episode
from eegbench.errors import ProviderError, SetError
from eegbench.evaluate import score_task
from eegbench.instances import Instance, SetFolder, read_set, shown_id
from eegbench.judging import judge
from eegbench.predictions import Prediction
from eegbench.references import Reference, read_references
from eegbench.runner import available_cores
from eegbench.scored import ScoredCase
from eegbench.suites import suite
from eegbench.toolcalls import Tools
from eegbench.worker import FAILURES, Job, Stage, open_tools
from eegcore.tools.toolbox import Toolbox

SET_VARIABLE = "EEGBENCH_SET"
Mode = Literal["text", "tools"]
_open: dict[str, Tools] = {}
"""Toolboxes of the samples that are being played, by record id. The ids are random, so
that no sample can name another's."""
_closers: dict[str, Any] = {}


def _named(name: str, purpose: str) -> Callable[..., Task]:
    """Return one of the six tasks as Inspect finds it: ``eegbench/t5``."""

    def make(set: str = "", mode: Mode = "text") -> Task:
        return _task(name, set, mode)

    make.__name__ = make.__qualname__ = name.lower()
    make.__doc__ = purpose
    return task(make)


def _task(name: str, set_path: str, mode: Mode) -> Task:
    place = set_path or os.environ.get(SET_VARIABLE, "")
    if not place:
        raise SetError(f"no set; name one with -T set=FOLDER, or in {SET_VARIABLE}")
    folder = _folder(str(Path(place).absolute()))
    mine = [item for item in folder if item.task == name]
    if not mine:
        known = ", ".join(dict.fromkeys(item.task for item in folder))
        raise SetError(f"no instance of {name} in {place}; it has {known}")
    key = secrets.token_hex(16)
    samples = [
        Sample(
            id=item.instance_id,
            input=_prompt(item, key, folder),
            # the reference stays with the scorer: a solver can read the target
            metadata={"set": str(folder.path), "record_key": key},
        )
        for item in mine
    ]
    return Task(
        dataset=MemoryDataset(samples, name=f"{folder.info.suite}-{name}"),
        setup=recording(),
        solver=protocol(mode=mode),
        cleanup=_close,
        scorer=judged(),
        name=name.lower(),
    )


t1 = _named("T1", "Answer questions on EEG.")
t2 = _named("T2", "Tell artifacts from clean segments.")
t3 = _named("T3", "Tell epileptic from normal segments.")
t4 = _named("T4", "Tell dementias from healthy.")
t5 = _named("T5", "Find seizures.")
t6 = _named("T6", "Stage a night.")


@cache
def _folder(path: str) -> SetFolder:
    return read_set(path)


@cache
def _references(path: str) -> dict[str, Reference]:
    return dict(read_references(path))


def _instance_of(state: TaskState) -> Instance:
    wanted = str(state.sample_id)
    folder = _folder(state.metadata["set"])
    return next(item for item in folder if item.instance_id == wanted)


def _record_id(state: TaskState) -> str:
    return shown_id(_instance_of(state), state.metadata["record_key"])


def _prompt(instance: Instance, key: str, folder: SetFolder) -> str:
    """Return what a model with function calling reads first."""
    record_id = shown_id(instance, key)
    tools = None
    if instance.recording is not None:
        tools = Toolbox({}, dialect=folder.info.dialect)
    return Episode(instance, record_id, tools=tools, native=True).start().text


@solver
def recording() -> Solver:
    """Open a sample's recording and put the ten tools into its state."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        instance, record_id = _instance_of(state), _record_id(state)
        if instance.recording is None:
            return state
        folder = _folder(state.metadata["set"])
        job = Job(
            set_path=folder.path,
            run_path=folder.path,
            agent="inspect",
            agent_options={},
            config=Config(),
            dialect=folder.info.dialect,
            record_key=state.metadata["record_key"],
        )
        opening = open_tools(instance, record_id, job)
        tools = await to_thread.run_sync(opening.__enter__)
        if tools is not None:
            _open[record_id], _closers[record_id] = tools, opening
            state.tools = [*state.tools, *eeg_tools(folder.info.dialect)]
        return state

    return solve


async def _close(state: TaskState) -> None:
    record_id = _record_id(state)
    _open.pop(record_id, None)
    opening = _closers.pop(record_id, None)
    if opening is not None:
        opening.__exit__(None, None, None)


def eeg_tools(dialect: str = "default") -> list[Tool]:
    """Return the ten tools, for any agent that plays one of the six tasks."""
    schemas = Toolbox({}, dialect=dialect).schemas("anthropic")
    return [_tool(schema) for schema in schemas]


def _tool(schema: dict[str, Any]) -> Tool:
    name = str(schema["name"])

    async def execute(**arguments: Any) -> str:
        tools = _open.get(str(arguments.get("record_id")))
        if tools is None:
            told = {"error": "unknown record_id", "code": "unknown_record"}
            return msgspec.json.encode(told).decode()
        answer = await to_thread.run_sync(tools.call, name, arguments)
        return msgspec.json.encode(answer).decode()

    return ToolDef(
        execute,
        name=name,
        description=str(schema["description"]),
        parameters=ToolParams.model_validate(schema["input_schema"]),
        max_output=0,  # the toolbox keeps its own budget; a cut answer is no JSON
    ).as_tool()


@agent
def analyst(dialect: str = "default") -> Agent:
    """Inspect's ReAct agent with the ten tools: ``--solver eegbench/analyst``."""
    return react(tools=eeg_tools(dialect))


@solver
def protocol(mode: Mode = "text") -> Solver:
    """Play by our own protocol: its turns, repairs and limits."""
    # a provider that fails is Inspect's affair here: no watch stops the run
    table = Table(Watch(give_up_after=1_000_000), available_cores())

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        instance, record_id = _instance_of(state), _record_id(state)
        tools = _open.get(record_id)
        native = mode == "tools" and tools is not None
        episode = Episode(instance, record_id, tools=tools, native=native)
        schemas = tools.schemas("anthropic") if native and tools is not None else ()
        dialogue = Dialogue(get_model(), tool_infos(schemas))
        outcome = await drive_chat(Stage(episode, tools, None), dialogue, table)
        state.messages = dialogue.messages
        state.output.completion = outcome.answer_text or ""
        state.metadata["ended"] = outcome.ended
        if outcome.ended in FAILURES:
            raise ProviderError(outcome.error or outcome.ended)
        return state

    return solve


def _case(set_path: str, instance_id: str, answer_text: str) -> ScoredCase:
    folder = _folder(set_path)
    instance = next(item for item in folder if item.instance_id == instance_id)
    reference = _references(set_path).get(instance_id)
    if reference is None:
        raise SetError(f"no reference of {instance_id} in {set_path}")
    given = Prediction(
        instance_id=instance_id,
        task=instance.task,
        agent="inspect",
        status="completed",
        ended="answer",
        answer_text=answer_text,
    )
    return judge(suite(instance.suite).task(instance.task), instance, reference, given)


@metric
def headline() -> Metric:
    """Return the task's headline metric over all samples, by our scorer."""

    def compute(scores: list[SampleScore]) -> float:
        cases = [
            _case(told["set"], told["instance_id"], told["answer_text"])
            for one in scores
            if (told := one.score.metadata)
        ]
        return _headline(cases)

    return compute


def _headline(cases: Sequence[ScoredCase]) -> float:
    if not cases:
        return float("nan")
    found = suite(cases[0].instance.suite).task(cases[0].task)
    value = score_task(found, cases, rounds=0).metrics.get(found.headline)
    return float("nan") if value is None else float(value)


@scorer(metrics=[headline(), mean()])
def judged() -> Scorer:
    """Score a sample's last reply as ``eegbench score`` does.

    ``headline`` is the task's metric over all samples; ``mean`` is that of the samples'
    own scores.
    """

    async def score(state: TaskState, target: Target) -> Score:
        text = state.output.completion
        set_path, name = state.metadata["set"], str(state.sample_id)
        case = await to_thread.run_sync(_case, set_path, name, text)
        return Score(
            value=float(case.score or 0.0),
            answer=text,
            explanation="; ".join((case.outcome, *case.warnings)),
            metadata={"set": set_path, "instance_id": name, "answer_text": text},
        )

    return score
