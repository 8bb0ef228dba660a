"""The command `eegcore serve`."""

import contextlib
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import click

from eegcore.errors import EegcoreError

_HTTP = "127.0.0.1"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option(
    "--http", is_flag=True, help="Streamable HTTP on this machine, instead of stdio."
)
@click.option("--host", default=_HTTP, show_default=True, help="Loopback only.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="With --http; 0 for a free one.",
)
@click.option(
    "--ids",
    type=click.Choice(["opaque", "plain"]),
    default="opaque",
    show_default=True,
    help="plain: paths within DIR; names of files may tell subjects or labels.",
)
@click.option(
    "--id-key",
    metavar="TEXT",
    envvar="EEGCORE_ID_KEY",
    help="Makes opaque ids the same at every start. [default: new ones]",
)
@click.option(
    "--encoding",
    type=click.Choice(["rows", "compact"]),
    default="rows",
    show_default=True,
    help="compact: tables as columns, about half the tokens.",
)
@click.option(
    "--budget-tokens",
    type=click.IntRange(200, 50_000),
    help="Longest answer, in fours of characters. [default: 4000, compact 2600]",
)
@click.option(
    "--max-open",
    type=click.IntRange(1, 256),
    default=8,
    show_default=True,
    help="Recordings kept open.",
)
@click.option("--rate-hz", type=float, help="Serves .npy and text files too, at this.")
@click.option("--unit", help="Unit of .npy and text files. [default: uV]")
def serve(folder: Path, *, http: bool, host: str, port: int, **options: Any) -> None:
    """Serve the ten tools over the recordings under DIR to MCP clients.

    \b
    eegcore serve ~/eeg                      a client starts it and talks over pipes
    eegcore serve ~/eeg --http --port 8765   http://127.0.0.1:8765/mcp

    A client such as Claude Desktop takes this (docs/mcp.md has more):

    \b
    {"mcpServers": {"eeg": {"command": "eegcore", "args": ["serve", "/data/eeg"]}}}

    The tools read only, and only below DIR. Measurements leave this process: never
    samples, names, dates or other texts that identify a subject; age and sex do.
    Channel names are shown, made harmless. For research; not for clinical use.
    """  # noqa: D301 - click's mark for lines to keep
    from eegcore.serve import ToolService
    from eegcore.serve_folder import RecordingFolder
    from eegcore.serve_mcp import serve_http, serve_stdio

    open_args = {key: options[key] for key in ("rate_hz", "unit") if options[key]}
    try:
        found = RecordingFolder(
            folder, ids=options["ids"], key=options["id_key"], open_args=open_args
        )
        service = ToolService(
            found,
            encoding=options["encoding"],
            budget_tokens=options["budget_tokens"],
            most_open=options["max_open"],
        )
        _say(f"{found.n_files} recordings under {found.root}")
        Thread(target=_compile, name="compile", daemon=True).start()
        with contextlib.suppress(KeyboardInterrupt):
            if http:
                serve_http(service, host=host, port=port, announce=_say)
            else:
                serve_stdio(service)
    except EegcoreError as error:
        _say(str(error.args[-1] if error.args else error))
        sys.exit(1)


def _compile() -> None:
    """Compile the kernels of a new installation: a client would not wait so long."""
    from eegcore.kernels._jit import is_compiled

    if not is_compiled():
        from eegcore.warmup import compile_all

        _say("compiling the kernels, once for this version; calls wait for it")
        compile_all()
        _say("the kernels are compiled")


def _say(text: str) -> None:
    """Tell whoever started it; standard output belongs to the protocol."""
    click.echo(f"eegcore: {text}", err=True)
