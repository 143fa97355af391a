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
from softcost.metrics import lower_hull
from softcost.search.budget import Budget
from softcost.search.counts import Evidence
from softcost.search.rules import (
    LeastCost,
    LeastError,
    MaxOfBoth,
    Rule,
    Tolerance,
    decide,
    least_row,
)
from softcost.search.table import HeldOutRows

# Resamples drawn together: one matrix product for all of them, little memory.
_BLOCK = 64


def cost_differences(
    paid: Mapping[str, NDArray[np.float64]],
    weight: NDArray[np.float64],
    *,
    n_bootstrap: int = 1000,
    confidence: float = 0.95,
    random_state: Any = 0,
) -> pd.DataFrame:
    """Bootstrap intervals of differences between mean costs, paired by row.

    Rows are drawn with replacement, and every model pays for the same ones. Models are
    not trained again: the intervals speak of these models, on other rows.

    Parameters
    ----------
    paid : dict of name and array of shape (n,)
        What each model's answers cost in all for every row, times its weight.
    weight : array of shape (n,)
        How much every row counts in all.
    n_bootstrap : int, default=1000
        Number of resamples.
    confidence : float, default=0.95
        Of the (percentile) intervals.
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
    >>> paid = {"regular": np.array([5.0, 0, 5, 5, 0, 5]), "soft": np.ones(6)}
    >>> found = cost_differences(paid, np.ones(6), n_bootstrap=200)
    >>> found[["first", "second", "difference"]].round(2).values.tolist()
    [['regular', 'soft', 2.33]]
    """
    if not isinstance(n_bootstrap, Integral) or n_bootstrap < 2:
        raise ValueError(
            f"n_bootstrap must be a count of at least 2, not {n_bootstrap!r}; 1000 is "
            "enough."
        )
    if not isinstance(confidence, Real) or not 0 < confidence < 1:
        raise ValueError(
            f"confidence must be between 0 and 1, not {confidence!r}; 0.95 is usual."
        )
    pairs = list(combinations(paid, 2))
    columns = [paid[first] - paid[second] for first, second in pairs]
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
        Held-out weight by true class and by answer.
    fold_costs : array of shape (n_candidates, n_folds)
        Mean cost of every fold.
    prices : array of shape (K, A)
        Those of the table; where they were given by example, their means.
    answers : sequence of A labels
        The classes, and what may be answered beyond them.
    rule : Rule
        That chooses.
    evidence : Evidence
        Counts behind the table, which the rule may ask for.
    by_example : bool
        Whether prices were given by example. A price that changes by d then stands for
        prices of all examples of its kind that change by d.
    error : {"error", "weighted_error"}
        The error that counts.

    See Also
    --------
    price_intervals : Within which interval each price may move, alone, until the choice
        turns.
    scenario_regret : Regret over a list, or dict by name, of cost matrices.
    softcost.search.SoftCostClassifierCV.sensitivity : Makes one of a search.

    Examples
    --------
    Two candidates, of which the first never takes spam for ham:

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
        """Mean cost of every candidate: the measured one, and what changes.

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
        change = prices - self.prices
        folds = self.fold_costs + (self.fold_shares * change).sum(axis=(2, 3))
        n_folds = folds.shape[1]
        columns = {"cost": self.costs_at(prices)}
        if n_folds > 1:
            columns["cost_se"] = folds.std(axis=1, ddof=1) / np.sqrt(n_folds)
        if not self.by_example:
            # What changes is added, so that rounding turns no choice at the old prices.
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
            Its number.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a budget that is not met: said before
            return decide(
                self.at(prices), self.rule, self.evidence, error=self.error
            ).row

    def _normalized(
        self, cost: NDArray[np.float64], prices: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """In units of the average price of a mistake, above that of being right."""
        unit = average_mistake(prices)
        least = self.shares.sum(axis=2) @ np.diagonal(prices)
        return (cost - least) / unit if unit > 0 else 0.0 * cost


def average_mistake(prices: NDArray[np.float64]) -> float:
    """Average price of a mistake over the classes, above that of being right."""
    n_classes = len(prices)
    above = prices[:, :n_classes] - np.diagonal(prices)[:, None]
    return float(above.sum() / (n_classes * max(n_classes - 1, 1)))


# As a function of a single price p, every cost is a line, ``a + b p``. Rules compare
# such lines, so a choice can only change where two of them cross. The crossings have a
# closed form, and the rule itself is evaluated between them.

Line = tuple[NDArray[np.float64], NDArray[np.float64]]  # values at 0, and slopes

# Crossings that differ relatively by less are the same: well above the rounding error
# of a crossing, and far below any price that matters.
_SAME = 1e-9
# Where the choice beyond a crossing is evaluated, as a share of the way to the next.
_NEXT = 1e-6


def price_intervals(priced: PricedChoice) -> pd.DataFrame:
    """Within which interval each price may move, alone, until the choice turns.

    Parameters
    ----------
    priced : PricedChoice
        Candidates, prices and the rule.

    Returns
    -------
    DataFrame
        One row per price: ``true`` and ``predicted`` class, ``price``, the interval
        from ``low`` to ``high``, and the rows of the table that are chosen beyond its
        ends, ``below`` and ``above``; missing where the end is that of what is allowed
        (nothing costs less than 0 or than being right) and the choice does not turn.
        ``change`` is the distance to the nearer turn, as a part of the price, or of
        the average price of a mistake where the price is 0; infinite without a turn.

    See Also
    --------
    PricedChoice : A trade-off table whose costs follow the prices, and a rule that
        chooses on it.
    Sensitivity : How sure a choice is.

    Examples
    --------
    The second candidate is chosen while a lost letter, ham taken for spam, costs
    enough:

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
    >>> found = price_intervals(priced)
    >>> lost = found[(found["true"] == "ham") & (found["predicted"] == "spam")]
    >>> lost[["price", "low", "below"]].values.tolist()
    [[1.0, 1.0, 0]]
    """
    _check_rule(priced)
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


def _check_rule(priced: PricedChoice) -> None:
    rule = priced.rule
    if not isinstance(rule, LeastCost | LeastError | MaxOfBoth | Budget | Tolerance):
        raise ValueError(
            f"sensitivity cannot follow {type(rule).__name__}, whose choice may depend "
            "on prices in any way: choose by one of the rules of softcost.search."
        )
    relative = isinstance(rule, MaxOfBoth)
    if isinstance(rule, Budget):
        relative = rule.normalized_cost is not None
        if relative and rule.cost is not None:
            raise ValueError(
                "sensitivity follows a Budget of the cost or of the normalised cost, "
                "not of both: limit one of them."
            )
        if rule.confidence is not None and (relative or rule.cost is not None):
            raise ValueError(
                "sensitivity cannot follow a Budget of costs with a confidence, whose "
                "test changes with the prices: leave confidence out, or limit the "
                "error."
            )
    if priced.by_example and relative:
        raise ValueError(
            "sensitivity needs prices by class to follow normalised costs, but they "
            "were given by example: choose by cost, error or a Budget of these."
        )


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
    """What a price may be: not below that of being right, which is not negative."""
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
    """The first point, on the way to the end, beyond which the choice is another."""
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
    """All prices at which the choice may turn, increasing; ties at the price are it."""
    rule, chosen = priced.rule, priced.chosen
    slope = priced.shares[:, cell[0], cell[1]]
    cost: Line = (priced.cost - slope * priced.prices[cell], slope)
    points: list[NDArray[np.float64]] = [np.empty(0)]
    if isinstance(rule, LeastCost):
        added = rule.compared(priced.table) - priced.table["cost"].to_numpy(float)
        compared: Line = (cost[0] + added, slope)
        points = [_crossings(compared, _of(compared, chosen))]
    elif isinstance(rule, MaxOfBoth):
        points = _relative_points(priced, cell, cost)
    elif isinstance(rule, Budget):
        points = _budget_points(priced, rule, cell, cost)
    elif isinstance(rule, Tolerance):
        points = _tolerance_points(priced, rule, cell, cost)
    prices = np.unique(np.concatenate([crossings.ravel() for crossings in points]))
    prices = prices[np.isfinite(prices)]
    near = _SAME * np.maximum(np.abs(prices), unit)
    prices = prices[np.diff(prices, prepend=-np.inf) > near]
    price = priced.prices[cell]
    tied = np.abs(prices - price) <= _SAME * max(price, unit)
    return np.where(tied, price, prices)


def _crossings(first: Line, second: Line) -> NDArray[np.float64]:
    """Where lines meet; not finite where they never do, or always."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return (second[0] - first[0]) / (first[1] - second[1])


def _of(line: Line, row: int) -> Line:
    return line[0][row], line[1][row]


def _times(line: Line, factor: Any) -> Line:
    return factor * line[0], factor * line[1]


def _less(line: Line, other: Line) -> Line:
    return line[0] - other[0], line[1] - other[1]


def _constant(values: Any) -> Line:
    return np.asarray(values, float), np.zeros(np.shape(values))


def _normalisation(priced: PricedChoice, cell: tuple[int, int]) -> tuple[Line, Line]:
    """What right answers would cost, and the average price of a mistake, as lines."""
    at_zero, at_one = priced.prices.copy(), priced.prices.copy()
    at_zero[cell], at_one[cell] = 0.0, 1.0
    sizes = priced.shares[0].sum(axis=1)
    least, unit = (
        [sizes @ np.diagonal(prices) for prices in (at_zero, at_one)],
        [average_mistake(prices) for prices in (at_zero, at_one)],
    )
    return (
        (np.array(least[0]), np.array(least[1] - least[0])),
        (np.array(unit[0]), np.array(unit[1] - unit[0])),
    )


def _relative_points(
    priced: PricedChoice, cell: tuple[int, int], cost: Line
) -> list[NDArray[np.float64]]:
    """Of the larger of error and normalised cost, both times the unit: lines again."""
    least, unit = _normalisation(priced, cell)
    errors = priced.table[priced.error].to_numpy(float)
    above = _less(cost, least)
    wrong: Line = (errors * unit[0], errors * unit[1])
    return [
        _crossings(line, _of(other, priced.chosen))
        for line in (above, wrong)
        for other in (above, wrong)
    ]


def _budget_points(
    priced: PricedChoice, rule: Budget, cell: tuple[int, int], cost: Line
) -> list[NDArray[np.float64]]:
    """Where costs cross, or enter or leave their limits."""
    chosen = priced.chosen
    points = [_crossings(cost, _of(cost, chosen))]
    if rule.cost is None and rule.normalized_cost is None:
        return points
    # By how much candidates break each limit, of costs as parts of it; with normalised
    # costs all of it times the average price of a mistake, so that these are lines.
    unit: Line = _constant(1.0)
    if rule.normalized_cost is not None:
        least, unit = _normalisation(priced, cell)
        cost = _less(cost, least)
    excess: list[Line] = []
    for limit in rule.limits(priced.error):
        part = 1.0 / limit.bound if limit.bound > 0 else 1.0
        if limit.limits_costs:
            excess.append(_times(_less(cost, _times(unit, limit.bound)), part))
        else:
            beyond = limit.excess(limit.values(priced.table, priced.evidence))
            excess.append((beyond * unit[0], beyond * unit[1]))
    for line in excess:
        points += [_crossings(line, _constant(0.0))]
        points += [_crossings(line, _of(other, chosen)) for other in excess]
    return points


def _tolerance_points(
    priced: PricedChoice, rule: Tolerance, cell: tuple[int, int], cost: Line
) -> list[NDArray[np.float64]]:
    """Where candidates come near to the least cost, or leave it."""
    best = lower_hull(np.column_stack([cost[1], cost[0]]))
    envelope: Line = (cost[0][best][:, None], cost[1][best][:, None])
    points = [
        _crossings(cost, _of(cost, priced.chosen)),
        _crossings(envelope, (envelope[0].T, envelope[1].T)),
    ]
    if rule.cost != "1se":
        allowed = _times(envelope, 1.0 + float(rule.cost))
        return [*points, _crossings(cost, allowed)]
    # (cost_j - cost_best)^2 = se_best^2, a quadratic in the price.
    n_folds = priced.fold_costs.shape[1]
    if n_folds < 2:
        return points
    slopes = priced.fold_shares[:, :, cell[0], cell[1]][best]
    values = priced.fold_costs[best] - slopes * priced.prices[cell]
    centred = [part - part.mean(axis=1, keepdims=True) for part in (values, slopes)]
    scale = n_folds * (n_folds - 1)
    spread = [
        (centred[a] * centred[b]).sum(axis=1)[:, None] / scale
        for a, b in ((0, 0), (0, 1), (1, 1))
    ]
    gap = _less(cost, envelope)
    return [
        *points,
        *_quadratic_roots(
            gap[1] ** 2 - spread[2],
            2 * (gap[0] * gap[1] - spread[1]),
            gap[0] ** 2 - spread[0],
        ),
    ]


def _quadratic_roots(
    a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    """Both roots of ``a x^2 + b x + c``; not finite where there are none."""
    with np.errstate(all="ignore"):
        root = np.sqrt(b * b - 4 * a * c)
        stable = -(b + np.where(b < 0, -root, root)) / 2
        return [stable / a, c / stable]


@dataclass(frozen=True)
class Regret:
    """Minimax regret: the cost of each candidate above the cheapest, at worst.

    Attributes
    ----------
    worst : array of shape (n_candidates,)
        The largest regret of every candidate; infinite for those not to be chosen.
    row : int
        The candidate whose largest regret is the least.
    costs : DataFrame of shape (n_candidates, n_scenarios) or None
        What every candidate costs in every scenario; None for ranges of prices.
    choices : dict of scenario and row, or None
        What the rule chooses in every scenario.

    See Also
    --------
    scenario_regret : Regret over a list, or dict by name, of cost matrices.
    box_regret : Regret over all prices between two matrices, each free to move by
        itself.

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
        What prices may be.
    eligible : array of shape (n_candidates,)
        Which candidates may be chosen.

    Returns
    -------
    Regret
        The largest regret of every candidate, and where it is least.

    See Also
    --------
    box_regret : Regret over all prices between two matrices, each free to move by
        itself.
    PricedChoice : A trade-off table whose costs follow the prices, and a rule that
        chooses on it.

    Examples
    --------
    Nobody is sure what a letter costs that was taken for spam:

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
    >>> found = scenario_regret(priced, scenarios, np.ones(2, bool))
    >>> found.choices
    {'hardly': 0, 'a client': 1}
    >>> found.row, round(float(found.worst[found.row]), 3)
    (1, 0.05)
    """
    _refuse_examples(priced, "scenarios")
    named = _named(scenarios)
    if not named:
        raise ValueError("scenarios is empty: give at least one cost matrix.")
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
    """Regret over all prices between two matrices, each free to move by itself.

    The regret of i against j is largest where every price is at the end that i uses
    more (or j less): ``sum max(d * low, d * high)`` with d the difference of their
    shares. So it is exact, though there are ``2 ** (K * K)`` corners.

    Parameters
    ----------
    priced : PricedChoice
        Candidates, prices and the rule.
    price_range : pair of cost matrices
        The lowest prices and the highest.
    eligible : array of shape (n_candidates,)
        Which candidates may be chosen.

    Returns
    -------
    Regret
        The largest regret of every candidate, and where it is least.

    See Also
    --------
    scenario_regret : Regret over a list, or dict by name, of cost matrices.
    PricedChoice : A trade-off table whose costs follow the prices, and a rule that
        chooses on it.

    Examples
    --------
    Prices may be half of what they are, and a spam that comes through cost up to 8:

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
    >>> dearest = np.array([[0.0, 1.0], [8.0, 0.0]])
    >>> found = box_regret(priced, (prices / 2, dearest), np.ones(2, bool))
    >>> found.row, found.worst.round(3).tolist()
    (0, [0.05, 0.35])
    """
    _refuse_examples(priced, "price_range")
    if not isinstance(price_range, tuple | list) or len(price_range) != 2:
        raise ValueError(
            "price_range must be a pair of cost matrices, the lowest prices and the "
            "highest; give (low, high)."
        )
    low, high = (
        _checked(matrix, priced, f"price_range, {name},")
        for name, matrix in zip(("low", "high"), price_range, strict=True)
    )
    if (low > high).any():
        raise ValueError(
            "price_range has a lowest price above the highest: give (low, high)."
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
            f"{argument} replaces prices by class, but these were given by example: "
            "leave it out, and see the intervals of their means."
        )


@dataclass(frozen=True)
class Sensitivity:
    """How sure a choice is.

    Attributes
    ----------
    chosen : int
        Row of the chosen candidate.
    prices : DataFrame
        The interval of every price within which it stays the chosen one, see
        `price_intervals`.
    differences : DataFrame
        Bootstrap intervals of the differences of cost between the rows of
        ``reference_rows()``, see `cost_differences`.
    scenarios : Regret or None
        Over the scenarios that were given.
    price_range : Regret or None
        Over the range of prices that was given.

    See Also
    --------
    softcost.search.SoftCostClassifierCV.sensitivity : Computes it.
    price_intervals : Within which interval each price may move, alone, until the choice
        turns.
    cost_differences : Bootstrap intervals of differences between mean costs, paired by
        row.

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
    >>> found = search.sensitivity()
    >>> found.chosen == search.best_index_
    True
    >>> found.describe()
    'The choice changes first with the price of predicting ...
    """

    chosen: int
    prices: pd.DataFrame
    differences: pd.DataFrame
    scenarios: Regret | None = None
    price_range: Regret | None = None

    @property
    def first(self) -> dict[str, Any] | None:
        """The price of a mistake that turns the choice first; None where none does.

        Returns
        -------
        dict
            ``true``, ``predicted``, ``price``, the price ``at`` which the choice turns,
            the ``row`` chosen beyond it, and the ``change`` of `prices`.
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
        """In one sentence, whether another price would change the choice.

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
        Predictions of all candidates; rows of one group are drawn together.
    named_rows : mapping of name and row
        The rows to compare, in this order.
    n_bootstrap, confidence, random_state
        As in `cost_differences`.
    """
    rows, row = held_out.rows, held_out.row
    weight, group = rows.weight[row], held_out.groups[row]
    counts = _group_sums(weight, group)
    drawable = counts > 0
    paid = {
        name: _group_sums(
            rows.realised_cost(held_out.predicted[number], row) * weight, group
        )[drawable]
        for name, number in named_rows.items()
    }
    return cost_differences(
        paid,
        counts[drawable],
        n_bootstrap=n_bootstrap,
        confidence=confidence,
        random_state=random_state,
    )


def _group_sums(
    values: NDArray[np.float64], group: NDArray[np.intp]
) -> NDArray[np.float64]:
    return np.bincount(group, values).astype(np.float64, copy=False)
