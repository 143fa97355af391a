"""Probabilities of a classifier that has scores only."""

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context, clone
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.validation import check_is_fitted, validate_data


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
