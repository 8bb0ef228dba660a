"""Worker processes that may hang, crash or be killed, each at the cost of its task.

Written here, small, because of what a run needs and pools with one shared queue do not
give: a pipe of its own for each worker, so that a worker killed in the middle of a
message spoils nothing but itself; limits by the monotonic clock; a worker that dies
while it is idle is simply replaced.
"""

import contextlib
import gc
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple

from eegcore import threads
from eegcore.errors import WorkerError

MOST_IDLE_DEATHS = 5
KILLED_SEC = 5.0
"""How long a killed process may take to end."""
UNKILLABLE = "its process cannot be killed: does its file system answer?"


class Task(NamedTuple):
    """One piece of work; the payload goes to the worker."""

    key: str
    payload: bytes
    group: str = ""
    """Tasks of one group share something that a worker may keep, such as an open
    recording; "": of no group."""


class Done(NamedTuple):
    """What became of a task."""

    key: str
    result: bytes | None
    ended: str
    """``done``, ``crash`` (the process ended) or ``timeout``."""
    error: str


@dataclass
class _Worker:
    process: BaseProcess
    pipe: Connection
    is_set_up: bool = False
    task: Task | None = None
    until: float = 0.0
    group: str = ""


class _Waiting:
    """Tasks in order, those of a group for the worker that has begun with it."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._groups: dict[str, deque[Task]] = {}
        self._fresh: deque[str] = deque()
        for number, task in enumerate(tasks):
            name = task.group or f"\0{number}"
            if name not in self._groups:
                self._groups[name] = deque()
                self._fresh.append(name)
            self._groups[name].append(task)
        self._n_left = sum(map(len, self._groups.values()))

    def __len__(self) -> int:
        return self._n_left

    def take(self, group: str) -> tuple[str, Task]:
        """Return the next task of a group; else of a new one; else of the fullest."""
        if group not in self._groups:
            if self._fresh:
                group = self._fresh.popleft()
            else:
                group = max(self._groups, key=lambda name: len(self._groups[name]))
        task = self._groups[group].popleft()
        if not self._groups[group]:
            del self._groups[group]
        self._n_left -= 1
        return group, task

    def put_back(self, group: str, task: Task) -> None:
        """Have a task that nobody took be the next of its group."""
        self._groups.setdefault(group, deque()).appendleft(task)
        self._n_left += 1


def run_tasks(
    tasks: Iterable[Task],
    setup: Callable[..., Callable[[bytes], bytes]],
    setup_args: tuple[object, ...],
    *,
    n_workers: int,
    limit_sec: float,
    preload: tuple[str, ...] = (),
) -> Generator[Done, None, None]:
    """Carry out tasks in worker processes, in order; yield each as it ends.

    Parameters
    ----------
    tasks : iterable of Task
        Handed out one at a time, so that the first are begun first. A worker goes on
        with the group that it has begun; one without work helps with another's.
    setup : callable
        Called once in each worker with ``setup_args``; its result turns a payload
        into a result. What it raises ends the worker.
    setup_args : tuple
        Must pickle.
    n_workers : int
        Processes, at least one.
    limit_sec : float
        Wall time of one task; its worker is then killed.
    preload : tuple of str, optional
        Modules that the fork server imports once, for all workers.

    Raises
    ------
    WorkerError
        Workers die again and again before they take a task, or cannot be started.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(preload))
    n_threads = max(1, threads.n_threads() // n_workers)
    waiting = _Waiting(tasks)
    workers: list[_Worker] = []
    n_idle_deaths = 0

    def add_worker() -> None:
        ours, theirs = context.Pipe()
        process = context.Process(
            target=_serve, args=(theirs, setup, setup_args, n_threads), daemon=True
        )
        try:
            process.start()
        except (EOFError, ConnectionError) as error:
            raise WorkerError(
                "the process that starts workers has ended; was it killed, or can it "
                f"not import {', '.join(preload) or 'its modules'}?"
            ) from error
        finally:
            theirs.close()
        workers.append(_Worker(process, ours))

    try:
        while waiting or any(worker.task for worker in workers):
            while len(workers) < min(n_workers, len(waiting) + _n_busy(workers)):
                add_worker()
            for worker in workers:
                if worker.is_set_up and worker.task is None and waiting:
                    _hand_out(worker, waiting, limit_sec)
            for worker in _ready(workers):
                done = _collect(worker)
                if done is None:
                    continue
                if done.ended != "done":
                    workers.remove(worker)
                    if not _end(worker):
                        done = done._replace(error=f"{done.error}; {UNKILLABLE}")
                if done.key:
                    n_idle_deaths = 0
                    yield done
                    continue
                n_idle_deaths += 1
                if n_idle_deaths > MOST_IDLE_DEATHS:
                    raise WorkerError(
                        f"{n_idle_deaths} workers ended before they took a task: "
                        f"{done.error}; a script that starts a run is a file, and "
                        "starts it under if __name__ == '__main__'"
                    )
    finally:
        for worker in workers:
            _end(worker)


def _n_busy(workers: list[_Worker]) -> int:
    return sum(worker.task is not None for worker in workers)


def _hand_out(worker: _Worker, waiting: _Waiting, limit_sec: float) -> None:
    """Send the next task; a dead worker leaves it where it was."""
    group, task = waiting.take(worker.group)
    try:
        worker.pipe.send_bytes(task.payload)
    except OSError:
        waiting.put_back(group, task)
        return
    worker.task, worker.group = task, group
    worker.until = time.monotonic() + limit_sec


def _ready(workers: list[_Worker]) -> list[_Worker]:
    """Wait until a worker has a result, has died, or has used its time."""
    busy = [worker.until for worker in workers if worker.task is not None]
    timeout = max(0.0, min(busy) - time.monotonic()) if busy else None
    handles: dict[Connection | int, _Worker] = {}
    for worker in workers:
        handles[worker.pipe] = handles[worker.process.sentinel] = worker
    found = {
        id(handles[ready]): handles[ready]  # type: ignore[index]
        for ready in wait(handles, timeout)
    }
    now = time.monotonic()
    late = [worker for worker in workers if worker.task and worker.until <= now]
    found.update({id(worker): worker for worker in late})
    return list(found.values())


def _collect(worker: _Worker) -> Done | None:
    """Take what a worker has to say; None: nothing yet."""
    key = worker.task.key if worker.task else ""
    try:
        if worker.pipe.poll():
            result = worker.pipe.recv_bytes()
            if not worker.is_set_up:
                worker.is_set_up = True
                return None
            worker.task = None
            return Done(key, result, "done", "")
    except (EOFError, OSError):
        pass  # it died, perhaps in the middle of a message
    else:
        if worker.process.is_alive():
            if worker.task is None or time.monotonic() < worker.until:
                return None
            return Done(key, None, "timeout", "not ended within the time limit")
    worker.process.join(timeout=5.0)
    code = worker.process.exitcode
    how = f"signal {-code}" if code is not None and code < 0 else f"status {code}"
    return Done(key, None, "crash", f"the worker process ended with {how}")


def _end(worker: _Worker) -> bool:
    """Kill a worker; False if it does not end, since its file system stalls."""
    worker.pipe.close()
    worker.process.kill()
    worker.process.join(KILLED_SEC)
    if worker.process.is_alive():
        # else this process would wait for it when it ends itself
        multiprocessing.process._children.discard(worker.process)  # type: ignore[attr-defined]
        return False
    worker.process.close()
    return True


def _serve(
    pipe: Connection,
    setup: Callable[..., Callable[[bytes], bytes]],
    setup_args: tuple[object, ...],
    n_threads: int,
) -> None:
    """Live as a worker: until the pipe closes or the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it, and ends us
    os.dup2(2, 1)  # what an agent prints is talk; the standard output is for data
    # processes use the cores already: without this each would use all of them
    os.environ["EEGCORE_THREADS"] = str(n_threads)
    threading.Thread(target=_follow_parent, daemon=True).start()
    # what the fork server loaded is never garbage: without this each worker looks
    # through all of it again and again, and copies its pages (6 % of a run)
    gc.freeze()
    work = setup(*setup_args)
    pipe.send_bytes(b"")  # set up: the limit of the first task begins now
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            pipe.send_bytes(work(pipe.recv_bytes()))


def _follow_parent() -> None:
    """End this process when its parent has ended, whatever it is doing."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
