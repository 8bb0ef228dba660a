"""Rows of the release's files: scenario, runtime, key; and the signal they name."""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import msgspec

from eegbench.errors import SetError, SourceError
from eegbench.instances import Instance
from eegbench.references import Reference
from eegbench.sources import bonn, chbmit, sleep_edfx
from eegbench.suites.eegagent.build.long_tasks import night_instance, seizure_instance
from eegbench.suites.eegagent.build.short_tasks import (
    bonn_instance,
    cohort_instance,
    question_instance,
    segment_instance,
)
from eegbench.suites.eegagent.tasks import SUITE
from eegcore.formats import open_recording

JsonObject = dict[str, Any]
Row = TypeVar("Row")

_NAMES = {
    "channels": "n_channels",
    "gender": "sex",
    "n_epochs_total": "n_epochs",
    "source": "study",
}
"""The release's names of facts to ours, where they differ."""


class _Record(msgspec.Struct, frozen=True):
    record_id: str
    data_path: str | None = None
    metadata: JsonObject = {}


class Scenario(msgspec.Struct, frozen=True):
    """What the release shows of one instance."""

    scenario_id: str
    input: JsonObject
    expected_output_schema: JsonObject
    records: list[_Record] = []


class _Runtime(msgspec.Struct, frozen=True):
    scenario_id: str
    records: list[_Record] = []


class _Key(msgspec.Struct, frozen=True):
    scenario_id: str
    gold: JsonObject


@dataclass(frozen=True, slots=True)
class Entry:
    """Everything the release says about one instance."""

    scenario_id: str
    record_id: str | None
    data_path: str | None
    scenario: Scenario | None
    gold: JsonObject | None

    @property
    def shown_id(self) -> str | None:
        """Record id that the release shows; None for a question without a record."""
        if self.record_id is not None or self.scenario is None:
            return self.record_id
        records = self.scenario.records
        return records[0].record_id if records else None

    @property
    def metadata(self) -> JsonObject:
        """Facts of the recording, in the release's names."""
        if self.scenario is None or not self.scenario.records:
            return {}
        return self.scenario.records[0].metadata


@dataclass(frozen=True, slots=True)
class Signal:
    """Where a signal lies: a file, or a member of a zip."""

    path: Path
    member: str | None = None

    def write_to(self, target: Path) -> None:
        """Write the member's bytes, unchanged."""
        if self.member is None:
            raise SourceError(f"{self.path.name} is no zip member")
        with zipfile.ZipFile(self.path) as archive:
            target.write_bytes(archive.read(self.member))

    def text(self) -> bytes:
        """Bytes of the file or member."""
        if self.member is None:
            return self.path.read_bytes()
        stream = io.BytesIO()
        with zipfile.ZipFile(self.path) as archive:
            stream.write(archive.read(self.member))
        return stream.getvalue()


class SignalFinder:
    """Finds the release's signals below some folders, by the end of their paths."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders
        self._index: dict[str, list[tuple[tuple[str, ...], Signal]]] | None = None

    def find(self, data_path: str | None) -> Signal | None:
        """Signal of a path such as `data/bonn/Z/Z002.txt`, None if there is none.

        A file at just this path below a folder comes first; else, of all files and
        zip members of this name (case aside), the one that shares the most folders at
        the end of its path.
        """
        if data_path is None:
            return None
        for folder in self._folders:
            if (folder / data_path).is_file():
                return Signal(folder / data_path)
        wanted = tuple(part.lower() for part in PurePosixPath(data_path).parts)
        found = self._all().get(wanted[-1], [])
        best = max(found, key=lambda item: _shared(item[0], wanted), default=None)
        return None if best is None else best[1]

    def _all(self) -> dict[str, list[tuple[tuple[str, ...], Signal]]]:
        if self._index is None:
            self._index = {}
            for folder in self._folders:
                for path in sorted(folder.rglob("*")):
                    if path.is_file():
                        self._add(path)
        return self._index

    def _add(self, path: Path) -> None:
        index = self._index if self._index is not None else {}
        parts = tuple(part.lower() for part in path.parts)
        index.setdefault(parts[-1], []).append((parts, Signal(path)))
        if path.suffix.lower() != ".zip":
            return
        try:
            members = zipfile.ZipFile(path).namelist()
        except (OSError, zipfile.BadZipFile):
            return
        base = (*parts[:-1], path.stem.lower())
        for member in members:
            names = tuple(part.lower() for part in PurePosixPath(member).parts)
            if names:
                index.setdefault(names[-1], []).append(
                    ((*base, *names), Signal(path, member))
                )


def _shared(parts: tuple[str, ...], wanted: tuple[str, ...]) -> int:
    n = 0
    for a, b in zip(reversed(parts), reversed(wanted), strict=False):
        if a != b:
            break
        n += 1
    return n


def read_entries(release_dir: Path, task: str) -> list[Entry]:
    """Read a task's rows, in the order of runtime, then scenarios, then keys."""
    scenarios = {
        s.scenario_id: s for s in _rows(release_dir, "scenarios", task, Scenario)
    }
    runtime = {r.scenario_id: r for r in _rows(release_dir, "runtime", task, _Runtime)}
    keys = {k.scenario_id: k for k in _rows(release_dir, "answer_keys", task, _Key)}
    entries = []
    for scenario_id in dict.fromkeys([*runtime, *scenarios, *keys]):
        row = runtime.get(scenario_id)
        record = row.records[0] if row is not None and row.records else None
        key = keys.get(scenario_id)
        entries.append(
            Entry(
                scenario_id,
                record.record_id if record is not None else None,
                record.data_path if record is not None else None,
                scenarios.get(scenario_id),
                key.gold if key is not None else None,
            )
        )
    return entries


_PREFIXES = (
    "c3_routine_bonn_",
    "c3_cohort_ds004504_",
    "c1_seizure_",
    "c3_sleep_sc_",
    "c3_sleep_st_",
)


def name_of(entry: Entry) -> str:
    """Record name as our builders give it: `Z002`, `sub-001`, `chb01_03`, `SC4001E0`.

    Taken from the scenario id, since the release renames trimmed files.
    """
    name = entry.scenario_id
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            return name.removeprefix(prefix).removesuffix("_task-eyesclosed")
    return name


def _rows(release_dir: Path, part: str, task: str, kind: type[Row]) -> list[Row]:
    path = release_dir / part / f"{task}.jsonl"
    if not path.is_file():
        return []
    rows = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if line.strip():
            try:
                rows.append(msgspec.json.decode(line, type=kind))
            except msgspec.DecodeError as error:
                raise SetError(f"{path}, line {number}: {error}") from error
    return rows


def paper_instance(task: str, entry: Entry, signal: Signal | None) -> Instance:
    """Instance with the release's texts, facts, schema and record id."""
    scenario = entry.scenario
    if scenario is None:
        raise SetError(f"{entry.scenario_id}: no scenario text")
    options = scenario.input.get("options")
    n_epochs = entry.metadata.get("n_epochs_total")
    default = default_instance(task, entry, signal)
    return msgspec.structs.replace(
        default,
        context=str(scenario.input.get("clinical_context", "")),
        question=str(scenario.input.get("question", "")),
        facts=entry.metadata if SUITE.tasks[task].has_tools else {},
        options=options if isinstance(options, dict) else None,
        answer_schema=scenario.expected_output_schema,
        record_id=entry.shown_id,
        n_epochs=n_epochs if isinstance(n_epochs, int) else default.n_epochs,
    )


def default_instance(task: str, entry: Entry, signal: Signal | None) -> Instance:
    """Instance in our words; facts from the scenario or the recording itself."""
    identity = entry.scenario_id
    if task == "T1":
        shown = entry.scenario.input if entry.scenario is not None else {}
        subject_name = shown.get("subject_name") or "medicine"
        return question_instance(
            identity,
            str(shown.get("question", "")),
            dict(shown.get("options", {})),
            f"An examination in {subject_name}.",
        )
    if signal is None:
        raise SetError(f"{identity}: no signal")
    if task == "T2":
        return segment_instance(identity)
    if task == "T3":
        values = bonn.parse_values(
            signal.text(), Path(signal.member or signal.path).name
        )
        return bonn_instance(identity, n_samples=values.size)
    facts = {_NAMES.get(name, name): v for name, v in entry.metadata.items()}
    if task == "T4":
        duration_sec = facts.pop("duration_sec", None)
        age, sex = facts.pop("age", None), facts.pop("sex", None)
        return cohort_instance(
            identity, age=age, sex=sex, facts=facts, duration_sec=duration_sec
        )
    with open_recording(signal.path) as recording:
        if task == "T5":
            return seizure_instance(
                identity,
                recording,
                context="Scalp EEG of a child in epilepsy monitoring.",
            )
        n_epochs = len((entry.gold or {}).get("epoch_labels_aasm", []))
        n_epochs = n_epochs or sleep_edfx.whole_epochs(recording.duration_sec)
        kept: dict[str, object] = {
            k: facts[k] for k in ("age", "sex", "night", "study") if k in facts
        }
        return night_instance(
            identity,
            recording,
            n_epochs=n_epochs,
            facts=kept,
            context="A night's polysomnogram.",
        )


def reference_of(task: str, entry: Entry, instance: Instance) -> Reference | None:
    """Make the reference from the answer key; None without one."""
    gold = entry.gold
    if gold is None:
        return None
    name = entry.scenario_id
    record = name_of(entry)
    common: JsonObject = {
        "instance_id": name,
        "task": task,
        "duration_sec": instance.duration_sec,
    }
    if task == "T1":
        return Reference(label=gold["answer"], group=name, **common)
    if task == "T2":
        label = str(gold["label"]).removesuffix("_contaminated")
        extra = {
            "artifact": None if label == "clean" else label,
            "snr_db": gold.get("snr_db"),
        }
        return Reference(label=label, group=name, extra=extra, **common)
    if task == "T3":
        extra = {"letter": record[:1].upper(), "set": bonn.SETS.get(record[:1].upper())}
        return Reference(label=gold["label"], group=record, extra=extra, **common)
    if task == "T4":
        return Reference(label=gold["label"], subject=record, group=record, **common)
    if task == "T5":
        subject = chbmit.subject_of(record) or record
        return Reference(
            events=[tuple(event) for event in gold["seizure_events"]],
            subject=subject,
            group=chbmit.SAME_CHILD.get(subject, subject),
            **common,
        )
    subject = record[:5]
    return Reference(
        stages=list(gold["epoch_labels_aasm"]), subject=subject, group=subject, **common
    )
