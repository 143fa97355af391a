"""All problems of a search on one Gram matrix: what kernel machines share."""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost.learners import PathOutputs, Subproblem
from softcost.solvers.kernels import (
    WITH_WIDTH,
    centred,
    gram_matrix,
    padded,
    submatrix,
)
from softcost.solvers.merge import distinct_rows
from softcost.solvers.path import Family, solve_path
from softcost.solvers.rows import Gram

_OWN_MATRIX_BELOW = 0.75  # share of rows below which a subproblem gets its own matrix


class KernelPath:
    """The Gram matrix over the distinct rows of a search, from which folds take parts.

    It is computed once, when the first fold needs it. Rows that are held out together
    are neighbours in it, so that parts are copied in runs.

    Attributes
    ----------
    groups : array of shape (n,)
        For every row the number of its distinct row.
    n_bytes : int
        The matrix, and the parts that one fold copies from it.
    """

    def __init__(
        self,
        machine: Any,
        X: Any,
        tests: Sequence[NDArray[np.intp]],
        values: NDArray[np.float64],
        softness: NDArray[np.float64],
        threads: int,
    ):
        self.machine, self.values, self.softness = machine, values, softness
        self._X, self._threads, self._lock = X, threads, Lock()
        self._gram: NDArray[np.float32] | None = None
        self._spec = machine.kernel_spec(X)
        if machine.kernel == "precomputed":
            self.groups = np.arange(X.shape[0])
        else:
            self._distinct, self.groups = self._arranged(X, tests)
            self._check_memory(len(self._distinct))
        size = int(self.groups.max()) + 1
        self.n_bytes = 2 * 4 * size * padded(size)

    def _arranged(self, X: Any, tests: Sequence[Any]) -> tuple[Any, Any]:
        """Distinct rows, those held out together side by side, and who is which."""
        dense = self._spec.dense(X)
        first, member = distinct_rows(dense)
        held_out_in = np.full(len(dense), len(tests))
        for number, test in enumerate(tests):
            held_out_in[test] = number
        order = np.argsort(held_out_in[first], kind="stable")
        return dense[first[order]], np.argsort(order)[member]

    def _check_memory(self, n: int) -> None:
        if self._spec.fits(n):
            return
        size = 4 * n * padded(n) / 2**20
        raise MemoryError(
            f"X has n = {n} distinct rows, whose kernel matrix takes {size:.0f} MB, "
            f"more than cache_size={self._spec.megabytes:g} of the learner: raise it, "
            f"{type(self.machine).__name__}(cache_size=...), search on a sample of the "
            "rows, or use another learner."
        )

    def gram(self, train: NDArray[np.intp]) -> NDArray[np.float32]:
        """The matrix for machines that are trained on these rows.

        It is the same for all, unless the kernel's width depends on those rows.
        """
        machine = self.machine
        if machine.kernel in WITH_WIDTH and machine.gamma == "scale":
            return self._computed(machine.kernel_spec(self._X[train]).gamma)
        with self._lock:
            if self._gram is None:
                if machine.kernel == "precomputed":
                    self._gram = centred(np.asarray(self._X))
                else:
                    self._gram = self._computed(self._spec.gamma)
            return self._gram

    def _computed(self, gamma: float) -> NDArray[np.float32]:
        return gram_matrix(
            self._distinct, self.machine.kernel, gamma=gamma, threads=self._threads
        )

    def fold(
        self, train: NDArray[np.intp], rows: NDArray[np.intp], out: NDArray[np.intp]
    ) -> "KernelFold":
        return KernelFold(self, train, self.groups[rows], self.groups[out])


class KernelFold:
    """The parts of the Gram matrix that one fold needs, copied when needed.

    Parameters
    ----------
    path : KernelPath
    train : array
        All training rows.
    places, out : arrays
        Places in the matrix of the rows to learn from and of the held-out rows.
    """

    def __init__(
        self,
        path: KernelPath,
        train: NDArray[np.intp],
        places: NDArray[np.intp],
        out: NDArray[np.intp],
    ):
        self._path, self._train, self._places, self._out = path, train, places, out
        self._lock = Lock()
        self._parts: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None

    def _matrices(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Matrix among the rows to learn from, and of these with held-out ones."""
        with self._lock:
            if self._parts is None:
                gram, places = self._path.gram(self._train), self._places
                self._parts = (
                    submatrix(gram, places, places),
                    submatrix(gram, places, self._out),
                )
            return self._parts

    def solve(
        self,
        subproblem: Subproblem,
        *,
        fitted: bool = False,
        proceed: Callable[[], None] = lambda: None,
    ) -> PathOutputs:
        """Solve a subproblem for all values of C and softness."""
        path = self._path
        family = Family(*path.machine.posed(subproblem))
        gram, cross = self._matrices()
        active = ((family.lower < 0) | (family.upper > 0)).any(
            axis=tuple(range(family.lower.ndim - 1))
        )
        # Rows without a box cost as much per step as others: leave out many of them.
        if not fitted and active.mean() < _OWN_MATRIX_BELOW:
            kept = np.flatnonzero(active)
            gram = submatrix(gram, kept, kept)
            cross = np.ascontiguousarray(cross[kept])
            family = Family(*(part[..., kept] for part in family))
        result = solve_path(
            Gram(gram),
            cross,
            len(self._out),
            family,
            path.values,
            path.softness,
            tol=path.machine.tol,
            max_steps=path.machine.max_iter,
            fitted=fitted,
            proceed=proceed,
        )
        return PathOutputs(result.outputs, result.fitted)

    def release(self) -> None:
        """Give the memory of the parts back."""
        self._parts = None
