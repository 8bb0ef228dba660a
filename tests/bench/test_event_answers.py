"""Intervals read from replies: what is taken, mended, left out."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eegbench.scoring.events import (
    dice,
    parse_events,
    score_events,
)

HOUR = 3600.0


def read(events, **fields):
    return parse_events(json.dumps({"seizure_events": events} | fields), HOUR)


@pytest.mark.parametrize(
    "reply",
    [
        '{"seizure_events": [{"onset_sec": 834, "offset_sec": 894}]}',
        '{"action": "final_answer", "answer": {"seizures": '
        '[{"start": 834, "end": 894}]}}',
        '{"action": "final_answer", "answer": [[834, 894]]}',
        '{"answer": "{\\"events\\": [[834, 894]]}"}',
        "{'events': [(834, 894),]}",
        '{"events": [["834.0", "894 s"]]}',
        '{"events": [834, 894]}',
        '{"events": {"onset": 834, "offset": 894}}',
        '{"events": {"1": [834, 894]}}',
        '{"events": [{"onset_sec": 834, "duration_sec": 60}]}',
        '{"events": [{"Onset (s)": 834, "Offset (s)": 894}]}',
        '{"events": [{"start_time": 834, "end_time": 894, "channel": "T7"}]}',
        '{"events": [{"interval": [834, 894]}]}',
        '{"events": [{"start_min": 13.9, "end_min": 14.9}]}',
        '{"unit": "minutes", "events": [[13.9, 14.9]]}',
        '{"events": [{"start_ms": 834000, "end_ms": 894000}]}',
        '{"events": [["13:54", "0:14:54"]]}',
        '{"events": ["834-894"]}',
        '{"events": ["13:54 to 14:54"]}',
        '{"events": [{"start": "13 min 54 s", "end": "14 min 54 s"}]}',
        '{"events": [[834, 894, "seizure"]]}',
        '{"events": {"onsets": [834], "offsets": [894]}}',
        '{"report": {"seizure_events": [[834, 894]]}}',
        "Final answer: [[834, 894]]",
        "[[834, 894]]",
        "seizures = [834, 894]",
        "```json\n[[834, 894]]\n```",
        '<think>{"events": [[1, 2]]}</think>Draft: {"events": [[100, 160]]}\n'
        '{"action": "final_answer", "events": [[834, 894]]}\nSee F7-T7 [1], {note 2}.',
    ],
)
def test_one_interval_in_many_forms(reply):
    parsed = parse_events(reply, HOUR)
    assert parsed.value == ((pytest.approx(834), pytest.approx(894)),)
    assert not parsed.parse_failed


@pytest.mark.parametrize(
    "row",
    [
        [math.nan, 894],
        [math.inf, 894],
        [None, 894],
        [True, 894],
        ["x", 894],
        [[], 894],
        [834],
        [],
        {},
        {"onset_sec": 834},
        {"start_epoch": 10, "end_epoch": 12},
        {"start_sample": 10, "end_sample": 12},
        {"onset": 834, "offset": 894, "unit": "samples"},
        5,
        "noise",
        None,
    ],
)
def test_a_bad_row_is_skipped_and_counted_and_the_others_kept(row):
    parsed = read([row, [2378, 2497]])
    assert parsed.value == ((2378.0, 2497.0),)
    assert parsed.rows_skipped == 1
    assert parsed.warnings
    assert not parsed.parse_failed


def test_a_number_too_large_for_a_double_costs_its_row():
    parsed = parse_events('{"seizure_events": [[834, 1e400], [1, 2]]}', HOUR)
    assert parsed.value == ((1.0, 2.0),)


def test_reversed_intervals_are_swapped_with_a_warning():
    """Protocol, section 5, T5."""
    parsed = read([[894, 834]])
    assert parsed.value == ((834.0, 894.0),)
    assert parsed.rows_reversed == 1
    assert "ends before it starts" in parsed.warnings[0]


def test_intervals_are_cut_to_the_record():
    parsed = read([[-20, 15], [3590, 3700], [4000, 4100]])
    assert parsed.value == ((0.0, 15.0), (3590.0, 3600.0))
    assert (parsed.rows_skipped, parsed.rows_clipped) == (1, 2)


@pytest.mark.parametrize("events", [[], None, "none", "no seizures"])
def test_no_event_is_a_valid_answer(events):
    """Paper, section 6.2: an empty list is a valid no-seizure prediction."""
    parsed = read(events)
    assert parsed.value == ()
    assert not parsed.parse_failed
    assert parsed.missing == (events is None)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I found no seizure.",
        '{"seizure_events": 5}',
        '{"action": "final_answer"}',
        '{"seizure_events": "maybe"}',
        '{"seizure_events": true}',
        None,
        3,
    ],
)
def test_no_usable_answer_is_told_apart_from_an_empty_one(reply):
    parsed = parse_events(reply, HOUR)
    assert parsed.value == ()
    assert parsed.parse_failed


def test_a_reply_that_was_cut_off_is_not_guessed_at():
    parsed = parse_events('{"action": "final_answer", "events": [[834, 894], [2', HOUR)
    assert parsed.parse_failed


def test_intervals_that_are_not_finite_do_not_reach_the_score():
    counts = score_events([[10, 20]], [[math.nan, 5], [0, math.inf]], duration_sec=HOUR)
    assert counts[:3] == (0, 0, 1)
    assert dice([[10, 20]], [[math.nan, 15]]) == 0


def test_strict_reading_takes_the_published_form_alone():
    assert parse_events({"events": [[1, 2]]}, HOUR, strict=True).parse_failed
    units = {"seizure_events": [{"onset_sec": "1 s", "offset_sec": "2"}]}
    assert parse_events(units, HOUR, strict=True).rows_skipped == 1
    plain = {"seizure_events": [{"onset_sec": "1", "offset_sec": 2}, [True, 3]]}
    assert parse_events(plain, HOUR, strict=True).value == ((1, 2), (1, 3))


@given(st.text(max_size=200))
def test_no_reply_raises(reply):
    parse_events(reply, HOUR)


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["onset_sec", "end", "unit", "x"]), inner)
    ),
    max_leaves=12,
)


@given(json_values)
def test_no_answer_object_raises_and_what_is_read_lies_in_the_record(value):
    for answer in (value, {"seizure_events": value}):
        for strict in (True, False):
            for start, stop in parse_events(answer, HOUR, strict=strict).value:
                assert 0 <= start < stop <= HOUR
