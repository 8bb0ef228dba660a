"""The command ``eegcore sums``: block sums of recordings into files."""

import os
import sys
from pathlib import Path
from typing import Any

import click

from eegcore.errors import ArgumentError, EegcoreError
from eegcore.talk import fail, reason, tell


@click.command()
@click.argument("paths", type=click.Path(path_type=str), nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    envvar="EEGCORE_SUMS_DIR",
    required=True,
    help="Folder of the sums. [default: $EEGCORE_SUMS_DIR]",
)
def sums(paths: tuple[str, ...], folder: Path) -> None:
    """Keep the block sums of recordings on disk, for processes yet to come.

    Tools that find EEGCORE_SUMS_DIR set take the sums from there and answer with the
    same bytes, without reading all samples first. Worth it where many short processes
    open the same long recordings; a file takes 40 % of a recording at 256 Hz, 80 % at
    100 Hz. A recording is known by its content, whatever its name and place. Recordings
    that have a file already are passed over, and so are those without sums: other
    formats, other than whole rates.

    \b
    eegcore sums ~/eeg -o ~/eeg-sums
    EEGCORE_SUMS_DIR=~/eeg-sums eegcore call compute_psd ~/eeg/night.edf
    """  # noqa: D301 - click's mark for lines to keep
    from eegcore.archive import find_recordings
    from eegcore.formats import open_recording
    from eegcore.jsonio import dumps
    from eegcore.keeping import keep_sums, kept_file

    try:
        found = find_recordings(paths, with_rate=False)
    except EegcoreError as error:
        fail(reason(error))
    os.environ.pop("EEGCORE_SUMS_DIR", None)  # what is there is not read meanwhile
    n_failed, n_kept = 0, 0
    for number, path in enumerate(found, 1):
        label = f"{number}/{len(found)} {path.name}"
        try:
            recording = open_recording(path)
            target = kept_file(recording, folder)
            if target is None:
                with click.progressbar(length=1, label=label, file=sys.stderr) as bar:

                    def shown(done: int, total: int, bar: Any = bar) -> None:
                        bar.length = total
                        bar.update(done - bar.pos)

                    target = keep_sums(recording, folder, progress=shown)
        except ArgumentError as error:
            tell(f"{path}: passed over: {reason(error)}")
            continue
        except (EegcoreError, OSError) as error:
            n_failed += 1
            tell(f"{path}: {reason(error)}")
            continue
        row = {
            "recording": str(path),
            "sums": str(target),
            "n_bytes": target.stat().st_size,
        }
        n_kept += 1
        click.echo(dumps(row))
    sys.exit(int(n_failed > 0 or n_kept == 0))
