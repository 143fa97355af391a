"""Which parameters to try where the user does not say."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from softcost.costs import check_softness
from softcost.learners import WalksPath

_C_VALUES = [2.0**power for power in (-2, 1, 4, 7, 10)]

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


def default_grid(learner: Any, name: str | None) -> dict[str, list[Any]]:
    """The grid of a learner; of its defaults alone where it is not known.

    Parameters
    ----------
    learner : estimator
        It may name grids of its own, ``param_grids = {"default": {...}, ...}``.
    name : None or str
        One of its grids, by default "default". The kernel machines have "inverse", too:
        C in 2^-10, 2^-7, 2^-4, 2^-1, 2^2.

    Examples
    --------
    >>> from softcost.svm import KernelSVC
    >>> default_grid(KernelSVC(), None)
    {'C': [0.25, 2.0, 16.0, 128.0, 1024.0]}
    """
    grids = getattr(learner, "param_grids", {})
    if (name or "default") in grids:
        return grids[name or "default"]
    if name is not None:
        known = ", ".join(repr(key) for key in grids) or "none"
        raise ValueError(
            f"param_grid must be a dict, a list of dicts, None or the name of a grid "
            f"that the learner has, not {name!r}: {type(learner).__name__} has "
            f"{known}; give a dict of its parameters."
        )
    grid = _KNOWN.get(type(learner).__name__, {})
    return {key: values for key, values in grid.items() if key in learner.get_params()}


def learner_settings(learner: Any, param_grid: Any) -> list[dict[str, Any]]:
    """The settings of a learner to try; smallest path parameter, or C, first.

    Parameters
    ----------
    learner : estimator
    param_grid : dict, list of dicts, None or str
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
    if isinstance(learner, WalksPath):
        for params in settings:
            _check_params(learner, params)
    first = getattr(learner, "path_parameter", "C")
    if all(first in params for params in settings):
        settings.sort(key=lambda params: params[first])
    return settings


def _check_params(learner: Any, params: dict[str, Any]) -> None:
    """Check parameters as ``fit`` would, which is not called on a path."""
    if hasattr(learner, "_parameter_constraints"):
        configured = clone(learner)
        configured.set_params(**params)
        configured._validate_params()


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
