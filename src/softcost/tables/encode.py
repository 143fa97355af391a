"""From the columns of a table to features: `TableEncoder`."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from sklearn.utils.validation import check_is_fitted

from softcost.tables.cells import Decimal, Kind, Order
from softcost.tables.columns import feature_kinds, typed_columns
from softcost.tables.infer import (
    MOST_WORDS,
    ColumnOverrides,
    ColumnSummary,
    infer_columns,
)

EMPTY = "(missing)"


def column_transformer(kinds: Mapping[str, Kind]) -> ColumnTransformer:
    """Fill empty cells, one-hot encode words, scale numbers to [0, 1].

    An empty cell among words is a category of its own, an empty number becomes the
    median. Dates are already numbers at this point, see `typed_columns`. A category
    that does not occur in the training rows has no feature.
    """
    features = feature_kinds(kinds)
    numbers = [name for name, kind in features.items() if kind == "number"]
    words = [name for name, kind in features.items() if kind == "nominal"]
    steps: list[tuple[str, Any, list[str]]] = []
    if numbers:
        filled = SimpleImputer(strategy="median", keep_empty_features=True)
        scaled = Pipeline([("fill", filled), ("scale", MinMaxScaler())])
        steps.append(("numbers", scaled, numbers))
    if words:
        filled = SimpleImputer(
            strategy="constant", fill_value=EMPTY, keep_empty_features=True
        )
        encoded = OneHotEncoder(
            handle_unknown="ignore", sparse_output=False, max_categories=MOST_WORDS
        )
        steps.append(
            ("words", Pipeline([("fill", filled), ("encode", encoded)]), words)
        )
    return ColumnTransformer(steps)


class TableEncoder(TransformerMixin, BaseEstimator):
    """Turn a raw table into features, as ``softcost fit`` does.

    Infers whether each column holds numbers, dates or words, leaves out columns that
    carry no information (constant or empty columns, row ids), replaces dates by
    numbers, fills missing cells, scales numbers to [0, 1] and one-hot encodes words.
    Tables to predict are read exactly as the training table was.

    Parameters
    ----------
    kinds : mapping of column name to kind, default=None
        Columns to use and what they hold, one of the names in
        `softcost.tables.KINDS`. None infers both with `infer_columns`.
    nominal, number : sequence of str, default=()
        Columns to read as words, or as numbers, whatever they look like.
    dates : mapping of column name to {"dmy", "mdy", "ymd", None}, default=None
        Columns to read as dates, with the order of day, month and year.
    decimal : {".", ","}, default=None
        Decimal separator. None detects it.
    missing : sequence of str, default=()
        Cells to treat as missing, in addition to empty ones, "NA", "NaN" and similar.
    drop : sequence of str, default=()
        Columns to leave out.

    Attributes
    ----------
    kinds_ : dict of str to str
        The columns in use, and what they hold.
    summary_ : list of ColumnSummary
        How each column was read, which columns were left out, and remarks, for
        instance about columns that reveal the class. Empty if ``kinds`` was passed.
    transformer_ : ColumnTransformer
        Encodes the typed columns.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    See Also
    --------
    softcost.tables.read_table : Read a raw table from a file.
    softcost.tables.infer_columns : What each column of a raw table holds.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.tables import TableEncoder
    >>> table = pd.DataFrame({
    ...     "price": ["1.200,50 EUR", "80,00 EUR", ""],
    ...     "city": ["Oslo", "Rome", "Oslo"],
    ... })
    >>> encoder = TableEncoder().fit(table)
    >>> encoder.kinds_
    {'price': 'number, decimal comma', 'city': 'nominal'}
    >>> encoder.transform(table)
    array([[1. , 1. , 0. ],
           [0. , 0. , 1. ],
           [0.5, 1. , 0. ]])
    """

    kinds_: dict[str, Kind]
    summary_: list[ColumnSummary]
    transformer_: ColumnTransformer
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def __init__(
        self,
        kinds: Mapping[str, Kind] | None = None,
        *,
        nominal: Sequence[str] = (),
        number: Sequence[str] = (),
        dates: Mapping[str, Order | None] | None = None,
        decimal: Decimal | None = None,
        missing: Sequence[str] = (),
        drop: Sequence[str] = (),
    ):
        self.kinds = kinds
        self.nominal = nominal
        self.number = number
        self.dates = dates
        self.decimal = decimal
        self.missing = missing
        self.drop = drop

    @classmethod
    def from_transformer(
        cls,
        transformer: ColumnTransformer,
        kinds: Mapping[str, Kind],
        missing: Sequence[str] = (),
    ) -> Self:
        """A fitted encoder around a fitted transformer of typed columns.

        Parameters
        ----------
        transformer : ColumnTransformer
            Made by `column_transformer` and fitted to typed columns.
        kinds : mapping of column name to kind
            What the raw columns hold.
        missing : sequence of str, default=()
            Cells to treat as missing.

        Returns
        -------
        TableEncoder
        """
        encoder = cls(dict(kinds), missing=tuple(missing))
        encoder._set(transformer)
        return encoder

    def fit_typed(self, X: pd.DataFrame) -> Self:
        """Fit to columns that were read before, see `typed`; needs ``kinds``.

        Parameters
        ----------
        X : DataFrame of shape (n, n_typed)
            Typed rows.

        Returns
        -------
        self
        """
        if self.kinds is None:
            raise ValueError("fit_typed needs kinds: pass what the columns hold.")
        self._set(column_transformer(self.kinds).fit(X))
        return self

    def _set(self, transformer: ColumnTransformer) -> None:
        """Be fitted, with a transformer of the columns that ``kinds`` names."""
        assert self.kinds is not None
        self.kinds_, self.summary_ = dict(self.kinds), []
        self.transformer_ = transformer
        self.feature_names_in_ = np.array(list(self.kinds), dtype=object)
        self.n_features_in_ = len(self.kinds)

    def fit(self, X: pd.DataFrame, y: Any = None) -> Self:
        """Infer what the columns hold, and learn how to encode them.

        Parameters
        ----------
        X : DataFrame of shape (n, n_columns)
            Raw rows, such as those of `read_table`, without the target; or columns
            that already have types.
        y : array-like of shape (n,), default=None
            True labels, used only to detect columns that reveal the class.

        Returns
        -------
        self
        """
        self._fit(X, y)
        return self

    def fit_transform(self, X: pd.DataFrame, y: Any = None, **params: Any) -> Any:
        """Fit, and encode the same rows.

        Parameters
        ----------
        X : DataFrame of shape (n, n_columns)
            As in `fit`.
        y : array-like of shape (n,), default=None
            As in `fit`.
        **params : dict
            Not used.

        Returns
        -------
        ndarray of shape (n, n_features)
        """
        typed = self._fit(X, y)
        return self.transformer_.transform(typed)

    def _fit(self, X: pd.DataFrame, y: Any) -> pd.DataFrame:
        frame = _as_frame(X)
        self.feature_names_in_ = np.array(list(frame.columns), dtype=object)
        self.n_features_in_ = len(frame.columns)
        self.summary_ = []
        if self.kinds is not None:
            self.kinds_ = dict(self.kinds)
        else:
            features = frame.drop(columns=list(self.drop))
            labels = np.zeros(len(frame)) if y is None else np.asarray(y)
            self.summary_ = infer_columns(features, labels, self.overrides())
            self.kinds_ = {
                column.name: column.kind
                for column in self.summary_
                if not column.left_out
            }
        if not self.kinds_:
            raise ValueError("X has no column to learn from.")
        typed = self.typed(frame)
        self.transformer_ = column_transformer(self.kinds_).fit(typed)
        return typed

    def overrides(self) -> ColumnOverrides:
        """What the parameters say about columns.

        Returns
        -------
        ColumnOverrides
        """
        return ColumnOverrides(
            nominal=frozenset(self.nominal),
            number=frozenset(self.number),
            dates=dict(self.dates or {}),
            decimal=self.decimal,
            tokens=frozenset(self.missing),
        )

    def typed(
        self, X: pd.DataFrame, path: str = "X", first_row: int = 0
    ) -> pd.DataFrame:
        """Read raw cells: numbers and dates as floats, words as strings, else NaN.

        Parameters
        ----------
        X : DataFrame of shape (n, n_columns)
            Raw or typed rows.
        path : str, default="X"
            Name of the table in error messages.
        first_row : int, default=0
            Number of rows of the same table that came before, for error messages.

        Returns
        -------
        DataFrame of shape (n, n_typed)
        """
        check_is_fitted(self, "kinds_")
        frame = _as_frame(X)
        kinds: dict[str, Kind] = {}
        for name, kind in self.kinds_.items():
            parts = feature_kinds({name: kind})
            if name not in frame.columns and {*parts} <= {*frame.columns}:
                kinds |= parts  # a date that has been turned into numbers
            else:
                kinds[name] = kind
        return typed_columns(frame, kinds, path, first_row, frozenset(self.missing))

    def transform(self, X: pd.DataFrame) -> Any:
        """Encode rows.

        Parameters
        ----------
        X : DataFrame of shape (n, n_columns)
            Raw or typed rows; columns that the encoder does not use are ignored.

        Returns
        -------
        ndarray of shape (n, n_features)
        """
        check_is_fitted(self, "transformer_")
        return self.transformer_.transform(self.typed(X))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the features.

        Parameters
        ----------
        input_features : None
            Not used, present for API consistency.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self, "transformer_")
        return self.transformer_.get_feature_names_out()


def _as_frame(X: Any) -> pd.DataFrame:
    """A table whose column names are distinct strings."""
    if not isinstance(X, pd.DataFrame):
        X = pd.DataFrame(np.asarray(X))
        X.columns = [f"x{number}" for number in range(X.shape[1])]
    if not all(isinstance(name, str) for name in X.columns):
        X = X.set_axis([str(name) for name in X.columns], axis="columns")
    if not X.columns.is_unique:
        twice = X.columns[X.columns.duplicated()][0]
        raise ValueError(f"X has two columns {twice!r}; rename one of them.")
    return X
