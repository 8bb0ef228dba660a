import pytest

from bench.sets import EVENTS, LABELS, NIGHT
from eegbench.answerschema import check_schema, problems
from eegbench.errors import SetError

SHARES = {"REM_pct": 0.2, "N3_pct": 0.2, "sleep_efficiency": 0.9}


def night(*segments: tuple[int, int, str]) -> dict[str, object]:
    names = ("start_epoch", "end_epoch", "stage")
    rows = [dict(zip(names, segment, strict=True)) for segment in segments]
    return {"hypnogram_rle": rows, "architecture": SHARES}


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({}, "$.classification: missing"),
        ({"classification": "Normal"}, "is not one of normal, epileptic"),
        ({"classification": None}, "None is no string"),
        ({"classification": "normal", "findings": "slow"}, "'slow' is no array"),
        ({"classification": "normal", "findings": [1]}, "$.findings[0]: 1 is no"),
        ([], "$: [] is no object"),
    ],
)
def test_problem_of_a_label_names_its_place(answer, problem):
    found = problems(answer, LABELS)
    assert len(found) == 1
    assert problem in found[0]


@pytest.mark.parametrize(
    ("onset", "problem"),
    [
        (-5, "-5 is below 0"),
        ("5", "'5' is no number"),
        (True, "True is no number"),
        (float("nan"), "nan is no number"),
        (float("inf"), "inf is no number"),
    ],
)
def test_problem_of_an_event_names_its_place(onset, problem):
    answer = {"seizure_events": [{"onset_sec": onset, "offset_sec": 9}]}
    assert problems(answer, EVENTS) == (f"$.seizure_events[0].onset_sec: {problem}",)


def test_valid_answers_have_no_problem():
    assert problems({"classification": "normal", "more": 1}, LABELS) == ()
    assert problems({"seizure_events": []}, EVENTS) == ()
    huge = {"seizure_events": [{"onset_sec": 10**400, "offset_sec": 1e300}]}
    assert problems(huge, EVENTS) == ()


def test_hypnogram_must_cover_every_epoch():
    assert problems(night((0, 9, "W"), (10, 19, "N2")), NIGHT, n_epochs=20) == ()
    assert problems(night((10, 25, "N2"), (0, 12, "W")), NIGHT, n_epochs=20) == ()
    found = problems(night((2, 9, "W"), (12, 18, "N2")), NIGHT, n_epochs=20)
    assert "5 of 20 epochs are not covered (0-1, 10-11, 19-19)" in found[0]
    found = problems(night(), NIGHT, n_epochs=20)
    assert "20 of 20 epochs are not covered (0-19)" in found[0]


def test_segment_that_ends_before_it_starts_covers_nothing():
    found = problems(night((19, 0, "W")), NIGHT, n_epochs=20)
    assert "20 of 20" in found[0]


def test_list_rows_count_as_segments_where_the_schema_takes_them():
    schema = {"type": "object", "properties": {"hypnogram_rle": {"type": "array"}}}
    answer = {"hypnogram_rle": [[0, 18, "W"]]}
    assert "(19-19)" in problems(answer, schema, n_epochs=20)[0]


def test_many_problems_are_cut_to_eight():
    answer = {"seizure_events": [{}] * 100}
    assert len(problems(answer, EVENTS)) == 8


@pytest.mark.parametrize(
    ("schema", "value", "valid"),
    [
        ({"type": ["string", "null"]}, None, True),
        ({"type": "integer"}, 3.0, True),
        ({"type": "integer"}, 3.5, False),
        ({"enum": [1]}, True, False),
        ({"enum": [1]}, 1.0, True),
        ({"const": "x"}, "y", False),
        ({"anyOf": [{"type": "string"}, {"type": "array"}]}, [], True),
        ({"anyOf": [{"type": "string"}, {"type": "array"}]}, 1, False),
        ({"exclusiveMaximum": 1}, 1, False),
        ({"minItems": 1}, [], False),
        ({"maxLength": 2}, "abc", False),
        ({"additionalProperties": False, "properties": {"a": {}}}, {"b": 1}, False),
        ({"prefixItems": [{"type": "integer"}], "items": {"type": "string"}}, [1, "a"],
         True),
    ],
)  # fmt: skip
def test_keyword(schema, value, valid):
    check_schema(schema)
    assert (problems(value, schema) == ()) is valid


def test_schema_with_an_unknown_keyword_or_type_is_refused():
    with pytest.raises(SetError, match=r"'pattern' at \$.a.items; known: "):
        check_schema({"properties": {"a": {"items": {"pattern": "x"}}}})
    with pytest.raises(SetError, match="type 'float' at"):
        check_schema({"type": "float"})
