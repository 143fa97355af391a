"""Gradient boosting with stochastic ensembles (Abe, Zadrozny and Langford 2004)."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.ensemble._forest import ForestClassifier
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from softcost.costs import CostProblem
from softcost.learners import (
    FittedModels,
    FittedSubproblems,
    Labels,
    fit_subproblems,
    fitted_learners,
    inner_learner,
)
from softcost.reductions.base import Reduction, documented

_MAX_CELLS = 2**24  # features of pairs at once when predicting: 128 MB


def pair_features(
    X: Any,
    n_classes: int,
    *,
    interact: bool,
    as_sparse: bool,
    places: range | None = None,
) -> Any:
    """Features of the pairs (x_n, k) for all classes k.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, p)
        The rows.
    n_classes : int
        Number of classes K.
    interact : bool
        Whether to append the products of features and class indicators.
    as_sparse : bool
        Whether to return a sparse matrix.
    places : range, default=None
        The classes k; None for all.

    Returns
    -------
    array or sparse matrix of shape (n * K, p + K) or (n * K, p + K + p * K)
        With fewer rows for fewer classes.

    Examples
    --------
    >>> pair_features(np.array([[5.0]]), 2, interact=True, as_sparse=False)
    array([[5., 1., 0., 5., 0.],
           [5., 0., 1., 0., 5.]])
    """
    places = range(n_classes) if places is None else places
    one_each, rows = np.ones((len(places), 1)), np.ones((X.shape[0], 1))
    shape, start = (len(places), n_classes), places.start
    if as_sparse:
        classes = sparse.coo_array(sparse.eye(*shape, k=start))
    else:
        classes = np.eye(*shape, k=start)
    blocks = [(X, one_each), (rows, classes)]
    if interact:
        blocks.append((X, classes))
    if as_sparse:
        return sparse.hstack([sparse.kron(*block) for block in blocks], format="csr")
    return np.hstack([np.kron(*block) for block in blocks])


def gains(mix: Any, costs: Any) -> Any:
    """Saving of class k compared with a draw from the mix, shape (n, K)."""
    return (mix * costs).sum(axis=1, keepdims=True) - costs


def policy(accepted: Any) -> Any:
    """Equal probabilities for the accepted classes, or for all if none is accepted."""
    accepted = accepted | ~accepted.any(axis=1, keepdims=True)
    return accepted / accepted.sum(axis=1, keepdims=True)


def combines_features(learner: Any) -> bool:
    """Whether a learner can combine classes and features without their products.

    Among the pairs of one class the features separate the labels, but over all pairs
    neither classes nor features do. Full trees find this, and so do nonlinear kernels.
    Linear learners, short trees and boosted trees, which stop if the first split gains
    nothing, need the products.
    """
    last = learner.steps[-1][1] if isinstance(learner, Pipeline) else learner
    if isinstance(last, DecisionTreeClassifier | ForestClassifier):
        return last.max_depth is None
    return getattr(last, "kernel", "linear") != "linear"


@documented
class StochasticEnsembleBoosting(Reduction):
    """Gradient boosting with stochastic ensembles (GBSE).

    A stochastic classifier H(k | x) is improved in rounds. It starts with equal
    probabilities. In round t a binary classifier h learns from all pairs (x_n, k)
    whether class k is cheaper than a draw from H,

        w_nk = sum_l H(l | x_n) c_n[l] - c_n[k]

    with label ``[w_nk > 0]`` and weight ``|w_nk|``. Equal probabilities for the classes
    that h accepts (for all classes if it accepts none) are mixed in with share 1 / t
    [1]_. Boosting ends early if H has the lowest cost on every training row. The class
    with the largest H is predicted.

    Parameters
    ----------
    learner : classifier, default=None
        A binary classifier with sample weights; by default a pruned decision tree. A
        learner that memorises its rows leaves nothing to boost.
    n_rounds : int, default=30
        Maximum number of classifiers.
    pair_features : {"auto", "concat", "interact"}, default="auto"
        Features of a pair (x, k). "concat" is x and an indicator of k. "interact" adds
        their products, without which a linear learner would have the same preferences
        for all x. "auto" means "concat" for full decision trees, forests of them and
        nonlinear kernels, otherwise "interact".
    {common}

    Attributes
    ----------
    {attributes}

    See Also
    --------
    OneSidedBoosting : Boosted trees as a learner for `OneSidedRegression`.

    Notes
    -----
    X must be numeric, since it is combined with class indicators.

    References
    ----------
    .. [1] Abe, Zadrozny and Langford (2004), "An iterative method for multi-class
       cost-sensitive learning", KDD.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softcost import StochasticEnsembleBoosting
    >>> X, y = load_iris(return_X_y=True)
    >>> prices = [[0, 1, 5], [1, 0, 5], [9, 9, 0]]
    >>> model = StochasticEnsembleBoosting(cost_matrix=prices, random_state=0)
    >>> model.fit(X, y).predict(X[:3])
    array([0, 0, 0])
    """

    takes_actions: ClassVar[bool] = False
    _parameter_constraints: ClassVar = {
        **Reduction._parameter_constraints,
        "n_rounds": [Interval(Integral, 1, None, closed="left")],
        "pair_features": [StrOptions({"auto", "concat", "interact"})],
    }

    def __init__(
        self,
        learner: Any = None,
        *,
        n_rounds: int = 30,
        pair_features: str = "auto",
        cost_matrix: Any = None,
        classes: ArrayLike | None = None,
        actions: ArrayLike | None = None,
        softness: float = 0.0,
        error_weight: Any = None,
        action_error: Any = 1.0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ):
        super().__init__(
            learner,
            cost_matrix=cost_matrix,
            classes=classes,
            actions=actions,
            softness=softness,
            error_weight=error_weight,
            action_error=action_error,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.n_rounds = n_rounds
        self.pair_features = pair_features

    def default_learner(self) -> Any:
        # Pruned, since a full tree would memorise its rows. Chosen on development data.
        return DecisionTreeClassifier(criterion="log_loss", ccp_alpha=0.002)

    def _check_X(self, X: Any, *, reset: bool) -> Any:
        inputs = self.__sklearn_tags__().input_tags
        if inputs.pairwise:
            raise TypeError(
                f"learner {type(self.chosen_learner()).__name__} takes a kernel "
                "matrix, but this reduction needs features of pairs of a row and a "
                "class. Choose a learner that takes features."
            )
        return validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr" if inputs.sparse else False,
            dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan" if inputs.allow_nan else True,
        )

    def _pairs(self, X, places: range | None = None):
        interact, as_sparse = self._pair_form(X)
        K = len(self.classes_)
        return pair_features(
            X, K, interact=interact, as_sparse=as_sparse, places=places
        )

    def _pair_form(self, X) -> tuple[bool, bool]:
        """Whether pairs have products of features, and whether they are sparse."""
        interact = self.pair_features == "interact"
        if self.pair_features == "auto":
            interact = not combines_features(self.working_learner())
            width = self._fitted_width()
            if width is not None:
                interact = width > X.shape[1] + len(self.classes_)
        # Most products are zero, so a sparse matrix is smaller if the learner reads it.
        # Learners that support NaN may do so in dense arrays only (trees), or regard
        # zeros of sparse matrices as missing (XGBoost).
        inputs = self.__sklearn_tags__().input_tags
        as_sparse = sparse.issparse(X) or (
            interact and inputs.sparse and not inputs.allow_nan
        )
        return interact, as_sparse

    def _fitted_width(self) -> int | None:
        """Features of the fitted learners, if known.

        Models that an earlier version saved may have other features of pairs.
        """
        first = next(iter(getattr(self, "solutions_", [])), None)
        if not isinstance(first, FittedModels):
            return None
        return getattr(inner_learner(first.members[0]), "n_features_in_", None)

    def _fit(self, X: Any, problem: CostProblem) -> None:
        self.solutions_: list[FittedSubproblems] = []
        pairs, rng = self._pairs(X), self._rng()
        shape = problem.costs.shape
        mix = np.full(shape, 1.0 / problem.n_actions)
        noise = 1e-12 * problem.costs.max()  # rounding error of sums that should be 0
        for number in range(1, self.n_rounds + 1):
            gain = gains(mix, problem.costs)
            # Rounding errors must neither make a gain nor break ties of the learner.
            gain = np.round(gain / noise) * noise if noise > 0 else gain
            gain *= problem.weight[:, None]
            if not (gain > 0).any():
                break
            label = np.where(gain > 0, 1.0, -1.0)
            subproblem = Labels(label.ravel(), np.abs(gain).ravel())
            solved = fit_subproblems(
                self.working_learner(), pairs, [subproblem], n_jobs=self.n_jobs, rng=rng
            )
            self.solutions_.append(solved)
            accepted = solved.outputs(pairs).reshape(shape) > 0
            mix += (policy(accepted) - mix) / number

    def _estimators(self) -> list[Any]:
        """Learners by round."""
        return [
            model for solved in self.solutions_ for model in fitted_learners(solved)
        ]

    def _decide(self, X: Any) -> NDArray[np.float64]:
        """The mix H(k | x): probabilities that sum to 1."""
        most, K = self._pairs_at_once(X), len(self.classes_)
        size = max(most // K, 1)
        starts = range(0, X.shape[0], size)
        blocks = [self._mix(X[start : start + size], most) for start in starts]
        return np.vstack(blocks)

    def _pairs_at_once(self, X: Any) -> int:
        """How many pairs have at most ``_MAX_CELLS`` features together."""
        interact, as_sparse = self._pair_form(X)
        n_features, K = X.shape[1], len(self.classes_)
        if as_sparse:
            width = 2 * (2 * n_features + 1)  # numbers and their places
        else:
            width = n_features + K + interact * n_features * K
        return max(_MAX_CELLS // width, 1)

    def _mix(self, X: Any, most: int) -> NDArray[np.float64]:
        """The mix of some rows, from at most ``most`` pairs at a time."""
        K = len(self.classes_)
        shape = (X.shape[0], K)
        step = min(max(most // X.shape[0], 1), K)
        accepted = np.empty((len(self.solutions_), *shape), bool)
        for start in range(0, K, step):
            places = range(start, min(start + step, K))
            pairs = self._pairs(X, places)
            for number, solved in enumerate(self.solutions_):
                outputs = solved.outputs(pairs).reshape(X.shape[0], len(places))
                accepted[number, :, places.start : places.stop] = outputs > 0
        mix = np.full(shape, 1.0 / K)
        for number, votes in enumerate(accepted, 1):
            mix += (policy(votes) - mix) / number
        return mix
