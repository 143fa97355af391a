"""Kernel machines beyond memory: Nystroem features and linear machines on them."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from softcost.linear._base import LinearMachine
from softcost.linear._classifier import ByMargin
from softcost.linear._landmarks import (
    Kernel,
    Landmarks,
    centre_of,
    centred,
    width_for,
)
from softcost.linear._machines import LinearMachines
from softcost.linear._path import LinearFold, side_by_side
from softcost.linear._rows import Rows
from softcost.linear._space import precision
from softcost.solvers.kernels import KERNELS


class NystroemMachine(LinearMachine):
    """What machines on Nystroem features have in common."""

    param_grids: ClassVar[dict[str, dict[str, list[float]]]] = {
        "default": {"C": [2.0**power for power in (-4, -1, 2, 5, 8)]},
    }
    kernel: str
    gamma: Any
    n_landmarks: int
    cache_size: float
    random_state: Any

    _parameter_constraints: ClassVar = {
        **LinearMachine._parameter_constraints,
        "kernel": [StrOptions(set(KERNELS))],
        "gamma": [
            StrOptions({"scale", "auto"}),
            Interval(Real, 0, None, closed="neither"),
        ],
        "n_landmarks": [Interval(Integral, 1, None, closed="left")],
        "cache_size": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def seed(self) -> int:
        """The seed of the landmarks.

        Returns
        -------
        int
            The same for the same integer ``random_state``.
        """
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def landmarks(
        self,
        matrix: Any,
        places: NDArray[np.intp],
        centre: NDArray[np.float64],
        gamma: float,
        seed: int,
    ) -> Landmarks:
        """Landmarks among some of centred rows.

        Parameters
        ----------
        matrix : array or sparse matrix of shape (n, n_features)
            Rows that the centre was taken off.
        places : array of int
            Which of them may be landmarks.
        centre : array of shape (n_features,)
            What was taken off.
        gamma : float
            Width of the kernel.
        seed : int
            Of the draw.

        Returns
        -------
        Landmarks
            The space that they span.
        """
        kernel = Kernel(self.kernel, gamma)
        return Landmarks.of(matrix, places, centre, kernel, self.n_landmarks, seed)

    def opened(self, X: Any, weight: NDArray[np.float64]) -> tuple[Landmarks, Rows]:
        """The space of landmarks among rows with a weight, and the rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Checked as `input_checks` asks.
        weight : array of shape (n,)
            Of the rows.

        Returns
        -------
        space, rows : tuple
            The landmarks, and the rows as features.
        """
        if not weight.any():  # nothing will be learnt
            weight = np.ones_like(weight)
        kept = np.flatnonzero(weight > 0)
        centre = centre_of(X if len(kept) == len(weight) else X[kept])
        matrix = centred(X, centre)
        gamma = width_for(self.gamma, X, weight)
        space = self.landmarks(matrix, kept, centre, gamma, self.seed())
        dtype = precision((X.shape[0], self.n_landmarks), self.tol)
        return space, space.rows(matrix, dtype).kept(self.cache_size)

    def open_path(
        self,
        X: Any,
        tests: Sequence[NDArray[np.intp]],
        values: NDArray[np.float64],
        softness: NDArray[np.float64],
        *,
        threads: int = 1,
    ) -> "NystroemPath":
        """Prepare a search over C and softness, see `softcost.learners.WalksPath`.

        Parameters
        ----------
        X, tests, values, softness, threads
            As in `softcost.learners.WalksPath.open_path`.

        Returns
        -------
        Path
            Whose folds are then opened.
        """
        return NystroemPath(self, X, tests, values, softness)

    def _keep(self, machines: LinearMachines) -> None:
        super()._keep(machines)
        space = machines.model.space
        self.landmarks_ = space.vectors.astype(np.float64) + space.centre
        self.dual_coef_ = machines.model.coef[:-1].T
        self.intercept_ = machines.model.coef[-1]


class NystroemPath:
    """Rows of a search; every fold chooses landmarks among its own training rows.

    Attributes
    ----------
    groups, n_bytes
        As for `softcost.linear._path.LockstepPath`.
    """

    def __init__(
        self,
        machine: NystroemMachine,
        X: Any,
        tests: Sequence[NDArray[np.intp]],
        values: NDArray[np.float64],
        softness: NDArray[np.float64],
    ):
        self.machine, self.values, self.softness = machine, values, softness
        n = X.shape[0]
        self.groups = np.arange(n)
        order = side_by_side(n, tests)
        self._place = np.argsort(order)
        self._X, self._centre, self._seed = X, centre_of(X), machine.seed()
        self._matrix = centred(X, self._centre, order)
        self._dtype = precision((n, machine.n_landmarks), machine.tol)
        kept = 2 * min(machine.cache_size * 2**20, 4 * n * (machine.n_landmarks + 1))
        self.n_bytes = int(4 * n * X.shape[1] + kept)

    def fold(
        self, train: NDArray[np.intp], rows: NDArray[np.intp], out: NDArray[np.intp]
    ) -> LinearFold:
        machine = self.machine
        weight = np.zeros(len(self.groups))
        weight[train] = 1.0
        gamma = width_for(machine.gamma, self._X, weight)
        space = machine.landmarks(
            self._matrix, self._place[train], self._centre, gamma, self._seed
        )
        order = np.argsort(self._place[rows], kind="stable")
        inside = space.rows(self._matrix, self._dtype, self._place[rows[order]])
        outside = space.rows(self._matrix, self._dtype, self._place[out])
        cache = machine.cache_size
        return LinearFold(self, space.penalty, inside, order, outside, cache)


class NystroemClassifier(ByMargin, NystroemMachine):
    """Kernel classifier for many rows: a linear machine on Nystroem features.

    It minimises what `LinearClassifier` does, over functions
    ``f(x) = sum_l b_l K(x, z_l) + intercept`` of a few landmarks z, with coefficients
    that sum to zero and the penalty ``1/2 b'Kb``. With every row as a landmark it is
    the kernel machine with that loss; time and memory grow with the number of rows.

    Parameters
    ----------
    kernel : {"perceptron", "stump", "laplacian", "exponential", "rbf", "linear"}, \
default="perceptron"
        As for `softcost.svm.KernelSVC`.
    C : float, default=1.0
        Price of the losses against the penalty.
    n_landmarks : int, default=256
        Rows that are chosen among the distinct ones as k-means++ chooses centres, with
        distances of the kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Width of the exponential kernels, as for `softcost.svm.KernelSVC`.
    loss : {"squared_hinge", "logistic"}, default="squared_hinge"
        Both are smooth; logistic also orders rows by probability.
    tol, max_iter
        As for `OneSidedLinear`.
    cache_size : float, default=500
        Memory for features in megabytes; where they do not fit, they are computed when
        they are needed.
    random_state : int, RandomState instance or None, default=0
        Of the landmarks.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    landmarks_ : array of shape (n_landmarks, n_features)
    dual_coef_ : array of shape (n_machines, n_landmarks)
        Coefficients b; machines as for `LinearClassifier`.
    intercept_ : array of shape (n_machines,)
    certificate_, dual_gap_, n_iter_, converged_ : arrays of shape (n_machines,)
        As for `OneSidedLinear`.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    See Also
    --------
    softcost.svm.KernelSVC : All rows as landmarks, one machine for each pair.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softcost.linear import NystroemClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NystroemClassifier(C=16, n_landmarks=30).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    _parameter_constraints: ClassVar = {
        **NystroemMachine._parameter_constraints,
        "loss": [StrOptions({"squared_hinge", "logistic"})],
    }

    def __init__(
        self,
        kernel: str = "perceptron",
        C: float = 1.0,
        *,
        n_landmarks: int = 256,
        gamma: float | str = "scale",
        loss: str = "squared_hinge",
        tol: float = 1e-3,
        max_iter: int = 100,
        cache_size: float = 500,
        random_state: Any = 0,
    ):
        self.kernel = kernel
        self.C = C
        self.n_landmarks = n_landmarks
        self.gamma = gamma
        self.loss = loss
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "NystroemClassifier":
        """Fit to labelled rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Rows to learn from.
        y : array of shape (n,)
            Labels, or values.
        sample_weight : array of shape (n,), default=None
            Rows of weight zero are as if absent.

        Returns
        -------
        self
        """
        X, self.classes_, subproblems = self._one_vs_rest(X, y, sample_weight)
        self._keep(self.fit_many(X, subproblems))
        return self


class OneSidedNystroem(RegressorMixin, NystroemMachine):
    """One-sided kernel regression for many rows: `OneSidedLinear` on Nystroem features.

    It minimises what `OneSidedLinear` does, over functions of a few landmarks as
    `NystroemClassifier` describes them.

    Parameters
    ----------
    kernel, C, n_landmarks, gamma, tol, max_iter, cache_size, random_state
        As for `NystroemClassifier`.

    Attributes
    ----------
    landmarks_, dual_coef_, intercept_, certificate_, dual_gap_, n_iter_, converged_
        As for `NystroemClassifier`, with one machine.

    See Also
    --------
    softcost.svm.OneSidedSVR : All rows as landmarks.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.linear import OneSidedNystroem
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> y = np.sin(X).ravel()
    >>> side = np.where(np.arange(50) % 2, 1, -1)
    >>> model = OneSidedNystroem(C=1000, n_landmarks=20).fit(X, y, side=side)
    >>> bool(np.all(side * (model.predict(X) - y) < 0.1))
    True
    """

    # Sides are part of what is learnt, so they travel with the data by default.
    __metadata_request__fit: ClassVar = {"side": True}

    def __init__(
        self,
        kernel: str = "perceptron",
        C: float = 1.0,
        *,
        n_landmarks: int = 256,
        gamma: float | str = "scale",
        tol: float = 1e-3,
        max_iter: int = 100,
        cache_size: float = 500,
        random_state: Any = 0,
    ):
        self.kernel = kernel
        self.C = C
        self.n_landmarks = n_landmarks
        self.gamma = gamma
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        side: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> "OneSidedNystroem":
        """Fit to targets with sides, see `OneSidedLinear.fit`.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Rows to learn from.
        y : array of shape (n,)
            Labels, or values.
        side : array of shape (n,) of +1 and -1, default=None
            +1 asks for a prediction of at most the target, -1 of at least; None for
            both.
        sample_weight : array of shape (n,), default=None
            How much each row counts, by default 1.

        Returns
        -------
        self
        """
        X, subproblem = self._one_sided(X, y, side, sample_weight)
        self._keep(self.fit_many(X, [subproblem]))
        return self

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
