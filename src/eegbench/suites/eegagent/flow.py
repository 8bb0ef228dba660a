"""The construction flow: our counts beside the paper's, stage by stage.

References
----------
EEGAgentBench paper, section 6.1 and Figure 3; the stages of T5's seizure-free records
as worked out in docs/protocol.md (the printed 529 is the count before screening).
"""

from collections.abc import Iterable, Mapping

import msgspec

STAGES = ("candidates", "screened", "balanced")

PAPER: Mapping[str, Mapping[str, Mapping[str, int]]] = {
    "candidates": {
        "T1": {"all": 149},
        "T2": {"all": 300, "clean": 100, "ocular": 100, "muscle": 100},
        "T3": {"all": 300, "Z": 100, "O": 100, "S": 100},
        "T4": {"all": 88, "AD": 36, "FTD": 23, "HC": 29},
        "T5": {"all": 669, "seizure": 140, "free": 529},
        "T6": {"all": 197, "epochs": 461702},
    },
    "screened": {
        "T1": {"all": 38},
        "T2": {"all": 300},
        "T3": {"all": 249},
        "T4": {"all": 75},
        "T5": {"all": 631, "seizure": 140, "free": 491},
        "T6": {"all": 197},
    },
    "balanced": {
        "T1": {"all": 38},
        "T2": {"all": 300},
        "T3": {"all": 188, "Z": 47, "O": 47, "S": 94},
        "T4": {"all": 69, "AD": 23, "FTD": 23, "HC": 23},
        "T5": {"all": 280, "seizure": 140, "free": 140},
        "T6": {"all": 197, "trimmed": 155, "epochs": 264422},
    },
}
"""Stage, task and group to the paper's count."""


class FlowRow(msgspec.Struct, frozen=True, kw_only=True):
    """One count of ours beside the paper's."""

    stage: str
    task: str
    group: str
    ours: int
    paper: int | None

    @property
    def differs(self) -> bool:
        """Whether the paper has another number."""
        return self.paper is not None and self.paper != self.ours


def flow_rows(
    stage: str, task: str, counts: Mapping[str, int], *, total: int
) -> list[FlowRow]:
    """Rows of one stage of one task: the total first, then its groups."""
    paper = PAPER.get(stage, {}).get(task, {})
    ours = {"all": total, **counts}
    return [
        FlowRow(stage=stage, task=task, group=group, ours=n, paper=paper.get(group))
        for group, n in ours.items()
    ]


def totals(rows: Iterable[FlowRow]) -> list[FlowRow]:
    """Sum over tasks at each stage, beside the paper's sum over the same tasks.

    A stage that some of the tasks did not go through has no sum; one task needs none.
    """
    rows = [row for row in rows if row.group == "all"]
    tasks = {row.task for row in rows}
    sums = []
    for stage in STAGES:
        of_stage = [row for row in rows if row.stage == stage]
        if len(tasks) > 1 and {row.task for row in of_stage} == tasks:
            sums.append(
                FlowRow(
                    stage=stage,
                    task="all",
                    group="all",
                    ours=sum(row.ours for row in of_stage),
                    paper=sum(row.paper or 0 for row in of_stage),
                )
            )
    return sums


def differences(rows: Iterable[FlowRow]) -> list[str]:
    """One line for every count that is not the paper's."""
    return [
        f"{row.task} {row.stage}, {row.group}: {row.ours}; the paper has {row.paper}"
        for row in rows
        if row.differs
    ]


def flow_table(rows: Iterable[FlowRow]) -> str:
    """Rows as aligned text, with `!` at every difference."""
    lines = [f"{'stage':<11} {'task':<4} {'group':<9} {'ours':>8} {'paper':>8}"]
    for row in rows:
        paper = "-" if row.paper is None else str(row.paper)
        mark = " !" if row.differs else ""
        lines.append(
            f"{row.stage:<11} {row.task:<4} {row.group:<9} {row.ours:>8} "
            f"{paper:>8}{mark}"
        )
    return "\n".join(lines)
