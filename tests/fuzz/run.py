"""Fuzz one target: ``python tests/fuzz/run.py header --seconds 60``.

By atheris (coverage-guided) where it is installed, else by seeded mutation. The output
counts executions and seconds (atheris: ``stat::number_of_executed_units``). Exit other
than 0: a finding, whose bytes are kept in the folder of ``--findings``.
"""

import argparse
import faulthandler
import signal
import sys
import time
import traceback
import tracemalloc
from itertools import chain
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
# Of one execution; more is a hang.
LONGEST_SEC = {"header": 10, "annotations": 10, "replies": 10, "files": 60}
_READER = [
    *("eegcore.annotations", "eegcore.edf", "eegcore.edf_header"),
    "eegcore.edf_signals",
]
_READER += ["eegcore.edf_subject", "eegcore.channel_names", "eegcore.units"]
WATCHED = {  # modules whose branches guide atheris
    "header": [*_READER, "eegcore.montage"],
    "annotations": ["eegcore.annotations"],
    "replies": ["eegbench.replies", "eegbench.loose_json", "eegbench.scoring"],
    "files": [*_READER, "eegcore.timeline", "eegcore.recording"],
}
MEASURED_EVERY = 64
# Allowed beside 4 x the input: buffers and tables; for `files` also the working memory
# of the kernels, fixed and kept by each thread, and modules loaded on first use.
SPARE_BYTES = dict.fromkeys(WATCHED, 2_000_000) | {"files": 64_000_000}


class Watched:
    """A target that counts its executions and watches time and memory."""

    def __init__(self, target, name):
        self.target, self.name = target, name
        self.n = 0
        self.worst = 0.0
        self.slowest_sec = 0.0
        self.began = time.monotonic()

    def __call__(self, data: bytes) -> None:
        self.n += 1
        began = time.monotonic()
        if self.n % MEASURED_EVERY == 0 and self.name != "replies":
            self._measured(data)
        else:
            self.target(data)
        self.slowest_sec = max(self.slowest_sec, time.monotonic() - began)

    def _measured(self, data: bytes) -> None:
        tracemalloc.start()
        try:
            self.target(data)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        self.worst = max(self.worst, peak / (4 * len(data) + SPARE_BYTES[self.name]))
        if peak > 4 * len(data) + SPARE_BYTES[self.name]:
            raise MemoryError(f"{peak} bytes for an input of {len(data)}")

    def report(self, engine: str) -> str:
        seconds = time.monotonic() - self.began
        return (
            f"{self.name}: {self.n} executions in {seconds:.0f} s by {engine}, slowest "
            f"{self.slowest_sec:.2f} s, memory at most {self.worst:.0%} of the bound"
        )


def seeds_of(name: str) -> list[bytes]:
    """Stored seeds of a target; those of `files` are headers with data behind."""
    return [path.read_bytes() for path in sorted((HERE / "corpus" / name).iterdir())]


def by_mutation(watched: Watched, options: argparse.Namespace) -> int:
    """Run the seeded fuzzer; 1: a finding."""
    from mutate import TOKENS, mutated

    seeds = seeds_of(watched.name)
    variants = mutated(seeds, TOKENS[watched.name], options.seed)
    faulthandler.enable()
    signal.signal(signal.SIGALRM, too_long)
    for data in chain(seeds, iter_until(variants, options, watched)):
        signal.alarm(LONGEST_SEC[watched.name])
        try:
            watched(data)
        except Exception:
            keep(data, options, watched.name)
            traceback.print_exc()
            return 1
    signal.alarm(0)
    sys.stdout.write(watched.report("mutation") + "\n")
    return 0


def too_long(number, frame):
    """End an execution that takes too long."""
    raise TimeoutError("an execution takes too long")


def iter_until(variants, options, watched):
    """Variants until the time or the number of executions is used up."""
    until = watched.began + options.seconds
    for data in variants:
        if time.monotonic() >= until or watched.n >= options.executions:
            return
        if options.keep_last is not None:
            options.keep_last.write_bytes(data)
        yield data


def keep(data: bytes, options: argparse.Namespace, name: str) -> None:
    """Store the bytes of a finding."""
    options.findings.mkdir(parents=True, exist_ok=True)
    path = options.findings / f"{name}-{abs(hash(data)):x}"
    path.write_bytes(data)
    sys.stderr.write(f"finding kept in {path}\n")


def by_atheris(name: str, options: argparse.Namespace) -> int:
    """Run the coverage-guided fuzzer; does not come back."""
    import atheris

    with atheris.instrument_imports(include=WATCHED[name]):
        from targets import TARGETS
    from mutate import TOKENS

    watched = Watched(TARGETS[name], name)
    options.findings.mkdir(parents=True, exist_ok=True)
    words = options.findings / f"{name}.dict"
    words.write_text("".join(f'"{escaped(token)}"\n' for token in TOKENS[name]))
    grown = options.findings / f"{name}-corpus"
    grown.mkdir(exist_ok=True)
    atheris.Setup(
        [
            sys.argv[0],
            str(grown),
            str(HERE / "corpus" / name),
            f"-dict={words}",
            f"-artifact_prefix={options.findings}/{name}-",
            f"-max_total_time={options.seconds}",
            f"-runs={options.executions}",
            f"-timeout={LONGEST_SEC[name]}",
            f"-seed={options.seed}",
            "-max_len=20000",
            "-rss_limit_mb=3000",
            "-print_final_stats=1",
            "-verbosity=0",
        ],
        watched,
    )
    atheris.Fuzz()
    return 0


def escaped(token: bytes) -> str:
    """Form of a dictionary of libFuzzer."""
    return "".join(f"\\x{byte:02x}" for byte in token)


def main() -> int:
    """Read the command line and fuzz."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=["header", "annotations", "replies", "files"])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--executions", type=int, default=2**31 - 1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--engine", choices=["auto", "atheris", "mutation"], default="auto"
    )
    parser.add_argument("--findings", type=Path, default=Path("fuzz-findings"))
    parser.add_argument("--keep-last", type=Path, help="write each input, for crashes")
    options = parser.parse_args()
    engine = options.engine
    if engine == "auto":
        try:
            import atheris  # noqa: F401 - only whether it is there

            engine = "atheris"
        except ImportError:
            engine = "mutation"
    if engine == "atheris":
        return by_atheris(options.target, options)
    from targets import TARGETS

    if options.target == "files":  # what compiling takes is no input's fault
        from eegcore.warmup import compile_all

        compile_all()
    return by_mutation(Watched(TARGETS[options.target], options.target), options)


if __name__ == "__main__":
    sys.exit(main())
