"""Inspect runs: our tasks by entry point, tools and scores, any solver."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.chats import RIGHT, signal_set
from eegbench.instances import read_set
from eegbench.references import Reference, write_references
from stand_in_server import Script, StandIn, record_id_of, says

inspect_ai = pytest.importorskip("inspect_ai", reason="needs the extra 'llm'")


def evaluated(
    path: Path, script: Script, *words: str, labels: tuple[str, ...] = ("normal",)
) -> dict[str, object]:
    """Run ``inspect eval eegbench/t3`` in a process of its own; return its log."""
    folder = signal_set(path, len(labels))
    write_references(
        folder,
        [
            Reference(instance_id=item.instance_id, task="T3", label=label)
            for item, label in zip(read_set(folder), labels, strict=True)
        ],
    )
    with StandIn(script) as server:
        done = subprocess.run(
            [
                sys.executable, "-m", "inspect_ai", "eval", "eegbench/t3",
                "-T", f"set={folder}", "--model", "openai-api/local/stand-in",
                "--model-base-url", server.url, "--log-dir", str(path / "logs"),
                "--log-format", "json", "--display", "none", "--max-retries", "0",
                *words,
            ],
            capture_output=True, text=True, check=False, cwd=path, timeout=120,
            env={"LOCAL_API_KEY": "none", "PATH": "/usr/bin:/bin", "HOME": str(path)},
        )  # fmt: skip
    logs = list((path / "logs").glob("*.json"))
    assert logs, f"{done.stdout}{done.stderr} (an old installation has no entry point)"
    told: dict[str, object] = json.loads(logs[0].read_text())
    assert told["status"] == "success", done.stderr + str(told.get("error"))
    return told


def metrics_of(log: dict[str, object]) -> dict[str, float]:
    (told,) = log["results"]["scores"]  # type: ignore[index]
    return {name: row["value"] for name, row in told["metrics"].items()}


def test_task_is_found_by_its_entry_point_and_scored_by_our_scorer(tmp_path):
    log = evaluated(tmp_path, lambda r, n: says(RIGHT), labels=("normal", "epileptic"))
    told = metrics_of(log)
    assert told["mean"] == 0.5
    assert told["headline"] == pytest.approx(1 / 3)  # macro-F1 of one class found
    # what a solver or a reader of the input could see holds no label
    for sample in log["samples"]:  # type: ignore[attr-defined]
        assert sample["target"] == ""
        assert sample["id"] not in sample["input"]


@pytest.mark.parametrize("solver", ["eegbench/analyst", "basic_agent"])
def test_other_solvers_get_the_ten_tools(tmp_path, solver):
    seen: list[str] = []

    def script(request, number):
        if number == 0:
            seen.extend(tool["function"]["name"] for tool in request["tools"])
            prompt = next(m for m in request["messages"] if m["role"] == "user")
            record_id = record_id_of({"messages": [prompt]})
            call = ("compute_band_power", json.dumps({"record_id": record_id}))
            return says("", calls=[call])
        seen.append(str(request["messages"][-1]["content"]))
        return says("", calls=[("submit", json.dumps({"answer": RIGHT}))])

    log = evaluated(tmp_path, script, "--solver", solver)
    assert metrics_of(log) == {"headline": pytest.approx(0.5), "mean": 1.0}
    assert len(seen) == 12  # ten tools, submit, and the answer of one
    assert '"ratios"' in seen[-1]
