"""Pictures of a report page, to be looked at: light and dark, wide and narrow.

    python benchmarks/page_screens.py FOLDER [PAGE.html]

Without a page, the demo is made in FOLDER/demo and its report taken. Writes one PNG a
view, scheme and width (FOLDER/light_1440_leaderboard.png), how it prints (printed.pdf,
printed.png), and says where a view is wider than the window. Views of single cases open
the first case of a task that was not right, or else the first one, of the first agent.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from playwright.sync_api import Page

from eegbench import pipeline
from page_browser import launched, open_page, watch

SCHEMES = ("light", "dark")
WIDTHS = (1440, 390)
HEIGHT = 900
PRINT_WIDTH = 720  # about a sheet of A4 in CSS pixels, margins off
CASES = ("T6", "T5", "T2", "T3", "T4")
TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
# the first case of a task that was not right, else its first
A_CASE = """task => {
  const mine = DATA.cases.filter(row => row.task === task && row.run === 0);
  const one = mine.find(row => row.outcome !== 'right') ?? mine[0];
  return one && caseKey(one);
}"""


def silent(*_: object) -> None:
    """Say nothing."""


def views(page: Page) -> Iterator[str]:
    """Bring one view after the other to the window, and yield its name."""
    yield "leaderboard"
    for number in range(page.locator("#tasks article").count()):
        article = page.locator("#tasks article").nth(number)
        article.evaluate("node => node.scrollIntoView()")
        yield str(article.get_attribute("id"))
    for name in ("behaviour", "provenance"):
        page.locator(f"#{name}").evaluate("node => node.scrollIntoView()")
        yield name
    for task in CASES:
        key = page.evaluate(A_CASE, task)
        if key is None:
            continue
        page.evaluate(
            "key => { location.hash = `#case=${encodeURIComponent(key)}` }", key
        )
        page.wait_for_selector("#case-detail h3")
        page.wait_for_timeout(300)
        yield f"case-{task}"
        if page.locator("#beside").count() and task in ("T5", "T6"):
            page.select_option("#beside", index=1)
            page.wait_for_timeout(300)
            yield f"pair-{task}"
            page.select_option("#beside", index=0)
            page.wait_for_timeout(200)


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    source = Path(sys.argv[2]) if len(sys.argv) > 2 else folder / "demo/report.html"
    if not source.is_file():
        pipeline.demo(folder / "demo", workers=1, talk=silent, tick=silent)
    with launched() as browser:
        for scheme in SCHEMES:
            for width in WIDTHS:
                watched = watch(browser, width=width, height=HEIGHT, scheme=scheme)
                page = open_page(watched, source)
                for name in views(page):
                    page.screenshot(path=folder / f"{scheme}_{width}_{name}.png")
                    if page.evaluate(TOO_WIDE):
                        print(f"{scheme} {width} {name}: scrolls sideways")
                if scheme == "light" and width == WIDTHS[0]:
                    page.pdf(path=folder / "printed.pdf")
                    page.set_viewport_size({"width": PRINT_WIDTH, "height": HEIGHT})
                    page.emulate_media(media="print")
                    page.screenshot(path=folder / "printed.png", full_page=True)
                for told in watched.foreign + watched.complaints:
                    print(f"{scheme} {width}: {told}")
                page.context.close()
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")


if __name__ == "__main__":
    main()
