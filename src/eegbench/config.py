"""TOML files into frozen structs; an unknown key is an error that lists the known.

``configs/eegagent.toml`` holds limits and budgets, ``configs/agents/*.toml`` one agent
each. The defaults here are the same as those of the files, so that the package runs
without them.
"""

import tomllib
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec

from eegbench.errors import ConfigError
from eegbench.records import JsonObject, explain

Positive = Annotated[int, msgspec.Meta(ge=1)]
NotNegative = Annotated[int, msgspec.Meta(ge=0)]
Seconds = Annotated[float, msgspec.Meta(gt=0)]
Encoding = Literal["rows", "compact"]
Kind = TypeVar("Kind")


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What bounds an episode."""

    max_turns: Positive = 1000
    max_tool_calls: NotNegative = 999
    max_calls_per_turn: Positive = 3
    max_repairs: NotNegative = 3
    """Repairs in a row, before a reply is taken as it is."""


class ToolSettings(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True
):
    """How the ten tools answer."""

    budget_tokens: NotNegative = 8000
    """Largest answer; 0: no budget."""
    dialect: Literal["", "default", "paper-1.0"] = ""
    """Empty: the dialect of the set."""
    encoding: Encoding = "rows"
    """``compact``: tables as columns, the same information in about half the tokens;
    for chat models and programs, in dialect default."""


class RunSettings(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True
):
    """How a run is carried out."""

    workers: NotNegative = 0
    """Processes; 0: one for each core."""
    time_limit_sec: Seconds = 3600.0
    """Wall time of one instance, after which its process is ended."""
    seed: int = 0
    """For agents that draw at random."""
    keep_transcripts: bool = True
    protocol: Literal["text", "native"] = "text"
    """Whether a chat model calls tools in its text or by its provider's function
    calling."""


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that a run can be told."""

    limits: Limits = Limits()
    tools: ToolSettings = ToolSettings()
    run: RunSettings = RunSettings()


class AgentConfig(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True
):
    """One agent: its name in the registry and its options."""

    agent: str
    options: JsonObject = {}


def read_config(path: str | Path | None = None) -> Config:
    """Read limits and budgets; None: the defaults."""
    return Config() if path is None else _read_toml(Path(path), Config)


def read_agent_config(path: str | Path) -> AgentConfig:
    """Read an agent's file."""
    return _read_toml(Path(path), AgentConfig)


def from_mapping(values: JsonObject, kind: type[Kind], where: str) -> Kind:
    """Turn a mapping into a frozen struct.

    Raises
    ------
    ConfigError
        A key is unknown (the message lists the known ones) or a value is out of
        range; ``where`` opens the message.
    """
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{where}: {explain(error, kind)}") from error


def _read_toml(path: Path, kind: type[Kind]) -> Kind:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise ConfigError(f"cannot read {path}: {reason}") from error
    except ValueError as error:
        message = str(error)
        raise ConfigError(
            f"{path}: not TOML: {message[:1].lower()}{message[1:]}"
        ) from error
    return from_mapping(values, kind, str(path))
