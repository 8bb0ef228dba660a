"""The page's section on what agents did: tools, calls, time, tokens, coverage."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from eegbench.analysis.behaviour import Behaviour
from eegbench.report.cells import Table, plain_table

Rows = list[dict[str, Any]]


class Block(NamedTuple):
    """A titled table of the page."""

    title: str
    note: str
    table: Table


def behaviour_blocks(runs: Sequence[tuple[str, Behaviour, Rows]]) -> list[Block]:
    """Return the tables of the page's section, all agents in one table each.

    Each run is (agent, what it did, groundedness of its reasons by task).
    """
    blocks = []
    for agent, behaviour, _ in runs:
        if behaviour.tool_use:
            blocks.append(
                Block(
                    f"Tool use: {agent}",
                    "Share of episodes that call a tool at least once.",
                    tool_matrix(behaviour.tool_use, f"tool use of {agent}"),
                )
            )
    titles = {
        "coverage": (
            "Evidence coverage",
            "Share of the recording measured in windows of 1 min (T5) or 5 min (T6) or "
            "less; missed seizures split into never looked at, and looked at but "
            "misjudged.",
        ),
        "tokens": (
            "Tokens and calls",
            "Input and output as the provider counts (0 for agents without a model); "
            "shown: characters of all text shown, each once, divided by 4.",
        ),
        "times": ("Time of an episode", "Median seconds of each part."),
    }
    for field, (title, note) in titles.items():
        rows = [
            {"agent": agent, **row}
            for agent, behaviour, _ in runs
            for row in getattr(behaviour, field)
        ]
        if rows:
            blocks.append(
                Block(title, note, plain_table(title, rows, heat=("coverage",)))
            )
    grounded = [{"agent": agent, **row} for agent, _, rows in runs for row in rows]
    if grounded:
        title = "Groundedness"
        note = (
            "Of the numbers that reasons cite, the share that stands in the answers of "
            "the agent's own tools; chance: in those of other episodes."
        )
        tints = ("share", "chance", "excess")
        blocks.append(Block(title, note, plain_table(title, grounded, heat=tints)))
    endings = _endings(runs)
    if endings:
        title = "Why episodes ended"
        blocks.append(Block(title, "", plain_table(title, endings)))
    return blocks


def _endings(runs: Sequence[tuple[str, Behaviour, Rows]]) -> Rows:
    """Return one row per agent and ending, a column a task."""
    tasks = sorted({row["task"] for _, did, _ in runs for row in did.ended})
    lines: dict[tuple[str, str], dict[str, Any]] = {}
    for agent, did, _ in runs:
        for row in did.ended:
            blank = {"agent": agent, "ended": row["ended"], **dict.fromkeys(tasks, 0)}
            lines.setdefault((agent, row["ended"]), blank)[row["task"]] = row["n"]
    return list(lines.values())


def tool_matrix(rows: Rows, caption: str) -> Table:
    """Return tools by tasks, each cell the share of episodes that use the tool."""
    tasks = sorted({row["task"] for row in rows})
    tools = sorted({row["tool"] for row in rows})
    rate = {(row["task"], row["tool"]): row["use_rate"] for row in rows}
    lines = [
        {"tool": tool, **{task: rate.get((task, tool), 0.0) for task in tasks}}
        for tool in tools
    ]
    return plain_table(caption, lines, heat=tasks)
