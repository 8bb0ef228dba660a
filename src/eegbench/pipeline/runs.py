"""Commands on runs: score, report, case, export, analyse, and the demo."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from eegbench.errors import ConfigError, SetError
from eegbench.evaluate import evaluate_run
from eegbench.instances import recording_path
from eegbench.pipeline.baselines import baselines_of
from eegbench.pipeline.running import run_agent
from eegbench.progress import Tick
from eegbench.scored import LoadedRun, ScoredCase, load_run
from eegbench.transcripts import read_transcript
from eegcore.errors import EegcoreError
from eegcore.formats import open_recording

Talk = Callable[[str], None]
JsonObject = dict[str, Any]


def score(
    run_path: Path, *, set_path: Path | None, form: str, rounds: int, talk: Talk
) -> tuple[str, bool]:
    """Score a run and return its table, and whether rows failed in the harness."""
    from eegbench.report.leaderboard import score_text

    result = _judged(run_path, set_path=set_path, rounds=rounds, talk=talk)[0]
    if form in ("json", "csv"):  # the tables end with the notes themselves
        for note in result["notes"]:
            talk(note)
    failed = any(task["failed"] for task in result["tasks"].values())
    return score_text(result, form=form), failed


def report(
    runs: Sequence[Path],
    output: Path | None,
    *,
    set_path: Path | None,
    form: str,
    rounds: int,
    prices: Path | None = None,
    talk: Talk,
) -> str | None:
    """Write a report; return it where it goes to stdout, else None."""
    from eegbench.records import write_whole
    from eegbench.report.leaderboard import leaderboard_text

    told = [_judged(path, set_path=set_path, rounds=rounds, talk=talk) for path in runs]
    for result, _, run in told:
        for note in result["notes"]:
            talk(f"{run.name}: {note}")
    if form == "html":
        text = _page(told, _prices(prices, [result for result, _, _ in told]))
    else:
        text = leaderboard_text([result for result, _, _ in told], form=form)
    if output is None:
        return text
    write_whole(output, text.encode())
    talk(f"wrote {output} ({output.stat().st_size / 1e6:.1f} MB)")
    return None


def demo(output: Path, *, workers: int | None, talk: Talk, tick: Tick) -> str:
    """Build the simulated set, run two agents on it, score, and write a report."""
    from eegbench.report.leaderboard import score_text
    from eegbench.suites.eegagent.demo import build_demo
    from eegcore.warmup import compile_all

    talk("simulating recordings of all six tasks")
    build_demo(output / "set")
    talk("compiling the kernels, once for this version of them")
    # before there are many processes, each of which would compile the same
    compile_all(lambda name, done, count: tick(done, count))
    results = []
    for agent in ("rules", "random"):
        talk(f"running {agent}")
        folder = output / "runs" / agent
        if (folder / "run.json").is_file():
            shutil.rmtree(folder)  # a demo starts anew, whatever version made the last
        run_agent(
            output / "set",
            agent,
            folder,
            workers=workers,
            talk=talk,
            tick=tick,
        )
        judged = _judged(folder, set_path=None, rounds=1000, talk=talk)
        results.append(judged)
    page = output / "report.html"
    page.write_text(_page(results), encoding="utf-8")
    tables = "\n".join(score_text(result, form="table") for result, _, _ in results)
    return (
        f"{tables}\nSIMULATED data: these scores show that the chain works, no more.\n"
        f"next: open {page}; then build a set from real data: eegbench build --help\n"
    )


def case(
    run_path: Path,
    instance_id: str | None,
    *,
    set_path: Path | None,
    full: bool,
    figure: Path | None = None,
) -> str:
    """Return one case as text, or the list of cases."""
    from eegbench.report.case_text import case_text, list_text

    run = load_run(run_path, set_path=set_path)
    cases = evaluate_run(run, rounds=0).cases
    if instance_id is None:
        return list_text(cases)
    each = _find(cases, instance_id, run_path)
    events = _reader(run)(each)
    if figure is not None:
        _draw_case(each, events, figure)
    return case_text(each, events, full=full)


def _draw_case(each: ScoredCase, events: list[JsonObject], path: Path) -> None:
    from eegbench.analysis.case_figures import case_figure
    from eegbench.analysis.trajectories import calls_of

    if path.suffix not in (".svg", ".png", ".pdf"):
        raise ConfigError(f"{path}: a figure ends in .svg, .png or .pdf")
    try:
        drawn = case_figure(each, calls_of(events))
    except ImportError as error:
        raise ConfigError(
            "figures need matplotlib: pip install 'eegbench[plots]'"
        ) from error
    drawn.savefig(path, dpi=160)


def analyse(
    runs: Sequence[Path],
    output: Path,
    *,
    set_path: Path | None,
    figures: bool,
    prices: Path | None = None,
    talk: Talk,
) -> str:
    """Write the tables and figures of the analysis; return what was written."""
    from eegbench.analysis.output import write_analysis

    told = [_judged(path, set_path=set_path, rounds=0, talk=talk) for path in runs]
    written = write_analysis(
        [(result, cases, _reader(run)) for result, cases, run in told],
        output,
        figures=figures,
        prices=_prices(prices, [result for result, _, _ in told]),
    )
    return "\n".join(str(path) for path in written)


def _prices(
    path: Path | None, results: Sequence[JsonObject]
) -> dict[str, dict[str, float]]:
    """Return the prices of runs that a price file knows, by the run's name."""
    if path is None:
        return {}
    from eegbench.prices import read_prices

    listed = read_prices(path)
    found = {result["run"]: listed.find(result["agent"]) for result in results}
    return {
        run: {
            "input_usd_per_mtok": price.input,
            "output_usd_per_mtok": price.output,
        }
        for run, price in found.items()
        if price is not None
    }


def export(
    run_path: Path,
    instance_id: str | None,
    output: Path,
    *,
    form: str,
    set_path: Path | None,
) -> str:
    """Write answers in a form of the trade; return the files."""
    from eegbench.export.events import answer_of
    from eegbench.export.files import export_answers

    run = load_run(run_path, set_path=set_path)
    cases = evaluate_run(run, rounds=0).cases
    if instance_id is not None:
        chosen = [_find(cases, instance_id, run_path)]
    else:
        chosen = [
            each
            for each in cases
            if each.score is not None and each.instance.recording is not None
        ]
    if not chosen:
        raise SetError(f"no answered instance of {run_path} has a recording")
    answers = [answer_of(each, start=_start(run, each)) for each in chosen]
    written = export_answers(answers, output, form)
    if not written:
        only = {"szcore": "seizures (T5)", "yasa": "hypnograms (T6)"}.get(form, "")
        raise SetError(f"no answer of {run_path} fits {form}, which holds {only}")
    return "\n".join(str(path) for path in written)


def _start(run: LoadedRun, each: ScoredCase) -> datetime | None:
    """Return when a recording began, where it is there and says so."""
    path = recording_path(run.set.path, each.instance)
    if path is None or not path.is_file():
        return None
    try:
        with open_recording(path, **each.instance.open_args) as recording:
            return recording.start
    except EegcoreError:
        return None


def _find(cases: Sequence[ScoredCase], name: str, where: Path) -> ScoredCase:
    for each in cases:
        if name in (each.instance.instance_id, _record_id(each)):
            return each
    known = ", ".join(each.instance.instance_id for each in cases[:4])
    raise SetError(f"no case {name!r} in {where}; there are {known}, ...")


def _judged(
    run_path: Path, *, set_path: Path | None, rounds: int, talk: Talk
) -> tuple[JsonObject, list[ScoredCase], LoadedRun]:
    run = load_run(run_path, set_path=set_path)
    told = baselines_of(run.set, run.references, talk=talk)
    evaluation = evaluate_run(run, rounds=rounds, baselines=told)
    return evaluation.result, evaluation.cases, run


def _page(
    told: Sequence[tuple[JsonObject, list[ScoredCase], LoadedRun]],
    prices: Mapping[str, Mapping[str, float]] | None = None,
) -> str:
    from eegbench.pipeline.comparing import differences
    from eegbench.report.page import RunReport, agent_names, render_page

    best_first = sorted(told, key=lambda each: -(each[0]["overall"] or 0.0))
    runs = [
        RunReport(
            result, cases, _reader(run), run.suite, (prices or {}).get(result["run"])
        )
        for result, cases, run in best_first
    ]
    names = agent_names([result for result, _, _ in best_first])
    rows = differences(
        [
            (name, run, cases)
            for name, (_, cases, run) in zip(names, best_first, strict=True)
        ]
    )
    suites = dict.fromkeys(run.suite.title for run in runs)
    return render_page(runs, title=" and ".join(suites), differences=rows)


def _reader(run: LoadedRun) -> Callable[[ScoredCase], list[JsonObject]]:
    """Return a function that reads a case's transcript, or nothing if none is kept."""

    def read(each: ScoredCase) -> list[JsonObject]:
        if each.prediction is None or each.prediction.transcript is None:
            return []
        path = run.path / each.prediction.transcript
        return read_transcript(path) if path.is_file() else []

    return read


def _record_id(each: ScoredCase) -> str | None:
    return each.prediction.record_id if each.prediction else None
