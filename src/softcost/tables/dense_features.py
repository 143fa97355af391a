"""Dense features for linear and kernel models: `DenseFeatures`."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from softcost._sklearn_types import BaseEstimator, TransformerMixin
from softcost.tables.kinds import MOST_WORDS

MOST_ONE_HOT = 20  # categories; with more, and with labels, a column is target-encoded
_MOST_CODES = 2**20  # a table of this length is kept for each column
_FOLDS = 5  # as in scikit-learn's TargetEncoder


# The interquartile range of a normal distribution, in standard deviations.
_NORMAL_IQR = 1.349
# Robustly scaled values stay between minus and plus this many standard deviations.
_BOUND = 3.0


def scaling_of(values: np.ndarray, how: str) -> np.ndarray:
    """Parameters of `scaled` for training values; constants become zero.

    Parameters
    ----------
    values : array of shape (n, n_columns)
        Without missing values.
    how : {"range", "robust"}
        To [0, 1], or by median and interquartile range. More than half of the values
        of a rare event are equal, so the interquartile range may be zero; then half of
        the range takes its place.

    Returns
    -------
    ndarray of shape (2, n_columns)
        Subtract the first row, then multiply by the second.
    """
    if len(values) == 0:
        return np.zeros((2, values.shape[1]))
    low, high = values.min(axis=0), values.max(axis=0)
    with np.errstate(all="ignore"):
        centre, unit = low, high - low
        if how == "robust":
            quarter, centre, three = np.percentile(values, [25, 50, 75], axis=0)
            spread = (three - quarter) / _NORMAL_IQR
            unit = np.where(spread > 0, spread, unit / 2)
        factor = 1.0 / unit
    # The range of huge numbers overflows, the inverse of a tiny range as well.
    return np.array([centre, np.where(np.isfinite(factor), factor, 0.0)])


def scaled(values: np.ndarray, scaling: np.ndarray, how: str) -> np.ndarray:
    """Values in the units of the training rows, see `scaling_of`.

    Robustly scaled values z become ``z / sqrt(1 + (z / 3)^2)``: close to z near the
    median, and bounded, so that an outlier is no more than an extreme value
    (Holzmueller, Grinsztajn and Steinwart 2024, "Better by default", NeurIPS).
    """
    z = (values - scaling[0]) * scaling[1]
    if how == "range":
        return z
    with np.errstate(over="ignore"):
        return z / np.hypot(1.0, z / _BOUND)


class DenseFeatures(TransformerMixin, BaseEstimator):
    """Turn numbers and category codes into dense, scaled features without NaN.

    For models that need them: linear and kernel machines. Missing numbers become the
    median of the training rows, with an indicator column if the training rows had
    missing values, and numbers are scaled. Categories are one-hot encoded; a
    missing category is a category of its own, and a category that the training rows
    did not have is zero in all columns. A column with more than 20 categories is
    target-encoded instead [1]_ and gets a column with its frequency; `fit_transform`
    cross-fits these, so a row's own label is not in its features. Without ``y`` such a
    column is one-hot encoded, and its rare categories share one feature.

    Transforming a row takes microseconds.

    Parameters
    ----------
    categorical_features : array-like of bool or of int, default=None
        Mask or numbers of the columns that hold category codes: whole numbers from 0,
        -1 for an unseen category, NaN for a missing one. None for none.
    scaling : {"range", "robust"}, default="range"
        "range" scales the training rows to [0, 1]. "robust" subtracts the median,
        divides by the interquartile range and bounds the result smoothly, so that
        outliers and long tails do not matter; "auto" uses it.

    Attributes
    ----------
    number_columns_, one_hot_columns_, encoded_columns_ : ndarray of int
        Columns of X that are numbers, one-hot encoded, and target-encoded.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only if X had column names.

    See Also
    --------
    softcost.tables.TableEncoder : Makes the codes from a raw table.

    References
    ----------
    .. [1] D. Micci-Barreca. "A preprocessing scheme for high-cardinality categorical
       attributes in classification and prediction problems". SIGKDD Explorations 3
       (2001), 27-32.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.tables import DenseFeatures
    >>> X = np.array([[10.0, 0.0], [np.nan, 1.0], [30.0, 0.0]])
    >>> DenseFeatures(categorical_features=[1]).fit_transform(X)
    array([[0. , 0. , 1. , 0. ],
           [0.5, 1. , 0. , 1. ],
           [1. , 0. , 1. , 0. ]])
    """

    number_columns_: NDArray[np.int64]
    fill_: NDArray[np.float64]
    indicators_: NDArray[np.int64]
    scaling_: NDArray[np.float64]
    one_hot_columns_: NDArray[np.int64]
    one_hot_sizes_: NDArray[np.int64]
    places_: NDArray[np.int64]
    encoded_columns_: NDArray[np.int64]
    encoded_sizes_: NDArray[np.int64]
    encodings_: NDArray[np.float64]
    n_outputs_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def __init__(self, categorical_features: Any = None, *, scaling: str = "range"):
        self.categorical_features = categorical_features
        self.scaling = scaling

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn medians, scales and categories.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Numbers and codes; NaN is a missing value.
        y : array-like of shape (n,), default=None
            Labels, for columns with many categories.

        Returns
        -------
        self
        """
        self._fit(self._checked(X, reset=True), y)
        return self

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Fit, and transform the same rows with cross-fitted target encodings.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            As in `fit`.
        y : array-like of shape (n,), default=None
            As in `fit`.
        **params : dict
            Not used.

        Returns
        -------
        ndarray of shape (n, n_outputs)
        """
        X = self._checked(X, reset=True)
        targets = self._fit(X, y)
        encoded = None
        if targets is not None and len(self.encoded_columns_):
            encoded = self._cross_fitted(X, targets, y)
        return self._dense(X, encoded)

    def transform(self, X: Any) -> Any:
        """Features of rows.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Numbers and codes; NaN is a missing value.

        Returns
        -------
        ndarray of shape (n, n_outputs)
        """
        check_is_fitted(self, "scaling_")
        return self._dense(self._checked(X, reset=False))

    def _checked(self, X: Any, reset: bool) -> np.ndarray:
        """Rows as float64, without infinities."""
        plain = (
            not reset
            and type(X) is np.ndarray  # validating a single row takes longer than it
            and X.dtype == np.float64
            and X.ndim == 2
            and X.shape[1] == self.n_features_in_
            and len(X) > 0
        )
        if not plain:
            X = validate_data(
                self, X, dtype=np.float64, ensure_all_finite=False, reset=reset
            )
        infinite = np.isinf(X)
        if infinite.any():
            row, column = np.argwhere(infinite)[0]
            raise ValueError(
                f"X holds infinity in column {self._names()[column]!r}, row {row + 1}; "
                "correct it, or make it NaN to treat it as missing."
            )
        return X

    def _names(self) -> list[str]:
        """The columns of X."""
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            return [f"x{column}" for column in range(self.n_features_in_)]
        return [str(name) for name in names]

    def _is_categorical(self) -> np.ndarray:
        """Mask of the columns that hold codes."""
        mask = np.zeros(self.n_features_in_, bool)
        if self.categorical_features is None:
            return mask
        chosen = np.asarray(self.categorical_features)
        if chosen.dtype == bool and chosen.shape != mask.shape:
            raise ValueError(
                f"categorical_features has {chosen.size} entries, but X has "
                f"{len(mask)} columns."
            )
        if chosen.dtype != bool and chosen.size:
            inside = chosen.dtype.kind in "iu" and chosen.ndim == 1
            if not inside or not (0 <= chosen.min() <= chosen.max() < len(mask)):
                raise ValueError(
                    "categorical_features must be a mask or numbers of the "
                    f"{len(mask)} columns of X; got {chosen.tolist()!r:.60}."
                )
        mask[chosen if chosen.size else []] = True
        return mask

    def _fit(self, X: np.ndarray, y: Any) -> np.ndarray | None:
        """Set everything; return the targets of target encoding, if there are any."""
        if self.scaling not in ("range", "robust"):
            raise ValueError(
                f"scaling must be 'range' or 'robust', not {self.scaling!r}."
            )
        categorical = self._is_categorical()
        targets = None if y is None or not categorical.any() else _targets(y)
        tables, encoded = [], []
        for column in np.flatnonzero(categorical).tolist():
            counts = self._counts(X[:, column], column)
            many = int((counts[1:] > 0).sum()) > MOST_ONE_HOT
            if many and targets is not None:
                encoded.append((column, counts))
            else:
                tables.append((column, counts))
                if many:  # its frequency alone
                    encoded.append((column, counts))
        self.number_columns_ = np.flatnonzero(~categorical)
        values = X[:, self.number_columns_]
        missing = np.isnan(values)
        self.fill_ = _medians(values, missing)
        self.indicators_ = np.flatnonzero(missing.any(axis=0) & ~missing.all(axis=0))
        self.encoded_columns_ = np.array([column for column, _ in encoded], np.int64)
        self.encoded_sizes_ = np.array([len(counts) for _, counts in encoded], np.int64)
        self.encodings_ = self._encodings(X, targets)
        self.scaling_ = scaling_of(
            np.hstack([np.where(missing, self.fill_, values), self._encoded(X)]),
            self.scaling,
        )
        self._fit_places(tables)
        return targets

    def _counts(self, codes: np.ndarray, column: int) -> np.ndarray:
        """Training rows of each category: unseen, the codes from 0, missing."""
        missing = np.isnan(codes)
        present = codes[~missing]
        if (present != np.rint(present)).any() or (present < -1).any():
            raise ValueError(
                f"categorical column {self._names()[column]!r} must hold whole numbers "
                "from 0, -1 or NaN; encode its categories as numbers first."
            )
        if len(present) and present.max() >= _MOST_CODES:
            raise ValueError(
                f"categorical column {self._names()[column]!r} holds the code "
                f"{present.max():.0f}; number its categories from 0."
            )
        counts = np.bincount(present.astype(np.int64) + 1, minlength=1)
        return np.append(counts, missing.sum())

    def _fit_places(self, tables: list[tuple[int, np.ndarray]]) -> None:
        """Which feature is 1 for which category; -1 for none."""
        end = self.scaling_.shape[1] + len(self.indicators_)
        places = []
        for _, counts in tables:
            groups = _one_hot_groups(counts)
            places.append(np.where(groups >= 0, groups + end, -1))
            end += max(int(groups.max()) + 1, 1)
        self.one_hot_columns_ = np.array([column for column, _ in tables], np.int64)
        self.one_hot_sizes_ = np.array([len(groups) for groups in places], np.int64)
        self.places_ = np.concatenate([np.empty(0, np.int64), *places])
        self.n_outputs_ = end

    def _encodings(self, X: np.ndarray, targets: np.ndarray | None) -> np.ndarray:
        """A row for each category of each encoded column: mean targets, frequency."""
        tables = [np.empty((0, 1 if targets is None else targets.shape[1] + 1))]
        sizes = self.encoded_sizes_.tolist()
        for column, size in zip(self.encoded_columns_.tolist(), sizes, strict=True):
            rows = _table_rows(X[:, [column]], np.array([size]))[:, 0]
            counts = np.bincount(rows, minlength=size)
            frequency = np.log1p(counts) / np.log1p(counts.max())
            frequency[0] = 0.0
            means = [] if targets is None else [_smoothed_means(rows, targets, size)]
            tables.append(np.column_stack([*means, frequency]))
        return np.concatenate(tables)

    def _encoded(self, X: np.ndarray) -> np.ndarray:
        """Encoded columns of rows, not yet scaled."""
        if not len(self.encoded_columns_):
            return np.empty((len(X), 0))
        rows = _table_rows(X[:, self.encoded_columns_], self.encoded_sizes_)
        return self.encodings_[rows].reshape(len(X), -1)

    def _cross_fitted(self, X: np.ndarray, targets: np.ndarray, y: Any) -> np.ndarray:
        """The same for training rows, each from the labels of the other folds."""
        encoded = self._encoded(X).reshape(len(X), len(self.encoded_columns_), -1)
        classes = type_of_target(y) in ("binary", "multiclass")
        most = np.unique(y, return_counts=True)[1].max() if classes else len(X)
        n_folds = min(_FOLDS, int(most))
        if n_folds < 2:
            return encoded.reshape(len(X), -1)
        split: Any = StratifiedKFold if classes else KFold
        folds = split(n_folds, shuffle=True, random_state=0)
        sizes = self.encoded_sizes_.tolist()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class")
            pairs = list(folds.split(X, y))
        for place, (column, size) in enumerate(
            zip(self.encoded_columns_.tolist(), sizes, strict=True)
        ):
            rows = _table_rows(X[:, [column]], np.array([size]))[:, 0]
            for train, test in pairs:
                means = _smoothed_means(rows[train], targets[train], size)
                encoded[test, place, :-1] = means[rows[test]]
        return encoded.reshape(len(X), -1)

    def _dense(self, X: np.ndarray, encoded: np.ndarray | None = None) -> np.ndarray:
        features = np.zeros((len(X), self.n_outputs_))
        values = X[:, self.number_columns_]
        width = self.scaling_.shape[1]
        missing = np.isnan(values)
        if missing.any():
            end = width + len(self.indicators_)
            features[:, width:end] = missing[:, self.indicators_]
            values = np.where(missing, self.fill_, values)
        if len(self.encoded_columns_):
            more = self._encoded(X) if encoded is None else encoded
            values = np.hstack([values, more])
        features[:, :width] = scaled(values, self.scaling_, self.scaling)
        if len(self.one_hot_columns_):
            rows = _table_rows(X[:, self.one_hot_columns_], self.one_hot_sizes_)
            places = self.places_[rows]
            row, column = np.nonzero(places >= 0)
            features[row, places[row, column]] = 1.0
        return features

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the features.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the columns of X. None uses those of the training data.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self, "scaling_")
        names = self._names() if input_features is None else list(input_features)
        return self.names_with(names, {})

    def names_with(
        self, names: Sequence[str], words: Mapping[int, NDArray[Any]]
    ) -> NDArray[Any]:
        """Names of the features, with words for codes.

        Parameters
        ----------
        names : sequence of str
            Of the columns of X.
        words : mapping of int to ndarray of str
            For columns by number: what each code stands for.

        Returns
        -------
        ndarray of str
        """
        out = [str(names[column]) for column in self.number_columns_]
        n_targets = self.encodings_.shape[1] - 1
        for column in self.encoded_columns_:
            out += [f"{names[column]} (target {k})" for k in range(n_targets)]
            out.append(f"{names[column]} (frequency)")
        numbers = self.number_columns_[self.indicators_]
        out += [f"{names[column]} (missing)" for column in numbers]
        out += [""] * (self.n_outputs_ - len(out))
        ends = np.cumsum(self.one_hot_sizes_)
        for column, size, end in zip(
            self.one_hot_columns_.tolist(), self.one_hot_sizes_, ends, strict=True
        ):
            places = self.places_[end - size : end].tolist()
            for code, place in enumerate(places, start=-1):
                if place < 0:
                    continue
                word: Any = code
                if code == size - 2:
                    out[place] = f"{names[column]} (missing)"
                elif places.count(place) > 1:
                    out[place] = f"{names[column]} (rare)"
                else:
                    word = words[column][code] if column in words else code
                    out[place] = f"{names[column]}_{word}"
            first = out.index("") if "" in out else -1
            if first >= 0 and max(places) < 0:
                out[first] = f"{names[column]} (constant)"
        return np.array(out, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _medians(values: np.ndarray, missing: np.ndarray) -> np.ndarray:
    """Medians of the numbers that are there; 0 in a column without any."""
    fill = np.zeros(values.shape[1])
    present = ~missing.all(axis=0)
    if present.any():
        fill[present] = np.nanmedian(values[:, present], axis=0)
    return fill


def _one_hot_groups(counts: np.ndarray) -> np.ndarray:
    """Numbers of one-hot features from the training rows of each category.

    Categories in the order of their codes, then missing, then one feature for those
    that are too rare for a feature of their own; -1 for no feature. A column with a
    single category has none: it is constant.
    """
    groups = np.full(len(counts), -1, np.int64)
    present = np.flatnonzero(counts[1:-1]) + 1
    if len(present) + (counts[-1] > 0) < 2:
        return groups
    frequent = present
    if len(present) > MOST_WORDS:
        order = np.argsort(-counts[present], kind="stable")
        frequent = np.sort(present[order[: MOST_WORDS - 1]])
    groups[frequent] = np.arange(len(frequent))
    if counts[-1] > 0:
        groups[-1] = len(frequent)
    rare = np.setdiff1d(present, frequent)
    groups[rare] = groups.max() + 1
    return groups


def _table_rows(codes: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Rows of categories in tables that stand one below the other.

    Each table has a row for an unseen category, one for each code, and one for a
    missing category.

    Parameters
    ----------
    codes : array of shape (n, n_columns)
    sizes : int array of shape (n_columns,)
        Lengths of the tables.
    """
    rows = np.where(codes < sizes - 2, codes + 1, 0)  # NaN is not less
    rows = np.where(np.isnan(codes), sizes - 1, np.maximum(rows, 0))
    return rows.astype(np.intp) + (np.cumsum(sizes) - sizes)


def _targets(y: Any) -> np.ndarray | None:
    """Columns whose means encode a category: one for each class, or y itself."""
    kind = type_of_target(y)
    if kind == "continuous":
        return column_or_1d(y).astype(float)[:, np.newaxis]
    if kind not in ("binary", "multiclass"):
        return None
    return LabelBinarizer().fit_transform(column_or_1d(y)).astype(float)


def _smoothed_means(rows: np.ndarray, targets: np.ndarray, size: int) -> np.ndarray:
    """Mean targets by category, shrunk to the mean of all by empirical Bayes.

    As ``TargetEncoder(smooth="auto")``: the weight of a category with n rows is
    ``n / (n + m)``, where m is its variance relative to that of all rows.
    """
    counts = np.bincount(rows, minlength=size).astype(float)
    overall, variance = targets.mean(axis=0), targets.var(axis=0)
    encodings = np.tile(overall, (size, 1))
    seen = counts > 0
    for k in range(targets.shape[1]):
        if variance[k] == 0:
            continue
        total = np.bincount(rows, targets[:, k], minlength=size)
        mean = total / np.maximum(counts, 1)
        squares = np.bincount(rows, (targets[:, k] - mean[rows]) ** 2, minlength=size)
        within = (squares / np.maximum(counts, 1))[seen]
        weight = counts[seen] * variance[k]
        weight /= weight + within
        encodings[seen, k] = weight * mean[seen] + (1 - weight) * overall[k]
    return encodings
