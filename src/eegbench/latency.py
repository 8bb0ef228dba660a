"""How fast each tool answers: first call, tails, rows per second, memory.

Times a whole `Toolbox` as an agent meets it, on given files or on simulated ones. Each
tool is called with its default arguments and the smallest change that fits the output
budget; no answer is memoised between calls, but block sums are kept from the first on.
"""

import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import orjson

import eegcore
from eegbench.errors import SetError
from eegcore.formats import open_recording
from eegcore.tools.toolbox import Toolbox

JsonObject = dict[str, Any]
RECORD_ID = "rec-1"
BUDGET_TOKENS = 8000
PAGE_BYTES = 4096
Dialect = Literal["default", "paper-1.0"]
FORMAT = "eegbench-latency/1"
SIMULATED: dict[str, tuple[str, dict[str, Any]]] = {
    "psg_23h": ("night", {"duration_sec": 82_800.0}),
    "scalp_4h_23ch_256hz": ("seizure_recording", {"duration_sec": 14_400.0}),
    "resting_21min_19ch_500hz": ("resting", {"label": "HC", "duration_sec": 1290.0}),
    "epoch_2s": ("artifact_epoch", {"kind": "clean"}),
}
SHORTER = {"night": 1800.0, "seizure_recording": 600.0, "resting": 120.0}


@dataclass(frozen=True, slots=True)
class Timing:
    """Times of one tool on one recording, in milliseconds."""

    tool: str
    recording: str
    first_ms: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    rows: int
    rows_per_sec: float
    bytes: int
    read_ms: float
    compute_ms: float
    encode_ms: float
    peak_mb: float | None
    refused: bool
    arguments: JsonObject


def measure(
    paths: Sequence[Path],
    *,
    rounds: int = 20,
    dialect: Dialect = "default",
    talk: Callable[[str], None] | None = None,
) -> JsonObject:
    """Return the timings of every tool on every recording.

    Parameters
    ----------
    paths : sequence of Path
        Recordings that `eegcore.open` reads.
    rounds : int, optional
        Warm calls a tool, after the first.
    dialect : str, optional
        ``default`` or ``paper-1.0``.
    talk : callable, optional
        Told which recording is being timed.

    Notes
    -----
    *first* is the first call on a freshly opened recording in a process whose kernels
    are compiled. *compute* and *encode* are the medians of the dictionary call and of
    its encoding to JSON. Reading happens inside *compute*, from a memory map, and
    cannot be told apart there; *read* is what it takes at most: to open the recording
    and touch each page of its samples once in a fresh map, from the page cache. The
    first call pays what it needs of that, later ones do not. *peak* is how far the
    resident size rose above its value before the tool's calls, mapped pages of the
    recording included (Linux; else null).
    """
    if not paths:
        raise SetError("no recording to time; name files or leave all out")
    rows = []
    for path in paths:
        if talk is not None:
            talk(f"timing {path.name}")
        rows += _measure_one(path, rounds, dialect)
    return {
        "format": FORMAT,
        "dialect": dialect,
        "rounds": rounds,
        "machine": {
            "system": platform.platform(),
            "processor": _processor(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "eegcore": eegcore.__version__,
        },
        "rows": [_as_dict(row) for row in rows],
    }


@contextmanager
def simulated_recordings(*, small: bool = False) -> Iterator[list[Path]]:
    """Yield the four recordings of the latency table, simulated, in a temporary folder.

    ``small`` shortens them to minutes, for a quick look.
    """
    from eegcore import simulate

    with tempfile.TemporaryDirectory(prefix="eegbench-latency-") as name:
        paths = []
        for number, (stem, (kind, arguments)) in enumerate(SIMULATED.items()):
            told = dict(arguments)
            if small and kind in SHORTER:
                told["duration_sec"] = SHORTER[kind]
            made = getattr(simulate, kind)(1900 + number, **told)
            paths.append(made.write_edf(Path(name) / f"{stem}.edf"))
        yield paths


def compare(old: JsonObject, new: JsonObject) -> list[JsonObject]:
    """Return one row a tool and recording that both results have: times and ratio."""
    before = {(row["recording"], row["tool"]): row for row in old["rows"]}
    rows = []
    for row in new["rows"]:
        other = before.get((row["recording"], row["tool"]))
        if other is None:
            continue
        rows.append(
            {
                "recording": row["recording"],
                "tool": row["tool"],
                "old_p50_ms": other["p50_ms"],
                "new_p50_ms": row["p50_ms"],
                "ratio": other["p50_ms"] / row["p50_ms"] if row["p50_ms"] else None,
                "old_p95_ms": other["p95_ms"],
                "new_p95_ms": row["p95_ms"],
            }
        )
    return rows


def read_result(path: Path) -> JsonObject:
    """Read a stored result; SetError says why it is none."""
    try:
        value = orjson.loads(path.read_bytes())
    except OSError as error:
        raise SetError(f"cannot read {path}: {error.strerror}") from error
    except orjson.JSONDecodeError as error:
        raise SetError(f"{path}: not JSON: {error}") from error
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise SetError(f"{path} is no latency result; its format must be {FORMAT!r}")
    return value


@dataclass(frozen=True, slots=True)
class Measured:
    """One call that is timed, and the output budget it is made under."""

    label: str
    tool: str
    arguments: JsonObject
    budget_tokens: int | None = BUDGET_TOKENS


def _measure_one(path: Path, rounds: int, dialect: Dialect) -> list[Timing]:
    with open_recording(path) as recording:
        box = Toolbox({RECORD_ID: recording}, dialect=dialect)
        calls = [call for name in box.names for call in calls_of_tool(box, name)]
        for call in calls:  # so that no compile time enters the first call
            box.call(call.tool, call.arguments)
    read_ms = _point(sorted(_timed(lambda: _touch(path)) for _ in range(5)), 0.5)
    return [_time_call(path, call, rounds, dialect, read_ms) for call in calls]


def _touch(path: Path) -> int:
    """Open a recording and have every page of its samples in memory."""
    with open_recording(path) as recording:
        data = recording.store.data
        return int(data[:: PAGE_BYTES // data.itemsize].sum())


def calls_of_tool(box: Toolbox, name: str) -> list[Measured]:
    """Return a tool's call with default arguments, or what stands in for it.

    Where the default call is above the budget: the smaller call that the refusal
    proposes, and the default call without a budget, over the whole recording.
    """
    arguments: JsonObject = {"record_id": RECORD_ID}
    answer = box.call(name, arguments)
    if "error" not in answer or "estimated_tokens" not in answer:
        return [Measured(name, name, arguments)]
    calls = []
    proposed = answer.get("suggested_call")
    if isinstance(proposed, Mapping):
        calls.append(Measured(name, name, dict(proposed["arguments"])))
    return [*calls, Measured(f"{name}, whole", name, arguments, None)]


def _time_call(
    path: Path, call: Measured, rounds: int, dialect: Dialect, read_ms: float
) -> Timing:
    _reset_peak()
    before_mb = _status_mb("VmRSS")
    with open_recording(path) as recording:
        box = Toolbox(
            {RECORD_ID: recording}, dialect=dialect, budget_tokens=call.budget_tokens
        )

        def encoded() -> bytes:
            return box.call_json(call.tool, call.arguments)

        first = _timed(encoded)
        whole, dictionary, encoding = [], [], []
        for _ in range(rounds):  # what `call_json` does, with a clock in between
            begin = time.perf_counter()
            given = box.call(call.tool, call.arguments)
            middle = time.perf_counter()
            orjson.dumps(given)
            end = time.perf_counter()
            dictionary.append((middle - begin) * 1000)
            encoding.append((end - middle) * 1000)
            whole.append((end - begin) * 1000)
        body = encoded()
    answer = orjson.loads(body)
    peak_mb = _status_mb("VmHWM")
    whole.sort()
    compute = _point(sorted(dictionary), 0.5)
    p50 = _point(whole, 0.5)
    rows = count_rows(answer)
    return Timing(
        tool=call.label,
        recording=path.stem,
        first_ms=first,
        p50_ms=p50,
        p95_ms=_point(whole, 0.95),
        p99_ms=_point(whole, 0.99),
        rows=rows,
        rows_per_sec=rows / p50 * 1000 if p50 else 0.0,
        bytes=len(body),
        read_ms=read_ms,
        compute_ms=compute,
        encode_ms=_point(sorted(encoding), 0.5),
        peak_mb=None
        if peak_mb is None or before_mb is None
        else max(0.0, peak_mb - before_mb),
        refused="error" in answer,
        arguments={k: v for k, v in call.arguments.items() if k != "record_id"},
    )


def count_rows(answer: Mapping[str, Any]) -> int:
    """Return the rows of an answer: its windows, channels, pairs or candidates."""
    channels = answer.get("channels")
    if isinstance(channels, list):
        windows = [
            len(each["windows"])
            for each in channels
            if isinstance(each, dict) and "windows" in each
        ]
        return sum(windows) if windows else len(channels)
    for key in ("pairs", "channel_summary", "channel_names"):
        if isinstance(answer.get(key), list):
            return len(answer[key])
    return 0 if "error" in answer else 1


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


def _point(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _reset_peak() -> None:
    """Let the kernel count the peak of this process anew, where it can."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _status_mb(field: str) -> float | None:
    """Return a field of the process status in MB, or None on other systems."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    told = [line.split()[1] for line in lines if line.startswith(f"{field}:")]
    return int(told[0]) / 1024 if told else None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if "model name" in line]
    return names[0] if names else platform.processor()


def _as_dict(row: Timing) -> JsonObject:
    return {
        name: round(value, 3) if isinstance(value, float) else value
        for name, value in ((key, getattr(row, key)) for key in Timing.__slots__)
    }
