"""The command `eegcore warmup`."""

import sys

import click


@click.command()
def warmup() -> None:
    """Compile the measuring kernels, so that no later call has to."""
    from eegcore.kernels import _jit
    from eegcore.warmup import compile_all, steps

    count = len(steps())
    with click.progressbar(length=count, label="compiling", file=sys.stderr) as bar:

        def told(name: str, done: int, count: int) -> None:
            bar.label = f"compiling {name}" if name else "compiled"
            bar.update(done - bar.pos)

        compile_all(told)
    where = _jit.cache_folder
    if where is None:
        click.echo("no folder can be written: every process compiles anew", err=True)
    else:
        click.echo(f"kernels kept in {where}", err=True)
