"""What linear searches take, by the formulas of the guide (docs/guide/large.md).

With n rows, d features (p landmarks instead, where there are any), F folds, M
subproblems, S values of softness and V values of C,

    seconds = F M S V (start + each n d)
    bytes   = 4 n (d + 1) + n (S V + 280) + 3 10^7, beyond the rows themselves

where ``start`` is what the samples take that solutions begin with, and ``each`` what
passes over all rows take. Constants are those of one processor of 2026, rounded. What
is kept of landmarks has no formula: `cache_size` bounds most of it, for each job.
"""

from typing import NamedTuple

FOLDS, SOFTNESS, VALUES, FEATURES, CLASSES = 5, 11, 3, 40, 10


class Formula(NamedTuple):
    """What a search needs.

    Attributes
    ----------
    subproblems, width : int
        M, and d or p.
    start, each : float
        Seconds.
    """

    subproblems: int
    width: int
    start: float
    each: float

    def seconds(self, n):
        problems = FOLDS * self.subproblems * SOFTNESS * VALUES
        return problems * (self.start + self.each * n * self.width)

    def bytes_beyond(self, n):
        return n * (4 * (self.width + 1) + SOFTNESS * VALUES + 280) + 3e7


PAIRS = CLASSES * (CLASSES - 1) // 2
FORMULAS = {
    "osr-linear": Formula(CLASSES, FEATURES, 1.5e-3, 4e-10),
    "csovo-linear": Formula(PAIRS, FEATURES, 1.5e-3, 4e-10),
    "osr-nystroem": Formula(CLASSES, 128, 3e-3, 8e-10),
}


def checked(one):
    """A measured line beside its formulas, or None."""
    formula = FORMULAS.get(one["method"])
    if formula is None or one["data"] != "clusters":
        return None
    n = one["rows"]
    linear = formula.width == FEATURES
    return {
        "formula_of": one["method"],
        "rows": n,
        "measured": one["seconds"],
        "by_formula": formula.seconds(n),
        "bytes": (one["memory"] - 1) * one["data_bytes"],
        "bytes_by_formula": formula.bytes_beyond(n) if linear else None,
    }
