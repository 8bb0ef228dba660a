"""The rule agent as an agent: turns, limits, dialects, budgets, answers that fit."""

import ast
from pathlib import Path

import msgspec
import pytest

import eegbench.agents.rules as rules
from eegbench.agents import Agent, Observation
from eegbench.answerschema import problems
from eegcore import simulate
from rules_driver import as_recording, drive, stages_of, view_of


def night(seconds=1800.0):
    return as_recording(simulate.night(1, duration_sec=seconds))


MAKERS = {
    "T2": lambda: simulate.artifact_epoch(1, kind="clean"),
    "T3": lambda: simulate.bonn_like(1, label="normal"),
    "T4": lambda: simulate.resting(1, label="HC", duration_sec=20.0),
    "T5": lambda: simulate.seizure_recording(1, duration_sec=300.0),
    "T6": lambda: simulate.night(1, duration_sec=1800.0),
}


@pytest.mark.parametrize("dialect", ["default", "paper-1.0"])
@pytest.mark.parametrize("task", MAKERS)
def test_answer_fits_the_schema_and_has_a_rationale_in_numbers(task, dialect):
    n_epochs = 60 if task == "T6" else None
    done = drive(task, as_recording(MAKERS[task]()), dialect=dialect, n_epochs=n_epochs)
    schema = view_of(task).answer_schema
    assert problems(done.answer, schema, n_epochs=n_epochs) == ()
    assert any(character.isdigit() for character in done.answer["rationale"])
    assert done.most_per_turn <= 3
    assert done.largest_tokens <= 8000


def test_agent_has_the_protocol():
    assert isinstance(rules.RuleAgent(), Agent)


def test_only_the_opaque_id_is_used_in_calls():
    done = drive("T6", night(), n_epochs=60)
    assert {call.arguments["record_id"] for call in done.calls} == {"rec-1"}


def test_calls_used_up_give_an_answer_that_covers_the_night():
    done = drive("T6", night(), n_epochs=60, max_tool_calls=3)
    assert len(done.calls) == 3
    assert len(stages_of(done.answer)) == 60


@pytest.mark.parametrize("task", MAKERS)
def test_no_calls_at_all_still_give_an_answer_that_fits(task):
    view = view_of(task, n_epochs=10, max_tool_calls=0)
    agent = rules.RuleAgent()
    reply = agent.reply(Observation(kind="prompt", text="", view=view, calls_left=0))
    assert reply.answer is not None
    wanted = 10 if task == "T6" else None
    assert problems(reply.answer, view.answer_schema, n_epochs=wanted) == ()


def test_start_forgets_the_instance_before():
    agent = rules.RuleAgent()
    for record_id in ("one", "two"):
        view = view_of("T3", record_id=record_id)
        agent.start(view)
        reply = agent.reply(
            Observation(kind="prompt", text="", view=view, calls_left=99)
        )
        assert {c.arguments["record_id"] for c in reply.tool_calls} == {record_id}


def test_without_a_budget_the_same_night_takes_fewer_calls_and_ends_the_same():
    recording = as_recording(simulate.night(2, duration_sec=3 * 3600.0))
    tight = drive("T6", recording, n_epochs=360, budget=2000)
    free = drive("T6", recording, n_epochs=360, budget=None)
    assert len(free.calls) < len(tight.calls)
    assert stages_of(free.answer) == stages_of(tight.answer)


def test_no_analyst_imports_the_simulator():
    for path in Path(rules.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                assert "simulate" not in node.module
            if isinstance(node, ast.Import):
                assert not any("simulate" in alias.name for alias in node.names)


def test_unknown_task_is_answered_by_the_kind_of_answer_wanted():
    view = msgspec.structs.replace(view_of("T6"), task="sleep-of-another-suite")
    assert rules.analyst_for(view) is rules.ANALYSTS["T6"]
