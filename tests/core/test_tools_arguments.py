"""What a wrong argument is answered with: code, its name, what is allowed."""

import numpy as np
import pytest

import eegcore
from edf_writer import Edf, Signal
from eegcore.tools.toolbox import Toolbox

NAN, INFINITY = float("nan"), float("inf")


@pytest.fixture(scope="module")
def recording() -> eegcore.Recording:
    samples = np.random.default_rng(1).normal(size=(5, 7680)) * 20
    names = ["FP1-F7", "F7-T7", "T8-P8", "T8-P8", "ECG"]
    return eegcore.from_array(samples, 256.0, names)


@pytest.fixture(scope="module")
def box(recording) -> Toolbox:
    return Toolbox({"r": recording})


def _call(box: Toolbox, tool: str, **arguments: object) -> dict:
    return box.call(tool, {"record_id": "r", **arguments})


@pytest.mark.parametrize(
    ("arguments", "code", "mentions"),
    [
        ({"tmin": "soon"}, "wrong_type", ("tmin", "'soon'", "finite number")),
        ({"tmin": True}, "wrong_type", ("tmin", "true", "finite number")),
        ({"tmin": NAN}, "wrong_type", ("tmin", "nan", "finite number")),
        ({"tmin": "NaN"}, "wrong_type", ("tmin", "NaN")),
        ({"tmax": INFINITY}, "wrong_type", ("tmax", "inf")),
        ({"tmin": [1]}, "wrong_type", ("tmin", "a list of 1")),
        ({"tmin": 10**400}, "wrong_type", ("tmin", "more than 20 digits")),
        ({"tmin": -1}, "out_of_range", ("tmin", "-1", "at least 0")),
        ({"tmin": 31}, "out_of_range", ("tmin", "31", "0 to 30.000 s")),
        ({"tmin": 1e308}, "out_of_range", ("tmin", "1e+308", "0 to 30.000 s")),
        ({"tmax": 31}, "out_of_range", ("tmax", "31", "0 to 30.000 s")),
        ({"tmin": 5, "tmax": 4}, "reversed_range", ("tmax (4)", "tmin (5)")),
        ({"tmin": 5, "tmax": 5}, "reversed_range", ("tmax (5)",)),
        ({"tmin": 1, "tmax": 1.2}, "too_short", ("samples", "128 are needed")),
        ({"channels": []}, "empty_list", ("channels", "at least one")),
        ({"channels": "ECG"}, "wrong_type", ("channels", "'ECG'", "a list")),
        ({"channels": {"a": 1}}, "wrong_type", ("channels", "an object", "a list")),
        ({"channels": [3]}, "wrong_type", ("channels", "3", "text")),
        ({"channels": ["ECG", "ECG"]}, "duplicate", ("ECG", "twice")),
        ({"channels": ["ECG", "ecg"]}, "duplicate", ("ECG", "twice")),
        (
            {"channels": ["FP1-F8"]},
            "unknown_channel",
            ("'FP1-F8'", "FP1-F7, F7-T7", "did you mean FP1-F7"),
        ),
        ({"channels": ["T8-P8"]}, "ambiguous_channel", ("twice", "T8-P8-0, T8-P8-1")),
        ({"channels": ["x"] * 5000}, "out_of_range", ("list of 5000", "4096")),
        ({"band": "alpha"}, "unknown_argument", ("'band'", "tmin, tmax")),
        ({"t_min": 1}, "unknown_argument", ("'t_min'", "did you mean tmin")),
    ],
)
def test_a_wrong_argument_is_named(box, arguments, code, mentions) -> None:
    answer = _call(box, "compute_band_power", **arguments)
    assert answer["record_id"] == "r"
    assert answer["code"] == code
    for text in mentions:
        assert text in answer["error"], answer["error"]


@pytest.mark.parametrize(
    ("arguments", "code", "mentions"),
    [
        ({"window_sec": 0}, "out_of_range", ("window_sec", "0.0078125")),
        ({"window_sec": -5}, "out_of_range", ("window_sec", "-5")),
        ({"step_sec": 0}, "out_of_range", ("step_sec",)),
        ({"step_sec": 1e-300}, "out_of_range", ("step_sec", "0.00390625")),
        ({"window_sec": 31}, "out_of_range", ("window_sec", "up to 30.000 s")),
        ({"window_sec": "5 s"}, "wrong_type", ("window_sec", "'5 s'")),
        ({"features": []}, "empty_list", ("features",)),
        ({"features": "rms_uv"}, "wrong_type", ("features", "a list")),
        (
            {"features": ["rms_uv", "rms"]},
            "unknown_feature",
            ("'rms'", "std_uv", "did you mean rms_uv"),
        ),
        ({"features": ["rms_uv", "rms_uv"]}, "duplicate", ("rms_uv", "twice")),
    ],
)
def test_a_wrong_window_is_named(box, arguments, code, mentions) -> None:
    answer = _call(box, "compute_windowed_features", channels=["ECG"], **arguments)
    assert answer["code"] == code
    for text in mentions:
        assert text in answer["error"], answer["error"]


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "mentions"),
    [
        ("compute_psd", {"method": "fft"}, "unknown_value", ("welch, multitaper",)),
        ("compute_psd", {"fmin": 40, "fmax": 30}, "reversed_range", ("fmax (30)",)),
        ("compute_psd", {"fmin": 128, "fmax": 200}, "out_of_range", ("128 Hz",)),
        ("compute_asymmetry", {"feature": "power"}, "unknown_value", ("amplitude",)),
        ("compute_noise_metrics", {"line_freq": 0}, "out_of_range", ("at least 1",)),
        ("detect_transients", {"min_amplitude_uv": -5}, "out_of_range", ("at least",)),
        (
            "detect_transients",
            {"max_candidates_per_channel": 2.5},
            "wrong_type",
            ("2.5", "an integer"),
        ),
        (
            "compute_channel_correlation",
            {"channels": ["ECG"]},
            "too_few_channels",
            ("at least two", "ECG"),
        ),
        ("get_channel_list", {"channels": ["ECG"]}, "unknown_argument", ("record_id",)),
    ],
)
def test_wrong_choices_are_named(box, tool, arguments, code, mentions) -> None:
    answer = _call(box, tool, **arguments)
    assert answer["code"] == code
    for text in mentions:
        assert text in answer["error"], answer["error"]


@pytest.mark.parametrize(
    ("name", "arguments", "code", "mentions"),
    [
        ("no_such_tool", {"record_id": "r"}, "unknown_tool", ("compute_psd",)),
        ("compute_pds", {"record_id": "r"}, "unknown_tool", ("did you mean",)),
        (None, {"record_id": "r"}, "unknown_tool", ("null",)),
        ("compute_psd", {}, "missing_argument", ("record_id",)),
        ("compute_psd", None, "missing_argument", ("record_id",)),
        ("compute_psd", {"record_id": "REC_9"}, "unknown_record", ("'REC_9'", "r")),
        ("compute_psd", {"record_id": ["r"]}, "wrong_type", ("record_id",)),
        ("compute_psd", [1, 2], "wrong_type", ("arguments", "a list of 2")),
        ("compute_psd", "tmin=3", "wrong_type", ("arguments", "'tmin=3'")),
        ("compute_psd", 5.0, "wrong_type", ("arguments", "5.0")),
    ],
)
def test_a_wrong_call_is_named(box, name, arguments, code, mentions) -> None:
    answer = box.call(name, arguments)
    assert answer["code"] == code
    for text in mentions:
        assert text in answer["error"], answer["error"]


def test_numbers_and_lists_as_json_text_are_read_everywhere(box) -> None:
    plain = _call(box, "compute_band_power", channels=["ECG"], tmin=3, tmax=6.5)
    packed = _call(box, "compute_band_power", channels='["ECG"]', tmin="3", tmax=" 6.5")
    assert packed == plain
    windowed = _call(
        box,
        "compute_windowed_features",
        channels=["ECG"],
        features='["rms_uv"]',
        window_sec="5",
    )
    assert windowed["n_windows"] == 6


def test_a_whole_call_as_json_text_is_read(box) -> None:
    text = '{"record_id": "r", "channels": ["ECG"]}'
    plain = _call(box, "compute_psd", channels=["ECG"])
    assert box.call("compute_psd", text) == plain


def test_null_means_not_given(box) -> None:
    given = _call(box, "compute_psd", channels=["ECG"], tmin=None, method=None)
    assert given == _call(box, "compute_psd", channels=["ECG"])


@pytest.mark.parametrize("name", ["fp1-f7", "FP1 - F7", "EEG FP1-F7", " Fp1-F7 "])
def test_a_single_match_in_another_dress_is_that_channel(box, name) -> None:
    found = _call(box, "compute_band_power", channels=[name])
    assert found["channels"][0]["channel"] == "FP1-F7"


def test_the_paper_dialect_wants_the_very_name(recording) -> None:
    box = Toolbox({"r": recording}, dialect="paper-1.0")
    assert "error" in _call(box, "compute_band_power", channels=["fp1-f7"])
    twice = _call(box, "compute_band_power", channels=["ECG", "ECG"])
    assert twice["n_channels"] == 2


def test_the_end_told_to_the_millisecond_is_the_end() -> None:
    recording = eegcore.from_array(np.ones(4097), 173.61, ["C3"])  # 23.59887 s
    box = Toolbox({"r": recording})
    told = _call(box, "get_recording_info")["duration_sec"]
    assert told == 23.599
    assert "error" not in _call(box, "compute_temporal_features", tmax=told)
    assert _call(box, "compute_temporal_features", tmax=23.61)["code"] == "out_of_range"


def test_an_error_quotes_little_of_a_long_argument(box) -> None:
    answer = _call(box, "compute_psd", channels=["x" * 100_000])
    assert "x" * 61 not in answer["error"]
    assert len(answer["error"]) < 400


def test_channels_of_different_rates_have_no_correlation(tmp_path) -> None:
    signals = [
        Signal(label="EEG C3", samples=[1, 2] * 500, per_record=100),
        Signal(label="EEG C4", samples=[1, 2] * 250, per_record=50),
    ]
    path = tmp_path / "rates.edf"
    path.write_bytes(Edf(signals=signals).to_bytes())
    answer = _call(Toolbox({"r": path}), "compute_channel_correlation")
    assert answer["code"] == "different_rates"
    assert "100 Hz (EEG C3), 50 Hz (EEG C4)" in answer["error"]


def test_without_eeg_the_channels_are_to_be_named() -> None:
    recording = eegcore.from_array(np.ones((2, 600)), 100.0, ["LOC", "ECG"])
    answer = _call(Toolbox({"r": recording}), "compute_psd")
    assert answer["code"] == "no_eeg_channel"
    assert "LOC (eog), ECG (ecg)" in answer["error"]
