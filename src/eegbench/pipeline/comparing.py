"""Commands on several runs of one set: compare two, look at repeats of one agent."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from eegbench.compare import compare as compared
from eegbench.compare import repeated
from eegbench.errors import SetError
from eegbench.judging import judge_run, task_of
from eegbench.records import JsonObject
from eegbench.report.tables import render
from eegbench.scored import LoadedRun, ScoredCase, load_run
from eegbench.suites import Task


def compare(first: Path, second: Path, *, set_path: Path | None, form: str) -> str:
    """Return the difference of two runs in each task, with a paired test."""
    runs = _on_one_set([first, second], set_path)
    one, two = (judge_run(run) for run in runs)
    rows = compared(one, two, tasks_of(runs[0]))
    return render(rows, form=form)


def differences(
    judged: Sequence[tuple[str, LoadedRun, Sequence[ScoredCase]]],
) -> list[JsonObject]:
    """Return how the first run differs from each other one on the same set.

    Each run is given as (name, run, judged instances); pairs without an instance in
    common are left out.
    """
    name, run, cases = judged[0]
    rows: list[JsonObject] = []
    for other_name, other, other_cases in judged[1:]:
        if other.set.checksum != run.set.checksum:
            continue
        with suppress(SetError):
            rows += [
                {"first": name, "second": other_name, **row}
                for row in compared(cases, other_cases, tasks_of(run))
            ]
    return rows


def repeats(paths: Sequence[Path], *, set_path: Path | None, form: str) -> str:
    """Return how far repeated runs of one agent agree, by task."""
    runs = _on_one_set(paths, set_path)
    agents = {run.info.agent for run in runs}
    if len(agents) > 1:
        raise SetError(f"repeats are runs of one agent; these are of {sorted(agents)}")
    return render(repeated([judge_run(run) for run in runs]), form=form)


def tasks_of(run: LoadedRun) -> dict[str, Task]:
    """Return the tasks of a run by name, with their classes."""
    tasks: dict[str, Task] = {}
    for instance in run.wanted():
        if instance.task not in tasks:
            tasks[instance.task] = task_of(run, instance)
    return tasks


def _on_one_set(paths: Sequence[Path], set_path: Path | None) -> list[LoadedRun]:
    runs = [load_run(path, set_path=set_path) for path in paths]
    if len({run.set.checksum for run in runs}) > 1:
        raise SetError("these runs answer different sets; they do not compare")
    return runs
