"""What the processes below this one use, sampled while they work.

Processor time, the time that a process was ready but had no core (other programs, or
too few cores), and anonymous memory. What is neither is idle: waiting for work or disk.
"""

import contextlib
import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

EVERY_SEC = 0.1  # looking costs a millisecond
PROC = Path("/proc")


@dataclass
class Used:
    """What one process used, up to the last look at it."""

    pid: int
    first_sec: float
    last_sec: float = 0.0
    cpu_sec: float = 0.0
    queue_sec: float = 0.0
    peak_mib: float = 0.0
    threads: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def life_sec(self) -> float:
        """From the first look at it to the last."""
        return self.last_sec - self.first_sec

    @property
    def idle_sec(self) -> float:
        """Neither computing nor waiting for a core."""
        return max(0.0, self.life_sec - self.cpu_sec - self.queue_sec)

    def look(self, now: float) -> float:
        """Read the counters; return the anonymous memory in MiB."""
        for thread in (PROC / str(self.pid) / "task").iterdir():
            with contextlib.suppress(OSError):
                cpu, queue, _ = (thread / "schedstat").read_text().split()
                self.threads[thread.name] = (int(cpu) / 1e9, int(queue) / 1e9)
        self.cpu_sec = sum(cpu for cpu, _ in self.threads.values())
        self.queue_sec = sum(queue for _, queue in self.threads.values())
        self.last_sec = now
        mib = anonymous_mib(self.pid)
        self.peak_mib = max(self.peak_mib, mib)
        return mib


def anonymous_mib(pid: int | str = "self") -> float:
    """Return the anonymous memory of a process; mapped files do not count."""
    for line in (PROC / str(pid) / "status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024
    return 0.0


def below(pid: int) -> list[int]:
    """Return all processes below one."""
    found: list[int] = []
    for thread in (PROC / str(pid) / "task").iterdir():
        with contextlib.suppress(OSError):
            for word in (thread / "children").read_text().split():
                found += [int(word), *below(int(word))]
    return found


class Watch:
    """Samples this process and all below it, in a thread, while the block runs.

    Attributes
    ----------
    processes : dict of int to Used
        By process id, those that have ended too.
    peak_mib : float
        Most anonymous memory of all at one time.
    wall_sec, own_cpu_sec : float
        Of the block, in this process.
    """

    def __init__(self) -> None:
        self.processes: dict[int, Used] = {}
        self.peak_mib = self.wall_sec = self.own_cpu_sec = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def workers(self, count: int) -> list[Used]:
        """Return the processes that computed most."""
        return sorted(self.processes.values(), key=lambda used: -used.cpu_sec)[:count]

    def _sample(self) -> None:
        own, known = os.getpid(), []
        while not self._done.wait(EVERY_SEC):
            now, total = time.perf_counter(), anonymous_mib()
            with contextlib.suppress(OSError):
                known = below(own)
            for pid in known:
                used = self.processes.setdefault(pid, Used(pid, now))
                with contextlib.suppress(OSError):
                    total += used.look(now)
            self.peak_mib = max(self.peak_mib, total)
        self._cpu = time.thread_time()

    def __enter__(self) -> "Watch":
        """Begin."""
        self._began = time.perf_counter(), time.process_time()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End."""
        self.wall_sec = time.perf_counter() - self._began[0]
        cpu = time.process_time()
        self._done.set()
        self._thread.join()
        # what the looking itself cost is not the work's
        self.own_cpu_sec = cpu - self._began[1] - self._cpu
