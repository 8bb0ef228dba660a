"""Samples of one channel, in the unit that measuring wants.

The seam below every measurement: functions named `..._of` take a recording, a channel
and a range of stored samples, get values here and hand them to the array functions of
their module. A kernel that reads the stored integers itself replaces both at once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eegcore.recording import Recording

_VOLTS_PER_UV = 1e-6


class Samples(NamedTuple):
    """Values of one channel.

    Attributes
    ----------
    values : ndarray, float64, (n_samples,)
    to_shown : float
        Factor from `values` to the unit that answers use: uV, or the channel's own.
    rate_hz : float
    """

    values: NDArray[np.float64]
    to_shown: float
    rate_hz: float


def samples_of(
    recording: Recording,
    channel_index: int,
    start: int,
    stop: int,
    *,
    as_volts: bool = False,
) -> Samples:
    """Return stored samples start..stop-1 of one channel.

    Parameters
    ----------
    as_volts : bool
        Compute in volts, and take a unit that is no voltage for volts, as the
        published release does (dialect `paper-1.0`). Matters beyond such units only
        where an answer consists of rounding noise.
    """
    channel = recording.channels[channel_index]
    values = recording.read_samples(channel_index, start, stop)
    if not as_volts:
        return Samples(values, 1.0, channel.rate_hz)
    if channel.to_uv is not None:
        values *= _VOLTS_PER_UV
    return Samples(values, 1.0 / _VOLTS_PER_UV, channel.rate_hz)
