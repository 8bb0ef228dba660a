"""Tasks on a Dask cluster, with the same meaning as those of `eegcore.pool`.

Dask moves a task to another worker when its own is lost. Every worker says which
versions it computes with before it computes: results of different ones are never mixed.
Needs the extra `dask`.
"""

import contextlib
import hashlib
import logging
import os
import pickle
import platform
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

from eegcore import threads
from eegcore.errors import MissingExtraError, WorkerError
from eegcore.pool import Done, Task
from eegcore.versions import versions

CONNECT_SEC = 10.0
AHEAD = 4
"""Tasks handed to Dask for each of its threads: enough to keep them busy, and few
enough that results and payloads in flight stay bounded."""

LOST = "Dask lost every worker that began it"

_ready: dict[str, Callable[[bytes], bytes]] = {}
_ready_lock = threading.Lock()


def run_tasks_on_dask(
    tasks: Iterable[Task],
    setup: Callable[..., Callable[[bytes], bytes]],
    setup_args: tuple[object, ...],
    *,
    n_workers: int,
    limit_sec: float,
    preload: tuple[str, ...] = (),
    scheduler: str | None = None,
) -> Generator[Done, None, None]:
    """Carry out tasks on Dask workers; yield each as it ends.

    Parameters
    ----------
    tasks, setup, setup_args
        As for `eegcore.pool.run_tasks`. Files that they name must be reachable for
        every worker under the same path.
    n_workers : int
        Processes of a local cluster; a scheduler has its own.
    limit_sec : float
        Wall time of one task, after which its worker process ends itself. Dask tries
        a task again when its worker is lost, by default three times.
    preload : tuple of str, optional
        Not used here.
    scheduler : str, optional
        Address; None: a cluster of processes on this machine, ended at the end.

    Raises
    ------
    MissingExtraError
        Dask is not installed.
    WorkerError
        The scheduler does not answer, or a worker has other versions.
    """
    job = pickle.dumps((setup, setup_args))
    with _client(scheduler, n_workers) as client:
        from distributed import as_completed

        waiting = iter(tasks)
        given: dict[Any, Task] = {}
        suspects: list[Task] = []
        ended = as_completed(loop=client.loop)

        def submit(task: Task) -> Any:
            return client.submit(
                _carry_out, job, task.payload, versions(), limit_sec, pure=False
            )

        def hand_out() -> bool:
            task = next(waiting, None)
            if task is None:
                return False
            future = submit(task)
            given[future] = task
            ended.add(future)
            return True

        n_ahead = AHEAD * max(1, sum(client.nthreads().values()) or n_workers)
        while len(given) < n_ahead and hand_out():
            pass
        for future in ended:
            task = given.pop(future)
            done = _done(task.key, future)
            if done.ended == "crash":
                suspects.append(task)
            else:
                yield done
            hand_out()
        for task in suspects:  # alone: Dask also blames what waited beside the cause
            yield _done(task.key, submit(task))


def _done(key: str, future: Any) -> Done:
    """Return what became of a task; WorkerError if no task can be carried out."""
    from distributed.client import FutureCancelledError
    from distributed.scheduler import KilledWorker

    try:
        return Done(key, future.result(), "done", "")
    except KilledWorker:
        return Done(key, None, "crash", LOST)
    except FutureCancelledError as error:
        raise WorkerError(
            "the Dask scheduler has gone; what is finished is kept"
        ) from error
    except Exception as error:  # whatever a worker raises is pickled and raised here
        raise WorkerError(_reason(error)) from error


@contextlib.contextmanager
def _client(scheduler: str | None, n_workers: int) -> Iterator[Any]:
    """Connect to a scheduler, or start a cluster of processes on this machine."""
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise MissingExtraError(
            "the executor 'dask' needs Dask: pip install 'eegbench[dask]'"
        ) from error
    with contextlib.ExitStack() as stack:
        stack.enter_context(_quiet())
        address: Any = scheduler
        if scheduler is None:
            address = stack.enter_context(
                LocalCluster(
                    n_workers=n_workers,
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address="127.0.0.1:0",
                    memory_limit=None,
                    silence_logs=50,
                )
            )
        client = Client.__new__(Client)
        try:
            Client.__init__(client, address, timeout=CONNECT_SEC, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            client.status = "closed"  # else its end waits 20 s, and complains
            raise WorkerError(
                f"no Dask scheduler answers at {scheduler!r} within {CONNECT_SEC:g} s"
            ) from error
        yield stack.enter_context(client)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's client from logging what becomes an error of ours."""
    logger = logging.getLogger("distributed.client")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


def _carry_out(
    job: bytes, payload: bytes, wanted: dict[str, str], limit_sec: float
) -> bytes:
    """Do a task in a worker, which is set up when it meets the first of a job."""
    mine = versions()
    if mine != wanted:
        other = [name for name in wanted if mine.get(name) != wanted[name]]
        raise WorkerError(
            f"worker {platform.node()} has {other[0]} {mine[other[0]]!r}, this machine "
            f"{wanted[other[0]]!r}; results of both would be mixed"
        )
    name = hashlib.sha256(job).hexdigest()
    with _ready_lock:
        if name not in _ready:
            os.environ.setdefault("EEGCORE_THREADS", str(_n_threads()))
            _ready.clear()
            setup, setup_args = pickle.loads(job)
            _ready[name] = setup(*setup_args)
        work = _ready[name]
        # one task at a time: what a worker keeps is not made for two
        watch = threading.Timer(limit_sec, os._exit, args=(1,))
        watch.daemon = True
        watch.start()
        try:
            return work(payload)
        finally:
            watch.cancel()


def _n_threads() -> int:
    """Return this worker's share of the cores."""
    from distributed import get_worker

    try:
        return max(1, int(get_worker().state.nthreads))
    except (AttributeError, ValueError):
        return threads.n_threads()


def _reason(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if isinstance(error, WorkerError) else f"Dask: {text}"
