"""The schema of the search over softness and parameters."""

import numpy as np

from softcost.models._array_kinds import numbers
from softcost.models._common_kinds import (
    COUNT,
    FLAG,
    JOBS,
    NUMBER,
    PLAIN,
    SEED,
    VERBOSE,
    require_fitted,
)
from softcost.models._errors import Refused
from softcost.models._kinds import (
    ListOf,
    Nothing,
    Part,
    Real,
    Record,
    Text,
    Tuple,
    bind,
    either,
    maybe,
    one_of,
)
from softcost.models._own_types import NAMED
from softcost.models._reduction_types import MATRIX
from softcost.models._schema import FEATURES, Type
from softcost.models._search_tables import (
    check_constant,
    check_guarantee,
    check_params,
    check_results,
    check_told,
    check_tradeoff,
)
from softcost.models._values import Answers, Labels
from softcost.reductions import CATALOGUE


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
    _check_told(record, count)
    models = {} if chosen is None else {"best_estimator_": chosen}
    kept = record.get("kept_")
    if kept is not None:
        if not isinstance(kept, dict) or not kept:
            raise Refused("kept_: not models by row")
        for row, one in kept.items():
            if type(row) is not int or not 0 <= row < count:
                raise Refused("kept_: no row of the table")
            if not isinstance(one, Record) or one.type not in _REDUCTIONS:
                raise Refused("kept_: not a reduction")
            models[f"kept_ {row}"] = one
    mix = record.get("mix_")
    if mix is not None:
        for side in ("first", "second"):
            if mix.params[side].type not in _REDUCTIONS:
                raise Refused("mix_: not of reductions")
            models[f"mix_ {side}"] = mix.params[side]
    for name, one in models.items():
        _check_model(record, one, name)


def _check_told(record: Record, count: int) -> None:
    """Refuse what nothing is predicted from, but is shown and chosen on."""
    assert record.fitted is not None
    found = record.fitted
    check_results(found["cv_results_"], count)
    check_params(found["best_params_"], "best_params_")
    check_constant(
        found["constant_"], found["actions_"].tolist(), found["error_measure_"]
    )
    check_guarantee(found["guarantee_"], count)
    if "paid_" in found and not found["costs_by_example_"]:
        raise Refused("paid_: it goes with costs by example")
    for name, kinds in _TOLD.items():
        if name in found:
            check_told(found[name], name, kinds)


def _check_model(record: Record, one: Record, name: str) -> None:
    """Refuse a candidate that does not belong to the search."""
    assert record.fitted is not None
    require_fitted(one, record.dims.get("d"), name)
    labels = one.get("classes_")
    if not np.array_equal(labels, record.fitted["classes_"]):
        raise Refused(f"{name}: it has other classes")
    others = record.fitted["actions_"][len(labels) :].tolist()
    if others != one.get("_extra").tolist():
        raise Refused(f"{name}: it has other actions")


_TOLD = {
    "skipped_": {"family": "O", "params": "O", "why": "O"},
    "portfolio_": {"family": "O", "used": "b", "why": "O"},
}
_REDUCTIONS = [entry.class_name for entry in CATALOGUE.values()]
# One reduction, families by name, or the word that has them chosen.
_GIVEN = either(
    Nothing(), one_of("auto"), ListOf(Tuple((Text(), Part(_REDUCTIONS)))),
    Part(_REDUCTIONS),
)  # fmt: skip

SEARCH = Type(
    "softcost.soft:SoftCostClassifierCV",
    {
        "reduction": _GIVEN, "cost_matrix": PLAIN,
        "classes": PLAIN, "softness": PLAIN, "param_grid": PLAIN,
        "criterion": PLAIN, "max_error": PLAIN, "tolerance": PLAIN,
        "actions": PLAIN, "action_error": PLAIN,
        "error_weight": PLAIN, "cv": PLAIN, "calibration": PLAIN, "refit": FLAG,
        "time_limit": maybe(NUMBER),
        "keep_data": FLAG, "n_jobs": JOBS, "random_state": SEED, "verbose": VERBOSE,
    },
    FEATURES | {
        "classes_": Labels("K"), "actions_": Answers("A"), "n_samples_": COUNT,
        "costs_by_example_": FLAG,
        "n_splits_": COUNT, "refit_time_": NUMBER, "constant_": PLAIN,
        "error_measure_": one_of("error", "weighted_error"),
        "cost_matrix_": MATRIX,
        "confusion_": numbers("candidates", "folds", "K", "A"),
        "calibration_confusion_": numbers("candidates", "K", "A"),
        "paid_": numbers("candidates", "K", "A"), "guarantee_": PLAIN,
        "tradeoff_": PLAIN, "cv_results_": PLAIN, "best_index_": COUNT,
        "best_softness_": Real(0, 1), "best_params_": PLAIN,
        "best_score_": NUMBER, "best_estimator_": Part(_REDUCTIONS),
        "mix_": Part(["RandomizedPair"]), "portfolio_": PLAIN, "skipped_": PLAIN,
        "kept_": PLAIN, "handicap_": numbers("candidates"),
    },
    NAMED | {
        "n_features_in_", "best_estimator_", "refit_time_", "mix_", "portfolio_",
        "calibration_confusion_", "paid_", "skipped_", "kept_", "handicap_",
    },
    frozenset({"_problem", "_predicted", "_error_weight", "_chosen_by"}),
    check=_check_search,
)  # fmt: skip
