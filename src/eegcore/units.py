"""Units and filter texts of headers, in their many spellings."""

import re
from functools import lru_cache

# Micro as U+00B5, U+03BC or u; what is left of it after a wrong code page (DOS byte E6,
# UTF-8 read as Latin-1, a replacement character or question mark); or in words.
_MICROVOLT = re.compile(r"(?:[uµμæ?�]|Âµ|Î¼|micro[ -]?)v(?:olts?|\.)?", re.IGNORECASE)
_VOLTS = {
    "mv": ("mV", 1e3),
    "millivolt": ("mV", 1e3),
    "millivolts": ("mV", 1e3),
    "v": ("V", 1e6),
    "volt": ("V", 1e6),
    "volts": ("V", 1e6),
    "nv": ("nV", 1e-3),
    "nanovolt": ("nV", 1e-3),
    "nanovolts": ("nV", 1e-3),
}
_HIGHPASS = re.compile(r"HP\s*[:=]?\s*(DC|\d+(?:[.,]\d+)?)", re.IGNORECASE)
_LOWPASS = re.compile(r"LP\s*[:=]?\s*(\d+(?:[.,]\d+)?)", re.IGNORECASE)


@lru_cache(maxsize=512)
def unit_and_factor(text: str) -> tuple[str, float | None]:
    """Unit of a signal and its factor to microvolt.

    Parameters
    ----------
    text : str
        Physical dimension of a header.

    Returns
    -------
    str
        "uV", "mV", "V" or "nV" for every spelling of them, else the text itself.
    float or None
        None: no voltage. "MV" is read as megavolt by the letter and millivolt by
        intent, so it has no factor.
    """
    text = text.strip()
    if _MICROVOLT.fullmatch(text):
        return "uV", 1.0
    if text == "MV":
        return text, None
    return _VOLTS.get(text.casefold().rstrip("."), (text, None))


@lru_cache(maxsize=512)
def filter_edges(text: str) -> tuple[float | None, float | None]:
    """High-pass and low-pass edge in Hz from text such as "HP:0.1Hz LP:75Hz".

    "HP:DC" is 0; None: the text does not tell, or "LP:0", which no filter has.
    """
    high, low = _HIGHPASS.search(text), _LOWPASS.search(text)
    highpass_hz = lowpass_hz = None
    if high:
        edge = high.group(1)
        highpass_hz = 0.0 if edge.upper() == "DC" else _decimal(edge)
    if low:
        lowpass_hz = _decimal(low.group(1)) or None
    return highpass_hz, lowpass_hz


def _decimal(text: str) -> float:
    return float(text.replace(",", "."))
