"""Welch band sums of every segment of many channels, in one pass in file order.

A segment of ``2 h`` samples is two blocks of ``h``; its transform is A[k] + (-1)^k
B[k] of the blocks' zero-padded transforms, so each sample is transformed once although
segments overlap by half. Hann is three taps in frequency, the constant detrend is
X[0] = 0. Sixteen neighbouring blocks (a group) lie side by side in float32 lanes, each
less its own integer mean, so that an electrode offset costs no precision; the
difference of the means of a segment's blocks is put back. Nothing of a segment depends
on its place in the file, so that a cut file gives the bytes of the whole one.

`segment_sums` is the ordinary path: float64, any window, any start.
"""

from typing import Any

import numpy as np

from eegcore.kernels._jit import kernel, part
from eegcore.kernels._lanes import (
    next_lane,
)
from eegcore.kernels._vector import (
    LANES,
    add,
    bits_less,
    fused,
    load,
    mul,
    negate,
    peek,
    poke,
    splat,
    store,
    sub,
)
from eegcore.kernels.fourier import real_bins
from eegcore.kernels.gather import ask_for, copy_samples, lanes_of_blocks, sum_of
from eegcore.kernels.rows import CENTRE, COARSE, REST
from eegcore.kernels.waveform import stretches


@part
def _segment_bin(k: int, now: Any, then: Any, jump: Any, cotangent: Any) -> Any:
    """Bin ``k`` of 16 segments: a lane's block and the next lane's."""
    i = k * LANES
    ar, ai = load(now[0], i), load(now[1], i)
    br, bi = next_lane(ar, load(then[0], i)), next_lane(ai, load(then[1], i))
    if k % 2 == 0:
        return add(ar, br), add(ai, bi)
    br = add(br, jump)
    bi = sub(bi, mul(jump, splat(cotangent[k])))
    return sub(ar, br), sub(ai, bi)


@part
def _hann_sums(now: Any, then: Any, jump: Any, plan: Any, out: Any) -> None:
    """4 |Hann-windowed bin|^2 of 16 segments, summed over each atom."""
    atoms, cotangent = plan.atoms, plan.cotangent
    half = splat(cotangent.dtype.type(-0.5))
    zero = splat(cotangent.dtype.type(0.0))
    k = atoms[0]
    last = plan.block
    if k == 1:
        ar, ai = zero, zero
    else:
        ar, ai = _segment_bin(k - 1, now, then, jump, cotangent)
    br, bi = _segment_bin(k, now, then, jump, cotangent)
    for a in range(atoms.shape[0] - 1):
        acc = zero
        for k in range(atoms[a], atoms[a + 1]):
            if k < last:
                cr, ci = _segment_bin(k + 1, now, then, jump, cotangent)
            else:  # beyond Nyquist lies the mirror image
                cr, ci = ar, negate(ai)
            yr = fused(half, add(ar, cr), br)
            yi = fused(half, add(ai, ci), bi)
            acc = fused(yi, yi, fused(yr, yr, acc))
            ar, ai, br, bi = br, bi, cr, ci
        store(out, a * LANES, acc)


@part
def _hann_density(
    now: Any, then: Any, jump: Any, plan: Any, wanted: Any, out: Any
) -> None:
    """Add 4 |Hann-windowed bin|^2 of the wanted lanes to lanes of every bin."""
    cotangent = plan.cotangent
    half = splat(cotangent.dtype.type(-0.5))
    zero = splat(cotangent.dtype.type(0.0))
    keep = load(wanted, 0)
    ar, ai = zero, zero
    br, bi = zero, zero
    cr, ci = _segment_bin(1, now, then, jump, cotangent)
    ar, ai = cr, negate(ci)  # bin -1
    for k in range(plan.block + 1):
        yr, yi = fused(half, add(ar, cr), br), fused(half, add(ai, ci), bi)
        power = fused(yi, yi, mul(yr, yr))
        store(out, k * LANES, fused(power, keep, load(out, k * LANES)))
        ar, ai, br, bi = br, bi, cr, ci
        if k + 2 <= plan.block:
            cr, ci = _segment_bin(k + 2, now, then, jump, cotangent)
        else:
            cr, ci = ar, negate(ai)


@part
def _flush(lanes: Any, bins: int, out: Any) -> None:
    """Add the lanes of each bin to ``out`` in a fixed order and set them to zero."""
    for k in range(bins):
        acc = np.float64(0.0)
        for lane in range(LANES):
            acc += np.float64(peek(lanes, k * LANES + lane))
            poke(lanes, k * LANES + lane, 0.0)
        out[k] += acc


@part
def _flag(sums: Any, energy: Any, jump: Any, plan: Any, flags: Any, place: Any) -> Any:
    """Mark and count segments of which a band drowns in the rounding of float32."""
    at, count = place
    kind = sums.dtype.type
    step = load(jump, 0)
    whole = add(load(energy, 0), load(energy, 1))
    whole = fused(mul(step, step), splat(kind(plan.block)), whole)
    least = mul(whole, splat(kind(plan.floor)))
    low = np.uint64(0)
    for row in range(plan.checked.shape[0]):
        first = plan.checked[row, 0]
        power = load(sums, first * LANES)
        for a in range(first + 1, plan.checked[row, 1]):
            power = add(power, load(sums, a * LANES))
        low |= bits_less(power, least)
    marked = 0
    if low != 0:
        for lane in range(count):
            if (low >> np.uint64(lane)) & np.uint64(1):
                flags[at + lane] = 1
                marked += 1
    return marked


@part
def _keep_atoms(kept: Any, n_atoms: int, place: Any, atoms: Any) -> None:
    """Lanes of each atom to neighbouring columns of ``atoms``."""
    at, count = place
    columns = atoms.shape[1]
    for a in range(n_atoms):
        if count == LANES:
            store(atoms, a * columns + at, load(kept, a * LANES))
        else:
            for lane in range(count):
                poke(atoms, a * columns + at + lane, peek(kept, a * LANES + lane))


@part
def _transform_group(
    x: Any, size: Any, plan: Any, work: Any, bins: Any, whole: Any
) -> None:
    """Bins of up to 16 blocks in ``x``, each less its mean, which goes to small[0].

    size: blocks, and of how many the mean is there already.
    """
    have, known = size
    b, small, scratch = work
    h = plan.block
    for j in range(have * h, LANES * h):
        poke(x, j, 0)
    less, energy = small[0], small[1]
    for lane in range(known, LANES):
        less[lane] = sum_of(x, lane * h, h) // h
    store(energy, 0, lanes_of_blocks(x, h, less, b, 0))
    n_atoms = plan.atoms.shape[0] - 1
    keep = h + 1 if whole else min(plan.atoms[n_atoms], h) + 1
    target = (bins[0], bins[1], 1, 2 * h, keep)
    real_bins(b, h, (scratch, (plan.cos, plan.sin), target), padded=True)


@kernel
def scan(layout: Any, channels: Any, span: Any, plan: Any, work: Any, out: Any) -> Any:
    """Sums of every block, and of every segment that starts at a block.

    Returns the number of segments with a flag, of which float32 is not enough.

    channels: channel and row of ``out`` of each. span: first block (a multiple of
    COARSE), end, blocks of the recording, whether segments, stretches and densities are
    wanted, block of column 0. work: see `eegcore.blocksums`, which calls this.
    out: atom sums (row, atom, block) float32 and their flags (row, block), sums
    (row, kind, block) float64 and marks int32 of each stretch, densities (row, block //
    COARSE, bin) float64 of the segments without a flag.
    """
    bins_re, bins_im, x, b, small, scratch, small_room, means, energies, lanes = work
    atoms, flags, sums, marks, density = out
    mask, room, flat = small_room
    h, first, stop, blocks, want = plan.block, span[0], span[1], span[2], span[3]
    base = span[6]
    n_atoms = plan.atoms.shape[0] - 1
    energy, jump, kept, wanted = small[1], small[2], small[3], small[4]
    groups = (stop - first + LANES - 1) // LANES
    extra = 1 if want else 0  # a segment needs the block after it
    marked = 0
    if want:
        for i in range(channels.shape[0]):
            for column in range(first - base, stop - base):
                flags[channels[i, 1], column] = 0
    for g in range(groups + extra):
        at = first + g * LANES
        now, then = g % 2, 1 - g % 2
        have = max(0, min(LANES, blocks - at))
        for i in range(channels.shape[0]):
            row = channels[i, 1]
            if have > 0:
                copy_samples(layout, channels[i, 0], (at * h, (at + have) * h), x, 0)
                following, ahead = i + 1, at
                if following == channels.shape[0]:
                    following, ahead = 0, at + LANES
                after = (ahead * h, min(ahead + LANES, blocks) * h)
                ask_for(layout, channels[following, 0], after)
                known = 0
                if span[4] and g < groups:
                    rows = (sums[row], marks[row])
                    count = min(have, stop - at)
                    given = (mask, room, flat[i])
                    stretches(x, (h, count), given, rows[0], rows[1], at - base)
                    known = count
                    for lane in range(count):
                        column = at - base + lane
                        rest = np.int64(marks[row, REST, column])
                        small[0][lane] = marks[row, CENTRE, column] + rest // h
                if want:
                    _transform_group(
                        x, (have, known), plan, (b, small, scratch),
                        (bins_re[i, now], bins_im[i, now]), span[5] != 0,
                    )  # fmt: skip
                    store(energies[i, now], 0, load(energy, 0))
                    store(means[i, now], 0, load(small[0], 0))
            if g == 0 or not want:
                continue
            s = at - LANES
            count = min(LANES, min(stop, blocks - 1) - s)
            if count <= 0:
                continue
            means[i, then, LANES] = means[i, now, 0]
            energies[i, then, LANES] = energies[i, now, 0]
            means_after = load(means[i, then], 1)
            store(jump, 0, sub(means_after, load(means[i, then], 0)))
            _hann_sums(
                (bins_re[i, then], bins_im[i, then]),
                (bins_re[i, now], bins_im[i, now]),
                load(jump, 0), plan, kept,
            )  # fmt: skip
            place = (s - base, count)
            _keep_atoms(kept, n_atoms, place, atoms[row])
            marked += _flag(kept, energies[i, then], jump, plan, flags[row], place)
            if span[5]:
                for lane in range(LANES):
                    use = lane < count and flags[row, s - base + lane] == 0
                    wanted[lane] = 1 if use else 0
                _hann_density(
                    (bins_re[i, then], bins_im[i, then]),
                    (bins_re[i, now], bins_im[i, now]),
                    load(jump, 0), plan, wanted, lanes[i],
                )  # fmt: skip
                if (s + LANES) % COARSE == 0 or s + LANES >= min(stop, blocks - 1):
                    _flush(lanes[i], h + 1, density[row, (s - base) // COARSE])
    return marked


@part
def _windowed_bins(
    layout: Any, channel: int, which: Any, plan: Any, work: Any, keep: int
) -> None:
    """Bins below ``keep`` of up to 16 segments, mean removed and windowed, in lanes."""
    x, b, window, small, bins, scratch = work
    starts, first, count = which
    n = 2 * plan.block
    for lane in range(LANES):
        s = starts[first + min(lane, count - 1)]
        copy_samples(layout, channel, (s, s + n), x, lane * n)
        small[lane] = sum_of(x, lane * n, n) / n
    lanes_of_blocks(x, n, small, b, 0)
    acc2 = splat(0.0)
    for m in range(n):
        v = mul(load(b, m * LANES), splat(window[m]))
        acc2 = add(acc2, v)
        store(b, m * LANES, v)
    target = (bins[0], bins[1], 1, n, keep)
    store(bins[0], 0, acc2)
    store(bins[1], 0, splat(0.0))
    real_bins(b, n, (scratch, (plan.cos, plan.sin), target), padded=False)


@kernel
def segment_sums(
    layout: Any, channel: int, starts: Any, plan: Any, work: Any, out: Any
) -> None:
    """Atom sums of whole segments at given first samples, in float64 lanes.

    work: samples, lanes, window, small rows, bins and scratch. out: (atom, segment).
    See `eegcore.blocksums`.
    """
    bins, small = work[4], work[3]
    n_atoms = plan.atoms.shape[0] - 1
    for first in range(0, starts.shape[0], LANES):
        count = min(LANES, starts.shape[0] - first)
        where = (starts, first, count)
        _windowed_bins(layout, channel, where, plan, work, plan.atoms[n_atoms])
        for a in range(n_atoms):
            acc2 = splat(0.0)
            for k in range(plan.atoms[a], plan.atoms[a + 1]):
                re, im = load(bins[0], k * LANES), load(bins[1], k * LANES)
                acc2 = fused(im, im, fused(re, re, acc2))
            store(small, LANES, acc2)
            for lane in range(count):
                out[a, first + lane] = small[LANES + lane]
