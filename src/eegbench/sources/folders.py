"""Where a data set lies below the folder of sources, whatever the usual name for it."""

import re
from collections.abc import Iterator
from pathlib import Path

from eegbench.errors import SourceError

FOLDER_NAMES: dict[str, tuple[str, ...]] = {
    "medmcqa": ("medmcqa",),
    "eegdenoisenet": ("eegdenoisenet",),
    "bonn": ("bonn", "bonneeg", "unibonn", "ukbonn"),
    "ds004504": ("ds004504",),
    "chbmit": ("chbmit",),
    "sleep-edfx": ("sleepedfx", "sleepedf", "sleepedfdatabaseexpanded"),
}
"""Data set to the beginnings of its usual folder names, in letters and digits alone."""

_MIRRORS = ("physionet.org/files", "files", "openneuro")


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def find_folder(sources_dir: Path, dataset: str) -> Path | None:
    """Folder of one data set below `sources_dir`, None if there is none.

    Case, hyphens and a version at the end do not matter; the tree that `wget -r`
    makes of PhysioNet (`physionet.org/files/NAME/VERSION`) is looked into too. Of
    several candidates the one with the shortest, then first name is taken.
    """
    if not sources_dir.is_dir():
        raise SourceError(f"no folder of sources {str(sources_dir)!r}")
    names = FOLDER_NAMES[dataset]
    for parent in (sources_dir, *(sources_dir / mirror for mirror in _MIRRORS)):
        if not parent.is_dir():
            continue
        found = [
            path
            for path in parent.iterdir()
            if path.is_dir() and _plain(path.name).startswith(names)
        ]
        if found:
            return min(found, key=lambda path: (len(path.name), path.name))
    return None


def walk_files(folder: Path, pattern: str) -> Iterator[Path]:
    """Files below `folder` whose name matches a regular expression, in name order.

    Upper and lower case are one. Hidden folders (`.git`, `.datalad`) are passed by.
    """
    wanted = re.compile(pattern, re.IGNORECASE)
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if not hidden and wanted.fullmatch(path.name) and path.is_file():
            yield path
