"""Files against a list of SHA-256 checksums, as PhysioNet publishes them."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from eegbench.errors import SourceError

SUMS_NAME = "SHA256SUMS.txt"
_LINE = re.compile(r"([0-9a-fA-F]{64}) [ *](.+)|([0-9a-fA-F]{64})\s+(.+)")


class Verified(NamedTuple):
    """What a comparison with a list of checksums found."""

    n_listed: int
    n_right: int
    missing: tuple[str, ...]
    wrong: tuple[str, ...]


def sha256_of(path: Path) -> str:
    """SHA-256 of a file in hex, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_sums(path: Path) -> dict[str, str]:
    """Checksums by file name.

    Raises
    ------
    SourceError
        No such list, or a line of it is none.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"cannot read the checksums {path}: {error}") from error
    sums = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        found = _LINE.fullmatch(line.rstrip())
        if found is None:
            raise SourceError(f"{path}, line {number}: no checksum and name: {line!r}")
        sums[found[2] or found[4]] = (found[1] or found[3]).lower()
    return sums


def verify(
    folder: Path,
    sums: dict[str, str],
    *,
    tick: Callable[[int, int], None] | None = None,
) -> Verified:
    """Compare the files of a folder with their checksums.

    Names that would lead out of the folder count as missing.
    """
    missing, wrong, n_right = [], [], 0
    root = folder.resolve()
    for number, (name, wanted) in enumerate(sorted(sums.items()), start=1):
        path = folder / name
        if not path.resolve().is_relative_to(root) or not path.is_file():
            missing.append(name)
        elif sha256_of(path) != wanted:
            wrong.append(name)
        else:
            n_right += 1
        if tick is not None:
            tick(number, len(sums))
    return Verified(len(sums), n_right, tuple(missing), tuple(wrong))
