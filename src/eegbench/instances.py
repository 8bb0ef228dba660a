"""Instance: what an agent may see, and the set folder that holds many of them.

``SET/set.json`` says what the set is, ``SET/instances.jsonl`` holds one instance a
line, ``SET/recordings/*`` the signals. ``SET/references`` is the evaluator's and is
never opened here.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from eegbench.errors import SetError
from eegbench.records import (
    JsonObject,
    index_unique,
    listing,
    read_bytes,
    read_rows,
    read_struct,
    readable,
    write_rows,
    write_struct,
)

Condition = Literal["default", "paper-like"]
Dialect = Literal["default", "paper-1.0"]


class Instance(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One question with its recording; no label, no path that an agent would see."""

    instance_id: str
    """Unique within the set; known to the harness and the evaluator alone."""
    task: str
    """``T1`` to ``T6``, or a suite's own name."""
    suite: str
    context: str = ""
    """What the recording is, in a sentence or two."""
    question: str
    facts: JsonObject = {}
    """Recording facts shown to the agent; the opaque record id is not among them."""
    options: dict[str, str] | None = None
    """Choices by letter (T1); None: no choices."""
    answer_schema: JsonObject
    """JSON schema of the final answer."""
    recording: str | None = None
    """Path from the set folder, or absolute; None: a question without a signal."""
    open_args: JsonObject = {}
    """Keyword arguments for ``eegcore.open``: rate_hz, channel_names, unit."""
    sha256: str | None = None
    record_id: str | None = None
    """The release's own record id, shown in place of an opaque one; for sets of the
    condition ``paper-like`` alone, since such ids follow the order of the labels."""
    n_epochs: int | None = None
    """30-s epochs that the answer must cover (T6)."""
    duration_sec: float | None = None
    simulated: bool = False


class SetInfo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a set is: ``set.json``."""

    suite: str
    condition: Condition = "default"
    dialect: Dialect = "default"
    simulated: bool = False
    versions: dict[str, str] = {}
    counts: dict[str, int] = {}
    """Instances by task."""
    notes: list[str] = []
    """What the builder had to say: sources left out, counts that differ."""


@dataclass(frozen=True)
class SetFolder:
    """A set as read from its folder."""

    path: Path
    info: SetInfo
    instances: tuple[Instance, ...]
    notes: tuple[str, ...]
    """What was odd about the file, such as a cut last line."""
    checksum: str
    """SHA-256 over ``set.json`` and ``instances.jsonl``."""

    def __iter__(self) -> Iterator[Instance]:
        """Walk through the instances in file order."""
        return iter(self.instances)

    def __len__(self) -> int:
        """Count the instances."""
        return len(self.instances)


def read_set(path: str | Path) -> SetFolder:
    """Read a set folder without its references.

    Raises
    ------
    SetError
        The folder or a file is missing, a line does not decode, an id stands there
        twice, or no instance is in it.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise SetError(f"no set folder {folder}; build one with 'eegbench build'")
    info_path, rows_path = folder / "set.json", folder / "instances.jsonl"
    info = read_struct(info_path, SetInfo)
    instances, notes = read_rows(rows_path, Instance, mend=_sharing())
    if not instances:
        raise SetError(f"{rows_path}: no instance; at least one is needed")
    index_unique(rows_path, instances, lambda row: row.instance_id)
    named = [row.instance_id for row in instances if row.record_id is not None]
    if named and info.condition != "paper-like":
        raise SetError(
            f"{rows_path}: record ids that are not opaque, in a set of the condition "
            f"{info.condition}: {listing(named)}; only paper-like sets have them"
        )
    digest = hashlib.sha256(read_bytes(info_path) + b"\0")
    with readable(rows_path), rows_path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return SetFolder(folder, info, instances, notes, digest.hexdigest())


def _sharing() -> Callable[[Instance], Instance]:
    """Return a function that lets equal parts of instances be one object.

    The instances of a task differ in little but id and recording; without this, 10,000
    small ones take 23 MB.
    """
    texts: dict[str, str] = {}
    objects: dict[bytes, JsonObject] = {}

    def text(value: str) -> str:
        return texts.setdefault(value, value)

    def json_object(value: JsonObject) -> JsonObject:
        return objects.setdefault(msgspec.json.encode(value), value)

    def share(row: Instance) -> Instance:
        return msgspec.structs.replace(
            row,
            task=text(row.task),
            suite=text(row.suite),
            context=text(row.context),
            question=text(row.question),
            facts=json_object(row.facts),
            answer_schema=json_object(row.answer_schema),
            open_args=json_object(row.open_args),
        )

    return share


def write_set(path: str | Path, info: SetInfo, instances: Iterable[Instance]) -> None:
    """Write ``set.json`` and ``instances.jsonl``; SetError names doubled ids."""
    folder, rows = Path(path), list(instances)
    index_unique(folder / "instances.jsonl", rows, lambda row: row.instance_id)
    write_rows(folder / "instances.jsonl", rows)
    write_struct(folder / "set.json", info)


def recording_path(folder: Path, instance: Instance) -> Path | None:
    """Return where an instance's recording lies, or None if it has none."""
    if instance.recording is None:
        return None
    return folder / instance.recording


def opaque_id(instance_id: str, key: str) -> str:
    """Return the record id that an agent sees: a keyed hash, new with every key.

    Parameters
    ----------
    instance_id : str
        Id within the set.
    key : str
        Up to 64 bytes in hex; kept in ``run.json``.
    """
    digest = hashlib.blake2b(
        instance_id.encode("utf-8"), key=bytes.fromhex(key), digest_size=5
    )
    return f"rec-{digest.hexdigest()}"


def shown_id(instance: Instance, key: str) -> str:
    """Return the record id that an agent sees: opaque, but for paper-like sets."""
    return instance.record_id or opaque_id(instance.instance_id, key)


def instance_seed(instance_id: str, seed: int) -> int:
    """Return the seed of an agent's draws in one instance of a run."""
    text = f"{seed}\0{instance_id}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest())
