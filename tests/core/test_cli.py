"""The command `eegcore`: exit codes, what goes where, what is imported when."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import eegcore
from edf_writer import Edf, Signal
from eegcore.cli import main
from eegcore.tools import TOOLS


@pytest.fixture
def edf_path(tmp_path: Path, rng: np.random.Generator) -> Path:
    stored = rng.integers(-900, 900, size=2560).tolist()
    signals = [
        Signal(label="EEG C3", samples=stored, per_record=256, prefilter="HP:0.5Hz"),
        Signal(label="Temp", samples=[370] * 10, per_record=1, unit="DegC"),
    ]
    path = tmp_path / "one.edf"
    path.write_bytes(Edf(signals=signals).to_bytes())
    return path


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments])


def test_info_lists_channels_with_kind_rate_and_unit(edf_path: Path) -> None:
    result = _run("info", edf_path)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "EDF, 2 channels, 10.000 s, 0 annotations, 0 gaps"
    assert lines[3].split()[:5] == ["EEG", "C3", "eeg", "256", "2560"]
    assert "DegC" in lines[4]


def test_info_as_json_has_the_same_facts(edf_path: Path) -> None:
    facts = json.loads(_run("info", edf_path, "--format", "json").stdout)
    assert facts["n_channels"] == 2
    assert facts["channels"][0]["highpass_hz"] == 0.5
    assert facts["segments_sec"] == [[0.0, 10.0]]


def test_info_names_gaps_and_warnings(cases_dir: Path) -> None:
    result = _run("info", cases_dir / "files" / "dis01.edf")
    assert "1 gaps" in result.stdout
    assert "  10.000 to 12.000" in result.stdout


def test_call_prints_the_same_bytes_as_the_toolbox(edf_path: Path) -> None:
    result = _run(
        "call",
        "compute_windowed_features",
        edf_path,
        "--window-sec",
        "2.5",
        "--features",
        "rms_uv,alpha_relative",
        "--channels",
        "eeg c3",
    )
    assert result.exit_code == 0
    box = eegcore.Toolbox({"record": edf_path})
    wanted = box.call_json(
        "compute_windowed_features",
        {
            "record_id": "record",
            "window_sec": 2.5,
            "features": ["rms_uv", "alpha_relative"],
            "channels": ["eeg c3"],
        },
    )
    assert result.stdout_bytes.strip() == wanted


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_has_a_command_with_all_its_arguments(tool: str) -> None:
    result = _run("call", tool, "--help")
    assert result.exit_code == 0
    for argument in TOOLS[tool].spec.arguments[1:]:
        assert f"--{argument.name.replace('_', '-')}" in result.stdout


def test_call_of_numbers_needs_their_rate(tmp_path: Path) -> None:
    path = tmp_path / "numbers.npy"
    np.save(path, np.sin(np.arange(2000.0)))
    result = _run("call", "compute_psd", path)
    assert result.exit_code == 1
    assert "sampling rate" in result.stderr
    result = _run(
        "call", "compute_psd", path, "--rate-hz", "173.61", "--channel-names", "C4"
    )
    assert json.loads(result.stdout)["channels"][0]["channel"] == "C4"


def test_call_speaks_the_paper_dialect(edf_path: Path) -> None:
    result = _run("call", "get_recording_info", edf_path, "--dialect", "paper-1.0")
    assert json.loads(result.stdout)["n_eeg_channels"] == 2


def test_a_budget_of_zero_is_no_limit(edf_path: Path) -> None:
    command = ["call", "compute_windowed_features", edf_path, "--window-sec", "0.1"]
    command += ["--features", "rms_uv,std_uv,kurtosis"]
    assert _run(*command, "--budget-tokens", "500").exit_code == 1
    assert _run(*command, "--budget-tokens", "0").exit_code == 0


def test_an_error_object_is_printed_and_exits_with_1(edf_path: Path) -> None:
    result = _run("call", "compute_psd", edf_path, "--channels", "C9")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["code"] == "unknown_channel"


@pytest.mark.parametrize(
    "content", [None, b"", b"GIF89a" + bytes(600), b"0" + b" " * 300]
)
@pytest.mark.parametrize("command", [("info",), ("call", "compute_psd")])
def test_an_unreadable_file_is_one_line_and_exit_1(
    tmp_path: Path, command: tuple[str, ...], content: bytes | None
) -> None:
    path = tmp_path / "broken.edf"
    if content is not None:
        path.write_bytes(content)
    result = _run(*command, path)
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith(f"eegcore: {path}: ")


@pytest.mark.parametrize(
    "arguments",
    [
        ("call", "no_such_tool", "x.edf"),
        ("call", "compute_psd"),
        ("call", "compute_psd", "x.edf", "--band", "alpha"),
        ("call", "compute_psd", "x.edf", "--tmin", "soon"),
        ("schemas", "--for", "nobody"),
        ("nothing",),
    ],
)
def test_misuse_exits_with_2(arguments: tuple[str, ...]) -> None:
    result = _run(*arguments)
    assert result.exit_code == 2
    assert "Usage" in result.stderr


@pytest.mark.parametrize("flavour", ["openai", "anthropic", "json"])
def test_schemas_are_those_of_the_toolbox(flavour: str) -> None:
    result = _run("schemas", "--for", flavour)
    wanted = eegcore.Toolbox({}).schemas(flavour)  # type: ignore[arg-type]
    assert json.loads(result.stdout) == json.loads(json.dumps(wanted))


def test_help_teaches_with_examples() -> None:
    for arguments in ((), ("info",), ("call",), ("schemas",)):
        assert "eegcore " in _run(*arguments, "--help").stdout.split("Options")[0]


def test_importing_the_command_line_imports_nothing_heavy() -> None:
    code = "import sys, eegcore.cli; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    heavy = {"numpy", "scipy", "numba", "mne", "orjson"}
    assert not heavy & set(run.stdout.split())


def test_facts_of_a_recording_need_neither_scipy_nor_numba(edf_path: Path) -> None:
    code = (
        "import sys; from eegcore.cli import main\n"
        f"arguments = ['call', 'get_channel_list', {str(edf_path)!r}]\n"
        "main(arguments, standalone_mode=False)\n"
        "print(*sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not {"scipy", "numba", "mne"} & set(run.stdout.split())


def test_crop_keeps_the_epochs_named_the_last_included(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    stored = rng.integers(-900, 900, size=3000).tolist()
    night = tmp_path / "night.edf"
    signals = [Signal(label="EEG C3", samples=stored, per_record=300)]
    night.write_bytes(Edf(signals=signals, duration="30").to_bytes())
    result = _run("crop", night, "--epochs", "2:4", "-o", tmp_path / "cut.edf")
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert (facts["start_sec"], facts["stop_sec"], facts["n_records"]) == (60, 150, 3)
    with eegcore.open(tmp_path / "cut.edf") as cut:
        assert cut.read_digital(0, 0, 900).tolist() == stored[600:1500]
    result = _run("crop", night, "--tmin", 31, "-o", tmp_path / "tail.edf")
    assert json.loads(result.stdout)["start_sec"] == 30


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        ((), 2, "give --epochs"),
        (("--epochs", "4"), 2, "FIRST:LAST is needed"),
        (("--epochs", "-1:4"), 2, "FIRST:LAST is needed"),
        (("--epochs", "4:1"), 1, "0 <= first <= last is needed"),
        (("--tmin", "99"), 1, "the recording has 10 s"),
        (("--tmin", "1", "--epochs", "0:0"), 1, "not both"),
    ],
)
def test_crop_refuses_in_one_line_and_writes_nothing(
    edf_path: Path,
    tmp_path: Path,
    arguments: tuple[str, ...],
    status: int,
    told: str,
) -> None:
    result = _run("crop", edf_path, *arguments, "-o", tmp_path / "cut.edf")
    assert result.exit_code == status
    assert told in result.stderr
    assert not (tmp_path / "cut.edf").exists()


def test_crop_of_what_is_not_there_is_one_line(tmp_path: Path) -> None:
    result = _run("crop", tmp_path / "no.edf", "--tmin", 0, "-o", tmp_path / "x.edf")
    assert result.exit_code == 1
    assert "no.edf" in result.stderr
    assert "Traceback" not in result.stderr


RUN = "import sys; from eegcore.cli import run; sys.argv[0] = 'eegcore'; run()"


def _program(*arguments: str | Path) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-c", RUN, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False)


def test_the_program_ends_early_but_whole(edf_path: Path) -> None:
    """All output and the exit code come through, with numba loaded or not."""
    done = _program("call", "compute_psd", edf_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["record_id"] == "record"
    assert done.stdout == _run("call", "compute_psd", edf_path).stdout_bytes
    bad = _program("call", "compute_psd", edf_path, "--tmin", "5", "--tmax", "4")
    assert bad.returncode == 1
    assert json.loads(bad.stdout)["record_id"] == "record"
    assert _program("info", edf_path).returncode == 0
    assert _program("call", "compute_psd", edf_path, "--nonsense").returncode == 2


def test_the_program_survives_a_reader_that_is_gone(edf_path: Path) -> None:
    command = [sys.executable, "-c", RUN, "call", "compute_psd", str(edf_path)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        told = process.stderr.read()
    assert b"Traceback" not in told
    assert process.returncode == 1
