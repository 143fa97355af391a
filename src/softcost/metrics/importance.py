"""Column importance in units of cost, by permutation."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcost.costs import answer_indices
from softcost.metrics.decision import read_answers
from softcost.metrics.savings import paired_saving

if TYPE_CHECKING:
    import pandas as pd


def column_importance(
    predict: Callable[[Any], ArrayLike],
    X: Any,
    y: ArrayLike,
    *,
    cost_matrix: Any = None,
    costs: Any = None,
    classes: ArrayLike | None = None,
    actions: ArrayLike | None = None,
    columns: Mapping[str, Sequence[Hashable]] | None = None,
    n_repeats: int = 5,
    random_state: int = 0,
) -> "pd.DataFrame":
    """The extra cost per row if a column is shuffled, for every column.

    Shuffling the values of a column among the rows keeps its distribution but removes
    its information. Let ``c_i`` be the cost of row i and ``c_ir`` its cost after
    shuffle r of R. The column saves

        mean_i (mean_r c_ir - c_i)

    with Student's paired interval over the rows. The intervals are not simultaneous: of
    twenty irrelevant columns, one is expected to look relevant at 95 %. Correlated
    columns replace each other, so each alone saves little. Use held-out rows; on
    training rows the importance includes overfitting.

    Parameters
    ----------
    predict : callable
        Maps a table like X to answers, e.g. ``model.predict``.
    X : DataFrame or array of shape (n, n_features)
        Rows to measure on.
    y : array-like of shape (n,)
        True labels.
    cost_matrix : array-like or table of shape (K, A), default=None
        Costs by true class and answer. Without costs an error costs 1.
    costs : array-like or table of shape (n, A), default=None
        Costs by example.
    classes, actions : array-like, default=None
        Labels in the order of the costs, and answers that are not classes; by default
        the names in the costs, or else all labels in order.
    columns : dict of str and list, default=None
        Columns to shuffle together, such as the parts of a date; by default each column
        is shuffled alone.
    n_repeats : int, default=5
        Shuffles per column.
    random_state : int, default=0
        Seed of the shuffles.

    Returns
    -------
    DataFrame
        The most important column first: ``column``, ``saving``, ``low`` and ``high`` of
        its interval, and ``shown``, whether the interval lies above zero.

    See Also
    --------
    paired_saving : What one of several models saves per row against something else.
    sklearn.inspection.permutation_importance : The same for any score.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.metrics import column_importance
    >>> X = np.column_stack([np.arange(40) % 2, np.arange(40) % 7])
    >>> importance = column_importance(
    ...     lambda X: X[:, 0], X, X[:, 0], cost_matrix=[[0, 1], [5, 0]]
    ... )
    >>> importance["column"].tolist(), importance["shown"].tolist()
    (['0', '1'], [True, False])
    """
    import pandas as pd

    if n_repeats < 1:
        raise ValueError(f"n_repeats must be 1 or more, not {n_repeats}.")
    table = X if isinstance(X, pd.DataFrame) else np.asarray(X)
    if columns is None:
        columns = {str(name): [name] for name in _names(table)}
    rows, answers = read_answers(
        y, predict(table), classes, None, actions=actions, cost_matrix=cost_matrix,
        costs=costs,
    )  # fmt: skip
    costs_of, every = rows.in_users_units, np.arange(len(answers))
    cost = costs_of[every, answers]
    rng = np.random.default_rng(random_state)
    order = [rng.permutation(len(every)) for _ in range(n_repeats)]
    savings = []
    for name, parts in columns.items():
        shuffled = predict(_shuffled(table, parts, order))
        mixed = answer_indices(
            shuffled, rows.classes, rows.extra, argument="predictions"
        )
        without = costs_of[every, mixed.reshape(n_repeats, -1)].mean(axis=0)
        saving = paired_saving(without, cost)
        savings.append((name, saving.saving, saving.low, saving.high, saving.shown))
    heads = ["column", "saving", "low", "high", "shown"]
    return pd.DataFrame(savings, columns=heads).sort_values(
        "saving", ascending=False, kind="stable", ignore_index=True
    )


def _names(table: Any) -> list[Any]:
    return (
        list(table.columns) if hasattr(table, "columns") else [*range(table.shape[1])]
    )


def _shuffled(
    table: Any, parts: Sequence[Hashable], order: list[NDArray[np.intp]]
) -> Any:
    """One copy of the table per order, with some columns in that order."""
    every = np.tile(np.arange(len(table)), len(order))
    mixed = np.concatenate(order)
    if not hasattr(table, "columns"):
        copies = table[every]
        copies[:, list(parts)] = table[mixed][:, list(parts)]
        return copies
    copies = table.iloc[every].reset_index(drop=True)
    for part in parts:
        copies[part] = table[part].iloc[mixed].reset_index(drop=True)
    return copies
