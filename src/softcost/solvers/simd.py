"""Sixteen single-precision numbers as one value inside compiled code.

The compiler vectorises a plain loop when it can prove enough, and silently does not
otherwise. These intrinsics say it outright: LLVM turns the sixteen lanes into AVX-512,
two AVX, four SSE or four NEON registers. Arithmetic is strict, so a plain loop with the
same multiply-add gives the same bits (`softcost.solvers.plain_passes` is that twin,
and a test compares the two). Multiply-add rounds once on every processor that has the
instruction, so all of these agree; other processors round the product first.

Only AVX-512 has registers for truth values of single lanes. Elsewhere a comparison is
cheap as long as it feeds one selection, and expensive if it is combined with others or
comes from memory. Sets of rows are therefore bytes of 0 and -1, which become lanes of
no and all bits and act on the bits of numbers (`load_flags`, `keep`, `spoil`).
"""

from typing import Any

from llvmlite import binding, ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from numba.extending import intrinsic, models, register_model

LANES = 16  # one register of AVX-512

F32 = ir.FloatType()
I32 = ir.IntType(32)
I64 = ir.IntType(64)
FLOATS = ir.VectorType(F32, LANES)
INTS = ir.VectorType(I32, LANES)
WORD = ir.IntType(LANES)
BYTES = ir.VectorType(ir.IntType(8), LANES)
QUAD = ir.VectorType(F32, 4)
QUAD_INTS = ir.VectorType(I32, 4)
_BITS = ir.VectorType(ir.IntType(1), LANES)


class _Lanes(types.Type):
    """A numba type held in one LLVM vector."""


class _FloatLanes(_Lanes):
    pass


class _IntLanes(_Lanes):
    pass


class _MaskLanes(_Lanes):
    pass


floats = _FloatLanes(name=f"float32x{LANES}")
ints = _IntLanes(name=f"int32x{LANES}")
mask = _MaskLanes(name=f"maskx{LANES}")


def _register(numba_class, llvm_type):
    class Model(models.PrimitiveModel):
        def __init__(self, manager, fe_type):
            super().__init__(manager, fe_type, llvm_type)

    register_model(numba_class)(Model)


_register(_FloatLanes, FLOATS)
_register(_IntLanes, INTS)
_register(_MaskLanes, _BITS)


def address(
    context: Any, builder: Any, array_type: Any, pointee: Any, array: Any, index: Any
) -> Any:
    """The address of an array's element, as a pointer to another type."""
    data = context.make_array(array_type)(context, builder, array).data
    element = builder.gep(data, [index], inbounds=True)
    return builder.bitcast(element, pointee.as_pointer())


def row_start(context: Any, builder: Any, array_type: Any, array: Any, row: Any) -> Any:
    """Offset of the first element of a row of a contiguous matrix."""
    shape = context.make_array(array_type)(context, builder, array).shape
    return builder.mul(row, builder.extract_value(shape, 1))


def repeat(builder: Any, scalar: Any, vector_type: Any) -> Any:
    """A vector with all lanes equal."""
    undefined = ir.Constant(vector_type, ir.Undefined)
    first = builder.insert_element(undefined, scalar, I32(0))
    return builder.shuffle_vector(first, undefined, ir.Constant(INTS, [0] * LANES))


def call(builder: Any, name: Any, result: Any, args: Any, flags: Any = ()) -> Any:
    """Call one of LLVM's own functions."""
    function_type = ir.FunctionType(result, [arg.type for arg in args])
    function = cgutils.get_or_insert_function(builder.module, function_type, name)
    return builder.call(function, args, fastmath=flags)


# The capabilities of the processor that numba builds for. Its name says little (numba
# may build for a lesser one, see ``NUMBA_CPU_NAME``), and LLVM does not list what a
# name implies. So a multiply-add of sixteen lanes is compiled to assembly, which takes
# milliseconds, and the instructions are inspected.
_PROBE = """
target triple = "{triple}"
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
define <16 x float> @probe(<16 x float> %a, <16 x float> %b) {{
  %c = call <16 x float> @llvm.fma.v16f32(
    <16 x float> %a, <16 x float> %b, <16 x float> %b)
  ret <16 x float> %c
}}
"""


def assembly(code: str, triple: str, cpu: str, features: str) -> str:
    """LLVM's text ``code`` as assembly for a processor."""
    target = binding.Target.from_triple(triple)
    machine = target.create_target_machine(cpu=cpu, features=features, opt=3)
    return machine.emit_assembly(binding.parse_assembly(code))


def _probe() -> str:
    triple, cpu, features = cpu_target.target_context.codegen().magic_tuple()
    return assembly(_PROBE.format(triple=triple), triple, cpu, features)


_PROBED = _probe()

# Whether sixteen lanes are one register, not two or four.
WIDE = "zmm" in _PROBED

# Whether there is an instruction that multiplies and adds; without one, LLVM would
# call a function of the C library for each lane.
FUSED = "fmaf" not in _PROBED


@intrinsic
def load(typingctx: Any, array: Any, index: Any) -> Any:
    """Lanes ``array[index : index + 16]`` of a contiguous float32 array."""

    def codegen(context, builder, signature, args):
        pointer = address(context, builder, signature.args[0], FLOATS, *args)
        return builder.load(pointer, align=4)

    return floats(array, types.intp), codegen


@intrinsic
def load_row(typingctx: Any, matrix: Any, row: Any, index: Any) -> Any:
    """Lanes ``matrix[row, index : index + 16]``, without making a view of the row."""

    def codegen(context, builder, signature, args):
        start = row_start(context, builder, signature.args[0], args[0], args[1])
        at = builder.add(start, args[2])
        pointer = address(context, builder, signature.args[0], FLOATS, args[0], at)
        return builder.load(pointer, align=4)

    return floats(matrix, types.intp, types.intp), codegen


@intrinsic
def prefetch_row(typingctx: Any, matrix: Any, row: Any, index: Any) -> Any:
    """Prefetch the cache line of ``matrix[row, index]``; harmless beyond the end.

    Into the second level, which can wait for more lines at a time than the first.
    """

    def codegen(context, builder, signature, args):
        start = row_start(context, builder, signature.args[0], args[0], args[1])
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        element = builder.gep(data, [builder.add(start, args[2])])
        pointer = builder.bitcast(element, ir.IntType(8).as_pointer())
        hints = [I32(0), I32(2), I32(1)]  # to read; second level; data
        call(builder, "llvm.prefetch.p0", ir.VoidType(), [pointer, *hints])
        return context.get_dummy_value()

    return types.void(matrix, types.intp, types.intp), codegen


@intrinsic
def store(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    """``array[index : index + 16] = value``."""

    def codegen(context, builder, signature, args):
        pointer = address(context, builder, signature.args[0], FLOATS, *args[:2])
        builder.store(args[2], pointer, align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, value), codegen


@intrinsic
def copy(typingctx: Any, source: Any, target: Any) -> Any:
    """``target[:] = source`` of contiguous arrays; compiles faster than a loop.

    The source may be longer than the target.
    """

    def codegen(context, builder, signature, args):
        to, item = args[1], signature.args[1]
        struct = context.make_array(item)(context, builder, to)
        size = builder.mul(struct.nitems, struct.itemsize)
        pointers = [
            address(context, builder, kind, ir.IntType(8), array, I64(0))
            for kind, array in zip(signature.args[::-1], args[::-1], strict=True)
        ]
        last = ir.Constant(ir.IntType(1), 0)
        call(builder, "llvm.memmove.p0.p0.i64", ir.VoidType(), [*pointers, size, last])
        return context.get_dummy_value()

    if source != target:
        raise TypingError("copy takes two arrays of one type")
    return types.void(source, target), codegen


@intrinsic
def load_flags(typingctx: Any, flags: Any, index: Any) -> Any:
    """Sixteen int8 flags, 0 or -1, as integer lanes: no bits, or all of them."""

    def codegen(context, builder, signature, args):
        pointer = address(context, builder, signature.args[0], BYTES, *args)
        return builder.sext(builder.load(pointer, align=1), INTS)

    return ints(flags, types.intp), codegen


@intrinsic
def store_columns(
    typingctx: Any, matrix: Any, row: Any, index: Any, a: Any, b: Any, c: Any, d: Any
) -> Any:
    """``matrix[row + k, index : index + 4] = a[k], b[k], c[k], d[k]`` for all lanes."""

    def codegen(context, builder, signature, args):
        values, row, index, *columns = args
        for k in range(LANES):
            pick = ir.Constant(QUAD_INTS, [k, LANES + k, 0, 0])
            halves = [builder.shuffle_vector(*columns[n : n + 2], pick) for n in (0, 2)]
            quad = builder.shuffle_vector(*halves, ir.Constant(QUAD_INTS, [0, 1, 4, 5]))
            below = builder.add(row, I64(k))
            start = row_start(context, builder, signature.args[0], values, below)
            at = builder.add(start, index)
            pointer = address(context, builder, signature.args[0], QUAD, values, at)
            builder.store(quad, pointer, align=4)
        return context.get_dummy_value()

    return types.void(matrix, types.intp, types.intp, a, b, c, d), codegen


@intrinsic
def splat(typingctx: Any, value: Any) -> Any:
    """All lanes equal to a float32."""

    def codegen(context, builder, signature, args):
        return repeat(builder, args[0], FLOATS)

    return floats(types.float32), codegen


@intrinsic
def splat_int(typingctx: Any, value: Any) -> Any:
    """All lanes equal to an int32."""

    def codegen(context, builder, signature, args):
        return repeat(builder, args[0], INTS)

    return ints(types.int32), codegen


@intrinsic
def keep(typingctx: Any, a: Any, flags: Any) -> Any:
    """Floats if flags have all bits, else 0."""

    def codegen(context, builder, signature, args):
        bits = builder.and_(builder.bitcast(args[0], INTS), args[1])
        return builder.bitcast(bits, FLOATS)

    return floats(floats, ints), codegen


@intrinsic
def spoil(typingctx: Any, a: Any, flags: Any) -> Any:
    """NaN if flags have all bits, else floats."""

    def codegen(context, builder, signature, args):
        bits = builder.or_(builder.bitcast(args[0], INTS), args[1])
        return builder.bitcast(bits, FLOATS)

    return floats(floats, ints), codegen


@intrinsic
def power_of_two(typingctx: Any, a: Any) -> Any:
    """``2**k`` of the integer k in the low bits of floats like 1.5 * 2**23 + k."""

    def codegen(context, builder, signature, args):
        low = builder.bitcast(args[0], INTS)
        exponent = builder.shl(low, ir.Constant(INTS, [23] * LANES))
        bias = ir.Constant(INTS, [127 << 23] * LANES)
        return builder.bitcast(builder.add(exponent, bias), FLOATS)

    return floats(floats), codegen


def _binary(operation):
    @intrinsic
    def function(typingctx, a, b):
        def codegen(context, builder, signature, args):
            return getattr(builder, operation)(*args)

        return floats(floats, floats), codegen

    return function


add = _binary("fadd")
subtract = _binary("fsub")
multiply = _binary("fmul")


def _comparison(predicate, numba_type=floats, of="fcmp_ordered"):
    @intrinsic
    def function(typingctx, a, b):
        def codegen(context, builder, signature, args):
            return getattr(builder, of)(predicate, *args)

        return mask(numba_type, numba_type), codegen

    return function


less = _comparison("<")
equal = _comparison("==")
greater_int = _comparison(">", ints, "icmp_signed")
equal_int = _comparison("==", ints, "icmp_signed")


def _log_ratio(builder, over, under, integer):
    one = ir.Constant(integer, [1] * LANES if integer is INTS else 1)
    half = builder.ashr(builder.bitcast(under, integer), one)
    return builder.sub(builder.bitcast(over, integer), half)


@intrinsic
def log_ratio(typingctx: Any, a: Any, b: Any) -> Any:
    """About ``2**23 log2(a / sqrt(-b))`` and a constant, of ``a >= 0`` and ``b < 0``.

    The bits of a positive float, as an integer, are ``2**23`` times its logarithm to
    the base two, interpolated linearly between powers of two: at most 0.0861 too low
    (J. F. Blinn, "Floating-point tricks", IEEE Computer Graphics and Applications 17,
    1997). The sign of b only subtracts a constant; a negative a gives a negative value.
    """

    def codegen(context, builder, signature, args):
        return _log_ratio(builder, args[0], args[1], INTS)

    return ints(floats, floats), codegen


@intrinsic
def log_ratio_scalar(typingctx: Any, a: Any, b: Any) -> Any:
    """`log_ratio` of a single lane."""

    def codegen(context, builder, signature, args):
        return _log_ratio(builder, args[0], args[1], I32)

    return types.int32(types.float32, types.float32), codegen


@intrinsic
def where_int(typingctx: Any, condition: Any, a: Any, b: Any) -> Any:
    """Integer lanes of ``a`` if the condition holds, else of ``b``."""

    def codegen(context, builder, signature, args):
        return builder.select(*args)

    return ints(mask, ints, ints), codegen


def _extreme(predicate):
    @intrinsic
    def function(typingctx, a, b):
        def codegen(context, builder, signature, args):
            return builder.select(builder.fcmp_ordered(predicate, *args), *args)

        return floats(floats, floats), codegen

    return function


# Lane by lane; the second value if both are equal or one is NaN.
minimum = _extreme("<")
maximum = _extreme(">")


@intrinsic
def maximum_int(typingctx: Any, a: Any, b: Any) -> Any:
    """The larger of two integers, lane by lane."""

    def codegen(context, builder, signature, args):
        return call(builder, f"llvm.smax.v{LANES}i32", INTS, args)

    return ints(ints, ints), codegen


def _multiply_add(builder, name, args):
    if FUSED:
        return call(builder, name, args[0].type, args)
    return builder.fadd(builder.fmul(args[0], args[1]), args[2])


@intrinsic
def fma(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
    """``a * b + c``, rounded once if the processor can."""

    def codegen(context, builder, signature, args):
        return _multiply_add(builder, f"llvm.fma.v{LANES}f32", args)

    return floats(floats, floats, floats), codegen


@intrinsic
def fma_scalar(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
    """``a * b + c`` of three float32: `fma` of a single lane."""

    def codegen(context, builder, signature, args):
        return _multiply_add(builder, "llvm.fma.f32", args)

    return types.float32(types.float32, types.float32, types.float32), codegen


@intrinsic
def square_root(typingctx: Any, a: Any) -> Any:
    def codegen(context, builder, signature, args):
        return call(builder, f"llvm.sqrt.v{LANES}f32", FLOATS, args)

    return floats(floats), codegen


@intrinsic
def absolute(typingctx: Any, a: Any) -> Any:
    def codegen(context, builder, signature, args):
        return call(builder, f"llvm.fabs.v{LANES}f32", FLOATS, args)

    return floats(floats), codegen


def _reduction(name, vector, scalar, flags=()):
    llvm_type = F32 if vector is floats else I32
    suffix = f"v{LANES}{'f' if vector is floats else 'i'}32"

    @intrinsic
    def function(typingctx, a):
        def codegen(context, builder, signature, args):
            operation = f"llvm.vector.reduce.{name}.{suffix}"
            return call(builder, operation, llvm_type, args, flags)

        return scalar(vector), codegen

    return function


smallest = _reduction("fmin", floats, types.float32, ("nnan", "nsz"))
largest = _reduction("fmax", floats, types.float32, ("nnan", "nsz"))
smallest_int = _reduction("smin", ints, types.int32)
largest_int = _reduction("smax", ints, types.int32)


@intrinsic
def word_of(typingctx: Any, condition: Any) -> Any:
    """Sixteen truth values as the low bits of an integer."""

    def codegen(context, builder, signature, args):
        return builder.zext(builder.bitcast(args[0], WORD), I64)

    return types.int64(mask), codegen


@intrinsic
def first_bit(typingctx: Any, word: Any) -> Any:
    """The number of the first bit that is set, 0 if none is."""

    def codegen(context, builder, signature, args):
        count = builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))
        return builder.and_(count, ir.Constant(I64, 63))

    return types.int64(types.int64), codegen
