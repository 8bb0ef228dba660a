"""How far a run is: instances done and failed, time gone by and time left."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Progress:
    """How far a run has come."""

    n_done: int
    """Instances ended in this session, failed ones included."""
    n_failed: int
    n_total: int
    """Instances that this session has to play."""
    elapsed_sec: float
    remaining_sec: float | None
    """By the work done so far; None: not known yet."""


class Tick(Protocol):
    """Moves a progress bar."""

    def __call__(
        self,
        n_done: int,
        n_total: int,
        /,
        *,
        n_failed: int = 0,
        remaining_sec: float | None = None,
    ) -> None:
        """Show how far it is."""


def moves(tick: Tick) -> Callable[[Progress], None]:
    """Return a function that shows the progress of a run on a bar."""

    def show(now: Progress) -> None:
        tick(
            now.n_done,
            now.n_total,
            n_failed=now.n_failed,
            remaining_sec=now.remaining_sec,
        )

    return show


class Counter:
    """Counts instances as they end.

    Parameters
    ----------
    n_total : int
    total_work : float
        Of all instances, in any unit; long ones come first, so that the share of
        instances that are done says little about the time that is left.
    on_progress : callable, optional
        Called after each instance.

    Attributes
    ----------
    n_done, n_failed : int
    """

    def __init__(
        self,
        n_total: int,
        total_work: float,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        self.n_done = self.n_failed = 0
        self._n_total, self._total_work = n_total, total_work
        self._work = 0.0
        self._on_progress = on_progress
        self._began = time.monotonic()

    @property
    def elapsed_sec(self) -> float:
        """Time since the session began."""
        return time.monotonic() - self._began

    def count(self, *, failed: bool, work: float) -> None:
        """Count an instance that has ended."""
        self.n_done += 1
        self.n_failed += failed
        self._work += work
        if self._on_progress is None:
            return
        elapsed, share = self.elapsed_sec, self._work / self._total_work
        self._on_progress(
            Progress(
                n_done=self.n_done,
                n_failed=self.n_failed,
                n_total=self._n_total,
                elapsed_sec=elapsed,
                remaining_sec=max(0.0, elapsed / share - elapsed) if share else None,
            )
        )
