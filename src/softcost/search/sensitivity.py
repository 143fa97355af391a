"""Sensitivity of a choice: to other costs, and to other rows.

Costs are linear in the entries of the cost matrix ("prices"), so the choice at other
prices follows from held-out confusion matrices: the interval of each price
(`price_intervals`), and the regret over scenarios or ranges (`scenario_regret`,
`box_regret`). `cost_differences` has bootstrap intervals for other rows.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from softcost.costs import check_cost_matrix
from softcost.search.counts import Evidence
from softcost.search.price_lines import Line, PriceLines
from softcost.search.rules import Rule, decide, least_row
from softcost.search.table import HeldOutRows

# Resamples drawn together: one matrix product for all of them, little memory.
_BLOCK = 64


def cost_differences(
    realised_cost: Mapping[str, NDArray[np.float64]],
    weight: NDArray[np.float64],
    *,
    n_bootstrap: int = 1000,
    confidence: float = 0.95,
    random_state: Any = 0,
) -> pd.DataFrame:
    """Bootstrap intervals of differences between mean costs, paired by row.

    Rows are drawn with replacement, the same rows for all models. Models are not
    refitted, so the intervals are those of these models on other rows.

    Parameters
    ----------
    realised_cost : dict of name and array of shape (n,)
        For each model, the costs of its predictions, multiplied by the weights.
    weight : array of shape (n,)
        Weights of the rows.
    n_bootstrap : int, default=1000
        Number of resamples.
    confidence : float, default=0.95
        Confidence level of the percentile intervals.
    random_state : int, Generator or None, default=0
        Seeds the resamples.

    Returns
    -------
    DataFrame
        One row per pair: ``first``, ``second``, ``difference`` of their mean costs,
        and the interval from ``low`` to ``high``.

    See Also
    --------
    softcost.metrics.paired_saving : An interval that allows for a choice among many.
    Sensitivity : How sure a choice is.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.search import cost_differences
    >>> costs = {"regular": np.array([5.0, 0, 5, 5, 0, 5]), "soft": np.ones(6)}
    >>> differences = cost_differences(costs, np.ones(6), n_bootstrap=200)
    >>> differences[["first", "second", "difference"]].round(2).values.tolist()
    [['regular', 'soft', 2.33]]
    """
    if not isinstance(n_bootstrap, Integral) or n_bootstrap < 2:
        raise ValueError(
            f"n_bootstrap must be an integer of at least 2, not {n_bootstrap!r}; 1000 "
            "is enough."
        )
    if not isinstance(confidence, Real) or not 0 < confidence < 1:
        raise ValueError(
            f"confidence must be between 0 and 1, not {confidence!r}; 0.95 is usual."
        )
    pairs = list(combinations(realised_cost, 2))
    columns = [realised_cost[first] - realised_cost[second] for first, second in pairs]
    values = np.column_stack([*columns, weight])
    # Equal rows are drawn together: with costs by class, few rows are distinct.
    kinds, sizes = np.unique(values, axis=0, return_counts=True)
    rng = np.random.default_rng(random_state)
    share, drawn = sizes / sizes.sum(), []
    for start in range(0, int(n_bootstrap), _BLOCK):
        n = min(_BLOCK, int(n_bootstrap) - start)
        sums = rng.multinomial(len(values), share, size=n) @ kinds
        drawn.append(sums[:, :-1] / sums[:, -1:])
    tail = (1 - float(confidence)) / 2
    low, high = np.quantile(np.concatenate(drawn), [tail, 1 - tail], axis=0)
    return pd.DataFrame(
        {
            "first": [first for first, _ in pairs],
            "second": [second for _, second in pairs],
            "difference": values[:, :-1].sum(axis=0) / weight.sum(),
            "low": low,
            "high": high,
        }
    )


@dataclass(frozen=True)
class PricedChoice:
    """A trade-off table as a function of the prices, and a rule that chooses on it.

    Attributes
    ----------
    table : DataFrame
        As `SoftCostClassifierCV.tradeoff_`.
    confusion : array of shape (n_candidates, n_folds, K, A)
        Held-out weight by true class and answer.
    fold_costs : array of shape (n_candidates, n_folds)
        Mean cost of every fold.
    prices : array of shape (K, A)
        The cost matrix of the table; with costs by example, their means.
    answers : sequence of A labels
        The classes, then the actions.
    rule : Rule
        The rule that chooses.
    evidence : Evidence
        Counts behind the table, for rules that need them.
    by_example : bool
        Whether costs differ between examples. If a price changes by d, the costs of all
        examples with this true class and answer change by d.
    error : {"error", "weighted_error"}
        The error that counts.

    See Also
    --------
    price_intervals : The interval of each price within which the choice stays the same.
    scenario_regret : Regret over a list, or dict by name, of cost matrices.
    softcost.search.SoftCostClassifierCV.sensitivity : The same for a search.

    Examples
    --------
    Two candidates, of which the first never predicts ham for spam:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from softcost.search import Evidence, LeastCost
    >>> from softcost.search import PricedChoice
    >>> counts = np.array([[[[7.0, 3.0], [0.0, 10.0]]], [[[9.0, 1.0], [1.0, 9.0]]]])
    >>> prices = np.array([[0.0, 1.0], [2.0, 0.0]])
    >>> cost = (counts * prices).sum(axis=(2, 3)) / 20
    >>> table = pd.DataFrame({"softness": [0.0, 0.5], "cost": cost[:, 0]})
    >>> table["normalized_cost"] = table["cost"] / 1.5
    >>> names = ["ham", "spam"]
    >>> evidence = Evidence(np.array(names), counts[:, 0], 20, np.ones(2))
    >>> priced = PricedChoice(table, counts, cost, prices, names, LeastCost(), evidence)
    >>> priced.chosen, priced.choice_at(np.array([[0.0, 3.0], [2.0, 0.0]]))
    (1, 1)
    >>> priced.choice_at(np.array([[0.0, 1.0], [9.0, 0.0]]))
    0
    """

    table: pd.DataFrame
    confusion: NDArray[np.float64]
    fold_costs: NDArray[np.float64]
    prices: NDArray[np.float64]
    answers: Sequence[Any]
    rule: Rule
    evidence: Evidence
    by_example: bool = False
    error: str = "error"

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Share of held-out rows by candidate, true class and answer."""
        pooled = self.confusion.sum(axis=1)
        return pooled / pooled.sum(axis=(1, 2), keepdims=True)

    @cached_property
    def fold_shares(self) -> NDArray[np.float64]:
        """The same by candidate and fold."""
        return self.confusion / self.confusion.sum(axis=(2, 3), keepdims=True)

    @cached_property
    def cost(self) -> NDArray[np.float64]:
        """Mean cost of every candidate at the original prices."""
        return self.table["cost"].to_numpy(float)

    @cached_property
    def chosen(self) -> int:
        """The row chosen at the original prices."""
        return self.choice_at(self.prices)

    def costs_at(self, prices: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean cost of every candidate at other prices.

        Parameters
        ----------
        prices : array of shape (K, A)
            Other prices.

        Returns
        -------
        array of shape (n_candidates,)
            In the units of the prices.
        """
        return self.cost + (self.shares * (prices - self.prices)).sum(axis=(1, 2))

    def fold_costs_at(self, prices: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same for every fold.

        Parameters
        ----------
        prices : array of shape (K, A)
            Other prices.

        Returns
        -------
        array of shape (n_candidates, n_folds)
            In the units of the prices.
        """
        change = prices - self.prices
        return self.fold_costs + (self.fold_shares * change).sum(axis=(2, 3))

    def at(self, prices: NDArray[np.float64]) -> pd.DataFrame:
        """The table at other prices.

        Parameters
        ----------
        prices : array of shape (K, A)
            Other prices.

        Returns
        -------
        DataFrame
            A copy with other costs.
        """
        folds = self.fold_costs_at(prices)
        n_folds = folds.shape[1]
        columns = {"cost": self.costs_at(prices)}
        if n_folds > 1:
            columns["cost_se"] = folds.std(axis=1, ddof=1) / np.sqrt(n_folds)
        if not self.by_example:
            # Only the change is computed, so rounding does not change the choice at
            # the original prices.
            columns["normalized_cost"] = self.table["normalized_cost"].to_numpy() + (
                self._normalized(columns["cost"], prices)
                - self._normalized(self.cost, self.prices)
            )
        return self.table.assign(**columns)

    def choice_at(self, prices: NDArray[np.float64]) -> int:
        """The row that the rule chooses at other prices.

        Parameters
        ----------
        prices : array of shape (K, A)
            Other prices.

        Returns
        -------
        int
            Index of the row.
        """
        with warnings.catch_warnings():
            # The search has already warned about a budget that is not met.
            warnings.simplefilter("ignore")
            return decide(
                self.at(prices), self.rule, self.evidence, error=self.error
            ).row

    def _normalized(
        self, cost: NDArray[np.float64], prices: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Cost above that of right answers, in units of the average mistake."""
        unit = average_mistake(prices)
        least = self.shares.sum(axis=2) @ np.diagonal(prices)
        return (cost - least) / unit if unit > 0 else 0.0 * cost


def average_mistake(prices: NDArray[np.float64]) -> float:
    """Average price of a mistake, above the price of the right answer."""
    n_classes = len(prices)
    above = prices[:, :n_classes] - np.diagonal(prices)[:, None]
    return float(above.sum() / (n_classes * max(n_classes - 1, 1)))


# Crossings that differ relatively by less are the same: well above the rounding error
# of a crossing, and far below any price that matters.
_SAME = 1e-9
# Where the choice beyond a crossing is evaluated, as a share of the way to the next.
_NEXT = 1e-6


def price_intervals(priced: PricedChoice) -> pd.DataFrame:
    """The interval of each price within which the choice stays the same.

    Each price moves alone, with all others fixed.

    Parameters
    ----------
    priced : PricedChoice
        Candidates, prices and the rule.

    Returns
    -------
    DataFrame
        One row per price: ``true`` and ``predicted`` class, ``price``, the interval
        from ``low`` to ``high``, and the rows of the table that are chosen beyond its
        ends, ``below`` and ``above``. These are missing if the choice is the same up to
        the lowest or highest valid price (no mistake costs less than the right answer,
        and nothing less than 0). ``change`` is the distance to the nearer change of
        the choice, relative to the price, or to the average price of a mistake if the
        price is 0; infinite if no price changes the choice.

    See Also
    --------
    PricedChoice : A trade-off table as a function of the prices, and a rule.
    Sensitivity : How sure a choice is.

    Examples
    --------
    The second candidate is chosen as long as a lost letter, ham predicted as spam,
    costs enough:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from softcost.search import Evidence, LeastCost
    >>> from softcost.search import PricedChoice, price_intervals
    >>> counts = np.array([[[[7.0, 3.0], [0.0, 10.0]]], [[[9.0, 1.0], [1.0, 9.0]]]])
    >>> prices = np.array([[0.0, 1.0], [2.0, 0.0]])
    >>> cost = (counts * prices).sum(axis=(2, 3)) / 20
    >>> table = pd.DataFrame({"softness": [0.0, 0.5], "cost": cost[:, 0]})
    >>> table["normalized_cost"] = table["cost"] / 1.5
    >>> names = ["ham", "spam"]
    >>> evidence = Evidence(np.array(names), counts[:, 0], 20, np.ones(2))
    >>> priced = PricedChoice(table, counts, cost, prices, names, LeastCost(), evidence)
    >>> intervals = price_intervals(priced)
    >>> ham = intervals["true"] == "ham"
    >>> lost = intervals[ham & (intervals["predicted"] == "spam")]
    >>> lost[["price", "low", "below"]].values.tolist()
    [[1.0, 1.0, 0]]
    """
    n_classes, n_answers = priced.prices.shape
    unit = average_mistake(priced.prices) or 1.0
    rows = [
        _interval(priced, (true, answer), unit)
        | {"true": priced.answers[true], "predicted": priced.answers[answer]}
        for true in range(n_classes)
        for answer in range(n_answers)
    ]
    columns = ["true", "predicted", "price", "low", "high", "below", "above", "change"]
    table = pd.DataFrame(rows)[columns]
    return table.astype({"below": "Int64", "above": "Int64"})


def _interval(
    priced: PricedChoice, cell: tuple[int, int], unit: float
) -> dict[str, Any]:
    price = float(priced.prices[cell])
    lowest, highest = _allowed(priced, cell)
    points = _turning_points(priced, cell, unit)
    low, below = _first_turn(priced, cell, points[points <= price][::-1], lowest)
    high, above = _first_turn(priced, cell, points[points >= price], highest)
    turns = [end for end, row in ((low, below), (high, above)) if row is not None]
    change = min((abs(end - price) for end in turns), default=np.inf)
    change /= price if price > 0 else unit
    return {
        "price": price, "low": low, "high": high, "below": below, "above": above,
        "change": change,
    }  # fmt: skip


def _allowed(priced: PricedChoice, cell: tuple[int, int]) -> tuple[float, float]:
    """The valid prices: at least the price of the right answer, which is at least 0."""
    true, answer = cell
    if priced.by_example:
        return 0.0, np.inf
    if true != answer:
        return float(priced.prices[true, true]), np.inf
    return 0.0, float(np.delete(priced.prices[true], true).min(initial=np.inf))


def _first_turn(
    priced: PricedChoice,
    cell: tuple[int, int],
    points: NDArray[np.float64],
    end: float,
) -> tuple[float, int | None]:
    """The first point towards the end beyond which the choice differs."""
    if end == priced.prices[cell]:
        return float(end), None
    side = 1.0 if end > priced.prices[cell] else -1.0
    room = side * (end - points)
    inside = points[room > _SAME * priced.prices.max()]
    last = inside[-1] if len(inside) else 0.0
    beyond = end if np.isfinite(end) else last + max(1.0, abs(last))
    for point, following in pairwise([*inside, beyond]):
        if _choice(priced, cell, (point + following) / 2) != priced.chosen:
            # Further crossings may lie before the middle: evaluate close to the point.
            return float(point), _choice(
                priced, cell, point + _NEXT * (following - point)
            )
    return float(end), None


def _choice(priced: PricedChoice, cell: tuple[int, int], price: float) -> int:
    prices = priced.prices.copy()
    prices[cell] = price
    return priced.choice_at(prices)


def _turning_points(
    priced: PricedChoice, cell: tuple[int, int], unit: float
) -> NDArray[np.float64]:
    """All prices at which the choice may change, increasing.

    Prices that equal the original one up to rounding are set to it.
    """
    points = [np.empty(0), *priced.rule.turning_points(_lines(priced, cell))]
    prices = np.unique(np.concatenate([crossings.ravel() for crossings in points]))
    prices = prices[np.isfinite(prices)]
    near = _SAME * np.maximum(np.abs(prices), unit)
    prices = prices[np.diff(prices, prepend=-np.inf) > near]
    price = priced.prices[cell]
    tied = np.abs(prices - price) <= _SAME * max(price, unit)
    return np.where(tied, price, prices)


def _lines(priced: PricedChoice, cell: tuple[int, int]) -> PriceLines:
    """Costs as functions of the price in one cell of the cost matrix."""
    at_zero, at_one = priced.prices.copy(), priced.prices.copy()
    at_zero[cell], at_one[cell] = 0.0, 1.0
    class_shares = priced.shares[0].sum(axis=1)
    least = [class_shares @ np.diagonal(prices) for prices in (at_zero, at_one)]
    unit = [average_mistake(prices) for prices in (at_zero, at_one)]
    price, (true, answer) = priced.prices[cell], cell
    slope, fold_slope = (
        priced.shares[:, true, answer],
        priced.fold_shares[:, :, true, answer],
    )
    return PriceLines(
        cost=Line(priced.cost - slope * price, slope),
        fold_costs=Line(priced.fold_costs - fold_slope * price, fold_slope),
        least=Line(np.array(least[0]), np.array(least[1] - least[0])),
        unit=Line(np.array(unit[0]), np.array(unit[1] - unit[0])),
        table=priced.table,
        evidence=priced.evidence,
        error=priced.error,
        chosen=priced.chosen,
        by_example=priced.by_example,
    )


@dataclass(frozen=True)
class Regret:
    """Minimax regret: the cost of each candidate above the cheapest, at worst.

    Attributes
    ----------
    worst : array of shape (n_candidates,)
        The largest regret of every candidate; infinite if it is not eligible.
    row : int
        The candidate whose largest regret is the least.
    costs : DataFrame of shape (n_candidates, n_scenarios) or None
        Cost of every candidate in every scenario; None for ranges of prices.
    choices : dict of scenario and row, or None
        The row that the rule chooses in every scenario.

    See Also
    --------
    scenario_regret : Regret over a list, or dict by name, of cost matrices.
    box_regret : Regret over all prices between two matrices.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.search import Regret
    >>> regret = Regret(worst=np.array([0.4, 0.1, np.inf]), row=1)
    >>> float(regret.worst[regret.row])  # at most 0.1 above the cheapest
    0.1
    """

    worst: NDArray[np.float64]
    row: int
    costs: pd.DataFrame | None = None
    choices: dict[Any, int] | None = None


def scenario_regret(
    priced: PricedChoice, scenarios: Any, eligible: NDArray[np.bool_]
) -> Regret:
    """Regret over a list, or dict by name, of cost matrices.

    Parameters
    ----------
    priced : PricedChoice
        Candidates, prices and the rule.
    scenarios : list of cost matrices, or dict of name and cost matrix
        Alternative prices.
    eligible : array of shape (n_candidates,)
        Whether each candidate may be chosen.

    Returns
    -------
    Regret
        The largest regret of every candidate, and the row with the smallest.

    See Also
    --------
    box_regret : Regret over all prices between two matrices.
    PricedChoice : A trade-off table as a function of the prices, and a rule.

    Examples
    --------
    The cost of ham predicted as spam is uncertain:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from softcost.search import Evidence, LeastCost
    >>> from softcost.search import PricedChoice, scenario_regret
    >>> counts = np.array([[[[7.0, 3.0], [0.0, 10.0]]], [[[9.0, 1.0], [1.0, 9.0]]]])
    >>> prices = np.array([[0.0, 1.0], [2.0, 0.0]])
    >>> cost = (counts * prices).sum(axis=(2, 3)) / 20
    >>> table = pd.DataFrame({"softness": [0.0, 0.5], "cost": cost[:, 0]})
    >>> table["normalized_cost"] = table["cost"] / 1.5
    >>> names = ["ham", "spam"]
    >>> evidence = Evidence(np.array(names), counts[:, 0], 20, np.ones(2))
    >>> priced = PricedChoice(table, counts, cost, prices, names, LeastCost(), evidence)
    >>> scenarios = {"hardly": [[0, 0.5], [2, 0]], "a client": [[0, 9], [2, 0]]}
    >>> regret = scenario_regret(priced, scenarios, np.ones(2, bool))
    >>> regret.choices
    {'hardly': 0, 'a client': 1}
    >>> regret.row, round(float(regret.worst[regret.row]), 3)
    (1, 0.05)
    """
    _refuse_examples(priced, "scenarios")
    named = _named(scenarios)
    if not named:
        raise ValueError("scenarios is empty: pass at least one cost matrix.")
    matrices = {
        name: _checked(matrix, priced, f"scenarios, {name!r}")
        for name, matrix in named.items()
    }
    costs = pd.DataFrame(
        {name: priced.costs_at(matrix) for name, matrix in matrices.items()}
    )
    values = costs.to_numpy(float)
    worst = (values - values[eligible].min(axis=0)).max(axis=1)
    return Regret(
        *_least(priced, worst, eligible),
        costs=costs,
        choices={name: priced.choice_at(matrix) for name, matrix in matrices.items()},
    )


def box_regret(
    priced: PricedChoice, price_range: Any, eligible: NDArray[np.bool_]
) -> Regret:
    """Regret over all prices between two matrices, which vary independently.

    The regret of i against j is linear in every price, so it is largest in a corner of
    the box: ``sum max(d * low, d * high)`` with d the difference of their shares. This
    is exact, without visiting all ``2 ** (K * K)`` corners.

    Parameters
    ----------
    priced : PricedChoice
        Candidates, prices and the rule.
    price_range : pair of cost matrices
        The lowest prices and the highest.
    eligible : array of shape (n_candidates,)
        Whether each candidate may be chosen.

    Returns
    -------
    Regret
        The largest regret of every candidate, and the row with the smallest.

    See Also
    --------
    scenario_regret : Regret over a list, or dict by name, of cost matrices.
    PricedChoice : A trade-off table as a function of the prices, and a rule.

    Examples
    --------
    Prices may be half as high, and spam predicted as ham may cost up to 8:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from softcost.search import Evidence, LeastCost
    >>> from softcost.search import PricedChoice, box_regret
    >>> counts = np.array([[[[7.0, 3.0], [0.0, 10.0]]], [[[9.0, 1.0], [1.0, 9.0]]]])
    >>> prices = np.array([[0.0, 1.0], [2.0, 0.0]])
    >>> cost = (counts * prices).sum(axis=(2, 3)) / 20
    >>> table = pd.DataFrame({"softness": [0.0, 0.5], "cost": cost[:, 0]})
    >>> table["normalized_cost"] = table["cost"] / 1.5
    >>> names = ["ham", "spam"]
    >>> evidence = Evidence(np.array(names), counts[:, 0], 20, np.ones(2))
    >>> priced = PricedChoice(table, counts, cost, prices, names, LeastCost(), evidence)
    >>> highest = np.array([[0.0, 1.0], [8.0, 0.0]])
    >>> regret = box_regret(priced, (prices / 2, highest), np.ones(2, bool))
    >>> regret.row, regret.worst.round(3).tolist()
    (0, [0.05, 0.35])
    """
    _refuse_examples(priced, "price_range")
    if not isinstance(price_range, tuple | list) or len(price_range) != 2:
        raise ValueError(
            "price_range must be a pair of cost matrices, the lowest prices and the "
            "highest: pass (low, high)."
        )
    low, high = (
        _checked(matrix, priced, f"price_range, {name},")
        for name, matrix in zip(("low", "high"), price_range, strict=True)
    )
    if (low > high).any():
        raise ValueError(
            "price_range has a lowest price above the highest: pass (low, high)."
        )
    flat = priced.shares.reshape(len(priced.table), -1)
    others = flat[eligible]
    worst = np.empty(len(flat))
    for row, shares in enumerate(flat):
        more = shares - others
        extra = np.where(more > 0, more * high.ravel(), more * low.ravel())
        worst[row] = extra.sum(axis=1).max()
    return Regret(*_least(priced, worst, eligible))


def _least(
    priced: PricedChoice, worst: NDArray[np.float64], eligible: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], int]:
    worst = np.where(eligible, np.maximum(worst, 0.0), np.inf)
    return worst, least_row(priced.table, worst, priced.cost)


def _named(scenarios: Any) -> dict[Any, Any]:
    if isinstance(scenarios, Mapping):
        return dict(scenarios)
    if not isinstance(scenarios, list | tuple):
        raise TypeError(
            f"scenarios must be a list of cost matrices, or a dict by name, not "
            f"{type(scenarios).__name__}."
        )
    return dict(enumerate(scenarios))


def _checked(matrix: Any, priced: PricedChoice, what: str) -> NDArray[np.float64]:
    try:
        classes = priced.evidence.classes
        extra = list(priced.answers[len(classes) :])
        return check_cost_matrix(matrix, classes, actions=extra or None)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{what}: {error}") from error


def _refuse_examples(priced: PricedChoice, argument: str) -> None:
    if priced.by_example:
        raise ValueError(
            f"{argument} replaces costs by class, but costs were given by example: "
            "leave it out, and see the intervals of the mean costs."
        )


@dataclass(frozen=True)
class Sensitivity:
    """How sure a choice is.

    Attributes
    ----------
    chosen : int
        Row of the chosen candidate.
    prices : DataFrame
        The interval of every price within which this row is chosen, see
        `price_intervals`.
    differences : DataFrame
        Bootstrap intervals of the cost differences between the rows of
        ``reference_rows()``, see `cost_differences`.
    scenarios : Regret or None
        Regret over the scenarios, if there were any.
    price_range : Regret or None
        Regret over the range of prices, if there was one.

    See Also
    --------
    softcost.search.SoftCostClassifierCV.sensitivity : Computes it.
    price_intervals : The interval of each price within which the choice stays the same.
    cost_differences : Bootstrap intervals of cost differences, paired by row.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import Ridge
    >>> from softcost import RegressionOneVsAll, SoftCostClassifierCV
    >>> X, y = load_iris(return_X_y=True)
    >>> prices = [[0, 1, 5], [1, 0, 5], [9, 9, 0]]
    >>> search = SoftCostClassifierCV(
    ...     RegressionOneVsAll(Ridge()), cost_matrix=prices, param_grid={"alpha": [1.0]}
    ... ).fit(X, y)
    >>> sensitivity = search.sensitivity()
    >>> sensitivity.chosen == search.best_index_
    True
    >>> sensitivity.describe()
    'The choice changes first with the price of predicting ...
    """

    chosen: int
    prices: pd.DataFrame
    differences: pd.DataFrame
    scenarios: Regret | None = None
    price_range: Regret | None = None

    @property
    def first(self) -> dict[str, Any] | None:
        """The price of a mistake that changes the choice first; None if none does.

        Returns
        -------
        dict
            ``true``, ``predicted``, ``price``, the price ``at`` which the choice
            changes, the ``row`` chosen beyond it, and the ``change`` of `prices`.
        """
        mistakes = self.prices[self.prices["true"] != self.prices["predicted"]]
        nearest = mistakes.sort_values("change", kind="stable").iloc[0]
        if not np.isfinite(nearest["change"]):
            return None
        price = float(nearest["price"])
        turns = [
            (abs(float(nearest[end]) - price), float(nearest[end]), int(nearest[row]))
            for end, row in (("low", "below"), ("high", "above"))
            if not pd.isna(nearest[row])
        ]
        _, at, row = min(turns)
        return {
            "true": nearest["true"], "predicted": nearest["predicted"],
            "price": price, "at": at, "row": row, "change": float(nearest["change"]),
        }  # fmt: skip

    def describe(self) -> str:
        """Describe in a sentence which price changes the choice first.

        Returns
        -------
        str
            The sentence.
        """
        first = self.first
        if first is None:
            return "No single price changes the choice, whatever it is."
        side = "above" if first["at"] >= first["price"] else "below"
        return (
            f"The choice changes first with the price of predicting "
            f"{first['predicted']} for a true {first['true']}, now {first['price']:g}: "
            f"{side} {first['at']:.4g} another candidate is chosen."
        )


def bootstrap_differences(
    held_out: HeldOutRows,
    named_rows: Mapping[str, int],
    *,
    n_bootstrap: int,
    confidence: float,
    random_state: Any,
) -> pd.DataFrame:
    """`cost_differences` between rows of the trade-off table.

    Parameters
    ----------
    held_out : HeldOutRows
        Predictions of all candidates. Rows of a group are drawn together.
    named_rows : mapping of name and row
        The rows to compare, in this order.
    n_bootstrap, confidence, random_state
        As in `cost_differences`.
    """
    rows, row = held_out.rows, held_out.row
    weight, group = rows.weight[row], held_out.groups[row]
    counts = _group_sums(weight, group)
    drawable = counts > 0
    realised_cost = {
        name: _group_sums(
            rows.realised_cost(held_out.predicted[number], row) * weight, group
        )[drawable]
        for name, number in named_rows.items()
    }
    return cost_differences(
        realised_cost,
        counts[drawable],
        n_bootstrap=n_bootstrap,
        confidence=confidence,
        random_state=random_state,
    )


def _group_sums(
    values: NDArray[np.float64], group: NDArray[np.intp]
) -> NDArray[np.float64]:
    return np.bincount(group, values).astype(np.float64, copy=False)
