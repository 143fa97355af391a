"""Actions other than predicting a class: "ask a person", "run another test".

A cost matrix may have more columns than rows, and costs by example more columns than
there are classes. The possible answers are the classes, in their order, and then the
extra actions. So the index of a class is also the index of its answer.
"""

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcost.costs.labels import label_array, names_like, numbers, read_matrix, shown

NO_ACTIONS: NDArray[Any] = np.empty(0, dtype="U1")


def check_actions(actions: Any, classes: NDArray[Any]) -> NDArray[Any]:
    """Check the names of extra actions.

    Parameters
    ----------
    actions : array-like of shape (n_extra,), or None
        Distinct names that are not classes.
    classes : array of shape (n_classes,)
        The classes.

    Returns
    -------
    array of shape (n_extra,)
        The names, in their order.
    """
    if actions is None:
        return NO_ACTIONS
    extra = label_array(actions, "actions")
    names = extra.tolist()
    if len(set(names)) < len(names):
        repeated = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"actions repeats {shown(repeated)}; list every action once.")
    labels = set(classes.tolist())
    also_classes = [name for name in names if name in labels]
    if also_classes:
        raise ValueError(
            f"actions names {shown(also_classes)}, which is a class; list only answers"
            " other than the classes."
        )
    return extra


def extra_actions(
    classes: NDArray[Any], *, actions: ArrayLike | None = None, cost_matrix: Any = None
) -> NDArray[Any]:
    """Return the names of the actions other than predicting a class.

    Parameters
    ----------
    classes : array of shape (n_classes,)
        The classes.
    actions : array-like of shape (n_extra,), optional
        Names of the actions, in the order of the last columns of unlabelled costs.
    cost_matrix : table or dict of shape (n_classes, n_actions), optional
        If it is labelled and `actions` is missing, its columns that are not classes are
        the actions.

    Returns
    -------
    array of shape (n_extra,)
        The names.

    See Also
    --------
    all_answers : Return all answers: the classes, then the extra actions.
    check_action_error : Check how much each extra action counts as an error.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.costs import extra_actions
    >>> costs = {"ham": {"spam": 5, "ask": 1}, "spam": {"ham": 9, "ask": 1}}
    >>> extra_actions(np.array(["ham", "spam"]), cost_matrix=costs).tolist()
    ['ask']
    """
    if actions is not None or cost_matrix is None:
        return check_actions(actions, classes)
    _, rows, columns = read_matrix(cost_matrix)
    if rows is None or columns is None:
        return NO_ACTIONS
    labels = set(classes.tolist())
    extra = [name for name in names_like(columns, classes) if name not in labels]
    return check_actions(extra, classes) if extra else NO_ACTIONS


def require_costs(extra: NDArray[Any]) -> None:
    """Raise an error for actions without costs: only classes have default costs."""
    if len(extra):
        raise ValueError(
            f"actions names {shown(extra.tolist())}, but there are no costs for them;"
            " pass cost_matrix or costs with a column for each."
        )


def all_answers(classes: NDArray[Any], extra: NDArray[Any]) -> NDArray[Any]:
    """Return all answers: the classes, then the extra actions.

    If the types differ, the result has dtype object, so numbers stay numbers.

    Parameters
    ----------
    classes : array of shape (K,)
        The classes.
    extra : array of shape (A - K,)
        Extra actions, see :func:`extra_actions`.

    Returns
    -------
    array of shape (A,)
        `classes` itself if there are no extra actions.

    See Also
    --------
    extra_actions : Return the names of the actions other than predicting a class.
    answer_indices : Return the index of each answer among the classes and extra
        actions.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.costs import all_answers
    >>> all_answers(np.array([0, 1]), np.array(["ask"]))
    array([0, 1, 'ask'], dtype=object)
    """
    if len(extra) == 0:
        return classes
    if classes.dtype.kind == extra.dtype.kind and classes.dtype.kind != "O":
        return np.concatenate([classes, extra])
    out = np.empty(len(classes) + len(extra), dtype=object)
    out[:] = [*classes.tolist(), *extra.tolist()]
    return out


def check_action_error(action_error: Any, extra: NDArray[Any]) -> NDArray[np.float64]:
    """Check how much each extra action counts as an error.

    Parameters
    ----------
    action_error : float, or dict of action and float
        1 counts an action as an error, 0 does not.
    extra : array of shape (n_extra,)
        The actions.

    Returns
    -------
    array of shape (n_extra,)
        Finite numbers, not negative, in the order of `extra`.

    See Also
    --------
    error_costs : Weighted 0/1 costs: ``w_y [k != y]``, and ``w_y e_a`` for an extra
        action.

    Examples
    --------
    Asking a person counts as half an error, a second test as none:

    >>> import numpy as np
    >>> from softcost.costs import check_action_error
    >>> check_action_error({"test": 0, "ask": 0.5}, np.array(["ask", "test"]))
    array([0.5, 0. ])
    """
    if isinstance(action_error, Mapping):
        names = extra.tolist()
        unknown = [name for name in action_error if name not in names]
        missing = [name for name in names if name not in action_error]
        if unknown or missing:
            raise ValueError(
                f"action_error names {shown(list(action_error))}, but the actions are"
                f" {shown(names)}; give each action a number."
            )
        values = [action_error[name] for name in names]
        errors = numbers(np.array(values, dtype=object), "action_error")
    elif isinstance(action_error, Real) and not isinstance(action_error, bool):
        errors = np.full(len(extra), float(action_error))
    else:
        raise TypeError(
            "action_error must be a number or a dict of action and number, not"
            f" {action_error!r}; pass 1.0 to count an action as an error."
        )
    # A single number is checked even if there are no actions.
    scalar = isinstance(action_error, Real)
    checked = np.array([float(action_error)]) if scalar else errors
    if not np.isfinite(checked).all() or (checked < 0).any():
        raise ValueError(
            f"action_error must be finite and not negative, not {action_error!r};"
            " pass 1.0 to count an action as an error."
        )
    return errors


def answer_indices(
    y: Any, classes: NDArray[Any], extra: NDArray[Any], *, argument: str
) -> NDArray[np.intp]:
    """Return the index of each answer among the classes and extra actions.

    Parameters
    ----------
    y : array-like of shape (n,)
        Answers: classes or actions.
    classes : array of shape (K,)
        The classes.
    extra : array of shape (A - K,)
        The extra actions.
    argument : str
        The name of `y` in messages.

    Returns
    -------
    array of shape (n,)
        ``all_answers(classes, extra)[result[n]] == y[n]``.

    See Also
    --------
    class_indices : Return the class index of each label.
    all_answers : Return all answers: the classes, then the extra actions.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.costs import answer_indices
    >>> classes, extra = np.array(["ham", "spam"]), np.array(["ask"])
    >>> answer_indices(["ask", "ham"], classes, extra, argument="y_pred")
    array([2, 0])
    """
    labels = np.asarray(y, dtype=object if isinstance(y, list) else None)
    if labels.ndim != 1:
        raise ValueError(
            f"{argument} must be one-dimensional, not of shape {labels.shape}; use"
            " numpy.ravel."
        )
    answers = all_answers(classes, extra).tolist()
    index = {answer: number for number, answer in enumerate(answers)}
    names = labels.tolist()
    unknown = sorted({str(name) for name in names if name not in index})
    if unknown:
        raise ValueError(
            f"{argument} has answers that are neither classes nor actions,"
            f" {shown(unknown)}; the answers are {shown(answers)}. Correct {argument},"
            " or pass classes= and actions= with all of them."
        )
    return np.array([index[name] for name in names], dtype=np.intp)
