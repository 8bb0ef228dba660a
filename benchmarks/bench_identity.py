"""One run, five ways: plain, in two processes, in shards, stopped and resumed, on Dask.

    python benchmarks/bench_identity.py [--set SET] [--agent rules]

Prints the hashes of the predictions, of the transcripts, and of the scores as
`eegbench score --format json` gives them; what clocks said (times taken, time of the
start) is left out of all three.
"""

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec

from eegbench.config import Config, RunSettings
from eegbench.evaluate import evaluate
from eegbench.merging import merge_runs
from eegbench.predictions import read_predictions
from eegbench.runner import run
from eegbench.shards import Shard
from eegcore.executors import executor_of

KEY = "5e" * 16
TIMES = ("seconds", "started", "agent_sec", "queue_sec", "compute_sec", "encode_sec")


def without_times(value: object) -> object:
    """Return JSON without what a clock said."""
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k not in TIMES}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def digest(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()[:16]


def hashes(run_path: Path) -> tuple[str, str, str]:
    """Return the hashes of predictions, dialogues and scores, clocks left out."""
    rows = sorted(read_predictions(run_path), key=lambda row: row.instance_id)
    told = [without_times(msgspec.to_builtins(row)) for row in rows]
    dialogues = [
        [without_times(json.loads(line)) for line in text.splitlines()]
        for row in rows
        if row.transcript and (text := (run_path / row.transcript).read_text())
    ]
    return (
        digest(told),
        digest(dialogues),
        digest(without_times(evaluate(run_path, rounds=200))),
    )


def play(set_path: Path, agent: str, out: Path, workers: int = 2, **given: object):
    settings = Config(run=RunSettings(workers=workers))
    given = {"record_key": KEY, **given}
    run(set_path, out, agent=agent, config=settings, **given)


def plain(set_path: Path, agent: str, out: Path) -> None:
    play(set_path, agent, out, workers=1)


def two_workers(set_path: Path, agent: str, out: Path) -> None:
    play(set_path, agent, out)


def sharded(set_path: Path, agent: str, out: Path) -> None:
    parts = [out.parent / f"shard-{k}" for k in (1, 2, 3)]
    for k, part in enumerate(parts, start=1):
        play(set_path, agent, part, shard=Shard(k, len(parts)))
    merge_runs(parts, out)


def resumed(set_path: Path, agent: str, out: Path) -> None:
    class StopError(Exception):
        """Stands for a session that ended."""

    def stop_after_ten(now) -> None:
        if now.n_done == 10:
            raise StopError

    try:
        play(set_path, agent, out, on_progress=stop_after_ten)
    except StopError:
        play(set_path, agent, out)


def on_dask(set_path: Path, agent: str, out: Path) -> None:
    play(set_path, agent, out, executor=executor_of("dask"))


WAYS: dict[str, Callable[[Path, str, Path], None]] = {
    "one worker": plain,
    "two workers": two_workers,
    "three shards, merged": sharded,
    "stopped after 10, resumed": resumed,
    "Dask, two processes": on_dask,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", type=Path, help="default: the simulated demo set")
    parser.add_argument("--agent", default="rules")
    told = parser.parse_args()
    from eegbench.suites.eegagent.demo import build_demo  # not in every worker

    found = set()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if told.set is None:
            build_demo(folder / "set")
        print(f"\n## The same results, agent {told.agent}: SHA-256\n")
        print("| way | predictions | dialogues | scores |\n|---|---|---|---|")
        for number, (way, start) in enumerate(WAYS.items()):
            # the run's name stands in its score: the same name in other folders
            out = folder / str(number) / "run"
            partial(start, told.set or folder / "set", told.agent)(out)
            told_hashes = hashes(out)
            found.add(told_hashes)
            print(f"| {way} | {' | '.join(told_hashes)} |", flush=True)
    print("\nAll equal." if len(found) == 1 else "\n**They differ.**")
    return int(len(found) > 1)


if __name__ == "__main__":
    sys.exit(main())
