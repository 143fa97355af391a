"""The kernels that machines can use, as a catalogue without compiled code.

A support vector machine with an unpenalised bias has coefficients that sum to zero, so
``K(x, x')`` may be replaced by ``K(x, x') - (K(x, x) + K(x', x')) / 2``, which is minus
half the squared distance in feature space and has a zero diagonal [1]_. `KERNELS` lists
the kernels in both forms. The perceptron and stump kernels are conditionally positive
definite, which is all that such a machine needs; they stand for infinite ensembles of
perceptrons and of decision stumps [2]_.

Kernel values are computed in `softcost.solvers.kernels`. This module stays apart from
it, so importing an estimator does not import numba.

To add a kernel: a number, an entry in `KERNELS`, and its formula in
`kernels._is_manhattan` and `kernels._finish`; then its reference in
``tests/solvers/conftest.py``.

References
----------
.. [1] B. Schoelkopf, "The kernel trick for distances", NIPS 13, 2000.
.. [2] H.-T. Lin, L. Li, "Support vector machinery for infinite ensemble learning",
   JMLR 9, 2008.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

PERCEPTRON, STUMP, LAPLACIAN, EXPONENTIAL, RBF, LINEAR = range(6)


class KernelFunction(NamedTuple):
    """A kernel that machines can use.

    Attributes
    ----------
    code : int or None
        Its number in compiled code; None for a matrix that the user computes.
    formula : str
        ``K(x, x')``.
    distance_form : str
        ``K(x, x') - (K(x, x) + K(x', x')) / 2``.
    has_gamma : bool
        Whether it has a width.
    diagonal : callable or None
        ``K(x, x)`` of rows (n, d); None if it is constant.
    """

    code: int | None
    formula: str
    distance_form: str
    has_gamma: bool = False
    diagonal: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None


KERNELS = {
    "perceptron": KernelFunction(PERCEPTRON, "-|x - x'|_2", "-|x - x'|_2"),
    "stump": KernelFunction(STUMP, "-|x - x'|_1", "-|x - x'|_1"),
    "laplacian": KernelFunction(
        LAPLACIAN,
        "exp(-gamma |x - x'|_1)",
        "exp(-gamma |x - x'|_1) - 1",
        has_gamma=True,
    ),
    "exponential": KernelFunction(
        EXPONENTIAL,
        "exp(-gamma |x - x'|_2)",
        "exp(-gamma |x - x'|_2) - 1",
        has_gamma=True,
    ),
    "rbf": KernelFunction(
        RBF,
        "exp(-gamma |x - x'|_2^2)",
        "exp(-gamma |x - x'|_2^2) - 1",
        has_gamma=True,
    ),
    "linear": KernelFunction(
        LINEAR,
        "<x, x'>",
        "-|x - x'|_2^2 / 2",
        diagonal=lambda X: (X**2).sum(axis=1),
    ),
    "precomputed": KernelFunction(None, "K_ij", "K_ij - (K_ii + K_jj) / 2"),
}
# Kernels of features: those that are computed here.
FEATURE_KERNELS = tuple(
    name for name, kernel in KERNELS.items() if kernel.code is not None
)


Class = TypeVar("Class", bound=type)


def lists_kernels(cls: Class) -> Class:
    """Insert the names of kernels into a class's docstring, for ``{kernels}``."""
    if cls.__doc__:  # not under python -OO
        for field, names in (
            ("kernels", KERNELS),
            ("feature_kernels", FEATURE_KERNELS),
        ):
            words = ", ".join(f'"{name}"' for name in names)
            cls.__doc__ = cls.__doc__.replace(f"{{{field}}}", f"{{{words}}}")
    return cls


def code_of(kernel: str) -> int:
    """The number of a kernel of features in compiled code."""
    code = KERNELS[kernel].code
    assert code is not None, kernel
    return code


# The sum of squares of a thousand such numbers fits into single precision (3e38).
LARGEST = 1e17


def check_single(X: np.ndarray) -> None:
    """Refuse numbers that are too large for kernels in single precision."""
    largest = max(X.max(initial=0.0), -X.min(initial=0.0))
    if not largest <= LARGEST:
        raise ValueError(
            f"X has values around {largest:.1g}, too large for kernels in single "
            "precision: scale the features, for instance with StandardScaler(), or "
            "correct what is out of range."
        )
