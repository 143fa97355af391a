"""Losses of many problems over the same rows, one problem in each column.

Every problem is posed by *kinds* of rows: rows of one kind have the same target, side
and weight in all problems, up to a factor per row. With costs by class the kinds are
the classes, so a problem takes a few numbers instead of one per row. In general every
row is its own kind.

The derivatives are computed in place, in compiled loops: a block of outputs is as large
as the caches allow, and a NumPy expression would need several temporary copies of it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from softcost.learners import Labels, OneSidedValues, Subproblem

SQUARED, ONE_SIDED, LOGISTIC = "squared", "one-sided", "logistic"


Function = TypeVar("Function", bound=Callable[..., Any])


def jit(function: Function) -> Function:
    """As `softcost.solvers.compilation.jit`, but numba is imported by the first call.

    Most users of this package never fit a linear machine, and numba takes a fifth of a
    second to import.
    """

    @cache
    def compiled() -> Function:
        from softcost.solvers import compilation

        return compilation.jit(function)

    return cast(Function, lambda *arguments: compiled()(*arguments))


@jit
def squared_slopes(
    outputs: Any,
    kind: Any,
    weight: Any,
    sign: Any,
    shift: Any,
    scale: Any,
    one_sided: Any,
    sizes: Any,
) -> None:
    """Replace outputs by the derivatives of ``scale / 2 * u^2``.

    ``u`` is ``sign * output - shift``, or its positive part if one-sided. The absolute
    derivatives are added to ``sizes`` (m,).

    Parameters
    ----------
    outputs : array of shape (n, m)
    kind, weight : arrays of shape (n,)
    sign, shift, scale : arrays of shape (n_kinds, m)
    """
    zero = outputs.dtype.type(0)
    for i in range(outputs.shape[0]):
        row, signs, shifts = outputs[i], sign[kind[i]], shift[kind[i]]
        scales, row_weight = scale[kind[i]], weight[i]
        for j in range(outputs.shape[1]):
            u = signs[j] * row[j] - shifts[j]
            if one_sided:
                u = u if u > zero else zero
            slope = row_weight * scales[j] * u
            sizes[j] += abs(slope)
            row[j] = signs[j] * slope


@jit
def squared_curvatures(
    outputs: Any,
    kind: Any,
    weight: Any,
    sign: Any,
    shift: Any,
    scale: Any,
    one_sided: Any,
) -> None:
    """Replace outputs by the second derivatives of ``scale / 2 * u^2``."""
    zero = outputs.dtype.type(0)
    for i in range(outputs.shape[0]):
        row, signs, shifts = outputs[i], sign[kind[i]], shift[kind[i]]
        scales, row_weight = scale[kind[i]], weight[i]
        for j in range(outputs.shape[1]):
            u = signs[j] * row[j] - shifts[j]
            inside = one_sided and not u > zero
            row[j] = zero if inside else row_weight * scales[j]


@jit
def logistic_slopes(
    outputs: Any, kind: Any, weight: Any, sign: Any, scale: Any, sizes: Any
) -> None:
    """Replace outputs by the derivatives of ``scale * log(1 + exp(sign * output))``."""
    unit = outputs.dtype.type(1)
    for i in range(outputs.shape[0]):
        row, signs, scales = outputs[i], sign[kind[i]], scale[kind[i]]
        row_weight = weight[i]
        for j in range(outputs.shape[1]):
            slope = (
                row_weight * scales[j] * (unit / (unit + math.exp(-signs[j] * row[j])))
            )
            sizes[j] += slope
            row[j] = signs[j] * slope


@jit
def logistic_curvatures(
    outputs: Any, kind: Any, weight: Any, sign: Any, scale: Any
) -> None:
    """Replace outputs by the second derivatives of the logistic loss."""
    unit = outputs.dtype.type(1)
    for i in range(outputs.shape[0]):
        row, signs, scales = outputs[i], sign[kind[i]], scale[kind[i]]
        row_weight = weight[i]
        for j in range(outputs.shape[1]):
            sigmoid = unit / (unit + math.exp(-signs[j] * row[j]))
            row[j] = row_weight * scales[j] * sigmoid * (unit - sigmoid)


@dataclass(frozen=True)
class Columns:
    """Losses of m problems over n rows.

    With output r, the loss of row n in problem m is the row's weight times

    - squared: ``scale / 2 * (sign r - shift)^2``;
    - one-sided: ``scale / 2 * max(sign r - shift, 0)^2``;
    - logistic: ``scale * log(1 + exp(sign r))``;

    where sign, shift and scale are the entries for the row's kind and the problem.

    Attributes
    ----------
    loss : str
        One of ``SQUARED``, ``ONE_SIDED`` and ``LOGISTIC``.
    kind, weight : arrays of shape (n,)
        Kind and weight of each row.
    sign, shift, scale : arrays of shape (n_kinds, m)
        The problems.
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
        sign, shift, scale = (
            np.ascontiguousarray(table[:, chosen]) for table in tables
        )
        return replace(self, sign=sign, shift=shift, scale=scale)

    def to_slopes(
        self, outputs: NDArray[Any], part: slice, sizes: NDArray[Any]
    ) -> None:
        """Replace the outputs of some rows by derivatives, and add up absolute ones."""
        rows = (self.kind[part], self.weight[part])
        if self.loss == LOGISTIC:
            logistic_slopes(outputs, *rows, self.sign, self.scale, sizes)
            return
        tables = (self.sign, self.shift, self.scale)
        squared_slopes(outputs, *rows, *tables, self.loss == ONE_SIDED, sizes)

    def to_curvatures(self, outputs: NDArray[Any]) -> None:
        """Replace the outputs of all rows by second derivatives."""
        rows = (self.kind, self.weight)
        if self.loss == LOGISTIC:
            logistic_curvatures(outputs, *rows, self.sign, self.scale)
            return
        tables = (self.sign, self.shift, self.scale)
        squared_curvatures(outputs, *rows, *tables, self.loss == ONE_SIDED)


@dataclass(frozen=True)
class Posed:
    """Subproblems as columns, and the constant outputs of trivial subproblems.

    The output of problem m is ``centre + spread * (output of its column)``.

    Attributes
    ----------
    constant : array of shape (m,)
        The output of a problem with nothing to learn; NaN if it has no rows.
    solved : array of shape (m,)
        Whether the problem has to be solved. `columns` holds only these problems.
    centre, spread : arrays of shape (m,)
        How targets were shifted and scaled.
    columns : Columns
        The problems to solve.
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
    """Pose subproblems of one type as columns.

    The columns are the subproblems in their order, each with its leading axes.
    Targets are shifted and divided so that they lie between -1 and 1. That keeps the
    solver independent of their unit, and does not change the meaning of C, since the
    loss and the penalty are both quadratic. Labels stay as they are.

    Parameters
    ----------
    subproblems : sequence of Subproblem
        Arrays of shape (..., n_kinds).
    kind, weight : arrays of shape (n,)
        The kind of each row, and the factor for the weights of its kind.
    dtype : dtype
        Precision of the rows.
    logistic : bool, default=False
        Whether labels have the logistic loss instead of the squared hinge.

    Returns
    -------
    Posed
    """
    target, load = (_table(subproblems, name) for name in ("target", "weight"))
    present = np.bincount(kind, weight, len(target)) > 0
    taken = (load > 0) & present[:, None]
    side = _sides(subproblems)
    low = np.where(taken, target, np.inf).min(axis=0)
    high = np.where(taken, target, -np.inf).max(axis=0)
    constant, solved = _without_choice(taken, target, side, low, high)
    low, high = (np.where(solved, bound, 0.0) for bound in (low, high))
    centre, spread = (low + high) / 2, np.where(solved, (high - low) / 2, 1.0)
    sign = np.ones_like(target) if side is None else side
    loss = SQUARED if side is None else ONE_SIDED
    scale = load * taken
    if logistic:
        loss, shift = LOGISTIC, np.zeros_like(target)
        centre, spread = np.zeros_like(centre), np.ones_like(spread)
    else:
        shift, scale = sign * (target - centre) / spread, 2.0 * scale
    tables = (table[:, solved].astype(dtype) for table in (sign, shift, scale))
    columns = Columns(loss, kind, weight.astype(dtype), *tables)
    return Posed(constant, solved, centre, spread, columns)


def _table(subproblems: Sequence[Subproblem], name: str) -> NDArray[np.float64]:
    """An attribute of all subproblems, shape (n_kinds, m)."""
    parts = [getattr(subproblem, name) for subproblem in subproblems]
    return np.concatenate([part.reshape(-1, part.shape[-1]) for part in parts]).T


def _sides(subproblems: Sequence[Subproblem]) -> NDArray[np.float64] | None:
    """Sides of one-sided values and of labels; None for ordinary regression.

    A label is a one-sided value: +1 requires an output of at least 1, -1 of at most
    -1, which makes the squared hinge a one-sided squared loss.
    """
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
    """Constant outputs, and which problems have more than one side and target.

    If every side is the same, a constant satisfies all rows without any loss.
    """
    constant = np.where(taken.any(axis=0), low, np.nan)
    solved = low < high
    if side is not None:
        below, above = ((taken & (side * z > 0)).any(axis=0) for z in (1, -1))
        constant = np.where(above & ~below, high, constant)
        solved &= above & below
    return constant, solved
