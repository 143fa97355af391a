"""`OneSidedLinear`: one-sided linear regression with a squared loss."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcost._sklearn_types import RegressorMixin, fit_context
from softcost.linear.linear_machine import LinearMachine, LinearMachines


class OneSidedLinear(RegressorMixin, LinearMachine):
    """One-sided linear regression for many rows.

    With sides z of +1 (at most y) and -1 (at least y) and weights s it minimises, over
    coefficients w and an intercept b that is not penalised,

        1/2 |w|^2 + C sum_n s_n max(z_n (w'x_n + b - y_n), 0)^2

    and without sides ``1/2 |w|^2 + C sum_n s_n (w'x_n + b - y_n)^2``, which is ridge
    regression with ``alpha = 1 / (2 C)``. The penalty is that of the original features;
    the solver standardises them internally.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses relative to the penalty.
    tol : float, default=1e-3
        Tolerance of the certificate: the norm of the gradient (with respect to the
        coefficients of standardised features) relative to the sum of the norms of its
        terms. With a tolerance of at least 1e-5, large tables use single precision.
    max_iter : int, default=100
        Limit on the number of passes over the rows.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
    intercept_ : float
    certificate_, dual_gap_, n_iter_, converged_ : arrays of shape (1,)
        The certificate; half the squared gradient with respect to w, which is the
        duality gap if the derivative for b is zero; the number of passes over the rows;
        whether the tolerance was reached.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    See Also
    --------
    LinearClassifier : The classifier.
    OneSidedNystroem : The same with kernel features.

    Notes
    -----
    If all sides are +1, the prediction is the smallest target; if all are -1, the
    largest. With targets ``2 c - 1`` for 0/1 costs c this is `LinearClassifier` with
    the squared hinge loss at the same C.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.linear import OneSidedLinear
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 3, 1, 4, 2, 5, 3, 6.0])
    >>> side = np.array([-1, 1] * 4)  # any line between the two halves has no loss
    >>> model = OneSidedLinear(C=100).fit(X, y, side=side)
    >>> bool(np.all(side * (model.predict(X) - y) < 0.01))
    True
    """

    # Sides are part of the targets, so metadata routing passes them on by default.
    __metadata_request__fit: ClassVar = {"side": True}
    coef_: Any
    intercept_: float

    def __init__(
        self, C: float = 1.0, *, tol: float = 1e-3, max_iter: int = 100
    ) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        side: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> "OneSidedLinear":
        """Fit to one-sided targets.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Training rows.
        y : array of shape (n,)
            Targets.
        side : array of shape (n,) of +1 and -1, default=None
            +1 requires a prediction of at most y, -1 of at least y; None for ordinary
            least squares.
        sample_weight : array of shape (n,), default=None
            Sample weights; ones by default.

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
