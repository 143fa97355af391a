"""True labels, answers and prices, read and checked for all measures."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcost.costs import (
    RowCosts,
    answer_indices,
    class_indices,
    error_costs,
    extra_actions,
    resolve_classes,
    row_costs,
)
from softcost.metrics._measures import (
    confusion_counts,
    measures_from_confusion,
    total_cost,
)


def read_answers(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    classes: ArrayLike | None,
    sample_weight: ArrayLike | None,
    *,
    actions: ArrayLike | None = None,
    cost_matrix: Any = None,
    costs: Any = None,
    action_error: Any = 1.0,
) -> tuple[RowCosts, NDArray[np.intp]]:
    """The true rows with their costs, and the numbers of the answers."""
    prices = {"cost_matrix": cost_matrix, "costs": costs}
    extra = _extra(y_true, classes, actions, prices)
    both = resolve_classes(y_true, argument="y_true").tolist()
    answered = _without(y_pred, extra, isinstance(both[0], str))
    if extra is None or len(answered):
        both += resolve_classes(answered, argument="y_pred").tolist()
    known = resolve_classes(
        both, classes=classes, argument="y_true or y_pred", actions=extra, **prices
    )
    true = class_indices(y_true, known, argument="y_true")
    if extra is not None and cost_matrix is None and costs is None:  # all cost 1
        ones = np.ones(len(known))
        prices["cost_matrix"] = error_costs(ones, np.ones(len(extra)))
    rows = row_costs(
        y_true,
        classes=known,
        sample_weight=_weights(sample_weight, len(true)),
        actions=extra,
        action_error=action_error,
        **prices,
    )
    if extra is None:
        predicted = class_indices(y_pred, rows.classes, argument="y_pred")
    else:
        predicted = answer_indices(y_pred, rows.classes, rows.extra, argument="y_pred")
    if len(true) != len(predicted):
        raise ValueError(
            f"y_pred has {len(predicted)} labels for {len(true)} in y_true; pass the"
            " predictions of the same examples."
        )
    return rows, predicted


def _extra(
    y_true: Any, classes: Any, actions: Any, prices: dict[str, Any]
) -> NDArray[Any] | None:
    """Answers that are no classes, None where there are none."""
    if actions is None and prices["cost_matrix"] is None:
        return None
    known = resolve_classes(
        y_true, classes=classes, argument="y_true", actions=actions, **prices
    )
    matrix = prices["cost_matrix"]
    found = extra_actions(known, actions=actions, cost_matrix=matrix)
    return found if len(found) else None


def _without(y_pred: Any, extra: NDArray[Any] | None, words: bool) -> Any:
    """The answers that are classes, which are words or numbers."""
    if extra is None:
        return y_pred
    others = set(extra.tolist())
    given = y_pred if isinstance(y_pred, list) else np.asarray(y_pred).tolist()
    left = [label for label in given if label not in others]
    strange = [label for label in left if isinstance(label, str) != words]
    if strange:
        raise ValueError(
            f"y_pred has answers that are neither classes nor actions, {strange[0]!r};"
            " correct it, or name it by actions=."
        )
    return left


def confusion_of(rows: RowCosts, predicted: NDArray[np.intp]) -> NDArray[np.float64]:
    """Weight of rows by true class and answer, shape (K, A)."""
    return confusion_counts(
        rows.y, predicted, rows.n_classes, rows.weight, rows.n_actions
    )


def all_measures(
    rows: RowCosts,
    predicted: NDArray[np.intp],
    by_class: NDArray[np.float64] | None = None,
) -> dict[str, Any]:
    """Every measure of one model's answers."""
    costs = rows.in_users_units
    return measures_from_confusion(
        confusion_of(rows, predicted),
        total_cost(costs, predicted, rows.weight),
        least=costs.min(axis=1) @ rows.weight,
        unit=rows.average_mistake(),
        error_weight=np.ones(rows.n_classes) if by_class is None else by_class,
        action_error=rows.action_error,
    )


def _weights(sample_weight: ArrayLike | None, n_samples: int) -> NDArray[np.float64]:
    """Check sample weights; ones if there are none."""
    if sample_weight is None:
        return np.ones(n_samples)
    remedy = f"pass {n_samples} numbers, one per example, not all 0"
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"sample_weight must hold numbers; {remedy}.") from None
    if weights.shape != (n_samples,):
        raise ValueError(f"sample_weight has shape {weights.shape}; {remedy}.")
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ValueError(
            f"sample_weight must be finite, not negative and not all 0; {remedy}."
        )
    return weights
