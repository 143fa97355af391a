"""Cross-validation of learners that walk a path, along softness and one parameter.

Work stays in threads of this process and shares one path, unless the user chose a
joblib backend with workers of its own. Both ways give the same bits.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from softcost.learners import WalksPath
from softcost.parallel import has_own_workers, local_threads
from softcost.reductions import FlatReduction
from softcost.soft._problem import SearchProblem
from softcost.soft._progress import Progress
from softcost.soft._walk import Walk
from softcost.soft._walk_jobs import walk_on_workers
from softcost.soft._walk_threads import walk_in_threads


def can_walk(problem: SearchProblem) -> bool:
    """Whether all candidates can be searched along paths."""
    reduction, learner = problem.reduction, problem.reduction.working_learner()
    return (
        (isinstance(reduction, FlatReduction) or hasattr(reduction, "walk_fold"))
        and isinstance(learner, WalksPath)
        and all(learner.path_parameter in params for params in problem.settings)
    )


def predictions(problem: SearchProblem) -> list[NDArray[np.intp]]:
    """Predictions for the held-out rows of every fold.

    Returns
    -------
    list of arrays of shape (n_settings, n_softness, n_test)
    """
    learner, settings = problem.reduction.working_learner(), problem.settings
    paths = _by_other_params(settings, learner.path_parameter)
    shape = (len(settings), len(problem.softness))
    small = np.min_scalar_type(problem.data.rows.n_classes)  # there are many of them
    out = [np.empty((*shape, len(test)), small) for test in problem.tests]
    for number, (params, members) in enumerate(paths):
        own = clone(learner)
        if params:
            own.set_params(**params)
        values = [settings[one][own.path_parameter] for one in members]
        walk = Walk(problem.reduction, own, np.array(values, float), problem.softness)
        progress = _part_of(problem.progress, number, len(paths))
        for fold, predicted in enumerate(_walked(walk, problem, progress)):
            out[fold][members] = predicted
    return out


def _walked(
    walk: Walk, problem: SearchProblem, progress: Progress
) -> list[NDArray[np.intp]]:
    if has_own_workers():
        return walk_on_workers(walk, problem, progress)
    return walk_in_threads(walk, problem, local_threads(problem.n_jobs), progress)


def _by_other_params(
    settings: Sequence[dict[str, Any]], path_parameter: str
) -> list[tuple[dict[str, Any], list[int]]]:
    """Settings that lie on one path: their other parameters, and their numbers."""
    paths: list[tuple[dict[str, Any], list[int]]] = []
    for number, params in enumerate(settings):
        others = {key: value for key, value in params.items() if key != path_parameter}
        for known, members in paths:
            if known == others:
                members.append(number)
                break
        else:
            paths.append((others, [number]))
    return paths


def _part_of(progress: Progress, number: int, n_parts: int) -> Progress:
    """The progress of one of several parts of the same length."""
    return lambda done, total: progress(number * total + done, n_parts * total)
