"""The options of ``eegbench run`` for chat models and for programs."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

_OPTIONS = (
    click.option(
        "--exec", "command_line", metavar="COMMAND", help="Command: the program."
    ),
    click.option(
        "--encoding",
        type=click.Choice(["rows", "compact"]),
        help="Chat, command: how tools answer; compact: in about half the tokens.",
    ),
    click.option("--model", help="Chat: Inspect's name, such as openai/gpt-5.5."),
    click.option("--models", type=Path, help="Chat: a TOML file of many; a run each."),
    click.option(
        "--mode",
        type=click.Choice(["text", "tools"]),
        help="Chat: the text protocol (default), or native function calling.",
    ),
    click.option("--base-url", help="Chat: of an OpenAI-compatible endpoint."),
    click.option("--api-key-env", metavar="VAR", help="Chat: variable of the key."),
    click.option(
        "--connections", type=click.IntRange(1), help="Chat: episodes at once (16)."
    ),
    click.option(
        "--generate",
        multiple=True,
        metavar="NAME=VALUE",
        help="Chat: temperature=0, reasoning_effort=low, ...; may be repeated.",
    ),
    click.option(
        "--prices", type=Path, help="Chat: price file, TOML or Inspect's JSON."
    ),
    click.option(
        "--max-cost",
        type=click.FloatRange(0, min_open=True),
        metavar="USD",
        help="Chat: stop there.",
    ),
    click.option(
        "--dry-run", is_flag=True, help="Chat: estimate the cost, ask nobody."
    ),
    click.option(
        "--tokens-from", type=Path, metavar="RUN", help="Chat: estimate by it."
    ),
    click.option(
        "--cached-share",
        type=click.FloatRange(0, 1),
        help="Chat: estimate with so much of the input cached.",
    ),
)
_OF_THE_AGENT = ("base_url", "api_key_env", "connections")


def chat_choices(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options; the command gets those that were given as ``chat``."""

    @functools.wraps(command)
    def run(**given: Any) -> Any:
        chat = {
            "model": given.pop("model"),
            "models": given.pop("models"),
            "mode": given.pop("mode"),
            "generate": given.pop("generate"),
            "prices": given.pop("prices"),
            "max_cost_usd": given.pop("max_cost"),
            "dry_run": given.pop("dry_run"),
            "tokens_from": given.pop("tokens_from"),
            "cached_share": given.pop("cached_share"),
        }
        options = {name: given.pop(name) for name in _OF_THE_AGENT}
        chat["options"] = {
            name: value for name, value in options.items() if value is not None
        }
        told = {name: value for name, value in chat.items() if value}
        return command(chat=told, **given)

    for option in reversed(_OPTIONS):
        run = option(run)
    return run
