"""t-tests of two samples of results, defined also for samples without variance."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Comparison:
    """The outcome of :func:`compare`.

    Attributes
    ----------
    difference : float
        Mean of a minus mean of b.
    statistic : float
        Student's t; 0 or infinite if the sample does not vary.
    df : int
        Degrees of freedom.
    p_value : float
        For a being lower (one tail) or different (two tails).
    significant : bool
        ``p_value < level``.
    direction : {"lower", "higher", "equal"}
        Direction of the difference of a from b.

    See Also
    --------
    compare : Test whether results a are lower than results b.

    Examples
    --------
    >>> from softcost.metrics import compare
    >>> comparison = compare([3.1, 2.9, 3.0, 3.2], [3.4, 3.1, 3.5, 3.3])
    >>> comparison.direction, comparison.df, comparison.significant
    ('lower', 3, True)
    """

    difference: float
    statistic: float
    df: int
    p_value: float
    significant: bool
    direction: Literal["lower", "higher", "equal"]


def compare(
    a: ArrayLike,
    b: ArrayLike,
    paired: bool = True,
    tail: Literal[1, 2] = 1,
    level: float = 0.05,
) -> Comparison:
    """Test whether results a are lower than results b.

    Parameters
    ----------
    a, b : array-like of shape (n_runs,)
        Results of two methods, such as the costs of repeated runs; at least two each.
    paired : bool, default=True
        Whether ``a[i]`` and ``b[i]`` belong to the same run. Otherwise Student's test
        for two samples of equal variance.
    tail : {1, 2}, default=1
        1 tests whether a is lower than b, 2 whether they differ.
    level : float, default=0.05
        Significance level.

    Returns
    -------
    Comparison
        Statistic, p-value and verdict. If nothing varies beyond rounding, the sign of
        the difference decides p: with one tail 0 (lower), 1 (higher) or
        0.5 (equal); with two tails 0, or 1 if equal.

    See Also
    --------
    paired_saving : What one of several models saves per row against something else.
    Comparison : The outcome of :func:`compare`.

    Examples
    --------
    >>> from softcost.metrics import compare
    >>> compare([1.0, 2.0, 3.0], [2.0, 3.5, 4.0]).significant
    True
    >>> compare([1.0, 2.0], [1.0, 2.0]).p_value
    0.5
    """
    if tail not in (1, 2) or isinstance(tail, bool):
        raise ValueError(f"tail must be 1 or 2, not {tail!r}; choose one.")
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must be between 0 and 1, not {level!r}; use 0.05.")
    first, second = _sample(a, "a"), _sample(b, "b")
    if paired and len(first) != len(second):
        raise ValueError(
            f"b has {len(second)} results for {len(first)} in a; pass the same runs,"
            " or paired=False."
        )
    difference = float(first.mean() - second.mean())
    if paired:
        df = len(first) - 1
        spread = float(np.std(first - second, ddof=1))
        error = spread / len(first) ** 0.5
    else:
        df = len(first) + len(second) - 2
        squares = len(first) * np.var(first) + len(second) * np.var(second)
        spread = float(np.sqrt(squares / df))
        error = spread * (1.0 / len(first) + 1.0 / len(second)) ** 0.5
    largest = max(np.abs(first).max(), np.abs(second).max())
    rounding = float(8.0 * np.finfo(np.float64).eps * largest)
    if abs(difference) <= rounding:
        difference = 0.0
    statistic = _statistic(difference, error, constant=spread <= rounding)
    p_value = _p_value(statistic, df, tail)
    direction: Literal["lower", "higher", "equal"] = "equal"
    if difference != 0.0:
        direction = "lower" if difference < 0.0 else "higher"
    return Comparison(difference, statistic, df, p_value, p_value < level, direction)


def _statistic(difference: float, error: float, *, constant: bool) -> float:
    if difference == 0.0:
        return 0.0
    return float(np.copysign(np.inf, difference)) if constant else difference / error


def _p_value(statistic: float, df: int, tail: int) -> float:
    from scipy.special import stdtr

    if tail == 1:
        return float(stdtr(df, statistic))
    return float(2.0 * stdtr(df, -abs(statistic)))


def _sample(values: Any, argument: str) -> NDArray[np.float64]:
    try:
        sample = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{argument} must hold numbers; pass a list of results.") from (
            None
        )
    if sample.ndim != 1 or len(sample) < 2:
        raise ValueError(
            f"{argument} has shape {sample.shape}; pass at least two results in a list."
        )
    if not np.isfinite(sample).all():
        raise ValueError(
            f"{argument} has a missing or infinite result; drop that run from both."
        )
    return sample
