import json
from pathlib import Path

import pytest

from eegbench.sources.sleep_edfx import stages_of
from eegbench.suites.eegagent.trim import border_epochs, trim_edges
from eegcore.formats import open_recording

# Whole epochs of the recordings that belong to the hypnograms: where these say
# "?" for good, the recording has ended (SC4001: 79500 s, known from its PSG).
LENGTHS = {
    "SC4001": (2650, 903),
    "SC4002": (2830, 1317),
    "SC4011": (2802, 1508),
    "SC4012": (2848, 1684),
    "SC4021": (2804, 1442),
}


def night(lead: int, body: str, tail: int) -> list[str | None]:
    names = {"w": "W", "1": "N1", "2": "N2", "3": "N3", "r": "REM", "?": None}
    return ["W"] * lead + [names[letter] for letter in body] + ["W"] * tail


@pytest.mark.data
@pytest.mark.parametrize("name", LENGTHS)
def test_lengths_of_the_published_nights(data_dir: Path, name: str) -> None:
    # data/official/samples/scenarios_T6_first5_last1.jsonl
    n_epochs, n_kept = LENGTHS[name]
    (path,) = (data_dir / "sleep-edfx" / "hypnograms").glob(f"{name}*")
    with open_recording(path) as hypnogram:
        stages = stages_of(hypnogram.annotations, n_epochs=n_epochs)
    trim = trim_edges(stages)
    assert trim.n_kept == n_kept
    assert trim.case == "reaches the target"


@pytest.mark.data
def test_sc4001_keeps_epochs_925_to_1827(data_dir: Path) -> None:
    # answer key of the release's smoke set: 96 wake epochs before, 86 after sleep
    path = data_dir / "sleep-edfx" / "hypnograms" / "SC4001EC-Hypnogram.edf"
    with open_recording(path) as hypnogram:
        stages = stages_of(hypnogram.annotations, n_epochs=2650)
    trim = trim_edges(stages)
    assert (trim.start_epoch, trim.stop_epoch - 1) == (925, 1827)
    kept = stages[trim.start_epoch : trim.stop_epoch]
    assert kept.count("W") == kept.count("N2") == 250
    assert kept[:96] == ["W"] * 96 == [*kept[-86:], *["W"] * 10]
    assert kept[96] != "W" != kept[-87]
    key = data_dir / "official" / "smoke" / "answer_keys" / "T6.jsonl"
    assert kept == json.loads(key.read_text())["gold"]["epoch_labels_aasm"]


@pytest.mark.data
def test_the_shortest_published_night_is_sc4051(data_dir: Path) -> None:
    # the paper gives 681 epochs as the shortest (section 3.1)
    path = data_dir / "sleep-edfx" / "hypnograms" / "SC4051EC-Hypnogram.edf"
    with open_recording(path) as hypnogram:
        stages = stages_of(hypnogram.annotations, n_epochs=2722)
    assert trim_edges(stages).n_kept == 681


def test_wake_is_kept_in_proportion_to_what_each_end_has() -> None:
    trim = trim_edges(night(30, "2" * 8, 10))
    # target 8, shares 6 and 2
    assert (trim.start_epoch, trim.stop_epoch) == (24, 40)


def test_wake_inside_is_kept_and_counts_towards_the_target() -> None:
    trim = trim_edges(night(10, "2222ww2222", 10))
    assert (trim.start_epoch, trim.stop_epoch) == (7, 23)


def test_an_end_that_begins_asleep_is_not_trimmed() -> None:
    trim = trim_edges(night(0, "2222", 20))
    assert (trim.start_epoch, trim.stop_epoch) == (0, 8)


def test_a_night_below_the_target_is_kept_whole() -> None:
    trim = trim_edges(night(2, "222222", 3))
    assert trim.case == "kept whole"
    assert not trim.cut


def test_a_buffer_stays_where_wake_inside_exceeds_the_target() -> None:
    trim = trim_edges(night(50, "2wwwww2", 50), buffer_epochs=4)
    assert trim.case == "buffer only"
    assert (trim.start_epoch, trim.stop_epoch) == (46, 61)


def test_wake_inside_that_equals_the_target_leaves_no_wake_at_the_ends() -> None:
    trim = trim_edges(night(5, "2ww2", 5))
    assert trim.case == "reaches the target"
    assert (trim.start_epoch, trim.stop_epoch) == (5, 9)


def test_unscored_epochs_count_as_wake_at_the_ends_and_inside() -> None:
    stages = [None, *night(9, "222?222", 9), None]
    assert trim_edges(stages).n_kept == 7 + 5


def test_a_night_without_sleep_is_kept_whole() -> None:
    trim = trim_edges(["W", None, "W"])
    assert (trim.n_kept, trim.case) == (3, "no sleep")
    assert trim_edges([]).n_kept == 0


def test_records_of_60_s_move_both_cuts_outwards_to_even_epochs() -> None:
    stages = night(31, "2" * 8, 11)
    fine, coarse = trim_edges(stages), trim_edges(stages, record_sec=60)
    assert (fine.start_epoch, fine.stop_epoch) == (25, 41)
    assert (coarse.start_epoch, coarse.stop_epoch) == (24, 42)


def test_the_last_cut_does_not_pass_the_end() -> None:
    # an odd number of epochs: the last half record of 60 s is no whole epoch pair
    stages = night(31, "2" * 8, 2)
    assert trim_edges(stages, record_sec=60).stop_epoch <= len(stages)


@pytest.mark.parametrize(
    ("record_sec", "step"), [(30, 1), (10, 1), (1, 1), (60, 2), (20, 2), (0.5, 1)]
)
def test_borders_common_to_epochs_and_records(record_sec: float, step: int) -> None:
    assert border_epochs(record_sec) == step
