"""Savings per row against a baseline, with an interval that covers the selection."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

_DRAWS = 5000  # of the maximal |t|: two digits of its 95% quantile
_SEED = 0  # the same rows give the same interval
_BLOCK = 4096  # rows at a time

CostsOf = Callable[[NDArray[np.intp]], NDArray[np.float64]]


@dataclass(frozen=True)
class Saving:
    """The outcome of :func:`paired_saving`.

    Attributes
    ----------
    saving : float
        Mean saving per row, in the units of the costs.
    low, high : float
        The 95% CI.
    before : float
        Mean cost of the baseline.

    See Also
    --------
    paired_saving : The saving per row of one of several models, against a baseline.

    Examples
    --------
    >>> from softcost.metrics import Saving
    >>> saving = Saving(saving=0.5, low=0.1, high=0.9, before=2.0)
    >>> saving.shown, saving.percent(saving.saving)
    (True, 25.0)
    """

    saving: float
    low: float
    high: float
    before: float

    @property
    def shown(self) -> bool:
        """Whether the saving is significant: the interval lies above zero."""
        return self.low > 0

    def percent(self, value: float) -> float | None:
        """An amount in percent of the baseline's cost; None if that is not positive.

        Parameters
        ----------
        value : float
            An amount in the units of the costs, such as ``saving`` or ``low``.

        Returns
        -------
        float or None
            ``100 * value / before``.
        """
        return 100.0 * value / self.before if self.before > 0 else None


def paired_saving(
    before: ArrayLike,
    after: ArrayLike | CostsOf,
    *,
    chosen: int = 0,
    groups: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    level: float = 0.95,
) -> Saving:
    """The saving per row of one of several models, against a baseline.

    Candidate c saves ``d_gc = sum_{i in g} w_i (before_i - after_ci)`` on group g, and
    ``m_c = sum_g d_gc / sum_i w_i`` on average, with standard error ``s_c``. The
    interval of the chosen candidate is ``m_c -+ q s_c``, where q is the quantile of
    ``max_c |t_c|``; t is multivariate Student with the correlations of d and G - 1
    degrees of freedom. These intervals are simultaneous, so they remain valid for a
    candidate chosen on the same rows by any rule. For a single candidate this is
    Student's paired interval.

    Parameters
    ----------
    before : array-like of shape (n,)
        Costs of the rows with the baseline.
    after : array-like of shape (n,) or (n_candidates, n), or callable
        Costs of the same rows with each candidate. A function is called for blocks of
        rows: it gets their indices and returns an array of shape
        (n_candidates, n_rows).
    chosen : int, default=0
        Index of the candidate whose saving is returned.
    groups : array-like of shape (n,), default=None
        Rows of a group may depend on each other; by default all are independent.
    weight : array-like of shape (n,), default=None
        Weight of each row, 1 by default.
    level : float, default=0.95
        Level of the interval.

    Returns
    -------
    Saving
        The mean saving per row with its interval.

    See Also
    --------
    compare : Test whether results a are lower than results b.
    Saving : The outcome of :func:`paired_saving`.

    Examples
    --------
    >>> from softcost.metrics import paired_saving
    >>> saving = paired_saving([5, 0, 5, 5, 0, 5], [1, 0, 1, 0, 0, 2])
    >>> round(saving.saving, 2), saving.shown
    (2.67, True)
    """
    base = np.asarray(before, float)
    if len(base) == 0:
        raise ValueError("before has no rows; pass the costs of at least one row.")
    costs_of = after if callable(after) else _columns(after, len(base))
    w = np.ones(len(base)) if weight is None else np.asarray(weight, float)
    members = np.arange(len(base)) if groups is None else np.asarray(groups)
    labels, group = np.unique(members, return_inverse=True)
    n_groups = len(labels)
    mean, cost, non_negative = 0.0, float(w @ base / w.sum()), True
    for start in range(0, len(base), _BLOCK):
        rows = np.arange(start, min(start + _BLOCK, len(base)))
        costs = costs_of(rows)
        mean = mean + (base[rows] - costs) @ w[rows] / w.sum()
        non_negative = non_negative and bool((costs >= 0).all())
    means = np.asarray(mean)
    if n_groups < 2:
        return Saving(float(means[chosen]), -np.inf, np.inf, cost)

    def centred(rows: NDArray[np.intp]) -> NDArray[np.float64]:
        return w[rows, None] * ((base[rows] - costs_of(rows)).T - means)

    squares = _squared_sums(centred, group, len(means))
    covariance = squares * n_groups / (n_groups - 1) / w.sum() ** 2
    error = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    most = cost if non_negative else np.inf  # a saving cannot exceed the cost
    reach = 0.0
    if error[chosen] > 0:
        reach = _critical(covariance, error, n_groups - 1, level) * error[chosen]
    return Saving(
        saving=float(means[chosen]),
        low=float(means[chosen] - reach),
        high=min(float(means[chosen] + reach), most),
        before=cost,
    )


def _columns(after: ArrayLike, n: int) -> CostsOf:
    """A function that returns blocks of an array of costs."""
    costs = np.atleast_2d(np.asarray(after, float))
    if costs.shape[1] != n:
        raise ValueError(
            f"after has {costs.shape[1]} rows and before {n}; pass costs of the same "
            "rows."
        )
    return lambda rows: costs[:, rows]


def _squared_sums(
    values_of: CostsOf, group: NDArray[np.intp], width: int
) -> NDArray[np.float64]:
    """The matrix ``sum_g s_g s_g^T`` of sums of values over the rows of each group.

    ``values_of(rows)`` has shape (n_rows, width). Rows are taken in the order of their
    groups, some at a time; a group that goes on in the next block is ``open``.
    """
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    squares, open_sum = np.zeros((width, width)), np.zeros(width)
    for start in range(0, len(order), _BLOCK):
        some = slice(start, start + _BLOCK)
        before = -1 if start == 0 else ordered[start - 1]
        first = np.flatnonzero(np.diff(ordered[some], prepend=-1))
        sums = np.add.reduceat(values_of(order[some]), first, axis=0)
        if ordered[start] == before:
            sums[0] += open_sum
        else:
            squares += np.outer(open_sum, open_sum)
        squares += sums[:-1].T @ sums[:-1]
        open_sum = sums[-1]
    return squares + np.outer(open_sum, open_sum)


def _critical(
    covariance: NDArray[np.float64], error: NDArray[np.float64], df: int, level: float
) -> float:
    """The quantile of the largest deviation, in standard errors."""
    from scipy.special import stdtrit

    varies = error > 1e-12 * error.max()
    if varies.sum() == 1:
        return float(stdtrit(df, 0.5 + level / 2))
    errors = error[varies]
    correlation = covariance[np.ix_(varies, varies)] / np.outer(errors, errors)
    values, vectors = np.linalg.eigh(correlation)
    # The symmetric root is unique. Signs and rotations of eigenvectors are not, so with
    # another root a last bit of the covariance would change the simulated quantile.
    root = (vectors * np.sqrt(values.clip(min=0))) @ vectors.T
    rng = np.random.default_rng(_SEED)
    normal = rng.standard_normal((_DRAWS, len(root))) @ root
    spread = np.sqrt(rng.chisquare(df, _DRAWS) / df)
    return float(np.quantile(np.abs(normal).max(axis=1) / spread, level))
