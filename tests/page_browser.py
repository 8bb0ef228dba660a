"""A system Chromium for tests and pictures of the page, driven by Playwright.

Every request and every message of the console is kept: the page must make none but
for itself and inlined data, and must print nothing.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
OWN_SCHEMES = ("file:", "data:", "blob:")


def chromium() -> str | None:
    """Return the path of a Chromium of this machine, or None."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


@contextmanager
def launched() -> Iterator[Browser]:
    """Yield a headless browser; Chromium must be there."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=list(OPTIONS)
        )
        yield browser
        browser.close()


@dataclass
class Watched:
    """An open page with what it asked for and what it complained of."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    @property
    def foreign(self) -> list[str]:
        """Requests that left the page."""
        return [url for url in self.requests if not url.startswith(OWN_SCHEMES)]


def watch(
    browser: Browser,
    *,
    width: int = 1440,
    height: int = 900,
    scheme: str = "light",
    bypass_csp: bool = False,
) -> Watched:
    """Return an empty page of a context of its own, watched from the start."""
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,  # type: ignore[arg-type]
        bypass_csp=bypass_csp,
    )
    watched = Watched(context.new_page())
    page = watched.page
    page.on("request", lambda request: watched.requests.append(request.url))
    page.on("console", lambda told: watched.complaints.append(told.text))
    page.on("pageerror", lambda error: watched.complaints.append(str(error)))
    page.on("dialog", lambda box: watched.complaints.append(f"dialog {box.message}"))
    return watched


def open_page(watched: Watched, path: Path, fragment: str = "") -> Page:
    """Open a file by its file:// address, as a double click does."""
    watched.page.goto(f"{path.absolute().as_uri()}{fragment}")
    return watched.page
