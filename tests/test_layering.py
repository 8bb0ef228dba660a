"""The import table of the style page, read off the source by ``ast``.

Each part lists what it may import. A module belongs to the part with the longest
fitting name; a rule of two packages is a waist, so a break here is a design change.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

SRC = Path(__file__).resolve().parents[1] / "src"
PLAIN = (
    "eegcore.jsonio",
    "eegcore.hypnogram",
    "eegcore.errors",
    "eegbench.errors",
    "eegbench.records",
)
BLIND = ("eegbench.instances", "eegbench.predictions")
RECORDS = (*BLIND, "eegbench.references")
READING = ("eegbench.loose_json", "eegbench.replies")  # replies of models
SCORES = (
    "eegbench.scoring",
    "eegbench.suites",
    "eegbench.scored",
    "eegbench.judging",
    "eegbench.evaluate",
    "eegbench.audit",
    "eegbench.compare",
    "eegbench.groundedness",
    "eegbench.analysis",
    "eegbench.report",
)


COMMANDS = (
    "eegbench.cli",
    "eegbench.cli_build",
    "eegbench.cli_chat",
    "eegbench.cli_data",
    "eegbench.cli_scale",
)


class Rule(NamedTuple):
    """What a part may import: our own packages, and others at the top or inside."""

    own: tuple[str, ...]
    never: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    inside_functions: tuple[str, ...] = ()


NUMERIC = ("numpy", "scipy", "orjson")
JUDGES = Rule(
    (*SCORES, *RECORDS, *PLAIN, *READING),
    outside=("numpy", "scipy", "msgspec", "orjson", "jinja2", "markupsafe"),
    inside_functions=("matplotlib", "statsmodels"),
)
BUILDERS = Rule(
    ("eegcore", "eegbench.sources", "eegbench.suites", *RECORDS, *PLAIN),
    never=("eegcore.tools", "eegcore.cli", "eegcore.serve"),
    outside=("numpy", "scipy", "msgspec", "orjson", "filelock"),
    inside_functions=("mne", "pyedflib"),
)
PLAYERS = (
    "eegbench.agents",
    "eegbench.answerschema",
    "eegbench.config",
    "eegbench.episode",
    "eegbench.models",
    "eegbench.merging",
    "eegbench.prices",
    "eegbench.progress",
    "eegbench.prompts",
    "eegbench.runfolder",
    "eegbench.shards",
    "eegbench.subset",
    "eegbench.toolcalls",
    "eegbench.transcripts",
    "eegbench.worker",
)
RUNNERS = Rule(
    ("eegcore.tools", "eegcore.pool", *PLAYERS, *BLIND, *PLAIN, *READING),
    never=("eegbench.references", "eegbench.scoring", "eegbench.suites"),
    outside=("numpy", "msgspec", "orjson", "filelock", "pebble"),
    inside_functions=("inspect_ai", "anyio", "openai"),
)
PARTS = {
    "eegcore.kernels": Rule(("eegcore.kernels",), outside=("numpy", "numba")),
    "eegcore.kernels._jit": Rule(  # llvmlite's version enters the cache key
        ("eegcore.kernels",), outside=("numpy", "numba", "llvmlite")
    ),
    "eegcore.kernels._freeze": Rule(
        ("eegcore.kernels",), outside=("numpy", "numba", "llvmlite")
    ),
    "eegcore.frozen": Rule(
        ("eegcore.kernels",), outside=("numpy",), inside_functions=("llvmlite",)
    ),
    "eegcore.kernels._vector": Rule(
        ("eegcore.kernels",), outside=("numpy", "numba", "llvmlite")
    ),
    "eegcore.kernels._lanes": Rule(
        ("eegcore.kernels",), outside=("numpy", "numba", "llvmlite")
    ),
    "eegcore": Rule(
        ("eegcore",),
        never=("eegcore.tools", "eegcore.cli", "eegcore.serve"),
        outside=NUMERIC,
        inside_functions=("mne", "pyedflib", "platformdirs", "filelock"),
    ),
    "eegcore.__init__": Rule(("eegcore",), never=("eegcore.cli", "eegcore.serve")),
    "eegcore.tools": Rule(
        ("eegcore",), never=("eegcore.cli", "eegcore.serve"), outside=NUMERIC
    ),
    **dict.fromkeys(
        ("eegcore.serve", "eegcore.serve_folder"),
        Rule(("eegcore",), ("eegcore.cli",), NUMERIC),
    ),
    "eegcore.serve_mcp": Rule(
        ("eegcore",),
        ("eegcore.cli",),
        NUMERIC,
        inside_functions=("mcp", "mcp_types", "anyio", "uvicorn"),
    ),
    "eegcore.archive_tables": Rule(
        ("eegcore.errors",), outside=NUMERIC, inside_functions=("pyarrow",)
    ),
    "eegcore.dask_pool": Rule(("eegcore",), inside_functions=("distributed",)),
    "eegcore.features_cli": Rule(("eegcore",), ("eegcore.cli",), outside=("click",)),
    **dict.fromkeys(
        ("eegcore.serve_cli", "eegcore.schemas_cli", "eegcore.warmup_cli"),
        Rule(("eegcore",), ("eegcore.cli",), outside=("click",)),
    ),
    "eegcore.warmup_cli": Rule(("eegcore",), outside=("click",)),
    "eegcore.crop_cli": Rule(("eegcore",), outside=("click",)),
    "eegcore.talk": Rule(("eegcore.errors",), outside=("click",)),
    "eegcore.sums_cli": Rule(("eegcore",), outside=("click",)),
    "eegcore.serve_folder": Rule(("eegcore",), ("eegcore.cli",), NUMERIC),
    "eegcore.cli": Rule(("eegcore",), outside=("click", "rich", *NUMERIC)),
    "eegbench.errors": Rule(()),
    "eegbench.records": Rule(("eegbench.errors",), outside=("msgspec",)),
    "eegbench.loose_json": Rule(()),
    **dict.fromkeys(RECORDS, Rule((*RECORDS, *PLAIN), outside=("msgspec", "orjson"))),
    "eegbench.replies": Rule((*READING, *PLAIN), outside=("msgspec", "orjson")),
    "eegbench.scoring": Rule(
        ("eegbench.scoring", *PLAIN, *READING),
        outside=("numpy", "scipy"),
        inside_functions=("statsmodels",),
    ),
    **dict.fromkeys(PLAYERS, RUNNERS),
    **dict.fromkeys(SCORES[1:], JUDGES),
    **dict.fromkeys(
        ("eegbench.chat_runner", "eegbench.chat_session"),
        RUNNERS._replace(
            own=(*RUNNERS.own, "eegbench.runner", "eegbench.chat_session")
        ),
    ),
    "eegbench.runner": RUNNERS._replace(own=(*RUNNERS.own, "eegcore", "eegbench")),
    # Inspect loads it by its entry point; nothing of ours does
    "eegbench.inspect_tasks": Rule(
        ("eegcore.tools", "eegbench"),
        never=COMMANDS,
        outside=("inspect_ai", "anyio", "msgspec"),
    ),
    "eegbench.worker": RUNNERS._replace(own=(*RUNNERS.own, "eegcore")),
    "eegbench.suites.own": JUDGES,
    **dict.fromkeys(
        (
            "eegbench.sources",
            "eegbench.suites.eegagent.build",
            "eegbench.suites.eegagent.demo",
            "eegbench.suites.eegagent.release",
            "eegbench.suites.eegagent.trim",
            "eegbench.suites.own_data",
        ),
        BUILDERS,
    ),
    "eegbench.export": Rule(
        ("eegbench.scored", "eegbench.export", *RECORDS, *PLAIN), outside=("orjson",)
    ),
    "eegbench.checking": Rule(("eegcore.formats", "eegbench.suites", *RECORDS, *PLAIN)),
    "eegbench.latency": Rule(("eegcore", "eegbench.errors"), outside=("orjson",)),
    "eegbench.pipeline": Rule(
        ("eegcore", "eegbench"),
        never=("eegbench.cli", "eegcore.cli", "eegcore.serve"),
        outside=("numpy", "msgspec", "orjson"),
    ),
    "eegbench.terminal": Rule(
        ("eegbench.errors", "eegcore.errors"),
        outside=("click",),
        inside_functions=("rich",),
    ),
    "eegbench.datasets": Rule(
        ("eegbench.datasets", "eegbench.sources", *PLAIN),
        outside=("numpy", "msgspec"),
        inside_functions=("pooch", "requests", "urllib3", "huggingface_hub"),
    ),
    **dict.fromkeys(
        COMMANDS,
        Rule(("eegbench.pipeline", "eegbench.terminal", *COMMANDS), outside=("click",)),
    ),
}
STANDARD = sys.stdlib_module_names


class Import(NamedTuple):
    """One imported module, and whether the statement stands inside a function."""

    name: str
    line: int
    inside: bool
    typing_only: bool


@cache
def modules() -> dict[str, Path]:
    found = {}
    for path in sorted(SRC.rglob("*.py")):
        parts = path.relative_to(SRC).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_of(path: Path) -> Iterator[Import]:
    def walk(node: ast.AST, *, inside: bool, typing_only: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            deeper = inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            typed = typing_only or (
                isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
            )
            if isinstance(child, ast.Import):
                for alias in child.names:
                    yield Import(alias.name, child.lineno, inside, typing_only)
            elif isinstance(child, ast.ImportFrom):
                for alias in child.names:
                    full = f"{child.module}.{alias.name}"
                    name = full if full in modules() else str(child.module)
                    yield Import(name, child.lineno, inside, typing_only)
            yield from walk(child, inside=deeper, typing_only=typed)

    tree = ast.parse(path.read_text(encoding="utf-8"))
    yield from walk(tree, inside=False, typing_only=False)


def within(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == each or name.startswith(f"{each}.") for each in packages)


def part_of(module: str) -> str | None:
    if modules()[module].name == "__init__.py" and f"{module}.__init__" in PARTS:
        return f"{module}.__init__"
    fitting = [part for part in PARTS if within(module, (part,))]
    return max(fitting, key=len, default=None)


def breaks(module: str) -> Iterator[str]:
    part = part_of(module)
    if part is None:
        if module != "eegbench":
            yield f"{module}: no rule in the import table"
        return
    rule = PARTS[part]
    for found in imports_of(modules()[module]):
        top = found.name.partition(".")[0]
        if top in STANDARD:
            continue
        if top in ("eegcore", "eegbench"):
            allowed = within(found.name, (*rule.own, part)) or found.name == top
            allowed = allowed and not within(found.name, rule.never)
        else:
            late = found.inside or found.typing_only
            allowed = top in rule.outside or (late and top in rule.inside_functions)
        if not allowed:
            yield f"{module}:{found.line} ({part}) may not import {found.name}"


@pytest.mark.parametrize("module", modules())
def test_imports_follow_the_table(module: str) -> None:
    assert list(breaks(module)) == []


def test_nothing_imports_a_command_line() -> None:
    guilty = [
        f"{module}:{found.line}"
        for module, path in modules().items()
        for found in imports_of(path)
        if found.name in ("eegbench.cli", "eegcore.cli")
    ]
    assert guilty == []


def test_no_circle_of_files() -> None:
    graph = {
        module: {
            found.name
            for found in imports_of(path)
            if found.name in modules()
            and found.name != module
            # names for the type checker alone load nothing
            and not found.typing_only
        }
        for module, path in modules().items()
    }
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " -> ".join((*trail, module))
        if module in done:
            return
        for target in sorted(graph[module]):
            visit(target, (*trail, module))
        done.add(module)

    for module in graph:
        visit(module, ())


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("eegcore", {"numba", "numpy", "scipy"}),
        ("eegbench.cli", {"numba", "numpy", "scipy", "mne"}),
        ("eegbench.scoring.labels", {"numba", "mne"}),
        ("eegbench.evaluate", {"numba", "mne", "eegcore.tools"}),
    ],
)
def test_import_loads_no_more_than_it_needs(module: str, unwanted: set[str]) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert unwanted.isdisjoint(done.stdout.split())
