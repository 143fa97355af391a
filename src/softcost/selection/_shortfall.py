"""What is missing where no candidate is within a budget, in one sentence."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softcost.selection._evidence import Evidence, Limit
from softcost.selection._tails import binomial_tail


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
