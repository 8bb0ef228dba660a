"""How far the rule-based analysts get: the whole table of issue 6.

    python benchmarks/bench_rules.py [--tasks T2,T4]   development sets
    python benchmarks/bench_rules.py --report           report sets
    python benchmarks/bench_rules.py --budget none      without the budget

Report sets are run once, after the thresholds are committed. Each row says whether it
is real, semi-real or simulated; simulated figures do not compare with the paper's.
Baselines see no signal: the best constant answer, a random one, for nights the typical
night of other people, for seizures no alarm or the whole record.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import orjson

import eegcore
from eegbench.agents import InstanceView, Observation
from eegbench.agents.rules import RuleAgent
from eegbench.scoring.event_answers import parse_events
from eegbench.scoring.event_records import score_event_records, score_record
from eegbench.scoring.hypnogram import score_hypnogram, score_nights
from eegbench.scoring.labels import score_labels
from eegbench.suites.eegagent.tasks import SUITE
from rules_data import Case
from rules_sets import SETS, CaseSet

STAGES = ("W", "N1", "N2", "N3", "REM")


@dataclass
class Cost:
    """What the instances of a set took."""

    calls: int = 0
    tokens: int = 0
    tool_sec: float = 0.0
    agent_sec: float = 0.0
    n: int = 0


@dataclass
class Outcome:
    """Answers and truths of a set."""

    truths: list[object] = field(default_factory=list)
    answers: list[dict[str, object]] = field(default_factory=list)
    groups: list[object] = field(default_factory=list)
    durations: list[float] = field(default_factory=list)
    cost: Cost = field(default_factory=Cost)


def view_of(case_set: CaseSet, case: Case) -> InstanceView:
    task = SUITE.tasks[case_set.task]
    schema = dict(task.answer_schema)
    if case_set.classes and case_set.task in ("T2", "T3", "T4"):
        properties = dict(schema["properties"])
        properties["classification"] = {
            "type": "string",
            "enum": list(case_set.classes),
        }
        schema["properties"] = properties
    seconds = case.recording.duration_sec if case.recording is not None else None
    return InstanceView(
        task=case_set.task,
        record_id="rec-0",
        context="",
        question=case.question,
        facts=dict(case.facts),
        options=case.options,
        answer_schema=schema,
        n_epochs=len(case.truth) if case_set.task == "T6" else None,
        duration_sec=seconds,
        tools=("all",),
        max_tool_calls=999,
        seed=0,
    )


def answered(
    case_set: CaseSet, case: Case, budget: int | None, cost: Cost
) -> dict[str, object]:
    """Drive one analyst to its answer, three calls a turn."""
    view = view_of(case_set, case)
    box = (
        eegcore.Toolbox({"rec-0": case.recording}, budget_tokens=budget)
        if case.recording is not None
        else None
    )
    agent = RuleAgent()
    agent.start(view)
    begun = time.perf_counter()
    tool_sec, left = 0.0, view.max_tool_calls
    seen = Observation(kind="prompt", text="", view=view, calls_left=left)
    while True:
        reply = agent.reply(seen)
        if reply.answer is not None:
            break
        results = []
        for call in reply.tool_calls:
            start = time.perf_counter()
            body = box.call_json(call.name, call.arguments)
            tool_sec += time.perf_counter() - start
            results.append(orjson.loads(body))
            cost.tokens += len(body) // 4
        left -= len(results)
        cost.calls += len(results)
        seen = Observation(
            kind="results", text="", view=view, results=tuple(results), calls_left=left
        )
    cost.tool_sec += tool_sec
    cost.agent_sec += time.perf_counter() - begun - tool_sec
    cost.n += 1
    return reply.answer


def run(case_set: CaseSet, data: Path, budget: int | None) -> Outcome:
    out = Outcome()
    for case in case_set.cases(data):
        out.answers.append(answered(case_set, case, budget, out.cost))
        out.truths.append(case.truth)
        out.groups.append(case.group)
        if case.recording is not None:
            out.durations.append(case.recording.duration_sec)
            case.recording.close()
    return out


def shown(value: float | None) -> str:
    return "-" if value is None or not np.isfinite(value) else f"{value:.3f}"


def interval(found: object) -> str:
    return "" if found is None else f" [{found.low:.2f}, {found.high:.2f}]"


def score_classes(case_set: CaseSet, out: Outcome) -> tuple[str, str, list[str]]:
    key = "answer" if case_set.task == "T1" else "classification"
    said = [str(a.get(key)) for a in out.answers]
    true = [str(t) for t in out.truths]
    present = tuple(c for c in case_set.classes if c in true or c in said)
    result = score_labels(true, said, case_set.classes, groups=out.groups)
    metric = "accuracy" if case_set.task == "T1" else "macro_f1"
    best = max(
        score_labels(true, [c] * len(true), case_set.classes, n_rounds=0).metrics[
            metric
        ]
        for c in case_set.classes
    )
    lines = [f"accuracy {shown(result.metrics['accuracy'])}; true -> answered:"]
    counts = Counter(zip(true, said, strict=True))
    lines += [
        f"  {t:>10}: " + "  ".join(f"{c} {counts[t, c]}" for c in present)
        for t in case_set.classes
        if t in true
    ]
    score = (
        f"{metric} {shown(result.metrics[metric])}{interval(result.intervals[metric])}"
    )
    return score, f"{best:.3f} constant", lines


def score_seizures(out: Outcome) -> tuple[str, str, list[str]]:
    records, whole, lines = [], [], []
    onsets: list[float] = []
    for truth, answer, group, seconds in zip(
        out.truths, out.answers, out.groups, out.durations, strict=True
    ):
        told = parse_events(answer, seconds).value
        kwargs = {"duration_sec": seconds, "subject": str(group)}
        records.append(score_record(list(truth), list(told), **kwargs))
        whole.append(score_record(list(truth), [(0.0, seconds)], **kwargs))
        for start, stop in truth:
            hits = [a for a, b in told if a < stop and b > start]
            if hits:
                onsets.append(min(hits) - start)
    result = score_event_records(records)
    naive = score_event_records(whole, n_rounds=0)
    parts = (
        "dice_seizure",
        "sensitivity",
        "precision",
        "fp_per_24h",
        "over_alarm_rate",
    )
    lines.append(", ".join(f"{p} {shown(result.metrics[p])}" for p in parts))
    false = (result.metrics["fp_per_24h"] or 0.0) / 24
    lines.append(f"false alarms an hour {false:.2f}; pooled {dict(result.pooled)}")
    if onsets:
        lines.append(
            f"onset error: median {np.median(onsets):+.1f} s, "
            f"absolute {np.median(np.abs(onsets)):.1f} s, n {len(onsets)}"
        )
    key = "event_f1"
    score = f"{key} {shown(result.metrics[key])}{interval(result.intervals[key])}"
    base = naive.metrics[key] or 0.0
    dice = shown(naive.metrics["dice_seizure"])
    return score, f"{base:.3f} whole record (Dice {dice})", lines


def typical(train: Sequence[Sequence[str]], n_epochs: int) -> list[str]:
    """Return the commonest stage by relative time of night."""
    places = (np.arange(n_epochs) + 0.5) / n_epochs
    columns = [[n[int(p * len(n))] for n in train] for p in places]
    return [Counter(column).most_common(1)[0][0] for column in columns]


def score_sleep(out: Outcome) -> tuple[str, str, list[str]]:
    nights, base = [], []
    for i, (truth, answer) in enumerate(zip(out.truths, out.answers, strict=True)):
        said = [
            run["stage"]
            for run in answer["hypnogram_rle"]
            for _ in range(run["start_epoch"], run["end_epoch"] + 1)
        ]
        nights.append(score_hypnogram(list(truth), said))
        train = [
            [s or "W" for s in other]
            for j, other in enumerate(out.truths)
            if out.groups[j] != out.groups[i]
        ]
        guess = typical(train, len(truth)) if train else ["N2"] * len(truth)
        base.append(score_hypnogram(list(truth), guess))
    result = score_nights(nights, groups=out.groups)
    naive = score_nights(base, n_rounds=0)
    metrics = result.metrics
    lines = [
        f"kappa {shown(metrics['kappa'])}, accuracy {shown(metrics['accuracy'])}, best "
        f"reachable macro-F1 {shown(result.best_macro_f1)}; F1 by stage "
        + " ".join(f"{s} {shown(result.per_stage_f1[s])}" for s in STAGES)
    ]
    key = "macro_f1"
    score = f"{key} {shown(metrics[key])}{interval(result.intervals[key])}"
    name = "typical night" if len(out.truths) > 1 else "all N2"
    return score, f"{shown(naive.metrics[key])} {name}", lines


def figures(case_set: CaseSet, out: Outcome, folder: Path) -> None:
    """Draw the first night, or the first record with a seizure: reference above."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    figure, axis = plt.subplots(figsize=(12, 3))
    if case_set.task == "T6":
        for stages, shift in (
            (out.truths[0], 6),
            (
                [
                    r["stage"]
                    for r in out.answers[0]["hypnogram_rle"]
                    for _ in range(r["start_epoch"], r["end_epoch"] + 1)
                ],
                0,
            ),
        ):
            order = ("N3", "N2", "N1", "REM", "W")
            heights = [order.index(s) + shift if s else np.nan for s in stages]
            axis.step(np.arange(len(stages)) / 120, heights, where="post", lw=0.8)
        axis.set(xlabel="hours", yticks=range(11), title=case_set.name)
        axis.set_yticklabels([*order, "", *order])
    else:
        first = next(i for i, truth in enumerate(out.truths) if truth)
        for start, stop in out.truths[first]:
            axis.barh(1, stop - start, left=start, height=0.6, color="C0")
        for event in out.answers[first]["seizure_events"]:
            length = event["offset_sec"] - event["onset_sec"]
            axis.barh(0, length, left=event["onset_sec"], height=0.6, color="C1")
        axis.set(xlim=(0, out.durations[first]), yticks=[0, 1], xlabel="seconds")
        axis.set_yticklabels(["rules", "reference"])
        axis.set_title(case_set.name)
    name = "".join(c if c.isalnum() else "-" for c in case_set.name)
    figure.savefig(folder / f"{case_set.task}-{name}.png", dpi=80, bbox_inches="tight")
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    root = Path(__file__).resolve().parents[2]
    parser.add_argument("--data", type=Path, default=root / "shared" / "data")
    parser.add_argument("--report", action="store_true", help="the report sets, once")
    parser.add_argument("--tasks", default="T1,T2,T3,T4,T5,T6")
    parser.add_argument("--budget", default="8000", help='tokens, or "none"')
    parser.add_argument("--figures", type=Path, help="folder for one picture a set")
    options = parser.parse_args()
    budget = None if options.budget == "none" else int(options.budget)
    wanted = options.tasks.split(",")
    phase = "report" if options.report else "develop"
    for case_set in SETS:
        if case_set.task not in wanted or case_set.phase != phase:
            continue
        out = run(case_set, options.data, budget)
        if case_set.task == "T5":
            score, base, lines = score_seizures(out)
        elif case_set.task == "T6":
            score, base, lines = score_sleep(out)
        else:
            score, base, lines = score_classes(case_set, out)
        if options.figures and case_set.task in ("T5", "T6"):
            figures(case_set, out, options.figures)
        cost = out.cost
        print(
            f"{case_set.task} {case_set.kind:9} n {cost.n:4} {case_set.name}: {score}; "
            f"no signal {base}; per instance {cost.calls / cost.n:.0f} calls, "
            f"{cost.tokens / cost.n:.0f} tokens, {cost.tool_sec / cost.n:.3f} s tools, "
            f"{cost.agent_sec / cost.n:.3f} s agent"
        )
        for line in [*lines, *([f"note: {case_set.note}"] if case_set.note else [])]:
            print(f"     {line}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
