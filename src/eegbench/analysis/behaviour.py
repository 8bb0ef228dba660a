"""What one run did, gathered: tools, calls, tokens, time, endings, coverage."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from eegbench.analysis.cost import ended_rows, time_rows, token_rows
from eegbench.analysis.errors_by import coverage_summary, evidence_coverage
from eegbench.analysis.trajectories import (
    RESOLUTION_SEC,
    Call,
    call_counts,
    tool_use,
)
from eegbench.scored import ScoredCase

Rows = list[dict[str, Any]]


class Behaviour(NamedTuple):
    """What one run did, as tidy rows."""

    tool_use: Rows
    calls: Rows
    tokens: Rows
    times: Rows
    ended: Rows
    coverage: Rows
    coverage_by_case: Rows


def behaviour_of(
    cases: Sequence[ScoredCase], calls: Sequence[Sequence[Call]]
) -> Behaviour:
    """Return the tidy rows of one run; ``calls`` has one entry a case.

    Cases that were never run are left out.
    """
    ran = [
        (case, made)
        for case, made in zip(cases, calls, strict=True)
        if case.prediction is not None
    ]
    by_case = [
        row
        for case, made in ran
        if case.task in RESOLUTION_SEC
        for row in [
            evidence_coverage(case, made, resolution_sec=RESOLUTION_SEC[case.task])
        ]
        if row is not None
    ]
    return Behaviour(
        tool_use([(case.task, made) for case, made in ran]),
        call_counts(
            [(c.task, c.prediction.n_tool_calls) for c, _ in ran if c.prediction]
        ),
        token_rows(cases),
        time_rows(cases),
        ended_rows(cases),
        coverage_summary(by_case),
        by_case,
    )
