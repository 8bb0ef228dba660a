"""Prediction: raw answer, status, usage, transcript; the file that scoring reads.

``RUN/run.json`` says how a run was made; ``RUN/predictions.jsonl`` grows by one line
per finished instance and is never rewritten. A failed instance that is tried again
adds a line; the last line of an instance counts.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from eegbench.errors import SetError
from eegbench.records import JsonObject, read_rows, read_struct

Status = Literal["completed", "failed"]


class Prediction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one agent said about one instance."""

    instance_id: str
    task: str
    agent: str
    status: Status
    """``failed``: the harness, a provider or the agent's process failed, so that the
    row is invalid; a wrong or empty answer is ``completed``."""
    ended: str
    """Why the episode ended: see ``eegbench.episode``."""
    answer_text: str | None = None
    """The final reply as it came; None: there was none."""
    answer: JsonObject | None = None
    """The answer as the episode took it; None: none could be read."""
    error: str | None = None
    n_turns: int = 0
    n_tool_calls: int = 0
    n_repairs: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    """Those of the input that the provider read from its cache."""
    output_tokens: int = 0
    shown_tokens: int = 0
    """Characters of all text shown to the agent, each once, // 4: an estimate that
    also agents without a tokenizer have."""
    seconds: dict[str, float] = {}
    """Time spent: total, open, agent, queue, compute, encode."""
    record_id: str = ""
    transcript: str | None = None
    """Path from the run folder; None: none was kept."""


class ShardInfo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which part of a run this is: ``--shard index/count``."""

    index: int
    """From 1."""
    count: int
    n_instances: int
    """Instances of this part."""
    mine: str
    """SHA-256 over the ids of this part."""
    whole: str
    """SHA-256 over the ids of all parts."""


class SubsetInfo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which stratified part of its set a run is of: ``--subset size``."""

    size: int
    instance_ids: list[str]
    task_errors: dict[str, float]
    """Standard error of a task's mean score by the choice alone, at worst."""
    overall_error: float
    """Of the unweighted mean of the tasks, at worst."""


class RunInfo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a run was made: ``run.json``, written once, before the first episode."""

    suite: str
    condition: str
    dialect: str
    simulated: bool
    agent: str
    agent_config: JsonObject
    limits: JsonObject
    budget_tokens: int | None
    """Largest tool answer; None: no budget."""
    encoding: str = "rows"
    """Whether tool answers were ``rows`` or ``compact``."""
    protocol: str = "text"
    seed: int
    set_path: str
    set_checksum: str
    n_instances: int
    """Instances of the set."""
    tasks: list[str] | None = None
    """Tasks asked for; None: all."""
    subset: SubsetInfo | None = None
    """None: the whole set."""
    limit: int | None = None
    """Only the first so many, as the last session was told; None: all."""
    shard: ShardInfo | None = None
    """None: the whole run, or one put together by ``eegbench merge``."""
    record_key: str
    """Hex key of the opaque record ids."""
    isolated: bool | None = None
    """Whether a command agent ran in a sandbox; None: no command agent."""
    versions: dict[str, str] = {}
    machine: dict[str, str] = {}
    started: str = ""


@dataclass(frozen=True)
class PredictionFile:
    """The predictions of a run, one per instance, in the order of their last line."""

    rows: tuple[Prediction, ...]
    n_lines: int
    """Lines read, with those that a later line replaced."""
    duplicates: tuple[str, ...]
    """Instances that were completed more than once; their first answer counts."""
    notes: tuple[str, ...]

    def __iter__(self) -> Iterator[Prediction]:
        """Walk through the predictions in file order."""
        return iter(self.rows)

    def __len__(self) -> int:
        """Count the predictions."""
        return len(self.rows)


class Coverage(NamedTuple):
    """How the predictions of a run and the instances of a set match."""

    missing: tuple[str, ...]
    strays: tuple[str, ...]
    """Predictions of instances that the set does not have."""


def predictions_path(run_path: str | Path) -> Path:
    """Return where a run keeps its predictions."""
    return Path(run_path) / "predictions.jsonl"


def read_predictions(run_path: str | Path) -> PredictionFile:
    """Read a run's predictions; a cut last line is noted, not fatal.

    An instance tried again after a failure counts by its last line. One that was
    completed twice is listed in ``duplicates`` and counts by its first answer, so
    that nobody can try until it fits.
    """
    lines, notes = read_rows(predictions_path(run_path), Prediction)
    kept: dict[str, Prediction] = {}
    duplicates: dict[str, None] = {}
    for line in lines:
        before = kept.get(line.instance_id)
        if before is not None and before.status == "completed":
            if line.status == "completed":
                duplicates[line.instance_id] = None
            continue
        kept.pop(line.instance_id, None)
        kept[line.instance_id] = line
    return PredictionFile(tuple(kept.values()), len(lines), tuple(duplicates), notes)


def first_failure(run_path: str | Path) -> str:
    """Say why the first of the failed instances of a run failed; empty: none did."""
    for row in read_predictions(run_path):
        if row.status == "failed":
            return f"failed: {row.instance_id}: {row.ended}: {row.error}"
    return ""


def coverage(
    predictions: Iterable[Prediction], instance_ids: Iterable[str]
) -> Coverage:
    """List the instances without a prediction and the predictions without one."""
    wanted = dict.fromkeys(instance_ids)
    found = dict.fromkeys(row.instance_id for row in predictions)
    return Coverage(
        tuple(name for name in wanted if name not in found),
        tuple(name for name in found if name not in wanted),
    )


def read_run(run_path: str | Path) -> RunInfo:
    """Read ``run.json``; SetError says what is missing or wrong."""
    path = Path(run_path) / "run.json"
    if not path.is_file():
        raise SetError(f"no run in {Path(run_path)}: run.json is missing")
    return read_struct(path, RunInfo)
