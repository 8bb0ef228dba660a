import re
from importlib import import_module
from pathlib import Path

import msgspec
import pytest

from bench_cases import labelled_case, made_result
from bench_folders import perfect_answers, run_folder, small_set
from eegbench.evaluate import evaluate

DOC = (Path(__file__).resolve().parents[2] / "docs" / "formats.md").read_text("utf-8")


def documented(marker: str) -> list[str]:
    after = DOC.split(f"<!-- {marker} -->", 1)[1]
    table = after.split("\n\n", 1)[0]
    return re.findall(r"^\| `(\w+)`", table, re.MULTILINE)


@pytest.mark.parametrize("name", re.findall(r"<!-- fields: (\S+) -->", DOC))
def test_every_field_of_a_record_is_documented_in_order(name: str) -> None:
    module, _, kind = name.rpartition(".")
    fields = msgspec.structs.fields(getattr(import_module(module), kind))
    assert documented(f"fields: {name}") == [field.name for field in fields]


def test_results_have_the_documented_form(tmp_path: Path) -> None:
    folder = small_set(tmp_path / "set")
    result = evaluate(run_folder(tmp_path / "run", folder, perfect_answers()))
    assert documented("keys: result") == list(result)
    for told in result["tasks"].values():
        assert documented("keys: task") == list(told)


def test_hand_made_results_have_the_documented_form() -> None:
    result = made_result("a", [labelled_case("T3", "normal", "normal")])
    assert set(documented("keys: result")) == set(result)
    assert set(documented("keys: task")) == set(result["tasks"]["T3"])
