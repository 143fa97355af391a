"""Read prices from arrays, lists, dictionaries and tables, without judging them."""

from collections.abc import Mapping
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softcost.costs._labels import is_sparse, names_like, python_value, shown


class NamedColumns(NamedTuple):
    """The columns of a pandas, polars or pyarrow table."""

    names: list[Any]
    columns: list[Any]
    row_names: list[Any] | None  # None where rows are only numbered


def read_table(value: Any) -> NamedColumns | None:
    """Take a table apart; None if the value is not a table."""
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
    wanted = f"{argument} must hold numbers"
    if is_sparse(values):
        raise TypeError(f"{argument} is sparse; pass {argument}.toarray().")
    if isinstance(values, str | bytes) or hasattr(values, "__fspath__"):
        raise TypeError(f"{wanted}, not a file name or text; read the file first.")
    if isinstance(values, Mapping | set | frozenset) or hasattr(values, "collect"):
        raise TypeError(
            f"{wanted} as an array, a list of rows or a table,"
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
    raise TypeError(f"{wanted}, not {array.dtype}; convert its entries to float.")


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
    """Prices by row (true class) and column (predicted class)."""

    values: NDArray[np.float64]
    rows: list[Any] | None  # None where rows and columns go by position
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
    """Whether the first of a matrix's columns holds the true classes.

    Then there is a column more than there are classes, or several more with actions. A
    pandas table of classes 0, 1, ... and an action has that many, too.
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
    """Read ``{true: {predicted: price}}``; a missing diagonal entry is 0."""
    rows = [python_value(label) for label in cost_matrix]
    columns: list[Any] = []
    for label, row in cost_matrix.items():
        if not isinstance(row, Mapping):
            raise TypeError(
                f"cost_matrix[{label!r}] must be a dict of predicted class and price,"
                f" not {type(row).__name__}; write {{true: {{predicted: price}}}}."
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
                f"cost_matrix[{label!r}] has no price for {shown(missing)};"
                " give every pair of classes a price."
            )
        given = [row.get(key, 0.0) for key in columns]
        values[i] = numbers(np.array(given, dtype=object), "cost_matrix")
    return Matrix(values, rows, [python_value(label) for label in columns])


def matrix_labels(cost_matrix: Any) -> list[Any] | None:
    """Return the labels of a matrix's rows in their order; None if it has none."""
    return read_matrix(cost_matrix).rows


def cost_names(costs: Any) -> list[Any] | None:
    """Return the names of the columns of a table of costs; None if it has none."""
    table = read_table(costs)
    return None if table is None else table.names


def sorted_like(names: list[Any], labels: NDArray[Any], argument: str) -> NDArray[Any]:
    """Sort names, typed as the labels they stand for."""
    own = np.array(names_like(names, labels))
    if own.ndim != 1 or own.dtype.kind not in "biufUS":
        raise ValueError(
            f"{argument} must be named by classes, not by {shown(names)};"
            " use one label per row and column."
        )
    own = np.unique(own)
    return own.astype(object) if labels.dtype.kind == "O" else own
