"""Cross-validation of any learner: clone, fit, predict."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from softcost.costs import class_indices
from softcost.reductions import Reduction


def configured(reduction: Reduction, params: dict[str, Any], softness: float):
    """A clone with parameters of its learner, and softness, set."""
    model = clone(reduction)
    if params:
        learner = clone(model.learner) if model.learner is not None else None
        learner = model._default_learner() if learner is None else learner
        model.set_params(learner=learner.set_params(**params))
    return model.set_params(softness=softness)


def fit_and_predict(
    reduction: Reduction, X, y, costs, weight, train, test, params, softness
) -> NDArray[np.intp]:
    """Held-out predictions for some softness values: the unit of parallel work.

    Returns an array of shape (n_softness, n_test) of numbers of classes.
    """
    rows = _safe_indexing(X, train)
    labels = _safe_indexing(y, train)
    data = {"costs": None if costs is None else costs[train]}
    if weight is not None:
        data["sample_weight"] = weight[train]
    held_out = _safe_indexing(X, test)
    predicted = np.empty((len(softness), len(test)), np.intp)
    model = None
    for number, value in enumerate(softness):
        if model is not None and reduction.softness_at_predict:
            model.set_params(softness=value)
        else:
            model = configured(reduction, params, value)
            model.fit(rows, labels, **data)
        predicted[number] = class_indices(model.predict(held_out), model.classes_)
    return predicted


def fit_all(
    reduction: Reduction,
    X,
    y,
    costs: NDArray[np.float64] | None,
    weight: NDArray[np.float64] | None,
    folds: Sequence[tuple[NDArray, NDArray]],
    candidates: Sequence[dict[str, Any]],
    softness: NDArray[np.float64],
    *,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[NDArray[np.intp]]:
    """Predictions for the held-out rows of every fold.

    Returns
    -------
    list of arrays of shape (n_candidates, n_softness, n_test)
    """
    together = reduction.softness_at_predict
    pieces = [softness] if together else [[value] for value in softness]
    jobs = [
        (train, test, params, piece)
        for train, test in folds
        for params in candidates
        for piece in pieces
    ]
    results = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(fit_and_predict)(
            reduction, X, y, costs, weight, train, test, params, piece
        )
        for train, test, params, piece in jobs
    )
    done = []
    for result in results:
        done.append(result)
        progress(len(done), len(jobs))
    per_fold = len(candidates) * len(pieces)
    return [
        np.concatenate(done[start : start + per_fold]).reshape(
            len(candidates), len(softness), -1
        )
        for start in range(0, len(done), per_fold)
    ]
