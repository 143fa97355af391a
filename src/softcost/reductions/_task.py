"""From prices to the task that a reduction is given."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcost.costs import (
    as_cost_vectors,
    check_cost_matrix,
    class_indices,
    error_weights,
    normalize,
    resolve_classes,
)


@dataclass(frozen=True)
class Task:
    """A cost-sensitive problem: what to predict, at what (softened) cost.

    Attributes
    ----------
    y : array of shape (n,)
        Numbers of the true classes.
    costs : array of shape (n, K)
        Canonical costs: not negative, zero at the true class.
    matrix : array of shape (K, K) or None
        The same by class, where costs depend on the class only.
    weight : array of shape (n,)
        Sample weights.
    """

    y: NDArray[np.intp]
    costs: NDArray[np.float64]
    matrix: NDArray[np.float64] | None
    weight: NDArray[np.float64]

    @property
    def n_classes(self) -> int:
        return self.costs.shape[1]


@dataclass(frozen=True)
class Prices:
    """Prices as the user gave them, checked, canonical and divided by the largest.

    Attributes
    ----------
    classes : array of shape (K,)
        Sorted labels.
    y : array of shape (n,)
        Numbers of the true classes.
    costs : array of shape (n, K)
    matrix : array of shape (K, K) or None
    scale : float
        What the prices were divided by.
    error_weight : array of shape (K,)
        Price of an error, by true class, in the basic criterion.
    weight : array of shape (n,)
        Sample weights.
    """

    classes: NDArray[Any]
    y: NDArray[np.intp]
    costs: NDArray[np.float64]
    matrix: NDArray[np.float64] | None
    scale: float
    error_weight: NDArray[np.float64]
    weight: NDArray[np.float64]

    def task(self, softness: float) -> Task:
        """The task at ``(1 - softness) * costs + softness * error_weight * naive``."""
        basic = self.error_weight[:, None] * (1.0 - np.eye(len(self.classes)))
        hard = 1.0 - softness
        if self.matrix is not None:
            matrix = hard * self.matrix + softness * basic
            return Task(self.y, matrix[self.y], matrix, self.weight)
        costs = hard * self.costs + softness * basic[self.y]
        return Task(self.y, costs, None, self.weight)


def read_prices(
    y: ArrayLike,
    *,
    cost_matrix: Any = None,
    costs: Any = None,
    classes: ArrayLike | None = None,
    error_weight: Any = None,
    sample_weight: NDArray[np.float64],
) -> Prices:
    """Check prices and put them into the order of the sorted classes.

    A matrix is divided by its own largest entry, whichever classes occur in ``y``, so
    that softness means the same on every part of the data; costs by example by the
    largest of rows that take part.
    """
    given = resolve_classes(y, classes=classes, cost_matrix=cost_matrix, costs=costs)
    order = np.argsort(given, kind="stable")
    known = given[order]
    index = class_indices(y, known)
    present = sample_weight > 0
    matrix = None
    if costs is None:
        if cost_matrix is None:
            matrix = 1.0 - np.eye(len(known))
        else:
            matrix = check_cost_matrix(cost_matrix, given)[np.ix_(order, order)]
            matrix = matrix - matrix.min(axis=1, keepdims=True)
        matrix, scale = normalize(matrix)
        vectors = matrix[index]
    else:
        vectors = as_cost_vectors(
            y, cost_matrix=cost_matrix, costs=costs, classes=classes
        )
        _, scale = normalize(vectors[present])
        vectors = vectors[:, order] / scale
    return Prices(
        classes=known,
        y=index,
        costs=vectors,
        matrix=matrix,
        scale=scale,
        error_weight=error_weights(known[index[present]], error_weight, known),
        weight=sample_weight,
    )
