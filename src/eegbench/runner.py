"""Many instances: order, processes, resume, append-only output.

The parent alone writes predictions; workers play instances and write transcripts. An
agent that hangs, crashes or takes its process along costs its own instance. The
references of the set are never opened.
"""

import contextlib
import hashlib
import os
import platform
import secrets
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeAlias

import msgspec

import eegbench
import eegcore
from eegbench.agents.registry import (
    agent_factory,
    checked_encoding,
    isolation,
    resolved_options,
)
from eegbench.config import Config
from eegbench.errors import SetError
from eegbench.instances import (
    Instance,
    SetFolder,
    opaque_id,
    read_set,
    shown_id,
)
from eegbench.predictions import Prediction, RunInfo, read_run
from eegbench.progress import Counter, Progress
from eegbench.records import JsonObject, listing
from eegbench.runfolder import RunFolder
from eegbench.shards import (
    Shard,
    counted_work,
    expected_work,
    grouped,
    shard_info,
    source_key,
    take,
)
from eegbench.subset import Subset
from eegbench.worker import Job, Opened, play, set_up
from eegcore.pool import Done, Task, run_tasks

Ended: TypeAlias = Generator[tuple[Instance, bytes, bool], None, None]
"""Instances as they end, with the encoded prediction and whether it failed."""
Executor: TypeAlias = Callable[..., Generator[Done, None, None]]
PRELOAD = ("eegbench.worker", "eegbench.agents.rules")
WITH_SIGNALS = ("eegcore.tools.toolbox", "eegcore.formats", "eegcore.preloaded")


@dataclass(frozen=True)
class RunSummary:
    """What a session of a run did."""

    n_played: int
    n_failed: int
    n_skipped: int
    """Instances that were completed in an earlier session."""
    elapsed_sec: float
    notes: tuple[str, ...]


def run(
    set_path: str | Path,
    run_path: str | Path,
    *,
    agent: str = "rules",
    agent_options: JsonObject | None = None,
    config: Config | None = None,
    tasks: Sequence[str] | None = None,
    limit: int | None = None,
    subset: Subset | None = None,
    shard: Shard | None = None,
    record_key: str | None = None,
    executor: Executor = run_tasks,
    in_process: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
) -> RunSummary:
    """Let an agent play the instances of a set; go on where the run stopped.

    Parameters
    ----------
    set_path, run_path : path
        Folder of the set; folder of the run, made if it is not there.
    agent : str
        Name in the registry, or ``package.module:Name``.
    agent_options : dict, optional
        Options of the agent.
    config : Config, optional
        Limits, budget, workers, time limit, seed.
    tasks : sequence of str, optional
        Play these tasks only.
    limit : int, optional
        Play at most so many instances, the same ones each time.
    subset : Subset, optional
        Play this part of the set only.
    shard : Shard, optional
        Play this part of them only.
    record_key : str, optional
        Hex key of the record ids; default: a new random one, for a shard one that
        its sisters have, too.
    executor : callable, optional
        Carries tasks out; called as `eegcore.pool.run_tasks` is.
    in_process : bool
        Play in this process: no time limit, and a crash of the interpreter ends the
        run. For debugging.
    on_progress : callable, optional
        Called after each instance.

    Raises
    ------
    SetError, ConfigError, RunBusyError
        Before the first instance is played.
    OSError
        The predictions cannot be written; what was written is whole.
    """
    settings = config or Config()
    folder = read_set(set_path)
    chosen = choose(folder, tasks=tasks, limit=limit, subset=subset)
    options = resolved_options(agent, agent_options or {})
    agent_factory(agent, options)
    key = record_key or _record_key(agent, options)
    info = describe(
        folder,
        agent,
        options,
        settings,
        tasks=tasks,
        limit=limit,
        subset=subset,
        record_key=key,
    )
    if shard is not None:
        part = shard_info(chosen, shard)
        if record_key is None and agent != "replay":
            key = _shared_key(info)
        info = msgspec.structs.replace(info, shard=part, record_key=key)
        chosen = take(chosen, shard)
    with RunFolder(Path(run_path), info) as out:
        job = Job(
            set_path=folder.path,
            run_path=out.path,
            agent=agent,
            agent_options=options,
            config=settings,
            dialect=folder.info.dialect,
            record_key=out.info.record_key,
        )
        waiting = [item for item in chosen if item.instance_id not in out.finished]
        ordered = in_order(waiting, job.record_key)
        notes = [*folder.notes, *out.notes]
        total_work = sum(map(counted_work, ordered))
        counter = Counter(len(ordered), total_work, on_progress)
        ended = _inline(ordered, job) if in_process else _pooled(ordered, job, executor)
        with contextlib.closing(ended):
            for instance, line, failed in ended:
                out.append(line)
                counter.count(failed=failed, work=counted_work(instance))
    return RunSummary(
        n_played=counter.n_done,
        n_failed=counter.n_failed,
        n_skipped=len(chosen) - len(ordered),
        elapsed_sec=counter.elapsed_sec,
        notes=tuple(notes),
    )


def choose(
    folder: SetFolder,
    *,
    tasks: Sequence[str] | None,
    limit: int | None,
    subset: Subset | None = None,
) -> list[Instance]:
    """Return the instances of some tasks, at most so many, in the set's order."""
    chosen = list(folder.instances)
    if tasks is not None:
        known = dict.fromkeys(item.task for item in chosen)
        unknown = [name for name in tasks if name not in known]
        if unknown:
            raise SetError(
                f"no task {listing(unknown)} in {folder.path}; it has {listing(known)}"
            )
        chosen = [item for item in chosen if item.task in tasks]
    if subset is not None:
        chosen = [item for item in chosen if item.instance_id in subset.instance_ids]
    return chosen if limit is None else chosen[:limit]


def in_order(instances: Iterable[Instance], key: str) -> list[Instance]:
    """Sort by expected work, longest first; equals by their opaque ids.

    Instances of one recording follow each other, and count together. The order of
    equals is that of a keyed hash. SetError if two opaque ids are equal.
    """
    rows = list(instances)
    opaque = {item.instance_id: opaque_id(item.instance_id, key) for item in rows}
    if len(set(opaque.values())) < len(rows):
        raise SetError("two instances got the same record id; use another record key")

    def rank(item: Instance) -> tuple[float, str]:
        return -expected_work(item), opaque[item.instance_id]

    groups = [sorted(members, key=rank) for members in grouped(rows).values()]
    groups.sort(key=lambda some: (sum(rank(item)[0] for item in some), rank(some[0])))
    return [item for members in groups for item in members]


def describe(
    folder: SetFolder,
    agent: str,
    options: JsonObject,
    config: Config,
    *,
    tasks: Sequence[str] | None,
    limit: int | None = None,
    subset: Subset | None = None,
    record_key: str,
) -> RunInfo:
    """Say how a run is made: the content of ``run.json``.

    Raises
    ------
    ConfigError
        The dialect or the agent does not take the encoding.
    """
    dialect = config.tools.dialect or folder.info.dialect
    return RunInfo(
        suite=folder.info.suite,
        condition=folder.info.condition,
        dialect=dialect,
        simulated=folder.info.simulated,
        agent=agent,
        agent_config=options,
        limits=msgspec.to_builtins(config.limits),
        budget_tokens=config.tools.budget_tokens or None,
        encoding=checked_encoding(config.tools.encoding, agent=agent, dialect=dialect),
        protocol=config.run.protocol,
        seed=config.run.seed,
        set_path=str(folder.path.absolute()),
        set_checksum=folder.checksum,
        n_instances=len(folder),
        tasks=None if tasks is None else list(tasks),
        subset=None if subset is None else subset.info(),
        limit=limit,
        record_key=record_key,
        isolated=isolation(agent),
        versions={
            "eegbench": eegbench.__version__,
            "eegcore": eegcore.__version__,
            "python": platform.python_version(),
            **{name: _version(name) for name in ("numpy", "numba", "scipy", "mne")},
        },
        machine={
            "system": platform.platform(),
            "processor": platform.machine(),
            "cores": str(os.cpu_count()),
        },
        started=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _record_key(agent: str, options: JsonObject) -> str:
    """Draw a key; a replay takes that of the run that it replays."""
    if agent == "replay":
        return read_run(options["run"]).record_key
    return secrets.token_hex(16)


def _shared_key(info: RunInfo) -> str:
    """Return a key that every shard of a run finds by itself."""
    parts = (info.set_checksum, info.agent, info.agent_config, info.seed)
    return hashlib.blake2b(msgspec.json.encode(parts), digest_size=16).hexdigest()


def _inline(instances: Sequence[Instance], job: Job) -> Ended:
    make = agent_factory(job.agent, job.agent_options)
    with Opened() as opened:
        for instance in instances:
            made = play(instance, job, make, opened)
            yield instance, msgspec.json.encode(made), made.status == "failed"


def _pooled(instances: Sequence[Instance], job: Job, executor: Executor) -> Ended:
    by_id = {item.instance_id: item for item in instances}
    measures = any(item.recording is not None for item in instances)
    ended = executor(
        [
            Task(item.instance_id, msgspec.json.encode(item), source_key(item))
            for item in instances
        ],
        set_up,
        (job,),
        n_workers=job.config.run.workers or available_cores(),
        limit_sec=job.config.run.time_limit_sec,
        preload=PRELOAD + (WITH_SIGNALS if measures else ()),
    )
    for done in ended:
        instance = by_id[done.key]
        if done.result is not None:
            status = msgspec.json.decode(done.result, type=_Status).status
            yield instance, done.result, status == "failed"
        else:
            yield instance, msgspec.json.encode(_lost(instance, job, done)), True


def _lost(instance: Instance, job: Job, done: Done) -> Prediction:
    """Make the prediction of an instance whose worker is gone."""
    return Prediction(
        instance_id=instance.instance_id,
        task=instance.task,
        agent=job.agent,
        status="failed",
        ended=done.ended,
        error=done.error,
        record_id=shown_id(instance, job.record_key),
    )


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) or 1


class _Status(msgspec.Struct):
    status: str
