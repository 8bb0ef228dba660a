"""The page in a real browser: what a reader does with it, and what it must never do.

Needs a Chromium of the system; skipped, saying so, without one. Playwright's own
browsers are not asked for: they are a download.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from bench_cases import labelled_case, made_result
from bench_runs import HOSTILE, RIGHT_TO_LEFT, made_runs
from eegbench.report.page import RunReport, render_page
from eegbench.suites.eegagent.tasks import SUITE
from page_browser import Watched, chromium, launched, open_page, watch

LONG = "word " * 200_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if chromium() is None:
        pytest.skip("no Chromium on this machine: the page is not opened")
    with launched() as started:
        yield started


@pytest.fixture(scope="module")
def page_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    long = labelled_case("T4", "AD", None, answer_text=LONG)
    loud = labelled_case("T4", "AD", None, answer_text=RIGHT_TO_LEFT + HOSTILE)
    runs = made_runs()
    cases = [*runs[0].cases, long, loud]
    made = made_result("rules", cases, overall=0.7)
    runs[0] = RunReport(made, cases, runs[0].read, SUITE)
    # the second agent answered the same instances
    same = [
        case.__class__(**{**fields(case), "instance": first.instance})
        for case, first in zip(runs[1].cases, cases, strict=False)
    ]
    told = made_result("random", same, overall=0.3)
    runs[1] = RunReport(told, same, runs[1].read, SUITE)
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(render_page(runs, title=f"made {HOSTILE}"), encoding="utf-8")
    return path


def fields(case: Any) -> dict[str, Any]:
    return {name: getattr(case, name) for name in case.__dataclass_fields__}


@pytest.fixture
def watched(browser: Browser, page_path: Path) -> Iterator[Watched]:
    """The page, freshly opened; afterwards: nothing complained, nothing left it."""
    opened = watch(browser)
    open_page(opened, page_path)
    yield opened
    assert opened.complaints == []
    assert opened.foreign == []
    assert opened.requests[0].startswith("file://")
    opened.page.context.close()


def choose(page: Page, name: str, value: str) -> None:
    page.select_option(f"#filter-{name}", value)


def open_first(page: Page, task: str, agent: str = "rules") -> None:
    choose(page, "task", task)
    choose(page, "agent", agent)
    page.locator("#case-rows a").first.click()
    expect(page.locator("#case-detail h3")).to_contain_text(task)


def first_agents(page: Page) -> list[str]:
    cells = page.locator("#leaderboard .scroll").first.locator("tr.ours td:first-child")
    return cells.all_inner_texts()


def test_leaderboard_sorts_by_a_head_and_back(watched: Watched) -> None:
    page = watched.page
    head = page.locator("#leaderboard th", has_text="overall").first
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    down = first_agents(page)
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert down[0].startswith("rules")
    assert first_agents(page) == down[::-1]


def test_the_papers_models_come_on_request(watched: Watched) -> None:
    page = watched.page
    assert page.locator("#leaderboard tr.paper:visible").count() == 0
    page.check("#show-paper")
    assert page.locator("#leaderboard tr.paper:visible").count() == 29


def test_list_of_cases_filters_searches_and_sorts(watched: Watched) -> None:
    page = watched.page
    count, rows = page.locator("#case-count"), page.locator("#case-rows tr")
    n_cases = rows.count()
    expect(count).to_have_text(f"{n_cases} of {n_cases} cases")
    choose(page, "task", "T5")
    choose(page, "agent", "rules")
    expect(rows).to_have_count(2)
    choose(page, "outcome", "missing")
    expect(rows).to_have_count(1)
    choose(page, "outcome", "")
    choose(page, "score", "0.5 0.8")
    expect(rows).to_have_count(1)
    for name in ("task", "agent", "score"):
        choose(page, name, "")
    page.fill("#filter-text", "no valid answer")
    expect(rows).to_have_count(4)
    page.fill("#filter-text", "")
    page.locator("#case-table button", has_text="score").click()
    scores = page.locator("#case-rows td:nth-child(4)").all_inner_texts()
    told = [float(score) for score in scores if score != "-"]
    assert told == sorted(told)
    assert scores[-1] == "-"


def test_a_case_shows_outcome_picture_and_turns(watched: Watched) -> None:
    page = watched.page
    open_first(page, "T5")
    detail = page.locator("#case-detail")
    expect(detail.locator(".verdict")).to_contain_text("partly 0.500")
    expect(detail.locator(".told")).to_contain_text("1 of 1 seizures found")
    assert detail.locator("svg.picture rect.alarm").count() == 1
    assert detail.locator("svg.picture rect.event").count() == 1
    # the key names what was drawn, and no more
    expect(detail.locator(".legend")).to_contain_text("false alarm")
    expect(detail.locator(".legend")).not_to_contain_text("missed")
    turns = detail.locator(".turn")
    expect(turns.first.locator(".text")).to_have_text(HOSTILE)
    answer = turns.first.locator("details")
    expect(answer.locator("pre")).to_be_hidden()
    answer.locator("summary").click()
    expect(answer.locator("pre")).to_contain_text("rms_uv")


@pytest.mark.parametrize(
    ("task", "mark"), [("T6", "path.pred"), ("T2", ".box.is"), ("T2", ".here")]
)
def test_each_kind_of_case_has_its_picture(
    watched: Watched, task: str, mark: str
) -> None:
    open_first(watched.page, task)
    picture = watched.page.locator("#case-detail svg.picture")
    assert picture.locator(mark).count() >= 1
    assert picture.locator("text").count() > 4


def test_two_agents_stand_side_by_side(watched: Watched) -> None:
    page = watched.page
    open_first(page, "T5")
    page.select_option("#beside", label="random")
    expect(page.locator("#case-detail .case")).to_have_count(2)
    titles = page.locator("#case-detail h3").all_inner_texts()
    assert [title.split(" · ")[1] for title in titles] == ["rules", "random"]
    left, right = page.locator("#case-detail .case").all()
    first, second = left.bounding_box(), right.bounding_box()
    assert first is not None
    assert second is not None
    assert first["y"] == second["y"]
    assert first["x"] + first["width"] <= second["x"]


def test_the_keyboard_reaches_a_case_and_the_next(watched: Watched) -> None:
    page = watched.page
    page.locator("#filter-text").focus()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('#case-rows') !== null"):
            break
    name = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    expect(page.locator("#case-detail h3")).to_contain_text(name)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "next"
    page.keyboard.press("Enter")
    expect(page.locator("#case-detail h3")).not_to_contain_text(f"{name} ")


def test_the_rows_behind_each_chart_are_one_click_away(watched: Watched) -> None:
    charts = watched.page.locator("#tasks figure:has(svg.chart)")
    assert charts.count() == 3
    for chart in charts.all():
        table = chart.locator("details table")
        expect(table).to_be_hidden()
        chart.locator("summary").click()
        expect(table).to_be_visible()
        assert table.locator("tbody tr").count() > 0
    beside = watched.page.locator("#leaderboard table").first
    expect(beside).to_be_visible()  # the chart of the leaderboard has it above


def test_markup_of_a_model_is_text_and_runs_nothing(watched: Watched) -> None:
    page = watched.page
    page.fill("#filter-text", "no valid answer")
    choose(page, "task", "T4")
    page.locator("#case-rows a").nth(1).click()
    final = page.locator("#case-detail h4:has-text('Final answer') + pre")
    assert final.text_content() == RIGHT_TO_LEFT + HOSTILE
    assert final.get_attribute("dir") == "auto"
    assert page.locator("img").count() == 0
    assert HOSTILE in page.locator("h1").inner_text()


def test_a_megabyte_of_text_is_shown_whole(watched: Watched) -> None:
    page = watched.page
    page.fill("#filter-text", "no valid answer")
    choose(page, "task", "T4")
    page.locator("#case-rows a").first.click()
    final = page.locator("#case-detail h4:has-text('Final answer') + pre")
    assert final.text_content() == LONG
    box = final.bounding_box()
    assert box is not None
    assert box["height"] < 500  # it scrolls in a box of its own


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(
    browser: Browser, page_path: Path, scheme: str
) -> None:
    # the page's own policy forbids even the test's script
    watched = watch(browser, scheme=scheme, bypass_csp=True)
    page = open_page(watched, page_path)
    open_first(page, "T5")
    page.select_option("#beside", label="random")
    for summary in page.locator("summary").all():
        summary.click()
    told = Axe().run(page, options={"resultTypes": ["violations"]}).response
    found = [
        (rule["id"], rule["impact"], rule["nodes"][0]["html"])
        for rule in told["violations"]
    ]
    assert [row for row in found if row[1] in ("serious", "critical")] == []
    page.context.close()


@pytest.mark.parametrize("task", ["T2", "T5", "T6"])
def test_a_narrow_window_never_scrolls_sideways(
    browser: Browser, page_path: Path, task: str
) -> None:
    watched = watch(browser, width=390, height=844)
    page = open_page(watched, page_path)
    open_first(page, task)
    widths = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert widths[0] <= widths[1]
    letters = page.locator("#case-detail svg.picture text").first
    box = letters.bounding_box()
    assert box is not None
    assert box["height"] > 10  # CSS pixels: not shrunk with the picture
    page.context.close()
