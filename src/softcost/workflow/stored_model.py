"""Models from files, and what they predict for tables."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer

from softcost.costs import answer_indices, raw_cost_vectors, read_costs
from softcost.costs.price_list import match_classes, read_cost_columns
from softcost.errors import InputError, argument, input_errors
from softcost.files import STREAM, shown_name
from softcost.formatting import quoted_names
from softcost.persistence import ModelFileError, describe, final_step, load
from softcost.reductions import Reduction
from softcost.search import SoftCostClassifierCV
from softcost.tables import KINDS, DriftMonitor, TableEncoder, table_pieces
from softcost.tables.cells import Kind, Tell, silent
from softcost.tables.columns import column, read_labels, typed_columns
from softcost.tables.read import format_of

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
    """

    path: str
    model: Any
    manifest: dict[str, Any]
    classes: np.ndarray
    kinds: dict[str, Kind] | None
    encoder: TableEncoder | None = None

    @property
    def rest(self) -> Any:
        """The model without its encoder."""
        if self.encoder is None:
            return self.model
        steps = self.model.steps
        return steps[1][1] if len(steps) == 2 else self.model[1:]

    def encoded(self, X: Any) -> Any:
        """Rows as the rest of the model takes them."""
        return X if self.encoder is None else self.encoder.transformer_.transform(X)

    def tokens(self) -> frozenset[str]:
        """Cells that the model takes for missing, beside the usual ones."""
        if self.encoder is not None:
            return frozenset(self.encoder.missing)
        return frozenset(self.manifest["notes"].get("missing") or ())

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

    def table(self, raw: pd.DataFrame, path: str, first_row: int, without: set) -> Any:
        """The rows of a raw table as the model wants them."""
        if self.kinds is not None:
            return typed_columns(raw, self.kinds, path, first_row, self.tokens())
        kept = [name for name in raw.columns if name not in without]
        count = self.manifest["features"]["count"]
        if len(kept) != count:
            raise ValueError(
                f"{path} has {len(kept)} columns and the model needs {count}, which it "
                "has no names for; take out those that are no features."
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

    def predict(self, X: Any) -> np.ndarray:
        """Labels of the classes, or names of actions."""
        return self.rest.predict(self.encoded(X))

    def check_features(self, X: Any, path: str, first_row: int) -> None:
        """Refuse rows far outside the range of the training rows.

        The encoder scales training rows to [0, 1]; distances of much larger numbers
        overflow.
        """
        if len(X) > 0 and self.encoder is not None:
            self.check_scaled(self.encoded(X), path, first_row)

    def check_scaled(self, features: Any, path: str, first_row: int) -> None:
        """The same for encoded rows."""
        features = np.asarray(features, float)
        far = np.flatnonzero((np.abs(features) > _FARTHEST).any(axis=1))
        if len(far):
            raise ValueError(
                f"row {first_row + far[0] + 1} of {path} has a number that is more "
                f"than {_FARTHEST:g} times those that the model was fitted to; "
                "correct it, or leave it empty."
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

    def predict_and_score(self, X: Any) -> tuple[np.ndarray, np.ndarray | None]:
        """Labels and scores; a reduction's label is the answer of the best score."""
        scores = self.scores(X)
        last = final_step(self.model)
        if scores is None or not isinstance(last, SoftCostClassifierCV | Reduction):
            return self.predict(X), scores
        return self.answers[scores.argmax(axis=1)], scores

    def knows_expected_costs(self) -> bool:
        """Whether the model knows what answers are expected to cost."""
        last = final_step(self.model)
        return hasattr(getattr(last, "best_estimator_", last), "expected_costs")

    def expected_costs(self, X: Any) -> np.ndarray | None:
        """What each answer is expected to cost, if the model knows."""
        if not self.knows_expected_costs():
            return None
        last = final_step(self.model)
        inner = getattr(last, "best_estimator_", last)
        rest, X = self.rest, self.encoded(X)
        if hasattr(rest, "steps") and len(rest.steps) > 1:
            X = rest[:-1].transform(X)
        return inner.expected_costs(X)

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
    manifest, model = describe(path), load(path)
    last = final_step(model)
    if not hasattr(last, "classes_"):
        raise ModelFileError(
            f"{path} holds {type(last).__name__}, which is not a classifier."
        )
    _check_notes(manifest["notes"], path)
    notes, features = manifest["notes"], manifest["features"]
    kinds: dict[str, Kind] | None = notes.get("columns")
    encoder = _encoder_of(model, kinds, notes)
    if encoder is not None:
        kinds = encoder.kinds_
    if kinds is None and features["names"] is not None:
        words = {name for name, kind in features["dtypes"].items() if kind == "str"}
        kinds = {
            name: "nominal" if name in words else "number" for name in features["names"]
        }
    return StoredModel(path, model, manifest, last.classes_, kinds, encoder)


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
    if isinstance(first, ColumnTransformer) and kinds is not None:
        return TableEncoder.from_transformer(first, kinds, notes.get("missing") or ())
    return None


def _check_notes(notes: dict[str, Any], path: str) -> None:
    """Refuse notes that no softcost fit has written."""
    columns = notes.get("columns")
    fits = all(notes.get(name) is None or isinstance(notes[name], str)
               for name in ("target", "cost_columns"))  # fmt: skip
    if columns is not None:
        fits &= (
            isinstance(columns, dict)
            and bool(columns)
            and all(isinstance(one, str) and one in KINDS for one in columns.values())
        )
    for name in ("missing", "ids"):
        words = notes.get(name, [])
        fits &= isinstance(words, list) and all(isinstance(one, str) for one in words)
    if not fits:
        raise ModelFileError(f"{path} is not a softcost model: its notes are odd.")


def read_pieces(
    stored: StoredModel,
    path: str,
    rows: int | None = None,
    without: set | None = None,
    tell: Tell = silent,
) -> Iterator[tuple[pd.DataFrame, Any]]:
    """The raw rows of a file, some at a time, and as the model takes them."""
    first_row = 0
    with input_errors():
        n_features = None
        if format_of(path) == "libsvm":
            n_features = stored.manifest["features"]["count"]
        rows = stored.rows_at_once() if rows is None else rows
        for raw in table_pieces(path, rows, n_features, tell):
            X = stored.table(raw, shown_name(path), first_row, without or set())
            stored.check_features(X, shown_name(path), first_row)
            first_row += len(raw)
            yield raw, X


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
    """

    matrix: pd.DataFrame | None
    columns: str | None

    @property
    def words(self) -> str:
        """Which they are."""
        if self.columns is not None:
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
    """The same with answers."""

    predicted: np.ndarray

    def answers(self) -> np.ndarray:
        """Numbers of the answers, as columns of ``costs``."""
        return answer_indices(
            self.predicted, self.classes, self.actions, argument="predictions"
        )


def check_one_price_list(costs: str | None, cost_columns: str | None) -> None:
    """Refuse prices by class and by row at once."""
    if costs is not None and cost_columns is not None:
        raise InputError(
            f"give {argument('costs')} FILE or {argument('cost_columns')} PREFIX, not "
            "both."
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
        matrix = read_costs(costs, tell)
        names = [str(name) for name in stored.classes.tolist()]
        where = {"data": stored.path, "target": target, "path": costs}
        return Prices(match_classes(matrix, names, tell=tell, **where), None)
    if cost_columns is not None:
        return Prices(None, cost_columns)
    prefix = stored.manifest["notes"].get("cost_columns")
    if prefix is None and stored.manifest["costs"] == "by example":
        raise ValueError(
            f"{stored.path} was trained with prices by row: give "
            f"{argument('cost_columns')} PREFIX or {argument('costs')} FILE."
        )
    return Prices(stored.cost_matrix() if prefix is None else None, prefix)


def answer_known_rows(
    stored: StoredModel, data: str, target: str, prices: Prices, tell: Tell = silent
) -> KnownRows:
    """Predict a file in pieces, and price every answer."""
    labels, predicted, by_row = _predict(stored, data, target, prices.columns, tell)
    with input_errors():
        priced = _priced(stored, labels, prices, by_row)
    return KnownRows(
        labels, priced.costs, priced.classes, priced.actions, predicted=predicted
    )


def read_known_rows(
    stored: StoredModel, data: str, target: str, prices: Prices, tell: Tell = silent
) -> tuple[Any, PricedRows]:
    """All rows of a file as the model wants them, and what answers to them cost."""
    rows, labels, costs = [], [], []
    for raw, X in read_pieces(stored, data, without={target}, tell=tell):
        rows.append(X)
        labels.append(_known_labels(stored, raw, target, data))
        if prices.columns is not None:
            costs.append(read_cost_columns(raw, prices.columns, data))
    by_row = pd.concat(costs, ignore_index=True) if costs else None
    frames = isinstance(rows[0], pd.DataFrame)
    X = pd.concat(rows, ignore_index=True) if frames else np.concatenate(rows)
    return X, _priced(stored, np.concatenate(labels), prices, by_row)


def _priced(
    stored: StoredModel,
    labels: np.ndarray,
    prices: Prices,
    by_row: pd.DataFrame | None,
) -> PricedRows:
    classes = np.array([str(name) for name in stored.classes.tolist()])
    actions = np.array([str(name) for name in stored.actions.tolist()], dtype=str)
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
    cost_columns: str | None,
    tell: Tell,
) -> tuple[np.ndarray, np.ndarray, pd.DataFrame | None]:
    """True labels, predicted labels and costs by row, of all rows of a file."""
    labels, predicted, costs = [], [], []
    for raw, X in read_pieces(stored, data, without={target}, tell=tell):
        with input_errors():
            labels.append(_known_labels(stored, raw, target, data))
            if cost_columns is not None:
                costs.append(read_cost_columns(raw, cost_columns, data))
        with stored.refusing_rows():
            predicted.append(stored.predict(X).astype(str))
    by_row = pd.concat(costs, ignore_index=True) if costs else None
    return np.concatenate(labels), np.concatenate(predicted), by_row


def _known_labels(
    stored: StoredModel, raw: pd.DataFrame, target: str, data: str
) -> np.ndarray:
    if len(raw) == 0:
        raise ValueError(f"{data} has no rows; give a table with a header and rows.")
    labels = read_labels(
        column(raw, target, argument("target"), data), argument("target"), data
    )
    known = {str(name) for name in stored.classes.tolist()}
    unknown = sorted(set(labels.tolist()) - known)
    if unknown:
        raise ValueError(
            f"{argument('target')} {target!r} of {data} has classes that the model "
            f"does not know, {quoted_names(unknown)}; it knows "
            f"{quoted_names(sorted(known))}."
        )
    return labels
