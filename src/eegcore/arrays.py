"""Numbers in memory (or in a mapped .npy file) as a Recording."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eegcore.channel_names import unique_names
from eegcore.errors import ArgumentError
from eegcore.montage import Kind, channel_kinds, common_reference
from eegcore.recording import Recording
from eegcore.source import Annotation, Channel, Source
from eegcore.store import Encoding, SampleStore
from eegcore.timeline import Segment, Timeline
from eegcore.units import unit_and_factor

_NAN = float("nan")


class ArrayLoader(NamedTuple):
    """Hands out what is in memory already."""

    store: SampleStore
    timeline: Timeline
    events: tuple[Annotation, ...] = ()

    @property
    def encoding(self) -> Encoding:
        """How samples are stored."""
        return self.store.encoding

    def load_store(self) -> SampleStore:
        """Return the samples."""
        return self.store

    def load_timeline(self) -> tuple[Timeline, tuple[str, ...]]:
        """One segment from zero to the end."""
        return self.timeline, ()

    def load_annotations(self) -> tuple[tuple[Annotation, ...], tuple[str, ...]]:
        """Return the events given at the start."""
        return self.events, ()


def from_array(
    data: ArrayLike,
    rate_hz: float,
    channel_names: Sequence[str] | None = None,
    unit: str = "uV",
) -> Recording:
    """Make a recording of an array.

    Parameters
    ----------
    data : array, (n_samples,) or (n_channels, n_samples)
        Values in `unit`; float64 in one block is used as it is, without a copy.
    rate_hz : float
    channel_names : sequence of str, optional
        "EEG" for one channel, "EEG 1", "EEG 2" and so on for more if not given.
    unit : str
        "uV", "mV", "V", "nV" in any spelling, or the text of another unit.

    Raises
    ------
    ArgumentError
        Not numbers, more than two axes, a rate that is not above 0, or names
        that do not fit the number of channels.
    """
    return array_recording(data, rate_hz, channel_names, unit, format_name="array")


def array_recording(
    data: ArrayLike,
    rate_hz: float,
    channel_names: Sequence[str] | None,
    unit: str,
    **facts: Any,
) -> Recording:
    """As `from_array`, with further facts of the source."""
    values = _checked(data)
    rate_hz = _checked_rate(rate_hz)
    labels = _labels(channel_names, values.shape)
    shown, to_uv = unit_and_factor(unit)
    units = [(shown, to_uv)] * len(labels)
    kinds = channel_kinds(labels, [shown] * len(labels))
    warnings: tuple[str, ...] = ()
    if len(labels) > max(values.shape[1], 1):
        warnings = (
            f"more channels ({len(labels)}) than samples ({values.shape[1]}); "
            "an array is (channels, samples)",
        )
    return values_recording(
        values, rate_hz, labels, units, kinds=kinds, warnings=warnings, **facts
    )


def values_recording(
    values: NDArray[Any],
    rate_hz: float,
    labels: Sequence[str],
    units: Sequence[tuple[str, float | None]],
    *,
    kinds: Sequence[Kind],
    format_name: str,
    edges: tuple[float | None, float | None] = (None, None),
    events: tuple[Annotation, ...] = (),
    **facts: Any,
) -> Recording:
    """Recording over a (n_channels, n_samples) array whose facts are checked."""
    n_channels, n = values.shape
    stored = np.ascontiguousarray(values, dtype=np.float64).reshape(-1).view()
    stored.flags.writeable = False
    channels = tuple(
        Channel(
            name=name,
            label=label,
            kind=kind,
            rate_hz=rate_hz,
            n_samples=n,
            unit=unit,
            to_uv=to_uv,
            gain=1.0,
            offset=0.0,
            digital_min=_NAN,
            digital_max=_NAN,
            physical_min=_NAN,
            physical_max=_NAN,
            highpass_hz=edges[0],
            lowpass_hz=edges[1],
            prefilter="",
            transducer="",
        )
        for name, label, kind, (unit, to_uv) in zip(
            unique_names(labels), labels, kinds, units, strict=True
        )
    )
    store = SampleStore(
        data=stored,
        encoding="float64",
        record_stride=n_channels * n,
        offsets=np.arange(n_channels, dtype=np.int64) * n,
        samples_per_record=np.full(n_channels, n, dtype=np.int64),
        n_records=1,
    )
    duration_sec = n / rate_hz
    segments = (Segment(0.0, duration_sec),) if n else ()
    facts.setdefault(
        "reference", common_reference([c.label for c in channels if c.kind == "eeg"])
    )
    source = Source(
        format=format_name,
        channels=channels,
        record_duration_sec=duration_sec,
        n_records=1,
        continuous=True,
        loader=ArrayLoader(store, Timeline(segments, 0.0, None), events),
        **facts,
    )
    return Recording(source)


def _checked(data: ArrayLike) -> NDArray[Any]:
    values = np.asanyarray(data)
    if values.dtype.kind not in "fiub":
        raise ArgumentError(f"data of type {values.dtype}; real numbers are needed")
    if values.ndim not in (1, 2):
        raise ArgumentError(
            f"data of shape {values.shape}; (samples,) or (channels, samples) is needed"
        )
    values = values[np.newaxis] if values.ndim == 1 else values
    if values.shape[0] == 0:
        raise ArgumentError("data without a channel; at least one is needed")
    return values


def _checked_rate(rate_hz: float) -> float:
    if not isinstance(rate_hz, int | float | np.number) or not (
        0.0 < float(rate_hz) < float("inf")
    ):
        raise ArgumentError(f"rate_hz is {rate_hz!r}; a number above 0 is needed")
    return float(rate_hz)


def _labels(channel_names: Sequence[str] | None, shape: tuple[int, ...]) -> list[str]:
    n_channels = shape[0]
    if channel_names is None:
        if n_channels == 1:
            return ["EEG"]
        return [f"EEG {number}" for number in range(1, n_channels + 1)]
    if isinstance(channel_names, str):
        channel_names = [channel_names]
    if len(channel_names) != n_channels:
        raise ArgumentError(
            f"{len(channel_names)} channel names for data of {n_channels} channels "
            f"x {shape[1]} samples"
        )
    return [str(name).strip() for name in channel_names]
