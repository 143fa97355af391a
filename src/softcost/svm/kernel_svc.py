"""The support vector classifier."""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from softcost._sklearn_types import ClassifierMixin, fit_context
from softcost.learners import Labels, Subproblem
from softcost.solvers.dual_problem import Problem, pose
from softcost.solvers.kernel_functions import lists_kernels
from softcost.svm.kernel_machine import KernelMachine


@lists_kernels
class KernelSVC(ClassifierMixin, KernelMachine):
    """Support vector classifier with the perceptron kernel, one machine for each pair.

    For two classes it minimises, with labels y of -1 and +1 and weights w,

        1/2 |f|^2 + C sum_n w_n max(1 - y_n f(x_n), 0)

    where the intercept of f is not penalised. For more it trains a machine for every
    pair of classes on the rows of those two; each votes, and the class with the most
    votes wins, the first of them where votes tie.

    Parameters
    ----------
    kernel : {kernels}, default="perceptron"
        The perceptron kernel ``-|x - x'|_2`` and the stump kernel ``-|x - x'|_1`` have
        no width: only C is left to choose.
    C : float, default=1.0
        Price of a violated margin.
    gamma : {"scale", "auto"} or float, default="scale"
        Width of the exponential kernels: 1 / (n_features * X.var()), 1 / n_features,
        or the value.
    tol : float, default=1e-3
        Largest violation of the optimality conditions.
    cache_size : float, default=2000
        Memory for kernel values in megabytes, in a fit and in a search. Where the
        whole matrix does not fit, rows are computed when they are needed and recent
        ones kept: the same results, later.
    max_iter : int, default=-1
        Limit on the solver's steps for each machine; -1 for none.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    support_ : array of shape (n_support,)
        Training rows with a coefficient in some machine; of equal rows, the first.
    support_vectors_ : array of shape (n_support, n_features), or None
    dual_coef_ : array of shape (n_machines, n_support)
        Signed coefficients; machines in the order (0, 1), (0, 2), ..., (1, 2), ...;
        positive outputs stand for the first class of a pair, for two classes for the
        second, as in scikit-learn.
    intercept_ : array of shape (n_machines,)
    dual_gap_, violation_, n_iter_, converged_ : arrays of shape (n_machines,)
        The certificate: primal minus dual objective, largest violation of the
        optimality conditions, steps, and whether the tolerance was reached.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    See Also
    --------
    OneSidedSVR : Regression from one side.
    softcost.linear.NystroemClassifier : For more rows than memory.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softcost.svm import KernelSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelSVC(C=16).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    # Models of earlier versions have votes alone, and perhaps a calibration of them.
    breaks_ties_: bool = False
    classes_: NDArray[Any]

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "KernelSVC":
        """Fit to labelled rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            A square kernel matrix for ``kernel="precomputed"``.
        y : array of shape (n,)
            Labels.
        sample_weight : array of shape (n,), default=None
            Rows of weight zero are as if absent.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, **self.input_checks())
        self._check_square(X)
        check_classification_targets(y)
        weight = _check_sample_weight(
            sample_weight, X, dtype=np.float64, ensure_non_negative=True
        )
        self.classes_, codes = np.unique(y, return_inverse=True)
        present = np.unique(codes[weight > 0])
        if len(present) < 2:
            raise ValueError(
                "y has one class only among rows of positive weight: KernelSVC needs "
                "at least 2 classes."
            )
        problems = [
            self._pair(codes, weight, i, j)
            for i, j in combinations(range(len(self.classes_)), 2)
        ]
        self._keep(self._fit_weighted(X, problems, weight))
        self.breaks_ties_ = True
        return self

    def _pair(
        self, codes: NDArray[np.intp], weight: NDArray[np.float64], i: int, j: int
    ) -> Labels:
        sign = 1.0 if len(self.classes_) > 2 else -1.0
        label = sign * np.where(codes == i, 1.0, -1.0)
        return Labels(label, weight * ((codes == i) | (codes == j)))

    def posed(self, subproblem: Subproblem) -> Problem:
        """Rows labelled +1 ask for at least 1, rows labelled -1 for at most -1.

        Parameters
        ----------
        subproblem : Labels
            What is to be learnt.

        Returns
        -------
        Problem
            What the solver is given.
        """
        if not isinstance(subproblem, Labels):
            raise TypeError(
                "learner KernelSVC is a classifier, but values are to be learnt: "
                "choose a regressor, such as OneSidedSVR()."
            )
        return pose(subproblem.target, subproblem.weight, -subproblem.target)

    def pairwise_decision(self, X: Any) -> NDArray[np.float64]:
        """Output of every pair's machine, shape (n, n_pairs).

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Rows to predict.

        Returns
        -------
        array of shape (n, n_pairs)
            Positive for the first class of a pair; for two classes, for the second.
        """
        return self._outputs(X)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Signed output for two classes, shape (n,); votes otherwise, (n, n_classes).

        Summed margins break ties between votes, as in `sklearn.svm.SVC` with
        ``break_ties=True``. A pair that could not be trained gives half a vote to each
        side.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Rows to predict.

        Returns
        -------
        array of shape (n,) or (n, n_classes)
            The larger the better.
        """
        outputs = self._outputs(X)
        if len(self.classes_) == 2:
            return outputs[:, 0]
        n_classes = len(self.classes_)
        votes = pair_votes(outputs, n_classes)
        return votes + vote_margins(outputs, n_classes) if self.breaks_ties_ else votes

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the positive output, or with the most votes.

        Summed margins break ties.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Rows to predict.

        Returns
        -------
        array of shape (n,)
            Labels.
        """
        scores = self.decision_function(X)
        if len(self.classes_) == 2:
            return self.classes_[(scores > 0).astype(int)]
        return self.classes_[scores.argmax(axis=1)]


def pair_votes(outputs: NDArray[Any], n_classes: int) -> NDArray[np.float64]:
    """Votes of pairs (0, 1), (0, 2), ..., (1, 2), ...: positive ones for the first.

    Parameters
    ----------
    outputs : array of shape (n, n_classes * (n_classes - 1) / 2)
        NaN for a pair that could not be trained: half a vote for each.
    n_classes : int
        At least 2.

    Returns
    -------
    array of shape (n, n_classes)
        Votes for each class.

    See Also
    --------
    KernelSVC : Support vector classifier with the perceptron kernel, one machine for
        each pair.
    softcost.reductions.CostSensitiveOneVsOne : Decides by such votes.

    Examples
    --------
    Pairs (0, 1), (0, 2) and (1, 2): class 2 wins against both others.

    >>> import numpy as np
    >>> from softcost.svm import pair_votes
    >>> pair_votes(np.array([[0.3, -1.2, -0.1]]), 3)
    array([[1., 0., 2.]])
    """
    votes = np.zeros((len(outputs), n_classes))
    for pair, (i, j) in enumerate(combinations(range(n_classes), 2)):
        output = outputs[:, pair]
        for_first = np.where(np.isnan(output), 0.5, output > 0)
        votes[:, i] += for_first
        votes[:, j] += 1.0 - for_first
    return votes


def vote_margins(outputs: NDArray[Any], n_classes: int) -> NDArray[np.float64]:
    """Summed margins of every class, scaled so that they only break ties of votes.

    Different numbers of votes differ by at least 1/2, these terms by less than 2/5.

    Parameters
    ----------
    outputs : array of shape (n, n_classes * (n_classes - 1) / 2)
        As in `pair_votes`.
    n_classes : int
        At least 2.

    Returns
    -------
    array of shape (n, n_classes)
        ``0.2 s / (1 + |s|)`` for the sum s of a class's margins.

    See Also
    --------
    pair_votes : The votes.

    Examples
    --------
    Each class wins once; class 1 has the largest margins.

    >>> import numpy as np
    >>> from softcost.svm import pair_votes, vote_margins
    >>> outputs = np.array([[-0.5, 0.2, -0.1]])
    >>> pair_votes(outputs, 3), int(vote_margins(outputs, 3).argmax())
    (array([[1., 1., 1.]]), 1)
    """
    sums = np.zeros((len(outputs), n_classes))
    for pair, (i, j) in enumerate(combinations(range(n_classes), 2)):
        margin = np.nan_to_num(outputs[:, pair])
        sums[:, i] += margin
        sums[:, j] -= margin
    return 0.2 * sums / (1.0 + np.abs(sums))
