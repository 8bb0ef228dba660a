"""T1 to T4: what counts as an answer, and how answers become scores."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eegbench.scoring.labels import (
    accuracy,
    confusion,
    macro_f1,
    parse_choice,
    parse_label,
    score_labels,
)

OPTIONS = {
    "A": "Burst suppression",
    "B": "Lambda waves",
    "C": "3 Hz spike-and-wave",
    "D": "Sleep spindles",
}
ARTIFACTS = ("clean", "ocular", "muscle")
ALIASES = {
    "ocular_contaminated": "ocular",
    "eog": "ocular",
    "muscle_contaminated": "muscle",
    "emg": "muscle",
}
COHORTS = ("AD", "FTD", "HC")


@pytest.mark.parametrize(
    "reply",
    [
        "C",
        "c.",
        "(C)",
        "[c]",
        "**C**",
        "\u201cC\u201d",
        "$C$",
        r"\boxed{C}",
        r"$$\boxed{\text{C}}$$",
        r"The answer is \(C\).",
        "<answer>C</answer>",
        "Option C",
        "option (c)",
        "C) 3 Hz spike-and-wave",
        "C: 3 Hz spike-and-wave",
        "C - 3 Hz spike-and-wave",
        "Answer: C",
        "Answer:\nC",
        "**Answer**: **C**",
        "### Answer\n\nC",
        "answer = c",
        "Ans. C",
        "Answer (final): C",
        "Answer - C",
        "\u7b54\u6848\uff1a\uff23",
        "The correct answer is (C) 3 Hz spike-and-wave.",
        "The correct option is c.",
        "I would go with C.",
        "I choose (c)",
        "C is the answer",
        "B is incorrect. C is correct.",
        "Only C fits.",
        "The answer is not A but C.",
        "It cannot be A, B or D, so the answer must be C.",
        "The answer is C, not B.",
        "The answer is C; A is what many students pick.",
        "C, since A is wrong",
        "C\n\nWhy: A is wrong because it means hypoxia.",
        "A is hypoxia and B is normal.\n\n**C**",
        "A. Burst - wrong\nB. Lambda - wrong\nC. right\nAnswer: C",
        "Answer: B\nOn second thought:\nAnswer: C",
        "3 Hz spike-and-wave",
        "3 hz  SPIKE-and-wave.",
        "A classic 3 Hz spike-and-wave pattern",
        "Answer: A classic 3 Hz spike-and-wave pattern",
        '{"action": "final_answer", "answer": "C", "rationale": "A is wrong"}',
        '{"action": "final_answer", "answer": "c",}',
        '{"answer": {"choice": "C"}}',
        '{"answer": ["C"]}',
        '["C"]',
        '"C"',
        "```\nC\n```",
        "<think>Answer: A</think>Answer: C",
    ],
)
def test_choice_in_any_usual_dress(reply):
    """Protocol, section 5, T1: letter in any usual dress, or the text word for word."""
    parsed = parse_choice(reply, OPTIONS)
    assert parsed.value == "C"
    assert not parsed.parse_failed


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "   ",
        "I am not sure.",
        "ANSWER: none of the above",
        "A spindle is seen.",
        "The answer is a sharp wave",
        "Electrodes C3 and C4 show it",
        "E",
        "<think>Answer: A",
        '{"answer": "E"}',
        '{"answer": null}',
        '{"answer": true}',
        '{"answer": 2}',
        '{"answer": {"x": 1}}',
        "{}",
        "null",
        None,
    ],
)
def test_no_choice_is_a_parse_failure(reply):
    """Protocol, section 5, T1: an article is no answer."""
    parsed = parse_choice(reply, OPTIONS)
    assert parsed.value is None
    assert parsed.parse_failed
    assert parsed.warnings


@pytest.mark.parametrize(
    "reply",
    [
        "Answer: B or C",
        "Answer: B and C",
        "Answer: B/C",
        "The answer is (B) or (C).",
        '{"answer": "B and C"}',
        "Burst suppression, not lambda waves",
        "both B and C",
    ],
)
def test_several_options_are_no_answer(reply):
    assert parse_choice(reply, OPTIONS).value is None


def test_word_for_word_text_wins_over_a_leading_letter():
    """Golden case t1/25: the text of option D begins with ``a``."""
    options = {"A": "b-a-th-S", "B": "b -th-S- a", "C": "S-th-a-b", "D": "a - th-S- b"}
    assert parse_choice('{"answer": "a - th-S- b"}', options).value == "D"


def test_none_of_the_above_may_be_an_option():
    options = {**OPTIONS, "D": "None of the above"}
    assert parse_choice("ANSWER: none of the above", options).value == "D"


@given(st.text(max_size=120))
def test_no_reply_makes_the_parsers_raise(reply):
    parse_choice(reply, OPTIONS)
    parse_label(reply, ARTIFACTS, ALIASES)


def test_a_long_reply_of_answer_lines_is_read():
    """A pattern that goes back at each of them would never come to an end."""
    assert parse_choice("answer is " * 50_000 + "\nAnswer: C", OPTIONS).value == "C"


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ('{"action": "final_answer", "classification": "ocular"}', "ocular"),
        ('{"classification": "  Ocular\\n"}', "ocular"),
        ('{"classification": "OCULAR_contaminated"}', "ocular"),
        ('{"classification": "muscle contaminated"}', "muscle"),
        ('{"classification": "EOG"}', "ocular"),
        ('{"classification": "emg"}', "muscle"),
        ("{'action': 'final_answer', 'answer': 'clean', 'findings': None}", "clean"),
        ('{"answer": {"classification": "clean"}}', "clean"),
        ('{"classification": "clean", "answer": "muscle"}', "clean"),
        ('{"classification": ["clean"]}', "clean"),
        (
            '{"action": "final_answer", "answer": "clean", "findings": ["no EMG"]}',
            "clean",
        ),
        ("muscle", "muscle"),
    ],
)
def test_labels_equal_after_lower_casing_and_stripping(reply, label):
    """Protocol, section 5, Labels: lower case, white space stripped; four aliases."""
    assert parse_label(reply, ARTIFACTS, ALIASES).value == label


@pytest.mark.parametrize(
    "label",
    [
        "muscle artifact",
        "emg artifact",
        "blink",
        "normal",
        "no artifact",
        "not clean",
        "unclean",
        "none of the above",
        "muscle and ocular",
        "clean.",
        "ocular (EOG)",
        "",
    ],
)
def test_no_looser_rule_for_labels(label):
    """Protocol, section 5, Labels: no looser rule."""
    parsed = parse_label(json.dumps({"classification": label}), ARTIFACTS, ALIASES)
    assert parsed.value is None
    assert parsed.parse_failed


def test_a_gloss_is_accepted_only_when_asked_for():
    reply = '{"classification": "ocular (EOG)"}'
    assert parse_label(reply, ARTIFACTS, ALIASES, allow_gloss=True).value == "ocular"


@pytest.mark.parametrize(
    "reply",
    [
        "The record looks muscle at first, but it is not muscle.",
        "",
        '{"classification": null}',
        '{"classification": 3}',
        '{"classification": true}',
        '{"classification": {"x": 1}}',
        '{"action": "final_answer"}',
        "[1, 2]",
        None,
        5,
    ],
)
def test_prose_and_wrong_types_are_no_label(reply):
    assert parse_label(reply, ARTIFACTS, ALIASES).parse_failed


def test_labels_keep_the_spelling_of_the_class_set():
    assert parse_label('{"classification": "hc"}', COHORTS).value == "HC"


def test_one_class_throughout_scores_a_third_and_a_sixth():
    """Paper, section 6.2: always AD on balanced T4 is 1/3 and .167."""
    true = ["AD", "FTD", "HC"] * 23
    score = score_labels(true, ["AD"] * 69, COHORTS, n_rounds=0)
    assert score.metrics["accuracy"] == pytest.approx(1 / 3)
    assert score.metrics["macro_f1"] == pytest.approx(1 / 6)


def test_invalid_labels_are_wrong_and_no_class_of_their_own():
    """Protocol, section 5, Labels: wrong, in the denominator, never a class."""
    true = ["clean", "ocular", "muscle", "clean"]
    said = ["clean", None, "muscle", "artifact"]
    score = score_labels(true, said, ARTIFACTS, n_rounds=0)
    assert score.n_invalid == 2
    assert score.metrics["accuracy"] == 0.5
    assert score.metrics["macro_f1"] == pytest.approx((2 / 3 + 0 + 1) / 3)
    assert score.confusion["clean"] == {
        "clean": 1,
        "ocular": 0,
        "muscle": 0,
        "invalid": 1,
    }
    assert score.per_class["ocular"]["f1"] == 0
    assert score.per_class["clean"]["precision"] == 1
    assert score.per_class["clean"]["recall"] == 0.5


def test_a_reference_outside_the_classes_is_refused():
    with pytest.raises(ValueError, match="reference label 'x' is none of AD, FTD, HC"):
        confusion(["x"], ["AD"], COHORTS)


def test_no_instances_have_no_accuracy():
    assert accuracy([], []) is None
    assert score_labels([], [], COHORTS).metrics["accuracy"] is None


@given(
    st.lists(
        st.tuples(st.sampled_from(COHORTS), st.sampled_from([*COHORTS, None])),
        min_size=1,
    ),
    st.randoms(use_true_random=False),
)
def test_scores_do_not_depend_on_the_order_of_instances(pairs, random):
    shuffled = random.sample(pairs, len(pairs))
    first, second = zip(*pairs, strict=True), zip(*shuffled, strict=True)
    assert macro_f1(*first, COHORTS) == macro_f1(*second, COHORTS)


@given(
    st.lists(
        st.tuples(st.sampled_from(COHORTS), st.sampled_from([*COHORTS, None])),
        min_size=1,
    )
)
def test_macro_f1_equals_its_definition(pairs):
    """Paper, section 6.2, equation 2."""
    true, said = zip(*pairs, strict=True)
    total = 0.0
    for name in COHORTS:
        tp = sum(t == name == s for t, s in pairs)
        fp = sum(s == name != t for t, s in pairs)
        fn = sum(t == name != s for t, s in pairs)
        total += 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 0.0
    assert macro_f1(true, said, COHORTS) == pytest.approx(total / 3, abs=1e-12)
    assert accuracy(true, said) == sum(t == s for t, s in pairs) / len(pairs)


def test_scoring_starts_without_numba_and_mne():
    """Style page: scoring starts without numba."""
    code = (
        "import sys, eegbench.scoring.labels, eegbench.scoring.event_records\n"
        "import eegbench.scoring.hypnogram, eegbench.scoring.paired\n"
        "import eegbench.scoring.repeats, eegbench.scoring.nosignal\n"
        "print([m for m in ('numba', 'mne', 'statsmodels') if m in sys.modules])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "[]"


def test_a_repeated_list_of_options_is_no_answer():
    """A model that echoes the question has not chosen its last, cut item."""
    options = {"A": "O1 and O2", "B": "C3 and C4", "C": "P3 and P4", "D": "F7 and F8"}
    echo = "Which?\nA. O1 and O2\nB. C3 and C4\nC. P3 and P4\nD."
    assert parse_choice(echo, options).parse_failed
    assert parse_choice(f"{echo} F7 and F8\n\nB.", options).value == "B"
