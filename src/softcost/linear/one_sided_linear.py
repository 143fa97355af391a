"""The one-sided linear regressor."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin, _fit_context

from softcost.linear.linear_machine import LinearMachine
from softcost.linear.linear_path import LinearMachines


class OneSidedLinear(RegressorMixin, LinearMachine):
    """Linear regression that asks each prediction to be low, or high, enough.

    With sides z of +1 (at most y) and -1 (at least y) and weights s it minimises, over
    coefficients w and an intercept b that is not penalised,

        1/2 |w|^2 + C sum_n s_n max(z_n (w'x_n + b - y_n), 0)^2

    and without sides ``1/2 |w|^2 + C sum_n s_n (w'x_n + b - y_n)^2``, which is ridge
    regression with ``alpha = 1 / (2 C)``. The penalty is that of the features as they
    are given; the solver standardises them for itself.

    Parameters
    ----------
    C : float, default=1.0
        Price of the losses against the penalty.
    tol : float, default=1e-3
        Largest certificate: the norm of the gradient (by coefficients of standardised
        features) relative to the sum of the norms of its terms. From 1e-5 on large
        tables are worked on in single precision.
    max_iter : int, default=100
        Limit on the passes over the rows.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
    intercept_ : float
    certificate_, dual_gap_, n_iter_, converged_ : arrays of shape (1,)
        What ``tol`` limits; half the squared gradient by w, which is the duality gap
        where the derivative by b is zero; passes over the rows; whether the tolerance
        was reached.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    See Also
    --------
    LinearClassifier : The classifier.
    OneSidedNystroem : The same on kernel features.

    Notes
    -----
    Where all sides are +1 the best constant is the least target, where all are -1 the
    largest. On targets ``2 c - 1`` with naive costs c of 0 and 1 this is
    `LinearClassifier` with the squared hinge loss at the same C.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.linear import OneSidedLinear
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 3, 1, 4, 2, 5, 3, 6.0])
    >>> side = np.array([-1, 1] * 4)  # a line between the two halves is good enough
    >>> model = OneSidedLinear(C=100).fit(X, y, side=side)
    >>> bool(np.all(side * (model.predict(X) - y) < 0.01))
    True
    """

    # Sides are part of what is learnt, so they travel with the data by default.
    __metadata_request__fit: ClassVar = {"side": True}

    def __init__(self, C: float = 1.0, *, tol: float = 1e-3, max_iter: int = 100):
        self.C = C
        self.tol = tol
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        side: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> "OneSidedLinear":
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
        X, subproblem = self._one_sided(X, y, side, sample_weight)
        self._keep(self.fit_many(X, [subproblem]))
        return self

    def _keep(self, machines: LinearMachines) -> None:
        super()._keep(machines)
        self.coef_ = machines.model.coef[:, 0]
        self.intercept_ = float(machines.model.intercept[0])

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
