"""The two dialects as named switches: `default`, and `paper-1.0` as published.

Tool code has no second copy; where the two differ it asks one of these switches. Row
numbers are those of the table in docs/protocol.md.
"""

from dataclasses import dataclass

from eegcore.errors import ArgumentError


@dataclass(frozen=True, slots=True)
class Dialect:
    """What differs between the published release and the mended tools.

    Attributes
    ----------
    name : str
    full_montage : bool
        Names without regard to case, in any usual dress; 10-10 names, bipolar pairs,
        all homologues (rows 1, 2).
    budget_for_all : bool
        Every tool refuses an answer above the budget, by an upper bound (3).
    released_formulas : bool
        Bands from bins, two meanings of relative power, scipy's own noise of a
        constant, zero for what does not exist (4, 5, 9, 10).
    real_multitaper : bool
        Thomson's estimate; else the method is refused (6).
    placed_by_time : bool
        Windows and ranges placed by time without drift, the rest reported; else
        truncated to samples (7).
    strict : bool
        Duplicates, ranges past the end, windows longer than the range are errors (8).
    all_candidates : bool
        Means of transients over all candidates, background of every channel (11).
    own_kinds : bool
        Kind from label and unit, each signal in its own unit; else every channel is
        EEG and an unknown unit means volts (13).
    fixed_decimals : bool
        Numbers rounded to decimals; else six significant digits, times to 1 ms.
    error_codes : bool
        Errors carry a stable `code`; notes say why a value is null (9, 10, 12).
    """

    name: str
    full_montage: bool
    budget_for_all: bool
    released_formulas: bool
    real_multitaper: bool
    placed_by_time: bool
    strict: bool
    all_candidates: bool
    own_kinds: bool
    fixed_decimals: bool
    error_codes: bool


DEFAULT = Dialect(
    name="default",
    full_montage=True,
    budget_for_all=True,
    released_formulas=False,
    real_multitaper=True,
    placed_by_time=True,
    strict=True,
    all_candidates=True,
    own_kinds=True,
    fixed_decimals=False,
    error_codes=True,
)
PAPER = Dialect(
    name="paper-1.0",
    full_montage=False,
    budget_for_all=False,
    released_formulas=True,
    real_multitaper=False,
    placed_by_time=False,
    strict=False,
    all_candidates=False,
    own_kinds=False,
    fixed_decimals=True,
    error_codes=False,
)
DIALECTS = {dialect.name: dialect for dialect in (DEFAULT, PAPER)}


def find_dialect(name: str) -> Dialect:
    """Return the dialect of that name; ArgumentError lists the names there are."""
    if name not in DIALECTS:
        raise ArgumentError(
            f"unknown dialect {name!r}; allowed are {', '.join(DIALECTS)}"
        )
    return DIALECTS[name]
