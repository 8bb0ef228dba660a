"""Features of stretches from the sums of their blocks, added up in the order of time.

The sums of a stretch are those of its blocks about one integer near its mean, joined at
the seams, always one block after the other: the bytes are the same for one stretch or
many. Crossings of the mean need the mean first, so samples are read a second time. The
public side is `eegcore.gridded`.
"""

from math import sqrt
from typing import Any

import numpy as np

from eegcore.kernels._jit import kernel, part
from eegcore.kernels._lanes import total
from eegcore.kernels._vector import LANES, add, load_as
from eegcore.kernels.rows import (
    BEND_SQUARE,
    CENTRE,
    CROSSINGS,
    CUBE,
    FIRST,
    FOURTH,
    GREATEST,
    KURTOSIS,
    LAST,
    LAST_BUT_ONE,
    LEAST,
    LINE_LENGTH,
    MOBILITY,
    N_BANDS,
    N_FEATURES,
    N_FLAT,
    N_GREATEST,
    N_LEAST,
    PATH,
    POWERS,
    RANGE,
    REST,
    RMS,
    SECOND,
    SQUARE,
    STD,
    STEP_SQUARE,
)
from eegcore.kernels.waveform import changes

# rows of the figures of a stretch
(MEAN, VARIANCE, MEAN_SQUARE, PEAK_TO_PEAK, THIRD, FOURTH_MOMENT) = range(6)
(STEP_VARIANCE, BEND_VARIANCE, PATH_LENGTH, FLAT_STEPS, EXTREMES) = range(6, 11)
IS_STORED, LEVEL = 11, 12
DELTA, THETA, ALPHA, BETA = 0, 1, 2, 4


@part
def _middle(marks: Any, at: int, lengths: Any) -> Any:
    """Samples of a stretch, the mean rounded down, and what is left of the sum."""
    samples = np.int64(0)
    total = np.int64(0)
    for i in range(lengths.shape[0]):
        n = lengths[i]
        samples += n
        total += np.int64(marks[CENTRE, at + i]) * n + np.int64(marks[REST, at + i])
    middle = total // samples
    return samples, middle, total - middle * samples


@part
def _moments(sums: Any, marks: Any, at: int, lengths: Any, middle: Any) -> Any:
    """Sums of the second to fourth powers about ``middle``."""
    s2, s3, s4 = 0.0, 0.0, 0.0
    for i in range(lengths.shape[0]):
        b = at + i
        n = np.float64(lengths[i])
        d = np.float64(np.int64(marks[CENTRE, b]) - middle)
        one = np.float64(marks[REST, b])
        two, three = sums[SQUARE, b], sums[CUBE, b]
        dd = d * d
        s2 += two + (2.0 * d * one + n * dd)
        s3 += three + (3.0 * d * two + (3.0 * dd * one + n * dd * d))
        s4 += sums[FOURTH, b] + (
            4.0 * d * three + (6.0 * dd * two + (4.0 * dd * d * one + n * dd * dd))
        )
    return s2, s3, s4


@part
def _steps(sums: Any, marks: Any, at: int, lengths: Any, flat: Any) -> Any:
    """Squares of steps and bends, path and flat steps, with those at the seams."""
    steps, bends, path = 0.0, 0.0, 0.0
    n_flat = np.int64(0)
    for i in range(lengths.shape[0]):
        b = at + i
        steps += sums[STEP_SQUARE, b]
        bends += sums[BEND_SQUARE, b]
        path += sums[PATH, b]
        n_flat += marks[N_FLAT, b]
        if i == 0:
            continue
        # a part of a single sample has no step of its own
        before = np.int64(marks[LAST, b - 1])
        step = np.int64(marks[FIRST, b]) - before
        size = np.float64(abs(step))
        steps += size * size
        path += size
        n_flat += abs(step) < flat
        if lengths[i - 1] > 1:
            bend = np.float64(step - (before - np.int64(marks[LAST_BUT_ONE, b - 1])))
            bends += bend * bend
        if lengths[i] > 1:
            after = np.int64(marks[SECOND, b]) - np.int64(marks[FIRST, b])
            bend = np.float64(after - step)
            bends += bend * bend
    return steps, bends, path, n_flat


@part
def _extremes(marks: Any, at: int, count: int) -> Any:
    """Lowest and highest sample, and how many samples equal each."""
    low, high = np.int64(marks[LEAST, at]), np.int64(marks[GREATEST, at])
    n_low, n_high = np.int64(marks[N_LEAST, at]), np.int64(marks[N_GREATEST, at])
    for b in range(at + 1, at + count):
        v = np.int64(marks[LEAST, b])
        if v < low:
            low, n_low = v, np.int64(0)
        if v == low:
            n_low += marks[N_LEAST, b]
        v = np.int64(marks[GREATEST, b])
        if v > high:
            high, n_high = v, np.int64(0)
        if v == high:
            n_high += marks[N_GREATEST, b]
    return low, high, n_low, n_high


@part
def _ends(marks: Any, at: int, lengths: Any) -> Any:
    """First, second, last but one and last sample of a stretch."""
    count = lengths.shape[0]
    final = at + count - 1
    second = np.int64(marks[SECOND, at])
    if count > 1 and lengths[0] < 2:
        second = np.int64(marks[FIRST, at + 1])
    last_but_one = np.int64(marks[LAST_BUT_ONE, final])
    if count > 1 and lengths[count - 1] < 2:
        last_but_one = np.int64(marks[LAST, final - 1])
    return (
        np.int64(marks[FIRST, at]),
        second,
        last_but_one,
        np.int64(marks[LAST, final]),
    )


@part
def _figures(sums: Any, marks: Any, at: int, lengths: Any, scale: Any) -> Any:
    """Figures of a stretch, in the order of their rows.

    lengths: samples of each of its parts, columns ``at`` on. scale: gain, offset, and
    the least step that is not flat.
    """
    gain, offset, flat = scale
    samples, middle, rest = _middle(marks, at, lengths)
    s2, s3, s4 = _moments(sums, marks, at, lengths, middle)
    steps, bends, path, n_flat = _steps(sums, marks, at, lengths, flat)
    low, high, n_low, n_high = _extremes(marks, at, lengths.shape[0])
    first, second, last_but_one, last = _ends(marks, at, lengths)
    n = np.float64(samples)
    m = rest / n
    v2, v3, v4 = s2 / n, s3 / n, s4 / n
    mm = m * m
    var = max(v2 - mm, 0.0)
    third = v3 - 3.0 * m * v2 + 2.0 * mm * m
    fourth = v4 - 4.0 * m * v3 + 6.0 * mm * v2 - 3.0 * mm * mm
    mean = (middle + m) * gain + offset
    square = gain * gain
    step_var, bend_var = np.nan, np.nan
    if samples > 1:
        drift = (last - first) / (n - 1.0)
        step_var = max(steps / (n - 1.0) - drift * drift, 0.0) * square
    if samples > 2:
        drift = ((last - last_but_one) - (second - first)) / (n - 2.0)
        bend_var = max(bends / (n - 2.0) - drift * drift, 0.0) * square
    var *= square
    level = middle + 1  # a negative gain: above the mean as stored is under it
    if gain > 0 and rest == 0:
        level = middle
    return (
        mean, var, var + mean * mean, (high - low) * abs(gain),
        third * square * gain, fourth * square * square, step_var, bend_var,
        path * abs(gain), np.float64(n_flat),
        np.float64(samples if low == high else n_low + n_high),
        1.0 if rest == 0 else 0.0, np.float64(level),
    )  # fmt: skip


@part
def _waveform(found: Any, samples: Any, rate_hz: Any, table: Any) -> None:
    var = found[VARIANCE]
    table[RMS] = sqrt(found[MEAN_SQUARE])
    table[STD] = sqrt(var)
    table[RANGE] = found[PEAK_TO_PEAK]
    table[LINE_LENGTH] = found[PATH_LENGTH] * rate_hz / samples
    table[KURTOSIS] = np.nan
    table[MOBILITY] = np.nan
    if var != 0.0:
        table[KURTOSIS] = found[FOURTH_MOMENT] / (var * var) - 3.0
        table[MOBILITY] = sqrt(found[STEP_VARIANCE] / var)


@part
def _share(above: Any, below: Any) -> Any:
    return above / below if below > 0.0 else np.nan


@part
def _bands(atoms: Any, at: int, count: int, given: Any, table: Any) -> None:
    """Powers, relative powers and ratios from ``count`` segments."""
    weights, factor, small = given
    n_atoms = weights.shape[1]
    for a in range(n_atoms):
        acc = 0.0
        for s in range(at, at + count):
            acc += np.float64(atoms[a, s])
        small[a] = acc * factor
    whole = 0.0
    for band in range(N_BANDS + 1):
        acc = 0.0
        for a in range(n_atoms):
            acc += weights[band, a] * small[a]
        if band < N_BANDS:
            table[POWERS + band] = acc
        else:
            whole = acc
    for band in range(N_BANDS):
        table[POWERS + N_BANDS + band] = _share(table[POWERS + band], whole)
    p = POWERS
    table[p + 2 * N_BANDS] = _share(table[p + THETA], table[p + ALPHA])
    slow, fast = table[p + DELTA] + table[p + THETA], table[p + ALPHA] + table[p + BETA]
    table[p + 2 * N_BANDS + 1] = _share(slow, fast)


@kernel
def window_features(
    layout: Any, channels: Any, windows: Any, blocks: Any, given: Any, out: Any
) -> None:
    """Features of windows of whole blocks, for several channels.

    channels: channel, row of ``blocks`` and row of ``out`` of each; then gain, offset,
    flat limit and factor of powers of each, and the rate. windows: first block of
    each and its column of ``out``; then block of column 0. blocks: atoms,
    sums and marks, each (row, kind, block). given: samples of each block of a window,
    weights of the bands, row of ``out`` of each feature (-1: none), which kinds are
    wanted, and work space. See `eegcore.gridded`.
    """
    which, scales, rate_hz = channels
    begins, columns, base = windows
    atoms, sums, marks = blocks
    lengths, weights, place, want, work = given
    x, small, table = work
    count = lengths.shape[0]
    h = lengths[0]
    n = h * count
    for c in range(which.shape[0]):
        row, target = which[c, 1], which[c, 2]
        scale = (scales[c, 0], scales[c, 1], np.int64(scales[c, 2]))
        chosen = (weights, scales[c, 3], small)
        for w in range(begins.shape[0]):
            at, column = begins[w] - base, columns[w]
            if want[0]:
                found = _figures(sums[row], marks[row], at, lengths, scale)
                _waveform(found, np.float64(n), rate_hz, table)
                if want[1]:
                    span = (begins[w] * h, begins[w] * h + n)
                    level = np.int64(found[LEVEL])
                    crossed = changes(layout, which[c, 0], span, level, x)
                    table[CROSSINGS] = crossed * rate_hz / n
            if want[2]:
                _bands(atoms[row], at, count - 1, chosen, table)
            for feature in range(N_FEATURES):
                if place[feature] >= 0:
                    out[target, place[feature], column] = table[feature]


@kernel
def join_blocks(sums: Any, marks: Any, which: Any, lengths: Any, out: Any) -> None:
    """Sums and marks of some neighbouring blocks of a channel as those of one.

    sums, marks: (row, kind, block). which: row, first block, flat limit, column of
    ``out``. lengths: samples of each block. out: sums float64 and marks int64.
    """
    row, at, flat, column = which
    out_sums, out_marks = out
    some, few = sums[row], marks[row]
    _, middle, rest = _middle(few, at, lengths)
    s2, s3, s4 = _moments(some, few, at, lengths, middle)
    steps, bends, path, n_flat = _steps(some, few, at, lengths, flat)
    low, high, n_low, n_high = _extremes(few, at, lengths.shape[0])
    first, second, last_but_one, last = _ends(few, at, lengths)
    out_sums[SQUARE, column], out_sums[CUBE, column] = s2, s3
    out_sums[FOURTH, column], out_sums[PATH, column] = s4, path
    out_sums[STEP_SQUARE, column], out_sums[BEND_SQUARE, column] = steps, bends
    out_marks[CENTRE, column], out_marks[REST, column] = middle, rest
    out_marks[LEAST, column], out_marks[GREATEST, column] = low, high
    out_marks[N_LEAST, column], out_marks[N_GREATEST, column] = n_low, n_high
    out_marks[N_FLAT, column] = n_flat
    out_marks[FIRST, column], out_marks[SECOND, column] = first, second
    out_marks[LAST_BUT_ONE, column], out_marks[LAST, column] = last_but_one, last


@kernel
def add_atoms(atoms: Any, row: int, first: int, stop: int, totals: Any) -> None:
    """Add the atoms of segments first..stop-1 of a channel to ``totals``.

    atoms: (row, atom, block). totals: float64, one an atom; in a fixed order.
    """
    for a in range(totals.shape[0]):
        one = atoms[row, a]
        i = first
        if stop - first >= LANES:
            acc = load_as(one, i, totals)
            i += LANES
            while i + LANES <= stop:
                acc = add(acc, load_as(one, i, totals))
                i += LANES
            totals[a] += total(acc)
        while i < stop:
            totals[a] += np.float64(one[i])
            i += 1
