"""The mean cost as a scikit-learn scorer."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metadata_routing import UNUSED

from softcost._sklearn_types import BaseEstimator
from softcost.costs import costs_of_rows, is_labelled, resolve_classes
from softcost.metrics.decision import mean_cost


class MatrixCostScorer(BaseEstimator):
    """Minus the mean cost under a matrix; made by :func:`cost_scorer`.

    It needs no metadata, so it works with and without metadata routing.
    """

    __metadata_request__score = {"estimator": UNUSED}  # noqa: RUF012

    def __init__(self, cost_matrix: Any, classes: Any = None) -> None:
        self.cost_matrix = cost_matrix
        self.classes = classes

    # Attributes that TunedThresholdClassifierCV needs of a scorer.
    _score_func = staticmethod(mean_cost)
    _sign = -1

    @property
    def _kwargs(self) -> dict[str, Any]:
        return {"cost_matrix": self.cost_matrix, "classes": self.classes}

    def score(
        self, estimator: Any, X: Any, y: Any, *, sample_weight: Any = None
    ) -> float:
        """Return minus the mean cost of the estimator's predictions."""
        costs = {"cost_matrix": self.cost_matrix}
        return _score(estimator, X, y, self.classes, sample_weight, costs)

    __call__ = score  # routing reads the signature of a method named score


class ExampleCostScorer(BaseEstimator):
    """Minus the mean cost of examples; made by :func:`cost_scorer`.

    It requests `costs` as metadata and raises an error without them.
    """

    __metadata_request__score = {"estimator": UNUSED, "costs": True}  # noqa: RUF012

    def __init__(self, classes: Any = None) -> None:
        self.classes = classes

    def score(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        costs: Any = None,
        sample_weight: Any = None,
    ) -> float:
        """Return minus the mean cost of the estimator's predictions."""
        if costs is None:
            raise ValueError(
                "costs did not reach cost_scorer(); bind a matrix with"
                " cost_scorer(cost_matrix=...), or call"
                " sklearn.set_config(enable_metadata_routing=True) and pass costs."
            )
        by_example = {"costs": costs_of_rows(costs, X, y)}
        return _score(estimator, X, y, self.classes, sample_weight, by_example)

    __call__ = score  # routing reads the signature of a method named score


def cost_scorer(
    cost_matrix: Any = None, classes: Any = None
) -> MatrixCostScorer | ExampleCostScorer:
    """Make a scikit-learn scorer of the mean cost: larger is better.

    Parameters
    ----------
    cost_matrix : array-like, table or dict of shape (n_classes, n_classes), optional
        ``cost_matrix[true, predicted]``. The scorer then needs nothing else, with
        metadata routing or without. Without a matrix it requests the metadata `costs`
        (n x K, or a function of X and y), which only reach it if metadata routing is
        enabled, and raises an error if they are missing. (Searches turn
        errors into warnings and NaN scores unless ``error_score="raise"``.)
    classes : array-like of shape (n_classes,), optional
        The classes, in the order of unlabelled costs. By default the sorted labels of
        the estimator or `y`; needed if those may lack a class.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)`` is minus the :func:`mean_cost` of
        ``estimator.predict(X)``. It can be cloned and pickled.

    See Also
    --------
    mean_cost : Return the mean cost of the predictions, in the user's units.
    sklearn.metrics.make_scorer : Make a scorer of another measure.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.model_selection import cross_val_score
    >>> from softcost.metrics import cost_scorer
    >>> prices = [[0, 1, 2], [6, 0, 1], [9, 1, 0]]
    >>> X, y = load_iris(return_X_y=True)
    >>> guess = DummyClassifier(strategy="constant", constant=0)
    >>> cross_val_score(guess, X, y, cv=5, scoring=cost_scorer(prices))
    array([-5., -5., -5., -5., -5.])
    """
    if cost_matrix is None:
        return ExampleCostScorer(classes)
    return MatrixCostScorer(cost_matrix, classes)


def _score(
    estimator: Any, X: Any, y: Any, classes: Any, sample_weight: Any, costs: Any
) -> float:
    predicted = estimator.predict(X)
    fitted_classes = getattr(estimator, "classes_", ())
    all_answers = getattr(estimator, "actions_", fitted_classes)
    actions = all_answers[len(fitted_classes) :]
    if classes is None:
        answers = np.asarray(predicted)
        answered = answers[~np.isin(answers, actions)] if len(actions) else predicted
        classes = _known_classes(estimator, y, answered, costs)
    cost = mean_cost(
        y,
        predicted,
        classes=classes,
        sample_weight=sample_weight,
        actions=actions if len(actions) else None,
        **costs,
    )
    return -cost


def _known_classes(estimator: Any, y: Any, predicted: Any, costs: Any) -> NDArray[Any]:
    """The classes of a fold: the labels of the costs, or all labels that occur."""
    fitted_classes = getattr(estimator, "classes_", predicted)
    if hasattr(estimator, "classes_") and not is_labelled(**costs):
        order = np.asarray(fitted_classes).tolist()
        if order != sorted(order):
            raise ValueError(
                "classes is missing: the estimator's classes are not sorted, so the"
                " order of the costs is ambiguous; pass classes= to cost_scorer."
            )
    labels_seen = [
        label
        for labels in (y, predicted, fitted_classes)
        if len(labels)
        for label in resolve_classes(labels).tolist()
    ]
    return resolve_classes(labels_seen, **costs)
