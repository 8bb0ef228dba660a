"""T4: cohort of an eyes-closed resting EEG: AD, FTD or healthy (HC).

What is measured: ``compute_band_power`` of the whole and ``compute_psd``.

Four signs of slowing, each about -1 for healthy and +1 for Alzheimer's disease:
theta's share behind, theta/alpha behind, the peak of alpha behind, and alpha in front
against behind (Jeong 2004, Clin Neurophysiol 115:1490; Nishida et al. 2011, Clin
Neurophysiol 122:1718). Places and scales: ad-florida, AD 1-39 and healthy 1-4. Theta's
share behind is 0.17 to 0.52 in AD there and 0.07 to 0.13 in the four healthy.

Age: the alpha peak falls about 0.05 Hz a year after 60 (Scally et al. 2018, Neurobiol
Aging 71:149), which shifts what is expected.

FTD, only if it is among the classes: slowing between healthy and AD, slow activity in
front, a peak of alpha of 8.5 Hz and more (Nishida et al. 2011; Miltiadous et al. 2023,
Data 8:95). A rule from the literature, never tested on signals of FTD.
"""

import math
from collections.abc import Mapping, Sequence

from eegbench.agents import InstanceView
from eegbench.agents.rules.channels import electrodes
from eegbench.agents.rules.desk import (
    Analysis,
    by_channel,
    call,
    classes,
    finite_median,
    number,
    record,
)
from eegbench.records import JsonObject

THETA_SHARE, THETA_SHARE_SCALE = 0.17, 0.35
THETA_ALPHA, THETA_ALPHA_SCALE = 0.6, 0.8
PEAK_HZ, PEAK_SCALE_HZ = 8.7, 1.2
FRONT_BACK, FRONT_BACK_SCALE = 0.3, 0.6
WEIGHTS = {"theta_share": 1.5, "theta_alpha": 1.0, "peak": 0.5, "front_back": 0.75}
REFERENCE_AGE, PEAK_PER_YEAR_HZ = 67.0, 0.05
FTD_SCORE = (-0.5, 0.9)
FTD_THETA_FRONT, FTD_PEAK_HZ = 1.15, 8.5
POWER = "absolute_power_uv2"
BANDS = ("delta", "theta", "alpha", "beta", "gamma")


def analyse(view: InstanceView) -> Analysis:
    """Measure slowing and name the cohort."""
    about = yield from record(view)
    power, density = yield [
        call("compute_band_power", view.record_id),
        call("compute_psd", view.record_id, fmin=1, fmax=30),
    ]
    signs, figures = slowing(power, density, about.age)
    score = sum(WEIGHTS[key] * signs[key] for key in signs)
    total = sum(WEIGHTS[key] for key in signs)
    score = score / total if total else 0.0
    allowed = classes(view)
    label = "AD" if score > 0 else "HC"
    frontal = figures["theta_front_back"]
    between = FTD_SCORE[0] < score < FTD_SCORE[1]
    kept = figures["alpha_peak_hz"] >= FTD_PEAK_HZ
    may = not allowed or "FTD" in allowed
    if may and between and kept and frontal >= FTD_THETA_FRONT:
        label = "FTD"
    said = ", ".join(f"{key} {value:+.2f}" for key, value in signs.items())
    return {
        "classification": label if not allowed or label in allowed else allowed[0],
        "findings": [f"{key} {value:.3g}" for key, value in figures.items()],
        "rationale": f"slowing score {score:.2f} (healthy below 0, AD above) from "
        f"{said}; theta front/back {frontal:.2f} (FTD if from {FTD_THETA_FRONT} with a "
        f"score of {FTD_SCORE[0]} to {FTD_SCORE[1]})",
    }


def slowing(
    power: JsonObject, density: JsonObject, age: float | None
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the signs (about -1 healthy, +1 AD) and the figures behind them."""
    bands = {band: by_channel(power, POWER, band) for band in BANDS}
    names = list(bands["theta"])
    back = [n for n in names if _row(n) in ("O", "P", "T5", "T6")] or names
    occipital = [n for n in names if _row(n) in ("O", "P")] or back
    front = [n for n in names if _row(n) == "F"] or names

    def mean(values: Mapping[str, float], where: Sequence[str]) -> float:
        found = [values[n] for n in where if math.isfinite(values.get(n, math.nan))]
        return sum(found) / len(found) if found else math.nan

    total = sum(mean(bands[band], back) for band in BANDS)
    theta, alpha = mean(bands["theta"], back), mean(bands["alpha"], back)
    peaks = by_channel(density, "alpha_peak_freq_hz")
    peak = finite_median([peaks.get(n, math.nan) for n in occipital])
    if not math.isfinite(peak):
        peak = number(density.get("global_alpha_peak_hz"))
    expected = PEAK_HZ
    if age is not None:
        expected -= PEAK_PER_YEAR_HZ * max(-15.0, min(15.0, age - REFERENCE_AGE))
    figures = {
        "theta_share": theta / total if total > 0 else math.nan,
        "theta_alpha": theta / alpha if alpha > 0 else math.nan,
        "alpha_peak_hz": peak,
        "alpha_front_back": mean(bands["alpha"], front) / alpha
        if alpha > 0
        else math.nan,
        "theta_front_back": mean(bands["theta"], front) / theta
        if theta > 0
        else math.nan,
        "slow_fast": (theta + mean(bands["delta"], back))
        / (alpha + mean(bands["beta"], back)),
    }
    signs = {
        "theta_share": _log_sign(
            figures["theta_share"], THETA_SHARE, THETA_SHARE_SCALE
        ),
        "theta_alpha": _log_sign(
            figures["theta_alpha"], THETA_ALPHA, THETA_ALPHA_SCALE
        ),
        "peak": _clipped((expected - peak) / PEAK_SCALE_HZ),
        "front_back": _log_sign(
            figures["alpha_front_back"], FRONT_BACK, FRONT_BACK_SCALE
        ),
    }
    return {k: v for k, v in signs.items() if math.isfinite(v)}, figures


def _row(name: str) -> str:
    """Return F, C, T, P, O or the name of T5, T6 (P7, P8)."""
    found = electrodes(name)
    if not found:
        return ""
    if found[0] in ("T5", "T6", "P7", "P8"):
        return {"P7": "T5", "P8": "T6"}.get(found[0], found[0])
    return found[0][0]


def _clipped(value: float) -> float:
    return max(-1.5, min(1.5, value)) if math.isfinite(value) else math.nan


def _log_sign(value: float, place: float, scale: float) -> float:
    return _clipped(math.log(value / place) / scale) if value > 0 else math.nan
