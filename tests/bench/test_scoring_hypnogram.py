"""T6: reading of hypnograms, and their scores against a reference."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eegbench.scoring.hypnogram import (
    aligned,
    cohen_kappa,
    parse_hypnogram,
    parse_shares,
    score_hypnogram,
    score_nights,
)
from eegcore.hypnogram import STAGES, decode, encode

WANTED = ["W", "W", "W", "W", "N1", "N1"]


def read(rows, n_epochs):
    return parse_hypnogram(json.dumps({"hypnogram_rle": rows}), n_epochs)


@pytest.mark.parametrize(
    "reply",
    [
        '{"hypnogram_rle": [[0, 3, "W"], [4, 5, "N1"]]}',
        '{"hypnogram_rle": [{"start_epoch": 4, "end_epoch": 5, "stage": "N1"}]}',
        '{"hypnogram_rle": [{"start": 4, "end": 5, "stage": "n1 "}]}',
        '{"hypnogram_rle": [["4", "5", "Sleep stage 1"]]}',
        '{"hypnogram_rle": [{"epochs": [4, 5], "stage": "S1"}]}',
        '{"hypnogram_rle": [{"epoch": 4, "stage": 1}, {"epoch": 5, "stage": 1}]}',
        '{"hypnogram_rle": [{"start_epoch": 4, "n_epochs": 2, "stage": "N1"}]}',
        '{"hypnogram_rle": [["W", 4], ["N1", 2]]}',
        '{"hypnogram_rle": [["W", 0, 3], ["N1", 4, 5]]}',
        '{"hypnogram_rle": ["0-3: W", "4-5: N1"]}',
        '{"hypnogram_rle": "0-3: W; 4-5: N1"}',
        '{"hypnogram_rle": {"0-3": "W", "4-5": "N1"}}',
        '{"hypnogram": {"W": [[0, 3]], "N1": [[4, 5]]}}',
        '{"hypnogram_rle": "WWWW11"}',
        '{"hypnogram_rle": "W, W, W, W, N1, N1"}',
        '{"hypnogram_rle": ["W", "W", "W", "W", "N1", "N1"]}',
        '{"stages": [0, 0, 0, 0, 1, 1]}',
        '{"stages": ["W", "W", "W", "W", "N1", "N1", "REM"]}',
        '{"hypnogram": {"W": [0, 1, 2, 3], "N1": [4, 5]}}',
        '{"answer": {"hypnogram": {"rle": [[4, 5, "N1"]]}, "REM_pct": 0.0}}',
        '{"hypnogram_rle": "[[0, 3, \\"W\\"], [4, 5, \\"N1\\"]]"}',
        "hypnogram_rle = [[0,3,W], [4,5,N1]]",
        '[[0, 3, "W"], [4, 5, "N1"]]',
    ],
)
def test_one_night_in_many_forms(reply):
    """Protocol, section 5, T6: list rows and objects both count."""
    parsed = parse_hypnogram(reply, 6)
    assert decode(parsed.value) == WANTED
    assert not parsed.parse_failed


def test_ends_are_inclusive_and_the_last_written_wins():
    """Protocol, section 5, T6."""
    rows = [[5, 9, "N2"], [0, 6, "W"], [2, 3, "N1"]]
    wanted = ["W", "W", "N1", "N1", "W", "W", "W", "N2", "N2", "N2"]
    assert decode(read(rows, 10).value) == wanted


def test_gaps_unknown_stages_and_missing_tails_are_wake():
    """Protocol, section 5, T6; an unknown stage also over an earlier row."""
    parsed = read([[0, 7, "N2"], [0, 3, "MT"], [9, 9, "N2"]], 12)
    assert decode(parsed.value) == ["W"] * 4 + ["N2"] * 4 + ["W", "N2", "W", "W"]
    assert parsed.rows_unknown_stage == 1


def test_what_lies_past_the_end_is_cut_and_not_written_on_the_last_epoch():
    parsed = read([[0, 7, "N2"], [4, 99, "REM"], [30, 40, "N3"]], 8)
    assert decode(parsed.value) == ["N2"] * 4 + ["REM"] * 4
    assert parsed.rows_clipped == 2


@pytest.mark.parametrize(
    "row",
    [
        [6, 7],
        [7, 4, "REM"],
        [-3, 1, "N1"],
        [None, 3, "N1"],
        [math.nan, 3, "N1"],
        [0, math.inf, "N1"],
        [True, 3, "N1"],
        ["x", 3, "N1"],
        [[0], 3, "N1"],
        {"start_sec": 0, "end_sec": 90, "stage": "N1"},
        {"stage": "N1"},
        {},
        [],
        7,
        None,
        "noise",
    ],
)
def test_malformed_rows_are_skipped_and_counted(row):
    """Paper, section 6.2: malformed rows are skipped; never an index from the end."""
    parsed = read([[0, 3, "N2"], row], 8)
    assert decode(parsed.value) == ["N2"] * 4 + ["W"] * 4
    assert parsed.rows_skipped == 1


def test_fractions_of_an_epoch_are_cut_off():
    assert decode(read([[0.9, 2.2, "N2"]], 4).value) == ["N2", "N2", "N2", "W"]


def test_an_epoch_number_of_any_size_is_cut():
    assert decode(read([[0, 10**30, "N2"]], 3).value) == ["N2"] * 3


@pytest.mark.parametrize("reply", ['{"hypnogram_rle": []}', '{"hypnogram_rle": null}'])
def test_an_empty_hypnogram_is_all_wake(reply):
    """Protocol, section 5, T6."""
    parsed = parse_hypnogram(reply, 3)
    assert decode(parsed.value) == ["W"] * 3
    assert not parsed.parse_failed


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Four cycles.",
        '{"hypnogram_rle": 5}',
        '{"hypnogram_rle": true}',
        None,
        '{"action": "final_answer"}',
        '{"hypnogram_rle": "N2"}',
        '{"hypnogram_rle": {}}',
    ],
)
def test_no_usable_hypnogram_is_all_wake_and_marked(reply):
    parsed = parse_hypnogram(reply, 3)
    assert decode(parsed.value) == ["W"] * 3
    assert parsed.parse_failed


def test_strict_reading_takes_the_published_form_alone():
    lists = {"hypnogram_rle": [[0, 1, "N2"]]}
    assert decode(parse_hypnogram(lists, 2, strict=True).value) == ["W", "W"]
    row = {"start_epoch": True, "end_epoch": "1", "stage": "N2"}
    assert decode(parse_hypnogram({"hypnogram_rle": [row]}, 2, strict=True).value) == [
        "W",
        "N2",
    ]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.integers()
    | st.sampled_from(["W", "N2"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["start_epoch", "end", "stage", "0-3", "W", "epochs"]),
            inner,
        )
    ),
    max_leaves=15,
)


@given(json_values, st.integers(0, 12))
def test_no_answer_raises_and_every_night_is_whole(value, n_epochs):
    for answer in (value, {"hypnogram_rle": value}, json.dumps(value)):
        for strict in (True, False):
            codes = parse_hypnogram(answer, n_epochs, strict=strict).value
            assert codes.shape == (n_epochs,)
            assert set(codes.tolist()) <= set(range(5))
        parse_shares(answer)


def test_a_list_of_another_length_counts_only_if_it_is_names_throughout():
    """Golden t6/46: ``["W", null, 3]`` for twenty epochs is no hypnogram."""
    assert decode(read(["REM", "N1"], 3).value) == ["REM", "N1", "W"]
    assert decode(read(["REM", None, 3], 4).value) == ["W"] * 4


def test_an_unknown_stage_of_an_answer_is_wake_and_of_a_reference_an_error():
    assert score_hypnogram(["W"], ["N9"]).accuracy == 1
    with pytest.raises(ValueError, match="unknown stage 'N9'"):
        score_hypnogram(["N9"], ["W"])


def test_shares_as_numbers_percentages_and_text():
    reply = {"architecture": {"REM_pct": "15%", "N3_pct": 15, "sleep_efficiency": 0.7}}
    assert parse_shares(reply) == (0.15, 0.15, 0.7)
    assert parse_shares({"architecture": {"REM_pct": "much"}}) == (None, None, None)
    assert parse_shares("") == (None, None, None)


def test_a_stage_absent_from_both_sides_scores_0_and_the_best_reachable_is_given():
    """Protocol, section 5, T6: a perfect night can score below 1 (golden t6/48)."""
    night = ["W"] * 10 + ["N1"] * 2 + ["N2"] * 8
    score = score_hypnogram(night, night)
    assert score.macro_f1 == pytest.approx(0.6)
    assert score.best_macro_f1 == pytest.approx(0.6)
    assert score.kappa == 1


@pytest.mark.parametrize(("answer", "kappa"), [(["W"] * 9, 1.0), (["N2"] * 9, 0.0)])
def test_kappa_is_1_or_0_where_chance_agreement_is_1(answer, kappa):
    """Protocol, section 5, T6; paper, section 6.2."""
    assert score_hypnogram(["W"] * 9, answer).kappa == kappa


def test_unscored_epochs_keep_their_place_and_are_left_out_pairwise():
    """Protocol, section 5, T6: counts with and without them."""
    truth = ["W", "N1", None, "N2", "N2", None, "REM", "REM"]
    answer = ["W", "N1", "W", "N2", "N3", "N2", "REM", "W"]
    score = score_hypnogram(truth, answer)
    assert (score.n_epochs, score.n_scored) == (8, 6)
    assert score.kappa == pytest.approx(0.5862068965517241)
    assert score.macro_f1 == pytest.approx(0.6)


def test_a_night_without_scored_epochs_has_no_score():
    score = score_hypnogram([None, None], ["W", "W"])
    assert (score.macro_f1, score.kappa, score.accuracy) == (None, None, None)
    assert score_nights([score]).metrics["macro_f1"] is None


def test_answers_are_cut_or_filled_up_with_wake():
    assert decode(aligned(encode(["N2", None]), 3)) == ["N2", "W", "W"]
    assert decode(aligned(encode(["N2", "N3"]), 1)) == ["N2"]


def test_errors_of_stated_and_of_implied_shares():
    """Protocol, section 5, T6: errors of REM_pct, N3_pct, sleep_efficiency."""
    truth = ["W", "N2", "N3", "REM"]
    stated = parse_shares({"architecture": {"REM_pct": 0.5, "N3_pct": 0.25}})
    score = score_hypnogram(truth, ["W", "W", "N3", "REM"], stated=stated)
    assert score.share_errors == {
        "REM_pct": 0.25,
        "N3_pct": 0.0,
        "sleep_efficiency": None,
    }
    assert score.implied_share_errors["sleep_efficiency"] == pytest.approx(-0.25)


def test_nights_are_scored_alone_and_then_averaged():
    """Protocol, section 5, T6: per recording, then averaged; intervals by person."""
    nights = [
        score_hypnogram(["W", "N2"], ["W", "N2"]),
        score_hypnogram(["W", "N2"] * 50, ["W"] * 100),
    ]
    score = score_nights(nights, groups=["a", "b"])
    assert score.metrics["macro_f1"] == pytest.approx((0.4 + 2 / 3 / 5) / 2)
    assert score.metrics["kappa"] == pytest.approx(0.5)
    assert score.best_macro_f1 == pytest.approx(0.4)
    assert score.intervals["macro_f1"].n_groups == 2
    assert score.confusion["N2"]["W"] == 50


pairs = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=60
)


@given(pairs)
def test_kappa_equals_its_definition(epochs):
    """Paper, section 6.2, equation 3, by exact fractions."""
    from fractions import Fraction

    n = len(epochs)
    observed = Fraction(sum(t == p for t, p in epochs), n)
    chance = sum(
        Fraction(sum(t == c for t, _ in epochs) * sum(p == c for _, p in epochs), n * n)
        for c in range(5)
    )
    wanted = (
        (observed - chance) / (1 - chance) if chance != 1 else Fraction(observed == 1)
    )
    truth, answer = (np.array(side, np.int8) for side in zip(*epochs, strict=True))
    assert score_hypnogram(truth, answer).kappa == pytest.approx(
        float(wanted), abs=1e-12
    )


@given(pairs)
def test_swapping_the_sides_keeps_kappa_and_f1(epochs):
    truth, answer = (np.array(side, np.int8) for side in zip(*epochs, strict=True))
    one, two = score_hypnogram(truth, answer), score_hypnogram(answer, truth)
    assert one.kappa == two.kappa
    assert one.macro_f1 == two.macro_f1
    assert list(one.f1) == list(STAGES)


def test_kappa_without_counts_is_none():
    assert cohen_kappa(np.zeros((5, 5), dtype=np.int64)) is None
