"""The least cost within limits, estimated by cross-validation or tested."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from softcost.selection._evidence import Evidence, Limit
from softcost.selection._rules import Decision, Rule, least_row
from softcost.selection._shortfall import missing_by_estimate, missing_by_test

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
    >>> from softcost.selection import Budget
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
