"""Hypnograms of any recording: EDF+ annotations, or one stage a line of text.

Text stages (`W`, `N2`, `REM`, `Sleep stage 2`, ...) need no explanation. Numbers mean
different stages in different programs, so their table has to be named. Lines may stand
for less than 30 s (DREAMS: 5 s); an epoch then has the stage of most of its lines, of
equally many the one that covers its middle.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from eegbench.errors import SourceError
from eegbench.sources.sleep_edfx import STAGE_OF_TEXT, stages_of
from eegcore.errors import EegcoreError
from eegcore.formats import open_recording

EPOCH_SEC = 30.0

TEXT_STAGES: dict[str, str | None] = {
    "w": "W",
    "wake": "W",
    "n1": "N1",
    "s1": "N1",
    "n2": "N2",
    "s2": "N2",
    "n3": "N3",
    "s3": "N3",
    "s4": "N3",
    "n4": "N3",
    "r": "REM",
    "rem": "REM",
    "?": None,
    "mt": None,
    "m": None,
    "movement": None,
    "unscored": None,
    "unknown": None,
    "n/a": None,
    "art": None,
}
"""Text of a line, lower case, to stage."""

CODES: dict[str, dict[str, str | None]] = {
    "yasa": {
        "-2": None,
        "-1": None,
        "0": "W",
        "1": "N1",
        "2": "N2",
        "3": "N3",
        "4": "REM",
    },
    "rk": {
        "0": "W",
        "1": "N1",
        "2": "N2",
        "3": "N3",
        "4": "N3",
        "5": "REM",
        "6": None,
        "7": None,
        "9": None,
    },
    "dreams": {
        "5": "W",
        "4": "REM",
        "3": "N1",
        "2": "N2",
        "1": "N3",
        "0": "N3",
        "-1": None,
        "-2": None,
        "-3": None,
    },
    "dynamo": {
        "5": "W",
        "4": "REM",
        "3": "N1",
        "2": "N2",
        "1": "N3",
        "0": None,
        "6": None,
    },
}
"""Named tables of numbers: YASA; Rechtschaffen and Kales as PhysioNet and many sleep
archives number it; DREAMS; DYNAM-O."""


def read_hypnogram(
    path: Path,
    *,
    codes: str | None = None,
    line_sec: float = EPOCH_SEC,
    n_epochs: int | None = None,
) -> list[str | None]:
    """Read one stage per 30-s epoch.

    Parameters
    ----------
    path : Path
        EDF+ with annotations, or text with one stage a line. A first line in brackets
        or that is no stage is a heading.
    codes : str or None
        Table for numbers, of `CODES`.
    line_sec : float
        What a line stands for; must go into 30 s without rest.
    n_epochs : int or None
        Length wanted: cut off, or filled up as unscored.
    """
    if path.suffix.lower() in (".edf", ".bdf"):
        try:
            with open_recording(path) as recording:
                events = recording.annotations_from_first_sample
        except EegcoreError as error:
            raise SourceError(f"{path.name}: {error}") from error
        return stages_of(events, n_epochs=n_epochs)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"cannot read {path.name}: {error}") from error
    stages = _merged(_line_stages(text, path.name, codes), line_sec)
    if n_epochs is not None:
        stages = [*stages, *[None] * max(n_epochs - len(stages), 0)][:n_epochs]
    return stages


def _line_stages(text: str, name: str, codes: str | None) -> list[str | None]:
    if codes is not None and codes not in CODES:
        raise SourceError(f"unknown codes {codes!r}; known: {', '.join(CODES)}")
    table: Mapping[str, str | None] = (
        CODES[codes] if codes else TEXT_STAGES | STAGE_OF_TEXT
    )
    lines = [line.strip() for line in text.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    stages = []
    for number, line in enumerate(lines, start=1):
        word = line.lower()
        if word in table:
            stages.append(table[word])
        elif number > 1:
            hint = "" if codes else f"; for numbers name one of {', '.join(CODES)}"
            raise SourceError(f"{name}: line {number} is {line!r}, no stage{hint}")
        elif word.lstrip("-").isdigit():
            raise SourceError(
                f"{name}: line 1 is the number {line!r}; name its codes, one of "
                f"{', '.join(CODES)}"
            )
    if not stages:
        raise SourceError(f"{name}: no stage in it")
    return stages


def _merged(stages: Sequence[str | None], line_sec: float) -> list[str | None]:
    """Stages of 30-s epochs from those of shorter lines; a rest is dropped."""
    per_epoch = round(EPOCH_SEC / line_sec) if line_sec > 0 else 0
    if per_epoch < 1 or abs(per_epoch * line_sec - EPOCH_SEC) > 1e-6:
        raise SourceError(f"a line of {line_sec:g} s does not go into 30 s")
    merged = []
    for start in range(0, len(stages) - per_epoch + 1, per_epoch):
        part = stages[start : start + per_epoch]
        counts = Counter(part)
        most = max(counts.values())
        middle = part[per_epoch // 2]
        first = next(stage for stage in part if counts[stage] == most)
        merged.append(middle if counts[middle] == most else first)
    return merged
