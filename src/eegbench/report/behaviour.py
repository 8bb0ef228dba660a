"""The page's section on what agents did: tools, calls, time, tokens, coverage."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from eegbench.analysis.behaviour import Behaviour
from eegbench.analysis.cost import cost_usd
from eegbench.report.bars import Shares, share_bar
from eegbench.report.cells import (
    Cell,
    Head,
    Line,
    Table,
    number_cell,
    plain_table,
    seconds_cell,
    seconds_text,
    share_cell,
)
from eegbench.report.svg import key_of_parts
from eegbench.report.tables import cell_text

Rows = list[dict[str, Any]]
PARTS = ("open", "agent", "queue", "compute", "encode")
OPEN_MATRICES = 6  # agents whose tools are shown unfolded


class Doing(NamedTuple):
    """What one run did, for the page."""

    agent: str
    behaviour: Behaviour
    groundedness: Rows
    price: Mapping[str, float] | None = None
    """USD per million tokens, as `cost_usd` takes it."""


class Block(NamedTuple):
    """A titled table of the page; ``legend`` is safe markup above it."""

    title: str
    note: str
    table: Table
    legend: str = ""
    folded: bool = False


def behaviour_blocks(runs: Sequence[Doing]) -> list[Block]:
    """Return the tables of the page's section, all agents in one table each."""
    used = [run for run in runs if run.behaviour.tool_use]
    blocks = [
        Block(
            f"Tool use: {run.agent}",
            "Share of episodes that call a tool at least once.",
            tool_matrix(run.behaviour.tool_use, f"tool use of {run.agent}"),
            folded=number >= OPEN_MATRICES,
        )
        for number, run in enumerate(used)
    ]
    made = [_coverage(runs), _groundedness(runs), _endings(runs)]
    made += [_times(runs), _tokens(runs)]
    return blocks + [block for block in made if block is not None]


def tool_matrix(rows: Rows, caption: str) -> Table:
    """Return tools by tasks, each cell the share of episodes that use the tool."""
    tasks = sorted({row["task"] for row in rows})
    rate = {(row["task"], row["tool"]): row["use_rate"] for row in rows}
    lines = [
        Line([Cell(tool), *(share_cell(rate.get((task, tool), 0.0)) for task in tasks)])
        for tool in sorted({row["tool"] for row in rows})
    ]
    heads = [Head("tool"), *(Head(task, number=True) for task in tasks)]
    return Table(caption, heads, [lines])


def _times(runs: Sequence[Doing]) -> Block | None:
    """Return the parts of an episode's time, drawn as shares and told."""
    heads = [Head("agent"), Head("task"), Head("shares"), Head("total", number=True)]
    heads += [Head(part, number=True) for part in PARTS]
    heads += [Head("95 % under", number=True)]
    lines = []
    for run in runs:
        for row in run.behaviour.times:
            seconds = [row[f"{part}_sec"] or 0.0 for part in PARTS]
            texts = [
                f"{part} {seconds_text(value)}"
                for part, value in zip(PARTS, seconds, strict=True)
            ]
            bar = share_bar(Shares(seconds, texts), label=", ".join(texts))
            cells = [
                Cell(run.agent),
                Cell(row["task"]),
                Cell("", bar=bar),
                seconds_cell(row["total_sec"]),
            ]
            cells += [seconds_cell(row[f"{part}_sec"]) for part in PARTS]
            cells.append(seconds_cell(row["total_p95_sec"]))
            lines.append(Line(cells))
    if not lines:
        return None
    return Block(
        "Time of an episode",
        "Median of each part: opening the recording, the agent, waiting for a free "
        "worker, computing and encoding the tools' answers.",
        Table("time of an episode", heads, [lines]),
        key_of_parts(PARTS),
    )


def _tokens(runs: Sequence[Doing]) -> Block | None:
    """Return tokens, calls and cost; the latter where a run has a price."""
    rows = [
        {
            "agent": run.agent,
            "task": row["task"],
            "n": row["n"],
            "calls": row["median_calls"],
            "turns": row["median_turns"],
            "repairs": row["repairs"],
            "tokens in": row["input_tokens"],
            "of these cached": row["cached_input_tokens"],
            "tokens out": row["output_tokens"],
            "shown": row["shown_tokens"],
            "cost_usd": cost_usd([row], run.price),
        }
        for run in runs
        for row in run.behaviour.tokens
    ]
    if not rows:
        return None
    note = (
        "Calls and turns: median of an episode; all others: sums. In and out as the "
        "provider counts, 0 for agents without a model; shown: characters of all text "
        "shown, each once, divided by 4. "
    )
    if all(run.price is None for run in runs):
        note += "Cost: give prices with --prices FILE."
        rows = [{k: v for k, v in row.items() if k != "cost_usd"} for row in rows]
    else:
        note += "Cost: tokens times list prices, no discount for cached input."
    title = "Calls, tokens and cost"
    return Block(title, note, plain_table(title, rows))


def _coverage(runs: Sequence[Doing]) -> Block | None:
    heads = [Head("agent"), Head("task"), Head("n", number=True)]
    heads += [Head("looked at", number=True), Head("seizures", number=True)]
    heads += [Head("found", number=True), Head("misjudged", number=True)]
    heads += [Head("never looked at", number=True)]
    counted = ("n_events", "n_hit", "n_misjudged", "n_never_looked")
    lines = [
        Line(
            [
                Cell(run.agent),
                Cell(row["task"]),
                number_cell(row["n"]),
                _coverage_cell(row["coverage"]),
                *(number_cell(row[name]) for name in counted),
            ]
        )
        for run in runs
        for row in run.behaviour.coverage
    ]
    if not lines:
        return None
    return Block(
        "Evidence coverage",
        "Looked at: share of the recording measured in windows of 1 min (T5) or 5 min "
        "(T6) or less. Missed seizures are either misjudged or never looked at.",
        Table("evidence coverage", heads, [lines]),
    )


def _coverage_cell(share: float | None) -> Cell:
    if share is None:
        return number_cell(None)
    return share_cell(share)._replace(text=f"{100 * share:.0f} %")


def _groundedness(runs: Sequence[Doing]) -> Block | None:
    rows = [{"agent": run.agent, **row} for run in runs for row in run.groundedness]
    if not rows:
        return None
    note = (
        "Of the numbers that reasons cite, the share that stands in the answers of "
        "the agent's own tools; chance: in those of other episodes."
    )
    tints = ("share", "chance", "excess")
    return Block("Groundedness", note, plain_table("Groundedness", rows, heat=tints))


def _endings(runs: Sequence[Doing]) -> Block | None:
    """Return one row per agent and ending, a column a task."""
    tasks = sorted({row["task"] for run in runs for row in run.behaviour.ended})
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for run in runs:
        for row in run.behaviour.ended:
            counts.setdefault((run.agent, row["ended"]), {})[row["task"]] = row["n"]
    lines = [
        Line(
            [
                Cell(agent),
                Cell(ended),
                *(
                    Cell(
                        cell_text(told[t]) if told.get(t) else "",
                        told.get(t, 0),
                        "number",
                    )
                    for t in tasks
                ),
            ]
        )
        for (agent, ended), told in counts.items()
    ]
    if not lines:
        return None
    heads = [Head("agent"), Head("ended"), *(Head(task, number=True) for task in tasks)]
    note = "Episodes by how they ended: an answer, a limit, or a failure."
    return Block(
        "Why episodes ended", note, Table("why episodes ended", heads, [lines])
    )
