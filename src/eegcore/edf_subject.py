"""Start time, age and sex from the identity fields of an EDF header.

The only place that looks into the patient and recording fields. Name, code, birth date
and hospital fields go no further than this module.
"""

import re
from datetime import date, datetime, time

_MONTHS = (
    *("JAN", "FEB", "MAR", "APR", "MAY", "JUN"),
    *("JUL", "AUG", "SEP", "OCT", "NOV", "DEC"),
)
_FULL_DATE = re.compile(r"(\d{1,2})-([A-Za-z]{3})-(\d{4})")
_THREE_NUMBERS = re.compile(r"(\d+)[.\-/:, ]+(\d+)[.\-/:, ]+(\d+)", re.ASCII)
_SEX = re.compile(r"(?<![a-z])(female|male)(?![a-z])", re.IGNORECASE)
_AGE = re.compile(
    r"(?<!\d)(\d{1,3})[ _]?(?:yrs?|years?|y/?o)(?![a-z])"
    r"|(?<![a-z])age[ _]?[:=]?[ _]?(\d{1,3})(?!\d)",
    re.IGNORECASE,
)
_OLDEST = 120
_NOTHING = "X X X X"  # what EDF+ writes where nothing is to be known
# Programs that know no birth date write their own zero: 30-DEC-1899, 01-JAN-1900.
_FIRST_BIRTH_YEAR = 1901


def start_time(
    day_text: str, clock_text: str, recording_text: str, warnings: list[str]
) -> datetime | None:
    """Start of a recording.

    Parameters
    ----------
    day_text, clock_text : str
        Fields "dd.mm.yy" and "hh.mm.ss", any usual separator. Two-digit years from
        85 on are of the last century.
    recording_text : str
        EDF+: field that may begin with "Startdate dd-MMM-yyyy"; its four-digit year is
        taken if day and month agree with `day_text` or that is no date.
    warnings : list of str
        Gets a line if the start is unknown.
    """
    day = _short_date(day_text)
    words = recording_text.split()
    if len(words) > 1 and words[0].lower() == "startdate":
        full = full_date(words[1])
        if full and (day is None or (full.day, full.month) == (day.day, day.month)):
            day = full
    clock = _clock(clock_text)
    if day is None or clock is None:
        what = "date" if day is None else "time"
        warnings.append(f"start {what} in the header is no {what}; start unknown")
        return None
    return datetime.combine(day, clock)


def full_date(text: str) -> date | None:
    """dd-MMM-yyyy with an English month in any letter case; None: it is none."""
    found = _FULL_DATE.fullmatch(text)
    if not found or found.group(2).upper() not in _MONTHS:
        return None
    return _date(
        int(found.group(3)),
        _MONTHS.index(found.group(2).upper()) + 1,
        int(found.group(1)),
    )


def age_and_sex(patient: str, start: datetime | None) -> tuple[int | None, str | None]:
    """Age in whole years and sex ("F", "M"); None for what is not known.

    Reads the EDF+ form (code, sex, birth date, name) also where the file is plain EDF
    or the code is missing, and words such as "Female_33yr".
    """
    if patient == _NOTHING:
        return None, None
    words = patient.split()
    sex = _sex_field(words)
    if sex is None and (found := _SEX.search(patient)):
        sex = found.group(1)[0].upper()
    age = None
    birth = next((day for word in words if (day := full_date(word))), None)
    if birth and start and birth.year >= _FIRST_BIRTH_YEAR:
        age = start.year - birth.year
        age -= (start.month, start.day) < (birth.month, birth.day)
    elif years := _AGE.search(patient):
        age = int(years.group(1) or years.group(2))
    return (age if age is not None and 0 <= age <= _OLDEST else None), sex


def _sex_field(words: list[str]) -> str | None:
    """Sex of the EDF+ form, known by the birth date (or X) behind it."""
    if len(words) == 3:
        words = ["X", *words]  # the code in front is missing
    if len(words) < 4 or words[1].upper() not in ("F", "M"):
        return None
    is_birth = words[2].upper() == "X" or full_date(words[2])
    return words[1].upper() if is_birth else None


def _short_date(text: str) -> date | None:
    numbers = _three_numbers(text)
    if numbers is None:
        return None
    day, month, year = numbers
    if year < 100:
        year += 1900 if year >= 85 else 2000
    return _date(year, month, day)


def _clock(text: str) -> time | None:
    numbers = _three_numbers(text)
    if numbers is None or not (numbers[0] < 24 and numbers[1] < 60 and numbers[2] < 60):
        return None
    return time(*numbers)


def _three_numbers(text: str) -> tuple[int, int, int] | None:
    found = _THREE_NUMBERS.fullmatch(text.strip())
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
