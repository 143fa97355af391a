"""Which parameters to try where the user does not say."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from softcost.costs import check_softness
from softcost.reductions.learners import shares_work

_C_VALUES = [2.0**power for power in (-2, 1, 4, 7, 10)]
_INVERSE_C_VALUES = [2.0**power for power in (-10, -7, -4, -1, 2)]

# Short grids over what matters most, by the name of the learner's class.
_KNOWN: dict[str, dict[str, list[Any]]] = {
    "LogisticRegression": {"C": [0.01, 0.1, 1.0, 10.0, 100.0]},
    "LinearSVC": {"C": [0.01, 0.1, 1.0, 10.0, 100.0]},
    "SVC": {"C": _C_VALUES},
    "SVR": {"C": _C_VALUES},
    "Ridge": {"alpha": [0.01, 0.1, 1.0, 10.0, 100.0]},
    "HistGradientBoostingClassifier": {"max_leaf_nodes": [7, 31]},
    "HistGradientBoostingRegressor": {"max_leaf_nodes": [7, 31]},
    "OneSidedBoosting": {"num_leaves": [7, 31]},
    "RandomForestClassifier": {"min_samples_leaf": [1, 5]},
    "DecisionTreeClassifier": {"min_samples_leaf": [1, 5, 20]},
    "KNeighborsClassifier": {"n_neighbors": [1, 5, 15]},
}


def default_grid(learner, name: str | None) -> dict[str, list[Any]]:
    """The grid of a learner; of its defaults alone where it is not known.

    Parameters
    ----------
    learner : estimator
    name : None or "inverse"
        The latter is for the kernel machines: C in 2^-10, 2^-7, 2^-4, 2^-1, 2^2.

    Examples
    --------
    >>> from softcost.svm import KernelSVC
    >>> default_grid(KernelSVC(), None)
    {'C': [0.25, 2.0, 16.0, 128.0, 1024.0]}
    """
    if name not in (None, "inverse") or (name and not shares_work(learner)):
        raise ValueError(
            f"param_grid must be a dict, a list of dicts, None or, for the kernel "
            f"machines, 'inverse', not {name!r} for {type(learner).__name__}; give a "
            "dict of its parameters."
        )
    if shares_work(learner):
        return {"C": _INVERSE_C_VALUES if name else _C_VALUES}
    grid = _KNOWN.get(type(learner).__name__, {})
    return {key: values for key, values in grid.items() if key in learner.get_params()}


def learner_settings(learner, param_grid: Any) -> list[dict[str, Any]]:
    """The settings of a learner to try, smallest C first.

    Parameters
    ----------
    learner : estimator
    param_grid : dict, list of dicts, None or "inverse"
        See `default_grid` for the last two.
    """
    grid = param_grid
    if grid is None or isinstance(grid, str):
        grid = default_grid(learner, grid)
    settings = list(ParameterGrid(grid))
    known = learner.get_params()
    for name in {name for params in settings for name in params}:
        if name not in known:
            raise ValueError(
                f"param_grid names {name!r}, which is no parameter of the learner "
                f"{type(learner).__name__}; it has {', '.join(sorted(known))}."
            )
    for params in settings:  # the path engine does not call ``fit``
        if hasattr(learner, "_validate_params"):
            clone(learner).set_params(**params)._validate_params()
    if all("C" in params for params in settings):
        settings.sort(key=lambda params: params["C"])
    return settings


def softness_values(softness: Any) -> NDArray[np.float64]:
    """The values of softness to try, increasing.

    Examples
    --------
    >>> softness_values(3)
    array([0. , 0.5, 1. ])
    """
    if isinstance(softness, Integral):
        return np.linspace(0, 1, int(softness))
    values = np.array([check_softness(value) for value in softness])
    if len(values) == 0 or len(np.unique(values)) < len(values):
        raise ValueError(
            "softness must hold at least one value, and none twice; give the "
            "values to try, or how many."
        )
    return np.sort(values)
