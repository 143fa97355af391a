"""Costs of the candidates as linear functions of a single price.

With all other entries of the cost matrix fixed, the mean cost of a candidate is a line
``start + slope * price``. A rule compares such lines, so its choice can only change
where two of them cross. `Rule.turning_points` returns these prices;
`softcost.search.price_intervals` evaluates the rule between them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from softcost.search.counts import Evidence


class NotTraceable(ValueError):
    """The choice of a rule cannot be followed along the prices."""


@dataclass(frozen=True)
class Line:
    """Values ``start + slope * price``, with one entry per candidate.

    Parameters
    ----------
    start, slope : array
        Of equal shapes, or shapes that broadcast.

    See Also
    --------
    PriceLines : The lines that a rule compares.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.search.price_lines import Line
    >>> cost = Line(np.array([1.0, 3.0]), np.array([0.5, 0.1]))
    >>> cost.crossings(cost[0]).tolist()  # a line never crosses itself
    [nan, 5.0]
    """

    start: Any
    slope: Any

    def __getitem__(self, index: Any) -> "Line":
        return Line(self.start[index], self.slope[index])

    def __add__(self, other: Any) -> "Line":
        if not isinstance(other, Line):
            return Line(self.start + other, self.slope)
        return Line(self.start + other.start, self.slope + other.slope)

    def __sub__(self, other: Any) -> "Line":
        if not isinstance(other, Line):
            return Line(self.start - other, self.slope)
        return Line(self.start - other.start, self.slope - other.slope)

    def __mul__(self, factor: Any) -> "Line":
        return Line(factor * self.start, factor * self.slope)

    def crossings(self, other: Any) -> NDArray[np.float64]:
        """Prices at which lines cross; not finite for parallel or equal lines.

        Parameters
        ----------
        other : Line or array
            The other lines, or constants.

        Returns
        -------
        array
            One price per pair of entries.
        """
        difference = self - other
        with np.errstate(divide="ignore", invalid="ignore"):
            return -np.asarray(difference.start) / difference.slope


@dataclass(frozen=True)
class PriceLines:
    """What a rule may compare, as functions of one price.

    Attributes
    ----------
    cost : Line with arrays of shape (n_candidates,)
        Mean costs.
    fold_costs : Line with arrays of shape (n_candidates, n_folds)
        Mean costs of every fold.
    least : Line with numbers
        The cost of right answers only.
    unit : Line with numbers
        The average price of a mistake. ``(cost - least) / unit`` is the normalised
        cost, so rules compare ``cost - least`` with multiples of ``unit``.
    table : DataFrame
        As `SoftCostClassifierCV.tradeoff_`, at the original prices.
    evidence : Evidence
        Counts behind the table.
    error : {"error", "weighted_error"}
        The column of the error that counts.
    chosen : int
        Index of the row that is chosen at the original prices.
    by_example : bool
        Whether costs differ between rows; the lines of the normalised cost do not hold
        then.

    See Also
    --------
    softcost.search.Rule : Its ``turning_points`` uses the lines.
    softcost.search.price_intervals : The interval of every price.
    """

    cost: Line
    fold_costs: Line
    least: Line
    unit: Line
    table: pd.DataFrame
    evidence: Evidence
    error: str
    chosen: int
    by_example: bool

    @property
    def errors(self) -> NDArray[np.float64]:
        """The error of every candidate, which does not depend on prices."""
        return self.table[self.error].to_numpy(float)

    def require_normalized(self) -> None:
        """Raise an error if costs by example leave no lines of normalised costs."""
        if self.by_example:
            raise NotTraceable(
                "sensitivity of a rule of normalised costs needs costs by class, but "
                "costs were given by example: choose by cost, by error, or by a Budget "
                "of these."
            )
