"""What commands share: errors as one line, talk and progress on stderr.

Data go to stdout, everything else to stderr. A progress bar shows on a terminal only.
"""

import functools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import click

from eegbench.errors import EegbenchError
from eegcore.errors import EegcoreError


def fail(message: str) -> NoReturn:
    """Print one line and end with status 1."""
    click.echo(f"eegbench: {' '.join(message.split())}", err=True)
    sys.exit(1)


def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
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
            fail("stopped by the user; 'run' goes on where it stopped")
        except (EegbenchError, EegcoreError) as error:
            fail(str(error))
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            fail(f"{where}{error.strerror or error}")

    return run


def show(text: str) -> None:
    """Print data."""
    click.echo(text.rstrip("\n"))


def talk(text: str) -> None:
    """Say something to the person at the terminal."""
    click.echo(text, err=True)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function of (done, total) that moves a bar, silent without a terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich import progress
    from rich.console import Console

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TextColumn("{task.fields[rate]}"),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=None, rate="")

        def tick(done: int, total: int) -> None:
            elapsed = bar.tasks[0].elapsed or 0.0
            rate = f"{done / elapsed:.1f}/s" if elapsed else ""
            bar.update(task, completed=done, total=total, rate=rate)

        yield tick
