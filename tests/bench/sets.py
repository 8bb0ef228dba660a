"""Small sets and a stand-in toolbox for the tests of episode and runner."""

from pathlib import Path

import numpy as np

from eegbench.instances import Instance, SetInfo, write_set
from eegbench.references import Reference, write_references

LABELS = {
    "type": "object",
    "properties": {
        "classification": {"type": "string", "enum": ["normal", "epileptic"]},
        "findings": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["classification"],
}
EVENT = {
    "type": "object",
    "properties": {
        "onset_sec": {"type": "number", "minimum": 0},
        "offset_sec": {"type": "number", "minimum": 0},
    },
    "required": ["onset_sec", "offset_sec"],
}
EVENTS = {
    "type": "object",
    "properties": {"seizure_events": {"type": "array", "items": EVENT}},
    "required": ["seizure_events"],
}
SHARE = {"type": "number", "minimum": 0, "maximum": 1}
SEGMENT = {
    "type": "object",
    "properties": {
        "start_epoch": {"type": "integer", "minimum": 0},
        "end_epoch": {"type": "integer", "minimum": 0},
        "stage": {"type": "string", "enum": ["W", "N1", "N2", "N3", "REM"]},
    },
    "required": ["start_epoch", "end_epoch", "stage"],
}
SHARES = ("REM_pct", "N3_pct", "sleep_efficiency")
NIGHT = {
    "type": "object",
    "properties": {
        "hypnogram_rle": {"type": "array", "items": SEGMENT},
        "architecture": {
            "type": "object",
            "properties": dict.fromkeys(SHARES, SHARE),
            "required": list(SHARES),
        },
    },
    "required": ["hypnogram_rle", "architecture"],
}
CHOICE = {
    "type": "object",
    "properties": {"answer": {"type": "string", "enum": ["A", "B", "C", "D"]}},
    "required": ["answer"],
}
SCHEMAS = {"T1": CHOICE, "T3": LABELS, "T5": EVENTS, "T6": NIGHT}


def instance(number: int = 1, task: str = "T3", **changes: object) -> Instance:
    values: dict[str, object] = {
        "instance_id": f"{task}/{number:04d}",
        "task": task,
        "suite": "eegagent",
        "context": "A short recording of one channel.",
        "question": "Is it normal?",
        "facts": {"n_channels": 1, "channel_names": ["EEG"]},
        "answer_schema": SCHEMAS.get(task, LABELS),
        "simulated": True,
    }
    if task == "T1":
        values["options"] = {"A": "alpha", "B": "beta", "C": "gamma", "D": "delta"}
    if task == "T5":
        values["duration_sec"] = 3600.0
    if task == "T6":
        values["n_epochs"] = 20
    return Instance(**{**values, **changes})  # type: ignore[arg-type]


def make_set(path: Path, instances: list[Instance]) -> Path:
    write_set(path, SetInfo(suite="eegagent", simulated=True), instances)
    write_references(
        path,
        [
            Reference(instance_id=item.instance_id, task=item.task, label="normal")
            for item in instances
        ],
    )
    return path


class StandInTools:
    """Answers every call with its own arguments."""

    names = ("get_recording_info", "compute_psd")

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, object]]] = []

    def schemas(self, flavour: str) -> list[dict[str, object]]:
        return [{"name": name, "parameters": {"type": "object"}} for name in self.names]

    def call(self, name: str, arguments: dict[str, object]) -> dict[str, object]:
        self.calls.append((name, arguments))
        return {"record_id": arguments.get("record_id"), "tool": name}


def set_with_signals(path: Path, n: int) -> Path:
    """Make a set of recordings of two seconds of noise."""
    (path / "set" / "recordings").mkdir(parents=True)
    rng = np.random.default_rng(1)
    rows = []
    for number in range(n):
        name = f"recordings/{number}.npy"
        np.save(path / "set" / name, rng.normal(scale=30.0, size=(1, 512)))
        opening = {"rate_hz": 256.0, "channel_names": ["EEG"], "unit": "uV"}
        rows.append(instance(number, recording=name, open_args=opening))
    return make_set(path / "set", rows)
