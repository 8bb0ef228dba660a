"""Candidates: instances and references before screening, and what was said on the way.

A candidate knows how its signal gets into the set: referred to where it lies, or
written (a zip member, a mixture, a trimmed night). Nothing is written before it is
known which candidates stay.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from eegbench.instances import Instance
from eegbench.references import Reference

Place = Literal["refer", "copy", "link"]
"""What is done with a signal file that lies outside of the set: named by its absolute
path, copied into the set, or linked from there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One instance with its reference and its signal."""

    name: str
    """Record name as in the source (`Z002`, `chb01_03`): what panel files use."""
    group: str
    """What counts and balancing go by: Z, O, S; AD, FTD, HC; seizure, free; ..."""
    instance: Instance
    reference: Reference | None
    """None where the source has no answer."""
    source: Path | None = None
    """Signal file to refer to; None: none, or it has to be written."""
    write: Callable[[Path], object] | None = None
    """Writes the signal file, where it does not lie ready."""
    file_name: str | None = None
    """Name of the signal file within the set, where it is written or copied."""


@dataclass(slots=True, kw_only=True)
class Pool:
    """All candidates of one task, and what was left out."""

    task: str
    candidates: list[Candidate] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    """Files of the source that could not be used, with the reason."""
    problems: list[str] = field(default_factory=list)
    """Contradictions and choices that the user should know."""
    extra_counts: dict[str, int] = field(default_factory=dict)
    """Further counts of the candidate stage, such as epochs before trimming."""

    def counts(self) -> dict[str, int]:
        """Candidates by group."""
        return dict(Counter(candidate.group for candidate in self.candidates))
