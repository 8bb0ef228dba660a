"""Dialect `paper-1.0` against the outputs of the published release.

`../shared/data/official/golden_tools.jsonl` (eeg-agent-bench 1.0.0, provenance in the
README beside it). Compared: keys and their order, counts, refusals, texts that are
data, and numbers within one unit of the last printed decimal or 1e-5 relative. Not
compared: error texts, reasons in prose, `_meta.approx_*`, cases marked not valid.
"""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import eegcore

TOOLS = (
    "get_recording_info",
    "get_channel_list",
    "compute_noise_metrics",
    "compute_psd",
    "compute_band_power",
    "detect_transients",
    "compute_temporal_features",
    "compute_asymmetry",
    "compute_channel_correlation",
    "compute_windowed_features",
    "no_such_tool",
)
_PROSE = ("error", "reason", "truncated_reason")
_BONN_RATE_HZ = 173.61


class GoldenCases:
    """The cases by tool, and a toolbox for the recording of each."""

    def __init__(self, data_dir: Path, folder: Path) -> None:
        self._data_dir = data_dir
        self._folder = folder
        self._boxes: dict[tuple[str, str], eegcore.Toolbox] = {}
        path = data_dir / "official" / "golden_tools.jsonl"
        self._rows = [json.loads(line) for line in path.read_text().splitlines()]

    def of(self, tool: str) -> list[dict[str, Any]]:
        return [row for row in self._rows if row["tool"] == tool]

    def box(self, row: dict[str, Any]) -> eegcore.Toolbox:
        metadata = row.get("metadata") or {}
        key = (row["file"], json.dumps(metadata))
        if key not in self._boxes:
            recording = self._open(row["file"], metadata)
            self._boxes[key] = eegcore.Toolbox(
                {"REC_1": recording}, dialect="paper-1.0"
            )
        return self._boxes[key]

    def _open(self, file: str, metadata: dict[str, Any]) -> eegcore.Recording:
        if "!" in file:
            archive, member = file.split("!")
            with zipfile.ZipFile(self._data_dir / archive) as stored:
                name = next(n for n in stored.namelist() if n.endswith(member))
                path = self._folder / member
                path.write_bytes(stored.read(name))
            rate_hz = metadata.get("sampling_rate", _BONN_RATE_HZ)
            return eegcore.open(path, rate_hz=rate_hz, channel_names=["EEG"])
        path = self._data_dir / file
        if path.suffix == ".npy":
            return eegcore.open(
                path,
                rate_hz=metadata["sampling_rate"],
                channel_names=metadata.get("channel_names"),
            )
        return eegcore.open(path)


@pytest.fixture(scope="module")
def golden(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> GoldenCases:
    return GoldenCases(data_dir, tmp_path_factory.mktemp("golden"))


def _decimals(value: float) -> int:
    text = repr(value)
    return 0 if "e" in text or "." not in text else len(text.split(".")[1])


def differences(ours: Any, theirs: Any, where: str = "") -> Iterator[str]:
    """Tell what differs, by the rule of the data's README."""
    if isinstance(theirs, dict):
        if not isinstance(ours, dict) or list(ours) != list(theirs):
            yield f"{where}: keys {list(ours)} instead of {list(theirs)}"
            return
        for key, value in theirs.items():
            if key not in _PROSE and not key.startswith("approx_"):
                yield from differences(ours[key], value, f"{where}.{key}")
    elif isinstance(theirs, list):
        if not isinstance(ours, list) or len(ours) != len(theirs):
            yield f"{where}: {ours} instead of a list of {len(theirs)}"
            return
        for place, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            yield from differences(a, b, f"{where}[{place}]")
    elif isinstance(theirs, int | float) and not isinstance(theirs, bool):
        step = 10.0 ** -_decimals(theirs) if isinstance(theirs, float) else 0.0
        allowed = max(step, 1e-5 * abs(theirs)) * (1 + 1e-9)
        if (
            isinstance(ours, bool)
            or not isinstance(ours, int | float)
            or abs(ours - theirs) > allowed
        ):
            yield f"{where}: {ours!r} instead of {theirs!r}"
    elif ours != theirs:
        yield f"{where}: {ours!r} instead of {theirs!r}"


@pytest.mark.data
@pytest.mark.parametrize("tool", TOOLS)
def test_paper_dialect_equals_the_published_release(
    golden: GoldenCases, tool: str
) -> None:
    cases = [row for row in golden.of(tool) if row["valid"]]
    assert cases
    wrong = []
    for row in cases:
        answer = golden.box(row).call(row["tool"], row["args"])
        if row["status"] == "ok":
            found = list(differences(answer, row["output"]))
        else:
            found = [] if "error" in answer else ["an answer instead of a refusal"]
        wrong += [f"{row['case_id']}{text}" for text in found[:3]]
    assert not wrong, f"{len(wrong)} differences in {len(cases)} cases: {wrong[:10]}"


@pytest.mark.data
@pytest.mark.parametrize("tool", TOOLS)
def test_misuse_of_the_release_gets_an_answer_or_an_error_object(
    golden: GoldenCases, tool: str
) -> None:
    for row in golden.of(tool):
        if row["valid"]:
            continue
        answer = golden.box(row).call(row["tool"], row["args"])
        assert "_meta" in answer or answer["error"], row["case_id"]
        assert answer.get("code") is None
