"""Asking in pieces: refusals are followed, and every window lands in its place."""

import numpy as np
import pytest

from eegbench.agents.rules import channels, desk


def fill(plan, allowed, *, suggest):
    """Answer the calls of a plan; refuse more than so many rows at once."""
    asking = desk.windowed(plan)
    calls = next(asking)
    n_calls = 0
    while True:
        answers = []
        for call in calls:
            n_calls += 1
            given = call.arguments
            count = round((given["tmax"] - given["tmin"]) / plan.window_sec)
            rows = count * len(given["channels"])
            if rows > allowed:
                answers.append(refusal(plan, given, count, allowed, suggest=suggest))
            else:
                answers.append(result(plan, given, count))
        try:
            calls = asking.send(answers)
        except StopIteration as done:
            return done.value, n_calls


def refusal(plan, given, count, allowed, *, suggest):
    n_channels = len(given["channels"])
    answer = {
        "error": "too large",
        "budget_tokens": allowed * 10,
        "estimated_tokens": count * n_channels * 10,
        "n_windows": count,
    }
    fits = allowed // n_channels
    if suggest and fits:
        stop = given["tmin"] + fits * plan.window_sec
        answer["suggested_call"] = {"arguments": given | {"tmax": stop}}
    return answer


def result(plan, given, count):
    windows = [given["tmin"] + i * plan.window_sec for i in range(count)]
    return {
        "channels": [
            {
                "channel": name,
                "windows": [
                    {"t_start": t, "rms_uv": t + 1000 * plan.channels.index(name)}
                    for t in windows
                ],
            }
            for name in given["channels"]
        ]
    }


@pytest.mark.parametrize("suggest", [True, False])
@pytest.mark.parametrize("allowed", [10**6, 97, 30, 3, 2, 1])
def test_refused_pieces_are_split_until_they_fit(allowed, suggest):
    names = ("a", "b", "c")
    plan = desk.Plan("r", names, ("rms_uv",), 30.0, 60.0, 100)
    table, n_calls = fill(plan, allowed, suggest=suggest)
    expected = 60 + 30 * np.arange(100) + 1000 * np.arange(3)[:, None]
    np.testing.assert_array_equal(table.values["rms_uv"], expected)
    assert n_calls == table.n_calls


def test_other_errors_leave_holes_instead_of_looping():
    plan = desk.Plan("r", ("a",), ("rms_uv",), 30.0, 0.0, 4)
    asking = desk.windowed(plan)
    next(asking)
    with pytest.raises(StopIteration) as done:
        asking.send([{"error": "no tool calls are left", "code": "no_calls"}])
    assert np.isnan(done.value.value.values["rms_uv"]).all()


def test_null_becomes_nan():
    plan = desk.Plan("r", ("a",), ("rms_uv",), 30.0, 0.0, 1)
    asking = desk.windowed(plan)
    next(asking)
    row = {"channel": "a", "windows": [{"t_start": 0.0, "rms_uv": None}]}
    with pytest.raises(StopIteration) as done:
        asking.send([{"channels": [row]}])
    assert np.isnan(done.value.value.values["rms_uv"][0, 0])


@pytest.mark.parametrize(
    ("name", "listed", "expected"),
    [
        ("EEG Fpz-Cz", "eeg", "eeg"),
        ("EOG horizontal", "eeg", "eog"),
        ("EMG submental", "eeg", "emg"),
        ("Resp oro-nasal", "eeg", "other"),
        ("Temp rectal", "eeg", "other"),
        ("Event marker", "eeg", "other"),
        ("T8-P8-0", "eeg", "eeg"),
        ("chin", "emg", "emg"),
        ("flow", "resp", "other"),
    ],
)
def test_kind_of_a_channel_by_type_or_name(name, listed, expected):
    assert channels.kind(name, listed) == expected


def test_repeated_and_reversed_derivations_count_once():
    names = ["T7-P7", "T8-P8-0", "P7-T7", "T8-P8-1", "F3-C3"]
    assert channels.distinct(names) == [0, 1, 4]


def test_bipolar_neighbours_share_an_electrode():
    adjacent = channels.neighbours(["FP1-F7", "F7-T7", "C4-P4"])
    assert adjacent.tolist() == [
        [False, True, False],
        [True, False, False],
        [False, False, False],
    ]


def test_any_class_spelling_of_the_schema_is_met():
    classes = ["clean", "ocular_contaminated", "muscle_contaminated"]
    assert desk.nearest(classes, "ocular") == "ocular_contaminated"
    assert desk.nearest(["HC", "AD"], "AD") == "AD"
