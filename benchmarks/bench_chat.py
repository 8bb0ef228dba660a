"""Chat runs against a scripted server: event loop, a matrix of models, tokens.

The server (tests/stand_in_server.py) asks for five tools, one a turn, then answers; it
counts tokens as the tokenizer of a GGUF file does, without one as characters // 4.
Three tables: how late the event loop is with 32 episodes at once, two models with
their estimate and their true count and cost, and the same run with answers as rows
and as columns. About a minute. Run:

    python benchmarks/bench_chat.py [MODEL.gguf]
"""

import functools
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from eegbench.cli import main as eegbench
from eegbench.suites.eegagent.demo import build_demo
from gguf_tokens import GgufTokenizer

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from stand_in_server import Answer, StandIn, record_id_of, says

Json = dict[str, Any]
SIGNALS = "T2,T3,T4,T5,T6"
CALLS: list[Json] = [
    {"tool_name": "get_recording_info"},
    {"tool_name": "compute_psd"},
    {"tool_name": "compute_band_power"},
    {"tool_name": "compute_temporal_features"},
    {"tool_name": "compute_channel_correlation"},
]
ANSWERS = {
    "classification": "normal",
    "seizure_events": [],
    "rationale": "as the server was told",
}
MODELS = """
[defaults]
base_url = "{url}"
[[models]]
model = "openai-api/local/GPT-5.5"
modes = ["text", "tools"]
[[models]]
model = "openai-api/local/DeepSeek-V4-Flash"
"""


def tokenizer() -> tuple[str, Callable[[str], int]]:
    """Name and counter; counts of a text are kept, since each turn repeats them."""
    if len(sys.argv) < 2:
        return "characters // 4", lambda text: len(text) // 4
    gguf = GgufTokenizer(Path(sys.argv[1]))
    return gguf.name, functools.cache(gguf.count)


def texts(request: Json) -> Iterator[str]:
    """Return everything that a model would read."""
    for message in request["messages"]:
        content = message.get("content")
        told = content if isinstance(content, str) else json.dumps(content or "")
        yield told + json.dumps(message.get("tool_calls") or "")
    for tool in request.get("tools") or ():
        yield json.dumps(tool)


def scripted(count: Callable[[str], int], wait_sec: float) -> Any:
    def script(request: Json, number: int) -> Answer:
        n_said = sum(m["role"] == "assistant" for m in request["messages"])
        record_id = record_id_of(request)
        used = (sum(count(text) for text in texts(request)), 60)
        if record_id and n_said < len(CALLS):
            call = CALLS[n_said] | {"arguments": {"record_id": record_id}}
            if request.get("tools"):
                arguments = json.dumps(call["arguments"])
                answer = says(None, calls=[(call["tool_name"], arguments)], usage=used)
            else:
                text = json.dumps({"action": "tool_call", **call})
                answer = says(text, usage=used)
        else:
            final = {"action": "final_answer", **ANSWERS}
            answer = says(json.dumps(final), usage=used)
        answer.wait_sec = wait_sec
        return answer

    return script


def run(*words: str) -> list[Json]:
    """Rows of ``eegbench run``'s table."""
    told = CliRunner().invoke(eegbench, ["run", *words, "--format", "json"])
    if told.exit_code:
        raise SystemExit(told.output)
    return json.loads(told.stdout)


def one(folder: Path, url: str, name: str, *words: str) -> tuple[Json, Json]:
    """Row of one run, and what its session measured."""
    output = folder / name
    model = ("--model", "openai-api/local/GPT-5.5", "--base-url", url)
    (row,) = run(str(folder / "set"), *model, "-o", str(output), *words)
    return row, json.loads((output / "inspect" / "session-1.json").read_text())


def loop_delay(folder: Path) -> None:
    with StandIn(scripted(lambda text: len(text) // 4, 0.3)) as server:
        words = ("--tasks", SIGNALS, "--connections", "32")
        row, session = one(folder, server.url, "delay", *words)
        print(
            f"32 episodes at once, {row['played']} recordings, {len(server.requests)}"
            f" requests, at most {server.most_at_once} at once, {row['seconds']} s"
        )
    print(f"  event loop late, ms: {session['loop_delay_ms']}")


def matrix(folder: Path, count: Callable[[str], int], name: str) -> None:
    with StandIn(scripted(count, 0.0)) as server:
        file = folder / "models.toml"
        file.write_text(MODELS.format(url=server.url))
        words = (str(folder / "set"), "--models", str(file), "-o", str(folder / "m"))
        words = (*words, "--subset", "12")
        told = {row["run"]: row for row in run(*words, "--dry-run")}
        print(f"\ntwo models, 12 instances; the server counts by {name}")
        for row in run(*words):
            before = told[row["run"]]
            expected = [before[f"{way}_mtok"] * 1e6 for way in ("input", "output")]
            print(
                f"  {row['run']:18} estimated {expected[0]:8.0f} in,"
                f" {expected[1]:7.0f} out, {before['cost_usd']:.2f} USD;"
                f" true {row['input_tokens']:7} in, {row['output_tokens']:6} out,"
                f" {row['cost_usd']:.2f} USD"
            )


def encodings(folder: Path, count: Callable[[str], int], name: str) -> None:
    print(f"\nfive tools an instance, one a turn; tokens by {name}")
    for tasks, channels in (("T2,T3,T6", "1 to 4"), ("T4,T5", "19 or 23")):
        for mode in ("text", "tools"):
            total = []
            for encoding in ("rows", "compact"):
                with StandIn(scripted(count, 0.0)) as server:
                    words = ("--tasks", tasks, "--subset", "6", "--mode", mode)
                    words = (*words, "--encoding", encoding)
                    output = f"{tasks}-{mode}-{encoding}"
                    row, _ = one(folder, server.url, output, *words)
                    total.append(row["input_tokens"])
            print(
                f"  {tasks:8} ({channels} channels), {mode:5}: rows {total[0]:7} in,"
                f" compact {total[1]:7} in, ratio {total[1] / total[0]:.2f}"
            )


def main() -> None:
    name, count = tokenizer()
    folder = Path(tempfile.mkdtemp())
    build_demo(folder / "set")
    load = " ".join(f"{x:.1f}" for x in os.getloadavg())
    print(
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, load {load}, simulated"
    )
    loop_delay(folder)
    matrix(folder, count, name)
    encodings(folder, count, name)


if __name__ == "__main__":
    main()
