"""Runs of chat models as wholes: killed and gone on with, many at once, a matrix."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench.chats import RIGHT, signal_set
from eegbench.cli import main
from eegbench.predictions import predictions_path, read_predictions
from stand_in_server import Answer, StandIn, record_id_of, refuses, says

pytest.importorskip("inspect_ai", reason="chat models need the extra 'llm'")


def command(folder: Path, url: str, *words: str) -> list[str]:
    return [
        "run", str(folder), "--model", "openai-api/local/stand-in",
        "--base-url", url, *words,
    ]  # fmt: skip


def test_killed_run_goes_on_where_it_stopped(tmp_path):
    folder, run = signal_set(tmp_path, 12), tmp_path / "run"

    def script(request, number):
        answer = says(RIGHT)
        answer.wait_sec = 0.3
        return answer

    with StandIn(script) as server:
        words = command(folder, server.url, "--connections", "2", "-o", str(run))
        process = subprocess.Popen(
            [sys.executable, "-m", "eegbench.cli", *words],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        path, until = predictions_path(run), time.monotonic() + 90
        while not path.exists() or path.read_bytes().count(b"\n") < 4:
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        before = path.read_bytes()
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, done.output
        asked = len(server.requests)
    whole = before[: before.rfind(b"\n") + 1]
    assert path.read_bytes().startswith(whole)
    rows = read_predictions(run)
    assert len(rows) == rows.n_lines == 12  # none was played twice to its end
    assert {row.status for row in rows} == {"completed"}
    assert asked <= 12 + 2 + 2  # two probes, two episodes cut by the kill


def test_32_episodes_do_not_block_one_another(tmp_path):
    folder, run = signal_set(tmp_path, 32), tmp_path / "run"

    def script(request, number):
        n_said = sum(m["role"] == "assistant" for m in request["messages"])
        arguments = {"record_id": record_id_of(request)}
        call = {
            "action": "tool_call",
            "tool_name": "compute_psd",
            "arguments": arguments,
        }
        answer = says(json.dumps([call] * 3)) if n_said < 3 else says(RIGHT)
        answer.wait_sec = 0.5
        return answer

    with StandIn(script) as server:
        words = command(folder, server.url, "--connections", "32", "-o", str(run))
        done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    rows = list(read_predictions(run))
    assert [row.n_tool_calls for row in rows] == [9] * 32
    assert server.most_at_once >= 16
    told = json.loads((run / "inspect" / "session-1.json").read_text())
    assert told["loop_delay_ms"]["n"] > 10
    # 129 requests of 0.5 s are 64 s one after the other
    assert told["elapsed_sec"] < 60


def test_matrix_plays_each_model_and_tells_estimate_and_truth(tmp_path):
    folder = signal_set(tmp_path, 3)

    def script(request, number) -> Answer:
        if request["model"] == "gone":
            return refuses(404, "model not found")
        return says(RIGHT, usage=(1000, 50))

    with StandIn(script) as server:
        file = tmp_path / "models.toml"
        file.write_text(
            f"[defaults]\nbase_url = '{server.url}'\nmax_retries = 0\n"
            "[[models]]\nmodel = 'openai-api/local/GPT-5.5'\nmodes = ['text', 'tools']"
            "\n[[models]]\nmodel = 'openai-api/local/gone'\n"
        )
        words = ["run", str(folder), "--models", str(file), "-o", str(tmp_path / "r")]
        told = CliRunner().invoke(main, [*words, "--format", "json"])
    assert told.exit_code == 1
    rows = {row["run"]: row for row in json.loads(told.stdout)}
    assert list(rows) == ["GPT-5.5-text", "GPT-5.5-tools", "gone"]
    for name in ("GPT-5.5-text", "GPT-5.5-tools"):
        assert (rows[name]["played"], rows[name]["failed"]) == (3, 0)
        assert (rows[name]["input_tokens"], rows[name]["output_tokens"]) == (3000, 150)
        assert rows[name]["cost_usd"] == pytest.approx(3 * (5 * 1000 + 30 * 50) / 1e6)
        assert rows[name]["estimated_usd"] > 0
        assert len(read_predictions(tmp_path / "r" / name)) == 3
    assert "does not have this model" in rows["gone"]["stopped"]
    protocols = {
        name: json.loads((tmp_path / "r" / name / "run.json").read_text())["protocol"]
        for name in ("GPT-5.5-text", "GPT-5.5-tools")
    }
    assert protocols == {"GPT-5.5-text": "text", "GPT-5.5-tools": "native"}


def test_first_failure_and_a_budget_that_will_not_do_are_said(tmp_path):
    folder, run = signal_set(tmp_path, 2), tmp_path / "run"
    file = tmp_path / "once.toml"
    file.write_text(
        "agent = 'chat'\n[options]\nmodel = 'openai-api/local/GPT-5.5'\n"
        "connections = 1\nmax_retries = 0\nmodel_args = {max_retries = 0}\n"
    )

    def script(request, number):  # the first is the probe
        return refuses(503, "down") if number == 1 else says(RIGHT)

    with StandIn(script) as server:
        words = ["run", str(folder), "--agent", str(file), "--base-url", server.url]
        told = CliRunner().invoke(main, [*words, "-o", str(run)])
        assert told.exit_code == 1
        assert "failed: T3/000" in told.stderr
        assert "(503): down" in told.stderr
        told = CliRunner().invoke(main, [*words, "--max-cost", "1e-9", "-o", str(run)])
        assert "more than --max-cost 1e-09: the run is going to stop" in told.stderr
        assert told.exit_code == 1


def test_cost_of_all_models_together_is_limited(tmp_path):
    folder = signal_set(tmp_path, 4)
    with StandIn(lambda request, number: says(RIGHT, usage=(100_000, 0))) as server:
        file = tmp_path / "models.toml"  # 0.5 USD a reply
        file.write_text(
            f"[defaults]\nbase_url = '{server.url}'\nprice = 'GPT-5.5'\n"
            "connections = 1\n[[models]]\nmodel = 'openai-api/local/one'\n"
            "[[models]]\nmodel = 'openai-api/local/two'\n"
        )
        words = ["run", str(folder), "--models", str(file), "-o", str(tmp_path / "r")]
        told = CliRunner().invoke(main, [*words, "--max-cost", "3", "--format", "json"])
    first, second = json.loads(told.stdout)
    assert (first["played"], second["played"]) == (4, 2)
    assert first["stopped"] == ""
    assert "is used up" in second["stopped"]
    assert told.exit_code == 1


def test_a_missing_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    folder = signal_set(tmp_path, 1)
    words = command(folder, "http://127.0.0.1:1/v1", "-o", str(tmp_path / "run"))
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 1
    assert "pip install 'eegbench[llm]'" in done.stderr
