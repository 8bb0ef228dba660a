"""Difficulty screening: what every panel member solves is removed.

A panel file holds one row per record and model, as CSV, TSV or JSON Lines: `record`
(record name or instance id), `model`, and either `solved` (true or false) or `answer`,
which is then judged by the task's own rule against our reference.

References
----------
EEGAgentBench paper, section 6.1, "Difficulty screening".
"""

import csv
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec

from eegbench.errors import SetError
from eegbench.instances import Instance
from eegbench.references import Reference
from eegbench.scoring.events import dice, parse_events
from eegbench.scoring.labels import parse_choice, parse_label
from eegbench.suites.eegagent.tasks import SUITE

EASY = 0.9
"""Solve rate from which an instance is too easy; with five models: all five."""

SCREENED = ("T1", "T3", "T4", "T5")
"""Tasks that are screened; T2 is balanced by construction, T6 handled apart."""

DICE_SOLVED = 0.30
"""Dice at which a seizure record counts as solved."""

_YES, _NO = ("true", "1", "yes"), ("false", "0", "no")


class Item(Protocol):
    """What screening needs of a candidate."""

    @property
    def name(self) -> str:
        """Record name."""

    @property
    def instance(self) -> Instance:
        """Instance."""

    @property
    def reference(self) -> Reference | None:
        """Reference."""


@dataclass(frozen=True, slots=True)
class PanelRow:
    """One model's result on one record: judged already, or an answer to be judged."""

    record: str
    model: str
    solved: bool | None
    answer: object = None


@dataclass(frozen=True, slots=True)
class Panel:
    """Results of a panel, by record."""

    rows: Mapping[str, tuple[PanelRow, ...]]
    models: tuple[str, ...]
    easy: float = EASY
    screened_tasks: tuple[str, ...] = SCREENED


def read_panel(path: Path) -> Panel:
    """Read a panel file; a row that lacks a field or repeats one is an error."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SetError(f"cannot read the panel file {path}: {error}") from error
    rows: dict[str, dict[str, PanelRow]] = defaultdict(dict)
    models: dict[str, None] = {}
    for number, fields in _fields(path, text):
        where = f"{path.name}, line {number}"
        row = _row(fields, where)
        if row.model in rows[row.record]:
            raise SetError(f"{where}: {row.model} on {row.record} stands there twice")
        rows[row.record][row.model] = row
        models.setdefault(row.model)
    if not models:
        raise SetError(f"{path}: no rows; record, model, solved or answer are needed")
    return Panel({k: tuple(v.values()) for k, v in rows.items()}, tuple(models))


def solve_rates(task: str, items: Iterable[Item], panel: Panel) -> dict[str, float]:
    """Share of the models with a result that solved each instance, by instance id."""
    rates = {}
    for item in items:
        rows = panel.rows.get(item.name) or panel.rows.get(item.instance.instance_id)
        if rows:
            solved = [_solved(task, row, item) for row in rows]
            rates[item.instance.instance_id] = sum(solved) / len(solved)
    return rates


def solved_by_rule(task: str, answer: object, item: Item) -> bool:
    """Whether an answer is right by the task's own rule.

    T1: the right option. T2 to T4: the right label. T5: Dice of at least .30 on a
    record with seizures, no event on one without. An answer that cannot be read is
    not right.
    """
    reference = item.reference
    if reference is None:
        return False
    spec = SUITE.task(task)
    if spec.kind == "choice":
        options = item.instance.options or {}
        return parse_choice(answer, options).value == reference.label
    if spec.kind == "label":
        parsed = parse_label(answer, spec.classes, spec.aliases)
        return parsed.value == reference.label
    if spec.kind == "events":
        return _events_solved(answer, item.instance, reference)
    raise SetError(f"task {task} is not screened")


def _events_solved(answer: object, instance: Instance, reference: Reference) -> bool:
    duration_sec = reference.duration_sec or instance.duration_sec or math.inf
    parsed = parse_events(answer, duration_sec)
    if parsed.parse_failed:
        return False
    if not reference.events:
        return not parsed.value
    return dice(reference.events, parsed.value) >= DICE_SOLVED


def _solved(task: str, row: PanelRow, item: Item) -> bool:
    if row.solved is not None:
        return row.solved
    return solved_by_rule(task, row.answer, item)


def _fields(path: Path, text: str) -> Iterable[tuple[int, dict[str, object]]]:
    if path.suffix.lower() in (".csv", ".tsv"):
        delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
        reader = csv.DictReader(text.splitlines(), delimiter=delimiter)
        for row in reader:
            yield reader.line_num, dict(row)
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                yield number, msgspec.json.decode(line, type=dict[str, object])
            except msgspec.DecodeError as error:
                raise SetError(f"{path.name}, line {number}: {error}") from error


def _row(fields: dict[str, object], where: str) -> PanelRow:
    record, model = fields.get("record"), fields.get("model")
    if not isinstance(record, str) or not isinstance(model, str) or not record:
        raise SetError(f"{where}: needs record and model as text")
    if "solved" in fields:
        value = str(fields["solved"]).strip().lower()
        if value not in (*_YES, *_NO):
            raise SetError(f"{where}: solved is {value!r}, true or false is allowed")
        return PanelRow(record, model, value in _YES)
    if "answer" not in fields:
        raise SetError(f"{where}: needs solved or answer")
    return PanelRow(record, model, None, fields["answer"])
