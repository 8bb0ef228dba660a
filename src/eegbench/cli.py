# ruff: noqa: D301 - click reads \b as "leave these lines as they are"
"""The command line of eegbench: parse, call one function of the pipeline, print.

Data go to stdout, talk and progress to stderr. Exit status: 0 done, 1 failed or done
with failures, 2 misuse. Nothing heavy is imported before a command runs.
"""

import functools
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

from eegbench import __version__
from eegbench.errors import EegbenchError
from eegcore.errors import EegcoreError

FORMATS = click.Choice(["table", "json", "csv", "md"])
AGENTS = ("rules", "random", "constant", "id-only", "replay")
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


def _fail(message: str) -> NoReturn:
    click.echo(f"eegbench: {' '.join(message.split())}", err=True)
    sys.exit(1)


def _guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Turn every error that we or the system name into one line and exit 1."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except BrokenPipeError:
            # the reader (head, less) has gone; the interpreter must not complain
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        except KeyboardInterrupt:
            _fail("stopped by the user; 'run' goes on where it stopped")
        except (EegbenchError, EegcoreError) as error:
            _fail(str(error))
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            _fail(f"{where}{error.strerror or error}")

    return run


def _pipeline() -> Any:
    return import_module("eegbench.pipeline")


def _print(text: str) -> None:
    click.echo(text.rstrip("\n"))


def _talk(text: str) -> None:
    click.echo(text, err=True)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
    epilog=EXAMPLES,
)
@click.version_option(__version__, prog_name="eegbench")
def main() -> None:
    """Run agents on EEG recordings and score them.

    For research; not for clinical use.
    """


def _command(name: str) -> Callable[[Callable[..., Any]], click.Command]:
    def decorate(function: Callable[..., Any]) -> click.Command:
        return main.command(name)(_guarded(function))

    return decorate


_format = click.option(
    "--format", "form", type=FORMATS, default="table", show_default=True
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
    _print(_pipeline().demo(output, workers=workers, talk=_talk))


@_command("list")
@_format
def list_suites(form: str) -> None:
    """List suites, tasks, agents and data sources."""
    _print(_pipeline().list_suites(form=form))


@_command("show")
@click.argument("task")
@_format
def show(task: str, form: str) -> None:
    """State what TASK asks, its metric, chance level and data.

    \b
    eegbench show T5
    """
    _print(_pipeline().show_task(task, form=form))


@_command("build")
@click.argument("suite", metavar="SUITE")
@click.option("--sources", type=Path, help="One folder per public data set in here.")
@click.option("--release", type=Path, help="The published release's own layout.")
@click.option("--signals", type=Path, help="Signal files of the release.")
@click.option("--tasks", help="A comma list, such as T3,T5; default: all.")
@click.option(
    "--condition", type=click.Choice(["default", "paper-like"]), default="default"
)
@click.option("--panel", type=Path, help="Results of the screening panel.")
@_output
def build(
    suite: str,
    sources: Path | None,
    release: Path | None,
    signals: Path | None,
    tasks: str | None,
    condition: str,
    panel: Path | None,
    output: Path,
) -> None:
    """Build a set from data sets on disk.

    \b
    eegbench build eegagent --sources DATA --tasks T3,T5 -o sets/t3t5
    eegbench build eegagent --release RELEASE -o sets/paper --condition paper-like
    """
    if (sources is None) == (release is None):
        raise click.UsageError("give either --sources DIR or --release DIR")
    text, failed = _pipeline().build_set(
        suite,
        output,
        sources=sources,
        release=release,
        signals=signals,
        tasks=tuple(tasks.split(",")) if tasks else None,
        condition=condition,
        panel=panel,
        talk=_talk,
    )
    _print(text)
    sys.exit(int(failed))


@_command("check")
@click.argument("set_path", type=Path, metavar="SET")
def check(set_path: Path) -> None:
    """Check that a set is whole, unchanged and readable."""
    text, failed = _pipeline().check_set(set_path, talk=_talk)
    _print(text)
    sys.exit(int(failed))


@_command("run")
@click.argument("set_path", type=Path, metavar="SET")
@click.option("--agent", required=True, help=f"One of {', '.join(AGENTS)}.")
@click.option("--config", type=Path, help="A TOML file with the agent's options.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True)
@click.option("--limit", type=click.IntRange(1), help="Only the first N instances.")
@click.option("--source", type=Path, help="For replay: the run to replay.")
@_output
def run(
    set_path: Path,
    agent: str,
    config: Path | None,
    workers: int,
    limit: int | None,
    source: Path | None,
    output: Path,
) -> None:
    """Let an agent answer a set; goes on where RUN stopped.

    \b
    eegbench run sets/t3t5 --agent rules --workers 2 -o runs/rules
    """
    summary, failed = _pipeline().run_agent(
        set_path,
        agent,
        output,
        config=config,
        workers=workers,
        limit=limit,
        source=source,
        talk=_talk,
    )
    _print(summary)
    sys.exit(int(failed))


@_command("score")
@click.argument("run_path", type=Path, metavar="RUN")
@_format
@click.option("--rounds", type=click.IntRange(0), default=1000, show_default=True)
def score(run_path: Path, form: str, rounds: int) -> None:
    """Score a run from its stored raw answers.

    \b
    eegbench score runs/rules
    eegbench score runs/rules --format json | jq .tasks.T3.metrics
    """
    text, failed = _pipeline().score(run_path, form=form, rounds=rounds, talk=_talk)
    _print(text)
    sys.exit(int(failed))


@_command("report")
@click.argument("runs", type=Path, metavar="RUN...", nargs=-1, required=True)
@click.option("-o", "--output", type=Path, help="The file; text forms: else stdout.")
@click.option(
    "--format", "form", type=click.Choice(["html", "md", "csv", "json"]), default="html"
)
def report(runs: tuple[Path, ...], output: Path | None, form: str) -> None:
    """Write one page: scores, behaviour, single cases.

    \b
    eegbench report runs/rules runs/random -o report.html
    eegbench report runs/rules --format md
    """
    if output is None and form == "html":
        raise click.UsageError("an HTML report needs -o FILE.html")
    text = _pipeline().report(list(runs), output, form=form, talk=_talk)
    if text is not None:
        _print(text)


@_command("analyse")
@click.argument("runs", type=Path, metavar="RUN...", nargs=-1, required=True)
@click.option("--figures/--no-figures", default=True, help="Needs the extra 'plots'.")
@_output
def analyse(runs: tuple[Path, ...], figures: bool, output: Path) -> None:  # noqa: FBT001 - click passes it by name
    """Write all tables and figures of the analysis.

    \b
    eegbench analyse runs/rules runs/random -o analysis
    """
    _print(_pipeline().analyse(list(runs), output, figures=figures, talk=_talk))


@_command("paper")
@click.argument("table", required=False)
@_format
def paper(table: str | None, form: str) -> None:
    """Print a table of the paper, or list them.

    \b
    eegbench paper 2 --format csv
    """
    _print(_pipeline().paper(table, form=form))


@_command("audit")
@click.argument("set_path", type=Path, metavar="SET")
@_format
def audit(set_path: Path, form: str) -> None:
    """Measure what scores without any signal."""
    _print(_pipeline().audit(set_path, form=form, talk=_talk))


@_command("case")
@click.argument("run_path", type=Path, metavar="RUN")
@click.argument("instance_id", metavar="ID", required=False)
@click.option("--full", is_flag=True, help="Do not shorten long messages.")
def case(run_path: Path, instance_id: str | None, *, full: bool) -> None:
    """Print one case with its picture as text.

    \b
    eegbench case runs/rules            lists the ids
    eegbench case runs/rules T5-0003
    """
    _print(_pipeline().case(run_path, instance_id, full=full))


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
        _print(_pipeline().compare_latency(*compare, form=form))
        return
    _print(
        _pipeline().latency(
            list(recordings),
            rounds=rounds,
            dialect=dialect,
            small=small,
            form=form,
            talk=_talk,
        )
    )


if __name__ == "__main__":
    main()
