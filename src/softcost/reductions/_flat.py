"""Reductions whose subproblems do not need each other's answers."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from softcost.costs import CostProblem, RowCosts
from softcost.learners import FitsKinds, Subproblem, fit_subproblems, fitted_learners
from softcost.reductions._docs import documented
from softcost.reductions._in_blocks import LearnsInBlocks


@documented
class FlatReduction(LearnsInBlocks):
    """A reduction whose subproblems do not need each other's answers.

    A subclass says which subproblems there are and how their outputs combine.

    Parameters
    ----------
    learner : estimator, default=None
        What solves the subproblems; a subclass says which one is taken by default.
    {common}

    See Also
    --------
    Reduction : A cost-sensitive classifier made of other learners.
    RegressionOneVsAll : Plain regression of the costs (CSOVR), one regressor for each
        class.
    softcost.testing.check_cost_estimator : Tests a reduction of your own.

    Examples
    --------
    A reduction of one's own: one regressor for each answer learns what that answer
    costs, and the least predicted cost wins.

    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import Ridge
    >>> from softcost.learners import Values
    >>> from softcost.reductions import FlatReduction
    >>> class CostRegression(FlatReduction):
    ...     learner_kind = "regressor"
    ...     def default_learner(self):
    ...         return Ridge()
    ...     def subproblems(self, problem):
    ...         for k in range(problem.n_actions):
    ...             yield Values(problem.costs[:, k], problem.weight)
    ...     def n_subproblems(self, n_actions):
    ...         return n_actions
    ...     def combine(self, outputs, n_actions):
    ...         return -outputs
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CostRegression(cost_matrix=[[0, 1, 5], [1, 0, 5], [9, 9, 0]]).fit(X, y)
    >>> model.predict(X[[0, 100]]).tolist()
    [0, 2]
    """

    # Whether a row's part in each subproblem depends on its own costs only. On a path
    # all softness values are then posed as one problem over repeated rows, which has no
    # matrix. Set it to False where targets or weights depend on other rows, or on
    # ``problem.matrix``.
    row_by_row: ClassVar[bool] = True

    def subproblems(self, problem: CostProblem) -> Iterator[Subproblem]:
        """The subproblems over all rows, made when they are asked for.

        Parameters
        ----------
        problem : CostProblem
            Labels, softened costs and weights of all rows.

        Yields
        ------
        Subproblem
            Each over all rows; those of weight zero do not take part.
        """
        raise NotImplementedError

    def n_subproblems(self, n_actions: int) -> int:
        """How many there are, for so many answers.

        Parameters
        ----------
        n_actions : int
            How many answers there are: the classes and the actions.

        Returns
        -------
        int
            How often `subproblems` yields.
        """
        raise NotImplementedError

    def combine(
        self, outputs: NDArray[np.float64], n_actions: int
    ) -> NDArray[np.float64]:
        """Scores of shape (n, A) from outputs of shape (n, n_subproblems).

        A column is NaN where no row of its subproblem had a weight; it must not decide.

        Parameters
        ----------
        outputs : array of shape (n, n_subproblems)
            Of the learners, in the order of `subproblems`.
        n_actions : int
            A, how many answers there are.

        Returns
        -------
        array of shape (n, A)
            The larger the better.
        """
        raise NotImplementedError

    def path_subproblems(
        self, rows: RowCosts, softness: Sequence[float]
    ) -> Iterator[Subproblem]:
        """Every subproblem at all softness values: arrays of shape (n_softness, n).

        Parameters
        ----------
        rows : RowCosts
            Labels, costs and weights.
        softness : sequence of float
            All values of a search.

        Yields
        ------
        Subproblem
            Arrays have the shape (n_softness, n).
        """
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
