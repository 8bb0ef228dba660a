"""Compact answers: nothing is lost, budgets hold, and they are shorter."""

import jsonschema
import numpy as np
import orjson
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import eegcore
from compact_rows import rows_of
from eegcore.cli import main
from eegcore.errors import ArgumentError
from eegcore.tools import TOOLS
from eegcore.tools.compact import _table, as_text, progression
from eegcore.tools.toolbox import Toolbox
from odd_recording import odd_recording

TOOL_NAMES = list(TOOLS)
SIZED = [name for name, tool in TOOLS.items() if tool.size is not None]
NAMES = [f"{row}{n}" for row in ("F", "C", "P", "O", "T") for n in range(1, 9)]


def _plain(n_channels: int = 12, *, rate_hz: float = 128.0, n_sec: float = 20, scale=1):
    rng = np.random.default_rng(5)
    samples = 40 * scale * rng.normal(size=(n_channels, int(n_sec * rate_hz)))
    return eegcore.from_array(samples, rate_hz, NAMES[:n_channels])


def _both(recording, tool: str, arguments: dict):
    arguments = {"record_id": "r", **arguments}
    rows = Toolbox({"r": recording}, budget_tokens=None).call(tool, arguments)
    compact = Toolbox({"r": recording}, budget_tokens=None, encoding="compact")
    return rows, compact.call(tool, arguments)


ALL = ["EEG C3", "EEG C4", "EEG Cz", "SaO2", "EEG O1"]
CALLS = [
    *((tool, {}) for tool in TOOL_NAMES),
    ("compute_psd", {"fmin": 3, "fmax": 20}),
    ("compute_asymmetry", {"feature": "amplitude"}),
    ("detect_transients", {"min_amplitude_uv": 1, "max_candidates_per_channel": 3}),
    ("detect_transients", {"min_amplitude_uv": 1e6}),
    ("compute_windowed_features", {"window_sec": 2, "step_sec": 0.7}),
    ("compute_windowed_features", {"window_sec": 0.333, "features": ["rms_uv"]}),
    ("compute_windowed_features", {"window_sec": 5, "tmin": 1.23, "tmax": 6.4}),
]


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
@pytest.mark.parametrize("n_channels", [1, 2, 12])
def test_the_row_form_comes_back_byte_for_byte(tool, arguments, n_channels) -> None:
    rows, compact = _both(_plain(n_channels), tool, arguments)
    if "error" in rows:
        assert compact == rows
        return
    assert orjson.dumps(rows_of(tool, compact)) == orjson.dumps(rows)


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
@pytest.mark.parametrize("channels", [None, ALL, ["EEG Cz", "SaO2"]])
def test_gaps_units_and_nulls_come_back(tool, arguments, channels, tmp_path) -> None:
    names = {argument.name for argument in TOOLS[tool].spec.arguments}
    if "channels" in names and channels:
        arguments = {**arguments, "channels": channels}
    rows, compact = _both(odd_recording(tmp_path), tool, arguments)
    if "error" in rows:
        assert compact == rows
        return
    assert rows_of(tool, compact) == rows


@pytest.mark.parametrize("rate_hz", [173.61, 99.7, 256.0])
def test_windows_of_any_rate_come_back(rate_hz: float) -> None:
    arguments = {"window_sec": 1.1, "step_sec": 0.37, "tmin": 0.05}
    recording = _plain(2, rate_hz=rate_hz, n_sec=60)
    rows, compact = _both(recording, "compute_windowed_features", arguments)
    assert rows_of("compute_windowed_features", compact) == rows


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_answers_fit_the_schema_of_their_encoding(tool, arguments, tmp_path) -> None:
    for encoding in ("rows", "compact"):
        for recording in (_plain(), odd_recording(tmp_path)):
            box = Toolbox({"r": recording}, encoding=encoding, budget_tokens=None)
            schema = {s["name"]: s["answer"] for s in box.schemas("json")}[tool]
            answer = box.call(tool, {"record_id": "r", **arguments})
            if "error" not in answer:
                jsonschema.validate(answer, schema)


@pytest.mark.parametrize("tool", SIZED)
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("n_channels", [2, 40])
def test_the_estimate_is_never_below_the_answer(tool, scale, n_channels) -> None:
    recording = _plain(n_channels, scale=scale)
    box = Toolbox({"r": recording}, budget_tokens=None, encoding="compact")
    size = len(box.call_json(tool, {"record_id": "r"}))
    refused = Toolbox({"r": recording}, budget_tokens=1, encoding="compact").call(
        tool, {"record_id": "r"}
    )
    assert refused["code"] == "too_large"
    assert size / 4 <= refused["estimated_tokens"]
    if n_channels > 2 and scale == 1.0:  # not by far, where numbers are usual
        assert refused["estimated_tokens"] < size / 4 * 2.6


@settings(max_examples=40, deadline=None)
@given(
    window_sec=st.floats(0.1, 7),
    step_sec=st.floats(0.05, 7),
    tmin=st.floats(0, 10),
    features=st.sets(st.sampled_from(eegcore.windowed.FEATURES), min_size=1),
)
def test_no_window_is_longer_than_its_estimate(
    window_sec, step_sec, tmin, features
) -> None:
    recording = _plain(3)
    arguments = {
        "record_id": "r",
        "window_sec": window_sec,
        "step_sec": step_sec,
        "tmin": tmin,
        "features": sorted(features),
    }
    tool = "compute_windowed_features"
    box = Toolbox({"r": recording}, budget_tokens=None, encoding="compact")
    answer = box.call(tool, arguments)
    refused = Toolbox({"r": recording}, budget_tokens=1, encoding="compact").call(
        tool, arguments
    )
    assert len(orjson.dumps(answer)) <= 4 * refused["estimated_tokens"]


@pytest.mark.parametrize("window_sec", [5, 7.003])
def test_thousands_of_windows_are_within_the_estimate(window_sec) -> None:
    recording = _plain(1, rate_hz=4, n_sec=43_000)
    arguments = {"record_id": "r", "window_sec": window_sec, "features": ["rms_uv"]}
    tool = "compute_windowed_features"
    box = Toolbox({"r": recording}, budget_tokens=None, encoding="compact")
    answer = box.call(tool, arguments)
    assert answer["n_windows"] > 5000
    refused = Toolbox({"r": recording}, budget_tokens=1, encoding="compact").call(
        tool, arguments
    )
    assert len(orjson.dumps(answer)) <= 4 * refused["estimated_tokens"]


def test_gaps_are_within_the_estimate(tmp_path) -> None:
    arguments = {"record_id": "r", "window_sec": 0.1, "features": ["rms_uv"]}
    tool = "compute_windowed_features"
    recording = odd_recording(tmp_path)
    box = Toolbox({"r": recording}, budget_tokens=None, encoding="compact")
    size = len(box.call_json(tool, arguments))
    refused = Toolbox({"r": recording}, budget_tokens=1, encoding="compact").call(
        tool, arguments
    )
    assert size <= 4 * refused["estimated_tokens"]


def test_a_budget_holds_more_windows_and_more_channels() -> None:
    recording = _plain(1, rate_hz=16, n_sec=36000)
    arguments = {"record_id": "r", "window_sec": 30, "features": ["rms_uv"]}
    reach = []
    for encoding in ("rows", "compact"):
        box = Toolbox({"r": recording}, encoding=encoding, budget_tokens=2000)
        suggested = box.call("compute_windowed_features", arguments)["suggested_call"]
        assert "_meta" in box.call(suggested["name"], suggested["arguments"])
        reach.append(suggested["arguments"]["tmax"])
    assert reach[1] > 2 * reach[0]
    names = [f"a rather long name {n}" for n in range(2000)]
    wide = eegcore.from_array(np.zeros((2000, 4)), 4.0, names)
    listed = []
    for encoding in ("rows", "compact"):
        box = Toolbox({"r": wide}, encoding=encoding)
        raw = box.call_json("get_channel_list", {"record_id": "r"})
        assert len(raw) <= 4 * 8000
        listed.append(orjson.loads(raw)["_meta"]["n_rows"])
    assert listed[1] > 1.5 * listed[0]


@pytest.mark.parametrize("tool", [n for n in TOOL_NAMES if n != "get_recording_info"])
def test_tables_take_less_than_half_the_characters(tool: str) -> None:
    rows, compact = _both(_plain(20), tool, {})
    assert len(orjson.dumps(compact)) < len(orjson.dumps(rows)) / 2


def test_the_paper_dialect_has_no_compact_form() -> None:
    with pytest.raises(ArgumentError, match="not offered in dialect paper-1"):
        Toolbox({}, dialect="paper-1.0", encoding="compact")
    with pytest.raises(ArgumentError, match="allowed are rows, compact"):
        Toolbox({}, encoding="columns")  # type: ignore[arg-type]


def test_the_command_gives_columns(tmp_path) -> None:
    odd_recording(tmp_path)
    command = ["call", "compute_noise_metrics", str(tmp_path / "odd.edf")]
    done = CliRunner().invoke(main, [*command, "--encoding", "compact"])
    channels = orjson.loads(done.stdout)["channels"]
    assert channels["channel"] == ["EEG C3", "EEG C4", "EEG Cz", "EEG O1"]
    wrong = [*command, "--encoding", "compact", "--dialect", "paper-1.0"]
    done = CliRunner().invoke(main, wrong)
    assert done.exit_code == 2
    assert "not offered in dialect paper-1.0" in done.stderr


def test_decimals_are_one_text() -> None:
    assert as_text([12.5, 0.3, None, -0.25, 1e-7, 3]) == "12.5 .3 null -.25 1e-7 3"
    for kept in ([0.5], [1, 2], [None, None], [True, 0.5], ["a", 0.5], []):
        assert as_text(kept) == kept


def test_tools_say_how_to_read_columns() -> None:
    for schema in Toolbox({}, encoding="compact").schemas("anthropic"):
        assert "Tables in answers are columns" in schema["description"]


def test_times_that_do_not_follow_are_written_out() -> None:
    assert progression([0.0, 0.333, 0.667, 1.0], 1 / 3) == {"first": 0.0, "step": 1 / 3}
    odd = [0.0, 0.334, 0.667]
    assert progression(odd, 1 / 3) == odd


_CELL = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["a", ""])
_NUMBER = (
    st.none()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([0.5, -0.5, -0.0, 1e-7, 1e22])
)
_ROW = st.fixed_dictionaries(
    {}, optional={"a": _CELL, "b": _CELL, "x": _NUMBER, "y": _NUMBER}
)


@given(st.lists(_ROW, min_size=1))
def test_any_rows_come_back_from_columns(rows) -> None:
    from compact_rows import _table as table_of

    numbers = {key: {"type": ["number", "null"]} for key in "xy"}
    rows = [{"name": str(i), **row} for i, row in enumerate(rows)]
    for longest in (False, True):
        columns = orjson.loads(orjson.dumps(_table(rows, longest=longest)))
        back = table_of(columns, numbers)
        in_order = orjson.OPT_SORT_KEYS
        assert orjson.dumps(back, option=in_order) == orjson.dumps(
            rows, option=in_order
        )
        assert [[type(v) for v in sorted_values(r)] for r in back] == [
            [type(v) for v in sorted_values(r)] for r in rows
        ]


def sorted_values(row):
    return [row[key] for key in sorted(row)]
