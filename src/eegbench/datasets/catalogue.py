"""The table of data sets: `catalogue.toml` as frozen structs."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

from eegbench.errors import ConfigError

Way = Literal["files", "huggingface", "openneuro", "physionet"]
"""How a data set is got: plain files, two clients, or a line for the shell."""


class Dataset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One public data set."""

    name: str = ""
    task: str
    title: str
    licence: str
    """As the owner states it; see `page`."""
    terms: str | None = None
    """What a person must accept before it is fetched; None: an open licence."""
    page: str
    size_mb: float
    """About; in millions of bytes."""
    way: Way
    repository: str | None = None
    revision: str | None = None
    base_url: str | None = None
    """Where plain files lie; None: no address that stays is known."""
    files: tuple[str, ...] = ()
    """File names, or patterns of them (huggingface)."""
    shapes: tuple[tuple[int, int], ...] = ()
    """Shapes of `.npy` files, in their order."""
    samples_sha256: dict[str, str] = {}
    """Checksums of the samples of text files, by set (Bonn)."""
    include: tuple[str, ...] = ()
    expects: str
    """What the builder looks for in the folder."""
    note: str | None = None


@cache
def catalogue() -> dict[str, Dataset]:
    """All data sets by name, in the order of the tasks."""
    source = files("eegbench.datasets").joinpath("catalogue.toml")
    raw = tomllib.loads(source.read_text(encoding="utf-8"))
    return {
        name: msgspec.convert({"name": name, **row}, Dataset)
        for name, row in raw.items()
    }


def dataset(name: str) -> Dataset:
    """One data set by name.

    Raises
    ------
    ConfigError
        No data set of this name.
    """
    known = catalogue()
    if name not in known:
        raise ConfigError(f"unknown data set {name!r}; known: {', '.join(known)}")
    return known[name]
