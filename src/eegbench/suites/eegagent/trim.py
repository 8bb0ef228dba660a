"""Edge-wake trimming of whole nights (T6): which epochs are kept.

The four rules of the source: signal and labels are cut together at data-record
borders; only the wake before sleep and after it is cut; wake inside stays; the wake
that remains should equal the largest of the other four stages. What the source leaves
open is settled here: wake that is kept is shared between the two ends in proportion to
what each has; unscored epochs count as wake when edges are found and wake is counted
(they stay unscored in the reference); the buffer left where the target is out of reach
is ten epochs an end.

References
----------
EEGAgentBench paper, section 6.1, "Edge-wake trimming for T6".
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

EPOCH_SEC = 30
SLEEP = ("N1", "N2", "N3", "REM")
BUFFER_EPOCHS = 10
"""Wake kept at each end where the target is out of reach; our choice, for the source
says "a small wake buffer" and no number."""

Case = Literal["kept whole", "reaches the target", "buffer only", "no sleep"]


class Trim(NamedTuple):
    """Which epochs of a night are kept, half-open, and by which case."""

    start_epoch: int
    stop_epoch: int
    n_epochs: int
    case: Case

    @property
    def n_kept(self) -> int:
        """Epochs kept."""
        return self.stop_epoch - self.start_epoch

    @property
    def cut(self) -> bool:
        """Whether anything is cut off."""
        return self.n_kept < self.n_epochs


def trim_edges(
    stages: Sequence[str | None],
    *,
    record_sec: float = EPOCH_SEC,
    buffer_epochs: int = BUFFER_EPOCHS,
) -> Trim:
    """Find the epochs of a night to keep.

    Parameters
    ----------
    stages : sequence of str or None
        One a 30-s epoch. Everything but N1, N2, N3 and REM counts as wake.
    record_sec : float
        Duration of a data record. Where records are longer than epochs or do not
        divide them, both cuts move outwards to the next common border.
    buffer_epochs : int
        Wake kept at each end where wake inside the night exceeds the target already.

    Returns
    -------
    Trim
        A night without sleep is kept whole.
    """
    n_epochs = len(stages)
    asleep = [epoch for epoch, stage in enumerate(stages) if stage in SLEEP]
    if not asleep:
        return Trim(0, n_epochs, n_epochs, "no sleep")
    first, last = asleep[0], asleep[-1]
    lead, tail = first, n_epochs - 1 - last
    target = max(stages.count(stage) for stage in SLEEP)
    inside = (last - first + 1) - len(asleep)
    keep = target - inside
    if keep >= lead + tail:
        return Trim(0, n_epochs, n_epochs, "kept whole")
    case: Case = "reaches the target"
    if keep >= 0:
        keep_lead = math.floor(keep * lead / (lead + tail) + 0.5)
        keep_tail = keep - keep_lead
    else:
        keep_lead, keep_tail = min(lead, buffer_epochs), min(tail, buffer_epochs)
        case = "buffer only"
    step = border_epochs(record_sec)
    start = (first - keep_lead) // step * step
    stop = min(n_epochs, -(-(last + 1 + keep_tail) // step) * step)
    return Trim(start, stop, n_epochs, case)


def border_epochs(record_sec: float) -> int:
    """Epochs from one common border of epochs and data records to the next.

    Durations are taken to the millisecond; 30 s, 10 s and 1 s give 1, 60 s gives 2.
    """
    record_ms = round(record_sec * 1000)
    if record_ms <= 0:
        return 1
    epoch_ms = EPOCH_SEC * 1000
    return math.lcm(record_ms, epoch_ms) // epoch_ms
