"""Answers that would be too large: refused before computing, with a call that fits."""

from collections.abc import Callable

from eegcore.tools import Tool
from eegcore.tools.answers import Json
from eegcore.tools.call import Call
from eegcore.tools.failures import ToolError
from eegcore.tools.windowed import WINDOWED_SPEC, plan, released_tokens

CHARACTERS_PER_TOKEN = 4


def check_budget(tool: Tool, call: Call, budget_tokens: int) -> None:
    """Refuse a call whose answer may exceed the budget.

    Raises
    ------
    ToolError
        With the estimate, and where possible `suggested_call`, ready to send.
    """
    is_windowed = tool.spec is WINDOWED_SPEC
    if tool.size is None or not (is_windowed or call.dialect.budget_for_all):
        return
    tokens = _tokens(tool, call)
    if tokens <= budget_tokens:
        return
    n_channels = len(call.channels)
    facts: Json = {
        "budget_tokens": budget_tokens,
        "estimated_tokens": tokens,
        "n_channels": n_channels,
    }
    size = f"{n_channels} channels"
    if is_windowed:
        facts["n_windows"] = plan(call).n_windows
        size += f" x {facts['n_windows']} windows"
    message = (
        f"the answer would be too large: {size}, about {tokens} tokens, above the"
        f" budget of {budget_tokens}; nothing was computed."
    )
    smaller = _smaller(tool, call, budget_tokens)
    if smaller is None:
        message += " no smaller call of this tool fits"
    else:
        message += " " + _described(call, smaller)
        if call.dialect.budget_for_all:
            facts["suggested_call"] = {
                "name": call.tool,
                "arguments": _arguments(call, smaller),
            }
    raise ToolError("too_large", message, **facts)


def _tokens(tool: Tool, call: Call) -> int:
    if not call.dialect.budget_for_all:
        return released_tokens(call)
    characters = tool.size(call) if tool.size is not None else 0
    return -(-characters // CHARACTERS_PER_TOKEN)


def _smaller(tool: Tool, call: Call, budget_tokens: int) -> Call | None:
    """Return the call cut to fit: in time where rows are windows, else in channels."""
    if tool.spec is WINDOWED_SPEC:
        shorter = _shorter(tool, call, budget_tokens)
        if shorter is not None:
            return shorter
    least = 2 if tool.spec.name in ("compute_channel_correlation",) else 1
    fewer = _fewer(tool, call, budget_tokens, least)
    if fewer is not None or tool.spec is not WINDOWED_SPEC:
        return fewer
    return _shorter(tool, call.with_channels(call.channels[:1]), budget_tokens)


def _shorter(tool: Tool, call: Call, budget_tokens: int) -> Call | None:
    """Return the longest range from the same start that fits."""
    planned = plan(call)

    def cut(n_windows: int) -> Call:
        span = (n_windows - 1) * planned.step_sec + planned.window_sec
        stop_sec = min(call.stop_sec, round(call.start_sec + span, 3))
        values = call.values | {"tmin": call.start_sec, "tmax": stop_sec}
        cut_call = call.with_range(call.start_sec, stop_sec)
        return cut_call.with_values(values)

    return _largest(tool, budget_tokens, cut, 1, planned.n_windows - 1)


def _fewer(tool: Tool, call: Call, budget_tokens: int, least: int) -> Call | None:
    """Return the most channels, from the first on, that fit."""

    def cut(n_channels: int) -> Call:
        return call.with_channels(call.channels[:n_channels])

    return _largest(tool, budget_tokens, cut, least, len(call.channels) - 1)


def _largest(
    tool: Tool,
    budget_tokens: int,
    cut: Callable[[int], Call],
    low: int,
    high: int,
) -> Call | None:
    """Return cut(n) of the largest n in low..high that fits; None: none fits."""
    best: Call | None = None
    while low <= high:
        middle = (low + high) // 2
        candidate = cut(middle)
        if _fits(tool, candidate, budget_tokens):
            best, low = candidate, middle + 1
        else:
            high = middle - 1
    return best


def _fits(tool: Tool, call: Call, budget_tokens: int) -> bool:
    try:
        if tool.check is not None:
            tool.check(call)
        return _tokens(tool, call) <= budget_tokens
    except ToolError:
        return False


def _described(call: Call, smaller: Call) -> str:
    if len(smaller.channels) < len(call.channels):
        part = f"{len(smaller.channels)} channels"
        if smaller.stop_sec < call.stop_sec:
            part += f" and {smaller.stop_sec - smaller.start_sec:g} s"
        return f"{part} would fit"
    return (
        f"a range of {smaller.stop_sec - smaller.start_sec:g} s would fit, or fewer"
        " channels, or longer windows"
    )


def _arguments(call: Call, smaller: Call) -> Json:
    """Arguments as they were sent, with what was cut."""
    arguments = dict(call.given)
    if len(smaller.channels) < len(call.channels):
        arguments["channels"] = [smaller.name(c) for c in smaller.channels]
    if (smaller.start_sec, smaller.stop_sec) != (call.start_sec, call.stop_sec):
        arguments["tmin"] = smaller.start_sec
        arguments["tmax"] = smaller.stop_sec
    return arguments
