"""Which data sets lie in a folder of sources, and what is missing of them."""

from pathlib import Path
from typing import Any

from eegbench.datasets.catalogue import Dataset, catalogue
from eegbench.datasets.sums import SUMS_NAME, read_sums
from eegbench.errors import SourceError
from eegbench.sources.folders import FOLDER_NAMES, find_folder

Row = dict[str, Any]
POINTER_BYTES = 4096
"""A clone without its annexed content has pointers of some hundred bytes."""


def folder_of(sources: Path, data: Dataset) -> Path | None:
    """Folder in which the builder would find a data set, None if there is none."""
    if not sources.is_dir():
        return None
    if data.name in FOLDER_NAMES:
        return find_folder(sources, data.name)
    folder = sources / data.name
    return folder if folder.is_dir() else None


def status_rows(sources: Path) -> list[Row]:
    """One row a data set: where it lies, how much of it, what is missing."""
    return [_row(sources, data) for data in catalogue().values()]


def _row(sources: Path, data: Dataset) -> Row:
    folder = folder_of(sources, data)
    row: Row = {"name": data.name, "task": data.task, "folder": None, "files": 0}
    if folder is None:
        return {**row, "mb": 0.0, "state": f"not in {sources}"}
    found = [path for path in folder.rglob("*") if path.is_file()]
    parts = [path for path in found if path.name.endswith((".part", ".incomplete"))]
    whole = [path for path in found if not _beside(path, folder)]
    return {
        **row,
        "folder": str(folder),
        "files": len(whole),
        "mb": round(sum(path.stat().st_size for path in whole) / 1e6, 1),
        "state": _state(folder, data, n_parts=len(parts)),
    }


def _beside(path: Path, folder: Path) -> bool:
    """Whether a file is no part of the data: begun, or a client's own notes."""
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return hidden or path.name.endswith((".part", ".part.tag"))


def _state(folder: Path, data: Dataset, *, n_parts: int) -> str:
    if n_parts:
        return f"begun: 'eegbench data fetch {data.name}' goes on"
    if data.way in ("files", "huggingface"):
        named = [name for name in data.files if "*" not in name]
        absent = [name for name in named if not (folder / name).is_file()]
        return f"without {', '.join(absent)}" if absent else "there"
    if data.way == "openneuro":
        signals = [path.stat().st_size for path in folder.glob("sub-*/eeg/*_eeg.set")]
        n_whole = sum(size > POINTER_BYTES for size in signals)
        return f"{n_whole} recordings" if n_whole else "without recordings"
    if data.way == "physionet":
        try:
            listed = read_sums(folder / SUMS_NAME)
        except SourceError:
            return f"there; without {SUMS_NAME}, so it cannot be told how whole"
        absent = [name for name in listed if not (folder / name).is_file()]
        if absent:
            return f"{len(absent)} of {len(listed)} files missing"
        return f"all {len(listed)} files there; 'eegbench data verify {data.name}'"
    return "there"
