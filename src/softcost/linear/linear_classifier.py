"""`LinearClassifier`: squared hinge loss or logistic regression."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.utils._param_validation import StrOptions

from softcost._sklearn_types import (
    ClassifierMixin,
    LinearClassifierMixin,
    available,
    fit_context,
)
from softcost.learners import Labels, Subproblem
from softcost.learners.compact import CompactForm, register
from softcost.linear.linear_machine import LinearMachine, LinearMachines


def _is_logistic(machine: Any) -> bool:
    return machine.loss == "logistic"


class MarginClassifier(ClassifierMixin, LinearMachine):
    """Predictions of a classifier that is linear in its features."""

    classes_: NDArray[Any]
    loss: str

    def check_kind(self, subproblem: Subproblem) -> None:
        """Raise TypeError for a type of subproblem that is not supported.

        Parameters
        ----------
        subproblem : Subproblem
            One of the subproblems to fit.
        """
        if not isinstance(subproblem, Labels):
            raise TypeError(
                f"learner {type(self).__name__} is a classifier, but the targets are "
                "real numbers. Choose a regressor, such as OneSidedLinear()."
            )

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Outputs: one column for two classes, otherwise one per class.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Rows to predict.

        Returns
        -------
        array of shape (n,) or (n, n_classes)
            The larger the better. With two classes, positive for the second.
        """
        outputs = self._outputs(X)
        return outputs[:, 0] if len(self.classes_) == 2 else outputs

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest output.

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

    @available(_is_logistic)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities, for ``loss="logistic"``.

        For two classes ``1 / (1 + exp(-f))`` of the output f. With more classes, this
        is computed for each class against the rest and divided by the sum.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Rows.

        Returns
        -------
        array of shape (n, n_classes)
            In the order of ``classes_``; rows sum to one.
        """
        return _probabilities(self._outputs(X))


def _probabilities(outputs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sigmoids of outputs (n, m), as shares of their sum if there are several."""
    sigmoids = expit(outputs)
    if outputs.shape[1] == 1:
        return np.hstack([1 - sigmoids, sigmoids])
    total = sigmoids.sum(axis=1, keepdims=True)
    uniform = np.full_like(sigmoids, 1 / outputs.shape[1])
    return np.divide(sigmoids, total, out=uniform, where=total > 0)


def _logistic_form(machine: Any) -> CompactForm | None:
    if machine.loss != "logistic" or hasattr(machine, "feature_names_in_"):
        return None
    machines = machine._machines
    return CompactForm(lambda X: _probabilities(machines.outputs(X)), allow_nan=False)


for _name in ("linear_classifier.LinearClassifier", "nystroem.NystroemClassifier"):
    register(f"softcost.linear.{_name}", lambda machine: (machine._machines,))(
        _logistic_form
    )


class LinearClassifier(MarginClassifier, LinearClassifierMixin):
    """Linear one-vs-rest classifier for many rows, with sample weights.

    For two classes it minimises, over coefficients w and an intercept b that is not
    penalised, with labels y of -1 and +1 and weights s,

        1/2 |w|^2 + C sum_n s_n loss(y_n (w'x_n + b))

    where ``loss(m)`` is ``max(1 - m, 0)^2`` or ``log(1 + exp(-m))``. The penalty is
    that of the original features; the solver standardises them internally.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses relative to the penalty.
    loss : {"squared_hinge", "logistic"}, default="squared_hinge"
        The loss. Only "logistic" provides probabilities.
    tol, max_iter
        As for `OneSidedLinear`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    coef_ : array of shape (n_machines, n_features)
        For two classes there is one machine, whose output is positive for the second
        class; otherwise one machine per class.
    intercept_ : array of shape (n_machines,)
    certificate_, dual_gap_, n_iter_, converged_ : arrays of shape (n_machines,)
        As for `OneSidedLinear`.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    See Also
    --------
    OneSidedLinear : One-sided regression.
    NystroemClassifier : The same with kernel features.

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
    classes_: NDArray[Any]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]

    def __init__(
        self,
        C: float = 1.0,
        *,
        loss: str = "squared_hinge",
        tol: float = 1e-3,
        max_iter: int = 100,
    ) -> None:
        self.C = C
        self.loss = loss
        self.tol = tol
        self.max_iter = max_iter

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "LinearClassifier":
        """Fit to labelled rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Training rows.
        y : array of shape (n,)
            Labels.
        sample_weight : array of shape (n,), default=None
            Sample weights; rows of weight zero are ignored.

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
