"""A learner that walks a path gives what clone-and-fit gives."""

from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import has_fit_parameter

from softcost.learners import (
    FittedModels,
    Labels,
    OneSidedValues,
    Subproblem,
    SupportsPath,
    Values,
    fit_one,
)

_SOFTNESS = np.array([0.0, 0.5, 1.0])


def check_path_learner(
    learner: Any, values: Any, *, rtol: float = 1e-3, atol: float = 1e-3
) -> None:
    """Check that a learner's path agrees with fitting it again and again.

    Labels, values and one-sided values are posed, as far as the learner takes them, on
    rows with repetitions and weights, some zero; and problems with nothing to choose.

    Parameters
    ----------
    learner : estimator
        That declares `softcost.learners.SupportsPath`.
    values : array-like
        Values of its path parameter to try.
    rtol, atol : float, default=0.001
        How far outputs may differ.

    Raises
    ------
    AssertionError
        Where outputs differ.

    See Also
    --------
    check_cost_estimator : Run all checks; the first that fails raises an AssertionError
        that says why.
    softcost.learners.SupportsPath : What a learner with a path declares.

    Examples
    --------
    >>> from softcost.svm import OneSidedSVR
    >>> from softcost.testing import check_path_learner
    >>> check_path_learner(OneSidedSVR(tol=1e-5), [0.5, 4.0])
    """
    assert isinstance(learner, SupportsPath), (
        f"{type(learner).__name__} does not declare softcost.learners.SupportsPath"
    )
    rng = np.random.default_rng(0)
    distinct = rng.normal(size=(40, 3))
    X = distinct[rng.integers(40, size=90)]
    train, test = np.arange(70), np.arange(70, 90)
    values = np.asarray(values, float)
    path = learner.open_path(X, [test], values, _SOFTNESS)
    fold = path.fold(train, train, test)
    for problem in _problems(learner, rng, len(train)):
        path_outputs = fold.solve(problem, fitted=True)
        shape = (len(values), len(_SOFTNESS))
        assert path_outputs.fitted is not None, "outputs for training rows are wanted"
        assert np.shape(path_outputs.outputs) == (*shape, len(test)), (
            "outputs have this shape"
        )
        for place in np.ndindex(shape):
            subproblem = _at(problem, place[1])
            model = clone(learner)
            model.set_params(**{learner.path_parameter: float(values[place[0]])})
            alone = FittedModels([fit_one(model, X[train], subproblem)])
            what = f"{type(problem).__name__} at {values[place[0]]:g}, softness "
            what += f"{_SOFTNESS[place[1]]:g}: the path and a fit differ"
            for rows, outputs in (
                (train, path_outputs.fitted),
                (test, path_outputs.outputs),
            ):
                np.testing.assert_allclose(
                    outputs[place],
                    alone.outputs(X[rows])[:, 0],
                    rtol=rtol,
                    atol=atol,
                    err_msg=what,
                )
    fold.release()


def _at(problem: Subproblem, softness: int) -> Subproblem:
    """A subproblem at one softness."""
    parts = [problem.target[softness], problem.weight[softness]]
    if isinstance(problem, OneSidedValues):
        parts.append(problem.side[softness])
    return type(problem)(*parts)


def _problems(learner: Any, rng: np.random.Generator, n: int) -> list[Subproblem]:
    """Subproblems that the learner takes, each for all softness values."""
    shape = (len(_SOFTNESS), n)
    weight = rng.uniform(0.5, 2, shape) * (rng.uniform(size=n) > 0.2)
    labels = np.broadcast_to(np.where(rng.uniform(size=n) < 0.4, 1.0, -1.0), shape)
    problems: list[Subproblem] = [
        Labels(labels, weight),
        Labels(labels, np.zeros(shape)),
    ]
    if is_classifier(learner):
        return [*problems, Labels(np.ones(shape), weight)]
    targets = rng.normal(size=shape)
    problems.append(Values(targets, weight))
    if has_fit_parameter(learner, "side"):
        sides = np.broadcast_to(np.where(rng.uniform(size=n) < 0.5, 1.0, -1.0), shape)
        problems += [
            OneSidedValues(targets, weight, side)
            for side in (sides, np.ones(shape), -np.ones(shape))
        ]
    return problems
