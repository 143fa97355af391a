"""The types of `softcost.solvers._vector`: what sixteen lanes are to numba and LLVM."""

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import models, register_model

LANES = 16

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


def address(context, builder, array_type, pointee, array, index):
    """Where an element of an array is, as a pointer to another type."""
    data = context.make_array(array_type)(context, builder, array).data
    element = builder.gep(data, [index], inbounds=True)
    return builder.bitcast(element, pointee.as_pointer())


def row_start(context, builder, array_type, array, row):
    """Offset of the first element of a row of a contiguous matrix."""
    shape = context.make_array(array_type)(context, builder, array).shape
    return builder.mul(row, builder.extract_value(shape, 1))


def repeat(builder, scalar, vector_type):
    """A vector with all lanes equal."""
    undefined = ir.Constant(vector_type, ir.Undefined)
    first = builder.insert_element(undefined, scalar, I32(0))
    return builder.shuffle_vector(first, undefined, ir.Constant(INTS, [0] * LANES))


def call(builder, name, result, args, flags=()):
    """Call one of LLVM's own functions."""
    function_type = ir.FunctionType(result, [arg.type for arg in args])
    function = cgutils.get_or_insert_function(builder.module, function_type, name)
    return builder.call(function, args, fastmath=flags)
