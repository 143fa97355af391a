"""Sixteen single-precision numbers as one value inside compiled code.

The compiler vectorises a plain loop when it can prove enough, and silently does not
otherwise. These intrinsics say it outright: LLVM turns the sixteen lanes into AVX-512,
two AVX, four SSE or four NEON registers. Arithmetic is strict, and multiply-add is
always fused, so a plain loop with the same fused multiply-add gives the same bits
(`softcost.solvers._plain` is that twin, and a test compares the two).
"""

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, register_model

LANES = 16

_F32 = ir.FloatType()
_I32 = ir.IntType(32)
_I64 = ir.IntType(64)
_FLOATS = ir.VectorType(_F32, LANES)
_INTS = ir.VectorType(_I32, LANES)
_WORD = ir.IntType(LANES)
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


_register(_FloatLanes, _FLOATS)
_register(_IntLanes, _INTS)
_register(_MaskLanes, _BITS)


def _address(context, builder, array_type, pointee, array, index):
    data = context.make_array(array_type)(context, builder, array).data
    element = builder.gep(data, [index], inbounds=True)
    return builder.bitcast(element, pointee.as_pointer())


def _repeat(builder, scalar, vector_type):
    undefined = ir.Constant(vector_type, ir.Undefined)
    first = builder.insert_element(undefined, scalar, _I32(0))
    return builder.shuffle_vector(first, undefined, ir.Constant(_INTS, [0] * LANES))


def _call(builder, name, result, args, flags=()):
    function_type = ir.FunctionType(result, [arg.type for arg in args])
    function = cgutils.get_or_insert_function(builder.module, function_type, name)
    return builder.call(function, args, fastmath=flags)


@intrinsic
def load(typingctx, array, index):
    """Lanes ``array[index : index + 16]`` of a contiguous float32 array."""

    def codegen(context, builder, signature, args):
        pointer = _address(context, builder, signature.args[0], _FLOATS, *args)
        return builder.load(pointer, align=4)

    return floats(array, types.intp), codegen


def _row_start(context, builder, array_type, array, row):
    """Offset of the first element of a row of a contiguous matrix."""
    shape = context.make_array(array_type)(context, builder, array).shape
    return builder.mul(row, builder.extract_value(shape, 1))


@intrinsic
def load_row(typingctx, matrix, row, index):
    """Lanes ``matrix[row, index : index + 16]``, without making a view of the row."""

    def codegen(context, builder, signature, args):
        start = _row_start(context, builder, signature.args[0], args[0], args[1])
        at = builder.add(start, args[2])
        pointer = _address(context, builder, signature.args[0], _FLOATS, args[0], at)
        return builder.load(pointer, align=4)

    return floats(matrix, types.intp, types.intp), codegen


@intrinsic
def prefetch_row(typingctx, matrix, row, index):
    """Ask for the cache line of ``matrix[row, index]``; harmless beyond the end."""

    def codegen(context, builder, signature, args):
        start = _row_start(context, builder, signature.args[0], args[0], args[1])
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        element = builder.gep(data, [builder.add(start, args[2])])
        pointer = builder.bitcast(element, ir.IntType(8).as_pointer())
        hints = [_I32(0), _I32(3), _I32(1)]  # for reading, into all levels, data
        _call(builder, "llvm.prefetch.p0", ir.VoidType(), [pointer, *hints])
        return context.get_dummy_value()

    return types.void(matrix, types.intp, types.intp), codegen


@intrinsic
def store(typingctx, array, index, value):
    """``array[index : index + 16] = value``."""

    def codegen(context, builder, signature, args):
        pointer = _address(context, builder, signature.args[0], _FLOATS, *args[:2])
        builder.store(args[2], pointer, align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, value), codegen


@intrinsic
def load_mask(typingctx, words, index):
    """Word ``index`` of a uint16 array as sixteen truth values, lowest bit first."""

    def codegen(context, builder, signature, args):
        pointer = _address(context, builder, signature.args[0], _WORD, *args)
        return builder.bitcast(builder.load(pointer, align=2), _BITS)

    return mask(words, types.intp), codegen


@intrinsic
def splat(typingctx, value):
    """All lanes equal to a float32."""

    def codegen(context, builder, signature, args):
        return _repeat(builder, args[0], _FLOATS)

    return floats(types.float32), codegen


@intrinsic
def count_from(typingctx, first):
    """Integer lanes ``first, first + 1, ...``."""

    def codegen(context, builder, signature, args):
        steps = ir.Constant(_INTS, list(range(LANES)))
        return builder.add(_repeat(builder, args[0], _INTS), steps)

    return ints(types.int32), codegen


@intrinsic
def advance(typingctx, counters, step):
    """Integer lanes plus a scalar."""

    def codegen(context, builder, signature, args):
        return builder.add(args[0], _repeat(builder, args[1], _INTS))

    return ints(ints, types.int32), codegen


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
divide = _binary("fdiv")


def _comparison(predicate):
    @intrinsic
    def function(typingctx, a, b):
        def codegen(context, builder, signature, args):
            return builder.fcmp_ordered(predicate, *args)

        return mask(floats, floats), codegen

    return function


less = _comparison("<")
greater = _comparison(">")
equal = _comparison("==")


@intrinsic
def both(typingctx, a, b):
    """Lanes where both are true."""

    def codegen(context, builder, signature, args):
        return builder.and_(*args)

    return mask(mask, mask), codegen


def _choice(numba_type):
    @intrinsic
    def function(typingctx, condition, a, b):
        def codegen(context, builder, signature, args):
            return builder.select(*args)

        return numba_type(mask, numba_type, numba_type), codegen

    return function


where = _choice(floats)
where_int = _choice(ints)


@intrinsic
def maximum(typingctx, a, b):
    """The larger of two, lane by lane; ``b`` where they are equal."""

    def codegen(context, builder, signature, args):
        return builder.select(builder.fcmp_ordered(">", *args), *args)

    return floats(floats, floats), codegen


@intrinsic
def fma(typingctx, a, b, c):
    """``a * b + c`` rounded once."""

    def codegen(context, builder, signature, args):
        return _call(builder, f"llvm.fma.v{LANES}f32", _FLOATS, args)

    return floats(floats, floats, floats), codegen


@intrinsic
def square_root(typingctx, a):
    def codegen(context, builder, signature, args):
        return _call(builder, f"llvm.sqrt.v{LANES}f32", _FLOATS, args)

    return floats(floats), codegen


@intrinsic
def absolute(typingctx, a):
    def codegen(context, builder, signature, args):
        return _call(builder, f"llvm.fabs.v{LANES}f32", _FLOATS, args)

    return floats(floats), codegen


def _reduction(name):
    @intrinsic
    def function(typingctx, a):
        def codegen(context, builder, signature, args):
            operation = f"llvm.vector.reduce.{name}.v{LANES}f32"
            return _call(builder, operation, _F32, args, flags=("nnan", "nsz"))

        return types.float32(floats), codegen

    return function


smallest = _reduction("fmin")
largest = _reduction("fmax")


@intrinsic
def first_true(typingctx, condition):
    """The number of the first true lane; 16 where none is."""

    def codegen(context, builder, signature, args):
        bits = builder.zext(builder.bitcast(args[0], _WORD), _I64)
        guard = builder.or_(bits, ir.Constant(_I64, 1 << LANES))
        return builder.cttz(guard, ir.Constant(ir.IntType(1), 0))

    return types.intp(mask), codegen


@intrinsic
def lane(typingctx, a, number):
    """One lane of an integer vector."""

    def codegen(context, builder, signature, args):
        return builder.sext(builder.extract_element(*args), _I64)

    return types.intp(ints, types.intp), codegen


@intrinsic
def fma_scalar(typingctx, a, b, c):
    """``a * b + c`` of three float32 rounded once; what one lane of `fma` does."""

    def codegen(context, builder, signature, args):
        return _call(builder, "llvm.fma.f32", _F32, args)

    return types.float32(types.float32, types.float32, types.float32), codegen
