"""numba without parts that it looks for and our kernels never use, for short processes.

numba imports scipy.linalg (for np.dot), coverage, cffi and yaml when they are
installed: a third of a second of processor time.
"""

import importlib
import sys
from typing import Any

_UNUSED = ("scipy", "coverage", "cffi", "yaml")


def import_numba() -> None:
    """Import numba as if these were not installed.

    Only for a process that is ours: products of matrices and foreign functions in the
    caller's own compiled functions would fail afterwards, and a configuration of numba
    in a file is not read. Imports by others are not affected.
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
