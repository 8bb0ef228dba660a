"""The command ``eegcore crop``: a part of a file without touching a sample."""

import click

from eegcore.errors import EegcoreError
from eegcore.talk import fail, reason


@click.command()
@click.argument("file", type=click.Path(path_type=str))
@click.option(
    "--epochs", metavar="FIRST:LAST", help="30-s epochs from 0, the last included."
)
@click.option("--tmin", type=float, help="Seconds. [default: the start]")
@click.option("--tmax", type=float, help="Seconds. [default: the end]")
@click.option("-o", "--output", required=True, type=click.Path(path_type=str))
def crop(
    file: str, epochs: str | None, tmin: float | None, tmax: float | None, output: str
) -> None:
    """Cut an EDF or BDF FILE at data-record borders; no sample is changed.

    \b
    eegcore crop night.edf --epochs 925:1827 -o sleep.edf
    eegcore crop night.edf --tmin 3600 --tmax 7200 -o hour.edf
    """  # noqa: D301 - click's mark for lines to keep
    from dataclasses import asdict

    from eegcore.crop import crop as cut
    from eegcore.jsonio import dumps

    if epochs is None and tmin is None and tmax is None:
        raise click.UsageError("give --epochs FIRST:LAST, or --tmin, --tmax or both")
    try:
        done = cut(file, output, tmin=tmin, tmax=tmax, epochs=_epochs(epochs))
    except EegcoreError as error:
        fail(f"{file}: {reason(error)}")
    except OSError as error:
        fail(f"{error.filename or file}: {(error.strerror or str(error)).lower()}")
    for text in done.warnings:
        click.echo(f"eegcore: {text}", err=True)
    click.echo(dumps({**asdict(done), "path": output}))


def _epochs(text: str | None) -> tuple[int, int] | None:
    """First and last epoch of FIRST:LAST."""
    if text is None:
        return None
    first, colon, last = text.partition(":")
    if not (colon and first.strip().isdigit() and last.strip().isdigit()):
        raise click.UsageError(f"--epochs is {text!r}; FIRST:LAST is needed")
    return int(first), int(last)
