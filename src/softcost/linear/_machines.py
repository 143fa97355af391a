"""Many machines on the same rows: fitted together, and along a path."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost.linear._columns import Posed
from softcost.linear._rows import Rows
from softcost.linear._solve import Solved, solve
from softcost.parallel import one_thread


@dataclass(frozen=True)
class LinearMachines:
    """Fitted machines: what predicts, and the certificate of each.

    Attributes
    ----------
    model : object with ``outputs(X)``
    certificate, gap : arrays of shape (m,)
    steps : array of shape (m,)
    """

    model: Any
    certificate: NDArray[np.float64]
    gap: NDArray[np.float64]
    steps: NDArray[np.intp]

    def outputs(self, X: Any) -> NDArray[np.float64]:
        """Outputs of all machines, shape (n, m)."""
        with one_thread():
            return self.model.outputs(X)


@dataclass(frozen=True)
class Settings:
    """How problems are solved: the loss for labels, the tolerance, the limit."""

    logistic: bool
    tol: float
    max_steps: int


def solve_posed(
    rows: Rows,
    penalty: NDArray[np.float64],
    posed: Sequence[Posed],
    values: NDArray[np.float64],
    settings: Settings,
    proceed: Callable[[], None] = lambda: None,
) -> Solved:
    """Solve posed problems for all values of C, constants included.

    Parameters
    ----------
    posed : sequence of Posed
        One for all values of C, or one for each.

    Returns
    -------
    Solved
        Coefficients are those of outputs in the units of the targets.
    """
    shape = (len(values), len(posed[0].constant))
    coef = np.zeros((shape[0], rows.width, shape[1]))
    certificate, gap = np.zeros(shape), np.zeros(shape)
    steps = np.zeros(shape, np.intp)
    for number, one in enumerate(posed):
        chosen = slice(None) if len(posed) == 1 else slice(number, number + 1)
        solved = one.solved
        coef[chosen, -1, :] = one.constant
        if not solved.any():
            continue
        found = solve(
            rows,
            one.columns,
            penalty,
            values[chosen],
            tol=settings.tol,
            max_steps=settings.max_steps,
            proceed=proceed,
        )
        spread = one.spread[solved]
        here = coef[chosen]
        here[:, :, solved] = found.coef * spread
        here[:, -1, solved] += one.centre[solved]
        certificate[chosen, solved] = found.certificate
        gap[chosen, solved] = found.gap * spread**2
        steps[chosen, solved] = found.steps
    return Solved(coef, certificate, gap, steps)
