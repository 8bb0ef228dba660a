"""The page in a real browser: its script runs, a case opens, text stays text.

Needs a system Chromium; skipped, saying so, without one.
"""

import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import quote

import pytest

from bench_runs import HOSTILE, RIGHT_TO_LEFT, made_runs
from eegbench.report.page import render_page

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=5000",
    "--dump-dom",
)


def dom(page: Path, profile: Path, fragment: str = "") -> str:
    if CHROMIUM is None:
        pytest.skip("no chromium or google-chrome on this machine")
    done = subprocess.run(
        [
            *[CHROMIUM, *OPTIONS],
            f"--user-data-dir={profile}",
            f"{page.as_uri()}{fragment}",
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout


def test_cases_are_listed_and_one_opens(tmp_path: Path) -> None:
    runs = made_runs()
    page = tmp_path / "page.html"
    page.write_text(render_page(runs, title="made"), encoding="utf-8")
    case = next(c for c in runs[0].cases if c.task == "T5")
    key = quote(f"0/{case.instance.instance_id}", safe="")
    html = dom(page, tmp_path / "profile", f"#case={key}")
    n_cases = sum(len(run.cases) for run in runs)
    assert f"{n_cases} of {n_cases} cases" in html
    assert f"{case.instance.instance_id} · rules" in html
    assert 'class="alarm"' in html
    assert RIGHT_TO_LEFT in html
    escaped = HOSTILE.replace("<", "&lt;").replace(">", "&gt;")
    assert escaped in html
    assert not re.search(r"<img", html)
