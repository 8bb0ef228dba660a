"""Tools from 16 threads in each of 4 processes at once: no abort, the same bytes.

``python benchmarks/stress.py --seconds 60``. Each thread opens the recordings anew,
asks all calls of `tests/answers_program.py`, and compares their hashes with those of
a quiet process.
"""

import argparse
import multiprocessing
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import answers_program


def hammer(folder: Path, until: float, n_threads: int, wanted: dict[str, str]) -> int:
    """Rounds of one process; an error if an answer differs."""
    rounds: list[bool] = []

    def ask() -> None:
        while True:
            rounds.append(answers_program.answers(folder) == wanted)
            if time.time() >= until:
                return

    threads = [threading.Thread(target=ask) for _ in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(rounds) < n_threads or not all(rounds):
        raise SystemExit(f"{rounds.count(False)} of {len(rounds)} rounds differ")
    return len(rounds)


def main() -> int:
    """Ask and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--method", default="spawn", choices=["fork", "spawn"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        answers_program.write_files(folder)
        wanted = answers_program.answers(folder)
        began = time.time()
        given = (folder, began + options.seconds, options.threads, wanted)
        context = multiprocessing.get_context(options.method)
        with context.Pool(options.processes) as pool:
            rounds = pool.starmap(hammer, [given] * options.processes)
    n = sum(rounds) * len(wanted)
    print(
        f"{options.processes} processes ({options.method}) x {options.threads} "
        f"threads: {n} answers in {time.time() - began:.0f} s, all the same"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
