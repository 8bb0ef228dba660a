"""The command that lets agents play a set: which agent, which part, how it answers."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from eegbench.config import Config, Encoding, read_agent_config, read_config
from eegbench.errors import ConfigError
from eegbench.predictions import first_failure
from eegbench.progress import Tick, moves
from eegbench.subset import Subset, choose_subset

Talk = Callable[[str], None]
JsonObject = dict[str, Any]


def run_agent(
    set_path: Path,
    agent: str,
    output: Path,
    *,
    config: Path | None = None,
    workers: int | None = None,
    encoding: Encoding | None = None,
    tasks: Sequence[str] | None = None,
    limit: int | None = None,
    subset: int | None = None,
    source: Path | None = None,
    command_line: str | None = None,
    shard: str | None = None,
    executor: str = "processes",
    scheduler: str | None = None,
    chat: JsonObject | None = None,
    form: str = "table",
    talk: Talk,
    tick: Tick,
) -> tuple[str, bool]:
    """Let an agent play a set and return what was done, and whether rows failed.

    ``agent`` is a name of the registry, ``chat``, ``module:Name`` or a TOML file.
    ``source`` is for replay, ``command_line`` for a command agent; ``chat`` holds the
    fields of a ``ChatRequest``.
    """
    from eegbench.pipeline.chat import ChatRequest, run_chat_models
    from eegbench.runner import run
    from eegbench.shards import read_shard
    from eegcore.executors import executor_of

    part = None if shard is None else read_shard(shard)
    settings = _settings(config, workers, encoding)
    agent, options = _agent(agent, source, command_line)
    if agent == "chat" and (part or executor != "processes"):
        raise ConfigError(
            "chat models run in one process; --shard and --executor are for others"
        )
    chosen = _subset(set_path, tasks, subset, settings.run.seed, talk)
    if agent == "chat":
        request = dict(chat or {})
        request["options"] = options | request.pop("options", {})
        return run_chat_models(
            set_path,
            output,
            ChatRequest(**request),
            settings=settings,
            choice={"tasks": tasks, "limit": limit, "subset": chosen},
            form=form,
            talk=talk,
            tick=tick,
        )
    if any(chat.values() if chat else ()):
        raise ConfigError(f"options of chat models do not go with agent {agent!r}")
    summary = run(
        set_path,
        output,
        agent=agent,
        agent_options=options,
        config=settings,
        tasks=tasks,
        limit=limit,
        subset=chosen,
        shard=part,
        executor=executor_of(executor, scheduler),
        on_progress=moves(tick),
    )
    for note in summary.notes:
        talk(note)
    if summary.n_failed:
        talk(first_failure(output))
    before = f", {summary.n_skipped} done before" if summary.n_skipped else ""
    text = (
        f"{summary.n_played} instances in {summary.elapsed_sec:.1f} s, "
        f"{summary.n_failed} failed{before}: {output}\n"
        f"next: eegbench score {output}"
    )
    return text, summary.n_failed > 0


def _settings(
    config: Path | None, workers: int | None, encoding: Encoding | None
) -> Config:
    """Read the configuration; the command line goes before it."""
    replace = msgspec.structs.replace
    settings = read_config(config)
    if workers is not None:
        settings = replace(settings, run=replace(settings.run, workers=workers))
    if encoding is not None:
        settings = replace(settings, tools=replace(settings.tools, encoding=encoding))
    return settings


def _agent(
    agent: str, source: Path | None, command_line: str | None
) -> tuple[str, JsonObject]:
    """Return an agent's name in the registry and its options."""
    options: JsonObject = {}
    if agent.endswith(".toml"):
        told = read_agent_config(Path(agent))
        agent, options = told.agent, dict(told.options)
    if source is not None:
        options["run"] = str(source)
    elif agent == "replay" and "run" not in options:
        raise ConfigError("replay needs the run to replay; name it with --source")
    if command_line is not None and agent != "command":
        raise ConfigError(f"--exec is for agent command, not for {agent!r}")
    if command_line is not None:
        options["exec"] = command_line
    elif agent == "command" and "exec" not in options:
        raise ConfigError("a command agent needs its program; name it with --exec")
    return agent, options


def _subset(
    set_path: Path,
    tasks: Sequence[str] | None,
    size: int | None,
    seed: int,
    talk: Talk,
) -> Subset | None:
    """Choose a stratified part of a set and say how far its score may be off."""
    if size is None:
        return None
    from eegbench.instances import read_set
    from eegbench.runner import choose

    chosen = choose(read_set(set_path), tasks=tasks, limit=None)
    subset = choose_subset(chosen, size, seed=seed)
    talk(subset.text())
    return subset
