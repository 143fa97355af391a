"""Fitted kernel machines that share their support vectors, and their kernel.

Compiled code is imported when machines are evaluated, so they load without numba.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from softcost.solvers.dual_problem import Solution
from softcost.solvers.kernel_functions import LARGEST, check_single, code_of

_BLOCK = 256  # rows predicted at once: their kernel values stay in cache
_MOST_VALUES = 2**24  # kernel values at once (64 MB), however many vectors there are
# A feature is centred if its middle is further from zero than this many times its
# range: then single precision would lose three bits or more of its differences.
_FAR = 8.0


def centre_of(X: Any) -> NDArray[Any] | None:
    """The centre of features that lie far from zero, or None if none does.

    Kernels are functions of differences, and single precision would lose those of
    numbers like 100000.1 and 100000.2. The centre is a round number, so it does not
    change with every row.
    """
    if X.shape[0] == 0:
        return None
    least, most = X.min(axis=0), X.max(axis=0)
    if sparse.issparse(X):
        least, most = least.toarray().ravel(), most.toarray().ravel()
    middle, extent = (least + most) / 2, most - least
    if 0 < extent.max() < 1 / LARGEST:
        raise ValueError(
            f"X varies by {extent.max():.1g} at most, too little for kernels in single "
            "precision: scale the features, for instance with StandardScaler()."
        )
    far = np.abs(middle) > _FAR * extent
    if not far.any():
        return None
    unit = 2.0 ** np.ceil(np.log2(np.where(extent > 0, extent, 1.0)))
    return np.where(far, np.round(middle / unit) * unit, 0.0)


@dataclass(frozen=True)
class KernelSpec:
    """A kernel with its width, and the memory for its rows.

    ``centre`` is subtracted before rows are converted to single precision.
    """

    name: str
    gamma: float
    megabytes: float
    centre: np.ndarray | None = None

    def dense(self, X: Any) -> NDArray[Any]:
        """``X`` as a dense array of single precision; an error if it is too large."""
        if sparse.issparse(X):
            self._check_size(X)
            X = X.astype(np.float32).toarray() if self.centre is None else X.toarray()
        if self.centre is not None:
            X = X - self.centre
        check_single(X)
        return np.ascontiguousarray(X, dtype=np.float32)

    def _check_size(self, X) -> None:
        """Refuse a sparse matrix that would be too large as a dense one."""
        needed = X.shape[0] * X.shape[1] * 4 / 2**20
        if needed > self.megabytes:
            raise MemoryError(
                f"X has {X.shape[0]} x {X.shape[1]} entries, which take "
                f"{needed:.0f} MB as a dense array for this kernel, more than "
                f"cache_size={self.megabytes:g}: raise cache_size, reduce the "
                "features (TruncatedSVD), or use a linear learner."
            )

    def original(self, x: np.ndarray) -> np.ndarray:
        """The inverse of `dense`, up to rounding."""
        return x.astype(np.float64) + (0.0 if self.centre is None else self.centre)


@dataclass(frozen=True)
class Machines:
    """Fitted machines that share their support vectors.

    Attributes
    ----------
    support : array of shape (n_support,)
        Training rows with a coefficient in some machine.
    vectors : array of shape (n_support, n_features), float32, or None
        None for a precomputed kernel.
    coef : array of shape (n_support, n_machines)
    intercept : array of shape (n_machines,)
        Intercepts with the kernel itself.
    offset : array of shape (n_machines,)
        Intercepts with its distance form, in which outputs are computed.
    """

    kernel: KernelSpec
    support: np.ndarray
    vectors: np.ndarray | None
    coef: np.ndarray
    intercept: np.ndarray
    offset: np.ndarray
    solutions: tuple[Solution, ...]

    def outputs(self, X: Any) -> NDArray[Any]:
        """Outputs of all machines, shape (n_rows, n_machines), one block at a time."""
        if self.vectors is None:
            return np.asarray(X)[:, self.support] @ self.coef + self.intercept
        return MachineScorer(self)(X)

    def scorer(self) -> "MachineScorer | None":
        """Computes outputs repeatedly; None for a kernel that the user computes."""
        return None if self.vectors is None else MachineScorer(self)


class MachineScorer:
    """Outputs of fitted machines, with what all calls share.

    A few rows are compared with panels of vectors, many rows the other way round. The
    results are equal to the bit: both add the same terms in the order of the vectors.

    Parameters
    ----------
    machines : Machines
    """

    def __init__(self, machines: Machines):
        self._machines = machines
        self._by_machine = sparse.csr_array(machines.coef.T)
        self._coef = np.require(machines.coef, np.float64, ["C", "W"])
        self._offset = np.require(machines.offset, np.float64, ["C", "W"])
        self._panels: np.ndarray | None = None

    def __call__(self, X: Any) -> NDArray[Any]:
        """Outputs of shape (n_rows, n_machines)."""
        from softcost.solvers.kernels import WIDTH, kernel_rows, pack
        from softcost.solvers.scoring import linear_outputs

        if X.shape[0] >= WIDTH:
            return self._by_blocks(X)
        kernel, vectors = self._machines.kernel, self._machines.vectors
        assert vectors is not None
        if self._panels is None:
            self._panels = pack(vectors)
        rows = kernel.dense(X)
        values = np.empty((len(rows), WIDTH * len(self._panels)), np.float32)
        kernel_rows(rows, self._panels, code_of(kernel.name), kernel.gamma, values, 0)
        out = np.empty((len(rows), self._coef.shape[1]))
        values = np.ascontiguousarray(values[:, : len(self._coef)], np.float64)
        linear_outputs(values, self._coef, self._offset, out)
        return out

    def _by_blocks(self, X: Any) -> NDArray[Any]:
        from softcost.solvers.kernels import kernel_rows, pack, padded, sum_rows

        kernel, coef = self._machines.kernel, self._machines.coef
        by_machine, vectors = self._by_machine, self._machines.vectors
        out = np.empty((X.shape[0], coef.shape[1]))
        code, gamma = code_of(kernel.name), kernel.gamma
        size = min(_BLOCK, padded(_MOST_VALUES // max(len(coef), 1)))
        for start in range(0, X.shape[0], size):
            block = kernel.dense(X[start : start + size])
            panels = pack(block)
            values = np.empty((len(coef), padded(len(block))), np.float32)
            kernel_rows(vectors, panels, code, gamma, values, 0)
            sums = np.zeros((coef.shape[1], values.shape[1]))
            sum_rows(
                values, by_machine.indptr, by_machine.indices, by_machine.data, sums
            )
            out[start : start + size] = sums[:, : len(block)].T
        return out + self._machines.offset
