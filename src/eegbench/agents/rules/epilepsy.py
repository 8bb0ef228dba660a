"""T3: normal background or epileptic activity, of a 23.6-s segment.

What is measured: ``compute_band_power`` and ``compute_temporal_features`` of the whole.

A seizure is a large, rhythmic discharge of 2.5 to 8 Hz (Andrzejak et al. 2001, Phys Rev
E 64:061907, Fig. 2; Hirsch et al. 2021, ACNS). Power from 1 to 8 Hz of normal scalp EEG
in the 106 development segments (of Z and O, none of the release's 188) has a
geometric mean of 668 uV2 and a log SD of 0.48; the largest lies 1.8 SD above it, the
six ictal development segments at 6 to 12.5. The threshold stands at 3.5 SD; between 2.5
and 3.5 SD slow power must also exceed alpha, since eyes-closed alpha, however large, is
no seizure and leaks a little below 8 Hz.
"""

import math

from eegbench.agents import InstanceView
from eegbench.agents.rules.desk import (
    Analysis,
    by_channel,
    call,
    classes,
    finite_median,
    nearest,
)

SLOW_MEAN_UV2, SLOW_LOG_SD = 668.0, 0.48
CERTAIN_SD, POSSIBLE_SD = 3.5, 2.5
SLOW_OVER_ALPHA = 1.2
POWER = "absolute_power_uv2"


def analyse(view: InstanceView) -> Analysis:
    """Measure the segment and call it normal or epileptic."""
    power, shape = yield [
        call("compute_band_power", view.record_id),
        call("compute_temporal_features", view.record_id),
    ]
    delta, theta, alpha = (
        finite_median(list(by_channel(power, POWER, band).values()))
        for band in ("delta", "theta", "alpha")
    )
    length = finite_median(list(by_channel(shape, "line_length_uv_s").values()))
    slow = delta + theta
    z = math.log(slow / SLOW_MEAN_UV2) / SLOW_LOG_SD if slow > 0 else -math.inf
    over_alpha = slow / alpha if alpha > 0 else math.inf
    certain = z >= CERTAIN_SD
    possible = z >= POSSIBLE_SD and over_alpha >= SLOW_OVER_ALPHA
    label = "epileptic" if certain or possible else "normal"
    if certain:
        reason = f"at least {CERTAIN_SD} SD above normal background"
    elif possible:
        reason = f"{POSSIBLE_SD} to {CERTAIN_SD} SD above it and slower than alpha"
    else:
        reason = "within the range of normal background"
    return {
        "classification": nearest(classes(view), label),
        "findings": [
            f"delta {delta:.4g} uV2",
            f"theta {theta:.4g} uV2",
            f"alpha {alpha:.4g} uV2",
            f"line length {length:.4g} uV/s",
        ],
        "rationale": f"power from 1 to 8 Hz is {slow:.4g} uV2, {z:.1f} SD from normal "
        f"background: {reason}; slow/alpha {over_alpha:.2f}",
    }
