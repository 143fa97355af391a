"""What the explorer page shows, and how it is read from a fitted search."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from softcost.metrics import ACTION_MEASURES, MEASURES
from softcost.report._advice import advice, saving_facts
from softcost.report._python import python_lines

# A page is made at once: fewer resamples, and none of very many predictions.
_RESAMPLES = 100
_MOST_PREDICTIONS = 20_000_000


@dataclass(frozen=True)
class ExplorerData:
    """All that one explorer page shows.

    Attributes
    ----------
    table : DataFrame
        One row per candidate, as `SoftCostClassifierCV.tradeoff_`.
    confusion : array of shape (n_candidates, K, A)
        Held-out weight by candidate, true class and answer.
    classes : sequence of K labels
        The classes.
    cost_matrix : array of shape (K, A)
        Price by true class and answer; with prices by example, their means.
    chosen : int
        Row of the candidate that the search chose.
    hard, regular : int or None
        Rows to compare with: the best with softness 0 and with softness 1.
    params : tuple of str
        Columns of the table that are parameters of the learner.
    title, reduction, learner : str
        What the page says of itself.
    n_rows, n_features, n_folds : int or None
        Of the search.
    by_example : bool
        Whether prices were given by example.
    error : {"error", "weighted_error"}
        The error that counts.
    test : DataFrame or None
        Results on held-out test data, one row per named model, with any of the columns
        ``cost``, ``error``, ``weighted_error`` and ``g_mean``.
    n_test : int or None
        Rows of the test data.
    test_confusion : array of shape (n_models, K, A) or None
        Test rows by model, true class and answer: with them the test results follow
        prices that are changed on the page.
    test_note : str
        What the test data are, where they are not rows that took no part.
    command, python : str, dict of family and str, or None
        Lines that train a candidate, with ``{softness}``, ``{index}``, ``{error}`` and
        the parameters' names in braces. Values are quoted for the shell in ``command``
        and written as literals in ``python``.
    expected : tuple of three floats or None
        What the chosen candidate is expected to cost on new rows, and between which
        costs 95 % of resamples are: see `SoftCostClassifierCV.optimism`.
    actions : sequence of A - K names
        What may be answered beyond the classes.
    paid : array of shape (n_candidates, K, A) or None
        What the held-out answers cost in all, where prices were given by example.
    constant : dict or None
        The best constant answer: ``label``, ``cost`` and ``error``.
    advice : dict or None
        ``verdict`` and ``sentences`` about the choice, as `advice` makes them.
    budget : dict or None
        What is known of the limits that the choice had to keep, as
        `softcost.selection.Decision` has it.
    currency : str
        Written after amounts of money.
    importance : sequence of dicts
        What columns save: ``column``, ``saving``, ``low``, ``high`` and ``shown``, as
        the rows of `softcost.metrics.column_importance`.
    importance_rows : int or None
        On how many rows that was measured.

    See Also
    --------
    write_explorer : Write the explorer page; a file of that name is replaced at once or
        not at all.
    softcost.soft.SoftCostClassifierCV.to_html : Writes the page of a search.

    Examples
    --------
    Any table of candidates can be shown, not only one of a search:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from softcost.report import ExplorerData
    >>> table = pd.DataFrame(
    ...     {"softness": [0.0, 1.0], "cost": [0.2, 0.5], "error": [0.3, 0.1]}
    ... )
    >>> counts = np.array([[[4, 3], [0, 3]], [[7, 0], [1, 2]]])
    >>> prices = np.array([[0, 1], [5, 0]])
    >>> data = ExplorerData(table, counts, ["ham", "spam"], prices, 0, title="Mail")
    >>> data.hard, data.title
    (None, 'Mail')
    """

    table: pd.DataFrame
    confusion: NDArray[Any]
    classes: Sequence[Any]
    cost_matrix: NDArray[Any]
    chosen: int
    hard: int | None = None
    regular: int | None = None
    params: tuple[str, ...] = ()
    title: str = "Cost and error"
    reduction: str = ""
    learner: str = ""
    n_rows: int | None = None
    n_features: int | None = None
    n_folds: int | None = None
    by_example: bool = False
    error: str = "error"
    test: pd.DataFrame | None = None
    n_test: int | None = None
    command: str | dict[str, str] | None = None
    python: str | dict[str, str] | None = None
    expected: tuple[float, float, float] | None = None
    actions: Sequence[Any] = ()
    paid: NDArray[Any] | None = None
    constant: dict[str, Any] | None = None
    advice: dict[str, Any] | None = None
    test_confusion: NDArray[Any] | None = None
    test_note: str = ""
    budget: Mapping[str, Any] | None = None
    currency: str = ""
    importance: Sequence[Mapping[str, Any]] = ()
    importance_rows: int | None = None

    def __post_init__(self) -> None:
        n, n_classes = len(self.table), len(self.classes)
        shape = (n_classes, n_classes + len(self.actions))
        needed = {"softness", "cost", self.error, *self.params}
        missing = needed.difference(self.table.columns)
        if missing or n == 0:
            raise ValueError(
                f"table has {n} rows and lacks {sorted(map(str, missing))}; pass the "
                "trade-off table of a search."
            )
        if np.shape(self.confusion) != (n, *shape):
            raise ValueError(
                f"confusion has shape {np.shape(self.confusion)}; pass one K x K "
                f"matrix per candidate, {(n, *shape)}, with a column more per action."
            )
        if np.shape(self.cost_matrix) != shape:
            raise ValueError(
                f"cost_matrix has shape {np.shape(self.cost_matrix)}; pass one row and "
                f"one column per class, {shape}, with a column more per action."
            )
        self._check_counts(n, shape)
        for name in ("chosen", "hard", "regular"):
            row = getattr(self, name)
            if row is None and name != "chosen":
                continue
            if not 0 <= row < n:
                raise ValueError(f"{name} must be a row of the table, not {row}.")

    def _check_counts(self, n: int, shape: tuple[int, int]) -> None:
        n_models = 0 if self.test is None else len(self.test)
        for name, rows in (("paid", n), ("test_confusion", n_models)):
            values = getattr(self, name)
            if values is not None and np.shape(values) != (rows, *shape):
                raise ValueError(
                    f"{name} has shape {np.shape(values)}; pass one matrix per row of "
                    f"{'the table' if name == 'paid' else 'test'}, {(rows, *shape)}."
                )

    @classmethod
    def from_search(cls, search: Any, **details: Any) -> "ExplorerData":
        """Read a fitted `SoftCostClassifierCV`.

        Parameters
        ----------
        search : fitted SoftCostClassifierCV
            With its trade-off.
        **details
            Any attribute of `ExplorerData`, instead of what the search says.

        Returns
        -------
        ExplorerData
            For `write_explorer`.
        """
        table, confusion = search.tradeoff_, search.confusion_
        params = parameter_names(table)
        error, rows = search.error_measure_, search.reference_rows()
        model = getattr(search, "best_estimator_", search.reduction)
        learner = getattr(model, "learner", None)
        by_example, several = search.costs_by_example_, "family" in table
        read: dict[str, Any] = {
            "table": table,
            "confusion": confusion.sum(axis=1),
            "classes": search.classes_.tolist(),
            "actions": search.actions_[len(search.classes_) :].tolist(),
            "cost_matrix": search.cost_matrix_,
            "chosen": rows["chosen"],
            "hard": rows.get("hard"),
            "regular": rows.get("regular"),
            "params": params,
            "reduction": "" if model is None or several else type(model).__name__,
            "learner": "" if learner is None or several else type(learner).__name__,
            "n_rows": getattr(search, "n_samples_", None),
            "n_features": getattr(search, "n_features_in_", None),
            "n_folds": confusion.shape[1],
            "by_example": by_example,
            "error": error,
            "python": python_lines(search, params),
            "expected": expected_cost(search),
            "paid": getattr(search, "paid_", None),
            "budget": search.guarantee_,
            "constant": {
                name: search.constant_[name] for name in ("label", "cost", error)
            },
        }
        if "advice" not in details:
            read["advice"] = advice_on(search, details.get("currency", ""))
        return cls(**(read | details))


def parameter_names(table: pd.DataFrame) -> tuple[str, ...]:
    """Columns of a trade-off table that are the learner's parameters.

    Examples
    --------
    >>> parameter_names(pd.DataFrame(columns=["softness", "C", "cost", "cost_se"]))
    ('C',)
    """
    measures = (*MEASURES, *ACTION_MEASURES)
    known = {"family", "softness", "on_front"}
    known |= {*measures, *(f"{name}_se" for name in measures)}
    return tuple(name for name in table.columns if name not in known)


def expected_cost(search: Any) -> tuple[float, float, float] | None:
    """What ``search.optimism()`` expects; None where it cannot say, or not at once."""
    if len(search.tradeoff_) * search.n_samples_ > _MOST_PREDICTIONS:
        return None
    try:
        found = search.optimism(_RESAMPLES)
    except ValueError:  # a saved search has no held-out predictions
        return None
    return found.expected_cost, found.low, found.high


def advice_on(search: Any, currency: str = "") -> dict[str, Any] | None:
    """What to make of the choice; None where held-out predictions are gone."""
    if len(search.tradeoff_) * search.n_samples_ > _MOST_PREDICTIONS:
        return None
    try:
        found = {
            name: saving_facts(search.saving(name))
            for name in ("constant", "regular")
            if name == "constant" or name in search.reference_rows()
        }
    except ValueError:  # a saved search has no held-out predictions
        return None
    label = str(search.constant_["label"])
    return advice(label, found["constant"], found.get("regular"), currency=currency)
