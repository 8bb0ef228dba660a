"""T2: clean, ocular or muscle, of a 2-s segment of one channel.

What is measured: ``compute_temporal_features`` and ``compute_noise_metrics`` of the
whole, and the mean of each eighth. All rules are free of the segment's amplitude.

* Muscle is broad-band from 20 Hz up (Goncharova et al. 2003, Clin Neurophysiol
  114:1580; Muthukumaraswamy 2013, Front Hum Neurosci 7:138): the signal crosses zero
  often, its steps are large against its spread (Hjorth mobility), and density above
  40 Hz is no small part. Two of three signs decide.
* Ocular: blinks and saccades are slow (Croft and Barry 2000, Neurophysiol Clin 30:5):
  mobility falls, and the means of quarter seconds spread about as far as the signal.

Thresholds: development data (eog-klados, yasa REM EOG; biosppy emg.txt 0-50 s and
simulated muscle; clean: eegmat, biosppy eeg), mixed at -7 to +2 dB by the paper's rule,
all at 256 Hz. There the ocular score is right in 87 % of clean and 84 % of ocular.
"""

import math
from itertools import pairwise

import numpy as np

from eegbench.agents import InstanceView
from eegbench.agents.rules.desk import (
    Analysis,
    by_channel,
    call,
    classes,
    finite_median,
    nearest,
    number,
)
from eegbench.records import JsonObject

REFERENCE_RATE_HZ = 256.0
MUSCLE_MOBILITY = 0.6  # of sample steps at 256 Hz; clean 5-95 %: 0.20-0.46
MUSCLE_CROSSINGS_HZ = 42.0  # clean 95 %: 37
MUSCLE_HIGH_SHARE = 0.2  # density above 40 Hz / all; clean 95 %: 0.11
OCULAR_MOBILITY, MOBILITY_SCALE = 0.2, 0.3  # log scale
OCULAR_SLOW, SLOW_SCALE = 0.6, 0.25  # spread of eighths' means / SD, log scale
OCULAR_SCORE = -0.45
N_PIECES = 8


def analyse(view: InstanceView) -> Analysis:
    """Measure the segment and name its artifact."""
    (info,) = yield [call("get_recording_info", view.record_id)]
    rate_hz = number(info.get("sampling_rate"))
    duration = number(info.get("duration_sec"))
    if not math.isfinite(duration):
        duration = number(view.duration_sec)
    edges = np.linspace(0, duration if duration > 0 else 2.0, N_PIECES + 1).round(3)
    answers = yield [
        call("compute_temporal_features", view.record_id),
        call("compute_noise_metrics", view.record_id),
        *(
            call("compute_temporal_features", view.record_id, tmin=a, tmax=b)
            for a, b in pairwise(edges.tolist())
        ),
    ]
    figures = _figures(answers, rate_hz)
    label, why = decide(figures)
    return {
        "classification": nearest(classes(view), label),
        "findings": [f"{key} {value:.3g}" for key, value in figures.items()],
        "rationale": why,
    }


def _figures(answers: list[JsonObject], rate_hz: float) -> dict[str, float]:
    """Return the measured figures, medians over channels."""
    whole, noise, *pieces = answers

    def middle(answer: JsonObject, *keys: str) -> float:
        for key in keys:
            found = finite_median(list(by_channel(answer, key).values()))
            if math.isfinite(found):
                return found
        return math.nan

    means = np.array([middle(piece, "mean_uv", "mean") for piece in pieces])
    spread = middle(whole, "std_uv", "std")
    slow = float(np.nanstd(means) / spread) if spread > 0 else math.nan
    mobility = middle(whole, "hjorth_mobility")
    if math.isfinite(rate_hz) and rate_hz > 0:
        mobility *= rate_hz / REFERENCE_RATE_HZ
    return {
        "mobility": mobility,
        "zero_crossings_hz": middle(whole, "zero_crossing_rate_hz"),
        "hf_noise_ratio": middle(noise, "hf_noise_ratio"),
        "slow_spread": slow,
        "abs_skewness": abs(middle(whole, "skewness")),
    }


def decide(figures: dict[str, float]) -> tuple[str, str]:
    """Return the class and the reason in numbers."""
    signs = [
        figures["mobility"] > MUSCLE_MOBILITY,
        figures["zero_crossings_hz"] > MUSCLE_CROSSINGS_HZ,
        figures["hf_noise_ratio"] > MUSCLE_HIGH_SHARE,
    ]
    score = 0.0
    if figures["mobility"] > 0:
        score -= math.log(figures["mobility"] / OCULAR_MOBILITY) / MOBILITY_SCALE
    if figures["slow_spread"] > 0:
        score += math.log(figures["slow_spread"] / OCULAR_SLOW) / SLOW_SCALE
    said = (
        f"mobility {figures['mobility']:.2f} (muscle above {MUSCLE_MOBILITY}), "
        f"crossings {figures['zero_crossings_hz']:.0f} Hz (above "
        f"{MUSCLE_CROSSINGS_HZ:.0f}), share above 40 Hz "
        f"{figures['hf_noise_ratio']:.2f} (above {MUSCLE_HIGH_SHARE}); "
        f"slow score {score:.2f} (ocular from {OCULAR_SCORE})"
    )
    if sum(signs) >= 2:
        return "muscle", f"{sum(signs)} of 3 signs of muscle: {said}"
    if score >= OCULAR_SCORE:
        return "ocular", f"slow waves lead: {said}"
    return "clean", f"neither fast nor slow excess: {said}"
