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
HATCHES = ("", "//", "..", "xx", "\\\\", "++")


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
    figure, panels = new_figure(len(runs), width=4.6, height=3.6)
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
        axes.set_xlabel("task\n(share of episodes that use the tool)", fontsize=8)
    return figure


def calls_figure(rows: Sequence[Row]) -> "Figure":
    """Draw the median calls of an episode with quartiles, by task (figure 4b)."""
    figure, (axes,) = new_figure(1)
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
    label_axes(axes, "task", "tool calls an episode (median, quartiles)")
    return figure


def error_figure(rows: Sequence[Row]) -> "Figure":
    """Draw miss rate against over-alarm rate (figure 7a)."""
    figure, (axes,) = new_figure(1, width=4.6, height=4.2)
    for k, row in enumerate(rows):
        paper = row.get("source") == "paper"
        axes.plot(
            row["over_alarm_rate"], row["miss_rate"], MARKERS[k % 6],
            color=GREY if paper else COLOURS[k % 6],
            markerfacecolor="white" if paper else None,
            label=f"{row['agent']} (paper)" if paper else row["agent"],
        )  # fmt: skip
    axes.set_xlim(-0.03, 1.03)
    axes.set_ylim(-0.03, 1.03)
    label_axes(axes, "over-alarm rate (seizure-free records)", "miss rate")
    return figure


def duration_figure(rows: Sequence[Row]) -> "Figure":
    """Draw macro-F1 by length of the recording, with quartiles (figure 7d)."""
    figure, (axes,) = new_figure(1)
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
    label_axes(axes, "length of the recording (h)", "macro-F1 (mean; middle half)")
    return figure


def snr_figure(rows: Sequence[Row]) -> "Figure":
    """Draw accuracy by level, a panel an artifact; clean at the left (figure 8)."""
    artifacts = ("ocular", "muscle")
    figure, panels = new_figure(2, width=4.4)
    levels = sorted(
        {r["snr_db"] for r in rows if r["snr_db"] is not None}, reverse=True
    )
    for axes, artifact in zip(panels, artifacts, strict=True):
        for k, agent in enumerate(dict.fromkeys(row["agent"] for row in rows)):
            kept = [row for row in rows if row["agent"] == agent]
            at = [
                row
                for row in kept
                if row["artifact"] == artifact and row["snr_db"] is not None
            ]
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
        names = ["clean", *(f"{level:+g}" if level else "0" for level in levels)]
        axes.set_xticks([-1.5, *range(len(levels))], names)
        axes.set_ylim(-0.03, 1.03)
        axes.set_title(f"{artifact} artifact")
        first = axes is panels[0]
        label_axes(axes, "signal-to-noise ratio (dB)", "accuracy", legend=first)
    return figure


def axes_figure(rows: Sequence[Row]) -> "Figure":
    """Draw T2 in three numbers: detection, clean accuracy, type confusion."""
    keys = ("detection_rate", "clean_accuracy", "type_confusion")
    figure, (axes,) = new_figure(1, width=6.4)
    width = 0.8 / len(rows)
    for k, row in enumerate(rows):
        told = [(x, row[key]) for x, key in enumerate(keys) if row.get(key) is not None]
        paper = row.get("source") == "paper"
        axes.bar(
            [x + (k - (len(rows) - 1) / 2) * width for x, _ in told],
            [value for _, value in told],
            width * 0.94, edgecolor="black", linewidth=0.5, hatch=HATCHES[k % 6],
            color="white" if paper else COLOURS[k % 6],
            label=f"{row['agent']} (paper)" if paper else row["agent"],
        )  # fmt: skip
    axes.set_xticks(
        range(len(keys)),
        ["artifacts detected", "clean kept clean", "wrong type\n(of those detected)"],
    )
    axes.set_ylim(0, 1.03)
    label_axes(axes, "", "share", legend=False)
    axes.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))
    return figure


def coverage_figure(rows: Sequence[Row]) -> "Figure":
    """Draw what of a recording was looked at, and why events were missed."""
    figure, (left, right) = new_figure(2, width=4.4)
    agents = list(dict.fromkeys(row["agent"] for row in rows))
    tasks = sorted({row["task"] for row in rows})
    for k, task in enumerate(tasks):
        kept = [row for row in rows if row["task"] == task]
        bars = left.barh(
            [agents.index(row["agent"]) + (k - 0.5) * 0.36 for row in kept],
            [row["coverage"] or 0.0 for row in kept],
            0.34, color=("#2f363d", "#d8dde2")[k % 2], edgecolor="black",
            linewidth=0.5, label=f"{task}: window of {kept[0]['resolution_sec']:g} s",
        )  # fmt: skip
        left.bar_label(bars, fontsize=7, fmt="%.2f", padding=2)
    events = [row for row in rows if row["n_events"]]
    start = [0] * len(events)
    for key, name, shade in (
        ("n_hit", "hit", "#2f363d"),
        ("n_misjudged", "looked at, misjudged", "#9aa3ac"),
        ("n_never_looked", "never looked at", "#ffffff"),
    ):
        widths = [row[key] for row in events]
        right.barh(
            [agents.index(row["agent"]) for row in events], widths, 0.6, left=start,
            color=shade, edgecolor="black", linewidth=0.5, label=name,
        )  # fmt: skip
        start = [a + b for a, b in zip(start, widths, strict=True)]
    for axes in (left, right):
        axes.set_yticks(range(len(agents)), agents)
        axes.set_ylim(-0.7, len(agents) - 0.3)
    left.set_xlim(0, 1.12)
    label_axes(left, "share of the recording looked at", "", legend=False)
    label_axes(right, "reference events", "", legend=False)
    for axes in (left, right):
        axes.legend(
            frameon=False, fontsize=7, loc="lower center", ncols=3,
            bbox_to_anchor=(0.5, 1.0),
        )  # fmt: skip
    return figure


def construction_figure(rows: Sequence[Row]) -> "Figure":
    """Draw instances after each stage of construction (figure 3)."""
    figure, (axes,) = new_figure(1, width=6.4)
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
    label_axes(axes, "task", "instances")
    return figure


def new_figure(
    n_panels: int, *, width: float = 5.2, height: float = 3.4
) -> "tuple[Figure, list[Axes]]":
    """Return a figure with panels side by side, sizes in inches a panel."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * n_panels, height), layout="constrained")
    panels = figure.subplots(1, n_panels, squeeze=False)[0]
    return figure, list(panels)


def label_axes(
    axes: "Axes", x_label: str, y_label: str, *, legend: bool = True
) -> None:
    """Name the axes of a panel and open its frame; a legend if anything has a name."""
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.spines[["top", "right"]].set_visible(False)
    if legend and axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=7)
