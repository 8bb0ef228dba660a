"""What the commands of `eegcore` have in common: a line on standard error, lists."""

import sys
from typing import NoReturn

import click

from eegcore.errors import EegcoreError


def tell(message: str) -> None:
    """Print one line on standard error; standard output is for data."""
    click.echo(f"eegcore: {' '.join(message.split())}", err=True)


def fail(message: str) -> NoReturn:
    """Print one line on standard error and leave with exit code 1."""
    tell(message)
    sys.exit(1)


def reason(error: Exception) -> str:
    """Text of an error; of ours without the code in front."""
    ours = isinstance(error, EegcoreError) and error.args
    return str(error.args[-1] if ours else error)


def listed(text: str | None) -> list[str] | None:
    """Names in an option, separated by commas."""
    if text is None:
        return None
    return [name.strip() for name in text.split(",") if name.strip()]
