"""What decides the bytes of a result: the versions that compute it."""

import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("eegbench", "numpy", "numba", "scipy")


def versions() -> dict[str, str]:
    """Return what decides the bytes of a result."""
    told = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            told[name] = version(name)
        except PackageNotFoundError:
            told[name] = ""
    return told
