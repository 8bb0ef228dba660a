"""Features of every recording of an archive: found, measured in parallel, kept.

What was measured of a recording is one file in `OUTPUT.parts/` until the table is
written, so that a run that was stopped goes on where it was. A part is named for the
file, its size and time, what was asked and the versions that measured: a part
that does not fit any of these is not used.
"""

import hashlib
import os
import shutil
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson

from eegcore.archive_tables import (
    Part,
    check_format,
    failures_path,
    write_failures,
    write_table,
)
from eegcore.errors import ArgumentError, EegcoreError, RangeError, WorkerError
from eegcore.executors import executor_of
from eegcore.pool import Done, Task
from eegcore.threads import n_threads
from eegcore.versions import versions

SELF_DESCRIBING = (
    *(".edf", ".bdf", ".rec", ".set"),
    *(".fif", ".fif.gz", ".vhdr", ".cnt"),
)
NEEDS_RATE = (".npy", ".txt", ".csv", ".tsv", ".asc")
PRELOAD = ("eegcore.archive", "eegcore.formats", "eegcore.preloaded_windows")


@dataclass(frozen=True)
class Wanted:
    """What is measured of every recording.

    Attributes
    ----------
    features : tuple of str
        Of `eegcore.windowed.FEATURES`.
    window_sec, step_sec : float
    channels : tuple of str or None
        None: all of kind "eeg".
    open_args : dict
        For `eegcore.open`: rate_hz, channel_names, unit.
    """

    features: tuple[str, ...]
    window_sec: float
    step_sec: float
    channels: tuple[str, ...] | None
    open_args: dict[str, Any]


class Progress(NamedTuple):
    """How far an archive is."""

    n_done: int
    n_failed: int
    hours: float
    """Hours of EEG, all channels at once."""


class Summary(NamedTuple):
    """What became of an archive."""

    n_recordings: int
    n_failed: int
    n_kept: int
    """Recordings that were measured by an earlier, interrupted run."""
    n_rows: int
    hours: float
    """Hours of EEG measured now."""


def find_recordings(paths: Sequence[str | Path], *, with_rate: bool) -> list[Path]:
    """List the recordings that are meant, each once, by name.

    Parameters
    ----------
    paths : sequence of path
        Files are taken whatever they are called; of a folder and all below it those
        with the ending of an accepted format. Links to folders are not followed.
    with_rate : bool
        Take `.npy` and text files of folders, too.

    Raises
    ------
    ArgumentError
        No such path, or no recording in it.
    """
    endings = SELF_DESCRIBING + (NEEDS_RATE if with_rate else ())
    found: set[Path] = set()
    for path in map(Path, paths):
        if path.is_file():
            found.add(path)
            continue
        if not path.is_dir():
            raise ArgumentError(f"no such file or folder: {path}")
        inside = [
            Path(folder) / name
            for folder, _, names in os.walk(path)
            for name in names
            if name.lower().endswith(endings) and not name.startswith(".")
        ]
        if not inside:
            raise ArgumentError(f"no recording in {path}; looked for {endings}")
        found.update(inside)
    return sorted(found)


def set_up(wanted: Wanted) -> Callable[[bytes], bytes]:
    """Return what a worker does: a path into the bytes of a part."""

    def work(payload: bytes) -> bytes:
        path = payload.decode("utf-8", "surrogateescape")
        try:
            return measured(path, wanted)
        except EegcoreError as error:
            text = " ".join(str(error.args[-1] if error.args else error).split())
            return _failure(type(error).__name__, text)
        except Exception as error:  # one odd file must not end an archive
            text = " ".join(str(error).split())
            return _failure("internal", f"{type(error).__name__}: {text}")

    return work


def measured(path: str, wanted: Wanted) -> bytes:
    """Measure one recording; the bytes hold a line of JSON and the numbers."""
    from eegcore.formats import open_recording
    from eegcore.windowed import windowed_features

    with open_recording(path, **wanted.open_args) as recording:
        indices = recording.resolve(wanted.channels)
        if not indices:
            raise ArgumentError("no channel of kind eeg; name some with --channels")
        table = windowed_features(
            recording,
            channels=[recording.names[i] for i in indices],
            features=wanted.features,
            window_sec=wanted.window_sec,
            step_sec=wanted.step_sec,
        )
        if table.start_sec.size == 0:
            raise RangeError(
                f"no whole window of {wanted.window_sec:g} s in "
                f"{recording.duration_sec:g} s"
            )
        head = {
            "channels": list(table.channels),
            "shape": list(table.values.shape),
            "hours": recording.duration_sec / 3600.0,
        }
    start_sec = np.ascontiguousarray(table.start_sec, dtype="<f8")
    values = np.ascontiguousarray(table.values, dtype="<f8")
    line = orjson.dumps(head)
    line += (
        b" " * (-(len(line) + 1) % 8) + b"\n"
    )  # numbers lie where they can be mapped
    return b"".join((line, start_sec.data, values.data))


def _failure(error: str, message: str) -> bytes:
    return orjson.dumps({"error": error, "message": message}) + b"\n"


def extract(
    paths: Sequence[str | Path],
    output: str | Path,
    wanted: Wanted,
    *,
    form: str = "parquet",
    executor: str = "processes",
    scheduler: str | None = None,
    workers: int | None = None,
    limit_sec: float = 3600.0,
    on_progress: Callable[[Progress], None] | None = None,
) -> Summary:
    """Measure every recording and write one tidy table, and one of the failures.

    The table is the same bytes for any number of workers, any executor, and however
    often it was interrupted: rows are in the order of files, channels, windows.

    Parameters
    ----------
    paths, wanted
        See `find_recordings` and `Wanted`.
    output : path
        The table; must not exist.
    form : str
        "parquet" (extra `parquet`), "npz" or "csv".
    executor, scheduler
        See `eegcore.executors`.
    workers : int, optional
        Processes; None: one for each core.
    limit_sec : float
        Wall time of one recording.

    Raises
    ------
    ArgumentError, MissingExtraError, WorkerError
    OSError
        The disk is full: what was measured is kept, and the next call goes on.
    """
    target = Path(output)
    check_format(form)
    if target.exists():
        raise ArgumentError(f"{target} exists; remove it or write another file")
    files = find_recordings(
        paths, with_rate=wanted.open_args.get("rate_hz") is not None
    )
    run_tasks = executor_of(executor, scheduler)
    with _parts_folder(target) as folder:
        parts = {file: folder / f"{_part_name(file, wanted)}.part" for file in files}
        missing = [file for file in files if not _is_whole(parts[file])]
        # the largest first, so that no worker is left alone with one at the end
        missing.sort(key=_size, reverse=True)
        ended: Iterable[Done] = ()
        if missing:
            ended = run_tasks(
                [Task(os.fspath(file), os.fsencode(file)) for file in missing],
                set_up,
                (wanted,),
                n_workers=max(1, min(workers or n_threads(), len(missing))),
                limit_sec=limit_sec,
                preload=PRELOAD,
            )
        failures, hours = _collect(ended, parts, on_progress)
        rows = [(str(file), *failures[file]) for file in files if file in failures]
        write_failures(failures_path(target, form), rows, form)
        good = [file for file in files if file not in failures]
        n_rows = write_table(
            target,
            lambda: (read_part(file, parts[file]) for file in good),
            wanted.features,
            form=form,
        )
        shutil.rmtree(folder, ignore_errors=True)
    return Summary(len(files), len(failures), len(files) - len(missing), n_rows, hours)


def _collect(
    ended: Iterable[Done],
    parts: Mapping[Path, Path],
    on_progress: Callable[[Progress], None] | None,
) -> tuple[dict[Path, tuple[str, str]], float]:
    """Keep what is measured as it comes; return the failures, and hours of EEG."""
    failures: dict[Path, tuple[str, str]] = {}
    hours = 0.0
    closing = ended.close if isinstance(ended, Generator) else lambda: None
    try:
        for n_done, done in enumerate(ended, start=1):
            file = Path(done.key)
            if done.result is None:
                failures[file] = (done.ended, done.error)
            else:
                head = orjson.loads(done.result.partition(b"\n")[0])
                if "error" in head:
                    failures[file] = (head["error"], head["message"])
                else:
                    _keep(parts[file], done.result)
                    hours += head["hours"]
            if on_progress is not None:
                on_progress(Progress(n_done, len(failures), hours))
    finally:
        closing()
    return failures, hours


def parts_path(output: Path) -> Path:
    """Return the folder of what is measured already."""
    return output.with_name(f"{output.name}.parts")


@contextmanager
def _parts_folder(output: Path) -> Iterator[Path]:
    """Make and lock the folder of the parts."""
    import filelock

    folder = parts_path(output)
    folder.mkdir(parents=True, exist_ok=True)
    lock = filelock.FileLock(folder / ".lock", timeout=0)
    try:
        lock.acquire()
    except filelock.Timeout as error:
        raise WorkerError(f"another process writes {output}; wait for it") from error
    try:
        yield folder
    finally:
        lock.release()


def _part_name(file: Path, wanted: Wanted) -> str:
    status = file.stat()
    facts = (
        os.fsencode(file).hex(),
        status.st_size,
        status.st_mtime_ns,
        asdict(wanted),
        versions(),
    )
    return hashlib.blake2b(orjson.dumps(facts), digest_size=16).hexdigest()


def _size(file: Path) -> int:
    return file.stat().st_size


def _keep(path: Path, data: bytes) -> None:
    """Write a part in one step; a full disk leaves nothing of it."""
    draft = path.with_suffix(".draft")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    except OSError:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def _is_whole(path: Path) -> bool:
    """Whether a part is there, to its last byte."""
    try:
        with path.open("rb") as stream:
            line = stream.readline()
            shape: list[int] = orjson.loads(line)["shape"]
            size = os.fstat(stream.fileno()).st_size
    except (OSError, ValueError, KeyError):
        return False
    n_channels, n_features, n_windows = shape
    n_numbers = n_windows * (1 + n_channels * n_features)
    return size == len(line) + 8 * n_numbers


def read_part(file: Path, path: Path) -> Part:
    """Read a part; its numbers are mapped, not loaded."""
    with path.open("rb") as stream:
        line = stream.readline()
    head = orjson.loads(line)
    n_windows = head["shape"][2]
    numbers = np.memmap(path, dtype=np.uint8, mode="r")[len(line) :]
    edge = 8 * n_windows
    return Part(
        str(file),
        head["channels"],
        numbers[:edge].view("<f8"),
        numbers[edge:].view("<f8").reshape(head["shape"]),
    )
