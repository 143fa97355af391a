"""Learners fitted to class numbers, and the probabilities they give."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import _num_samples

from softcost.learners import fit_rows, inner_learner, seeded_clone, weight_params
from softcost.reductions._base import Reduction


class ProbabilityReduction(Reduction):
    """A reduction to probabilities, by default those of logistic regression."""

    learner_kind: ClassVar[str] = "classifier"
    estimator_: Any

    def default_learner(self) -> Any:
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))

    def _estimators(self) -> list[Any]:
        return [class_learner(self.estimator_)]

    def _check_X(self, X: Any, *, reset: bool) -> Any:
        if self.learner is None and sparse.issparse(X):
            raise TypeError(
                "X is sparse, but the default learner centres features: pass "
                "X.toarray(), or a learner that takes sparse data, such as "
                "LogisticRegression()."
            )
        return super()._check_X(X, reset=reset)


class OneClass:
    """What is learnt where all rows are of one class: always that one."""

    def __init__(self, number: int):
        self.classes_ = np.array([number])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        return np.ones((_num_samples(X), 1))


def class_learner(model: Any) -> Any:
    """What the user's learner became; None where all rows were of one class."""
    return None if isinstance(model, OneClass) else inner_learner(model)


def is_prefitted(learner: Any) -> bool:
    """Whether a learner, or the last step of a pipeline, is fitted and stays so."""
    last = learner.steps[-1][1] if isinstance(learner, Pipeline) else learner
    return isinstance(last, FrozenEstimator)


def fit_classes(
    learner: Any,
    X: Any,
    rows: NDArray[np.intp],
    y: NDArray[np.intp],
    weight: NDArray[np.float64] | None = None,
    seed: int | None = None,
) -> Any:
    """Fit a clone to some rows: the unit of parallel work.

    Parameters
    ----------
    learner : classifier
    X : the table
    rows : array of shape (n,)
        Numbers of the rows to learn from; any may occur more than once.
    y : array of shape (n,)
        Numbers of their classes.
    weight : array of shape (n,) or None
        Their weights, for a learner that takes weights; those of weight zero are left
        out.
    seed : int or None

    Returns
    -------
    A fitted classifier; a `OneClass` where y has one class only.
    """
    if weight is not None:
        kept = weight > 0
        rows, y, weight = rows[kept], y[kept], weight[kept]
    if np.all(y == y[0]):
        return OneClass(y[0])
    model = seeded_clone(learner, seed)
    params = {} if weight is None else weight_params(model, weight)
    return fit_rows(model, X, rows, y, params)


def class_probabilities(
    model: Any, X: Any, n_classes: int, columns: NDArray[np.intp] | None = None
) -> NDArray[np.float64]:
    """Probabilities of all classes, shape (n, K); 1 for the prediction without them.

    A class that the model has not seen gets zero. ``columns`` has the numbers of the
    model's classes, where its own labels are not numbers of classes.
    """
    if hasattr(model, "predict_proba"):
        out = np.zeros((_num_samples(X), n_classes))
        out[:, model.classes_ if columns is None else columns] = model.predict_proba(X)
        return out
    return np.eye(n_classes)[model.predict(X)]
