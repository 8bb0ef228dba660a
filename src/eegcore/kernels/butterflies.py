"""Butterflies of Fourier transforms, one a lane, and where they take rows from.

`eegcore.kernels.fourier` makes passes of them.
"""

from typing import Any

from numba.extending import overload

from eegcore.kernels._jit import inlined
from eegcore.kernels._vector import (
    LANES,
    add,
    fused,
    load,
    mul,
    negate,
    splat,
    store,
    sub,
)

COS_72, COS_144 = 0.30901699437494745, -0.8090169943749475
SIN_72, SIN_144 = 0.9510565162951535, 0.5877852522924731
SIN_60 = 0.8660254037844386
SQRT_HALF = 0.7071067811865476


@inlined
def times(re: Any, im: Any, wr: Any, wi: Any) -> Any:
    """Complex product of lanes."""
    return fused(re, wr, negate(mul(im, wi))), fused(re, wi, mul(im, wr))


@inlined
def four(ar: Any, ai: Any, br: Any, bi: Any, cr: Any, ci: Any, dr: Any, di: Any) -> Any:
    """Four-point transform of lanes."""
    er, ei = add(ar, cr), add(ai, ci)
    fr, fi = sub(ar, cr), sub(ai, ci)
    gr, gi = add(br, dr), add(bi, di)
    hr, hi = sub(br, dr), sub(bi, di)
    return (
        add(er, gr), add(ei, gi), add(fr, hi), sub(fi, hr),
        sub(er, gr), sub(ei, gi), sub(fr, hi), add(fi, hr),
    )  # fmt: skip


def row(source: Any, i: Any) -> Any:
    """Complex row of lanes at ``i``, from where a pass takes its rows.

    source: real and imaginary rows, in arrays; or what the first pass makes them of
    (`_twisted`, `_split`), so that they are not written and read once more.
    """


@overload(row, jit_options={"forceinline": True})
def _row_of(source: Any, i: Any) -> Any:
    def stored(source: Any, i: Any) -> Any:
        return load(source[0], i), load(source[1], i)

    def twisted(source: Any, i: Any) -> Any:
        return _twisted(source, i)

    def split(source: Any, i: Any) -> Any:
        return _split(source, i)

    return {2: stored, 4: twisted, 5: split}[len(source)]


@inlined
def _twisted(source: Any, i: int) -> Any:
    """For the odd bins of rows followed by as many zeros.

    source: rows, half of their number, cosines and sines.
    """
    b, half, tr, ti = source
    m = i // LANES
    b0, b1 = load(b, i), load(b, i + half * LANES)
    wr, wi = splat(tr[m]), splat(ti[m])
    return fused(b0, wr, mul(b1, wi)), fused(b0, wi, negate(mul(b1, wr)))


@inlined
def _split(source: Any, i: int) -> Any:
    """For the odd bins of rows; sums for the even ones go back to the rows.

    source: rows, a quarter of their number, spacing of twiddles, cosines and sines.
    """
    b, quarter, spacing, tr, ti = source
    w = i // LANES * spacing
    t = quarter * LANES
    b0, b1 = load(b, i), load(b, i + 2 * t)
    c0, c1 = load(b, i + t), load(b, i + 3 * t)
    store(b, i, add(b0, b1))
    store(b, i + t, add(c0, c1))
    d0, d1 = sub(b0, b1), sub(c0, c1)
    wr, wi = splat(tr[w]), splat(ti[w])
    return fused(d0, wr, mul(d1, wi)), fused(d0, wi, negate(mul(d1, wr)))


@inlined
def eight(source: Any, i: int, t: int, root: Any) -> Any:
    """Eight-point transform of lanes at ``i``, ``i + t``, ..."""
    a, c, e, g = (
        row(source, i), row(source, i + 2 * t),
        row(source, i + 4 * t), row(source, i + 6 * t),
    )  # fmt: skip
    ar, ai, cr, ci, er, ei, gr, gi = four(
        a[0], a[1], c[0], c[1], e[0], e[1], g[0], g[1]
    )
    b, d, f, h = (
        row(source, i + t), row(source, i + 3 * t),
        row(source, i + 5 * t), row(source, i + 7 * t),
    )  # fmt: skip
    br, bi, dr, di, fr, fi, hr, hi = four(
        b[0], b[1], d[0], d[1], f[0], f[1], h[0], h[1]
    )
    dr, di = mul(root, add(dr, di)), mul(root, sub(di, dr))
    hr, hi = mul(root, sub(hi, hr)), negate(mul(root, add(hi, hr)))
    return (
        add(ar, br), add(ai, bi), add(cr, dr), add(ci, di),
        add(er, fi), sub(ei, fr), add(gr, hr), add(gi, hi),
        sub(ar, br), sub(ai, bi), sub(cr, dr), sub(ci, di),
        sub(er, fi), add(ei, fr), sub(gr, hr), sub(gi, hi),
    )  # fmt: skip


@inlined
def five(source: Any, i: int, t: int, c: Any) -> Any:
    """Five-point transform; c: cos 72, cos 144, sin 72, sin 144 in lanes."""
    ar, ai = row(source, i)
    br, bi = row(source, i + t)
    cr, ci = row(source, i + 2 * t)
    dr, di = row(source, i + 3 * t)
    er, ei = row(source, i + 4 * t)
    pr, pi, qr, qi = add(br, er), add(bi, ei), add(cr, dr), add(ci, di)
    ur, ui, vr, vi = sub(br, er), sub(bi, ei), sub(cr, dr), sub(ci, di)
    fr = fused(c[0], pr, fused(c[1], qr, ar))
    fi = fused(c[0], pi, fused(c[1], qi, ai))
    gr = fused(c[1], pr, fused(c[0], qr, ar))
    gi = fused(c[1], pi, fused(c[0], qi, ai))
    sr, si = fused(c[2], ur, mul(c[3], vr)), fused(c[2], ui, mul(c[3], vi))
    tr = fused(c[3], ur, negate(mul(c[2], vr)))
    ti = fused(c[3], ui, negate(mul(c[2], vi)))
    return (
        add(ar, add(pr, qr)), add(ai, add(pi, qi)),
        add(fr, si), sub(fi, sr), add(gr, ti), sub(gi, tr),
        sub(gr, ti), add(gi, tr), sub(fr, si), add(fi, sr),
    )  # fmt: skip


@inlined
def three(source: Any, i: int, t: int, c: Any) -> Any:
    """Three-point transform; c: one half and sin 60 in lanes."""
    ar, ai = row(source, i)
    br, bi = row(source, i + t)
    cr, ci = row(source, i + 2 * t)
    pr, pi = add(br, cr), add(bi, ci)
    ur, ui = mul(c[1], sub(br, cr)), mul(c[1], sub(bi, ci))
    fr, fi = sub(ar, mul(c[0], pr)), sub(ai, mul(c[0], pi))
    return (
        add(ar, pr), add(ai, pi), add(fr, ui), sub(fi, ur), sub(fr, ui), add(fi, ur),
    )  # fmt: skip
