"""Reductions whose subproblems do not need each other's answers."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from softcost.costs import CostProblem, RowCosts
from softcost.learners import FitsKinds, Subproblem, fit_subproblems, fitted_learners
from softcost.reductions._base import Reduction


class FlatReduction(Reduction):
    """A reduction whose subproblems do not need each other's answers.

    A subclass says which subproblems there are and how their outputs combine.
    """

    # Whether a row's part in each subproblem depends on its own costs only. On a path
    # all softness values are then posed as one problem over repeated rows, which has no
    # matrix. Set it to False where targets or weights depend on other rows, or on
    # ``problem.matrix``.
    row_by_row: ClassVar[bool] = True

    def subproblems(self, problem: CostProblem) -> Iterator[Subproblem]:
        """The subproblems over all rows, made when they are asked for."""
        raise NotImplementedError

    def n_subproblems(self, n_actions: int) -> int:
        """How many there are, for so many answers."""
        raise NotImplementedError

    def combine(
        self, outputs: NDArray[np.float64], n_actions: int
    ) -> NDArray[np.float64]:
        """Scores of shape (n, A) from outputs of shape (n, n_subproblems).

        A column is NaN where no row of its subproblem had a weight; it must not decide.
        """
        raise NotImplementedError

    def path_subproblems(
        self, rows: RowCosts, softness: Sequence[float]
    ) -> Iterator[Subproblem]:
        """Every subproblem at all softness values: arrays of shape (n_softness, n)."""
        problems = [rows.problem(value) for value in softness]
        if not self.row_by_row:
            parts = zip(*map(self.subproblems, problems), strict=True)
            for same in parts:
                yield type(same[0]).stacked(same)
            return
        # Each row's part depends on its own costs only: pose all problems as one.
        together = CostProblem(
            y=np.tile(rows.y, len(problems)),
            costs=np.concatenate([problem.costs for problem in problems]),
            matrix=None,
            weight=np.tile(rows.weight, len(problems)),
        )
        for subproblem in self.subproblems(together):
            yield subproblem.reshaped(len(problems), len(rows.y))

    def _fit(self, X: Any, problem: CostProblem) -> None:
        learner = self.working_learner()
        by_class = self.row_by_row and problem.matrix is not None
        if by_class and isinstance(learner, FitsKinds):  # rows of a class are alike
            self.solutions_ = learner.fit_kinds(
                X, self._class_subproblems(problem), problem.y, problem.weight
            )
            return
        self.solutions_ = fit_subproblems(
            learner,
            X,
            list(self.subproblems(problem)),
            n_jobs=self.n_jobs,
            rng=self._rng(),
        )

    def _class_subproblems(self, problem: CostProblem) -> list[Subproblem]:
        """The subproblems over one row of weight 1 for each class."""
        assert problem.matrix is not None
        n_classes = len(problem.matrix)
        by_class = CostProblem(
            y=np.arange(n_classes),
            costs=problem.matrix,
            matrix=problem.matrix,
            weight=np.ones(n_classes),
        )
        return list(self.subproblems(by_class))

    def _estimators(self) -> list[Any]:
        return fitted_learners(self.solutions_)

    def _decide(self, X: Any) -> NDArray[np.float64]:
        return self.combine(self.solutions_.outputs(X), len(self.actions_))
