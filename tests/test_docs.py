"""The pages are true: every tool, command, task, link and shown command exists."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from bench import source_folders
from eegbench.cli import main as eegbench
from eegbench.suites import suite
from eegcore import simulate
from eegcore.cli import main as eegcore
from eegcore.tools.page import tool_page

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
)
PROGRAMS = {"eegcore": eegcore, "eegbench": eegbench}
TEXT = {page: page.read_text() for page in PAGES}
FENCE = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)


def _commands() -> list[tuple[str, str]]:
    """Every `eegcore ...` or `eegbench ...` line of a fenced block."""
    rows = []
    for page, text in TEXT.items():
        for language, block in FENCE.findall(text):
            if language in ("python", "json", "toml"):
                continue
            for line in block.replace("\\\n", " ").splitlines():
                words = line.strip().removeprefix("$ ").split("#")[0].strip()
                words = words.removeprefix(".venv/bin/")
                if words.split(" ")[0] in PROGRAMS:
                    rows.append((page.name, words))
    return rows


@pytest.mark.parametrize(("page", "line"), _commands())
def test_shown_command_is_one_that_the_program_takes(page, line):
    words = shlex.split(line.split(" > ")[0].split(" | ")[0])
    command: click.Command = PROGRAMS[words[0]]
    context = click.Context(command, info_name=words[0])
    position = 1
    while isinstance(command, click.Group) and position < len(words):
        found = command.get_command(context, words[position])
        assert found is not None, f"{page}: no command {words[position]!r} in {line!r}"
        context = click.Context(found, info_name=words[position], parent=context)
        command, position = found, position + 1
    known = {
        option
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    } | {"--help", "-h", "--version"}
    for word in words[position:]:
        if word.startswith("-") and not re.fullmatch(r"-\d.*", word):
            assert word.split("=")[0] in known, f"{page}: {word!r} in {line!r}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", TEXT[page]):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_page_of_tools_is_what_the_specifications_say():
    assert (ROOT / "docs" / "tools.md").read_text() == tool_page()


def test_every_task_stands_in_the_readme():
    text = TEXT[ROOT / "README.md"]
    for name in suite("eegagent").tasks:
        assert f"| {name} " in text


def test_make_targets_that_are_shown_exist():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M))
    for page, text in TEXT.items():
        shown = re.findall(r"(?:^|`)make ([a-z][\w-]*)", text, re.M)
        assert set(shown) <= targets, page.name


def _block(page: str, start: str) -> str:
    """Return the fenced block of a page whose text begins so."""
    blocks = [block for _, block in FENCE.findall((ROOT / page).read_text())]
    return next(block for block in blocks if block.startswith(start))


def test_the_five_lines_of_the_readme_run(tmp_path, monkeypatch, capsys):
    # long enough that a call on the whole of it would be above the budget
    simulate.night(1, duration_sec=7200.0).write_edf(tmp_path / "night.edf")
    monkeypatch.chdir(tmp_path)
    exec(compile(_block("README.md", "import eegcore"), "README.md", "exec"), {})
    assert "'rms_uv'" in capsys.readouterr().out


def test_the_commands_of_the_readme_run_one_after_the_other(tmp_path):
    """With a small folder of each data set that the build command names."""
    simulate.resting(2, label="HC", duration_sec=60.0).write_edf(tmp_path / "FILE.edf")
    source_folders.bonn(tmp_path / "DATA" / "bonn")
    source_folders.chbmit(tmp_path / "DATA" / "chbmit")
    lines = _block("README.md", "eegcore info FILE").splitlines()
    for line in lines:
        words = shlex.split(line.replace("FILE", "FILE.edf"))
        done = subprocess.run(
            [Path(sys.executable).with_name(words[0]), *words[1:]],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, f"{line}: {done.stderr[-500:]}"
    assert (tmp_path / "report.html").stat().st_size > 10_000
