"""`eegbench latency` on its four simulated recordings, as a table for the docs.

python benchmarks/bench_latency.py [--rounds 10] [--write docs/performance.md]
"""

import argparse
from pathlib import Path

from eegbench.latency import measure, simulated_recordings

MARKS = ("<!-- bench_latency: begin -->", "<!-- bench_latency: end -->")
COLUMNS = (
    *("first", "p50", "p95", "p99", "rows", "rows a second"),
    *("read", "compute", "encode", "peak MB"),
)
HEAD = (
    f"| recording | tool | {' | '.join(COLUMNS)} |\n"
    f"| --- | --- |{' ---: |' * len(COLUMNS)}"
)


def table(rounds: int) -> str:
    """Return the table in Markdown; times in ms."""
    with simulated_recordings() as paths:
        result = measure(paths, rounds=rounds, talk=print)
    machine = result["machine"]
    lines = [
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']};"
        f" {rounds} warm calls each.",
        "",
        HEAD,
    ]
    for row in result["rows"]:
        times = " | ".join(
            f"{row[key]:.2f}" if row[key] < 10 else f"{row[key]:.0f}"
            for key in ("first_ms", "p50_ms", "p95_ms", "p99_ms")
        )
        parts = " | ".join(
            f"{row[key]:.2f}" for key in ("read_ms", "compute_ms", "encode_ms")
        )
        lines.append(
            f"| {row['recording']} | {row['tool']} | {times} | {row['rows']:,} |"
            f" {row['rows_per_sec']:,.0f} | {parts} | {row['peak_mb'] or 0:.0f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--write", type=Path, help="a page with the marks")
    told = parser.parse_args()
    text = table(told.rounds)
    print(text)
    if told.write is not None:
        before, _, rest = told.write.read_text().partition(MARKS[0])
        after = rest.partition(MARKS[1])[2]
        told.write.write_text(f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{after}")
