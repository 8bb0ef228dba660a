import base64
import csv
import gzip
import io
import json
import re
from typing import Any

import pytest

from bench_cases import labelled_case, made_result
from bench_runs import HOSTILE, RIGHT_TO_LEFT, events_of, made_runs
from eegbench.report.case_text import case_text, list_text
from eegbench.report.leaderboard import leaderboard_text, score_text, tidy_rows
from eegbench.report.page import RunReport, render_page
from eegbench.report.paper_data import (
    HEADLINES,
    TABLES,
    paper_models,
    paper_table,
    pareto_front,
    place_among_paper,
)
from eegbench.report.pictures import runs_of
from eegbench.report.svg import (
    Axis,
    Line,
    Point,
    line_chart,
    linear_ticks,
    scatter_chart,
)
from eegbench.report.tables import interval_text, number_text, render
from eegbench.report.textart import hypnogram_text, timeline_text
from eegbench.suites.eegagent.tasks import SUITE


def blocks_of(page: str) -> list[Any]:
    found = re.findall(r'<script type="text/plain" id="block-\d+">(.*?)</script>', page)
    return [json.loads(gzip.decompress(base64.b64decode(block))) for block in found]


def test_models_text_never_becomes_markup() -> None:
    page = render_page(made_runs(), title=HOSTILE)
    assert "<script>alert" not in page
    assert "<img" not in page
    assert page.count("<script") == 3 + len(blocks_of(page)) - 1
    details = [detail for block in blocks_of(page) for detail in block]
    assert any(detail.get("final") == HOSTILE for detail in details)
    assert details[0]["turns"][1]["thought"] == RIGHT_TO_LEFT


def test_the_page_asks_nothing_of_a_network() -> None:
    page = render_page(made_runs(), title="t")
    assert not re.search(r"(?:src|href)=\"(?!#|data:)", page)
    assert "default-src 'none'" in page
    assert "url(" not in page


def test_the_page_says_simulated_and_not_for_clinical_use() -> None:
    page = render_page(made_runs(), title="t")
    assert "SIMULATED" in page
    assert "not for clinical use" in page
    assert "T1: 3 of 38 instances" in page


def test_the_same_runs_give_the_same_bytes() -> None:
    runs = made_runs()
    assert render_page(runs, title="t") == render_page(runs, title="t")


def test_a_megabyte_of_reply_is_kept_and_packed() -> None:
    long = "word " * 200_000
    case = labelled_case("T3", "normal", None, answer_text=long)
    run = RunReport(made_result("a", [case]), [case], lambda _case: [], SUITE)
    page = render_page([run], title="t")
    assert len(page) < 200_000
    assert blocks_of(page)[0][0]["final"] == long


def test_one_case_has_pictures_by_its_task() -> None:
    details = [d for b in blocks_of(render_page(made_runs(), title="t")) for d in b]
    kinds = {d["picture"]["kind"] for d in details if d["picture"]}
    assert kinds == {"timeline", "hypnogram", "measurements"}
    timeline = next(
        d["picture"] for d in details if d["picture"] and "windows" in d["picture"]
    )
    assert timeline["windows"] == [[70, 220]]
    assert [hit for _, _, hit in timeline["predicted"]] == [True, False]
    assert timeline["looked"] == [[0, 600]]


def test_paper_tables_have_their_rows_and_origin() -> None:
    sizes = {name: len(paper_table(name).rows) for name in TABLES}
    assert [sizes[name] for name in "123456"] == [6, 29, 6, 29, 29, 19]
    assert all("paper" in paper_table(name).origin for name in TABLES)
    assert sum(int(str(row["n"])) for row in paper_table("1").rows) == 1072


def test_overall_of_the_paper_is_the_mean_of_the_headlines() -> None:
    for row in paper_models():
        mean = sum(float(str(row[f"{t}_{m}"])) for t, m in HEADLINES.items()) / 6
        assert mean == pytest.approx(float(str(row["overall"])), abs=0.0006)


def test_costs_are_those_of_the_papers_text() -> None:
    # section 4.4: $15.4 to $2,396.5, GPT-5.6-sol $723.9, MiniMax-M3 $93.8
    costs = {row["model"]: row["cost_usd"] for row in paper_models()}
    assert costs["ERNIE-4.5-VL-424B"] == pytest.approx(15.4, abs=0.1)
    assert costs["Claude-Opus-4.6"] == pytest.approx(2396.5, rel=1e-3)
    assert costs["GPT-5.6-sol"] == pytest.approx(723.9, rel=1e-3)
    assert costs["MiniMax-M3"] == pytest.approx(93.8, abs=0.1)
    assert costs["Qwen3-8B"] is None


def test_pareto_front_holds_what_nothing_beats() -> None:
    points = [("a", 1.0, 0.2), ("b", 2.0, 0.1), ("c", 3.0, 0.5), ("d", 3.0, 0.5)]
    assert pareto_front(points) == ["a", "c", "d"]


def test_place_among_the_papers_models() -> None:
    assert place_among_paper(0.7) == 1
    assert place_among_paper(0.531) == 2
    assert place_among_paper(0.0) == 30


def test_score_table_fits_80_columns() -> None:
    cases = [case for run in made_runs()[:1] for case in run.cases]
    text = score_text(made_result("rules", cases), form="table")
    assert max(len(line) for line in text.splitlines()[:12]) <= 80
    assert "SIMULATED" in text
    assert "not for clinical use" in text


def test_csv_has_a_row_per_metric_and_reads_back() -> None:
    cases = [labelled_case("T3", "normal", "normal")]
    text = score_text(made_result("rules", cases), form="csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["task"], row["metric"], row["value"]) for row in rows] == [
        ("T3", "macro_f1", "1.0")
    ]
    assert len(tidy_rows([made_result("a", cases)] * 2)) == 2


def test_only_complete_paper_like_runs_get_a_rank() -> None:
    cases = [labelled_case("T3", "normal", "normal")]
    plain = made_result("a", cases, overall=0.6)
    fair = made_result("b", cases, overall=0.6, condition="paper-like", complete=True)
    ranked = json.loads(leaderboard_text([plain, fair], form="json"))
    assert [row["paper_rank"] for row in ranked] == [None, 2]
    assert "paper-like" in leaderboard_text([plain, fair], form="md")


def test_render_forms_and_missing_values() -> None:
    rows = [{"a": 1.23456, "b": None}, {"a": float("nan"), "b": "x|y"}]
    assert render(rows, form="csv") == "a,b\n1.23456,\n,x|y\n"
    assert "x\\|y" in render(rows, form="md")
    assert json.loads(render(rows, form="json"))[1]["a"] is None
    assert render([], form="table", columns=["a"]) == "a\n"
    assert number_text(None) == "-"
    assert number_text(12345.6) == "12,346"
    assert interval_text([None, 1.0]) == "-"


def test_charts_escape_names_and_break_lines_at_gaps() -> None:
    axis = Axis("x (s)", 0, 2)
    chart = line_chart(
        [Line("<b>", [0, 1, 2], [0.1, None, 0.3])], axis, Axis("y", 0, 1), title="<t>"
    )
    assert "<b>" not in chart
    assert "<t>" not in chart
    assert chart.count("<polyline") == 2
    points = [Point("p", 1.0, 0.5, 0, label=True)]
    assert "x (s)" in scatter_chart(points, axis, Axis("y", 0, 1), title="t")


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0, 0, [0]),
        (-7.5, 2.5, [-6, -4, -2, 0, 2]),
    ],
)
def test_ticks_are_round(low: float, high: float, expected: list[float]) -> None:
    assert linear_ticks(low, high) == pytest.approx(expected)


def test_text_pictures_show_where_things_are() -> None:
    night = hypnogram_text(
        ["W"] * 10 + ["N2"] * 10, ["W"] * 20, [(0, 300)], duration_sec=600, width=20
    )
    lines = night.splitlines()
    assert lines[1].endswith("\u2588" * 10 + "\u00b7" * 10)
    assert lines[12].endswith("\u00b7" * 10 + "\u2588" * 10)
    line = timeline_text(
        [(50, 60)], [(20, 100)], [(0, 10)], [], duration_sec=100, width=10
    ).splitlines()
    assert line[0].endswith("\u00b7\u00b7" + "\u2591" * 3 + "\u2588" + "\u2591" * 4)
    assert line[1].endswith("\u2588" + "\u00b7" * 9)


def test_case_text_leaves_out_control_characters() -> None:
    case = labelled_case("T3", "normal", None, answer_text="\x1b[31mred\x07 text")
    text = case_text(case, [])
    assert "\x1b" not in text
    assert "red text" in text
    assert "no transcript" in text
    assert case.instance.instance_id in list_text([case])


def test_case_text_of_each_kind_fits_80_columns() -> None:
    for case in made_runs()[0].cases:
        text = case_text(case, events_of(case))
        assert max(len(line) for line in text.splitlines()) <= 80


def test_runs_of_stages_have_inclusive_ends() -> None:
    assert runs_of(["W", "W", None, "N2"]) == [
        (0, 1, "W"),
        (2, 2, None),
        (3, 3, "N2"),
    ]


def test_differences_between_runs_stand_on_the_page() -> None:
    row = {
        "first": "rules",
        "second": "random",
        "task": "T3",
        "metric": "macro_f1",
        "n": 24,
        "difference": 0.376,
        "p_value": 0.0001,
        "p_holm": 0.02,
    }
    page = render_page(made_runs(), title="t", differences=[row])
    assert "&lt; 0.001" in page
    assert "0.020" in page
    assert "Differences</h3>" not in render_page(made_runs(), title="t")
