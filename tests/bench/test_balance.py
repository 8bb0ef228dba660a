from eegbench.suites.eegagent.balance import (
    Member,
    balance,
    group_targets,
    hardest,
    natural_key,
)


def members(group: str, n: int) -> list[Member]:
    return [Member(f"{group}{number}", group) for number in range(1, n + 1)]


def test_names_are_ordered_with_numbers_as_numbers() -> None:
    names = ["chb02_10", "chb02_9", "chb10_1", "chb02_16+", "chb02_16"]
    assert sorted(names, key=natural_key) == [
        "chb02_9",
        "chb02_10",
        "chb02_16",
        "chb02_16+",
        "chb10_1",
    ]


def test_the_easiest_go_first() -> None:
    rates = {"Z1": 0.8, "Z2": 0.2, "Z3": 0.6, "Z4": 0.4}
    assert hardest(members("Z", 4), 2, rates) == ["Z2", "Z4"]


def test_of_equally_easy_ones_the_later_name_goes_first() -> None:
    assert hardest(members("Z", 12), 10, {}) == [f"Z{n}" for n in range(1, 11)]


def test_order_of_the_input_does_not_matter() -> None:
    rows = members("Z", 9)
    assert hardest(rows, 4, {}) == hardest(rows[::-1], 4, {})


def test_t3_takes_two_seizure_records_for_each_of_both_normal_subsets() -> None:
    # the paper's frozen set: 47 Z, 47 O, 94 S
    assert group_targets("T3", {"Z": 47, "O": 90, "S": 100}) == {
        "Z": 47,
        "O": 47,
        "S": 94,
    }
    assert group_targets("T3", {"Z": 99, "O": 99, "S": 95}) == {
        "Z": 47,
        "O": 47,
        "S": 94,
    }


def test_t4_takes_the_smallest_cohort_as_target() -> None:
    assert group_targets("T4", {"AD": 30, "FTD": 23, "HC": 26}) == {
        "AD": 23,
        "FTD": 23,
        "HC": 23,
    }


def test_t5_keeps_every_seizure_record() -> None:
    assert group_targets("T5", {"seizure": 140, "free": 491}) == {
        "seizure": 140,
        "free": 140,
    }


def test_t1_t2_t6_are_not_balanced() -> None:
    counts = {"a": 3, "b": 70}
    assert all(group_targets(task, counts) == counts for task in ("T1", "T2", "T6"))


def test_balancing_is_the_same_every_time() -> None:
    rows = members("seizure", 5) + members("free", 30)
    rates = {f"free{n}": (n * 7 % 5) / 5 for n in range(1, 31)}
    kept = balance("T5", rows, rates)
    assert kept == balance("T5", rows[::-1], rates)
    assert sum(name.startswith("seizure") for name in kept) == 5
    assert {rates[name] for name in kept if name.startswith("free")} == {0.0}
