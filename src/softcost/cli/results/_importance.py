"""What each column of a table is worth to a model: facts, and a table of them."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from softcost.cli.console import format_cost, print_table, stdout_console
from softcost.cli.inputs import Kind, feature_kinds
from softcost.metrics import column_importance
from softcost.parallel import one_thread

MOST_SHOWN = 10
_FEWEST_ROWS = 100


def importance_facts(
    predict: Callable[[Any], np.ndarray],
    X: Any,
    labels: np.ndarray,
    costs: np.ndarray,
    classes: np.ndarray,
    actions: np.ndarray,
    kinds: Mapping[str, Kind] | None,
    *,
    most_rows: int,
    repeats: int,
    seed: int = 0,
) -> dict[str, Any]:
    """What columns save per row, as plain data; parts of a date are one column.

    Parameters
    ----------
    predict : callable
        From rows to answers.
    X : DataFrame or array
        Rows as the model wants them.
    labels, costs : arrays of shape (n,) and (n, A)
        True classes, and what each answer costs.
    classes, actions : arrays
        What may be answered.
    kinds : dict or None
        Columns of the user's table, where they have names.
    most_rows : int
        Of more, so many are drawn.
    repeats, seed : int
        How often each column is shuffled, and the seed of all that is drawn.
    """
    rows = np.arange(len(labels))
    if len(rows) > most_rows:
        drawn = np.random.default_rng(seed).permutation(len(rows))
        rows = np.sort(drawn[:most_rows])
    columns = None
    if kinds is not None:
        columns = {name: list(feature_kinds({name: kinds[name]})) for name in kinds}
    with one_thread():
        found = column_importance(
            predict,
            X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows],
            labels[rows],
            costs=costs[rows],
            classes=classes,
            actions=actions if len(actions) else None,
            columns=columns,
            n_repeats=repeats,
            random_state=seed,
        )
    return {
        "rows": len(rows),
        "repeats": repeats,
        "columns": [_plain(one) for one in found.to_dict("records")],
    }


def _plain(one: Mapping[Any, Any]) -> dict[str, Any]:
    """Without infinities: a single row has no interval."""
    known = {
        name: float(one[name]) if np.isfinite(one[name]) else None
        for name in ("saving", "low", "high")
    }
    return {"column": str(one["column"]), **known, "shown": bool(one["shown"])}


def rows_for(n_columns: int, repeats: int, most_predictions: int) -> int | None:
    """On how many rows so many predictions can tell; None where on too few."""
    rows = most_predictions // (max(n_columns, 1) * repeats)
    return rows if rows >= _FEWEST_ROWS else None


def print_importance(
    facts: dict[str, Any], currency: str = "", most: int | None = MOST_SHOWN
) -> None:
    """A table of columns, the most important first."""
    if all(one["saving"] == 0 for one in facts["columns"]):
        stdout_console().print("No column changes what the answers cost.")
        return
    shown = facts["columns"][:most]
    unit = f", {currency}" if currency else ""
    headings = [("column", "left"), (f"saves per row{unit}", "right")]
    headings += [("95 % interval", "right"), ("", "left")]
    print_table(
        headings,
        [
            (
                one["column"],
                format_cost(one["saving"]),
                _interval(one["low"], one["high"]),
                "" if one["shown"] else "may be chance",
            )
            for one in shown
        ],
    )
    rest = len(facts["columns"]) - len(shown)
    words = f"{rest} more columns save no more. " if rest else ""
    stdout_console().print(
        f"{words}A column saves what answers cost more when its values are shuffled, "
        f"on {facts['rows']} rows.",
        soft_wrap=True,
    )


def _interval(low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else f"{low:.4g} to {high:.4g}"
