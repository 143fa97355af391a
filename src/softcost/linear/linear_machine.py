"""Base class of the linear machines, and their paths.

A path solves all problems of a search together: the problems of a fold (subproblems
times softness values) are the columns of one matrix of coefficients, and each value of
C starts from the solutions of the previous one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from numbers import Integral, Real
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from softcost._sklearn_types import BaseEstimator
from softcost.learners import (
    Labels,
    OneSidedValues,
    PathOutputs,
    Subproblem,
    Values,
    check_sides,
    warn_not_converged,
)
from softcost.linear.features import Rows, Standardised, on_disk, precision
from softcost.linear.losses import Posed, pose
from softcost.linear.newton import Solved, solve
from softcost.parallel import one_thread

Kind = TypeVar("Kind", bound=Subproblem)


@dataclass(frozen=True)
class LinearMachines:
    """Fitted machines.

    Attributes
    ----------
    model : object with ``outputs(X)``
        The machines.
    certificate, gap : arrays of shape (m,)
        See `softcost.linear.newton.Solved`.
    steps : array of shape (m,)
        Passes over the rows.
    """

    model: Any
    certificate: NDArray[np.float64]
    gap: NDArray[np.float64]
    steps: NDArray[np.intp]

    def outputs(self, X: Any) -> NDArray[np.float64]:
        """Outputs of all machines, shape (n, m)."""
        return self.model.outputs(X)

    def scorer(self) -> Callable[[Any], NDArray[np.float64]]:
        """Computes outputs repeatedly."""
        return self.model.outputs


@dataclass(frozen=True)
class Settings:
    """Settings of the solver: loss for labels, tolerance, limit on the steps."""

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
    """Solve posed problems for all values of C, including trivial ones.

    Parameters
    ----------
    rows : Rows
        The training rows.
    penalty : array of shape (width,)
        Factors of the squared coefficients.
    posed : sequence of Posed
        One for all values of C, or one for each.
    values : array of shape (n_values,)
        Values of C.
    settings : Settings
        Settings of the solver.
    proceed : callable
        Raises to cancel the work.

    Returns
    -------
    Solved
        Solutions in the units of the targets.
    """
    shape = (len(values), len(posed[0].constant))
    coef = np.zeros((shape[0], rows.width, shape[1]))
    certificate, gap = np.zeros(shape), np.zeros(shape)
    steps = np.zeros(shape, np.intp)
    for number, problems in enumerate(posed):
        chosen = slice(None) if len(posed) == 1 else slice(number, number + 1)
        solved = problems.solved
        coef[chosen, -1, :] = problems.constant
        if not solved.any():
            continue
        solutions = solve(
            rows,
            problems.columns,
            penalty,
            values[chosen],
            tol=settings.tol,
            max_steps=settings.max_steps,
            proceed=proceed,
        )
        spread = problems.spread[solved]
        here = coef[chosen]
        here[:, :, solved] = solutions.coef * spread
        here[:, -1, solved] += problems.centre[solved]
        certificate[chosen, solved] = solutions.certificate
        gap[chosen, solved] = solutions.gap * spread**2
        steps[chosen, solved] = solutions.steps
    return Solved(coef, certificate, gap, steps)


class LinearPath:
    """The rows of a search in standardised form, see `softcost.learners.Path`.

    Rows that are held out together are stored next to each other, so the rows of a fold
    are a few contiguous runs and nothing is copied. Rows of a memory-mapped file stay
    on disk.

    Attributes
    ----------
    groups : array of shape (n,)
        Each row is its own group: merging equal rows would save little.
    n_bytes : int
        Estimated memory.
    """

    machine: Any
    values: NDArray[np.float64]
    softness: NDArray[np.float64]
    groups: Any
    n_bytes: Any

    def __init__(
        self,
        machine: Any,
        X: Any,
        tests: Sequence[NDArray[np.intp]],
        values: NDArray[np.float64],
        softness: NDArray[np.float64],
    ) -> None:
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
            original = self._order[places]
            return self._space.rows_on_disk(self._X, self._dtype, original)
        return Rows(self._matrix, places)


def _narrow(numbers: NDArray[np.intp], n: int) -> NDArray[Any]:
    """Indices below n as 32-bit integers if possible, which halves their memory."""
    return numbers.astype(np.int32) if n < 2**31 else numbers


def side_by_side(n: int, tests: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    """An order of n rows in which rows of the same test set are neighbours."""
    held_out_in = np.full(n, len(tests))
    for number, test in enumerate(tests):
        held_out_in[test] = number
    return np.argsort(held_out_in, kind="stable")


class LinearFold:
    """One training set, over which subproblems are solved together.

    Parameters
    ----------
    path : object
        Has ``machine``, ``values`` and ``softness``.
    penalty : array of shape (width,)
        Factors of the squared coefficients.
    inside : Rows
        The training rows, in the order of the path.
    order : array of shape (n_rows,)
        The index of each training row in the caller's order.
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
    ) -> None:
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
        """Problems for each softness, and for each value of C if they depend on it."""
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
        """Solve subproblems posed over kinds of rows, see `softcost.learners`."""
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
        rows = self._inside.cached(self._cache_size)
        solved = solve_posed(
            rows, self._penalty, posed, self._values, self._settings, proceed
        )
        warn_not_converged(self._machine, solved.certificate <= self._settings.tol)
        return solved.coef

    def _outputs(self, rows: Rows, coef: NDArray[np.float64]) -> NDArray[Any]:
        """Shape (n_values, n_softness, n)."""
        with one_thread():
            return np.stack([rows.outputs(of_value).T for of_value in coef])

    def release(self) -> None:
        """Do nothing: a fold holds no memory of its own."""


class LinearSolutions:
    """Solutions of some subproblems, for held-out rows.

    Parameters
    ----------
    rows : Rows
        Held-out rows.
    coef : array of shape (n_values, width, n_subproblems * n_softness)
        Coefficients.
    n_softness : int
        Number of softness values.
    """

    def __init__(self, rows: Rows, coef: NDArray[np.float64], n_softness: int) -> None:
        self._rows, self._n_softness = rows, n_softness
        self._raw = rows.spread(np.hstack(list(coef)))
        self._n_values = len(coef)

    def outputs(self, part: slice) -> NDArray[Any]:
        """Shape (n_part, n_values, n_subproblems, n_softness)."""
        with one_thread():
            outputs = self._rows.block(part) @ self._raw
        return outputs.reshape(len(outputs), self._n_values, -1, self._n_softness)


def _part(subproblem: Kind, number: int, order: NDArray[np.intp]) -> Kind:
    """One of the problems along the first axis, with its rows in this order."""
    names = (field.name for field in fields(subproblem))
    return type(subproblem)(
        *(getattr(subproblem, name)[number][..., order] for name in names)
    )


_MAX_COLUMNS = 128  # problems at once, so that their outputs for a block stay in cache


class LinearMachine(BaseEstimator):
    """Parameters and fitted attributes of a machine that is linear in its features.

    As a learner it shares work between many subproblems
    (`softcost.learners.SupportsMultiFit`) and between all candidates of a search
    (`softcost.learners.SupportsBatchedPath`, along C): their coefficients are the
    columns of one matrix, and one step for all of them is a matrix product.
    """

    path_parameter: ClassVar[str] = "C"
    # Default grids for a search, by name.
    param_grids: ClassVar[dict[str, dict[str, list[float]]]] = {
        "default": {"C": [2.0**power for power in (-10, -5, 0, 5)]},
    }
    loss: str = "squared_hinge"
    C: float
    tol: float
    max_iter: int

    _parameter_constraints: ClassVar = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }
    certificate_: NDArray[np.float64]
    dual_gap_: NDArray[np.float64]
    n_iter_: NDArray[np.intp]
    converged_: NDArray[np.bool_]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def input_checks(self) -> dict[str, Any]:
        """Arguments of `sklearn.utils.validation.validate_data` for X.

        Returns
        -------
        dict
            Keyword arguments.
        """
        return {"accept_sparse": "csr", "dtype": [np.float64, np.float32]}

    def settings(self) -> Settings:
        """Settings of the solver.

        Returns
        -------
        Settings
            Loss, tolerance and limit on the number of steps.
        """
        return Settings(self.loss == "logistic", self.tol, self.max_iter)

    def check_kind(self, subproblem: Subproblem) -> None:
        """Raise TypeError for a type of subproblem that is not supported.

        Parameters
        ----------
        subproblem : Subproblem
            One of the subproblems to fit.
        """

    def opened(self, X: Any, weight: NDArray[np.float64]) -> tuple[Any, Rows]:
        """The feature space for weighted rows, and the rows in it.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Rows that passed `input_checks`.
        weight : array of shape (n,)
            Sample weights.

        Returns
        -------
        space, rows : tuple
            The scaling of the features, and the scaled rows.
        """
        space = Standardised.of(X, weight)
        return space, space.rows(X, precision(X.shape, self.tol))

    def fit_many(
        self, X: Any, subproblems: Sequence[Subproblem], *, threads: int = 1
    ) -> LinearMachines:
        """Fit one machine to every subproblem over the same rows, with this C.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Rows that passed `input_checks`.
        subproblems : sequence of Subproblem
            All over the rows of X.
        threads : int, default=1
            Not used: all machines are fitted at once.

        Returns
        -------
        LinearMachines
            One machine for each subproblem.
        """
        n = X.shape[0]
        return self.fit_kinds(X, subproblems, np.arange(n), np.ones(n))

    def fit_kinds(
        self,
        X: Any,
        subproblems: Sequence[Subproblem],
        kind: NDArray[np.intp],
        weight: NDArray[np.float64],
        *,
        threads: int = 1,
    ) -> LinearMachines:
        """Fit one machine to every subproblem posed over kinds of rows.

        Parameters
        ----------
        X, subproblems, threads
            As for `fit_many`; arrays of subproblems have the shape (n_kinds,).
        kind, weight : arrays of shape (n,)
            The kind of each row, and its factor for the weight of the kind.

        Returns
        -------
        LinearMachines
            One machine for each subproblem.
        """
        self.check_kind(subproblems[0])
        by_kind = np.sum([subproblem.weight for subproblem in subproblems], axis=0)
        space, rows = self.opened(X, by_kind[kind] * weight)
        settings = self.settings()
        logistic = settings.logistic
        posed = pose(subproblems, kind, weight, rows.dtype, logistic=logistic)
        solved = solve_posed(
            rows, space.penalty, [posed], np.array([float(self.C)]), settings
        )
        warn_not_converged(self, solved.certificate <= self.tol)
        return LinearMachines(
            space.model(solved.coef[0]),
            solved.certificate[0],
            solved.gap[0],
            solved.steps[0],
        )

    def open_path(
        self,
        X: Any,
        tests: Sequence[NDArray[np.intp]],
        values: NDArray[np.float64],
        softness: NDArray[np.float64],
        *,
        threads: int = 1,
    ) -> Any:
        """Prepare a search over C and softness, see `softcost.learners.SupportsPath`.

        Parameters
        ----------
        X, tests, values, softness, threads
            As in `softcost.learners.SupportsPath.open_path`.

        Returns
        -------
        Path
            Opens the folds.
        """
        return LinearPath(self, X, tests, values, softness)

    def at_once(self, n_softness: int) -> int:
        """Number of subproblems to solve together.

        Parameters
        ----------
        n_softness : int
            Number of softness values of each subproblem.

        Returns
        -------
        int
            At least 1.
        """
        return max(1, _MAX_COLUMNS // n_softness)

    def _keep(self, machines: LinearMachines) -> None:
        """Set the fitted attributes; `softcost.persistence` calls it by this name."""
        self._machines = machines
        self.certificate_ = machines.certificate
        self.dual_gap_ = machines.gap
        self.n_iter_ = machines.steps
        self.converged_ = machines.certificate <= self.tol

    @property
    def machines_(self) -> LinearMachines:
        """The fitted machines, with coefficients and intercepts."""
        return self._machines

    def _outputs(self, X: Any) -> NDArray[np.float64]:
        """Outputs of all machines, shape (n, n_machines)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **self.input_checks())
        return self._machines.outputs(X)

    def _one_sided(
        self, X: Any, y: Any, side: Any, sample_weight: Any
    ) -> tuple[Any, Subproblem]:
        """Check the arguments of a one-sided regressor's ``fit``."""
        X, target = validate_data(self, X, y, y_numeric=True, **self.input_checks())
        target = np.asarray(target, np.float64)
        weight = self._checked_weight(X, sample_weight)
        if side is None:
            return X, Values(target, weight)
        return X, OneSidedValues(target, weight, check_sides(side, len(target)))

    def _one_vs_rest(
        self, X: Any, y: ArrayLike, sample_weight: Any
    ) -> tuple[Any, NDArray[Any], list[Subproblem]]:
        """Check the arguments of a classifier's ``fit``, and pose its subproblems.

        There is one machine for two classes, otherwise one per class.
        """
        X, y = validate_data(self, X, y, **self.input_checks())
        check_classification_targets(y)
        weight = self._checked_weight(X, sample_weight)
        classes, codes = np.unique(y, return_inverse=True)
        if len(np.unique(codes[weight > 0])) < 2:
            raise ValueError(
                f"y has one class only among rows of positive weight: "
                f"{type(self).__name__} needs at least 2 classes."
            )
        machines = range(1, 2) if len(classes) == 2 else range(len(classes))
        problems: list[Subproblem] = [
            Labels(np.where(codes == k, 1.0, -1.0), weight) for k in machines
        ]
        return X, classes, problems

    def _checked_weight(self, X: Any, sample_weight: Any) -> NDArray[np.float64]:
        weight = _check_sample_weight(
            sample_weight, X, dtype=np.float64, ensure_non_negative=True
        )
        if not weight.any():
            raise ValueError(
                "sample_weight is zero for every row: give some row a positive weight."
            )
        return weight
