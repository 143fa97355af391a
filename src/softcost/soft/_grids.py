"""Which parameters to try where the user does not say."""

from typing import Any

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
