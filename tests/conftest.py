"""Shared fixtures: the seeded generator and where the real recordings lie."""

import os
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]


def _folder(variable: str, default: str) -> Path:
    path = Path(os.environ.get(variable, ROOT.parent / "shared" / default))
    if not path.is_dir():
        pytest.skip(f"no folder {path}; {variable} names another place")
    return path


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261130)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The real recordings (../shared/data or EEGCORE_DATA)."""
    return _folder("EEGCORE_DATA", "data")


@pytest.fixture(scope="session")
def cases_dir() -> Path:
    """The failure cases (../shared/cases or EEGCORE_CASES)."""
    return _folder("EEGCORE_CASES", "cases")
