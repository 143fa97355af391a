"""Linear machines on Nystroem features (Williams and Seeger 2001).

They approximate kernel machines for tables whose kernel matrix does not fit into
memory. With landmarks z, a machine is ``f(x) = sum_l b_l K(x, z_l) + intercept``, where
the b_l sum to zero, and its penalty is ``1/2 b'Kb`` over the landmarks. Kernels are
those of `softcost.solvers.kernel_functions`, in their distance form. With the
eigenvectors U and eigenvalues E of the centred kernel matrix of the landmarks,
``b = U E^(-1/2) w`` turns the penalty into ``1/2 |w|^2``: a linear machine on the
features ``K(x, z) U E^(-1/2)``.
With all rows as landmarks it is the kernel machine itself.

References
----------
Williams and Seeger (2001), "Using the Nystroem method to speed up kernel machines",
NIPS 13.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from softcost._sklearn_types import RegressorMixin, fit_context
from softcost.learners import Subproblem
from softcost.linear.features import Rows, precision
from softcost.linear.linear_classifier import MarginClassifier
from softcost.linear.linear_machine import (
    LinearFold,
    LinearMachine,
    LinearMachines,
    side_by_side,
)
from softcost.solvers.kernel_functions import (
    FEATURE_KERNELS,
    check_single,
    code_of,
    lists_kernels,
)

# Landmarks are chosen from a sample of at least 4096 rows and 16 rows per landmark,
# since each choice takes a pass over the candidates. Chosen on development data.
_MIN_POOL = 4096
_POOL_PER_LANDMARK = 16
# Eigenvalues below this share of the largest are rounding errors of kernel values in
# single precision.
_MIN_EIGENVALUE = 1e-6
_BLOCK = 1024  # rows predicted at once, so that their kernel values stay in cache


@dataclass(frozen=True)
class Kernel:
    """A kernel and its width gamma."""

    name: str
    gamma: float

    def values(self, X: Any, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Distance form of rows against vectors, shape (n, n_vectors)."""
        from softcost.solvers.kernels import kernel_rows, pack, padded

        rows = X.toarray() if sparse.issparse(X) else np.ascontiguousarray(X)
        out = np.empty((len(vectors), padded(len(rows))), np.float32)
        kernel_rows(vectors, pack(rows), code_of(self.name), self.gamma, out, 0)
        return np.ascontiguousarray(out[:, : len(rows)].T)


def choose_landmarks(
    X: Any, places: NDArray[np.intp], n_landmarks: int, kernel: Kernel, seed: int
) -> NDArray[np.float32]:
    """Choose landmarks among the distinct rows at some places.

    The landmarks are spread out like the initial centres of k-means++ (Arthur and
    Vassilvitskii 2007): each is drawn with a probability proportional to the squared
    kernel distance to the nearest earlier one. Rows are sorted and duplicates removed,
    so repeated rows do not change the result.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, n_features), float32
        All rows.
    places : array
        Indices of the candidates.
    n_landmarks : int
        Maximum number of landmarks.
    kernel : Kernel
        Defines the distances.
    seed : int
        Seed of the draws.
    """
    rng = np.random.default_rng(seed)
    n, size = len(places), max(_MIN_POOL, _POOL_PER_LANDMARK * n_landmarks)
    if n > size:
        places = places[np.sort(rng.permutation(n)[:size])]
    pool = X[places]
    pool = pool.toarray() if sparse.issparse(pool) else pool
    pool = np.unique(pool + np.float32(0), axis=0)  # -0.0 equals 0.0
    if len(pool) <= n_landmarks:
        return pool
    chosen = [int(rng.integers(len(pool)))]
    distance = np.full(len(pool), np.inf)
    while len(chosen) < n_landmarks:
        last = kernel.values(pool, pool[chosen[-1:]])[:, 0]
        distance = np.minimum(distance, -2.0 * last)
        total = np.cumsum(distance)
        if total[-1] <= 0:
            break
        chosen.append(int(np.searchsorted(total, rng.random() * total[-1], "right")))
    return pool[np.unique(chosen)]


@dataclass(frozen=True)
class Landmarks:
    """The space of Nystroem features.

    Attributes
    ----------
    kernel : Kernel
        The kernel.
    centre : array of shape (n_features,)
        Subtracted from dense rows before they are converted to single precision.
    vectors : array of shape (n_landmarks, n_features), float32
        The landmarks.
    basis : array of shape (n_landmarks + 1, width)
        Transforms kernel values, with a last column of ones, into features.
    """

    kernel: Kernel
    centre: NDArray[np.float64]
    vectors: NDArray[np.float32]
    basis: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        matrix: Any,
        places: NDArray[np.intp],
        centre: NDArray[np.float64],
        kernel: Kernel,
        n_landmarks: int,
        seed: int,
    ) -> "Landmarks":
        """Choose landmarks among centred rows in single precision."""
        vectors = choose_landmarks(matrix, places, n_landmarks, kernel, seed)
        gram = kernel.values(vectors, vectors).astype(np.float64)
        gram = (gram + gram.T) / 2
        gram -= gram.mean(axis=0)
        gram -= gram.mean(axis=1, keepdims=True)
        eigenvalues, eigenvectors = np.linalg.eigh(gram)
        large = eigenvalues > _MIN_EIGENVALUE * max(eigenvalues[-1], 0.0)
        basis = np.zeros((len(vectors) + 1, int(large.sum()) + 1))
        basis[:-1, :-1] = eigenvectors[:, large] / np.sqrt(eigenvalues[large])
        basis[-1, -1] = 1.0
        return cls(kernel, centre, vectors, basis)

    @property
    def penalty(self) -> NDArray[np.float64]:
        """Factors of the squared coefficients; 0 for the intercept, the last one."""
        return np.append(np.ones(self.basis.shape[1] - 1), 0.0)

    def features(self, block: Any, dtype: Any = np.float32) -> NDArray[Any]:
        """Kernel values of centred rows minus their row mean, and a column of ones.

        The mean has no effect, as the coefficients of the landmarks sum to zero.
        Without it the values are smaller, so single precision loses less.
        """
        values = np.ones((block.shape[0], len(self.vectors) + 1), dtype)
        by_landmark = self.kernel.values(block, self.vectors)
        values[:, :-1] = by_landmark - by_landmark.mean(axis=1, keepdims=True)
        return values

    def rows(
        self, matrix: Any, dtype: Any, places: NDArray[np.intp] | None = None
    ) -> Rows:
        """Centred rows in this space; features are computed on demand."""
        make = partial(self.features, dtype=dtype)
        return Rows(matrix, places, make, self.basis, dtype)

    def model(self, coef: NDArray[np.float64]) -> "LandmarkModels":
        """Models for X itself, from coefficients of shape (width, m)."""
        return LandmarkModels(self, self.basis @ coef)


@dataclass(frozen=True)
class LandmarkModels:
    """Kernel expansions: ``K(X, landmarks) @ coef + intercept``.

    Attributes
    ----------
    space : Landmarks
        The landmarks.
    coef : array of shape (n_landmarks + 1, m)
        Coefficients; the last row has the intercepts.
    """

    space: Landmarks
    coef: NDArray[np.float64]

    def outputs(self, X: Any) -> NDArray[np.float64]:
        """Outputs of shape (n, m)."""
        from softcost.solvers.scoring import linear_outputs

        out = np.empty((X.shape[0], self.coef.shape[1]))
        coef = np.require(self.coef, np.float64, ["C", "W"])
        none = np.zeros(coef.shape[1])
        for start in range(0, X.shape[0], _BLOCK):
            part = slice(start, start + _BLOCK)
            rows = centred(X[part], self.space.centre)
            values = self.space.features(rows, np.float64)
            linear_outputs(values, coef, none, out[part])
        return out


def centre_of(X: Any) -> NDArray[np.float64]:
    """A round number near the middle of each dense feature; zeros for sparse rows.

    Without centring, single precision would lose the difference between 100000.1 and
    100000.2. The numbers are round so that a single row rarely changes them.
    """
    if sparse.issparse(X) or X.shape[0] == 0:
        return np.zeros(X.shape[1])
    least, most = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):  # `centred` raises for these
        extent = most - least
        unit = 2.0 ** np.ceil(np.log2(np.where(extent > 0, extent, 1.0)))
        return np.round((least + most) / 2 / unit) * unit


def centred(
    X: Any, centre: NDArray[np.float64], order: NDArray[np.intp] | None = None
) -> Any:
    """Rows in single precision, in the given order, minus the centre if dense.

    Raises an error for values that are too large.
    """
    if sparse.issparse(X):
        check_single(X.data)
        return sparse.csr_array(X if order is None else X[order]).astype(np.float32)
    out = np.empty(X.shape, np.float32)
    for start in range(0, len(X), _BLOCK):
        part = slice(start, start + _BLOCK)
        block = (X[part] if order is None else X[order[part]]) - centre
        check_single(block)
        out[part] = block
    return out


def width_for(gamma: Any, X: Any, rows: NDArray[np.intp] | None = None) -> float:
    """The value of a kernel's ``gamma``, which may be a name, for some rows of X."""
    n, n_features = X.shape
    if gamma == "auto":
        return 1.0 / n_features
    if gamma != "scale":
        return float(gamma)
    n = n if rows is None else len(rows)
    total = squares = 0.0
    for start in range(0, n, _BLOCK):
        part = slice(start, start + _BLOCK)
        block = X[part if rows is None else rows[part]].astype(np.float64)
        total += float(block.sum())
        block = block.multiply(block) if sparse.issparse(block) else block**2
        squares += float(block.sum())
    size = n_features * n
    variance = squares / size - (total / size) ** 2
    return 1.0 / (n_features * variance) if variance > 0 else 1.0


class NystroemMachine(LinearMachine):
    """Base class of the machines on Nystroem features."""

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
        "kernel": [StrOptions(set(FEATURE_KERNELS))],
        "gamma": [
            StrOptions({"scale", "auto"}),
            Interval(Real, 0, None, closed="neither"),
        ],
        "n_landmarks": [Interval(Integral, 1, None, closed="left")],
        "cache_size": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }
    landmarks_: NDArray[Any]
    dual_coef_: NDArray[Any]
    intercept_: NDArray[Any]

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
        """Choose landmarks among centred rows.

        Parameters
        ----------
        matrix : array or sparse matrix of shape (n, n_features)
            Centred rows.
        places : array of int
            Indices of the candidates.
        centre : array of shape (n_features,)
            The centre that was subtracted.
        gamma : float
            Width of the kernel.
        seed : int
            Seed of the draws.

        Returns
        -------
        Landmarks
            The feature space.
        """
        kernel = Kernel(self.kernel, gamma)
        return Landmarks.of(matrix, places, centre, kernel, self.n_landmarks, seed)

    def opened(self, X: Any, weight: NDArray[np.float64]) -> tuple[Landmarks, Rows]:
        """The feature space for weighted rows, and the rows in it.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Rows that passed `input_checks`.
        weight : array of shape (n,)
            Not used. Weights of subproblems depend on costs and softness, but all
            candidates of a search share their landmarks and their kernel width.

        Returns
        -------
        space, rows : tuple
            The landmarks, and the rows as features.
        """
        centre = centre_of(X)
        matrix = centred(X, centre)
        gamma = width_for(self.gamma, X)
        space = self.landmarks(
            matrix, np.arange(X.shape[0]), centre, gamma, self.seed()
        )
        dtype = precision((X.shape[0], self.n_landmarks), self.tol)
        return space, space.rows(matrix, dtype).cached(self.cache_size)

    def open_path(
        self,
        X: Any,
        tests: Sequence[NDArray[np.intp]],
        values: NDArray[np.float64],
        softness: NDArray[np.float64],
        *,
        threads: int = 1,
    ) -> "NystroemPath":
        """Prepare a search over C and softness, see `softcost.learners.SupportsPath`.

        Parameters
        ----------
        X, tests, values, softness, threads
            As in `softcost.learners.SupportsPath.open_path`.

        Returns
        -------
        Path
            Opens the folds.
        """
        return NystroemPath(self, X, tests, values, softness)

    def _fit_weighted(
        self, X: Any, subproblems: Sequence[Subproblem]
    ) -> LinearMachines:
        """Fit to the rows of positive weight: no other row may be a landmark."""
        rows = np.flatnonzero(subproblems[0].weight > 0)
        if len(rows) < X.shape[0]:
            X, subproblems = X[rows], [problem.part(rows) for problem in subproblems]
        return self.fit_many(X, subproblems)

    def _keep(self, machines: LinearMachines) -> None:
        super()._keep(machines)
        space = machines.model.space
        self.landmarks_ = space.vectors.astype(np.float64) + space.centre
        self.dual_coef_ = machines.model.coef[:-1].T
        self.intercept_ = machines.model.coef[-1]


class NystroemPath:
    """The rows of a search; every fold chooses landmarks among its training rows.

    Attributes
    ----------
    groups, n_bytes
        As for `softcost.linear.linear_machine.LinearPath`.
    """

    machine: NystroemMachine
    values: NDArray[np.float64]
    softness: NDArray[np.float64]
    groups: Any
    n_bytes: int

    def __init__(
        self,
        machine: NystroemMachine,
        X: Any,
        tests: Sequence[NDArray[np.intp]],
        values: NDArray[np.float64],
        softness: NDArray[np.float64],
    ) -> None:
        self.machine, self.values, self.softness = machine, values, softness
        n = X.shape[0]
        self.groups = np.arange(n)
        order = side_by_side(n, tests)
        self._place = np.argsort(order)
        self._X, self._centre, self._seed = X, centre_of(X), machine.seed()
        self._matrix = centred(X, self._centre, order)
        self._dtype = precision((n, machine.n_landmarks), machine.tol)
        cache = 2 * min(machine.cache_size * 2**20, 4 * n * (machine.n_landmarks + 1))
        self.n_bytes = int(4 * n * X.shape[1] + cache)

    def fold(
        self, train: NDArray[np.intp], rows: NDArray[np.intp], out: NDArray[np.intp]
    ) -> LinearFold:
        machine = self.machine
        gamma = width_for(machine.gamma, self._X, train)
        space = machine.landmarks(
            self._matrix, self._place[train], self._centre, gamma, self._seed
        )
        order = np.argsort(self._place[rows], kind="stable")
        inside = space.rows(self._matrix, self._dtype, self._place[rows[order]])
        outside = space.rows(self._matrix, self._dtype, self._place[out])
        cache = machine.cache_size
        return LinearFold(self, space.penalty, inside, order, outside, cache)


@lists_kernels
class NystroemClassifier(MarginClassifier, NystroemMachine):
    """Kernel classifier for many rows: a linear machine on Nystroem features.

    It minimises the objective of `LinearClassifier` over functions
    ``f(x) = sum_l b_l K(x, z_l) + intercept`` of a few landmarks z, with coefficients
    that sum to zero and the penalty ``1/2 b'Kb`` [1]_. With every row as a landmark it
    is the kernel machine with that loss. Time and memory grow linearly with the number
    of rows.

    Parameters
    ----------
    kernel : {feature_kernels}, default="perceptron"
        As for `softcost.svm.KernelSVC`.
    C : float, default=1.0
        Weight of the losses relative to the penalty.
    n_landmarks : int, default=256
        Number of landmarks, which are chosen among the distinct rows like the initial
        centres of k-means++, with kernel distances.
    gamma : {"scale", "auto"} or float, default="scale"
        Width of the exponential kernels, as for `softcost.svm.KernelSVC`.
    loss : {"squared_hinge", "logistic"}, default="squared_hinge"
        The loss. Only "logistic" provides probabilities.
    tol, max_iter
        As for `OneSidedLinear`.
    cache_size : float, default=500
        Memory for features in megabytes. Features that do not fit are computed again in
        every pass.
    random_state : int, RandomState instance or None, default=0
        Seed of the choice of landmarks.

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
    softcost.svm.KernelSVC : Uses all rows, with one machine for each pair of classes.

    References
    ----------
    .. [1] Williams and Seeger (2001), "Using the Nystroem method to speed up kernel
       machines", NIPS 13.

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
    classes_: NDArray[Any]

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
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.n_landmarks = n_landmarks
        self.gamma = gamma
        self.loss = loss
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> "NystroemClassifier":
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
        self._keep(self._fit_weighted(X, subproblems))
        return self


class OneSidedNystroem(RegressorMixin, NystroemMachine):
    """One-sided kernel regression for many rows: `OneSidedLinear` on Nystroem features.

    It minimises the objective of `OneSidedLinear` over functions of a few landmarks,
    see `NystroemClassifier`.

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
    softcost.svm.OneSidedSVR : Uses all rows instead of landmarks.

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

    # Sides are part of the targets, so metadata routing passes them on by default.
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

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        side: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> "OneSidedNystroem":
        """Fit to one-sided targets, see `OneSidedLinear.fit`.

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
        self._keep(self._fit_weighted(X, [subproblem]))
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
