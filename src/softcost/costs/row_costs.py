"""Costs of labelled rows, validated once for a fit or a measurement.

`row_costs` validates labels, costs and weights. The result, `RowCosts`, gives subsets
of the rows and the softened `CostProblem` without another check.

Costs by example have one of two forms. Costs of shape (n, A) belong to the true class
of a row, so only training rows have them. A cost matrix for every row, shape (n, K, A),
is also available when a new row is decided; `row_matrices` validates it.
"""

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
from softcost.costs.matrix import (
    LARGEST,
    check_cost_matrix,
    check_cost_values,
    resolve_classes,
)
from softcost.costs.vectors import (
    check_error_weight,
    count_error_weights,
    normalize,
    raw_cost_vectors,
    softened,
)


@dataclass(frozen=True)
class CostProblem:
    """A cost-sensitive learning problem: labels, softened costs and weights.

    Attributes
    ----------
    y : array of shape (n,)
        Indices of the true classes.
    costs : array of shape (n, A)
        Canonical costs of all answers, the classes first: not negative, zero at the
        true class.
    matrix : array of shape (K, A) or None
        The costs by class, if they depend on the class only.
    weight : array of shape (n,)
        Sample weights.

    See Also
    --------
    RowCosts : Validated costs of rows; its ``problem`` returns a `CostProblem`.
    softcost.reductions.Reduction : Solves such problems.

    Examples
    --------
    At softness 0.5 a mistake costs the mean of its cost and 1:

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
        """Number of answers."""
        return self.costs.shape[1]


@dataclass(frozen=True)
class RowCosts:
    """Validated labels, costs and weights of rows.

    Attributes
    ----------
    classes : array of shape (K,)
        Sorted labels.
    y : array of shape (n,)
        Indices of the true classes.
    weight : array of shape (n,)
        Sample weights.
    raw_matrix : array of shape (K, A) or None
        Costs by true class and answer in the user's units, in the order of
        ``actions``; None for costs by example.
    raw_costs : array of shape (n, A) or None
        Costs by example in the user's units; None for costs by class.
    raw_matrices : array of shape (n, K, A) or None
        The cost matrix of every row in the user's units, if costs are known for every
        true class. ``raw_costs`` then has the rows of the true classes.
    error_weight : None, "balanced" or array of shape (K,)
        Weight of an error by true class; "balanced" depends on the rows.
    extra : array of shape (A - K,)
        Extra actions.
    action_error : array of shape (A - K,)
        How much each extra action counts as an error.
    fixed_scale : float or None
        Divisor of costs by example; None for the largest of them.

    See Also
    --------
    row_costs : Validate labels and costs, and put them into the order of the sorted
        classes.
    CostProblem : A cost-sensitive learning problem: labels, softened costs and weights.

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
    raw_matrices: NDArray[np.float64] | None = None
    error_weight: Any = None
    extra: NDArray[Any] = field(default_factory=lambda: NO_ACTIONS)
    action_error: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    fixed_scale: float | None = None

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def actions(self) -> NDArray[Any]:
        """All answers, shape (A,): the classes, then the extra actions."""
        return all_answers(self.classes, self.extra)

    @property
    def n_actions(self) -> int:
        return len(self.classes) + len(self.extra)

    @property
    def by_example(self) -> bool:
        """Whether the costs are by example, not by class."""
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
        """Costs of given answers in the user's units.

        It does not build the table of all answers, which may be large.

        Parameters
        ----------
        answers : array of shape (..., n_rows)
            Indices of the answers.
        rows : array of shape (n_rows,), default=None
            Indices of the rows; all by default.

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
        """Cost of the cheapest answer for every row, in the user's units.

        Returns
        -------
        array of shape (n,)
        """
        if self.raw_costs is not None:
            return self.raw_costs.min(axis=1)
        assert self.raw_matrix is not None
        return self.raw_matrix.min(axis=1)[self.y]

    def totals(self) -> NDArray[np.float64]:
        """Total cost over all rows of always giving each answer, in the user's units.

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

        A matrix is divided by its largest entry even if some classes do not occur, so
        that softness means the same on every part of the data. Costs by example are
        divided by the largest one of a row with positive weight.
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
        """The divisor of the costs."""
        return self._scaled[2]

    @cached_property
    def matrix_scale(self) -> float:
        """Mean of the largest entries of the row matrices, the lowest cost subtracted.

        The divisor of row matrices before they are softened. All rows have the same
        divisor, so softness trades a fixed amount of cost for an error, and rows with
        high costs follow their costs longer. A mean is less sensitive to a single
        expensive row than the maximum. For equal matrices it is exactly the divisor of
        `scaled_matrix`.
        """
        assert self.raw_matrices is not None
        counted = self.weight > 0
        matrices, weight = self.raw_matrices[counted], self.weight[counted]
        largest = (matrices - matrices.min(axis=2, keepdims=True)).max(axis=(1, 2))
        # Rounding must not move the mean of equal numbers.
        mean = np.clip(np.average(largest, weights=weight), largest.min(), None)
        mean = min(float(mean), float(largest.max()))
        return mean if mean > 0 else 1.0

    @cached_property
    def weight_of_errors(self) -> NDArray[np.float64]:
        """Weight of an error by true class, for these rows, shape (K,)."""
        present = self.y[self.weight > 0]
        return count_error_weights(present, self.error_weight, self.n_classes)

    @cached_property
    def error_matrix(self) -> NDArray[np.float64]:
        """The (weighted) 0/1 costs of softening, shape (K, A): see `error_costs`."""
        return error_costs(self.weight_of_errors, self.action_error)

    def problem(self, softness: float) -> CostProblem:
        """The problem with softened costs.

        Parameters
        ----------
        softness : float from 0 to 1
            0 for the costs, 1 for the 0/1 costs.

        Returns
        -------
        CostProblem
            For a reduction.
        """
        errors = self.error_matrix
        if self.matrix is not None:
            matrix = softened(self.matrix, errors, softness)
            return CostProblem(self.y, matrix[self.y], matrix, self.weight)
        costs = softened(self.costs, errors[self.y], softness)
        return CostProblem(self.y, costs, None, self.weight)

    def part(self, rows: NDArray[Any]) -> "RowCosts":
        """The costs of some rows, without checking them again.

        Parameters
        ----------
        rows : array of int or bool
            The rows.

        Returns
        -------
        RowCosts
            As if only these rows had been passed.
        """
        costs, matrices = self.raw_costs, self.raw_matrices
        return replace(
            self,
            y=self.y[rows],
            weight=self.weight[rows],
            raw_costs=None if costs is None else costs[rows],
            raw_matrices=None if matrices is None else matrices[rows],
        )

    def merged(self, groups: NDArray[np.intp]) -> tuple["RowCosts", NDArray[np.intp]]:
        """Sort rows by group, and merge equal rows of a class if possible.

        If costs depend on the class only, rows of the same group (equal x) and class
        pose the same problem, so one row with the sum of their weights replaces them.
        Error weights and scale stay those of all rows.

        Parameters
        ----------
        groups : array of shape (n,)
            The same number for equal rows.

        Returns
        -------
        costs : RowCosts
            Costs of the merged rows.
        rows : array
            An original row for each merged row.
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

        With costs by example, classes without rows are left out.

        Returns
        -------
        float
            The unit of normalised costs.
        """
        if self.matrix is not None:
            by_class = self.matrix[:, : self.n_classes].sum(axis=1)
        else:
            sizes = np.bincount(self.y, self.weight, self.n_classes)
            row_sums = self.weight * self.costs[:, : self.n_classes].sum(axis=1)
            sums = np.bincount(self.y, row_sums, self.n_classes)
            by_class = sums[sizes > 0] / sizes[sizes > 0]
        return float(by_class.mean() / max(self.n_classes - 1, 1)) * self.scale

    def class_means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weighted means by true class; zero for a class without rows.

        Parameters
        ----------
        values : array of shape (n, m)
            One row of values per row.

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
    """Scale a cost matrix: subtract row minima and divide by the largest entry.

    Parameters
    ----------
    raw_matrix : array of shape (K, A)
        Costs in the user's units.

    Returns
    -------
    matrix : array of shape (K, A)
        ``(C[y, k] - min_l C[y, l]) / scale``.
    scale : float
        The largest entry before the division, or 1.0 if all are 0.

    See Also
    --------
    normalize : Divide costs by the largest one, so that softness does not depend on the
        unit.
    scaled_matrices : Scale several cost matrices, each by its own largest entry.

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
    """Weighted 0/1 costs: ``w_y [k != y]``, and ``w_y e_a`` for an extra action.

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
    weighted : Return the 0/1 costs times the weight of an error.
    softened : Soften costs without checks: ``(1 - softness) * costs + softness *
        error_costs``.

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
    sorted_classes: NDArray[Any],
    *,
    classes: ArrayLike | None = None,
    extra: NDArray[Any] = NO_ACTIONS,
) -> NDArray[np.float64]:
    """Check a cost matrix and put it into the order of the sorted classes.

    Parameters
    ----------
    cost_matrix : array-like, table or dict of shape (K, A), or None
        See `check_cost_matrix`; None means that every mistake costs 1.
    sorted_classes : array of shape (K,)
        The sorted classes.
    classes : array-like of shape (K,), optional
        The classes in the order of an unlabelled matrix; sorted by default.
    extra : array of shape (A - K,)
        Extra actions.

    Returns
    -------
    array of shape (K, A)
        In the user's units.

    See Also
    --------
    check_cost_matrix : Check a cost matrix and put it into the order of the classes.
    row_costs : Validate labels and costs, and put them into the order of the sorted
        classes.

    Examples
    --------
    An unlabelled matrix is in the order of `classes`, the result in sorted order:

    >>> import numpy as np
    >>> from softcost.costs import class_costs
    >>> costs = [[0, 5], [1, 0]]  # spam, then ham
    >>> class_costs(costs, np.array(["ham", "spam"]), classes=["spam", "ham"])
    array([[0., 1.],
           [5., 0.]])
    """
    if cost_matrix is None:
        require_costs(extra)
        return 1.0 - np.eye(len(sorted_classes))
    labels = sorted_classes if classes is None else check_classes(classes)
    order = np.argsort(labels, kind="stable")
    columns = np.append(order, np.arange(len(labels), len(labels) + len(extra)))
    matrix = check_cost_matrix(cost_matrix, labels, actions=extra)
    return matrix[np.ix_(order, columns)]


def costs_changed(
    cost_matrix: Any,
    fitted: NDArray[np.float64] | None,
    sorted_classes: NDArray[Any],
    classes: ArrayLike | None,
    extra: NDArray[Any],
) -> bool:
    """Whether a cost matrix differs from the one used for fitting.

    Parameters
    ----------
    cost_matrix, sorted_classes, classes, extra
        As in `class_costs`.
    fitted : array of shape (K, A) or None
        The matrix used for fitting; None for costs by example.

    Returns
    -------
    bool
        Whether the two differ in any entry.

    See Also
    --------
    class_costs : Check a cost matrix and put it into the order of the sorted classes.
    softcost.reductions.MinimumExpectedCost : Allows costs to change after fitting.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.costs import NO_ACTIONS, class_costs, costs_changed
    >>> sorted_classes = np.array(["ham", "spam"])
    >>> fitted = class_costs([[0, 5], [1, 0]], sorted_classes)
    >>> costs_changed([[0, 5], [1, 0]], fitted, sorted_classes, None, NO_ACTIONS)
    False
    >>> costs_changed([[0, 9], [1, 0]], fitted, sorted_classes, None, NO_ACTIONS)
    True
    """
    if fitted is None:
        return cost_matrix is not None
    if cost_matrix is None and len(extra):
        return True
    if same_costs(cost_matrix, fitted, sorted_classes, classes, extra):
        return False
    current = class_costs(cost_matrix, sorted_classes, classes=classes, extra=extra)
    return not np.array_equal(current, fitted)


def same_costs(
    cost_matrix: Any,
    fitted: NDArray[np.float64] | None,
    sorted_classes: NDArray[Any],
    classes: ArrayLike | None,
    extra: NDArray[Any],
) -> bool:
    """Whether a table or an array is obviously the matrix used for fitting.

    Every prediction asks for this, and `class_costs` takes longer than predicting a
    row. The arguments are those of `costs_changed`.
    """
    if fitted is None:
        return False
    if type(cost_matrix) is np.ndarray:
        return classes is None and np.array_equal(cost_matrix, fitted)
    names = [*sorted_classes.tolist(), *extra.tolist()]
    return _is_table_of(cost_matrix, fitted, names)


def _is_table_of(table: Any, values: NDArray[np.float64], names: list[Any]) -> bool:
    """Whether a table has these values for these names, in any order."""
    if not (hasattr(table, "index") and hasattr(table, "columns")):
        return False
    rows, columns = _places(table.index), _places(table.columns)
    found = table.to_numpy() if hasattr(table, "to_numpy") else np.asarray(table)
    try:
        order = [rows[name] for name in names[: len(values)]]
        matched = found[np.ix_(order, [columns[name] for name in names])]
    except (KeyError, TypeError, IndexError):  # TypeError: list.index is a method
        return False
    return found.shape == values.shape and np.array_equal(matched, values)


def _places(names: Any) -> dict[Any, int]:
    # An array is much faster to iterate than an index of strings.
    listed = names.to_numpy().tolist() if hasattr(names, "to_numpy") else names
    return {name: place for place, name in enumerate(listed)}


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
    """Validate labels and costs, and put them into the order of the sorted classes.

    Parameters
    ----------
    y, cost_matrix, costs, classes
        As in `as_cost_vectors`; ``costs`` may also have shape (n, K, A), a cost matrix
        for every row.
    error_weight : None, "balanced" or dict of label and weight
        See `error_weights`.
    sample_weight : array of shape (n,), default=None
        Sample weights, not negative; ones by default.
    actions : array-like of shape (A - K,), optional
        Extra actions, see `extra_actions`.
    action_error : float, or dict of action and float
        How much actions count as errors.

    Returns
    -------
    RowCosts
        The validated rows.

    See Also
    --------
    as_cost_vectors : Return canonical cost vectors: the extra cost of each answer.
    RowCosts : Validated labels, costs and weights of rows.

    Examples
    --------
    >>> from softcost.costs import row_costs
    >>> rows = row_costs(["b", "a"], cost_matrix=[[0, 4], [2, 0]])
    >>> rows.classes.tolist(), rows.y.tolist(), rows.scale
    (['a', 'b'], [1, 0], 4.0)
    >>> rows.problem(softness=0.5).costs
    array([[0.75, 0.  ],
           [0.  , 1.  ]])
    """
    labels = resolve_classes(
        y, classes=classes, cost_matrix=cost_matrix, costs=costs, actions=actions
    )
    extra = extra_actions(labels, actions=actions, cost_matrix=cost_matrix)
    order = np.argsort(labels, kind="stable")
    sorted_classes = labels[order]
    index = class_indices(y, sorted_classes)
    raw_matrix = raw_costs = matrices = None
    if is_row_matrices(costs):
        matrices = row_matrices(
            costs, sorted_classes, len(index), classes=labels, extra=extra
        )
        raw_costs = matrices[np.arange(len(index)), index]
    elif costs is not None:
        raw = raw_cost_vectors(y, costs=costs, classes=labels, actions=extra)
        raw_costs = np.hstack([raw[:, order], raw[:, len(order) :]])
    else:
        raw_matrix = class_costs(
            cost_matrix, sorted_classes, classes=labels, extra=extra
        )
    return RowCosts(
        classes=sorted_classes,
        y=index,
        weight=np.ones(len(index)) if sample_weight is None else sample_weight,
        raw_matrix=raw_matrix,
        raw_costs=raw_costs,
        raw_matrices=matrices,
        error_weight=check_error_weight(error_weight, sorted_classes),
        extra=extra,
        action_error=check_action_error(action_error, extra),
    )


def is_row_matrices(costs: Any) -> bool:
    """Whether costs by example are a cost matrix for every row, shape (n, K, A).

    Parameters
    ----------
    costs : array-like, table or None
        Costs by example.

    Returns
    -------
    bool
        Whether they have three dimensions.

    See Also
    --------
    row_matrices : Check one cost matrix per row and put them into the order of sorted
        classes.

    Examples
    --------
    >>> from softcost.costs import is_row_matrices
    >>> is_row_matrices([[0, 5], [20, 0]]), is_row_matrices([[[0, 5], [20, 0]]])
    (False, True)
    """
    try:
        return np.ndim(costs) == 3
    except ValueError:  # lists of different lengths, which other checks report
        return False


def row_matrices(
    costs: Any,
    sorted_classes: NDArray[Any],
    n_samples: int,
    *,
    classes: ArrayLike | None = None,
    extra: NDArray[Any] = NO_ACTIONS,
) -> NDArray[np.float64]:
    """Check one cost matrix per row and put them into the order of sorted classes.

    Unlike a single cost matrix, the matrix of a row may make a mistake cheaper than
    being right: an investigation may cost more than a small fraud.

    Parameters
    ----------
    costs : array-like of shape (n_samples, K, A)
        ``costs[n, true, predicted]``, with the columns of the classes first.
    sorted_classes : array of shape (K,)
        The sorted classes.
    n_samples : int
        Number of rows.
    classes : array-like of shape (K,), optional
        The classes in the order of the matrices; sorted by default.
    extra : array of shape (A - K,)
        Extra actions.

    Returns
    -------
    array of shape (n_samples, K, A)
        In the user's units.

    See Also
    --------
    scaled_matrices : Scale several cost matrices, each by its own largest entry.
    softcost.reductions.MinimumExpectedCost : Supports a cost matrix for each row.

    Examples
    --------
    Two payments: a false alarm costs 5, a missed fraud the amount.

    >>> import numpy as np
    >>> from softcost.costs import row_matrices
    >>> costs = [[[0, 5], [amount, 0]] for amount in (20, 900)]
    >>> row_matrices(costs, np.array(["fine", "fraud"]), 2)[1]
    array([[  0.,   5.],
           [900.,   0.]])
    """
    labels = sorted_classes if classes is None else check_classes(classes)
    values = numbers(costs, "costs")
    shape = (n_samples, len(sorted_classes), len(sorted_classes) + len(extra))
    if values.shape != shape:
        raise ValueError(
            f"costs has shape {values.shape}, not {shape}; give every row its own cost"
            " matrix, costs[row, true, predicted]: a row to predict may belong to any"
            " class."
        )
    valid = np.isfinite(values) & (values >= 0) & (values <= LARGEST)
    for row in np.flatnonzero(~valid.all(axis=(1, 2)))[:1]:
        try:
            check_cost_values(values[row], labels, extra, "cost_matrix")
        except ValueError as error:
            raise ValueError(f"costs[{row}]: {error}") from None
    order = np.argsort(labels, kind="stable")
    columns = np.append(order, np.arange(len(labels), shape[2]))
    return values[np.ix_(np.arange(n_samples), order, columns)]


def scaled_matrices(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale several cost matrices, each by its own largest entry.

    So the decision for a row does not depend on the other rows.

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
    scaled_matrix : Scale a cost matrix: subtract row minima and divide by the largest
        entry.
    row_matrices : Check one cost matrix per row and put them into the order of sorted
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
