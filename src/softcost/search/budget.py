"""The least cost within limits, estimated by cross-validation or tested."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from softcost.metrics import MEASURES
from softcost.search.counts import Evidence, Limit, binomial_tail
from softcost.search.price_lines import Line, NotTraceable, PriceLines
from softcost.search.rules import Decision, Rule, least_row


@dataclass(frozen=True)
class Assessment:
    """Which candidates are within a budget.

    Attributes
    ----------
    within : mask of shape (n_candidates,)
        Candidates within the budget.
    key : array of shape (n_candidates,)
        To be minimised among these.
    tie : array of shape (n_candidates,)
        Decides among equal keys.
    nearest : tuple of arrays of shape (n_candidates,)
        To be minimised in lexicographic order if no candidate is within the budget.
    guarantee : callable
        The ``guarantee`` of a `Decision` for a row.
    """

    within: NDArray[np.bool_]
    key: NDArray[np.float64]
    tie: NDArray[np.float64]
    nearest: tuple[NDArray[np.float64], ...]
    guarantee: Callable[[int], dict[str, Any]]

    def decision(self, row: int) -> Decision:
        """The decision for a row, with a warning if it is not within the budget."""
        guarantee = self.guarantee(row)
        if guarantee["missing"] is not None:
            _warn(guarantee["missing"])
        return Decision(row, guarantee)


@dataclass(frozen=True, repr=False)
class Budget(Rule):
    """The least cost within limits of other measures.

    Without ``confidence`` a candidate is within the budget if its cross-validated
    measures are. Picking the cheapest of many such candidates is optimistic: its true
    error exceeds the limit about half of the time.

    With ``confidence`` a candidate has to pass a test. Its level bounds the probability
    that the chosen candidate exceeds a limit (Angelopoulos et al., 2021, "Learn then
    Test"). Rates are tested by the exact binomial tail, other measures by Hoeffding's
    and Bentkus's inequalities, and every limit has to pass.

    If the search has holdout rows (``SoftCostClassifierCV(holdout=0.2)``),
    the tests use these rows and the guarantee holds for any number of rows. Candidates
    are tested along the cross-validated front, from the safest to the cheapest, each at
    the full level, up to the first that fails. This order does not depend on the
    holdout rows, so the number of candidates needs no correction.

    Otherwise the tests use the cross-validated predictions, with Holm's correction for
    the number of candidates. The guarantee is then approximate, as these predictions
    come from other models than the final one. softcost warns about it.

    If no candidate is within the budget, the nearest one is chosen, with a warning. If
    only costs are limited, the least error is chosen instead of the least cost.

    Parameters
    ----------
    error : float from 0 to 1, default=None
        Largest error; the weighted error if the search counts errors by class.
    weighted_error, cost, normalized_cost : float, default=None
        Largest values.
    g_mean, coverage : float from 0 to 1, default=None
        Smallest values. Coverage needs a search with actions.
    recall : dict of label and float from 0 to 1, default=None
        Smallest recall of classes.
    confidence : float between 0 and 1, default=None
        Probability with which all limits hold; 0.95 is usual.

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
        for name in self.limited_measures():
            _check_bound(name, getattr(self, name))
        if not self.limits():
            raise ValueError(
                "Budget has no limit: give at least one, such as error=0.05."
            )
        level = self.confidence
        if level is not None and (not _is_number(level) or not 0 < level < 1):
            raise ValueError(
                f"confidence must be between 0 and 1, not {level!r}; 0.95 is usual."
            )

    def __repr__(self) -> str:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        settings = [
            f"{name}={value!r}" for name, value in values.items() if value is not None
        ]
        return f"Budget({', '.join(settings)})"

    @classmethod
    def limited_measures(cls) -> list[str]:
        """Names of the measures that a budget can limit: its fields that are measures.

        Returns
        -------
        list of str
            In the order of the parameters.
        """
        return [field.name for field in fields(cls) if field.name in MEASURES]

    def limits(self, error: str = "error") -> list[Limit]:
        """The limits that were set.

        Parameters
        ----------
        error : {"error", "weighted_error"}, default="error"
            The column that ``error`` limits.

        Returns
        -------
        list of Limit
            Limits of measures, then of recalls.
        """
        limits = []
        for name in self.limited_measures():
            bound = getattr(self, name)
            if bound is not None:
                measure = error if name == "error" else name
                limits.append(Limit(measure, float(bound)))
        for label, bound in (self.recall or {}).items():
            limits.append(Limit("recall", float(bound), label))
        return limits

    @property
    def least(self) -> str:
        """What to minimise within the budget: "cost" or "error"."""
        limits_costs = all(limit.limits_costs for limit in self.limits())
        return "error" if limits_costs else "cost"

    @property
    def needs_counts(self) -> bool:
        """Whether the trade-off table alone is not enough to choose."""
        return bool(self.recall) or self.confidence is not None

    def choose(self, table: pd.DataFrame, *, error: str = "error") -> int:
        if self.needs_counts:
            raise ValueError(
                "a Budget with recall or confidence needs counts, not the table alone; "
                "use it as the criterion of a search, or in its choose."
            )
        return _nearest_or_least(self.assess(table, None, error=error), table).row

    def decide(
        self, table: pd.DataFrame, evidence: Evidence, *, error: str = "error"
    ) -> Decision:
        assessment = self.assess(table, evidence, error=error)
        return _nearest_or_least(assessment, table)

    def describe(self) -> str:
        limits = " and ".join(limit.describe() for limit in self.limits())
        confidence = ""
        if self.confidence is not None:
            confidence = f", with a confidence of {self.confidence:g}"
        return f"the least {self.least} among those with {limits}{confidence}"

    def turning_points(self, lines: PriceLines) -> list[NDArray[np.float64]]:
        self._check_traceable(lines)
        cost, chosen = lines.cost, lines.chosen
        points = [cost.crossings(cost[chosen])]
        if self.cost is None and self.normalized_cost is None:
            return points
        # By how much candidates exceed each limit, relative to it for costs. With
        # normalised costs all of it times the unit, which makes these lines.
        unit = Line(np.array(1.0), np.array(0.0))
        if self.normalized_cost is not None:
            cost, unit = cost - lines.least, lines.unit
        excess: list[Line] = []
        for limit in self.limits(lines.error):
            if limit.limits_costs:
                scale = 1.0 / limit.bound if limit.bound > 0 else 1.0
                excess.append((cost - unit * limit.bound) * scale)
            else:
                values = limit.values(lines.table, lines.evidence)
                excess.append(unit * limit.excess(values))
        for line in excess:
            points += [line.crossings(0.0)]
            points += [line.crossings(other[chosen]) for other in excess]
        return points

    def _check_traceable(self, lines: PriceLines) -> None:
        relative, absolute = self.normalized_cost is not None, self.cost is not None
        if relative and absolute:
            raise NotTraceable(
                "sensitivity supports a Budget of the cost or of the normalised cost, "
                "not of both: limit one of them."
            )
        if self.confidence is not None and (relative or absolute):
            raise NotTraceable(
                "sensitivity does not support a Budget of costs with a confidence, "
                "because its test changes with the prices: leave confidence out, or "
                "limit the error."
            )
        if relative:
            lines.require_normalized()

    def assess(
        self,
        table: pd.DataFrame,
        evidence: Evidence | None,
        *,
        error: str = "error",
        cost: NDArray[np.float64] | None = None,
        preferred: NDArray[np.bool_] | None = None,
    ) -> Assessment:
        """Which candidates are within the budget.

        Parameters
        ----------
        table : DataFrame
            As `SoftCostClassifierCV.tradeoff_`.
        evidence : Evidence or None
            Counts behind the table, if the budget needs them.
        error : {"error", "weighted_error"}, default="error"
            The column of the error that counts.
        cost : array of shape (n_candidates,), default=None
            The cost to minimise; by default the column of the table.
        preferred : mask of shape (n_candidates,), default=None
            An exact test is restricted to these candidates, provided that one of them
            is within the budget by cross-validation. This does not depend on the
            holdout rows, so the test stays exact.

        Returns
        -------
        Assessment
            The candidates within the budget, and what to minimise.
        """
        key = table["cost"].to_numpy(float) if cost is None else cost
        if self.least == "error":
            key = table[error].to_numpy(float)
        if self.confidence is None:
            return self._estimated(table, evidence, error, key)
        if evidence is None or not evidence.equal_weights:
            raise ValueError(
                "confidence counts rows, but sample_weight differs between them; leave "
                "one of the two out."
            )
        if preferred is None:
            preferred = np.ones(len(table), bool)
        return self._tested(table, evidence, error, key, preferred)

    def _estimated(
        self,
        table: pd.DataFrame,
        evidence: Evidence | None,
        error: str,
        key: NDArray[np.float64],
    ) -> Assessment:
        """By cross-validated values alone."""
        limits = self.limits(error)
        values = [limit.values(table, evidence) for limit in limits]
        excess = _largest_excess(limits, values)
        within = excess <= 0

        def guarantee(row: int) -> dict[str, Any]:
            return {
                "met": bool(within[row]), "kind": "none", "confidence": None,
                "method": None, "rows": None, "passed": np.flatnonzero(within).tolist(),
                "limits": [
                    _facts(limit) | {"estimate": float(value[row])}
                    for limit, value in zip(limits, values, strict=True)
                ],
                "missing": (
                    None if within[row] else missing_by_estimate(limits, values, row)
                ),
            }  # fmt: skip

        return Assessment(within, key, excess, (excess, key), guarantee)

    def _tested(
        self,
        table: pd.DataFrame,
        evidence: Evidence,
        error: str,
        key: NDArray[np.float64],
        preferred: NDArray[np.bool_],
    ) -> Assessment:
        """By tests, each of the level that the confidence leaves."""
        limits = self.limits(error)
        level = 1 - float(self.confidence or 0)
        exact = evidence.holdout is not None
        held = evidence.of_holdout if exact else evidence
        tails = np.array([held.p_values(limit) for limit in limits])
        worst = tails.max(axis=0)
        if exact:
            estimates = [limit.values(table, evidence) for limit in limits]
            hopeful = preferred & (_largest_excess(limits, estimates) <= 0)
            rows = np.flatnonzero(preferred | ~hopeful.any())
            order = rows[safest_first(_worst_tail(evidence, limits)[rows], key[rows])]
            passed = order[: _n_before_first(worst[order] > level)]
        else:
            passed = holm_passed(worst, level)
            _warn(
                "the guarantee is approximate: it rests on cross-validated predictions;"
                " SoftCostClassifierCV(holdout=0.2) keeps rows for an exact test."
            )
        within = np.isin(np.arange(len(table)), passed)
        means = [held.means(limit) for limit in limits]

        def missing(row: int) -> str:
            which = int(tails[:, row].argmax())
            corrected = level if exact else level / len(table)
            return missing_by_test(limits[which], held, row, 1 - level, corrected)

        def guarantee(row: int) -> dict[str, Any]:
            return {
                "met": bool(within[row]),
                "kind": "exact" if exact else "approximate",
                "confidence": float(self.confidence or 0),
                "method": "fixed sequence along the front" if exact else "Holm",
                "rows": held.n_rows,
                "passed": np.flatnonzero(within).tolist(),
                "limits": [
                    _facts(limit)
                    | {"estimate": float(limit.values(table, evidence)[row])}
                    | {"tested": float(mean[row])}
                    | {"p_value": float(tail[row])}
                    for limit, mean, tail in zip(limits, means, tails, strict=True)
                ],
                "missing": None if within[row] else missing(row),
            }

        nearest = (_largest_excess(limits, means), worst, key)
        return Assessment(within, key, worst, nearest, guarantee)


def _nearest_or_least(assessment: Assessment, table: pd.DataFrame) -> Decision:
    """The least key within the budget; the nearest candidate if none is within it."""
    within = assessment.within
    if within.any():
        key = np.where(within, assessment.key, np.inf)
        return assessment.decision(least_row(table, key, assessment.tie))
    return assessment.decision(least_row(table, *assessment.nearest))


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
    if MEASURES[name].upper_bound == 1 and not (_is_number(bound) and 0 <= bound <= 1):
        raise ValueError(f"{name} must be from 0 to 1, not {bound!r}; try 0.9.")
    if not _is_number(bound) or not 0 <= bound < np.inf:
        raise ValueError(
            f"{name} must be a number that is not negative, not {bound!r}; pass the "
            "largest allowed value."
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _largest_excess(
    limits: list[Limit], values: list[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """By how much candidates exceed the budget; costs relative to their limit."""
    excess = []
    for limit, value in zip(limits, values, strict=True):
        beyond = limit.excess(value)
        if limit.limits_costs and limit.bound > 0:
            beyond = beyond / limit.bound
        excess.append(beyond)
    if len(excess) == 1:
        return excess[0]
    # Several limits: slack within the budget is no reason to prefer a candidate.
    return np.maximum(np.max(excess, axis=0), 0.0)


def _worst_tail(evidence: Evidence, limits: list[Limit]) -> NDArray[np.float64]:
    return np.max([evidence.p_values(limit) for limit in limits], axis=0)


def safest_first(
    tail: NDArray[np.float64], key: NDArray[np.float64]
) -> NDArray[np.intp]:
    """The Pareto front of safety and cost, the safest candidate first."""
    order = np.lexsort((key, tail))
    cheapest = np.minimum.accumulate(np.concatenate([[np.inf], key[order][:-1]]))
    return order[key[order] < cheapest]


def _n_before_first(failed: NDArray[np.bool_]) -> int:
    return int(failed.argmax()) if failed.any() else len(failed)


def holm_passed(tails: NDArray[np.float64], level: float) -> NDArray[np.intp]:
    """Candidates that pass with Holm's correction of the family-wise error rate."""
    order = np.argsort(tails, kind="stable")
    allowed = level / np.arange(len(tails), 0, -1)
    return order[: _n_before_first(tails[order] > allowed)]


def _facts(limit: Limit) -> dict[str, Any]:
    return {
        "measure": limit.measure,
        "label": limit.label,
        "at_least": limit.at_least,
        "bound": limit.bound,
    }


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=6)


def missing_by_estimate(
    limits: Sequence[Limit], values: Sequence[NDArray[np.float64]], row: int
) -> str:
    """Say how far the nearest candidate is from the limits, by cross-validation."""
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
    """Say how far the nearest candidate is from passing the test of a limit.

    ``level`` is the level of its test, after correction for multiple tests.
    """
    reached = held.means(limit)[row]
    return (
        f"no candidate was shown to have {limit.describe()} with a confidence of "
        f"{confidence:g}: the nearest, with {reached:.4g} in {held.n_rows} rows, is "
        f"chosen; {_remedy(limit, held, level)}."
    )


def _remedy(limit: Limit, held: Evidence, level: float) -> str:
    """The most losses that would have passed, or the fewest rows a test needs."""
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
        return "no sample can prove a rate of zero; allow a small rate"
    counts = np.arange(n_rows)
    passing = np.flatnonzero(binomial_tail(counts, n_rows, bound) <= level)
    if len(passing):
        most = int(passing[-1])
        return f"at most {most} {losses[most != 1]}{where} would have passed"
    needed = int(np.ceil(np.log(level) / np.log1p(-bound)))
    return f"not even 0 {losses[1]}{where} would do, since that takes {needed} rows"
