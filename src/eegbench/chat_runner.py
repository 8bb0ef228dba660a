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
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from eegbench.agents import Usage
from eegbench.agents.chat import ChatOptions, inspect_version, open_model
from eegbench.agents.chat_episode import Table
from eegbench.agents.chat_failures import read_trouble
from eegbench.agents.chat_watch import Watch
from eegbench.chat_session import ChatSummary, Session, keep_session
from eegbench.config import Config
from eegbench.errors import ConfigError, ProviderError
from eegbench.instances import read_set
from eegbench.predictions import Prediction, predictions_path
from eegbench.prices import Price
from eegbench.progress import Progress
from eegbench.records import JsonObject, read_rows
from eegbench.runfolder import RunFolder
from eegbench.runner import PRELOAD, available_cores, choose, describe, in_order
from eegbench.subset import Subset
from eegbench.worker import Job

if TYPE_CHECKING:
    from inspect_ai.model import Model

PROBE = "Reply with the word: ready"
PROBE_LIMIT_SEC = 60


def run_chat(
    set_path: str | Path,
    run_path: str | Path,
    *,
    options: ChatOptions,
    config: Config | None = None,
    tasks: Sequence[str] | None = None,
    limit: int | None = None,
    subset: Subset | None = None,
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
    tasks, limit, subset, record_key, on_progress
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
    chosen = choose(folder, tasks=tasks, limit=limit, subset=subset)
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
        limit=limit,
        subset=subset,
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
        session = Session(job, table, out, ordered, on_progress)
        if ordered and watch.stopped is None:
            for name in PRELOAD:  # in a thread, loading would hold up the event loop
                importlib.import_module(name)
            session.play(model, options, price)
        summary = session.summary(
            n_skipped=len(chosen) - len(ordered), notes=(*folder.notes, *out.notes)
        )
        keep_session(out.path, options, summary, watch)
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
