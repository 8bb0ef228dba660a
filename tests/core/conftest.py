"""Fixtures of the tests of eegcore."""

from collections.abc import Callable
from pathlib import Path

import pytest

from edf_writer import Edf
from eegcore.formats import open_recording
from eegcore.recording import Recording


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., Recording]:
    """Write a file and open it."""

    def write(file: Edf, name: str = "x.edf") -> Recording:
        path = tmp_path / name
        path.write_bytes(file.to_bytes())
        return open_recording(path)

    return write
