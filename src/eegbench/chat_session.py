"""One session of a chat model's run.

Inspect plays the episodes, each is written as it ends; what the session measured is
kept beside Inspect's log.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from eegbench.agents.chat import ChatOptions
from eegbench.agents.chat_episode import Played, Table, play_chat
from eegbench.agents.chat_watch import Watch
from eegbench.errors import ProviderError
from eegbench.instances import Instance
from eegbench.prices import Price
from eegbench.progress import Counter, Progress
from eegbench.records import JsonObject, write_struct
from eegbench.runfolder import RunFolder
from eegbench.runner import RunSummary
from eegbench.worker import Job

if TYPE_CHECKING:
    from inspect_ai.model import Model
    from inspect_ai.solver import Solver, TaskState

LOG_FOLDER = "inspect"


@dataclass(frozen=True)
class ChatSummary(RunSummary):
    """What a session of a run of a chat model did."""

    stopped: str | None
    """Why it ended early; None: it did not."""
    spent_usd: float | None
    """With the sessions before; None: the price is not known."""
    input_tokens: int
    """In this session, as are the next two."""
    cached_input_tokens: int
    output_tokens: int
    loop_delay_ms: dict[str, float]


class ChatSession(msgspec.Struct, kw_only=True):
    """What was measured in one session: ``RUN/inspect/session-N.json``."""

    model: str
    base_url: str | None
    n_played: int
    n_failed: int
    elapsed_sec: float
    stopped: str | None
    spent_usd: float | None
    max_cost_usd: float | None
    price: Price | None
    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    connections: int
    loop_delay_ms: dict[str, float]


class Session:
    """One session of a run: the instances that it plays and what became of them."""

    def __init__(
        self,
        job: Job,
        table: Table,
        out: RunFolder,
        instances: Sequence[Instance],
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        self._job, self._table = job, table
        self._out, self._instances = out, instances
        self._counter = Counter(len(instances), float(len(instances)), on_progress)
        self._n_ended = 0
        self._writing = threading.Lock()
        self._unwritten: OSError | None = None

    def play(self, model: "Model", options: ChatOptions, price: Price | None) -> None:
        """Hand the instances to Inspect; KeyboardInterrupt where it was stopped."""
        from inspect_ai import Task, eval
        from inspect_ai.dataset import MemoryDataset, Sample
        from inspect_ai.model import ModelCost, ModelInfo, set_model_info

        if price is not None:
            # for Inspect's own log and viewer; what is limited is counted by us
            set_model_info(str(model), ModelInfo(cost=ModelCost(**price.for_inspect())))
        samples = [
            Sample(id=item.instance_id, input=item.question or item.task)
            for item in self._instances
        ]
        task = Task(
            dataset=MemoryDataset(samples, name="eegbench"),
            solver=self._solver(model),
            name="eegbench",
        )
        logs = eval(
            task,
            model=model,
            display="none",
            log_dir=str(self._out.path / LOG_FOLDER),
            log_level="error",
            log_realtime=False,
            max_samples=options.connections,
            fail_on_error=False,
            score=False,
        )
        if self._unwritten is not None:
            raise self._unwritten
        if not logs or logs[0].status == "cancelled":
            raise KeyboardInterrupt  # stopped before its log was begun, or later
        log = logs[0]
        if log.status == "error" and self._counter.n_done == 0:
            raise ProviderError(f"inspect stopped: {log.error and log.error.message}")

    def _solver(self, model: "Model") -> "Solver":
        from inspect_ai.solver import Generate, TaskState, solver

        by_id = {item.instance_id: item for item in self._instances}
        watch = self._table.watch

        @solver
        def eegbench_episode() -> "Solver":
            async def solve(state: TaskState, generate: Generate) -> TaskState:
                try:
                    if watch.stopped is None:
                        await self._solve(by_id[str(state.sample_id)], model, state)
                finally:
                    self._n_ended += 1
                    if self._n_ended == len(self._instances):
                        await model.api.aclose()  # Inspect leaves its sockets open
                return state

            return solve

        return eegbench_episode()

    async def _solve(
        self, instance: Instance, model: "Model", state: "TaskState"
    ) -> None:
        played = await play_chat(instance, model, self._job, self._table)
        await self._take(played)
        if played.dialogue is not None:
            state.messages = played.dialogue.messages
        state.output.completion = played.prediction.answer_text or ""
        if played.prediction.status == "failed":
            raise ProviderError(played.prediction.error or "failed")

    async def _take(self, played: Played) -> None:
        """Write a prediction; forcing it to the disk must not hold up the others."""
        line = msgspec.json.encode(played.prediction)
        try:
            await self._table.in_thread(self._append, line)
        except OSError as error:
            self._unwritten = error
            self._table.watch.stopped = f"cannot write the predictions: {error}"
            raise
        failed = played.prediction.status == "failed"
        self._counter.count(failed=failed, work=1.0)

    def _append(self, line: bytes) -> None:
        with self._writing:
            self._out.append(line)

    def summary(self, *, n_skipped: int, notes: tuple[str, ...]) -> ChatSummary:
        """Say what the session did."""
        watch = self._table.watch
        return ChatSummary(
            n_played=self._counter.n_done,
            n_failed=self._counter.n_failed,
            n_skipped=n_skipped,
            elapsed_sec=self._counter.elapsed_sec,
            notes=notes,
            stopped=watch.stopped if self._n_left or self._counter.n_failed else None,
            spent_usd=None if watch.price is None else watch.spent_usd,
            input_tokens=watch.input_tokens,
            cached_input_tokens=watch.cached_input_tokens,
            output_tokens=watch.output_tokens,
            loop_delay_ms=self._table.delay.summary_ms(),
        )

    @property
    def _n_left(self) -> int:
        return len(self._instances) - self._counter.n_done


def keep_session(
    run_path: Path, options: ChatOptions, summary: ChatSummary, watch: Watch
) -> None:
    """Write what the session measured, beside Inspect's log."""
    folder = run_path / LOG_FOLDER
    folder.mkdir(exist_ok=True)
    told: JsonObject = {
        name: getattr(summary, name)
        for name in ChatSession.__struct_fields__
        if hasattr(summary, name)
    }
    session: Any = ChatSession(
        model=options.model,
        base_url=options.base_url,
        max_cost_usd=watch.max_cost_usd,
        price=watch.price,
        connections=options.connections,
        **told,
    )
    number = len(list(folder.glob("session-*.json"))) + 1
    write_struct(folder / f"session-{number}.json", session)
