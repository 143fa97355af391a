"""Blends: weighted averages of the probabilities of several classifiers.

The weights minimise the log loss on held-out rows, as in stacking and in linear opinion
pools. An average of good probabilities is underconfident, so it is sharpened by an
inverse temperature (Ranjan and Gneiting 2010; Guo et al. 2017).

References
----------
Guo, Pleiss, Sun and Weinberger (2017), "On calibration of modern neural networks",
ICML.

Ranjan and Gneiting (2010), "Combining probability forecasts", Journal of the Royal
Statistical Society B 72.
"""

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import (
    _safe_indexing,
    check_consistent_length,
    check_random_state,
    indexable,
)
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _check_y,
    _num_samples,
    check_is_fitted,
    validate_data,
)

from softcost._sklearn_types import (
    BaseComposition,
    ClassifierMixin,
    fit_context,
)
from softcost.learners import draw_seeds
from softcost.learners.compact import PlainRows, blended
from softcost.parallel import run_jobs
from softcost.reductions.base import (
    class_probabilities,
    fast_class_probabilities,
    fit_classes,
    is_plain,
)
from softcost.reductions.calibration import TemperatureScaling

# Smaller probabilities count as this one: the log loss of a single surprising row is
# then at most 9.2, and no row can rule a member out.
MIN_PROBABILITY = 1e-4
# Without any misclassified held-out row, the inverse temperature would grow without
# bound. Chosen on development data.
_MAX_INVERSE_TEMPERATURE = 4.0
# Members with less weight are dropped: they change few predictions, and each of them
# takes a fit and time for every prediction.
_MIN_WEIGHT = 0.01


class BlendedClassifier(ClassifierMixin, BaseComposition):
    """The weighted average of the probabilities of several classifiers.

    With weights w that sum to one, an inverse temperature b and smoothing d,

        q(y | x) = sum_m w_m p_m(y | x),    r(y | x) = q(y | x)^b / sum_k q(k | x)^b
        p(y | x) = (1 - sum_m d_m) r(y | x) + sum_m d_m p_m(y | x)

    The weights minimise the log loss on held-out rows,

        minimise -sum_n s_n log q(y_n | x_n) - sum_m log w_m

    a convex problem with few unknowns, so there is little risk of overfitting. The last
    sum is a prior: one pseudo-row for each classifier that only this classifier
    explains. Classifiers with a weight below 0.01 are dropped. Averages of good
    probabilities are underconfident, so b, usually above 1, minimises the log loss of
    r for these weights.

    If one classifier is best on nearly all rows, it gets nearly all the weight, and a
    class to which it gives zero probability can never be predicted. Smoothing prevents
    this: every classifier keeps a small minimum share.

    `MinimumExpectedCost` uses a blend like any other classifier with probabilities. In
    ``SoftCostClassifierCV("auto")`` a blend of the families is an additional family,
    which needs no extra fits.

    Parameters
    ----------
    estimators : list of (name, classifier)
        Classifiers with ``predict_proba``.
    weights : array of shape (n_estimators,), default=None
        Weights, which are divided by their sum. By default they are fitted on held-out
        rows.
    inverse_temperature : float, default=None
        The exponent b. By default it is fitted with the weights, or 1 if weights are
        given.
    smoothing : float or array of shape (n_estimators,), default=0.0
        The share d of each classifier that does not depend on the weights. A number is
        divided equally among the classifiers. The sum is below 1.
    cv : int, splitter or iterable of (train, test), default=5
        Folds for fitting the weights; an int means stratified, shuffled folds.
    n_jobs : int, default=None
        Number of joblib workers that fit classifiers.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, and of classifiers with a random state.

    Attributes
    ----------
    weights_ : array of shape (n_estimators,)
    inverse_temperature_ : float
    smoothing_ : array of shape (n_estimators,)
    estimators_ : list
        Classifiers fitted to class indices; None if weight and smoothing are zero.
    classes_ : array of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    See Also
    --------
    MinimumExpectedCost : Decides by probabilities.
    sklearn.ensemble.VotingClassifier : Averages with given weights.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from softcost.reductions import BlendedClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> members = [("linear", LogisticRegression(C=0.1)), ("bayes", GaussianNB())]
    >>> blend = BlendedClassifier(members, random_state=0).fit(X, y)
    >>> round(float(blend.weights_.sum()), 6)
    1.0
    """

    _parameter_constraints: ClassVar = {
        "estimators": [list, tuple],
        "weights": ["array-like", None],
        "inverse_temperature": [Interval(Real, 0, None, closed="neither"), None],
        "smoothing": [Interval(Real, 0, 1, closed="left"), "array-like"],
        "cv": ["cv_object"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }
    # ``fit`` passes sample weights on to each classifier under the right name.
    hands_weights_on: ClassVar[bool] = True
    classes_: NDArray[Any]

    def __init__(
        self,
        estimators: Any,
        *,
        weights: ArrayLike | None = None,
        inverse_temperature: float | None = None,
        smoothing: float | ArrayLike = 0.0,
        cv: Any = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.weights = weights
        self.inverse_temperature = inverse_temperature
        self.smoothing = smoothing
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters, including those of the classifiers as ``name__parameter``.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include the parameters of the classifiers.

        Returns
        -------
        dict
            Values by name.
        """
        return self._get_params("estimators", deep=deep)

    def set_params(self, **params: Any) -> Self:
        """Set parameters: a classifier as ``name``, its own as ``name__parameter``.

        Parameters
        ----------
        **params : dict
            Values by name.

        Returns
        -------
        self
            The blend itself.
        """
        self._set_params("estimators", **params)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inputs = [member.__sklearn_tags__().input_tags for _, member in self.estimators]
        tags.input_tags.sparse = all(member.sparse for member in inputs)
        tags.input_tags.allow_nan = all(member.allow_nan for member in inputs)
        return tags

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifiers, and their weights unless they are given.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows in any form that the classifiers accept.
        y : array of shape (n,)
            Labels.
        sample_weight : array of shape (n,), default=None
            Sample weights; ones by default.

        Returns
        -------
        self
            The fitted blend.
        """
        learners = self._checked_learners()
        weights = self._given_weights(len(learners))
        smoothing = self._given_smoothing(len(learners))
        (X,) = indexable(X)
        validate_data(self, X, skip_check_array=True)
        labels = _check_y(y)
        check_classification_targets(labels)
        check_consistent_length(X, labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        weight = _check_sample_weight(sample_weight, labels, dtype=np.float64)
        rng = check_random_state(self.random_state)
        inverse_temperature = 1.0
        if weights is None:
            weights, inverse_temperature = self._fit_weights(
                learners, X, codes, weight, rng
            )
        if self.inverse_temperature is not None:
            inverse_temperature = float(self.inverse_temperature)
        self.weights_ = weights
        self.inverse_temperature_ = inverse_temperature
        self.smoothing_ = smoothing
        seeds = draw_seeds(None if self.random_state is None else rng, len(learners))
        every, members = np.arange(len(codes)), np.flatnonzero(weights + smoothing)
        jobs = [(learners[m], X, every, codes, weight, seeds[m]) for m in members]
        fitted = run_jobs(fit_classes, jobs, n_jobs=self.n_jobs)
        self.estimators_: list[Any] = [None] * len(learners)
        for place, model in zip(members, fitted, strict=True):
            self.estimators_[place] = model
        return self

    def _checked_learners(self) -> list[Any]:
        if len(self.estimators) == 0 or any(
            not isinstance(pair, list | tuple) or len(pair) != 2
            for pair in self.estimators
        ):
            raise ValueError(
                "estimators must be a non-empty list of pairs (name, classifier). Give "
                "each classifier a name."
            )
        names = [name for name, _ in self.estimators]
        self._validate_names(names)
        for name, learner in self.estimators:
            if not hasattr(learner, "predict_proba"):
                raise TypeError(
                    f"estimators: {name!r}, a {type(learner).__name__}, has no "
                    "predict_proba, but a blend averages probabilities. Wrap it in "
                    "CalibratedClassifierCV, or choose another classifier."
                )
        return [clone(learner) for _, learner in self.estimators]

    def _given_weights(self, n: int) -> NDArray[np.float64] | None:
        if self.weights is None:
            return None
        weights = np.asarray(self.weights, np.float64)
        if weights.shape != (n,) or not (
            np.isfinite(weights).all() and (weights >= 0).all() and weights.any()
        ):
            raise ValueError(
                f"weights must be {n} numbers, one for each of estimators, not "
                "negative and not all zero. Leave them out to fit them."
            )
        return weights / weights.sum()

    def _given_smoothing(self, n: int) -> NDArray[np.float64]:
        smoothing = np.asarray(self.smoothing, np.float64)
        if smoothing.ndim == 0:
            return np.full(n, smoothing / n)
        valid = smoothing.shape == (n,) and (smoothing >= 0).all()
        if not (valid and smoothing.sum() < 1):
            raise ValueError(
                f"smoothing must be a number from 0 to below 1, or {n} numbers, one "
                "for each of estimators, not negative and with a sum below 1."
            )
        return smoothing

    def _fit_weights(
        self,
        learners: list[Any],
        X: Any,
        y: NDArray[np.intp],
        weight: NDArray[np.float64],
        rng: np.random.RandomState,
    ) -> tuple[NDArray[np.float64], float]:
        """Weights and inverse temperature, from cross-validated probabilities."""
        folds = self._folds(y, rng)
        n_classes = len(self.classes_)
        if not folds or n_classes == 1:
            return np.full(len(learners), 1 / len(learners)), 1.0
        seeds = draw_seeds(rng, len(folds) * len(learners))
        jobs = [
            (learner, X, train, test, y, weight, n_classes, seeds.pop())
            for learner in learners
            for train, test in folds
        ]
        parts = iter(run_jobs(_held_out_probabilities, jobs, n_jobs=self.n_jobs))
        held_out = [np.concatenate([next(parts) for _ in folds]) for _ in learners]
        tests = np.concatenate([test for _, test in folds])
        return fit_blend(np.stack(held_out), y[tests], weight[tests])

    def _folds(
        self, y: NDArray[np.intp], rng: np.random.RandomState
    ) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Training and held-out rows; none if every class has a single row."""
        splitter = self.cv
        if isinstance(splitter, Integral):
            n_folds = min(int(splitter), int(np.bincount(y).max()))
            if n_folds < 2:
                return []
            splitter = StratifiedKFold(n_folds, shuffle=True, random_state=rng)
        splitter = check_cv(splitter, y, classifier=True)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class")
            return list(splitter.split(np.empty((len(y), 0)), y))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Averaged probabilities of the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows in any form that the classifiers accept.

        Returns
        -------
        array of shape (n, n_classes)
            In the order of ``classes_``; rows sum to one.
        """
        if not hasattr(self, "estimators_"):
            check_is_fitted(self)
        rows = PlainRows.of(X) if is_plain(self, X) else None
        if rows is None:
            (X,) = indexable(X)
            if np.ndim(X) != 1:  # the classifiers raise a better error for a single row
                validate_data(self, X, reset=False, skip_check_array=True)
        used = [m for m, model in enumerate(self.estimators_) if model is not None]
        n_rows, n_classes = _num_samples(X), len(self.classes_)
        members = np.empty((len(used), n_rows, n_classes))
        for place, m in enumerate(used):
            model = self.estimators_[m]
            members[place] = fast_class_probabilities(model, X, n_classes, rows)
        temperature = self.inverse_temperature_
        return blended(members, self.weights_[used], self.smoothing_[used], temperature)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows in any form that the classifiers accept.

        Returns
        -------
        array of shape (n,)
            Labels.
        """
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]


def _held_out_probabilities(
    learner: Any,
    X: Any,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    y: NDArray[np.intp],
    weight: NDArray[np.float64],
    n_classes: int,
    seed: int | None,
) -> NDArray[np.float64]:
    """Probabilities of the held-out rows of a fold: the unit of parallel work."""
    model = fit_classes(learner, X, train, y[train], weight[train], seed)
    return class_probabilities(model, _safe_indexing(X, test), n_classes)


def fit_blend(
    probabilities: NDArray[np.floating[Any]],
    y: NDArray[np.intp],
    weight: NDArray[np.float64],
    class_cost: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], float]:
    """Weights and inverse temperature of a blend, from held-out probabilities.

    The weights minimise a log loss in which rows count by the expected cost of a
    mistake, ``s_n sum_k p(k | x_n) e_k``, where s is the row's weight, e the class cost
    and p the plain average of the members. So being right matters most where an
    expensive class is likely. The total weight of the rows stays the same.

    The expected cost is used and not the cost of the true class: otherwise a member
    would gain by making expensive classes more likely than they are.

    The inverse temperature minimises the plain log loss, since probabilities have to be
    calibrated on all rows.

    Parameters
    ----------
    probabilities : array of shape (n_members, n, K)
        Held-out probabilities of the members.
    y : array of int of shape (n,)
        Indices of the true classes.
    weight : array of shape (n,)
        Sample weights.
    class_cost : array of shape (K,) or (n, K), default=None
        Cost of a mistake on a row of each class, not negative, in any unit; it may
        differ between rows. By default all classes cost the same.

    Returns
    -------
    weights : array of shape (n_members,)
        See `blend_weights`.
    inverse_temperature : float
        From 1/4 to 4.

    See Also
    --------
    BlendedClassifier : The formula.
    temper_probabilities : Applies the inverse temperature.

    Examples
    --------
    Two members take turns in being right and confident. Their average is less confident
    and always right:

    >>> import numpy as np
    >>> from softcost.reductions import fit_blend
    >>> sure, unsure = [0.9, 0.1], [0.4, 0.6]
    >>> held_out = np.array([[sure, unsure, unsure[::-1]], [unsure, sure, sure[::-1]]])
    >>> weights, inverse_temperature = fit_blend(
    ...     held_out, np.array([0, 0, 1]), np.ones(3)
    ... )
    >>> weights.shape, inverse_temperature > 1
    ((2,), True)

    The first member is better on rows where the first class is likely, the second on
    the others. If mistakes on the first class cost ten times as much, so does the first
    half of the rows:

    >>> likely, unlikely = [[0.9, 0.1], [0.6, 0.4]], [[0.6, 0.4], [0.1, 0.9]]
    >>> held_out = np.repeat([likely, unlikely], 10, axis=1)
    >>> y = np.repeat([0, 1], 10)
    >>> fit_blend(held_out, y, np.ones(20))[0].round(1).tolist()
    [0.3, 0.7]
    >>> fit_blend(held_out, y, np.ones(20), np.array([10.0, 1]))[0].round(1).tolist()
    [0.5, 0.5]
    """
    likelihood = probabilities[:, np.arange(len(y)), y].T.astype(np.float64)
    counted = weight
    if class_cost is not None:
        expected_cost = (probabilities.mean(axis=0) * class_cost).sum(axis=1)
        counted = _cost_weighted(weight, expected_cost)
    weights = blend_weights(likelihood, counted)
    average = np.tensordot(weights, probabilities, axes=1)
    scores = np.log(np.maximum(average, MIN_PROBABILITY))
    beta = TemperatureScaling().fit(scores, y, weight / weight.sum()).beta_
    limit = _MAX_INVERSE_TEMPERATURE
    return weights, float(np.clip(beta, 1 / limit, limit))


def _cost_weighted(
    weight: NDArray[np.float64], expected_cost: NDArray[np.floating[Any]]
) -> NDArray[np.float64]:
    """Weights times expected costs, with the same sum as the weights."""
    product = weight * expected_cost
    return product * (weight.sum() / product.sum()) if product.any() else weight


def blend_weights(
    likelihood: NDArray[np.float64],
    weight: NDArray[np.float64] | None = None,
    *,
    prior: float = 1.0,
) -> NDArray[np.float64]:
    """Weights that minimise the log loss: not negative, with sum one.

    They solve a convex problem,

        minimise -sum_n s_n log sum_m w_m L[n, m] - a sum_m log w_m

    Parameters
    ----------
    likelihood : array of shape (n, n_members)
        ``L[n, m]`` is the probability of the true class of held-out row n according to
        member m. Probabilities below 1e-4 count as 1e-4, so a single surprising row
        cannot rule a member out.
    weight : array of shape (n,), default=None
        Sample weights s; ones by default.
    prior : float, default=1.0
        Number a of pseudo-rows per member that only this member explains: a Dirichlet
        prior. The fewer rows there are, the closer it keeps the weights to each other.

    Returns
    -------
    array of shape (n_members,)
        Weights of the members; weights below 0.01 are set to zero.

    See Also
    --------
    BlendedClassifier : Averages probabilities with these weights.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.reductions import blend_weights
    >>> better = np.array([[0.9, 0.1]] * 200)
    >>> blend_weights(better).round(3).tolist()
    [1.0, 0.0]
    >>> blend_weights(better[:10]).round(1).tolist()  # the prior counts more
    [0.9, 0.1]
    >>> blend_weights(np.array([[0.9, 0.1], [0.1, 0.9]])).round(3).tolist()
    [0.5, 0.5]
    """
    likelihood = np.maximum(np.asarray(likelihood, np.float64), MIN_PROBABILITY)
    n_rows, n_members = likelihood.shape
    share = np.ones(n_rows) if weight is None else np.asarray(weight, np.float64)
    if prior:
        likelihood = np.concatenate([likelihood, np.eye(n_members)])
        share = np.concatenate([share, np.full(n_members, float(prior))])
    share = share / share.sum()

    def loss(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        mixed = np.maximum(likelihood @ w, MIN_PROBABILITY / 2)
        return -float(share @ np.log(mixed)), -(share / mixed) @ likelihood

    result = minimize(
        loss,
        np.full(n_members, 1 / n_members),
        jac=True,
        method="SLSQP",
        bounds=[(0, 1)] * n_members,
        constraints={
            "type": "eq",
            "fun": lambda w: w.sum() - 1,
            "jac": lambda w: np.ones(n_members),
        },
        options={"ftol": 1e-10, "maxiter": 200},
    )
    return _without_small(result.x)


def _without_small(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights that sum to one, with those below ``_MIN_WEIGHT`` set to zero."""
    positive = np.maximum(np.asarray(weights, np.float64), 0.0)
    positive[positive < _MIN_WEIGHT * positive.sum()] = 0.0
    return positive / positive.sum()


def temper_probabilities(
    probabilities: NDArray[np.floating[Any]], inverse_temperature: float
) -> NDArray[np.float64]:
    """Make probabilities more or less confident, in the same order.

    Parameters
    ----------
    probabilities : array of shape (n, K)
        Rows that sum to one.
    inverse_temperature : float
        The exponent b. Above 1, probabilities become more confident; below 1, less.

    Returns
    -------
    array of shape (n, K)
        ``p_k^b / sum_j p_j^b``.

    See Also
    --------
    fit_blend : Finds the inverse temperature of a blend.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.reductions import temper_probabilities
    >>> temper_probabilities(np.array([[0.75, 0.25, 0.0]]), 2.0).round(3).tolist()
    [[0.9, 0.1, 0.0]]
    """
    exact = np.asarray(probabilities, np.float64)
    if inverse_temperature == 1:
        return exact
    # Dividing by the largest probability keeps the powers from underflowing.
    powers = (exact / exact.max(axis=1, keepdims=True)) ** inverse_temperature
    return powers / powers.sum(axis=1, keepdims=True)
