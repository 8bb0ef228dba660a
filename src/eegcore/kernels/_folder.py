"""Where compiled kernels are kept: a folder whose name is a checksum of their sources.

The folder is the first that can be written of: ``EEGCORE_CACHE_DIR``, the user's cache
folder, a private folder in the temporary directory. Nothing here needs a compiler.
"""

import hashlib
import os
import platform
import stat
import tempfile
from functools import lru_cache
from pathlib import Path

_HERE = Path(__file__).resolve().parent


@lru_cache(maxsize=1)
def source_checksum() -> str:
    """Checksum of every kernel source and of what compiles them."""
    from importlib.metadata import version

    digest = hashlib.sha256()
    for path in sorted(_HERE.glob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    versions = tuple(version(name) for name in ("numba", "llvmlite", "numpy"))
    digest.update(
        repr((versions, platform.machine(), platform.python_version())).encode()
    )
    return digest.hexdigest()[:20]


def _private(folder: Path) -> bool:
    """Whether the folder is ours alone; pickles of strangers are never loaded."""
    state = folder.stat()
    owner = getattr(os, "getuid", lambda: state.st_uid)()
    return state.st_uid == owner and not state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _candidates() -> list[Path]:
    folders = []
    chosen = os.environ.get("EEGCORE_CACHE_DIR")
    if chosen:
        folders.append(Path(chosen))
    user = os.environ.get("XDG_CACHE_HOME") or str(Path("~/.cache").expanduser())
    folders.append(Path(user) / "eegcore")
    mark = getattr(os, "getuid", lambda: "user")()
    folders.append(Path(tempfile.gettempdir()) / f"eegcore-{mark}")
    return folders


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _private(folder):
            return False
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def find_folder() -> Path | None:
    """Return the folder, made if need be; None: nothing can be written."""
    for parent in _candidates():
        if _writable(parent / source_checksum()):
            return parent / source_checksum()
    return None
