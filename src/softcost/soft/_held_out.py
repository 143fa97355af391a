"""Held-out predictions of all candidates, by whichever engine can make them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import clone

from softcost.reductions import Prices, Reduction, read_prices
from softcost.soft._fit_engine import fit_all
from softcost.soft._path_engine import can_walk, walk


def held_out_predictions(
    reduction: Reduction,
    X,
    y: NDArray,
    costs: NDArray[np.float64] | None,
    weight: NDArray[np.float64] | None,
    folds: Sequence[tuple[NDArray, NDArray]],
    candidates: Sequence[dict[str, Any]],
    softness: NDArray[np.float64],
    *,
    n_jobs: int | None,
    progress: Callable[[int, int], None],
) -> list[NDArray[np.intp]]:
    """Predictions of every candidate for the held-out rows of every fold.

    Parameters
    ----------
    reduction : Reduction
        With prices and classes set.
    candidates : sequence of dicts
        Settings of the learner.

    Returns
    -------
    list of arrays of shape (n_candidates * n_softness, n_test)
        Numbers of classes; candidates, then softness values.
    """
    names = {name for params in candidates for name in params}
    if not can_walk(reduction, names):
        predicted = fit_all(
            reduction, X, y, costs, weight, folds, candidates, softness,
            n_jobs=n_jobs, progress=progress,
        )  # fmt: skip
        return [one.reshape(-1, one.shape[-1]) for one in predicted]
    priced = [
        (train, test, _fold_prices(reduction, y, costs, weight, train))
        for train, test in folds
    ]
    out = [
        np.empty((len(candidates), len(softness), len(test)), np.intp)
        for _, test in folds
    ]
    for params, members in _by_other_params(candidates):
        learner = clone(reduction._learner()).set_params(**params)
        C = np.array([candidates[member]["C"] for member in members], float)
        paths = walk(
            reduction, learner, X, priced, C, softness,
            threads=effective_n_jobs(n_jobs), progress=progress,
        )  # fmt: skip
        for fold, path in enumerate(paths):
            out[fold][members] = path
    return [one.reshape(-1, one.shape[-1]) for one in out]


def _fold_prices(reduction: Reduction, y, costs, weight, train) -> Prices:
    """What `Reduction.fit` would make of the prices of these rows."""
    return read_prices(
        y[train],
        cost_matrix=reduction.cost_matrix if costs is None else None,
        costs=None if costs is None else costs[train],
        classes=reduction.classes,
        error_weight=reduction.error_weight,
        sample_weight=np.ones(len(train)) if weight is None else weight[train],
    )


def _by_other_params(
    candidates: Sequence[dict[str, Any]],
) -> list[tuple[dict[str, Any], list[int]]]:
    """Candidates that differ in C only, together: their other parameters, numbers."""
    groups: list[tuple[dict[str, Any], list[int]]] = []
    for number, params in enumerate(candidates):
        others = {name: value for name, value in params.items() if name != "C"}
        for known, members in groups:
            if known == others:
                members.append(number)
                break
        else:
            groups.append((others, [number]))
    return groups
