"""Randomised mixtures of two classifiers: points between those on the front."""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state

from softcost.metrics import lower_hull


def best_mix(
    error: NDArray[np.float64], cost: NDArray[np.float64], max_error: float
) -> tuple[int, int, float]:
    """The mixture of least cost whose error is at most ``max_error``.

    Minimising a linear cost over probabilities under one more linear constraint needs
    at most two candidates, neighbours on the lower convex hull.

    Returns
    -------
    first, second : int
        Numbers of candidates.
    probability : float
        Of the first.

    Examples
    --------
    >>> error, cost = np.array([0.0, 0.4, 1.0]), np.array([10.0, 7.0, 0.0])
    >>> best_mix(error, cost, 0.4)
    (0, 2, 0.6)
    """
    if not isinstance(max_error, Real) or not 0 <= max_error <= 1:
        raise ValueError(
            f"max_error must be an error rate from 0 to 1, not {max_error!r}; "
            "0.05 allows five errors in a hundred."
        )
    if error.min() > max_error:
        raise ValueError(
            f"max_error={max_error:g} is below the least cross-validated error, "
            f"{error.min():.4g}: allow more, or try other parameters."
        )
    corners = lower_hull(np.column_stack([error, cost]))
    within = corners[error[corners] <= max_error]
    first = int(within[-1])
    beyond = corners[error[corners] > max_error]
    if len(beyond) == 0 or cost[beyond[0]] >= cost[first]:
        return first, first, 1.0
    second = int(beyond[0])
    probability = (error[second] - max_error) / (error[second] - error[first])
    return first, second, float(probability)


class RandomizedPair(ClassifierMixin, BaseEstimator):
    """Two fitted classifiers, one of which is drawn for every prediction.

    Its expected cost and error lie on the line between those of the two.

    Parameters
    ----------
    first, second : fitted classifiers with the same classes
    probability : float
        Of the first.
    random_state : int, RandomState instance or None, default=None
        An int draws the same for the same number of rows every time.
    """

    def __init__(self, first, second, probability, *, random_state=None):
        self.first = first
        self.second = second
        self.probability = probability
        self.random_state = random_state

    @property
    def classes_(self) -> Any:
        return self.first.classes_

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X, y):
        """Fit both members anew."""
        self.first.fit(X, y)
        self.second.fit(X, y)
        return self

    def predict(self, X):
        """Labels, shape (n,), each by a member drawn for its row."""
        first, second = self.first.predict(X), self.second.predict(X)
        drawn = check_random_state(self.random_state).uniform(size=len(first))
        return np.where(drawn < self.probability, first, second)
