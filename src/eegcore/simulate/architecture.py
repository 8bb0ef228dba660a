"""The course of a simulated night: which stage each 30-s epoch is in."""

import numpy as np

from eegcore.errors import ArgumentError
from eegcore.simulate import parameters as par

SHORTEST_SEC = 300.0


def course(
    rng: np.random.Generator,
    duration_sec: float,
    *,
    sleep_sec: float | None = None,
    age: int = 35,
) -> list[str]:
    """Return the stage of every epoch: wake, cycles of sleep, wake.

    Parameters
    ----------
    duration_sec : float
        Whole recording; at least 300 s. Parts of an epoch are dropped.
    sleep_sec : float, optional
        From sleep onset to the last awakening. Default: drawn from 6.2 to 8.2 h,
        at most 0.88 of the recording. A short period holds shorter cycles, at
        least two of them, so that every stage appears.
    age : int
        Older sleepers have less N3.
    """
    if duration_sec < SHORTEST_SEC:
        raise ArgumentError(
            f"duration_sec is {duration_sec}; at least {SHORTEST_SEC:g} is allowed"
        )
    n_epochs = int(duration_sec // par.EPOCH_SEC)
    drawn = rng.uniform(*par.SLEEP_SEC) if sleep_sec is None else sleep_sec
    n_sleep = int(min(drawn, 0.88 * duration_sec) // par.EPOCH_SEC)
    n_before = round((n_epochs - n_sleep) * rng.uniform(0.55, 0.75))
    cycle_sec = min(rng.uniform(*par.CYCLE_SEC), n_sleep * par.EPOCH_SEC / 2)
    n_cycles = max(2, round(n_sleep * par.EPOCH_SEC / cycle_sec))
    edges = np.linspace(0, n_sleep, n_cycles + 1).round().astype(int)
    sleep: list[str] = []
    for i in range(n_cycles):
        sleep += _cycle(rng, int(edges[i + 1] - edges[i]), i, n_cycles, age)
    sleep = _with_awakenings(rng, sleep)
    return ["W"] * n_before + sleep + ["W"] * (n_epochs - n_before - n_sleep)


def _cycle(
    rng: np.random.Generator, n_epochs: int, index: int, n_cycles: int, age: int
) -> list[str]:
    """Return N1, N2, N3, N2, REM of one cycle, with lightening inside N3."""
    column = min(7, round(index * 4 / max(1, n_cycles - 1))) if n_cycles < 5 else index
    youth = float(np.clip(1 - par.N3_LOSS_PER_YEAR * (age - 25), 0.4, 1.1))
    share_n3 = par.N3_SHARE_BY_CYCLE[min(column, 7)] * youth * rng.uniform(0.8, 1.2)
    share_rem = par.REM_SHARE_BY_CYCLE[min(column, 7)] * rng.uniform(0.8, 1.2)
    n_n3, n_rem = round(share_n3 * n_epochs), max(2, round(share_rem * n_epochs))
    scale = min(1.0, n_epochs * par.EPOCH_SEC / par.CYCLE_SEC[0])
    n_n1 = max(1, round(rng.uniform(*par.N1_MINUTES) * 2 * scale))
    n_n2 = max(1, n_epochs - n_n1 - n_n3 - n_rem)
    n_first = max(1, round(n_n2 * rng.uniform(0.35, 0.6)))
    deep = ["N3"] * n_n3
    for place in range(8, n_n3 - 4, 9):  # short returns to N2
        if rng.random() < 0.5:
            deep[place] = "N2"
    stages = ["N1"] * n_n1 + ["N2"] * n_first + deep + ["N2"] * (n_n2 - n_first)
    return (stages + ["REM"] * n_epochs)[: n_epochs - n_rem] + ["REM"] * min(
        n_rem, n_epochs
    )


def _with_awakenings(rng: np.random.Generator, stages: list[str]) -> list[str]:
    """Set short awakenings, followed by N1, into sleep (mostly into N2 and REM)."""
    stages = list(stages)
    hours = len(stages) * par.EPOCH_SEC / 3600
    count = rng.poisson(rng.uniform(*par.AWAKENINGS_PER_HOUR) * hours)
    for place in rng.integers(0, max(1, len(stages)), count):
        if stages[place] == "N3" and rng.random() < 0.8:
            continue
        n_wake = int(rng.integers(par.AWAKENING_EPOCHS[0], par.AWAKENING_EPOCHS[1] + 1))
        n_light = int(rng.integers(1, 4))
        for i in range(int(place), min(int(place) + n_wake, len(stages))):
            stages[i] = "W"
        stop = int(place) + n_wake
        for i in range(stop, min(stop + n_light, len(stages))):
            stages[i] = "N1"
    return stages


def states(rng: np.random.Generator, stages: list[str]) -> list[str]:
    """Split wake into "open" and "closed" eyes; other stages stay as they are.

    Long wake (a day with electrodes on) is open with closed spells; wake just
    before sleep and within the night is mostly closed.
    """
    asleep = [i for i, stage in enumerate(stages) if stage != "W"]
    first, last = (asleep[0], asleep[-1]) if asleep else (len(stages), -1)
    out: list[str] = []
    closed = False
    for i, stage in enumerate(stages):
        if stage != "W":
            out.append(stage)
            continue
        near = first - 20 <= i <= last + 4
        chance = 0.7 if near else 0.12
        if rng.random() < 0.35:  # a spell of one posture lasts about three epochs
            closed = bool(rng.random() < chance)
        out.append("closed" if closed else "open")
    return out
