"""One way to measure predictions: from confusion matrices and what was paid.

The trade-off table, scores, the command line, the explorer and the paper's tables all
come here, so that one model never has two costs.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

MEASURES = ("cost", "error", "weighted_error", "g_mean", "normalized_cost")
ACTION_MEASURES = ("coverage", "error_answered")  # where there are actions


def confusion_counts(
    true: NDArray[np.intp],
    predicted: NDArray[np.intp],
    n_classes: int,
    weight: NDArray[np.float64],
    n_actions: int | None = None,
) -> NDArray[np.float64]:
    """Weight of rows by true class and answer.

    Parameters
    ----------
    true : array of shape (n,)
        Numbers of the true classes.
    predicted : array of shape (n,) or (m, n)
        Numbers of the predicted answers, for one or several models.
    n_classes : int
        K.
    weight : array of shape (n,)
        How much each row counts.
    n_actions : int, default=None
        How many answers A there are, by default the classes alone.

    Returns
    -------
    array of shape (K, A) or (m, K, A)
        Rows are true classes, columns answers.

    See Also
    --------
    measures_from_confusion : All measures of one or several models.
    sklearn.metrics.confusion_matrix : The same for labels and one model.

    Examples
    --------
    Two models at once, the second of which knows only one class:

    >>> import numpy as np
    >>> from softcost.metrics import confusion_counts
    >>> true = np.array([0, 1, 1])
    >>> predicted = np.array([[0, 0, 1], [1, 1, 1]])
    >>> confusion_counts(true, predicted, 2, np.ones(3))
    array([[[1., 0.],
            [1., 1.]],
    <BLANKLINE>
           [[0., 1.],
            [0., 2.]]])
    """
    n_actions = n_classes if n_actions is None else n_actions
    models, cells = np.atleast_2d(predicted), n_classes * n_actions
    weights = np.broadcast_to(weight, models.shape)
    first = true * n_actions
    counts = np.empty((len(models), cells))
    for count, model, w in zip(counts, models, weights, strict=True):
        count[:] = np.bincount(first + model, w, cells)
    return counts.reshape(*np.shape(predicted)[:-1], n_classes, n_actions)


def total_cost(
    costs: NDArray[np.float64],
    predicted: NDArray[np.intp],
    weight: NDArray[np.float64],
) -> Any:
    """What the predictions of one or several models cost in all.

    Parameters
    ----------
    costs : array of shape (n, A)
        What each answer costs for every row.
    predicted : array of shape (n,) or (m, n)
        Numbers of the predicted answers.
    weight : array of shape (n,)
        How much each row counts.

    Returns
    -------
    float or array of shape (m,)
        ``sum_n weight_n costs[n, predicted_n]``.

    See Also
    --------
    mean_cost : Return what the predictions cost on average, in the user's units.
    confusion_counts : Weight of rows by true class and answer.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.metrics import total_cost
    >>> costs = np.array([[0.0, 1.0], [5.0, 0.0]])
    >>> total_cost(costs, np.array([[0, 0], [1, 1]]), np.ones(2)).tolist()
    [5.0, 1.0]
    """
    every, models = np.arange(len(costs)), np.atleast_2d(predicted)
    totals = np.array([costs[every, one] @ weight for one in models])
    return totals if np.ndim(predicted) > 1 else totals[0]


def measures_from_confusion(
    confusion: NDArray[np.float64],
    paid: Any,
    *,
    least: Any = 0.0,
    unit: float = 1.0,
    error_weight: NDArray[np.float64],
    action_error: NDArray[np.float64] | None = None,
) -> dict[str, Any]:
    """All measures of one or several models.

    Parameters
    ----------
    confusion : array of shape (..., K, A)
        Weight of rows by true class and answer, the classes first.
    paid : array of shape (...)
        What the predictions cost in all.
    least : array of shape (...)
        What the right predictions would have cost in all.
    unit : float
        Average cost of a mistake: what normalised costs are divided by.
    error_weight : array of shape (K,)
        Weight of an error by true class.
    action_error : array of shape (A - K,), default=None
        How much each action beyond the classes counts as an error, by default 1.

    Returns
    -------
    dict of arrays of shape (...)
        Mean ``cost``, ``error`` rate, mean ``weighted_error``, ``g_mean`` (geometric
        mean of the recalls of classes that occur) and ``normalized_cost``. Where there
        are actions beyond the classes also ``coverage``, the share of rows that are
        answered with a class, and ``error_answered``, the error rate among these (NaN
        where there are none).

    See Also
    --------
    confusion_counts : Weight of rows by true class and answer.
    measure : Return all measures of predictions at once.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.metrics import measures_from_confusion
    >>> counts = np.array([[8.0, 2.0], [1.0, 9.0]])
    >>> prices = np.array([[0.0, 1.0], [5.0, 0.0]])
    >>> found = measures_from_confusion(
    ...     counts, (counts * prices).sum(), unit=3.0, error_weight=np.ones(2)
    ... )
    >>> print(f"{found['cost']:.2f} {found['error']:.2f} {found['g_mean']:.3f}")
    0.35 0.15 0.849
    """
    total = confusion.sum(axis=(-2, -1))
    right = np.diagonal(confusion, axis1=-2, axis2=-1)
    sizes = confusion.sum(axis=-1)
    wrong = sizes - right
    n_classes, n_actions = confusion.shape[-2:]
    extra: dict[str, Any] = {}
    if n_actions > n_classes:
        other = confusion[..., n_classes:]
        answered = total - other.sum(axis=(-2, -1))
        mistaken = answered - right.sum(axis=-1)
        none = np.full_like(total, np.nan)
        extra["coverage"] = answered / total
        extra["error_answered"] = np.divide(
            mistaken, answered, out=none, where=answered > 0
        )
        if action_error is not None:
            wrong = wrong - other @ (1.0 - action_error)
    product, n_present = recalls_product(confusion)
    return {
        "cost": paid / total,
        "error": wrong.sum(axis=-1) / total,
        "weighted_error": (wrong @ error_weight) / total,
        "g_mean": product ** (1.0 / np.maximum(n_present, 1)),
        "normalized_cost": (paid - least) / total / unit if unit > 0 else 0.0 * paid,
        **extra,
    }


def recalls_product(confusion: NDArray[np.float64]) -> tuple[Any, Any]:
    """Product of the recalls of classes that occur, and how many these are."""
    right = np.diagonal(confusion, axis1=-2, axis2=-1)
    sizes = confusion.sum(axis=-1)
    present = sizes > 0
    recall = np.divide(right, sizes, out=np.ones_like(right), where=present)
    return recall.prod(axis=-1), present.sum(axis=-1)
