"""Models from files, and what they predict for tables."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer

from softcost.costs import (
    CostFormula,
    FormulaError,
    RowCostFormulas,
    answer_indices,
    raw_cost_vectors,
    read_costs,
)
from softcost.costs.price_list import match_classes, read_cost_columns
from softcost.errors import InputError, argument, input_errors
from softcost.files import STREAM, shown_name
from softcost.formatting import quoted_names
from softcost.persistence import ModelFileError, final_step
from softcost.persistence.model_file import read_model
from softcost.reductions import Reduction
from softcost.search import SoftCostClassifierCV
from softcost.tables import KINDS, DriftMonitor, TableEncoder, table_pieces
from softcost.tables.cells import LARGEST, Decimal, Kind, Tell, silent
from softcost.tables.columns import column, read_labels, typed_columns
from softcost.tables.kinds import Number, feature_kinds
from softcost.tables.layout import HeaderRow
from softcost.tables.read import format_of
from softcost.workflow.fingerprint import Overlap, OverlapCounter
from softcost.workflow.table_costs import CostSource, TableCosts
from softcost.workflow.target_labels import with_labels

_ROWS_AT_ONCE = 20_000
_CELLS_AT_ONCE = 10_000_000
_FARTHEST = 1e9


@dataclass(frozen=True)
class StoredModel:
    """A model with its manifest.

    Attributes
    ----------
    kinds : dict or None
        The columns that it needs and what they hold; None if it has no names for its
        features, which are then all columns but those named otherwise.
    encoder : TableEncoder or None
        Its first step, if that encodes raw tables. The other methods take rows that
        `table` has read.
    row_costs : TableCosts, CostSource or None
        The cost matrix of every row, by formulas over columns, if it decides by them.
    """

    path: str
    model: Any
    manifest: dict[str, Any]
    classes: np.ndarray
    kinds: dict[str, Kind] | None
    encoder: TableEncoder | None = None
    row_costs: TableCosts | CostSource | None = None

    @property
    def rest(self) -> Any:
        """The model without its encoder."""
        if self.encoder is None:
            return self.model
        steps = self.model.steps
        return steps[1][1] if len(steps) == 2 else self.model[1:]

    def encoded(self, X: Any) -> Any:
        """Rows as the rest of the model takes them."""
        return X if self.encoder is None else self.encoder.encode(X)

    def tokens(self) -> frozenset[str]:
        """Cells that the model takes for missing, beside the usual ones."""
        if self.encoder is not None:
            return frozenset(self.encoder.missing)
        return frozenset(self.manifest["notes"].get("missing") or ())

    @property
    def merge(self) -> dict[str, str]:
        """Labels that were replaced in training."""
        return self.manifest["notes"].get("merge") or {}

    @property
    def answers(self) -> np.ndarray:
        """What it may answer: the classes, then actions if there are any."""
        return getattr(final_step(self.model), "actions_", self.classes)

    @property
    def actions(self) -> np.ndarray:
        """Answers beyond the classes."""
        return self.answers[len(self.classes) :]

    def cost_matrix(self) -> pd.DataFrame | None:
        """Its cost matrix by name; None for 0 and 1."""
        matrix = self.manifest["costs"]
        if not isinstance(matrix, list):
            return None
        names = [str(name) for name in self.answers.tolist()]
        rows = names[: len(self.classes)]
        return pd.DataFrame(matrix, index=rows, columns=names)

    def rows_at_once(self) -> int:
        """How many rows are in memory at a time: fewer where there are many features.

        A model file says how many features are made of a column of words.
        """
        features = getattr(final_step(self.model), "n_features_in_", 1)
        return max(1, min(_ROWS_AT_ONCE, _CELLS_AT_ONCE // max(features, 1)))

    def table(
        self, raw: pd.DataFrame, path: str, first_row: int, without: set[Any]
    ) -> Any:
        """The rows of a raw table as the model wants them."""
        if self.kinds is not None:
            return typed_columns(raw, self.kinds, path, first_row, self.tokens())
        kept = [name for name in raw.columns if name not in without]
        count = self.manifest["features"]["count"]
        if len(kept) != count:
            raise ValueError(
                f"{path} has {len(kept)} columns and the model needs {count} without "
                "names; remove columns that are not features."
            )
        kinds: dict[str, Kind] = dict.fromkeys(map(str, kept), "number")
        return typed_columns(raw, kinds, path, first_row).to_numpy()

    def after_encoding(self) -> "StoredModel":
        """The model without its encoder, for rows that are encoded already."""
        return replace(self, model=self.rest, encoder=None)

    def refusing_rows(self) -> AbstractContextManager[None]:
        """A context for predictions, in which a model may refuse rows.

        A model with a `TableEncoder` accepts all rows that `table` has read: an
        exception is a bug in softcost. Other models have steps of their own, which
        need not support empty cells or new words: their exceptions are about the rows.
        """
        return nullcontext() if self.encoder is not None else input_errors()

    def predict(self, X: Any, costs: np.ndarray | None = None) -> np.ndarray:
        """Labels of the classes, or names of actions.

        Parameters
        ----------
        X : rows
            From `table`.
        costs : array of shape (n, K, A), default=None
            From `row_matrices`.
        """
        if costs is None:
            return self.rest.predict(self.encoded(X))
        return self.rest.predict(self.encoded(X), costs=costs)

    @property
    def _deciding(self) -> Any:
        """The reduction that decides: the choice of a search, or the last step."""
        last = final_step(self.model)
        return getattr(last, "best_estimator_", last)

    def with_formulas(
        self, formulas: Sequence[str], positive: str | None = None
    ) -> "StoredModel":
        """The model with other costs by row."""
        self._require_costs_at_prediction()
        outcomes = any(CostFormula.parse(text).outcome for text in formulas)
        if outcomes and positive is None:
            positive = self._rarer_class()
        order, actions = self._matrix_order, self.actions.tolist()
        resolved = RowCostFormulas.resolve(
            formulas, order, positive=positive, actions=actions
        )
        return replace(self, row_costs=CostSource(resolved))

    def with_cost_columns(
        self, prefix: str, positive: str | None = None
    ) -> "StoredModel":
        """The model with the cost matrix of every row in columns."""
        self._require_costs_at_prediction()
        positive = self._rarer_class() if positive is None else positive
        order, actions = self._matrix_order, self.actions.tolist()
        return replace(
            self, row_costs=CostSource(None, prefix, order, actions, positive)
        )

    def _require_costs_at_prediction(self) -> None:
        model = self._deciding
        if not getattr(model, "softness_at_predict", False):
            raise ValueError(
                f"{self.path} decides with {type(model).__name__}, which was trained "
                "on its costs and cannot use others; fit it with these costs."
            )

    @property
    def _matrix_order(self) -> list[Any]:
        """The classes in the order of the cost matrices of rows."""
        order = getattr(self._deciding, "classes", None)
        return list(self.classes.tolist() if order is None else order)

    def _rarer_class(self) -> str | None:
        """The class with the fewest training rows, if the model has their numbers."""
        counts = self.manifest["notes"].get("classes")
        if not isinstance(counts, dict) or len(counts) < 2:
            return None
        (first, least), (_, second), *_ = sorted(counts.items(), key=lambda one: one[1])
        return str(first) if least < second else None

    def row_matrices(
        self, raw: pd.DataFrame, path: str, first_row: int = 0
    ) -> np.ndarray | None:
        """Cost matrices of raw rows; None if the model decides by fixed costs."""
        if self.row_costs is None:
            if getattr(self._deciding, "decides_by_row_costs", False):
                raise ValueError(
                    f"{self.path} was fitted with a cost matrix for every row and has "
                    f"no formulas for them; give {argument('cost')} FORMULA or "
                    f"{argument('cost_columns')} PREFIX."
                )
            return None
        return self.row_costs.matrices(raw, path, first_row)

    def check_features(self, X: Any, path: str, first_row: int) -> None:
        """Refuse rows far outside the range of the training rows.

        Features are scaled by that range; distances of much larger numbers overflow.
        """
        if len(X) > 0 and self.encoder is not None:
            numbers = X[self.encoder.number_names()].to_numpy(float)
            self.check_numbers(numbers, path, first_row)

    @cached_property
    def number_limits(self) -> np.ndarray:
        """Smallest and largest accepted value of each number, shape (n_numbers, 2).

        In the order of `TableEncoder.number_names`; empty without an encoder.
        """
        if self.encoder is None:
            return np.empty((0, 2))
        low, high = self.encoder.ranges_.T
        span = _FARTHEST * np.where(high > low, high - low, 1.0)
        return np.clip(np.column_stack([low - span, low + span]), -LARGEST, LARGEST)

    def check_numbers(self, numbers: np.ndarray, path: str, first_row: int) -> None:
        """The same for the numbers of parsed rows."""
        if self.encoder is None:
            return
        low, high = self.number_limits.T
        far = np.flatnonzero(((numbers < low) | (numbers > high)).any(axis=1))
        if len(far):
            raise ValueError(
                f"row {first_row + far[0] + 1} of {path} has a number more than "
                f"{_FARTHEST:g} times as large as in the training data; correct it, or "
                "leave it empty."
            )

    def has_scores(self) -> bool:
        """Whether the model has scores."""
        return hasattr(self.rest, "decision_function")

    def scores(self, X: Any) -> np.ndarray | None:
        """One column per answer; of two the second is minus the first."""
        if not self.has_scores():
            return None
        found = np.asarray(self.rest.decision_function(self.encoded(X)), float)
        return np.column_stack([-found, found]) if found.ndim == 1 else found

    def predict_and_score(
        self, X: Any, costs: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Labels and scores; a reduction's label is the answer of the best score.

        By costs of rows, there are expected costs instead of scores.
        """
        if costs is not None and self.knows_expected_costs():
            return self.predict(X, costs), None
        scores = self.scores(X)
        last = final_step(self.model)
        if scores is None or not isinstance(last, SoftCostClassifierCV | Reduction):
            return self.predict(X), scores
        return self.answers[scores.argmax(axis=1)], scores

    def knows_expected_costs(self) -> bool:
        """Whether the model knows what answers are expected to cost."""
        last = final_step(self.model)
        return hasattr(getattr(last, "best_estimator_", last), "expected_costs")

    def expected_costs(
        self, X: Any, costs: np.ndarray | None = None
    ) -> np.ndarray | None:
        """What each answer is expected to cost, if the model knows."""
        if not self.knows_expected_costs():
            return None
        return self._deciding.expected_costs(self._features(X), costs=costs)

    def _features(self, X: Any) -> Any:
        """Rows as the last step takes them."""
        rest, X = self.rest, self.encoded(X)
        return rest[:-1].transform(X) if len(getattr(rest, "steps", ())) > 1 else X

    def predict_and_price(
        self, X: Any, costs: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Labels and expected costs, from the same probabilities, if there are any."""
        inner = self._deciding
        if not hasattr(inner, "predict_and_price"):
            return None
        return inner.predict_and_price(self._features(X), costs=costs)

    def with_decimal(self, decimal: Decimal) -> "StoredModel":
        """The model for a table with another decimal separator."""
        if self.kinds is None:
            return self
        kind: Kind = "number, decimal comma" if decimal == "," else "number"
        kinds = {
            name: kind if isinstance(KINDS[old], Number) else old
            for name, old in self.kinds.items()
        }
        return replace(self, kinds=kinds)

    def overlap_counter(self) -> OverlapCounter | None:
        """Counts training rows; None if the model has no fingerprint of them."""
        fingerprint = self.manifest["notes"].get("fingerprint")
        if fingerprint is None or self.kinds is None:
            return None
        return OverlapCounter(fingerprint)

    def drift_monitor(self) -> DriftMonitor:
        """Compares rows and predictions with those of the training."""
        search = final_step(self.model)
        expected = None
        if hasattr(search, "confusion_") and hasattr(search, "best_index_"):
            counts = np.asarray(search.confusion_)[search.best_index_]
            expected = counts.sum(axis=(0, 1))
        return DriftMonitor(self.encoder, self.answers.tolist(), expected)


def open_model(path: str) -> StoredModel:
    """Load a classifier that was saved with softcost, to use it on tables.

    Parameters
    ----------
    path : str
        A file that ``softcost fit --model`` or `softcost.save` wrote.

    Returns
    -------
    StoredModel

    See Also
    --------
    softcost.load : The estimator alone.

    Examples
    --------
    >>> from softcost.workflow.stored_model import open_model
    >>> open_model("-")
    Traceback (most recent call last):
    ValueError: MODEL must be a file; standard input is for rows.
    """
    if path == STREAM:
        raise ValueError("MODEL must be a file; standard input is for rows.")
    model, manifest = read_model(path)
    last = final_step(model)
    if not hasattr(last, "classes_"):
        raise ModelFileError(
            f"{path} holds {type(last).__name__}, which is not a classifier."
        )
    _check_notes(manifest["notes"], path)
    notes, features = manifest["notes"], manifest["features"]
    kinds: dict[str, Kind] | None = notes.get("columns")
    if kinds is not None and not _are_columns_of(model, kinds):
        raise ModelFileError(
            f"{path} is not a softcost model: the columns in its notes are not the "
            "model's."
        )
    encoder = _encoder_of(model, kinds, notes)
    if encoder is not None:
        kinds = encoder.kinds_
    if kinds is None and features["names"] is not None:
        words = {name for name, kind in features["dtypes"].items() if kind == "str"}
        kinds = {
            name: "nominal" if name in words else "number" for name in features["names"]
        }
    stored = StoredModel(path, model, manifest, last.classes_, kinds, encoder)
    if notes.get("cost_formulas") is None:
        return stored
    try:
        costs = TableCosts.from_json(
            notes["cost_formulas"],
            stored._matrix_order,
            stored.actions.tolist(),
            stored.tokens(),
        )
    except FormulaError as error:
        raise ModelFileError(f"{path} is not a softcost model: {error}") from error
    return replace(stored, row_costs=costs)


def _encoder_of(
    model: Any, kinds: dict[str, Kind] | None, notes: dict[str, Any]
) -> TableEncoder | None:
    """The first step of a model, if it encodes tables.

    Before there was `TableEncoder`, 'softcost fit' saved a ColumnTransformer and noted
    what its columns hold.
    """
    first = model.steps[0][1] if len(getattr(model, "steps", ())) > 1 else None
    if isinstance(first, TableEncoder):
        return first
    if (
        isinstance(first, ColumnTransformer)
        and kinds is not None
        and {name for name, _, _ in first.transformers_} <= {"numbers", "words"}
    ):
        return TableEncoder.from_transformer(first, kinds, notes.get("missing") or ())
    return None


def _are_columns_of(model: Any, kinds: dict[str, Kind]) -> bool:
    """Whether notes name the columns that the first step takes, with their kinds."""
    first = model.steps[0][1] if len(getattr(model, "steps", ())) > 1 else model
    if isinstance(first, TableEncoder):
        return kinds == first.kinds_
    typed = feature_kinds(kinds)
    names = getattr(first, "feature_names_in_", None)
    if names is None or list(typed) != names.tolist():
        return False
    words = [name for name, kind in typed.items() if kind != "number"]
    by_step = {
        name: list(columns) for name, _, columns in getattr(first, "transformers_", ())
    }
    return by_step.get("words", words) == words


def _check_notes(notes: dict[str, Any], path: str) -> None:
    """Refuse notes that no softcost fit has written."""
    columns = notes.get("columns")
    fits = all(notes.get(name) is None or isinstance(notes[name], str)
               for name in ("target", "cost_columns", "currency"))  # fmt: skip
    if columns is not None:
        fits &= (
            isinstance(columns, dict)
            and bool(columns)
            and all(isinstance(one, str) and one in KINDS for one in columns.values())
        )
    for name in ("missing", "ids"):
        words = notes.get(name, [])
        fits &= isinstance(words, list) and all(isinstance(one, str) for one in words)
    counts = notes.get("classes")
    if isinstance(counts, dict):
        fits &= all(type(count) is int for count in counts.values())
    merge = notes.get("merge") or {}
    fits &= isinstance(merge, dict)
    fits = fits and all(isinstance(name, str) for name in merge.values())
    if notes.get("fingerprint") is not None:
        try:
            OverlapCounter(notes["fingerprint"])
        except ValueError:
            fits = False
    if not fits:
        raise ModelFileError(f"{path} is not a softcost model: its notes are invalid.")


@dataclass(frozen=True)
class ReadOptions:
    """How to read a table: its place in a file, and rows to leave out.

    Attributes
    ----------
    sheet, header_row
        As in `softcost.tables.read_table`.
    labels : str or None
        Column with the labels; rows without one are left out.
    decimal : {".", ","} or None
        Decimal separator; None for the separator of the training table.
    """

    sheet: str | None = None
    header_row: HeaderRow | None = None
    labels: str | None = None
    decimal: Decimal | None = None


_AS_IT_IS = ReadOptions()


def read_pieces(
    stored: StoredModel,
    path: str,
    rows: int | None = None,
    without: set[Any] | None = None,
    tell: Tell = silent,
    reading: ReadOptions = _AS_IT_IS,
) -> Iterator[tuple[pd.DataFrame, Any, NDArray[Any] | None]]:
    """The raw rows of a file, some at a time, as the model takes them, with costs.

    The costs are the matrices by which the model decides; None if they are fixed.
    """
    first_row = 0
    if reading.decimal is not None:
        stored = stored.with_decimal(reading.decimal)
    with input_errors():
        n_features = None
        if format_of(path) == "libsvm":
            n_features = stored.manifest["features"]["count"]
        rows = stored.rows_at_once() if rows is None else rows
        columns = {*(stored.kinds or ()), *(without or ())}
        for raw in table_pieces(
            path,
            rows,
            n_features,
            tell,
            sheet=reading.sheet,
            header_row=reading.header_row,
            columns=columns,
        ):
            if reading.labels is not None and len(raw):
                raw, _ = with_labels(
                    raw,
                    reading.labels,
                    shown_name(path),
                    skip_unlabelled=True,
                    merge=stored.merge,
                    tell=tell,
                )
            X = stored.table(raw, shown_name(path), first_row, without or set())
            stored.check_features(X, shown_name(path), first_row)
            matrices = stored.row_matrices(raw, shown_name(path), first_row)
            first_row += len(raw)
            yield raw, X, matrices


# What a model answers for rows whose classes are known, and what that costs.


@dataclass(frozen=True)
class Prices:
    """By class or by row.

    Attributes
    ----------
    matrix : DataFrame or None
        By class; None with prices by row, and for 0 and 1.
    columns : str or None
        How the names of columns with prices by row begin.
    by_formulas : bool
        Whether the cost matrices by which the model decides also price its answers.
    """

    matrix: pd.DataFrame | None
    columns: str | None
    by_formulas: bool = False

    @property
    def words(self) -> str:
        """Which they are."""
        if self.columns is not None or self.by_formulas:
            return "by row"
        return "0/1" if self.matrix is None else "by class"


@dataclass(frozen=True)
class PricedRows:
    """True labels, and costs of shape (n, A), for classes, then actions."""

    labels: np.ndarray
    costs: np.ndarray
    classes: np.ndarray
    actions: np.ndarray


@dataclass(frozen=True)
class KnownRows(PricedRows):
    """The same with answers.

    Attributes
    ----------
    overlap : Overlap or None
        Training rows among them; None if the model has no fingerprint of these.
    others : dict of str to array of shape (n,)
        Answers of other systems, by the name of their column.
    """

    predicted: np.ndarray
    overlap: Overlap | None = None
    others: dict[str, np.ndarray] = field(default_factory=dict)

    def answers(self) -> np.ndarray:
        """Numbers of the answers, as columns of ``costs``."""
        return answer_indices(
            self.predicted, self.classes, self.actions, argument="predictions"
        )


def check_one_price_list(
    costs: str | None, cost_columns: str | None, cost: Sequence[str] = ()
) -> None:
    """Refuse prices by class and by row at once."""
    if sum((costs is not None, cost_columns is not None, bool(cost))) > 1:
        raise InputError(
            f"give {argument('costs')} FILE, {argument('cost')} FORMULA or "
            f"{argument('cost_columns')} PREFIX, only one of them."
        )


def model_prices(
    stored: StoredModel,
    target: str,
    costs: str | None = None,
    cost_columns: str | None = None,
    tell: Tell = silent,
) -> Prices:
    """Costs from a file or from columns, else those that the model was trained with."""
    check_one_price_list(costs, cost_columns)
    if costs is not None:
        notes: list[str] = []  # of no use if the price list is refused
        matrix = read_costs(costs, notes.append)
        names = [str(name) for name in stored.classes.tolist()]
        where = {"data": stored.path, "target": target, "path": costs}
        matrix = match_classes(matrix, names, tell=notes.append, **where)
        for sentence in notes:
            tell(sentence)
        return Prices(matrix, None)
    if cost_columns is not None:
        return Prices(None, cost_columns)
    if stored.row_costs is not None:
        return Prices(None, None, by_formulas=True)
    prefix = stored.manifest["notes"].get("cost_columns")
    if prefix is None and stored.manifest["costs"] == "by example":
        raise ValueError(
            f"{stored.path} was trained with prices by row: give "
            f"{argument('cost_columns')} PREFIX or {argument('costs')} FILE."
        )
    return Prices(stored.cost_matrix() if prefix is None else None, prefix)


def answer_known_rows(
    stored: StoredModel,
    data: str,
    target: str,
    prices: Prices,
    tell: Tell = silent,
    answers: Sequence[str] = (),
    reading: ReadOptions = _AS_IT_IS,
) -> KnownRows:
    """Predict a file in pieces, and price every answer.

    ``answers`` are columns with the answers of other systems.
    """
    counter = stored.overlap_counter()
    labels, predicted, by_row, others = _predict(
        stored, data, target, prices, tell, counter, answers, reading
    )
    with input_errors():
        priced = price_rows(stored, labels, prices, by_row)
    return KnownRows(
        labels,
        priced.costs,
        priced.classes,
        priced.actions,
        predicted=predicted,
        others=others,
        overlap=None if counter is None else counter.overlap(),
    )


def read_known_rows(
    stored: StoredModel,
    data: str,
    target: str,
    prices: Prices,
    tell: Tell = silent,
    reading: ReadOptions = _AS_IT_IS,
) -> tuple[Any, NDArray[Any] | None, PricedRows]:
    """All rows of a file as the model wants them, and what answers to them cost."""
    rows, labels, costs, each = [], [], [], []
    pieces = read_pieces(stored, data, without={target}, tell=tell, reading=reading)
    for raw, X, matrices in pieces:
        rows.append(X)
        if matrices is not None:
            each.append(matrices)
        labels.append(_known_labels(stored, raw, target, data))
        if prices.columns is not None:
            costs.append(read_cost_columns(raw, prices.columns, data))
    by_row: Any = pd.concat(costs, ignore_index=True) if costs else None
    frames = isinstance(rows[0], pd.DataFrame)
    X = pd.concat(rows, ignore_index=True) if frames else np.concatenate(rows)
    matrices = np.concatenate(each) if each else None
    by_row = matrices if prices.by_formulas else by_row
    return X, matrices, price_rows(stored, np.concatenate(labels), prices, by_row)


def price_rows(
    stored: StoredModel,
    labels: NDArray[Any],
    prices: Prices,
    by_row: Any,
) -> PricedRows:
    classes = np.array([str(name) for name in stored.classes.tolist()])
    actions = np.array([str(name) for name in stored.actions.tolist()], dtype=str)
    if prices.by_formulas:
        order = [str(name) for name in stored._matrix_order]
        place = {name: at for at, name in enumerate(order)}
        true = np.array([place[label] for label in labels.tolist()])
        vectors = by_row[np.arange(len(labels)), true]
        columns = [place[name] for name in classes.tolist()]
        columns += range(len(classes), len(classes) + len(actions))
        return PricedRows(labels, vectors[:, columns], classes, actions)
    vectors = raw_cost_vectors(
        labels,
        cost_matrix=prices.matrix,
        costs=by_row,
        classes=classes,
        actions=actions if len(actions) else None,
    )
    return PricedRows(labels, vectors, classes, actions)


def _predict(
    stored: StoredModel,
    data: str,
    target: str,
    prices: Prices,
    tell: Tell,
    counter: OverlapCounter | None,
    answers: Sequence[str],
    reading: ReadOptions,
) -> tuple[np.ndarray, np.ndarray, Any, dict[str, np.ndarray]]:
    """True labels, predicted labels, costs by row and answers of other systems."""
    labels, predicted = [], []
    costs: list[Any] = []
    others: dict[str, list[np.ndarray]] = {name: [] for name in answers}
    without = {target, *answers}
    pieces = read_pieces(stored, data, without=without, tell=tell, reading=reading)
    for raw, X, matrices in pieces:
        with input_errors():
            labels.append(_known_labels(stored, raw, target, data))
            for name, parts in others.items():
                parts.append(_other_answers(stored, raw, name, data))
            if prices.columns is not None:
                costs.append(read_cost_columns(raw, prices.columns, data))
        if prices.by_formulas:
            costs.append(matrices)
        if counter is not None:
            counter.update(X)
        with stored.refusing_rows():
            predicted.append(stored.predict(X, matrices).astype(str))
    by_row: Any = None
    if prices.by_formulas:
        by_row = np.concatenate(costs)
    elif costs:
        by_row = pd.concat(costs, ignore_index=True)
    joined = {name: np.concatenate(parts) for name, parts in others.items()}
    return np.concatenate(labels), np.concatenate(predicted), by_row, joined


def _other_answers(
    stored: StoredModel, raw: pd.DataFrame, name: str, data: str
) -> np.ndarray:
    """A column with another system's answers, which must have prices."""
    option = argument("answers")
    values = read_labels(column(raw, name, option, data), option, data)
    known = [str(answer) for answer in stored.answers.tolist()]
    unknown = sorted(set(values.tolist()) - set(known))
    if unknown:
        raise ValueError(
            f"{option} {name!r} of {data} has answers without a price, "
            f"{quoted_names(unknown)}; the model's answers are {quoted_names(known)}."
        )
    return values


def _known_labels(
    stored: StoredModel, raw: pd.DataFrame, target: str, data: str
) -> np.ndarray:
    if len(raw) == 0:
        raise ValueError(f"{data} has no rows; give a table with a header and rows.")
    _, labels = with_labels(raw, target, data, merge=stored.merge)
    known = {str(name) for name in stored.classes.tolist()}
    unknown = sorted(set(labels.tolist()) - known)
    if unknown:
        raise ValueError(
            f"{argument('target')} {target!r} of {data} has classes that the model "
            f"does not have, {quoted_names(unknown)}; its classes are "
            f"{quoted_names(sorted(known))}."
        )
    return labels
