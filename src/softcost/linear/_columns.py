"""Many problems over the same rows, one in each column.

Every problem is posed by *kinds* of rows: rows of one kind have the same target, side
and weight in all problems, up to a weight of their own. With costs by class the kinds
are the classes; in general every row is a kind of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost.learners import Labels, OneSidedValues, Subproblem
from softcost.linear._compiled import (
    logistic_curvatures,
    logistic_slopes,
    squared_curvatures,
    squared_slopes,
)

SQUARED, ONE_SIDED, LOGISTIC = "squared", "one-sided", "logistic"


@dataclass(frozen=True)
class Columns:
    """Losses of m problems over n rows.

    With output r, the loss of row n in problem m is, by table entries of the row's
    kind and times the row's weight,

    - squared: ``scale / 2 * (sign r - shift)^2``;
    - one-sided: the same of the positive part of ``sign r - shift``;
    - logistic: ``scale * log(1 + exp(sign r))``.

    Attributes
    ----------
    loss : str
    kind : array of shape (n,)
    weight : array of shape (n,)
    sign, shift, scale : arrays of shape (n_kinds, m)
    """

    loss: str
    kind: NDArray[np.intp]
    weight: NDArray[Any]
    sign: NDArray[Any]
    shift: NDArray[Any]
    scale: NDArray[Any]

    @property
    def m(self) -> int:
        return self.sign.shape[1]

    def of_rows(self, index: NDArray[np.intp] | slice) -> "Columns":
        """The same problems over some of the rows."""
        return replace(self, kind=self.kind[index], weight=self.weight[index])

    def some(self, chosen: NDArray[Any]) -> "Columns":
        """Some of the problems."""
        tables = (self.sign, self.shift, self.scale)
        sign, shift, scale = (np.ascontiguousarray(one[:, chosen]) for one in tables)
        return replace(self, sign=sign, shift=shift, scale=scale)

    def to_slopes(self, outputs: NDArray[Any], part: slice, sizes: NDArray) -> None:
        """Put derivatives in the place of outputs, add their sizes up."""
        rows = (self.kind[part], self.weight[part])
        if self.loss == LOGISTIC:
            logistic_slopes(outputs, *rows, self.sign, self.scale, sizes)
            return
        tables = (self.sign, self.shift, self.scale)
        squared_slopes(outputs, *rows, *tables, self.loss == ONE_SIDED, sizes)

    def to_curvatures(self, outputs: NDArray[Any]) -> None:
        """Put second derivatives in the place of outputs for all rows."""
        rows = (self.kind, self.weight)
        if self.loss == LOGISTIC:
            logistic_curvatures(outputs, *rows, self.sign, self.scale)
            return
        tables = (self.sign, self.shift, self.scale)
        squared_curvatures(outputs, *rows, *tables, self.loss == ONE_SIDED)


@dataclass(frozen=True)
class Posed:
    """Subproblems as columns, and what stands for those without a choice.

    The output of problem m is ``centre + spread * (output of its column)``.

    Attributes
    ----------
    constant : array of shape (m,)
        The output where there is nothing to learn, NaN for no row at all.
    solved : array of shape (m,)
        Whether there is something to learn: `columns` has these problems only.
    centre, spread : arrays of shape (m,)
    columns : Columns
    """

    constant: NDArray[np.float64]
    solved: NDArray[np.bool_]
    centre: NDArray[np.float64]
    spread: NDArray[np.float64]
    columns: Columns


def pose(
    subproblems: Sequence[Subproblem],
    kind: NDArray[np.intp],
    weight: NDArray[np.float64],
    dtype: Any,
    *,
    logistic: bool = False,
) -> Posed:
    """Pose subproblems of one sort, whose arrays have the shape (..., n_kinds).

    Columns are the subproblems, and inside each of them its leading axes. Targets are
    shifted and divided so that they lie between -1 and 1, which changes neither the
    meaning of C (the loss and the penalty are both quadratic) nor labels.
    """
    target, load = (_table(subproblems, name) for name in ("target", "weight"))
    present = np.bincount(kind, weight, len(target)) > 0
    taken = (load > 0) & present[:, None]
    side = _sides(subproblems)
    low = np.where(taken, target, np.inf).min(axis=0)
    high = np.where(taken, target, -np.inf).max(axis=0)
    constant, solved = _without_choice(taken, target, side, low, high)
    low, high = (np.where(solved, one, 0.0) for one in (low, high))
    centre, spread = (low + high) / 2, np.where(solved, (high - low) / 2, 1.0)
    sign = np.ones_like(target) if side is None else side
    loss = SQUARED if side is None else ONE_SIDED
    scale = load * taken
    if logistic:
        loss, shift = LOGISTIC, np.zeros_like(target)
        centre, spread = np.zeros_like(centre), np.ones_like(spread)
    else:
        shift, scale = sign * (target - centre) / spread, 2.0 * scale
    tables = (one[:, solved].astype(dtype) for one in (sign, shift, scale))
    columns = Columns(loss, kind, weight.astype(dtype), *tables)
    return Posed(constant, solved, centre, spread, columns)


def _table(subproblems: Sequence[Subproblem], name: str) -> NDArray[np.float64]:
    """An attribute of all subproblems, shape (n_kinds, m)."""
    parts = [getattr(one, name) for one in subproblems]
    return np.concatenate([part.reshape(-1, part.shape[-1]) for part in parts]).T


def _sides(subproblems: Sequence[Subproblem]) -> NDArray[np.float64] | None:
    """Labels are one-sided, too: +1 asks for at least 1, -1 for at most -1."""
    if isinstance(subproblems[0], OneSidedValues):
        return _table(subproblems, "side")
    if isinstance(subproblems[0], Labels):
        return -_table(subproblems, "target")
    return None


def _without_choice(
    taken: NDArray[np.bool_],
    target: NDArray[np.float64],
    side: NDArray[np.float64] | None,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Constants for problems with one side or one target only, and the others."""
    constant = np.where(taken.any(axis=0), low, np.nan)
    solved = low < high
    if side is not None:
        below, above = ((taken & (side * z > 0)).any(axis=0) for z in (1, -1))
        constant = np.where(above & ~below, high, constant)
        solved &= above & below
    return constant, solved
