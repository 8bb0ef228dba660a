"""Data sets on disk -> instances and references.

`build` goes through the stages of the paper: candidates of each source, screening by
a panel's results, class balancing, task-specific preparation. Without panel results
all candidates are kept, unless balancing is asked for. One unreadable file or one
missing data set costs itself only.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from eegbench.errors import SetError, SourceError
from eegbench.sources.folders import FOLDER_NAMES, find_folder
from eegbench.suites.eegagent.balance import BALANCED, Member, balance
from eegbench.suites.eegagent.build.long_tasks import seizure_pool, staging_pool
from eegbench.suites.eegagent.build.place import (
    BuildReport,
    check_room,
    place_all,
    start_set,
    write_all,
)
from eegbench.suites.eegagent.build.pool import Candidate, Place, Pool
from eegbench.suites.eegagent.build.release import differences_from_release
from eegbench.suites.eegagent.build.short_tasks import (
    artifact_pool,
    cohort_pool,
    knowledge_pool,
    screening_pool,
)
from eegbench.suites.eegagent.flow import differences, flow_rows, totals
from eegbench.suites.eegagent.screening import SCREENED, Panel, read_panel, solve_rates
from eegbench.suites.eegagent.tasks import SUITE

__all__ = ["DATASETS", "BuildReport", "build"]

DATASETS = {
    "T1": "medmcqa",
    "T2": "eegdenoisenet",
    "T3": "bonn",
    "T4": "ds004504",
    "T5": "chbmit",
    "T6": "sleep-edfx",
}
"""Task to the data set that it is built from."""

_POOLS: dict[str, Callable[[Path], Pool]] = {
    "T1": knowledge_pool,
    "T2": artifact_pool,
    "T3": screening_pool,
    "T4": cohort_pool,
    "T5": seizure_pool,
    "T6": staging_pool,
}


def build(
    sources_dir: str | Path,
    tasks: Sequence[str] | None = None,
    out: str | Path = "set",
    *,
    panel: str | Path | None = None,
    balanced: bool | None = None,
    trim: bool = True,
    exclude: Collection[str] = (),
    place: Place = "refer",
    checksums: bool = True,
    compare_with: str | Path | None = None,
    talk: Callable[[str], None] | None = None,
) -> BuildReport:
    """Build a set from the public data sets.

    Parameters
    ----------
    sources_dir : path
        Holds one folder per data set, under a usual name.
    tasks : sequence of str or None
        Such as `["T3", "T5"]`; None: all that there is data for.
    out : path
        Folder of the set; an older set in it is replaced.
    panel : path or None
        Results of the screening panel (`read_panel`); None: no screening.
    balanced : bool or None
        Whether classes are balanced; None: if there are panel results.
    trim : bool
        Whether wake at the ends of nights is trimmed (T6).
    exclude : collection of str
        Record names or instance ids to leave out.
    place : str
        `refer`, `copy` or `link`: what is done with signals outside the set.
    checksums : bool
        Whether the SHA-256 of every signal file is taken.
    compare_with : path or None
        The release's folder; every record in which the set differs is named.

    Raises
    ------
    SetError
        An unknown task, or nothing could be built.
    SourceError
        No folder of sources.
    """
    sources_dir, out = Path(sources_dir), Path(out)
    names = _task_names(tasks)
    check_room(out)
    talk = talk or _silent
    results = read_panel(Path(panel)) if panel is not None else None
    report = BuildReport(set_path=out)
    chosen: list[Candidate] = []
    for task in names:
        pool = _pool(task, sources_dir, report, trim=trim, talk=talk)
        if pool is None:
            continue
        pool.candidates = [c for c in pool.candidates if not _named(c, exclude)]
        chosen += select(
            pool, report, panel=results, balanced=_or(balanced, results is not None)
        )
    if not chosen:
        write_all([], report, suite=SUITE.name, condition="default")
    start_set(out)
    talk(f"placing the signals of {len(chosen)} instances")
    placed = place_all(chosen, out, place=place, checksums=checksums, report=report)
    found = differences([*report.flow, *totals(report.flow)])
    if compare_with is not None:
        found += differences_from_release(compare_with, placed)
    report.problems[:0] = found
    write_all(placed, report, suite=SUITE.name, condition="default")
    return report


def _pool(
    task: str,
    sources_dir: Path,
    report: BuildReport,
    *,
    trim: bool,
    talk: Callable[[str], None],
) -> Pool | None:
    """Gather the candidates of one task; None, and a line in the report: no data."""
    folder = find_folder(sources_dir, DATASETS[task])
    if folder is None:
        known = ", ".join(FOLDER_NAMES[DATASETS[task]])
        report.missing.append(
            f"{task}: no folder of {DATASETS[task]} in {sources_dir} "
            f"(names that begin with {known})"
        )
        return None
    talk(f"{task}: looking through {folder}")
    try:
        return staging_pool(folder, trim=trim) if task == "T6" else _POOLS[task](folder)
    except SourceError as error:
        report.missing.append(f"{task}: {error}")
        return None


def select(
    pool: Pool, report: BuildReport, *, panel: Panel | None, balanced: bool
) -> list[Candidate]:
    """Screen and balance one pool; every count goes into the report's flow."""
    report.unreadable += pool.unreadable
    report.problems += pool.problems
    kept = pool.candidates
    _count(report, "candidates", pool.task, kept, pool.extra_counts)
    rates = solve_rates(pool.task, kept, panel) if panel is not None else {}
    if panel is not None and pool.task in panel.screened_tasks:
        unknown = [c.name for c in kept if c.instance.instance_id not in rates]
        if unknown:
            report.problems.append(
                f"{pool.task}: no panel result for {len(unknown)} of {len(kept)} "
                f"candidates, which are kept: {', '.join(unknown[:5])}"
                + (", ..." if len(unknown) > 5 else "")
            )
        kept = [c for c in kept if rates.get(c.instance.instance_id, 0) < panel.easy]
    if panel is not None:
        _count(report, "screened", pool.task, kept, {})
    elif pool.task in SCREENED:
        report.problems.append(f"{pool.task}: not screened, for want of panel results")
    if balanced:
        members = [Member(c.instance.instance_id, c.group) for c in kept]
        ids = set(balance(pool.task, members, rates))
        kept = [c for c in kept if c.instance.instance_id in ids]
    extra = {}
    if pool.task == "T6":
        extra = {
            "trimmed": sum(c.write is not None for c in kept),
            "epochs": sum(c.instance.n_epochs or 0 for c in kept),
        }
    untouched = pool.task not in (*SCREENED, *BALANCED)
    if untouched or (balanced if pool.task in BALANCED else panel is not None):
        _count(report, "balanced", pool.task, kept, extra)
    elif pool.task in BALANCED:
        report.problems.append(f"{pool.task}: not balanced")
    return kept


def _count(
    report: BuildReport,
    stage: str,
    task: str,
    kept: Sequence[Candidate],
    extra: dict[str, int],
) -> None:
    counts = {**Counter(candidate.group for candidate in kept), **extra}
    report.flow += flow_rows(stage, task, counts, total=len(kept))


def _task_names(tasks: Sequence[str] | None) -> list[str]:
    if tasks is None:
        return list(DATASETS)
    names = [SUITE.task(name).name for name in tasks]
    if not names:
        raise SetError(f"no task; known: {', '.join(DATASETS)}")
    return list(dict.fromkeys(names))


def _named(candidate: Candidate, names: Collection[str]) -> bool:
    return candidate.name in names or candidate.instance.instance_id in names


def _or(value: bool | None, otherwise: bool) -> bool:  # noqa: FBT001 - private
    return otherwise if value is None else value


def _silent(_text: str) -> None:
    """Say nothing."""
