"""The published release's layout into instances: runtime, answer keys, scenarios.

`DIR/runtime/T3.jsonl` names the signal of each scenario, `DIR/answer_keys/T3.jsonl` its
answer, `DIR/scenarios/T3.jsonl` the text that the release shows. In the condition
`default` the words and facts are ours and scenarios are not needed; `paper-like` takes
texts, facts and answer schema from the scenarios and leaves out what has none.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from eegbench.errors import SetError
from eegbench.instances import Condition
from eegbench.references import Reference
from eegbench.suites.eegagent.balance import natural_key
from eegbench.suites.eegagent.build.place import (
    BuildReport,
    place_all,
    start_set,
    write_all,
)
from eegbench.suites.eegagent.build.pool import Candidate, Place
from eegbench.suites.eegagent.build.release_rows import (
    Entry,
    Signal,
    SignalFinder,
    default_instance,
    name_of,
    paper_instance,
    read_entries,
    reference_of,
)
from eegbench.suites.eegagent.tasks import SUITE
from eegcore.errors import EegcoreError


def build_release(
    release_dir: str | Path,
    out: str | Path,
    *,
    signals: str | Path | None = None,
    tasks: Sequence[str] | None = None,
    condition: Condition = "default",
    place: Place = "refer",
    checksums: bool = True,
    talk: Callable[[str], None] | None = None,
) -> BuildReport:
    """Build a set from the release's own files.

    Parameters
    ----------
    release_dir : path
        Holds `runtime` and `answer_keys`, perhaps `scenarios`; or a folder in it does.
    out : path
        Folder of the set.
    signals : path or None
        Where signal files are looked for, as files or members of zips, by the end of
        the path that the release gives them. None: in `release_dir`.
    condition : str
        `default`: our words, opaque ids. `paper-like`: the release's words and ids.
    tasks, place, checksums, talk
        As for `build`.
    """
    release_dir, out = find_layout(Path(release_dir)), Path(out)
    names = [SUITE.task(name).name for name in tasks] if tasks else list(SUITE.tasks)
    finder = SignalFinder([release_dir, *([Path(signals)] if signals else [])])
    report = BuildReport(set_path=out)
    candidates: list[Candidate] = []
    for task in names:
        entries = read_entries(release_dir, task)
        if not entries:
            report.missing.append(f"{task}: no runtime, key or scenario file")
            continue
        if talk is not None:
            talk(f"{task}: {len(entries)} scenarios")
        found = _candidates(task, entries, finder, report, condition)
        _compare_with_frozen(task, len(entries), len(found), report)
        candidates += found
    if candidates:
        start_set(out)
    placed = place_all(candidates, out, place=place, checksums=checksums, report=report)
    write_all(placed, report, suite=SUITE.name, condition=condition)
    return report


def find_layout(folder: Path) -> Path:
    """Folder that holds `runtime`, `answer_keys` or `scenarios`, nearest to the top."""
    parts = ("runtime", "answer_keys", "scenarios")
    if not folder.is_dir():
        raise SetError(f"no release folder {folder}")
    if any((folder / part).is_dir() for part in parts):
        return folder
    found = [path.parent for path in folder.rglob("answer_keys") if path.is_dir()]
    if not found:
        raise SetError(f"{folder} holds no {', '.join(parts)}")
    return min(found, key=lambda path: (len(path.parts), str(path)))


def record_names(release_dir: str | Path, task: str) -> list[str]:
    """Record names of a task's runtime file (`Z002`), such as to leave these out."""
    entries = read_entries(find_layout(Path(release_dir)), task)
    return [name_of(entry) for entry in entries]


def _candidates(
    task: str,
    entries: Sequence[Entry],
    finder: SignalFinder,
    report: BuildReport,
    condition: Condition,
) -> list[Candidate]:
    candidates = []
    without_text, without_signal, without_key = [], [], []
    for entry in entries:
        if condition == "paper-like" and entry.scenario is None:
            without_text.append(entry.scenario_id)
            continue
        if SUITE.tasks[task].has_tools:
            signal = finder.find(entry.data_path)
            if signal is None:
                without_signal.append(entry.data_path or entry.scenario_id)
                continue
        else:
            signal = None
            if entry.scenario is None:
                without_text.append(entry.scenario_id)
                continue
        try:
            candidates.append(_candidate(task, entry, signal, finder, condition))
        except EegcoreError as error:
            report.unreadable.append(f"{entry.scenario_id}: {error}")
            continue
        if entry.gold is None:
            without_key.append(entry.scenario_id)
    for what, ids in (
        ("without scenario text, left out", without_text),
        ("without signal, left out", without_signal),
        ("without answer key, built without reference", without_key),
    ):
        if ids:
            shown = ", ".join(ids[:4]) + (", ..." if len(ids) > 4 else "")
            report.problems.append(f"{task}: {len(ids)} {what}: {shown}")
    return candidates


def _candidate(
    task: str,
    entry: Entry,
    signal: Signal | None,
    finder: SignalFinder,
    condition: Condition,
) -> Candidate:
    make = paper_instance if condition == "paper-like" else default_instance
    instance = make(task, entry, signal)
    in_zip = signal is not None and signal.member is not None
    data_path = Path(entry.data_path or entry.scenario_id)
    return Candidate(
        name=data_path.stem,
        group=task,
        instance=instance,
        reference=reference_of(task, entry, instance),
        source=signal.path if signal is not None and not in_zip else None,
        write=signal.write_to if signal is not None and in_zip else None,
        file_name=data_path.name,
    )


def _compare_with_frozen(
    task: str, n_listed: int, n_built: int, report: BuildReport
) -> None:
    frozen = SUITE.frozen_counts[task]
    if n_listed != frozen:
        report.problems.append(
            f"{task}: {n_listed} scenarios in the release's files, the frozen set has "
            f"{frozen}"
        )
    elif n_built != frozen:
        report.problems.append(f"{task}: {n_built} of {frozen} scenarios built")


def differences_from_release(
    release_dir: str | Path, candidates: Sequence[Candidate]
) -> list[str]:
    """Name where built instances and the release's frozen set differ.

    Compared are the record names of each task, labels, and seizure times to the
    second. Tasks of which the release has no file, or no key, are passed by.
    """
    folder = find_layout(Path(release_dir))
    lines: list[str] = []
    for task in dict.fromkeys(candidate.instance.task for candidate in candidates):
        ours = {c.name: c for c in candidates if c.instance.task == task}
        theirs = {name_of(entry): entry for entry in read_entries(folder, task)}
        if not theirs or task in ("T1", "T2"):
            continue
        lines += _names("only in ours", task, set(ours) - set(theirs))
        lines += _names("only in the release", task, set(theirs) - set(ours))
        for name in sorted(set(ours) & set(theirs)):
            line = _difference(ours[name].reference, theirs[name], task)
            lines += [f"{task} {name}: {line}"] if line else []
    return lines


def _names(what: str, task: str, names: set[str]) -> list[str]:
    ordered = sorted(names, key=natural_key)
    return [f"{task}: {len(ordered)} {what}: {', '.join(ordered)}"] if ordered else []


def _difference(reference: Reference | None, entry: Entry, task: str) -> str | None:
    if reference is None or entry.gold is None:
        return None
    if task == "T5":
        ours = [(round(a), round(b)) for a, b in reference.events or []]
        theirs = [(round(a), round(b)) for a, b in entry.gold["seizure_events"]]
        return None if ours == theirs else f"seizures {ours}, in the release {theirs}"
    if task == "T6":
        # the release writes wake where the night is unscored
        stages = [stage or "W" for stage in reference.stages or []]
        labels = entry.gold["epoch_labels_aasm"]
        if len(stages) != len(labels):
            return f"{len(stages)} epochs, in the release {len(labels)}"
        n_other = sum(a != b for a, b in zip(stages, labels, strict=True))
        return f"{n_other} epochs have another stage" if n_other else None
    label = entry.gold["label"]
    return None if label == reference.label else f"{reference.label}, there {label}"
