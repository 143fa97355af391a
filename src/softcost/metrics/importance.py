"""What each column of a table is worth to a model, in money."""

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
    """What each column saves per row, by what predictions cost without it.

    The values of a column are shuffled among the rows, R times, which leaves its
    distribution and takes what it tells. With ``c_i`` the cost of row i and ``c_ir``
    that after shuffle r, the column saves

        mean_i (mean_r c_ir - c_i)

    with Student's paired interval over the rows. Each interval holds by itself, with
    95 %: of twenty columns that say nothing, one is expected to look as if it did.
    Columns that say the same stand in for each other, so that each alone saves little.
    Take rows that the model has not learnt from; on others it is worth what was learnt
    by heart.

    Parameters
    ----------
    predict : callable
        From a table like X to answers, such as ``model.predict``.
    X : DataFrame or array of shape (n, n_features)
        Rows to measure on.
    y : array-like of shape (n,)
        True labels.
    cost_matrix : array-like or table of shape (K, A), default=None
        Costs by true class and answer. Without costs an error costs 1.
    costs : array-like or table of shape (n, A), default=None
        Costs by example.
    classes, actions : array-like, default=None
        Labels in the order of costs, and what else may be answered; by default what
        costs name, or else all labels in order.
    columns : dict of str and list, default=None
        What to shuffle together, such as the parts of a date; by default each column by
        itself.
    n_repeats : int, default=5
        How often each is shuffled.
    random_state : int, default=0
        Seed of the shuffles.

    Returns
    -------
    DataFrame
        The most important first: ``column``, ``saving``, ``low`` and ``high`` of its
        interval, and ``shown``, whether that lies above zero.

    See Also
    --------
    paired_saving : What one of several models saves per row against something else.
    sklearn.inspection.permutation_importance : The same idea for any score.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.metrics import column_importance
    >>> X = np.column_stack([np.arange(40) % 2, np.arange(40) % 7])
    >>> found = column_importance(
    ...     lambda X: X[:, 0], X, X[:, 0], cost_matrix=[[0, 1], [5, 0]]
    ... )
    >>> found["column"].tolist(), found["shown"].tolist()
    (['0', '1'], [True, False])
    """
    import pandas as pd

    if n_repeats < 1:
        raise ValueError(f"n_repeats must be 1 or more, not {n_repeats}.")
    table = X if isinstance(X, pd.DataFrame) else np.asarray(X)
    if columns is None:
        columns = {str(name): [name] for name in _names(table)}
    known, answers = read_answers(
        y, predict(table), classes, None, actions=actions, cost_matrix=cost_matrix,
        costs=costs,
    )  # fmt: skip
    prices, every = known.in_users_units, np.arange(len(answers))
    own = prices[every, answers]
    rng = np.random.default_rng(random_state)
    order = [rng.permutation(len(every)) for _ in range(n_repeats)]
    found = []
    for name, parts in columns.items():
        told = predict(_shuffled(table, parts, order))
        mixed = answer_indices(told, known.classes, known.extra, argument="predictions")
        without = prices[every, mixed.reshape(n_repeats, -1)].mean(axis=0)
        saving = paired_saving(without, own)
        found.append((name, saving.saving, saving.low, saving.high, saving.shown))
    heads = ["column", "saving", "low", "high", "shown"]
    return pd.DataFrame(found, columns=heads).sort_values(
        "saving", ascending=False, kind="stable", ignore_index=True
    )


def _names(table: Any) -> list[Any]:
    return (
        list(table.columns) if hasattr(table, "columns") else [*range(table.shape[1])]
    )


def _shuffled(
    table: Any, parts: Sequence[Hashable], order: list[NDArray[np.intp]]
) -> Any:
    """As many copies of a table as there are orders, some columns in these orders."""
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
