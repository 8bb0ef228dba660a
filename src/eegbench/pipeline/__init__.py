"""One function a command: the only place where agents, suites and scoring meet.

Each function takes plain values, returns the text to print (and whether something
failed), and says what it is doing through ``talk``. Heavy parts are imported where they
are used, so that a command loads no more than it needs.
"""

from eegbench.pipeline.comparing import compare, repeats
from eegbench.pipeline.running import run_agent
from eegbench.pipeline.runs import analyse, case, demo, export, report, score
from eegbench.pipeline.sets import (
    audit,
    check_set,
    list_suites,
    paper,
    show_task,
)
from eegbench.pipeline.speed import compare_latency, latency

__all__ = [
    "analyse",
    "audit",
    "case",
    "check_set",
    "compare",
    "compare_latency",
    "demo",
    "export",
    "latency",
    "list_suites",
    "paper",
    "repeats",
    "report",
    "run_agent",
    "score",
    "show_task",
]
