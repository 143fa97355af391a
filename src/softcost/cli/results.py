"""What models cost: measured on held-out rows."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from softcost import metrics
from softcost.cli.console import print_table, stdout_console
from softcost.costs import NO_ACTIONS, all_answers, answer_indices, class_indices
from softcost.formatting import format_cost
from softcost.metrics import (
    Measure,
    column_importance,
    confusion_counts,
    reported_measures,
)
from softcost.parallel import one_thread
from softcost.report import ExplorerData, python_lines, write_explorer
from softcost.tables import Kind, feature_kinds


def measure_cells(results: Mapping[str, Any], measures: Iterable[Measure]) -> list[str]:
    """Measures as cells of a table, with standard errors if the results have them."""
    return [
        measure.format(results[measure.name], results.get(measure.standard_error))
        for measure in measures
    ]


def measure(
    labels: np.ndarray,
    predicted: np.ndarray,
    costs: np.ndarray,
    classes: np.ndarray,
    actions: Sequence[Any] | np.ndarray = (),
) -> dict[str, float | None]:
    """The reported measures of predictions.

    Parameters
    ----------
    labels, predicted : arrays of shape (n,)
    costs : array of shape (n, A)
        In the user's units, in the order of ``classes`` and then of ``actions``.
    """
    found = metrics.measure(
        labels,
        predicted,
        costs=costs,
        classes=classes,
        actions=list(actions) or None,
    )
    return {
        measure.name: finite_or_none(found[measure.name])
        for measure in reported_measures(len(actions) > 0)
    }


def saving_percent(cost: float | None, regular: float | None) -> float | None:
    """By how many percent a cost is below that of the regular model."""
    if cost is None or not regular:
        return None
    return finite_or_none(100.0 * (regular - cost) / regular)


def finite_or_none(value: Any) -> float | None:
    """A float for strict JSON: None where there is no number."""
    return float(value) if np.isfinite(value) else None


# What each column of a table is worth to a model: facts, and a table of them.


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


# Which mistakes a model makes, and what they cost.


def confusion(
    labels: np.ndarray,
    predicted: np.ndarray,
    classes: np.ndarray,
    actions: np.ndarray = NO_ACTIONS,
) -> np.ndarray:
    """Counts by true class and answer, shape (K, A)."""
    true = class_indices(labels, classes)
    chosen = answer_indices(predicted, classes, actions, argument="predicted")
    size = len(classes) + len(actions)
    counts = confusion_counts(true, chosen, len(classes), np.ones(len(true)), size)
    return counts.astype(int)


def most_expensive_mistakes(
    labels: np.ndarray,
    predicted: np.ndarray,
    costs: np.ndarray,
    classes: np.ndarray,
    actions: np.ndarray = NO_ACTIONS,
    most: int = 5,
) -> list[dict[str, Any]]:
    """The kinds of mistakes, and of actions, that cost most in all."""
    size = len(classes) + len(actions)
    true = class_indices(labels, classes)
    chosen = answer_indices(predicted, classes, actions, argument="predicted")
    extra = costs[np.arange(len(true)), chosen] - costs.min(axis=1)
    cell = true * size + chosen
    total = np.bincount(cell, extra, minlength=len(classes) * size)
    count = np.bincount(cell, minlength=len(classes) * size)
    names = [str(name) for name in all_answers(classes, actions).tolist()]
    return [
        {
            "true": names[one // size],
            "predicted": names[one % size],
            "times": int(count[one]),
            "cost": float(total[one]),
        }
        for one in np.argsort(-total, kind="stable")[:most].tolist()
        if total[one] > 0 and one // size != one % size
    ]


# The explorer page of a model, from what its training noted.


_EXPECTED = ("cost", "low", "high")
_TEST = ("cost", "error")


def write_page(path: str, model: Pipeline, notes: dict[str, Any]) -> None:
    """Write the page of a model that ``softcost fit`` trained.

    Parameters
    ----------
    path : str
    model : Pipeline
        Columns, then the search.
    notes : dict
        What was learnt from and what came of it, as a saved model has them.
    """
    write_explorer(path, page_data(model, notes))


def page_data(model: Pipeline, notes: dict[str, Any]) -> ExplorerData:
    """What such a page shows; a ValueError where notes are not as fit writes them."""
    if not _are_sound(notes):
        raise ValueError("the notes of the model are odd.")
    search = model["search"]
    details: dict[str, Any] = {
        "title": f"{os.path.basename(notes['data'])}: {notes['target']}",
        "command": notes["commands"],
        "currency": notes["currency"],
        "advice": notes["advice"],
    }
    expected = notes["expected"]
    if expected is not None:
        details["expected"] = tuple(expected[name] for name in _EXPECTED)
    if notes["held_out"] is not None:
        test = pd.DataFrame(notes["held_out"]).T
        counts = notes["held_out_confusion"]
        details |= {
            "test": test[[one.name for one in reported_measures("coverage" in test)]],
            "n_test": notes["test_rows"],
            "test_confusion": np.array([counts[name] for name in test.index], float),
        }
    importance = notes.get("importance")  # older models have none
    if importance is not None:
        details["importance"] = importance["columns"]
        details["importance_rows"] = importance["rows"]
    if "family" in search.tradeoff_:
        details["python"] = None  # there is no search at hand to take a model from
    else:
        params = list(search.candidate_params(search.best_index_))
        details["python"] = python_lines(search, params, model["columns"])
    return ExplorerData.from_search(search, **details)


def _are_sound(notes: dict[str, Any]) -> bool:
    """Whether notes have the types that the page relies on: files may say anything."""
    texts = (notes.get(name) for name in ("data", "target", "currency"))
    advice, commands = notes.get("advice"), notes.get("commands")
    expected, held_out = notes.get("expected"), notes.get("held_out")
    if isinstance(commands, dict):
        commands = list(commands.values())
    return (
        all(isinstance(text, str) for text in texts)
        and (advice is None or _is_advice(advice))
        and (commands is None or isinstance(commands, str) or _are_texts(commands))
        and (expected is None or _has_numbers(expected, _EXPECTED))
        and _is_importance(notes.get("importance"))
        and (
            held_out is None
            or (
                _has_numbers(notes, ["test_rows"])
                and isinstance(held_out, dict)
                and all(
                    _has_numbers(one, ["cost", "error"]) for one in held_out.values()
                )
                and isinstance(notes.get("held_out_confusion"), dict)
            )
        )
    )


def _is_importance(value: Any) -> bool:
    """None, or numbers by column; a single row has no interval."""
    if value is None:
        return True
    columns = value.get("columns") if isinstance(value, dict) else None
    return (
        isinstance(columns, list)
        and isinstance(value.get("rows"), int)
        and all(
            isinstance(one, dict)
            and isinstance(one.get("column"), str)
            and isinstance(one.get("saving"), int | float)
            and isinstance(one.get("shown"), bool)
            and all(
                one.get(name) is None or isinstance(one[name], int | float)
                for name in ("low", "high")
            )
            for one in columns
        )
    )


def _is_advice(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("verdict"), str)
        and _are_texts(value.get("sentences"))
    )


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _has_numbers(value: Any, names: Iterable[str]) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(name), int | float) for name in names
    )
