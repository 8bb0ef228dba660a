"""Who carries tasks out: processes of this machine, or a Dask cluster."""

import functools
from collections.abc import Callable, Generator

from eegcore.errors import ArgumentError
from eegcore.pool import Done, run_tasks

EXECUTORS = ("processes", "dask")
Executor = Callable[..., Generator[Done, None, None]]


def executor_of(name: str, scheduler: str | None = None) -> Executor:
    """Return a function that is called as `eegcore.pool.run_tasks` is.

    Parameters
    ----------
    name : str
        "processes", or "dask" (needs the extra of that name).
    scheduler : str, optional
        Address of Dask's scheduler; None: a cluster of processes on this machine.

    Raises
    ------
    ArgumentError
        An unknown name, or a scheduler without Dask.
    """
    if name == "dask":
        from eegcore.dask_pool import run_tasks_on_dask

        return functools.partial(run_tasks_on_dask, scheduler=scheduler)
    if name != "processes":
        raise ArgumentError(
            f"unknown executor {name!r}; allowed are {', '.join(EXECUTORS)}"
        )
    if scheduler is not None:
        raise ArgumentError(f"scheduler {scheduler!r} needs the executor 'dask'")
    return run_tasks
