"""From chosen candidates to a set folder: signals, records, construction flow."""

import hashlib
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from eegbench.errors import SetError, SourceError
from eegbench.instances import Condition, Dialect, Instance, SetInfo, write_set
from eegbench.references import write_references
from eegbench.suites.eegagent.build.pool import Candidate, Place
from eegbench.suites.eegagent.flow import FlowRow, flow_table, totals
from eegcore.errors import EegcoreError

_LINE = 240


@dataclass(slots=True, kw_only=True)
class BuildReport:
    """What a build made and what it could not."""

    set_path: Path
    counts: dict[str, int] = field(default_factory=dict)
    """Instances by task."""
    flow: list[FlowRow] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """Data sets that were not found."""
    unreadable: list[str] = field(default_factory=list)
    """Files that were found but could not be used."""
    problems: list[str] = field(default_factory=list)
    """Contradictions, differences and choices."""

    @property
    def n_instances(self) -> int:
        """Instances of all tasks."""
        return sum(self.counts.values())

    def text(self, *, most: int = 20) -> str:
        """Say it for a person, the counts first; at most so many lines of a kind."""
        counts = ", ".join(f"{task} {n}" for task, n in self.counts.items())
        parts = [f"{self.n_instances} instances ({counts}) in {self.set_path}"]
        if self.flow:
            parts.append(flow_table([*self.flow, *totals(self.flow)]))
        for title, lines in (
            ("not found", self.missing),
            ("could not be used", self.unreadable),
            ("to know", self.problems),
        ):
            if lines:
                shown = "\n".join(f"  {_short(line)}" for line in lines[:most])
                if len(lines) > most:
                    shown += f"\n  ... {len(lines) - most} more in set.json"
                parts.append(f"{title} ({len(lines)}):\n{shown}")
        return "\n".join(parts)


def _short(line: str) -> str:
    return line if len(line) <= _LINE else f"{line[: _LINE - 20]}... (in set.json)"


def check_room(out: Path) -> None:
    """Refuse a folder that holds other files than an older set."""
    if out.exists() and not out.is_dir():
        raise SetError(f"{out} is a file; a folder is needed for a set")
    if (out / "set.json").is_file() or not out.is_dir():
        return
    if any(out.iterdir()):
        raise SetError(f"{out} holds other files and no set; give an empty folder")


def start_set(out: Path) -> None:
    """Make room for a set: an older set at this place is removed, nothing else is."""
    check_room(out)
    # first: what is half gone is no set
    for name in ("set.json", "instances.jsonl", "construction.json"):
        (out / name).unlink(missing_ok=True)
    for name in ("recordings", "references"):
        shutil.rmtree(out / name, ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)


def place_all(
    candidates: Iterable[Candidate],
    out: Path,
    *,
    place: Place,
    checksums: bool,
    report: BuildReport,
) -> list[Candidate]:
    """Bring the signals of candidates into the set; those that fail are listed."""
    placed = []
    for candidate in candidates:
        try:
            placed.append(place_one(candidate, out, place=place, checksums=checksums))
        except (EegcoreError, SourceError, OSError) as error:
            report.unreadable.append(f"{candidate.name}: {error}")
    return placed


def place_one(
    candidate: Candidate, out: Path, *, place: Place, checksums: bool
) -> Candidate:
    """Candidate whose instance names its placed signal file."""
    path = _placed(candidate, out, place)
    if path is None:
        return candidate
    inside = path.is_relative_to(out)
    instance = msgspec.structs.replace(
        candidate.instance,
        recording=str(path.relative_to(out) if inside else path.absolute()),
        sha256=file_sha256(path) if checksums else None,
    )
    return Candidate(
        name=candidate.name,
        group=candidate.group,
        instance=instance,
        reference=candidate.reference,
    )


def _placed(candidate: Candidate, out: Path, place: Place) -> Path | None:
    if candidate.write is None and candidate.source is None:
        return None
    if candidate.source is not None and place == "refer":
        return candidate.source
    name = candidate.file_name or f"{candidate.name}.edf"
    target = out / "recordings" / candidate.instance.task / name
    target.parent.mkdir(parents=True, exist_ok=True)
    if candidate.write is not None:
        candidate.write(target)
    elif candidate.source is not None:
        for path in _with_companions(candidate.source):
            _bring(path, target.with_suffix(path.suffix), place)
    return target


def _with_companions(path: Path) -> list[Path]:
    """File and what its format keeps beside it (`.fdt` of `.set`, ...)."""
    beside = {".set": (".fdt",), ".vhdr": (".vmrk", ".eeg")}
    names = beside.get(path.suffix.lower(), ())
    return [path, *(p for s in names if (p := path.with_suffix(s)).is_file())]


def _bring(path: Path, target: Path, place: Place) -> None:
    if place == "copy":
        shutil.copyfile(path, target)
        return
    try:
        os.link(path.resolve(), target)
    except OSError:
        # another file system or a file that is not ours to link
        target.symlink_to(path.resolve())


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, read in chunks."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def package_versions() -> dict[str, str]:
    """Versions of the packages that had a hand in the set."""
    found = {}
    for name in ("eegbench", "numpy", "scipy", "mne"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def write_all(
    placed: Sequence[Candidate],
    report: BuildReport,
    *,
    suite: str,
    condition: Condition,
    simulated: bool = False,
) -> None:
    """Write `set.json`, instances, references and the construction flow."""
    if not placed:
        lines = [*report.missing, *report.unreadable][:5]
        raise SetError(f"nothing to build: {'; '.join(lines) or 'no candidate'}")
    out = report.set_path
    instances: list[Instance] = [candidate.instance for candidate in placed]
    report.counts = dict(sorted(Counter(row.task for row in instances).items()))
    dialect: Dialect = "paper-1.0" if condition == "paper-like" else "default"
    info = SetInfo(
        suite=suite,
        condition=condition,
        dialect=dialect,
        simulated=simulated,
        versions=package_versions(),
        counts=report.counts,
        notes=[*report.missing, *report.unreadable, *report.problems],
    )
    write_references(out, (c.reference for c in placed if c.reference is not None))
    flow = msgspec.json.format(msgspec.json.encode(report.flow), indent=1)
    (out / "construction.json").write_bytes(flow + b"\n")
    # last: a folder with set.json is a whole set
    write_set(out, info, instances)
