"""The specifications as a page for people: docs/tools.md is written by this module.

``python -m eegcore.tools.page > docs/tools.md``; a test holds the page to it.
"""

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from eegcore.tools import TOOLS
from eegcore.tools.spec import TEXT_RULE, Argument, ToolSpec

_HEAD = f"""# The ten tools

Written from the specifications in `src/eegcore/tools/`; the same source gives the
schemas for OpenAI, Anthropic and MCP. Every answer begins with `_meta` (its size) and
`record_id`; a failed call answers `record_id`, `error` and, in `default`, a stable
`code`.
{TEXT_RULE}
"""


def tool_page() -> str:
    """All tools with arguments and answers, as Markdown."""
    sections = [_section(tool.spec) for tool in TOOLS.values()]
    return "\n".join([_HEAD, *sections])


def _section(spec: ToolSpec) -> str:
    lines = [f"## {spec.name}", "", spec.purpose, ""]
    lines += ["| argument | kind | limits | meaning |", "| --- | --- | --- | --- |"]
    lines += [_argument_row(argument) for argument in spec.arguments]
    lines += ["", "| answer | meaning |", "| --- | --- |"]
    lines += [f"| `{key}` | {text} |" for key, text in _keys(spec.answer)]
    return "\n".join([*lines, ""])


def _argument_row(argument: Argument) -> str:
    limits = []
    if argument.required:
        limits.append("required")
    if argument.choices:
        limits.append("of " + ", ".join(f"`{choice}`" for choice in argument.choices))
    if argument.minimum is not None:
        limits.append(f"at least {argument.minimum:g}")
    if argument.above is not None:
        limits.append(f"above {argument.above:g}")
    if argument.maximum is not None:
        limits.append(f"at most {argument.maximum:g}")
    if argument.default is not None:
        default = argument.default
        shown = ", ".join(default) if isinstance(default, tuple) else f"{default}"
        limits.append(f"default {shown}")
    if argument.dialects is not None:
        limits.append("only in " + ", ".join(argument.dialects))
    told = "; ".join(limits)
    return f"| `{argument.name}` | {argument.kind} | {told} | {argument.purpose} |"


def _keys(answer: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Each key of an answer with its description, rows and objects opened."""
    for key, schema in answer.items():
        yield prefix + key, schema.get("description", "")
        inner = schema.get("items", schema)
        mark = "[]." if "items" in schema else "."
        if isinstance(inner, Mapping) and "properties" in inner:
            yield from _keys(inner["properties"], prefix + key + mark)


if __name__ == "__main__":
    sys.stdout.write(tool_page())
