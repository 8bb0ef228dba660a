"""Scoring a full-size run (1,072 instances, 1,000 bootstrap rounds), and its page.

No peer: the release gives no intervals. The set is written to a temporary folder with
references of the frozen set's counts and answers as a chatty model writes them; nights
have 900 to 2,700 epochs. Prints seconds; the must is 10 s on two cores.
"""

import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from bench_folders import instance, run_folder
from eegbench.evaluate import evaluate
from eegbench.instances import SetInfo, write_set
from eegbench.references import Reference, write_references
from eegbench.suites.eegagent.tasks import SUITE

STAGES = ("W", "N1", "N2", "N3", "REM")
ROUNDS = 3


def night(rng: random.Random, n_epochs: int) -> list[str]:
    stages: list[str] = []
    while len(stages) < n_epochs:
        stages += [rng.choice(STAGES)] * rng.randint(1, 30)
    return stages[:n_epochs]


def runs_of(stages: list[str]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for epoch, stage in enumerate(stages):
        if rows and rows[-1]["stage"] == stage:
            rows[-1]["end_epoch"] = epoch
        else:
            rows.append({"start_epoch": epoch, "end_epoch": epoch, "stage": stage})
    return rows


def full_size(folder: Path) -> tuple[Path, Path]:
    rng = random.Random(1)
    instances, references, answers = [], [], {}
    for task, count in SUITE.frozen_counts.items():
        for number in range(count):
            identity = f"{task}-{number}"
            truth: dict[str, object]
            changes: dict[str, object] = {}
            if task == "T6":
                n_epochs = rng.randint(900, 2700)
                truth = {"stages": night(rng, n_epochs), "group": f"p{number // 2}"}
                changes = {"n_epochs": n_epochs, "duration_sec": 30.0 * n_epochs}
                said: object = {"hypnogram_rle": runs_of(night(rng, n_epochs))}
            elif task == "T5":
                onset = rng.uniform(0, 3000)
                events = [(onset, onset + 60)] if number % 2 else []
                truth = {"events": events, "subject": f"c{number % 24}"}
                said = {"seizure_events": [[onset + 20, onset + 90]]}
            else:
                classes = SUITE.tasks[task].classes
                truth = {"label": rng.choice(classes)}
                field = SUITE.tasks[task].answer_field
                said = {field: rng.choice(classes)}
            made = instance(task, identity, **changes)
            instances.append(made)
            references.append(
                Reference(
                    instance_id=identity,
                    task=task,
                    duration_sec=made.duration_sec,
                    **truth,  # type: ignore[arg-type]
                )
            )
            answers[identity] = f"So, in short:\n```json\n{json.dumps(said)}\n```"
    write_references(folder / "set", references)
    write_set(folder / "set", SetInfo(suite="eegagent"), instances)
    return folder / "set", run_folder(folder / "run", folder / "set", answers)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        _, run = full_size(Path(name))
        seconds = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            result = evaluate(run, rounds=1000)
            seconds.append(time.perf_counter() - began)
        assert result["complete"], result["incomplete_because"]
        print("scoring 1,072 instances with 1,000 bootstrap rounds, seconds:")
        print(
            f"median {statistics.median(seconds):.2f}, minimum {min(seconds):.2f}, "
            f"maximum {max(seconds):.2f} (must: 10)"
        )


if __name__ == "__main__":
    main()
