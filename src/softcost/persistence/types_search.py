"""Schemas of the search over softness and parameters, and of its rules."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

from softcost import search
from softcost.persistence.archive import Refused
from softcost.persistence.schema import (
    COUNT,
    ESTIMATOR,
    FEATURES,
    FLAG,
    JOBS,
    NAMED,
    NUMBER,
    PLAIN,
    SEED,
    VERBOSE,
    Answers,
    Frame,
    Labels,
    ListOf,
    Nothing,
    Part,
    Real,
    Record,
    Text,
    Tuple,
    Type,
    bind,
    either,
    maybe,
    numbers,
    one_of,
    require_fitted,
)
from softcost.persistence.types_softcost import MATRIX
from softcost.reductions import CATALOGUE
from softcost.search import ByFunction, RandomizedPair, Rule, SoftCostClassifierCV

# Measures that every file has. Not `softcost.metrics.MEASURES`: if a measure is added
# there, files without it must still load.
_MEASURES = ("cost", "error", "weighted_error", "g_mean", "normalized_cost")
_NUMBERS = ("softness", *_MEASURES, *(f"{name}_se" for name in _MEASURES))


def check_tradeoff(table: Any) -> int:
    """Refuse what is no table of candidates; how many there are.

    Parameters
    ----------
    table : Frame
        Of numbers by candidate, perhaps with the name of its family.
    """
    if not isinstance(table, Frame) or not isinstance(table.index, int):
        raise Refused("tradeoff_: not a table")
    columns = _columns(table, "tradeoff_")
    for name in _NUMBERS:
        if name not in columns or columns[name].dtype.kind not in "fiu":
            raise Refused(f"tradeoff_: no numbers in {name}")
    if columns.get("on_front", np.empty(0)).dtype.kind != "b":
        raise Refused("tradeoff_: no truth values in on_front")
    if not _are_texts(columns.get("family", ())):
        raise Refused("tradeoff_: families that are no text")
    if table.index < 1:
        raise Refused("tradeoff_: no candidates")
    return table.index


def check_results(results: Any, count: int) -> None:
    """Refuse results without the parameters and scores of all candidates."""
    if not _is_named(results):
        raise Refused("cv_results_: not values by name")
    params, scores = results.get("params"), results.get("mean_test_score")
    if not isinstance(params, list) or len(params) != count:
        raise Refused("cv_results_: not one set of parameters for each candidate")
    for candidate in params:
        check_params(candidate, "cv_results_")
    shape = getattr(scores, "shape", None)
    if not isinstance(scores, np.ndarray) or shape != (count,) \
            or scores.dtype.kind != "f":  # fmt: skip
        raise Refused("cv_results_: not one score for each candidate")


def check_params(params: Any, name: str) -> None:
    """Refuse parameters of a candidate that do not say how soft it is."""
    if not _is_named(params) or not _is_number(params.get("softness")):
        raise Refused(f"{name}: parameters without a softness")


def check_constant(constant: Any, actions: list[Any], error: str) -> None:
    """Refuse a best constant answer that is none, or that was not measured."""
    if not _is_named(constant):
        raise Refused("constant_: not values by name")
    label = constant.get("label")
    if isinstance(label, list | dict | np.ndarray) or label not in actions:
        raise Refused("constant_: not one of the answers")
    if not all(_is_number(constant.get(name)) for name in ("cost", error)):
        raise Refused("constant_: it was not measured")


def check_guarantee(guarantee: Any, count: int) -> None:
    """Refuse a guarantee that does not say whether it is met, and by whom."""
    if guarantee is None:
        return
    if not _is_named(guarantee) or not isinstance(guarantee.get("met"), bool):
        raise Refused("guarantee_: it does not say whether it is met")
    missing = guarantee.get("missing")
    if (missing is None) != guarantee["met"] or not isinstance(missing, str | None):
        raise Refused("guarantee_: it says what is missing where it is not met")
    for name in ("passed", "limits"):
        if not isinstance(guarantee.get(name), list):
            raise Refused(f"guarantee_: no list of {name}")
    if not all(type(row) is int and 0 <= row < count for row in guarantee["passed"]):
        raise Refused("guarantee_: no row of the table")
    if not all(_is_named(limit) for limit in guarantee["limits"]):
        raise Refused("guarantee_: limits that are not values by name")


def check_text_table(table: Any, name: str, kinds: dict[str, str]) -> None:
    """Refuse a table with other columns.

    They are of text ("O"), perhaps with gaps, or of truth values ("b").
    """
    if not isinstance(table, Frame):
        raise Refused(f"{name}: not a table")
    columns = _columns(table, name)
    if list(columns) != list(kinds):
        raise Refused(f"{name}: other columns")
    for column, kind in kinds.items():
        values = columns[column]
        if kind == "b" and values.dtype.kind != "b":
            raise Refused(f"{name}: no truth values in {column}")
        if kind == "O" and not _are_texts(cell for cell in values if not _is_gap(cell)):
            raise Refused(f"{name}: no text in {column}")


def _columns(table: Frame, name: str) -> dict[str, np.ndarray]:
    names = table.names
    if names is None or not _are_texts(names) or len(set(names)) < len(names):
        raise Refused(f"{name}: columns without names of their own")
    return dict(zip(names, table.columns, strict=True))


def _is_gap(value: Any) -> bool:
    """Whether a cell is empty, as tables of text have it: None or NaN."""
    return value is None or (isinstance(value, float) and np.isnan(value))


def _are_texts(values: Any) -> bool:
    return all(isinstance(value, str) for value in values)


def _is_named(value: Any) -> bool:
    return isinstance(value, dict) and _are_texts(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_search(record: Record) -> None:
    if record.fitted is None:
        return
    chosen = record.get("best_estimator_")
    classes = record.fitted["classes_"].tolist()
    if record.fitted["actions_"][: len(classes)].tolist() != classes:
        raise Refused("actions_: they do not begin with the classes")
    count = check_tradeoff(record.fitted["tradeoff_"])
    bind(record.dims, "candidates", count)
    if not 0 <= record.fitted["best_index_"] < count:
        raise Refused("best_index_: no row of the table")
    _check_reported(record, count)
    models = {} if chosen is None else {"best_estimator_": chosen}
    candidates = record.get("candidates_")
    if candidates is not None:
        if not isinstance(candidates, dict) or not candidates:
            raise Refused("candidates_: not models by row")
        for row, model in candidates.items():
            if type(row) is not int or not 0 <= row < count:
                raise Refused("candidates_: no row of the table")
            if not isinstance(model, Record) or model.type not in _REDUCTIONS:
                raise Refused("candidates_: not a reduction")
            models[f"candidates_ {row}"] = model
    mix = record.get("mix_")
    if mix is not None:
        for side in ("first", "second"):
            if mix.params[side].type not in _REDUCTIONS:
                raise Refused("mix_: not of reductions")
            models[f"mix_ {side}"] = mix.params[side]
    for name, model in models.items():
        _check_model(record, model, name)


def _check_reported(record: Record, count: int) -> None:
    """Refuse what nothing is predicted from, but is shown and chosen on."""
    assert record.fitted is not None
    fitted = record.fitted
    check_results(fitted["cv_results_"], count)
    check_params(fitted["best_params_"], "best_params_")
    check_constant(
        fitted["constant_"], fitted["actions_"].tolist(), fitted["error_measure_"]
    )
    check_guarantee(fitted["guarantee_"], count)
    if fitted.get("costs_by_row_") and not fitted["costs_by_example_"]:
        raise Refused("costs_by_row_: it goes with costs by example")
    if "realised_cost_" in fitted and not fitted["costs_by_example_"]:
        raise Refused("realised_cost_: it goes with costs by example")
    for name, kinds in _TEXT_TABLES.items():
        if name in fitted:
            check_text_table(fitted[name], name, kinds)


def _check_model(record: Record, model: Record, name: str) -> None:
    """Refuse a candidate that does not belong to the search."""
    assert record.fitted is not None
    encoded = "encoder_" in record.fitted
    if encoded != ("encoder_" in (model.fitted or {})):
        raise Refused(f"{name}: it does not read what the search reads")
    require_fitted(model, None if encoded else record.dims.get("d"), name)
    labels = model.get("classes_")
    if not np.array_equal(labels, record.fitted["classes_"]):
        raise Refused(f"{name}: it has other classes")
    others = record.fitted["actions_"][len(labels) :].tolist()
    if others != model.get("_extra").tolist():
        raise Refused(f"{name}: it has other actions")


_TEXT_TABLES = {
    "skipped_": {"family": "O", "params": "O", "why": "O"},
    "portfolio_": {"family": "O", "used": "b", "why": "O"},
}
_REDUCTIONS = [entry.class_name for entry in CATALOGUE.values()]
# One reduction, a list of named families, or "auto".
_REDUCTION = either(
    Nothing(), one_of("auto"), ListOf(Tuple((Text(), Part(_REDUCTIONS)))),
    Part(_REDUCTIONS),
)  # fmt: skip

SEARCH = Type(
    SoftCostClassifierCV,
    {
        "reduction": _REDUCTION, "cost_matrix": PLAIN,
        "classes": PLAIN, "softness": PLAIN, "param_grid": PLAIN,
        "criterion": PLAIN, "max_error": PLAIN, "tolerance": PLAIN,
        "actions": PLAIN, "action_error": PLAIN,
        "error_weight": PLAIN, "categorical_features": PLAIN, "cv": PLAIN,
        "holdout": PLAIN, "refit": FLAG,
        "time_limit": maybe(NUMBER), "error_score": PLAIN,
        "keep_data": FLAG, "n_jobs": JOBS, "random_state": SEED, "verbose": VERBOSE,
    },
    FEATURES | {
        "classes_": Labels("K"), "actions_": Answers("A"), "n_samples_": COUNT,
        "costs_by_example_": FLAG, "costs_by_row_": FLAG,
        "n_splits_": COUNT, "refit_time_": NUMBER, "constant_": PLAIN,
        "error_measure_": one_of("error", "weighted_error"),
        "cost_matrix_": MATRIX,
        "confusion_": numbers("candidates", "folds", "K", "A"),
        "holdout_confusion_": numbers("candidates", "K", "A"),
        "realised_cost_": numbers("candidates", "K", "A"), "guarantee_": PLAIN,
        "tradeoff_": PLAIN, "cv_results_": PLAIN, "best_index_": COUNT,
        "best_softness_": Real(0, 1), "best_params_": PLAIN,
        "best_score_": NUMBER, "best_estimator_": Part(_REDUCTIONS),
        "mix_": Part(["RandomizedPair"]), "portfolio_": PLAIN, "skipped_": PLAIN,
        "candidates_": PLAIN, "selection_penalty_": numbers("candidates"),
        "encoder_": Part(["TableEncoder"]),
    },
    NAMED | {
        "n_features_in_", "best_estimator_", "refit_time_", "mix_", "portfolio_",
        "costs_by_row_",  # missing in files written before it existed
        "holdout_confusion_", "realised_cost_", "skipped_", "candidates_",
        "selection_penalty_", "encoder_",
    },
    frozenset({"_problem", "_predicted", "_error_weight", "_chosen_by"}),
    check=_check_search,
    renamed={
        "calibration": "holdout", "calibration_confusion_": "holdout_confusion_",
        "paid_": "realised_cost_", "kept_": "candidates_",
        "handicap_": "selection_penalty_",
    },
)  # fmt: skip


def _check_pair(record: Record) -> None:
    for name in ("first", "second"):
        require_fitted(record.params.get(name), None, name)


def _check_settings(rule: type) -> Callable[[Record], None]:
    def check(record: Record) -> None:
        try:
            rule(**record.params)
        except (TypeError, ValueError) as error:
            raise Refused(str(error)) from None

    return check


def _public_rules() -> list[type]:
    """The rules of `softcost.search`, except `ByFunction`: files contain no code."""
    names = (getattr(search, name) for name in search.__all__)
    classes = [cls for cls in names if isinstance(cls, type) and issubclass(cls, Rule)]
    return [cls for cls in classes if cls not in (Rule, ByFunction)]


SEARCH_TYPES = [
    SEARCH,
    Type(
        RandomizedPair,
        {"first": ESTIMATOR, "second": ESTIMATOR, "probability": Real(0, 1),
         "random_state": SEED},
        {}, check=_check_pair, take=lambda value: {},
    ),
    *(
        Type(
            rule, {field.name: PLAIN for field in fields(rule)},
            check=_check_settings(rule), take=lambda value: {}, is_estimator=False,
        )
        for rule in _public_rules()
    ),
]  # fmt: skip
