"""Class labels, and reading of labelled costs in any form.

Labels are read from lists, arrays and columns, and matched with the names of rows and
columns. Costs are read from arrays, lists, dicts and tables (pandas, polars, pyarrow);
`softcost.costs.matrix` validates them.
"""

from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

_PLAIN_KINDS = "biufUS"  # NumPy's codes of bool, int, unsigned, float, str, bytes


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
        The name of the argument in messages.

    Returns
    -------
    ndarray of shape (n,)
        Strings (fixed width or object), numbers or booleans.
    """
    rule = f"{argument} must be a one-dimensional sequence of labels"
    if labels is None or isinstance(labels, str | bytes | Mapping | Set):
        raise TypeError(f"{rule}, not {type(labels).__name__}; pass a list or array.")
    if is_sparse(labels):
        raise TypeError(f"{rule}, not sparse; pass {argument}.toarray().ravel().")
    try:
        array = np.asarray(labels)
    except ValueError:
        raise ValueError(f"{rule}; its rows differ in length, flatten it.") from None
    if array.ndim != 1:
        raise ValueError(f"{rule}, not of shape {array.shape}; use numpy.ravel.")
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
        repeated = unique[counts > 1].tolist()
        raise ValueError(f"classes repeats {shown(repeated)}; list every class once.")
    return array


def class_indices(
    y: ArrayLike, classes: ArrayLike, *, argument: str = "y"
) -> NDArray[np.intp]:
    """Return the class index of each label.

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
    resolve_classes : Determine the classes and their order.
    answer_indices : Return the index of each answer among the classes and extra
        actions.

    Examples
    --------
    >>> from softcost.costs import class_indices
    >>> class_indices(["b", "a", "b"], ["b", "c", "a"])
    array([0, 2, 0])
    """
    labels = label_array(y, argument)
    if len(labels) == 0:
        raise ValueError(f"{argument} is empty; pass at least one example.")
    checked = check_classes(classes)
    index = {label: number for number, label in enumerate(checked.tolist())}
    unique, inverse = np.unique(labels, return_inverse=True)
    unknown = [label for label in unique.tolist() if label not in index]
    if unknown:
        raise ValueError(
            f"{argument} has labels that are not among the classes, {shown(unknown)};"
            f" the classes are {shown(checked.tolist())}: correct {argument} or pass"
            " classes= with every class."
        )
    return np.array([index[label] for label in unique.tolist()], dtype=np.intp)[inverse]


def names_like(names: Sequence[Any], labels: NDArray[Any]) -> list[Any]:
    """Convert names to the type of the labels, if possible.

    The header of a CSV file, the columns of polars and pyarrow and the keys of JSON
    are strings even if the labels are numbers. An index of digits is the reverse. So
    ``"3"`` may mean 3, and 3 may mean ``"3"``.
    """
    kind = labels.dtype.kind
    return [_name_like(python_value(name), kind) for name in names]


def _name_like(name: Any, kind: str) -> Any:
    """Convert a name to the type of a dtype kind, or return it as it is."""
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
        ``names[result[k]]`` is class k, or action k - n_classes. Each of them must be
        named once, and nothing else.
    """
    typed = names_like(names, classes)
    index = {name: number for number, name in enumerate(typed)}
    if len(index) < len(typed):
        repeated = [name for number, name in enumerate(typed) if index[name] != number]
        raise ValueError(
            f"{argument} has more than one {what} named {shown(repeated)};"
            " name every class once."
        )
    answers = [*classes.tolist(), *actions]
    missing = [label for label in answers if label not in index]
    extra = [name for name in typed if name not in set(answers)]
    if missing or extra:
        faults = []
        if missing:
            faults.append(f"no {what} for {shown(missing)}")
        if extra:
            faults.append(f"a {what} for {shown(extra)}, which is not a class")
        kinds = "classes and actions" if len(actions) else "classes"
        raise ValueError(
            f"{argument} has {' and '.join(faults)}; name its {what}s exactly as the"
            f" {kinds}, {shown(answers)}, or pass an array in their order."
        )
    return np.array([index[label] for label in answers], dtype=np.intp)


class NamedColumns(NamedTuple):
    """The columns of a pandas, polars or pyarrow table."""

    names: list[Any]
    columns: list[Any]
    row_names: list[Any] | None  # None if rows are only numbered


def read_table(value: Any) -> NamedColumns | None:
    """Split a table into columns; None if the value is not a table."""
    if hasattr(value, "iloc") and hasattr(value, "columns"):  # pandas
        names = [python_value(name) for name in value.columns]
        columns = [value.iloc[:, j] for j in range(len(names))]
        numbered = has_default_index(value)
        return NamedColumns(
            names,
            columns,
            None if numbered else [python_value(name) for name in value.index],
        )
    if hasattr(value, "get_column") and hasattr(value, "columns"):  # polars
        return NamedColumns(list(value.columns), list(value.get_columns()), None)
    if hasattr(value, "column") and hasattr(value, "schema"):  # pyarrow
        return NamedColumns(list(value.schema.names), list(value.columns), None)
    return None


def has_default_index(frame: Any) -> bool:
    """Whether the rows of a pandas object are only numbered 0, 1, ..."""
    index = frame.index
    return type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)


def numbers(values: Any, argument: str) -> NDArray[np.float64]:
    """Turn array-like numbers into a new float64 array; missing ones become NaN."""
    rule = f"{argument} must hold numbers"
    if is_sparse(values):
        raise TypeError(f"{argument} is sparse; pass {argument}.toarray().")
    if isinstance(values, str | bytes) or hasattr(values, "__fspath__"):
        raise TypeError(f"{rule}, not a file name or text; read the file first.")
    if isinstance(values, Mapping | set | frozenset) or hasattr(values, "collect"):
        raise TypeError(
            f"{rule} as an array, a list of rows or a table,"
            f" not {type(values).__name__}; convert it to one of them."
        )
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(
            f"{argument} has rows of different lengths; give every row one entry per"
            " class."
        ) from None
    if np.ma.isMaskedArray(values):
        array = np.ma.filled(values.astype(np.float64), np.nan)
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    if array.dtype.kind == "O":
        flat = [_number(value, argument) for value in array.ravel()]
        return np.array(flat, dtype=np.float64).reshape(array.shape)
    raise TypeError(f"{rule}, not {array.dtype}; convert its entries to float.")


def _number(value: Any, argument: str) -> float:
    """Read one entry of an object array."""
    if isinstance(value, Real | Decimal | np.bool_):
        return float(value)
    if value is None or type(value).__name__ == "NAType":
        return float("nan")
    if isinstance(value, list | tuple | np.ndarray):
        raise ValueError(
            f"{argument} has rows of different lengths; give every row one entry per"
            " class."
        )
    raise TypeError(
        f"{argument} must hold numbers, not {value!r}; convert its entries to float."
    )


class Matrix(NamedTuple):
    """Costs by row (true class) and column (predicted class)."""

    values: NDArray[np.float64]
    rows: list[Any] | None  # None if rows and columns are not labelled
    columns: list[Any] | None


def read_matrix(cost_matrix: Any) -> Matrix:
    """Read a cost matrix in any of its forms.

    A table without names for its rows holds the true classes in its first column,
    as a CSV file does.
    """
    if cost_matrix is None:
        raise TypeError("cost_matrix is None; pass a K x K array, table or dict.")
    if isinstance(cost_matrix, Mapping):
        return _from_mapping(cost_matrix)
    table = read_table(cost_matrix)
    if table is None:
        return Matrix(numbers(cost_matrix, "cost_matrix"), None, None)
    names, columns, rows = table
    length = len(columns[0]) if columns else 0
    if rows is None and _first_names_rows(cost_matrix, table, length):
        rows = [python_value(label) for label in np.asarray(columns[0]).tolist()]
        names, columns = names[1:], columns[1:]
    elif rows is None and hasattr(cost_matrix, "iloc"):
        rows = list(range(length))
    if rows is None:
        raise ValueError(
            "cost_matrix is a table whose rows have no names; put the true classes"
            " into its first column, or pass cost_matrix.to_numpy()."
        )
    if not columns or not rows:
        raise ValueError("cost_matrix is empty; give one row and column per class.")
    values = np.column_stack([numbers(column, "cost_matrix") for column in columns])
    return Matrix(values, rows, names)


def _first_names_rows(cost_matrix: Any, table: NamedColumns, length: int) -> bool:
    """Whether the first column of a matrix holds the true classes.

    There are then more columns than classes. That is not sufficient: a pandas table of
    the classes 0, 1, ... and an action also has more.
    """
    names = [str(name) for name in table.names]
    if len(names) <= length or length == 0:
        return False
    first = [str(label) for label in np.asarray(table.columns[0]).tolist()]
    if len(set(first)) == length and set(first) <= set(names[1:]):
        return True
    numbered = hasattr(cost_matrix, "iloc") and set(map(str, range(length)))
    return not (numbered and numbered <= set(names))


def _from_mapping(cost_matrix: Mapping[Any, Any]) -> Matrix:
    """Read ``{true: {predicted: cost}}``; a missing diagonal entry is 0."""
    rows = [python_value(label) for label in cost_matrix]
    columns: list[Any] = []
    for label, row in cost_matrix.items():
        if not isinstance(row, Mapping):
            raise TypeError(
                f"cost_matrix[{label!r}] must be a dict of predicted class and cost,"
                f" not {type(row).__name__}; write {{true: {{predicted: cost}}}}."
            )
        columns += [key for key in row if key not in columns]
    columns += [label for label in rows if label not in columns]
    if not rows:
        raise ValueError("cost_matrix is empty; give one row and column per class.")
    values = np.zeros((len(rows), len(columns)))
    for i, (label, row) in enumerate(cost_matrix.items()):
        missing = [key for key in columns if key not in row and key != label]
        if missing:
            raise ValueError(
                f"cost_matrix[{label!r}] has no cost for {shown(missing)};"
                " give every pair of classes a cost."
            )
        entries = [row.get(key, 0.0) for key in columns]
        values[i] = numbers(np.array(entries, dtype=object), "cost_matrix")
    return Matrix(values, rows, [python_value(label) for label in columns])


def matrix_labels(cost_matrix: Any) -> list[Any] | None:
    """Return the labels of a matrix's rows in their order; None if it has none."""
    return read_matrix(cost_matrix).rows


def cost_names(costs: Any) -> list[Any] | None:
    """Return the names of the columns of a table of costs; None if it has none."""
    table = read_table(costs)
    return None if table is None else table.names


def sorted_like(names: list[Any], labels: NDArray[Any], argument: str) -> NDArray[Any]:
    """Sort names, converted to the type of the labels."""
    alike = names_like(names, labels)
    scalars = all(np.ndim(name) == 0 for name in alike)
    typed = np.array(alike if scalars else [None])
    if typed.ndim != 1 or typed.dtype.kind not in _PLAIN_KINDS:
        raise ValueError(
            f"{argument} must be labelled by classes, not by {shown(names)};"
            " use one label per row and column."
        )
    typed = np.unique(typed)
    return typed.astype(object) if labels.dtype.kind == "O" else typed
