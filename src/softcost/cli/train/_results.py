"""Regular, hard and chosen, side by side."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from softcost.cli.results import (
    confusion,
    finite_or_none,
    importance_facts,
    measure,
    rows_for,
    saving_percent,
)
from softcost.cli.train._asked import asked_facts
from softcost.cli.train._data import Rows, TrainingInput
from softcost.cli.train._families import family_facts
from softcost.cli.train._sensitivity import how_sure
from softcost.costs import answer_indices
from softcost.metrics import paired_saving, reported_measures
from softcost.report import advice, saving_facts

MOST_PREDICTIONS = 20_000_000  # beyond, resampling takes long and says little
_SHUFFLES = 2  # of each column; 'softcost explain' has more
_MOST_SHUFFLED = 60_000  # predictions for what columns are worth: some seconds


def compare(model: Pipeline, data: TrainingInput, currency: str = "") -> dict[str, Any]:
    """Cross-validated results of regular, hard and chosen; held-out ones as well."""
    search = model["search"]
    rows = search.reference_rows()
    validated = {
        name: _cross_validated(search.tradeoff_, row, search.candidate_params(row))
        for name, row in rows.items()
    }
    validated = {"constant": _constant(search)} | validated
    _add_savings(validated)
    guarantee = search.guarantee_
    answers = _test_answers(model, rows, data.test)
    held_out, test_savings = _held_out(search, answers, data.test, data.test_costs)
    if held_out is not None and "regular" in held_out:
        _add_savings(held_out)
    compared = [name for name in ("constant", "regular") if name in validated]
    savings = {name: saving_facts(search.saving(name)) for name in compared}
    label = str(search.constant_["label"])
    told, where = savings, "held-out rows of the cross-validation"
    if test_savings is not None:  # rows that took no part in the choice
        told, where = test_savings, "the test rows"
    return {
        "constant": search.constant_["label"],
        "expected": _expected(search),
        "cross_validated": validated,
        "held_out": held_out,
        "held_out_confusion": _confusions(search, answers, data.test),
        "savings": {"cross_validated": savings, "held_out": test_savings},
        "advice": advice(
            label, told["constant"], told.get("regular"), where, currency=currency
        ),
        "budget_met": None if guarantee is None else guarantee["met"],
        "guarantee": guarantee,
        "sensitivity": how_sure(search),
        "families": family_facts(search),
        "asked": asked_facts(search),
        "importance": _importance(model, data),
    }


def _importance(model: Pipeline, data: TrainingInput) -> dict[str, Any] | None:
    """What columns save on the test rows; None where there are none, or too many."""
    rows = rows_for(len(data.kinds), _SHUFFLES, _MOST_SHUFFLED)
    if data.test is None or data.test_costs is None or rows is None:
        return None
    search = model["search"]
    return importance_facts(
        model.predict,
        data.test.X,
        data.test.y,
        data.test_costs,
        search.classes_,
        search.actions_[len(search.classes_) :],
        data.kinds,
        most_rows=rows,
        repeats=_SHUFFLES,
    )


def _expected(search: Any) -> dict[str, Any] | None:
    """What the chosen candidate is expected to cost on new rows."""
    if len(search.tradeoff_) * search.n_samples_ > MOST_PREDICTIONS:
        return None
    try:
        found = search.optimism()
    except ValueError:  # a single row was held out
        return None
    return {
        "cost": found.expected_cost,
        "low": found.low,
        "high": found.high,
        "optimism": found.optimism,
        "candidates": found.n_candidates,
    }


def _constant(search: Any) -> dict[str, Any]:
    """The best constant answer, as a row of the table."""
    row: dict[str, Any] = {"softness": None, "params": {}}
    for shown in reported_measures("coverage" in search.constant_):
        for name in (shown.name, shown.standard_error):
            row[name] = finite_or_none(search.constant_[name])
    return row


def _cross_validated(table: pd.DataFrame, row: int, params: dict) -> dict[str, Any]:
    """A row of the trade-off table as plain values."""
    found = table.iloc[row]
    out: dict[str, Any] = {"softness": float(found["softness"]), "params": params}
    if "family" in table:
        out["family"] = str(found["family"])
    for shown in reported_measures("coverage" in table):
        for name in (shown.name, shown.standard_error):
            out[name] = finite_or_none(found[name])
    return out


def _test_answers(
    model: Pipeline, rows: dict[str, int], test: Rows | None
) -> dict[str, np.ndarray] | None:
    """What the best constant and the compared candidates answer for test rows."""
    if test is None:
        return None
    search = model["search"]
    X = model["columns"].transform(test.X)
    models = search.fit_candidates(set(rows.values()))
    by_row = {row: model.predict(X) for row, model in models.items()}
    always = np.full(len(test.y), search.constant_["label"], search.actions_.dtype)
    return {"constant": always} | {name: by_row[row] for name, row in rows.items()}


def _held_out(
    search: Any,
    answers: dict[str, np.ndarray] | None,
    test: Rows | None,
    costs: np.ndarray | None,
) -> tuple[dict[str, dict[str, Any]] | None, dict[str, dict[str, Any]] | None]:
    """Measures on test rows, and what the choice saves there."""
    if answers is None or test is None or costs is None:
        return None, None
    known_as = (search.classes_, search.actions_[len(search.classes_) :])
    paid = {name: _paid(one, costs, *known_as) for name, one in answers.items()}
    savings: dict[str, dict[str, Any]] = {
        name: saving_facts(paired_saving(paid[name], paid["chosen"]))
        for name in ("constant", "regular")
        if name in paid
    }
    measured = {
        name: measure(test.y, one, costs, *known_as) for name, one in answers.items()
    }
    return measured, savings


def _confusions(
    search: Any, answers: dict[str, np.ndarray] | None, test: Rows | None
) -> dict[str, list[list[int]]] | None:
    """Test rows by true class and answer, for each of the models."""
    if answers is None or test is None:
        return None
    known_as = (search.classes_, search.actions_[len(search.classes_) :])
    return {
        name: confusion(test.y, one, *known_as).tolist()
        for name, one in answers.items()
    }


def _paid(
    answers: np.ndarray, costs: np.ndarray, classes: np.ndarray, actions: np.ndarray
) -> np.ndarray:
    """What each answer costs, shape (n,)."""
    chosen = answer_indices(answers, classes, actions, argument="predictions")
    return costs[np.arange(len(answers)), chosen]


def _add_savings(results: dict[str, dict[str, Any]]) -> None:
    regular = results.get("regular", {}).get("cost")
    for values in results.values():
        values["saving_percent"] = saving_percent(values["cost"], regular)
