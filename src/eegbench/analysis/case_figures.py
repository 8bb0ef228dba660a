"""Print figures of single cases: hypnogram and timeline (paper figures 7b, 9, 10)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eegbench.analysis.figures import COLOURS, GREY
from eegbench.analysis.trajectories import (
    RESOLUTION_SEC,
    Call,
    looked_at,
    overlaps,
)
from eegbench.errors import SetError
from eegbench.report.pictures import EPOCH_SEC, tolerance_windows
from eegbench.scored import ScoredCase

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEVELS = ("N3", "N2", "N1", "REM", "W")
Span = Sequence[float]


def case_figure(case: ScoredCase, calls: Sequence[Call]) -> "Figure":
    """Return the figure that suits a case: hypnogram (T6) or timeline (T5).

    Raises
    ------
    SetError
        The case is of another task, or was not answered.
    """
    if case.stages is not None and case.reference.stages is not None:
        return _hypnogram(case, calls)
    if case.events is not None and case.duration_sec:
        return _timeline(case, calls)
    raise SetError(
        f"no figure for {case.instance.instance_id}; answered T5 and T6 cases have one"
    )


def _hypnogram(case: ScoredCase, calls: Sequence[Call]) -> "Figure":
    from matplotlib.figure import Figure

    truth, said = case.reference.stages or [], case.stages or ()
    hours = len(truth) * EPOCH_SEC / 3600
    figure = Figure(figsize=(8, 4), layout="constrained")
    upper, lower, strip = figure.subplots(3, 1, sharex=True, height_ratios=(4, 4, 1))
    _steps(upper, truth, "reference", "black")
    _steps(lower, said, "predicted", COLOURS[0])
    pairs = zip(truth, said, strict=False)
    wrong = [
        (epoch * EPOCH_SEC, (epoch + 1) * EPOCH_SEC)
        for epoch, (one, other) in enumerate(pairs)
        if one is not None and one != other
    ]
    resolution = RESOLUTION_SEC["T6"]
    seen = looked_at(calls, hours * 3600, resolution_sec=resolution)
    _bars(strip, wrong, 1, COLOURS[1], hours=True)
    _bars(strip, seen, 0, GREY, hours=True)
    strip.set_yticks([0, 1], ["looked at", "differs"])
    strip.set_ylim(-0.6, 1.6)
    strip.set_xlim(0, hours)
    strip.set_xlabel("time from the start of the recording (h)")
    upper.set_title(_title(case))
    return figure


def _timeline(case: ScoredCase, calls: Sequence[Call]) -> "Figure":
    from matplotlib.figure import Figure

    duration = float(case.duration_sec or 0.0)
    truth, said = case.reference.events or [], case.events or ()
    windows = tolerance_windows(truth, duration)
    figure = Figure(figsize=(8, 2), layout="constrained")
    axes = figure.subplots()
    _bars(axes, windows, 2, "#d8dde2")
    _bars(axes, truth, 2, "black", height=0.5)
    _bars(axes, [e for e in said if overlaps(e, windows)], 1, COLOURS[0])
    _bars(axes, [e for e in said if not overlaps(e, windows)], 1, COLOURS[1])
    seen = looked_at(calls, duration, resolution_sec=RESOLUTION_SEC["T5"])
    _bars(axes, seen, 0, GREY)
    axes.set_yticks([0, 1, 2], ["looked at", "predicted", "reference"])
    axes.set_ylim(-0.6, 2.6)
    axes.set_xlim(0, duration / 60)
    axes.set_xlabel("time from the start of the recording (min)")
    axes.set_title(_title(case))
    return figure


def _steps(axes: "Axes", stages: Sequence[str | None], name: str, colour: str) -> None:
    levels = [
        float("nan") if stage is None else LEVELS.index(stage) for stage in stages
    ]
    hours = [epoch * EPOCH_SEC / 3600 for epoch in range(len(stages) + 1)]
    axes.stairs(levels, hours, baseline=None, color=colour, linewidth=1)
    axes.set_yticks(range(len(LEVELS)), LEVELS)
    axes.set_ylim(-0.5, 4.5)
    axes.set_ylabel(name)


def _bars(
    axes: "Axes",
    spans: Sequence[Span],
    level: int,
    colour: str,
    *,
    hours: bool = False,
    height: float = 0.8,
) -> None:
    unit = 3600.0 if hours else 60.0
    ranges = [(start / unit, (stop - start) / unit) for start, stop in spans]
    axes.broken_barh(ranges, (level - height / 2, height), facecolors=colour)


def _title(case: ScoredCase) -> str:
    simulated = " (simulated)" if case.instance.simulated else ""
    agent = case.prediction.agent if case.prediction else ""
    score = "" if case.score is None else f", score {case.score:.3f}"
    return f"{case.instance.instance_id}{simulated}: {agent}{score}"
