"""A pool of threads for kernels, which release the GIL."""

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from weakref import WeakSet

from eegcore.errors import ArgumentError

_T = TypeVar("_T")
_R = TypeVar("_R")
_here = threading.local()
_locks: "WeakSet[ForkLock]" = WeakSet()
_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}


def n_threads() -> int:
    """Threads to use: EEGCORE_THREADS, by default one for each usable core.

    Raises
    ------
    ArgumentError
        EEGCORE_THREADS is no whole number above 0.
    """
    text = os.environ.get("EEGCORE_THREADS", "").strip()
    if not text:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentError(
            f"EEGCORE_THREADS is {text!r}; it must be a whole number above 0"
        )
    return int(text)


class ForkLock:
    """A re-entrant lock that is open in a forked child.

    A thread may hold it at the fork; in the child nobody would ever open it.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _locks.add(self)

    def __enter__(self) -> None:
        """Close it."""
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        """Open it."""
        self._lock.release()

    def renew(self) -> None:
        """Open it, whoever closed it."""
        self._lock = threading.RLock()


def _renew_locks() -> None:
    for lock in _locks:
        lock.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)
_lock = ForkLock()


def _pool(size: int) -> ThreadPoolExecutor:
    """Return the pool of this process; a forked child makes its own."""
    key = (os.getpid(), size)
    with _lock:
        if key not in _pools:
            _pools[key] = ThreadPoolExecutor(size, thread_name_prefix="eegcore")
        return _pools[key]


def _marked(task: Callable[[_T], None], item: _T) -> None:
    _here.busy = True
    try:
        task(item)
    finally:
        _here.busy = False


def run(task: Callable[[_T], None], items: Iterable[_T]) -> None:
    """Call ``task`` once for each item, on several threads if that is allowed.

    Each call writes results of its own, so that the order of the calls cannot show.
    The first exception is raised again. A task that calls `run` itself works alone.
    """
    work = list(items)
    if len(work) < 2 or n_threads() < 2 or getattr(_here, "busy", False):
        for item in work:
            task(item)
        return
    futures = [_pool(n_threads()).submit(_marked, task, item) for item in work]
    for future, item in zip(futures, work, strict=True):
        # A caller may hold a lock that tasks of another caller wait for on every thread
        # of the pool: what nobody has begun is done here, or both would wait for ever.
        if future.cancel():
            _marked(task, item)
        else:
            future.result()


def each(
    function: Callable[[_T], _R], items: Iterable[_T], *, alone: bool = False
) -> list[_R]:
    """Return ``function`` of each item, in their order, computed as by `run`.

    alone: on this thread; for work in Python, which threads only make slower.
    """
    work = list(items)
    if alone:
        return [function(item) for item in work]
    results: dict[int, _R] = {}

    def keep(at: int) -> None:
        results[at] = function(work[at])

    run(keep, range(len(work)))
    return [results[at] for at in range(len(work))]
