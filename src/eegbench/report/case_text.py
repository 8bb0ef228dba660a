"""One case for a terminal: what was asked, done and answered, with its picture."""

import textwrap
from collections.abc import Sequence
from typing import Any

from eegbench.analysis.trajectories import Call, calls_of
from eegbench.report.cases import answer_text, reference_text, turns_of
from eegbench.report.pictures import picture_of
from eegbench.report.tables import cell_text, metric_text, render
from eegbench.report.textart import hypnogram_text, timeline_text
from eegbench.scored import ScoredCase

WIDTH = 80
LONG = 600  # characters of a message that are shown without --full


def list_text(cases: Sequence[ScoredCase]) -> str:
    """Return one line a case."""
    rows = [
        {
            "case": case.instance.instance_id,
            "outcome": case.outcome,
            "score": case.score,
            "reference": reference_text(case)[:28],
            "answer": answer_text(case)[:28],
        }
        for case in cases
    ]
    return render(rows, form="table")


def case_text(
    case: ScoredCase, events: Sequence[dict[str, Any]], *, full: bool = False
) -> str:
    """Return a case as text of 80 columns.

    Parameters
    ----------
    case : ScoredCase
        What was asked, answered and scored.
    events : sequence of dict
        Its transcript; empty if none was kept.
    full : bool, optional
        Show long messages whole.
    """
    prediction = case.prediction
    facts: list[tuple[str, object]] = [
        ("task", case.task),
        ("outcome", case.outcome),
        ("score", case.score),
        ("reference", reference_text(case)),
        ("answer", answer_text(case)),
        *((metric_text(name), value) for name, value in case.values.items()),
    ]
    if prediction is not None:
        counts = (prediction.n_turns, prediction.n_tool_calls, prediction.n_repairs)
        facts += [
            ("ended", prediction.ended),
            ("error", prediction.error),
            ("turns", "{} ({} calls, {} repairs)".format(*counts)),
        ]
    facts += [("warning", warning) for warning in case.warnings]
    simulated = " (SIMULATED)" if case.instance.simulated else ""
    lines = [f"{case.instance.instance_id}{simulated}"]
    width = max(len(name) for name, _ in facts)
    lines += [
        _filled(f"{name:<{width}}  ", cell_text(value))
        for name, value in facts
        if value is not None
    ]
    picture = _picture(case, calls_of(events))
    if picture:
        lines += ["", picture.rstrip("\n")]
    lines += ["", *_turn_lines(events, full=full)]
    if prediction is not None and prediction.answer_text:
        lines += ["", "final answer", _message(prediction.answer_text, full=full)]
    return _plain("\n".join(lines)) + "\n"


def _picture(case: ScoredCase, calls: Sequence[Call]) -> str:
    """Return the page's picture of a case in characters, with what it tells."""
    told = picture_of(case, calls, {}, {})
    if told is None:
        return ""
    if told["kind"] == "hypnogram":
        drawn = hypnogram_text(
            case.reference.stages or [],
            case.stages or (),
            told["looked"],
            duration_sec=told["duration_sec"],
        )
    else:
        drawn = timeline_text(
            case.reference.events or [],
            told["windows"],
            case.events or (),
            told["looked"],
            duration_sec=told["duration_sec"],
        )
    lines = [_filled(" " * 11, line) for line in told["told"]]
    return "\n".join([drawn.rstrip("\n"), "", *lines])


def _turn_lines(events: Sequence[dict[str, Any]], *, full: bool) -> list[str]:
    if not events:
        return ["no transcript was kept for this case"]
    prompt, turns = turns_of(events)
    lines = ["prompt", _message(prompt, full=full)]
    for number, turn in enumerate(turns, start=1):
        lines += ["", f"turn {number}"]
        for text in (turn.get("note"), turn.get("thought")):
            if text:
                lines.append(_message(text, full=full))
        for call in turn.get("calls", ()):
            lines.append(_filled("  call ", f"{call['name']} {call['arguments']}"))
            lines.append(_message(call["answer"], full=full, indent="    "))
    return lines


def _message(text: str, *, full: bool, indent: str = "  ") -> str:
    shown = text if full or len(text) <= LONG else f"{text[:LONG]} ... (--full)"
    return "\n".join(
        textwrap.fill(
            line, WIDTH, initial_indent=indent, subsequent_indent=indent,
            break_on_hyphens=False,
        )
        for line in shown.splitlines()
    )  # fmt: skip


def _filled(first: str, text: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=first, subsequent_indent=" " * len(first)
    )


def _plain(text: str) -> str:
    """Leave out control characters: a model's text must not drive the terminal."""
    return "".join(c for c in text if c == "\n" or c.isprintable())
