"""What decides the bytes of a result: the versions that compute it."""

import functools
import hashlib
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

SOURCES = ("eegcore", "eegbench")
PACKAGES = ("eegbench", "numpy", "numba", "scipy")


@functools.cache
def versions() -> dict[str, str]:
    """Return what decides the bytes of a result."""
    told = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            told[name] = version(name)
        except PackageNotFoundError:
            told[name] = ""
    told["source"] = source_checksum()
    return told


def source_checksum() -> str:
    """Return a hash over the programs: checkouts differ while their version is one."""
    root = Path(__file__).resolve().parents[1]
    digest = hashlib.blake2b(digest_size=8)
    for name in SOURCES:
        for path in sorted((root / name).rglob("*.py")):
            digest.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return digest.hexdigest()
