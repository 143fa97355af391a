"""Sequential tests: has the mean of a stream risen, has its mix of categories changed?

Both tests may be looked at after every period, for as long as the stream goes on. The
probability that they ever raise a false alarm stays below the level.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Fractions of the wealth to bet. A rise from m to m' in units of the range is found
# fastest by betting about m (m' - m) / variance; rare, expensive mistakes need small
# bets. Factors of about 2 between fractions cost at most a few rows of delay.
_FRACTIONS = np.geomspace(0.0005, 0.7, 12)
_LARGEST_BET = 0.75  # of the stake, so no single value can ruin it
_BISECTIONS = 40
_BLOCK = 4096  # rows at a time
_TINY = 1e-300  # p-values below it are as good as 0, but their logs are infinite
_LEAST_EXPECTED = 5.0  # rows per category, below which a chi-squared test is unreliable


def start_weight(period: ArrayLike) -> NDArray[np.float64]:
    """Share of the level that is spent on a change in this period, counted from 0.

    ``1 / ((p + 1) (p + 2))``, which sums to 1 over all periods: half of the level is
    for the first period, and a late change still has a share that falls only as the
    square of time.

    Parameters
    ----------
    period : array-like of int
        Number of the period.

    Returns
    -------
    array of float

    See Also
    --------
    mean_rise : Uses it for the mean of a stream.
    mix_change : Uses it for the mix of categories.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.metrics import start_weight
    >>> round(float(start_weight(np.arange(999)).sum()), 3)
    0.999
    """
    p = np.asarray(period, float)
    return 1.0 / ((p + 1.0) * (p + 2.0))


def mean_interval(
    values: ArrayLike, low: float, high: float, level: float = 0.95
) -> tuple[float, float]:
    """Confidence interval of the mean of values between two bounds.

    It assumes nothing else about the distribution, so it also holds for few rows and
    for rare, expensive mistakes: without any mistake among n rows, its upper end is
    about ``5 * high / n`` rather than 0. It is a betting interval [1]_: its ends are
    the means against which predictable bets would multiply their stake by
    ``2 / (1 - level)``. It is about 40% wider than Student's interval.

    Parameters
    ----------
    values : array-like of shape (n,)
        Independent values. Bets depend on the values before, so the interval depends
        a little on their order.
    low, high : float
        Bounds that no value can exceed.
    level : float, default=0.95
        Confidence level.

    Returns
    -------
    tuple of (float, float)
        ``(low, high)`` if there are no values.

    See Also
    --------
    mean_rise : Test whether the mean has risen.
    paired_saving : Interval for the difference of two models.

    References
    ----------
    .. [1] I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables
       by betting", Journal of the Royal Statistical Society B, 2024.

    Examples
    --------
    >>> from softcost.metrics import mean_interval
    >>> lower, upper = mean_interval([0, 0, 5, 0, 0, 0, 1, 0] * 20, low=0, high=5)
    >>> lower < 0.75 < upper
    True
    """
    x = np.asarray(values, float)
    if len(x) and not (low <= x.min() and x.max() <= high):
        raise ValueError(
            f"values must be between low={low:g} and high={high:g}, but they go from "
            f"{x.min():g} to {x.max():g}; pass bounds that no value can exceed."
        )
    if len(x) == 0 or high <= low:
        return float(low), float(high)
    share = (x - low) / (high - low)
    bets = _predictable_bets(share, level)
    target = np.log(2.0 / (1.0 - level))
    below = _lower_end(share, bets, target)
    above = _lower_end(1.0 - share, bets, target)
    return float(low + below * (high - low)), float(high - above * (high - low))


def _predictable_bets(x: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    """Bets that suit the variance of the values before, from 0 to 1.

    The predictable plug-in of Waudby-Smith and Ramdas for a fixed sample size, their
    equation 26: 1/2 and 1/4 are the mean and the variance before the first value.
    """
    count = np.arange(1, len(x) + 1)
    means = (0.5 + np.cumsum(x)) / (count + 1)
    variances = (0.25 + np.cumsum((x - means) ** 2)) / (count + 1)
    variances = np.append(0.25, variances[:-1])
    return np.sqrt(2.0 * np.log(2.0 / (1.0 - level)) / (len(x) * variances))


def _lower_end(
    x: NDArray[np.float64], bets: NDArray[np.float64], target: float
) -> float:
    """The mean below which the bets would have won."""
    least, most = 0.0, float(x.mean())
    for _ in range(_BISECTIONS):
        middle = (least + most) / 2
        if middle <= 0:
            break
        stakes = np.minimum(bets, _LARGEST_BET / middle)
        if np.log1p(stakes * (x - middle)).sum() > target:
            least = middle
        else:
            most = middle
    return least


def _blocks(n: int) -> list[slice]:
    return [slice(start, start + _BLOCK) for start in range(0, n, _BLOCK)]


def _log_factors(x: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Log of what each bet makes of its stake: expected to be 1 at most at this mean.

    Values are at least 0, so a bet never loses more than its fraction.
    """
    return np.log1p(_FRACTIONS * (x[:, None] / mean - 1.0))


def _log_mean(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log of the mean of exponentials along the last axis."""
    return np.logaddexp.reduce(logs, axis=-1) - np.log(logs.shape[-1])


@dataclass(frozen=True)
class Change:
    """The outcome of a sequential test.

    Attributes
    ----------
    alarm : int or None
        Period in which the test raised an alarm, the first if there are several.
    since : int or None
        Period in which the change probably began, if there is an alarm.
    evidence : array of shape (n_periods,)
        Evidence up to each period as a share of what an alarm needs, on a log scale:
        an alarm is raised at 1.

    See Also
    --------
    mean_rise : Test whether the mean has risen.
    mix_change : Test whether a mix of categories has changed.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.metrics import mean_rise
    >>> mean_rise(np.ones(50), np.zeros(50, int), 0.5).alarm
    0
    """

    alarm: int | None
    since: int | None
    evidence: NDArray[np.float64]


def mean_rise(
    values: ArrayLike,
    periods: ArrayLike,
    limit: float,
    *,
    lowest: float = 0.0,
    level: float = 0.05,
) -> Change:
    """Test after every value whether the mean of a stream has risen above a limit.

    A gambler bets on the rise from the beginning of each period on, with
    `start_weight` of the stake and several constant fractions of it. If no value has a
    conditional mean above the limit, the wealth W is a supermartingale, so
    ``P(W ever reaches 1 / level) <= level`` (Ville's inequality). Nothing else is
    assumed: the values need no upper bound and need not be independent.

    Parameters
    ----------
    values : array-like of shape (n,)
        In the order of time.
    periods : array-like of shape (n,)
        Period of each value, as numbers from 0 that never fall. A change may begin in
        each of them.
    limit : float
        The largest mean that is in order, above ``lowest``.
    lowest : float, default=0.0
        A bound that no value can fall below.
    level : float, default=0.05
        Probability of ever raising a false alarm.

    Returns
    -------
    Change

    See Also
    --------
    mix_change : The same for the mix of categories.
    mean_interval : Interval of a mean.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.metrics import mean_rise
    >>> periods = np.repeat(np.arange(10), 20)
    >>> costs = np.where(np.arange(200) % 10 == 0, 5.0, 0.0)  # 0.5 on average
    >>> mean_rise(costs, periods, limit=0.6).alarm is None
    True
    >>> costs[100:] = np.where(np.arange(100) % 10 < 4, 5.0, 0.0)  # 2 on average
    >>> change = mean_rise(costs, periods, limit=0.6)
    >>> change.since, change.alarm
    (5, 6)
    """
    x, period = np.asarray(values, float), np.asarray(periods)
    if not limit > lowest:
        raise ValueError(
            f"limit={limit:g} must be above lowest={lowest:g}; pass a larger limit."
        )
    if len(x) and x.min() < lowest:
        raise ValueError(
            f"values must be at least lowest={lowest:g}, but one is {x.min():g}."
        )
    n_periods = int(period[-1]) + 1 if len(x) else 0
    ends = np.searchsorted(period, np.arange(n_periods + 1))
    needed = np.log(1.0 / level)
    wealth = np.full(len(_FRACTIONS), -np.inf)  # logs, one for each fraction
    growth = np.zeros((n_periods, len(_FRACTIONS)))
    evidence = np.zeros(n_periods)
    alarm = None
    for number in range(n_periods):
        wealth = np.logaddexp(wealth, np.log(start_weight(number)))
        before, highest = wealth, -np.inf
        for some in _blocks(ends[number + 1] - ends[number]):
            rows = x[ends[number] : ends[number + 1]][some]
            path = wealth + np.cumsum(_log_factors(rows - lowest, limit - lowest), 0)
            highest = max(highest, float(_log_mean(path).max()))
            wealth = path[-1]
        growth[number] = wealth - before
        evidence[number] = max(highest, 0.0) / needed
        if alarm is None and highest >= needed:
            alarm = number
    if alarm is None:
        return Change(None, None, evidence)
    # Of all starts up to the alarm, the one whose bets hold most of the wealth.
    since_start = np.cumsum(growth[alarm::-1], axis=0)[::-1]
    stakes = np.log(start_weight(np.arange(alarm + 1)))
    return Change(alarm, int((_log_mean(since_start) + stakes).argmax()), evidence)


def mix_change(
    before: ArrayLike,
    counts: ArrayLike,
    *,
    level: float = 0.05,
    least_shift: float = 0.0,
) -> Change:
    """Test after every period whether the mix of categories differs from before.

    The last 1, 2, 4, 8 ... periods are compared with the rows before by Pearson's
    chi-squared test. Rare categories are pooled. The level is divided among periods by
    `start_weight` and, within a period, among the windows, so the probability of
    ever raising a false alarm is at most ``level`` (union bound), up to the accuracy of
    the chi-squared approximation.

    Parameters
    ----------
    before : array-like of shape (n_categories,)
        Rows of each category in the training data.
    counts : array-like of shape (n_periods, n_categories)
        Rows of each category in each period.
    level : float, default=0.05
        Probability of ever raising a false alarm.
    least_shift : float, default=0.0
        Changes of fewer rows than this share are not reported, however certain they
        are. It is the total variation distance of the two mixes.

    Returns
    -------
    Change

    See Also
    --------
    mean_rise : The same for a mean.

    Examples
    --------
    >>> from softcost.metrics import mix_change
    >>> counts = [[70, 30], [65, 35], [72, 28], [30, 70], [25, 75]]
    >>> change = mix_change([700, 300], counts)
    >>> change.since, change.alarm
    (3, 3)
    """
    from scipy.special import chdtrc

    reference = np.asarray(before, float)
    stream = np.asarray(counts, float).reshape(-1, len(reference))
    total = np.vstack([np.zeros_like(reference), np.cumsum(stream, axis=0)])
    evidence = np.zeros(len(stream))
    alarm = since = None
    for number in range(len(stream)):
        starts = [number + 1 - 2**k for k in range((number + 1).bit_length())]
        needed = np.log(len(starts) / (level * start_weight(number)))
        for start in starts:
            window = total[number + 1] - total[start]
            statistic, df, shift = _chi_squared(reference, window)
            if df == 0 or shift < least_shift:
                continue
            share = -np.log(max(float(chdtrc(df, statistic)), _TINY)) / needed
            if alarm is None and share >= 1 and share > evidence[number]:
                since = start
            evidence[number] = max(evidence[number], share)
        if alarm is None and evidence[number] >= 1:
            alarm = number
    return Change(alarm, since, evidence)


def _chi_squared(
    first: NDArray[np.float64], second: NDArray[np.float64]
) -> tuple[float, int, float]:
    """Pearson's statistic of two samples, degrees of freedom, and their distance."""
    sizes = np.array([first.sum(), second.sum()])
    if not sizes.all():
        return 0.0, 0, 0.0
    expected = (first + second) * sizes.min() / sizes.sum()
    order = np.argsort(-expected, kind="stable")
    frequent = max(int((expected >= _LEAST_EXPECTED).sum()), 1)
    table = np.array([first[order], second[order]])
    rest = table[:, frequent:].sum(axis=1, keepdims=True)
    table = np.hstack([table[:, :frequent], rest])
    if rest.sum() * sizes.min() / sizes.sum() < _LEAST_EXPECTED:
        # Pool what is left with the rarest of the frequent categories.
        table[:, -2] += table[:, -1]
        table = table[:, :-1]
    shift = float(np.abs(first / sizes[0] - second / sizes[1]).sum() / 2)
    if table.shape[1] < 2:
        return 0.0, 0, shift
    mean = table.sum(axis=0) * (sizes / sizes.sum())[:, None]
    return float(((table - mean) ** 2 / mean).sum()), table.shape[1] - 1, shift
