"""Whether a set is whole: files there, unchanged, readable; references for all."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from eegbench.errors import EegbenchError
from eegbench.instances import Instance, SetFolder, read_set, recording_path
from eegbench.references import read_references
from eegbench.suites import suite
from eegcore.errors import EegcoreError
from eegcore.formats import open_recording


def check(
    set_path: Path, *, talk: Callable[[str], None] | None = None
) -> tuple[str, bool]:
    """Return what was found, one finding a line, and whether anything is wrong.

    Opens every recording for its header and compares its checksum where the set has
    one. Raises SetError only if the set itself cannot be read.
    """
    chosen = read_set(set_path)
    problems = list(chosen.notes)
    problems += _reference_problems(chosen)
    n_files = 0
    for instance in chosen:
        path = recording_path(chosen.path, instance)
        if path is None:
            continue
        n_files += 1
        if talk is not None and n_files % 100 == 0:
            talk(f"checked {n_files} recordings")
        problem = recording_problem(path, instance)
        if problem is not None:
            problems.append(f"{instance.instance_id}: {problem}")
    known = suite(chosen.info.suite)
    counts: dict[str, int] = {}
    for instance in chosen:
        counts[instance.task] = counts.get(instance.task, 0) + 1
    frozen = counts == dict(known.frozen_counts)
    listed = ", ".join(f"{task} {number}" for task, number in sorted(counts.items()))
    head = [
        f"{len(chosen)} instances ({listed}), {n_files} recordings",
        f"suite {chosen.info.suite}, {chosen.info.condition} set, dialect "
        f"{chosen.info.dialect}{', SIMULATED' if chosen.info.simulated else ''}",
        "counts are those of the frozen set"
        if frozen
        else "counts are not those of the frozen set: scores are never complete",
    ]
    verdict = f"{len(problems)} problems" if problems else "no problem found"
    return "\n".join([*head, *problems, verdict]), bool(problems)


def recording_problem(path: Path, instance: Instance) -> str | None:
    """Return what is wrong with one recording, or None."""
    if not path.is_file():
        return f"no file {path}"
    if instance.sha256 is not None and _sha256(path) != instance.sha256:
        return f"{path} has changed: its checksum is not that of the set"
    try:
        with open_recording(path, **instance.open_args) as recording:
            length = recording.duration_sec
    except (EegcoreError, TypeError) as error:
        return str(error)
    if instance.duration_sec is not None and length + 1.0 < instance.duration_sec:
        return f"{path} lasts {length:.1f} s; the set says {instance.duration_sec:.1f}"
    return None


def _reference_problems(chosen: SetFolder) -> list[str]:
    try:
        references = read_references(chosen.path)
    except EegbenchError as error:
        return [str(error)]
    ids = {row.instance_id for row in chosen}
    found = [f"{name}: no reference" for name in sorted(ids - set(references))]
    strays = sorted(set(references) - ids)
    return found + [f"{name}: a reference without an instance" for name in strays]


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
