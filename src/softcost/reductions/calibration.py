"""Calibration: from a classifier's scores to probabilities that can be trusted.

Calibrators are fitted to scores of rows that the classifier has not learnt from: every
row is scored by a copy that was fitted to the other folds. The classifier itself is
fitted to all rows.
"""

import warnings
from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.validation import check_is_fitted, validate_data

from softcost.learners import draw_seeds
from softcost.parallel import run_jobs
from softcost.reductions.base import fit_classes

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


# Probabilities of a classifier that has scores only.


class SoftmaxScores(ClassifierMixin, BaseEstimator):
    """Probabilities of a classifier's scores z, by a softmax of given sharpness b.

        p(k | x) = exp(b z_k(x)) / sum_j exp(b z_j(x))

    For two classes with one score s it is ``1 / (1 + exp(-b s))`` for the second.
    The order of the classes is that of the scores. Nothing is learnt but the classifier
    itself, so it takes one fit; how sure the probabilities are is up to b. Scores of
    machines with a margin, which aim at -1 and +1, go with about 4 where the classes
    hardly overlap, and with less where they do.

    In a blend such a classifier is one opinion among others: it counts where its
    sharpness suits (`BlendedClassifier`). Where its probabilities decide alone,
    calibrate it instead: ``MinimumExpectedCost(classifier, calibration="sigmoid")``.

    Parameters
    ----------
    classifier : classifier
        With ``decision_function``, and weights of rows in ``fit``.
    sharpness : float, default=4.0
        The number b.

    Attributes
    ----------
    estimator_ : classifier
        Fitted.
    classes_ : array of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    See Also
    --------
    BlendedClassifier : Averages probabilities.
    MinimumExpectedCost : Decides by probabilities, and calibrates scores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softcost import KernelSVC
    >>> from softcost.reductions import SoftmaxScores
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SoftmaxScores(KernelSVC(C=16)).fit(X, y)
    >>> model.predict_proba(X[:1]).round(1).tolist()
    [[1.0, 0.0, 0.0]]
    """

    _parameter_constraints: ClassVar = {
        "classifier": [HasMethods(["fit", "decision_function"])],
        "sharpness": [Interval(Real, 0, None, closed="neither")],
    }
    # Weights of rows go to the classifier.
    hands_weights_on: ClassVar[bool] = True

    def __init__(self, classifier: Any, *, sharpness: float = 4.0):
        self.classifier = classifier
        self.sharpness = sharpness

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = self.classifier.__sklearn_tags__()
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows, as the classifier takes them.
        y : array of shape (n,)
            Labels.
        sample_weight : array of shape (n,), default=None
            Weights of the rows; all one by default.

        Returns
        -------
        self
            The fitted classifier.
        """
        validate_data(self, X, skip_check_array=True)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.estimator_ = clone(self.classifier).fit(X, y, **weights)
        self.classes_ = self.estimator_.classes_
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows, as the classifier takes them.

        Returns
        -------
        array of shape (n, n_classes)
            In the order of ``classes_``; rows sum to one.
        """
        check_is_fitted(self)
        scores = np.asarray(self.estimator_.decision_function(X), np.float64)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        return softmax(self.sharpness * scores, axis=1)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the highest score.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows, as the classifier takes them.

        Returns
        -------
        array of shape (n,)
            Labels.
        """
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]
