"""Runs made by hand for the page: hostile text, every kind of case, transcripts."""

from typing import Any

from bench_cases import labelled_case, made_result, night_case, seizure_case
from eegbench.report.page import RunReport
from eegbench.scored import ScoredCase
from eegbench.suites.eegagent.tasks import SUITE

HOSTILE = '</script><script>alert(1)</script><img src=x onerror="alert(2)">'
RIGHT_TO_LEFT = "\u202e\u05e9\u05dc\u05d5\u05dd"


def events_of(case: ScoredCase) -> list[dict[str, Any]]:
    call = {
        "name": "compute_windowed_features",
        "arguments": {"window_sec": 10, "tmin": 0, "tmax": 600},
        "answer": {
            "record_id": "r",
            "channels": [
                {"channel": "C3", "rms_uv": 4.0 + len(case.reference.label or "")}
            ],
        },
        "compute_sec": 0.01,
    }
    return [
        {"event": "shown", "turn": 0, "kind": "prompt", "text": f"Look. {HOSTILE}"},
        {"event": "reply", "turn": 1, "thought": HOSTILE, "tool_calls": [{}]},
        {"event": "tools", "turn": 1, "calls": [call]},
        {"event": "reply", "turn": 2, "text": RIGHT_TO_LEFT, "answer": {}},
        {"event": "end", "turn": 2, "ended": "answer"},
    ]


def made_runs() -> list[RunReport]:
    runs = []
    for agent in ("rules", "random"):
        cases = [
            labelled_case("T1", "B", "B" if agent == "rules" else "C"),
            *(
                labelled_case("T2", kind, kind, snr_db=level)
                for kind in ("ocular", "muscle")
                for level in (-7, 0, 2)
            ),
            labelled_case("T2", "clean", None, answer_text=HOSTILE),
            labelled_case("T3", "normal", "epileptic"),
            seizure_case([(100, 160)], [(90, 150), (2000, 2030)]),
            seizure_case([], [], outcome="missing"),
            night_case(),
        ]
        result = made_result(agent, cases)
        runs.append(RunReport(result, cases, events_of, SUITE))
    return runs
