"""No-signal baselines: what labels, prompts and ids alone reach."""

import csv

import numpy as np
import pytest

from bench_folders import instance, small_set
from eegbench.audit import audit, baselines, baselines_by_task
from eegbench.errors import SetError
from eegbench.references import Reference
from eegbench.scoring.hypnogram import score_hypnogram
from eegbench.scoring.nosignal import (
    facts_model,
    features,
    folds,
    nearest_by_number,
    typical_nights,
)
from eegbench.suites.eegagent.tasks import SUITE
from eegcore.hypnogram import encode


def labelled(task, labels, *, facts=lambda i: {}, record_id=lambda i: None):
    instances = [
        instance(task, f"{task}-{i}", facts=facts(i), record_id=record_id(i))
        for i in range(len(labels))
    ]
    references = [
        Reference(instance_id=f"{task}-{i}", task=task, label=label, group=f"g{i}")
        for i, label in enumerate(labels)
    ]
    return instances, references


def scores(instances, references):
    (found,) = baselines(instances, references, SUITE).values()
    return {row.name: row for row in found}


def test_ids_in_the_order_of_labels_are_found_and_opaque_ones_are_at_chance():
    """Protocol, section 4: the release's record names follow the label order."""
    labels = ["normal"] * 60 + ["epileptic"] * 60
    shown = scores(*labelled("T3", labels, record_id=lambda i: f"EEG_{i:04d}"))
    opaque = scores(*labelled("T3", labels))
    assert shown["id only"].score > 0.95
    assert 0.35 < opaque["id only"].score < 0.65


def test_the_best_constant_on_balanced_classes():
    found = scores(*labelled("T4", ["AD", "FTD", "HC"] * 23))
    assert found["constant"].score == pytest.approx(1 / 6)
    assert found["class frequency"].score == pytest.approx(1 / 3, abs=0.03)
    assert found["prompt facts"].score == found["constant"].score
    assert found["prompt facts"].p_value is None


def test_prompt_facts_that_tell_the_label_are_found(rng):
    labels = ["AD", "FTD", "HC"] * 20
    ages = {"AD": 75, "FTD": 62, "HC": 68}
    noise = rng.normal(0, 1, 60)
    found = scores(
        *labelled("T4", labels, facts=lambda i: {"age": ages[labels[i]] + noise[i]})
    )
    # A linear model of one number cannot single out the middle class.
    assert found["prompt facts"].score > 0.5
    assert found["prompt facts"].p_value < 0.02


def test_prompt_facts_without_information_have_no_small_p(rng):
    labels = ["normal", "epileptic"] * 40
    noise = rng.normal(0, 1, 80)
    found = scores(*labelled("T3", labels, facts=lambda i: {"age": noise[i]}))
    assert found["prompt facts"].p_value > 0.05


def test_a_label_outside_the_classes_is_named():
    with pytest.raises(SetError, match="reference of T3-0: label 'odd' is none of"):
        scores(*labelled("T3", ["odd"]))


def test_the_audit_of_a_set_has_a_row_per_task_and_baseline(tmp_path):
    rows = audit(small_set(tmp_path / "set"))
    assert {row["task"] for row in rows} == {"T1", "T2", "T3", "T4", "T5", "T6"}
    for task in SUITE.tasks:
        mine = [row for row in rows if row["task"] == task]
        assert len(mine) == 4
        assert any(row["best"] for row in mine)
        assert all(row["score"] is None or 0 <= row["score"] <= 1 for row in mine)


def test_baselines_are_the_same_every_time():
    instances, references = labelled("T4", ["AD", "FTD", "HC"] * 5)
    first = baselines_by_task(instances, references, SUITE)
    assert first == baselines_by_task(instances, references, SUITE)
    assert set(first["T4"][0]) == {"name", "score", "p_value", "note"}


def test_a_typical_night_learns_from_other_people_only():
    """Two nights of one person never teach each other."""
    early = encode(["N3"] * 30 + ["REM"] * 30)
    late = encode(["REM"] * 30 + ["N3"] * 30)

    nights = [early, early, late, late]
    staged = typical_nights(nights, ["a", "a", "b", "b"])
    assert staged[0].tolist() == late.tolist()
    assert staged[2].tolist() == early.tolist()


def test_one_person_alone_has_an_awake_typical_night():
    night = encode(["N2"] * 5)
    (staged,) = typical_nights([night], ["a"])
    assert staged.tolist() == [0] * 5


def test_the_choice_by_counts_is_the_choice_by_scoring_nights(rng):
    """Counts per part give the macro-F1 that the scorer gives epoch by epoch."""
    from eegbench.scoring.nosignal import _bin_counts, _macro_f1, _staged

    table = rng.integers(0, 5, 60).astype(np.int8)
    nights = [rng.integers(-1, 5, n).astype(np.int8) for n in (7, 60, 733)]
    counts = np.stack([_bin_counts(night) for night in nights])
    by_scorer = [
        score_hypnogram(night, _staged(table, night.size)).macro_f1 for night in nights
    ]
    np.testing.assert_allclose(_macro_f1(counts, table), by_scorer, rtol=1e-12)


def test_features_leave_out_what_does_not_vary_and_what_is_a_list():
    facts = [{"age": 60, "sex": "F", "n": 19, "names": ["C3"]}]
    facts += [{"age": 70, "sex": "M", "n": 19, "names": ["C4"]}, {"sex": "M", "n": 19}]
    table = features(facts)
    assert table.shape == (3, 2)
    np.testing.assert_allclose(table.mean(axis=0), 0, atol=1e-12)


def test_a_group_is_in_one_fold():
    groups = [f"g{i % 7}" for i in range(50)]
    fold = folds(groups, most=3)
    assert all(len({f for f, g in zip(fold, groups, strict=True) if g == name}) == 1
               for name in groups)  # fmt: skip
    assert set(fold.tolist()) == {0, 1, 2}


def test_a_lone_instance_has_no_neighbour():
    assert nearest_by_number([5], np.array([1]), n_classes=2).tolist() == [0]


@pytest.mark.data
def test_age_and_sex_tell_the_cohorts_of_ds004504_above_chance(data_dir):
    """Protocol, section 4: age and sex separate the T4 cohorts to some degree.

    36 AD, 23 FTD, 29 HC: macro-F1 .45, permutation p .03 (the plan expected .5).
    """
    path = data_dir / "ds004504" / "participants.tsv"
    with path.open() as file:
        people = list(csv.DictReader(file, delimiter="\t"))
    names = {"A": "AD", "F": "FTD", "C": "HC"}
    found = scores(
        *labelled(
            "T4",
            [names[row["Group"]] for row in people],
            facts=lambda i: {"age": int(people[i]["Age"]), "sex": people[i]["Gender"]},
        )
    )
    assert 0.40 < found["prompt facts"].score < 0.52
    assert found["prompt facts"].p_value < 0.05


@pytest.mark.data
def test_a_typical_night_stages_trimmed_nights_better_than_most_models(data_dir):
    """Issue 3 of 8: about .4 macro-F1; measured .43 trimmed, .38 as recorded."""
    from eegbench.sources.sleep_edfx import stages_of
    from eegbench.suites.eegagent.trim import trim_edges
    from eegcore.formats import open_recording

    nights, people = [], []
    for path in sorted((data_dir / "sleep-edfx/hypnograms").glob("*.edf")):
        with open_recording(path) as recording:
            stages = stages_of(recording.annotations)
        kept = trim_edges(stages)
        nights.append(encode(stages[kept.start_epoch : kept.stop_epoch]))
        people.append(path.name[:5])

    def score(true, said):
        return score_hypnogram(true, said).macro_f1

    staged = typical_nights(nights, people)
    mean = np.mean([score(t, s) for t, s in zip(nights, staged, strict=True)])
    assert len(nights) == 20
    assert 0.38 < mean < 0.48


def test_the_permutation_moves_labels_between_groups(rng):
    """Ten people of six instances each: p is not that of sixty independent ones."""
    groups = [f"p{i // 6}" for i in range(60)]
    labels = np.array([i // 6 % 2 for i in range(60)], dtype=np.intp)
    ages = np.repeat(rng.normal(0, 1, 10), 6)
    model = facts_model(
        [{"age": float(age)} for age in ages],
        labels,
        groups,
        n_classes=2,
        score=lambda true, said: float(np.mean(true == said)),
    )
    assert model.p_value > 0.01
