"""Cross-validation of learners that walk a path, along softness and one parameter.

Work stays in threads of this process and shares one path, unless the user chose a
joblib backend with workers of its own. Both ways give the same bits.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
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
    """Whether all candidates can be searched along paths.

    With one class there are no subproblems, so there is nothing to walk.
    """
    reduction, learner = problem.reduction, problem.reduction.working_learner()
    return (
        problem.data.rows.n_classes > 1
        and (isinstance(reduction, FlatReduction) or hasattr(reduction, "walk_fold"))
        and isinstance(learner, WalksPath)
        and all(
            learner.path_parameter in inner and "learner" not in own
            for own, inner in map(reduction.split_params, problem.settings)
        )
    )


def predictions(problem: SearchProblem) -> list[NDArray[np.intp]]:
    """Predictions for the held-out rows of every fold.

    Returns
    -------
    list of arrays of shape (n_settings, n_softness, n_test)
    """
    reduction, settings = problem.reduction, problem.settings
    along = reduction.working_learner().path_parameter
    paths = _paths(map(reduction.split_params, settings), along)
    shape = (len(settings), len(problem.softness))
    small = np.min_scalar_type(problem.data.rows.n_actions)  # there are many of them
    out = [np.empty((*shape, len(test)), small) for test in problem.tests]
    for number, path in enumerate(paths):
        walked = clone(reduction)
        walked.set_params(**path.own)
        learner = clone(walked.working_learner())
        learner.set_params(**path.inner)
        walk = Walk(walked, learner, np.array(path.values, float), problem.softness)
        progress = _part_of(problem.progress, number, len(paths))
        for fold, predicted in enumerate(_walked(walk, problem, progress)):
            out[fold][path.members] = predicted
    return out


def _walked(
    walk: Walk, problem: SearchProblem, progress: Progress
) -> list[NDArray[np.intp]]:
    if has_own_workers():
        return walk_on_workers(walk, problem, progress)
    return walk_in_threads(walk, problem, local_threads(problem.n_jobs), progress)


@dataclass
class _Path:
    """Settings that differ in the path parameter only."""

    own: dict[str, Any]  # parameters of the reduction
    inner: dict[str, Any]  # other parameters of the learner
    values: list[float] = field(default_factory=list)
    members: list[int] = field(default_factory=list)  # numbers of the settings


def _paths(settings: Iterable[tuple[dict, dict]], path_parameter: str) -> list[_Path]:
    """Settings, split into the reduction's and the learner's, by path."""
    paths: list[_Path] = []
    for number, (own, inner) in enumerate(settings):
        others = {key: value for key, value in inner.items() if key != path_parameter}
        found = [one for one in paths if _same(one.own, own)]
        found = [one for one in found if _same(one.inner, others)]
        path = found[0] if found else _Path(own, others)
        if not found:
            paths.append(path)
        path.values.append(inner[path_parameter])
        path.members.append(number)
    return paths


def _same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Whether two sets of parameters are equal; arrays by their values."""
    return a.keys() == b.keys() and all(np.array_equal(a[key], b[key]) for key in a)


def _part_of(progress: Progress, number: int, n_parts: int) -> Progress:
    """The progress of one of several parts of the same length."""
    return lambda done, total: progress(number * total + done, n_parts * total)
