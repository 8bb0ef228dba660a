"""What a channel name means to an analyst: kind, place on the head, neighbours."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_WORDS = (
    ("eog", re.compile(r"EOG|\bLOC\b|\bROC\b|\bE[12]\b", re.IGNORECASE)),
    ("emg", re.compile(r"EMG|CHIN|SUBMENT|MENTAL", re.IGNORECASE)),
    (
        "other",
        re.compile(
            r"RESP|TEMP\b|TEMP |RECTAL|MARK|EVENT|STATUS|ECG|EKG|NASAL|FLOW|SPO2|SAO2|"
            r"THOR|ABDO|SNORE|LEG|TIBIAL|PULSE|STIM|TRIG",
            re.IGNORECASE,
        ),
    ),
)
_ELECTRODE = re.compile(r"(?:FP|AF|FC|FT|CP|TP|PO|F|C|T|P|O|A|M)(?:Z|10|[1-9])")


def kind(name: str, listed: str = "eeg") -> str:
    """Return "eeg", "eog", "emg" or "other", by the file's type, else by the name."""
    if listed.lower() in ("eog", "emg"):
        return listed.lower()
    if listed.lower() not in ("eeg", "unknown", ""):
        return "other"
    for word, pattern in _WORDS:
        if pattern.search(name):
            return word
    return "eeg"


def electrodes(name: str) -> tuple[str, ...]:
    """Return the electrodes in a label, upper case: "EEG Fpz-Cz" gives FPZ, CZ."""
    text = re.sub(r"^EEG\s+|-[01]$|\.+$", "", name.strip(), flags=re.IGNORECASE)
    found: list[str] = []
    for part in re.split(r"[-\s]+", text.upper()):
        if _ELECTRODE.fullmatch(part):
            found.append(part)
    return tuple(found)


def distinct(names: Sequence[str]) -> list[int]:
    """Return the indices of channels, without repeated or reversed derivations."""
    seen: set[frozenset[str]] = set()
    kept: list[int] = []
    for i, name in enumerate(names):
        pair = frozenset(electrodes(name)) or frozenset({name})
        if pair not in seen:
            seen.add(pair)
            kept.append(i)
    return kept


def neighbours(names: Sequence[str]) -> NDArray[np.bool_]:
    """Return which channels are neighbours: bool (n, n).

    Bipolar derivations that share an electrode are; in another montage all are, since
    every channel holds the reference.
    """
    pairs = [set(electrodes(name)) for name in names]
    bipolar = sum(len(pair) == 2 for pair in pairs) > len(pairs) / 2
    n = len(names)
    out = np.zeros((n, n), dtype=np.bool_)
    for i in range(n):
        for j in range(n):
            out[i, j] = i != j and (not bipolar or bool(pairs[i] & pairs[j]))
    return out


def front_rank(name: str) -> int:
    """Return how well a derivation shows slow waves and spindles (0 best)."""
    first = electrodes(name)
    if not first:
        return 3
    head = first[0]
    if head.startswith(("F", "AF")):
        return 0
    if head.startswith("C") and not head.startswith("CP"):
        return 1
    return 4 if head.startswith(("O", "PO")) else 3 if head[0] in "PC" else 2


def is_posterior(name: str) -> bool:
    """Tell whether a derivation begins at a parietal or occipital electrode."""
    first = electrodes(name)
    return bool(first) and first[0].startswith(("P", "O"))
