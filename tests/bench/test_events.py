"""T5: reading of intervals, event counts in ticks, Dice, aggregation by subject."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eegbench.scoring.event_records import score_event_records, score_record
from eegbench.scoring.events import (
    dice,
    event_ratios,
    merged,
    quantized,
    score_events,
    split,
    to_ticks,
)

HOUR = 3600.0


@pytest.mark.parametrize(
    ("seconds", "ticks"), [(0.05, 0), (0.15, 2), (0.35, 4), (300.05, 3000), (8.45, 84)]
)
def test_times_are_whole_ticks_of_a_tenth_halves_to_even(seconds, ticks):
    """Protocol, section 5, T5: integers of 0.1 s (half to even)."""
    assert to_ticks(seconds) == ticks


def test_rounding_comes_before_merging():
    """Protocol, section 5, T5: the order; a raw gap of 89.96 s is 90.0 s in ticks."""
    counts = score_events(
        [[100, 130.02], [219.98, 250]], [[240, 245]], duration_sec=HOUR
    )
    assert counts.reference_events == ((100.0, 130.0), (220.0, 250.0))
    assert counts[:3] == (1, 0, 1)


@pytest.mark.parametrize(("gap", "n"), [(89.9, 1), (90.0, 2)])
def test_gap_of_exactly_90_s_is_not_merged(gap, n):
    """Protocol, section 5, T5: merge gaps strictly under 90 s."""
    events = [[92.2, 102.2], [102.2 + gap, 202.2]]
    counts = score_events(events, [], duration_sec=HOUR)
    assert len(counts.reference_events) == n


def test_gaps_chain_and_nested_events_keep_the_later_end():
    assert merged([(0, 100), (10, 20), (150, 160)], gap=900) == [(0, 160)]


@pytest.mark.parametrize(
    ("length", "pieces"),
    [(300.0, [300.0]), (300.1, [300.0, 0.1]), (650, [300, 300, 50])],
)
def test_split_above_300_s(length, pieces):
    """Protocol, section 5, T5: split above 300 s."""
    counts = score_events([[1000, 1000 + length]], [], duration_sec=HOUR)
    found = [round(stop - start, 6) for start, stop in counts.reference_events]
    assert found == pieces


@pytest.mark.parametrize(
    ("prediction", "found"),
    [
        ([960, 970], 0),
        ([960, 970.1], 1),
        ([1120, 1130], 0),
        ([1119.9, 1130], 1),
        ([1010, 1010.04], 0),
    ],
)
def test_one_tick_of_overlap_counts_and_touching_does_not(prediction, found):
    """Protocol, section 5, T5: extend by 30 s and 60 s; overlap of at least 0.1 s."""
    counts = score_events([[1000, 1060]], [prediction], duration_sec=HOUR)
    assert counts.tp == found


def test_matching_is_not_one_to_one():
    """Paper, section 6.3."""
    one_for_two = score_events(
        [[300, 320], [430, 450]], [[310, 440]], duration_sec=HOUR
    )
    assert one_for_two[:3] == (2, 0, 0)
    two_for_one = score_events(
        [[2000, 2030]], [[1975, 1976], [2085, 2089]], duration_sec=HOUR
    )
    assert two_for_one[:3] == (1, 0, 0)


def test_worked_example_of_the_paper():
    """Paper, section 6.10: chb15_40 gives Event-F1 0.80, Dice 0.798, no false alarm."""
    reference = [[834, 894], [2378, 2497], [3362, 3425]]
    answer = [[2354, 2500], [3358, 3426]]
    counts = score_events(reference, answer, duration_sec=HOUR)
    ratios = event_ratios(*counts[:3], duration_sec=HOUR)
    assert ratios.f1 == pytest.approx(0.80)
    assert ratios.fp_per_24h == 0
    assert dice(reference, answer) == pytest.approx(0.798, abs=5e-4)


def test_ratios_with_nothing_to_divide_by_are_none():
    assert event_ratios(0, 0, 0, duration_sec=HOUR) == (None, None, None, 0.0)
    assert event_ratios(0, 2, 0, duration_sec=HOUR) == (0.0, None, 0.0, 48.0)
    assert event_ratios(0, 0, 1, duration_sec=HOUR) == (0.0, 0.0, None, 0.0)


def test_dice_conventions():
    """Paper, section 6.4: both empty 1, one empty 0; overlapping ones count once."""
    assert dice([], []) == 1
    assert dice([[1, 2]], []) == 0
    assert dice([[100, 200]], [[100, 160], [140, 200], [150, 155]]) == 1
    assert dice([[100, 150], [150, 200]], [[120, 180]]) == pytest.approx(0.75)


def record(subject, reference, predicted, duration=HOUR, group=None):
    return score_record(
        reference, predicted, duration_sec=duration, subject=subject, group=group
    )


def test_counts_are_summed_by_subject_and_f1_is_averaged():
    """Protocol, section 5, T5; a subject with neither events nor alarms is left out."""
    records = [
        record("s1", [[100, 160]], [[110, 120]]),
        record("s1", [[200, 260], [900, 950]], [[2000, 2010]]),
        record("s2", [[50, 90]], [[60, 70]], 1800),
        record("s2", [], [[5000, 5030], [9000, 9020]], 14400),
        record("s3", [], []),
    ]
    score = score_event_records(records, n_rounds=0)
    assert score.n_subjects == 3
    assert score.subjects["s1"]["f1"] == pytest.approx(0.4)
    assert score.subjects["s3"]["f1"] is None
    assert score.metrics["event_f1"] == pytest.approx(0.45)
    assert score.metrics["fp_per_24h"] == pytest.approx((12 + 32 / 3 + 0) / 3)
    assert score.metrics["miss_rate"] == pytest.approx(1 / 3)
    assert score.metrics["over_alarm_rate"] == pytest.approx(1 / 2)
    assert score.n_seizure_records == 3


def test_dice_is_averaged_over_seizure_records_alone():
    """Paper, section 6.4, equation 8."""
    records = [record("s", [[0, 10]], [[0, 10]]), record("s", [], [])]
    records.append(record("s", [[0, 10]], []))
    assert score_event_records(records).metrics["dice_seizure"] == 0.5


def test_a_prediction_within_tolerance_alone_is_found_yet_missed_in_time():
    """Paper, section 4.5: a miss is judged by overlap with the seizure itself."""
    judged = record("s", [[2996, 3036]], [[3040, 3060]])
    assert judged.counts.tp == 1
    assert judged.missed


def test_an_interval_outside_the_record_is_neither_alarm_nor_false_positive():
    judged = record("s", [], [[5000, 5010]])
    assert judged.over_alarm is False
    assert judged.counts.fp == 0


def test_groups_may_hold_several_subjects():
    """Protocol, section 5, Uncertainty: chb01 and chb21 are one child."""
    rows = [record(s, [[10, 20]], [], group=g) for s, g in (("1", "a"), ("21", "a"))]
    rows.append(record("2", [[10, 20]], [[10, 20]], group="b"))
    interval = score_event_records(rows).intervals["event_f1"]
    assert interval.n_groups == 2
    with pytest.raises(ValueError, match="subject 1 is in more than one group"):
        score_event_records([*rows, record("1", [], [], group="c")])


tick_events = st.lists(
    st.tuples(st.integers(0, 9000), st.integers(1, 4000)), max_size=8
).map(lambda items: [[start / 10, (start + length) / 10] for start, length in items])


@given(tick_events, tick_events, st.randoms(use_true_random=False))
def test_counts_do_not_depend_on_the_order_of_rows(reference, predicted, random):
    first = score_events(reference, predicted, duration_sec=1000)
    shuffled = random.sample(predicted, len(predicted))
    assert score_events(reference[::-1], shuffled, duration_sec=1000) == first


@given(tick_events, tick_events, st.integers(0, 5000))
def test_counts_do_not_change_when_everything_is_shifted(reference, predicted, shift):
    """Inside a record long enough that no edge is cut."""

    def moved(events, by):
        return [[start + by, stop + by] for start, stop in events]

    first = score_events(moved(reference, 100), moved(predicted, 100), duration_sec=1e4)
    by = 100 + shift / 10
    second = score_events(moved(reference, by), moved(predicted, by), duration_sec=1e4)
    assert first[:3] == second[:3]


@given(tick_events)
def test_merging_is_idempotent_and_splitting_keeps_the_time(events):
    joined = merged(quantized(events, 1e4), gap=900)
    assert merged(joined, gap=900) == joined
    pieces = split(joined, longest=3000)
    assert sum(b - a for a, b in pieces) == sum(b - a for a, b in joined)
    assert all(b - a <= 3000 for a, b in pieces)


@given(tick_events, tick_events)
def test_dice_equals_a_count_of_ticks(reference, predicted):
    def mask(events):
        ticks = np.zeros(14000, dtype=bool)
        for start, stop in events:
            ticks[round(start * 10) : round(stop * 10)] = True
        return ticks

    one, two = mask(reference), mask(predicted)
    total = one.sum() + two.sum()
    wanted = 2 * (one & two).sum() / total if total else 1.0
    assert dice(reference, predicted) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_timescoring_counts_the_same_on_masks_of_whole_ticks(seed):
    """Oracle: timescoring 0.0.7 (Dan et al., SzCORE), parameters of paper table 3.

    It works on a mask at 10 Hz, so overlapping rows are one event from the start, and
    merges and splits in floating-point seconds. Hence it differs from us

    * at a gap of exactly 90.0 s, which float noise can make smaller (next test), and at
      events of exactly 600 s, which can become three;
    * in giving NaN, not None, where a ratio has nothing to divide by.

    On masks without such borders tp, fp and the number of references are equal.
    """
    pytest.importorskip("timescoring")
    from timescoring import scoring
    from timescoring.annotations import Annotation

    rng = np.random.default_rng(seed)
    duration = 1800.0

    def intervals(n):
        starts = rng.integers(0, 15000, n)
        stops = np.minimum(starts + rng.integers(1, 5000, n), 17000)
        return [(a / 10, b / 10) for a, b in zip(starts, stops, strict=True) if b > a]

    reference = intervals(rng.integers(0, 5))
    predicted = intervals(rng.integers(0, 7))
    ours = score_events(reference, predicted, duration_sec=duration)
    # The oracle reads a mask, where overlapping rows are one event already.
    masks = []
    for rows in (reference, predicted):
        mask = np.zeros(int(duration * 10), dtype=bool)
        for start, stop in rows:
            mask[round(start * 10) : round(stop * 10)] = True
        masks.append(Annotation(mask, 10))
    theirs = scoring.EventScoring(*masks)
    assert (ours.tp, ours.fp) == (theirs.tp, theirs.fp)
    assert ours.tp + ours.fn == theirs.refTrue


def test_timescoring_merges_a_gap_of_exactly_90_s():
    """Where it differs: 192.2 - 102.2 is 89.99999999999999 in floating point."""
    pytest.importorskip("timescoring")
    from timescoring import scoring
    from timescoring.annotations import Annotation

    events = [(92.2, 102.2), (192.2, 202.2)]
    reference = Annotation(events, 10, 36000)
    theirs = scoring.EventScoring(reference, Annotation([], 10, 36000))
    assert theirs.refTrue == 1
    assert len(score_events(events, [], duration_sec=HOUR).reference_events) == 2
