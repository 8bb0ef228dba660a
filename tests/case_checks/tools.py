"""Cases of measured features and of tool arguments."""

import json

import numpy as np

import eegcore
from eegbench.sources.eegdenoisenet import mixed
from eegcore.spectrum import (
    band_power,
    welch_density,
)
from eegcore.tools.toolbox import Toolbox
from eegcore.waveform import waveform


def build(signal):
    n = np.arange(signal["n"])
    x = np.full(signal["n"], float(signal.get("offset", 0.0)))
    for amplitude, frequency in signal.get("sines", []):
        x += amplitude * np.sin(2 * np.pi * frequency * n / signal["fs"])
    for position, value in signal.get("set", []):
        x[position] = np.nan if value is None else value
    return x


def close(got, want, rel=1e-9, abs_=0.0):
    if want is None or isinstance(want, list):
        options = want if isinstance(want, list) else [want]
        missing = got is None or np.isnan(got)
        return any(
            (missing if o is None else not missing and abs(got - o) <= 1e-9)
            for o in options
        )
    return got is not None and abs(got - want) <= max(rel * abs(want), abs_)


def feature_case(row, spec):
    e = row["expect"]
    if "lambda" in e:
        return mixing_case(e, spec)
    x, fs, ask = build(spec["signal"]), spec["signal"]["fs"], spec["ask"]
    rel, abs_ = e.get("rel_tol", 1e-9), e.get("abs_tol", 0.0)
    if ask["what"] == "hjorth":
        if ask.get("input_dtype"):
            x = x.astype(ask["input_dtype"])
        w = waveform(x, fs)
        ok = close(float(w.hjorth_activity), e["activity"], rel, abs_)
        if "mobility" in e:
            ok &= close(float(w.hjorth_mobility), e["mobility"])
        if "mobility_per_sample" in e:
            ok &= close(float(w.hjorth_mobility), e["mobility_per_sample"], rel)
        if "complexity" in e:
            ok &= close(float(w.hjorth_complexity), e["complexity"], rel)
        return ok
    spectrum = welch_density(
        x, fs, segment_sec=ask.get("window_s", ask.get("nperseg", 0) / fs)
    )
    if np.ptp(x) == 0:
        spectrum = spectrum._replace(density=spectrum.density * 0)
    if ask["what"] == "relative_band_power":
        box = Toolbox({"r": eegcore.from_array(x, fs, ["C3"])})
        answer = box.call("compute_band_power", {"record_id": "r"})["channels"][0]
        got = answer["relative_power"]["alpha"]
        return close(got, e["value"], rel, abs_)
    if "bands" in ask:
        got = sum(float(band_power(spectrum, tuple(b))) for b in ask["bands"])
        return close(got, e["sum_of_bands"], rel, abs_)
    got = float(band_power(spectrum, tuple(ask["band"])))
    return close(got, e["value"], rel, abs_)


def mixing_case(e, spec):
    noisy = mixed(
        np.array(spec["eeg"], float), np.array(spec["artifact"], float), spec["snr_db"]
    )
    return np.allclose(noisy, e["noisy"], rtol=e["rel_tol"], atol=0)


def tool_case(row, spec):
    record = spec["record"]
    n = int(record["duration_s"] * record["rate_hz"])
    rng = np.random.default_rng(0)
    data = np.tile(rng.standard_normal((len(record["channels"]), n // 60)), 60)
    box = Toolbox(
        {"r": eegcore.from_array(data, record["rate_hz"], record["channels"])}
    )
    arguments = spec["arguments"]
    if isinstance(arguments, str):
        arguments = json.dumps({"record_id": "r", **json.loads(arguments)})
    else:
        arguments = {"record_id": "r", **arguments}
    answer = box.call(spec["tool"], arguments)
    e = row["expect"]
    if "error" in answer:
        assert answer["code"]
        return all(w in answer["error"] for w in e["error_must_mention"])
    if e["outcome"] == "error":
        return False
    return answer == box.call(spec["tool"], {"record_id": "r", **e["same_as"]})


CHECKS = {"features": feature_case, "tool_args": tool_case}


def check(row, root, folder):
    """Compare what is found with what the case states."""
    spec = json.loads((root / row["file"]).read_text())
    assert CHECKS[row["kind"]](row, spec)
