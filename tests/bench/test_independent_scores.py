"""One predictions file by our scorers and by code that shares nothing with them."""

import json
import random
from pathlib import Path

import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from bench_folders import instance, run_folder
from eegbench.evaluate import evaluate
from eegbench.instances import SetInfo, write_set
from eegbench.references import Reference, write_references
from eegbench.suites.eegagent.tasks import SUITE
from independent_scores import STAGES, cohen, scores

N = 40


def night(rng: random.Random, n_epochs: int) -> list[str]:
    stages: list[str] = []
    while len(stages) < n_epochs:
        stages += [rng.choice(STAGES)] * rng.randint(1, 30)
    return stages[:n_epochs]


def events(rng: random.Random, *, most: int) -> list[tuple[float, float]]:
    told = []
    for _ in range(rng.randint(0, most)):
        start = round(rng.uniform(0, 3300), 1)
        told.append((start, round(start + rng.choice([5, 40, 120, 290, 700]), 1)))
    return told


def runs_of(stages: list[str]) -> list[dict[str, object]]:
    return [
        {"start_epoch": epoch, "end_epoch": epoch, "stage": stage}
        for epoch, stage in enumerate(stages)
    ]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Random references and random answers to all six tasks."""
    rng = random.Random(20261130)
    instances, references, answers = [], [], {}
    for task, known in SUITE.tasks.items():
        for number in range(N):
            name = f"{task}-{number}"
            changes: dict[str, object] = {}
            if task == "T5":
                truth: dict[str, object] = {
                    "events": events(rng, most=3),
                    "subject": f"c{number % 7}",
                    "group": f"c{number % 7}",
                }
                said: object = {
                    "seizure_events": [
                        {"onset_sec": a, "offset_sec": b}
                        for a, b in events(rng, most=4)
                    ]
                }
            elif task == "T6":
                n = rng.randint(60, 300)
                stages: list[str | None] = [*night(rng, n)]
                stages[rng.randrange(n)] = None
                truth = {"stages": stages, "group": f"p{number // 2}"}
                changes = {"n_epochs": n, "duration_sec": 30.0 * n}
                said = {"hypnogram_rle": runs_of(night(rng, n))}
            else:
                truth = {"label": rng.choice(known.classes or tuple("ABCD"))}
                said = {known.answer_field: rng.choice(known.classes or tuple("ABCD"))}
            made = instance(task, name, **changes)
            instances.append(made)
            references.append(
                Reference(
                    instance_id=name,
                    task=task,
                    duration_sec=made.duration_sec,
                    **truth,  # type: ignore[arg-type]
                )
            )
            answers[name] = json.dumps(said)
    write_references(tmp_path / "set", references)
    write_set(tmp_path / "set", SetInfo(suite="eegagent"), instances)
    return run_folder(tmp_path / "run", tmp_path / "set", answers)


def test_every_metric_equals_its_independent_recomputation(run: Path) -> None:
    ours = evaluate(run, rounds=0)["tasks"]
    others = scores(run, run.parent / "set")
    assert set(others) == set(ours) == set(SUITE.tasks)
    for task, metrics in others.items():
        for name, value in metrics.items():
            if task == "T1" and name == "macro_f1":
                continue
            assert ours[task]["metrics"][name] == pytest.approx(value, abs=1e-12), (
                task,
                name,
            )
    assert 0.05 < others["T5"]["event_f1"] < 0.95


def test_kappa_is_that_of_statsmodels(rng: object) -> None:
    draw = random.Random(3)
    for _ in range(20):
        pairs = list(zip(night(draw, 200), night(draw, 200), strict=True))
        table = [
            [sum((t, s) == (a, b) for t, s in pairs) for b in STAGES] for a in STAGES
        ]
        assert cohen(pairs) == pytest.approx(float(cohens_kappa(table).kappa))
