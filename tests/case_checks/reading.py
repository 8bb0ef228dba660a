"""Cases of files: signals, annotations, gaps, rates; one check a key of `expect`."""

import json
from pathlib import Path
from typing import Any

import numpy as np

import eegcore
from eegcore.errors import EegcoreError
from eegcore.recording import Recording

# Said in words, or for other modules (hypnograms, summaries, sets).
NO_CHECK = {
    "outcome", "note", "never", "error_must_mention", "abs_tol", "rel_tol", "checked",
    "alternatives", "set", "label", "epoch_s", "stages", "psg_duration_s", "rate_hz",
    "warning_must_mention", "files",
}  # fmt: skip


def mentions(text: str, words: list[str]) -> bool:
    return all(word.lower() in text.lower() for word in words)


def close(value: float | None, wanted: float | None, tolerance: float) -> bool:
    if wanted is None:
        return value is None or not np.isfinite(value)
    return value is not None and abs(value - wanted) <= tolerance


def sparse_file(recipe: dict[str, Any], folder: Path) -> Path:
    """A large file that holds nothing but its header and some patches."""
    path = folder / f"big.{recipe['extension']}"
    with path.open("wb") as file:
        file.write(bytes.fromhex(recipe["header_hex"]))
        file.truncate(recipe["total_bytes"])
        for patch in recipe["patches"]:
            file.seek(patch["offset"])
            file.write(bytes.fromhex(patch["hex"]))
    return path


def open_case(path: Path, expect: dict[str, Any], folder: Path) -> Recording:
    if path.suffix == ".json":
        path = sparse_file(json.loads(path.read_text()), folder)
    if path.suffix.lower() == ".txt":
        return eegcore.open(path, rate_hz=expect.get("rate_hz", 173.61))
    return eegcore.open(path)


def check_signals(rec: Recording, wanted: list[dict[str, Any]], expect: dict) -> None:
    assert [c.label for c in rec.channels] == [s["label"] for s in wanted]
    for index, (channel, signal) in enumerate(zip(rec.channels, wanted, strict=True)):
        assert channel.unit == signal["unit"] if "unit" in signal else True
        if signal["rate"] is not None:
            assert abs(channel.rate_hz - signal["rate"]) <= 1e-9 * signal["rate"]
        assert channel.n_samples == signal["n_samples"]
        if "digital_sum" in signal:
            stored = rec.read_digital(index, 0, channel.n_samples)
            assert int(stored.sum(dtype=np.int64)) == signal["digital_sum"]
        span = abs(channel.physical_max - channel.physical_min)
        tolerance = expect.get("abs_tol", 1e-6 * span if np.isfinite(span) else 0.0)
        for number, digital, physical in signal.get("samples", []):
            assert rec.read_digital(index, number, number + 1)[0] == digital
            value = rec.read_samples(index, number, number + 1)[0]
            value /= channel.to_uv or 1.0
            assert close(value, physical, tolerance), (channel.name, number, value)


def check_annotations(found: tuple, wanted: list, optional: list) -> None:
    def matches(event: Any, row: list) -> bool:
        onset, duration, text = row
        texts = text if isinstance(text, list) else [text]
        same = (event.duration_sec is None) == (duration is None)
        return (
            same
            and abs(event.onset_sec - onset) < 1e-9
            and (duration is None or abs(event.duration_sec - duration) < 1e-12)
            and event.text in texts
        )

    left = list(found)
    for row in wanted:
        fitting = [event for event in left if matches(event, row)]
        assert fitting, (row, found)
        left.remove(fitting[0])
    assert all(any(matches(event, row) for row in optional) for event in left), left


def check_windows(rec: Recording, windows: list[dict[str, Any]]) -> None:
    for window in windows:
        index = window["signal"]
        span = rec.sample_range(index, window["start_s"], window["stop_s"])
        assert rec.read_digital(index, *span).tolist() == window["digital"]
        values = rec.read([rec.names[index]], window["start_s"], window["stop_s"])
        assert values.shape == (1, len(window["digital"]))


def check_status(rec: Recording, expect: dict[str, Any]) -> None:
    index = [c.kind for c in rec.channels].index("stim")
    status = rec.read_digital(index, 0, rec.channels[index].n_samples) & 0xFFFFFF
    assert status.tolist() == expect["status_unsigned"]
    assert (status & 0xFFFF).tolist() == expect["trigger_16bit"]
    assert ((status >> 20) & 1 == 1).tolist() == expect["cms_in_range"]


def check_samples_uv(rec: Recording, rows: list) -> None:
    for channel, number, wanted in rows:
        value = rec.read_samples(channel, number, number + 1)[0]
        assert abs(value - wanted) <= 1e-6 * 250, (channel, number, value, wanted)


def iso(rec: Recording) -> str | None:
    return rec.start and rec.start.isoformat()


CHECKS = {
    "signals": lambda r, v, e: check_signals(r, v, e),
    "annotations": lambda r, v, e: check_annotations(
        r.annotations, v, e.get("annotations_optional", [])
    ),
    "annotations_optional": lambda r, v, e: None,
    "annotations_from_first_sample": lambda r, v, e: check_annotations(
        r.annotations_from_first_sample, v, []
    ),
    "window": lambda r, v, e: check_windows(r, [v]),
    "windows": lambda r, v, e: check_windows(r, v),
    "status_unsigned": lambda r, v, e: check_status(r, e),
    "trigger_16bit": lambda r, v, e: None,
    "cms_in_range": lambda r, v, e: None,
}


def equal(name: str, rec: Recording, wanted: Any) -> bool:
    """The expectations that are one value."""
    if name == "start":
        return iso(rec) == wanted
    if name == "n_records":
        return rec.n_records == wanted
    if name == "format":
        return rec.format == wanted
    if name == "continuous":
        return (len(rec.segments) == 1) == wanted
    if name in ("duration_s", "duration_sec"):
        return abs(rec.duration_sec - wanted) < 1e-6
    if name == "n_epochs_30s":
        return rec.duration_sec // 30 == wanted
    if name == "to_uV":
        return [c.to_uv for c in rec.channels] == wanted
    if name == "segments":
        return np.allclose(rec.segments, wanted, rtol=0, atol=1e-9)
    if name == "sample_times":
        return all(abs(rec.sample_time(0, n) - t) < 1e-9 for n, t in wanted)
    if name == "points":
        return all(
            rec.read_digital(p["signal"], p["sample"], p["sample"] + 1)[0]
            == p["digital"]
            for p in wanted
        )
    if name == "labels":
        return list(rec.names) == wanted
    if name == "rate":
        return all(abs(c.rate_hz - wanted) < 1e-9 for c in rec.channels)
    if name == "n_samples":
        return all(c.n_samples == wanted for c in rec.channels)
    if name in ("n_in_file", "n_used"):
        return rec.channels[0].n_samples == wanted
    if name == "first":
        return rec.read()[0, : len(wanted)].tolist() == wanted
    if name == "last":
        return rec.read()[0, -len(wanted) :].tolist() == wanted
    if name == "samples_uV":
        check_samples_uv(rec, wanted)
        return True
    raise KeyError(f"no check for expectation {name!r}")


def check(row: dict[str, Any], root: Path, folder: Path) -> None:
    expect = row["expect"]
    try:
        rec = open_case(root / row["file"], expect, folder)
        if expect["outcome"] != "value":
            rec.duration_sec, rec.annotations  # noqa: B018 - an error may wait there
    except EegcoreError as error:
        assert expect["outcome"] != "value", f"error: {error}"
        words = expect.get("error_must_mention", [])
        assert mentions(str(error), words), f"{error} does not mention {words}"
        assert "\n" not in str(error)
        return
    assert expect["outcome"] != "error", "no error"
    for name, wanted in expect.items():
        if name in CHECKS:
            CHECKS[name](rec, wanted, expect)
        elif name not in NO_CHECK:
            assert equal(name, rec, wanted), (name, wanted)
    if "files" not in expect:
        told = " ".join(rec.warnings)
        words = expect.get("warning_must_mention", [])
        assert mentions(told, words), f"warnings {told!r} do not mention {words}"
