"""Prices of models: USD per million tokens, in the words of Inspect's price files.

``input`` is what full input costs, ``input_cache_read`` what is read from a cache; a
price without it takes cached input at the full price, as the paper does (equation 9).
"""

import json
import re
import tomllib
from pathlib import Path
from typing import Annotated

import msgspec

from eegbench.agents import Usage
from eegbench.config import from_mapping
from eegbench.errors import ConfigError
from eegbench.records import JsonObject

Money = Annotated[float, msgspec.Meta(ge=0)]


class Price(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one model costs, USD per million tokens."""

    input: Money
    output: Money
    input_cache_read: Money | None = None
    input_cache_write: Money | None = None

    def cost_usd(self, usage: Usage) -> float:
        """Return what a usage costs."""
        read = self.input if self.input_cache_read is None else self.input_cache_read
        fresh = usage.input_tokens - usage.cached_input_tokens
        return (
            fresh * self.input
            + usage.cached_input_tokens * read
            + usage.output_tokens * self.output
        ) / 1e6

    def for_inspect(self) -> dict[str, float]:
        """Return all four prices, as Inspect wants them."""
        read, write = self.input_cache_read, self.input_cache_write
        return {
            "input": self.input,
            "output": self.output,
            "input_cache_read": self.input if read is None else read,
            "input_cache_write": self.input if write is None else write,
        }


class PriceList(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Prices by model, and when they were true."""

    dated: str
    origin: str = ""
    prices: dict[str, Price]

    def find(self, *names: str | None) -> Price | None:
        """Return the price of the first name that is listed.

        Names are compared by letters and digits, with and without the provider:
        ``openai/gpt-5.5`` finds ``GPT-5.5``.
        """
        listed = {plain_name(name): price for name, price in self.prices.items()}
        for name in names:
            if not name:
                continue
            for form in (name, name.rpartition("/")[2]):
                if plain_name(form) in listed:
                    return listed[plain_name(form)]
        return None


def plain_name(name: str) -> str:
    """Return a model's name by its letters and digits alone."""
    return re.sub(r"[^a-z0-9]+", "", name.lower())


def read_prices(path: str | Path) -> PriceList:
    """Read a price file: ours in TOML, or Inspect's own in JSON.

    Inspect's has the prices by model at the top and no date.

    Raises
    ------
    ConfigError
        The file is missing, malformed, or has an unknown key.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
        given: JsonObject = (
            json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        )
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise ConfigError(f"{path}: neither TOML nor JSON: {error}") from error
    if path.suffix == ".json" and "prices" not in given:
        given = {"dated": "undated", "origin": str(path), "prices": given}
    return from_mapping(given, PriceList, str(path))
