"""Agents by name: what ``--agent NAME`` and ``configs/agents/*.toml`` mean.

A name with a colon, ``package.module:Name``, is any object with the Agent protocol,
made by calling it with the options as keywords.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple, Protocol, runtime_checkable

import msgspec

from eegbench.agents import Agent
from eegbench.config import Encoding, from_mapping
from eegbench.errors import ConfigError
from eegbench.records import JsonObject


@runtime_checkable
class _Checked(Protocol):
    """Options that know what no instance could be played with."""

    def check(self) -> None:
        """Raise ConfigError."""


class _Entry(NamedTuple):
    module: str
    attribute: str
    options: str | None = None
    """Struct of the options in the same module; None: there are none."""


_AGENTS = {
    "rules": _Entry("eegbench.agents.rules", "RuleAgent"),
    "random": _Entry("eegbench.agents.baselines", "RandomAgent"),
    "constant": _Entry("eegbench.agents.baselines", "ConstantAgent"),
    "id-only": _Entry("eegbench.agents.baselines", "IdOnlyAgent"),
    "replay": _Entry("eegbench.agents.replay", "ReplayAgent", "ReplayOptions"),
    "command": _Entry("eegbench.agents.command", "CommandAgent", "CommandOptions"),
}
_READ_ROWS = ("rules",)
"""Agents whose code reads tool answers as rows."""
NAMES = (*_AGENTS, "chat")
"""All names of ``--agent``; ``chat`` is played by ``eegbench.chat_runner``."""


def make_agent(name: str, options: JsonObject | None = None) -> Agent:
    """Make an agent for one instance.

    Raises
    ------
    ConfigError
        The name or an option is unknown; the message lists the known ones.
    """
    return agent_factory(name, options)()


def agent_factory(name: str, options: JsonObject | None = None) -> Callable[[], Agent]:
    """Check a name and its options once; the result makes an agent each call."""
    given = options or {}
    where = f"options of agent {name!r}"
    if ":" in name:
        made = _attribute(*name.split(":", 1))
        return lambda: _checked(made(**given), name)
    if name == "chat":
        raise ConfigError(
            "a chat model is no agent of a worker process; it is played by "
            "'eegbench run --agent chat' or eegbench.chat_runner.run_chat"
        )
    if name not in _AGENTS:
        known = ", ".join(NAMES)
        raise ConfigError(
            f"unknown agent {name!r}; known: {known}, or package.module:Name"
        )
    entry = _AGENTS[name]
    made = _attribute(entry.module, entry.attribute)
    if entry.options is None:
        if given:
            raise ConfigError(f"{where}: unknown {', '.join(given)}; it has none")
        return lambda: _checked(made(), name)
    settings = from_mapping(given, _attribute(entry.module, entry.options), where)
    if isinstance(settings, _Checked):
        settings.check()
    return lambda: _checked(made(settings), name)


def resolved_options(name: str, options: JsonObject) -> JsonObject:
    """Return an agent's options with the defaults filled in, for ``run.json``."""
    entry = _AGENTS.get(name)
    if entry is None or entry.options is None:
        return dict(options)
    kind = _attribute(entry.module, entry.options)
    settings = from_mapping(options, kind, f"options of agent {name!r}")
    built: JsonObject = msgspec.to_builtins(settings)
    return built


def checked_encoding(encoding: Encoding, *, agent: str, dialect: str) -> Encoding:
    """Return an encoding of tool answers; ConfigError where it cannot be had."""
    if encoding == "compact" and dialect == "paper-1.0":
        raise ConfigError(
            "encoding 'compact' is not offered in dialect paper-1.0, which answers in "
            "rows; leave it out or take dialect default"
        )
    if encoding == "compact" and agent in _READ_ROWS:
        raise ConfigError(
            f"agent {agent!r} reads tool answers as rows; encoding 'compact' is for "
            "chat models, programs and agents of one's own"
        )
    return encoding


def isolation(name: str) -> bool | None:
    """Say whether a command agent runs in a sandbox here; None: no command agent."""
    if name != "command":
        return None
    return bool(_attribute(_AGENTS[name].module, "can_isolate")())


def _attribute(module: str, name: str) -> Any:
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"no agent at {module}:{name}: {error}") from error


def _checked(agent: object, name: str) -> Agent:
    if not isinstance(agent, Agent):
        raise ConfigError(f"{name!r} is no agent; it needs name, start and reply")
    return agent
