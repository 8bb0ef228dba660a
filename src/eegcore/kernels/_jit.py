"""The one compile decorator, its settings and its cache.

numba's own cache looks at the file of one function and misses an edit in another
file, so ours lives in a folder whose name is a checksum of all kernel sources and
of the versions of the compiler (`_folder`). Without one that can be written, kernels
are compiled anew in each process.
"""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numba.core.config

from eegcore.kernels._folder import find_folder

_F = TypeVar("_F", bound=Callable[..., Any])
_njit: Any = numba.njit
_log = logging.getLogger("eegcore")
_config: Any = numba.core.config
# _nrt: without it every slice of an array, and every array that a part receives, costs
# a call that counts references, and vectors leave the registers around each. Kernels
# therefore allocate nothing: their caller owns all arrays until they return.
_SETTINGS: dict[str, Any] = {
    "nogil": True,
    "_nrt": False,
    "error_model": "numpy",
    "fastmath": False,
    "boundscheck": False,
}

cache_folder: Path | None = find_folder()
kernels: list[Any] = []
_told: list[bool] = []


def is_compiled() -> bool:
    """Whether an earlier process has left compiled kernels in the cache."""
    if cache_folder is None:
        return False
    return next(cache_folder.rglob("*.nbc"), None) is not None


def announce() -> None:
    """Say once in a process without compiled kernels why the first call takes time."""
    if not _told and not is_compiled():
        _log.warning(
            "compiling the kernels, once for this version; "
            "'eegcore warmup' does it beforehand"
        )
    _told.append(True)


def announced() -> None:
    """Say nothing: whoever compiles now knows."""
    _told.append(True)


def kernel(function: _F) -> _F:
    """Compile a kernel that Python calls; its machine code is cached."""
    compiled: Any = None
    if cache_folder is not None:
        before = _config.CACHE_DIR
        _config.CACHE_DIR = str(cache_folder)
        try:
            compiled = _njit(cache=True, **_SETTINGS)(function)
        except (RuntimeError, OSError) as problem:
            _log.debug("no compile cache for %s: %s", function.__name__, problem)
        finally:
            _config.CACHE_DIR = before
    if compiled is None:
        compiled = _njit(**_SETTINGS)(function)
    kernels.append(compiled)
    result: _F = compiled
    return result


def part(function: _F) -> _F:
    """Compile a piece that only kernels call; it lives in their machine code."""
    compiled: _F = _njit(**_SETTINGS)(function)
    return compiled


def inlined(function: _F) -> _F:
    """Compile a piece of an inner loop: a call would pass each array by seven words."""
    compiled: _F = _njit(forceinline=True, **_SETTINGS)(function)
    return compiled
