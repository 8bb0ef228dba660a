"""Charts as inline SVG text: axes with labels and units, lines, points, strips.

Small on purpose: the page needs three kinds of chart, follows the reader's light or
dark setting through CSS classes, and must open without a network. A chart library
inlined would cost more bytes than all charts of a full-size report together.
"""

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

WIDTH, HEIGHT = 480, 270  # small, so that letters stay readable on a narrow screen
LEFT, RIGHT, TOP, BOTTOM = 54, 12, 12, 46
N_COLOURS = 6
GAP = 0.2  # of a column, between grey points and what does not compare with them
OUTLINES = (  # a shape for each colour, so that grey print tells them apart
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-4-4h8v8h-8z",
    "M0-5L5 4H-5z",
    "M0-6L5 0L0 6L-5 0z",
    "M-5-2h3v-3h4v3h3v4h-3v3h-4v-3h-3z",
    "M-5 5L0-5L5 5L0 2z",
)


class Line(NamedTuple):
    """One line of a chart; a value of None breaks it."""

    name: str
    xs: Sequence[float]
    ys: Sequence[float | None]
    low: Sequence[float | None] | None = None
    high: Sequence[float | None] | None = None


class Point(NamedTuple):
    """One marked point; ``series`` picks colour and shape, -1 is grey."""

    name: str
    x: float
    y: float
    series: int = -1
    label: bool = False


class Marked(NamedTuple):
    """One series of a strip chart: a score a column, with its interval."""

    name: str
    scores: Sequence[float | None]
    intervals: Sequence[Sequence[float | None] | None]
    beside: bool = False
    """Does not compare with the grey points: stands to their right."""


class Axis(NamedTuple):
    """An axis: its label with unit, its range, and whether it is logarithmic."""

    label: str
    low: float
    high: float
    log: bool = False
    reverse: bool = False
    ticks: tuple[tuple[float, str], ...] | None = None


def line_chart(
    lines: Sequence[Line],
    x_axis: Axis,
    y_axis: Axis,
    *,
    title: str,
    levels: Sequence[tuple[float, str]] = (),
) -> str:
    """Return lines with their points; ``levels`` are dashed, such as chance."""
    parts = [_frame(x_axis, y_axis), _levels(levels, y_axis)]
    for number, line in reversed(list(enumerate(lines))):  # the first on top
        style = style_of(number)
        parts.append(_band(line, x_axis, y_axis, style))
        for run in _unbroken(line):
            path = " ".join(f"{_x(x, x_axis):.1f},{_y(y, y_axis):.1f}" for x, y in run)
            parts.append(f'<polyline class="line {_kind(style)}" points="{path}"/>')
            parts += [
                _mark(_x(x, x_axis), _y(y, y_axis), style, f"{line.name}: {y:.3f}")
                for x, y in run
            ]
    return _svg(title, parts) + legend([line.name for line in lines])


def scatter_chart(
    points: Sequence[Point],
    x_axis: Axis,
    y_axis: Axis,
    *,
    title: str,
    front: Sequence[tuple[float, float]] = (),
    levels: Sequence[tuple[float, str]] = (),
    under: Sequence[str] = (),
) -> str:
    """Return points, each with its name on hover; ``front`` is a dashed line.

    ``under`` is safe SVG text that lies below the points.
    """
    parts = [_frame(x_axis, y_axis), _levels(levels, y_axis), *under]
    if front:
        path = " ".join(f"{_x(x, x_axis):.1f},{_y(y, y_axis):.1f}" for x, y in front)
        parts.append(f'<polyline class="front" points="{path}"/>')
    for point in sorted(points, key=lambda each: each.series):
        x, y = _x(point.x, x_axis), _y(point.y, y_axis)
        parts.append(_mark(x, y, point.series, f"{point.name}: {point.y:.3f}"))
        if point.label:
            anchor = "end" if x > WIDTH * 0.72 else "start"
            shift = -8 if anchor == "end" else 8
            parts.append(
                f'<text class="tick" x="{x + shift:.1f}" y="{y - 6:.1f}" '
                f'text-anchor="{anchor}">{escape(point.name)}</text>'
            )
    return _svg(title, parts)


def strip_chart(
    columns: Sequence[tuple[str, Sequence[tuple[str, float]]]],
    marked: Sequence[Marked],
    y_axis: Axis,
    *,
    title: str,
    x_label: str,
) -> str:
    """Return one column of grey points per name; ours upon them, with intervals."""
    ticks = tuple((float(k), name) for k, (name, _) in enumerate(columns))
    x_axis = Axis(x_label, -0.5, len(columns) - 0.5, ticks=ticks)
    points = []
    grey = any(values for _, values in columns)
    for column, (_, values) in enumerate(columns):
        for k, (name, value) in enumerate(values):
            jitter = ((k * 7) % 11 - 5) / 30  # spread that stays the same
            points.append(Point(name, column - GAP + jitter, value))
    whiskers = []
    step = (0.3 if grey else 0.6) / max(4, min(len(marked), N_COLOURS))
    middle = (min(len(marked), N_COLOURS) - 1) / 2
    for number, series in enumerate(marked):
        style = style_of(number)
        shift = 0.0 if style < 0 else (number - middle) * step
        if grey:
            shift += 1.3 * GAP if series.beside else -GAP
        for column, score in enumerate(series.scores):
            if score is None:
                continue
            x, interval = column + shift, series.intervals[column]
            points.append(Point(series.name, x, score, style))
            if style >= 0 and interval is not None and None not in interval:
                low, high = (_y(float(bound or 0.0), y_axis) for bound in interval)
                at = _x(x, x_axis)
                whiskers.append(
                    f'<line class="line s{style}" x1="{at:.1f}" x2="{at:.1f}" '
                    f'y1="{low:.1f}" y2="{high:.1f}"/>'
                )
    chart = scatter_chart(points, x_axis, y_axis, title=title, under=whiskers)
    return chart + legend([series.name for series in marked])


def style_of(number: int) -> int:
    """Return colour and shape of a series by its place; -1 (grey) beyond the sixth."""
    return number if number < N_COLOURS else -1


def legend(names: Sequence[str]) -> str:
    """Return the key of a chart: mark and name of each series, the rest as one."""
    if not names:
        return ""
    items = [(number, name) for number, name in enumerate(names[:N_COLOURS])]
    if len(names) > N_COLOURS:
        items.append((-1, f"{len(names) - N_COLOURS} more"))
    return '<p class="legend">{}</p>'.format("".join(_key(*item) for item in items))


def key_of_parts(names: Sequence[str]) -> str:
    """Return the key of bars whose parts take the colours in order."""
    items = "".join(
        f'<span><svg class="key" viewBox="-7 -7 14 14" aria-hidden="true">'
        f'<rect class="part s{number % N_COLOURS}" x="-6" y="-6" width="12" '
        f'height="12"/></svg>{escape(name)}</span>'
        for number, name in enumerate(names)
    )
    return f'<p class="legend">{items}</p>'


def _key(style: int, name: str) -> str:
    return (
        f'<span><svg class="key" viewBox="-7 -7 14 14" aria-hidden="true">'
        f"{_mark(0, 0, style, '')}</svg>{escape(name)}</span>"
    )


def linear_ticks(low: float, high: float, *, most: int = 6) -> list[float]:
    """Return round values between low and high, at most about ``most``."""
    span = high - low
    if not span > 0:
        return [low]
    raw = span / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * k for k in (1, 2, 2.5, 5, 10) if power * k >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def _svg(title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(title)}">{"".join(parts)}</svg>'
    )


def _share(value: float, axis: Axis) -> float:
    low, high = axis.low, axis.high
    if axis.log:
        value, low, high = math.log10(value), math.log10(low), math.log10(high)
    share = (value - low) / (high - low) if high > low else 0.5
    return 1 - share if axis.reverse else share


def _x(value: float, axis: Axis) -> float:
    return LEFT + _share(value, axis) * (WIDTH - LEFT - RIGHT)


def _y(value: float, axis: Axis) -> float:
    return HEIGHT - BOTTOM - _share(value, axis) * (HEIGHT - TOP - BOTTOM)


def _ticks(axis: Axis) -> list[tuple[float, str]]:
    if axis.ticks is not None:
        return list(axis.ticks)
    if axis.log:
        powers = range(
            math.ceil(math.log10(axis.low)), 1 + math.floor(math.log10(axis.high))
        )
        return [(10.0**power, f"{10.0**power:,g}") for power in powers]
    return [(value, f"{value:g}") for value in linear_ticks(axis.low, axis.high)]


def _frame(x_axis: Axis, y_axis: Axis) -> str:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = []
    for value, text in _ticks(y_axis):
        y = _y(value, y_axis)
        parts.append(
            f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="tick" x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">'
            f"{escape(text)}</text>"
        )
    for value, text in _ticks(x_axis):
        x = _x(value, x_axis)
        parts.append(
            f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{bottom}" '
            f'y2="{bottom + 4}"/><text class="tick" x="{x:.1f}" y="{bottom + 17}" '
            f'text-anchor="middle">{escape(text)}</text>'
        )
    middle_x, middle_y = (LEFT + right) / 2, (TOP + bottom) / 2
    parts.append(
        f'<line class="axis" x1="{LEFT}" x2="{right}" y1="{bottom}" y2="{bottom}"/>'
        f'<text class="label" x="{middle_x}" y="{HEIGHT - 8}" text-anchor="middle">'
        f"{escape(x_axis.label)}</text>"
        f'<text class="label" transform="translate(14 {middle_y}) rotate(-90)" '
        f'text-anchor="middle">{escape(y_axis.label)}</text>'
    )
    return "".join(parts)


def _levels(levels: Sequence[tuple[float, str]], y_axis: Axis) -> str:
    parts = []
    for value, text in levels:
        y = _y(value, y_axis)
        parts.append(
            f'<line class="level" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" '
            f'y2="{y:.1f}"/><text class="tick" x="{WIDTH - RIGHT}" y="{y - 4:.1f}" '
            f'text-anchor="end">{escape(text)}</text>'
        )
    return "".join(parts)


def _unbroken(line: Line) -> list[list[tuple[float, float]]]:
    runs: list[list[tuple[float, float]]] = [[]]
    for x, y in zip(line.xs, line.ys, strict=True):
        if y is None:
            runs.append([])
        else:
            runs[-1].append((x, y))
    return [run for run in runs if run]


def _band(line: Line, x_axis: Axis, y_axis: Axis, style: int) -> str:
    if line.low is None or line.high is None:
        return ""
    if style < 0:
        return ""
    rows = [
        (x, low, high)
        for x, low, high in zip(line.xs, line.low, line.high, strict=True)
        if low is not None and high is not None
    ]
    upper = [f"{_x(x, x_axis):.1f},{_y(high, y_axis):.1f}" for x, _, high in rows]
    lower = [f"{_x(x, x_axis):.1f},{_y(low, y_axis):.1f}" for x, low, _ in rows]
    return f'<polygon class="band s{style}" points="{" ".join(upper + lower[::-1])}"/>'


def _kind(style: int) -> str:
    return "grey" if style < 0 else f"s{style}"


def _mark(x: float, y: float, series: int, title: str) -> str:
    hover = f"<title>{escape(title)}</title>" if title else ""
    if series < 0:
        return (
            f'<circle class="dot grey" cx="{x:.1f}" cy="{y:.1f}" r="3">{hover}</circle>'
        )
    outline = OUTLINES[series]
    return (
        f'<path class="dot s{series}" transform="translate({x:.1f} {y:.1f})" '
        f'd="{outline}">{hover}</path>'
    )
