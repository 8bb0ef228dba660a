"""One self-contained HTML page from several runs: put together and rendered.

Text of models and files reaches the page by Jinja2's escaping or inside a JSON block
that the script reads as text, never as markup.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import jinja2
import orjson
from markupsafe import Markup

from eegbench import __version__
from eegbench.analysis.behaviour import behaviour_of
from eegbench.report.behaviour import Doing, behaviour_blocks
from eegbench.report.cases import pack_cases, trace_of
from eegbench.report.cells import Table, plain_table, seconds_text
from eegbench.report.standings import is_fair, leaderboard_table, overview_chart
from eegbench.report.tables import metric_text
from eegbench.report.task_sections import task_section
from eegbench.scored import OUTCOMES, ScoredCase
from eegbench.suites import Suite

JsonObject = dict[str, Any]
Parts = list[tuple[str, dict[str, str]]]
SCRIPTS = ("pictures.js", "page.js")
SCORES = (
    ("0 0.5", "below 0.5"),
    ("0.5 0.8", "0.5 to 0.8"),
    ("0.8 2", "0.8 and above"),
    ("none", "no score"),
)
CITATION = """\
eegcore and eegbench {version} (BSD-3-Clause): scores, tools, page.
EEGAgentBench: Benchmarking LLM Agents on Short- and Long-Horizon EEG Analysis: tasks,
metrics, figures of the 29 models.
Please cite the data sets that a set was built from as well (eegbench show TASK)."""


class RunReport(NamedTuple):
    """One run as the page needs it."""

    result: JsonObject
    """As from ``evaluate``."""
    cases: Sequence[ScoredCase]
    read: Callable[[ScoredCase], list[JsonObject]]
    """Events of a case's transcript; empty if none was kept."""
    suite: Suite
    price: Mapping[str, float] | None = None
    """USD per million tokens (``input_usd_per_mtok``, ``output_usd_per_mtok``)."""


class Filter(NamedTuple):
    """A choice above the list of cases."""

    name: str
    options: Sequence[str | tuple[str, str]]
    """What may be chosen; a pair is (value, text)."""


def render_page(
    runs: Sequence[RunReport],
    *,
    title: str,
    differences: Sequence[JsonObject] = (),
) -> str:
    """Return the page's HTML.

    Parameters
    ----------
    runs : sequence of RunReport
        At least one; of one suite.
    title : str
        Heading and window title.
    differences : sequence of dict, optional
        Paired tests between runs, as from ``eegbench.compare``.
    """
    results = [run.result for run in runs]
    names = agent_names(results)
    pairs = [
        ({**run.result, "agent": name}, run.cases)
        for run, name in zip(runs, names, strict=True)
    ]
    suite = runs[0].suite
    shown = [
        task
        for task in suite.tasks.values()
        if any(task.name in result["tasks"] for result in results)
    ]
    traces = [trace_of(run.cases, run.read) for run in runs]
    packed = pack_cases(
        [
            (name, run.cases, run.read, trace)
            for name, run, trace in zip(names, runs, traces, strict=True)
        ]
    )
    behaviour = [
        Doing(name, behaviour_of(run.cases, trace.calls), trace.groundedness, run.price)
        for name, run, trace in zip(names, runs, traces, strict=True)
    ]
    page_data = {
        "cases": packed.rows,
        "tasks": {task.name: task.title for task in shown},
    }
    return _environment().get_template("page.html.j2").render(
        title=title,
        version=__version__,
        head=_head(results),
        leaderboard=_leaderboard([result for result, _ in pairs], differences),
        tasks=[task_section(task, pairs) for task in shown],
        behaviour=behaviour_blocks(behaviour),
        filters=[
            Filter("task", [task.name for task in shown]),
            Filter("agent", list(dict.fromkeys(names))),
            Filter("outcome", _outcomes(runs)),
            Filter("score", SCORES),
        ],
        provenance=_provenance(pairs),
        citation=CITATION.format(version=__version__),
        page_data=_json_block(page_data),
        blocks=[Markup(block) for block in packed.blocks],
        style=_asset("page.css"),
        script=_asset(*SCRIPTS),
    )  # fmt: skip


def agent_names(results: Sequence[JsonObject]) -> list[str]:
    """Return a name for each run: its agent, with the run where agents repeat."""
    agents = [result["agent"] for result in results]
    return [
        agent if agents.count(agent) == 1 else f"{agent} ({result['run']})"
        for agent, result in zip(agents, results, strict=True)
    ]


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("eegbench.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )


def _asset(*names: str) -> Markup:
    folder = files("eegbench.report") / "templates"
    return Markup("\n".join((folder / name).read_text("utf-8") for name in names))


def _json_block(value: object) -> Markup:
    """Return JSON that cannot end its own script element."""
    text = orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028"))


def _outcomes(runs: Sequence[RunReport]) -> list[str]:
    found = {case.outcome for run in runs for case in run.cases}
    return [outcome for outcome in OUTCOMES if outcome in found]


def _head(results: Sequence[JsonObject]) -> JsonObject:
    first = results[0]

    def shared(key: str) -> str:
        values = list(dict.fromkeys(str(result[key]) for result in results))
        return " and ".join(values)

    n_cases = sum(task["n"] for task in first["tasks"].values())
    return {
        "simulated": any(result["simulated"] for result in results),
        "condition": shared("condition"),
        "dialect": shared("dialect"),
        "complete": all(result["complete"] for result in results),
        "summary": f"{len(results)} {'run' if len(results) == 1 else 'runs'}; "
        f"{n_cases:,} scored instances in the first.",
    }


def _leaderboard(
    results: Sequence[JsonObject], differences: Sequence[JsonObject]
) -> JsonObject:
    notes: list[str] = []
    reasons: dict[str, list[str]] = {}
    if len({(r["dialect"], r["condition"]) for r in results}) > 1:
        notes.append(
            "These runs differ in dialect or condition; their scores do not compare."
        )
    if len({result["set"]["checksum"] for result in results}) > 1:
        notes.append("These runs answer different sets; their scores do not compare.")
    for result in results:
        if not result["complete"]:
            because = "; ".join(result["incomplete_because"])
            reasons.setdefault(because, []).append(result["agent"])
    return {
        "notes": list(dict.fromkeys(notes)),
        "incomplete": [
            f"Not complete ({_some(agents)}): {because}."
            for because, agents in reasons.items()
        ],
        "table": leaderboard_table(results),
        "paper_shown": any(is_fair(result) for result in results),
        "chart": overview_chart(results),
        "differences": _differences(differences),
    }


def _some(names: Sequence[str], most: int = 6) -> str:
    listed = ", ".join(names[:most])
    return listed if len(names) <= most else f"{listed} and {len(names) - most} more"


def _differences(rows: Sequence[JsonObject]) -> Table | None:
    """Return paired tests as a table, p-values as a reader writes them."""
    told = [
        {
            **row,
            "metric": metric_text(row["metric"]),
            "p_value": p_text(row["p_value"]),
            "p_holm": p_text(row["p_holm"]),
        }
        for row in rows
    ]
    return plain_table("Differences between runs", told) if told else None


def p_text(value: float | None) -> str:
    """Return a p-value with three decimals, or that it is below them."""
    if value is None:
        return "-"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _provenance(runs: Sequence[tuple[JsonObject, Sequence[ScoredCase]]]) -> Parts:
    """Return what all runs share, once, and then what each has for itself."""
    facts = [_facts(result, cases) for result, cases in runs]
    shared = {
        name: value
        for name, value in facts[0].items()
        if len(facts) > 1 and all(other.get(name) == value for other in facts)
    }
    parts = [("All runs", shared)] if shared else []
    for (result, _), told in zip(runs, facts, strict=True):
        own = {name: value for name, value in told.items() if name not in shared}
        parts.append((str(result["agent"]), own))
    return parts


def _facts(result: JsonObject, cases: Sequence[ScoredCase]) -> dict[str, str]:
    ran = [case.prediction for case in cases if case.prediction is not None]
    spent = sum(row.seconds.get("total", 0.0) for row in ran)
    facts = {key: str(result[key]) for key in ("run", "suite", "condition", "dialect")}
    facts |= {
        "set": result["set"]["path"],
        "checksum of the set (SHA-256)": result["set"]["checksum"],
        "seed": str(result["seed"]),
        "started": result["started"],
        "time of all episodes": f"{seconds_text(spent)} in {len(ran):,} episodes",
    }
    for name in ("agent_config", "limits", "versions", "machine", "scoring"):
        facts[name.replace("_", " ")] = ", ".join(
            f"{key.replace('_', ' ')} {value}" for key, value in result[name].items()
        )
    facts["notes"] = "; ".join(result["notes"])
    return {name: value for name, value in facts.items() if value}
