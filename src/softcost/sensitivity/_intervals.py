"""For every price the interval within which the choice stays.

Along one price p every cost is a line, ``a + b p``. Whatever a rule compares is made
of lines, so its choice can turn at their crossings only. These are found in closed
form, and the rule itself is asked between them.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from softcost.metrics import lower_hull
from softcost.selection import Budget, LeastCost, LeastError, MaxOfBoth, Tolerance
from softcost.sensitivity._priced import PricedChoice, average_mistake

Line = tuple[NDArray[np.float64], NDArray[np.float64]]  # values at 0, and slopes

_SAME = 1e-9  # crossings closer than this, relatively, are one
_NEXT = 1e-6  # of the way to the next crossing


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
    >>> from softcost.selection import Evidence, LeastCost
    >>> from softcost.sensitivity import PricedChoice, price_intervals
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
            "on prices in any way: choose by one of the rules of softcost.selection."
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
            # Others may cross on the way to the middle: who is next is seen close by.
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
    found = np.unique(np.concatenate([one.ravel() for one in points]))
    found = found[np.isfinite(found)]
    near = _SAME * np.maximum(np.abs(found), unit)
    found = found[np.diff(found, prepend=-np.inf) > near]
    price = priced.prices[cell]
    tied = np.abs(found - price) <= _SAME * max(price, unit)
    return np.where(tied, price, found)


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
        _crossings(one, _of(other, priced.chosen))
        for one in (above, wrong)
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
        if limit.measure in ("cost", "normalized_cost"):
            excess.append(_times(_less(cost, _times(unit, limit.bound)), part))
        else:
            beyond = limit.excess(limit.values(priced.table, priced.evidence))
            excess.append((beyond * unit[0], beyond * unit[1]))
    for one in excess:
        points += [_crossings(one, _constant(0.0))]
        points += [_crossings(one, _of(other, chosen)) for other in excess]
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
    centred = [one - one.mean(axis=1, keepdims=True) for one in (values, slopes)]
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
