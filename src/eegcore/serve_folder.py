"""The recordings under one folder: named for agents, opened safely, kept for a while.

A record id is looked up in a table of what lies in the folder; it never becomes a
path. Links that lead out of the folder are not in the table, and a file that draws on
another one outside of it is refused.
"""

import hashlib
import os
import re
import secrets
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from eegcore.errors import ArgumentError, ReadError
from eegcore.recording import Recording
from eegcore.tools.labels import reads_like_words

Ids = Literal["opaque", "plain"]

SUFFIXES = (
    *(".edf", ".bdf", ".rec", ".set"),
    *(".fif", ".fif.gz", ".vhdr", ".ahdr", ".cnt"),
)
NEEDS_RATE = (".npy", ".txt", ".csv", ".tsv", ".asc")
MOST_FILES = 100_000
LONGEST_ID = 120
_WORDS_IN_NAME = 12
_NAMED_FILE = re.compile(rb"^\s*(?:DataFile|MarkerFile)\s*=\s*(.*?)\s*$", re.M | re.I)
_HEADER_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Listed:
    """One file of the folder.

    Attributes
    ----------
    record_id : str
    path : Path
        Without symbolic links.
    format : str
        Ending of its name, lower case, without the dot.
    size_mb : float
    """

    record_id: str
    path: Path
    format: str
    size_mb: float


@dataclass(eq=False)
class RecordingFolder:
    """Files of the accepted formats under a folder, by record id.

    Parameters
    ----------
    root : Path
    ids : str
        "opaque": a keyed hash of the path within the folder; "plain": that path,
        where it is short and harmless.
    key : str or None
        Of the hash; None: a new one, so that ids differ from start to start.
    open_args : mapping
        `rate_hz`, `channel_names`, `unit` of text and .npy files, which are left out
        without a rate.
    """

    root: Path
    ids: Ids = "opaque"
    key: str | None = field(default=None, repr=False)
    open_args: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the folder and look into it."""
        try:
            self.root = Path(self.root).resolve(strict=True)
        except OSError as error:
            raise ArgumentError(f"no such folder: {self.root}") from error
        if not self.root.is_dir():
            raise ArgumentError(f"not a folder: {self.root}")
        given = secrets.token_bytes(32) if self.key is None else self.key.encode()
        self._key = hashlib.blake2b(given, digest_size=32).digest()
        self._lock = Lock()
        self._table: dict[str, Listed] = {}
        self.scan()

    @property
    def n_files(self) -> int:
        """Recordings found when last looked."""
        return len(self._table)

    def scan(self) -> tuple[Listed, ...]:
        """Look into the folder again; files in the order of their ids."""
        found = sorted(self._files(), key=lambda listed: listed.record_id)
        with self._lock:
            self._table = {listed.record_id: listed for listed in found}
        return tuple(found)

    def known(self, record_id: object) -> str | None:
        """Return the id if a file had it when last looked."""
        with self._lock:
            listed = self._table.get(record_id) if isinstance(record_id, str) else None
        return None if listed is None else listed.record_id

    def find(self, record_id: str) -> Listed | None:
        """Return the file of an id; a file that has come since is found too."""
        with self._lock:
            listed = self._table.get(record_id)
        if listed is not None:
            return listed
        self.scan()
        with self._lock:
            return self._table.get(record_id)

    def open(self, listed: Listed) -> Recording:
        """Open a file of the folder.

        Raises
        ------
        ReadError
            It is not in the folder any more, draws on a file outside of it, or cannot
            be read.
        """
        from eegcore.formats import open_recording

        path = listed.path
        if self._real(path) != path:  # the folder was changed since
            raise ReadError("the file is not in the folder any more")
        self._check_beside(path)
        needs_rate = path.name.lower().endswith(NEEDS_RATE)
        recording = open_recording(path, **(self.open_args if needs_rate else {}))
        for companion in recording._source.companions:
            if self._real(companion) is None:
                recording.close()
                raise ReadError("its samples lie outside the folder")
        return recording

    def _check_beside(self, path: Path) -> None:
        """Refuse a header that names files elsewhere, before anything reads them."""
        if path.suffix.lower() in (".vhdr", ".ahdr"):
            with path.open("rb") as file:
                named = _NAMED_FILE.findall(file.read(_HEADER_BYTES))
            for name in (os.fsdecode(raw) for raw in named):
                if re.search(r"[/\\]", name) or not self._holds(path.with_name(name)):
                    raise ReadError("its header names a file outside the folder")
        if path.suffix.lower() == ".set":
            for beside in path.parent.iterdir():
                if beside.is_symlink() and self._real(beside) is None:
                    raise ReadError("a link beside it leads out of the folder")

    def _holds(self, path: Path) -> bool:
        return not path.exists() or self._real(path) is not None

    def _real(self, path: Path) -> Path | None:
        """Return the path without links; None: it is not in the folder."""
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError):
            return None
        return real if real.is_relative_to(self.root) else None

    def _files(self) -> Iterator[Listed]:
        endings = SUFFIXES + (NEEDS_RATE if self.open_args.get("rate_hz") else ())
        count = 0
        for folder, folders, names in os.walk(self.root, followlinks=False):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                if name.startswith(".") or not name.lower().endswith(endings):
                    continue
                listed = self._listed(Path(folder, name), endings)
                if listed is not None:
                    yield listed
                    count += 1
                if count >= MOST_FILES:
                    return

    def _listed(self, path: Path, endings: tuple[str, ...]) -> Listed | None:
        real = self._real(path)
        if real is None:
            return None
        try:
            status = real.stat()
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        ending = max((e for e in endings if path.name.lower().endswith(e)), key=len)
        return Listed(
            self._id(path.relative_to(self.root)),
            real,
            ending.lstrip("."),
            round(status.st_size / 1e6, 2),
        )

    def _id(self, inside: Path) -> str:
        plain = inside.as_posix()
        if self.ids == "plain" and _is_harmless(plain):
            return plain
        raw = os.fsencode(plain)
        return "rec-" + hashlib.blake2b(raw, key=self._key, digest_size=8).hexdigest()


def _is_harmless(name: str) -> bool:
    """Whether a file's name may stand for it: names are a stranger's text too."""
    return (
        len(name) <= LONGEST_ID
        and name.isprintable()
        and not reads_like_words(name, most_words=_WORDS_IN_NAME)
    )
