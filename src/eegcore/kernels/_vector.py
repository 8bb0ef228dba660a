"""Explicit vectors for kernels; with `_lanes` all that touches llvmlite.

A vector holds 16 equal lanes of float32, float64, int32, 32 of int16, 8 of int64. LLVM
splits it into what the processor has (one AVX-512 register, two of AVX2, four of
NEON), so one source serves all of them. No operation carries a fast-math flag and
none is contracted unasked: every lane gives the same bits on every processor.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

_declared: Any = cgutils.get_or_insert_function


def lowered(function: Callable[..., Any]) -> Any:
    """Make an intrinsic of its lowering; what it returns has no Python type."""
    return intrinsic(function)


LANES = 16
I32 = ir.IntType(32)
_ELEMENTS = {
    "f4": (ir.FloatType(), 16, types.float32),
    "f8": (ir.DoubleType(), 16, types.float64),
    "i2": (ir.IntType(16), 32, types.int16),
    "i4": (ir.IntType(32), 16, types.int32),
    "i8": (ir.IntType(64), 16, types.int64),
    "q8": (ir.IntType(64), 8, types.int64),
}


class VectorType(types.Type):
    """A numba type for one kind of vector."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.element, self.lanes, self.scalar = _ELEMENTS[code]
        self.llvm = ir.VectorType(self.element, self.lanes)
        super().__init__(name=f"vector_{code}")

    @property
    def is_float(self) -> bool:
        """Whether the lanes are floating-point numbers."""
        return self.code in ("f4", "f8")


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, vector: VectorType) -> None:
        base: Any = models.PrimitiveModel
        base.__init__(self, manager, vector, vector.llvm)


_kind: Any = VectorType
OF = {code: _kind(code) for code in _ELEMENTS}
_BY_SCALAR = {v.scalar: v for code, v in OF.items() if code != "q8"}


def _pointer(context: Any, builder: Any, array: Any, value: Any, index: Any) -> Any:
    data = context.make_array(array)(context, builder, value).data
    return builder.gep(data, [index])


def _load_raw(context: Any, builder: Any, sig: Any, args: Any, lanes: int) -> Any:
    array = sig.args[0]
    element = context.get_data_type(array.dtype)
    pointer = _pointer(context, builder, array, args[0], args[1])
    vector = ir.VectorType(element, lanes)
    loaded = builder.load(builder.bitcast(pointer, vector.as_pointer()))
    loaded.align = max(1, array.dtype.bitwidth // 8)
    return loaded


def _convert(builder: Any, value: Any, source: Any, target: VectorType) -> Any:
    if source == target.scalar:
        return value
    if not target.is_float:
        return builder.sext(value, target.llvm)
    if isinstance(source, types.Integer):
        return builder.sitofp(value, target.llvm)
    return builder.fpext(value, target.llvm)


@lowered
def load(typing: Any, array: Any, index: Any) -> Any:
    """Lanes from ``array[index:]``, in the array's own type."""
    vector = _BY_SCALAR[array.dtype]

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _load_raw(context, builder, sig, args, vector.lanes)

    return vector(array, types.intp), generate


@lowered
def load_as(typing: Any, array: Any, index: Any, like: Any) -> Any:
    """16 lanes from ``array[index:]``, converted to the type of array ``like``."""
    vector = _BY_SCALAR[like.dtype]

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        raw = _load_raw(context, builder, sig, args, LANES)
        return _convert(builder, raw, sig.args[0].dtype, vector)

    return vector(array, types.intp, like), generate


@lowered
def store(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Lanes to ``array[index:]``."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, sig.args[0], args[0], args[1])
        target = builder.bitcast(pointer, sig.args[2].llvm.as_pointer())
        stored = builder.store(args[2], target)
        stored.align = sig.args[0].dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(array, types.intp, value), generate


@lowered
def peek(typing: Any, array: Any, index: Any) -> Any:
    """One element, without a look at negative indices."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(_pointer(context, builder, array, args[0], args[1]))

    return array.dtype(array, types.intp), generate


@lowered
def poke(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Set one element, without a look at negative indices."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, sig.args[0], args[0], args[1])
        builder.store(args[2], pointer)
        return context.get_dummy_value()

    return types.void(array, types.intp, array.dtype), generate


@lowered
def splat(typing: Any, scalar: Any) -> Any:
    """The same number in every lane."""
    vector = _BY_SCALAR[scalar]

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        empty = ir.Constant(vector.llvm, ir.Undefined)
        one = builder.insert_element(empty, args[0], ir.Constant(I32, 0))
        mask = ir.Constant(ir.VectorType(I32, vector.lanes), [0] * vector.lanes)
        return builder.shuffle_vector(one, empty, mask)

    return vector(scalar), generate


def _arithmetic(name: str) -> Any:
    @lowered
    def operation(typing: Any, a: Any, b: Any) -> Any:
        method = "f" + name if a.is_float else name

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return getattr(builder, method)(args[0], args[1])

        return a(a, b), generate

    return operation


add = _arithmetic("add")
sub = _arithmetic("sub")
mul = _arithmetic("mul")


@lowered
def fused(typing: Any, a: Any, b: Any, c: Any) -> Any:
    """``a * b + c`` rounded once: asked for by name, never left to the compiler."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = "f32" if a.code == "f4" else "f64"
        signature = ir.FunctionType(a.llvm, [a.llvm] * 3)
        name = f"llvm.fma.v{a.lanes}{kind}"
        function = _declared(builder.module, signature, name)
        return builder.call(function, args)

    return a(a, b, c), generate


@lowered
def bit_and(typing: Any, a: Any, b: Any) -> Any:
    """Bitwise and of two integer vectors."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.and_(args[0], args[1])

    return a(a, b), generate


@lowered
def negate(typing: Any, a: Any) -> Any:
    """Each lane with the other sign."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.fneg(args[0]) if a.is_float else builder.neg(args[0])

    return a(a), generate


def _pick(order: str) -> Any:
    @lowered
    def operation(typing: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            compare = builder.fcmp_ordered if a.is_float else builder.icmp_signed
            return builder.select(compare(order, args[0], args[1]), args[0], args[1])

        return a(a, b), generate

    return operation


minimum = _pick("<")
maximum = _pick(">")


@lowered
def absolute(typing: Any, a: Any) -> Any:
    """Each lane without its sign."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        zero = ir.Constant(a.llvm, [0] * a.lanes)
        negative = builder.icmp_signed("<", args[0], zero)
        return builder.select(negative, builder.neg(args[0]), args[0])

    return a(a), generate


@lowered
def multiply_pairs(typing: Any, a: Any, b: Any) -> Any:
    """32 int16 by 32 int16; neighbouring products added: 16 int32 (pmaddwd)."""
    wide = ir.VectorType(I32, 32)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        product = builder.mul(builder.sext(args[0], wide), builder.sext(args[1], wide))
        empty = ir.Constant(wide, ir.Undefined)
        masks = ir.VectorType(I32, 16)
        even = ir.Constant(masks, list(range(0, 32, 2)))
        odd = ir.Constant(masks, list(range(1, 32, 2)))
        return builder.add(
            builder.shuffle_vector(product, empty, even),
            builder.shuffle_vector(product, empty, odd),
        )

    return OF["i4"](a, b), generate


@lowered
def pair_sums(typing: Any, a: Any) -> Any:
    """32 int16 as 16 int32: neighbouring lanes added.

    Not as a product with ones, which LLVM takes apart and permutes.
    """
    result = OF["i4"]

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        sixteen = ir.Constant(result.llvm, [16] * 16)
        both = builder.bitcast(args[0], result.llvm)
        even = builder.ashr(builder.shl(both, sixteen), sixteen)
        return builder.add(even, builder.ashr(both, sixteen))

    return result(a), generate


@lowered
def as_pairs(typing: Any, a: Any) -> Any:
    """32 int16 as 16 lanes of two, for `even_as` and `odd_as`."""
    result = OF["i4"]

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.bitcast(args[0], result.llvm)

    return result(a), generate


def _one_of_pairs(*, odd: bool) -> Any:
    @lowered
    def operation(typing: Any, a: Any, like: Any) -> Any:
        vector = _BY_SCALAR[like.dtype]

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            sixteen = ir.Constant(a.llvm, [16] * 16)
            value = args[0] if odd else builder.shl(args[0], sixteen)
            return builder.sitofp(builder.ashr(value, sixteen), vector.llvm)

        return vector(a, like), generate

    return operation


even_as, odd_as = _one_of_pairs(odd=False), _one_of_pairs(odd=True)


@lowered
def multiply_high(typing: Any, a: Any, b: Any) -> Any:
    """Upper 16 bits of the products of int16 lanes."""
    wide = ir.VectorType(I32, 32)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        product = builder.mul(builder.sext(args[0], wide), builder.sext(args[1], wide))
        shift = ir.Constant(wide, [16] * 32)
        return builder.trunc(builder.lshr(product, shift), a.llvm)

    return a(a, b), generate


def _shifted(count: int) -> Any:
    @lowered
    def operation(typing: Any, a: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.ashr(args[0], ir.Constant(a.llvm, [count] * a.lanes))

        return a(a), generate

    return operation


shift15, shift16 = _shifted(15), _shifted(16)  # arithmetic shifts to the right


@lowered
def widen(typing: Any, a: Any) -> Any:
    """16 int32 as 16 int64."""
    result = OF["i8"]

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.sext(args[0], result.llvm)

    return result(a), generate


def _counted(order: str) -> Any:
    @lowered
    def operation(typing: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            compare = builder.fcmp_ordered if a.is_float else builder.icmp_signed
            hits = compare(order, args[0], args[1])
            bits = builder.bitcast(hits, ir.IntType(a.lanes))
            return builder.zext(bits, ir.IntType(64))

        return types.uint64(a, b), generate

    return operation


bits_less = _counted("<")
bits_equal = _counted("==")


@lowered
def count_bits(typing: Any, bits: Any) -> Any:
    """Number of bits that are set, as int64."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


@lowered
def prefetch(typing: Any, array: Any, index: Any) -> Any:
    """Ask for the cache line of ``array[index]`` ahead of its use."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        pointer = _pointer(context, builder, sig.args[0], args[0], args[1])
        function = _declared(
            builder.module,
            ir.FunctionType(ir.VoidType(), [byte, I32, I32, I32]),
            "llvm.prefetch.p0i8",
        )
        flags = [ir.Constant(I32, value) for value in (0, 3, 1)]
        builder.call(function, [builder.bitcast(pointer, byte), *flags])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate
