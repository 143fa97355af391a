"""Randomised mixtures of two classifiers: points between those on the front."""

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples, check_is_fitted

from softcost._sklearn_types import BaseEstimator, ClassifierMixin
from softcost.costs import costs_of_rows, is_row_matrices
from softcost.metrics import lower_hull, mean_cost


def best_mix(
    error: NDArray[np.float64], cost: NDArray[np.float64], max_error: float
) -> tuple[int, int, float]:
    """The mixture of least cost whose error is at most ``max_error``.

    Minimising a linear cost over probabilities under one more linear constraint needs
    at most two candidates, neighbours on the lower convex hull.

    Parameters
    ----------
    error, cost : array of shape (n_candidates,)
        Of every candidate.
    max_error : float
        The budget.

    Returns
    -------
    first, second : int
        Numbers of candidates.
    probability : float
        Of the first.

    See Also
    --------
    RandomizedPair : Two fitted classifiers, one of which is drawn for every prediction.
    softcost.metrics.lower_hull : The candidates that matter.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.search import best_mix
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
    first, second : fitted classifiers
        With the same classes.
    probability : float
        Of the first.
    random_state : int, RandomState instance or None, default=None
        With an int the draw depends on the content of a row alone, so that a row is
        answered in the same way by itself and among others; equal rows are answered
        alike. Otherwise every prediction is drawn anew.

    See Also
    --------
    SoftCostClassifierCV.mix : Makes the pair that meets an error budget.
    best_mix : The mixture of least cost whose error is at most ``max_error``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from softcost.search import RandomizedPair
    >>> X, y = np.arange(1000.0)[:, None], np.repeat(["ham", "spam"], 500)
    >>> members = [
    ...     DummyClassifier(strategy="constant", constant=label).fit(X, y)
    ...     for label in ("ham", "spam")
    ... ]
    >>> pair = RandomizedPair(*members, probability=0.25, random_state=0)
    >>> answers = pair.predict(X)
    >>> bool(0.2 < np.mean(answers == "ham") < 0.3)
    True
    >>> bool((pair.predict(X[7:8]) == answers[7]).all())  # alone as among others
    True
    """

    def __init__(
        self,
        first: Any,
        second: Any,
        probability: float,
        *,
        random_state: Any = None,
    ):
        self.first = first
        self.second = second
        self.probability = probability
        self.random_state = random_state

    @property
    def classes_(self) -> Any:
        return self.first.classes_

    @property
    def actions_(self) -> Any:
        """What may be predicted: the classes, then the actions."""
        return self.first.actions_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self.first, "classes_") and hasattr(self.second, "classes_")

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit both members anew.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Rows.
        y : array-like of shape (n,)
            True labels.

        Returns
        -------
        self
            The pair.
        """
        self.first.fit(X, y)
        self.second.fit(X, y)
        return self

    def draws(self, X: Any) -> NDArray[np.bool_]:
        """Whether the first member answers, for every row.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Rows to predict.

        Returns
        -------
        array of bool of shape (n,)
            True where the first answers.
        """
        if isinstance(self.random_state, Integral):
            drawn = row_chances(X, int(self.random_state))
        else:
            rng = check_random_state(self.random_state)
            drawn = rng.uniform(size=_num_samples(X))
        return drawn < self.probability

    def predict(self, X: Any, *, costs: Any = None) -> NDArray[Any]:
        """Labels, shape (n,), each by a member drawn for its row.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Rows to predict.
        costs : array-like of shape (n, K, A) or callable, default=None
            The cost matrix of every row, as in `SoftCostClassifierCV.predict`.

        Returns
        -------
        array of shape (n,)
            Labels of classes, or names of actions.
        """
        check_is_fitted(self)
        costs = costs_of_rows(costs, X)
        return np.where(
            self.draws(X),
            predict_at(self.first, X, costs),
            predict_at(self.second, X, costs),
        )

    def score(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        costs: Any = None,
    ) -> float:
        """Minus the mean cost of the predictions, in the user's units.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Rows to predict.
        y : array-like of shape (n,)
            True labels.
        sample_weight : array-like of shape (n,), default=None
            Weight of each row, by default 1.
        costs : array-like or table of shape (n, A), or callable, default=None
            Needed if the members were fitted with costs by example; of shape (n, K, A)
            if they decide by the cost matrix of each row.

        Returns
        -------
        float
            The larger the better.
        """
        costs, classes = costs_of_rows(costs, X, y), self.first.classes
        actions = self.actions_[len(self.classes_) :]
        return -mean_cost(
            y,
            self.predict(X, costs=costs if is_row_matrices(costs) else None),
            cost_matrix=self.first.cost_matrix if costs is None else None,
            costs=costs,
            classes=self.classes_ if classes is None else classes,
            sample_weight=sample_weight,
            actions=actions if len(actions) else None,
        )


def predict_at(model: Any, X: Any, costs: Any) -> NDArray[Any]:
    """Predictions of a fitted model, by the costs of the rows if it decides by costs.

    Parameters
    ----------
    model : fitted classifier
        Usually a reduction.
    X : array-like of shape (n, n_features)
        Rows to predict.
    costs : array-like of shape (n, K, A) or None
        The cost matrix of every row.
    """
    if costs is None or not getattr(model, "softness_at_predict", False):
        return model.predict(X)
    return model.predict(X, costs=costs)


def row_chances(X: Any, seed: int) -> NDArray[np.float64]:
    """A number from 0 to 1 for every row, which depends on its content and a seed.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> bool(row_chances(X, 0)[1] == row_chances(X[1:], 0)[0])
    True
    """
    if sparse.issparse(X):
        parts = range(0, X.shape[0], 1024)
        blocks = [X[start : start + 1024].toarray() for start in parts]
        return np.concatenate([row_chances(block, seed) for block in blocks])
    table = pd.DataFrame(X)
    table.columns = pd.RangeIndex(table.shape[1])
    for name, values in table.items():
        if values.dtype.kind in "biuf":
            table[name] = values.astype(float)
    key = f"{seed:016x}"[-16:]
    hashed = pd.util.hash_pandas_object(table, index=False, hash_key=key)
    # The hash of a single number partly keeps its order: mix the bits like splitmix64
    # (Steele, Lea and Flood, 2014).
    bits = hashed.to_numpy(np.uint64) ^ np.uint64(seed % 2**64)
    for shift, odd in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(odd)
    return ((bits ^ (bits >> np.uint64(31))) >> np.uint64(11)) / 2.0**53
