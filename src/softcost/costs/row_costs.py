"""The costs of labelled rows: checked once, scaled, softened, cut into parts."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcost.costs.actions import (
    NO_ACTIONS,
    all_answers,
    check_action_error,
    extra_actions,
    require_costs,
)
from softcost.costs.labels import check_classes, class_indices, numbers
from softcost.costs.matrix import check_cost_matrix, resolve_classes
from softcost.costs.softening import check_error_weight, count_error_weights, softened
from softcost.costs.vectors import normalize, raw_cost_vectors


@dataclass(frozen=True)
class CostProblem:
    """A cost-sensitive problem: what to predict, at what (softened) cost.

    Attributes
    ----------
    y : array of shape (n,)
        Numbers of the true classes.
    costs : array of shape (n, A)
        Canonical costs of all answers, the classes first: not negative, zero at the
        true class.
    matrix : array of shape (K, A) or None
        The same by class, where costs depend on the class only.
    weight : array of shape (n,)
        Sample weights.

    See Also
    --------
    RowCosts : What a fit knows of its rows; its ``problem`` makes these.
    softcost.reductions.Reduction : What is handed a problem, and solves it.

    Examples
    --------
    At softness 0.5 a mistake costs the mean of its price and of 1:

    >>> from softcost.costs import row_costs
    >>> rows = row_costs(["a", "b", "b"], cost_matrix=[[0, 1], [0.5, 0]])
    >>> problem = rows.problem(softness=0.5)
    >>> problem.costs
    array([[0.  , 1.  ],
           [0.75, 0.  ],
           [0.75, 0.  ]])
    >>> problem.n_actions
    2
    """

    y: NDArray[np.intp]
    costs: NDArray[np.float64]
    matrix: NDArray[np.float64] | None
    weight: NDArray[np.float64]

    @property
    def n_actions(self) -> int:
        """How many answers there are."""
        return self.costs.shape[1]


@dataclass(frozen=True)
class RowCosts:
    """Labels, costs and weights of rows, checked, by number of the class.

    Made once for a fit, or a measurement, by `row_costs`; parts of the rows, and the
    problem at any softness, follow without another check.

    Attributes
    ----------
    classes : array of shape (K,)
        Sorted labels.
    y : array of shape (n,)
        Numbers of the true classes.
    weight : array of shape (n,)
        Sample weights.
    raw_matrix : array of shape (K, A) or None
        Costs by true class and answer in the user's units, in the order of
        ``actions``; None where costs were given by example.
    raw_costs : array of shape (n, A) or None
        Costs by example in the user's units, where they were given so.
    error_weight : None, "balanced" or array of shape (K,)
        Weight of an error by true class; "balanced" follows the rows at hand.
    extra : array of shape (A - K,)
        What may be answered beyond the classes.
    action_error : array of shape (A - K,)
        How much each of these counts as an error.
    fixed_scale : float or None
        What costs by example are divided by; None for the largest of them.

    See Also
    --------
    row_costs : Check labels and costs, and put them into the order of the sorted
        classes.
    CostProblem : A cost-sensitive problem: what to predict, at what (softened) cost.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.costs import row_costs
    >>> rows = row_costs(["ham", "spam", "spam"], cost_matrix=[[0, 5], [1, 0]])
    >>> rows.in_users_units
    array([[0., 5.],
           [1., 0.],
           [1., 0.]])
    >>> rows.part(np.array([0, 2])).y.tolist()
    [0, 1]
    >>> rows.average_mistake()
    3.0
    """

    classes: NDArray[Any]
    y: NDArray[np.intp]
    weight: NDArray[np.float64]
    raw_matrix: NDArray[np.float64] | None = None
    raw_costs: NDArray[np.float64] | None = None
    error_weight: Any = None
    extra: NDArray[Any] = field(default_factory=lambda: NO_ACTIONS)
    action_error: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    fixed_scale: float | None = None

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def actions(self) -> NDArray[Any]:
        """All answers: the classes and what there is beyond, shape (A,)."""
        return all_answers(self.classes, self.extra)

    @property
    def n_actions(self) -> int:
        return len(self.classes) + len(self.extra)

    @property
    def by_example(self) -> bool:
        """Whether costs were given by example."""
        return self.raw_costs is not None

    @cached_property
    def in_users_units(self) -> NDArray[np.float64]:
        """Cost of every answer for every row in the user's units, shape (n, A)."""
        if self.raw_costs is not None:
            return self.raw_costs
        assert self.raw_matrix is not None
        return self.raw_matrix[self.y]

    def realised_cost(
        self, answers: NDArray[Any], rows: NDArray[np.intp] | None = None
    ) -> NDArray[np.float64]:
        """What answers cost in the user's units, without a table of all answers.

        Parameters
        ----------
        answers : array of shape (..., n_rows)
            Numbers of the answers.
        rows : array of shape (n_rows,), default=None
            The rows that are answered, by default all.

        Returns
        -------
        array of shape (..., n_rows)
        """
        rows = np.arange(len(self.y)) if rows is None else rows
        if self.raw_costs is not None:
            return self.raw_costs[rows, answers]
        assert self.raw_matrix is not None
        return self.raw_matrix[self.y[rows], answers]

    def least_cost(self) -> NDArray[np.float64]:
        """What the cheapest answer for every row costs in the user's units.

        Returns
        -------
        array of shape (n,)
        """
        if self.raw_costs is not None:
            return self.raw_costs.min(axis=1)
        assert self.raw_matrix is not None
        return self.raw_matrix.min(axis=1)[self.y]

    def totals(self) -> NDArray[np.float64]:
        """What every answer would cost for all rows together, in the user's units.

        Returns
        -------
        array of shape (A,)
        """
        if self.raw_costs is not None:
            return self.weight @ self.raw_costs
        assert self.raw_matrix is not None
        return np.bincount(self.y, self.weight, self.n_classes) @ self.raw_matrix

    @cached_property
    def _scaled(self) -> tuple[NDArray | None, NDArray | None, float]:
        """Canonical matrix or costs, divided by the largest entry, and that entry.

        A matrix is divided by its own largest entry, whichever classes occur, so that
        softness means the same on every part of the data; costs by example by the
        largest of rows that take part.
        """
        if self.raw_matrix is not None:
            matrix, scale = scaled_matrix(self.raw_matrix)
            return matrix, None, scale
        assert self.raw_costs is not None
        canonical = self.raw_costs - self.raw_costs.min(axis=1, keepdims=True)
        if self.fixed_scale is not None:
            return None, canonical / self.fixed_scale, self.fixed_scale
        _, scale = normalize(canonical[self.weight > 0])
        return None, canonical / scale, scale

    @property
    def matrix(self) -> NDArray[np.float64] | None:
        """Scaled canonical costs by class, shape (K, A); None for costs by example."""
        return self._scaled[0]

    @property
    def costs(self) -> NDArray[np.float64]:
        """Scaled canonical costs, shape (n, A)."""
        matrix, costs, _ = self._scaled
        if matrix is not None:
            return matrix[self.y]
        assert costs is not None
        return costs

    @property
    def scale(self) -> float:
        """What costs were divided by."""
        return self._scaled[2]

    @cached_property
    def weight_of_errors(self) -> NDArray[np.float64]:
        """Weight of an error by true class, for these rows, shape (K,)."""
        present = self.y[self.weight > 0]
        return count_error_weights(present, self.error_weight, self.n_classes)

    @cached_property
    def error_matrix(self) -> NDArray[np.float64]:
        """What softness mixes in, shape (K, A): see `error_costs`."""
        return error_costs(self.weight_of_errors, self.action_error)

    def problem(self, softness: float) -> CostProblem:
        """The problem with costs softened by so much.

        Parameters
        ----------
        softness : float from 0 to 1
            How much.

        Returns
        -------
        CostProblem
            What a reduction solves.
        """
        basic = self.error_matrix
        if self.matrix is not None:
            matrix = softened(self.matrix, basic, softness)
            return CostProblem(self.y, matrix[self.y], matrix, self.weight)
        costs = softened(self.costs, basic[self.y], softness)
        return CostProblem(self.y, costs, None, self.weight)

    def part(self, rows: NDArray[Any]) -> "RowCosts":
        """The costs of some rows, as if only these had been given.

        Parameters
        ----------
        rows : array of int or bool
            Which rows.

        Returns
        -------
        RowCosts
            Of these rows, not checked again.
        """
        raw = None if self.raw_costs is None else self.raw_costs[rows]
        return replace(self, y=self.y[rows], weight=self.weight[rows], raw_costs=raw)

    def merged(self, groups: NDArray[np.intp]) -> tuple["RowCosts", NDArray[np.intp]]:
        """Rows in the order of their group; equal ones of a class as one, if possible.

        Where costs depend on the class only, rows of one group (equal x) and class
        pose the same problem, and one row with the sum of their weights stands for
        all. Error weights and scale stay those of all rows.

        Parameters
        ----------
        groups : array of shape (n,)
            The same number for rows that are equal.

        Returns
        -------
        costs : RowCosts
            Of the merged rows.
        rows : array
            The row that each of its rows stands for.
        """
        if self.by_example:
            rows = np.argsort(groups, kind="stable")
            weight = self.weight[rows]
        else:
            key = groups * self.n_classes + self.y
            _, rows, member = np.unique(key, return_index=True, return_inverse=True)
            weight = np.bincount(member, self.weight, len(rows)).astype(np.float64)
        merged = replace(
            self.part(rows), weight=weight, error_weight=self.weight_of_errors
        )
        return merged, rows

    def average_mistake(self) -> float:
        """Average cost of a mistake over the classes, in the user's units.

        Classes without rows are left out where costs were given by example.

        Returns
        -------
        float
            The unit of normalised costs.
        """
        if self.matrix is not None:
            by_class = self.matrix[:, : self.n_classes].sum(axis=1)
        else:
            sizes = np.bincount(self.y, self.weight, self.n_classes)
            paid = self.weight * self.costs[:, : self.n_classes].sum(axis=1)
            sums = np.bincount(self.y, paid, self.n_classes)
            by_class = sums[sizes > 0] / sizes[sizes > 0]
        return float(by_class.mean() / max(self.n_classes - 1, 1)) * self.scale

    def class_means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weighted means of rows of ``values`` (n, m) by true class, shape (K, m).

        Zero for a class without rows.

        Parameters
        ----------
        values : array of shape (n, m)
            Anything that rows have.

        Returns
        -------
        array of shape (K, m)
            In the order of ``classes``.
        """
        member = np.zeros((self.n_classes, len(values)))
        member[self.y, np.arange(len(values))] = self.weight
        totals = member.sum(axis=1, keepdims=True)
        return (member @ values) / np.where(totals > 0, totals, 1.0)


def scaled_matrix(
    raw_matrix: NDArray[np.float64],
) -> tuple[NDArray[np.float64], float]:
    """Canonical costs by class, divided by the largest entry, and that entry.

    Parameters
    ----------
    raw_matrix : array of shape (K, A)
        Prices in the user's units.

    Returns
    -------
    matrix : array of shape (K, A)
        ``(C[y, k] - min_l C[y, l]) / scale``.
    scale : float
        The largest entry before the division, or 1.0 if all are 0.

    See Also
    --------
    normalize : Divide costs by the largest one, so that softness means the same in any
        unit.
    scaled_matrices : Canonical matrices, each divided by its own largest entry, shape
        (n, K, A).

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.costs import scaled_matrix
    >>> scaled_matrix(np.array([[1.0, 5.0], [2.0, 0.0]]))
    (array([[0. , 1. ],
           [0.5, 0. ]]), 4.0)
    """
    return normalize(raw_matrix - raw_matrix.min(axis=1, keepdims=True))


def error_costs(
    weight: NDArray[np.float64], action_error: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Costs that count errors: ``w_y [k != y]``, and ``w_y e_a`` for an extra action.

    Parameters
    ----------
    weight : array of shape (K,)
        Weight of an error by true class, see :func:`error_weights`.
    action_error : array of shape (A - K,)
        How much each action counts as an error, see :func:`check_action_error`.

    Returns
    -------
    array of shape (K, A)
        Rows are true classes, columns answers.

    See Also
    --------
    weighted : Return the costs that count errors by their weight.
    softened : ``(1 - softness) * costs + softness * error_costs``: the method, in one
        line.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.costs import error_costs
    >>> error_costs(np.array([1.0, 3.0]), np.array([0.5]))
    array([[0. , 1. , 0.5],
           [3. , 0. , 1.5]])
    """
    n_classes = len(weight)
    counted = np.empty((n_classes, n_classes + len(action_error)))
    counted[:, :n_classes] = 1.0 - np.eye(n_classes)
    counted[:, n_classes:] = action_error
    return weight[:, None] * counted


def class_costs(
    cost_matrix: Any,
    known: NDArray[Any],
    *,
    classes: ArrayLike | None = None,
    extra: NDArray[Any] = NO_ACTIONS,
) -> NDArray[np.float64]:
    """A price list as a checked matrix in the order of the sorted classes.

    Parameters
    ----------
    cost_matrix : array-like, table or dict of shape (K, A), or None
        See `check_cost_matrix`; None lets every mistake cost 1.
    known : array of shape (K,)
        The sorted classes.
    classes : array-like of shape (K,), optional
        The classes in the order of an unlabelled matrix, by default sorted.
    extra : array of shape (A - K,)
        What may be answered beyond the classes.

    Returns
    -------
    array of shape (K, A)
        In the user's units.

    See Also
    --------
    check_cost_matrix : Check a cost matrix and put it into the order of the classes.
    row_costs : Check labels and costs, and put them into the order of the sorted
        classes.

    Examples
    --------
    An unlabelled matrix is in the order of `classes`, the result in sorted order:

    >>> import numpy as np
    >>> from softcost.costs import class_costs
    >>> prices = [[0, 5], [1, 0]]  # of spam, then of ham
    >>> class_costs(prices, np.array(["ham", "spam"]), classes=["spam", "ham"])
    array([[0., 1.],
           [5., 0.]])
    """
    if cost_matrix is None:
        require_costs(extra)
        return 1.0 - np.eye(len(known))
    given = known if classes is None else check_classes(classes)
    order = np.argsort(given, kind="stable")
    columns = np.append(order, np.arange(len(given), len(given) + len(extra)))
    return check_cost_matrix(cost_matrix, given, actions=extra)[np.ix_(order, columns)]


def costs_changed(
    cost_matrix: Any,
    learnt: NDArray[np.float64] | None,
    known: NDArray[Any],
    classes: ArrayLike | None,
    extra: NDArray[Any],
) -> bool:
    """Whether a price list is another one than what was learnt from.

    Parameters
    ----------
    cost_matrix, known, classes, extra
        As in `class_costs`.
    learnt : array of shape (K, A) or None
        The matrix that was learnt from; None where costs were given by example.

    Returns
    -------
    bool
        Whether the two differ in any entry.

    See Also
    --------
    class_costs : A price list as a checked matrix in the order of the sorted classes.
    softcost.reductions.MinimumExpectedCost : Follows prices that change after training.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.costs import NO_ACTIONS, class_costs, costs_changed
    >>> known = np.array(["ham", "spam"])
    >>> learnt = class_costs([[0, 5], [1, 0]], known)
    >>> costs_changed([[0, 5], [1, 0]], learnt, known, None, NO_ACTIONS)
    False
    >>> costs_changed([[0, 9], [1, 0]], learnt, known, None, NO_ACTIONS)
    True
    """
    if learnt is None:
        return cost_matrix is not None
    if cost_matrix is None and len(extra):
        return True
    if _is_table_of(cost_matrix, learnt, [*known.tolist(), *extra.tolist()]):
        return False  # at once: this is asked for every prediction
    now = class_costs(cost_matrix, known, classes=classes, extra=extra)
    return not np.array_equal(now, learnt)


def _is_table_of(table: Any, values: NDArray[np.float64], names: list[Any]) -> bool:
    """Whether a table has these values, in the order of these names."""
    rows, columns = getattr(table, "index", None), getattr(table, "columns", None)
    return (
        rows is not None
        and columns is not None
        and list(columns) == names
        and list(rows) == names[: len(values)]
        and np.array_equal(np.asarray(table), values)
    )


def row_costs(
    y: ArrayLike,
    *,
    cost_matrix: Any = None,
    costs: Any = None,
    classes: ArrayLike | None = None,
    error_weight: Any = None,
    sample_weight: NDArray[np.float64] | None = None,
    actions: ArrayLike | None = None,
    action_error: Any = 1.0,
) -> RowCosts:
    """Check labels and costs, and put them into the order of the sorted classes.

    Parameters
    ----------
    y, cost_matrix, costs, classes
        As in `as_cost_vectors`.
    error_weight : None, "balanced" or dict of label and weight
        See `error_weights`.
    sample_weight : array of shape (n,), default=None
        Not negative; by default ones.
    actions : array-like of shape (A - K,), optional
        What may be answered beyond the classes, see `extra_actions`.
    action_error : float, or dict of action and float
        How much these count as errors.

    Returns
    -------
    RowCosts
        All that a fit, or a measurement, needs to know of its rows.

    See Also
    --------
    as_cost_vectors : Return canonical cost vectors: what a mistake costs more than
        being right.
    RowCosts : Labels, costs and weights of rows, checked, by number of the class.

    Examples
    --------
    >>> from softcost.costs import row_costs
    >>> found = row_costs(["b", "a"], cost_matrix=[[0, 4], [2, 0]])
    >>> found.classes.tolist(), found.y.tolist(), found.scale
    (['a', 'b'], [1, 0], 4.0)
    >>> found.problem(softness=0.5).costs
    array([[0.75, 0.  ],
           [0.  , 1.  ]])
    """
    given = resolve_classes(
        y, classes=classes, cost_matrix=cost_matrix, costs=costs, actions=actions
    )
    extra = extra_actions(given, actions=actions, cost_matrix=cost_matrix)
    order = np.argsort(given, kind="stable")
    known = given[order]
    index = class_indices(y, known)
    raw_matrix = raw_costs = None
    if costs is not None:
        raw = raw_cost_vectors(y, costs=costs, classes=given, actions=extra)
        raw_costs = np.hstack([raw[:, order], raw[:, len(order) :]])
    else:
        raw_matrix = class_costs(cost_matrix, known, classes=given, extra=extra)
    return RowCosts(
        classes=known,
        y=index,
        weight=np.ones(len(index)) if sample_weight is None else sample_weight,
        raw_matrix=raw_matrix,
        raw_costs=raw_costs,
        error_weight=check_error_weight(error_weight, known),
        extra=extra,
        action_error=check_action_error(action_error, extra),
    )


# One cost matrix for each row: prices at the time of a decision.
#
# When a row is decided its true class is not known, so prices of its own are a whole
# matrix by true and predicted class.


def row_matrices(
    costs: Any,
    known: NDArray[Any],
    n_samples: int,
    *,
    classes: ArrayLike | None = None,
    extra: NDArray[Any] = NO_ACTIONS,
) -> NDArray[np.float64]:
    """Check the cost matrices of rows and put them into the order of sorted classes.

    Parameters
    ----------
    costs : array-like of shape (n_samples, K, A)
        ``costs[n, true, predicted]``, the columns of the classes first.
    known : array of shape (K,)
        The sorted classes.
    n_samples : int
        How many rows there are.
    classes : array-like of shape (K,), optional
        The classes in the order of the matrices, by default sorted.
    extra : array of shape (A - K,)
        What may be answered beyond the classes.

    Returns
    -------
    array of shape (n_samples, K, A)
        In the user's units.

    See Also
    --------
    scaled_matrices : Canonical matrices, each divided by its own largest entry, shape
        (n, K, A).
    softcost.reductions.MinimumExpectedCost : Decides by a matrix for each row.

    Examples
    --------
    Two payments: a false alarm costs 5, a missed fraud the amount.

    >>> import numpy as np
    >>> from softcost.costs import row_matrices
    >>> prices = [[[0, 5], [amount, 0]] for amount in (20, 900)]
    >>> row_matrices(prices, np.array(["fine", "fraud"]), 2)[1]
    array([[  0.,   5.],
           [900.,   0.]])
    """
    given = known if classes is None else check_classes(classes)
    values = numbers(costs, "costs")
    wanted = (n_samples, len(known), len(known) + len(extra))
    if values.shape != wanted:
        raise ValueError(
            f"costs has shape {values.shape}, not {wanted}; give every row to decide a"
            " cost matrix of its own, costs[row, true, predicted], since its true class"
            " is not known."
        )
    right = np.diagonal(values, axis1=1, axis2=2)[:, :, np.newaxis]
    good = np.isfinite(values) & (values >= 0) & (values >= right)
    for row in np.flatnonzero(~good.all(axis=(1, 2)))[:1]:
        try:
            check_cost_matrix(values[row], given, actions=extra)
        except ValueError as error:
            raise ValueError(f"costs[{row}]: {error}") from None
    order = np.argsort(given, kind="stable")
    columns = np.append(order, np.arange(len(given), wanted[2]))
    return values[np.ix_(np.arange(n_samples), order, columns)]


def scaled_matrices(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Canonical matrices, each divided by its own largest entry, shape (n, K, A).

    So a row is decided in the same way by itself and among others.

    Parameters
    ----------
    raw : array of shape (n, K, A)
        Matrices in the user's units, see :func:`row_matrices`.

    Returns
    -------
    array of shape (n, K, A)
        The least entry of each row of a matrix is 0, the largest entry of a matrix 1.

    See Also
    --------
    scaled_matrix : Canonical costs by class, divided by the largest entry, and that
        entry.
    row_matrices : Check the cost matrices of rows and put them into the order of sorted
        classes.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.costs import scaled_matrices
    >>> scaled_matrices(np.array([[[0.0, 5.0], [20.0, 0.0]]]))
    array([[[0.  , 0.25],
            [1.  , 0.  ]]])
    """
    canonical = raw - raw.min(axis=2, keepdims=True)
    scale = canonical.max(axis=(1, 2), keepdims=True)
    return canonical / np.where(scale > 0, scale, 1.0)
