"""Several classifiers as one: the average of their probabilities."""

import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from sklearn.base import ClassifierMixin, _fit_context, clone
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import (
    _safe_indexing,
    check_consistent_length,
    check_random_state,
    indexable,
)
from sklearn.utils._param_validation import Interval
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _check_y,
    _num_samples,
    check_is_fitted,
    validate_data,
)

from softcost.learners import draw_seeds
from softcost.parallel import run_jobs
from softcost.reductions.base import class_probabilities, fit_classes
from softcost.reductions.calibration import TemperatureScaling

# How a blend of classifiers is learnt: weights and a power.


_LEAST = 1e-4  # a probability: what a surprise costs is bounded by its logarithm
_MOST = 4.0  # power: where nothing held out surprises, it would be infinite


def learn_blend(
    probabilities: NDArray[np.floating[Any]],
    y: NDArray[np.intp],
    weight: NDArray[np.float64],
    stake: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], float]:
    """Weights and the power of a blend, from rows that its members have not seen.

    With weights s of the rows and stakes e, what a mistake on a row of each class
    costs, members are weighed by the log loss of rows that count by what is expected
    to be at stake, ``s_n sum_k p(k | x_n) e_k`` with the plain average p of the
    members, scaled so that rows count as much in all as without stakes: what matters
    most is to be right where an expensive class is likely. The stake is that of the
    row and not of its true class, as otherwise a member would gain by calling
    expensive classes more likely than they are. The power is that of the plain log
    loss: it makes probabilities right, and that they have to be for all rows.

    Parameters
    ----------
    probabilities : array of shape (n_members, n, K)
        What the members say of the rows.
    y : array of int of shape (n,)
        Numbers of the true classes.
    weight : array of shape (n,)
        Weights of the rows.
    stake : array of shape (K,), default=None
        What a mistake on a row of each class costs, not negative, in any unit; by
        default the same everywhere.

    Returns
    -------
    weights : array of shape (n_members,)
        As `blend_weights` gives them.
    power : float
        Of least log loss, given these.

    See Also
    --------
    BlendedClassifier : The formula.
    raised : Applies the power.

    Examples
    --------
    Two members that are right in turn, and sure of it. Their average is less sure, and
    always right:

    >>> import numpy as np
    >>> from softcost.reductions import learn_blend
    >>> sure, unsure = [0.9, 0.1], [0.4, 0.6]
    >>> told = np.array([[sure, unsure, unsure[::-1]], [unsure, sure, sure[::-1]]])
    >>> weights, power = learn_blend(told, np.array([0, 0, 1]), np.ones(3))
    >>> weights.shape, power > 1
    ((2,), True)

    One is right where the first class is likely, and one where it is not. If mistakes
    on the first class are ten times as expensive, so is being right there:

    >>> likely, unlikely = [[0.9, 0.1], [0.6, 0.4]], [[0.6, 0.4], [0.1, 0.9]]
    >>> told = np.repeat([likely, unlikely], 10, axis=1)
    >>> y = np.repeat([0, 1], 10)
    >>> learn_blend(told, y, np.ones(20))[0].round(1).tolist()
    [0.3, 0.7]
    >>> learn_blend(told, y, np.ones(20), np.array([10.0, 1]))[0].round(1).tolist()
    [0.5, 0.5]
    """
    likelihood = probabilities[:, np.arange(len(y)), y].T.astype(np.float64)
    counted = weight
    if stake is not None:
        counted = _counted(weight, probabilities.mean(axis=0) @ stake)
    weights = blend_weights(likelihood, counted)
    average = np.tensordot(weights, probabilities, axes=1)
    scores = np.log(np.maximum(average, _LEAST))
    power = TemperatureScaling().fit(scores, y, weight / weight.sum()).beta_
    return weights, float(np.clip(power, 1 / _MOST, _MOST))


def _counted(
    weight: NDArray[np.float64], stake: NDArray[np.floating[Any]]
) -> NDArray[np.float64]:
    """How often each row counts at its stake; in all as often as without."""
    counted = weight * stake
    return counted * (weight.sum() / counted.sum()) if counted.any() else weight


def raised(
    probabilities: NDArray[np.floating[Any]], power: float
) -> NDArray[np.float64]:
    """Probabilities to a power, so that rows sum to one again.

    Parameters
    ----------
    probabilities : array of shape (n, K)
        Rows that sum to one.
    power : float
        Above one makes them surer, below one less sure; the order of the classes stays.

    Returns
    -------
    array of shape (n, K)
        ``p_k^b / sum_j p_j^b``.

    See Also
    --------
    learn_blend : Finds the power for a blend.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.reductions import raised
    >>> raised(np.array([[0.75, 0.25, 0.0]]), 2.0).round(3).tolist()
    [[0.9, 0.1, 0.0]]
    """
    exact = np.asarray(probabilities, np.float64)
    if power == 1:
        return exact
    found = (exact / exact.max(axis=1, keepdims=True)) ** power
    return found / found.sum(axis=1, keepdims=True)


def blend_weights(
    likelihood: NDArray[np.float64],
    weight: NDArray[np.float64] | None = None,
    *,
    prior: float = 1.0,
) -> NDArray[np.float64]:
    """Weights of least log loss: not negative, with the sum one.

    Minimises, which is convex in w,

        -sum_n s_n log sum_m w_m L[n, m] - a sum_m log w_m

    Parameters
    ----------
    likelihood : array of shape (n, n_members)
        ``L[n, m]`` is the probability that member m gives to the true class of a row
        which it has not seen. None counts as less than 1e-4: a single surprise is no
        reason to leave a member out.
    weight : array of shape (n,), default=None
        Weights s of the rows, as if each occurred so often.
    prior : float, default=1.0
        The number a of imaginary rows that each member alone explains. The fewer rows
        there are, the closer it keeps the weights to each other.

    Returns
    -------
    array of shape (n_members,)
        Weights of the members; those below one in a hundred are zero.

    See Also
    --------
    BlendedClassifier : Averages probabilities by these weights.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.reductions import blend_weights
    >>> better = np.array([[0.9, 0.1]] * 200)
    >>> blend_weights(better).round(3).tolist()
    [1.0, 0.0]
    >>> blend_weights(better[:10]).round(1).tolist()  # ten rows say less
    [0.9, 0.1]
    >>> blend_weights(np.array([[0.9, 0.1], [0.1, 0.9]])).round(3).tolist()
    [0.5, 0.5]
    """
    likelihood = np.maximum(np.asarray(likelihood, np.float64), _LEAST)
    n_rows, n_members = likelihood.shape
    share = np.ones(n_rows) if weight is None else np.asarray(weight, np.float64)
    if prior:
        likelihood = np.concatenate([likelihood, np.eye(n_members)])
        share = np.concatenate([share, np.full(n_members, float(prior))])
    share = share / share.sum()

    def loss(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        mixed = np.maximum(likelihood @ w, _LEAST / 2)
        return -float(share @ np.log(mixed)), -(share / mixed) @ likelihood

    found = minimize(
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
    return trimmed(found.x)


def trimmed(weights: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights that sum to one, without those of less than one in a hundred.

    A classifier that counts so little is not worth the time that it takes.
    """
    kept = np.maximum(np.asarray(weights, np.float64), 0.0)
    kept[kept < 0.01 * kept.sum()] = 0.0
    return kept / kept.sum()


class BlendedClassifier(ClassifierMixin, _BaseComposition):
    """The weighted average of the probabilities of several classifiers.

    With weights w that are not negative and sum to one, a power b, and doubts d,

        q(y | x) = sum_m w_m p_m(y | x),    r(y | x) = q(y | x)^b / sum_k q(k | x)^b
        p(y | x) = (1 - sum_m d_m) r(y | x) + sum_m d_m p_m(y | x)

    The weights are those of least log loss on rows that the classifiers have not seen,

        minimise -sum_n s_n log q(y_n | x_n) - sum_m log w_m

    a convex problem with few unknowns, so that little can be overfitted. The last sum
    is one imaginary row for each classifier, which it alone explains: of few rows, no
    classifier is certain to be useless. Weights below one in a hundred are zero: such
    classifiers are left out. Averages of good probabilities are less sure than they
    should be: the power, mostly above one, is that of least log loss of r, given the
    weights.

    Where one classifier does best on nearly all rows, it gets nearly all the weight,
    and what it never saw coming has no probability left. If that is expensive, keep
    some doubt: a small share for all classifiers alike, whatever was learnt.

    `MinimumExpectedCost` decides by the blend as by any classifier with probabilities.
    In ``SoftCostClassifierCV("auto")`` a blend of the families is one family more, and
    costs no further fits.

    Parameters
    ----------
    estimators : list of (name, classifier)
        Classifiers with ``predict_proba``.
    weights : array of shape (n_estimators,), default=None
        Their weights, which are divided by their sum. By default they are learnt.
    power : float, default=None
        The power b. By default it is learnt with the weights; 1 where they are given.
    doubt : float or array of shape (n_estimators,), default=0.0
        The share d of each classifier that does not depend on what was learnt. A number
        is divided among them equally. All together they are below one.
    cv : int, splitter or iterable of (train, test), default=5
        Folds by which weights are learnt; an int asks for stratified, shuffled ones.
    n_jobs : int, default=None
        joblib workers that fit classifiers.
    random_state : int, RandomState instance or None, default=None
        Of the folds.

    Attributes
    ----------
    weights_ : array of shape (n_estimators,)
    power_ : float
    doubt_ : array of shape (n_estimators,)
    estimators_ : list
        Fitted to numbers of classes; None where neither weight nor doubt counts.
    classes_ : array of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    See Also
    --------
    MinimumExpectedCost : Decides by probabilities.
    sklearn.ensemble.VotingClassifier : With weights that the user knows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from softcost.reductions import BlendedClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> members = [("linear", LogisticRegression(C=0.1)), ("bayes", GaussianNB())]
    >>> blend = BlendedClassifier(members, random_state=0).fit(X, y)
    >>> float(blend.weights_.sum())
    1.0
    """

    _parameter_constraints: ClassVar = {
        "estimators": [list, tuple],
        "weights": ["array-like", None],
        "power": [Interval(Real, 0, None, closed="neither"), None],
        "doubt": [Interval(Real, 0, 1, closed="left"), "array-like"],
        "cv": ["cv_object"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }
    # Weights of rows go to each classifier as it takes them.
    hands_weights_on: ClassVar[bool] = True

    def __init__(
        self,
        estimators: Any,
        *,
        weights: ArrayLike | None = None,
        power: float | None = None,
        doubt: float | ArrayLike = 0.0,
        cv: Any = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
    ):
        self.estimators = estimators
        self.weights = weights
        self.power = power
        self.doubt = doubt
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters; those of classifiers by ``name__parameter``.

        Parameters
        ----------
        deep : bool, default=True
            Whether to list the parameters of the classifiers, too.

        Returns
        -------
        dict
            Values by name.
        """
        return self._get_params("estimators", deep=deep)

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a classifier by its name, its own by ``name__parameter``.

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
        inputs = [one.__sklearn_tags__().input_tags for _, one in self.estimators]
        tags.input_tags.sparse = all(one.sparse for one in inputs)
        tags.input_tags.allow_nan = all(one.allow_nan for one in inputs)
        return tags

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifiers, and their weights where none were given.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows, as the classifiers take them.
        y : array of shape (n,)
            Labels.
        sample_weight : array of shape (n,), default=None
            Weights of the rows; all one by default.

        Returns
        -------
        self
            The fitted blend.
        """
        learners = self._checked_learners()
        given = self._given_weights(len(learners))
        doubt = self._given_doubt(len(learners))
        (X,) = indexable(X)
        validate_data(self, X, skip_check_array=True)
        labels = _check_y(y)
        check_classification_targets(labels)
        check_consistent_length(X, labels)
        self.classes_, numbers = np.unique(labels, return_inverse=True)
        weight = _check_sample_weight(sample_weight, labels, dtype=np.float64)
        rng = check_random_state(self.random_state)
        power = 1.0
        if given is None:
            given, power = self._learnt(learners, X, numbers, weight, rng)
        self.weights_ = given
        self.power_ = power if self.power is None else float(self.power)
        self.doubt_ = doubt
        seeds = draw_seeds(None if self.random_state is None else rng, len(learners))
        every, kept = np.arange(len(numbers)), np.flatnonzero(given + doubt)
        jobs = [(learners[m], X, every, numbers, weight, seeds[m]) for m in kept]
        fitted = run_jobs(fit_classes, jobs, n_jobs=self.n_jobs)
        self.estimators_: list[Any] = [None] * len(learners)
        for place, model in zip(kept, fitted, strict=True):
            self.estimators_[place] = model
        return self

    def _checked_learners(self) -> list[Any]:
        if len(self.estimators) == 0 or any(
            not isinstance(one, list | tuple) or len(one) != 2
            for one in self.estimators
        ):
            raise ValueError(
                "estimators must be a list of pairs (name, classifier), and not empty: "
                "give each classifier a name."
            )
        names = [name for name, _ in self.estimators]
        self._validate_names(names)
        for name, learner in self.estimators:
            if not hasattr(learner, "predict_proba"):
                raise TypeError(
                    f"estimators: {name!r}, a {type(learner).__name__}, has no "
                    "predict_proba, and probabilities are averaged: wrap it, "
                    "CalibratedClassifierCV(classifier), or choose another."
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
                "negative and not all zero; leave them out to have them learnt."
            )
        return weights / weights.sum()

    def _given_doubt(self, n: int) -> NDArray[np.float64]:
        doubt = np.asarray(self.doubt, np.float64)
        if doubt.ndim == 0:
            return np.full(n, doubt / n)
        if doubt.shape != (n,) or not ((doubt >= 0).all() and doubt.sum() < 1):
            raise ValueError(
                f"doubt must be a number from 0 to below 1, or {n} of them, one for "
                "each of estimators, not negative and together below 1."
            )
        return doubt

    def _learnt(
        self,
        learners: list[Any],
        X: Any,
        y: NDArray[np.intp],
        weight: NDArray[np.float64],
        rng: np.random.RandomState,
    ) -> tuple[NDArray[np.float64], float]:
        """Weights and the power."""
        parts = self._folds(y, rng)
        n_classes = len(self.classes_)
        if not parts or n_classes == 1:
            return np.full(len(learners), 1 / len(learners)), 1.0
        seeds = draw_seeds(rng, len(parts) * len(learners))
        jobs = [
            (learner, X, train, test, y, weight, n_classes, seeds.pop())
            for learner in learners
            for train, test in parts
        ]
        found = iter(run_jobs(_held_out, jobs, n_jobs=self.n_jobs))
        held_out = [np.concatenate([next(found) for _ in parts]) for _ in learners]
        tests = np.concatenate([test for _, test in parts])
        return learn_blend(np.stack(held_out), y[tests], weight[tests])

    def _folds(
        self, y: NDArray[np.intp], rng: np.random.RandomState
    ) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Training and held-out rows; none where there are too few rows."""
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
            Rows, as the classifiers take them.

        Returns
        -------
        array of shape (n, n_classes)
            In the order of ``classes_``; rows sum to one.
        """
        check_is_fitted(self)
        (X,) = indexable(X)
        if np.ndim(X) != 1:  # the classifiers say what is wrong with one row
            validate_data(self, X, reset=False, skip_check_array=True)
        average = doubted = np.zeros((_num_samples(X), len(self.classes_)))
        for weight, doubt, model in zip(
            self.weights_, self.doubt_, self.estimators_, strict=True
        ):
            if model is not None:
                told = class_probabilities(model, X, len(self.classes_))
                average = average + weight * told
                doubted = doubted + doubt * told
        return (1 - self.doubt_.sum()) * raised(average, self.power_) + doubted

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows, as the classifiers take them.

        Returns
        -------
        array of shape (n,)
            Labels.
        """
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]


def _held_out(
    learner: Any,
    X: Any,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    y: NDArray[np.intp],
    weight: NDArray[np.float64],
    n_classes: int,
    seed: int | None,
) -> NDArray[np.float64]:
    """Probabilities of held-out rows."""
    model = fit_classes(learner, X, train, y[train], weight[train], seed)
    return class_probabilities(model, _safe_indexing(X, test), n_classes)
