"""From the columns of a table to features: `TableEncoder`."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from softcost._sklearn_types import BaseEstimator, TransformerMixin
from softcost.tables.cells import Decimal, Kind, Order
from softcost.tables.columns import (
    SIMPLE_TYPES,
    as_frame,
    is_list_of_mappings,
    typed_columns,
)
from softcost.tables.dense_features import DenseFeatures
from softcost.tables.infer import ColumnOverrides, ColumnSummary, infer_columns
from softcost.tables.kinds import feature_kinds
from softcost.tables.row_parser import RowParser
from softcost.tables.text_components import TextComponents

_FEW_ROWS = 5  # are parsed one by one, which is quicker than by columns

Output = Literal["features", "codes"]

EMPTY = "(missing)"


class TableEncoder(TransformerMixin, BaseEstimator):
    """Turn a raw table into features, as ``softcost fit`` does.

    Infers whether each column holds numbers, dates or words, leaves out columns that
    carry no information (constant or empty columns, row ids), and replaces dates by
    numbers, free text by components and words by codes. By default `DenseFeatures`
    then fills missing cells, scales numbers to [0, 1] and one-hot encodes words. Tables
    to predict are read exactly as the training table was.

    Parameters
    ----------
    kinds : mapping of column name to kind, default=None
        Columns to use and what they hold, one of the names in
        `softcost.tables.KINDS`. None infers both with `infer_columns`.
    output : {"features", "codes"}, default="features"
        "features" makes dense features for any model, see `DenseFeatures`. "codes"
        makes one column for each number and each column of words, for models with
        categorical features: NaN is a missing cell, words are numbered by decreasing
        frequency in the training rows, and -1 is a word that they did not have.
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
    categorical_features_ : ndarray of bool, shape (n_codes,)
        Which columns of the codes are words.
    categories_ : list of ndarray of str
        For each column of words: the words by code.
    ranges_ : ndarray of shape (n_numbers, 2)
        Smallest and largest number of each other column in the training rows; zeros
        if all its cells are missing.
    texts_ : list of TextComponents
        For each column of free text: makes numbers of it.
    features_ : DenseFeatures
        Makes features from codes. Only with ``output="features"``.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    See Also
    --------
    softcost.tables.DenseFeatures : Features from codes.
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
    array([[1. , 0. , 1. , 0. ],
           [0. , 0. , 0. , 1. ],
           [0.5, 1. , 1. , 0. ]])
    >>> encoder.get_feature_names_out().tolist()
    ['price', 'price (missing)', 'city_Oslo', 'city_Rome']
    >>> TableEncoder(output="codes").fit_transform(table).tolist()
    [[1200.5, 0.0], [80.0, 1.0], [nan, 0.0]]

    New rows may also be mappings:

    >>> encoder.transform([{"price": "80,00 EUR", "city": None}])
    array([[0., 0., 0., 0.]])
    """

    kinds_: dict[str, Kind]
    summary_: list[ColumnSummary]
    categorical_features_: NDArray[np.bool_]
    categories_: list[NDArray[Any]]
    ranges_: NDArray[np.float64]
    texts_: list[TextComponents]
    features_: DenseFeatures
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def __init__(
        self,
        kinds: Mapping[str, Kind] | None = None,
        *,
        output: Output = "features",
        nominal: Sequence[str] = (),
        number: Sequence[str] = (),
        dates: Mapping[str, Order | None] | None = None,
        decimal: Decimal | None = None,
        missing: Sequence[str] = (),
        drop: Sequence[str] = (),
    ) -> None:
        self.kinds = kinds
        self.output = output
        self.nominal = nominal
        self.number = number
        self.dates = dates
        self.decimal = decimal
        self.missing = missing
        self.drop = drop

    @classmethod
    def from_transformer(
        cls,
        transformer: Any,
        kinds: Mapping[str, Kind],
        missing: Sequence[str] = (),
    ) -> Self:
        """An encoder that makes the features of a transformer.

        ``softcost fit`` used to save such a transformer: one-hot encoded words beside
        filled and scaled numbers.

        Parameters
        ----------
        transformer : ColumnTransformer
            Fitted to typed columns, with the steps "numbers" and "words".
        kinds : mapping of column name to kind
            What the raw columns hold.
        missing : sequence of str, default=()
            Cells to treat as missing.

        Returns
        -------
        TableEncoder
        """
        encoder = cls(dict(kinds), missing=tuple(missing))
        encoder.set_columns(kinds)
        encoder.set_transformer(transformer)
        return encoder

    def set_columns(self, kinds: Mapping[str, Kind]) -> None:
        """Set what the columns hold.

        Parameters
        ----------
        kinds : mapping of column name to kind
            The columns in use.
        """
        self.kinds_, self.summary_ = dict(kinds), []
        self.feature_names_in_ = np.array(list(kinds), dtype=object)
        self.n_features_in_ = len(kinds)

    def set_transformer(self, transformer: Any) -> None:
        """Make the features that a transformer makes, see `from_transformer`.

        Parameters
        ----------
        transformer : ColumnTransformer
            Fitted to the columns of ``kinds_``.
        """
        names = list(feature_kinds(self.kinds_))
        steps = {name: step for name, step, _ in transformer.transformers_}
        columns = {name: list(some) for name, _, some in transformer.transformers_}
        numbers = columns.get("numbers", [])
        words = columns.get("words", [])
        features = DenseFeatures(np.isin(names, words))
        features.n_features_in_ = len(names)
        features.number_columns_ = np.array([names.index(n) for n in numbers], np.int64)
        features.one_hot_columns_ = np.array([names.index(n) for n in words], np.int64)
        features.indicators_ = features.encoded_columns_ = np.empty(0, np.int64)
        features.encoded_sizes_ = np.empty(0, np.int64)
        features.encodings_ = np.empty((0, 1))
        features.fill_, features.scaling_ = np.empty(0), np.empty((2, 0))
        self.ranges_ = np.empty((0, 2))
        if numbers:
            scaler = steps["numbers"]["scale"]
            features.fill_ = steps["numbers"]["fill"].statistics_.astype(float)
            features.scaling_ = np.array([scaler.data_min_, scaler.scale_])
            self.ranges_ = np.column_stack([scaler.data_min_, scaler.data_max_])
        self.categories_ = []
        places, end = [], len(numbers)
        if words:
            one_hot = steps["words"]["encode"]
            groups = getattr(one_hot, "_default_to_infrequent_mappings", None)
            for at, cells in enumerate(one_hot.categories_):
                group = np.arange(len(cells))
                if groups is not None and groups[at] is not None:
                    group = np.asarray(groups[at])
                empty = cells == EMPTY
                self.categories_.append(cells[~empty])
                none = group[empty] + end if empty.any() else [-1]
                places.append(np.concatenate([[-1], group[~empty] + end, none]))
                end += int(group.max()) + 1
        features.places_ = np.concatenate([np.empty(0, np.int64), *places])
        features.one_hot_sizes_ = np.array([len(groups) for groups in places], np.int64)
        features.n_outputs_ = end
        self.features_ = features
        self.texts_ = []
        self.index_codes()

    def index_codes(self) -> None:
        """Index columns and categories, which is all that a loaded encoder lacks."""
        names: list[str] = []
        is_word: list[bool] = []
        self._columns: list[tuple[str, str, slice]] = []
        texts = iter(self.texts_)
        for name, kind in feature_kinds(self.kinds_).items():
            outputs = [name]
            if kind == "text":
                n_components = len(next(texts).components_)
                outputs = [f"{name} ({number + 1})" for number in range(n_components)]
            place = slice(len(names), len(names) + len(outputs))
            self._columns.append((name, kind, place))
            names += outputs
            is_word += [kind == "nominal"] * len(outputs)
        self._code_names = names
        self._parser = RowParser(self.kinds_, frozenset(self.missing))
        self.categorical_features_ = np.array(is_word, bool)
        self._codes_by_word = [
            {word: float(code) for code, word in enumerate(words.tolist())}
            for words in self.categories_
        ]

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
        self.set_columns(self.kinds)
        self._fit_codes(X)
        return self

    def _fit_codes(self, typed: pd.DataFrame) -> np.ndarray:
        """Number the words; return the output for the same rows."""
        if self.output not in ("features", "codes"):
            raise ValueError(
                f"output must be 'features' or 'codes', not {self.output!r}."
            )
        kinds = feature_kinds(self.kinds_)
        self.categories_ = [_by_frequency(typed[name]) for name in self.word_names()]
        self.texts_ = [
            TextComponents().fit(typed[name].tolist())
            for name, kind in kinds.items()
            if kind == "text"
        ]
        self.index_codes()
        codes = self._codes(typed)
        numbers = typed[self.number_names()].to_numpy(float)
        self.ranges_ = np.zeros((numbers.shape[1], 2))
        some = ~np.isnan(numbers).all(axis=0)
        if some.any():
            present = numbers[:, some]
            low, high = np.nanmin(present, axis=0), np.nanmax(present, axis=0)
            self.ranges_[some] = np.column_stack([low, high])
        if self.output == "codes":
            return codes
        self.features_ = DenseFeatures(self.categorical_features_)
        return self.features_.fit_transform(codes)

    def fit(self, X: pd.DataFrame, y: Any = None) -> Self:
        """Infer what the columns hold, and learn how to encode them.

        Parameters
        ----------
        X : DataFrame of shape (n, n_columns)
            Raw rows, such as those of `read_table`, without the target; or columns
            that already have types. Of pandas, or of another library that narwhals
            supports, such as Polars and PyArrow.
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
        ndarray of shape (n, n_features), or (n, n_codes) for codes
        """
        return self._fit(X, y)

    def _fit(self, X: pd.DataFrame, y: Any) -> np.ndarray:
        frame = as_frame(X)
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
        return self._fit_codes(self.typed(frame))

    def number_names(self) -> list[str]:
        """Typed columns of numbers, the rows of ``ranges_``.

        Returns
        -------
        list of str
        """
        kinds = feature_kinds(self.kinds_)
        return [name for name, kind in kinds.items() if kind == "number"]

    def word_names(self) -> list[str]:
        """Typed columns of words, in the order of ``categories_``.

        Returns
        -------
        list of str
        """
        kinds = feature_kinds(self.kinds_)
        return [name for name, kind in kinds.items() if kind == "nominal"]

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
        frame = self._frame(X)
        kinds: dict[str, Kind] = {}
        for name, kind in self.kinds_.items():
            parts = feature_kinds({name: kind})
            if name not in frame.columns and {*parts} <= {*frame.columns}:
                kinds |= parts  # a date that has been turned into numbers
            else:
                kinds[name] = kind
        return typed_columns(frame, kinds, path, first_row, frozenset(self.missing))

    def _frame(self, X: Any) -> pd.DataFrame:
        """Rows as a table; columns of an array are those of the training table."""
        frame = as_frame(X)
        if isinstance(X, np.ndarray | list) and not is_list_of_mappings(X):
            if frame.shape[1] != self.n_features_in_:
                raise ValueError(
                    f"X has {frame.shape[1]} columns, but the training table had "
                    f"{self.n_features_in_}."
                )
            frame.columns = pd.Index(self.feature_names_in_)
        return frame

    def transform(self, X: Any) -> Any:
        """Encode rows.

        Parameters
        ----------
        X : DataFrame of shape (n, n_columns), or list of mappings
            Raw or typed rows; columns that the encoder does not use are ignored. A
            mapping from column names to cells is a row. It needs all columns in use;
            None and NaN are missing cells.

        Returns
        -------
        ndarray of shape (n, n_features)
        """
        if not hasattr(self, "categories_"):
            check_is_fitted(self, "categories_")
        if is_list_of_mappings(X):
            plain = [_plain_cells(row) for row in X]
            if all({*map(type, row.values())} <= SIMPLE_TYPES for row in plain):
                return self.encode_parsed(*self._parser.read(plain))
        frame = self._frame(X)
        rows = _simple_rows(frame) if 0 < len(frame) <= _FEW_ROWS else None
        if rows is not None and all(name in rows[0] for name in self.kinds_):
            try:
                return self.encode_parsed(*self._parser.read(rows))
            except ValueError:
                pass  # say it as for any table
        return self.encode(self.typed(frame))

    def encode(self, X: pd.DataFrame) -> Any:
        """Encode typed rows; as `transform`, but nothing is read again.

        Parameters
        ----------
        X : DataFrame of shape (n, n_typed)
            Typed rows, see `typed`.

        Returns
        -------
        ndarray of shape (n, n_features)
        """
        codes = self._codes(X)
        return codes if self.output == "codes" else self.features_.transform(codes)

    def encode_parsed(self, numbers: np.ndarray, words: np.ndarray) -> Any:
        """Encode parsed rows, which is quick for a single one.

        Parameters
        ----------
        numbers, words : ndarray
            What `RowParser.read` returned.

        Returns
        -------
        ndarray of shape (n, n_features)
        """
        codes = np.empty((len(numbers), len(self._code_names)))
        at = iter(numbers.T)
        cells = iter(words.T)
        by_words, texts = iter(self._codes_by_word), iter(self.texts_)
        for _, kind, place in self._columns:
            if kind == "number":
                codes[:, place.start] = next(at)
            elif kind == "text":
                codes[:, place] = next(texts).transform(next(cells))
            else:
                by_word = next(by_words)
                codes[:, place.start] = [
                    by_word.get(cell, -1.0) if isinstance(cell, str) else np.nan
                    for cell in next(cells)
                ]
        return codes if self.output == "codes" else self.features_.transform(codes)

    def _codes(self, typed: pd.DataFrame) -> np.ndarray:
        """Numbers as they are, components of texts, words by their numbers."""
        codes = np.empty((len(typed), len(self._code_names)))
        numbers = [place.start for _, kind, place in self._columns if kind == "number"]
        codes[:, numbers] = typed[self.number_names()].to_numpy(float)
        by_words, texts = iter(self._codes_by_word), iter(self.texts_)
        for name, kind, place in self._columns:
            if kind == "text":
                codes[:, place] = next(texts).transform(typed[name].tolist())
            elif kind == "nominal":
                by_word = next(by_words)
                which, cells = pd.factorize(typed[name].to_numpy(object))
                code_of = [*(by_word.get(cell, -1.0) for cell in cells), np.nan]
                codes[:, place.start] = np.array(code_of)[which]
        return codes

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
        check_is_fitted(self, "categories_")
        names = self._code_names
        if self.output == "codes":
            return np.array(names, dtype=object)
        columns = np.flatnonzero(self.categorical_features_).tolist()
        words = dict(zip(columns, self.categories_, strict=True))
        return self.features_.names_with(names, words)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def _simple_rows(frame: pd.DataFrame) -> list[dict[str, Any]] | None:
    """Rows of a table as mappings; None if cells are not of simple types."""
    rows = []
    for cells in frame.to_numpy(dtype=object).tolist():
        if not {*map(type, cells)} <= SIMPLE_TYPES:
            return None
        # NaN and NaT are not equal to themselves.
        present = [None if cell is pd.NA or cell != cell else cell for cell in cells]
        rows.append(dict(zip(frame.columns, present, strict=True)))
    return rows


def _plain_cells(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with None for missing cells and Python's numbers for numpy's."""
    cells = {}
    for name, cell in row.items():
        if isinstance(cell, np.generic):
            cell = cell.item()
        missing = cell is pd.NA or cell is pd.NaT or cell != cell
        cells[name] = None if missing is True else cell
    return cells


def _by_frequency(words: pd.Series) -> NDArray[Any]:
    """The different words, the most frequent first; ties by text."""
    codes, cells = pd.factorize(words.to_numpy(object))
    counts = np.bincount(codes[codes >= 0], minlength=len(cells))
    order = sorted(range(len(cells)), key=lambda at: (-counts[at], cells[at]))
    ordered = np.empty(len(cells), dtype=object)
    ordered[:] = [cells[at] for at in order]
    return ordered
