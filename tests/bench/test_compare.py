"""Two runs of one set compared, and repeated runs, from raw answers on disk."""

import pytest

from bench_folders import perfect_answers, run_folder, small_set
from eegbench.compare import compare, repeated
from eegbench.errors import SetError
from eegbench.judging import judge_run
from eegbench.scored import load_run
from eegbench.suites.eegagent.tasks import SUITE

NOTHING = '{"action": "final_answer"}'


@pytest.fixture
def judged(tmp_path):
    chosen = small_set(tmp_path / "set")

    def make(name, answers, **changes):
        return judge_run(
            load_run(run_folder(tmp_path / name, chosen, answers, **changes))
        )

    return make


def test_a_run_compared_with_itself_differs_nowhere(judged):
    pytest.importorskip("statsmodels")
    cases = judged("one", perfect_answers())
    rows = compare(cases, cases, SUITE.tasks, n_rounds=200)
    assert [row["task"] for row in rows] == ["T1", "T2", "T3", "T4", "T5", "T6"]
    assert all(row["difference"] == 0 and row["p_value"] == 1 for row in rows)


def test_differences_have_a_sign_a_test_and_an_adjusted_p(judged):
    pytest.importorskip("statsmodels")
    good = judged("good", perfect_answers())
    bad = judged("bad", dict.fromkeys(perfect_answers(), NOTHING))
    rows = {row["task"]: row for row in compare(good, bad, SUITE.tasks, n_rounds=500)}
    assert rows["T1"]["test"] == "mcnemar"
    assert rows["T1"]["difference"] == 1
    assert rows["T5"]["difference"] == pytest.approx(1)
    assert rows["T5"]["n_groups"] == 2
    assert rows["T6"]["difference"] > 0.5
    assert all(row["p_value"] <= row["p_holm"] <= 1 for row in rows.values())


def test_failed_and_missing_rows_are_left_out_of_both(judged):
    pytest.importorskip("statsmodels")
    answers = perfect_answers()
    fewer = {name: text for name, text in answers.items() if name != "T4-0"}
    del fewer["T3-0"]
    rows = compare(
        judged("one", answers), judged("two", fewer, failed=["T3-0"]), SUITE.tasks
    )
    counts = {row["task"]: row["n"] for row in rows}
    assert (counts["T3"], counts["T4"]) == (1, 1)


def test_runs_without_common_instances_are_refused(judged):
    one = judged("one", {"T1-0": "B"})
    with pytest.raises(SetError, match="no judged instance in common"):
        compare(one, judged("two", {"T1-1": "A"}), SUITE.tasks)
    with pytest.raises(SetError, match="no instance is judged in every one"):
        repeated([])


def test_repeated_runs_give_pass_k_and_variances(judged):
    """T1-0 right in both runs, T1-1 in one: pass^1 = .75, pass^2 = .5."""
    runs = [
        judged("one", {"T1-0": "B", "T1-1": "A"}),
        judged("two", {"T1-0": "B", "T1-1": "C"}),
    ]
    (row,) = repeated(runs)
    assert (row["n"], row["runs"], row["score"]) == (2, 2, 0.75)
    assert row["pass_k"] == [0.75, 0.5]
    assert row["rest"] == pytest.approx(0.25)
