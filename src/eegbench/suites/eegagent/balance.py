"""Class balancing after screening: which instances of a group are kept.

Deterministic: the easiest (highest solve rate) go first; of equal ones the later in
natural name order (`chb02_9` before `chb02_10`) goes first, so that with equal solve
rates the first names stay. The source says only that the easiest go first.

References
----------
EEGAgentBench paper, section 6.1, "Class balancing".
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

BALANCED = ("T3", "T4", "T5")
"""Tasks whose classes are balanced."""


class Member(NamedTuple):
    """One instance as balancing sees it."""

    instance_id: str
    group: str
    """Class or subset: Z, O, S; AD, FTD, HC; seizure, free."""


def natural_key(name: str) -> tuple[tuple[int, str], ...]:
    """Sort key in which digits count as numbers."""
    parts = re.findall(r"\d+|\D+", name)
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in parts)


def hardest(
    members: Iterable[Member], n_kept: int, solve_rates: Mapping[str, float]
) -> list[str]:
    """Ids of the `n_kept` hardest members, in natural name order.

    An instance without a solve rate counts as never solved.
    """
    ordered = sorted(
        members,
        key=lambda member: (
            solve_rates.get(member.instance_id, 0.0),
            natural_key(member.instance_id),
        ),
    )
    kept = [member.instance_id for member in ordered[:n_kept]]
    return sorted(kept, key=natural_key)


def group_targets(task: str, counts: Mapping[str, int]) -> dict[str, int]:
    """Instances to keep of each group.

    T3: as many normal as epileptic, the normal ones half eyes open (Z), half eyes
    closed (O). T4: of each cohort as many as the smallest has. T5: every seizure
    record and as many without. Other tasks keep all.
    """
    if task == "T3":
        each = min(counts.get("Z", 0), counts.get("O", 0), counts.get("S", 0) // 2)
        return {"Z": each, "O": each, "S": 2 * each}
    if task == "T4":
        fewest = min(counts.values(), default=0)
        return dict.fromkeys(counts, fewest)
    if task == "T5":
        n_seizure = counts.get("seizure", 0)
        return {"seizure": n_seizure, "free": min(n_seizure, counts.get("free", 0))}
    return dict(counts)


def balance(
    task: str, members: Iterable[Member], solve_rates: Mapping[str, float]
) -> list[str]:
    """Ids of the instances kept, in natural name order."""
    groups: dict[str, list[Member]] = {}
    for member in members:
        groups.setdefault(member.group, []).append(member)
    counts = {group: len(rows) for group, rows in groups.items()}
    targets = group_targets(task, counts)
    kept: list[str] = []
    for group, rows in groups.items():
        kept.extend(hardest(rows, targets.get(group, 0), solve_rates))
    return sorted(kept, key=natural_key)
