"""Public functions that measure predictions: labels and costs in, a number out."""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcost.costs import (
    RowCosts,
    answer_indices,
    class_indices,
    error_costs,
    error_weights,
    extra_actions,
    resolve_classes,
    row_costs,
)
from softcost.metrics.measures import (
    confusion_counts,
    measures_from_confusion,
    recalls_product,
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
    """Validate labels, answers and costs: the rows with their costs, answer indices."""
    prices = {"cost_matrix": cost_matrix, "costs": costs}
    extra = _extra(y_true, classes, actions, prices)
    both = resolve_classes(y_true, argument="y_true").tolist()
    answered = _without(y_pred, extra, isinstance(both[0], str))
    if extra is None or len(answered):
        both += resolve_classes(answered, argument="y_pred").tolist()
    class_labels = resolve_classes(
        both, classes=classes, argument="y_true or y_pred", actions=extra, **prices
    )
    true = class_indices(y_true, class_labels, argument="y_true")
    if extra is not None and cost_matrix is None and costs is None:  # all cost 1
        ones = np.ones(len(class_labels))
        prices["cost_matrix"] = error_costs(ones, np.ones(len(extra)))
    rows = row_costs(
        y_true,
        classes=class_labels,
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
    """Answers that are not classes, or None."""
    if actions is None and prices["cost_matrix"] is None:
        return None
    class_labels = resolve_classes(
        y_true, classes=classes, argument="y_true", actions=actions, **prices
    )
    matrix = prices["cost_matrix"]
    extra = extra_actions(class_labels, actions=actions, cost_matrix=matrix)
    return extra if len(extra) else None


def _without(y_pred: Any, extra: NDArray[Any] | None, words: bool) -> Any:
    """The answers that are classes, all texts or all numbers."""
    if extra is None:
        return y_pred
    others = set(extra.tolist())
    answers = y_pred if isinstance(y_pred, list) else np.asarray(y_pred).tolist()
    labels = [label for label in answers if label not in others]
    unknown = [label for label in labels if isinstance(label, str) != words]
    if unknown:
        raise ValueError(
            f"y_pred has answers that are neither classes nor actions, {unknown[0]!r};"
            " correct them, or name them by actions=."
        )
    return labels


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
        least_cost=costs.min(axis=1) @ rows.weight,
        mistake_cost=rows.average_mistake(),
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


def mean_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    cost_matrix: Any = None,
    costs: Any = None,
    classes: ArrayLike | None = None,
    actions: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the mean cost of the predictions, in the user's units.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True labels and answers.
    cost_matrix : array-like, table or dict of shape (n_classes, n_actions), optional
        ``cost_matrix[true, predicted]``.
    costs : array-like or table of shape (n_samples, n_actions), optional
        ``costs[n, k]``, the cost of answer k for example n, or of shape (n_samples,
        n_classes, n_actions), a cost matrix for every example. Without any costs, every
        mistake costs 1.
    classes : array-like of shape (n_classes,), optional
        The classes, in the order of unlabelled costs; by default the labels of
        labelled costs, or the sorted labels of `y_true` and `y_pred`.
    actions : array-like, optional
        Answers that are not classes, in the order of the last columns of an unlabelled
        cost matrix; a labelled one names them itself.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each example.

    Returns
    -------
    float
        ``sum_n s_n c_n[g(x_n)] / sum_n s_n``.

    See Also
    --------
    normalized_cost : Return the mean cost in units of the average cost of a mistake.
    error_rate : Return the share of wrong predictions.
    measure : Return all measures of predictions at once.

    Examples
    --------
    >>> from softcost.metrics import mean_cost
    >>> prices = {"ham": {"spam": 5}, "spam": {"ham": 1}}
    >>> mean_cost(["ham", "spam"], ["spam", "ham"], cost_matrix=prices)
    3.0
    """
    rows, predicted = read_answers(
        y_true,
        y_pred,
        classes,
        sample_weight,
        actions=actions,
        cost_matrix=cost_matrix,
        costs=costs,
    )
    realised_cost = total_cost(rows.in_users_units, predicted, rows.weight)
    return float(realised_cost / rows.weight.sum())


def error_rate(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    actions: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the share of wrong predictions.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    classes : array-like of shape (n_classes,), optional
        The classes; other labels are an error.
    actions : array-like, optional
        Answers that are not classes; they count as wrong.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each example.

    Returns
    -------
    float
        ``sum_n s_n [g(x_n) != y_n] / sum_n s_n``.

    See Also
    --------
    mean_cost : Return the mean cost of the predictions, in the user's units.
    weighted_error : Return the errors, weighted by true class.

    Examples
    --------
    >>> from softcost.metrics import error_rate
    >>> error_rate([0, 1, 2, 2], [0, 1, 1, 2])
    0.25
    """
    rows, predicted = read_answers(
        y_true, y_pred, classes, sample_weight, actions=actions
    )
    return float(rows.weight @ (rows.y != predicted) / rows.weight.sum())


def weighted_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    error_weight: Any = "balanced",
    reduce: Literal["mean", "sum"] = "mean",
    classes: ArrayLike | None = None,
    actions: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the errors, weighted by true class.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    error_weight : "balanced", None or dict of label and weight, default="balanced"
        "balanced" is ``N_min / N_y`` with the class sizes of `y_true`; see
        :func:`softcost.costs.error_weights`.
    reduce : {"mean", "sum"}, default="mean"
        Mean over the examples, or their sum.
    classes : array-like of shape (n_classes,), optional
        The classes; by default the sorted labels of `y_true` and `y_pred`.
    actions : array-like, optional
        Answers that are not classes; they count as wrong.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each example; class sizes do not depend on it.

    Returns
    -------
    float
        ``sum_n s_n w_{y_n} [g(x_n) != y_n]``, divided by ``sum_n s_n`` for the mean.

    See Also
    --------
    error_rate : Return the share of wrong predictions.
    g_mean : Return the geometric mean of the recalls of the classes.
    softcost.costs.error_weights : The weights.

    Examples
    --------
    >>> from softcost.metrics import weighted_error
    >>> weighted_error(["a", "b", "b", "b"], ["b", "a", "b", "b"], reduce="sum")
    1.333...
    """
    if reduce not in ("mean", "sum"):
        raise ValueError(f"reduce must be 'mean' or 'sum', not {reduce!r}; choose one.")
    rows, predicted = read_answers(
        y_true, y_pred, classes, sample_weight, actions=actions
    )
    by_class = error_weights(y_true, error_weight, rows.classes)
    confusion = confusion_of(rows, predicted)
    wrong = confusion.sum(axis=1) - np.diagonal(confusion)
    total = float(wrong @ by_class)
    return total if reduce == "sum" else total / float(rows.weight.sum())


def g_mean(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    root: bool = True,
    absent: Literal["skip", "zero"] = "skip",
    classes: ArrayLike | None = None,
    actions: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the geometric mean of the recalls of the classes.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    root : bool, default=True
        Whether to take the K-th root; without it this is :func:`recall_product`.
    absent : {"skip", "zero"}, default="skip"
        Whether a class without examples in `y_true` is left out or has recall 0.
    classes : array-like of shape (n_classes,), optional
        The classes; by default the sorted labels of `y_true` and `y_pred`.
    actions : array-like, optional
        Answers that are not classes; they count as missed.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each example; a class of total weight 0 is absent.

    Returns
    -------
    float
        ``(prod_k R_k) ** (1 / K)`` over the K classes that count.

    See Also
    --------
    recall_product : Return the product of the recalls of the classes, without a root.
    weighted_error : Return the errors, weighted by true class.

    Examples
    --------
    >>> from softcost.metrics import g_mean
    >>> g_mean(["a", "a", "a", "a", "b"], ["a", "b", "b", "b", "b"])
    0.5
    """
    if absent not in ("skip", "zero"):
        raise ValueError(
            f"absent must be 'skip' or 'zero', not {absent!r}; choose one."
        )
    rows, predicted = read_answers(
        y_true, y_pred, classes, sample_weight, actions=actions
    )
    confusion = confusion_of(rows, predicted)
    product, n_present = recalls_product(confusion)
    if absent == "zero" and n_present < rows.n_classes:
        return 0.0
    return float(product ** (1.0 / n_present) if root else product)


def recall_product(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    absent: Literal["skip", "zero"] = "skip",
    classes: ArrayLike | None = None,
    actions: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the product of the recalls of the classes, without a root.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    absent, classes, actions, sample_weight
        As in :func:`g_mean`.

    Returns
    -------
    float
        ``prod_k R_k``, at most the :func:`g_mean`.

    See Also
    --------
    g_mean : Return the geometric mean of the recalls of the classes.

    Examples
    --------
    >>> from softcost.metrics import recall_product
    >>> recall_product(["a", "a", "a", "a", "b"], ["a", "b", "b", "b", "b"])
    0.25
    """
    return g_mean(
        y_true,
        y_pred,
        root=False,
        absent=absent,
        classes=classes,
        actions=actions,
        sample_weight=sample_weight,
    )


def normalized_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    cost_matrix: Any = None,
    costs: Any = None,
    classes: ArrayLike | None = None,
    actions: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the mean cost in units of the average cost of a mistake.

    Comparable with the error rate, and equal to it for naive costs.

    Parameters
    ----------
    y_true, y_pred, cost_matrix, costs, classes, actions, sample_weight
        As in :func:`mean_cost`. The cost of a correct prediction is subtracted first.

    Returns
    -------
    float
        With a matrix C, the mean cost under ``C * K (K - 1) / sum(C)``. With costs by
        example, C is estimated: its row y is the (weighted) mean of the cost vectors
        of class y, and classes that do not occur are left out of the average. If every
        class occurs, costs that only depend on the class give the same either way. 0.0
        if no mistake costs anything.

    See Also
    --------
    mean_cost : Return the mean cost of the predictions, in the user's units.
    softcost.search.MaxOfBoth : The rule that compares it with the error.

    Examples
    --------
    >>> from softcost.metrics import normalized_cost
    >>> normalized_cost([0, 1], [1, 1], cost_matrix=[[0, 6], [2, 0]])
    0.75
    """
    rows, predicted = read_answers(
        y_true,
        y_pred,
        classes,
        sample_weight,
        actions=actions,
        cost_matrix=cost_matrix,
        costs=costs,
    )
    return float(all_measures(rows, predicted)["normalized_cost"])


def measure(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    cost_matrix: Any = None,
    costs: Any = None,
    error_weight: Any = "balanced",
    action_error: Any = 1.0,
    classes: ArrayLike | None = None,
    actions: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> dict[str, float]:
    """Return all measures of predictions at once.

    Parameters
    ----------
    y_true, y_pred, cost_matrix, costs, classes, actions, sample_weight
        As in :func:`mean_cost`.
    error_weight : "balanced", None or dict of label and weight, default="balanced"
        As in :func:`weighted_error`.
    action_error : float, or dict of action and float, default=1.0
        Error of an answer that is not a class.

    Returns
    -------
    dict
        Every measure of `MEASURES` by name, as the functions above return them; those
        that need actions only if there are actions.

    See Also
    --------
    mean_cost : Return the mean cost of the predictions, in the user's units.
    error_rate : Return the share of wrong predictions.
    measures_from_confusion : All measures of one or several models.

    Examples
    --------
    >>> from softcost.metrics import measure
    >>> measures = measure([0, 1, 1], [1, 1, 1], cost_matrix=[[0, 6], [2, 0]])
    >>> measures["cost"], measures["g_mean"]
    (2.0, 0.0)
    """
    rows, predicted = read_answers(
        y_true,
        y_pred,
        classes,
        sample_weight,
        actions=actions,
        cost_matrix=cost_matrix,
        costs=costs,
        action_error=action_error,
    )
    by_class = error_weights(y_true, error_weight, rows.classes)
    measures = all_measures(rows, predicted, by_class)
    return {name: float(value) for name, value in measures.items()}


def coverage(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    actions: ArrayLike,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the share of examples answered with a class.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True labels and answers.
    actions : array-like
        Answers that are not classes, such as "ask a person".
    classes : array-like of shape (n_classes,), optional
        The classes; labels that are neither classes nor actions are an error.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each example.

    Returns
    -------
    float
        ``sum_n s_n [g(x_n) is a class] / sum_n s_n``.

    See Also
    --------
    error_answered : Return the error rate among the examples answered with a class.
    measure : Return all measures of predictions at once.

    Examples
    --------
    >>> from softcost.metrics import coverage
    >>> coverage(["a", "b", "b", "a"], ["a", "ask", "a", "a"], actions=["ask"])
    0.75
    """
    return _measured("coverage", y_true, y_pred, classes, sample_weight, actions)


def error_answered(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    actions: ArrayLike,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the error rate among the examples answered with a class.

    Parameters
    ----------
    y_true, y_pred, actions, classes, sample_weight
        As in :func:`coverage`.

    Returns
    -------
    float
        NaN if no example is answered with a class.

    See Also
    --------
    coverage : Return the share of examples answered with a class.
    error_rate : Return the share of wrong predictions.

    Examples
    --------
    >>> from softcost.metrics import error_answered
    >>> error_answered(["a", "b", "b", "a"], ["a", "ask", "a", "a"], actions=["ask"])
    0.333...
    """
    return _measured("error_answered", y_true, y_pred, classes, sample_weight, actions)


def _measured(
    name: str, y_true: Any, y_pred: Any, classes: Any, sample_weight: Any, actions: Any
) -> float:
    """A measure that does not depend on costs."""
    rows, predicted = read_answers(
        y_true, y_pred, classes, sample_weight, actions=actions
    )
    return float(all_measures(rows, predicted)[name])
