"""Stage names, runs, the wire form and the architecture of a night."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eegcore.hypnogram import (
    REM,
    STAGES,
    UNSCORED,
    architecture,
    decode,
    encode,
    from_wire,
    runs,
    shares,
    stage_code,
    to_wire,
    write_segment,
)

nights = st.lists(st.integers(-1, 4), max_size=60).map(lambda c: np.array(c, np.int8))


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("W", "W"),
        ("Wake", "W"),
        ("Sleep stage W", "W"),
        ("Sleep stage 1", "N1"),
        ("S1", "N1"),
        ("NREM2", "N2"),
        ("Stage 2", "N2"),
        (2, "N2"),
        ("n3 ", "N3"),
        ("Sleep stage 4", "N3"),
        ("S4", "N3"),
        (4, "N3"),
        ("R", "REM"),
        ("STAGE R", "REM"),
        ("rem", "REM"),
    ],
)
def test_names_of_both_manuals(name, stage):
    """Protocol, section 5: S3, S4 = N3."""
    assert STAGES[stage_code(name)] == stage


@pytest.mark.parametrize("name", ["?", "Movement time", "Sleep stage ?", "MT"])
def test_unscored_names(name):
    assert stage_code(name) == UNSCORED


@pytest.mark.parametrize(
    "name", ["N4", "REM sleep", "", "deep", None, True, 2.0, 7, []]
)
def test_what_is_no_stage(name):
    assert stage_code(name) is None


def test_an_unknown_name_is_refused_with_its_place():
    with pytest.raises(ValueError, match="unknown stage 'N9' at epoch 1; known: W, N1"):
        encode(["W", "N9"])


@given(nights)
def test_names_and_wire_form_round_trip(codes):
    assert encode(decode(codes)).tolist() == codes.tolist()
    scored = np.where(codes < 0, 0, codes).astype(np.int8)
    assert from_wire(to_wire(scored), n_epochs=scored.size).tolist() == scored.tolist()


@given(nights)
def test_runs_cover_the_night_once_and_neighbours_differ(codes):
    found = runs(codes)
    assert sum(run.stop - run.start for run in found) == codes.size
    for left, right in pairwise(found):
        assert left.stop == right.start
        assert left.code != right.code


def test_the_wire_form_counts_ends_in():
    assert to_wire(encode(["W", "W", "N2"])) == [
        {"start_epoch": 0, "end_epoch": 1, "stage": "W"},
        {"start_epoch": 2, "end_epoch": 2, "stage": "N2"},
    ]


@pytest.mark.parametrize(("start", "end"), [(2, 1), (-1, 1), (0, 3)])
def test_a_segment_that_does_not_fit_is_refused(start, end):
    segment = {"start_epoch": start, "end_epoch": end, "stage": "W"}
    with pytest.raises(ValueError, match="does not fit a night of epochs 0 to 2"):
        from_wire([segment], n_epochs=3)


def test_a_segment_outside_the_night_writes_nothing():
    codes = np.zeros(3, dtype=np.int8)
    write_segment(codes, -5, -1, REM)
    write_segment(codes, 3, 10**20, REM)
    assert codes.tolist() == [0, 0, 0]


def test_architecture_by_the_aasm_definitions():
    """20 epochs: 4 W, 2 N1, 6 N2, 3 N3, 3 REM, then 2 W; 14 asleep = 7 min."""
    night = encode(["W"] * 4 + ["N1"] * 2 + ["N2"] * 6 + ["N3"] * 3 + ["REM"] * 3)
    summary = architecture(np.concatenate([night, encode(["W", "W"])]))
    assert summary.recording_time_min == 10
    assert summary.total_sleep_time_min == 7
    assert summary.sleep_efficiency_pct == pytest.approx(70)
    assert summary.sleep_latency_min == 2
    assert summary.rem_latency_min == 5.5
    assert summary.wake_after_sleep_onset_min == 1
    assert summary.stage_pct_of_sleep["REM"] == pytest.approx(100 * 3 / 14)


def test_shares_are_of_all_scored_epochs_as_the_benchmark_defines_them():
    night = encode(["W", "N3", "REM", None, "N2"])
    assert shares(night) == (0.25, 0.25, 0.75)
    assert shares(encode([None])) == (None, None, None)


@pytest.mark.data
def test_shares_of_the_release_key(data_dir):
    line = (data_dir / "official/smoke/answer_keys/T6.jsonl").read_text()
    gold = json.loads(line)["gold"]
    found = shares(encode(gold["epoch_labels_aasm"]))
    wanted = gold["architecture"]
    assert found.rem == pytest.approx(wanted["REM_pct"], abs=1e-12)
    assert found.n3 == pytest.approx(wanted["N3_pct"], abs=1e-12)
    assert found.sleep_efficiency == pytest.approx(
        wanted["sleep_efficiency"], abs=1e-12
    )


def test_a_night_without_sleep_has_no_latencies():
    summary = architecture(encode(["W", "W"]))
    assert summary.sleep_latency_min is None
    assert summary.rem_latency_min is None
    assert summary.stage_pct_of_sleep["N2"] is None
    assert architecture(encode([])).sleep_efficiency_pct is None
