"""Shards of a run put together, if they belong together.

The merged folder is what one machine would have written: one `run.json`, the
predictions in the order of the set, the transcripts. Nothing is scored here.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from eegbench.errors import SetError
from eegbench.instances import SetFolder, read_set
from eegbench.predictions import (
    Prediction,
    RunInfo,
    ShardInfo,
    predictions_path,
    read_predictions,
    read_run,
)
from eegbench.records import listing, write_rows, write_struct
from eegbench.runfolder import MUST_AGREE, brief
from eegbench.shards import ids_checksum

AGREE = (
    *(name for name in MUST_AGREE if name != "shard"),
    "suite",
    "condition",
    "simulated",
    "tasks",
    "isolated",
    "record_key",
)


class Merged(NamedTuple):
    """What was put together."""

    n_runs: int
    n_predictions: int
    n_failed: int
    notes: tuple[str, ...]


class _Part(NamedTuple):
    path: Path
    info: RunInfo
    shard: ShardInfo
    rows: tuple[Prediction, ...]


def merge_runs(
    run_paths: Sequence[Path],
    output: Path,
    *,
    set_path: Path | None = None,
    partial: bool = False,
) -> Merged:
    """Put the shards of a run together into a new run folder.

    Parameters
    ----------
    run_paths : sequence of Path
        Folders of the shards, in any order.
    output : Path
        A folder that does not hold a run.
    set_path : Path, optional
        Where the set lies now, if it was moved.
    partial : bool
        Accept missing shards and shards that were not run to their end.

    Raises
    ------
    SetError
        The shards differ in set, agent, configuration, versions or division; one is
        missing, doubled or unfinished; an instance is answered twice, or is not one
        of its shard. Nothing is then written.
    """
    if output.exists() and any(output.iterdir()):
        raise SetError(f"{output} is not empty; merge into a new folder")
    notes: list[str] = []
    read = [_read_part(path, notes) for path in run_paths]
    parts = sorted(read, key=lambda part: part.shard.index)
    _check_agreement(parts)
    _check_division(parts, notes, partial=partial)
    folder = read_set(set_path or parts[0].info.set_path)
    if folder.checksum != parts[0].info.set_checksum:
        raise SetError(
            f"{folder.path} is not the set of these runs: its checksum is "
            f"{folder.checksum[:12]}, theirs {parts[0].info.set_checksum[:12]}"
        )
    rows = _check_rows(parts, folder, notes, partial=partial)
    _write(parts, rows, output)
    n_failed = sum(row.status == "failed" for row in rows)
    return Merged(len(parts), len(rows), n_failed, tuple(notes))


def _read_part(path: Path, notes: list[str]) -> _Part:
    info = read_run(path)
    if info.shard is None:
        raise SetError(f"{path} is a whole run, no shard; merge takes runs of --shard")
    if not predictions_path(path).exists():
        return _Part(path, info, info.shard, ())
    read = read_predictions(path)
    notes += read.notes
    if read.duplicates:
        raise SetError(f"{path}: answered more than once: {listing(read.duplicates)}")
    return _Part(path, info, info.shard, read.rows)


def _check_agreement(parts: Sequence[_Part]) -> None:
    first = parts[0]
    for part in parts[1:]:
        for name in AGREE:
            before, now = getattr(first.info, name), getattr(part.info, name)
            if before != now:
                raise SetError(
                    f"{first.path} and {part.path} do not belong together: {name} is "
                    f"{brief(before)} and {brief(now)}"
                )


def _check_division(parts: Sequence[_Part], notes: list[str], *, partial: bool) -> None:
    """Refuse shards of another division, doubled ones and, if asked, missing ones."""
    first = parts[0]
    seen: dict[int, Path] = {}
    for part in parts:
        if (part.shard.count, part.shard.whole) != (
            first.shard.count,
            first.shard.whole,
        ):
            raise SetError(
                f"{first.path} and {part.path} are not shards of one division: "
                f"{first.shard.index}/{first.shard.count} and "
                f"{part.shard.index}/{part.shard.count}, or other instances chosen"
            )
        if part.shard.index in seen:
            raise SetError(
                f"shard {part.shard.index}/{part.shard.count} is there twice: "
                f"{seen[part.shard.index]} and {part.path}"
            )
        seen[part.shard.index] = part.path
    missing = [str(i) for i in range(1, first.shard.count + 1) if i not in seen]
    if missing:
        text = f"no shard {listing(missing)} of {first.shard.count}"
        if not partial:
            raise SetError(f"{text}; --partial merges what is there")
        notes.append(text)


def _check_rows(
    parts: Sequence[_Part], folder: SetFolder, notes: list[str], *, partial: bool
) -> list[Prediction]:
    """Return the predictions in the set's order, none doubled, none astray."""
    place = {item.instance_id: number for number, item in enumerate(folder)}
    owner: dict[str, Path] = {}
    rows: list[Prediction] = []
    for part in parts:
        ids = [row.instance_id for row in part.rows]
        strays = [name for name in ids if name not in place]
        if strays:
            raise SetError(f"{part.path}: not in the set: {listing(strays)}")
        doubled = [name for name in ids if name in owner]
        if doubled:
            raise SetError(
                f"{owner[doubled[0]]} and {part.path} both answer {listing(doubled)}"
            )
        lacking = part.shard.n_instances - len(ids)
        if lacking < 0 or (lacking == 0 and ids_checksum(ids) != part.shard.mine):
            raise SetError(f"{part.path}: answers instances that are not of its shard")
        if lacking:
            text = f"{part.path} lacks {lacking} of {part.shard.n_instances} instances"
            if not partial:
                raise SetError(f"{text}; run it again, or merge with --partial")
            notes.append(text)
        owner.update(dict.fromkeys(ids, part.path))
        rows += part.rows
    return sorted(rows, key=lambda row: place[row.instance_id])


def _write(parts: Sequence[_Part], rows: Sequence[Prediction], output: Path) -> None:
    """Write the merged run; `run.json` last, so that a cut merge is no run."""
    for part in parts:
        for row in part.rows:
            if row.transcript is None:
                continue
            source, target = part.path / row.transcript, output / row.transcript
            if source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
    write_rows(predictions_path(output), rows)
    first = parts[0].info
    machines = {msgspec.json.encode(part.info.machine) for part in parts}
    several = {**first.machine, "machines": str(len(machines))}
    info = msgspec.structs.replace(
        first,
        shard=None,
        machine=first.machine if len(machines) == 1 else several,
        started=min(part.info.started for part in parts),
    )
    write_struct(output / "run.json", info)
