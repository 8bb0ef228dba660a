# ruff: noqa: D301 - click reads \b as "leave these lines as they are"
"""Commands and options for many machines: shards, array jobs, Dask, merge."""

import functools
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from eegbench.terminal import guarded, show, talk

_OPTIONS = (
    click.option("--shard", metavar="I/N", help="Play part I of N, from 1 to N."),
    click.option(
        "--print-job",
        type=click.Choice(["slurm", "xargs"]),
        help="Print an array job of shards; start nothing.",
    ),
    click.option(
        "--jobs",
        type=click.IntRange(1, 100_000),
        default=10,
        show_default=True,
        help="Shards of --print-job.",
    ),
    click.option(
        "--executor",
        type=click.Choice(["processes", "dask"]),
        default="processes",
        show_default=True,
        help="Who carries the work out; dask needs the extra 'dask'.",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Of Dask, such as tcp://host:8786; default: a cluster on this machine.",
    ),
)
_OWN = ("shard", "print_job", "jobs", "output")


def scale_choices(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options; ``--print-job`` prints and ends, the rest go on."""

    @functools.wraps(command)
    def run(**given: Any) -> Any:
        kind, jobs = given.pop("print_job"), given.pop("jobs")
        if given["scheduler"] is not None and given["executor"] != "dask":
            raise click.UsageError("--scheduler goes with --executor dask")
        if kind is None:
            return command(**given)
        if given["shard"] is not None:
            raise click.UsageError("--print-job makes the shards; leave --shard out")
        context = click.get_current_context()
        words = _words(context)
        scaling = import_module("eegbench.pipeline.scaling")
        show(scaling.print_job(kind, words, given["output"], n_jobs=jobs))
        return None

    for option in reversed(_OPTIONS):
        run = option(run)
    return run


def _words(context: click.Context) -> list[str]:
    """Return the command as it was given, without what each shard has of its own."""
    words = ["eegbench", str(context.command.name)]
    for parameter in context.command.params:
        name = str(parameter.name)
        told = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if name in _OWN or not told:
            continue
        value = context.params[name]
        if isinstance(parameter, click.Argument):
            words.insert(2, str(value))
        elif isinstance(parameter, click.Option) and parameter.is_flag:
            words.append(parameter.opts[0])
        else:
            for one in value if isinstance(value, tuple) else (value,):
                words += [parameter.opts[-1], str(one)]
    return words


@click.command("merge")
@click.argument("runs", type=Path, metavar="RUN...", nargs=-1, required=True)
@click.option("--set", "set_path", type=Path, help="Where the set lies, if moved.")
@click.option("--partial", is_flag=True, help="Accept shards that are missing or cut.")
@click.option("-o", "--output", type=Path, required=True, help="Where to.")
@guarded
def merge(runs: tuple[Path, ...], output: Path, **told: Any) -> None:
    """Put the shards of a run together.

    \b
    eegbench run sets/t3t5 --agent rules --shard 1/2 -o runs/rules-1
    eegbench run sets/t3t5 --agent rules --shard 2/2 -o runs/rules-2
    eegbench merge runs/rules-1 runs/rules-2 -o runs/rules
    """
    scaling = import_module("eegbench.pipeline.scaling")
    text, failed = scaling.merge(list(runs), output, talk=talk, **told)
    show(text)
    sys.exit(int(failed))
