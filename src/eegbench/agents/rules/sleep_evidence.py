"""What speaks for a stage, epoch by epoch, and the likeliest course of a night.

Every figure is a log10 ratio, taken against the night's own NREM sleep where people
differ. `EXPECTED` says where each stage lies and how widely: from the AASM manual (slow
waves above 75 uV in N3, spindles in N2, alpha gone in N1, low chin tone and eye
movements in REM), and placed on development data: simulated nights 0 to 35, DREAMS
excerpt 1, SC4001 and SC4011 of wake_10000s, the chin EMG of SC4001. Wake has two
faces, active and quiet.

`STEPS` are chances of the next epoch: staying is likely, N1 is short, N3 is reached
from N2, REM spells are long (transitions as in Kemp and Kamphuisen 1986, Sleep 9:405;
rounded, not fitted). The course is found by the Viterbi algorithm.
"""

from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from eegbench.agents.rules.desk import Values

EPOCH_SEC = 30.0
STATES = ("active wake", "quiet wake", "N1", "N2", "N3", "REM")
STAGE_OF = ("W", "W", "N1", "N2", "N3", "REM")
NREM_STATES = (3, 4)
# figure: (expected, width) in the order of STATES
EXPECTED = MappingProxyType(
    {
        # delta power against deep sleep
        "depth": (
            (-0.9, 0.45),
            (-1.3, 0.3),
            (-1.2, 0.25),
            (-0.6, 0.22),
            (0.0, 0.2),
            (-1.35, 0.22),
        ),
        # sigma / beta against NREM
        "spindle": (
            (-0.45, 0.25),
            (-0.15, 0.4),
            (-0.4, 0.15),
            (0.0, 0.17),
            (0.0, 0.2),
            (-0.4, 0.15),
        ),
        # gamma / beta, as it is and against NREM
        "muscle": (
            (-0.3, 0.3),
            (-0.75, 0.25),
            (-0.85, 0.25),
            (-1.15, 0.35),
            (-1.15, 0.4),
            (-0.95, 0.25),
        ),
        "muscle_rise": (
            (0.7, 0.3),
            (0.3, 0.3),
            (0.2, 0.2),
            (0.0, 0.15),
            (0.0, 0.2),
            (0.15, 0.2),
        ),
        # alpha / theta, behind if there is such a channel, against NREM
        "alpha": (
            (0.28, 0.3),
            (0.78, 0.4),
            (0.0, 0.2),
            (0.0, 0.2),
            (-0.12, 0.25),
            (-0.03, 0.2),
        ),
        # slow against fast: delta and theta over alpha and beta
        "slow": (
            (0.2, 0.4),
            (-0.1, 0.35),
            (0.5, 0.2),
            (0.75, 0.22),
            (1.2, 0.3),
            (0.55, 0.2),
        ),
        # slow power of the EOG / of the EEG, against NREM
        "eye": (
            (1.4, 0.5),
            (0.85, 0.5),
            (1.0, 0.4),
            (0.0, 0.3),
            (-0.05, 0.3),
            (1.1, 0.6),
        ),
        # chin EMG against NREM; in SC4001, by its 1-Hz envelope: wake 0.23 (the rail),
        # N1 0.04, REM -0.77
        "tone": (
            (0.5, 0.35),
            (0.27, 0.2),
            (0.1, 0.18),
            (0.03, 0.17),
            (-0.03, 0.17),
            (-0.3, 0.18),
        ),
        # how peaked, by kurtosis (blinks and movement)
        "peaked": (
            (0.75, 0.3),
            (0.35, 0.25),
            (0.15, 0.25),
            (0.25, 0.3),
            (0.1, 0.2),
            (0.2, 0.25),
        ),
    }
)
# correlated figures count less
WEIGHT = MappingProxyType(
    {
        "depth": 1.0,
        "spindle": 1.0,
        "muscle": 0.5,
        "muscle_rise": 0.5,
        "alpha": 0.7,
        "slow": 0.5,
        "eye": 1.0,
        "tone": 1.0,
        "peaked": 0.5,
    }
)
FARTHEST = 3.0  # widths: one odd figure never decides alone
STEPS = (
    (0.90, 0.07, 0.025, 0.003, 0.0005, 0.001),
    (0.06, 0.85, 0.08, 0.008, 0.0005, 0.002),
    (0.04, 0.05, 0.72, 0.16, 0.001, 0.03),
    (0.008, 0.008, 0.02, 0.91, 0.04, 0.015),
    (0.004, 0.002, 0.004, 0.06, 0.93, 0.0005),
    (0.006, 0.010, 0.015, 0.012, 0.0005, 0.956),
)
FIRST = (0.3, 0.3, 0.1, 0.1, 0.1, 0.1)
# log10 uV2 of delta (1-4 Hz) in deep sleep: 75 uV from peak to peak in 20 % of the
# epoch and more is some 450 uV2; half the amplitude behind (Mourtazaev et al. 1995)
DEEP_FRONT, DEEP_BACK, DEEP_RANGE = 2.65, 2.2, 0.35
DEEP_PERCENTILE = 92
FEWEST_NREM = 6
CALM_PERCENTILE, CALM_RANGE = 10, 0.6  # of the eye figure, to begin with
TONE_RANGE, EYE_RANGE = (-0.45, 0.8), (-0.5, 1.6)
ROUNDS = 3
# Without eyes and chin: N1 is a passage, longer between sleep it is REM (epochs); the
# first REM comes after an hour of sleep and more (Carskadon and Dement), so hardly
# before 20 min of NREM, and an epoch of it costs as much as two odd figures
LONGEST_N1, NREM_BEFORE_REM, EARLY_REM_COST = 12, 40, 2.0


def evidence(
    measured: dict[str, dict[str, Values]], *, posterior_only: bool
) -> dict[str, Values]:
    """Return the figures of every epoch, against the NREM sleep found by three rounds.

    Parameters
    ----------
    measured : dict
        By role ("main", "back", "eog", "emg") the features of every epoch; NaN where
        there is none.
    posterior_only : bool
        The main derivation lies behind, where slow waves are smaller.
    """
    plain = _plain(measured)
    deep = DEEP_BACK if posterior_only else DEEP_FRONT
    muscle = np.nan_to_num(plain["muscle"], nan=-1.0)
    nrem = (muscle < -0.55) & (plain["slow"] > 0.4) & (plain["sigma"] > -0.25)
    nrem &= plain["delta"] > deep - 1.2
    if "eye" in plain:
        calm = np.nanpercentile(plain["eye"], CALM_PERCENTILE)
        nrem &= plain["eye"] < calm + CALM_RANGE
    signs = _relative(plain, nrem, deep)
    for _ in range(ROUNDS):
        found = np.isin(_course(signs), NREM_STATES)
        if (found == nrem).all():
            break
        nrem = found
        signs = _relative(plain, nrem, deep)
    return signs


def sequence(signs: dict[str, Values]) -> list[str]:
    """Return the stage of every epoch."""
    course = _course(signs)
    if "eye" in signs or "tone" in signs:
        return [STAGE_OF[state] for state in course]
    before = np.cumsum(np.isin(course, NREM_STATES))
    early = before < NREM_BEFORE_REM
    course = _course(signs, no_rem=early)
    return _long_n1_is_rem([STAGE_OF[state] for state in course], early)


def _log(values: Values) -> Values:
    return np.log10(np.maximum(values, 1e-3))


def _plain(measured: dict[str, dict[str, Values]]) -> dict[str, Values]:
    """Return the figures that need no reference."""
    main = measured["main"]
    back = measured.get("back", main)
    power = {name.removesuffix("_power"): values for name, values in main.items()}
    delta, beta = _log(power["delta"]), _log(power["beta"])
    out = {
        "delta": delta,
        "sigma": _log(power["sigma"]) - beta,
        "muscle": _log(power["gamma"]) - beta,
        "alpha": _log(back["alpha_power"]) - _log(back["theta_power"]),
        "slow": _log(power["delta"] + power["theta"])
        - _log(power["alpha"] + power["beta"]),
        "peaked": np.log10(1 + np.maximum(power["kurtosis"], 0.0)),
    }
    if "eog" in measured:
        out["eye"] = _log(measured["eog"]["delta_power"]) - delta
    if "emg" in measured:
        out["tone"] = _log(measured["emg"]["rms_uv"])
    return {name: v for name, v in out.items() if np.isfinite(v).any() or name in _KEPT}


_KEPT = ("delta", "sigma", "muscle", "slow")


def _relative(
    plain: dict[str, Values], nrem: NDArray[np.bool_], deep: float
) -> dict[str, Values]:
    """Return the figures of `EXPECTED`, some against NREM."""
    top = _percentile(plain["delta"], DEEP_PERCENTILE, nrem, deep)
    reference = min(max(top, deep), deep + DEEP_RANGE)
    signs = {
        "depth": np.clip(plain["delta"] - reference, -2.0, 0.3),
        "spindle": plain["sigma"] - _percentile(plain["sigma"], 50, nrem, 0.05),
        "muscle": plain["muscle"],
        "muscle_rise": plain["muscle"] - _percentile(plain["muscle"], 50, nrem, -1.1),
        "slow": plain["slow"],
    }
    if "peaked" in plain:
        signs["peaked"] = plain["peaked"]
    if "alpha" in plain:
        signs["alpha"] = plain["alpha"] - _percentile(plain["alpha"], 50, nrem, -0.38)
    if "eye" in plain:
        still = _percentile(plain["eye"], 50, nrem, -0.65)
        signs["eye"] = np.clip(plain["eye"] - still, *EYE_RANGE)
    if "tone" in plain:
        everywhere = np.ones(len(nrem), dtype=np.bool_)
        low = _percentile(plain["tone"], 20, everywhere, 0.0)
        usual = _percentile(plain["tone"], 50, nrem, low)
        signs["tone"] = np.clip(plain["tone"] - usual, *TONE_RANGE)
    return signs


def _percentile(
    values: Values, percent: float, where: NDArray[np.bool_], otherwise: float
) -> float:
    chosen = values[where & np.isfinite(values)]
    if chosen.size < FEWEST_NREM:
        return otherwise
    return float(np.percentile(chosen, percent))


def _scores(signs: dict[str, Values]) -> Values:
    """Return how well each state fits each epoch: float64 (n_epochs, n_states)."""
    n_epochs = len(signs["depth"])
    scores = np.zeros((n_epochs, len(STATES)))
    for name, values in signs.items():
        for state, (expected, width) in enumerate(EXPECTED[name]):
            distance = np.minimum(np.abs((values - expected) / width), FARTHEST)
            fit = -0.5 * distance**2 - np.log(width)
            scores[:, state] += WEIGHT[name] * np.where(np.isfinite(fit), fit, 0.0)
    return scores


def _course(
    signs: dict[str, Values], no_rem: NDArray[np.bool_] | None = None
) -> NDArray[np.intp]:
    """Return the likeliest sequence of states (Viterbi)."""
    scores = _scores(signs)
    if no_rem is not None:
        scores[no_rem, STATES.index("REM")] -= EARLY_REM_COST
    n_epochs = len(scores)
    steps = np.log(np.array(STEPS))
    best = scores[0] + np.log(np.array(FIRST))
    came_from = np.zeros(scores.shape, dtype=np.intp)
    for i in range(1, n_epochs):
        candidates = best[:, None] + steps
        came_from[i] = candidates.argmax(axis=0)
        best = candidates.max(axis=0) + scores[i]
    path = np.zeros(n_epochs, dtype=np.intp)
    path[-1] = best.argmax()
    for i in range(n_epochs - 1, 0, -1):
        path[i - 1] = came_from[i, path[i]]
    return path


def _long_n1_is_rem(stages: list[str], early: NDArray[np.bool_]) -> list[str]:
    """Call long N1 that follows sleep REM: without eyes and chin the two look alike."""
    out = list(stages)
    start = 0
    for i in range(1, len(stages) + 1):
        if i < len(stages) and stages[i] == stages[start]:
            continue
        after_sleep = start > 0 and stages[start - 1] in ("N2", "N3", "REM")
        long = i - start >= LONGEST_N1 and not early[start]
        if stages[start] == "N1" and long and after_sleep:
            out[start:i] = ["REM"] * (i - start)
        start = i
    return out
