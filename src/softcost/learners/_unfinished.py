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
        Named in the warning.
    converged : array of bool
        For every machine, in a fit or in a part of a search.

    Warns
    -----
    ConvergenceWarning
        Where one of them is False.

    See Also
    --------
    softcost.svm.KernelSVC : Warns where ``max_iter`` ends a fit.

    Examples
    --------
    >>> import numpy as np
    >>> import warnings
    >>> from softcost.learners import warn_unfinished
    >>> from softcost.svm import KernelSVC
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     warn_unfinished(KernelSVC(max_iter=5), np.array([True, False]))
    >>> told[0].category.__name__
    'ConvergenceWarning'
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
