"""Regular, hard and chosen, side by side."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from softcost.cli.results import MEASURES, finite_or_none, measure, saving_percent
from softcost.cli.train._data import Rows, TrainingInput

MOST_PREDICTIONS = 20_000_000  # beyond, resampling takes long and says little


def compare(model: Pipeline, data: TrainingInput) -> dict[str, Any]:
    """Cross-validated results of regular, hard and chosen; held-out ones as well."""
    search = model["search"]
    rows = search.reference_rows()
    validated = {
        name: _cross_validated(search.tradeoff_, row, search.candidate_params(row))
        for name, row in rows.items()
    }
    validated = {"constant": _constant(search)} | validated
    _add_savings(validated)
    held_out = _held_out(model, rows, data.test, data.test_costs)
    if held_out is not None and "regular" in held_out:
        _add_savings(held_out)
    return {
        "constant": search.constant_["label"],
        "expected": _expected(search),
        "cross_validated": validated,
        "held_out": held_out,
    }


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
    for name in MEASURES:
        row[name] = finite_or_none(search.constant_[name])
        row[f"{name}_se"] = finite_or_none(search.constant_[f"{name}_se"])
    return row


def _cross_validated(table: pd.DataFrame, row: int, params: dict) -> dict[str, Any]:
    """A row of the trade-off table as plain values."""
    found = table.iloc[row]
    out: dict[str, Any] = {"softness": float(found["softness"]), "params": params}
    if "family" in table:
        out["family"] = str(found["family"])
    for name in MEASURES:
        out[name] = finite_or_none(found[name])
        out[f"{name}_se"] = finite_or_none(found[f"{name}_se"])
    return out


def _held_out(
    model: Pipeline, rows: dict[str, int], test: Rows | None, costs: np.ndarray | None
) -> dict[str, dict[str, Any]] | None:
    if test is None or costs is None:
        return None
    search = model["search"]
    X = model["columns"].transform(test.X)
    known: dict[int, dict[str, Any]] = {}
    for row in rows.values():
        if row not in known:
            fitted = search if row == search.best_index_ else search.candidate(row)
            predicted = fitted.predict(X)
            known[row] = measure(test.y, predicted, costs, search.classes_)
    always = np.full(len(test.y), search.constant_["label"], search.classes_.dtype)
    constant = measure(test.y, always, costs, search.classes_)
    return {"constant": constant} | {
        name: dict(known[row]) for name, row in rows.items()
    }


def _add_savings(results: dict[str, dict[str, Any]]) -> None:
    regular = results.get("regular", {}).get("cost")
    for values in results.values():
        values["saving_percent"] = saving_percent(values["cost"], regular)
