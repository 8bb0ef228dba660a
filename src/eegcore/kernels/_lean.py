"""numba without parts that it looks for and our kernels never use, for short processes.

numba imports scipy.linalg (for np.dot) and coverage when they are installed: 0.3 s of
the 0.9 s of processor time that a command takes.
"""

import importlib
import sys
from typing import Any

_UNUSED = ("scipy", "coverage")


def import_numba() -> None:
    """Import numba as if scipy and coverage were not installed.

    Only for a process that is ours: products of matrices in the caller's own compiled
    functions would fail afterwards. Imports of scipy by others are not affected.
    """
    modules: dict[str, Any] = sys.modules
    hidden = [name for name in _UNUSED if name not in modules]
    modules.update(dict.fromkeys(hidden))
    try:
        registry: Any = importlib.import_module("numba.core.registry")
        registry.cpu_target.target_context.refresh()
    finally:
        for name in hidden:
            del modules[name]
