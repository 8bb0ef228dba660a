"""Canonical JSON: one rounding, null for what does not exist, lines that may be cut."""

import subprocess
import sys
from collections import OrderedDict
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eegcore import jsonio
from eegcore.errors import ReadError


class Pair(NamedTuple):
    left: float
    right: float


def test_keys_keep_their_order_and_numbers_their_digits() -> None:
    answer = {
        "record_id": "r",
        "b": 1.23456789,
        "a": 123456789.0,
        "n": 123456789,
        "onset_sec": 1234.56789,
        "time_window": [0.0004, 29.9996],
        "times": [1.00049],
        "sharpness_uv_s": 0.00012345678,
        "yes": True,
        "none": None,
    }
    assert jsonio.dumps(answer) == (
        b'{"record_id":"r","b":1.23457,"a":123457000.0,"n":123456789,'
        b'"onset_sec":1234.568,"time_window":[0.0,30.0],"times":[1.0],'
        b'"sharpness_uv_s":0.000123457,"yes":true,"none":null}'
    )


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), -np.inf, np.float32("nan")]
)
def test_what_does_not_exist_is_null(value: float) -> None:
    for key in ("rms_uv", "t_start"):
        assert jsonio.dumps({key: value, "x": [value]}) == (
            f'{{"{key}":null,"x":[null]}}'.encode()
        )


def test_numpy_and_other_containers() -> None:
    answer = {
        "array": np.array([[1.5, np.nan], [1 / 3, -0.0]]),
        "int": np.int64(7),
        "bool": np.bool_(True),
        "float": np.float32(0.1),
        "pair": Pair(1 / 3, 2.0),
        "ordered": OrderedDict(t_end=1 / 3),
    }
    assert jsonio.dumps(answer) == (
        b'{"array":[[1.5,null],[0.333333,0.0]],"int":7,"bool":true,"float":0.1,'
        b'"pair":[0.333333,2.0],"ordered":{"t_end":0.333}}'
    )
    assert jsonio.canonical(1 / 3) == 0.333333


def test_input_is_not_changed() -> None:
    answer = {"x": [1 / 3, {"y": 2 / 3}]}
    jsonio.canonical(answer)
    assert answer == {"x": [1 / 3, {"y": 2 / 3}]}


def test_value_of_no_json_type_is_refused() -> None:
    with pytest.raises(TypeError, match="no JSON for a value of type set"):
        jsonio.dumps({"x": {1, 2}})


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_six_significant_digits(value: float) -> None:
    rounded = jsonio.round_number(value)
    assert rounded is not None
    assert rounded == pytest.approx(value, rel=5.0001e-6, abs=1e-320)
    assert rounded == float(f"{rounded:.6g}")  # no digit behind the sixth
    assert jsonio.round_number(rounded) == rounded
    assert jsonio.canonical({"x": [value]})["x"][0] == rounded


@given(st.floats(-1e9, 1e9))
def test_milliseconds(value: float) -> None:
    rounded = jsonio.round_time(value)
    assert rounded is not None
    assert abs(rounded - value) <= 0.000501
    assert rounded == round(rounded, 3)
    assert jsonio.canonical({"t_start": value})["t_start"] == rounded


def test_exact_form_keeps_every_digit() -> None:
    row = {"x": 0.1 + 0.2, "y": float("nan")}
    assert jsonio.loads(jsonio.dumps_exact(row)) == {"x": 0.1 + 0.2, "y": None}


def test_lines_with_a_cut_last_one(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"a":1}\n\n{"a":2}\n{"a":')
    assert jsonio.read_lines(path) == ([{"a": 1}, {"a": 2}], 4)
    path.write_bytes(b'{"a":1}\n{"a":2}')
    assert jsonio.read_lines(path) == ([{"a": 1}, {"a": 2}], None)
    path.write_bytes(b"")
    assert jsonio.read_lines(path) == ([], None)


def test_damaged_line_in_the_middle_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"a":1}\n{"a":\n{"a":2}\n')
    with pytest.raises(ReadError, match=r"x.jsonl: line 2 is no JSON"):
        jsonio.read_lines(path)
    with pytest.raises(ReadError, match=r"y.jsonl: no such file"):
        jsonio.read_lines(tmp_path / "y.jsonl")


def test_written_lines_are_read(tmp_path: Path) -> None:
    rows = [{"x": 1 / 3}, {"y": "é\n"}]
    jsonio.write_lines(tmp_path / "x.jsonl", rows)
    assert jsonio.read_lines(tmp_path / "x.jsonl").rows == rows
    assert [p.name for p in tmp_path.iterdir()] == ["x.jsonl"]


def test_import_is_light() -> None:
    code = (
        "import sys, eegcore.jsonio;"
        "sys.exit(any(m in sys.modules for m in ('numba', 'mne', 'scipy')))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
