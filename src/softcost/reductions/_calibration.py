"""Calibration: from a classifier's scores to probabilities that can be trusted.

Calibrators are fitted to scores of rows that the classifier has not learnt from: every
row is scored by a copy that was fitted to the other folds. The classifier itself is
fitted to all rows.
"""

import warnings
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing

from softcost.learners import draw_seeds
from softcost.parallel import run_jobs
from softcost.reductions._multiclass import fit_classes

METHODS = ("temperature", "isotonic", "sigmoid")
_N_FOLDS = 5
_TINY = 1e-12  # the logarithm of a probability of zero must be finite

Scores = Callable[[Any, Any], NDArray[np.float64]]


class TemperatureScaling:
    """One number for all classes: ``p = softmax(beta z)`` of least log loss.

    The order of the classes does not change, only how sure the probabilities are.
    scikit-learn has the same from version 1.8 on.

    Attributes
    ----------
    beta_ : float
        The inverse temperature.
    """

    def fit(
        self,
        scores: NDArray[np.float64],
        y: NDArray[np.intp],
        weight: NDArray[np.float64],
    ) -> Self:
        rows = np.arange(len(y))

        def loss(log_beta: float) -> float:
            found = log_softmax(np.exp(log_beta) * scores, axis=1)
            return -float(weight @ found[rows, y])

        found = minimize_scalar(
            loss, bounds=(-10, 10), method="bounded", options={"xatol": 1e-12}
        )
        self.beta_ = float(np.exp(found.x))
        return self

    def predict_proba(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return softmax(self.beta_ * scores, axis=1)


class GivenScores(ClassifierMixin, BaseEstimator):
    """A classifier whose rows are scores already, one column for each class."""

    __metadata_request__fit: ClassVar = {"sample_weight": True}

    def __init__(self, n_classes: int = 2):
        self.n_classes = n_classes

    @property
    def classes_(self) -> NDArray[np.intp]:
        return np.arange(self.n_classes)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        return self

    def predict(self, X: Any) -> NDArray[np.intp]:
        return np.asarray(X).argmax(axis=1)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        return X[:, 1] if self.n_classes == 2 else X


class Calibration:
    """How scores of shape (n, K) become probabilities.

    Parameters
    ----------
    method : {"temperature", "isotonic", "sigmoid"}
    present : array
        Numbers of the classes that had rows; the others have no probability.
    model : fitted calibrator of their columns
    """

    def __init__(self, method: str, present: NDArray[np.intp], model: Any):
        self.method, self.present, self.model = method, present, model

    @classmethod
    def fitted(
        cls,
        method: str,
        scores: NDArray[np.float64],
        y: NDArray[np.intp],
        weight: NDArray[np.float64],
    ) -> "Calibration":
        """Fit to scores of rows that the classifier has not learnt from."""
        present, number = np.unique(y, return_inverse=True)
        scores = scores[:, present]
        if method == "temperature":
            return cls(
                method, present, TemperatureScaling().fit(scores, number, weight)
            )
        every = np.arange(len(y))
        model = CalibratedClassifierCV(
            GivenScores(len(present)),
            method=method,
            cv=[(every, every)],
            ensemble=False,
        )
        return cls(method, present, model.fit(scores, number, sample_weight=weight))

    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities of all classes, shape (n, K)."""
        out = np.zeros(scores.shape)
        out[:, self.present] = self.model.predict_proba(scores[:, self.present])
        return out


def class_scores(
    model: Any,
    X: Any,
    n_classes: int,
    *,
    logarithms: bool,
    columns: NDArray[np.intp] | None = None,
) -> NDArray[np.float64]:
    """Scores of all classes, shape (n, K): by the decision function, if there is one.

    Otherwise they are probabilities, or their logarithms. A class that the model has
    not seen gets the lowest score of its row. ``columns`` is as in
    `class_probabilities`.
    """
    if hasattr(model, "decision_function"):
        found = np.asarray(model.decision_function(X), np.float64)
        if found.ndim == 1:
            found = np.column_stack([-found, found])
    else:
        found = model.predict_proba(X)
        found = np.log(found + _TINY) if logarithms else found
    out = np.repeat(found.min(axis=1, keepdims=True), n_classes, axis=1)
    out[:, model.classes_ if columns is None else columns] = found
    return out


def held_out_scores(
    learner: Any,
    X: Any,
    rows: NDArray[np.intp],
    y: NDArray[np.intp],
    weight: NDArray[np.float64],
    scores: Scores,
    *,
    n_jobs: int | None = None,
    rng: np.random.RandomState | None = None,
) -> NDArray[np.float64]:
    """Scores of some rows, by copies of the learner fitted to the other folds.

    Parameters
    ----------
    learner : classifier
    X : the table
    rows, y, weight : arrays of shape (n,)
        Numbers of rows, numbers of their classes, positive weights.
    scores : callable
        Scores of a fitted model for rows.
    n_jobs, rng
        As in `softcost.learners.fit_subproblems`; a generator shuffles the folds, too.
    """
    n_folds = min(_N_FOLDS, int(np.bincount(y).max()))
    if n_folds < 2:
        raise ValueError(
            "calibration holds out rows, and no class has two: give more rows, or pass "
            "calibration=None."
        )
    (shuffle,) = draw_seeds(rng, 1)
    splitter = StratifiedKFold(
        n_folds, shuffle=shuffle is not None, random_state=shuffle
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        folds = list(splitter.split(np.empty((len(y), 0)), y))
    seeds = draw_seeds(rng, len(folds))
    jobs = [
        (learner, X, rows[train], y[train], weight[train], seed)
        for (train, _), seed in zip(folds, seeds, strict=True)
    ]
    models = run_jobs(fit_classes, jobs, n_jobs=n_jobs)
    tests = [test for _, test in folds]
    parts = [
        scores(model, _safe_indexing(X, rows[test]))
        for model, test in zip(models, tests, strict=True)
    ]
    return np.concatenate(parts)[np.argsort(np.concatenate(tests))]
