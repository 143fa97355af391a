"""Limits of measures, and tests of them on the counts behind a trade-off table."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import bdtr, betaincinv, xlogy

from softcost.metrics import MEASURES

_ROUNDING = 1e-9  # absorbs rounding in a count computed from a mean
_STEPS = 60  # of a bisection in log p: enough for the last bit of a double

# The three tails below are valid p-values of "the limit is broken": if it is, a value
# of at most d has probability at most d.


def binomial_tail(losses: Any, n_rows: Any, limit: float) -> NDArray[np.float64]:
    """``P(Bin(n, limit) <= losses)``, for losses of 0 or 1: exact.

    Examples
    --------
    >>> float(binomial_tail(0, 59, 0.05).round(3))
    0.048
    """
    counts = np.ceil(np.asarray(losses, float) - _ROUNDING)
    n_rows = np.asarray(n_rows, float)
    with np.errstate(all="ignore"):
        tail = bdtr(np.minimum(counts, n_rows), n_rows.astype(int), limit)
    return np.where(counts >= n_rows, 1.0, tail)


def hoeffding_bentkus_tail(mean: Any, n_rows: Any, limit: float) -> NDArray[np.float64]:
    """The tail for any losses from 0 to 1, by the smaller of two inequalities.

    ``min(exp(-n h(m, limit)), e P(Bin(n, limit) <= ceil(n m)))`` with the mean loss m
    (no larger than the limit) and ``h(a, b) = a log(a/b) + (1-a) log((1-a)/(1-b))``:
    Hoeffding's and Bentkus's inequalities, as in Bates et al. (2021),
    "Distribution-free, risk-controlling prediction sets".
    """
    if not 0 < limit < 1:
        return np.full(np.shape(mean), float(limit <= 0))
    low = np.minimum(np.asarray(mean, float), limit)
    entropy = xlogy(low, low / limit) + xlogy(1 - low, (1 - low) / (1 - limit))
    hoeffding = np.exp(-np.asarray(n_rows, float) * entropy)
    bentkus = math.e * binomial_tail(np.asarray(mean) * n_rows, n_rows, limit)
    return np.minimum(1.0, np.minimum(hoeffding, bentkus))


def recalls_tail(
    right: NDArray[np.float64], sizes: NDArray[np.float64], limit: float
) -> NDArray[np.float64]:
    """The tail of the geometric mean of K recalls being above a limit.

    The smallest d at which the geometric mean of Clopper and Pearson's lower bounds of
    the recalls, each of confidence ``1 - d / K`` (Bonferroni), reaches the limit.

    Parameters
    ----------
    right, sizes : arrays of shape (..., K)
        Correct rows and all rows of each class.
    limit : float
    """
    n_classes = right.shape[-1]

    def reached(level: NDArray[np.float64]) -> NDArray[np.bool_]:
        each = level[..., None] / n_classes
        bound = betaincinv(np.maximum(right, 0.5), sizes - right + 1, each)
        bound = np.where(right > 0, bound, 0.0)
        return bound.prod(axis=-1) >= limit**n_classes

    low = np.full(right.shape[:-1], -30.0)  # log p; smaller p-values are not resolved
    high = np.zeros(right.shape[:-1])
    surely = reached(np.exp(low))
    never = ~reached(np.exp(high))
    for _ in range(_STEPS):
        middle = (low + high) / 2
        enough = reached(np.exp(middle))
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(never, 1.0, np.exp(np.where(surely, -30.0, high)))


@dataclass(frozen=True)
class Limit:
    """A bound of one measure.

    Attributes
    ----------
    measure : str
        One of `softcost.metrics.MEASURES`, or "recall".
    bound : float
        The largest allowed value, or the smallest if larger is better.
    label : label or None
        The class of a recall.

    See Also
    --------
    Budget : The least cost within limits of other measures.
    Evidence : Held-out counts of every candidate of a search.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.search import Limit
    >>> limit = Limit("g_mean", 0.8)
    >>> limit.describe()
    'a G-mean of at least 0.8'
    >>> limit.excess(np.array([0.9, 0.7])).round(6).tolist()  # the second breaks it
    [-0.1, 0.1]
    """

    measure: str
    bound: float
    label: Any = None

    @property
    def at_least(self) -> bool:
        """Whether the bound is a lower one."""
        return self.measure == "recall" or MEASURES[self.measure].larger_is_better

    @property
    def limits_costs(self) -> bool:
        """Whether the measure depends on the costs."""
        return self.measure != "recall" and MEASURES[self.measure].uses_costs

    @property
    def name(self) -> str:
        """The measure in words."""
        if self.measure == "recall":
            return f"recall of {self.label!r}"
        return MEASURES[self.measure].heading

    def describe(self) -> str:
        """The limit in words, to follow "the candidate with".

        Returns
        -------
        str
            Such as "an error of at most 0.05".
        """
        side = "at least" if self.at_least else "at most"
        article = "an" if self.name[0] in "aeiou" else "a"
        return f"{article} {self.name} of {side} {self.bound:g}"

    def values(
        self, table: pd.DataFrame, evidence: "Evidence | None"
    ) -> NDArray[np.float64]:
        """The cross-validated measure of every candidate.

        Parameters
        ----------
        table : DataFrame
            As `SoftCostClassifierCV.tradeoff_`.
        evidence : Evidence or None
            Counts behind it, from which recalls are computed.

        Returns
        -------
        array of shape (n_candidates,)
            In the units of the limit.
        """
        if self.measure == "recall" and evidence is not None:
            return evidence.recalls(self.label)
        if self.measure not in table:
            raise ValueError(
                f"the trade-off table has no {self.measure} to keep a limit of; leave "
                f"{self.measure} out of the Budget."
            )
        return table[self.measure].to_numpy(float)

    def excess(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """By how much values exceed the limit; at most 0 if they are within it.

        Parameters
        ----------
        values : array
            Values of the measure.

        Returns
        -------
        array of the same shape
            Positive if the limit is exceeded.
        """
        return self.bound - values if self.at_least else values - self.bound


@dataclass(frozen=True)
class Evidence:
    """Held-out counts of every candidate of a search.

    Attributes
    ----------
    classes : array of shape (K,)
        The labels.
    confusion : array of shape (n_candidates, K, A)
        Weight of cross-validated rows by true class and by answer. The first K answers
        are the classes.
    n_rows : int
        Number of these rows; a row held out twice counts once.
    error_weight : array of shape (K,)
        Weight of an error by true class.
    cost_matrix : array of shape (K, A) or None
        Costs by class; None if they were passed by example.
    holdout : array of shape (n_candidates, K, A) or None
        The same counts on rows used neither for training nor for choosing.
    equal_weights : bool
        Whether every row has the same weight; only then are these counts.
    action_error : array of shape (A - K,) or None
        Error of each action beyond the classes, 1 by default.

    See Also
    --------
    Limit : A bound of one measure.
    decide : What a rule chooses with the counts behind the table at hand.
    softcost.metrics.confusion_counts : Computes the counts.

    Examples
    --------
    A candidate errs in 2 of 100 rows. Is its error below 5 % beyond chance?

    >>> import numpy as np
    >>> from softcost.search import Evidence, Limit
    >>> counts = np.array([[[49.0, 1.0], [1.0, 49.0]]])
    >>> evidence = Evidence(np.array(["ham", "spam"]), counts, 100, np.ones(2))
    >>> evidence.recalls("spam").tolist()
    [0.98]
    >>> evidence.p_values(Limit("error", 0.05)).round(3).tolist()
    [0.118]
    """

    classes: NDArray[Any]
    confusion: NDArray[np.float64]
    n_rows: int
    error_weight: NDArray[np.float64]
    cost_matrix: NDArray[np.float64] | None = None
    holdout: NDArray[np.float64] | None = None
    equal_weights: bool = True
    action_error: NDArray[np.float64] | None = None

    def number_of(self, label: Any) -> int:
        """The index of a class, by its label or the label's text.

        Parameters
        ----------
        label : label
            Of a class.

        Returns
        -------
        int
            From 0.
        """
        for number, name in enumerate(self.classes.tolist()):
            if name == label or str(name) == str(label):
                return number
        names = ", ".join(repr(name) for name in self.classes.tolist()[:6])
        raise ValueError(
            f"recall names {label!r}, which is not a class; the classes are {names}."
        )

    def recalls(self, label: Any) -> NDArray[np.float64]:
        """Cross-validated recall of a class, of every candidate; 0 without rows.

        Parameters
        ----------
        label : label
            Of a class.

        Returns
        -------
        array of shape (n_candidates,)
            Share of correct rows of the class.
        """
        number = self.number_of(label)
        size = self.confusion[:, number].sum(axis=-1)
        right = self.confusion[:, number, number]
        return np.divide(right, size, out=np.zeros_like(right), where=size > 0)

    @cached_property
    def of_holdout(self) -> "Evidence":
        """The evidence of the holdout rows alone."""
        assert self.holdout is not None
        n_rows = round(self.holdout[0].sum())
        return replace(self, confusion=self.holdout, n_rows=n_rows, holdout=None)

    def means(self, limit: Limit) -> NDArray[np.float64]:
        """The measure of a limit, of every candidate, by these counts.

        Parameters
        ----------
        limit : Limit
            Its measure is computed.

        Returns
        -------
        array of shape (n_candidates,)
            In the units of the limit.
        """
        if limit.measure == "recall":
            return self.recalls(limit.label)
        if limit.measure == "g_mean":
            right, sizes = self._by_class()
            present = (sizes > 0).any(axis=0)
            recall = right[:, present] / sizes[:, present]
            return recall.prod(axis=1) ** (1 / present.sum())
        mean = self._mean(self._losses(limit.measure))
        return 1 - mean if limit.at_least else mean

    @cached_property
    def _tails(self) -> dict[Limit, NDArray[np.float64]]:
        return {}

    def p_values(self, limit: Limit) -> NDArray[np.float64]:
        """Probability of counts this good if the limit were broken.

        Losses of two values are tested by the exact binomial tail, other losses by
        Hoeffding's and Bentkus's inequalities.

        Parameters
        ----------
        limit : Limit
            The limit to test.

        Returns
        -------
        array of shape (n_candidates,)
            One p-value for each candidate.
        """
        if limit not in self._tails:
            self._tails[limit] = self._tail(limit)
        return self._tails[limit]

    def _tail(self, limit: Limit) -> NDArray[np.float64]:
        scale = self.n_rows / self.confusion[0].sum()
        if limit.measure == "recall":
            number = self.number_of(limit.label)
            size = np.floor(self.confusion[:, number].sum(axis=-1) * scale + 1e-9)
            missed = (1 - self.recalls(limit.label)) * size
            return binomial_tail(missed, size, 1 - limit.bound)
        if limit.measure == "g_mean":
            right, sizes = self._by_class()
            return recalls_tail(right * scale, sizes * scale, limit.bound)
        losses = self._losses(limit.measure)
        most = losses.max()
        bound = 1 - limit.bound if limit.at_least else limit.bound
        mean = self._mean(losses)
        if most <= bound:
            return np.zeros(len(mean))
        if np.isin(losses, [0.0, most]).all():
            return binomial_tail(mean / most * self.n_rows, self.n_rows, bound / most)
        return hoeffding_bentkus_tail(mean / most, self.n_rows, bound / most)

    def _by_class(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        right = np.diagonal(self.confusion, axis1=1, axis2=2)
        return right, self.confusion.sum(axis=2)

    def _mean(self, losses: NDArray[np.float64]) -> NDArray[np.float64]:
        total = self.confusion.sum(axis=(1, 2))
        return (self.confusion * losses).sum(axis=(1, 2)) / total

    def _losses(self, measure: str) -> NDArray[np.float64]:
        """Loss of a row by true class and answer, shape (K, A)."""
        n_classes, n_answers = self.confusion.shape[1:]
        wrong = 1.0 - np.eye(n_classes, n_answers)
        if self.action_error is not None:
            wrong[:, n_classes:] = self.action_error
        loss = MEASURES[measure].loss
        if loss is None:
            raise ValueError(
                f"a limit of the {MEASURES[measure].heading} cannot be tested; leave "
                "confidence out, or limit the error."
            )
        if MEASURES[measure].uses_costs and self.cost_matrix is None:
            raise ValueError(
                f"a limit of the {measure} with a confidence needs costs by class, "
                "whose maximum is known, but the costs are by example; leave "
                "confidence out, or limit the error."
            )
        return loss(wrong, self.error_weight, self.cost_matrix)
