"""Wire forms of one specification: each one, taken back, is the same."""

import json
from copy import deepcopy

import jsonschema
import pytest
from click.testing import CliRunner

from eegcore.cli import main
from eegcore.tools import TOOLS
from eegcore.tools.schemas import FLAVOURS
from eegcore.tools.toolbox import Toolbox

DIALECTS = ["default", "paper-1.0"]


def _relaxed(parameters):
    """Undo the strict mode: null and the duty to name everything."""
    plain = deepcopy(parameters)
    required = []
    for name, argument in plain["properties"].items():
        if isinstance(argument["type"], list):
            assert argument["type"][1:] == ["null"]
            argument["type"] = argument["type"][0]
            if "enum" in argument:
                assert argument["enum"].pop() is None
        else:
            required.append(name)
    return plain | {"required": required}


def _without_defaults(parameters):
    """What strict mode cannot say is said in the description."""
    plain = deepcopy(parameters)
    for argument in plain["properties"].values():
        default = argument.pop("default", None)
        argument.pop("uniqueItems", None)
        if default is not None:
            told = ", ".join(default) if isinstance(default, list) else default
            argument["description"] += f" Null: {told}."
    return plain


@pytest.mark.parametrize("dialect", DIALECTS)
def test_all_forms_say_the_same(dialect: str) -> None:
    box = Toolbox({}, dialect=dialect)
    plain = {s["name"]: s for s in box.schemas("json")}
    for spec in (tool.spec for tool in TOOLS.values()):
        assert plain[spec.name]["arguments"] == spec.input_schema(dialect)
        assert plain[spec.name]["answer"] == spec.answer_schema()
    for form in box.schemas("openai"):
        told = form["function"]
        assert told["parameters"] == plain[told["name"]]["arguments"]
        assert told["description"] == plain[told["name"]]["description"]
    for form in box.schemas("anthropic"):
        assert form["input_schema"] == plain[form["name"]]["arguments"]
        assert form["description"] == plain[form["name"]]["description"]
    for form in box.schemas("mcp"):
        assert form["inputSchema"] == plain[form["name"]]["arguments"]
        assert form["outputSchema"] == plain[form["name"]]["answer"]
        assert form["description"] == plain[form["name"]]["description"]
    for form in box.schemas("openai-strict"):
        told = form["function"]
        arguments = plain[told["name"]]["arguments"]
        assert _relaxed(told["parameters"]) == _without_defaults(arguments)
    names = list(plain)
    assert [f["function"]["name"] for f in box.schemas("openai-strict")] == names
    assert [f["name"] for f in box.schemas("mcp")] == names


@pytest.mark.parametrize("dialect", DIALECTS)
def test_strict_forms_keep_the_rules_of_strict_mode(dialect: str) -> None:
    for form in Toolbox({}, dialect=dialect).schemas("openai-strict"):
        assert form["function"]["strict"] is True
        parameters = form["function"]["parameters"]
        assert parameters["additionalProperties"] is False
        assert parameters["required"] == list(parameters["properties"])
        text = json.dumps(parameters)
        assert '"default"' not in text
        assert '"uniqueItems"' not in text


def test_a_strict_call_with_nulls_is_the_plain_call(tmp_path) -> None:
    import numpy as np

    import eegcore

    waves = np.random.default_rng(1).normal(size=(2, 2560)) * 20
    box = Toolbox({"r": eegcore.from_array(waves, 128.0, ["C3", "C4"])})
    for form in box.schemas("openai-strict"):
        told = form["function"]
        nulls = dict.fromkeys(told["parameters"]["properties"]) | {"record_id": "r"}
        jsonschema.validate(nulls, told["parameters"])
        plain = box.call_json(told["name"], {"record_id": "r"})
        assert box.call_json(told["name"], nulls) == plain


@pytest.mark.parametrize("encoding", ["rows", "compact"])
def test_every_schema_is_one(encoding) -> None:
    check = jsonschema.Draft202012Validator.check_schema
    box = Toolbox({}, encoding=encoding)
    for form in box.schemas("mcp"):
        check(form["inputSchema"])
        check(form["outputSchema"])
        assert form["outputSchema"]["type"] == "object"
    for form in box.schemas("openai-strict"):
        check(form["function"]["parameters"])


def test_mcp_hints_say_that_tools_only_read() -> None:
    for form in Toolbox({}).schemas("mcp"):
        assert form["annotations"]["readOnlyHint"]
        assert form["annotations"]["idempotentHint"]
        assert not form["annotations"]["destructiveHint"]
        assert not form["annotations"]["openWorldHint"]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_the_command_prints_each_form(flavour: str) -> None:
    done = CliRunner().invoke(main, ["schemas", "--for", flavour])
    assert done.exit_code == 0
    assert json.loads(done.stdout) == Toolbox({}).schemas(flavour)


def test_the_command_refuses_columns_in_the_paper_dialect() -> None:
    arguments = ["schemas", "--encoding", "compact", "--dialect", "paper-1.0"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2
    assert "not offered in dialect paper-1.0" in done.stderr
