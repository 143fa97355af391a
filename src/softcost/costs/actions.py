"""Answers beyond the classes: "ask a person", "run another test".

A cost matrix may have more columns than rows, a table of costs more columns than there
are classes. What may be answered are the classes, in their order, and then the extra
actions, so that the number of a class is the number of its answer.
"""

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcost.costs.labels import label_array, names_like, numbers, read_matrix, shown

NO_ACTIONS: NDArray[Any] = np.empty(0, dtype="U1")


def check_actions(actions: Any, classes: NDArray[Any]) -> NDArray[Any]:
    """Read the names of extra actions, in their order.

    Parameters
    ----------
    actions : array-like of shape (n_extra,), or None
        One name for each; none is a class.
    classes : array of shape (n_classes,)
    """
    if actions is None:
        return NO_ACTIONS
    found = label_array(actions, "actions")
    names = found.tolist()
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"actions repeats {shown(twice)}; list every action once.")
    known = set(classes.tolist())
    both = [name for name in names if name in known]
    if both:
        raise ValueError(
            f"actions names {shown(both)}, which is a class; list only what may be"
            " answered beyond the classes."
        )
    return found


def extra_actions(
    classes: NDArray[Any], *, actions: ArrayLike | None = None, cost_matrix: Any = None
) -> NDArray[Any]:
    """Say which answers there are beyond the classes.

    Parameters
    ----------
    classes : array of shape (n_classes,)
        The classes.
    actions : array-like of shape (n_extra,), optional
        Their names, in the order of an unlabelled price list's last columns.
    cost_matrix : table or dict of shape (n_classes, n_actions), optional
        Where it is labelled and `actions` is not given, its columns that are no rows.

    Returns
    -------
    array of shape (n_extra,)
        Their names; none of them is a class.

    See Also
    --------
    all_answers : The classes and then the extra actions, in one array.
    check_action_error : How much each extra action counts as an error, shape
        (n_extra,).

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.costs import extra_actions
    >>> prices = {"ham": {"spam": 5, "ask": 1}, "spam": {"ham": 9, "ask": 1}}
    >>> extra_actions(np.array(["ham", "spam"]), cost_matrix=prices).tolist()
    ['ask']
    """
    if actions is not None or cost_matrix is None:
        return check_actions(actions, classes)
    _, rows, columns = read_matrix(cost_matrix)
    if rows is None or columns is None:
        return NO_ACTIONS
    known = set(classes.tolist())
    extra = [name for name in names_like(columns, classes) if name not in known]
    return check_actions(extra, classes) if extra else NO_ACTIONS


def require_costs(extra: NDArray[Any]) -> None:
    """Refuse actions without prices: for classes there are the naive ones."""
    if len(extra):
        raise ValueError(
            f"actions names {shown(extra.tolist())}, but there are no prices for them;"
            " pass cost_matrix or costs with a column for each."
        )


def all_answers(classes: NDArray[Any], extra: NDArray[Any]) -> NDArray[Any]:
    """The classes and then the extra actions, in one array.

    Numbers and words in one array stay what they are, as objects.

    Parameters
    ----------
    classes : array of shape (K,)
        The classes.
    extra : array of shape (A - K,)
        What may be answered beyond them, see :func:`extra_actions`.

    Returns
    -------
    array of shape (A,)
        `classes` itself where there is nothing beyond.

    See Also
    --------
    extra_actions : Say which answers there are beyond the classes.
    answer_indices : Say which answer each label is: the number of a class or of an
        extra action.

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
    """How much each extra action counts as an error, shape (n_extra,).

    Parameters
    ----------
    action_error : float, or dict of action and float
        1 counts it as a whole error, 0 as none.
    extra : array of shape (n_extra,)
        The actions.

    Returns
    -------
    array of shape (n_extra,)
        Finite and not negative, in the order of `extra`.

    See Also
    --------
    error_costs : Costs that count errors: ``w_y [k != y]``, and ``w_y e_a`` for an
        extra action.

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
        strange = [name for name in action_error if name not in names]
        missing = [name for name in names if name not in action_error]
        if strange or missing:
            raise ValueError(
                f"action_error names {shown(list(action_error))}, but the actions are"
                f" {shown(names)}; give every one of them a number."
            )
        values = [action_error[name] for name in names]
        found = numbers(np.array(values, dtype=object), "action_error")
    elif isinstance(action_error, Real) and not isinstance(action_error, bool):
        found = np.full(len(extra), float(action_error))
    else:
        raise TypeError(
            "action_error must be a number or a dict of action and number, not"
            f" {action_error!r}; pass 1.0 to count an action as an error."
        )
    number = isinstance(action_error, Real)
    checked = np.array([float(action_error)]) if number else found
    if not np.isfinite(checked).all() or (checked < 0).any():
        raise ValueError(
            f"action_error must be finite and not negative, not {action_error!r};"
            " pass 1.0 to count an action as an error."
        )
    return found


def answer_indices(
    y: Any, classes: NDArray[Any], extra: NDArray[Any], *, argument: str
) -> NDArray[np.intp]:
    """Say which answer each label is: the number of a class or of an extra action.

    Parameters
    ----------
    y : array-like of shape (n,)
        Answers: classes or actions.
    classes : array of shape (K,)
        The classes.
    extra : array of shape (A - K,)
        What may be answered beyond them.
    argument : str
        The name of `y` in messages.

    Returns
    -------
    array of shape (n,)
        ``all_answers(classes, extra)[result[n]] == y[n]``.

    See Also
    --------
    class_indices : Say which class each label is.
    all_answers : The classes and then the extra actions, in one array.

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
    place = {answer: number for number, answer in enumerate(answers)}
    given = labels.tolist()
    unknown = sorted({str(label) for label in given if label not in place})
    if unknown:
        raise ValueError(
            f"{argument} has answers that are neither classes nor actions,"
            f" {shown(unknown)}; there are {shown(answers)}: correct {argument} or pass"
            " classes= and actions= with all of them."
        )
    return np.array([place[label] for label in given], dtype=np.intp)
