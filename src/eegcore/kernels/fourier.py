"""Discrete Fourier transforms of many real blocks at once, one block a lane.

A block's n-point transform is split by real-input radix 2: the odd bins of 2M points
are one complex transform of M/2 points, the even ones the same problem at half the
size. The complex transforms are Stockham passes of radix 2, 3, 4, 5 and 8 whose last
pass writes only the bins that are wanted. `eegcore.kernels.spectrum` is the caller.
"""

from typing import Any

from eegcore.kernels._jit import inlined, part
from eegcore.kernels._vector import (
    LANES,
    add,
    load,
    mul,
    negate,
    splat,
    store,
    sub,
)
from eegcore.kernels.butterflies import (
    COS_72,
    COS_144,
    SIN_60,
    SIN_72,
    SIN_144,
    SQRT_HALF,
    eight,
    five,
    four,
    row,
    three,
    times,
)


@inlined
def _put(re: Any, im: Any, j: int, target: Any) -> None:
    """Write output ``j`` of a complex transform: a row, or the bin that it stands for.

    target: real and imaginary rows, spacing of bins (0: rows in order), points of the
    whole transform, first bin that is not wanted.
    """
    out_re, out_im, spacing, points, stop = target
    if spacing == 0:
        store(out_re, j * LANES, re)
        store(out_im, j * LANES, im)
        return
    k = spacing * (4 * j + 1)
    if k < stop:
        store(out_re, k * LANES, re)
        store(out_im, k * LANES, im)
    elif points - k < stop:
        store(out_re, (points - k) * LANES, re)
        store(out_im, (points - k) * LANES, negate(im))


@inlined
def _pass8(
    source: Any, u: Any, v: Any, m: int, s: int, step: int, tr: Any, ti: Any
) -> None:
    root = splat(tr.dtype.type(SQRT_HALF))
    t = s * m * LANES
    for p in range(m):
        for q in range(s):
            z = eight(source, (q + s * p) * LANES, t, root)
            j = (q + s * 8 * p) * LANES
            store(u, j, z[0])
            store(v, j, z[1])
            w = p * step
            a, b = times(z[2], z[3], splat(tr[w]), splat(ti[w]))
            store(u, j + s * LANES, a)
            store(v, j + s * LANES, b)
            a, b = times(z[4], z[5], splat(tr[2 * w]), splat(ti[2 * w]))
            store(u, j + 2 * s * LANES, a)
            store(v, j + 2 * s * LANES, b)
            a, b = times(z[6], z[7], splat(tr[3 * w]), splat(ti[3 * w]))
            store(u, j + 3 * s * LANES, a)
            store(v, j + 3 * s * LANES, b)
            a, b = times(z[8], z[9], splat(tr[4 * w]), splat(ti[4 * w]))
            store(u, j + 4 * s * LANES, a)
            store(v, j + 4 * s * LANES, b)
            a, b = times(z[10], z[11], splat(tr[5 * w]), splat(ti[5 * w]))
            store(u, j + 5 * s * LANES, a)
            store(v, j + 5 * s * LANES, b)
            a, b = times(z[12], z[13], splat(tr[6 * w]), splat(ti[6 * w]))
            store(u, j + 6 * s * LANES, a)
            store(v, j + 6 * s * LANES, b)
            a, b = times(z[14], z[15], splat(tr[7 * w]), splat(ti[7 * w]))
            store(u, j + 7 * s * LANES, a)
            store(v, j + 7 * s * LANES, b)


@inlined
def _pass5(
    source: Any, u: Any, v: Any, m: int, s: int, step: int, tr: Any, ti: Any
) -> None:
    kind = tr.dtype.type
    c = (
        splat(kind(COS_72)),
        splat(kind(COS_144)),
        splat(kind(SIN_72)),
        splat(kind(SIN_144)),
    )
    t = s * m * LANES
    for p in range(m):
        w = p * step
        for q in range(s):
            z = five(source, (q + s * p) * LANES, t, c)
            j = (q + s * 5 * p) * LANES
            store(u, j, z[0])
            store(v, j, z[1])
            a, b = times(z[2], z[3], splat(tr[w]), splat(ti[w]))
            store(u, j + s * LANES, a)
            store(v, j + s * LANES, b)
            a, b = times(z[4], z[5], splat(tr[2 * w]), splat(ti[2 * w]))
            store(u, j + 2 * s * LANES, a)
            store(v, j + 2 * s * LANES, b)
            a, b = times(z[6], z[7], splat(tr[3 * w]), splat(ti[3 * w]))
            store(u, j + 3 * s * LANES, a)
            store(v, j + 3 * s * LANES, b)
            a, b = times(z[8], z[9], splat(tr[4 * w]), splat(ti[4 * w]))
            store(u, j + 4 * s * LANES, a)
            store(v, j + 4 * s * LANES, b)


@inlined
def _pass4(
    source: Any, u: Any, v: Any, m: int, s: int, step: int, tr: Any, ti: Any
) -> None:
    t = s * m * LANES
    for p in range(m):
        w = p * step
        for q in range(s):
            i = (q + s * p) * LANES
            a4, b4 = row(source, i), row(source, i + t)
            c4, d4 = row(source, i + 2 * t), row(source, i + 3 * t)
            z = four(a4[0], a4[1], b4[0], b4[1], c4[0], c4[1], d4[0], d4[1])
            j = (q + s * 4 * p) * LANES
            store(u, j, z[0])
            store(v, j, z[1])
            a, b = times(z[2], z[3], splat(tr[w]), splat(ti[w]))
            store(u, j + s * LANES, a)
            store(v, j + s * LANES, b)
            a, b = times(z[4], z[5], splat(tr[2 * w]), splat(ti[2 * w]))
            store(u, j + 2 * s * LANES, a)
            store(v, j + 2 * s * LANES, b)
            a, b = times(z[6], z[7], splat(tr[3 * w]), splat(ti[3 * w]))
            store(u, j + 3 * s * LANES, a)
            store(v, j + 3 * s * LANES, b)


@inlined
def _pass3(
    source: Any, u: Any, v: Any, m: int, s: int, step: int, tr: Any, ti: Any
) -> None:
    kind = tr.dtype.type
    c = (splat(kind(0.5)), splat(kind(SIN_60)))
    t = s * m * LANES
    for p in range(m):
        w = p * step
        for q in range(s):
            z = three(source, (q + s * p) * LANES, t, c)
            j = (q + s * 3 * p) * LANES
            store(u, j, z[0])
            store(v, j, z[1])
            a, b = times(z[2], z[3], splat(tr[w]), splat(ti[w]))
            store(u, j + s * LANES, a)
            store(v, j + s * LANES, b)
            a, b = times(z[4], z[5], splat(tr[2 * w]), splat(ti[2 * w]))
            store(u, j + 2 * s * LANES, a)
            store(v, j + 2 * s * LANES, b)


@inlined
def _pass2(
    source: Any, u: Any, v: Any, m: int, s: int, step: int, tr: Any, ti: Any
) -> None:
    t = s * m * LANES
    for p in range(m):
        wr, wi = splat(tr[p * step]), splat(ti[p * step])
        for q in range(s):
            i = (q + s * p) * LANES
            ar, ai = row(source, i)
            br, bi = row(source, i + t)
            j = (q + s * 2 * p) * LANES
            store(u, j, add(ar, br))
            store(v, j, add(ai, bi))
            a, b = times(sub(ar, br), sub(ai, bi), wr, wi)
            store(u, j + s * LANES, a)
            store(v, j + s * LANES, b)


@part
def _last(x: Any, y: Any, radix: int, s: int, tr: Any, target: Any) -> None:
    """The last pass, without twiddles; its outputs go where they are wanted."""
    kind = tr.dtype.type
    t = s * LANES
    source = (x, y)
    if radix == 8:
        root = splat(kind(SQRT_HALF))
        for q in range(s):
            z = eight(source, q * LANES, t, root)
            _put(z[0], z[1], q, target)
            _put(z[2], z[3], q + s, target)
            _put(z[4], z[5], q + 2 * s, target)
            _put(z[6], z[7], q + 3 * s, target)
            _put(z[8], z[9], q + 4 * s, target)
            _put(z[10], z[11], q + 5 * s, target)
            _put(z[12], z[13], q + 6 * s, target)
            _put(z[14], z[15], q + 7 * s, target)
    elif radix == 5:
        c = (
            splat(kind(COS_72)),
            splat(kind(COS_144)),
            splat(kind(SIN_72)),
            splat(kind(SIN_144)),
        )
        for q in range(s):
            z5 = five(source, q * LANES, t, c)
            _put(z5[0], z5[1], q, target)
            _put(z5[2], z5[3], q + s, target)
            _put(z5[4], z5[5], q + 2 * s, target)
            _put(z5[6], z5[7], q + 3 * s, target)
            _put(z5[8], z5[9], q + 4 * s, target)
    elif radix == 4:
        for q in range(s):
            i = q * LANES
            z4 = four(
                load(x, i), load(y, i), load(x, i + t), load(y, i + t),
                load(x, i + 2 * t), load(y, i + 2 * t),
                load(x, i + 3 * t), load(y, i + 3 * t),
            )  # fmt: skip
            _put(z4[0], z4[1], q, target)
            _put(z4[2], z4[3], q + s, target)
            _put(z4[4], z4[5], q + 2 * s, target)
            _put(z4[6], z4[7], q + 3 * s, target)
    elif radix == 3:
        c3 = (splat(kind(0.5)), splat(kind(SIN_60)))
        for q in range(s):
            z3 = three(source, q * LANES, t, c3)
            _put(z3[0], z3[1], q, target)
            _put(z3[2], z3[3], q + s, target)
            _put(z3[4], z3[5], q + 2 * s, target)
    elif radix == 2:
        for q in range(s):
            i = q * LANES
            ar, ai, br, bi = load(x, i), load(y, i), load(x, i + t), load(y, i + t)
            _put(add(ar, br), add(ai, bi), q, target)
            _put(sub(ar, br), sub(ai, bi), q + s, target)
    else:
        _put(load(x, 0), load(y, 0), 0, target)


@part
def _radix(n: int) -> int:
    """Radix of the next pass over ``n`` points: twos first, in eights and fours."""
    if n % 2 == 0:
        if n % 8 == 0 and n % 16 != 0:
            return 8
        if n % 4 == 0 and n % 32 != 0:
            return 4
        return 2 if n % 4 else 8
    if n % 3 == 0:
        return 3
    return 5 if n % 5 == 0 else 1


@part
def _pass(source: Any, u: Any, v: Any, r: int, size: Any, tables: Any) -> None:
    """One pass of radix ``r``; size: points a transform, transforms, twiddle step."""
    n, s, step = size
    tr, ti = tables
    m = n // r
    if r == 8:
        _pass8(source, u, v, m, s, step, tr, ti)
    elif r == 5:
        _pass5(source, u, v, m, s, step, tr, ti)
    elif r == 4:
        _pass4(source, u, v, m, s, step, tr, ti)
    elif r == 3:
        _pass3(source, u, v, m, s, step, tr, ti)
    else:
        _pass2(source, u, v, m, s, step, tr, ti)


@part
def _complex(
    source: Any, work: Any, points: int, total: int, tables: Any, target: Any
) -> None:
    """Transform of ``points`` complex rows of a source; work: two pairs of arrays."""
    x, y, u, v = work
    tr, _ = tables
    n, s = points, 1
    r = _radix(n)
    if r == n:
        for i in range(n):
            one = row(source, i * LANES)
            store(x, i * LANES, one[0])
            store(y, i * LANES, one[1])
    else:
        _pass(source, x, y, r, (n, s, total // n), tables)
        n, s = n // r, s * r
    while True:
        r = _radix(n)
        if r == n:
            _last(x, y, r, s, tr, target)
            return
        _pass((x, y), u, v, r, (n, s, total // n), tables)
        n, s = n // r, s * r
        x, y, u, v = u, v, x, y


@part
def _unpack(z_re: Any, z_im: Any, points: int, spacing: int, target: Any) -> None:
    """Two real transforms of odd length from one complex one.

    The even bins of ``2 * points`` are the transform of the real parts, the odd bins
    that of the imaginary parts moved by ``points``.
    """
    out_re, out_im, _, _, stop = target
    half = splat(z_re.dtype.type(0.5))
    for j in range(points // 2 + 1):
        i, c = j * LANES, ((points - j) % points) * LANES
        ar, ai, br, bi = load(z_re, i), load(z_im, i), load(z_re, c), load(z_im, c)
        k = 2 * j * spacing
        if k < stop:
            store(out_re, k * LANES, mul(half, add(ar, br)))
            store(out_im, k * LANES, mul(half, sub(ai, bi)))
        k = (points - 2 * j) * spacing  # conjugate of bin points + 2 j
        if 0 <= k < stop:
            store(out_re, k * LANES, mul(half, add(ai, bi)))
            store(out_im, k * LANES, mul(half, sub(ar, br)))


@part
def _fill_packed(b: Any, points: int, x: Any, y: Any, padded: Any) -> None:
    """All bins of 2 ``points`` (odd): sums in real, differences in imaginary parts."""
    for m in range(points):
        first = load(b, m * LANES)
        if padded:
            both, rest = first, first
        else:
            second = load(b, (m + points) * LANES)
            both, rest = add(first, second), sub(first, second)
        store(x, m * LANES, both)
        store(y, m * LANES, rest if m % 2 == 0 else negate(rest))


@part
def real_bins(b: Any, points: int, args: Any, padded: Any) -> None:
    """Bins of ``points`` real rows, which are overwritten.

    args: eight scratch arrays; cosines and sines of the whole transform; and real and
    imaginary bins, one, points of the whole transform, first bin that is not wanted.
    padded: the whole transform has as many zeros after the rows.
    """
    work, tables, target = args
    x, y, u, v, z_re, z_im, y_re, y_im = work
    tr, ti = tables
    out_re, out_im, _, whole, stop = target
    spacing = 1
    while spacing < stop:
        half = points if padded else points // 2
        packed = half % 2 == 1
        rows = (x, y, u, v)
        if packed:
            _fill_packed(b, half, z_re, z_im, padded)
            inner = (y_re, y_im, 0, whole, stop)
            _complex((z_re, z_im), rows, half, whole, tables, inner)
            _unpack(y_re, y_im, half, spacing, target)
            return
        inner = (out_re, out_im, spacing, whole, stop)
        if padded:
            twisted = (b, points // 2, tr, ti)
            _complex(twisted, rows, points // 2, whole, tables, inner)
        else:
            split = (b, points // 4, spacing, tr, ti)
            _complex(split, rows, points // 4, whole, tables, inner)
            points = half
        padded = False
        spacing *= 2
