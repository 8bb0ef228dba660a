"""Commands on speed: latency, and two results side by side."""

from collections.abc import Callable, Sequence
from pathlib import Path

from eegbench.errors import SetError
from eegbench.instances import Dialect
from eegbench.report.tables import render, to_json

Talk = Callable[[str], None]


def latency(
    recordings: Sequence[Path],
    *,
    rounds: int,
    dialect: Dialect,
    small: bool,
    form: str,
    talk: Talk,
) -> str:
    """Return the time of every tool on given or simulated recordings."""
    from eegbench.latency import measure, simulated_recordings

    if recordings:
        result = measure(recordings, rounds=rounds, dialect=dialect, talk=talk)
    else:
        talk("simulating recordings; this takes longer than the timing")
        with simulated_recordings(small=small) as paths:
            result = measure(paths, rounds=rounds, dialect=dialect, talk=talk)
    if form == "json":
        return to_json(result)
    columns = (
        "recording", "tool", "first_ms", "p50_ms", "p95_ms", "p99_ms", "rows",
        "rows_per_sec", "read_ms", "compute_ms", "encode_ms", "peak_mb", "refused",
    )  # fmt: skip
    return render(result["rows"], form=form, columns=columns)


def compare_latency(old: Path, new: Path, *, form: str) -> str:
    """Return two stored latency results side by side."""
    from eegbench.latency import compare, read_result

    rows = compare(read_result(old), read_result(new))
    if not rows:
        raise SetError(f"{old} and {new} have no recording and tool in common")
    return render(rows, form=form)
