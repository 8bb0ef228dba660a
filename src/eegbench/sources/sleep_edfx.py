"""Sleep-EDF Expanded (PhysioNet sleep-edfx 1.0.0): whole nights and their stages.

A night is two files, `SC4001E0-PSG.edf` and `SC4001EC-Hypnogram.edf`: the first six
characters name subject and night, the eighth of the hypnogram its scorer. Stages are
EDF+ annotations placed by onset; they may start late, have holes, and run on after the
recording ends. Scored by Rechtschaffen and Kales; stage 4 joins N3 here.

References
----------
B. Kemp et al., IEEE Trans. Biomed. Eng. 47, 1185 (2000); A. L. Goldberger et al.,
Circulation 101 (2000).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from eegbench.sources.folders import walk_files
from eegcore.recording import Annotation

EPOCH_SEC = 30.0
STAGE_OF_TEXT: dict[str, str | None] = {
    "sleep stage w": "W",
    "sleep stage 1": "N1",
    "sleep stage n1": "N1",
    "sleep stage 2": "N2",
    "sleep stage n2": "N2",
    "sleep stage 3": "N3",
    "sleep stage n3": "N3",
    "sleep stage 4": "N3",
    "sleep stage r": "REM",
    "sleep stage ?": None,
    "movement time": None,
}
"""Annotation text, lower case, to stage; None: looked at, but not scored."""

SOURCE_NAMES = {
    "SC": "Sleep Cassette, recorded at home",
    "ST": "Sleep Telemetry, recorded in hospital",
}

_PSG = r"(SC4|ST7)(\d\d)(\d)([A-Z])\d-PSG\.edf"
_HYPNOGRAM = r"(SC4|ST7)(\d\d)(\d)([A-Z])[A-Z]-Hypnogram\.edf"


@dataclass(frozen=True, slots=True)
class Night:
    """One polysomnogram with its hypnogram file."""

    name: str
    """Such as `SC4001E0`."""
    psg_path: Path
    hypnogram_path: Path
    study: str
    """`SC` or `ST`."""
    subject: str
    """Such as `SC400`: the two nights of one person share it."""
    night: int


@dataclass(frozen=True, slots=True)
class Nights:
    """Nights found below a folder, and files without their other half."""

    nights: tuple[Night, ...]
    problems: tuple[str, ...]


def find_nights(folder: Path) -> Nights:
    """Pair recordings with hypnograms by the first six characters of the names."""
    hypnograms: dict[str, list[Path]] = {}
    for path in walk_files(folder, _HYPNOGRAM):
        hypnograms.setdefault(path.name[:6], []).append(path)
    nights: dict[str, Night] = {}
    problems: list[str] = []
    for path in walk_files(folder, _PSG):
        key = path.name[:6]
        match = re.fullmatch(_PSG, path.name, re.IGNORECASE)
        found = hypnograms.get(key, [])
        if match is None or key in nights:
            continue
        if not found:
            problems.append(f"{path.name}: no hypnogram {key}*-Hypnogram.edf")
            continue
        nights[key] = Night(
            name=path.name[:8],
            psg_path=path,
            hypnogram_path=found[0],
            study=key[:2],
            subject=key[:5],
            night=int(match[3]),
        )
    without = [hypnograms[key][0].name for key in sorted(set(hypnograms) - set(nights))]
    if without:
        problems.append(
            f"{len(without)} hypnograms without recording: {', '.join(without)}"
        )
    ordered = sorted(nights.values(), key=lambda night: night.name)
    return Nights(tuple(ordered), tuple(problems))


def stages_of(
    annotations: Iterable[Annotation], *, n_epochs: int | None = None
) -> list[str | None]:
    """Stage of each 30-s epoch from a hypnogram's annotations.

    Parameters
    ----------
    annotations : iterable of Annotation
        Those that are no stage are passed by.
    n_epochs : int or None
        Length wanted, as a rule the whole epochs of the recording: what runs on is cut
        off, what is missing is unscored. None: up to the end of the last stage.

    Returns
    -------
    list of str or None
        None: movement time, `?`, or a hole. An epoch has the stage that covers its
        middle; of two, the later annotation.
    """
    rows = [
        (row.onset_sec, row.duration_sec or EPOCH_SEC, row.text.strip().lower())
        for row in annotations
    ]
    rows = [row for row in rows if row[2] in STAGE_OF_TEXT]
    if n_epochs is None:
        last = max((onset + duration for onset, duration, _ in rows), default=0.0)
        n_epochs = int(last / EPOCH_SEC + 1e-6)
    stages: list[str | None] = [None] * n_epochs
    for onset_sec, duration_sec, text in rows:
        first = _first_middle(onset_sec)
        stop = _first_middle(onset_sec + duration_sec)
        for epoch in range(max(first, 0), min(stop, n_epochs)):
            stages[epoch] = STAGE_OF_TEXT[text]
    return stages


def whole_epochs(duration_sec: float) -> int:
    """Count the whole 30-s epochs in a recording."""
    return int(duration_sec / EPOCH_SEC + 1e-6)


def _first_middle(time_sec: float) -> int:
    """First epoch whose middle is not before a time."""
    return -int(-(time_sec / EPOCH_SEC - 0.5 - 1e-9) // 1)
