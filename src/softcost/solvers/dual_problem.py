"""The problem that every kernel machine poses, and its solution.

`softcost.solvers.smo` states the optimisation problem. This module has no compiled
code, so saved machines load without numba.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Problem(NamedTuple):
    """The problem of one machine at C = 1, see `softcost.solvers.smo`."""

    targets: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


def pose(target: np.ndarray, weight: np.ndarray, side: np.ndarray | None) -> Problem:
    """Side +1 asks for an output of at most the target, -1 of at least, None for both.

    A classifier asks rows labelled +1 for at least 1, rows labelled -1 for at most -1:
    its side is minus the label.
    """
    target = np.asarray(target, np.float64)
    if side is None:
        return Problem(target, -weight, weight)
    return Problem(
        target, np.where(side > 0, -weight, 0.0), np.where(side > 0, 0.0, weight)
    )


@dataclass(frozen=True)
class Solution:
    """Coefficients and the certificate that they are optimal.

    Attributes
    ----------
    beta : array of shape (n,)
    intercept : float
        Of the kernel's distance form; NaN where no row has a box.
    violation : float
        Largest violation of the optimality conditions, from a gradient that is summed
        in double precision, or whose rounding is known to be far below a tolerance of
        at least `EXACT_BELOW`.
    dual_gap : float
        Primal minus dual objective, from the same gradient.
    objective : float
        ``1/2 b'Kb - t'b``.
    steps : int
    converged : bool
        Whether the violation is at most the tolerance.
    """

    beta: np.ndarray
    intercept: float
    violation: float
    dual_gap: float
    objective: float
    steps: int
    converged: bool
