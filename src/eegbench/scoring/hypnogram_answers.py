"""T6: the hypnogram and the architecture that an answer states.

Rows may be lists (start, end, stage), objects, ``[stage, count]`` runs, ``"0-3: W"``
texts, or there may be one stage per epoch. The rules of expansion (protocol, section 5,
paper section 6.2): epochs from 0, ends inclusive, the last written wins, gaps, unknown
stages and a missing tail are wake, what lies past the end is cut.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from eegbench.loose_json import Json
from eegbench.scoring.answers import (
    NO_ANSWER,
    Missing,
    Parsed,
    answer_of,
    any_rows,
    decoded,
    fold_keys,
    number_of,
    payload,
    text_of,
)
from eegcore.hypnogram import Codes, Shares, W, stage_code, write_segment

PUBLISHED_KEY = "hypnogram_rle"
HYPNOGRAM_KEYS = (
    PUBLISHED_KEY,
    "hypnogram",
    "rle",
    "sleep_stages",
    "stages",
    "stage_sequence",
    "segments",
    "epoch_stages",
    "epoch_labels",
    "labels",
)
SHARE_KEYS = {"rem": "rem_pct", "n3": "n3_pct", "sleep_efficiency": "sleep_efficiency"}
_STARTS = (
    "start_epoch",
    "start",
    "from",
    "begin",
    "first",
    "first_epoch",
    "epoch_start",
)
_ENDS = ("end_epoch", "end", "to", "stop", "last", "last_epoch", "epoch_end")
_COUNTS = (
    "n_epochs",
    "count",
    "length",
    "duration_epochs",
    "n",
    "run_length",
    "epochs",
)
_STAGES = ("stage", "label", "state", "sleep_stage", "value")
_TEXT_ROW = re.compile(
    r"[\[(]?\s*(\d{1,9})\s*(?:-|\u2013|to|,|\.\.)\s*(\d{1,9})\s*[:,=\s]\s*(.+?)\s*[\])]?"
)
_TEXT_RANGE = re.compile(r"\s*(\d{1,9})\s*(?:-|\u2013|to|,|\.\.)\s*(\d{1,9})\s*")
_LETTERS = {"w": "W", "1": "N1", "2": "N2", "3": "N3", "4": "N3", "r": "REM"}


class _Row(NamedTuple):
    start: int
    end: int
    stage: object


@dataclass(slots=True)
class _Tally:
    skipped: int = 0
    unknown: int = 0
    clipped: int = 0
    warnings: list[str] = field(default_factory=list)


def parse_hypnogram(
    raw: object, n_epochs: int, *, strict: bool = False
) -> Parsed[Codes]:
    """Read an answer's hypnogram, expanded to one stage per epoch.

    Parameters
    ----------
    raw
        The reply as text, or the accepted answer object.
    n_epochs
        Epochs of the recording.
    strict
        Accept the published form only: the field ``hypnogram_rle``, a list of objects
        with ``start_epoch``, ``end_epoch``, ``stage``; true and false are 1 and 0.

    Returns
    -------
    Parsed
        int8 codes of `eegcore.hypnogram`, shape (n_epochs,), none of them unscored.
        All wake where nothing could be read; ``parse_failed`` tells that from an empty
        list.
    """
    wake = np.full(n_epochs, W, dtype=np.int8)
    answer = answer_of(raw)
    if answer is None:
        warning = NO_ANSWER if text_of(raw) else "empty reply"
        return Parsed(wake, parse_failed=True, warnings=(warning,))
    rows = payload(answer, (PUBLISHED_KEY,) if strict else HYPNOGRAM_KEYS)
    if isinstance(rows, dict) and not strict:
        inner = payload(rows, HYPNOGRAM_KEYS)
        rows = _ranges(rows) if isinstance(inner, Missing) else inner
    if rows is None:
        return Parsed(wake, missing=True, warnings=("the hypnogram is null",))
    if isinstance(rows, str) and not strict:
        rows = _from_text(rows)
    if not isinstance(rows, list):
        shown = "missing" if isinstance(rows, Missing) else repr(rows)[:60]
        return Parsed(wake, parse_failed=True, warnings=(f"hypnogram is {shown}",))
    if not strict and _is_per_epoch(rows, n_epochs):
        return _per_epoch(rows, n_epochs)
    tally = _Tally()
    codes = wake
    position = 0  # where a [stage, count] run goes on
    for number, entry in enumerate(rows):
        row = _published_row(entry) if strict else _row(entry, position)
        if row is None:
            tally.skipped += 1
            tally.warnings.append(f"row {number} skipped: {repr(entry)[:60]}")
            continue
        position = row.end + 1
        _write(codes, row, number, tally)
    return Parsed(
        codes,
        parse_failed=bool(rows) and not any_rows(rows) and tally.skipped == len(rows),
        rows_read=len(rows),
        rows_skipped=tally.skipped,
        rows_unknown_stage=tally.unknown,
        rows_clipped=tally.clipped,
        warnings=tuple(tally.warnings),
    )


def _write(codes: Codes, row: _Row, number: int, tally: _Tally) -> None:
    code = stage_code(row.stage)
    if code is None or code < 0:
        tally.unknown += 1
        tally.warnings.append(
            f"row {number}: unknown stage {repr(row.stage)[:40]}, scored as wake"
        )
        code = W
    if row.end >= codes.size:
        tally.clipped += 1
        tally.warnings.append(
            f"row {number}: epochs {str(row.start)[:12]} to {str(row.end)[:12]} cut to "
            f"the last epoch, {codes.size - 1}"
        )
    write_segment(codes, row.start, row.end, code)


def _published_row(entry: Json) -> _Row | None:
    if not isinstance(entry, dict):
        return None
    bounds = [entry.get("start_epoch"), entry.get("end_epoch")]
    numbers = [int(item) if isinstance(item, bool) else _whole(item) for item in bounds]
    return _checked(numbers[0], numbers[1], entry.get("stage"))


def _row(entry: Json, position: int) -> _Row | None:
    entry = decoded(entry)
    if isinstance(entry, dict):
        if "start_epoch" in entry and "end_epoch" in entry and "stage" in entry:
            bounds = _whole(entry["start_epoch"]), _whole(entry["end_epoch"])
            return _checked(*bounds, entry["stage"])
        return _object_row(fold_keys(entry), position)
    if isinstance(entry, list):
        if len(entry) >= 3:
            first, second, third = entry[:3]
            if _whole(first) is None and stage_code(first) is not None:  # ["W", 0, 3]
                return _checked(_whole(second), _whole(third), first)
            return _checked(_whole(first), _whole(second), third)
        if len(entry) == 2:
            return _counted(entry[0], entry[1], position)
        return None
    if isinstance(entry, str):
        match = _TEXT_ROW.fullmatch(entry.strip())
        if match is not None:
            return _checked(int(match.group(1)), int(match.group(2)), match.group(3))
    return None


def _object_row(item: Mapping[str, Json], position: int) -> _Row | None:
    stage = next((item[key] for key in _STAGES if key in item), None)
    start = _first(item, _STARTS)
    end = _first(item, _ENDS)
    count = _first(item, _COUNTS)
    if start is None and end is None:
        pair = item.get("epochs", item.get("range"))
        if isinstance(pair, list) and len(pair) == 2:
            return _checked(_whole(pair[0]), _whole(pair[1]), stage)
        if isinstance(pair, str) and (match := _TEXT_RANGE.fullmatch(pair)):
            return _checked(int(match.group(1)), int(match.group(2)), stage)
        single = _first(item, ("epoch",))
        if single is not None:
            return _checked(single, single, stage)
        return _counted(stage, count, position)
    if end is None and start is not None and count is not None:
        end = start + count - 1
    return _checked(start, end, stage)


def _counted(stage: Json, count: Json, position: int) -> _Row | None:
    """Return a run that states only its stage and how many epochs it lasts."""
    if not isinstance(stage, str) or _whole(stage) is not None:
        return None
    n_epochs = _whole(count)
    if n_epochs is None or n_epochs < 1:
        return None
    return _checked(position, position + n_epochs - 1, stage)


def _checked(start: int | None, end: int | None, stage: object) -> _Row | None:
    """Return a row with usable bounds; negative or reversed ones are malformed."""
    if start is None or end is None or start < 0 or end < start:
        return None
    return _Row(start, end, stage)


def _first(item: Mapping[str, Json], keys: Sequence[str]) -> int | None:
    return next((_whole(item[key]) for key in keys if key in item), None)


def _whole(value: Json) -> int | None:
    """Return an epoch number, a fraction cut off; None if it is no finite number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    number = number_of(value)
    return None if number is None else int(number)


def _is_per_epoch(rows: list[Json], n_epochs: int) -> bool:
    """Whether a list gives one stage per epoch.

    Of the right length it may hold numbers and unknown stages; of another length only
    names of stages, so that it cannot be mistaken.
    """
    if len(rows) == n_epochs:
        scalars = all(
            item is None or (isinstance(item, str | int) and not isinstance(item, bool))
            for item in rows
        )
        return scalars and any(stage_code(item) is not None for item in rows)
    return len(rows) > 1 and all(
        isinstance(item, str) and _whole(item) is None and stage_code(item) is not None
        for item in rows
    )


def _per_epoch(rows: list[Json], n_epochs: int) -> Parsed[Codes]:
    codes = [stage_code(item) for item in rows]
    unknown = sum(code is None or code < 0 for code in codes)
    warnings = ["one stage per epoch instead of runs"]
    if unknown:
        warnings.append(f"{unknown} epochs of unknown stage, scored as wake")
    if len(rows) != n_epochs:
        warnings.append(f"{len(rows)} stages for {n_epochs} epochs: cut, or wake added")
    stages = [code if code and code > 0 else W for code in codes[:n_epochs]]
    stages += [W] * (n_epochs - len(stages))
    return Parsed(
        np.array(stages, dtype=np.int8),
        rows_read=len(rows),
        rows_unknown_stage=unknown,
        warnings=tuple(warnings),
    )


def _from_text(text: str) -> Json:
    """Split ``WWW1122RR``, ``W, N1, N2`` or lines of ``0-3: W`` into rows."""
    stripped = text.strip()
    lines = [line.strip() for line in re.split(r"[;\n]", stripped) if line.strip()]
    if lines and all(_TEXT_ROW.fullmatch(line) for line in lines):
        return [*lines]
    if "," in stripped or " " in stripped:
        return [*re.split(r"[,\s]+", stripped)]
    letters = stripped.lower()
    if len(letters) > 2 and set(letters) <= set(_LETTERS):
        return [_LETTERS[letter] for letter in letters]
    return [stripped] if stripped else []


def _ranges(rows: Mapping[str, Json]) -> Json | Missing:
    """Read ``{"0-3": "W"}`` and ``{"W": [[0, 3]], "N2": [[4, 7]]}`` as rows."""
    result: list[Json] = []
    for key, value in rows.items():
        value = decoded(value)
        match = _TEXT_RANGE.fullmatch(key)
        if match is not None:
            result.append([int(match.group(1)), int(match.group(2)), value])
        elif stage_code(key) is not None and isinstance(value, list):
            pairs = value if value and isinstance(value[0], list) else [value]
            if len(value) > 2 and all(_whole(item) is not None for item in value):
                pairs = [[epoch, epoch] for epoch in value]
            for pair in pairs:
                bounds = (
                    pair if isinstance(pair, list) and len(pair) == 2 else [None, None]
                )
                result.append([*bounds, key])
        elif {"start_epoch", "start", "stage"} & set(fold_keys(rows)):
            return [dict(rows)]
    return result if result else Missing()


def parse_shares(raw: object) -> Shares:
    """Read the architecture of an answer as shares from 0 to 1.

    ``"15%"``, and a number above 1 up to 100, are percentages; anything else that is no
    number from 0 to 1 is None.
    """
    answer = answer_of(raw)
    stated = payload(answer, ("architecture",)) if answer is not None else None
    if not isinstance(stated, dict):
        inner = payload(answer, ("answer", "final_answer")) if answer else None
        stated = inner if isinstance(inner, dict) else answer
    if not isinstance(stated, dict):
        return Shares(None, None, None)
    folded = fold_keys(stated)
    return Shares(*(_share(folded.get(key)) for key in SHARE_KEYS.values()))


def _share(value: Json) -> float | None:
    percent = isinstance(value, str) and value.strip().endswith("%")
    number = number_of(value.strip().rstrip("%") if isinstance(value, str) else value)
    if number is None or not 0 <= number <= 100:
        return None
    return number / 100 if percent or number > 1 else number
