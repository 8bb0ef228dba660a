"""The command `eegcore`: info, call, crop, features, schemas, serve, sums, warmup.

A command parses, calls one library function and prints: data on standard output, talk
on standard error. Nothing but click is imported until a command runs.
"""

import atexit
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from eegcore.compiled import is_frozen
from eegcore.crop_cli import crop
from eegcore.errors import EegcoreError
from eegcore.features_cli import features
from eegcore.schemas_cli import schemas
from eegcore.serve_cli import serve
from eegcore.sums_cli import sums
from eegcore.talk import fail, listed, reason
from eegcore.warmup_cli import warmup

if TYPE_CHECKING:
    from eegcore.recording import Recording
    from eegcore.tools.spec import Argument

RECORD_ID = "record"


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88}
)
@click.version_option(package_name="eegbench", prog_name="eegcore")
def main() -> None:
    """Measure EEG recordings: one file, one tool, one line.

    \b
    eegcore info night.edf
    eegcore call compute_band_power night.edf --tmin 0 --tmax 30
    eegcore call compute_windowed_features night.edf --window-sec 30 --features rms_uv
    eegcore call compute_psd Z001.txt --rate-hz 173.61
    eegcore features ~/eeg --window-sec 30 -o features.parquet
    eegcore crop night.edf --epochs 925:1827 -o sleep.edf
    eegcore schemas --for openai
    eegcore serve ~/eeg
    eegcore sums ~/eeg -o ~/eeg-sums
    eegcore warmup

    For research; not for clinical use.
    """  # noqa: D301 - click's mark for lines to keep


def run() -> None:
    """Run the program `eegcore`, and end without taking numba apart.

    That takes Python 0.15 s at the end of a process whose memory is given back anyhow.
    """
    code: Any = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    if "numba" not in sys.modules or not isinstance(code, int):
        sys.exit(code)
    ending: Any = atexit
    ending._run_exitfuncs()  # what Python itself calls at this point
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # whoever read the output is gone
        code = code or 1
    os._exit(code)


main.add_command(crop)
main.add_command(features)
main.add_command(schemas)
main.add_command(serve)
main.add_command(sums)
main.add_command(warmup)


def _open(
    file: str, rate_hz: float | None, channel_names: str | None, unit: str | None
) -> "Recording":
    """Open a recording, or tell in one line why it cannot be."""
    from eegcore.formats import open_recording

    try:
        return open_recording(
            file,
            rate_hz=rate_hz,
            channel_names=listed(channel_names),
            unit=unit,
        )
    except EegcoreError as error:
        fail(f"{file}: {reason(error)}")


def _file_options(command: Any) -> Any:
    """Add the options that say what .npy and text files do not."""
    for option in (
        click.option("--unit", help="Unit of .npy and text files. [default: uV]"),
        click.option(
            "--channel-names",
            metavar="A,B",
            help="Channels of .npy and text files.",
        ),
        click.option(
            "--rate-hz",
            type=float,
            help="Sampling rate of .npy and text files (Bonn set: 173.61).",
        ),
        click.argument("file", type=click.Path(path_type=str)),
    ):
        command = option(command)
    return command


@main.command()
@_file_options
@click.option(
    "--format",
    "style",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
)
def info(
    file: str,
    rate_hz: float | None,
    channel_names: str | None,
    unit: str | None,
    style: str,
) -> None:
    """Show what is in FILE: channels with kind, rate, unit and range, gaps, warnings.

    \b
    eegcore info night.edf
    eegcore info night.edf --format json
    eegcore info Z001.txt --rate-hz 173.61
    """  # noqa: D301 - click's mark for lines to keep
    recording = _open(file, rate_hz, channel_names, unit)
    from eegcore.jsonio import dumps

    try:
        facts = _facts(recording)
    except EegcoreError as error:
        fail(f"{file}: {reason(error)}")
    if style == "json":
        click.echo(dumps(facts))
        return
    for line in _table(facts):
        click.echo(line)


def _facts(recording: "Recording") -> dict[str, Any]:
    """Facts of a recording that identify nobody."""
    segments = recording.segments
    return {
        "format": recording.format,
        "duration_sec": recording.duration_sec,
        "n_channels": len(recording.channels),
        "record_duration_sec": recording.record_duration_sec,
        "segments_sec": [[a, b] for a, b in segments],
        "n_gaps": max(0, len(segments) - 1),
        "n_annotations": len(recording.annotations),
        "reference": recording.reference,
        "age": recording.age,
        "sex": recording.sex,
        "bads": list(recording.bads),
        "channels": [
            {
                "name": channel.name,
                "kind": channel.kind,
                "rate_hz": channel.rate_hz,
                "n_samples": channel.n_samples,
                "unit": channel.unit,
                "physical_min": channel.physical_min,
                "physical_max": channel.physical_max,
                "highpass_hz": channel.highpass_hz,
                "lowpass_hz": channel.lowpass_hz,
                "prefilter": channel.prefilter,
            }
            for channel in recording.channels
        ],
        "warnings": list(recording.warnings),
    }


def _table(facts: dict[str, Any]) -> list[str]:
    """Lines for people."""
    lines = [
        f"{facts['format']}, {facts['n_channels']} channels,"
        f" {facts['duration_sec']:.3f} s, {facts['n_annotations']} annotations,"
        f" {facts['n_gaps']} gaps",
        "",
    ]
    header = ("channel", "kind", "rate Hz", "samples", "unit", "min", "max", "filter")
    rows = [header]
    rows += [
        (
            _printable(c["name"]),
            c["kind"],
            f"{c['rate_hz']:g}",
            str(c["n_samples"]),
            _printable(c["unit"]) or "-",
            _number(c["physical_min"]),
            _number(c["physical_max"]),
            _printable(c["prefilter"])[:32],
        )
        for c in facts["channels"]
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
    right = {2, 3, 5, 6}
    for row in rows:
        cells = [
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    if facts["n_gaps"]:
        lines += ["", "recorded stretches (s):"]
        lines += [f"  {a:.3f} to {b:.3f}" for a, b in facts["segments_sec"][:20]]
        if len(facts["segments_sec"]) > 20:
            lines.append(f"  and {len(facts['segments_sec']) - 20} more")
    lines += [f"warning: {_printable(text)}" for text in facts["warnings"]]
    return lines


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)


def _number(value: float) -> str:
    return "-" if value != value else f"{value:g}"


class _ToolCommands(click.Group):
    """One command a tool, made of its specification when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the tools."""
        from eegcore.tools import TOOLS

        return list(TOOLS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Build the command of a tool."""
        from eegcore.tools import TOOLS

        tool = TOOLS.get(cmd_name)
        if tool is None:
            return None
        options: list[click.Parameter] = [
            _option(argument)
            for argument in tool.spec.arguments
            if argument.name != "record_id"
        ]
        plain = click.Command(
            cmd_name,
            params=options,
            callback=_run_tool,
            help=f"{tool.spec.purpose}\n\nThe answer is JSON on standard output.",
            short_help=tool.spec.purpose.split(":")[0].split(". ")[0],
        )
        command: click.Command = _file_options(plain)
        command.params += _CALL_OPTIONS
        return command


_CALL_OPTIONS: list[click.Parameter] = [
    click.Option(
        ["--dialect"],
        default="default",
        show_default=True,
        type=click.Choice(["default", "paper-1.0"]),
        help="paper-1.0: as the published release computes.",
    ),
    click.Option(
        ["--budget-tokens"],
        default=8000,
        show_default=True,
        type=click.IntRange(min=0),
        help="Longest answer; 0 for no limit.",
    ),
    click.Option(
        ["--encoding"],
        default="rows",
        show_default=True,
        type=click.Choice(["rows", "compact"]),
        help="compact: tables as columns; not in paper-1.0.",
    ),
]


def _option(argument: "Argument") -> click.Option:
    """Make the command line's form of an argument."""
    kinds: dict[str, Any] = {
        "number": click.FLOAT,
        "integer": click.INT,
        "choice": click.Choice(argument.choices),
    }
    listed = argument.kind == "names"
    default = argument.default
    told = ",".join(default) if isinstance(default, tuple) else default
    shown = "" if told is None else f" [default: {told}]"
    if listed and argument.choices:
        shown += f" One or more of {', '.join(argument.choices)}."
    return click.Option(
        [f"--{argument.name.replace('_', '-')}", argument.name],
        type=kinds.get(argument.kind, click.STRING),
        metavar="A,B" if listed else None,
        help=argument.purpose + shown,
    )


@main.group(cls=_ToolCommands)
def call() -> None:
    """Answer one tool call on a FILE, as an agent would get it.

    \b
    eegcore call get_channel_list night.edf
    eegcore call compute_windowed_features night.edf --window-sec 30 \\
        --features rms_uv,delta_relative --channels "EEG Fpz-Cz"
    eegcore call compute_psd Z001.txt --rate-hz 173.61 --dialect paper-1.0
    """  # noqa: D301 - click's mark for lines to keep


def _run_tool(
    file: str,
    rate_hz: float | None,
    channel_names: str | None,
    unit: str | None,
    dialect: str,
    budget_tokens: int,
    encoding: Any,
    **options: Any,
) -> None:
    """Call a tool and print its answer; exit code 1 for an error object."""
    from eegcore.tools import TOOLS
    from eegcore.tools.toolbox import Toolbox

    name = click.get_current_context().info_name or ""
    recording = _open(file, rate_hz, channel_names, unit)
    if TOOLS[name].size is not None and not is_frozen():
        import_module("eegcore.kernels._lean").import_numba()
    try:
        box = Toolbox(
            {RECORD_ID: recording},
            dialect=dialect,
            budget_tokens=budget_tokens or None,
            encoding=encoding,
        )
    except EegcoreError as error:
        raise click.UsageError(reason(error)) from error
    kinds = {argument.name: argument.kind for argument in TOOLS[name].spec.arguments}
    arguments: dict[str, Any] = {"record_id": RECORD_ID}
    for key, value in options.items():
        if value is not None:
            arguments[key] = listed(value) if kinds[key] == "names" else value
    answer = box.call_json(name, arguments)
    click.echo(answer)
    if answer.startswith(b'{"record_id"'):  # success begins with _meta
        sys.exit(1)
