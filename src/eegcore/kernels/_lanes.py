"""Sums, extremes and exchanges of the lanes of vectors."""

from typing import Any

from llvmlite import ir
from numba import types

from eegcore.kernels._vector import I32, LANES, OF, lowered


def _extreme(order: str) -> Any:
    @lowered
    def operation(typing: Any, a: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            value, lanes = args[0], a.lanes
            while lanes > 1:
                lanes //= 2
                masks = ir.VectorType(I32, lanes)
                empty = ir.Constant(value.type, ir.Undefined)
                low = ir.Constant(masks, list(range(lanes)))
                high = ir.Constant(masks, list(range(lanes, 2 * lanes)))
                one = builder.shuffle_vector(value, empty, low)
                two = builder.shuffle_vector(value, empty, high)
                compare = builder.fcmp_ordered if a.is_float else builder.icmp_signed
                value = builder.select(compare(order, one, two), one, two)
            return builder.extract_element(value, ir.Constant(I32, 0))

        return a.scalar(a), generate

    return operation


least = _extreme("<")
greatest = _extreme(">")


@lowered
def total(typing: Any, a: Any) -> Any:
    """Sum of all lanes; integer lanes are summed as int64, floats as a fixed tree."""
    result = a.scalar if a.is_float else types.int64

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        value = args[0]
        if not a.is_float and a.code != "i8":
            value = builder.sext(value, ir.VectorType(ir.IntType(64), a.lanes))
        plus = builder.fadd if a.is_float else builder.add
        lanes = a.lanes
        while lanes > 1:
            half = lanes // 2
            empty = ir.Constant(value.type, ir.Undefined)
            masks = ir.VectorType(I32, half)
            low = ir.Constant(masks, list(range(half)))
            high = ir.Constant(masks, list(range(half, lanes)))
            value = plus(
                builder.shuffle_vector(value, empty, low),
                builder.shuffle_vector(value, empty, high),
            )
            lanes = half
        return builder.extract_element(value, ir.Constant(I32, 0))

    return result(a), generate


@lowered
def lane(typing: Any, a: Any, index: Any) -> Any:
    """One lane of a vector."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.extract_element(args[0], args[1])

    return a.scalar(a, types.intp), generate


def _shuffle(mask: list[int]) -> Any:
    @lowered
    def operation(typing: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            masks = ir.Constant(ir.VectorType(I32, len(mask)), mask)
            return builder.shuffle_vector(args[0], args[1], masks)

        return a(a, b), generate

    return operation


def _exchange(width: int, *, high: bool) -> Any:
    """One butterfly of a transpose: blocks of ``width`` lanes change rows."""
    mask = []
    for lane in range(LANES):
        upper = bool(lane & width)
        if high:
            mask.append(LANES + lane if upper else lane + width)
        else:
            mask.append(LANES + lane - width if upper else lane)
    return _shuffle(mask)


low8, high8 = _exchange(8, high=False), _exchange(8, high=True)
low4, high4 = _exchange(4, high=False), _exchange(4, high=True)
low2, high2 = _exchange(2, high=False), _exchange(2, high=True)
low1, high1 = _exchange(1, high=False), _exchange(1, high=True)
next_lane = _shuffle(list(range(1, LANES + 1)))  # lanes 1..15 of a, then lane 0 of b


@lowered
def halved(typing: Any, a: Any) -> Any:
    """16 int32 as 8 int64: lane i plus lane i + 8."""
    result = OF["q8"]

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        empty = ir.Constant(a.llvm, ir.Undefined)
        masks = ir.VectorType(I32, 8)
        low = builder.shuffle_vector(args[0], empty, ir.Constant(masks, list(range(8))))
        high = ir.Constant(masks, list(range(8, 16)))
        high = builder.shuffle_vector(args[0], empty, high)
        return builder.add(
            builder.sext(low, result.llvm), builder.sext(high, result.llvm)
        )

    return result(a), generate


def _folded(width: int) -> Any:
    """Lanes of two vectors added in pairs ``width`` apart, both halves kept."""

    @lowered
    def operation(typing: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            masks = ir.VectorType(I32, a.lanes)
            lanes = range(a.lanes)
            low = [a.lanes + k - width if k & width else k for k in lanes]
            high = [k + width for k in low]
            one = builder.shuffle_vector(*args, ir.Constant(masks, low))
            two = builder.shuffle_vector(*args, ir.Constant(masks, high))
            return builder.add(one, two)

        return a(a, b), generate

    return operation


fold4, fold2, fold1 = _folded(4), _folded(2), _folded(1)
