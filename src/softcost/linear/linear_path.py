"""All problems of a search, in lockstep."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from softcost.learners import PathOutputs, Subproblem, warn_not_converged
from softcost.linear.features import Rows, Standardised, on_disk, precision
from softcost.linear.losses import Posed, pose
from softcost.linear.newton import Solved, solve
from softcost.parallel import one_thread

# Many machines on the same rows: fitted together, and along a path.


@dataclass(frozen=True)
class LinearMachines:
    """Fitted machines: what predicts, and the certificate of each.

    Attributes
    ----------
    model : object with ``outputs(X)``
    certificate, gap : arrays of shape (m,)
    steps : array of shape (m,)
    """

    model: Any
    certificate: NDArray[np.float64]
    gap: NDArray[np.float64]
    steps: NDArray[np.intp]

    def outputs(self, X: Any) -> NDArray[np.float64]:
        """Outputs of all machines, shape (n, m)."""
        with one_thread():
            return self.model.outputs(X)


@dataclass(frozen=True)
class Settings:
    """How problems are solved: the loss for labels, the tolerance, the limit."""

    logistic: bool
    tol: float
    max_steps: int


def solve_posed(
    rows: Rows,
    penalty: NDArray[np.float64],
    posed: Sequence[Posed],
    values: NDArray[np.float64],
    settings: Settings,
    proceed: Callable[[], None] = lambda: None,
) -> Solved:
    """Solve posed problems for all values of C, constants included.

    Parameters
    ----------
    posed : sequence of Posed
        One for all values of C, or one for each.

    Returns
    -------
    Solved
        Coefficients are those of outputs in the units of the targets.
    """
    shape = (len(values), len(posed[0].constant))
    coef = np.zeros((shape[0], rows.width, shape[1]))
    certificate, gap = np.zeros(shape), np.zeros(shape)
    steps = np.zeros(shape, np.intp)
    for number, one in enumerate(posed):
        chosen = slice(None) if len(posed) == 1 else slice(number, number + 1)
        solved = one.solved
        coef[chosen, -1, :] = one.constant
        if not solved.any():
            continue
        found = solve(
            rows,
            one.columns,
            penalty,
            values[chosen],
            tol=settings.tol,
            max_steps=settings.max_steps,
            proceed=proceed,
        )
        spread = one.spread[solved]
        here = coef[chosen]
        here[:, :, solved] = found.coef * spread
        here[:, -1, solved] += one.centre[solved]
        certificate[chosen, solved] = found.certificate
        gap[chosen, solved] = found.gap * spread**2
        steps[chosen, solved] = found.steps
    return Solved(coef, certificate, gap, steps)


Kind = TypeVar("Kind", bound=Subproblem)


class LinearPath:
    """Rows of a search in the space of a machine, from which folds take theirs.

    Rows that are held out together are neighbours, so that a fold's rows are a few
    runs and nothing is copied. Rows of a memory-mapped file stay there.

    Attributes
    ----------
    groups : array of shape (n,)
        Every row is one of its own: merging equal ones would save little.
    n_bytes : int
    """

    def __init__(
        self,
        machine: Any,
        X: Any,
        tests: Sequence[NDArray[np.intp]],
        values: NDArray[np.float64],
        softness: NDArray[np.float64],
    ):
        n = X.shape[0]
        self.machine, self.values, self.softness = machine, values, softness
        self.groups = np.arange(n)
        self._order = _narrow(side_by_side(n, tests), n)
        self._place = np.empty_like(self._order)
        self._place[self._order] = np.arange(n)
        self._space = Standardised.of(X)
        self._dtype = precision(X.shape, machine.tol)
        self._X, self._matrix = X, None
        self.n_bytes = 2 * self._order.nbytes
        if not on_disk(X):
            self._X, self._matrix = (
                None,
                self._space.matrix(X, self._dtype, self._order),
            )
            self.n_bytes += n * (X.shape[1] + 1) * self._dtype.itemsize

    def fold(
        self, train: NDArray[np.intp], rows: NDArray[np.intp], out: NDArray[np.intp]
    ) -> "LinearFold":
        order = _narrow(np.argsort(self._place[rows], kind="stable"), len(rows))
        inside = self._rows(self._place[rows[order]])
        outside = self._rows(self._place[out])
        return LinearFold(self, self._space.penalty, inside, order, outside)

    def _rows(self, places: NDArray[np.intp]) -> Rows:
        if self._matrix is None:
            own = self._order[places]
            return self._space.rows_on_disk(self._X, self._dtype, own)
        return Rows(self._matrix, places)


def _narrow(numbers: NDArray[np.intp], n: int) -> NDArray[Any]:
    """Numbers below n, in as few bytes as most tables of rows need: there are many."""
    return numbers.astype(np.int32) if n < 2**31 else numbers


def side_by_side(n: int, tests: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    """An order of n rows in which those that are held out together are neighbours."""
    held_out_in = np.full(n, len(tests))
    for number, test in enumerate(tests):
        held_out_in[test] = number
    return np.argsort(held_out_in, kind="stable")


class LinearFold:
    """One training set, on which subproblems are solved together.

    Parameters
    ----------
    path : object
        With ``machine``, ``values`` and ``softness``.
    penalty : array of shape (width,)
    inside : Rows
        The rows to learn from, in an order of their own.
    order : array of shape (n_rows,)
        The number of each of them in the caller's order.
    outside : Rows
        Held-out rows.
    cache_size : float
        Megabytes for features while a group of problems is solved.
    """

    def __init__(
        self,
        path: Any,
        penalty: NDArray[np.float64],
        inside: Rows,
        order: NDArray[np.intp],
        outside: Rows,
        cache_size: float = 0.0,
    ):
        self._machine, self._values = path.machine, path.values
        self._n_softness, self._penalty = len(path.softness), penalty
        self._inside, self._order, self._outside = inside, order, outside
        self._settings, self._cache_size = path.machine.settings(), cache_size

    def solve(
        self,
        subproblem: Subproblem,
        *,
        fitted: bool = False,
        proceed: Callable[[], None] = lambda: None,
    ) -> PathOutputs:
        """Solve a subproblem for all values of C and softness."""
        self._machine.check_kind(subproblem)
        coef = self._solved(self._by_row(subproblem), proceed)
        outputs = self._outputs(self._outside, coef)
        inside = None
        if fitted:
            inside = np.empty((*outputs.shape[:2], len(self._order)), outputs.dtype)
            inside[..., self._order] = self._outputs(self._inside, coef)
        return PathOutputs(outputs, inside)

    def _by_row(self, subproblem: Subproblem) -> list[Posed]:
        """One problem for each softness; for each value of C, too, where it changes."""
        shape = subproblem.target.shape
        leading = shape[0] if len(shape) == 3 else 1
        parts = subproblem.reshaped(leading, self._n_softness, shape[-1])
        every, ones = np.arange(shape[-1]), np.ones(shape[-1])
        return [
            self._posed([_part(parts, number, self._order)], every, ones)
            for number in range(leading)
        ]

    def solve_many(
        self,
        subproblems: Sequence[Subproblem],
        kind: NDArray[np.intp],
        weight: NDArray[np.float64],
        *,
        proceed: Callable[[], None] = lambda: None,
    ) -> "LinearSolutions":
        """Solve subproblems posed by kinds of rows, see `softcost.learners`."""
        self._machine.check_kind(subproblems[0])
        posed = self._posed(subproblems, kind[self._order], weight[self._order])
        coef = self._solved([posed], proceed)
        return LinearSolutions(self._outside, coef, self._n_softness)

    def _posed(
        self,
        subproblems: Sequence[Subproblem],
        kind: NDArray[np.intp],
        weight: NDArray[np.float64],
    ) -> Posed:
        logistic = self._settings.logistic
        return pose(subproblems, kind, weight, self._inside.dtype, logistic=logistic)

    def _solved(
        self, posed: Sequence[Posed], proceed: Callable[[], None]
    ) -> NDArray[np.float64]:
        """Coefficients of shape (n_values, width, m)."""
        rows = self._inside.kept(self._cache_size)
        found = solve_posed(
            rows, self._penalty, posed, self._values, self._settings, proceed
        )
        warn_not_converged(self._machine, found.certificate <= self._settings.tol)
        return found.coef

    def _outputs(self, rows: Rows, coef: NDArray[np.float64]) -> NDArray[Any]:
        """Shape (n_values, n_softness, n)."""
        with one_thread():
            return np.stack([rows.outputs(one).T for one in coef])

    def release(self) -> None:
        """Nothing is kept for a fold."""


class LinearSolutions:
    """Solutions of some subproblems, for held-out rows.

    Parameters
    ----------
    rows : Rows
    coef : array of shape (n_values, width, n_subproblems * n_softness)
    n_softness : int
    """

    def __init__(self, rows: Rows, coef: NDArray[np.float64], n_softness: int):
        self._rows, self._n_softness = rows, n_softness
        self._raw = rows.spread(np.hstack(list(coef)))
        self._n_values = len(coef)

    def outputs(self, part: slice) -> NDArray[Any]:
        """Shape (n_part, n_values, n_subproblems, n_softness)."""
        with one_thread():
            outputs = self._rows.block(part) @ self._raw
        return outputs.reshape(len(outputs), self._n_values, -1, self._n_softness)


def _part(subproblem: Kind, number: int, order: NDArray[np.intp]) -> Kind:
    """One of the problems along the first axis, with its rows in an order."""
    names = (field.name for field in fields(subproblem))
    return type(subproblem)(
        *(getattr(subproblem, name)[number][..., order] for name in names)
    )
