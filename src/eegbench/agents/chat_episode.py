"""One episode of a chat model on an event loop that many episodes share.

Whatever takes long runs in threads: opening a recording, tool calls (their kernels
release the GIL), reading a huge reply. The protocol is the episode's; a failure of the
provider ends it as one.
"""

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, ParamSpec, TypeVar

import msgspec

from eegbench.agents import Observation, Reply, ToolCall
from eegbench.agents.chat import Dialogue, tool_infos
from eegbench.agents.chat_failures import ContextFullError, read_trouble
from eegbench.agents.chat_watch import LoopDelay, Watch
from eegbench.episode import Outcome, PendingCalls
from eegbench.errors import HarnessError, ProviderError
from eegbench.instances import Instance, shown_id
from eegbench.predictions import Prediction
from eegbench.toolcalls import ToolAnswer, timed_answer, told_once
from eegbench.worker import (
    NOTHING,
    Job,
    Kept,
    Stage,
    how_it_failed,
    one_line,
    prediction_of,
    set_stage,
)

if TYPE_CHECKING:
    from anyio import CapacityLimiter
    from inspect_ai.model import Model

LONG_REPLY = 50_000
"""Characters from which a reply is read in a thread."""
P = ParamSpec("P")
Value = TypeVar("Value")


@dataclass
class Table:
    """What the episodes of a run have in common."""

    watch: Watch
    n_threads: int
    delay: LoopDelay = field(default_factory=LoopDelay)
    limiter: "CapacityLimiter | None" = None

    async def in_thread(
        self, function: Callable[P, Value], *args: P.args, **kwargs: P.kwargs
    ) -> Value:
        """Run a function in one of the run's threads."""
        import anyio
        from anyio import to_thread

        if self.limiter is None:
            self.limiter = anyio.CapacityLimiter(self.n_threads)
        return await to_thread.run_sync(
            lambda: function(*args, **kwargs), limiter=self.limiter
        )


class Played(NamedTuple):
    """A prediction and the conversation behind it."""

    prediction: Prediction
    dialogue: Dialogue | None


@dataclass
class _Said:
    dialogue: Dialogue | None = None


async def play_chat(
    instance: Instance, model: "Model", job: Job, table: Table
) -> Played:
    """Play one instance; every failure is in the prediction's status."""
    import anyio

    began = time.perf_counter()
    kept, said, outcome = Kept(), _Said(), NOTHING
    async with anyio.create_task_group() as group:
        if not table.delay.is_running:
            table.delay.is_running = True  # one for all episodes
            group.start_soon(table.delay.measure)
        try:
            outcome = await _played(instance, model, job, table, kept, said)
        except Exception as error:
            outcome = dataclasses.replace(
                NOTHING, ended=how_it_failed(error), error=one_line(error)
            )
        group.cancel_scope.cancel()
    kept.seconds["total"] = time.perf_counter() - began
    prediction = prediction_of(instance, job, outcome, kept)
    return Played(prediction, said.dialogue)


async def _played(
    instance: Instance,
    model: "Model",
    job: Job,
    table: Table,
    kept: Kept,
    said: _Said,
) -> Outcome:
    import anyio

    staging = set_stage(instance, shown_id(instance, job.record_key), job, kept)
    stage = await table.in_thread(staging.__enter__)
    try:
        native = job.config.run.protocol == "native" and stage.tools is not None
        schemas = stage.tools.schemas("anthropic") if native and stage.tools else ()
        infos = tool_infos(told_once(schemas)[0])  # the prompt has what all share
        said.dialogue = Dialogue(model, infos, table.watch.paid)
        limit_sec = job.config.run.time_limit_sec
        with anyio.move_on_after(limit_sec):
            return await drive_chat(stage, said.dialogue, table)
        late = f"not ended within {limit_sec:g} s"
        outcome = stage.episode.abandon("timeout", late)
        _Keeper(stage).keep(last=1)
        return outcome
    finally:
        with anyio.CancelScope(shield=True):
            await table.in_thread(staging.__exit__, None, None, None)


class _Keeper:
    """Writes what an episode logged since the last time."""

    def __init__(self, stage: Stage) -> None:
        self._stage, self._n_written = stage, 0

    def keep(self, *, last: int | None = None) -> None:
        events = self._stage.episode.events
        start = self._n_written if last is None else len(events) - last
        if self._stage.writer is not None:
            self._stage.writer.write(events[start:])
        self._n_written = len(events)


async def drive_chat(stage: Stage, dialogue: Dialogue, table: Table) -> Outcome:
    """Play an episode to its end; the transcript is kept up to there."""
    episode, keeper = stage.episode, _Keeper(stage)
    try:
        following: Observation | Outcome = episode.start()
        keeper.keep()
        while isinstance(following, Observation):
            table.watch.check()
            reply = await _reply(dialogue, following, table.watch)
            if len(reply.text) > LONG_REPLY:
                step = await table.in_thread(episode.accept, reply)
            else:
                step = episode.accept(reply)
            if isinstance(step, PendingCalls):
                answers = [
                    await _answer(stage, call, dialogue, table) for call in step.calls
                ]
                following = episode.deliver(answers)
            else:
                following = step
            keeper.keep()
    except ContextFullError as error:
        message = f"the model's context is full: {one_line(error)}"
        following = episode.abandon("no_answer", message)
        keeper.keep()
    except Exception as error:
        following = episode.abandon(how_it_failed(error), one_line(error))
        keeper.keep()
    return following


async def _reply(dialogue: Dialogue, shown: Observation, watch: Watch) -> Reply:
    """Ask the model; what its provider raises is one line of a ProviderError."""
    try:
        return await dialogue.reply(shown)
    except (HarnessError, ContextFullError) as error:
        if isinstance(error, ProviderError):
            watch.spoiled(read_trouble(error))
        raise
    except Exception as error:
        trouble = read_trouble(error)
        watch.spoiled(trouble)
        raise ProviderError(trouble.message) from error


async def _answer(
    stage: Stage, call: ToolCall, dialogue: Dialogue, table: Table
) -> ToolAnswer:
    tools, broken = stage.tools, dialogue.broken.get(call.call_id or "")
    if tools is None:
        raise HarnessError(f"a call of {call.name} where there are no tools")
    asked = time.perf_counter()

    def carry_out() -> ToolAnswer:
        waited_sec = time.perf_counter() - asked
        if broken:
            return broken_answer(stage.episode.view.record_id, broken, waited_sec)
        return timed_answer(tools, call)._replace(queue_sec=waited_sec)

    return await table.in_thread(carry_out)


def broken_answer(record_id: str, fault: str, waited_sec: float) -> ToolAnswer:
    """Answer a native call whose arguments are no JSON, as the tools would."""
    why = " ".join(fault.split())[:300]
    body = {
        "record_id": record_id,
        "error": f"the arguments are no JSON object: {why}",
        "code": "wrong_type",
    }
    return ToolAnswer(msgspec.json.encode(body), queue_sec=waited_sec)
