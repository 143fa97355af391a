"""What a reduction asks of a learner: one learning problem over all rows."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

Kind = TypeVar("Kind", bound="Subproblem")


@dataclass(frozen=True)
class Subproblem:
    """A learning problem; what its targets mean is said by the subclass.

    On a path (see `softcost.learners.WalksPath`) the arrays have leading axes: one for
    softness, or one for the path parameter and one for softness.

    Attributes
    ----------
    target : array of shape (..., n)
        What is to be learnt.
    weight : array of shape (..., n)
        Rows of weight zero do not take part.

    See Also
    --------
    Labels : Targets are labels, +1 and -1: for classifiers.
    Values : Targets are values to come close to: for regressors.
    OneSidedValues : Targets are values to stay below (side +1) or above (side -1).

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.learners import Values
    >>> hard = Values(np.array([0.0, 9.0]), np.ones(2))
    >>> regular = Values(np.array([0.0, 1.0]), np.ones(2))
    >>> Values.stacked([hard, regular]).target  # one row for each softness
    array([[0., 9.],
           [0., 1.]])
    """

    target: NDArray[np.float64]
    weight: NDArray[np.float64]

    def reshaped(self: Kind, *shape: int) -> Kind:
        """The same with arrays of another shape.

        Parameters
        ----------
        *shape : int
            The new shape of every array.

        Returns
        -------
        Subproblem
            Of the same kind.
        """
        return type(self)(*(part.reshape(shape) for part in self._arrays()))

    def _arrays(self) -> list[NDArray[Any]]:
        return [getattr(self, field.name) for field in fields(self)]

    @classmethod
    def stacked(cls: type[Kind], parts: "Sequence[Kind]") -> Kind:
        """Subproblems of one kind with one more axis in front.

        Parameters
        ----------
        parts : sequence of Subproblem
            All of this kind and of one shape.

        Returns
        -------
        Subproblem
            Of the same kind.
        """
        arrays = zip(*(part._arrays() for part in parts), strict=True)
        return cls(*(np.stack(same) for same in arrays))


@dataclass(frozen=True)
class Labels(Subproblem):
    """Targets are labels, +1 and -1: for classifiers.

    Parameters
    ----------
    target : array of shape (..., n)
        +1 or -1.
    weight : array of shape (..., n)
        Rows of weight zero do not take part.

    See Also
    --------
    Values : Targets are values to come close to: for regressors.
    OneSidedValues : Targets are values to stay below (side +1) or above (side -1).

    Examples
    --------
    Is a row of the second class rather than of the first? The third does not take part.

    >>> import numpy as np
    >>> from softcost.learners import Labels
    >>> y = np.array([0, 1, 2, 1])
    >>> pair = Labels(np.where(y == 1, 1.0, -1.0), (y < 2).astype(float))
    >>> pair.target.tolist(), pair.weight.tolist()
    ([-1.0, 1.0, -1.0, 1.0], [1.0, 1.0, 0.0, 1.0])
    """


@dataclass(frozen=True)
class Values(Subproblem):
    """Targets are values to come close to: for regressors.

    Parameters
    ----------
    target : array of shape (..., n)
        The values.
    weight : array of shape (..., n)
        Rows of weight zero do not take part.

    See Also
    --------
    Labels : Targets are labels, +1 and -1: for classifiers.
    OneSidedValues : Targets are values to stay below (side +1) or above (side -1).

    Examples
    --------
    What it costs to predict class 0, for `RegressionOneVsAll`:

    >>> import numpy as np
    >>> from softcost.learners import Values
    >>> prices, y = np.array([[0.0, 1.0], [9.0, 0.0]]), np.array([0, 1, 1])
    >>> Values(prices[y, 0], np.ones(3)).target.tolist()
    [0.0, 9.0, 9.0]
    """


@dataclass(frozen=True)
class OneSidedValues(Subproblem):
    """Targets are values to stay below (side +1) or above (side -1).

    Attributes
    ----------
    target : array of shape (..., n)
        The values.
    weight : array of shape (..., n)
        Rows of weight zero do not take part.
    side : array of shape (..., n)
        +1 asks for a prediction of at most the target, -1 of at least.

    See Also
    --------
    Values : Targets are values to come close to: for regressors.
    softcost.reductions.OneSidedRegression : Asks for these.

    Examples
    --------
    The cost of class 0: to be met from below where it is the true class, and from above
    where it is not.

    >>> import numpy as np
    >>> from softcost.learners import OneSidedValues
    >>> y, cost = np.array([0, 1, 1]), np.array([0.0, 2.0, 5.0])
    >>> side = np.where(y == 0, 1.0, -1.0)
    >>> OneSidedValues(cost, np.ones(3), side).side.tolist()
    [1.0, -1.0, -1.0]
    """

    side: NDArray[np.float64]


def check_sides(side: ArrayLike, n: int) -> NDArray[np.float64]:
    """Read the sides of n targets, or refuse what is not +1 or -1 for each.

    Parameters
    ----------
    side : array-like of shape (n,)
        +1 for targets to stay below, -1 for targets to stay above.
    n : int
        How many there must be.

    Returns
    -------
    array of shape (n,)
        The same numbers as float64.

    See Also
    --------
    OneSidedValues : Targets are values to stay below (side +1) or above (side -1).

    Examples
    --------
    >>> from softcost.learners import check_sides
    >>> check_sides([1, -1], 2)
    array([ 1., -1.])
    """
    sides = column_or_1d(np.asarray(side), warn=True)
    if len(sides) != n or not np.isin(sides, (-1, 1)).all():
        raise ValueError(
            f"side should hold +1 (at most y) or -1 (at least y) for each of the {n} "
            "rows; give it that form, or None for both."
        )
    return sides.astype(np.float64)
