"""Electrode names: what kind of signal a label means, its side, region and mirror.

Everything here works on text alone. Labels of real files carry a type in front
("EEG Fp1"), a reference behind ("C3-Ref"), padding dots ("Fc5."), brackets
("EEG L1(Fp1)") and any letter case.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

Kind = Literal["eeg", "eog", "emg", "ecg", "resp", "temp", "stim", "misc", "unknown"]
Hemisphere = Literal["L", "R", "M", "unknown"]


class Electrode(NamedTuple):
    """One electrode, or the two of a bipolar derivation, read from a label.

    Attributes
    ----------
    names : tuple of str
        Standard spellings, one or two ("FP1",) or ("FP1", "F7"); upper case.
        Empty if the label is no electrode.
    hemisphere : str
        "L", "R", "M" (midline) or "unknown"; of a pair: the side that its two
        electrodes share or the one off the midline.
    region : str
        "frontal", "central", "temporal", "parietal", "occipital" or "unknown"; of
        a pair: the region of its first electrode.
    """

    names: tuple[str, ...]
    hemisphere: Hemisphere
    region: str


_NO_ELECTRODE = Electrode((), "unknown", "unknown")

# Rows of the 10-10 (and 10-5 intermediate) system, by their letters.
_ROWS = {
    "N": "frontal",
    "FP": "frontal",
    "AFP": "frontal",
    "AF": "frontal",
    "AFF": "frontal",
    "F": "frontal",
    "FFC": "frontal",
    "FFT": "frontal",
    "FC": "frontal",
    "FT": "temporal",
    "FTT": "temporal",
    "FCC": "central",
    "C": "central",
    "CCP": "central",
    "T": "temporal",
    "TTP": "temporal",
    "TP": "temporal",
    "CP": "parietal",
    "CPP": "parietal",
    "TPP": "temporal",
    "P": "parietal",
    "PPO": "parietal",
    "PO": "parietal",
    "POO": "occipital",
    "O": "occipital",
    "OI": "occipital",
    "I": "occipital",
    "A": "temporal",  # ear lobe
    "M": "temporal",  # mastoid
    "SP": "temporal",  # sphenoidal
    "PG": "temporal",  # nasopharyngeal
}
# Electrodes whose number moves them out of their row's region.
_REGION_OF = {
    "P7": "temporal",
    "P8": "temporal",
}
_ELECTRODE = re.compile(
    r"(AFP|AFF|FFC|FFT|FTT|FCC|CCP|TTP|CPP|TPP|PPO|POO|FP|AF|FC|FT|CP|TP|PO|OI"
    r"|[FCTPOI])(Z|10|[1-9])(H?)|(N)(Z)|(A|M|SP|PG)([12])"
)
_REFERENCE = frozenset(
    {
        *("REF", "LE", "AR", "AVG", "AV", "AVE", "AVERAGE", "CAR", "LINKED", "G"),
        *("A1A2", "A12", "A1A22", "M1M2", "M12", "M1M22"),
    }
)
_EAR = frozenset({"A1", "A2", "M1", "M2"})
_EEG_PREFIX = re.compile(r"(?:I?EEG|SEEG|ECOG)(?=[ _:.\-(\d]|$)[ _:\-]*", re.IGNORECASE)
_BRACKET = re.compile(r"[^()]*\(([^()]+)\)")
_DASH = re.compile(r"\s*[-\u2013_:/]\s*")
_NO_LETTER = re.compile(r"[^A-Z0-9]")

# First match wins: what a label says in words, before it is tried as an electrode.
_WORDS: tuple[tuple[Kind, str], ...] = (
    ("stim", r"status|trig|marker|event|\bstim|\bSTI\b|STI ?\d|annotation|\bTTL\b"),
    ("stim", r"photic|digital in|^DIN?\d*$"),
    ("misc", r"sa ?o2|sp ?o2|co2|\boxi|pulse|\bHR\b|H\.R\.|heart|pleth|\bBPM\b"),
    ("misc", r"imp.{1,2}dance|\(imp\)|battery|accel|gyro|\bacc\b|audio|sound|\blux\b"),
    ("misc", r"calibration|position|\bpos\b|\bbody|actigra|\bGSR\b|\bEDA\b|\blight"),
    ("ecg", r"\bECG|\bEKG|cardi"),
    ("emg", r"EMG|\bchin|submental|mentalis|\b[lr]?leg|tibial|masseter|\b[LR]AT\b"),
    ("eog", r"EOG|\b[LR]OC\b|\bE[12](?=-|$)|ocular|\b[LR]EYE\b"),
    ("resp", r"\bresp|airflow|\bflow|nasal|\boral|\bthor|\babdo|\bchest|effort|snor"),
    ("resp", r"cpap|cannula|breath|therm[io]|\bRIP\b|\bTHX\b|\bABD\b"),
    ("temp", r"\btemp(?!or)|rectal"),
)
_SAID = tuple((kind, re.compile(words, re.IGNORECASE)) for kind, words in _WORDS)
_SAYS = re.compile("|".join(words for _, words in _WORDS), re.IGNORECASE)
_BIOSEMI = re.compile(r"[A-H](?:[1-9]|[12]\d|3[0-2])")
_BIOSEMI_ONLY = re.compile(r"A(?:[3-9]|[12]\d|3[0-2])")
_NET = re.compile(r"(?:EEG )?E\d{1,3}")
_VOLTS = frozenset({"uV", "mV", "V", "nV", ""})


@lru_cache(maxsize=4096)
def clean_label(label: str) -> str:
    """Electrode part of a label, upper case.

    Drops the type in front, the reference behind, padding dots and white space:
    "EEG Fp1-Ref" and "Fp1." both give "FP1", "EEG Pz - Oz" gives "PZ-OZ", "EEG L1(Fp1)"
    gives "FP1".
    """
    text = label.strip()
    prefix = _EEG_PREFIX.match(text)
    text = text[prefix.end() :] if prefix else text
    bracket = _BRACKET.fullmatch(text)
    text = bracket.group(1) if bracket else text
    text = _DASH.sub("-", text).strip(" .-").upper()
    head, _, tail = text.partition("-")
    if head and _NO_LETTER.sub("", tail) in _REFERENCE:
        return head.strip(" .")
    return text or label.strip().upper()


def _row_and_number(name: str) -> tuple[str, str] | None:
    """Row letters and number (or Z) of an upper-case name; None: no electrode."""
    found = _ELECTRODE.fullmatch(name)
    if found is None:
        return None
    row, number, _, n_row, n_number, other, other_number = found.groups()
    return row or n_row or other, number or n_number or other_number


def _side(name: str) -> Hemisphere:
    found = _row_and_number(name)
    if found is None:
        return "unknown"
    if found[1] == "Z":
        return "M"
    return "L" if int(found[1]) % 2 else "R"


def _region(name: str) -> str:
    found = _row_and_number(name)
    return _REGION_OF.get(name) or (_ROWS[found[0]] if found else "unknown")


@lru_cache(maxsize=4096)
def parse_electrode(name: str) -> Electrode:
    """Read the electrode or the bipolar pair that a label names.

    Parameters
    ----------
    name : str
        Label in any usual dress: "Fp1", "EEG Fp1-Ref", "FP1-F7", "Fc5.".

    Returns
    -------
    Electrode
        With empty `names` where the label is no electrode. The trailing number of
        a repeated label ("T8-P8-0") is passed over. A second electrode that is an
        ear or a mastoid ("C3-A2", "F4-M1") is a reference, not a partner.
    """
    parts = [part.strip(" .") for part in clean_label(name).split("-")]
    if len(parts) > 1 and parts[-1].isdigit():
        parts.pop()
    if len(parts) == 2 and (
        _NO_LETTER.sub("", parts[1]) in _REFERENCE
        or (parts[1] in _EAR and parts[0] not in _EAR)
    ):
        parts.pop()
    if len(parts) > 2 or not all(_row_and_number(part) for part in parts):
        return _NO_ELECTRODE
    return Electrode(tuple(parts), side_of(tuple(parts)), _region(parts[0]))


@lru_cache(maxsize=16384)
def channel_kind(label: str, unit: str) -> Kind:
    """Kind of signal, from its label and its unit.

    Parameters
    ----------
    label : str
        Label of the header.
    unit : str
        "uV", "mV", "V", "nV", "" (not said) or any other unit.

    Returns
    -------
    str
        "eeg" only for what is called EEG or is an electrode of the 10-20, 10-10
        or 10-5 system or a bipolar pair of them, in a unit of voltage. A name that says
        nothing ("x", "ch 3") is "unknown"; a unit that is no voltage makes it "misc".
    """
    text = label.strip()
    if _SAYS.search(text):
        return next(kind for kind, pattern in _SAID if pattern.search(text))
    if unit not in _VOLTS:
        return "misc"
    is_eeg = _EEG_PREFIX.match(text) or _BIOSEMI.fullmatch(text)
    return "eeg" if is_eeg or parse_electrode(text).names else "unknown"


def channel_kinds(labels: Sequence[str], units: Sequence[str]) -> tuple[Kind, ...]:
    """Kind of each channel of one recording.

    As `channel_kind`, but knowing the other labels: "E1" to "E8" and more are the
    electrodes of a geodesic net, while "E1" and "E2" alone are those of an EOG.
    """
    net = sum(1 for label in labels if _NET.fullmatch(label)) >= 8
    return tuple(
        [
            "eeg" if net and _NET.fullmatch(label) else channel_kind(label, unit)
            for label, unit in zip(labels, units, strict=True)
        ]
    )


def common_reference(labels: Iterable[str]) -> str | None:
    """Reference that all labels name behind a dash ("Ref", "A1"); None: there is none.

    A bipolar montage has none; so has a recording with two references.
    """
    found: str | None = None
    for label in labels:
        head, _, tail = label.strip(" .").rpartition("-")
        reference = tail.strip()
        known = _NO_LETTER.sub("", reference.upper()) in _REFERENCE | _EAR | {"CZ"}
        if not head or not known or found not in (None, reference):
            return None
        found = reference
    return found


def _mirror(name: str) -> str:
    """Electrode on the other side: T7 -> T8; a midline one is its own."""
    found = _row_and_number(name)
    if found is None or found[1] == "Z":
        return name
    number = int(found[1])
    other = number + 1 if number % 2 else number - 1
    return f"{found[0]}{other}{'H' if name.endswith('H') else ''}"


def side_of(electrode: Sequence[str]) -> Hemisphere:
    """Side of one electrode or of a bipolar pair, from its standard names."""
    sides = {_side(name) for name in electrode}
    if len(sides) > 1:
        sides.discard("M")
    return sides.pop() if len(sides) == 1 else "unknown"


def homologous_pairs(names: Iterable[str]) -> tuple[tuple[int, int], ...]:
    """Pairs of channels that mirror each other, as positions (left, right).

    Parameters
    ----------
    names : iterable of str
        Channel names or labels.

    Returns
    -------
    tuple of (int, int)
        In the order of the left channels. Single electrodes pair with single ones
        (T7 with T8, T3 with T4), bipolar pairs with bipolar pairs (FP1-F7 with
        FP2-F8; the reverse derivation is no match). Of repeated labels the first one
        that is free is taken; midline and unknown channels have no partner, nor
        have A1 and A2 beside A3 (a BioSemi cap, where they are no ears).
    """
    names = list(names)
    electrodes = [parse_electrode(name).names for name in names]
    if any(_BIOSEMI_ONLY.fullmatch(name) for name in names):
        electrodes = [() if e in (("A1",), ("A2",)) else e for e in electrodes]
    free: dict[tuple[str, ...], list[int]] = {}
    for position, electrode in enumerate(electrodes):
        free.setdefault(electrode, []).append(position)
    pairs = []
    for position, electrode in enumerate(electrodes):
        if side_of(electrode) == "L":
            mirrored = tuple(_mirror(name) for name in electrode)
            if free.get(mirrored):
                pairs.append((position, free[mirrored].pop(0)))
    return tuple(pairs)
