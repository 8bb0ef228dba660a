"""T6: stages of a whole night, from windowed features of 30 s.

What is measured: ``compute_windowed_features`` with windows of 30 s over the whole
recording, in pieces that fit the budget: band powers and kurtosis of one EEG
derivation in front, two band powers behind, slow power of the EOG, RMS of the chin EMG.
What is missing is done without: one EEG channel is enough.

How it concludes: `evidence` turns the powers into a few figures by epoch, relative to
the night's own NREM sleep; `sequence` compares them with what each stage looks like and
finds the likeliest course of the night.
"""

import numpy as np

from eegbench.agents import InstanceView
from eegbench.agents.rules.channels import front_rank, is_posterior, kind
from eegbench.agents.rules.desk import (
    Analysis,
    Plan,
    Record,
    Values,
    record,
    whole_windows,
    windowed,
)
from eegbench.agents.rules.sleep_evidence import EPOCH_SEC, evidence, sequence
from eegbench.records import JsonObject

POWERS = tuple(
    f"{b}_power" for b in ("delta", "theta", "alpha", "sigma", "beta", "gamma")
)
MAIN = (*POWERS, "kurtosis")
BACK = ("theta_power", "alpha_power")
EOG = ("delta_power",)
EMG = ("rms_uv",)


def analyse(view: InstanceView) -> Analysis:
    """Measure the night in epochs and stage it."""
    about = yield from record(view)
    n_epochs = view.n_epochs or whole_windows(about.duration_sec, EPOCH_SEC)
    chosen = choose(about)
    measured: dict[str, dict[str, Values]] = {}
    n_calls = 2
    for role, features in (("main", MAIN), ("back", BACK), ("eog", EOG), ("emg", EMG)):
        if role not in chosen:
            continue
        plan = Plan(view.record_id, (chosen[role],), features, EPOCH_SEC, 0.0, n_epochs)
        table = yield from windowed(plan)
        n_calls += table.n_calls
        measured[role] = {name: values[0] for name, values in table.values.items()}
    if "main" not in measured or not np.isfinite(measured["main"]["delta_power"]).any():
        return answer(["W"] * n_epochs, "no EEG could be measured; all wake")
    posterior_only = is_posterior(chosen["main"])
    signs = evidence(measured, posterior_only=posterior_only)
    stages = sequence(signs)
    return answer(stages, _reason(stages, signs, chosen, n_calls))


def choose(about: Record) -> dict[str, str]:
    """Return the channel of each role; a role without one is left out."""
    named = [
        (name, kind(name, listed))
        for name, listed in zip(about.channels, about.types, strict=True)
    ]
    eeg = [name for name, found in named if found == "eeg"] or list(about.channels[:1])
    out: dict[str, str] = {}
    if eeg:
        out["main"] = min(eeg, key=front_rank)
        behind = [n for n in eeg if is_posterior(n) and n != out["main"]]
        if behind:
            out["back"] = behind[-1]
    for role in ("eog", "emg"):
        fitting = [name for name, found in named if found == role]
        if fitting:
            out[role] = fitting[0]
    return out


def answer(stages: list[str], why: str) -> JsonObject:
    """Return the hypnogram as runs, and its shares."""
    runs: list[JsonObject] = []
    first = 0
    for i in range(1, len(stages) + 1):
        if i == len(stages) or stages[i] != stages[first]:
            runs.append(
                {"start_epoch": first, "end_epoch": i - 1, "stage": stages[first]}
            )
            first = i
    n = max(1, len(stages))
    return {
        "hypnogram_rle": runs,
        "architecture": {
            "REM_pct": round(stages.count("REM") / n, 4),
            "N3_pct": round(stages.count("N3") / n, 4),
            "sleep_efficiency": round(1 - stages.count("W") / n, 4),
        },
        "rationale": why,
    }


def _reason(
    stages: list[str],
    signs: dict[str, Values],
    chosen: dict[str, str],
    n_calls: int,
) -> str:
    """Say in numbers what the stages rest on."""
    where = ", ".join(f"{role} {name}" for role, name in chosen.items())
    parts = [f"{n_calls} calls on {where}; medians by stage:"]
    labels = np.array(stages)
    for stage in ("W", "N1", "N2", "N3", "REM"):
        inside = labels == stage
        if inside.any():
            figures = " ".join(
                f"{name} {np.nanmedian(values[inside]):+.2f}"
                for name, values in signs.items()
                if np.isfinite(values[inside]).any()
            )
            parts.append(f"{stage} ({int(inside.sum())}) {figures};")
    return " ".join(parts)
