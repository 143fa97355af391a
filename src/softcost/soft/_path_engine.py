"""Cross-validation of kernel machines on one Gram matrix, along softness and C."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from softcost.reductions import FilterTree, FlatReduction, Prices, Reduction, Task
from softcost.reductions import filter_tree as tree
from softcost.reductions.learners import pose_machines, shares_work
from softcost.solvers.kernels import centred, gram_matrix, padded, submatrix
from softcost.solvers.merge import distinct_rows
from softcost.solvers.path import Family, PathResult, solve_path
from softcost.solvers.rows import Gram
from softcost.solvers.threads import in_threads

_MANY = 8  # families of a fold, from which on folds wait for each other
_OWN_MATRIX_BELOW = 0.75  # share of rows below which a family gets its own matrix
_WITH_WIDTH = ("laplacian", "exponential", "rbf")


def can_walk(reduction: Reduction, params: Collection[str]) -> bool:
    """Whether softness and C of this reduction can be searched along paths."""
    return (
        isinstance(reduction, FlatReduction | FilterTree)
        and shares_work(reduction._learner())
        and "C" in params
    )


@dataclass(frozen=True)
class Grid:
    """Values of C and softness, and how the solver is to work."""

    C: NDArray[np.float64]
    softness: NDArray[np.float64]
    tol: float
    max_steps: int


class Matrices:
    """The Gram matrix over the distinct rows, and its parts for a fold.

    Rows that are held out together are neighbours, so that parts are copied in runs.
    """

    def __init__(self, learner, X, tests: Sequence[NDArray], threads: int):
        self.learner, self.X, self.threads = learner, X, threads
        self.spec = learner._spec(X)
        self._x: NDArray[np.float32] | None = None
        self._shared: NDArray[np.float32] | None = None
        if learner.kernel == "precomputed":
            self.group = np.arange(X.shape[0])
            self._shared = centred(np.asarray(X))
            return
        dense = self.spec.dense(X)
        first, member = distinct_rows(dense)
        held_out_in = np.full(len(dense), len(tests))
        for number, test in enumerate(tests):
            held_out_in[test] = number
        order = np.argsort(held_out_in[first], kind="stable")
        first = first[order]
        self.group = np.argsort(order)[member]
        self._x = dense[first]
        if not self.spec.fits(len(first)):
            size = 4 * len(first) * padded(len(first)) / 2**20
            raise MemoryError(
                f"X has n = {len(first)} distinct rows, whose kernel matrix takes "
                f"{size:.0f} MB, more than cache_size={self.spec.megabytes:g} of the "
                f"learner: raise it, {type(learner).__name__}(cache_size=...), search "
                "on a sample of the rows, or use another learner."
            )
        if learner.kernel not in _WITH_WIDTH or learner.gamma != "scale":
            self._shared = self._gram(self.spec.gamma)

    def _gram(self, gamma: float) -> NDArray[np.float32]:
        assert self._x is not None
        return gram_matrix(
            self._x, self.learner.kernel, gamma=gamma, threads=self.threads
        )

    def parts(self, train, places, out) -> tuple[NDArray, NDArray]:
        """Matrix among ``places``, and of these with ``out``, for training rows."""
        gram = self._shared
        if gram is None:  # the kernel's width depends on the training rows
            gram = self._gram(self.learner._spec(self.X[train]).gamma)
        return submatrix(gram, places, places), submatrix(gram, places, out)


class Fold:
    """One training and test set: prices, matrices and families, made when needed."""

    def __init__(self, train, test, matrices: Matrices, prices: Prices):
        self.train, self.test = train, test
        self._matrices, self._lock = matrices, Lock()
        self._parts: tuple[NDArray, NDArray] | None = None
        group = matrices.group[train]
        self.prices, rows = _merge_rows(prices, group)
        self._places = group[rows]
        self._out, self._expand = np.unique(matrices.group[test], return_inverse=True)

    def solve(self, family: Family, grid: Grid, proceed, fitted=False) -> PathResult:
        """Solve a family on this fold's matrices."""
        with self._lock:
            if self._parts is None:
                self._parts = self._matrices.parts(self.train, self._places, self._out)
        gram, cross = self._parts
        active = ((family.lower < 0) | (family.upper > 0)).any(
            axis=tuple(range(family.lower.ndim - 1))
        )
        if not fitted and active.mean() < _OWN_MATRIX_BELOW:
            kept = np.flatnonzero(active)
            gram = submatrix(gram, kept, kept)
            cross = np.ascontiguousarray(cross[kept])
            family = Family(*(part[..., kept] for part in family))
        return solve_path(
            Gram(gram),
            cross,
            len(self._out),
            family,
            grid.C,
            grid.softness,
            tol=grid.tol,
            max_steps=grid.max_steps,
            fitted=fitted,
            proceed=proceed,
        )

    def release(self) -> None:
        """Give the memory of the matrices back."""
        self._parts = None

    def everyone(self, by_distinct: NDArray) -> NDArray:
        """Values for distinct held-out rows (last axis), for every held-out row."""
        return by_distinct[..., self._expand]

    @property
    def n_out(self) -> int:
        return len(self._out)


def _merge_rows(prices: Prices, group) -> tuple[Prices, NDArray]:
    """Rows in the order of their group; equal ones of a class as one, if they may be.

    Where costs depend on the class only, such rows pose the same problems.
    """
    if prices.matrix is None:
        rows = np.argsort(group, kind="stable")
        weight = prices.weight[rows]
    else:
        key = group * len(prices.classes) + prices.y
        _, rows, member = np.unique(key, return_index=True, return_inverse=True)
        weight = np.bincount(member, prices.weight, len(rows)).astype(np.float64)
    merged = replace(prices, y=prices.y[rows], costs=prices.costs[rows], weight=weight)
    return merged, rows


def walk(
    reduction: Reduction,
    learner,
    X,
    folds: Sequence[tuple[NDArray, NDArray, Prices]],
    C: NDArray[np.float64],
    softness: NDArray[np.float64],
    *,
    threads: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[NDArray[np.intp]]:
    """Predictions for the held-out rows of every fold.

    Parameters
    ----------
    reduction : FlatReduction or FilterTree
    learner : KernelSVC or OneSidedSVR
        With everything set but C.
    folds : sequence of (train, test, prices of the training rows)

    Returns
    -------
    list of arrays of shape (n_C, n_softness, n_test)
        Numbers of the predicted classes.
    """
    matrices = Matrices(learner, X, [test for _, test, _ in folds], threads)
    grid = Grid(C, softness, learner.tol, learner.max_iter)
    prepared = [Fold(train, test, matrices, prices) for train, test, prices in folds]
    if isinstance(reduction, FilterTree):
        return _walk_trees(reduction, prepared, grid, threads, progress)
    return _walk_flat(reduction, prepared, grid, threads, progress)


def _stack(problems) -> Family:
    """One family from the problems of one machine at several softness values."""
    return Family(*(np.stack(parts) for parts in zip(*problems, strict=True)))


def _families(reduction, prices: Prices, softness) -> Iterator[Family]:
    """One family for each subproblem, made when it is asked for."""
    tasks = [prices.task(a) for a in softness]
    if not reduction.by_example:
        by_softness = [reduction._subproblems(task) for task in tasks]
        for subproblems in zip(*by_softness, strict=True):
            yield _stack(pose_machines(subproblems))
        return
    # Each example's part depends on its own costs only: pose all tasks as one.
    together = Task(
        y=np.tile(prices.y, len(tasks)),
        costs=np.concatenate([task.costs for task in tasks]),
        matrix=None,
        weight=np.tile(prices.weight, len(tasks)),
    )
    shape = (len(tasks), len(prices.y))
    for subproblem in reduction._subproblems(together):
        (problem,) = pose_machines([subproblem])
        yield Family(*(part.reshape(shape) for part in problem))


def _walk_flat(reduction, folds, grid, threads, progress):
    n_classes = len(folds[0].prices.classes)
    n_families = reduction._n_subproblems(n_classes)
    n_jobs, finished = n_families * len(folds), []

    def prepare(fold):
        families = _families(reduction, fold.prices, grid.softness)
        return fold, families, Lock(), []

    def work(job, proceed):
        """Solve the next family of a fold; the last one combines them all."""
        fold, families, lock, outputs = job
        with lock:
            number, family = len(outputs), next(families)
            outputs.append(None)
        outputs[number] = fold.solve(family, grid, proceed).outputs
        with lock:
            finished.append(number)
            progress(len(finished), n_jobs)
            if len(outputs) < n_families or any(one is None for one in outputs):
                return None
            fold.release()
            families.close()
            shape = outputs[0].shape
            stacked = np.stack([one.ravel() for one in outputs], axis=-1)
            outputs.clear()
        chosen = reduction._combine(stacked, n_classes).argmax(axis=1)
        return fold.everyone(chosen.reshape(shape))

    def run(some):
        jobs = [job for job in map(prepare, some) for _ in range(n_families)]
        return [one for one in in_threads(work, jobs, threads) if one is not None]

    if n_families < _MANY:
        return run(folds)
    # Many families keep all threads busy within a fold: one fold's matrices at a time.
    return [predicted for fold in folds for predicted in run([fold])]


def _walk_trees(reduction, folds, grid, threads, progress):
    finished = []
    nodes = reduction._tree(folds[0].prices.classes)

    def work(fold, proceed):
        predicted = _walk_tree(nodes, fold, grid, proceed)
        fold.release()
        finished.append(fold)
        progress(len(finished), len(folds))
        return fold.everyone(predicted)

    return in_threads(work, folds, threads)


def _walk_tree(nodes, fold: Fold, grid: Grid, proceed) -> NDArray[np.intp]:
    """Winners of the tournament for the distinct held-out rows of a fold.

    The nodes above leaves meet other winners for every C and softness.
    """
    tasks = [fold.prices.task(a) for a in grid.softness]
    shape = (len(grid.C), len(grid.softness))
    n = len(fold.prices.y)
    won = np.empty((len(nodes), *shape, n), np.intp)
    won_out = np.empty((len(nodes), *shape, fold.n_out), np.intp)
    for number, node in enumerate(nodes):
        left, right = (_winners(side, won, (*shape, n)) for side in node[:2])
        n_C = 1 if node.height == 1 else len(grid.C)
        family = _stack(
            [
                _stack(
                    pose_machines(
                        [
                            tree.match(task.costs, left[c, a], right[c, a], task.weight)
                            for a, task in enumerate(tasks)
                        ]
                    )
                )
                for c in range(n_C)
            ]
        )
        result = fold.solve(family, grid, proceed, fitted=True)
        won[number] = tree.winner(result.fitted, left, right)
        left, right = (_winners(side, won_out, won_out.shape[1:]) for side in node[:2])
        won_out[number] = tree.winner(result.outputs, left, right)
    return won_out[-1]


def _winners(side, won, shape):
    return np.broadcast_to(side, shape) if side >= 0 else won[-1 - side]
