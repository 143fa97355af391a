"""What is saved per row against something else, with an honest interval."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

_DRAWS = 5000  # of the largest deviation; its quantile is then good to two digits
_SEED = 0  # the same interval for the same rows


@dataclass(frozen=True)
class Saving:
    """The outcome of :func:`paired_saving`.

    Attributes
    ----------
    saving : float
        Mean saving per row, in the units of the costs.
    low, high : float
        The interval of 95 %.
    before : float
        Mean cost of what it is compared with.

    See Also
    --------
    paired_saving : What one of several models saves per row against something else.

    Examples
    --------
    >>> from softcost.metrics import Saving
    >>> found = Saving(saving=0.5, low=0.1, high=0.9, before=2.0)
    >>> found.shown, found.percent(found.saving)
    (True, 25.0)
    """

    saving: float
    low: float
    high: float
    before: float

    @property
    def shown(self) -> bool:
        """Whether there is a saving beyond chance."""
        return self.low > 0

    def percent(self, value: float) -> float | None:
        """An amount in percent of what it is compared with; None where that is free.

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
    after: ArrayLike,
    *,
    chosen: int = 0,
    groups: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    level: float = 0.95,
) -> Saving:
    """What one of several models saves per row against something else.

    Candidate c saves ``d_gc = sum_{i in g} w_i (before_i - after_ci)`` on group g, and
    ``m_c = sum_g d_gc / sum_i w_i`` in the mean, with standard error ``s_c``. The
    interval of the chosen one is ``m_c -+ q s_c``, where q is the quantile of the
    largest of all ``|t_c|``; t has the correlations of the d, and G - 1 degrees of
    freedom. So the intervals of all candidates hold at once, and that of whichever was
    chosen on the same rows, by whatever rule, holds as well. For a single candidate it
    is Student's paired interval.

    Parameters
    ----------
    before : array-like of shape (n,)
        Costs of the rows with what is compared with.
    after : array-like of shape (n,) or (n_candidates, n)
        Costs of the same rows with each candidate.
    chosen : int, default=0
        The candidate that is asked for.
    groups : array-like of shape (n,), default=None
        Rows with the same number depend on each other; by default none do.
    weight : array-like of shape (n,), default=None
        How much each row counts, by default 1.
    level : float, default=0.95
        Of the interval.

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
    >>> found = paired_saving([5, 0, 5, 5, 0, 5], [1, 0, 1, 0, 0, 2])
    >>> round(found.saving, 2), found.shown
    (2.67, True)
    """
    base = np.asarray(before, float)
    costs = np.atleast_2d(np.asarray(after, float))
    if costs.shape[1] != len(base) or len(base) == 0:
        raise ValueError(
            f"after has {costs.shape[1]} rows and before {len(base)}; pass costs of "
            "the same rows."
        )
    w = np.ones(len(base)) if weight is None else np.asarray(weight, float)
    members = np.arange(len(base)) if groups is None else np.asarray(groups)
    known, place = np.unique(members, return_inverse=True)
    sums = np.zeros((len(known), len(costs)))
    np.add.at(sums, place, (w * (base - costs)).T)
    share = np.bincount(place, w, minlength=len(known))
    mean = sums.sum(axis=0) / w.sum()
    if len(known) < 2:
        return Saving(float(mean[chosen]), -np.inf, np.inf, float(w @ base / w.sum()))
    centred = sums - share[:, None] * mean
    covariance = centred.T @ centred * len(known) / (len(known) - 1) / w.sum() ** 2
    error = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    cost = float(w @ base / w.sum())
    most = cost if (costs >= 0).all() else np.inf  # nobody saves more than all
    reach = 0.0
    if error[chosen] > 0:
        reach = _critical(covariance, error, len(known) - 1, level) * error[chosen]
    return Saving(
        saving=float(mean[chosen]),
        low=float(mean[chosen] - reach),
        high=min(float(mean[chosen] + reach), most),
        before=cost,
    )


def _critical(
    covariance: NDArray[np.float64], error: NDArray[np.float64], df: int, level: float
) -> float:
    """The quantile of the largest deviation, in standard errors."""
    from scipy.special import stdtrit

    varies = error > 1e-12 * error.max()
    if varies.sum() == 1:
        return float(stdtrit(df, 0.5 + level / 2))
    own = error[varies]
    correlation = covariance[np.ix_(varies, varies)] / np.outer(own, own)
    values, vectors = np.linalg.eigh(correlation)
    kept = values > 1e-10 * values.max()
    root = vectors[:, kept] * np.sqrt(values[kept])
    rng = np.random.default_rng(_SEED)
    normal = rng.standard_normal((_DRAWS, int(kept.sum()))) @ root.T
    spread = np.sqrt(rng.chisquare(df, _DRAWS) / df)
    return float(np.quantile(np.abs(normal).max(axis=1) / spread, level))
