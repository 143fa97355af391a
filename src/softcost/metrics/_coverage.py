"""Measures of answers where not every answer is a class."""

from typing import Any

from numpy.typing import ArrayLike

from softcost.metrics._answers import all_measures, read_answers


def coverage(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    actions: ArrayLike,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the share of examples that are answered with a class.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True labels and answers.
    actions : array-like
        Answers that are no classes, such as "ask a person".
    classes : array-like of shape (n_classes,), optional
        The classes; labels outside them and the actions are refused.
    sample_weight : array-like of shape (n_samples,), optional
        How much each example counts.

    Returns
    -------
    float
        ``sum_n s_n [g(x_n) is a class] / sum_n s_n``.

    See Also
    --------
    error_answered : Return the error rate among the examples that are answered with a
        class.
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
    """Return the error rate among the examples that are answered with a class.

    Parameters
    ----------
    y_true, y_pred, actions, classes, sample_weight
        As in :func:`coverage`.

    Returns
    -------
    float
        NaN where no example is answered with a class.

    See Also
    --------
    coverage : Return the share of examples that are answered with a class.
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
    """One of the measures; prices do not matter to it."""
    rows, predicted = read_answers(
        y_true, y_pred, classes, sample_weight, actions=actions
    )
    return float(all_measures(rows, predicted)[name])
