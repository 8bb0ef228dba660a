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
def progress_bar(what: str) -> Iterator[Callable[..., None]]:
    """Yield a function that moves a bar, silent without a terminal.

    It takes how many are done, of how many, and if known ``n_failed`` and
    ``remaining_sec``; without the latter the rate so far tells what is left.
    """
    if not sys.stderr.isatty():
        yield lambda *numbers, **told: None
        return
    from rich import progress
    from rich.console import Console

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(bar_width=20),
        progress.MofNCompleteColumn(),
        progress.TextColumn("{task.fields[told]}"),
    )
    with progress.Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=None, told="")

        def tick(
            done: int,
            total: int,
            *,
            n_failed: int = 0,
            remaining_sec: float | None = None,
        ) -> None:
            elapsed = bar.tasks[0].elapsed or 0.0
            rate = done / elapsed if elapsed else 0.0
            if remaining_sec is None and rate:
                remaining_sec = (total - done) / rate
            told = progress_text(rate, remaining_sec, n_failed)
            bar.update(task, completed=done, total=total, told=told)

        yield tick


def progress_text(rate: float, remaining_sec: float | None, n_failed: int) -> str:
    """Return rate, time left and failures, such as ``3.1/s  0:12 left  2 failed``."""
    parts = [f"{rate:.1f}/s"] if rate else []
    if remaining_sec is not None:
        minutes, seconds = divmod(round(remaining_sec), 60)
        hours, minutes = divmod(minutes, 60)
        clock = f"{hours}:{minutes:02d}" if hours else f"{minutes}"
        parts.append(f"{clock}:{seconds:02d} left")
    if n_failed:
        parts.append(f"[red]{n_failed} failed[/red]")
    return "  ".join(parts)
