"""Whether differences of costs are more than the luck of the held-out rows."""

from collections.abc import Mapping
from itertools import combinations
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_BLOCK = 64  # resamples at a time


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
    >>> from softcost.sensitivity import cost_differences
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
    # Rows alike are drawn together: with prices by class there are few kinds of them.
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
