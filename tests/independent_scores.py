"""Scores from stored answers by other code: plain Python, nothing of ours imported.

Written from sections 6.2 to 6.4 of the paper and section 5 of the protocol, on masks of
tenths of a second and lists of labels, so that a slip in the scorers shows. It reads
well-formed JSON answers only; how odd replies are read is tested elsewhere.
"""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

Row = dict[str, Any]
STAGES = ("W", "N1", "N2", "N3", "REM")


def read_lines(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def scores(run: Path, chosen: Path) -> dict[str, dict[str, float]]:
    """Metrics of every task of a run."""
    truths = {
        r["instance_id"]: r for r in read_lines(chosen / "references/references.jsonl")
    }
    answers = {}
    for row in read_lines(run / "predictions.jsonl"):
        if row["status"] == "completed" and row["instance_id"] not in answers:
            answers[row["instance_id"]] = json.loads(row["answer_text"])
    tasks: dict[str, list[tuple[Row, Row]]] = defaultdict(list)
    for name, truth in truths.items():
        if name in answers:
            tasks[truth["task"]].append((truth, answers[name]))
    found = {}
    for task, pairs in sorted(tasks.items()):
        if task == "T5":
            found[task] = of_events(pairs)
        elif task == "T6":
            found[task] = of_nights(pairs)
        else:
            field = "answer" if task == "T1" else "classification"
            found[task] = of_labels([(t["label"], str(a.get(field))) for t, a in pairs])
    return found


def of_labels(pairs: list[tuple[str, str]]) -> dict[str, float]:
    """Accuracy, and F1 averaged over the classes of the references."""
    right = sum(truth == said for truth, said in pairs)
    return {
        "accuracy": right / len(pairs),
        "macro_f1": mean_f1(pairs, sorted({truth for truth, _ in pairs})),
    }


def mean_f1(
    pairs: list[tuple[str, str]], classes: list[str] | tuple[str, ...]
) -> float:
    """Mean over classes of 2 TP / (2 TP + FP + FN); an absent class has 0."""
    values = []
    for each in classes:
        hits = sum(t == each and s == each for t, s in pairs)
        errors = sum((t == each) != (s == each) for t, s in pairs)
        values.append(2 * hits / (2 * hits + errors) if hits else 0.0)
    return sum(values) / len(values)


def cohen(pairs: list[tuple[str, str]]) -> float:
    """Cohen's kappa; where chance agreement is complete 1 or 0."""
    n = len(pairs)
    agreed = sum(t == s for t, s in pairs) / n
    chance = sum(
        sum(t == each for t, _ in pairs) * sum(s == each for _, s in pairs)
        for each in STAGES
    ) / (n * n)
    return (agreed - chance) / (1 - chance) if chance < 1 else float(agreed == 1)


def of_nights(pairs: list[tuple[Row, Row]]) -> dict[str, float]:
    """Macro-F1 and kappa of each night, averaged over nights."""
    f1s, kappas = [], []
    for truth, answer in pairs:
        wanted = truth["stages"]
        said = ["W"] * len(wanted)
        for run in answer["hypnogram_rle"]:
            for epoch in range(run["start_epoch"], run["end_epoch"] + 1):
                said[epoch] = run["stage"]
        kept = [(w, s) for w, s in zip(wanted, said, strict=True) if w is not None]
        f1s.append(mean_f1(kept, STAGES))
        kappas.append(cohen(kept))
    return {"macro_f1": sum(f1s) / len(f1s), "kappa": sum(kappas) / len(kappas)}


def of_events(pairs: list[tuple[Row, Row]]) -> dict[str, float]:
    """Event-F1 averaged over subjects, Dice over seizure records, error rates."""
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    dices, missed, alarmed = [], [], []
    for truth, answer in pairs:
        ticks = round(truth["duration_sec"] * 10)
        wanted = mask(truth["events"], ticks)
        told = [
            (e["onset_sec"], e["offset_sec"]) if isinstance(e, dict) else tuple(e)
            for e in answer["seizure_events"]
        ]
        said = mask(told, ticks)
        for place, n in enumerate(matched(wanted, said, ticks)):
            totals[truth["subject"]][place] += n
        if truth["events"]:
            both = sum(w and s for w, s in zip(wanted, said, strict=True))
            size = sum(wanted) + sum(said)
            dices.append(2 * both / size)
            missed.append(both == 0)
        else:
            alarmed.append(any(said))
    f1s = [
        2 * tp / (2 * tp + fp + fn) for tp, fp, fn in totals.values() if tp + fp + fn
    ]
    return {
        "event_f1": sum(f1s) / len(f1s),
        "dice_seizure": sum(dices) / len(dices),
        "miss_rate": sum(missed) / len(missed),
        "over_alarm_rate": sum(alarmed) / len(alarmed),
    }


def mask(events: list[Any], ticks: int) -> list[bool]:
    """Tenths of a second that any event covers."""
    covered = [False] * ticks
    for start, stop in events:
        for tick in range(max(0, round(start * 10)), min(ticks, round(stop * 10))):
            covered[tick] = True
    return covered


def pieces(covered: list[bool]) -> list[tuple[int, int]]:
    """Events of a mask: gaps below 90 s closed, then cut into 300 s."""
    runs: list[list[int]] = []
    for tick, on in enumerate(covered):
        if not on:
            continue
        if runs and tick - runs[-1][1] < 900:
            runs[-1][1] = tick + 1
        else:
            runs.append([tick, tick + 1])
    return [
        (at, min(at + 3000, stop))
        for start, stop in runs
        for at in range(start, stop, 3000)
    ]


def matched(wanted: list[bool], said: list[bool], ticks: int) -> tuple[int, int, int]:
    """Reference events hit, predicted ones that hit nothing, reference ones missed."""
    references, predictions = pieces(wanted), pieces(said)
    wide = [(max(0, a - 300), min(ticks, b + 600)) for a, b in references]

    def touch(one: tuple[int, int], other: tuple[int, int]) -> bool:
        return max(one[0], other[0]) < min(one[1], other[1])

    hit = sum(any(touch(each, p) for p in predictions) for each in wide)
    false = sum(not any(touch(each, w) for w in wide) for each in predictions)
    return hit, false, len(references) - hit
