# ruff: noqa: D301 - click reads \b as "leave these lines as they are"
"""The command `eegbench data`: the public data sets that sets are built from."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from eegbench.terminal import guarded, progress_bar, show, talk

_sources = click.option(
    "--sources",
    type=Path,
    default=Path("data"),
    show_default=True,
    envvar="EEGBENCH_DATA",
    show_envvar=True,
    help="One folder per data set in here.",
)
_format = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv", "md"]),
    default="table",
    show_default=True,
)


def _pipeline() -> Any:
    return import_module("eegbench.pipeline.data")


@click.group("data")
def data() -> None:
    """List the public data sets, see which are here, fetch one.

    \b
    eegbench data list
    eegbench data status --sources DATA
    eegbench data fetch medmcqa --sources DATA
    """


@data.command("list")
@_format
@guarded
def list_data(form: str) -> None:
    """What each data set is, its licence and terms, its size, what is expected."""
    show(_pipeline().list_data(form=form))


@data.command("status")
@_sources
@_format
@guarded
def status(sources: Path, form: str) -> None:
    """Which data sets are here, and what is missing of them."""
    show(_pipeline().data_status(sources, form=form))


@data.command("fetch")
@click.argument("name")
@_sources
@click.option(
    "--from", "mirror", metavar="URL", help="Where the plain files lie (bonn)."
)
@click.option(
    "--i-accept-the-terms",
    "accepted",
    is_flag=True,
    help="Of the data set, as its page states them; type this yourself.",
)
@guarded
def fetch(name: str, sources: Path, mirror: str | None, *, accepted: bool) -> None:
    """Fetch a data set, or go on where it stopped.

    \b
    eegbench data fetch eegdenoisenet --sources DATA
    eegbench data fetch chbmit --sources DATA      says how; checks what is there
    """
    with progress_bar(name) as tick:
        text, failed = _pipeline().fetch_data(
            name, sources, accepted=accepted, mirror=mirror, tick=tick, talk=talk
        )
    show(text)
    sys.exit(int(failed))


@data.command("verify")
@click.argument("name")
@_sources
@guarded
def verify(name: str, sources: Path) -> None:
    """Compare every file of a data set with its checksum."""
    with progress_bar(name) as tick:
        text, failed = _pipeline().verify_data(name, sources, tick=tick)
    show(text)
    sys.exit(int(failed))
