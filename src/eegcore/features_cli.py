"""The command ``eegcore features``: a folder tree into one table."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eegcore.errors import EegcoreError
from eegcore.talk import fail, listed, reason

if TYPE_CHECKING:
    from eegcore.archive import Progress

TALK_EVERY_SEC = 0.5


def _names(text: str | None) -> tuple[str, ...] | None:
    names = listed(text)
    return None if names is None else tuple(names)


@click.command()
@click.argument("paths", type=click.Path(path_type=str), nargs=-1, required=True)
@click.option("--window-sec", type=float, default=30.0, show_default=True)
@click.option("--step-sec", type=float, help="[default: the window]")
@click.option(
    "--features", default="all", show_default=True, metavar="A,B", help="Or 'all'."
)
@click.option("--channels", metavar="A,B", help="[default: all of kind eeg]")
@click.option("--rate-hz", type=float, help="Of .npy and text files.")
@click.option("--channel-names", metavar="A,B", help="Of .npy and text files.")
@click.option("--unit", help="Of .npy and text files. [default: uV]")
@click.option(
    "--format",
    "form",
    type=click.Choice(["parquet", "npz", "csv"]),
    help="[default: the ending of OUTPUT]",
)
@click.option("--workers", type=click.IntRange(1), help="[default: all cores]")
@click.option(
    "--time-limit-sec", "limit_sec", type=float, default=3600.0, show_default=True,
    help="Of one recording.",
)  # fmt: skip
@click.option(
    "--executor",
    type=click.Choice(["processes", "dask"]),
    default="processes",
    show_default=True,
)
@click.option("--scheduler", metavar="ADDRESS", help="Of Dask: tcp://host:8786.")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path))
def features(paths: tuple[str, ...], output: Path, **told: Any) -> None:
    """Measure every recording of files and folders into one tidy table.

    Rows are file, channel and t_start; what could not be measured is in a second
    table, OUTPUT.failures. Goes on where it was stopped.

    \b
    eegcore features ~/eeg --window-sec 30 --features all -o out.parquet
    eegcore features ~/eeg --features rms_uv,delta_relative -o out.csv
    eegcore features bonn --rate-hz 173.61 --channel-names EEG --window-sec 5 -o b.npz
    """  # noqa: D301 - click's mark for lines to keep
    from eegcore.archive import Wanted, extract, find_recordings, parts_path
    from eegcore.jsonio import dumps
    from eegcore.windowed import FEATURES

    names = told["features"]
    chosen = FEATURES if names == "all" else _names(names) or ()
    unknown = [name for name in chosen if name not in FEATURES]
    if unknown:
        raise click.UsageError(
            f"unknown feature {unknown[0]!r}; allowed are all, {', '.join(FEATURES)}"
        )
    window_sec, step_sec = told["window_sec"], told["step_sec"] or told["window_sec"]
    if not (window_sec > 0 and step_sec > 0):
        raise click.UsageError("--window-sec and --step-sec must be above 0")
    opening = {
        "rate_hz": told["rate_hz"],
        "channel_names": _names(told["channel_names"]),
        "unit": told["unit"],
    }
    wanted = Wanted(
        chosen,
        window_sec,
        step_sec,
        _names(told["channels"]),
        {name: value for name, value in opening.items() if value is not None},
    )
    began = time.monotonic()
    try:
        n_total = len(find_recordings(paths, with_rate=told["rate_hz"] is not None))
        done = extract(
            paths,
            output,
            wanted,
            form=told["form"] or output.suffix.lstrip("."),
            executor=told["executor"],
            scheduler=told["scheduler"],
            workers=told["workers"],
            limit_sec=told["limit_sec"],
            on_progress=_progress(n_total, began),
        )
    except EegcoreError as error:
        fail(reason(error))
    except KeyboardInterrupt:
        fail("stopped by the user; the same command goes on where it stopped")
    except OSError as error:
        kept = parts_path(output)
        fail(
            f"cannot write {output}: {error.strerror or error}; what was measured is "
            f"kept in {kept}, and the same command goes on"
        )
    elapsed = time.monotonic() - began
    click.echo(
        dumps(
            {
                "path": str(output),
                "n_rows": done.n_rows,
                "n_recordings": done.n_recordings,
                "n_failed": done.n_failed,
                "n_kept": done.n_kept,
                "eeg_hours": done.hours,
                "elapsed_sec": elapsed,
                "eeg_hours_per_sec": done.hours / elapsed,
            }
        )
    )
    sys.exit(int(done.n_failed > 0))


def _progress(n_total: int, began: float) -> "Callable[[Progress], None]":
    """Return a function that tells a terminal how far it is."""
    told_at = began

    def tell(now: "Progress") -> None:
        nonlocal told_at
        instant = time.monotonic()
        if not sys.stderr.isatty() or instant - told_at < TALK_EVERY_SEC:
            return
        told_at = instant
        rate = now.n_done / (instant - began)
        click.echo(
            f"\r{now.n_done}/{n_total} recordings, {now.n_failed} failed, "
            f"{now.hours / (instant - began):.2f} h of EEG a second, "
            f"{(n_total - now.n_done) / rate:.0f} s left ",
            nl=False,
            err=True,
        )

    return tell
