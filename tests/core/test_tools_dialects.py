"""The rows of the protocol's dialect table, each seen in both dialects."""

import numpy as np
import pytest

import eegcore
from edf_writer import Annotations, Edf, Signal
from eegcore.tools.toolbox import Toolbox

RATE_HZ = 256.0
T = np.arange(2560) / RATE_HZ


def _boxes(recording: eegcore.Recording) -> tuple[Toolbox, Toolbox]:
    return Toolbox({"r": recording}), Toolbox({"r": recording}, dialect="paper-1.0")


def _call(box: Toolbox, tool: str, **arguments: object) -> dict:
    answer = box.call(tool, {"record_id": "r", **arguments})
    assert "error" not in answer, answer
    return answer


def _noise(rng, names, rate_hz=RATE_HZ, n=2560) -> eegcore.Recording:
    samples = 20 * rng.normal(size=(len(names), n))
    return eegcore.from_array(samples, rate_hz, names)


def test_row_1_montage(rng) -> None:
    names = ["FP1-F7", "EEG Fp1-Ref", "Fc5.", "AF7", "Fz"]
    ours, released = _boxes(_noise(rng, names))
    sides = [r["hemisphere"] for r in _call(ours, "get_channel_list")["channels"]]
    assert sides == ["L", "L", "L", "L", "M"]
    sides = [r["hemisphere"] for r in _call(released, "get_channel_list")["channels"]]
    assert sides == ["unknown", "L", "unknown", "unknown", "M"]


def test_row_2_pairs(rng) -> None:
    names = ["T7", "T8", "P7", "P8", "FP1-F7", "FP2-F8", "Fc5.", "Fc6.", "C3", "C4"]
    ours, released = _boxes(_noise(rng, names))
    found = _call(ours, "compute_asymmetry")
    assert [p["left"] for p in found["pairs"]] == names[::2]
    assert [p["left"] for p in _call(released, "compute_asymmetry")["pairs"]] == ["C3"]
    some = _call(ours, "compute_asymmetry", channels=["T7", "T8", "C3"])
    assert [p["right"] for p in some["pairs"]] == ["T8"]


def test_row_4_relative_power_has_one_meaning(rng) -> None:
    ours, released = _boxes(_noise(rng, ["C3"]))
    for box, equal in ((ours, True), (released, False)):
        power = _call(box, "compute_band_power")["channels"][0]["relative_power"]
        windows = _call(
            box, "compute_windowed_features", features=["alpha_relative"], window_sec=10
        )["channels"][0]["windows"]
        assert (power["alpha"] == windows[0]["alpha_relative"]) is equal


def test_row_5_bands_add_up_between_bins(rng) -> None:
    ours, released = _boxes(_noise(rng, ["C3"], rate_hz=173.61, n=4097))
    for box, share in ((ours, (0.9999, 1.0001)), (released, (0.8, 0.97))):
        answer = _call(box, "compute_psd", fmin=1, fmax=45)["channels"][0]
        added = sum(answer["band_powers_uv2"].values())
        assert share[0] < added / answer["total_power_uv2"] < share[1]


def test_row_5_a_cut_band_is_null(rng) -> None:
    ours, released = _boxes(_noise(rng, ["C3"]))
    answer = _call(ours, "compute_psd", fmin=8, fmax=12)
    assert answer["channels"][0]["band_powers_uv2"] == {
        "delta": None,
        "theta": None,
        "alpha": None,
        "beta": None,
        "gamma": None,
    }
    assert any("band cut" in note for note in answer["notes"])
    cut = _call(released, "compute_psd", fmin=8, fmax=12)["channels"][0]
    assert cut["band_powers_uv2"]["theta"] == 0.0
    assert cut["band_powers_uv2"]["alpha"] > 0


def test_row_6_multitaper_has_the_right_scale(rng) -> None:
    ours, released = _boxes(_noise(rng, ["C3"]))
    welch = _call(ours, "compute_psd")["channels"][0]["total_power_uv2"]
    tapers = _call(ours, "compute_psd", method="multitaper")["channels"][0]
    assert tapers["total_power_uv2"] == pytest.approx(welch, rel=0.15)
    answer = released.call("compute_psd", {"record_id": "r", "method": "multitaper"})
    assert "not offered" in answer["error"]


def test_row_7_windows_do_not_drift_and_the_rest_is_told(rng) -> None:
    ours, released = _boxes(_noise(rng, ["C3"], rate_hz=173.61, n=4097))
    arguments = {"features": ["rms_uv"], "window_sec": 2}
    answer = _call(ours, "compute_windowed_features", **arguments)
    starts = [w["t_start"] for w in answer["channels"][0]["windows"]]
    assert starts == [2.0 * k for k in range(11)]
    assert answer["left_out_sec"] == 1.599
    drifting = _call(released, "compute_windowed_features", **arguments)
    assert drifting["channels"][0]["windows"][4]["t_start"] == 7.99
    assert "left_out_sec" not in drifting


def test_row_7_a_window_equals_the_same_range_asked_directly(rng) -> None:
    ours, _ = _boxes(_noise(rng, ["C3"], rate_hz=173.61, n=4097))
    windows = _call(
        ours, "compute_windowed_features", features=["rms_uv"], window_sec=2
    )["channels"][0]["windows"]
    for window in windows:
        direct = _call(
            ours,
            "compute_temporal_features",
            tmin=window["t_start"],
            tmax=window["t_end"],
        )
        assert direct["channels"][0]["rms_uv"] == window["rms_uv"]


def test_row_8_what_the_release_ignores_is_an_error(rng) -> None:
    ours, _ = _boxes(_noise(rng, ["C3", "C4"]))
    for tool, arguments in (
        ("compute_band_power", {"channels": ["C3", "NOPE"]}),
        ("compute_windowed_features", {"features": ["rms_uv", "bogus"]}),
        ("compute_psd", {"method": "bogus"}),
        ("detect_transients", {"max_events_per_channel": 2}),
        ("compute_temporal_features", {"tmin": -2, "tmax": 2}),
        ("compute_noise_metrics", {"channels": []}),
        ("compute_windowed_features", {"window_sec": 100000}),
    ):
        assert "code" in ours.call(tool, {"record_id": "r", **arguments})


def test_row_9_nan_is_null(rng) -> None:
    samples = 20 * rng.normal(size=(2, 2560))
    samples[0, 100] = np.nan
    recording = eegcore.from_array(samples, RATE_HZ, ["T7", "T8"])
    ours, released = _boxes(recording)
    answer = _call(ours, "compute_temporal_features")
    assert set(answer["channels"][0].values()) == {"T7", None}
    assert None not in answer["channels"][1].values()
    assert answer["notes"] == ["not-a-number samples: values are null: T7"]
    assert _call(released, "compute_temporal_features")["channels"][0]["rms_uv"] == 0.0
    for tool in ours.names:
        _call(ours, tool)


def test_row_10_noise_of_mains_and_of_flat_channels(rng) -> None:
    mains = 40 * np.sin(2 * np.pi * 50 * T) + rng.normal(size=2560)
    recording = eegcore.from_array([mains, np.full(2560, 12.5)], RATE_HZ, ["O2", "O1"])
    ours, released = _boxes(recording)
    mains_row, flat_row = _call(ours, "compute_noise_metrics")["channels"]
    assert mains_row["hf_noise_ratio"] < 0.8
    assert flat_row["line_noise_ratio"] is None
    assert flat_row["flat_line_ratio"] == 1.0
    mains_row, flat_row = _call(released, "compute_noise_metrics")["channels"]
    assert mains_row["hf_noise_ratio"] > 0.9
    assert flat_row["line_noise_ratio"] is not None
    above = _call(ours, "compute_noise_metrics", line_freq=127)
    assert [row["line_noise_ratio"] for row in above["channels"]] == [None, None]
    assert above["notes"][-1].startswith("mains band not below half")


def test_row_10_noise_takes_a_range_of_time(rng) -> None:
    samples = np.concatenate([rng.normal(size=1280), 100 * rng.normal(size=1280)])
    ours, _ = _boxes(eegcore.from_array(samples, RATE_HZ, ["C3"]))
    answer = _call(ours, "compute_noise_metrics", tmin=0, tmax=5)
    assert answer["channels"][0]["rms_uv"] == pytest.approx(1.0, rel=0.1)


def test_row_11_means_over_all_candidates_and_background_for_all(rng) -> None:
    samples = np.stack([60 * rng.normal(size=2560), 0.1 * rng.normal(size=2560)])
    ours, released = _boxes(eegcore.from_array(samples, RATE_HZ, ["C3", "C4"]))
    limits = {"max_candidates_per_channel": 5, "min_amplitude_uv": 50}
    answer = _call(ours, "detect_transients", **limits)
    loud, quiet = answer["channel_summary"]
    assert loud["n_candidates"] == answer["n_candidates_detected"] > 20
    assert answer["n_candidates_returned"] == 5
    assert quiet["n_candidates"] == 0
    assert quiet["amplitude_mean_uv"] is None
    assert quiet["background_rms_uv"] > 0
    kept = _call(released, "detect_transients", **limits)
    assert [row["channel"] for row in kept["channel_summary"]] == ["C3"]
    assert kept["channel_summary"][0]["amplitude_mean_uv"] > loud["amplitude_mean_uv"]
    assert answer["top_candidates"][0]["time_sec"] == pytest.approx(
        kept["top_candidates"][0]["time_sec"], abs=0.01
    )


@pytest.fixture
def gapped(tmp_path, rng) -> eegcore.Recording:
    stored = rng.integers(-900, 900, size=8 * 100).tolist()
    starts = [f"+{s}\x14\x14\0".encode() for s in (0, 1, 2, 3, 10, 11, 12, 13)]
    edf = Edf(
        signals=[
            Signal(label="EEG C3", samples=stored, per_record=100),
            Signal(label="EEG C4", samples=stored, per_record=100),
            Annotations(records=starts),
        ],
        reserved="EDF+D",
    )
    path = tmp_path / "gap.edf"
    path.write_bytes(edf.to_bytes())
    return eegcore.open(path)


@pytest.mark.parametrize(
    "tool",
    [
        "compute_noise_metrics",
        "compute_psd",
        "compute_band_power",
        "detect_transients",
        "compute_temporal_features",
        "compute_asymmetry",
        "compute_channel_correlation",
    ],
)
def test_row_12_a_range_over_a_gap_is_null_and_says_so(gapped, tool) -> None:
    ours, _ = _boxes(gapped)
    answer = _call(ours, tool)
    assert any("0.000-4.000, 10.000-14.000" in note for note in answer["notes"])
    rows = answer.get("channels") or answer.get("pairs") or answer["channel_summary"]
    numbers = {k: v for k, v in rows[0].items() if not isinstance(v, str | int)}
    flat = [
        value
        for item in numbers.values()
        for value in (item.values() if isinstance(item, dict) else [item])
    ]
    assert set(flat) == {None}
    within = _call(ours, tool, tmin=10, tmax=14)
    assert not any("gap" in note for note in within.get("notes", ()))


def test_row_12_windows_over_a_gap_are_null_and_say_so(gapped) -> None:
    ours, released = _boxes(gapped)
    arguments = {"features": ["rms_uv"], "window_sec": 2}
    answer = _call(ours, "compute_windowed_features", **arguments)
    windows = answer["channels"][0]["windows"]
    assert [w.get("gap", False) for w in windows] == [False] * 2 + [True] * 3 + [
        False
    ] * 2
    assert [w["rms_uv"] is None for w in windows] == [
        w.get("gap", False) for w in windows
    ]
    info = _call(ours, "get_recording_info")
    assert info["segments_sec"] == [[0.0, 4.0], [10.0, 14.0]]
    blind = _call(released, "compute_windowed_features", **arguments)
    assert blind["n_windows"] == 4


def test_row_12_transient_times_after_a_gap_are_right(tmp_path) -> None:
    quiet = np.zeros(1000)
    spike = quiet.copy()
    spike[450:453] = [500, 1500, 500]
    signal = Signal(
        label="EEG C3",
        samples=[int(v) for v in np.concatenate([quiet, spike])],
        per_record=1000,
    )
    starts = [b"+0\x14\x14\0", b"+60\x14\x14\0"]
    edf = Edf(
        signals=[signal, Annotations(records=starts)], reserved="EDF+D", duration="10"
    )
    path = tmp_path / "late.edf"
    path.write_bytes(edf.to_bytes())
    ours, _ = _boxes(eegcore.open(path))
    answer = _call(ours, "detect_transients", tmin=60, tmax=70, min_amplitude_uv=20)
    assert answer["top_candidates"][0]["time_sec"] == pytest.approx(64.51, abs=0.02)


def test_row_13_each_signal_in_its_own_kind_unit_and_rate(tmp_path, rng) -> None:
    fast = rng.integers(-500, 500, size=1000).tolist()
    slow = rng.integers(340, 400, size=10).tolist()
    signals = [
        Signal(label="EEG Cz", samples=fast, per_record=100),
        Signal(label="Temp rectal", samples=slow, per_record=1, unit="DegC"),
    ]
    path = tmp_path / "psg.edf"
    path.write_bytes(Edf(signals=signals).to_bytes())
    ours, released = _boxes(eegcore.open(path))
    rows = _call(ours, "get_channel_list")["channels"]
    assert [(r["type"], r["rate_hz"], r["unit"]) for r in rows] == [
        ("eeg", 100.0, "uV"),
        ("temp", 1.0, "DegC"),
    ]
    assert _call(ours, "compute_temporal_features")["n_channels"] == 1
    warm = _call(ours, "compute_temporal_features", channels=["Temp rectal"])
    assert warm["channels"][0]["unit"] == "DegC"
    assert warm["channels"][0]["mean_uv"] == pytest.approx(np.mean(slow) / 10, rel=1e-5)
    assert _call(released, "get_recording_info")["n_eeg_channels"] == 2
    as_volts = _call(released, "compute_temporal_features")["channels"][1]
    assert as_volts["mean_uv"] == pytest.approx(1e6 * np.mean(slow) / 10)


def test_row_14_the_release_keeps_its_decimals_and_ours_six_digits() -> None:
    samples = 12.3456789 * np.sin(2 * np.pi * 9.5 * T)
    ours, released = _boxes(eegcore.from_array(samples, RATE_HZ, ["C3"]))
    assert _call(ours, "compute_temporal_features")["channels"][0]["rms_uv"] == 8.72971
    exact = _call(released, "compute_temporal_features")["channels"][0]["rms_uv"]
    assert exact == 8.73
