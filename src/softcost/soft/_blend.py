"""A blend of families: what their probabilities decide together.

The families have predicted the same held-out rows already, so a blend costs no fits
before the last one.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from softcost.costs import RowCosts
from softcost.reductions import (
    BlendedClassifier,
    SoftmaxScores,
    cheapest_answers,
    learn_blend,
    raised,
)
from softcost.soft._clone_engine import Probabilities
from softcost.soft._problem import SearchProblem

DOUBT = 0.05  # what all families share at most, whatever their weights
DOUBTED_ROWS = 64  # as many as all of the doubt stands for, where there are many


@dataclass(frozen=True)
class Blendable:
    """A family with probabilities, and those of its held-out rows, fold by fold."""

    problem: SearchProblem
    probabilities: list[Probabilities]

    def learners(self) -> list[tuple[str, Any]]:
        """One classifier for each setting, under a name that tells them apart."""
        return [
            (_named(self.problem, params), self._learner(params))
            for params in self.problem.settings
        ]

    @property
    def may_doubt(self) -> bool:
        """Whether small probabilities of the family mean something.

        A margin tells which class, and hardly how unlikely the others are.
        """
        return not isinstance(self.problem.reduction.working_learner(), SoftmaxScores)

    def shared(self, share: float) -> NDArray[np.float64]:
        """A share of the family, in equal parts for its settings."""
        n_settings = len(self.problem.settings)
        return np.full(n_settings, share / n_settings)

    def _learner(self, params: dict[str, Any]) -> Any:
        return clone(self.problem.reduction.configured(0.0, params).working_learner())


def _named(problem: SearchProblem, params: dict[str, Any]) -> str:
    """For instance "linear C=0.1"."""
    told = [f"{name.split('__')[-1]}={value}" for name, value in params.items()]
    return " ".join([str(problem.family), *told])


def blended(
    problem: SearchProblem, parts: list[Blendable]
) -> tuple[SearchProblem, list[NDArray[np.intp]]]:
    """Weights and power of a blend, and what it predicts for held-out rows.

    They are those of least log loss on all held-out rows, for the weights of the
    members at stakes (`learn_blend`): a mistake on a class costs the mean of
    ``c_k - min_j c_j`` over the costs of its rows. Of n rows ``min(0.05, 64 / n)`` is
    doubt, in equal shares of the families that may doubt and of the settings of each:
    what has been right on many rows deserves trust. Rows of a fold are predicted by
    what was learnt on the other folds, so that its measures are as honest as those of
    other candidates.

    Returns
    -------
    problem : SearchProblem
        With the weights and the power set.
    predicted : list of arrays of shape (n_softness, n_test)
    """
    rows, tests = problem.data.rows, problem.tests
    stake = _stakes(rows)
    folds = range(len(tests))
    found = [
        np.concatenate([part.probabilities[fold].of_settings for part in parts])
        for fold in folds
    ]

    def learnt_from(chosen: list[int]) -> tuple[NDArray[np.float64], float]:
        row = np.concatenate([tests[fold] for fold in chosen])
        probabilities = np.concatenate([found[fold] for fold in chosen], axis=1)
        return learn_blend(probabilities, rows.y[row], rows.weight[row], stake)

    share = min(DOUBT, DOUBTED_ROWS / len(rows.y))
    doubting = max(1, sum(part.may_doubt for part in parts))
    doubt = np.concatenate(
        [part.shared(share / doubting * part.may_doubt) for part in parts]
    )
    doubted = doubt.sum()
    predicted = []
    for fold in folds:
        others = [other for other in folds if other != fold]
        weights, power = learnt_from(others or [fold])
        sure = raised(np.tensordot(weights, found[fold], axes=1), power)
        mixed = (1 - doubted) * sure + np.tensordot(doubt, found[fold], axes=1)
        matrices = parts[0].probabilities[fold].matrices
        predicted.append(cheapest_answers(mixed, matrices))
    learners = [pair for part in parts for pair in part.learners()]
    weights, power = learnt_from(list(folds))
    blend = BlendedClassifier(
        learners, weights=weights.tolist(), power=power, doubt=doubt.tolist()
    )
    reduction = clone(problem.reduction).set_params(learner=blend)
    return replace(problem, reduction=reduction, blends=()), predicted


def _stakes(rows: RowCosts) -> NDArray[np.float64]:
    """What a mistake on a row of each class costs, shape (K,)."""
    costs, n_classes = rows.in_users_units, rows.n_classes
    at_stake = costs.mean(axis=1) - costs.min(axis=1)
    total = np.bincount(rows.y, rows.weight * at_stake, n_classes)
    weight = np.bincount(rows.y, rows.weight, n_classes)
    return np.divide(total, weight, out=np.zeros(n_classes), where=weight > 0)
