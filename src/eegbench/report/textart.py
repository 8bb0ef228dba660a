"""Pictures of one case for a terminal: hypnogram and timeline in characters."""

from collections import Counter
from collections.abc import Sequence

Span = Sequence[float]
LEVELS = ("W", "REM", "N1", "N2", "N3")
NAME_WIDTH = 10


def hypnogram_text(
    reference: Sequence[str | None],
    predicted: Sequence[str | None],
    looked: Sequence[Span],
    *,
    duration_sec: float,
    width: int = 68,
) -> str:
    """Return two hypnograms above each other, where they differ, what was seen.

    A column stands for several epochs and shows the most frequent stage among them;
    an unscored column stays empty.
    """
    columns = min(width, max(1, len(reference)))
    lines = []
    for title, stages in (("reference", reference), ("predicted", predicted)):
        modes = _modes(stages, columns)
        lines.append(title)
        for level in LEVELS:
            marks = "".join("\u2588" if mode == level else "\u00b7" for mode in modes)
            lines.append(f"{level:>{NAME_WIDTH}} {marks}")
    differs = _differing(reference, predicted, columns)
    lines.append(f"{'differs':>{NAME_WIDTH}} {_shade(differs)}")
    lines.append(f"{'looked at':>{NAME_WIDTH}} {_lane(looked, duration_sec, columns)}")
    lines.append(_axis(duration_sec, columns))
    return "\n".join(lines) + "\n"


def timeline_text(
    reference: Sequence[Span],
    windows: Sequence[Span],
    predicted: Sequence[Span],
    looked: Sequence[Span],
    *,
    duration_sec: float,
    width: int = 68,
) -> str:
    """Return reference seizures with their tolerance above predicted ones."""
    first = list(_lane(windows, duration_sec, width, mark="\u2591"))
    for place, mark in enumerate(_lane(reference, duration_sec, width)):
        if mark == "\u2588":
            first[place] = mark
    lanes = [
        ("reference", "".join(first)),
        ("predicted", _lane(predicted, duration_sec, width)),
        ("looked at", _lane(looked, duration_sec, width, mark="\u2592")),
    ]
    lines = [f"{name:>{NAME_WIDTH}} {marks}" for name, marks in lanes]
    lines.append(_axis(duration_sec, width))
    lines.append(" " * (NAME_WIDTH + 1) + "\u2591 tolerance: 30 s before, 60 s after")
    return "\n".join(lines) + "\n"


def _modes(stages: Sequence[str | None], columns: int) -> list[str | None]:
    modes: list[str | None] = []
    for column in range(columns):
        start = column * len(stages) // columns
        stop = max(start + 1, (column + 1) * len(stages) // columns)
        most = Counter(stages[start:stop]).most_common(1)
        modes.append(most[0][0] if most else None)
    return modes


def _differing(
    reference: Sequence[str | None], predicted: Sequence[str | None], columns: int
) -> list[float]:
    shares = []
    for column in range(columns):
        start = column * len(reference) // columns
        stop = max(start + 1, (column + 1) * len(reference) // columns)
        pairs = list(zip(reference[start:stop], predicted[start:stop], strict=False))
        scored = [pair for pair in pairs if pair[0] is not None]
        wrong = sum(truth != guess for truth, guess in scored)
        shares.append(wrong / len(scored) if scored else 0.0)
    return shares


def _shade(shares: Sequence[float]) -> str:
    marks = "\u00b7\u2591\u2592\u2593\u2588"
    return "".join(marks[min(4, int(share * 4 + 0.999))] for share in shares)


def _lane(
    spans: Sequence[Span], duration_sec: float, columns: int, *, mark: str = "\u2588"
) -> str:
    marks = ["\u00b7"] * columns
    for start, stop in spans:
        first = int(max(0.0, start) / duration_sec * columns)
        last = int(min(duration_sec, stop) / duration_sec * columns - 1e-9)
        for place in range(first, min(columns - 1, max(first, last)) + 1):
            marks[place] = mark
    return "".join(marks)


def _axis(duration_sec: float, columns: int) -> str:
    left, right = clock(0), clock(duration_sec)
    gap = max(1, columns - len(left) - len(right))
    return " " * (NAME_WIDTH + 1) + left + " " * gap + right


def clock(seconds: float) -> str:
    """Return ``h:mm:ss``."""
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"
