"""Calibration: turn a classifier's scores into probabilities.

Calibrators are fitted to held-out scores: every row is scored by a copy of the
classifier that was fitted to the other folds. The classifier itself is fitted to all
rows. The methods are temperature scaling (Guo et al. 2017), the sigmoid of Platt (1999)
and isotonic regression (Zadrozny and Elkan 2002). scikit-learn fits the last two.

References
----------
Guo, Pleiss, Sun and Weinberger (2017), "On calibration of modern neural networks",
ICML.

Platt (1999), "Probabilistic outputs for support vector machines and comparisons to
regularized likelihood methods", in Advances in Large Margin Classifiers, MIT Press.

Zadrozny and Elkan (2002), "Transforming classifier scores into accurate multiclass
probability estimates", KDD.
"""

import warnings
from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.validation import check_is_fitted, validate_data

from softcost._sklearn_types import BaseEstimator, ClassifierMixin, fit_context
from softcost.learners import FitParams, draw_seeds
from softcost.learners.compact import CompactForm, register
from softcost.learners.fitting import as_numpy
from softcost.parallel import run_jobs
from softcost.reductions.base import FlatReduction, fit_classes

METHODS = ("temperature", "isotonic", "sigmoid")
_N_FOLDS = 5  # as in scikit-learn's CalibratedClassifierCV
_TINY = 1e-12  # keeps the logarithm of a zero probability finite

Scores = Callable[[Any, Any], NDArray[np.float64]]


class TemperatureScaling:
    """Temperature scaling: ``p = softmax(beta z)`` with the lowest log loss.

    The order of the classes stays the same; only the confidence changes. scikit-learn
    has this method since version 1.8.

    Attributes
    ----------
    beta_ : float
        The inverse temperature.
    """

    beta_: float

    def fit(
        self,
        scores: NDArray[np.float64],
        y: NDArray[np.intp],
        weight: NDArray[np.float64],
    ) -> Self:
        rows = np.arange(len(y))

        def loss(log_beta: float) -> float:
            log_probabilities = log_softmax(np.exp(log_beta) * scores, axis=1)
            return -float(weight @ log_probabilities[rows, y])

        result = minimize_scalar(
            loss, bounds=(-10, 10), method="bounded", options={"xatol": 1e-12}
        )
        self.beta_ = float(np.exp(result.x))
        return self

    def predict_proba(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return softmax(self.beta_ * scores, axis=1)


class GivenScores(ClassifierMixin, BaseEstimator):
    """An identity classifier: its input is one score per class.

    It lets `sklearn.calibration.CalibratedClassifierCV` calibrate given scores.
    """

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
    """A fitted calibration of scores of shape (n, K).

    Parameters
    ----------
    method : {"temperature", "isotonic", "sigmoid"}
        The method.
    present : array
        Indices of the classes with rows; the others get probability zero.
    model : calibrator
        Fitted to the columns of these classes.
    """

    method: str
    present: NDArray[np.intp]
    model: Any

    def __init__(self, method: str, present: NDArray[np.intp], model: Any) -> None:
        self.method, self.present, self.model = method, present, model

    @classmethod
    def fitted(
        cls,
        method: str,
        scores: NDArray[np.float64],
        y: NDArray[np.intp],
        weight: NDArray[np.float64],
    ) -> "Calibration":
        """Fit to held-out scores."""
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
    """Scores of all classes, shape (n, K).

    They come from the decision function if there is one. Otherwise they are
    probabilities or their logarithms. Classes missing from the model's training rows
    get the lowest score of the row. ``columns`` is as in `class_probabilities`.
    """
    if hasattr(model, "decision_function"):
        scores = as_numpy(model.decision_function(X)).astype(np.float64)
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
    else:
        scores = as_numpy(model.predict_proba(X))
        scores = np.log(scores + _TINY) if logarithms else scores
    out = np.repeat(scores.min(axis=1, keepdims=True), n_classes, axis=1)
    out[:, as_numpy(model.classes_) if columns is None else columns] = scores
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
    fit_params: FitParams | None = None,
) -> NDArray[np.float64]:
    """Cross-validated scores of some rows.

    Parameters
    ----------
    learner : classifier
        The learner to clone.
    X : rows
        All rows.
    rows, y, weight : arrays of shape (n,)
        Indices of the rows, their class indices and positive weights.
    scores : callable
        Computes the scores of a fitted model for rows.
    n_jobs, rng
        As in `softcost.learners.fit_subproblems`; a generator also shuffles the folds.
    fit_params : FitParams or None
        Further arguments of the learner's ``fit``, for all rows of X.
    """
    n_folds = min(_N_FOLDS, int(np.bincount(y).max()))
    if n_folds < 2:
        raise ValueError(
            "calibration needs held-out rows, but no class has two rows. Pass more "
            "rows, or calibration=None."
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
        (learner, X, rows[train], y[train], weight[train], seed, fit_params)
        for (train, _), seed in zip(folds, seeds, strict=True)
    ]
    models = run_jobs(fit_classes, jobs, n_jobs=n_jobs)
    tests = [test for _, test in folds]
    parts = [
        scores(model, _safe_indexing(X, rows[test]))
        for model, test in zip(models, tests, strict=True)
    ]
    return np.concatenate(parts)[np.argsort(np.concatenate(tests))]


class SoftmaxScores(ClassifierMixin, BaseEstimator):
    """Probabilities from a classifier's scores z, by a softmax of fixed sharpness b.

        p(k | x) = exp(b z_k(x)) / sum_j exp(b z_j(x))

    For two classes with a single score s, the second has ``1 / (1 + exp(-b s))``. Only
    the classifier is fitted, once; b sets the confidence of the probabilities. For
    margin machines, whose scores aim at -1 and +1, about 4 suits classes that hardly
    overlap, and less suits classes that do (chosen on development data).

    Use it as a member of a `BlendedClassifier`, whose weights account for a poor choice
    of b. If its probabilities decide alone, calibrate instead:
    ``MinimumExpectedCost(classifier, calibration="sigmoid")``.

    Parameters
    ----------
    classifier : classifier
        A classifier with ``decision_function`` and sample weights.
    sharpness : float, default=4.0
        The factor b, an inverse temperature.

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
    MinimumExpectedCost : Calibrates scores, and decides by probabilities.

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
    # ``fit`` passes sample weights on to the classifier itself.
    hands_weights_on: ClassVar[bool] = True
    estimator_: Any
    classes_: Any

    def __init__(self, classifier: Any, *, sharpness: float = 4.0) -> None:
        self.classifier = classifier
        self.sharpness = sharpness

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = self.classifier.__sklearn_tags__()
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows in any form that the classifier accepts.
        y : array of shape (n,)
            Labels.
        sample_weight : array of shape (n,), default=None
            Sample weights; ones by default.

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
            Rows in any form that the classifier accepts.

        Returns
        -------
        array of shape (n, n_classes)
            In the order of ``classes_``; rows sum to one.
        """
        check_is_fitted(self)
        return self._softmax(self.estimator_.decision_function(X), self.sharpness)

    @staticmethod
    def _softmax(scores: Any, sharpness: float) -> NDArray[np.float64]:
        if np.ndim(scores) == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        return softmax(sharpness * np.asarray(scores, np.float64), axis=1)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the highest score.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows in any form that the classifier accepts.

        Returns
        -------
        array of shape (n,)
            Labels.
        """
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]


@register(
    "softcost.reductions.calibration.SoftmaxScores",
    lambda model: (
        model.estimator_,
        getattr(model.estimator_, "solutions_", None),
        getattr(model.estimator_, "cost_matrix", None),
        model.sharpness,
    ),
)
def _softmax_form(model: SoftmaxScores) -> CompactForm | None:
    """The form if the classifier is a flat reduction to machines of softcost."""
    inner, sharpness = model.estimator_, model.sharpness
    kind = type(inner)
    if (
        not isinstance(inner, FlatReduction)
        or kind._decide is not FlatReduction._decide
        or kind.decision_function is not FlatReduction.decision_function
        or hasattr(model, "feature_names_in_")
        or inner.encoder_ is not None
        or len(inner.classes_) < 2
    ):
        return None
    inner._check_costs_unchanged()
    scorer = getattr(inner.solutions_, "scorer", lambda: None)()
    if scorer is None:
        return None
    n_actions, combine = len(inner.actions_), inner.combine

    def outputs(X: NDArray[np.float64]) -> NDArray[np.float64] | None:
        scores = np.ascontiguousarray(combine(scorer(X), n_actions))
        if not np.isfinite(scores).all():
            return None
        if n_actions == 2:
            scores = scores[:, 1] - scores[:, 0]
        return SoftmaxScores._softmax(scores, sharpness)

    return CompactForm(outputs, allow_nan=False)
