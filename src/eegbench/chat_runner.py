"""A chat model on many instances: Inspect plays them at the same time, we keep score.

Inspect AI calls the model, retries, limits rates and keeps its own log, beside ours in
``RUN/inspect``. What counts is ``predictions.jsonl``, one line as each episode ends; a
run that was stopped or killed goes on from there.
"""

import contextlib
import importlib
import importlib.metadata
import os
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from eegbench.agents import Usage
from eegbench.agents.chat import ChatOptions, inspect_version, open_model
from eegbench.agents.chat_episode import Played, Table, play_chat
from eegbench.agents.chat_failures import read_trouble
from eegbench.agents.chat_watch import Watch
from eegbench.config import Config
from eegbench.errors import ConfigError, ProviderError
from eegbench.instances import Instance, read_set
from eegbench.predictions import Prediction, predictions_path
from eegbench.prices import Price
from eegbench.progress import Counter, Progress
from eegbench.records import JsonObject, read_rows, write_struct
from eegbench.runfolder import RunFolder
from eegbench.runner import (
    PRELOAD,
    RunSummary,
    available_cores,
    choose,
    describe,
    in_order,
)
from eegbench.worker import Job

if TYPE_CHECKING:
    from inspect_ai.model import Model
    from inspect_ai.solver import Solver, TaskState

LOG_FOLDER = "inspect"
PROBE = "Reply with the word: ready"
PROBE_LIMIT_SEC = 60


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


def run_chat(
    set_path: str | Path,
    run_path: str | Path,
    *,
    options: ChatOptions,
    config: Config | None = None,
    tasks: Sequence[str] | None = None,
    limit: int | None = None,
    only: frozenset[str] | None = None,
    price: Price | None = None,
    max_cost_usd: float | None = None,
    record_key: str | None = None,
    probe: bool = True,
    on_progress: Callable[[Progress], None] | None = None,
) -> ChatSummary:
    """Let a chat model play the instances of a set; go on where the run stopped.

    Parameters
    ----------
    set_path, run_path : path
    options : ChatOptions
        The model and how it is asked.
    config : Config, optional
        Limits, budget, protocol, time limit, seed; its ``workers`` are the threads in
        which tools are carried out.
    tasks, limit, only, record_key, on_progress
        As for ``eegbench.runner.run``.
    price : Price, optional
        Of the model.
    max_cost_usd : float, optional
        Of all sessions of the run; reached, the run stops. Needs a price.
    probe : bool
        Ask the model for one word first, so that a wrong key, name or address costs
        no instance.

    Raises
    ------
    SetError, ConfigError, RunBusyError, ProviderError
        Before the first instance is played.
    """
    if max_cost_usd is not None and price is None:
        raise ConfigError(
            f"the cost of {options.model} cannot be limited: no price is known; "
            "name a price file"
        )
    settings = config or Config()
    versions = {"inspect_ai": inspect_version(), "openai": _openai_version()}
    folder = read_set(set_path)
    chosen = choose(folder, tasks=tasks, limit=limit, only=only)
    key = os.environ.get(options.api_key_env) if options.api_key_env else None
    if options.api_key_env and not key:
        raise ConfigError(
            f"no key in the environment variable {options.api_key_env}; set it, or "
            "take api_key_env away for the provider's own"
        )
    model = open_model(options, key=key)
    stored = what_is_asked(options)
    info = describe(
        folder,
        "chat",
        stored,
        settings,
        tasks=tasks,
        record_key=record_key or secrets.token_hex(16),
    )
    info = msgspec.structs.replace(info, versions=info.versions | versions)
    watch = Watch(options.give_up_after, price, max_cost_usd)
    with RunFolder(Path(run_path), info) as out:
        job = Job(
            set_path=folder.path,
            run_path=out.path,
            agent="chat",
            agent_options=stored,
            config=settings,
            dialect=folder.info.dialect,
            record_key=out.info.record_key,
        )
        waiting = [item for item in chosen if item.instance_id not in out.finished]
        ordered = in_order(waiting, job.record_key)
        watch.spent_usd = spent_before(out.path, price)
        if watch.max_cost_usd is not None and watch.spent_usd >= watch.max_cost_usd:
            watch.paid(Usage())  # says so
        elif ordered and probe:
            with _fresh(out.path):
                _probe(open_model(options, key=key), options)
        table = Table(watch, settings.run.workers or available_cores())
        session = _Session(job, table, out, ordered, on_progress)
        if ordered and watch.stopped is None:
            for name in PRELOAD:  # in a thread, loading would hold up the event loop
                importlib.import_module(name)
            session.play(model, options, price)
        summary = session.summary(
            n_skipped=len(chosen) - len(ordered), notes=(*folder.notes, *out.notes)
        )
        _keep(out.path, options, summary, watch)
    return summary


def what_is_asked(options: ChatOptions) -> JsonObject:
    """Return the options that decide what a model says.

    A run goes on only with the same; address, key and pace may change in between.
    """
    names = ("model", "model_args", "generate")
    return {name: msgspec.to_builtins(getattr(options, name)) for name in names}


def _openai_version() -> str:
    return importlib.metadata.version("openai")


def spent_before(run_path: Path, price: Price | None) -> float:
    """Return what the lines of earlier sessions cost, failed ones included."""
    path = predictions_path(run_path)
    if price is None or not path.exists():
        return 0.0
    return sum(
        price.cost_usd(
            Usage(
                input_tokens=row.input_tokens,
                cached_input_tokens=row.cached_input_tokens,
                output_tokens=row.output_tokens,
            )
        )
        for row in read_rows(path, Prediction).rows
    )


def _probe(model: "Model", options: ChatOptions) -> None:
    """Ask for one word; ProviderError where no instance could be played."""
    import anyio
    from inspect_ai.model import GenerateConfig

    thinks = any(name.startswith("reasoning") for name in options.generate)
    config = GenerateConfig(
        max_tokens=None if thinks else 16,
        max_retries=min(1, options.max_retries),
        attempt_timeout=min(PROBE_LIMIT_SEC, max(1, round(options.attempt_limit_sec))),
    )

    async def ask() -> None:
        async with model:
            await model.generate(PROBE, config=config)

    try:
        anyio.run(ask)
    except Exception as error:
        trouble = read_trouble(error)
        if trouble.kind != "busy":
            message = f"{options.model}: {trouble.message}"
            raise ProviderError(message) from error


@contextlib.contextmanager
def _fresh(run_path: Path) -> Iterator[None]:
    """Leave no description behind of a run that never began."""
    try:
        yield
    except ProviderError:
        if predictions_path(run_path).stat().st_size == 0:
            predictions_path(run_path).unlink()
            (run_path / "run.json").unlink()
        raise


class _Session:
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
        log = logs[0]
        if log.status == "cancelled":
            raise KeyboardInterrupt
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


def _keep(
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
