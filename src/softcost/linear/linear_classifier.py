"""The linear classifier."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.linear_model._base import LinearClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if

from softcost.learners import Labels, Subproblem
from softcost.linear.linear_machine import LinearMachine
from softcost.linear.linear_path import LinearMachines


def _is_logistic(machine: Any) -> bool:
    return machine.loss == "logistic"


class ByMargin(ClassifierMixin, LinearMachine):
    """How a classifier that is linear in its features decides."""

    classes_: NDArray[Any]
    loss: str

    def check_kind(self, subproblem: Subproblem) -> None:
        """Refuse kinds of subproblems that cannot be learnt.

        Parameters
        ----------
        subproblem : Subproblem
            One of those that are to be learnt.
        """
        if not isinstance(subproblem, Labels):
            raise TypeError(
                f"learner {type(self).__name__} is a classifier, but values are to be "
                "learnt: choose a regressor, such as OneSidedLinear()."
            )

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Signed output for two classes, shape (n,); otherwise (n, n_classes).

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
        return outputs[:, 0] if len(self.classes_) == 2 else outputs

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the positive, or the largest, output.

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

    @available_if(_is_logistic)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities, for ``loss="logistic"``.

        For two classes ``1 / (1 + exp(-f))`` of the output f; otherwise this for each
        class against the rest, divided by their sum.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows.

        Returns
        -------
        array of shape (n, n_classes)
            In the order of ``classes_``; rows sum to one.
        """
        outputs = expit(self._outputs(X))
        if len(self.classes_) == 2:
            return np.hstack([1 - outputs, outputs])
        total = outputs.sum(axis=1, keepdims=True)
        unknown = np.full_like(outputs, 1 / len(self.classes_))
        return np.divide(outputs, total, out=unknown, where=total > 0)


class LinearClassifier(ByMargin, LinearClassifierMixin):
    """Linear classifier for weighted rows, one machine against the rest for each class.

    For two classes it minimises, over coefficients w and an intercept b that is not
    penalised, with labels y of -1 and +1 and weights s,

        1/2 |w|^2 + C sum_n s_n loss(y_n (w'x_n + b))

    where ``loss(m)`` is ``max(1 - m, 0)^2`` or ``log(1 + exp(-m))``. The penalty is
    that of the features as they are given; the solver standardises them for itself.

    Parameters
    ----------
    C : float, default=1.0
        Price of the losses against the penalty.
    loss : {"squared_hinge", "logistic"}, default="squared_hinge"
        Both are smooth; logistic also orders rows by probability.
    tol, max_iter
        As for `OneSidedLinear`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    coef_ : array of shape (n_machines, n_features)
        One machine for two classes, whose output is positive for the second; otherwise
        one for each class.
    intercept_ : array of shape (n_machines,)
    certificate_, dual_gap_, n_iter_, converged_ : arrays of shape (n_machines,)
        As for `OneSidedLinear`.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    See Also
    --------
    OneSidedLinear : Regression from one side.
    NystroemClassifier : The same on kernel features.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softcost.linear import LinearClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearClassifier(C=10).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    _parameter_constraints: ClassVar = {
        **LinearMachine._parameter_constraints,
        "loss": [StrOptions({"squared_hinge", "logistic"})],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        loss: str = "squared_hinge",
        tol: float = 1e-3,
        max_iter: int = 100,
    ):
        self.C = C
        self.loss = loss
        self.tol = tol
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "LinearClassifier":
        """Fit to labelled rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Rows to learn from.
        y : array of shape (n,)
            Labels.
        sample_weight : array of shape (n,), default=None
            Rows of weight zero are as if absent.

        Returns
        -------
        self
        """
        X, self.classes_, subproblems = self._one_vs_rest(X, y, sample_weight)
        self._keep(self.fit_many(X, subproblems))
        return self

    def _keep(self, machines: LinearMachines) -> None:
        super()._keep(machines)
        self.coef_ = machines.model.coef.T
        self.intercept_ = machines.model.intercept
