"""Print figures with the paper's models as background: size, cost, spread, ranks."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eegbench.analysis.figures import (
    COLOURS,
    GREY,
    MARKERS,
    STYLES,
    label_axes,
    new_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = Mapping[str, Any]
BESIDE = 0.42
"""How far beside the models a run stands that is not comparable with them."""


def distribution_figure(
    columns: Sequence[tuple[str, Sequence[float]]],
    marked: Sequence[tuple[str, Sequence[float | None], bool]],
) -> "Figure":
    """Draw the paper's models by task as boxes (figure 5), runs upon or beside them.

    Each run is (name, scores, comparable); one that is not stands to the right of the
    box, behind a gap.
    """
    figure, (axes,) = new_figure(1, width=7.0)
    axes.boxplot(
        [list(values) for _, values in columns],
        positions=range(len(columns)),
        widths=0.5,
        showfliers=False,
        medianprops={"color": "black", "linewidth": 2},
    )
    for x, (_, values) in enumerate(columns):
        spread = [x + ((k * 7) % 11 - 5) / 30 for k in range(len(values))]
        label = "the paper's 29 models" if x == 0 else None
        axes.plot(spread, values, ".", color=GREY, zorder=2, label=label)
    for k, (name, scores, among) in enumerate(marked):
        shift = 0.0 if among else BESIDE + 0.07 * (k % 2)
        told = [(x + shift, s) for x, s in enumerate(scores) if s is not None]
        axes.plot(
            [x for x, _ in told], [s for _, s in told], MARKERS[k % 6],
            color=COLOURS[k % 6], zorder=3, markersize=5,
            label=name if among else f"{name}: beside, another set",
        )  # fmt: skip
    axes.set_xticks(range(len(columns)), [name for name, _ in columns])
    axes.set_xlim(-0.5, len(columns) - 0.25)
    axes.set_ylim(-0.03, 1.03)
    label_axes(axes, "task", "headline score", legend=False)
    axes.legend(
        frameon=False,
        fontsize=7,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=3,
    )
    return figure


def cost_figure(rows: Sequence[Row], front: Sequence[str]) -> "Figure":
    """Draw overall score against cost, with the Pareto front (figure 6)."""
    figure, (axes,) = new_figure(1, width=6.8, height=3.8)
    told = [row for row in rows if row["cost_usd"] is not None]
    edge = sorted((r["cost_usd"], r["overall"]) for r in told if r["model"] in front)
    axes.plot([x for x, _ in edge], [y for _, y in edge], "k--", linewidth=1, zorder=1)
    named = []
    for row in sorted(told, key=lambda row: (float(row["cost_usd"]), row["model"])):
        ours = row.get("source") != "paper"
        hollow = ours and not row.get("comparable", True)
        point = (row["cost_usd"], row["overall"])
        axes.plot(
            *point, "s" if ours else "o", zorder=2,
            color=COLOURS[0] if ours else GREY,
            markerfacecolor="white" if hollow else None,
        )  # fmt: skip
        if row["model"] in front or ours:
            name = f"{row['model']} (another set)" if hollow else row["model"]
            named.append((name, point))
    axes.set_xscale("log")
    axes.set_xlim(left=min(r["cost_usd"] for r in told) / 4)
    axes.margins(y=0.08)
    label_axes(axes, "cost of the full evaluation (USD)", "overall score", legend=False)
    _name_points(figure, axes, named, [(r["cost_usd"], r["overall"]) for r in told])
    return figure


def size_figure(rows: Sequence[Row]) -> "Figure":
    """Draw overall score against parameter count; families joined (figure 1)."""
    figure, (axes,) = new_figure(1, width=6.8, height=4.0)
    families: dict[str, list[Row]] = {}
    for row in rows:
        if row["parameters_b"] is not None:
            families.setdefault(str(row["family"]), []).append(row)
    joined = sorted(name for name, members in families.items() if len(members) > 1)
    for k, family in enumerate(joined):
        members = sorted(families[family], key=lambda row: float(row["parameters_b"]))
        axes.plot(
            [row["parameters_b"] for row in members],
            [row["overall"] for row in members],
            marker=MARKERS[k % 6], linestyle=STYLES[k % 4], color=COLOURS[k % 6],
            linewidth=0.9, label=family,
        )  # fmt: skip
    single = [families[family][0] for family in set(families) - set(joined)]
    single.sort(key=lambda row: (float(row["parameters_b"]), str(row["model"])))
    named = [(str(r["model"]), (r["parameters_b"], r["overall"])) for r in single]
    axes.plot(
        [point[0] for _, point in named], [point[1] for _, point in named], "o",
        color=GREY,
    )  # fmt: skip
    unknown = [row["overall"] for row in rows if row["parameters_b"] is None]
    axes.plot([3500] * len(unknown), unknown, "x", color=GREY, label="not reported")
    axes.set_xscale("log")
    label_axes(
        axes, "parameters (billions; at the right: not reported)", "overall score"
    )
    known = [row for row in rows if row["parameters_b"] is not None]
    _name_points(
        figure, axes, named, [(r["parameters_b"], r["overall"]) for r in known]
    )
    return figure


Point = tuple[float, float]
PLACES = (
    ("right", -4.0, 3.0), ("left", 4.0, 3.0), ("left", 4.0, -9.0),
    ("right", -4.0, -9.0), ("center", 0.0, 6.0), ("center", 0.0, -13.0),
)  # fmt: skip
"""Where a name may stand beside its point: alignment, and the shift in points."""


def _name_points(
    figure: "Figure",
    axes: "Axes",
    named: Sequence[tuple[str, Point]],
    points: Sequence[Point],
) -> None:
    """Write names beside points, each where it covers the fewest points and names."""
    figure.draw_without_rendering()  # places the axes, so that points have a place
    scale = 72.0 / figure.dpi

    def placed(point: Point) -> tuple[float, float]:
        x, y = axes.transData.transform(point) * scale
        return float(x), float(y)

    taken = [(x - 4, y - 4, x + 4, y + 4) for x, y in map(placed, points)]
    for name, point in named:
        x, y = placed(point)
        width = 3.7 * len(name)
        boxes = []
        for side, right, up in PLACES:
            left = {"left": 0.0, "right": -width, "center": -width / 2}[side]
            start = x + right + left
            boxes.append((start, y + up, start + width, y + up + 7))
        covered = [
            sum(
                box[0] < other[2] and other[0] < box[2]
                and box[1] < other[3] and other[1] < box[3]
                for other in taken
            )
            for box in boxes
        ]  # fmt: skip
        best = covered.index(min(covered))
        side, right, up = PLACES[best]
        axes.annotate(
            name, point, fontsize=6.5, ha=side, xytext=(right, up),
            textcoords="offset points",
        )  # fmt: skip
        taken.append(boxes[best])


def rank_figure(rows: Sequence[Row]) -> "Figure":
    """Draw median calls of best and worst runs by task, the paper's beside (4b)."""
    sources = [s for s in ("runs", "paper") if any(r["source"] == s for r in rows)]
    figure, panels = new_figure(len(sources), width=4.4)
    titles = {"runs": "these runs", "paper": "the paper's models (only what it states)"}
    for axes, source in zip(panels, sources, strict=True):
        kept = [row for row in rows if row["source"] == source]
        tasks = sorted({row["task"] for row in kept})
        _bars(axes, kept, tasks)
        axes.set_title(titles[source], fontsize=9)
        label_axes(axes, "task", "tool calls an episode (median)")
    return figure


def _bars(axes: "Axes", rows: Sequence[Row], tasks: Sequence[str]) -> None:
    for k, name in enumerate(("top", "bottom")):
        kept = [row for row in rows if str(row["group"]).startswith(name)]
        if not kept:
            continue
        bars = axes.bar(
            [tasks.index(row["task"]) + (k - 0.5) * 0.36 for row in kept],
            [row["median_calls"] for row in kept],
            0.34, label=kept[0]["group"], edgecolor="black", linewidth=0.5,
            color=("#2f363d", "#d8dde2")[k],
        )  # fmt: skip
        axes.bar_label(bars, fontsize=7, fmt="%g")
    axes.set_xticks(range(len(tasks)), tasks)
