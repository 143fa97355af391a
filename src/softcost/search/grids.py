"""Candidate parameters: grids of the user, and the default grids of learners."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from softcost.costs import check_softness
from softcost.learners import SupportsPath, is_pairwise
from softcost.reductions import Reduction

# The grid of the paper for the parameter C of kernel machines.
_C_VALUES = [2.0**power for power in (-2, 1, 4, 7, 10)]

# Short grids of the most important parameter, by the name of the learner's class.
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
    """The grid of a learner; empty for an unknown learner, which keeps its parameters.

    Parameters
    ----------
    learner : estimator
        It may define grids by name, ``param_grids = {"default": {...}, ...}``.
    name : None or str
        One of its grids, by default "default". The kernel machines also have "inverse":
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
        names = ", ".join(repr(key) for key in grids) or "none"
        raise ValueError(
            f"param_grid must be a dict, a list of dicts, None or the name of a grid "
            f"that the learner has, not {name!r}: {type(learner).__name__} has "
            f"{names}; give a dict of its parameters."
        )
    grid = _KNOWN.get(type(learner).__name__, {})
    return {key: values for key, values in grid.items() if key in learner.get_params()}


# Parameters that the search sets, so that ``param_grid`` cannot.
_MANAGED = ("softness", "cost_matrix", "classes", "error_weight")


def settings_to_try(reduction: Reduction, param_grid: Any) -> list[dict[str, Any]]:
    """Settings of a reduction and its learner, increasing in the path parameter, or C.

    Parameters
    ----------
    reduction : Reduction
        Whose parameters, or whose learner's, are tuned.
    param_grid : dict, list of dicts, None or str
        Names as in `Reduction.split_params`; see `default_grid` for the last two.
    """
    learner, grid = reduction.chosen_learner(), param_grid
    if grid is None or isinstance(grid, str):
        grid = default_grid(learner, grid)
    settings = list(ParameterGrid(grid))
    if not settings:
        raise ValueError(
            "param_grid is empty: give a dict of parameters and values to try, or {} "
            "to try the learner as it is."
        )
    for name in dict.fromkeys(name for params in settings for name in params):
        _check_name(name, reduction, learner)
    split = [reduction.split_params(params) for params in settings]
    if isinstance(learner, SupportsPath):
        for _, inner in split:
            _check_params(learner, inner)
    pairwise = is_pairwise(reduction.working_learner())
    first = getattr(learner, "path_parameter", "C")
    for params, (_, inner) in zip(settings, split, strict=True):
        if set(params) != {first} or set(inner) != {first}:
            _check_input(reduction, params, pairwise)
    if all(first in inner for _, inner in split):
        order = sorted(range(len(settings)), key=lambda k: split[k][1][first])
        settings = [settings[k] for k in order]
    return settings


def _check_name(name: str, reduction: Reduction, learner: Any) -> None:
    """Refuse an unknown parameter, or one that the search sets."""
    if name in _MANAGED:
        raise ValueError(
            f"param_grid names {name!r}, which the search sets itself: pass "
            f"{name}= to SoftCostClassifierCV, or learner__{name} if the learner has a "
            "parameter of that name."
        )
    outer, inner = reduction.split_params({name: None})
    names = learner.get_params()
    if not outer and not set(inner) <= set(names):
        raise ValueError(
            f"param_grid names {name!r}, which is not a parameter of "
            f"{type(learner).__name__}; it has {', '.join(sorted(names))}."
        )


def _check_params(learner: Any, params: dict[str, Any]) -> None:
    """Check parameters as ``fit`` would: on a path, ``fit`` is not called."""
    if hasattr(learner, "_parameter_constraints"):
        configured = clone(learner)
        configured.set_params(**params)
        configured._validate_params()


def _check_input(reduction: Reduction, params: dict[str, Any], pairwise: bool) -> None:
    """Refuse parameters that change whether X holds features or a kernel matrix."""
    if is_pairwise(reduction.configured(0.0, params).working_learner()) != pairwise:
        setting = ", ".join(f"{name}={value!r}" for name, value in params.items())
        raise ValueError(
            f"param_grid tries {setting}, for which X holds "
            f"{'features' if pairwise else 'a kernel matrix'}, unlike for the learner "
            "as it is: set this in the learner itself."
        )


def softness_values(softness: Any) -> NDArray[np.float64]:
    """Candidate values of softness, increasing; an int above 1 is their number.

    Examples
    --------
    >>> softness_values(3)
    array([0. , 0.5, 1. ])
    """
    if isinstance(softness, Integral) and int(softness) > 1:
        return np.linspace(0, 1, int(softness))
    if np.ndim(softness) == 0:
        return np.array([check_softness(softness)])
    values = np.array([check_softness(value) for value in softness])
    if len(values) == 0 or len(np.unique(values)) < len(values):
        raise ValueError(
            "softness must hold at least one value, and none twice; give the "
            "values to try, or how many."
        )
    return np.sort(values)
