"""A recording as an MNE `RawArray`: the way out of eegcore."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from eegcore.errors import ArgumentError
from eegcore.source import Annotation, Channel
from eegcore.timeline import Segment

_TO_MNE = {"eeg", "eog", "ecg", "emg", "resp", "stim"}


class Exportable(Protocol):
    """What is needed of a recording: all of it is in `eegcore.recording.Recording`."""

    channels: tuple[Channel, ...]
    names: tuple[str, ...]
    bads: tuple[str, ...]

    @property
    def duration_sec(self) -> float:
        """End of the last segment."""

    @property
    def segments(self) -> tuple[Segment, ...]:
        """Stretches without a gap."""

    @property
    def annotations_from_first_sample(self) -> tuple[Annotation, ...]:
        """Events."""

    def read(
        self,
        channels: str | Sequence[str] | None = None,
        start_sec: float = 0.0,
        stop_sec: float | None = None,
    ) -> NDArray[np.float64]:
        """Values, (n_channels, n_samples)."""


def to_mne(recording: Exportable) -> Any:
    """Make an MNE `RawArray` of a recording, in volts, with types and annotations.

    Gaps are NaN and marked "BAD_gap". All channels must have one rate.

    Raises
    ------
    RateError
        Channels of different rates.
    ArgumentError
        A recording without channels or samples.
    """
    import mne

    if not recording.channels or recording.duration_sec == 0:
        raise ArgumentError("a recording without samples cannot go to MNE")
    values = recording.read(recording.names)
    for row, channel in enumerate(recording.channels):
        if channel.to_uv is not None:
            values[row] *= 1e-6
    kinds = [c.kind if c.kind in _TO_MNE else "misc" for c in recording.channels]
    info = mne.create_info(
        list(recording.names), recording.channels[0].rate_hz, kinds, verbose="ERROR"
    )
    info["bads"] = [name for name in recording.bads if name in recording.names]
    raw = mne.io.RawArray(values, info, verbose="ERROR")
    events = [
        (event.onset_sec, event.duration_sec or 0.0, event.text)
        for event in recording.annotations_from_first_sample
    ]
    events += [
        (before.stop_sec, after.start_sec - before.stop_sec, "BAD_gap")
        for before, after in pairwise(recording.segments)
    ]
    if events:
        onsets, durations, texts = zip(*events, strict=True)
        raw.set_annotations(mne.Annotations(onsets, durations, texts), verbose="ERROR")
    return raw
