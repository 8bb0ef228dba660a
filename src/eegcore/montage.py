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
    "NZ": "frontal",
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
}
# Electrodes whose number moves them out of their row's region.
_REGION_OF = {
    "F7": "frontal",
    "F8": "frontal",
    "P7": "temporal",
    "P8": "temporal",
    "SP1": "temporal",
    "SP2": "temporal",
    "PG1": "temporal",
    "PG2": "temporal",
}
_ELECTRODE = re.compile(
    r"(AFP|AFF|FFC|FFT|FTT|FCC|CCP|TTP|CPP|TPP|PPO|POO|FP|AF|FC|FT|CP|TP|PO|OI|SP|PG"
    r"|[NFCTPOIAM])(Z|10|[1-9])(H?)"
)
_REFERENCE = frozenset(
    "REF LE AR AVG AV AVE AVERAGE CAR A1A2 A12 M1M2 A1+A2 M1+M2 LINKED G".split()
)
_MICRO_PREFIX = re.compile(r"^(?:I?EEG|SEEG|ECOG)(?=[ _:.\-(]|$)[ _:]*", re.IGNORECASE)
_BRACKET = re.compile(r"^[^()]*\(([^()]+)\)$")

# First match wins: what a label says in words, before it is tried as an electrode.
_WORDS: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (
            "stim",
            r"status|trig|marker|event|stim|\bSTI\b|STI ?\d+|annotation|digital in|"
            r"photic|light(?:s)? o|^DIN?\d*$|\bTTL\b",
        ),
        ("misc", r"sa ?o2|sp ?o2|oxi|pulse|\bHR\b|H\.R\.|heart ?rate|pleth|\bBPM\b"),
        (
            "misc",
            r"imp[eé]dance|\(imp\)|battery|accel|gyro|\bacc\b|audio|sound|\blux\b",
        ),
        ("misc", r"calibration|co2|position|\bpos\b|body|actigra|\bGSR\b|\bEDA\b"),
        ("ecg", r"\bECG|\bEKG|^ECG|^EKG|cardi"),
        ("emg", r"EMG|chin|submental|mentalis|\bleg|tibial|masseter|\bLAT\b|\bRAT\b"),
        ("eog", r"EOG|^[LR]OC\b|\bE[12](?:-|$)|ocular|\b[LR]EYE\b|\bROC\b|\bLOC\b"),
        (
            "resp",
            r"resp|airflow|\bflow|nasal|oral|thor|abdo|chest|effort|snor|cpap|cann|"
            r"breath|\bRIP\b|\bTHX\b|\bABD\b",
        ),
        ("temp", r"temp(?!oral)|rectal"),
    )
)
_BIOSEMI = re.compile(r"[A-H](?:[1-9]|[12]\d|3[0-2])")
_VOLTS = frozenset({"uV", "mV", "V", "nV", ""})


def clean_label(label: str) -> str:
    """Electrode part of a label, upper case.

    Drops the type in front, the reference behind, padding dots and white space:
    "EEG Fp1-Ref" and "Fp1." both give "FP1", "EEG Pz - Oz" gives "PZ-OZ".
    """
    text = _MICRO_PREFIX.sub("", label.strip()).strip(" .:_")
    bracket = _BRACKET.match(text)
    if bracket:
        text = bracket.group(1)
    text = re.sub(r"\s*[-–]\s*", "-", text).strip().upper()
    head, dash, tail = text.partition("-")
    if dash and tail.strip(" .") in _REFERENCE and head:
        return head.strip(" .")
    return text


def _one_electrode(text: str) -> str | None:
    """Upper-case electrode name of `text`, or None."""
    return text if _ELECTRODE.fullmatch(text) else None


def _side(name: str) -> Hemisphere:
    found = _ELECTRODE.fullmatch(name)
    if found is None:
        return "unknown"
    number = found.group(2)
    if number == "Z":
        return "M"
    return "L" if int(number) % 2 else "R"


def _region(name: str) -> str:
    found = _ELECTRODE.fullmatch(name)
    if found is None:
        return "unknown"
    return _REGION_OF.get(name) or _ROWS.get(found.group(1), "unknown")


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
        parts = parts[:-1]
    if len(parts) == 2 and parts[1] in _REFERENCE:
        parts = parts[:1]
    electrodes = [_one_electrode(part) for part in parts]
    first = electrodes[0]
    if first is None or len(parts) > 2:
        return _NO_ELECTRODE
    if len(parts) == 1:
        return Electrode((first,), _side(first), _region(first))
    second = electrodes[1]
    if second is None:
        return _NO_ELECTRODE
    if second[0] in "AM" and second[1:] in ("1", "2") and first[0] not in "AM":
        return Electrode((first,), _side(first), _region(first))
    return Electrode((first, second), _pair_side(first, second), _region(first))


def _pair_side(first: str, second: str) -> Hemisphere:
    sides = {_side(first), _side(second)} - {"M"}
    if not sides:
        return "M"
    return sides.pop() if len(sides) == 1 else "unknown"


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
    for kind, pattern in _WORDS:
        if pattern.search(text):
            return kind
    if unit not in _VOLTS:
        return "misc"
    if _MICRO_PREFIX.match(text) or parse_electrode(text).names:
        return "eeg"
    if _BIOSEMI.fullmatch(text):
        return "eeg"
    return "unknown"


def _mirror(name: str) -> str | None:
    """Electrode on the other side: T7 -> T8, FZ -> FZ; None if it is none."""
    found = _ELECTRODE.fullmatch(name)
    if found is None:
        return None
    row, number, half = found.groups()
    if number == "Z":
        return name
    value = int(number)
    return f"{row}{value + 1 if value % 2 else value - 1}{half}"


def homologous_pairs(
    names: Sequence[str] | Iterable[str],
) -> tuple[tuple[int, int], ...]:
    """Pairs of channels that mirror each other, as positions (left, right).

    Parameters
    ----------
    names : sequence of str
        Channel names or labels.

    Returns
    -------
    tuple of (int, int)
        In the order of the left channels. Single electrodes pair with single ones
        (T7 with T8, T3 with T4), bipolar pairs with bipolar pairs (FP1-F7 with
        FP2-F8; the reverse derivation is no match). Of repeated labels the first one
        that is free is taken; midline and unknown channels have no partner.
    """
    electrodes = [parse_electrode(name).names for name in names]
    free: dict[tuple[str, ...], list[int]] = {}
    for position, electrode in enumerate(electrodes):
        if electrode:
            free.setdefault(electrode, []).append(position)
    pairs = []
    for position, electrode in enumerate(electrodes):
        if not electrode or parse_side(electrode) != "L":
            continue
        mirrored = tuple(_mirror(name) or "" for name in electrode)
        partners = free.get(mirrored)
        if partners and mirrored != electrode:
            pairs.append((position, partners.pop(0)))
    return tuple(pairs)


def parse_side(electrode: tuple[str, ...]) -> Hemisphere:
    """Side of one electrode or of a bipolar pair, from its standard names."""
    if len(electrode) == 2:
        return _pair_side(*electrode)
    return _side(electrode[0]) if electrode else "unknown"
