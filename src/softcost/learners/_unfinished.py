"""One warning for machines that stop before they reach their tolerance."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning


def warn_unfinished(learner: Any, converged: NDArray[np.bool_]) -> None:
    """Warn where some machines of a learner stopped early.

    Parameters
    ----------
    learner : estimator with ``tol`` and ``max_iter``
    converged : array of bool
        For every machine, in a fit or in a part of a search.
    """
    if np.all(converged):
        return
    # Without counts: parts of a search say the same, and are heard once.
    warnings.warn(
        f"{type(learner).__name__} stopped before it reached tol={learner.tol:g}: "
        f"raise max_iter={learner.max_iter} or tol, or scale the features.",
        ConvergenceWarning,
        stacklevel=3,
    )
