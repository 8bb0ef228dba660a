"""Print figures by matplotlib: vector and PNG, readable in grey.

Each function draws tidy rows into a figure; `save` writes both forms. matplotlib is an
extra (``plots``) and is loaded when a figure is drawn.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = Mapping[str, Any]
MARKERS = ("o", "s", "^", "D", "P", "v")
STYLES = ("-", "--", "-.", ":")
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07d00", "#56b4e9")
GREY = "#8a929a"


def save(figure: "Figure", folder: Path, name: str) -> list[Path]:
    """Write a figure as SVG and PNG; the same rows give the same bytes."""
    import matplotlib as mpl

    paths = [folder / f"{name}.svg", folder / f"{name}.png"]
    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        figure.savefig(paths[0], metadata={"Date": None})
        figure.savefig(paths[1], dpi=160, metadata={"Software": None})
    return paths


def tool_use_figure(runs: Sequence[tuple[str, Sequence[Row]]]) -> "Figure":
    """Draw the share of episodes that use each tool, a panel an agent (figure 4a)."""
    figure, panels = _figure(len(runs), width=4.6, height=3.6)
    for axes, (agent, rows) in zip(panels, runs, strict=True):
        tasks = sorted({row["task"] for row in rows})
        tools = sorted({row["tool"] for row in rows})
        rate = {(row["tool"], row["task"]): row["use_rate"] for row in rows}
        grid = [[rate.get((tool, task), 0.0) for task in tasks] for tool in tools]
        if not grid:
            continue
        axes.imshow(grid, cmap="Greys", vmin=0, vmax=1, aspect="auto")
        axes.set_xticks(range(len(tasks)), tasks)
        axes.set_yticks(range(len(tools)), [name.replace("_", " ") for name in tools])
        for y, line in enumerate(grid):
            for x, value in enumerate(line):
                colour = "white" if value > 0.55 else "black"
                axes.text(x, y, f"{value:.2f}", ha="center", va="center", color=colour)
        axes.set_title(agent)
        axes.set_xlabel("task (share of episodes that use the tool)")
    return figure


def calls_figure(rows: Sequence[Row]) -> "Figure":
    """Draw the median calls of an episode with quartiles, by task (figure 4b)."""
    figure, (axes,) = _figure(1)
    tasks = sorted({row["task"] for row in rows})
    agents = list(dict.fromkeys(row["agent"] for row in rows))
    for k, agent in enumerate(agents):
        kept = [row for row in rows if row["agent"] == agent]
        xs = [
            tasks.index(row["task"]) + (k - (len(agents) - 1) / 2) / 6 for row in kept
        ]
        middle = [row["median"] for row in kept]
        below = [row["median"] - row["q25"] for row in kept]
        above = [row["q75"] - row["median"] for row in kept]
        axes.errorbar(
            xs, middle, yerr=[below, above], fmt=MARKERS[k % 6], color=COLOURS[k % 6],
            capsize=3, label=agent,
        )  # fmt: skip
    axes.set_xticks(range(len(tasks)), tasks)
    _label(axes, "task", "tool calls an episode (median, quartiles)")
    return figure


def distribution_figure(
    columns: Sequence[tuple[str, Sequence[float]]],
    marked: Sequence[tuple[str, Sequence[float | None]]],
) -> "Figure":
    """Draw the paper's models by task as boxes, our runs upon them (figure 5)."""
    figure, (axes,) = _figure(1, width=6.4)
    axes.boxplot(
        [list(values) for _, values in columns],
        positions=range(len(columns)),
        widths=0.5,
        showfliers=False,
        medianprops={"color": "black", "linewidth": 2},
    )
    for x, (_, values) in enumerate(columns):
        spread = [x + ((k * 7) % 11 - 5) / 30 for k in range(len(values))]
        label = "the paper's models" if x == 0 else None
        axes.plot(spread, values, ".", color=GREY, zorder=2, label=label)
    for k, (name, scores) in enumerate(marked):
        told = [(x, s) for x, s in enumerate(scores) if s is not None]
        axes.plot(
            [x for x, _ in told], [s for _, s in told], MARKERS[k % 6],
            color=COLOURS[k % 6], label=name, zorder=3,
        )  # fmt: skip
    axes.set_xticks(range(len(columns)), [name for name, _ in columns])
    axes.set_ylim(0, 1)
    _label(axes, "task", "headline score")
    return figure


def cost_figure(rows: Sequence[Row], front: Sequence[str]) -> "Figure":
    """Draw overall score against cost, with the Pareto front (figure 6)."""
    figure, (axes,) = _figure(1, width=6.4)
    told = [row for row in rows if row["cost_usd"] is not None]
    for row in told:
        ours = row.get("source") != "paper"
        axes.plot(
            row["cost_usd"], row["overall"], "s" if ours else "o",
            color=COLOURS[0] if ours else GREY,
        )  # fmt: skip
        if row["model"] in front or ours:
            axes.annotate(
                row["model"], (row["cost_usd"], row["overall"]), fontsize=7,
                xytext=(4, 4), textcoords="offset points",
            )  # fmt: skip
    edge = sorted((r["cost_usd"], r["overall"]) for r in told if r["model"] in front)
    axes.plot([x for x, _ in edge], [y for _, y in edge], "k--", linewidth=1)
    axes.set_xscale("log")
    _label(axes, "cost of the full evaluation (USD)", "overall score", legend=False)
    return figure


def size_figure(rows: Sequence[Row]) -> "Figure":
    """Draw overall score against parameter count; families joined (figure 1)."""
    figure, (axes,) = _figure(1, width=6.4)
    known = [row for row in rows if row["parameters_b"] is not None]
    families: dict[str, list[Row]] = {}
    for row in known:
        families.setdefault(str(row["family"]), []).append(row)
    for k, (family, members) in enumerate(sorted(families.items())):
        members.sort(key=lambda row: float(row["parameters_b"]))
        axes.plot(
            [row["parameters_b"] for row in members],
            [row["overall"] for row in members],
            marker=MARKERS[k % 6], linestyle=STYLES[k % 4], color=COLOURS[k % 6],
            linewidth=0.8, label=family,
        )  # fmt: skip
    unknown = [row["overall"] for row in rows if row["parameters_b"] is None]
    axes.plot([3500] * len(unknown), unknown, "x", color=GREY, label="not reported")
    axes.set_xscale("log")
    _label(axes, "parameters (billions; at the right: not reported)", "overall score")
    return figure


def error_figure(rows: Sequence[Row]) -> "Figure":
    """Draw miss rate against over-alarm rate (figure 7a)."""
    figure, (axes,) = _figure(1, width=4.6, height=4.2)
    for k, row in enumerate(rows):
        axes.plot(
            row["over_alarm_rate"], row["miss_rate"], MARKERS[k % 6],
            color=COLOURS[k % 6] if row.get("source") != "paper" else GREY,
            label=row["agent"],
        )  # fmt: skip
    axes.set_xlim(-0.03, 1.03)
    axes.set_ylim(-0.03, 1.03)
    _label(axes, "over-alarm rate (seizure-free records)", "miss rate")
    return figure


def duration_figure(rows: Sequence[Row]) -> "Figure":
    """Draw macro-F1 by length of the recording, with quartiles (figure 7d)."""
    figure, (axes,) = _figure(1)
    bins = sorted({(row["from_h"], row["to_h"]) for row in rows})
    for k, agent in enumerate(dict.fromkeys(row["agent"] for row in rows)):
        kept = [row for row in rows if row["agent"] == agent]
        xs = [bins.index((row["from_h"], row["to_h"])) for row in kept]
        axes.plot(
            xs, [row["macro_f1"] for row in kept], marker=MARKERS[k % 6],
            linestyle=STYLES[k % 4], color=COLOURS[k % 6], label=agent,
        )  # fmt: skip
        axes.fill_between(
            xs, [row["q25"] for row in kept], [row["q75"] for row in kept],
            color=COLOURS[k % 6], alpha=0.15,
        )  # fmt: skip
    axes.set_xticks(range(len(bins)), [f"{a:g}-{b:g}" for a, b in bins])
    axes.set_ylim(0, 1)
    _label(axes, "length of the recording (h)", "macro-F1 (mean; middle half)")
    return figure


def snr_figure(rows: Sequence[Row]) -> "Figure":
    """Draw accuracy by level, a panel an artifact; clean at the left (figure 8)."""
    artifacts = ("ocular", "muscle")
    figure, panels = _figure(2, width=4.4)
    levels = sorted(
        {r["snr_db"] for r in rows if r["snr_db"] is not None}, reverse=True
    )
    for axes, artifact in zip(panels, artifacts, strict=True):
        for k, agent in enumerate(dict.fromkeys(row["agent"] for row in rows)):
            kept = [row for row in rows if row["agent"] == agent]
            at = [row for row in kept if row["artifact"] == artifact]
            clean = [row for row in kept if row["artifact"] == "clean"]
            marker, colour = MARKERS[k % 6], COLOURS[k % 6]
            axes.plot(
                [levels.index(row["snr_db"]) for row in at],
                [row["accuracy"] for row in at],
                marker=marker, color=colour, linestyle=STYLES[k % 4], label=agent,
            )  # fmt: skip
            axes.plot(
                [-1.5] * len(clean), [row["accuracy"] for row in clean],
                marker=marker, color=colour, linestyle="",
            )  # fmt: skip
        axes.axhline(1 / 3, color=GREY, linestyle="--", linewidth=0.8)
        names = ["clean", *(f"{level:+g}" for level in levels)]
        axes.set_xticks([-1.5, *range(len(levels))], names)
        axes.set_ylim(-0.03, 1.03)
        axes.set_title(f"{artifact} artifact")
        _label(axes, "signal-to-noise ratio (dB)", "accuracy")
    return figure


def construction_figure(rows: Sequence[Row]) -> "Figure":
    """Draw instances after each stage of construction (figure 3)."""
    figure, (axes,) = _figure(1, width=6.4)
    tasks = ("T1", "T2", "T3", "T4", "T5", "T6")
    shades = ("#d8dde2", "#9aa3ac", "#2f363d")
    for k, row in enumerate(rows):
        xs = [x + (k - 1) * 0.27 for x in range(len(tasks))]
        heights = [row[task] for task in tasks]
        bars = axes.bar(
            xs, heights, 0.26, color=shades[k % 3], edgecolor="black", linewidth=0.4,
            label=f"{row['stage']} ({row['all']:,})",
        )  # fmt: skip
        axes.bar_label(bars, fontsize=6)
    axes.set_xticks(range(len(tasks)), tasks)
    axes.set_title("construction of the paper's set")
    _label(axes, "task", "instances")
    return figure


def _figure(
    n_panels: int, *, width: float = 5.2, height: float = 3.4
) -> "tuple[Figure, list[Axes]]":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * n_panels, height), layout="constrained")
    panels = figure.subplots(1, n_panels, squeeze=False)[0]
    return figure, list(panels)


def _label(axes: "Axes", x_label: str, y_label: str, *, legend: bool = True) -> None:
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.spines[["top", "right"]].set_visible(False)
    if legend and axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=7)
