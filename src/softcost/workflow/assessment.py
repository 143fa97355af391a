"""What is known about a trained model, as plain data: costs, savings, importance."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from softcost import metrics
from softcost.costs import NO_ACTIONS, all_answers, answer_indices, class_indices
from softcost.formatting import short_params
from softcost.metrics import (
    column_importance,
    confusion_counts,
    paired_saving,
    reported_measures,
)
from softcost.parallel import one_thread
from softcost.report import advice, saving_facts
from softcost.search import Regret, SoftCostClassifierCV
from softcost.search.mixture import predict_at
from softcost.search.price_lines import NotTraceable
from softcost.tables.cells import Kind
from softcost.tables.kinds import feature_kinds
from softcost.workflow.training_data import Rows, TrainingTable


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


# Importance of columns.


_FEWEST_ROWS = 100


def importance_facts(
    predict: Callable[[Any, np.ndarray | None], np.ndarray],
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
    matrices: np.ndarray | None = None,
) -> dict[str, Any]:
    """What columns save per row, as plain data; parts of a date are one column.

    Parameters
    ----------
    predict : callable
        From rows and their cost matrices to answers.
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
    matrices : array of shape (n, K, A), default=None
        The cost matrix of every row. It stays with its row: a column is worth what it
        says about the class.
    """
    rows = np.arange(len(labels))
    if len(rows) > most_rows:
        drawn = np.random.default_rng(seed).permutation(len(rows))
        rows = np.sort(drawn[:most_rows])
    columns = None
    if kinds is not None:
        columns = {name: list(feature_kinds({name: kinds[name]})) for name in kinds}

    def predict_copies(part: Any) -> np.ndarray:
        """Answers for copies of the rows, one copy after another."""
        if matrices is None:
            return predict(part, None)
        copies = len(part) // len(rows)
        return predict(part, np.tile(matrices[rows], (copies, 1, 1)))

    with one_thread():
        found = column_importance(
            predict_copies,
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


# Facts about a search.


def action_facts(search: SoftCostClassifierCV) -> dict[str, Any] | None:
    """Held-out rows by action, and the saving over answering all rows.

    None where there are no actions. ``saving`` is over the cheapest candidate that
    uses no action on any held-out row, None where there is none.
    """
    n_classes = len(search.classes_)
    names = [str(name) for name in search.actions_[n_classes:].tolist()]
    if not names:
        return None
    counts = search.confusion_.sum(axis=1)
    sent = counts[:, :, n_classes:].sum(axis=1)
    own = sent[search.best_index_]
    cost = search.tradeoff_["cost"].to_numpy()
    alone = np.flatnonzero(sent.sum(axis=1) == 0)
    saving = None
    if len(alone):
        row = int(alone[cost[alone].argmin()])
        saving = saving_facts(search.saving(row)) | {"cost": float(cost[row])}
    return {
        "rows": float(counts[search.best_index_].sum()),
        "actions": dict(zip(names, own.tolist(), strict=True)),
        "saving": saving,
    }


def family_facts(search: SoftCostClassifierCV) -> list[dict[str, Any]] | None:
    """One entry per family: its cheapest candidate, or why there is none.

    None for a search over one family without a time limit.
    """
    table, skipped = search.tradeoff_, getattr(search, "skipped_", None)
    if "family" not in table and skipped is None:
        return None
    named = table["family"] if "family" in table else table["cost"].map(lambda _: "")
    facts = []
    for family in dict.fromkeys(named):
        row = int(table["cost"][named == family].idxmin())
        facts.append(
            {
                "family": family,
                "softness": float(table["softness"][row]),
                "params": short_params(search.candidate_params(row)),
                "candidates": int((named == family).sum()),
            }
            | {
                name: finite_or_none(table[name][row])
                for name in ("cost", "cost_se", "error", "error_se")
            }
            | {"skipped": _why(skipped, family, tried=True)}
        )
    facts.sort(key=lambda one: one["cost"])
    tried = {one["family"] for one in facts}
    left = [] if skipped is None else dict.fromkeys(skipped["family"].fillna(""))
    facts += [
        {"family": family, "skipped": _why(skipped, family)}
        for family in left
        if family not in tried
    ]
    portfolio = getattr(search, "portfolio_", None)
    if portfolio is not None:
        unsuited = portfolio[~portfolio["used"]]
        facts += [
            {"family": family, "skipped": f"does not suit this table: {why}"}
            for family, why in zip(unsuited["family"], unsuited["why"], strict=True)
        ]
    return facts


def _why(skipped: Any, family: str, tried: bool = False) -> str | None:
    """Which settings of a family were left out, in words."""
    if skipped is None:
        return None
    own = skipped[skipped["family"].fillna("") == family]
    if own.empty:
        return None
    names = [text for text in own["params"] if text]
    what = f"without {'; '.join(names)}: " if tried and names else ""
    return what + "; ".join(dict.fromkeys(own["why"]))


def sensitivity_facts(
    search: SoftCostClassifierCV,
    price_range: tuple[pd.DataFrame, pd.DataFrame] | None = None,
) -> dict[str, Any] | None:
    """Prices that would change the choice, nearest first, and intervals of differences.

    With ranges of prices also the regret. None if the rule does not support sensitivity
    analysis.
    """
    try:
        found = search.sensitivity(price_range=price_range)
    except NotTraceable:
        return None
    turning = found.prices[found.prices[["below", "above"]].notna().any(axis=1)]
    turning = turning.sort_values("change", kind="stable")
    return {
        "first": found.first,
        "then": None if found.first is None else _candidate(search, found.first["row"]),
        "prices": [_price(one) for _, one in turning.iterrows()],
        "differences": found.differences.to_dict("records"),
        "regret": None
        if found.price_range is None
        else _regret_facts(search, found.price_range),
    }


_MOST_REGRETS = 10


def _regret_facts(search: SoftCostClassifierCV, regret: Regret) -> dict[str, Any]:
    """Worst regret over ranges of prices: of the choice, and of the best candidates."""
    order = np.argsort(regret.worst, kind="stable")[:_MOST_REGRETS]
    rows = dict.fromkeys([regret.row, *order.tolist()])
    return {
        "chosen": finite_or_none(regret.worst[search.best_index_]),
        "least": finite_or_none(regret.worst[regret.row]),
        "row": int(regret.row),
        "is_chosen": bool(regret.row == search.best_index_),
        "candidates": [
            _candidate(search, row)
            | {"row": row, "worst": finite_or_none(regret.worst[row])}
            for row in rows
        ],
    }


def _candidate(search: SoftCostClassifierCV, row: int) -> dict[str, Any]:
    found = search.tradeoff_.iloc[row]
    family = str(found["family"]) if "family" in found else None
    params = short_params(search.candidate_params(row))
    return {"family": family, "softness": float(found["softness"]), "params": params}


def _price(one: pd.Series) -> dict[str, Any]:
    numbers = {name: finite_or_none(one[name]) for name in ("price", "low", "high")}
    rows = {
        name: None if pd.isna(one[name]) else int(one[name])
        for name in ("below", "above")
    }
    names = {"true": one["true"], "predicted": one["predicted"]}
    return names | numbers | rows | {"change": finite_or_none(one["change"])}


# Regular, hard and chosen, side by side.


MOST_PREDICTIONS = 20_000_000  # beyond, resampling takes long and says little
_SHUFFLES = 2  # of each column; 'softcost explain' has more
_MOST_SHUFFLED = 60_000  # predictions for what columns are worth: some seconds


def compare_candidates(
    model: Any,
    data: TrainingTable,
    currency: str = "",
    *,
    with_importance: bool = True,
) -> dict[str, Any]:
    """Cross-validated results of regular, hard and chosen; held-out ones as well."""
    search = model["search"]
    rows = search.reference_rows()
    validated = {name: _cross_validated(search, row) for name, row in rows.items()}
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
        "sensitivity": sensitivity_facts(search, data.price_range),
        "families": family_facts(search),
        "not_chosen": search.not_chosen().to_dict("records"),
        "asked": action_facts(search),
        "importance": _importance(model, data) if with_importance else None,
    }


def _importance(model: Any, data: TrainingTable) -> dict[str, Any] | None:
    """What columns save on the test rows; None where there are none, or too many."""
    rows = rows_for(len(data.kinds), _SHUFFLES, _MOST_SHUFFLED)
    if data.test is None or data.test_costs is None or rows is None:
        return None
    search = model["search"]
    encoder = model["columns"]
    return importance_facts(
        lambda X, costs: search.predict(encoder.encode(X), costs=costs),
        data.test.X,
        data.test.y,
        data.test_costs,
        search.classes_,
        search.actions_[len(search.classes_) :],
        data.kinds,
        most_rows=rows,
        repeats=_SHUFFLES,
        matrices=data.test.matrices,
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


def _cross_validated(search: SoftCostClassifierCV, row: int) -> dict[str, Any]:
    """A row of the trade-off table as plain values."""
    table = search.tradeoff_
    found = table.iloc[row]
    out: dict[str, Any] = {
        "candidate": row,
        "softness": float(found["softness"]),
        "params": short_params(search.candidate_params(row)),
    }
    if "family" in table:
        out["family"] = str(found["family"])
    for shown in reported_measures("coverage" in table):
        for name in (shown.name, shown.standard_error):
            out[name] = finite_or_none(found[name])
    return out


def _test_answers(
    model: Any, rows: dict[str, int], test: Rows | None
) -> dict[str, np.ndarray] | None:
    """What the best constant and the compared candidates answer for test rows."""
    if test is None:
        return None
    search = model["search"]
    X = model["columns"].encode(test.X)
    models = search.fit_candidates(set(rows.values()))
    by_row = {row: predict_at(model, X, test.matrices) for row, model in models.items()}
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
