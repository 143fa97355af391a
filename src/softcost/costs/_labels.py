"""Class labels: read them, find them, and match names with them."""

from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_PLAIN_KINDS = "biufUS"  # bool, int, unsigned, float, str, bytes


def shown(labels: Sequence[Any], limit: int = 6) -> str:
    """Write labels as a short list for a message."""
    names = ", ".join(repr(label) for label in list(labels)[:limit])
    return names + (", ..." if len(labels) > limit else "")


def python_value(value: Any) -> Any:
    """Return a numpy scalar as the Python object it stands for."""
    return value.item() if isinstance(value, np.generic) else value


def is_sparse(value: Any) -> bool:
    """Whether a value is one of SciPy's sparse containers."""
    return hasattr(value, "toarray")


def label_array(labels: Any, argument: str) -> NDArray[Any]:
    """Read labels as a one-dimensional array of one kind.

    Parameters
    ----------
    labels : array-like of shape (n,)
        A list, array or column (pandas, polars, pyarrow) of strings or numbers.
    argument : str
        What the caller's user calls it; named in every message.

    Returns
    -------
    ndarray of shape (n,)
        Strings (fixed width or object), numbers or booleans.
    """
    wanted = f"{argument} must be a one-dimensional sequence of labels"
    if labels is None or isinstance(labels, str | bytes | Mapping | Set):
        raise TypeError(f"{wanted}, not {type(labels).__name__}; pass a list or array.")
    if is_sparse(labels):
        raise TypeError(f"{wanted}, not sparse; pass {argument}.toarray().ravel().")
    try:
        array = np.asarray(labels)
    except ValueError:
        raise ValueError(f"{wanted}; its rows differ in length, flatten it.") from None
    if array.ndim != 1:
        raise ValueError(f"{wanted}, not of shape {array.shape}; use numpy.ravel.")
    if array.dtype.kind == "O":
        array = _one_kind(array, argument)
    elif array.dtype.kind in "US" and isinstance(labels, list | tuple):
        _one_kind(np.array([*labels, None], dtype=object)[:-1], argument)
    if array.dtype.kind not in _PLAIN_KINDS + "O":
        raise TypeError(
            f"{argument} has labels of type {array.dtype}; convert them to str or int."
        )
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{argument} has a missing label; drop or fill those rows.")
    return array


def _one_kind(array: NDArray[Any], argument: str) -> NDArray[Any]:
    """Check that an object array holds only strings or only numbers."""
    types = {type(value) for value in array}
    if all(issubclass(kind, str) for kind in types):
        return array
    if all(issubclass(kind, Real | np.bool_) for kind in types):
        return np.array(array.tolist())
    for value in array:
        if not isinstance(value, str | Real | np.bool_ | Decimal | bytes):
            raise ValueError(
                f"{argument} has a label that is missing or of an unknown type,"
                f" {value!r}; drop those rows or convert the labels to str or int."
            )
    raise TypeError(
        f"{argument} mixes labels of different types; convert all of them to str."
    )


def check_classes(classes: Any) -> NDArray[Any]:
    """Read an explicit list of classes, keeping its order."""
    array = label_array(classes, "classes")
    if len(array) == 0:
        raise ValueError("classes is empty; list every class once.")
    unique, counts = np.unique(array, return_counts=True)
    if len(unique) < len(array):
        twice = unique[counts > 1].tolist()
        raise ValueError(f"classes repeats {shown(twice)}; list every class once.")
    return array


def class_indices(
    y: ArrayLike, classes: ArrayLike, *, argument: str = "y"
) -> NDArray[np.intp]:
    """Say which class each label is.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels.
    classes : array-like of shape (n_classes,)
        Every class once, in any order.
    argument : str, default="y"
        The name of `y` in messages.

    Returns
    -------
    ndarray of shape (n_samples,)
        ``classes[result[n]] == y[n]``.

    See Also
    --------
    resolve_classes : Decide which classes there are, and their order.
    answer_indices : Say which answer each label is: the number of a class or of an
        extra action.

    Examples
    --------
    >>> from softcost.costs import class_indices
    >>> class_indices(["b", "a", "b"], ["b", "c", "a"])
    array([0, 2, 0])
    """
    labels = label_array(y, argument)
    if len(labels) == 0:
        raise ValueError(f"{argument} is empty; pass at least one example.")
    known = check_classes(classes)
    place = {label: index for index, label in enumerate(known.tolist())}
    unique, inverse = np.unique(labels, return_inverse=True)
    unknown = [label for label in unique.tolist() if label not in place]
    if unknown:
        raise ValueError(
            f"{argument} has labels that are not among the classes, {shown(unknown)};"
            f" the classes are {shown(known.tolist())}: correct {argument} or pass"
            " classes= with every class."
        )
    return np.array([place[label] for label in unique.tolist()], dtype=np.intp)[inverse]


def names_like(names: Sequence[Any], labels: NDArray[Any]) -> list[Any]:
    """Give names the type of labels, where they can have it.

    The header of a CSV file, the columns of polars and pyarrow and the keys of JSON
    are strings even when the labels are numbers; the reverse happens to an index of
    digits. ``"3"`` then means 3, and 3 means ``"3"``.
    """
    kind = labels.dtype.kind
    return [_name_like(python_value(name), kind) for name in names]


def _name_like(name: Any, kind: str) -> Any:
    """Give one name the type of a dtype kind, or leave it."""
    if kind in "UO" and isinstance(name, Real):
        return str(name)
    if kind == "b" and isinstance(name, str):
        return {"true": True, "false": False}.get(name.strip().lower(), name)
    if kind in "iuf" and isinstance(name, str):
        for parse in (int, float):
            with suppress(ValueError):
                return parse(name)
    return name


def positions(
    names: Sequence[Any],
    classes: NDArray[Any],
    argument: str,
    what: str,
    *,
    actions: Sequence[Any] = (),
) -> NDArray[np.intp]:
    """Find every class, and every action, among the names of rows or columns.

    Returns
    -------
    ndarray of shape (n_classes + n_actions,)
        ``names[result[k]]`` is class k, or action k - n_classes. Every one of them
        must be named once, and nothing else.
    """
    own = names_like(names, classes)
    place = {name: index for index, name in enumerate(own)}
    if len(place) < len(own):
        twice = [name for index, name in enumerate(own) if place[name] != index]
        raise ValueError(
            f"{argument} has more than one {what} named {shown(twice)};"
            " name every class once."
        )
    wanted = [*classes.tolist(), *actions]
    missing = [label for label in wanted if label not in place]
    extra = [name for name in own if name not in set(wanted)]
    if missing or extra:
        faults = []
        if missing:
            faults.append(f"no {what} for {shown(missing)}")
        if extra:
            faults.append(f"a {what} for {shown(extra)}, which is no class")
        kinds = "classes and actions" if len(actions) else "classes"
        raise ValueError(
            f"{argument} has {' and '.join(faults)}; name its {what}s exactly as the"
            f" {kinds}, {shown(wanted)}, or pass an array in their order."
        )
    return np.array([place[label] for label in wanted], dtype=np.intp)
