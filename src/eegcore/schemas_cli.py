"""The command `eegcore schemas`."""

from typing import Any

import click

from eegcore.errors import EegcoreError

# The flavours of eegcore.tools.schemas, which a command line does not load at start.
_FLAVOURS = ("openai", "openai-strict", "anthropic", "mcp", "json")


@click.command()
@click.option(
    "--for",
    "flavour",
    type=click.Choice(_FLAVOURS),
    default="json",
    show_default=True,
    help="openai-strict: every property required, null for not given; mcp and json"
    " tell the answers too.",
)
@click.option(
    "--dialect",
    type=click.Choice(["default", "paper-1.0"]),
    default="default",
    show_default=True,
)
@click.option(
    "--encoding",
    type=click.Choice(["rows", "compact"]),
    default="rows",
    show_default=True,
    help="Of the answers.",
)
def schemas(flavour: Any, dialect: str, encoding: Any) -> None:
    """Print the schemas of the ten tools as JSON.

    \\b
    eegcore schemas --for openai > tools.json
    """  # noqa: D301 - click's mark for lines to keep
    from eegcore.jsonio import dumps
    from eegcore.tools.toolbox import Toolbox

    try:
        box = Toolbox({}, dialect=dialect, encoding=encoding)
    except EegcoreError as error:
        raise click.UsageError(str(error)) from error
    click.echo(dumps(box.schemas(flavour)))
