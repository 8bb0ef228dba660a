"""Intervals by groups, paired tests, repeated runs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eegbench.scoring.labels import score_labels
from eegbench.scoring.paired import holm, mcnemar, permutation_test
from eegbench.scoring.repeats import pass_hat_k, split_variance
from eegbench.scoring.uncertainty import bootstrap, group_sums


def mean_of(totals):
    return {"mean": totals[:, 0] / totals[:, 1]}


def table_of(values):
    return np.column_stack([values, np.ones(len(values))])


def test_the_interval_of_a_mean_has_the_width_of_theory(rng):
    values = rng.normal(size=400)
    interval = bootstrap(table_of(values), mean_of, n_rounds=4000)["mean"]
    half = 1.96 * values.std() / np.sqrt(values.size)
    assert interval.low == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert interval.high == pytest.approx(values.mean() + half, abs=0.1 * half)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another(rng):
    sums = table_of(rng.normal(size=30))
    assert bootstrap(sums, mean_of, seed=1) == bootstrap(sums, mean_of, seed=1)
    assert bootstrap(sums, mean_of, seed=1) != bootstrap(sums, mean_of, seed=2)


def test_copies_within_a_group_do_not_narrow_the_interval(rng):
    """Protocol, section 5, Uncertainty: what is resampled is what is independent."""
    true = rng.choice(["a", "b"], 60).tolist()
    said = rng.choice(["a", "b"], 60).tolist()
    alone = score_labels(true, said, ("a", "b"))
    tenfold = score_labels(
        true * 10, said * 10, ("a", "b"), groups=list(range(60)) * 10
    )
    assert tenfold.intervals["accuracy"] == alone.intervals["accuracy"]


def test_rounds_without_a_value_are_left_out_and_counted():
    sums = np.array([[1.0, 1.0], [0.0, 0.0]])
    with np.errstate(invalid="ignore"):
        interval = bootstrap(sums, mean_of, n_rounds=200)["mean"]
    assert 20 < interval.n_undefined < 80
    assert (interval.low, interval.high) == (1, 1)


def test_one_group_has_no_interval():
    assert bootstrap(np.ones((1, 2)), mean_of) == {"mean": None}
    assert bootstrap(np.ones((5, 2)), mean_of, n_rounds=0) == {}


def test_groups_of_another_length_are_refused():
    with pytest.raises(ValueError, match="2 groups but 3 instances"):
        group_sums(np.ones((3, 1)), ["a", "b"])


@pytest.mark.parametrize(("b", "c"), [(0, 0), (1, 0), (5, 1), (10, 10), (3, 12)])
def test_mcnemar_equals_statsmodels(b, c):
    """Oracle: statsmodels.stats.contingency_tables.mcnemar, exact."""
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    first = [True] * 7 + [True] * b + [False] * c
    second = [True] * 7 + [False] * b + [True] * c
    result = mcnemar(first, second)
    wanted = tables.mcnemar([[7, b], [c, 0]], exact=True).pvalue
    assert result.p_value == pytest.approx(1.0 if b + c == 0 else wanted)
    assert result.difference == pytest.approx((b - c) / len(first))


def test_permutation_finds_a_difference_and_none_where_there_is_none(rng):
    one = table_of(rng.normal(1.0, 1, 60))
    two = table_of(rng.normal(0.0, 1, 60))
    assert permutation_test(one, two, mean_of, "mean").p_value < 0.001
    assert permutation_test(one, one, mean_of, "mean").p_value == 1


def test_permutation_p_values_equal_mcnemar_for_accuracy(rng):
    right = rng.random((2, 80)) < [[0.7], [0.5]]
    one, two = (table_of(row.astype(float)) for row in right)
    exact = mcnemar(*right)
    result = permutation_test(one, two, mean_of, "mean", n_rounds=20_000)
    assert result.difference == pytest.approx(exact.difference)
    assert result.p_value == pytest.approx(exact.p_value, abs=0.02)


def test_permutation_swaps_whole_groups():
    """With two groups there are four swaps: p cannot be below a half or so."""
    one, two = table_of(np.ones(40)), table_of(np.zeros(40))
    groups = ["a"] * 20 + ["b"] * 20
    result = permutation_test(one, two, mean_of, "mean", groups=groups)
    assert result.n == 2
    assert result.p_value == pytest.approx(0.5, abs=0.05)


def test_holm_by_hand():
    """Holm (1979): .01 x 3, then .03 x 2 kept monotone over .04 x 1."""
    pytest.importorskip("statsmodels")
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([]) == []


def test_different_instances_are_refused():
    with pytest.raises(ValueError, match="the same instances are needed"):
        mcnemar([True], [True, False])
    with pytest.raises(ValueError, match="the same instances are needed"):
        permutation_test(np.ones((2, 2)), np.ones((3, 2)), mean_of, "mean")


def test_pass_hat_k_by_hand():
    """tau-bench, section 3: mean of C(c, k) / C(n, k)."""
    solved = [[True, True, True, False], [True, True, True, True], [False] * 4]
    assert pass_hat_k(solved, 1) == pytest.approx((0.75 + 1) / 3)
    assert pass_hat_k(solved, 3) == pytest.approx((1 / 4 + 1) / 3)
    assert pass_hat_k(solved, 4) == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="k is 5; 1 to 4"):
        pass_hat_k(solved, 5)


def test_variance_is_split_into_what_it_was_made_of(rng):
    scores = rng.normal(0, 2, (4000, 1)) + rng.normal(0, 1, (4000, 8))
    split = split_variance(scores)
    assert split.instance == pytest.approx(4, rel=0.06)
    assert split.rest == pytest.approx(1, rel=0.06)
    assert split.run == pytest.approx(0, abs=0.01)
    assert split.instance_share == pytest.approx(0.8, abs=0.02)


def test_one_run_cannot_be_split():
    split = split_variance(np.zeros((5, 1)))
    assert split.instance is None
    assert split.instance_share is None


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1))
def test_pass_hat_k_falls_with_k(solved):
    values = [pass_hat_k(solved, k) for k in (1, 2, 3)]
    assert values == sorted(values, reverse=True)
