"""Many models on one set: the file that names them, and what they are going to cost.

A models file lists models with their settings; each combination of a model, a variant
and a mode is a run in a folder of its own. Estimates rest on tokens of an earlier run,
or on the paper's Table 5.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Annotated, Literal, NamedTuple

import msgspec

from eegbench.agents import Usage
from eegbench.agents.chat import ChatOptions
from eegbench.config import NotNegative, Positive, Seconds, from_mapping
from eegbench.errors import ConfigError
from eegbench.predictions import Prediction
from eegbench.prices import Price, PriceList, plain_name
from eegbench.records import JsonObject

Mode = Literal["text", "tools"]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Variant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One way to ask a model."""

    name: str
    generate: JsonObject = {}
    model_args: JsonObject = {}


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One model of the file; what is not said is taken from ``[defaults]``."""

    model: str
    name: str = ""
    """Of the run's folder; empty: made of the model's."""
    modes: tuple[Mode, ...] = ("text",)
    variants: tuple[Variant, ...] = ()
    base_url: str | None = None
    api_key_env: str | None = None
    model_args: JsonObject = {}
    generate: JsonObject = {}
    connections: Positive = 16
    max_retries: NotNegative = 6
    attempt_limit_sec: Seconds = 600.0
    give_up_after: Positive = 8
    price: str = ""
    """Name in the price file; empty: the model's own."""
    tokens: str = ""
    """Name in the paper's Table 5, for estimates; empty: the model's own."""


class ChatRun(NamedTuple):
    """One run of the matrix."""

    name: str
    """Folder of the run."""
    mode: Mode
    options: ChatOptions
    price_name: str
    tokens_name: str


_OPTIONS = (
    "model",
    "base_url",
    "api_key_env",
    "connections",
    "max_retries",
    "attempt_limit_sec",
    "give_up_after",
)


def read_models(path: str | Path) -> list[ChatRun]:
    """Read a models file into its runs.

    Raises
    ------
    ConfigError
        The file is missing or malformed, a key is unknown, two runs would share a
        folder, or no model is in it.
    """
    path = Path(path)
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from error
    unknown = sorted(set(given) - {"defaults", "models"})
    if unknown:
        raise ConfigError(
            f"{path}: unknown {', '.join(unknown)}; known: defaults, models"
        )
    defaults, rows = given.get("defaults", {}), given.get("models", [])
    if not isinstance(rows, list) or not isinstance(defaults, dict) or not rows:
        raise ConfigError(f"{path}: no models; at least one [[models]] is needed")
    runs: list[ChatRun] = []
    for number, row in enumerate(rows, start=1):
        where = f"{path}, model {number}"
        runs += _runs_of(from_mapping({**defaults, **row}, Entry, where))
    names = [run.name for run in runs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigError(
            f"{path}: two runs share the folder {', '.join(twice)}; give them names"
        )
    return runs


def _runs_of(entry: Entry) -> Iterable[ChatRun]:
    base = entry.name or folder_name(entry.model)
    shared = {name: getattr(entry, name) for name in _OPTIONS}
    for variant in entry.variants or (Variant(name=""),):
        for mode in entry.modes:
            parts = [base, variant.name, mode if len(entry.modes) > 1 else ""]
            yield ChatRun(
                name="-".join(part for part in parts if part),
                mode=mode,
                options=ChatOptions(
                    **shared,
                    generate={**entry.generate, **variant.generate},
                    model_args={**entry.model_args, **variant.model_args},
                ),
                price_name=entry.price,
                tokens_name=entry.tokens,
            )


def folder_name(model: str) -> str:
    """Return a model's name as that of a folder."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", model.rpartition("/")[2]) or "model"


class TokensPerTask(NamedTuple):
    """Mean usage of one instance, by task, and where it is from."""

    by_task: dict[str, tuple[float, float, float]]
    """Input, cached input and output tokens."""
    source: str


def tokens_of_run(rows: Iterable[Prediction], source: str) -> TokensPerTask:
    """Return what the instances of an earlier run took."""
    kept: dict[str, list[Prediction]] = {}
    for row in rows:
        if row.status == "completed":
            kept.setdefault(row.task, []).append(row)
    by_task = {
        task: (
            sum(row.input_tokens for row in mine) / len(mine),
            sum(row.cached_input_tokens for row in mine) / len(mine),
            sum(row.output_tokens for row in mine) / len(mine),
        )
        for task, mine in kept.items()
    }
    return TokensPerTask(by_task, source)


def tokens_of_paper(
    rows: Iterable[Mapping[str, object]], frozen_counts: Mapping[str, int], *names: str
) -> TokensPerTask:
    """Return what an instance took in the paper, the same for every task.

    Parameters
    ----------
    rows : iterable of mapping
        Table 5: ``model``, ``prompt_mtok``, ``completion_mtok`` of the full set. A
        model that is not among them gets the median.
    frozen_counts : mapping of str to int
        Instances of the full set by task.
    names : str
        Names to look for, the first that is there.
    """
    total = sum(frozen_counts.values())
    table = {
        plain_name(str(row["model"])): (
            str(row["model"]),
            _number(row["prompt_mtok"]) * 1e6 / total,
            _number(row["completion_mtok"]) * 1e6 / total,
        )
        for row in rows
    }
    forms = [form for name in names for form in (name, name.rpartition("/")[2])]
    found = next((table[plain_name(f)] for f in forms if plain_name(f) in table), None)
    if found is None:
        told = list(table.values())
        found = (
            f"median of {len(told)} models",
            median(row[1] for row in told),
            median(row[2] for row in told),
        )
    source = f"paper, Table 5: {found[0]}, mean over all tasks"
    mean = (found[1], 0.0, found[2])
    return TokensPerTask(dict.fromkeys(frozen_counts, mean), source)


def _number(cell: object) -> float:
    if not isinstance(cell, int | float):
        raise TypeError(f"expected a number in a table of tokens, found {cell!r}")
    return float(cell)


class Estimate(NamedTuple):
    """What a run is going to take."""

    input_tokens: float
    cached_input_tokens: float
    output_tokens: float
    cost_usd: float | None
    """None: no price is known."""
    source: str


def estimate(
    counts: Mapping[str, int],
    tokens: TokensPerTask,
    price: Price | None,
    *,
    cached_share: float | None = None,
) -> Estimate:
    """Return what instances of some tasks are going to take.

    Parameters
    ----------
    counts : mapping of str to int
        Instances by task. A task without known tokens takes the mean of the others.
    tokens : TokensPerTask
    price : Price or None
    cached_share : float, optional
        Of the input, read from the provider's cache; default: as in ``tokens``.
    """
    known = list(tokens.by_task.values()) or [(0.0, 0.0, 0.0)]
    mean = tuple(sum(column) / len(known) for column in zip(*known, strict=True))
    sums = [0.0, 0.0, 0.0]
    for task, n in counts.items():
        for column, value in enumerate(tokens.by_task.get(task, mean)):
            sums[column] += n * value
    if cached_share is not None:
        sums[1] = cached_share * sums[0]
    usage = Usage(
        input_tokens=round(sums[0]),
        cached_input_tokens=round(sums[1]),
        output_tokens=round(sums[2]),
    )
    return Estimate(
        input_tokens=sums[0],
        cached_input_tokens=sums[1],
        output_tokens=sums[2],
        cost_usd=None if price is None else price.cost_usd(usage),
        source=tokens.source,
    )


def price_of(prices: PriceList, run: ChatRun) -> Price | None:
    """Return a run's price; ConfigError for a name that the list does not have."""
    if run.price_name:
        found = prices.find(run.price_name)
        if found is None:
            raise ConfigError(
                f"no price {run.price_name!r} of run {run.name}; known: "
                f"{', '.join(prices.prices)}"
            )
        return found
    return prices.find(run.options.model, run.name)
