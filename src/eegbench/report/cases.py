"""Single cases for the page: a light list, and packed blocks opened on demand.

The list holds what filters need. Prompt, turns and pictures lie in blocks of some tens
of cases, compressed together because prompts repeat, and unpacked when one is opened.
"""

import base64
import gzip
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import orjson

from eegbench.analysis.measured import Spread, measured_values, spreads
from eegbench.analysis.trajectories import Call, calls_of
from eegbench.groundedness import look_at
from eegbench.groundedness import rows as groundedness_rows
from eegbench.predictions import Prediction
from eegbench.report.cells import seconds_text
from eegbench.report.pictures import picture_of
from eegbench.report.tables import cell_text, metric_text
from eegbench.scored import ScoredCase

JsonObject = dict[str, Any]
BLOCK_CASES = 40
ANSWER_CHARACTERS = 1200  # of a tool's answer; the whole stands in the transcript
SHORT_KEYS = ("error", "window_sec", "time_range", "time_window")
ReadTranscript = Callable[[ScoredCase], list[JsonObject]]


class Trace(NamedTuple):
    """What one run did, case by case, without the bulk of the tools' answers."""

    calls: list[list[Call]]
    measured: list[dict[str, float]]
    """Figures of the answers, for cases whose reference is a class."""
    groundedness: list[JsonObject]
    """By task: whether numbers in the reasons are those that were measured."""


class PackedCases(NamedTuple):
    """The list of cases and the blocks that hold the rest of them."""

    rows: list[JsonObject]
    blocks: list[str]


def trace_of(cases: Iterable[ScoredCase], read: ReadTranscript) -> Trace:
    """Read every transcript once; keep the calls without their answers' bulk."""
    calls, measured, looks = [], [], []
    for case in cases:
        events = read(case)
        made = calls_of(events)
        labelled = case.reference.label is not None
        measured.append(measured_values(made) if labelled else {})
        calls.append([_light(call) for call in made])
        told = case.prediction
        if told is not None and told.status == "completed":
            identity = case.instance.instance_id
            looks.append(look_at(identity, case.task, told.answer, events))
    return Trace(calls, measured, groundedness_rows(looks)[0])


def pack_cases(
    runs: Sequence[tuple[str, Sequence[ScoredCase], ReadTranscript, Trace]],
) -> PackedCases:
    """Return the cases of several runs: (agent, cases, transcripts, their trace)."""
    rows: list[JsonObject] = []
    blocks: list[str] = []
    details: list[JsonObject] = []
    for run, (agent, cases, read, trace) in enumerate(runs):
        by_class = class_spreads(cases, trace)
        for case, calls, measured in zip(
            cases, trace.calls, trace.measured, strict=True
        ):
            rows.append(
                _row(case, run, agent) | {"block": len(blocks), "place": len(details)}
            )
            told = by_class.get(case.task, {})
            picture = picture_of(case, calls, measured, told)
            details.append(_detail(case, read(case)) | {"picture": picture})
            if len(details) == BLOCK_CASES:
                blocks.append(_pack(details))
                details = []
    if details:
        blocks.append(_pack(details))
    return PackedCases(rows, blocks)


def class_spreads(
    cases: Iterable[ScoredCase], trace: Trace
) -> dict[str, dict[str, list[Spread]]]:
    """Return per task what separates its classes, from what this agent measured."""
    by_task: dict[str, list[tuple[str, dict[str, float]]]] = {}
    for case, values in zip(cases, trace.measured, strict=True):
        label = case.reference.label
        if label is not None and values:
            by_task.setdefault(case.task, []).append((label, values))
    return {task: spreads(rows) for task, rows in by_task.items()}


def _light(call: Call) -> Call:
    kept = {key: call.answer[key] for key in SHORT_KEYS if key in call.answer}
    return call._replace(answer=kept)


def reference_text(case: ScoredCase) -> str:
    """Return the right answer in a few words."""
    reference = case.reference
    if reference.label is not None:
        return reference.label
    if reference.events is not None:
        return _events_text(reference.events)
    stages = reference.stages or []
    return f"{len(stages)} epochs: {_shares_text(stages)}"


def answer_text(case: ScoredCase) -> str:
    """Return the agent's answer in a few words, as it was scored."""
    if case.prediction is None or case.outcome == "failed":
        return "-"
    if case.events is not None:
        return _events_text(case.events)
    if case.stages is not None:
        return f"{len(case.stages)} epochs: {_shares_text(case.stages)}"
    return case.label if case.label is not None else "no valid answer"


def turns_of(events: Sequence[JsonObject]) -> tuple[str, list[JsonObject]]:
    """Return the prompt and the turns of a transcript, tool answers shortened."""
    prompt, turns = "", []
    for event in events:
        kind = event.get("event")
        if kind == "shown" and event.get("kind") == "prompt":
            prompt = str(event.get("text", ""))
        elif kind == "shown":
            turns.append({"note": str(event.get("text", "")), "error": True})
        elif kind == "reply":
            turns.append(_reply_turn(event))
        elif kind == "tools":
            calls = [_call_node(call) for call in calls_of([event])]
            holder = turns[-1] if turns else {}
            holder["calls"] = calls
            holder["error"] = any(call["error"] for call in calls)
            if not turns:
                turns.append(holder)
    return prompt, turns


def _reply_turn(event: JsonObject) -> JsonObject:
    thought = event.get("thought") or ""
    if not thought and not event.get("tool_calls"):
        thought = event.get("text") or ""
    return {"thought": str(thought), "calls": [], "error": False}


def _call_node(call: Call) -> JsonObject:
    answer = orjson.dumps(call.answer, option=orjson.OPT_NON_STR_KEYS).decode()
    short = answer[:ANSWER_CHARACTERS]
    if len(answer) > len(short):
        short += f" ... ({len(answer):,} characters; the transcript has them all)"
    milliseconds = 1000 * (call.compute_sec + call.encode_sec)
    summary = str(call.answer["error"])[:160] if call.refused else "answer"
    return {
        "name": call.name,
        "arguments": orjson.dumps(call.arguments).decode(),
        "answer": short,
        "error": call.refused,
        "summary": f"{summary} ({milliseconds:.1f} ms)",
    }


def _row(case: ScoredCase, run: int, agent: str) -> JsonObject:
    prediction = case.prediction
    return {
        "run": run,
        "id": case.instance.instance_id,
        "task": case.task,
        "agent": agent,
        "outcome": case.outcome,
        "score": None if case.score is None else round(case.score, 4),
        "reference": reference_text(case),
        "answer": answer_text(case)[:200],
        "calls": prediction.n_tool_calls if prediction else 0,
        "ended": prediction.ended if prediction else "never run",
    }


def _detail(case: ScoredCase, events: list[JsonObject]) -> JsonObject:
    prompt, turns = turns_of(events)
    prediction = case.prediction
    detail: JsonObject = {
        "prompt": prompt,
        "turns": turns,
        "scores": ", ".join(
            f"{metric_text(name)} {cell_text(value)}"
            for name, value in case.values.items()
        ),
        "error": "; ".join(case.warnings),
    }
    if prediction is not None:
        detail |= {
            "final": prediction.answer_text or "",
            "record_id": prediction.record_id,
            "counts": ", ".join(
                f"{number} {word}{'' if number == 1 else 's'}"
                for number, word in (
                    (prediction.n_turns, "turn"),
                    (prediction.n_tool_calls, "call"),
                    (prediction.n_repairs, "repair"),
                )
            ),
            "tokens": _tokens_text(prediction),
            "seconds": ", ".join(
                f"{name} {seconds_text(value)}"
                for name, value in prediction.seconds.items()
            ),
            "error": "; ".join(filter(None, (prediction.error, *case.warnings))),
        }
    return detail


def _tokens_text(prediction: Prediction) -> str:
    told = f"shown {prediction.shown_tokens:,}"
    if prediction.input_tokens or prediction.output_tokens:
        told += f", in {prediction.input_tokens:,}, out {prediction.output_tokens:,}"
    return told


def _pack(details: list[JsonObject]) -> str:
    # mtime 0 and a fixed level: the same run gives the same bytes
    packed = gzip.compress(orjson.dumps(details), compresslevel=9, mtime=0)
    return base64.b64encode(packed).decode()


def _events_text(events: Sequence[Sequence[float]]) -> str:
    if not events:
        return "no seizure"
    listed = ", ".join(f"{start:.0f}-{stop:.0f} s" for start, stop in events[:6])
    return listed if len(events) <= 6 else f"{listed} and {len(events) - 6} more"


def _shares_text(stages: Sequence[str | None]) -> str:
    if not stages:
        return "none"
    names = [name for name in ("W", "N1", "N2", "N3", "REM") if name in stages]
    return ", ".join(
        f"{name} {100 * stages.count(name) / len(stages):.0f} %" for name in names
    )
