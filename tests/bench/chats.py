"""Chat runs against the stand-in server: a set of short signals, and a run of it."""

from pathlib import Path

import pytest

from bench.sets import instance, make_set
from eegbench.config import Config, Limits, RunSettings
from eegbench.predictions import Prediction, read_predictions
from stand_in_server import Script, StandIn

pytest.importorskip("inspect_ai", reason="chat models need the extra 'llm'")

from eegbench.agents.chat import ChatOptions
from eegbench.chat_runner import ChatSummary, run_chat
from eegbench.prices import Price

RATE_HZ = 100
RIGHT = '{"action": "final_answer", "classification": "normal"}'
CALL = {"action": "tool_call", "tool_name": "compute_band_power"}


def signal_set(path: Path, n: int = 1, task: str = "T3", **facts: object) -> Path:
    """Make a set whose recordings are short text files of one channel."""
    folder = path / "set"
    (folder / "recordings").mkdir(parents=True)
    values = "\n".join(str(10 * ((i % 10) - 5)) for i in range(RATE_HZ * 20))
    (folder / "recordings" / "one.txt").write_text(values)
    rows = [
        instance(
            number,
            task,
            recording="recordings/one.txt",
            open_args={"rate_hz": RATE_HZ, "channel_names": ["C3"], "unit": "uV"},
            duration_sec=20.0,
            **facts,
        )
        for number in range(n)
    ]
    return make_set(folder, rows)


def played(
    path: Path,
    script: Script,
    *,
    n: int = 1,
    folder: Path | None = None,
    native: bool = False,
    probe: bool = False,
    run: str = "run",
    limits: Limits | None = None,
    time_limit_sec: float = 60.0,
    price: Price | None = None,
    max_cost_usd: float | None = None,
    **options: object,
) -> tuple[ChatSummary, list[Prediction], StandIn]:
    """Run the scripted server's model on a small set."""
    folder = folder or signal_set(path, n)
    config = Config(
        limits=limits or Limits(),
        run=RunSettings(
            protocol="native" if native else "text", time_limit_sec=time_limit_sec
        ),
    )
    with StandIn(script) as server:
        summary = run_chat(
            folder,
            path / run,
            options=ChatOptions(
                **{
                    "model": "openai-api/local/stand-in",
                    "base_url": server.url,
                    "max_retries": 0,
                    "model_args": {"max_retries": 0},
                    **options,
                }  # type: ignore[arg-type]
            ),
            config=config,
            price=price,
            max_cost_usd=max_cost_usd,
            probe=probe,
        )
    return summary, list(read_predictions(path / run)), server
