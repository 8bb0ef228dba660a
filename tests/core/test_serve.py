"""The MCP server by the SDK's own client: over pipes, over HTTP, and in the process."""

import os
import re
import subprocess
import sys
import threading
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import anyio
import numpy as np
import orjson
import pytest
from mcp import Client, StdioServerParameters

import eegcore.cli
from edf_writer import Annotations, Edf, Signal, tal
from eegcore.errors import ArgumentError, MissingExtraError
from eegcore.serve import BUDGET_TOKENS, ToolService
from eegcore.serve_folder import RecordingFolder
from eegcore.serve_mcp import build_server, serve_http
from eegcore.tools import TOOLS

SECRETS = ("MCH-0234567", "Haagse", "Harry", "HOSPITAL", "Dr_Secret", "AgCl", "lights")
CHANNELS = ("EEG C3", "EEG C4", "EEG Cz", "EEG O1", "EEG O2")


def hospital_edf(*, n_sec: int = 12, seed: int = 1, **changes) -> bytes:
    waves = np.random.default_rng(seed).integers(-900, 900, size=(5, n_sec * 100))
    signals = [
        Signal(
            name, wave.tolist(), 100, transducer="AgCl electrode", prefilter="HP:1Hz"
        )
        for name, wave in zip(CHANNELS, waves, strict=True)
    ]
    notes = [tal(f"+{i}") + tal(f"+{i}.5", "lights off") for i in range(n_sec)]
    facts = {
        "patient": "MCH-0234567 F 02-MAY-1951 Haagse_Harry",
        "recording": "Startdate 02-MAR-2002 HOSPITAL-7 Dr_Secret NX",
        "reserved": "EDF+C",
    }
    return Edf([*signals, Annotations(notes, 60)], **(facts | changes)).to_bytes()


def folder_of_two(root: Path) -> Path:
    (root / "night").mkdir(parents=True)
    (root / "jane.edf").write_bytes(hospital_edf())
    (root / "night" / "b.edf").write_bytes(hospital_edf(seed=2))
    (root / "notes.docx").write_bytes(b"no recording")
    (root / ".hidden.edf").write_bytes(hospital_edf())
    return root


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of_two(tmp_path / "eeg")


def service_of(folder: Path, **options) -> ToolService:
    ids = options.pop("ids", "plain")
    return ToolService(RecordingFolder(folder, ids=ids), **options)


def _arguments(tool: str, record_id: str) -> dict:
    if tool == "compute_windowed_features":
        return {"record_id": record_id, "window_sec": 2}
    return {"record_id": record_id}


# ------------------------------------------------------------------- the SDK's client


def _command(folder: Path, *options: str) -> list[str]:
    code = "from eegcore.cli import main; main()"
    return [sys.executable, "-c", code, "serve", str(folder), *options]


def _pipes(folder: Path, *options: str) -> StdioServerParameters:
    command, *rest = _command(folder, *options)
    path = {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    return StdioServerParameters(command=command, args=rest, env=path)


@contextmanager
def _http(folder: Path, *options: str):
    """Address of a server in a process of its own."""
    process = subprocess.Popen(
        _command(folder, "--http", "--port", "0", *options),
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )
    try:
        assert process.stderr is not None
        for line in process.stderr:
            found = re.search(r"http://\S+", line)
            if found:
                yield found.group()
                break
        else:
            pytest.fail("the server told no address")
    finally:
        process.terminate()
        process.communicate(timeout=20)


@asynccontextmanager
async def _connected(way: str, folder: Path, *options: str, mode: str = "auto"):
    if way == "pipes":
        async with Client(_pipes(folder, *options), mode=mode) as client:
            yield client
    else:
        with _http(folder, *options) as address:
            async with Client(address, mode=mode) as client:
                yield client


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("way", ["pipes", "http"])
def test_a_client_lists_and_measures(way: str, mode: str, folder: Path) -> None:
    async def session() -> None:
        async with _connected(way, folder, mode=mode) as client:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == ["list_recordings", *TOOLS]
            assert all(tool.annotations.read_only_hint for tool in tools)
            assert all(tool.annotations.idempotent_hint for tool in tools)
            assert all(tool.output_schema for tool in tools)
            listed = (await client.call_tool("list_recordings", {})).structured_content
            assert listed["n_recordings"] == 2
            record_id = listed["recordings"][0]["record_id"]
            assert re.fullmatch(r"rec-[0-9a-f]{16}", record_id)
            for tool in TOOLS:  # the client checks each answer against its schema
                arguments = _arguments(tool, record_id)
                result = await client.call_tool(tool, arguments)
                assert not result.is_error, result.content[0].text
                assert orjson.loads(result.content[0].text) == result.structured_content
                assert result.structured_content["record_id"] == record_id
            wrong = await client.call_tool("compute_psd", {"record_id": "../x"})
            assert wrong.is_error
            assert "unknown record_id '../x'" in wrong.content[0].text

    anyio.run(session)


def test_columns_fit_their_schemas_on_the_way(folder: Path) -> None:
    async def session() -> None:
        server = build_server(service_of(folder, encoding="compact"))
        async with Client(server) as client:
            assert "Tables in answers are columns" in client.instructions
            for tool in TOOLS:
                result = await client.call_tool(tool, _arguments(tool, "jane.edf"))
                assert not result.is_error
                assert "approx_response_kb" not in result.structured_content["_meta"]

    anyio.run(session)


def test_a_long_answer_keeps_nobody_waiting(folder: Path, monkeypatch) -> None:
    service = service_of(folder)
    started, go_on = threading.Event(), threading.Event()
    answer = service.answer

    def slow(name, arguments):
        if name == "compute_psd":
            started.set()
            assert go_on.wait(30)
        return answer(name, arguments)

    monkeypatch.setattr(service, "answer", slow)

    async def session() -> None:
        done = []
        async with (
            Client(build_server(service)) as client,
            anyio.create_task_group() as group,
        ):

            async def measure() -> None:
                await client.call_tool("compute_psd", {"record_id": "jane.edf"})
                done.append("slow")

            group.start_soon(measure)
            while not started.is_set():
                await anyio.sleep(0.001)
            with anyio.fail_after(10):
                await client.list_tools()
                await client.call_tool("get_channel_list", {"record_id": "jane.edf"})
            assert done == []
            go_on.set()
        assert done == ["slow"]

    anyio.run(session)


# ----------------------------------------------------------------- what leaves, and not


def test_nothing_that_identifies_leaves_the_process(folder: Path) -> None:
    wire = []

    async def session() -> None:
        async with Client(_pipes(folder)) as client:
            for tool in await _names(client):
                listed = await client.call_tool("list_recordings", {})
                for row in listed.structured_content["recordings"]:
                    arguments = _arguments(tool, row["record_id"])
                    result = await client.call_tool(
                        tool, {} if tool == "list_recordings" else arguments
                    )
                    wire.append(result.model_dump_json())
                    result = await client.call_tool(tool, {"record_id": "jane.edf"})
                    wire.append(result.model_dump_json().replace("'jane.edf'", ""))

    anyio.run(session)
    text = "\n".join(wire)
    hidden = [*SECRETS, "jane", "b.edf", str(folder)]
    hidden += ["02-MAY", "MAY-1951", "02-MAR", "2002-03", "02.01.05", "10.20.30"]
    assert [word for word in hidden if word.lower() in text.lower()] == []
    assert '"age":53' in text  # what the protocol shows of a subject


async def _names(client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


def test_no_answer_is_made_of_samples(folder: Path) -> None:
    service = service_of(folder)
    samples = eegcore.open(folder / "jane.edf").read(["EEG C3"])[0]
    told = {f"{value:.6g}" for value in samples if abs(value) > 1}
    for tool in TOOLS:
        text = orjson.dumps(service.answer(tool, _arguments(tool, "jane.edf"))).decode()
        numbers = re.findall(r"-?\d+\.\d+", text)
        # A peak may be told: never a run of samples.
        assert sum(number in told for number in numbers) < 0.05 * len(told)
    for arguments in (
        {"tmin": 1, "tmax": 1.02},
        {"tmin": "1", "tmax": "1.02"},
        {"tmin": 11.99},
        {"window_sec": 0.02},
        {"window_sec": "0.02"},
    ):
        answer = service.answer(
            "compute_windowed_features", {"record_id": "jane.edf", **arguments}
        )
        assert "measurements, not samples" in answer["error"]


def test_answers_stay_below_the_budget(tmp_path: Path) -> None:
    waves = np.random.default_rng(3).integers(-900, 900, size=(60, 3000))
    signals = [
        Signal(f"EEG {i}", wave.tolist(), 100) for i, wave in enumerate(waves, 1)
    ]
    (tmp_path / "wide.edf").write_bytes(Edf(signals).to_bytes())
    for encoding in ("rows", "compact"):
        service = service_of(tmp_path, encoding=encoding)
        for tool in TOOLS:
            arguments = {"record_id": "wide.edf"}
            answer = service.answer(tool, arguments)
            if answer.get("code") == "too_large":
                suggested = answer["suggested_call"]
                answer = service.answer(suggested["name"], suggested["arguments"])
            assert "error" not in answer
            assert len(orjson.dumps(answer)) <= 4 * BUDGET_TOKENS[encoding]


def test_a_long_list_comes_in_parts(tmp_path: Path) -> None:
    raw = hospital_edf()
    for number in range(120):
        (tmp_path / f"{'long' * 25}-{number:03}.edf").write_bytes(raw[:300])
    service = service_of(tmp_path)
    seen: list[str] = []
    offset: int | None = 0
    while offset is not None:
        part = service.answer("list_recordings", {"offset": offset, "limit": 100})
        assert len(orjson.dumps(part)) < 20_000
        seen += [row["record_id"] for row in part["recordings"]]
        offset = part["next_offset"]
    assert seen == sorted(set(seen))
    assert len(seen) == 120
    assert service.answer("list_recordings", {"limit": 1000})["code"] == "out_of_range"
    assert service.answer("list_recordings", {"x": 1})["code"] == "unknown_argument"


# ------------------------------------------------------------------------ the command


def test_only_this_machine_is_served(folder: Path) -> None:
    with pytest.raises(ArgumentError, match="only this machine is served"):
        serve_http(service_of(folder), host="0.0.0.0", announce=print)


def test_without_the_extra_the_error_names_it(folder: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.lowlevel", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'eegbench\[mcp\]'"):
        build_server(service_of(folder))


def test_a_missing_folder_is_one_line(tmp_path: Path) -> None:
    from click.testing import CliRunner

    done = CliRunner().invoke(eegcore.cli.main, ["serve", str(tmp_path / "none")])
    assert done.exit_code == 1
    assert done.stderr.startswith("eegcore: no such folder: ")
    assert done.stderr.count("\n") == 1


def test_other_pages_cannot_reach_the_server(folder: Path) -> None:
    """A page in a browser, or a name that points here, is turned away."""
    from http.client import HTTPConnection

    body = orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    kind = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    with _http(folder) as address:
        host, port = address.removeprefix("http://").removesuffix("/mcp").split(":")
        for headers, status in (
            ({"Host": "evil.example"}, 421),
            ({"Origin": "https://evil.example"}, 403),
        ):
            connection = HTTPConnection(host, int(port), timeout=20)
            connection.request("POST", "/mcp", body, kind | headers)
            assert connection.getresponse().status == status
            connection.close()
