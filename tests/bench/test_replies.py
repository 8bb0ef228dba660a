"""Replies of models, as they come: one rule for the episode and for scoring."""

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eegbench.loose_json import loads, scan
from eegbench.replies import Call, find_answer, parse_reply, strip_thinking, unwrap

FINAL = '{"action": "final_answer", "answer": "B"}'


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1,}', {"a": 1}),
        ("{'a': (1, 2), 'b': None, 'c': True,}", {"a": [1, 2], "b": None, "c": True}),
        ("{a: 1, // why\n b: 2 /* and */}", {"a": 1, "b": 2}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ("{'a': 'the child's EEG'}", {"a": "the child's EEG"}),
        ("[[0,3,W],[4,7,N3]]", [[0, 3, "W"], [4, 7, "N3"]]),
        ('{"a": 1e400}', {"a": float("inf")}),
        ("[-Infinity, +5, .5]", [float("-inf"), 5, 0.5]),
        ("\u201cB\u201d", "B"),
    ],
)
def test_liberties_with_json_are_read(text, value):
    found = loads(text)
    assert found is not None
    assert found.value == value


@pytest.mark.parametrize("text", ["", "[1] and", "2497 s", "{note 2}", "{A, B}", "[1"])
def test_what_is_no_value_is_none(text):
    assert loads(text) is None


def test_an_integer_of_more_digits_than_python_reads_is_infinite():
    found = loads("9" * 6000)
    assert found is not None
    assert found.value == float("inf")


def test_brackets_of_prose_do_not_hide_the_answer_behind_them():
    values = scan("The set {A, B} is small [1]. " + FINAL + " {note 2}")
    assert [found.value for found in values] == [[1], json.loads(FINAL)]


@pytest.mark.parametrize(
    "text",
    [
        FINAL,
        f"```json\n{FINAL}\n```",
        f"I think so.\n```\n{FINAL}\n```\nDone.",
        f"So: {FINAL}, I am sure.",
        f"[{FINAL}]",
        json.dumps(FINAL),
        "{'action': 'Final Answer', 'answer': 'B',}",
        '{"action": "final_answer", "answer": {"answer": "B"}}',
        '{"action": "final_answer", "arguments": {"answer": "B"}}',
        '{"action": "final_answer", "answer": "A"}\nNo.\n' + FINAL,
        '<think>{"action": "final_answer", "answer": "A"}</think>' + FINAL,
        '{"action": "final_answer", "answer": "A"}</think>' + FINAL,
        '<|channel|>analysis<|message|>{"answer": "A"}<|end|><|start|>assistant'
        "<|channel|>final<|message|>" + FINAL,
        '{"action": "tool", "name": "x", "arguments": {}}\n' + FINAL,
        '{"answer": "A"}\n' + FINAL,
        '{"answer": "B"}',
    ],
)
def test_final_answers_are_found_in_any_dress(text):
    answer = parse_reply(text).answer
    assert answer is not None
    assert answer["answer"] == "B"


@pytest.mark.parametrize(
    "text",
    [
        '{"action": "tool_call", "tool_name": "psd", "arguments": {"record_id": "R"}}',
        '{"action": "tool_call", "arguments": {"tool_name": "psd", "record_id": "R"}}',
        '{"action": "tool_calls", "tool_calls": [{"name": "psd", "arguments": '
        '{"record_id": "R"}}]}',
        '{"tool_calls": [{"type": "function", "function": {"name": "psd", "arguments": '
        '"{\\"record_id\\": \\"R\\"}"}}]}',
        '{"name": "psd", "arguments": {"record_id": "R"}}',
        '{"type": "tool_use", "name": "psd", "input": {"record_id": "R"}}',
        '{"action": "psd", "action_input": {"record_id": "R"}}',
        '<tool_call>{"name": "psd", "arguments": {"record_id": "R"}}</tool_call>',
        "<function=psd><parameter=record_id>R</parameter></function>",
    ],
)
def test_tool_calls_are_found_in_any_form(text):
    reply = parse_reply(text)
    assert reply.tool_calls == (Call("psd", {"record_id": "R"}),)
    assert reply.answer is None


def test_calls_of_several_objects_are_kept_in_order():
    text = '{"name": "a", "arguments": {}}\n{"name": "b", "args": {}}'
    assert [call.name for call in parse_reply(text).tool_calls] == ["a", "b"]


@pytest.mark.parametrize(
    "text", ["", "42", '"B"', "null", "The answer is B.", "<think>x"]
)
def test_what_is_no_action_says_so(text):
    reply = parse_reply(text)
    assert reply.answer is None
    assert reply.tool_calls == ()
    assert reply.error is not None


def test_an_unclosed_thinking_block_runs_to_the_end():
    assert strip_thinking("a <think> b") == "a "
    assert find_answer(f"<think>{FINAL}") is None


def test_thought_is_taken_out_of_the_answer():
    reply = parse_reply(
        'Well. {"thought": "x", "action": "final_answer", "answer": "B"}'
    )
    assert reply.answer == {"action": "final_answer", "answer": "B"}
    assert reply.thought == "x\nWell."


def test_named_arrays_are_an_answer():
    text = "seizures = [2354, 2500], [3358, 3426]"
    assert find_answer(text) == {"seizures": [[2354, 2500], [3358, 3426]]}
    text = "hypnogram_rle = [[0, 3, W]]\narchitecture = {REM_pct: 0.1}"
    assert find_answer(text) == {
        "hypnogram_rle": [[0, 3, "W"]],
        "architecture": {"REM_pct": 0.1},
    }


def test_unwrap_keeps_fields_beside_the_wrapper():
    assert unwrap({"answer": {"label": "x"}, "why": "y"}) == {"why": "y", "label": "x"}


@given(st.text(alphabet="{}[]()\"'`,:<>/\\ \n=think1aN.-", max_size=200))
def test_no_text_raises(text):
    parse_reply(text)
    find_answer(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_proper_json_is_read_as_json_reads_it(value):
    found = loads(json.dumps(value))
    assert found is not None
    assert found.value == value


@pytest.mark.parametrize(
    "unit",
    ["[", '{"a":', "[1,1,[", "'", "{'a' ", "<think>", "<function=a>", "a=[1],", "{/*"],
)
def test_work_grows_with_length_and_no_faster(unit):
    """Ten times the length takes some ten times as many calls (a 1 MB reply).

    Patterns that go back and forth within one call would never come to an end here.
    """

    def calls(length: int) -> int:
        text = unit * (length // len(unit))
        count = 0

        def told(*_: object) -> None:
            nonlocal count
            count += 1

        before = sys.getprofile()
        sys.setprofile(told)
        try:
            parse_reply(text)
        finally:
            sys.setprofile(before)
        return count

    assert calls(300_000) < 12 * calls(30_000) + 1000


def test_an_answer_after_a_megabyte_of_brackets_is_found():
    assert parse_reply("[" * 1_000_000 + FINAL).answer is not None
