import base64
import csv
import gzip
import html
import io
import json
import re
from typing import Any

import pytest

from bench_cases import labelled_case, made_result, seizure_case
from bench_runs import HOSTILE, RIGHT_TO_LEFT, events_of, made_runs
from eegbench.analysis.measured import Spread
from eegbench.analysis.trajectories import Call
from eegbench.report.case_text import case_text, list_text
from eegbench.report.cells import seconds_text
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
from eegbench.report.pictures import (
    confusions,
    measure_name,
    picture_of,
    runs_of,
)
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


def cells_of(html: str) -> str:
    return re.sub(r"<[^>]+>", " ", html)


def test_leaderboard_has_baselines_intervals_and_a_place_for_the_papers() -> None:
    runs = made_runs()
    real = {"simulated": False, "condition": "paper-like", "dialect": "paper-1.0"}
    cases = runs[0].cases
    fair = runs[0]._replace(result=made_result("fair", list(cases), **real))
    page = render_page([fair, runs[1]], title="t")
    board = page.split('<section id="leaderboard">')[1].split("</section>")[0]
    bodies = [part.split("</tbody>")[0] for part in board.split("<tbody>")[1:5]]
    assert ["random" in part for part in bodies] == [True, False, False, False]
    assert "best without a signal" in bodies[1]
    assert "The paper's 29 models" in html.unescape(bodies[2])
    assert "fair" in bodies[3]
    assert bodies[3].count('<tr class="paper">') == 29
    assert "0.100\u20130.900" in bodies[0]
    assert "skill +0.20" in cells_of(bodies[0])
    assert "best without a signal 0.300" in bodies[0]  # drawn, too
    assert "scores do not compare" in board


def test_a_simulated_run_never_stands_among_the_papers_models() -> None:
    runs = made_runs()
    run = runs[0]._replace(
        result=made_result("r", list(runs[0].cases), condition="paper-like")
    )
    page = render_page([run], title="t")
    assert page.count('<tr class="paper" hidden>') == 29
    assert "dot grey" not in page


def test_what_failed_or_is_missing_has_no_picture() -> None:
    for outcome in ("failed", "missing"):
        case = seizure_case([(1, 2)], [], outcome=outcome)
        assert picture_of(case, [], {}, {}) is None


def test_a_missed_seizure_says_whether_it_was_looked_at() -> None:
    arguments = {"window_sec": 10, "tmin": 0, "tmax": 600}
    call = Call("compute_windowed_features", arguments, {}, 1)
    case = seizure_case([(100, 160), (2000, 2050)], [(3000, 3010)])
    told = picture_of(case, [call], {}, {})
    assert told is not None
    assert told["told"] == [
        "0 of 2 seizures found",
        "1 false alarms",
        "100-160 s missed: looked at, not called",
        "2000-2050 s missed: never looked at",
        "looked at 17 % in windows of 1 min or less",
    ]


def test_a_night_says_what_was_taken_for_what() -> None:
    truth = ["W"] * 4 + ["N1"] * 2 + ["N2"] * 4 + [None]
    said = ["W"] * 4 + ["W"] * 2 + ["N3"] * 1 + ["N2"] * 3 + ["W"]
    assert confusions(truth, said) == [
        "3 of 10 epochs differ (30 %)",
        "N1 called W 2, N2 called N3 1",
    ]
    assert confusions([None], ["W"]) == ["no scored epoch"]


def test_measurements_say_which_class_they_look_like() -> None:
    spread = [
        Spread("clean", (1, 2, 3, 4, 5), 9),
        Spread("muscle", (4, 6, 7, 8, 9), 9),
    ]
    case = labelled_case("T2", "muscle", "clean")
    told = picture_of(
        case,
        [],
        {"rms_uv": 2.0, "again_uv": 2.0, "line_hz.x": 4.5},
        {"rms_uv": spread, "again_uv": spread, "line_hz.x": spread},
    )
    assert told is not None
    # the second is the first under another name
    assert [item["name"] for item in told["items"]] == ["rms (\u00b5V)", "x line (Hz)"]
    assert told["told"] == [
        "within the middle 80 % of muscle (reference) in 1 of 2 measurements",
        "within the middle 80 % of clean (answer) in 2 of 2 measurements",
    ]


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("absolute_power_uv2.theta", "theta absolute power (\u00b5V\u00b2)"),
        ("line_length_uv_s", "line length (\u00b5V/s)"),
        ("relative_power.alpha", "alpha relative power"),
        ("kurtosis", "kurtosis"),
    ],
)
def test_measurements_have_names_with_units(key: str, words: str) -> None:
    assert measure_name(key) == words


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "-"),
        (0.0, "0"),
        (0.00001, "< 0.1 ms"),
        (0.0123, "12.3 ms"),
        (0.5, "500 ms"),
        (0.9999, "1.0 s"),
        (119.0, "119.0 s"),
        (600.0, "10.0 min"),
        (7200.0, "2.0 h"),
    ],
)
def test_times_are_told_in_their_unit(seconds: float | None, text: str) -> None:
    assert seconds_text(seconds) == text


def test_cost_stands_on_the_page_where_there_is_a_price() -> None:
    runs = made_runs()
    assert "--prices FILE" in render_page(runs, title="t")
    price = {"input_usd_per_mtok": 2.0, "output_usd_per_mtok": 4.0}
    page = render_page([runs[0]._replace(price=price), runs[1]], title="t")
    assert "cost (USD)" in page
    assert "--prices FILE" not in page


def test_many_agents_are_grey_and_folded_beyond_the_sixth() -> None:
    first = made_runs()[0]
    matrix = {"classes": ["a"], "answers": ["a"], "counts": [[1]]}
    runs = []
    for number in range(9):
        result = made_result(f"agent {number}", list(first.cases))
        result["tasks"]["T3"]["confusion"] = matrix
        runs.append(first._replace(result=result))
    page = render_page(runs, title="t")
    assert "3 more confusions" in page
    assert "Tool use of 3 more" in page
    assert "3 more</span>" in page  # of a chart's key


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
