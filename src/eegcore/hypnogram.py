"""Stage sequences of a night: names, runs, the wire form, architecture.

A hypnogram is an int8 array with one code per epoch: the index into `STAGES`, or
`UNSCORED`. The inclusive epoch numbers of the wire form (``start_epoch``,
``end_epoch``) exist only here; everything else counts half-open. numpy only.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

STAGES: Final = ("W", "N1", "N2", "N3", "REM")
W, N1, N2, N3, REM = range(5)
UNSCORED: Final = -1
EPOCH_SEC: Final = 30.0

Codes = NDArray[np.int8]

_SCORED_NAMES = {
    W: ("w", "wake", "awake", "wakefulness", "0"),
    N1: ("n1", "s1", "nrem1", "nrem 1", "nrem-1", "1"),
    N2: ("n2", "s2", "nrem2", "nrem 2", "nrem-2", "2"),
    N3: ("n3", "s3", "nrem3", "nrem 3", "nrem-3", "3", "sws"),
    REM: ("rem", "r", "5"),
}
_STAGE_4_NAMES = ("s4", "nrem4", "nrem 4", "nrem-4", "4")
STAGE_NAMES: Final = {
    name: code for code, names in _SCORED_NAMES.items() for name in names
} | dict.fromkeys(_STAGE_4_NAMES, N3)
"""Every spelling of a scored stage, lower case; stage 4 of Rechtschaffen and Kales is
N3, numbers are their codes (0 wake to 5 REM). Complete; ``n4`` does not exist."""
UNSCORED_NAMES: Final = frozenset(
    {"?", "movement time", "movement", "mt", "m", "unscored", "unknown", "u"}
)
_PREFIXES = ("nrem stage ", "sleep stage ", "sleep_stage_", "stage ", "stage_", "stage")


class Run(NamedTuple):
    """Successive epochs of one stage: [start, stop) and their code."""

    start: int
    stop: int
    code: int


class WireSegment(TypedDict):
    """A run as agents and the release write it: both ends inclusive."""

    start_epoch: int
    end_epoch: int
    stage: str | None


@dataclass(frozen=True, slots=True)
class Architecture:
    """Summary of a night; a value is None where it has nothing to divide by.

    Notes
    -----
    Minutes and percentages follow the AASM manual: total sleep time (TST) is the time
    in N1, N2, N3 and REM; sleep efficiency is TST / recording time; sleep latency is
    the time to the first epoch of any sleep; REM latency is the time from there to the
    first REM epoch; wake after sleep onset (WASO) counts wake from the first sleep
    epoch to the end of the recording. Stage percentages are of TST. Unscored epochs
    are part of the recording time and of nothing else.

    References
    ----------
    AASM Manual for the Scoring of Sleep and Associated Events, parameters to be
    reported.
    """

    n_epochs: int
    n_scored: int
    recording_time_min: float
    total_sleep_time_min: float
    sleep_efficiency_pct: float | None
    sleep_latency_min: float | None
    rem_latency_min: float | None
    wake_after_sleep_onset_min: float | None
    stage_min: dict[str, float]
    stage_pct_of_sleep: dict[str, float | None]


class Shares(NamedTuple):
    """The three numbers of a T6 answer, as shares of the scored epochs.

    Notes
    -----
    The benchmark divides by all epochs of the recording, wake included, and not by the
    time asleep as the AASM does: `rem` and `n3` are smaller than AASM percentages.
    """

    rem: float | None
    n3: float | None
    sleep_efficiency: float | None


def stage_code(name: object) -> int | None:
    """Return the code of a stage name or number.

    Parameters
    ----------
    name
        AASM or R&K name in any case (``N2``, ``Sleep stage 2``, ``S4``, ``R``), or an
        R&K number.

    Returns
    -------
    int or None
        0 to 4, `UNSCORED` for movement time and ``?``, None for anything else.
    """
    if isinstance(name, bool) or not isinstance(name, str | int | np.integer):
        return None
    try:
        text = " ".join(str(name).lower().split())
    except ValueError:  # an integer with more digits than Python writes
        return None
    for prefix in _PREFIXES:
        if text.startswith(prefix):
            text = text.removeprefix(prefix).strip()
            break
    if text in UNSCORED_NAMES:
        return UNSCORED
    return STAGE_NAMES.get(text)


def encode(stages: Iterable[object]) -> Codes:
    """Return the codes of a sequence of names; None is unscored.

    Raises
    ------
    ValueError
        A name that is no stage.
    """
    codes = []
    for epoch, name in enumerate(stages):
        code = UNSCORED if name is None else stage_code(name)
        if code is None:
            known = ", ".join(STAGES)
            raise ValueError(
                f"unknown stage {str(name)[:40]!r} at epoch {epoch}; known: {known}"
            )
        codes.append(code)
    return np.array(codes, dtype=np.int8)


def decode(codes: Codes) -> list[str | None]:
    """Return the names of a sequence of codes; None for unscored epochs."""
    return [STAGES[code] if code >= 0 else None for code in codes.tolist()]


def runs(codes: Codes) -> list[Run]:
    """Return the runs of equal codes, in order; none for an empty night."""
    if codes.size == 0:
        return []
    edges = np.flatnonzero(np.diff(codes)) + 1
    starts = [0, *edges.tolist()]
    stops = [*edges.tolist(), int(codes.size)]
    return [
        Run(start, stop, int(codes[start]))
        for start, stop in zip(starts, stops, strict=True)
    ]


def to_wire(codes: Codes) -> list[WireSegment]:
    """Return the run-length form with inclusive ends."""
    return [
        {
            "start_epoch": run.start,
            "end_epoch": run.stop - 1,
            "stage": STAGES[run.code] if run.code >= 0 else None,
        }
        for run in runs(codes)
    ]


def from_wire(segments: Sequence[WireSegment], *, n_epochs: int) -> Codes:
    """Expand a well-formed run-length form; what no segment covers is unscored.

    Raises
    ------
    ValueError
        A segment outside 0 to ``n_epochs - 1``, reversed, or of no known stage.
        (Answers of agents are read by `eegbench.scoring.hypnogram` instead.)
    """
    codes = np.full(n_epochs, UNSCORED, dtype=np.int8)
    for segment in segments:
        start, end = segment["start_epoch"], segment["end_epoch"]
        if not 0 <= start <= end < n_epochs:
            raise ValueError(
                f"segment {start} to {end} does not fit a night of epochs 0 to "
                f"{n_epochs - 1}"
            )
        write_segment(codes, start, end, encode([segment["stage"]])[0])
    return codes


def write_segment(codes: Codes, start_epoch: int, end_epoch: int, code: int) -> None:
    """Set epochs ``start_epoch`` to ``end_epoch``, itself included, cut to the night.

    A negative start is not counted from the end; nothing is written where the end
    lies before the start or both lie outside.
    """
    codes[max(start_epoch, 0) : max(end_epoch + 1, 0)] = code


def shares(codes: Codes) -> Shares:
    """Return the T6 shares of a hypnogram: epochs in a state / scored epochs."""
    counts = _counts(codes)
    n_scored = int(counts.sum())
    if n_scored == 0:
        return Shares(None, None, None)
    return Shares(
        rem=float(counts[REM] / n_scored),
        n3=float(counts[N3] / n_scored),
        sleep_efficiency=float((n_scored - counts[W]) / n_scored),
    )


def architecture(codes: Codes, *, epoch_sec: float = EPOCH_SEC) -> Architecture:
    """Return the architecture of a night by the definitions of `Architecture`.

    Parameters
    ----------
    codes
        int8, shape (n_epochs,).
    epoch_sec
        Length of an epoch.
    """
    counts = _counts(codes)
    minutes = epoch_sec / 60
    n_sleep = int(counts[N1:].sum())
    asleep = np.flatnonzero(codes > W)
    onset = int(asleep[0]) if asleep.size else None
    rem_epochs = np.flatnonzero(codes == REM)
    first_rem = int(rem_epochs[0]) if rem_epochs.size else None
    return Architecture(
        n_epochs=int(codes.size),
        n_scored=int(counts.sum()),
        recording_time_min=codes.size * minutes,
        total_sleep_time_min=n_sleep * minutes,
        sleep_efficiency_pct=100 * n_sleep / codes.size if codes.size else None,
        sleep_latency_min=None if onset is None else onset * minutes,
        rem_latency_min=(
            None
            if onset is None or first_rem is None
            else (first_rem - onset) * minutes
        ),
        wake_after_sleep_onset_min=(
            None if onset is None else int(np.sum(codes[onset:] == W)) * minutes
        ),
        stage_min={
            name: int(count) * minutes
            for name, count in zip(STAGES, counts, strict=True)
        },
        stage_pct_of_sleep={
            name: 100 * int(count) / n_sleep if n_sleep else None
            for name, count in zip(STAGES[N1:], counts[N1:], strict=True)
        },
    )


def _counts(codes: Codes) -> NDArray[np.int64]:
    """Epochs per stage; unscored ones are not counted."""
    return np.bincount(codes[codes >= 0], minlength=len(STAGES)).astype(np.int64)
