"""One specification, many schemas: what they share and what they must state."""

import pytest

from eegcore.tools import TOOLS
from eegcore.tools.toolbox import Toolbox


@pytest.mark.parametrize("dialect", ["default", "paper-1.0"])
def test_all_flavours_carry_the_same_arguments(dialect: str) -> None:
    box = Toolbox({}, dialect=dialect)
    plain = {s["name"]: s["arguments"] for s in box.schemas("json")}
    openai = box.schemas("openai")
    assert {s["function"]["name"]: s["function"]["parameters"] for s in openai} == plain
    assert {s["type"] for s in openai} == {"function"}
    assert {s["name"]: s["input_schema"] for s in box.schemas("anthropic")} == plain
    assert list(plain) == list(TOOLS)


def test_every_argument_has_a_type_and_a_purpose() -> None:
    for schema in Toolbox({}).schemas("json"):
        arguments = schema["arguments"]
        assert arguments["required"] == ["record_id"]
        assert arguments["additionalProperties"] is False
        for name, argument in arguments["properties"].items():
            assert argument["type"] in ("string", "number", "integer", "array"), name
            assert argument["description"].endswith("."), name


def test_time_arguments_state_seconds_and_frequencies_hertz() -> None:
    for schema in Toolbox({}).schemas("json"):
        for name, argument in schema["arguments"]["properties"].items():
            if name in ("tmin", "tmax", "window_sec", "step_sec"):
                assert "seconds" in argument["description"]
            if name in ("fmin", "fmax", "line_freq"):
                assert "Hz" in argument["description"]


def test_where_delta_shows_its_first_hertz_is_said() -> None:
    for name in ("compute_psd", "compute_band_power", "compute_windowed_features"):
        purpose = TOOLS[name].spec.purpose
        assert "from 1, not 0.5" in purpose or "delta begins at 1 Hz" in purpose


def test_the_rule_for_text_is_stated_in_every_tool() -> None:
    for schema in Toolbox({}).schemas("openai"):
        assert "JSON text" in schema["function"]["description"]


def test_dialects_differ_only_in_the_arguments_that_the_release_lacks() -> None:
    ours = {s["name"]: s["arguments"] for s in Toolbox({}).schemas("json")}
    box = Toolbox({}, dialect="paper-1.0")
    released = {s["name"]: s["arguments"] for s in box.schemas("json")}
    extra = {
        name: set(ours[name]["properties"]) - set(released[name]["properties"])
        for name in ours
    }
    assert {n: x for n, x in extra.items() if x} == {
        "compute_noise_metrics": {"tmin", "tmax"},
        "compute_asymmetry": {"channels"},
    }


def test_schemas_are_made_anew_and_may_be_changed_by_the_caller() -> None:
    box = Toolbox({})
    box.schemas("json")[0]["answer"]["properties"].clear()
    assert box.schemas("json")[0]["answer"]["properties"]
