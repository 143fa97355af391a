"""Gradient-boosted trees with probabilities: LightGBM, or scikit-learn's without it."""

import warnings
from numbers import Integral, Real
from types import ModuleType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from softcost._sklearn_types import BaseEstimator, ClassifierMixin, fit_context

# scikit-learn's boosting, which is used without LightGBM, has at most 255 categories
# in a column.
_MOST_CATEGORIES = 255


def load_lightgbm() -> ModuleType | None:
    """LightGBM, or None with a warning that says what is missing.

    LightGBM is a dependency, but its compiled library needs an OpenMP runtime that
    slim container images and macOS do not have: importing it raises an OSError there.
    """
    try:
        import lightgbm
    except (ImportError, OSError) as error:
        warnings.warn(
            f"LightGBM cannot be imported ({_first_line(error)}), so boosted trees are "
            "scikit-learn's, which take several times as long. Install its OpenMP "
            "runtime: 'apt install libgomp1' on Debian and Ubuntu, 'brew install "
            "libomp' on macOS.",
            RuntimeWarning,
            stacklevel=3,
        )
        return None
    return lightgbm


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


class BoostedTrees(ClassifierMixin, BaseEstimator):
    """Gradient-boosted trees with early stopping, native categories and missing values.

    LightGBM minimises the log loss, one tree per class and round. With
    ``early_stopping``, a stratified share of the rows is held out, and the number of
    rounds is the one with the lowest log loss there. The fit is deterministic and uses
    one thread by default, so that several fits can run side by side.

    Without LightGBM (its compiled library needs an OpenMP runtime) the trees are those
    of `sklearn.ensemble.HistGradientBoostingClassifier` with the same settings, and
    one warning says so.

    Parameters
    ----------
    n_estimators : int, default=300
        Number of rounds; with early stopping, the largest number.
    learning_rate : float, default=0.1
        Shrinkage of each tree.
    num_leaves : int, default=31
        Maximum number of leaves of a tree.
    min_child_samples : int, default=20
        Minimum number of rows in a leaf.
    reg_lambda : float, default=1.0
        L2 penalty on leaf values.
    colsample : float, default=1.0
        Share of the features that each tree may use, drawn at random.
    early_stopping : int or None, default=20
        Stop after this many rounds without a lower log loss on held-out rows. None
        runs all rounds on all rows. A class with a single row cannot be held out, and
        then all rounds run.
    validation_fraction : float, default=0.1
        Share of the rows that early stopping holds out.
    refit : bool, default=False
        Whether to fit all rows again, with the number of rounds that early stopping
        has found. It pays for few rows.
    categorical_features : mask or column numbers, default=None
        Columns of category codes: whole numbers from 0. Negative codes and NaN are
        missing values.
    n_jobs : int, default=None
        Number of threads; None means 1. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the rows that early stopping holds out; None means 0.

    Attributes
    ----------
    booster_ : lightgbm.Booster or None
        The trees. None if scikit-learn's are used, or if no feature can be split.
    fallback_ : HistGradientBoostingClassifier or None
        The trees without LightGBM.
    prior_ : array of shape (n_classes,)
        Share of the weight of each class, the probabilities if no feature can be split.
    n_iter_ : int
        Number of rounds in use.
    feature_importances_ : array of shape (n_features,)
        Total gain of the splits on each feature, as shares.
    classes_ : array of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    See Also
    --------
    softcost.reductions.MinimumExpectedCost : Decides by probabilities.
    softcost.reductions.OneSidedBoosting : Trees that are trained on costs.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softcost.learners import BoostedTrees
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BoostedTrees(min_child_samples=5).fit(X, y)
    >>> model.predict(X[:3])
    array([0, 0, 0])
    """

    _parameter_constraints: ClassVar = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "num_leaves": [Interval(Integral, 2, None, closed="left")],
        "min_child_samples": [Interval(Integral, 1, None, closed="left")],
        "reg_lambda": [Interval(Real, 0, None, closed="left")],
        "colsample": [Interval(Real, 0, 1, closed="right")],
        "early_stopping": [Interval(Integral, 1, None, closed="left"), None],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "refit": ["boolean"],
        "categorical_features": ["array-like", None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }
    classes_: NDArray[Any]
    prior_: Any
    booster_: Any
    fallback_: Any
    n_iter_: int

    def __init__(
        self,
        *,
        n_estimators: int = 300,
        learning_rate: float = 0.1,
        num_leaves: int = 31,
        min_child_samples: int = 20,
        reg_lambda: float = 1.0,
        colsample: float = 1.0,
        early_stopping: int | None = 20,
        validation_fraction: float = 0.1,
        refit: bool = False,
        categorical_features: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.num_leaves = num_leaves
        self.min_child_samples = min_child_samples
        self.reg_lambda = reg_lambda
        self.colsample = colsample
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.refit = refit
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags

    def _accepts(self) -> dict[str, Any]:
        return {
            "accept_sparse": "csr",
            "dtype": [np.float64, np.float32],
            "ensure_all_finite": "allow-nan",
        }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the trees.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Training rows; NaN is a missing value.
        y : array of shape (n,)
            Labels.
        sample_weight : array of shape (n,), default=None
            Sample weights; rows of weight zero are ignored.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, **self._accepts())
        check_classification_targets(y)
        labels = column_or_1d(y, warn=True)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        weight = _check_sample_weight(
            sample_weight, X, dtype=np.float64, ensure_non_negative=True
        )
        if not weight.any():
            raise ValueError(
                "sample_weight is zero for every row: give some row a positive weight."
            )
        self.prior_ = np.bincount(codes, weight, len(self.classes_)) / weight.sum()
        self.booster_ = self.fallback_ = None
        self.n_iter_ = 0
        positive = np.flatnonzero(weight > 0)
        present = np.unique(codes[positive])
        if len(present) < 2:
            return self
        X, codes = X[positive], codes[positive]
        weight = weight[positive] / weight[positive].mean()
        train, validation = self._split(codes)
        lightgbm = load_lightgbm()
        if lightgbm is None:
            self._fit_fallback(X, codes, weight, validation is not None)
        else:
            self._fit_lightgbm(lightgbm, X, codes, weight, train, validation)
        return self

    def _split(
        self, codes: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp] | None]:
        """Rows to train with, and those on which early stopping measures the loss."""
        every = np.arange(len(codes))
        if self.early_stopping is None:
            return every, None
        counts = np.bincount(codes)
        n_classes = np.count_nonzero(counts)
        n_held_out = round(self.validation_fraction * len(codes))
        if counts[counts > 0].min() < 2 or n_held_out < n_classes:
            return every, None
        seed = 0 if self.random_state is None else self.random_state
        splitter = StratifiedShuffleSplit(1, test_size=n_held_out, random_state=seed)
        train, validation = next(splitter.split(np.empty((len(codes), 0)), codes))
        return np.sort(train), np.sort(validation)

    def _categorical(self) -> NDArray[np.bool_]:
        mask = np.zeros(self.n_features_in_, bool)
        columns = np.asarray(
            [] if self.categorical_features is None else self.categorical_features
        )
        if columns.size:  # an empty list would be an array of floats
            mask[columns] = True
        return mask

    def _fit_lightgbm(
        self,
        lightgbm: ModuleType,
        X: Any,
        codes: NDArray[np.intp],
        weight: NDArray[np.float64],
        train: NDArray[np.intp],
        validation: NDArray[np.intp] | None,
    ) -> None:
        params = self._lightgbm_params()
        categorical = np.flatnonzero(self._categorical()).tolist()

        def dataset(rows: NDArray[np.intp], reference: Any = None) -> Any:
            return lightgbm.Dataset(
                readable(X if len(rows) == len(codes) else X[rows]),
                label=codes[rows],
                weight=weight[rows],
                reference=reference,
                categorical_feature=categorical,
                params=params,
                free_raw_data=False,  # LightGBM 4.5 asks for the rows again
            )

        table = dataset(train).construct()
        if not any(table.feature_num_bin(j) > 0 for j in range(X.shape[1])):
            return
        trained, rounds = None, self.n_estimators
        if validation is not None:
            trained = lightgbm.train(
                params,
                table,
                rounds,
                valid_sets=[dataset(validation, table)],
                callbacks=[lightgbm.early_stopping(self.early_stopping, verbose=False)],
            )
            rounds = int(trained.best_iteration) or rounds
        if trained is None or self.refit:
            every = table if validation is None else dataset(np.arange(len(codes)))
            trained = lightgbm.train(params, every, rounds)
        self.n_iter_ = min(rounds, int(trained.current_iteration()))
        # Only the rounds in use, without the training rows: what a saved model holds.
        text = trained.model_to_string(num_iteration=self.n_iter_)
        self.booster_ = lightgbm.Booster(model_str=text)

    def _lightgbm_params(self) -> dict[str, Any]:
        n_classes = len(self.classes_)
        objective: dict[str, Any] = {"objective": "binary"}
        if n_classes > 2:
            objective = {"objective": "multiclass", "num_class": n_classes}
        return objective | {
            "learning_rate": self.learning_rate,
            "num_leaves": self.num_leaves,
            "min_data_in_leaf": self.min_child_samples,
            "lambda_l2": self.reg_lambda,
            "feature_fraction": self.colsample,
            "num_threads": 1 if self.n_jobs is None else self.n_jobs,
            "deterministic": True,
            "force_row_wise": True,
            "seed": 0,
            "verbosity": -1,
        }

    def _fit_fallback(
        self,
        X: Any,
        codes: NDArray[np.intp],
        weight: NDArray[np.float64],
        early_stopping: bool,
    ) -> None:
        from sklearn.ensemble import HistGradientBoostingClassifier

        rows = _dense(X)
        categorical = self._categorical()
        with np.errstate(invalid="ignore"):
            largest = np.nanmax(rows, axis=0, initial=0.0)
        seed = 0 if self.random_state is None else self.random_state
        model = HistGradientBoostingClassifier(
            learning_rate=self.learning_rate,
            max_iter=self.n_estimators,
            max_leaf_nodes=self.num_leaves,
            min_samples_leaf=self.min_child_samples,
            l2_regularization=self.reg_lambda,
            max_features=self.colsample,
            categorical_features=categorical & (largest < _MOST_CATEGORIES),
            early_stopping=early_stopping,
            validation_fraction=self.validation_fraction,
            n_iter_no_change=self.early_stopping or 10,
            random_state=seed,
        )
        # Binning fails for a column without any value.
        rows = np.where(np.isnan(rows).all(axis=0), 0.0, rows)
        self.fallback_ = model.fit(rows, codes, sample_weight=weight)
        self.n_iter_ = int(model.n_iter_)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Rows to predict.

        Returns
        -------
        array of shape (n, n_classes)
            In the order of ``classes_``.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **self._accepts())
        if self.fallback_ is not None:
            probabilities = np.zeros((X.shape[0], len(self.classes_)))
            columns = self.fallback_.classes_.astype(np.intp)
            probabilities[:, columns] = self.fallback_.predict_proba(_dense(X))
            return probabilities
        if self.booster_ is None:
            return np.tile(self.prior_, (X.shape[0], 1))
        threads = 1 if self.n_jobs is None else self.n_jobs
        raw = self.booster_.predict(readable(X), num_threads=threads)
        if raw.ndim == 1:
            return np.column_stack([1 - raw, raw])
        return raw / raw.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Rows to predict.

        Returns
        -------
        array of shape (n,)
            Labels.
        """
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Total gain of the splits on each feature, as shares."""
        check_is_fitted(self)
        if self.booster_ is None:
            return np.zeros(self.n_features_in_)
        gain = self.booster_.feature_importance("gain")
        return gain / max(gain.sum(), 1e-300)


def readable(X: Any) -> Any:
    """Rows in a form that LightGBM reads.

    Some versions do not know sparse arrays, or copy a part of an array with a warning.
    """
    if sparse.issparse(X):
        return sparse.csr_matrix(X)
    return X if X.base is None else X.copy()


def _dense(X: Any) -> NDArray[np.float64]:
    return X.toarray() if sparse.issparse(X) else X
