"""What an agent measured on one recording, and how the classes differ in it.

Only figures that stood in tool answers; nothing is measured again.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from eegbench.analysis.trajectories import Call, quantile

SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)
LEFT_OUT = frozenset(
    (
        "t_start",
        "t_end",
        "n_windows",
        "window_sec",
        "step_sec",
        "time_sec",
        "sampling_rate",
        "duration_sec",
        "n_channels",
        "n_eeg_channels",
        "n_pairs",
        "highpass_hz",
        "lowpass_hz",
        "age",
        "line_freq_hz",
        "min_amplitude_uv",
        "max_candidates_per_channel",
        "approx_response_bytes",
        "n_rows",
    )
)  # parameters and sizes: they say nothing of the signal
LISTS = ("channels", "pairs", "windows", "channel_summary")


class Spread(NamedTuple):
    """One measurement in one class: 10, 25, 50, 75 and 90 % points."""

    name: str
    quantiles: tuple[float, ...]
    n: int


def measured_values(calls: Sequence[Call]) -> dict[str, float]:
    """Return each figure of the tool answers by name, averaged over channels.

    Windows are averaged too. Where a figure was measured more than once, the first
    measurement counts. Refused calls and values of null give nothing.
    """
    values: dict[str, float] = {}
    for call in calls:
        if call.refused:
            continue
        found: dict[str, list[float]] = defaultdict(list)
        _collect(call.answer, "", found)
        for name, numbers in found.items():
            values.setdefault(name, sum(numbers) / len(numbers))
    return values


def spreads(
    rows: Sequence[tuple[str, Mapping[str, float]]], *, most: int = 6
) -> dict[str, list[Spread]]:
    """Return the measurements that separate the classes best, with their spreads.

    Parameters
    ----------
    rows : sequence of (class, measurements)
        One per recording.
    most : int, optional
        How many measurements to keep.

    Notes
    -----
    Ordered by the share of variance between classes; a measurement must be there in
    three fifths of the recordings and in every class.
    """
    classes = list(dict.fromkeys(label for label, _ in rows))
    by_name: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for label, values in rows:
        for name, value in values.items():
            by_name[name][label].append(value)
    ranked = []
    for name, groups in by_name.items():
        n = sum(len(group) for group in groups.values())
        if len(classes) < 2 or set(groups) != set(classes) or n < 0.6 * len(rows):
            continue
        ranked.append((_between_share(list(groups.values())), name))
    ranked.sort(key=lambda pair: (-pair[0], pair[1]))
    return {
        name: [_spread(label, by_name[name][label]) for label in sorted(classes)]
        for share, name in ranked[:most]
        if share > 0
    }


def _collect(node: Any, path: str, found: dict[str, list[float]]) -> None:
    if isinstance(node, Mapping):
        for key, value in node.items():
            if key in LEFT_OUT or key.startswith("_"):
                continue
            if key in LISTS:
                _collect(value, path, found)
            else:
                _collect(value, f"{path}.{key}" if path else key, found)
    elif isinstance(node, list):
        for item in node:
            if isinstance(item, Mapping):
                _collect(item, path, found)
    elif isinstance(node, int | float) and not isinstance(node, bool) and path:
        found[path].append(float(node))


def _spread(label: str, values: Sequence[float]) -> Spread:
    return Spread(label, tuple(quantile(values, s) for s in SHARES), len(values))


def _between_share(groups: Sequence[Sequence[float]]) -> float:
    every = [value for group in groups for value in group]
    mean = sum(every) / len(every)
    total = sum((value - mean) ** 2 for value in every)
    if not total > 0:
        return 0.0
    between = sum(
        len(group) * (sum(group) / len(group) - mean) ** 2 for group in groups
    )
    return between / total
