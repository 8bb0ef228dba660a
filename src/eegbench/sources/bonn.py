"""Bonn University EEG (Andrzejak et al. 2001): single-channel segments as text.

Five sets of 100 files. The files carry one letter, the publication another: Z = A,
O = B, N = C, F = D, S = E; so a file called F... is of set D, not F. One integer a
line, 4097 of them, 173.61 Hz, microvolt by the documentation of the data set.

References
----------
R. G. Andrzejak et al., Phys. Rev. E 64, 061907 (2001).
"""

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eegbench.errors import SourceError
from eegbench.sources.folders import walk_files

RATE_HZ = 173.61
N_SAMPLES = 4097
CHANNEL = "EEG"
SETS = {"Z": "A", "O": "B", "N": "C", "F": "D", "S": "E"}
"""Letter of the file to letter of the set in the publication."""

LABELS: dict[str, str] = {"Z": "normal", "O": "normal", "S": "epileptic"}
"""Letter of the file to label; the interictal sets N and F have none."""

_MEMBER = re.compile(r"([ZONFS])(\d{3})\.txt", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BonnSegment:
    """One text file, alone or inside a zip."""

    name: str
    """Letter and number, such as `Z002`."""
    letter: str
    path: Path
    """The text file, or the zip that holds it."""
    member: str | None
    """Name inside the zip; None for a file of its own."""

    @property
    def set_letter(self) -> str:
        """Letter of the set in the publication, A to E."""
        return SETS[self.letter]

    @property
    def label(self) -> str | None:
        """`normal`, `epileptic`, or None for an interictal segment."""
        return LABELS.get(self.letter)

    def text(self) -> bytes:
        """Bytes of the text file, unpacked."""
        try:
            if self.member is None:
                return self.path.read_bytes()
            with zipfile.ZipFile(self.path) as archive:
                return archive.read(self.member)
        except (OSError, zipfile.BadZipFile, KeyError) as error:
            raise SourceError(f"cannot read {self.name}: {error}") from error


def name_parts(name: str) -> tuple[str, int] | None:
    """Letter and number of a file name, None if it is no Bonn file."""
    match = _MEMBER.fullmatch(Path(name).name)
    return None if match is None else (match[1].upper(), int(match[2]))


def find_segments(folder: Path) -> list[BonnSegment]:
    """All segments below `folder`, in folders or zips, by name; a folder wins."""
    found: dict[str, BonnSegment] = {}
    for path in walk_files(folder, r".*\.zip"):
        try:
            members = zipfile.ZipFile(path).namelist()
        except (OSError, zipfile.BadZipFile) as error:
            raise SourceError(f"cannot read the zip {path.name}: {error}") from error
        for member in members:
            parts = name_parts(member)
            if parts is not None and not member.startswith("__MACOSX"):
                name = f"{parts[0]}{parts[1]:03d}"
                found[name] = BonnSegment(name, parts[0], path, member)
    for path in walk_files(folder, _MEMBER.pattern):
        parts = name_parts(path.name)
        if parts is not None:
            name = f"{parts[0]}{parts[1]:03d}"
            found[name] = BonnSegment(name, parts[0], path, None)
    return [found[name] for name in sorted(found)]


def parse_values(text: bytes, name: str) -> NDArray[np.float64]:
    """Values of one segment, float64 (n_samples,), uV.

    Empty lines at the end are let pass. Any other line that is no finite number is
    an error naming it: to skip it would move every later sample.
    """
    lines = text.split(b"\n")
    while lines and not lines[-1].strip():
        lines.pop()
    values = np.empty(len(lines))
    for number, line in enumerate(lines, start=1):
        try:
            values[number - 1] = float(line)
        except ValueError:
            shown = line.decode("latin-1").strip()[:40]
            raise SourceError(
                f"{name}: line {number} is {shown!r}, not a number"
            ) from None
        if not np.isfinite(values[number - 1]):
            raise SourceError(f"{name}: line {number} is not finite")
    if not values.size:
        raise SourceError(f"{name}: no values")
    return values
