"""An ONNX graph under construction, and what is not supported in it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from softcost.onnx import NotExportable

ML = "ai.onnx.ml"

# The name of a tensor, or a constant. A float is a double, whole numbers are arrays.
Operand = str | float | NDArray[Any]


def refused(what: str, remedy: str = "") -> NotExportable:
    """The exception for something that is not supported."""
    supported = remedy or (
        "Export a blend, MinimumExpectedCost, one-sided or pairwise reduction with "
        "linear, tree, LightGBM or kernel learners."
    )
    return NotExportable(f"{what} cannot be exported to ONNX. {supported}")


class Graph:
    """Collects nodes; every tensor is known by its name."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: dict[tuple[Any, ...], Any] = {}
        self.inputs: list[Any] = []

    def op(
        self, kind: str, *operands: Operand, domain: str = "", **options: Any
    ) -> str:
        """Add a node with one output; constants become initializers."""
        names = [self.constant(operand) for operand in operands]
        output = f"softcost/{len(self.nodes)}"
        node = helper.make_node(
            kind, names, [output], name=output, domain=domain, **options
        )
        self.nodes.append(node)
        return output

    def constant(self, operand: Operand) -> str:
        """The name of a tensor; equal constants share one."""
        if isinstance(operand, str):
            return operand
        array = np.asarray(operand)  # a float becomes a double
        texts = array.dtype.kind in "OU"
        content = tuple(array.ravel().tolist()) if texts else array.tobytes()
        key = (array.dtype.str, array.shape, content)
        if key not in self.constants:
            name = f"softcost/constant {len(self.constants)}"
            self.constants[key] = numpy_helper.from_array(
                array.astype(object) if texts else array.copy(order="C"), name
            )
        return self.constants[key].name

    def input(self, name: str, dtype: int, shape: list[Any]) -> str:
        self.inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def columns(self, x: str, chosen: Any) -> str:
        """Some columns of a matrix; a number instead of a list gives a vector."""
        return self.op("Gather", x, np.asarray(chosen, np.int64), axis=1)

    def joined(self, parts: list[str]) -> str:
        return parts[0] if len(parts) == 1 else self.op("Concat", *parts, axis=1)

    def as_column(self, vector: str) -> str:
        return self.op("Unsqueeze", vector, np.array([1]))

    def cast(self, x: str, dtype: int = TensorProto.DOUBLE) -> str:
        return self.op("Cast", x, to=dtype)

    def to_single(self, x: str) -> str:
        """Values rounded to single precision, as doubles."""
        return self.cast(self.cast(x, TensorProto.FLOAT))

    def total(self, x: str, axis: int = 1, keep: bool = True) -> str:
        return self.op("ReduceSum", x, np.array([axis]), keepdims=int(keep))

    def affine(self, x: str, matrix: Any, shift: Any) -> str:
        """``x @ matrix + shift``."""
        product = self.op("MatMul", x, np.asarray(matrix, np.float64))
        return self.op("Add", product, np.asarray(shift, np.float64))

    def repeated(self, row: Any, x: str) -> str:
        """The same row for every row of x."""
        n = self.op("Shape", x, start=0, end=1)
        shape = self.op("Concat", n, np.array([1]), axis=0)
        return self.op("Expand", np.asarray(row, np.float64).reshape(1, -1), shape)

    def negative_and(self, column: str) -> str:
        """A column as two, ``[-x, x]``."""
        return self.joined([self.op("Neg", column), column])

    def sigmoid_pair(self, column: str) -> str:
        """``[1 - p, p]`` of a column of logits."""
        p = self.op("Sigmoid", column)
        return self.joined([self.op("Sub", 1.0, p), p])

    def normalised(self, p: str, n_classes: int) -> str:
        """Rows divided by their sums; uniform where the sum is zero."""
        sums = self.total(p)
        shares = self.op("Div", p, sums)
        empty = self.op("Equal", sums, 0.0)
        return self.op("Where", empty, np.array(1.0 / n_classes), shares)

    def placed(self, p: str, places: Any, n_classes: int) -> str:
        """Columns at their places among all classes; zero elsewhere."""
        places = np.asarray(places, np.intp)
        if np.array_equal(places, np.arange(n_classes)):
            return p
        return self.op("MatMul", p, np.eye(n_classes)[places])


def tensor(array: NDArray[Any]) -> Any:
    """An array as the attribute of a node."""
    return numpy_helper.from_array(array, "")
