"""A checked call: which recording, which channels, which range of time."""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from eegcore.channel_names import unique_names
from eegcore.montage import clean_label
from eegcore.recording import Recording
from eegcore.tools.compact import Encoding
from eegcore.tools.dialect import Dialect
from eegcore.tools.failures import ToolError, harmless, nearest, quoted, some
from eegcore.tools.labels import safe_label, safe_names
from eegcore.windows import first_sample, truncated_sample

NAME_LIMIT = 40
LEAST_SPECTRAL_SEC = 0.5


@dataclass(frozen=True, eq=False)
class RecordView:
    """A recording as an agent may see it: opaque name, harmless channel names.

    Attributes
    ----------
    record_id : str
    recording : Recording
    dialect : Dialect
    names : tuple of str
        Channel names without control characters and instructions, at most 40
        characters, unique.
    """

    record_id: str
    recording: Recording
    dialect: Dialect
    names: tuple[str, ...] = field(init=False)
    _index: dict[str, int] = field(init=False, repr=False)
    _folded: dict[str, list[int]] = field(init=False, repr=False)
    _largest: dict[int, float] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Make the names and the look-up tables."""
        names = unique_names(safe_names(self.recording.names, NAME_LIMIT))
        folded: dict[str, list[int]] = {}
        for i, (name, channel) in enumerate(
            zip(names, self.recording.channels, strict=True)
        ):
            keys = {"=" + name.casefold(), "~" + clean_label(channel.label)}
            for key in keys | {"=" + harmless(channel.label, NAME_LIMIT).casefold()}:
                folded.setdefault(key, []).append(i)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "_index", {n: i for i, n in enumerate(names)})
        object.__setattr__(self, "_folded", folded)

    @property
    def duration_sec(self) -> float:
        """Time from the first sample to the end of the last one."""
        return self.recording.duration_sec

    def kind(self, channel: int) -> str:
        """Kind of a channel; the release takes every one for EEG."""
        if not self.dialect.own_kinds:
            return "eeg"
        return self.recording.channels[channel].kind

    def unit(self, channel: int) -> str | None:
        """Return unit of a channel that is no voltage; None: answers are in uV."""
        facts = self.recording.channels[channel]
        if not self.dialect.own_kinds or facts.to_uv is not None:
            return None
        return safe_label(facts.unit, 16) or "unknown"

    def largest(self, channel: int) -> float:
        """Upper bound of the absolute value of any sample, in the shown unit."""
        if channel not in self._largest:
            self._largest[channel] = _largest(self.recording, channel)
        return self._largest[channel]

    def eeg_channels(self) -> tuple[int, ...]:
        """Channels meant when none is named: EEG, or of unknown kind if none is."""
        for wanted in ("eeg", "unknown"):
            found = tuple(i for i in range(len(self.names)) if self.kind(i) == wanted)
            if found:
                return found
        return ()

    def resolve(self, names: tuple[str, ...] | None) -> tuple[int, ...]:
        """Positions of named channels, in the order asked; None: all EEG."""
        if names is None:
            found = self.eeg_channels()
            if not found:
                kinds = [f"{n} ({self.kind(i)})" for i, n in enumerate(self.names)]
                raise ToolError(
                    "no_eeg_channel",
                    "no channel is EEG; name the channels to use: " + some(kinds),
                )
            return found
        positions = tuple(self._find(name) for name in names)
        if self.dialect.strict:
            for place, position in enumerate(positions):
                if position in positions[:place]:
                    raise ToolError(
                        "duplicate",
                        f"channels names {quoted(self.names[position])} twice;"
                        " name each once",
                    )
        return positions

    def _find(self, name: str) -> int:
        found = self._index.get(name)
        if found is not None:
            return found
        if self.dialect.full_montage:
            candidates = self._folded.get("=" + name.strip().casefold())
            if candidates is None and len(name) <= 2 * NAME_LIMIT:
                candidates = self._folded.get("~" + clean_label(name))
            if candidates and len(candidates) == 1:
                return candidates[0]
            if candidates:
                names = ", ".join(self.names[i] for i in candidates)
                times = {2: "twice"}.get(len(candidates), f"{len(candidates)} times")
                raise ToolError(
                    "ambiguous_channel",
                    f"channel {quoted(name)} is there {times}; name one of {names}",
                )
        raise ToolError(
            "unknown_channel",
            f"unknown channel {quoted(name)}; this recording has"
            f" {some(self.names)}.{nearest(name, self.names)}",
        )


def _largest(recording: Recording, channel: int) -> float:
    facts, store = recording.channels[channel], recording.store
    scale = facts.to_uv if facts.to_uv is not None else 1.0
    if store.encoding != "float64":
        bits = 15 if store.encoding == "int16" else 23
        return (abs(facts.gain) * 2.0**bits + abs(facts.offset)) * scale
    values = recording.read_samples(channel, 0, facts.n_samples)
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if finite.size else 0.0


@dataclass(frozen=True, eq=False)
class Call:
    """One checked call of a tool.

    Attributes
    ----------
    view : RecordView
    tool : str
    values : dict
        Arguments with defaults filled in.
    given : dict
        Arguments as the agent sent them.
    channels : tuple of int
    start_sec, stop_sec : float
        Range in seconds.
    characters : float
        Longest answer allowed, for tools that cut their answer instead of refusing.
    encoding : str
        "rows", or "compact": what the answer will be sent as, for its size.
    """

    view: RecordView
    tool: str
    values: dict[str, Any]
    given: dict[str, Any]
    channels: tuple[int, ...]
    start_sec: float
    stop_sec: float
    characters: float = math.inf
    encoding: Encoding = "rows"

    @property
    def dialect(self) -> Dialect:
        """Dialect of the toolbox."""
        return self.view.dialect

    @property
    def recording(self) -> Recording:
        """The recording measured."""
        return self.view.recording

    def name(self, channel: int) -> str:
        """Name of a channel as the agent knows it."""
        return self.view.names[channel]

    def rate_hz(self, channel: int) -> float:
        """Return sampling rate of a channel."""
        return self.recording.channels[channel].rate_hz

    def samples(self, channel: int) -> tuple[int, int]:
        """Return stored samples (start, stop) of the range in a channel."""
        if self.dialect.placed_by_time:
            return self.recording.sample_range(channel, self.start_sec, self.stop_sec)
        facts = self.recording.channels[channel]
        start = min(truncated_sample(self.start_sec, facts.rate_hz), facts.n_samples)
        if self.values.get("tmax") is None:
            return start, facts.n_samples
        stop = min(truncated_sample(self.stop_sec, facts.rate_hz), facts.n_samples)
        return start, max(start, stop)

    def touches_gap(self) -> bool:
        """Whether a part of the range was not recorded; the release cannot tell."""
        if len(self.recording.segments) <= 1 or not self.dialect.placed_by_time:
            return False
        return self.recording.gap_between(self.start_sec, self.stop_sec)

    def with_range(self, start_sec: float, stop_sec: float) -> "Call":
        """Return the same call over another range."""
        return replace(self, start_sec=start_sec, stop_sec=stop_sec)

    def with_values(self, values: dict[str, Any]) -> "Call":
        """Return the same call with other arguments."""
        return replace(self, values=values)

    def with_channels(self, channels: tuple[int, ...]) -> "Call":
        """Return the same call for other channels."""
        return replace(self, channels=channels)

    def time_window(self) -> list[float | None]:
        """Return the range as answers tell it: as used, or (release) as it was sent."""
        if self.dialect.placed_by_time:
            return [round(self.start_sec, 3), round(self.stop_sec, 3)]
        return [self.values.get("tmin"), self.values.get("tmax")]

    def require(self, least_sec: float, *, least_samples: int = 2) -> None:
        """Refuse a range with too few samples in some channel."""
        duration_sec = self.view.duration_sec
        for channel in self.channels:
            start, stop = self.samples(channel)
            wanted = max(least_samples, first_sample(least_sec, self.rate_hz(channel)))
            if stop - start < wanted and not self.touches_gap():
                raise ToolError(
                    "too_short",
                    f"the range {self.start_sec:g} to {self.stop_sec:g} s holds"
                    f" {stop - start} samples of {self.name(channel)}; at least"
                    f" {wanted} are needed, within 0 to {duration_sec:.3f} s",
                )


def checked_range(view: RecordView, values: dict[str, Any]) -> tuple[float, float]:
    """Start and stop in seconds of the arguments tmin and tmax.

    Raises
    ------
    ToolError
        Reversed or, in `default`, not within the recording.
    """
    duration_sec = view.duration_sec
    start_sec, stop_sec = values.get("tmin"), values.get("tmax")
    begin = 0.0 if start_sec is None else float(start_sec)
    end = duration_sec if stop_sec is None else float(stop_sec)
    if stop_sec is not None and end <= begin:
        raise ToolError(
            "reversed_range",
            f"tmax ({end:g}) must be greater than tmin ({begin:g})",
        )
    if not view.dialect.strict:
        return begin, end
    allowed = f"this recording runs from 0 to {duration_sec:.3f} s"
    if begin >= duration_sec:
        raise ToolError("out_of_range", f"tmin is {begin:g}; {allowed}")
    # Durations are told to the millisecond, so a millisecond past the end is meant
    # as the end.
    if end > duration_sec + 1e-3:
        raise ToolError("out_of_range", f"tmax is {end:g}; {allowed}")
    return begin, min(end, duration_sec)


def check_some_samples(call: Call) -> None:
    """Refuse a range of fewer than two samples."""
    call.require(0.0)


def check_half_second(call: Call) -> None:
    """Refuse a range too short for a spectrum."""
    call.require(LEAST_SPECTRAL_SEC)
