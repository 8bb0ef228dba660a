"""The command `eegcore warmup`."""

import sys
from collections.abc import Callable
from typing import Any

import click

from eegcore.compiled import is_frozen

Work = Callable[[Callable[[str, int, int], None]], object]


@click.command()
def warmup() -> None:
    """Compile the measuring kernels, so that no later call has to.

    With EEGCORE_FROZEN=1 they are also frozen for this processor, which takes some two
    minutes: processes with that variable set then start without numba, in half the
    time. An experiment; answers have the same bytes.

    \b
    eegcore warmup
    EEGCORE_FROZEN=1 eegcore warmup
    """  # noqa: D301 - click's mark for lines to keep
    from eegcore.kernels._folder import find_folder
    from eegcore.warmup import compile_all, freeze_all

    where = find_folder()
    if where is None:
        click.echo("no folder can be written: every process compiles anew", err=True)
        return
    if is_frozen():
        _shown("freezing", freeze_all)
    else:
        _shown("compiling", compile_all)
    click.echo(f"kernels kept in {where}", err=True)


def _shown(label: str, work: Work) -> None:
    """Do a work of several steps under a progress bar."""
    with click.progressbar(length=1, label=label, file=sys.stderr) as bar:

        def told(name: str, done: int, count: int, bar: Any = bar) -> None:
            bar.length = count
            bar.label = f"{label} {name}" if name else f"{label}: done"
            bar.update(done - bar.pos)

        work(told)
