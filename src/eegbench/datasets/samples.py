"""The samples of a set of text files, whatever wraps them: for sets without checksums.

A zip made anew has another checksum than the old one, the integers in it have not.
"""

import hashlib
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

_MEMBER = re.compile(r".*[A-Z]\d{3}\.txt", re.IGNORECASE)


def sample_problems(path: Path, wanted: str) -> str | None:
    """What is wrong with the samples in a zip or folder, or None."""
    digest, n_files = hashlib.sha256(), 0
    try:
        for text in _texts(path):
            numbers = [str(int(word)) for word in text.split()]
            digest.update(("\n".join(numbers) + "\n").encode())
            n_files += 1
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        return f"cannot be read: {error}"
    if digest.hexdigest() != wanted:
        return f"the samples of its {n_files} files are not those of the data set"
    return None


def _texts(path: Path) -> Iterator[bytes]:
    """Text files in the order of their names, case aside."""
    if path.is_dir():
        found = [each for each in path.iterdir() if _MEMBER.fullmatch(each.name)]
        for each in sorted(found, key=lambda each: each.name.lower()):
            yield each.read_bytes()
        return
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if _MEMBER.fullmatch(name)]
        for name in sorted(names, key=lambda name: name.rpartition("/")[2].lower()):
            yield archive.read(name)
