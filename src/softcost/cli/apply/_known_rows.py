"""What a model answers for rows whose classes are known, and what that costs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from softcost.cli.apply._model_file import StoredModel, read_pieces
from softcost.cli.console import (
    BadInput,
    bad_input,
    failed_job,
    quoted_names,
    say_note,
)
from softcost.cli.inputs import (
    column,
    match_classes,
    read_cost_columns,
    read_cost_file,
    read_labels,
)
from softcost.costs import answer_indices, raw_cost_vectors


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
