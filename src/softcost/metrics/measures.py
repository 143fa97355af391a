"""The measures of predictions: what each is called and how it is computed.

`MEASURES` is the only list of measures. The trade-off table and ``cv_results_``, the
constant prediction, budgets, the command line and the explorer page read it, so adding
a measure means adding a `Measure` here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from softcost.formatting import format_cost, format_rate

Unit = Literal["cost", "rate", "plain"]
Headline = Literal["always", "without actions", "with actions"]
Loss = Callable[[Any, Any, Any], NDArray[np.float64]]


@dataclass(frozen=True)
class Outcome:
    """Confusion counts and costs of one or several models.

    Attributes
    ----------
    confusion : array of shape (..., K, A)
        Weight of rows by true class and answer, the classes first.
    realised_cost : array of shape (...)
        Total cost of the predictions.
    least_cost : array of shape (...)
        Total cost of the correct predictions.
    mistake_cost : float
        Average cost of a mistake.
    error_weight : array of shape (K,)
        Weight of an error by true class.
    action_error : array of shape (A - K,) or None
        Error of each action beyond the classes, 1 by default.
    """

    confusion: NDArray[np.float64]
    realised_cost: Any
    least_cost: Any
    mistake_cost: float
    error_weight: NDArray[np.float64]
    action_error: NDArray[np.float64] | None = None

    @cached_property
    def total(self) -> Any:
        """Weight of all rows."""
        return self.confusion.sum(axis=(-2, -1))

    @cached_property
    def correct(self) -> NDArray[np.float64]:
        """Weight of correct rows by class."""
        return np.diagonal(self.confusion, axis1=-2, axis2=-1)

    @cached_property
    def actions(self) -> NDArray[np.float64]:
        """Counts of the actions beyond the classes, shape (..., K, A - K)."""
        return self.confusion[..., self.confusion.shape[-2] :]

    @cached_property
    def answered(self) -> Any:
        """Weight of rows answered with a class."""
        return self.total - self.actions.sum(axis=(-2, -1))

    @cached_property
    def wrong(self) -> NDArray[np.float64]:
        """Weight of errors by class; an action counts as ``action_error``."""
        wrong = self.confusion.sum(axis=-1) - self.correct
        if self.actions.shape[-1] and self.action_error is not None:
            wrong = wrong - self.actions @ (1.0 - self.action_error)
        return wrong


@dataclass(frozen=True)
class Measure:
    """A measure of predictions: its names, its formula and how it is shown.

    Attributes
    ----------
    name : str
        Column of the trade-off table and key in results. Its standard error over the
        folds has the suffix ``_se``.
    title : str
        Heading of a tile or table on the explorer page.
    heading : str
        Short name, for columns in the terminal and within sentences.
    compute : callable
        From an outcome (counts, costs and error weights of one or several models) to
        the measure of each model.
    unit : {"cost", "rate", "plain"}
        Whether it is an amount in the user's currency, a share of rows shown in
        percent, or neither.
    uses_costs : bool
        Whether it depends on the costs.
    is_error : bool
        Whether a search may count errors by it.
    larger_is_better : bool
        Direction; a limit of such a measure is a lower bound.
    upper_bound : float
        Largest possible value.
    needs_actions : bool
        Whether it only exists if there are actions beyond the classes.
    reported : bool
        Whether commands and the explorer page show it.
    headline : {"always", "without actions", "with actions"} or None
        When it is a column of short tables.
    digits : int
        Decimals of the percentage on the explorer page.
    loss : callable or None
        For tests of limits: the loss of a row by true class and answer, shape (K, A),
        from the error of each answer (K, A), the error weights (K,) and the cost matrix
        (K, A) or None. The mean loss is the measure, or 1 minus the measure if larger
        is better. None if the measure is not a mean over rows.

    See Also
    --------
    measure : Return all measures of predictions at once.
    measures_from_confusion : All measures of one or several models.

    Examples
    --------
    >>> from softcost.metrics import MEASURES
    >>> coverage = MEASURES["coverage"]
    >>> coverage.title, coverage.larger_is_better, coverage.format(0.75)
    ('Coverage', True, '75.00%')
    """

    name: str
    title: str
    heading: str
    compute: Callable[[Any], Any]
    unit: Unit = "plain"
    uses_costs: bool = False
    is_error: bool = False
    larger_is_better: bool = False
    upper_bound: float = 1.0
    needs_actions: bool = False
    reported: bool = True
    headline: Headline | None = None
    digits: int = 2
    loss: Loss | None = None

    @property
    def standard_error(self) -> str:
        """Column of its standard error in the trade-off table."""
        return f"{self.name}_se"

    def format(self, value: float | None, error: float | None = None) -> str:
        """Format a value for the terminal, with its standard error if there is one.

        Parameters
        ----------
        value : float or None
            The measure.
        error : float, default=None
            Its standard error.

        Returns
        -------
        str
            Such as "12.00% ± 0.50" or "0.8312".
        """
        formatter = format_rate if self.unit == "rate" else format_cost
        return formatter(value, error)


def _error_answered(outcome: Outcome) -> Any:
    mistaken = outcome.answered - outcome.correct.sum(axis=-1)
    undefined = np.full_like(outcome.total, np.nan)
    return np.divide(
        mistaken, outcome.answered, out=undefined, where=outcome.answered > 0
    )


def _g_mean(outcome: Outcome) -> Any:
    product, n_present = recalls_product(outcome.confusion)
    return product ** (1.0 / np.maximum(n_present, 1))


def _normalized_cost(outcome: Outcome) -> Any:
    if outcome.mistake_cost <= 0:
        return 0.0 * outcome.realised_cost
    above = outcome.realised_cost - outcome.least_cost
    return above / outcome.total / outcome.mistake_cost


def _normalized_loss(wrong: Any, error_weight: Any, cost_matrix: Any) -> Any:
    above = cost_matrix - cost_matrix.min(axis=1, keepdims=True)
    n_classes = len(above)
    mistake_cost = above[:, :n_classes].sum() / (n_classes * max(n_classes - 1, 1))
    return above / mistake_cost if mistake_cost > 0 else above


def _uncovered(wrong: Any, error_weight: Any, cost_matrix: Any) -> Any:
    n_classes, n_answers = wrong.shape
    return np.tile(np.arange(n_answers) >= n_classes, (n_classes, 1)) * 1.0


MEASURES = {
    measure.name: measure
    for measure in (
        Measure(
            name="cost",
            title="Cost per row",
            heading="cost",
            compute=lambda outcome: outcome.realised_cost / outcome.total,
            unit="cost",
            uses_costs=True,
            upper_bound=np.inf,
            headline="always",
            loss=lambda wrong, error_weight, cost_matrix: cost_matrix,
        ),
        Measure(
            name="error",
            title="Error rate",
            heading="error",
            compute=lambda outcome: outcome.wrong.sum(axis=-1) / outcome.total,
            unit="rate",
            is_error=True,
            headline="always",
            loss=lambda wrong, error_weight, cost_matrix: wrong,
        ),
        Measure(
            name="weighted_error",
            title="Weighted error rate",
            heading="weighted error",
            compute=lambda outcome: (
                (outcome.wrong @ outcome.error_weight) / outcome.total
            ),
            is_error=True,
            upper_bound=np.inf,
            loss=lambda wrong, error_weight, cost_matrix: error_weight[:, None] * wrong,
        ),
        Measure(
            name="g_mean",
            title="G-mean of recalls",
            heading="G-mean",
            compute=_g_mean,
            larger_is_better=True,
            headline="without actions",
            digits=1,
        ),
        Measure(
            name="normalized_cost",
            title="Normalised cost",
            heading="normalised cost",
            compute=_normalized_cost,
            uses_costs=True,
            upper_bound=np.inf,
            reported=False,
            loss=_normalized_loss,
        ),
        Measure(
            name="coverage",
            title="Coverage",
            heading="coverage",
            compute=lambda outcome: outcome.answered / outcome.total,
            unit="rate",
            larger_is_better=True,
            needs_actions=True,
            headline="with actions",
            loss=_uncovered,
        ),
        Measure(
            name="error_answered",
            title="Error among the answered",
            heading="error answered",
            compute=_error_answered,
            unit="rate",
            needs_actions=True,
            headline="with actions",
        ),
    )
}


def reported_measures(with_actions: bool, *, headline: bool = False) -> list[Measure]:
    """The measures that commands and pages show.

    Parameters
    ----------
    with_actions : bool
        Whether there are actions beyond the classes.
    headline : bool, default=False
        Only those of short tables.

    Returns
    -------
    list of Measure
        In the order of `MEASURES`.

    See Also
    --------
    measure : Return all measures of predictions at once.

    Examples
    --------
    >>> from softcost.metrics import reported_measures
    >>> [measure.name for measure in reported_measures(False, headline=True)]
    ['cost', 'error', 'g_mean']
    """
    when = ("always", "with actions" if with_actions else "without actions")
    return [
        measure
        for measure in MEASURES.values()
        if measure.reported
        and (with_actions or not measure.needs_actions)
        and (not headline or measure.headline in when)
    ]


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
        Indices of the true classes.
    predicted : array of shape (n,) or (m, n)
        Indices of the predicted answers, for one or several models.
    n_classes : int
        K.
    weight : array of shape (n,)
        Weight of each row.
    n_actions : int, default=None
        Number of answers A; by default K, the classes alone.

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
    Two models at once; the second always predicts the same class:

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
    """Total cost of the predictions of one or several models.

    Parameters
    ----------
    costs : array of shape (n, A)
        Cost of each answer for every row.
    predicted : array of shape (n,) or (m, n)
        Indices of the predicted answers.
    weight : array of shape (n,)
        Weight of each row.

    Returns
    -------
    float or array of shape (m,)
        ``sum_n weight_n costs[n, predicted_n]``.

    See Also
    --------
    mean_cost : Return the mean cost of the predictions, in the user's units.
    confusion_counts : Weight of rows by true class and answer.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.metrics import total_cost
    >>> costs = np.array([[0.0, 1.0], [5.0, 0.0]])
    >>> total_cost(costs, np.array([[0, 0], [1, 1]]), np.ones(2)).tolist()
    [5.0, 1.0]
    """
    rows, models = np.arange(len(costs)), np.atleast_2d(predicted)
    totals = np.array([costs[rows, answers] @ weight for answers in models])
    return totals if np.ndim(predicted) > 1 else totals[0]


def measures_from_confusion(
    confusion: NDArray[np.float64],
    realised_cost: Any,
    *,
    least_cost: Any = 0.0,
    mistake_cost: float = 1.0,
    error_weight: NDArray[np.float64],
    action_error: NDArray[np.float64] | None = None,
) -> dict[str, Any]:
    """All measures of one or several models.

    Parameters
    ----------
    confusion : array of shape (..., K, A)
        Weight of rows by true class and answer, the classes first.
    realised_cost : array of shape (...)
        Total cost of the predictions.
    least_cost : array of shape (...)
        Total cost of the correct predictions.
    mistake_cost : float
        Average cost of a mistake, the unit of normalised costs.
    error_weight : array of shape (K,)
        Weight of an error by true class.
    action_error : array of shape (A - K,), default=None
        Error of each action beyond the classes, 1 by default.

    Returns
    -------
    dict of arrays of shape (...)
        Every measure of `MEASURES` by name; those that need actions only if A > K.

    See Also
    --------
    confusion_counts : Weight of rows by true class and answer.
    measure : Return all measures of predictions at once.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.metrics import measures_from_confusion
    >>> counts = np.array([[8.0, 2.0], [1.0, 9.0]])
    >>> costs = np.array([[0.0, 1.0], [5.0, 0.0]])
    >>> measures = measures_from_confusion(
    ...     counts, (counts * costs).sum(), mistake_cost=3.0, error_weight=np.ones(2)
    ... )
    >>> f"{measures['cost']:.2f} {measures['error']:.2f} {measures['g_mean']:.3f}"
    '0.35 0.15 0.849'
    """
    outcome = Outcome(
        confusion, realised_cost, least_cost, mistake_cost, error_weight, action_error
    )
    n_classes, n_answers = confusion.shape[-2:]
    return {
        name: measure.compute(outcome)
        for name, measure in MEASURES.items()
        if n_answers > n_classes or not measure.needs_actions
    }


def recalls_product(confusion: NDArray[np.float64]) -> tuple[Any, Any]:
    """Product of the recalls of the classes that occur, and their number."""
    right = np.diagonal(confusion, axis1=-2, axis2=-1)
    sizes = confusion.sum(axis=-1)
    present = sizes > 0
    recall = np.divide(right, sizes, out=np.ones_like(right), where=present)
    return recall.prod(axis=-1), present.sum(axis=-1)
