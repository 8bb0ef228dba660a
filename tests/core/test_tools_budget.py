"""Budgets: the paper's own numbers, an upper bound of ours, and calls that fit."""

import numpy as np
import orjson
import pytest

import eegcore
from eegcore.tools import TOOLS
from eegcore.tools.answers import six_digits, worst_number
from eegcore.tools.toolbox import Toolbox

BIG_TOOLS = [name for name, tool in TOOLS.items() if tool.size is not None]


def _long(n_channels: int = 1, rate_hz: float = 4.0, n_sec: int = 18600, scale=100.0):
    samples = scale * np.random.default_rng(3).normal(
        size=(n_channels, int(n_sec * rate_hz))
    )
    names = [f"C{n}" for n in (3, 4, 1, 2, 5, 6)]
    names += [
        f"{row}{n}" for row in ("F", "P", "FC", "CP", "O", "T") for n in range(1, 9)
    ]
    return eegcore.from_array(samples, rate_hz, names[:n_channels])


@pytest.mark.parametrize(
    ("features", "window_sec", "rows", "tokens"),
    [
        # printed in the paper's T6 and T5 traces (EEGAgentBench, section 6.10)
        (["delta_relative", "alpha_relative", "sigma_power"], 30, 300, 8490),
        (["rms_uv", "zero_crossing_rate_hz"], 30, 377, 8214),
        (["rms_uv", "beta_relative", "theta_relative"], 10, 360, 9645),
    ],
)
def test_the_paper_dialect_estimates_as_the_paper_prints(
    features, window_sec, rows, tokens
) -> None:
    box = Toolbox({"r": _long()}, dialect="paper-1.0")
    answer = box.call(
        "compute_windowed_features",
        {
            "record_id": "r",
            "features": features,
            "window_sec": window_sec,
            "tmin": 0,
            "tmax": window_sec * rows,
        },
    )
    assert answer["n_windows"] == rows
    assert answer["estimated_tokens"] == tokens
    assert list(answer)[2:] == [
        "budget_tokens",
        "estimated_tokens",
        "n_channels",
        "n_windows",
    ]


def test_the_paper_dialect_lets_other_tools_pass() -> None:
    box = Toolbox({"r": _long(40, 64.0, 4)}, dialect="paper-1.0")
    raw = box.call_json("compute_channel_correlation", {"record_id": "r"})
    assert len(raw) > 4 * 8000


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e4, 1e9])
@pytest.mark.parametrize("tool", BIG_TOOLS)
def test_the_estimate_is_never_below_the_answer(tool: str, scale: float) -> None:
    recording = _long(12, 128.0, 20, scale)
    size = len(
        Toolbox({"r": recording}, budget_tokens=None).call_json(
            tool, {"record_id": "r"}
        )
    )
    refused = Toolbox({"r": recording}, budget_tokens=1).call(tool, {"record_id": "r"})
    assert refused["code"] == "too_large"
    assert refused["estimated_tokens"] >= size / 4
    assert refused["estimated_tokens"] < size / 4 * 2.2


def test_many_windows_are_estimated_closely() -> None:
    arguments = {"record_id": "r", "window_sec": 30}
    recording = _long(1, 64.0, 18600)
    size = len(
        Toolbox({"r": recording}, budget_tokens=None).call_json(
            "compute_windowed_features", arguments
        )
    )
    answer = Toolbox({"r": recording}).call("compute_windowed_features", arguments)
    assert size / 4 <= answer["estimated_tokens"] < size / 4 * 1.3


@pytest.mark.parametrize("budget", [1000, 2000, 8000])
@pytest.mark.parametrize("tool", BIG_TOOLS)
def test_the_suggested_call_fits_and_is_ready_to_send(tool: str, budget: int) -> None:
    recording = _long(40, 64.0, 60)
    box = Toolbox({"r": recording}, budget_tokens=budget)
    answer = box.call(tool, {"record_id": "r"})
    if "error" not in answer:
        assert len(orjson.dumps(answer)) <= 4 * budget
        return
    suggested = answer["suggested_call"]
    assert suggested["name"] == tool
    raw = box.call_json(suggested["name"], suggested["arguments"])
    assert raw.startswith(b'{"_meta"')
    assert len(raw) <= 4 * budget


def test_a_range_is_cut_before_channels_are() -> None:
    box = Toolbox({"r": _long(1, 64.0, 18600)})
    arguments = {"record_id": "r", "window_sec": 30, "features": ["rms_uv"], "tmin": 60}
    answer = box.call("compute_windowed_features", arguments)
    suggested = answer["suggested_call"]["arguments"]
    assert suggested["tmin"] == 60
    assert suggested["tmax"] > 9000
    assert {k: suggested[k] for k in ("window_sec", "features")} == {
        "window_sec": 30,
        "features": ["rms_uv"],
    }


def test_no_budget_lifts_the_limit() -> None:
    box = Toolbox({"r": _long(1, 64.0, 18600)}, budget_tokens=None)
    answer = box.call("compute_windowed_features", {"record_id": "r"})
    assert answer["_meta"]["n_rows"] == 3720


@pytest.mark.parametrize("tool", ["get_channel_list", "get_recording_info"])
def test_lists_of_channels_are_cut_saying_so(tool: str) -> None:
    names = [f"a rather long name of channel {n}" for n in range(2000)]
    recording = eegcore.from_array(np.zeros((2000, 4)), 4.0, names)
    raw = Toolbox({"r": recording}).call_json(tool, {"record_id": "r"})
    answer = orjson.loads(raw)
    assert len(raw) <= 4 * 8000
    assert answer["n_channels"] == 2000
    assert answer["_meta"]["truncated"]
    assert "of 2000 channels" in answer["_meta"]["truncated_reason"]


def test_a_budget_below_the_shortest_answer_is_an_error() -> None:
    box = Toolbox({"r": _long(2, 64.0, 10)}, budget_tokens=50)
    for tool in box.names:
        answer = box.call(tool, {"record_id": "r"})
        assert answer["code"] == "too_large"
        assert "suggested_call" not in answer


def test_the_longest_numbers_are_longer_than_any(rng) -> None:
    exponents = rng.uniform(-320, 9.9, size=20_000)
    values = six_digits(rng.choice([-1, 1], 20_000) * 10.0**exponents)
    longest = max(len(orjson.dumps(v)) for v in values.tolist())
    assert longest <= len(orjson.dumps(worst_number(1.0)))
    large = six_digits(10.0 ** rng.uniform(9.9, 308, size=20_000))
    longest = max(len(orjson.dumps(v)) for v in large.tolist())
    assert longest <= len(orjson.dumps(worst_number(float("inf"), signed=False)))


def test_rounding_many_numbers_equals_rounding_each(rng) -> None:
    values = rng.normal(size=20_000) * 10.0 ** rng.uniform(-20, 20, size=20_000)
    values[:4] = [0.0, -0.0, np.nan, np.inf]
    many = six_digits(values)
    assert np.isnan(many[2:4]).all()
    each = np.array([float(f"{v:.6g}") for v in values])
    assert np.array_equal(many[4:], each[4:])
    assert orjson.dumps(float(many[1])) == b"0.0"
