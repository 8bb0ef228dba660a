"""Score, report, case and export of runs that have little or nothing in them."""

from pathlib import Path

import pytest

from bench_folders import perfect_answers, run_folder, small_set
from eegbench import pipeline
from eegbench.errors import SetError

HOSTILE = "<b onload=alert(1)>&\"'{{x}}</script>"


def silent(*_: object) -> None:
    pass


def made_run(kind: str, folder: Path, chosen: Path) -> Path:
    answers = perfect_answers()
    if kind == "empty":
        return run_folder(folder, chosen, {})
    if kind == "failures":
        return run_folder(folder, chosen, {}, failed=list(answers))
    if kind == "one task":
        kept = {name: text for name, text in answers.items() if name[:2] == "T5"}
        return run_folder(folder, chosen, kept, tasks=["T5"])
    if kind == "garbage":
        return run_folder(folder, chosen, dict.fromkeys(answers, "\x00\u202e <script>"))
    return run_folder(folder, chosen, answers, agent=HOSTILE)


KINDS = ("empty", "failures", "one task", "garbage", "markup in a name")


@pytest.mark.parametrize("kind", KINDS)
def test_every_form_is_written_whatever_the_run(kind: str, tmp_path: Path) -> None:
    run = made_run(kind, tmp_path / "run", small_set(tmp_path / "set"))
    page = tmp_path / "page.html"
    pipeline.report([run], page, set_path=None, form="html", rounds=5, talk=silent)
    html = page.read_text()
    assert "<b onload" not in html
    assert "not for clinical use" in html
    for form in ("table", "md", "csv", "json"):
        text, _ = pipeline.score(run, set_path=None, form=form, rounds=5, talk=silent)
        if form == "table":
            assert max(len(line) for line in text.splitlines()) <= 80
    assert "T5-0" in pipeline.case(run, None, set_path=None, full=False)
    assert pipeline.case(run, "T5-0", set_path=None, full=False).startswith("T5-0")


def test_a_run_without_answers_says_that_there_is_nothing_to_export(
    tmp_path: Path,
) -> None:
    run = made_run("failures", tmp_path / "run", small_set(tmp_path / "set"))
    with pytest.raises(SetError, match=r"no answered instance of .* has a recording"):
        pipeline.export(run, None, tmp_path / "out", form="edf+", set_path=None)


def test_runs_of_different_sets_stand_on_one_page_with_a_warning(
    tmp_path: Path,
) -> None:
    plain = small_set(tmp_path / "set")
    other = small_set(tmp_path / "other", condition="paper-like", dialect="paper-1.0")
    runs = [
        run_folder(tmp_path / "a", plain, perfect_answers()),
        run_folder(tmp_path / "b", other, perfect_answers()),
    ]
    page = tmp_path / "page.html"
    pipeline.report(runs, page, set_path=None, form="html", rounds=5, talk=silent)
    html = page.read_text()
    assert "differ in dialect or condition; their scores do not compare" in html
    assert "answer different sets; their scores do not compare" in html
    assert html.count("best without a signal</td>") == 2
