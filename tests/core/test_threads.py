"""The pool of threads, called from several threads at once."""

import threading

import numpy as np
import pytest

from eegcore import threads
from eegcore.formats import from_array
from eegcore.tools.toolbox import Toolbox


def test_callers_that_hold_a_lock_and_tasks_that_wait_for_it_do_not_block_for_ever(
    monkeypatch,
):
    monkeypatch.setenv("EEGCORE_THREADS", "2")
    lock, holds, waits = threading.Lock(), threading.Event(), threading.Barrier(3)
    done: list[str] = []

    def needs_lock(item: int) -> None:
        waits.wait(timeout=10)  # both threads of the pool are here
        with lock:
            done.append(f"needs {item}")

    def holder() -> None:
        with lock:
            holds.set()
            waits.wait(timeout=10)
            threads.run(lambda item: done.append(f"holds {item}"), range(3))

    def other() -> None:
        # not by run, whose caller would take a task itself
        pool = threads._pool(2)
        for future in [pool.submit(threads._marked, needs_lock, i) for i in range(2)]:
            future.result()

    first = threading.Thread(target=holder, daemon=True)
    first.start()
    assert holds.wait(timeout=10)
    second = threading.Thread(target=other, daemon=True)
    second.start()
    for thread in (first, second):
        thread.join(timeout=20)
        assert not thread.is_alive()
    assert sorted(done)[:3] == ["holds 0", "holds 1", "holds 2"]
    assert len(done) == 5


def test_two_recordings_measured_at_once_answer_as_one_after_the_other(monkeypatch):
    monkeypatch.setenv("EEGCORE_THREADS", "2")
    rng = np.random.default_rng(3)
    names = [f"C{i}" for i in range(6)]

    def boxes() -> list[Toolbox]:
        return [
            Toolbox({"r": from_array(data, 256.0, names)}, budget_tokens=None)
            for data in signals
        ]

    signals = [rng.normal(0, 20, (6, 256 * 120)) for _ in range(4)]
    calls = ("compute_psd", "compute_band_power", "get_recording_info")
    wanted = [[b.call_json(c, {"record_id": "r"}) for c in calls] for b in boxes()]
    found: dict[int, list[bytes]] = {}

    def measure(number: int, box: Toolbox) -> None:
        found[number] = [box.call_json(call, {"record_id": "r"}) for call in calls]

    workers = [
        threading.Thread(target=measure, args=(number, box), daemon=True)
        for number, box in enumerate(boxes())
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=60)
        assert not worker.is_alive()
    assert [found[number] for number in range(4)] == wanted


def test_tasks_write_in_their_order_and_the_first_fault_is_raised(monkeypatch):
    monkeypatch.setenv("EEGCORE_THREADS", "2")
    assert threads.each(lambda item: item * 2, range(50)) == list(range(0, 100, 2))

    def faulty(item: int) -> None:
        if item == 3:
            raise ValueError("three")

    with pytest.raises(ValueError, match="three"):
        threads.run(faulty, range(8))
