# ruff: noqa: D301 - click reads \b as "leave these lines as they are"
"""The command `eegbench build`: sets of the suite, and of recordings of one's own."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from eegbench.terminal import guarded, show, talk

_output = click.option("-o", "--output", type=Path, required=True, help="The set.")
_place = click.option(
    "--place",
    type=click.Choice(["refer", "copy", "link"]),
    default="refer",
    show_default=True,
    help="What is done with signals outside the set.",
)
_checksums = click.option(
    "--checksums/--no-checksums", default=True, help="SHA-256 of every signal file."
)


def _building() -> Any:
    return import_module("eegbench.pipeline.building")


@click.group("build")
def build() -> None:
    """Build a set from data sets on disk.

    \b
    eegbench build eegagent --sources DATA --tasks T3,T5 -o sets/t3t5
    eegbench build eegagent --release RELEASE --condition paper-like -o sets/paper
    eegbench build own nights NIGHTS -o sets/nights
    """


@build.command("eegagent")
@click.option("--sources", type=Path, help="One folder per public data set in here.")
@click.option("--release", type=Path, help="The published release's own layout.")
@click.option("--signals", type=Path, help="Signal files of the release.")
@click.option("--tasks", help="A comma list, such as T3,T5; default: all.")
@click.option(
    "--condition",
    type=click.Choice(["default", "paper-like"]),
    default="default",
    show_default=True,
    help="paper-like: texts, ids and dialect of the release.",
)
@click.option("--panel", type=Path, help="Results of the screening panel.")
@click.option(
    "--balanced/--not-balanced", default=None, help="Default: balanced with --panel."
)
@click.option("--trim/--no-trim", default=True, help="Wake at the ends of nights (T6).")
@click.option(
    "--exclude",
    metavar="NAMES",
    help="Records to leave out: a comma list, a file, or a release's folder.",
)
@click.option(
    "--compare-with",
    type=Path,
    metavar="RELEASE",
    help="Name every record in which the set differs from the release.",
)
@_place
@_checksums
@_output
@guarded
def build_eegagent(output: Path, tasks: str | None, **told: Any) -> None:
    """Build the six tasks; each count stands beside the paper's.

    \b
    eegbench build eegagent --sources DATA --tasks T3,T5 -o sets/t3t5
    eegbench build eegagent --sources DATA --panel panel.csv --compare-with RELEASE \\
        -o sets/all
    eegbench build eegagent --sources DATA --tasks T3 --exclude RELEASE -o sets/dev
    """
    if (told["sources"] is None) == (told["release"] is None):
        raise click.UsageError("give either --sources DIR or --release DIR")
    names = None if tasks is None else [t.strip() for t in tasks.split(",")]
    building = _building()
    options = building.BuildOptions(tasks=names, **told)
    text, failed = building.build_set(output, options, talk=talk)
    show(text)
    sys.exit(int(failed))


@build.command("own")
@click.argument("kind", type=click.Choice(["seizures", "nights", "labels"]))
@click.argument("path", type=Path)
@click.option("--label-column", default="label", show_default=True)
@click.option("--recording-column", default="recording", show_default=True)
@click.option("--codes", help="What numbers in text hypnograms mean: yasa, rk, ...")
@click.option(
    "--line-sec",
    type=float,
    default=30.0,
    show_default=True,
    help="What a line of a text hypnogram stands for.",
)
@click.option("--context", help="What the agent is told, in place of general words.")
@click.option("--question", help="What the agent is asked (labels).")
@_place
@_checksums
@_output
@guarded
def build_own(kind: str, path: Path, output: Path, **told: Any) -> None:
    """Build a set of your own recordings (docs/own-data.md).

    \b
    eegbench build own seizures BIDS_FOLDER -o sets/seizures
    eegbench build own nights nights.csv --codes yasa -o sets/nights
    eegbench build own labels labels.csv -o sets/labels
    """
    building = _building()
    options = building.OwnOptions(**told)
    text, failed = building.build_own_set(kind, path, output, options, talk=talk)
    show(text)
    sys.exit(int(failed))
