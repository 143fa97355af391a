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
    weight : array of shape (..., n)
        Rows of weight zero do not take part.
    """

    target: NDArray[np.float64]
    weight: NDArray[np.float64]

    def reshaped(self: Kind, *shape: int) -> Kind:
        """The same with arrays of another shape."""
        return type(self)(*(part.reshape(shape) for part in self._arrays()))

    def _arrays(self) -> list[NDArray[Any]]:
        return [getattr(self, field.name) for field in fields(self)]

    @classmethod
    def stacked(cls: type[Kind], parts: "Sequence[Kind]") -> Kind:
        """Subproblems of one kind with one more axis in front."""
        arrays = zip(*(part._arrays() for part in parts), strict=True)
        return cls(*(np.stack(same) for same in arrays))


@dataclass(frozen=True)
class Labels(Subproblem):
    """Targets are labels, +1 and -1: for classifiers."""


@dataclass(frozen=True)
class Values(Subproblem):
    """Targets are values to come close to: for regressors."""


@dataclass(frozen=True)
class OneSidedValues(Subproblem):
    """Targets are values to stay below (side +1) or above (side -1).

    Attributes
    ----------
    side : array of shape (..., n)
        +1 asks for a prediction of at most the target, -1 of at least.
    """

    side: NDArray[np.float64]


def check_sides(side: ArrayLike, n: int) -> NDArray[np.float64]:
    """Read the sides of n targets, or refuse what is not +1 or -1 for each.

    Examples
    --------
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
