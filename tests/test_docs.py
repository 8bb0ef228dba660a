"""The pages are true: every tool, command, task, link and shown command exists."""

import re
import shlex
from pathlib import Path

import click
import pytest

from eegbench.cli import main as eegbench
from eegbench.suites import suite
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
