"""Cross-validation of learners that walk a path, along softness and one parameter.

Threads of this process share one path. Under a joblib backend with workers of its own,
each worker opens the path for itself. Results are the same to the last bit.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from threading import Lock
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import clone

from softcost.costs import RowCosts
from softcost.learners import (
    BatchedFold,
    HeldOutSolutions,
    Path,
    PathFold,
    Subproblem,
    SupportsBatchedPath,
    SupportsPath,
)
from softcost.parallel import has_own_workers, in_threads, local_threads, run_jobs
from softcost.reductions import FlatReduction, Reduction
from softcost.search.problem import Fold, SearchProblem
from softcost.search.progress import Progress


@dataclass(frozen=True)
class Walk:
    """A path through candidates that differ in softness and the path parameter.

    Attributes
    ----------
    reduction : Reduction
        With everything set but softness.
    learner : SupportsPath
        With everything set but its path parameter.
    values : array of shape (n_values,)
        Of the path parameter.
    softness : array of shape (n_softness,)
        Increasing.
    """

    reduction: Reduction
    learner: Any
    values: NDArray[np.float64]
    softness: NDArray[np.float64]

    def open(self, X: Any, tests: Sequence[NDArray[np.intp]], threads: int) -> Path:
        """Prepare the path over the rows of a search."""
        return self.learner.open_path(
            X, tests, self.values, self.softness, threads=threads
        )


class WalkedFold:
    """A fold of a path: merged training rows, and distinct held-out rows.

    Rows with equal features are solved once and predicted once.

    Attributes
    ----------
    rows : RowCosts
        The merged training rows.
    path_fold : PathFold
        The learner's part of the fold.
    expand : array of shape (n_test,)
        For every held-out row the number of its distinct row.
    """

    rows: RowCosts
    expand: NDArray[Any]

    def __init__(
        self,
        path: Path,
        rows: RowCosts,
        train: NDArray[np.intp],
        test: NDArray[np.intp],
    ) -> None:
        groups = path.groups
        self.rows, merged = rows.part(train).merged(groups[train])
        _, first, self.expand = np.unique(
            groups[test], return_index=True, return_inverse=True
        )
        self.path_fold: PathFold = path.fold(train, train[merged], test[first])

    def for_every_row(self, by_distinct: NDArray[Any]) -> NDArray[Any]:
        """Values for distinct held-out rows (last axis), for every held-out row."""
        return by_distinct[..., self.expand]


def combined(
    reduction: FlatReduction, outputs: Sequence[NDArray[Any]], n_actions: int
) -> NDArray[np.intp]:
    """Predicted classes from the outputs of all subproblems, of the same shape."""
    stacked = np.stack([output.ravel() for output in outputs], axis=-1)
    chosen = reduction.combine(stacked, n_actions).argmax(axis=1)
    return chosen.reshape(outputs[0].shape)


# Batched paths: with costs by class, all rows of a class have the same targets up to
# their weight. So subproblems are posed over the classes, a few numbers, instead of the
# rows, and many of them are solved together.

# Held-out rows predicted at once: large enough for matrix products, small enough for
# the cache.
_BLOCK = 1024


def goes_in_lockstep(walk: Walk, rows: RowCosts) -> bool:
    """Whether subproblems can be posed by class and solved together."""
    reduction = walk.reduction
    return (
        isinstance(walk.learner, SupportsBatchedPath)
        and isinstance(reduction, FlatReduction)
        and reduction.row_by_row
        and not rows.by_example
    )


def walk_in_lockstep(
    walk: Walk,
    folds: Sequence[Callable[[], WalkedFold]],
    n_actions: int,
    threads: int = 1,
    progress: Progress = lambda done, total: None,
) -> list[NDArray[Any]]:
    """Predictions for every fold, shape (n_values, n_softness, n_test).

    The unit of work is a group of subproblems of a fold, of the same size whatever the
    number of threads, so that the bits are the same. A fold is opened, by calling it,
    when its turn comes, and closed when it is predicted: few are open at a time.
    """
    assert isinstance(walk.reduction, FlatReduction)
    size = walk.learner.at_once(len(walk.softness))
    n_subproblems = walk.reduction.n_subproblems(n_actions)
    groups = np.array_split(range(n_subproblems), -(-n_subproblems // size))
    turns = [_Turn(walk, fold, len(groups)) for fold in folds]
    units = [(turn, number) for turn in turns for number in range(len(groups))]
    finished: list[int] = []

    def work(
        unit: tuple[_Turn, int], proceed: Callable[[], None]
    ) -> NDArray[Any] | None:
        turn, number = unit
        fold, subproblems = turn.open()
        path_fold: BatchedFold = fold.path_fold  # type: ignore[assignment]
        solutions = path_fold.solve_many(
            [subproblems[k] for k in groups[number]],
            fold.rows.y,
            fold.rows.weight,
            proceed=proceed,
        )
        every = turn.put(number, solutions)
        finished.append(number)
        progress(len(finished), len(units))
        if every is None:
            return None
        fold.path_fold.release()
        return fold.for_every_row(_predicted(walk, fold, every, proceed))

    results = in_threads(work, units, threads)
    return [predicted for predicted in results if predicted is not None]


class _Turn:
    """A fold from its first group of subproblems to its last."""

    def __init__(self, walk: Walk, fold: Callable[[], WalkedFold], n_groups: int):
        self._walk, self._fold, self._lock = walk, fold, Lock()
        self._opened: tuple[WalkedFold, list[Subproblem]] | None = None
        self._solved: dict[int, HeldOutSolutions] = {}
        self._n_groups = n_groups

    def open(self) -> tuple[WalkedFold, list[Subproblem]]:
        """The fold and its subproblems."""
        with self._lock:
            if self._opened is None:
                fold = self._fold()
                self._opened = fold, _by_class(self._walk, fold.rows)
            return self._opened

    def put(
        self, number: int, solutions: HeldOutSolutions
    ) -> list[HeldOutSolutions] | None:
        """Store solutions; returns all solutions of the fold after the last."""
        with self._lock:
            self._solved[number] = solutions
            if len(self._solved) < self._n_groups:
                return None
            self._opened = None
            return [self._solved.pop(k) for k in range(self._n_groups)]


def _by_class(walk: Walk, rows: RowCosts) -> list[Subproblem]:
    """Every subproblem over the classes, at all softness values."""
    assert isinstance(walk.reduction, FlatReduction)
    n_classes = rows.n_classes
    classes = replace(
        rows,
        y=np.arange(n_classes),
        weight=np.ones(n_classes),
        error_weight=rows.weight_of_errors,
    )
    return list(walk.reduction.path_subproblems(classes, walk.softness.tolist()))


def _predicted(
    walk: Walk,
    fold: WalkedFold,
    solved: Sequence[HeldOutSolutions],
    proceed: Callable[[], None],
) -> NDArray[Any]:
    """Predicted classes for distinct held-out rows, one block after the other."""
    assert isinstance(walk.reduction, FlatReduction)
    n_out, n_actions = int(fold.expand.max(initial=-1)) + 1, fold.rows.n_actions
    shape = (len(walk.values), len(walk.softness))
    out = np.empty((*shape, n_out), np.min_scalar_type(n_actions))
    for start in range(0, n_out, _BLOCK):
        proceed()
        part = slice(start, min(start + _BLOCK, n_out))
        outputs = np.concatenate(
            [solutions.outputs(part) for solutions in solved], axis=2
        )
        by_problem = outputs.swapaxes(2, 3).reshape(-1, outputs.shape[2])
        chosen = walk.reduction.combine(by_problem, n_actions).argmax(axis=1)
        out[..., part] = np.moveaxis(chosen.reshape(-1, *shape), 0, -1)
    return out


def walk_in_threads(
    walk: Walk, problem: SearchProblem, threads: int, progress: Progress
) -> list[NDArray[np.intp]]:
    """Predictions for every fold, shape (n_values, n_softness, n_test)."""
    path = walk.open(problem.data.X, problem.tests, threads)
    rows = problem.data.rows
    if goes_in_lockstep(walk, rows):
        later = [partial(WalkedFold, path, rows, *fold) for fold in problem.folds]
        return walk_in_lockstep(walk, later, rows.n_actions, threads, progress)
    folds = [WalkedFold(path, rows, train, test) for train, test in problem.folds]
    if isinstance(walk.reduction, FlatReduction):
        return _flat(walk, walk.reduction, folds, threads, progress)
    return _fold_by_fold(walk, folds, threads, progress)


def _flat(
    walk: Walk,
    reduction: FlatReduction,
    folds: list[WalkedFold],
    threads: int,
    progress: Progress,
) -> list[NDArray[np.intp]]:
    """Subproblems side by side; the last one of a fold combines them all.

    Fold by fold, so that at most as many folds are open as there are threads. The next
    fold is opened while other threads still work on the last.
    """
    n_actions = folds[0].rows.n_actions
    n_subproblems = reduction.n_subproblems(n_actions)
    n_jobs = n_subproblems * len(folds)
    finished: list[int] = []

    def solve_next(
        queue: _SubproblemQueue, proceed: Callable[[], None]
    ) -> NDArray[np.intp] | None:
        number, subproblem = queue.take()
        outputs = queue.fold.path_fold.solve(subproblem, proceed=proceed).outputs
        every = queue.put(number, outputs)
        finished.append(number)
        progress(len(finished), n_jobs)
        if every is None:
            return None
        return queue.fold.for_every_row(combined(reduction, every, n_actions))

    queues = [
        _SubproblemQueue(
            fold, reduction.path_subproblems(fold.rows, walk.softness.tolist()),
            n_subproblems,
        )
        for fold in folds
    ]  # fmt: skip
    turns = [queue for queue in queues for _ in range(n_subproblems)]
    results = in_threads(solve_next, turns, threads)
    return [predicted for predicted in results if predicted is not None]


class _SubproblemQueue:
    """The subproblems of a fold: made, handed out and collected one by one."""

    def __init__(self, fold: WalkedFold, subproblems: Any, n_subproblems: int):
        self.fold, self._subproblems, self._lock = fold, subproblems, Lock()
        self._outputs: list[NDArray[Any] | None] = [None] * n_subproblems
        self._taken = self._solved = 0

    def take(self) -> tuple[int, Subproblem]:
        """The next subproblem, and its number."""
        with self._lock:
            self._taken += 1
            return self._taken - 1, next(self._subproblems)

    def put(self, number: int, outputs: NDArray[Any]) -> list[NDArray[Any]] | None:
        """Store outputs; returns all outputs of the fold after the last."""
        with self._lock:
            self._outputs[number] = outputs
            self._solved += 1
            if self._solved < len(self._outputs):
                return None
            self.fold.path_fold.release()
            self._subproblems.close()
            every, self._outputs = self._outputs, []
            return every  # type: ignore[return-value]


def _fold_by_fold(
    walk: Walk, folds: list[WalkedFold], threads: int, progress: Progress
) -> list[NDArray[np.intp]]:
    """Folds side by side, for a reduction that walks a fold by itself."""
    finished: list[WalkedFold] = []

    def work(fold: WalkedFold, proceed: Callable[[], None]) -> NDArray[np.intp]:
        predicted = walk_whole_fold(walk, fold, proceed)
        finished.append(fold)
        progress(len(finished), len(folds))
        return predicted

    return in_threads(work, folds, threads)


def walk_whole_fold(
    walk: Walk, fold: WalkedFold, proceed: Callable[[], None] = lambda: None
) -> NDArray[np.intp]:
    """Predictions of a reduction that walks a fold by itself."""
    reduction: Any = walk.reduction  # with `walk_fold`, see `can_walk`
    predicted = reduction.walk_fold(
        fold.path_fold, fold.rows, len(walk.values), walk.softness.tolist(), proceed
    )
    fold.path_fold.release()
    return fold.for_every_row(predicted)


# Workers of a joblib backend (loky, multiprocessing, dask and others): the unit of work
# is a pure function of a fold and a block of its subproblems, which opens the path for
# itself. A fold needs the whole path anyway, and no state has to stay on a worker.
# Shared data are sent once to each worker.


def walk_on_workers(
    walk: Walk, problem: SearchProblem, progress: Progress
) -> list[NDArray[np.intp]]:
    """Predictions for every fold, shape (n_values, n_softness, n_test)."""
    data = problem.data
    options: Any = {
        "shared": (data.X, data.rows, problem.tests, walk),
        "n_jobs": problem.n_jobs,
        "progress": progress,
    }
    reduction = walk.reduction
    if goes_in_lockstep(walk, data.rows) or not isinstance(reduction, FlatReduction):
        return run_jobs(walk_fold, [(fold,) for fold in problem.folds], **options)
    n_actions = data.rows.n_actions
    n_blocks = -(-effective_n_jobs(problem.n_jobs) // len(problem.folds))
    blocks = list(_blocks(reduction.n_subproblems(n_actions), n_blocks))
    jobs = [(fold, block) for fold in problem.folds for block in blocks]
    results = run_jobs(solve_block, jobs, **options)
    predicted = []
    for start in range(0, len(results), len(blocks)):
        of_fold = results[start : start + len(blocks)]
        outputs = [output for of_block, _ in of_fold for output in of_block]
        expand = of_fold[0][1]
        predicted.append(combined(reduction, outputs, n_actions)[..., expand])
    return predicted


def _blocks(n_subproblems: int, n_blocks: int) -> Iterator[tuple[int, int]]:
    """Ranges of subproblems of about the same size.

    Examples
    --------
    >>> list(_blocks(7, 3))
    [(0, 3), (3, 6), (6, 7)]
    """
    size = -(-n_subproblems // max(min(n_blocks, n_subproblems), 1))
    for start in range(0, n_subproblems, size):
        yield start, min(start + size, n_subproblems)


def solve_block(
    X: Any,
    rows: RowCosts,
    tests: Sequence[NDArray[np.intp]],
    walk: Walk,
    fold: Fold,
    block: tuple[int, int],
) -> tuple[list[NDArray[Any]], NDArray[np.intp]]:
    """Outputs of some subproblems of a fold: the unit of work of flat reductions.

    Returns
    -------
    outputs : list of arrays of shape (n_values, n_softness, n_distinct)
        For distinct held-out rows.
    expand : array of shape (n_test,)
        Which of them each held-out row is.
    """
    opened = WalkedFold(walk.open(X, tests, 1), rows, *fold)
    assert isinstance(walk.reduction, FlatReduction)
    subproblems = walk.reduction.path_subproblems(opened.rows, walk.softness.tolist())
    chosen = islice(subproblems, *block)
    outputs = [opened.path_fold.solve(subproblem).outputs for subproblem in chosen]
    return outputs, opened.expand


def walk_fold(
    X: Any,
    rows: RowCosts,
    tests: Sequence[NDArray[np.intp]],
    walk: Walk,
    fold: Fold,
) -> NDArray[np.intp]:
    """Predictions of a fold: the unit of work where a fold is walked as a whole."""
    opened = WalkedFold(walk.open(X, tests, 1), rows, *fold)
    if goes_in_lockstep(walk, rows):
        return walk_in_lockstep(walk, [lambda: opened], rows.n_actions)[0]
    return walk_whole_fold(walk, opened)


def can_walk(problem: SearchProblem) -> bool:
    """Whether all candidates can be searched along paths.

    With one class there are no subproblems, so there is nothing to walk.
    """
    reduction, learner = problem.reduction, problem.reduction.working_learner()
    return (
        problem.data.rows.n_classes > 1
        and problem.data.fit_params is None
        and (isinstance(reduction, FlatReduction) or hasattr(reduction, "walk_fold"))
        and isinstance(learner, SupportsPath)
        and all(
            learner.path_parameter in inner and "learner" not in outer
            for outer, inner in map(reduction.split_params, problem.settings)
        )
    )


def predictions(problem: SearchProblem) -> list[NDArray[np.intp]]:
    """Predictions for the held-out rows of every fold.

    Returns
    -------
    list of arrays of shape (n_settings, n_softness, n_test)
    """
    reduction, settings = problem.reduction, problem.settings
    along = reduction.working_learner().path_parameter
    paths = _paths(map(reduction.split_params, settings), along)
    shape = (len(settings), len(problem.softness))
    small = np.min_scalar_type(problem.data.rows.n_actions)
    out = [np.empty((*shape, len(test)), small) for test in problem.tests]
    for number, path in enumerate(paths):
        walked = clone(reduction)
        walked.set_params(**path.outer)
        learner = clone(walked.working_learner())
        learner.set_params(**path.inner)
        walk = Walk(walked, learner, np.array(path.values, float), problem.softness)
        progress = _part_of(problem.progress, number, len(paths))
        for fold, predicted in enumerate(_walked(walk, problem, progress)):
            out[fold][path.members] = predicted
    return out


def _walked(
    walk: Walk, problem: SearchProblem, progress: Progress
) -> list[NDArray[np.intp]]:
    if has_own_workers():
        return walk_on_workers(walk, problem, progress)
    return walk_in_threads(walk, problem, local_threads(problem.n_jobs), progress)


@dataclass
class _Path:
    """Settings that differ in the path parameter only."""

    outer: dict[str, Any]  # parameters of the reduction
    inner: dict[str, Any]  # other parameters of the learner
    values: list[float] = field(default_factory=list)
    members: list[int] = field(default_factory=list)  # numbers of the settings


def _paths(settings: Iterable[tuple[dict, dict]], path_parameter: str) -> list[_Path]:
    """Settings, split into the reduction's and the learner's, by path."""
    paths: list[_Path] = []
    for number, (outer, inner) in enumerate(settings):
        others = {key: value for key, value in inner.items() if key != path_parameter}
        for path in paths:
            if _same(path.outer, outer) and _same(path.inner, others):
                break
        else:
            path = _Path(outer, others)
            paths.append(path)
        path.values.append(inner[path_parameter])
        path.members.append(number)
    return paths


def _same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Whether two sets of parameters are equal; arrays by their values."""
    return a.keys() == b.keys() and all(np.array_equal(a[key], b[key]) for key in a)


def _part_of(progress: Progress, number: int, n_parts: int) -> Progress:
    """The progress of one of several parts of the same length."""
    return lambda done, total: progress(number * total + done, n_parts * total)
