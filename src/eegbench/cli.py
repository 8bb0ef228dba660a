# ruff: noqa: D301 - click reads \b as "leave these lines as they are"
"""The command line of eegbench: parse, call one function of the pipeline, print.

Data go to stdout, talk and progress to stderr. Exit status: 0 done, 1 failed or done
with failures, 2 misuse. Nothing heavy is imported before a command runs.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from eegbench import __version__
from eegbench.cli_build import build
from eegbench.cli_chat import chat_choices
from eegbench.cli_data import data
from eegbench.cli_scale import merge, scale_choices
from eegbench.terminal import guarded, progress_bar, show, talk

FORMATS = click.Choice(["table", "json", "csv", "md"])
AGENTS = (
    "rules, random, constant, id-only, replay, command, chat, a .toml file, module:Name"
)
EXAMPLES = """\b
A first look (simulated data, two minutes):
    eegbench demo -o demo
\b
The benchmark on your copies of the public data sets:
    eegbench build eegagent --sources DATA --tasks T3,T5 -o sets/t3t5
    eegbench run sets/t3t5 --agent rules --workers 2 -o runs/rules
    eegbench score runs/rules
    eegbench report runs/rules -o report.html
"""


def _pipeline() -> Any:
    return import_module("eegbench.pipeline")


def _listed(names: str | None) -> tuple[str, ...] | None:
    if names is None:
        return None
    return tuple(name.strip() for name in names.split(",") if name.strip())


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
    epilog=EXAMPLES,
)
@click.version_option(__version__, prog_name="eegbench")
def main() -> None:
    """Run agents on EEG recordings and score them.

    For research; not for clinical use.
    """


main.add_command(build)
main.add_command(data)
main.add_command(merge)


def _command(name: str) -> Callable[[Callable[..., Any]], click.Command]:
    def decorate(function: Callable[..., Any]) -> click.Command:
        return main.command(name)(guarded(function))

    return decorate


_format = click.option(
    "--format", "form", type=FORMATS, default="table", show_default=True
)
_set = click.option(
    "--set", "set_path", type=Path, help="Where the set lies now, if it was moved."
)
_rounds = click.option(
    "--rounds",
    type=click.IntRange(0),
    default=1000,
    show_default=True,
    help="Of the bootstrap; 0: no intervals.",
)
_output = click.option("-o", "--output", type=Path, required=True, help="Where to.")


@_command("demo")
@click.option(
    "-o", "--output", type=Path, default=Path("demo"), show_default=True, metavar="DIR"
)
@click.option(
    "--workers", type=click.IntRange(1), help="Processes; default: all cores."
)
def demo(output: Path, workers: int | None) -> None:
    """Show all of it on simulated recordings: sets, agents, scores, report.

    \b
    eegbench demo -o demo       then open demo/report.html
    """
    with progress_bar("demo") as tick:
        text = _pipeline().demo(output, workers=workers, talk=talk, tick=tick)
    show(text)


@_command("list")
@_format
def list_suites(form: str) -> None:
    """List suites, tasks, agents and data sources."""
    show(_pipeline().list_suites(form=form))


@_command("show")
@click.argument("task")
@_format
def show_task(task: str, form: str) -> None:
    """State what TASK asks, its metric, chance level and data.

    \b
    eegbench show T5
    """
    show(_pipeline().show_task(task, form=form))


@_command("check")
@click.argument("set_path", type=Path, metavar="SET")
def check(set_path: Path) -> None:
    """Check that a set is whole, unchanged and readable."""
    text, failed = _pipeline().check_set(set_path, talk=talk)
    show(text)
    sys.exit(int(failed))


@_command("run")
@click.argument("set_path", type=Path, metavar="SET")
@click.option("--agent", help=f"One of: {AGENTS}.")
@click.option("--config", type=Path, help="A TOML file with limits and budgets.")
@click.option(
    "--workers", type=click.IntRange(1), help="Processes; default: all cores."
)
@click.option("--tasks", help="A comma list, such as T3,T5; default: all of the set.")
@click.option("--limit", type=click.IntRange(1), help="Only the first N instances.")
@click.option(
    "--subset", type=click.IntRange(1), metavar="N", help="A stratified part of N."
)
@click.option("--source", type=Path, help="For replay: the run to replay.")
@chat_choices
@scale_choices
@_format
@_output
def run(
    set_path: Path,
    agent: str | None,
    output: Path,
    tasks: str | None,
    form: str,
    chat: dict[str, Any],
    **told: Any,
) -> None:
    """Let an agent answer a set; goes on where RUN stopped.

    \b
    eegbench run sets/t3t5 --agent rules --workers 2 -o runs/rules
    eegbench run sets/t3t5 --model openai/gpt-5.5 --mode tools -o runs/gpt
    eegbench run sets/t3t5 --models models.toml --dry-run -o runs
    """
    if agent is None and not (chat.get("model") or chat.get("models")):
        raise click.UsageError("give --agent NAME, --model NAME or --models FILE")
    agent = agent or "chat"
    with progress_bar(agent) as tick:
        summary, failed = _pipeline().run_agent(
            set_path,
            agent,
            output,
            tasks=_listed(tasks),
            chat=chat,
            form=form,
            talk=talk,
            tick=tick,
            **told,
        )
    show(summary)
    sys.exit(int(failed))


@_command("score")
@click.argument("run_path", type=Path, metavar="RUN")
@_format
@_rounds
@_set
def score(run_path: Path, form: str, rounds: int, set_path: Path | None) -> None:
    """Score a run from its stored raw answers.

    For each task: the metric that counts, its 95 % bootstrap interval, the best answer
    without a signal, and the skill above that. Nothing is run again.

    \b
    eegbench score runs/rules
    eegbench score runs/rules --format csv > scores.csv      every metric, a row each
    eegbench score runs/rules --format json | jq .tasks.T3.metrics
    """
    text, failed = _pipeline().score(
        run_path, set_path=set_path, form=form, rounds=rounds, talk=talk
    )
    show(text)
    sys.exit(int(failed))


@_command("report")
@click.argument("runs", type=Path, metavar="RUN...", nargs=-1, required=True)
@click.option("-o", "--output", type=Path, help="The file; text forms: else stdout.")
@click.option(
    "--format", "form", type=click.Choice(["html", "md", "csv", "json"]), default="html"
)
@_rounds
@click.option("--prices", type=Path, help="A file of prices, for the cost of runs.")
@_set
def report(
    runs: tuple[Path, ...],
    output: Path | None,
    form: str,
    rounds: int,
    prices: Path | None,
    set_path: Path | None,
) -> None:
    """Write one page: scores, behaviour, single cases.

    The page is one file that needs no network: leaderboard with baselines, a section
    a task, what the agents did, every case with its picture and turns, provenance.

    \b
    eegbench report runs/rules runs/random -o report.html
    eegbench report runs/gpt --prices prices.toml -o report.html    with cost
    eegbench report runs/rules --format md
    """
    if output is None and form == "html":
        raise click.UsageError("an HTML report needs -o FILE.html")
    text = _pipeline().report(
        list(runs),
        output,
        set_path=set_path,
        form=form,
        rounds=rounds,
        prices=prices,
        talk=talk,
    )
    if text is not None:
        show(text)


@_command("compare")
@click.argument("first", type=Path, metavar="RUN")
@click.argument("second", type=Path, metavar="RUN")
@_set
@_format
def compare(first: Path, second: Path, set_path: Path | None, form: str) -> None:
    """Test the difference of two runs on one set.

    \b
    eegbench compare runs/rules runs/random
    """
    show(_pipeline().compare(first, second, set_path=set_path, form=form))


@_command("repeats")
@click.argument("runs", type=Path, metavar="RUN...", nargs=-1, required=True)
@_set
@_format
def repeats(runs: tuple[Path, ...], set_path: Path | None, form: str) -> None:
    """Say how far repeated runs of one agent agree."""
    show(_pipeline().repeats(list(runs), set_path=set_path, form=form))


@_command("export")
@click.argument("run_path", type=Path, metavar="RUN")
@click.argument("instance_id", metavar="[ID]", required=False)
@click.option(
    "--to", "form", type=click.Choice(["edf+", "szcore", "yasa", "bids"]), required=True
)
@_set
@_output
def export(
    run_path: Path,
    instance_id: str | None,
    form: str,
    set_path: Path | None,
    output: Path,
) -> None:
    """Write answers as files of the trade; of ID alone or of all that a form can hold.

    \b
    edf+    annotations on the clock of the recording: every task with a recording
    szcore  seizures as SzCORE tables: T5
    yasa    hypnograms with AASM statistics: T6
    bids    a derivatives folder: every task with a recording
    \b
    eegbench export runs/rules --to edf+ -o answers    opens in EDFbrowser and MNE
    eegbench export runs/rules T6-0001 --to yasa -o answers
    """
    show(
        _pipeline().export(run_path, instance_id, output, form=form, set_path=set_path)
    )


@_command("analyse")
@click.argument("runs", type=Path, metavar="RUN...", nargs=-1, required=True)
@click.option("--figures/--no-figures", default=True, help="Needs the extra 'plots'.")
@click.option("--prices", type=Path, help="A file of prices, for the cost of runs.")
@_set
@_output
def analyse(runs: tuple[Path, ...], output: Path, **told: Any) -> None:
    """Write all tables and figures of the analysis.

    \b
    eegbench analyse runs/rules runs/random -o analysis
    """
    show(_pipeline().analyse(list(runs), output, talk=talk, **told))


@_command("paper")
@click.argument("table", required=False)
@_format
def paper(table: str | None, form: str) -> None:
    """Print a table of the paper, or list them.

    \b
    eegbench paper 2 --format csv
    """
    show(_pipeline().paper(table, form=form))


@_command("audit")
@click.argument("set_path", type=Path, metavar="SET")
@_format
def audit(set_path: Path, form: str) -> None:
    """Measure what scores without any signal."""
    show(_pipeline().audit(set_path, form=form, talk=talk))


@_command("case")
@click.argument("run_path", type=Path, metavar="RUN")
@click.argument("instance_id", metavar="[ID]", required=False)
@click.option("--full", is_flag=True, help="Do not shorten long messages.")
@click.option("--figure", type=Path, help="Draw it, too: a .svg, .png or .pdf file.")
@_set
def case(run_path: Path, instance_id: str | None, **told: Any) -> None:
    """Print one case with its picture as text; without ID list the cases.

    \b
    eegbench case runs/rules            lists the ids
    eegbench case runs/rules T5-0003
    """
    show(_pipeline().case(run_path, instance_id, **told))


@_command("latency")
@click.argument("recordings", type=Path, metavar="[FILE]...", nargs=-1)
@click.option("--rounds", type=click.IntRange(1), default=20, show_default=True)
@click.option(
    "--dialect", type=click.Choice(["default", "paper-1.0"]), default="default"
)
@click.option("--small", is_flag=True, help="Short simulated recordings.")
@click.option("--compare", type=Path, nargs=2, help="Two earlier JSON results.")
@_format
def latency(
    recordings: tuple[Path, ...],
    rounds: int,
    dialect: str,
    compare: tuple[Path, Path] | None,
    form: str,
    *,
    small: bool,
) -> None:
    """Time every tool on recordings.

    \b
    eegbench latency night.edf --format json > A.json
    eegbench latency --compare A.json B.json
    """
    if compare is not None:
        show(_pipeline().compare_latency(*compare, form=form))
        return
    show(
        _pipeline().latency(
            list(recordings),
            rounds=rounds,
            dialect=dialect,
            small=small,
            form=form,
            talk=talk,
        )
    )


if __name__ == "__main__":
    main()
