"""An MCP client session on a 23-hour simulated recording, by pipes and by HTTP.

Four simulated hours of 23 channels at 256 Hz are written one after the other until
23 hours are full (975 MB): what counts here is the length. Prints what each call takes,
as the client sees it. Run: python benchmarks/bench_serve.py [FOLDER]
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import anyio
from mcp import Client, StdioServerParameters

from eegcore.simulate import seizure_recording

HOURS = 23
DISTINCT_HOURS = 4
SERVE = [sys.executable, "-c", "from eegcore.cli import main; main()", "serve"]
ONE = {"channels": ["C3-P3"]}
THREE = {"features": ["rms_uv", "line_length_uv_s", "delta_relative"]}
CALLS = [
    ("get_recording_info", {}),
    ("get_channel_list", {}),
    ("compute_windowed_features", {}),
    ("compute_windowed_features", {"window_sec": 900, **THREE, **ONE}),
    ("compute_windowed_features", {"window_sec": 30, "tmin": 36000, "tmax": 36300}),
    ("compute_windowed_features", {"window_sec": 300, **THREE, **ONE}),
    ("compute_band_power", {"tmin": 36000, "tmax": 39600}),
    ("compute_band_power", {}),
    ("compute_noise_metrics", {}),
]


def write_recording(path: Path) -> None:
    """Write hours of data records behind one header."""
    hours = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(DISTINCT_HOURS):
            hour = seizure_recording(seed, duration_sec=3600.0)
            raw = hour.write_edf(Path(folder) / f"{seed}.edf").read_bytes()
            hours.append(raw)
    n_header = int(hours[0][184:192])
    n_records = int(hours[0][236:244]) * HOURS
    header = hours[0][:236] + str(n_records).ljust(8).encode() + hours[0][244:n_header]
    with path.open("wb") as file:
        file.write(header)
        for hour in range(HOURS):
            file.write(hours[hour % DISTINCT_HOURS][n_header:])


@contextmanager
def over_http(folder: Path):
    process = subprocess.Popen(
        [*SERVE, str(folder), "--http", "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        for line in process.stderr:
            if found := re.search(r"http://\S+", line):
                yield found.group()
                break
    finally:
        process.terminate()
        process.communicate()


async def session(server: object, way: str) -> None:
    began = perf_counter()
    async with Client(server) as client:
        print(f"\n{way}: connected in {perf_counter() - began:.2f} s")
        listed = (await client.call_tool("list_recordings", {})).structured_content
        record_id = listed["recordings"][0]["record_id"]
        for tool, arguments in CALLS:
            refused = await timed(client, tool, {"record_id": record_id, **arguments})
            if refused is not None:
                await timed(client, refused["name"], refused["arguments"])
        await waiting(client, {"record_id": record_id})


async def timed(client: Client, tool: str, arguments: dict) -> dict | None:
    """Print what a call takes; the smaller call that a refusal suggests."""
    times = []
    for _ in range(3):
        began = perf_counter()
        result = await client.call_tool(tool, arguments)
        times.append(perf_counter() - began)
    text = result.content[0].text
    told = re.search(r'"(?:n_rows|code)":"?(\w+)', text).group(1)
    shown = {key: value for key, value in arguments.items() if key != "record_id"}
    print(
        f"  {tool:26} first {times[0] * 1e3:8.1f} ms, again {min(times[1:]) * 1e3:7.1f}"
        f" ms, {len(text):6} characters, {told:>9}  {str(shown)[:110]}"
    )
    return json.loads(text).get("suggested_call")


async def waiting(client: Client, arguments: dict) -> None:
    """Print how long small calls take while a long one runs."""
    took, done = [], anyio.Event()

    async def long_call() -> None:
        await client.call_tool("compute_noise_metrics", arguments)
        done.set()

    async with anyio.create_task_group() as group:
        group.start_soon(long_call)
        await anyio.sleep(0.2)
        while not done.is_set():
            began = perf_counter()
            await client.call_tool("get_channel_list", arguments)
            took.append(perf_counter() - began)
            await anyio.sleep(0.05)
    took.sort()
    print(
        f"  beside a long call: {len(took)} small ones, median"
        f" {took[len(took) // 2] * 1e3:.1f} ms, longest {took[-1] * 1e3:.1f} ms"
    )


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "simulated-23h.edf"
    if not path.exists():
        write_recording(path)
    print(f"simulated recording, {HOURS} h, {path.stat().st_size / 1e6:.0f} MB")
    environment = dict(os.environ)
    for encoding in ("rows", "compact"):
        pipes = StdioServerParameters(
            command=SERVE[0],
            args=[*SERVE[1:], str(folder), "--encoding", encoding],
            env=environment,
        )
        anyio.run(session, pipes, f"pipes, {encoding}")
    with over_http(folder) as address:
        anyio.run(session, address, "http, rows")


if __name__ == "__main__":
    main()
