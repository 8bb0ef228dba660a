"""Where lists, tables and keys of CHB-MIT seizures differ, record by record.

Four accounts of the same recordings go round: annotation files, a table of times, the
record lists and the release's answer key. They do not agree; every difference is a
line that names the record.
"""

import csv
from collections.abc import Mapping
from pathlib import Path

import msgspec

from eegbench.errors import SourceError
from eegbench.sources.chbmit import Annotations, Intervals


class _Gold(msgspec.Struct, frozen=True):
    seizure_events: list[tuple[float, float]] = []


class _KeyRow(msgspec.Struct, frozen=True):
    scenario_id: str
    gold: _Gold


def read_times_table(path: Path) -> dict[str, Intervals]:
    """Read a table of times: TSV with `record`, `start_s`, `end_s`, a row a seizure."""
    found: dict[str, list[tuple[float, float]]] = {}
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        for row in csv.DictReader(lines, delimiter="\t"):
            times = (float(row["start_s"]), float(row["end_s"]))
            found.setdefault(row["record"], []).append(times)
    except (OSError, KeyError, ValueError) as error:
        raise SourceError(f"cannot read {path}: {error!r}") from error
    return {record: tuple(sorted(rows)) for record, rows in found.items()}


def read_answer_key(path: Path) -> dict[str, Intervals]:
    """Read the release's T5 answer key, records without seizure included."""
    found: dict[str, Intervals] = {}
    try:
        for line in path.read_bytes().splitlines():
            row = msgspec.json.decode(line, type=_KeyRow)
            name = row.scenario_id.removeprefix("c1_seizure_")
            found[name] = tuple(sorted(row.gold.seizure_events))
    except (OSError, msgspec.DecodeError) as error:
        raise SourceError(f"cannot read {path}: {error}") from error
    return found


def compare(
    accounts: Mapping[str, Mapping[str, Intervals]], lists: Annotations | None = None
) -> list[str]:
    """Name every record on which two accounts differ.

    Parameters
    ----------
    accounts : mapping of str to mapping
        Name of an account to record to intervals. A record that an account lacks is
        compared only where another account gives it seizures.
    lists : Annotations or None
        Record lists to compare with, too.
    """
    records = sorted({record for account in accounts.values() for record in account})
    lines = []
    for record in records:
        said = {name: account.get(record) for name, account in accounts.items()}
        if len({value for value in said.values() if value is not None}) > 1 or (
            None in said.values() and any(said.values())
        ):
            lines.append(
                f"{record}: "
                + "; ".join(f"{name} {_shown(value)}" for name, value in said.items())
            )
    if lists is None or not lists.listed_with_seizures:
        return lines
    for name, account in accounts.items():
        positive = {record for record, value in account.items() if value}
        lines += [
            f"{record}: in RECORDS-WITH-SEIZURES, not in {name}"
            for record in sorted(lists.listed_with_seizures - positive)
        ]
        lines += [
            f"{record}: in {name}, not in RECORDS-WITH-SEIZURES"
            for record in sorted(positive - lists.listed_with_seizures)
        ]
    return lines


def _shown(intervals: Intervals | None) -> str:
    if intervals is None:
        return "has no such record"
    return ", ".join(f"{a:g}-{b:g} s" for a, b in intervals) or "no seizure"
