"""The one-sided support vector regressor."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _check_sample_weight, validate_data

from softcost._sklearn_types import RegressorMixin, fit_context
from softcost.learners import OneSidedValues, Subproblem, Values, check_sides
from softcost.solvers.dual_problem import Problem, pose
from softcost.svm.kernel_machine import KernelMachine


class OneSidedSVR(RegressorMixin, KernelMachine):
    """Regression that asks each prediction to be low enough, or high enough.

    With sides z of +1 (at most y) and -1 (at least y) and weights w it minimises

        1/2 |r|^2 + C sum_n w_n max(z_n (r(x_n) - y_n), 0)

    where the intercept of r is not penalised; without sides, absolute loss.

    Parameters
    ----------
    kernel, C, gamma, tol, cache_size, max_iter
        As for `softcost.svm.KernelSVC`. The tolerance is relative to half the range
        of the targets.

    Attributes
    ----------
    support_, support_vectors_, dual_coef_, intercept_
        As for `softcost.svm.KernelSVC`, with one machine.
    dual_gap_, violation_, n_iter_, converged_ : arrays of shape (1,)
        The certificate.

    See Also
    --------
    KernelSVC : The classifier.
    softcost.linear.OneSidedNystroem : For more rows than memory.

    Notes
    -----
    Where all sides are +1 the best constant is the least target, where all are -1 the
    largest. On targets ``2 c - 1`` with naive costs c of 0 and 1 this is the support
    vector classifier at the same C.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.svm import OneSidedSVR
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 3, 1, 4, 2, 5, 3, 6.0])
    >>> above = OneSidedSVR(C=100).fit(X, y, side=-np.ones(8)).predict(X)
    >>> bool(np.all(above >= y - 1e-2))
    True
    """

    # Sides are part of what is learnt, so they travel with the data by default.
    __metadata_request__fit: ClassVar = {"side": True}

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        side: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> "OneSidedSVR":
        """Fit to targets with sides.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Rows to learn from.
        y : array of shape (n,)
            Values.
        side : array of shape (n,) of +1 and -1, default=None
            +1 asks for a prediction of at most y, -1 of at least y; None for both.
        sample_weight : array of shape (n,), default=None
            How much each row counts, by default 1.

        Returns
        -------
        self
        """
        X, target = validate_data(self, X, y, y_numeric=True, **self.input_checks())
        self._check_square(X)
        weight = _check_sample_weight(
            sample_weight, X, dtype=np.float64, ensure_non_negative=True
        )
        sides = None if side is None else check_sides(side, len(target))
        if not weight.any():
            raise ValueError(
                "sample_weight is zero for every row: give some row a positive weight."
            )
        subproblem: Subproblem = Values(target, weight)
        if sides is not None:
            subproblem = OneSidedValues(target, weight, sides)
        self._keep(self._fit_weighted(X, [subproblem], weight))
        return self

    def posed(self, subproblem: Subproblem) -> Problem:
        """Values and labels ask from both sides.

        Parameters
        ----------
        subproblem : Subproblem
            What is to be learnt.

        Returns
        -------
        Problem
            What the solver is given.
        """
        side = subproblem.side if isinstance(subproblem, OneSidedValues) else None
        return pose(subproblem.target, subproblem.weight, side)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predicted values, shape (n,).

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Rows to predict.

        Returns
        -------
        array of shape (n,)
            Predicted values.
        """
        return self._outputs(X)[:, 0]
