"""Importing this loads the kernels of windowed features of 16-bit recordings.

For fork servers alone, which import modules and can be told nothing else; children
share what is loaded. See `eegcore.preloaded` for all kernels, which take twice as long.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from eegcore.warmup import load_windows


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute without a pool of threads: a process that forks has none."""
    before = os.environ.get("EEGCORE_THREADS")
    os.environ["EEGCORE_THREADS"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["EEGCORE_THREADS"]
        else:
            os.environ["EEGCORE_THREADS"] = before


with one_thread():
    load_windows()
