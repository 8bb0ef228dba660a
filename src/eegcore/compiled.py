"""The one way to the kernels: by name, from whatever holds their machine code.

numba compiles them or loads them from its cache. With EEGCORE_FROZEN=1 they come
from `eegcore.frozen`, if ``eegcore warmup`` has frozen them for this processor: the
same code, without importing numba.
"""

import os
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any

Kernel = Callable[..., Any]

HOMES = {
    "add_atoms": "features",
    "crossings": "waveform",
    "filter_window": "transients",
    "find_candidates": "transients",
    "join_blocks": "features",
    "keep_apart": "transients",
    "product_sums": "coupling",
    "scan": "spectrum",
    "segment_sums": "spectrum",
    "stretch_sums": "waveform",
    "window_features": "features",
}


def is_frozen() -> bool:
    """Whether frozen kernels are asked for."""
    return os.environ.get("EEGCORE_FROZEN", "").strip() == "1"


@lru_cache(maxsize=32)
def kernel(name: str) -> Kernel:
    """Return a kernel of `HOMES`."""
    if is_frozen():
        from eegcore.frozen import FrozenKernel

        return FrozenKernel(name, by_numba)
    return by_numba(name)


@lru_cache(maxsize=32)
def by_numba(name: str) -> Kernel:
    """Return a kernel as numba compiles it; says once that it will."""
    from eegcore.kernels import _jit

    _jit.announce()
    found: Kernel = getattr(import_module(f"eegcore.kernels.{HOMES[name]}"), name)
    return found
