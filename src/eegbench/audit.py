"""What is reached on a set without looking at any signal: the baselines of every score.

Each baseline answers every instance from labels, prompts or ids alone and is scored by
the task's own scorer. `constant` is the best single answer, `class frequency` draws by
the set's own frequencies, `id only` votes among the nearest shown ids, `prompt facts`
is a small cross-validated model, `typical night` stages by relative time of night.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, median

import numpy as np

from eegbench.errors import SetError
from eegbench.instances import Instance, read_set, shown_id
from eegbench.records import JsonObject
from eegbench.references import Reference, read_references
from eegbench.scoring.event_records import score_event_records, score_record
from eegbench.scoring.hypnogram import score_hypnogram, score_nights
from eegbench.scoring.labels import accuracy, macro_f1
from eegbench.scoring.nosignal import (
    Labels,
    facts_model,
    nearest_by_number,
    typical_nights,
)
from eegbench.suites import Suite, Task, suite
from eegcore.hypnogram import STAGES, UNSCORED, Codes, encode

N_DRAWS = 50
N_NIGHT_DRAWS = 5
EVENT_SEC = 60.0
ID_KEY = "00"  # any key: an opaque id holds nothing, whatever the key

Events = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """One way to answer without a signal, scored."""

    name: str
    score: float | None
    """Headline metric of the task."""
    p_value: float | None = None
    """Permutation p of the prompt facts; None: not a test."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Cases:
    """The instances of one task with their references."""

    task: Task
    instances: list[Instance]
    references: list[Reference]

    @property
    def groups(self) -> list[str]:
        return [row.group or row.subject or row.instance_id for row in self.references]

    @property
    def ids(self) -> list[int]:
        shown = [shown_id(row, ID_KEY) for row in self.instances]
        return [_number(name) for name in shown]


def audit(set_path: str | Path) -> list[JsonObject]:
    """Return one row per task and baseline, the best of each task marked.

    Raises
    ------
    SetError
        The set or its references are missing or malformed.
    """
    chosen = read_set(set_path)
    told = baselines(
        chosen, read_references(set_path).values(), suite(chosen.info.suite)
    )
    rows: list[JsonObject] = []
    for (name, metric, n), found in told.items():
        scores = [row.score for row in found if row.score is not None]
        best = max(scores, default=None)
        rows += [
            {
                "task": name,
                "metric": metric,
                "n": n,
                "baseline": row.name,
                "score": row.score,
                "best": row.score is not None and row.score == best,
                "p_value": row.p_value,
                "note": row.note,
            }
            for row in found
        ]
    return rows


def baselines_by_task(
    instances: Iterable[Instance], references: Iterable[Reference], of: Suite
) -> dict[str, list[JsonObject]]:
    """Return the baselines of each task, as `eegbench.evaluate` shows them."""
    told = baselines(instances, references, of)
    return {key[0]: [asdict(row) for row in found] for key, found in told.items()}


def baselines(
    instances: Iterable[Instance], references: Iterable[Reference], of: Suite
) -> dict[tuple[str, str, int], list[Baseline]]:
    """Measure what no signal reaches, by (task, headline metric, instances)."""
    by_id = {row.instance_id: row for row in references}
    tasks: dict[str, list[Instance]] = {}
    for instance in instances:
        if instance.instance_id in by_id:
            tasks.setdefault(instance.task, []).append(instance)
    result = {}
    for name, rows in sorted(tasks.items()):
        task = of.task(name)
        cases = _Cases(task, rows, [by_id[row.instance_id] for row in rows])
        found = _KINDS[task.kind](cases)
        result[task.name, task.headline, len(rows)] = found
    return result


def _number(name: str) -> int:
    """Return the number in an id: its digits, hexadecimal for opaque ids."""
    tail = name.rpartition("-")[2] if name.startswith("rec-") else ""
    try:
        return int(tail, 16)
    except ValueError:
        digits = "".join(c for c in name if c.isdigit())
        return int(digits[:30]) if digits else 0


def _labels(cases: _Cases) -> list[Baseline]:
    classes = cases.task.classes or tuple(
        sorted({row.label for row in cases.references if row.label is not None})
    )
    true = [str(row.label) for row in cases.references]
    for row in cases.references:
        if row.label not in classes:
            raise SetError(
                f"reference of {row.instance_id}: label {row.label!r} is none of "
                f"{', '.join(classes)}"
            )
    index = np.array([classes.index(label) for label in true], dtype=np.intp)

    def score(wanted: Labels, said: Labels) -> float:
        names = [classes[i] for i in wanted], [classes[i] for i in said]
        if cases.task.headline == "accuracy":
            return accuracy(*names) or 0.0
        return macro_f1(*names, classes)

    constants = {
        name: score(index, np.full_like(index, number))
        for number, name in enumerate(classes)
    }
    best = max(constants, key=lambda name: constants[name])
    rng = np.random.default_rng(0)
    draws = [score(index, rng.permutation(index)) for _ in range(N_DRAWS)]
    by_id = nearest_by_number(cases.ids, index, n_classes=len(classes))
    found = [
        Baseline(name="constant", score=constants[best], note=f"always {best}"),
        Baseline(name="class frequency", score=fmean(draws)),
        Baseline(name="id only", score=score(index, by_id)),
    ]
    if cases.task.kind == "choice":
        return [*found, _longest_option(cases, true)]
    facts = [{**row.facts} for row in cases.instances]
    model = facts_model(facts, index, cases.groups, n_classes=len(classes), score=score)
    varying = sorted({key for row in facts for key in row})
    note = f"{model.n_features} columns of {', '.join(varying)}"
    if model.n_features == 0:
        note = "nothing in the prompts varies"
    facts_row = Baseline(
        name="prompt facts",
        score=score(index, model.predicted),
        p_value=model.p_value,
        note=note,
    )
    return [*found, facts_row]


def _longest_option(cases: _Cases, true: Sequence[str]) -> Baseline:
    said = [
        max(options, key=lambda letter: (len(options[letter]), letter))
        for options in ((row.options or {"": ""}) for row in cases.instances)
    ]
    return Baseline(
        name="prompt facts", score=accuracy(true, said), note="the longest option"
    )


def _events(cases: _Cases) -> list[Baseline]:
    truth: list[Events] = [row.events or [] for row in cases.references]
    seconds = [
        row.duration_sec or case.duration_sec or 0.0
        for row, case in zip(cases.references, cases.instances, strict=True)
    ]

    def score(answers: Sequence[Events]) -> float:
        records = [
            score_record(
                wanted,
                said,
                duration_sec=duration,
                subject=row.subject or row.instance_id,
                group=row.group,
            )
            for row, wanted, said, duration in zip(
                cases.references, truth, answers, seconds, strict=True
            )
        ]
        value = score_event_records(records, n_rounds=0).metrics["event_f1"]
        return 0.0 if value is None else value

    lengths = [stop - start for events in truth for start, stop in events]
    length = median(lengths) if lengths else EVENT_SEC
    silent = score([[] for _ in truth])
    blanket = score([[(0.0, duration)] for duration in seconds])
    rng = np.random.default_rng(0)
    counts = np.array([len(events) for events in truth])
    draws = [
        score(
            [
                _placed(rng, int(n), length, duration)
                for n, duration in zip(rng.permutation(counts), seconds, strict=True)
            ]
        )
        for _ in range(N_DRAWS)
    ]
    seizures = np.array([bool(events) for events in truth], dtype=np.intp)
    by_id = nearest_by_number(cases.ids, seizures, n_classes=2)
    middles: list[Events] = [
        [((duration - length) / 2, (duration + length) / 2)] for duration in seconds
    ]

    def answered(positive: Labels) -> list[Events]:
        return [
            middle if p else [] for p, middle in zip(positive, middles, strict=True)
        ]

    def right(wanted: Labels, said: Labels) -> float:
        return macro_f1([*map(str, wanted)], [*map(str, said)], ("0", "1"))

    model = facts_model(
        [{**row.facts} for row in cases.instances],
        seizures,
        cases.groups,
        n_classes=2,
        score=right,
    )
    told = "records with a seizure told from the others with macro-F1 {:.3f}"
    return [
        Baseline(
            name="constant",
            score=max(silent, blanket),
            note=f"silent {silent:.3f}, all of every record {blanket:.3f}",
        ),
        Baseline(
            name="class frequency",
            score=fmean(draws),
            note=f"as many events as in the set, of {length:g} s, anywhere",
        ),
        Baseline(
            name="id only",
            score=score(answered(by_id)),
            note=told.format(right(seizures, by_id)),
        ),
        Baseline(
            name="prompt facts",
            score=score(answered(model.predicted)),
            p_value=model.p_value,
            note=told.format(right(seizures, model.predicted))
            + " (the p is of this); an event in the middle where one is expected",
        ),
    ]


def _placed(
    rng: np.random.Generator, n: int, length: float, duration: float
) -> list[tuple[float, float]]:
    starts = rng.uniform(0, max(duration - length, 0.0), n).tolist()
    return [(start, start + length) for start in starts]


def _hypnograms(cases: _Cases) -> list[Baseline]:
    nights = [encode(row.stages or []) for row in cases.references]

    def score(answers: Sequence[Codes]) -> float:
        rows = [score_hypnogram(t, a) for t, a in zip(nights, answers, strict=True)]
        value = score_nights(rows, n_rounds=0).metrics["macro_f1"]
        return 0.0 if value is None else value

    constants = {
        name: score([np.full(night.size, code, dtype=np.int8) for night in nights])
        for code, name in enumerate(STAGES)
    }
    best = max(constants, key=lambda name: constants[name])
    everything = np.concatenate(nights) if nights else np.zeros(0, dtype=np.int8)
    scored = everything[everything != UNSCORED]
    rng = np.random.default_rng(0)
    draws = []
    for _ in range(N_NIGHT_DRAWS if scored.size else 0):
        draws.append(score([rng.choice(scored, night.size) for night in nights]))
    typical = typical_nights(nights, cases.groups) if nights else []
    return [
        Baseline(name="constant", score=constants[best], note=f"always {best}"),
        Baseline(name="class frequency", score=fmean(draws) if draws else None),
        Baseline(
            name="id only",
            score=constants[best],
            note="an id tells no stages: the constant",
        ),
        Baseline(
            name="typical night",
            score=score(typical),
            note="stage by relative time, learned from other people",
        ),
    ]


_KINDS: Mapping[str, Callable[[_Cases], list[Baseline]]] = {
    "choice": _labels,
    "label": _labels,
    "events": _events,
    "hypnogram": _hypnograms,
}
