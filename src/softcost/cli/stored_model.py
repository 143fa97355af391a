"""A model from a file, and what it says of rows."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from softcost.cli.console import BadInput, bad_input, failed_job, say_note
from softcost.costs import (
    answer_indices,
    match_classes,
    raw_cost_vectors,
    read_cost_columns,
    read_cost_file,
)
from softcost.files import STREAM, shown_name
from softcost.formatting import quoted_names
from softcost.persistence import ModelFileError, describe, final_step, load
from softcost.reductions import Reduction
from softcost.search import SoftCostClassifierCV
from softcost.tables import (
    KINDS,
    Kind,
    column,
    format_of,
    read_labels,
    table_pieces,
    typed_columns,
)

_ROWS_AT_ONCE = 20_000
_CELLS_AT_ONCE = 10_000_000
_FARTHEST = 1e9


@dataclass(frozen=True)
class StoredModel:
    """A model with its manifest.

    Attributes
    ----------
    kinds : dict or None
        The columns that it needs and what they hold; None where it has no names for
        its features, which are then all columns but those named otherwise.
    """

    path: str
    model: Any
    manifest: dict[str, Any]
    classes: np.ndarray
    kinds: dict[str, Kind] | None

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
            tokens = frozenset(self.manifest["notes"].get("missing") or ())
            return typed_columns(raw, self.kinds, path, first_row, tokens)
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
        """The last step alone, for features that the others have made."""
        return replace(self, model=final_step(self.model))

    def refusing_rows(self) -> AbstractContextManager[None]:
        """A context for predictions, in which a model may refuse rows.

        One that 'softcost fit' made takes all rows that its columns were read from:
        an exception is a fault of ours. Others have steps of their own, which need
        not know empty cells or new words: theirs speak of the rows.
        """
        return nullcontext() if "columns" in self.manifest["notes"] else bad_input()

    def predict(self, X: Any) -> np.ndarray:
        return self.model.predict(X)

    def check_features(self, X: Any, path: str, first_row: int) -> None:
        """Refuse rows far outside of what 'softcost fit' has seen.

        It scales numbers to [0, 1]; distances of much larger ones are not finite.
        """
        steps = getattr(self.model, "steps", ())
        if len(X) == 0 or len(steps) < 2 or "columns" not in self.manifest["notes"]:
            return
        self.check_scaled(self.model[:-1].transform(X), path, first_row)

    def check_scaled(self, features: Any, path: str, first_row: int) -> None:
        """The same for what the encoder of 'softcost fit' has made of rows."""
        features = np.asarray(features, float)
        far = np.flatnonzero((np.abs(features) > _FARTHEST).any(axis=1))
        if len(far):
            raise ValueError(
                f"row {first_row + far[0] + 1} of {path} has a number that is more "
                f"than {_FARTHEST:g} times those that the model was fitted to; "
                "correct it, or leave it empty."
            )

    def scores(self, X: Any) -> np.ndarray | None:
        """One column per answer; of two the second is minus the first."""
        if not hasattr(self.model, "decision_function"):
            return None
        found = np.asarray(self.model.decision_function(X), float)
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
        if hasattr(self.model, "steps") and len(self.model.steps) > 1:
            X = self.model[:-1].transform(X)
        return inner.expected_costs(X)


def open_model(path: str) -> StoredModel:
    """Load a classifier that was saved with softcost."""
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
    if kinds is None and features["names"] is not None:
        words = {name for name, kind in features["dtypes"].items() if kind == "str"}
        kinds = {
            name: "nominal" if name in words else "number" for name in features["names"]
        }
    return StoredModel(path, model, manifest, last.classes_, kinds)


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
) -> Iterator[tuple[pd.DataFrame, Any]]:
    """The raw rows of a file, some at a time, and as the model wants them.

    What cannot be read is bad input.
    """
    first_row = 0
    with bad_input():
        n_features = None
        if format_of(path) == "libsvm":
            n_features = stored.manifest["features"]["count"]
        rows = stored.rows_at_once() if rows is None else rows
        for raw in table_pieces(path, rows, n_features, say_note):
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
        raise BadInput("give --costs FILE or --cost-columns PREFIX, not both.")


def price_list(
    stored: StoredModel, target: str, costs: str | None, cost_columns: str | None
) -> Prices:
    """The prices that were asked for, or else the model's own."""
    if costs is not None:
        matrix = read_cost_file(costs, say_note)
        names = [str(name) for name in stored.classes.tolist()]
        where = {"data": stored.path, "target": target, "path": costs}
        return Prices(match_classes(matrix, names, tell=say_note, **where), None)
    if cost_columns is not None:
        return Prices(None, cost_columns)
    prefix = stored.manifest["notes"].get("cost_columns")
    if prefix is None and stored.manifest["costs"] == "by example":
        raise ValueError(
            f"{stored.path} was trained with prices by row: give --cost-columns PREFIX "
            "or --costs FILE."
        )
    return Prices(stored.cost_matrix() if prefix is None else None, prefix)


def answer_known_rows(
    stored: StoredModel, data: str, target: str, prices: Prices
) -> KnownRows:
    """Predict a file in pieces, and price every answer."""
    with failed_job():
        labels, predicted, by_row = _predict(stored, data, target, prices.columns)
    with bad_input():
        priced = _priced(stored, labels, prices, by_row)
    return KnownRows(
        labels, priced.costs, priced.classes, priced.actions, predicted=predicted
    )


def read_known_rows(
    stored: StoredModel, data: str, target: str, prices: Prices
) -> tuple[Any, PricedRows]:
    """All rows of a file as the model wants them, and what answers to them cost."""
    rows, labels, costs = [], [], []
    for raw, X in read_pieces(stored, data, without={target}):
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
    stored: StoredModel, data: str, target: str, cost_columns: str | None
) -> tuple[np.ndarray, np.ndarray, pd.DataFrame | None]:
    """True labels, predicted labels and costs by row, of all rows of a file."""
    labels, predicted, costs = [], [], []
    for raw, X in read_pieces(stored, data, without={target}):
        with bad_input():
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
    labels = read_labels(column(raw, target, "--target", data), "--target", data)
    known = {str(name) for name in stored.classes.tolist()}
    unknown = sorted(set(labels.tolist()) - known)
    if unknown:
        raise ValueError(
            f"--target {target!r} of {data} has classes that the model does not know, "
            f"{quoted_names(unknown)}; it knows {quoted_names(sorted(known))}."
        )
    return labels


# The rows whose answers are most in doubt.


ROW, RISK, MARGIN = "row", "expected_cost", "margin"


class Riskiest:
    """Keeps the rows of a table that are most in doubt, as they are seen.

    By expected cost of the answer where the model knows it, the largest first; else by
    margin, how far the best score is above the second best, the smallest first.

    Parameters
    ----------
    most : int
        How many are kept.
    """

    def __init__(self, most: int):
        self._most, self._seen = most, 0
        self._kept: pd.DataFrame | None = None

    def see(self, frame: pd.DataFrame, stored: StoredModel) -> None:
        """Look at the next predictions, with scores or expected costs."""
        frame = frame.copy()
        frame.insert(0, ROW, np.arange(self._seen, self._seen + len(frame)) + 1)
        self._seen += len(frame)
        if RISK not in frame:
            names = [f"score_{name}" for name in stored.answers.tolist()]
            if not set(names) <= set(frame):
                raise BadInput(
                    f"{stored.path} has no scores to find the riskiest rows by; leave "
                    "out --riskiest."
                )
            best = np.sort(frame[names].to_numpy(float), axis=1)
            frame[MARGIN] = best[:, -1] - best[:, -2]
        every = frame if self._kept is None else pd.concat([self._kept, frame])
        key, up = (RISK, False) if RISK in frame else (MARGIN, True)
        ordered = every.sort_values(key, ascending=up, kind="stable")
        self._kept = ordered.head(self._most).reset_index(drop=True)

    def rows(self) -> pd.DataFrame:
        """The riskiest rows, the worst first."""
        return pd.DataFrame() if self._kept is None else self._kept
