"""Rules that choose a row of the trade-off table.

Every rule ends the same way: among equals (to a relative 1e-12) the largest softness
wins, then the candidate that comes first, which has the smallest C of the grid.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from softcost.search.counts import Evidence, Limit, binomial_tail

_EQUAL = 1e-12


@dataclass(frozen=True)
class Decision:
    """What a rule chose.

    Attributes
    ----------
    row : int
        Number of the chosen row.
    guarantee : dict or None
        What is known of the limits of a `Budget`; None for other rules. ``met`` says
        whether the chosen row is within them, and ``kind`` by what: "none" by
        cross-validated values without a test, "approximate" by a test on these,
        "exact" by one on calibration rows. ``confidence``, ``method`` and ``rows``
        (their number) are those of the test. ``passed`` are all rows within the budget,
        ``missing`` is a sentence where there is none. ``limits`` has one dict for each
        limit: ``measure``, ``label``, ``at_least``, ``bound``, the cross-validated
        ``estimate`` of the chosen row and, where it was tested, the value ``tested``
        and the ``p_value``.

    See Also
    --------
    decide : What a rule chooses with the counts behind the table at hand.
    Budget : The least cost within limits of other measures.

    Examples
    --------
    >>> from softcost.search import Decision
    >>> Decision(row=3).guarantee is None  # a rule without limits
    True
    """

    row: int
    guarantee: dict[str, Any] | None = None


class Rule(ABC):
    """How a candidate is chosen on the trade-off.

    A subclass is one small dataclass whose fields are what the user asks for. It says
    how it chooses (`choose`, which ends with `least_row`, so that ties are broken as
    everywhere) and describes itself in a few words (`describe`).

    See Also
    --------
    LeastCost : The least cost.
    Budget : The least cost within limits of other measures.
    least_row : The first row with the least keys in turn, then the largest softness.

    Examples
    --------
    A rule of one's own, to be passed as ``criterion``:

    >>> from dataclasses import dataclass
    >>> import pandas as pd
    >>> from softcost.search import Rule, least_row
    >>> @dataclass(frozen=True)
    ... class WeightedSum(Rule):
    ...     weight: float = 1.0
    ...     def choose(self, table, *, error="error"):
    ...         return least_row(table, table["cost"] + self.weight * table[error])
    ...     def describe(self):
    ...         return f"the least cost + {self.weight:g} x error"
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.1, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> WeightedSum(10).choose(table)
    1
    """

    @abstractmethod
    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        """The number of the chosen row.

        Parameters
        ----------
        table : DataFrame
            As `SoftCostClassifierCV.tradeoff_`; rows that differ in parameters only
            are in the order in which ties are to be broken.
        error : {"error", "weighted_error"}, default="error"
            The column of the error that counts.

        Returns
        -------
        int
            From 0.
        """

    def decide(
        self, table: pd.DataFrame, evidence: Evidence, *, error: str = "error"
    ) -> Decision:
        """Choose with the counts behind the table at hand; by default as `choose`.

        Parameters
        ----------
        table : DataFrame
            As `SoftCostClassifierCV.tradeoff_`.
        evidence : Evidence
            Counts behind it.
        error : {"error", "weighted_error"}, default="error"
            The column of the error that counts.

        Returns
        -------
        Decision
            The row, and what is known of limits.
        """
        return Decision(self.choose(table, error=error))

    @abstractmethod
    def describe(self) -> str:
        """What is chosen, to follow "the candidate with".

        Returns
        -------
        str
            Such as "the least cost".
        """


@dataclass(frozen=True)
class LeastCost(Rule):
    """The least cost.

    See Also
    --------
    Budget : The least cost within an error budget.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.search import LeastCost
    >>> table = pd.DataFrame({"softness": [0, 1], "cost": [1.0, 3.0]})
    >>> LeastCost().choose(table)
    0
    """

    def compared(self, table: pd.DataFrame) -> NDArray[np.float64]:
        """What is compared: the costs, to which a subclass may add.

        Parameters
        ----------
        table : DataFrame
            A trade-off table with a column ``cost``.

        Returns
        -------
        array of shape (n_rows,)
            The least of it is chosen.
        """
        return table["cost"].to_numpy(float)

    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        return least_row(table, self.compared(table))

    def describe(self) -> str:
        return "the least cost"


@dataclass(frozen=True)
class LeastError(Rule):
    """The least error, whatever it costs: how one chooses without costs.

    See Also
    --------
    LeastCost : The least cost.
    Tolerance : The least error among costs close to the least one.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.search import LeastError
    >>> table = pd.DataFrame({"softness": [0, 1], "error": [0.4, 0.1]})
    >>> LeastError().choose(table)
    1
    """

    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        return least_row(table, table[error])

    def describe(self) -> str:
        return "the least error"


@dataclass(frozen=True)
class MaxOfBoth(Rule):
    """The least ``max(error, normalised cost)``.

    See Also
    --------
    LeastCost : The least cost.
    softcost.metrics.normalized_cost : Cost on the scale of the error rate.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.search import MaxOfBoth
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "normalized_cost": [0.1, 0.15, 0.5],
    ...      "error": [0.4, 0.2, 0.1]}
    ... )
    >>> MaxOfBoth().choose(table)
    1
    """

    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        return least_row(table, np.maximum(table[error], table["normalized_cost"]))

    def describe(self) -> str:
        return "the least of the larger of error and normalised cost"


@dataclass(frozen=True)
class Tolerance(Rule):
    """The least error among costs close to the least one.

    Parameters
    ----------
    cost : float or "1se"
        How much more may be paid: a fraction of the least cost, or its standard error.

    See Also
    --------
    Budget : The least cost within an error budget.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.search import Tolerance
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.1, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> Tolerance(cost=0.2).choose(table)
    1
    """

    cost: float | Literal["1se"]

    def __post_init__(self) -> None:
        if self.cost == "1se":
            return
        if not isinstance(self.cost, Real) or not float(self.cost) >= 0:
            raise ValueError(
                f"tolerance must be a fraction of the best cost or '1se', not "
                f"{self.cost!r}; 0.1 allows ten per cent more."
            )

    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        cost = table["cost"].to_numpy(float)
        allowed = cost.min()
        if self.cost == "1se":
            allowed += np.nan_to_num(table["cost_se"].to_numpy(float)[cost.argmin()])
        else:
            allowed += abs(cost.min()) * float(self.cost)
        allowed += _EQUAL * abs(allowed)
        return least_row(table, np.where(cost <= allowed, table[error], np.inf), cost)

    def describe(self) -> str:
        near = "one standard error" if self.cost == "1se" else f"{self.cost:.2%}"
        return f"the least error among those whose cost is within {near} of the least"


@dataclass(frozen=True)
class ByFunction(Rule):
    """A row number, or the least of one value per row, as a function of the table.

    Parameters
    ----------
    function : callable
        Given a copy of the trade-off table, it returns the number of a row, or one
        value per row of which the least is best.

    See Also
    --------
    make_rule : The rule that a criterion stands for.
    Rule : How a candidate is chosen on the trade-off.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.search import ByFunction
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.1, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> ByFunction(lambda t: t["cost"] + 10 * t["error"]).choose(table)
    1
    """

    function: Callable[[pd.DataFrame], Any]

    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        answer = self.function(table.copy())
        if isinstance(answer, Integral) and not isinstance(answer, bool):
            if 0 <= int(answer) < len(table):
                return int(answer)
        elif np.shape(answer) == (len(table),):
            values: NDArray[np.float64] = np.asarray(answer, float)
            if np.isfinite(values).any():
                return least_row(table, np.where(np.isnan(values), np.inf, values))
        raise ValueError(
            f"criterion must return a row number from 0 to {len(table) - 1} or one "
            f"value per row of the table, of which the least is best, not {answer!r}."
        )

    def describe(self) -> str:
        return f"what {getattr(self.function, '__name__', 'a function')} prefers"


def least_row(table: pd.DataFrame, *keys: Any) -> int:
    """The first row with the least keys in turn, then the largest softness.

    Parameters
    ----------
    table : DataFrame
        With a column ``softness``.
    *keys : array-like of shape (n_rows,)
        The first counts most, the next ones where it is the same.

    Returns
    -------
    int
        From 0.

    See Also
    --------
    Rule : How a candidate is chosen on the trade-off.

    Examples
    --------
    Equal costs: the error decides; were it equal too, the larger softness would.

    >>> import pandas as pd
    >>> from softcost.search import least_row
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.0, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> least_row(table, table["cost"], table["error"])
    1
    """
    left = np.arange(len(table))
    for key in (*keys, -table["softness"].to_numpy(float)):
        values = np.asarray(key, float)[left]
        best = values.min()
        left = left[values <= best + _EQUAL * abs(best)]
    return int(left[0])


# What is missing where no candidate is within a budget, in one sentence.


def missing_by_estimate(
    limits: Sequence[Limit], values: Sequence[NDArray[np.float64]], row: int
) -> str:
    """What the nearest candidate lacks by its cross-validated values."""
    wanted = " and ".join(limit.describe() for limit in limits)
    reached = " and ".join(
        f"{limit.name} {value[row]:.4g}"
        for limit, value in zip(limits, values, strict=True)
        if limit.excess(value[row]) > 0
    )
    return (
        f"no candidate has {wanted} by cross-validation: the nearest, with {reached}, "
        "is chosen; allow more, or try other learners."
    )


def missing_by_test(
    limit: Limit, held: Evidence, row: int, confidence: float, level: float
) -> str:
    """What the nearest candidate lacks to pass the test of a limit.

    ``level`` is that of its own test, corrected for how many there are.
    """
    reached = held.means(limit)[row]
    return (
        f"no candidate was shown to have {limit.describe()} with a confidence of "
        f"{confidence:g}: the nearest, with {reached:.4g} in {held.n_rows} rows, is "
        f"chosen; {_remedy(limit, held, level)}."
    )


def _remedy(limit: Limit, held: Evidence, level: float) -> str:
    """How many losses would have passed, or how many rows are needed at least."""
    if limit.measure == "error":
        n_rows, bound, losses = held.n_rows, limit.bound, ("error", "errors")
        where = ""
    elif limit.measure == "recall":
        number = held.number_of(limit.label)
        n_rows = round(float(held.confusion[0, number].sum()))
        bound, losses = 1 - limit.bound, ("miss", "misses")
        where = f" in {n_rows} rows of the class"
    else:
        return "allow more, or give more rows"
    if bound <= 0:
        return "no number of rows shows that there are none at all: allow some"
    counts = np.arange(n_rows)
    passing = np.flatnonzero(binomial_tail(counts, n_rows, bound) <= level)
    if len(passing):
        most = int(passing[-1])
        return f"at most {most} {losses[most != 1]}{where} would have passed"
    needed = int(np.ceil(np.log(level) / np.log1p(-bound)))
    return f"not even 0 {losses[1]}{where} would do, since that takes {needed} rows"


# The least cost within limits, estimated by cross-validation or tested.


_RATES = ("error", "g_mean", "coverage")
_COSTS = ("cost", "normalized_cost")
_MEASURES = ("error", "weighted_error", "cost", "normalized_cost", "g_mean", "coverage")


@dataclass(frozen=True, repr=False)
class Budget(Rule):
    """The least cost within limits of other measures.

    Without ``confidence`` a candidate is within the budget if its cross-validated
    measures are. The cheapest of many that just are is a lucky one: its true error is
    above the limit about as often as not.

    With ``confidence`` it has to pass a test, whose level bounds the probability that
    the chosen candidate breaks a limit (Angelopoulos et al., 2021, "Learn then Test"):
    by the exact binomial tail for rates, by Hoeffding's and Bentkus's inequalities for
    other measures; with several limits each has to be passed. Where the search held
    out calibration rows (``SoftCostClassifierCV(calibration=0.2)``) these are what
    is tested on, and the guarantee holds for every number of rows. Candidates are
    tested in the order of the cross-validated front, from the safest to the cheapest,
    each at the full level, up to the first that fails; the order does not depend on the
    calibration rows, so no correction for the number of candidates is needed. Otherwise
    the tests take the cross-validated predictions, with Holm's correction for the
    number of candidates, and the guarantee is approximate: those come from other
    models than the one that is fitted to all rows. A warning says so.

    Where no candidate is within the budget, the nearest one is chosen, with a warning
    that says what is missing. Where only costs are limited, the least error is chosen
    instead of the least cost.

    Parameters
    ----------
    error : float from 0 to 1, default=None
        Largest error; the weighted one where the search counts errors so.
    weighted_error, cost, normalized_cost : float, default=None
        Largest values.
    g_mean, coverage : float from 0 to 1, default=None
        Least values. Coverage needs a search with actions.
    recall : dict of label and float from 0 to 1, default=None
        Least recall of classes.
    confidence : float between 0 and 1, default=None
        With which the limits hold together; 0.95 is usual.

    See Also
    --------
    Tolerance : The least error within a tolerance of cost.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.search import Budget
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.1, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> Budget(error=0.25).choose(table)
    1
    >>> Budget(recall={"fraud": 0.9}, confidence=0.95)
    Budget(recall={'fraud': 0.9}, confidence=0.95)
    """

    error: float | None = None
    weighted_error: float | None = None
    cost: float | None = None
    normalized_cost: float | None = None
    g_mean: float | None = None
    coverage: float | None = None
    recall: Mapping[Any, float] | None = None
    confidence: float | None = None

    def __post_init__(self) -> None:
        _check_recall(self.recall)
        for name in _MEASURES:
            _check_bound(name, getattr(self, name))
        if not self.limits():
            raise ValueError(
                "Budget has no limit: give at least one, such as error=0.05."
            )
        given = self.confidence
        if given is not None and (not _is_number(given) or not 0 < given < 1):
            raise ValueError(
                f"confidence must be between 0 and 1, not {given!r}; 0.95 is usual."
            )

    def __repr__(self) -> str:
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        given = [f"{name}={one!r}" for name, one in values.items() if one is not None]
        return f"Budget({', '.join(given)})"

    def limits(self, error: str = "error") -> list[Limit]:
        """The limits, the error's as one of the column that counts.

        Parameters
        ----------
        error : {"error", "weighted_error"}, default="error"
            What ``error`` limits.

        Returns
        -------
        list of Limit
            Those that were given.
        """
        found = []
        for name in _MEASURES:
            bound = getattr(self, name)
            if bound is not None:
                measure = error if name == "error" else name
                found.append(Limit(measure, float(bound)))
        for label, bound in (self.recall or {}).items():
            found.append(Limit("recall", float(bound), label))
        return found

    @property
    def least(self) -> str:
        """What is least among candidates within the budget: "cost" or "error"."""
        limited = {limit.measure for limit in self.limits()}
        return "error" if limited <= set(_COSTS) else "cost"

    @property
    def needs_counts(self) -> bool:
        """Whether the trade-off table alone is not enough to choose."""
        return bool(self.recall) or self.confidence is not None

    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        if self.needs_counts:
            raise ValueError(
                "a Budget with recall or confidence needs counts, not the table alone: "
                "use it as criterion of a search, or in its choose."
            )
        return self._estimated(table, None, error).row

    def decide(
        self, table: pd.DataFrame, evidence: Evidence, *, error: str = "error"
    ) -> Decision:
        if self.confidence is None:
            return self._estimated(table, evidence, error)
        if not evidence.equal_weights:
            raise ValueError(
                "confidence counts rows, but sample_weight differs between them: leave "
                "one of the two out."
            )
        return self._tested(table, evidence, error)

    def describe(self) -> str:
        kept = " and ".join(limit.describe() for limit in self.limits())
        sure = ""
        if self.confidence is not None:
            sure = f", with a confidence of {self.confidence:g}"
        return f"the least {self.least} among those with {kept}{sure}"

    def _key(self, table: pd.DataFrame, error: str) -> NDArray[np.float64]:
        return table[error if self.least == "error" else "cost"].to_numpy(float)

    def _estimated(
        self, table: pd.DataFrame, evidence: Evidence | None, error: str
    ) -> Decision:
        """By cross-validated values alone."""
        limits = self.limits(error)
        values = [limit.values(table, evidence) for limit in limits]
        excess = _largest_excess(limits, values)
        within = excess <= 0
        key = self._key(table, error)
        if within.any():
            row = least_row(table, np.where(within, key, np.inf), excess)
        else:
            row = least_row(table, excess, key)
        guarantee: dict[str, Any] = {
            "met": bool(within[row]), "kind": "none", "confidence": None,
            "method": None, "rows": None, "passed": np.flatnonzero(within).tolist(),
            "limits": [
                _told(limit) | {"estimate": float(value[row])}
                for limit, value in zip(limits, values, strict=True)
            ],
            "missing": None,
        }  # fmt: skip
        if not within[row]:
            missing = missing_by_estimate(limits, values, row)
            guarantee["missing"] = missing
            _warn(missing)
        return Decision(row, guarantee)

    def _tested(self, table: pd.DataFrame, evidence: Evidence, error: str) -> Decision:
        """By tests, each of the level that the confidence leaves."""
        limits, key = self.limits(error), self._key(table, error)
        level = 1 - float(self.confidence or 0)
        exact = evidence.calibration is not None
        held = evidence.calibrated if exact else evidence
        tails = np.array([held.p_values(limit) for limit in limits])
        worst = tails.max(axis=0)
        if exact:
            order = _safest_first(_worst_tail(evidence, limits), key)
            passed = order[: _n_before_first(worst[order] > level)]
        else:
            passed = _holm(worst, level)
            _warn(
                "the guarantee is approximate: it rests on cross-validated predictions;"
                " SoftCostClassifierCV(calibration=0.2) keeps rows for an exact test."
            )
        within = np.isin(np.arange(len(table)), passed)
        if len(passed):
            row = least_row(table, np.where(within, key, np.inf), worst)
        else:
            means = [held.means(limit) for limit in limits]
            row = least_row(table, _largest_excess(limits, means), worst, key)
        guarantee: dict[str, Any] = {
            "met": bool(within[row]),
            "kind": "exact" if exact else "approximate",
            "confidence": float(self.confidence or 0),
            "method": "fixed sequence along the front" if exact else "Holm",
            "rows": held.n_rows,
            "passed": np.flatnonzero(within).tolist(),
            "limits": [
                _told(limit)
                | {"estimate": float(limit.values(table, evidence)[row])}
                | {"tested": float(held.means(limit)[row])}
                | {"p_value": float(tail[row])}
                for limit, tail in zip(limits, tails, strict=True)
            ],
            "missing": None,
        }
        if not within[row]:
            which = int(tails[:, row].argmax())
            own = level if exact else level / len(table)
            missing = missing_by_test(limits[which], held, row, 1 - level, own)
            guarantee["missing"] = missing
            _warn(missing)
        return Decision(row, guarantee)


def _check_recall(recall: Any) -> None:
    if recall is None:
        return
    if not isinstance(recall, Mapping) or not recall:
        raise ValueError(
            f"recall must be a dict of classes and their least recall, such as "
            f'{{"fraud": 0.9}}, not {recall!r}.'
        )
    for label, bound in recall.items():
        if not _is_number(bound) or not 0 <= bound <= 1:
            raise ValueError(
                f"recall of {label!r} must be from 0 to 1, not {bound!r}; 0.9 finds "
                "nine in ten."
            )


def _check_bound(name: str, bound: Any) -> None:
    if bound is None:
        return
    if name == "error" and not (_is_number(bound) and 0 <= bound <= 1):
        raise ValueError(
            f"max_error, the error of a Budget, must be an error rate from 0 to 1, not "
            f"{bound!r}; 0.05 allows five errors in a hundred."
        )
    if name in _RATES and not (_is_number(bound) and 0 <= bound <= 1):
        raise ValueError(f"{name} must be from 0 to 1, not {bound!r}; try 0.9.")
    if not _is_number(bound) or not 0 <= bound < np.inf:
        raise ValueError(
            f"{name} must be a number that is not negative, not {bound!r}; give the "
            "largest that is allowed."
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _largest_excess(
    limits: list[Limit], values: list[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """How far candidates are beyond their budget; costs in parts of the limit."""
    excess = []
    for limit, value in zip(limits, values, strict=True):
        beyond = limit.excess(value)
        if limit.measure in _COSTS and limit.bound > 0:
            beyond = beyond / limit.bound
        excess.append(beyond)
    if len(excess) == 1:
        return excess[0]
    # How much room there is left is no reason to prefer a candidate.
    return np.maximum(np.max(excess, axis=0), 0.0)


def _worst_tail(evidence: Evidence, limits: list[Limit]) -> NDArray[np.float64]:
    return np.max([evidence.p_values(limit) for limit in limits], axis=0)


def _safest_first(
    tail: NDArray[np.float64], key: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Candidates that no other beats in safety and cost, the safest first."""
    order = np.lexsort((key, tail))
    cheapest = np.minimum.accumulate(np.concatenate([[np.inf], key[order][:-1]]))
    return order[key[order] < cheapest]


def _n_before_first(failed: NDArray[np.bool_]) -> int:
    return int(failed.argmax()) if failed.any() else len(failed)


def _holm(tails: NDArray[np.float64], level: float) -> NDArray[np.intp]:
    """Candidates that pass with Holm's correction: all, with probability 1 - level."""
    order = np.argsort(tails, kind="stable")
    allowed = level / np.arange(len(tails), 0, -1)
    return order[: _n_before_first(tails[order] > allowed)]


def _told(limit: Limit) -> dict[str, Any]:
    return {
        "measure": limit.measure,
        "label": limit.label,
        "at_least": limit.at_least,
        "bound": limit.bound,
    }


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=6)


# From a word to a rule, and from a rule to rows.


# What the words for a rule stand for, and which argument each needs.
_SHORTHAND: dict[str, tuple[Callable[..., Rule], str | None]] = {
    "cost": (LeastCost, None),
    "max": (MaxOfBoth, None),
    "constrained": (Budget, "max_error"),
    "tolerance": (Tolerance, "tolerance"),
}
CRITERIA = tuple(_SHORTHAND)


def make_rule(
    criterion: Any,
    *,
    max_error: float | None = None,
    tolerance: float | str | None = None,
) -> Rule:
    """The rule that a criterion stands for.

    Parameters
    ----------
    criterion : Rule, {"cost", "max", "constrained", "tolerance"} or callable
        A rule stands for itself, a word for one of `CRITERIA`, a function for
        `ByFunction`.
    max_error : float, default=None
        The budget of "constrained".
    tolerance : float or "1se", default=None
        That of "tolerance".

    Returns
    -------
    Rule
        That chooses.

    See Also
    --------
    choose_row : The number of the row that a criterion chooses.
    Budget : The least cost within limits of other measures.
    Tolerance : The least error among costs close to the least one.

    Examples
    --------
    >>> from softcost.search import make_rule
    >>> make_rule("constrained", max_error=0.05)
    Budget(error=0.05)
    """
    kind, needed = None, None
    if isinstance(criterion, type) and issubclass(criterion, Rule):
        raise TypeError(
            f"criterion is the class {criterion.__name__}, not a rule: pass an "
            f"instance, {criterion.__name__}(...)."
        )
    if isinstance(criterion, str) and criterion in _SHORTHAND:
        kind, needed = _SHORTHAND[criterion]
    elif not isinstance(criterion, Rule) and not callable(criterion):
        raise ValueError(
            f"criterion must be one of {', '.join(CRITERIA)}, a rule such as "
            f"Budget(error=0.05) or a function of the trade-off table, not "
            f"{criterion!r}; choose one."
        )
    given: dict[str, Any] = {"max_error": max_error, "tolerance": tolerance}
    for word, (_, argument) in _SHORTHAND.items():
        wanted = argument == needed
        if argument is not None and (given[argument] is not None) != wanted:
            raise ValueError(
                f"{argument} goes with criterion={word!r}, which needs it: give both "
                "or neither."
            )
    if isinstance(criterion, Rule):
        return criterion
    if kind is None:
        return ByFunction(criterion)
    return kind() if needed is None else kind(given[needed])


def choose_row(
    table: pd.DataFrame,
    criterion: Any = "cost",
    *,
    max_error: float | None = None,
    tolerance: float | str | None = None,
    error: str = "error",
) -> int:
    """The number of the row that a criterion chooses.

    Parameters
    ----------
    table : DataFrame
        As `SoftCostClassifierCV.tradeoff_`.
    criterion, max_error, tolerance
        As in `make_rule`.
    error : {"error", "weighted_error"}, default="error"
        The column of the error that counts.

    Returns
    -------
    int
        From 0.

    See Also
    --------
    softcost.search.make_rule : The rule that a criterion stands for.
    softcost.search.decide : The same with the counts behind the table at hand.

    Examples
    --------
    >>> import pandas as pd
    >>> import pandas as pd
    >>> from softcost.search import choose_row
    >>> from softcost.search import choose_row
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.1, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> choose_row(table), choose_row(table, "constrained", max_error=0.25)
    (0, 1)
    """
    rule = make_rule(criterion, max_error=max_error, tolerance=tolerance)
    return _checked(rule.choose(table, error=error), rule, table)


def decide(
    table: pd.DataFrame, rule: Rule, evidence: Evidence, *, error: str = "error"
) -> Decision:
    """What a rule chooses with the counts behind the table at hand.

    Parameters
    ----------
    table : DataFrame
        As `SoftCostClassifierCV.tradeoff_`.
    rule : Rule
        That chooses.
    evidence : Evidence
        Counts behind the table.
    error : {"error", "weighted_error"}, default="error"
        The column of the error that counts.

    Returns
    -------
    Decision
        The row, and what is known of limits.

    See Also
    --------
    choose_row : The number of the row that a criterion chooses.
    Budget : The least cost within limits of other measures.

    Examples
    --------
    The second candidate costs more, but only it keeps the limit:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from softcost.search import Budget, Evidence, decide
    >>> counts = np.array([[[30.0, 20.0], [0.0, 50.0]], [[48.0, 2.0], [6.0, 44.0]]])
    >>> table = pd.DataFrame(
    ...     {"softness": [0.0, 0.5], "cost": [0.2, 0.5], "error": [0.2, 0.08]}
    ... )
    >>> evidence = Evidence(np.array(["ham", "spam"]), counts, 100, np.ones(2))
    >>> found = decide(table, Budget(recall={"ham": 0.9}), evidence)
    >>> found.row, found.guarantee["met"]
    (1, True)
    """
    decision = rule.decide(table, evidence, error=error)
    return replace(decision, row=_checked(decision.row, rule, table))


def _checked(row: Any, rule: Rule, table: pd.DataFrame) -> int:
    """A row number, if it is one of the table."""
    if not isinstance(row, Integral) or not 0 <= int(row) < len(table):
        raise ValueError(
            f"{type(rule).__name__} chose {row!r}, but choose must return a row number "
            f"from 0 to {len(table) - 1}: see softcost.search.least_row."
        )
    return int(row)


def best_at(
    table: pd.DataFrame, softness: float, rule: Rule, *, error: str = "error"
) -> int | None:
    """What a rule chooses among the rows of one softness; None where there is none.

    Parameters
    ----------
    table : DataFrame
        As `SoftCostClassifierCV.tradeoff_`.
    softness : float
        Which rows may be chosen.
    rule : Rule
        That chooses.
    error : {"error", "weighted_error"}, default="error"
        The column of the error that counts.

    Returns
    -------
    int or None
        The number of the row in the whole table.

    See Also
    --------
    reference_rows : Rows to set the chosen one beside.
    choose_row : The number of the row that a criterion chooses.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.search import LeastCost, best_at
    >>> table = pd.DataFrame({"softness": [0, 1, 1], "cost": [1.0, 3.0, 2.0]})
    >>> best_at(table, 1, LeastCost()), best_at(table, 0.5, LeastCost())
    (2, None)
    """
    rows = np.flatnonzero(np.isclose(table["softness"].to_numpy(float), softness))
    if len(rows) == 0:
        return None
    part = table.iloc[rows].reset_index(drop=True)
    return int(rows[rule.choose(part, error=error)])


def reference_rows(
    table: pd.DataFrame,
    chosen: int | None = None,
    *,
    error: str = "error",
    among: NDArray[np.intp] | None = None,
) -> dict[str, int]:
    """Rows to set the chosen one beside.

    ``regular`` is what one would choose without costs: the least error of softness 1;
    ``hard`` the least cost of softness 0. One that has no candidates is left out.

    Parameters
    ----------
    table : DataFrame
        As `SoftCostClassifierCV.tradeoff_`.
    chosen : int, default=None
        Its number, where one was chosen.
    error : {"error", "weighted_error"}, default="error"
        The column of the error that counts.
    among : array of int, default=None
        Rows that ``regular`` and ``hard`` are taken from, such as those of one family;
        by default all.

    Returns
    -------
    dict of name and row number: "regular", "hard", "chosen"

    See Also
    --------
    best_at : What a rule chooses among the rows of one softness; None where there is
        none.
    softcost.report.TradeoffDisplay : Marks these rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.search import reference_rows
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.1, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> reference_rows(table, chosen=1)
    {'regular': 2, 'hard': 0, 'chosen': 1}
    """
    every = np.arange(len(table)) if among is None else among
    part = table.iloc[every]
    found = {
        "regular": best_at(part, 1.0, LeastError(), error=error),
        "hard": best_at(part, 0.0, LeastCost(), error=error),
    }
    rows = {name: int(every[row]) for name, row in found.items() if row is not None}
    return rows if chosen is None else rows | {"chosen": chosen}
