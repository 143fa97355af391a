"""Filter trees (Beygelzimer, Langford and Ravikumar 2009).

The classes play a knock-out tournament on a binary tree, which is trained from the
leaves to the root: a node is trained on the winners that its trained children choose.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from softcost.costs import CostProblem, RowCosts
from softcost.learners import (
    FittedModels,
    FittedSubproblems,
    Labels,
    PathFold,
    fit_subproblems,
    fitted_learners,
)
from softcost.reductions.base import Reduction, documented
from softcost.reductions.pairwise import two_scores
from softcost.svm import KernelSVC


class Node(NamedTuple):
    """A match between the winners of two sides.

    A side is the index of an answer, or of another node as ``-1 - index``.
    """

    left: int
    right: int
    height: int  # 1 if both sides are answers


def balanced_tree(order: Sequence[int]) -> list[Node]:
    """A balanced tournament over leaves in this order; an odd leaf goes to the left.

    Children come before their parents, so the last node is the root.

    Examples
    --------
    >>> [tuple(node) for node in balanced_tree([0, 1, 2])]
    [(0, 1, 1), (-1, 2, 2)]
    """
    nodes: list[Node] = []

    def build(leaves: list[int]) -> tuple[int, int]:
        if len(leaves) == 1:
            return int(leaves[0]), 0
        middle = (len(leaves) + 1) // 2
        left, low = build(leaves[:middle])
        right, high = build(leaves[middle:])
        nodes.append(Node(left, right, 1 + max(low, high)))
        return -len(nodes), nodes[-1].height

    build(list(order))
    return nodes


def default_order(n_classes: int, n_answers: int) -> list[int]:
    """Default order of the leaves: half of the classes, the actions, the other half.

    Examples
    --------
    >>> default_order(3, 3), default_order(2, 3)
    ([0, 1, 2], [0, 2, 1])
    """
    half = (n_classes + 1) // 2
    actions = range(n_classes, n_answers)
    return [*range(half), *actions, *range(half, n_classes)]


def levels(nodes: Sequence[Node]) -> list[list[int]]:
    """Indices of nodes by height: nodes of one level do not depend on each other."""
    tallest = max(node.height for node in nodes)
    return [
        [number for number, node in enumerate(nodes) if node.height == height]
        for height in range(1, tallest + 1)
    ]


def match(
    problem: CostProblem, left: NDArray[np.intp], right: NDArray[np.intp]
) -> Labels:
    """The subproblem of a node: the cheaper winner, weighted by the difference."""
    costs = problem.costs
    rows = np.arange(len(costs))
    gain = costs[rows, right] - costs[rows, left]
    return Labels(np.where(gain > 0, 1.0, -1.0), np.abs(gain) * problem.weight)


def winner(output: Any, left: Any, right: Any) -> NDArray[np.intp]:
    """The winner of a node: left if the output is positive or NaN (no rows)."""
    return np.where(np.isnan(output) | (output > 0), left, right)


@documented
class FilterTree(Reduction):
    """Cost-sensitive filter tree (CSFT); filter tree (FT) at softness 1.

    The classes play a tournament on a binary tree. From the leaves to the root, the
    classifier of a node learns which of the winners of its two sides is cheaper, with
    the difference of their costs as weight. The winners are those that the trained
    classifiers choose. A prediction needs at most ``ceil(log2 K)`` classifiers, and its
    excess cost is at most the summed weight of the nodes that were wrong [1]_.

    Parameters
    ----------
    learner : classifier, default=None
        As for `CostSensitiveOneVsOne`.
    order : array of shape (A,), default=None
        The classes and actions in the order of the leaves. By default the classes are
        in the order of ``classes_``, with the actions after the first half: an action
        between two classes, such as asking a person when both are likely, then meets
        each side in a separate match, which a linear learner can decide.
    {common}

    See Also
    --------
    CostSensitiveOneVsOne : All pairs instead of a tournament.

    References
    ----------
    .. [1] Beygelzimer, Langford and Ravikumar (2009), "Error-correcting tournaments",
       ALT.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softcost import FilterTree
    >>> X, y = load_iris(return_X_y=True)
    >>> model = FilterTree(cost_matrix=[[0, 1, 5], [1, 0, 5], [9, 9, 0]], softness=0.5)
    >>> model.fit(X, y).predict(X[:3])
    array([0, 0, 0])
    """

    _parameter_constraints: ClassVar = {
        **Reduction._parameter_constraints,
        "order": "no_validation",
    }

    def __init__(
        self,
        learner: Any = None,
        *,
        order: ArrayLike | None = None,
        cost_matrix: Any = None,
        classes: ArrayLike | None = None,
        actions: ArrayLike | None = None,
        softness: float = 0.0,
        error_weight: Any = None,
        action_error: Any = 1.0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ):
        super().__init__(
            learner,
            cost_matrix=cost_matrix,
            classes=classes,
            actions=actions,
            softness=softness,
            error_weight=error_weight,
            action_error=action_error,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.order = order

    def default_learner(self) -> Any:
        return KernelSVC()

    def tree(self, actions: NDArray[Any], n_classes: int) -> list[Node]:
        """The tree over the indices of the answers.

        Parameters
        ----------
        actions : array of shape (A,)
            All answers, as in ``actions_``; the classes come first.
        n_classes : int
            Number of classes.

        Returns
        -------
        list of Node
            Children before their parents.
        """
        if self.order is None:
            return balanced_tree(default_order(n_classes, len(actions)))
        leaves = np.atleast_1d(np.asarray(self.order, dtype=object)).tolist()
        order = [str(name) for name in leaves]
        names = [str(name) for name in actions.tolist()]
        if sorted(order) != sorted(names):
            raise ValueError(
                f"order must name each of the {len(names)} classes and actions once, "
                f"but it is {self.order!r}. List them in the order of the leaves."
            )
        return balanced_tree([names.index(name) for name in order])

    def _fit(self, X: Any, problem: CostProblem) -> None:
        self._nodes = self.tree(self.actions_, len(self.classes_))
        self.solutions_: list[FittedSubproblems] = []
        rng = self._rng()
        n = len(problem.y)
        won = np.empty((len(self._nodes), n), np.intp)
        for level in levels(self._nodes):
            sides = [self._sides(number, won, n) for number in level]
            matches = [match(problem, left, right) for left, right in sides]
            solved = fit_subproblems(
                self.working_learner(), X, matches, n_jobs=self.n_jobs, rng=rng
            )
            outputs = solved.outputs(X)
            for place, number in enumerate(level):
                won[number] = winner(outputs[:, place], *sides[place])
            self.solutions_.append(solved)

    def _sides(
        self, number: int, won: NDArray[np.intp], n: int
    ) -> tuple[NDArray[np.intp], ...]:
        """Winners of both sides of a node, for every row."""
        node = self._nodes[number]
        return tuple(
            np.full(n, side) if side >= 0 else won[-1 - side]
            for side in (node.left, node.right)
        )

    def _estimators(self) -> list[Any]:
        """Learners by node."""
        by_node: list[Any] = [None] * len(self._nodes)
        for level, solved in zip(levels(self._nodes), self.solutions_, strict=True):
            for number, learner in zip(level, fitted_learners(solved), strict=True):
                by_node[number] = learner
        return by_node

    def _decide(self, X: Any) -> NDArray[np.float64]:
        """Scores: the winner's confidence, and 0 for all other answers.

        The confidence lies between 1/2 and 1 and grows with the winner's smallest
        margin. The tree has no information about answers that a row does not meet. With
        two answers the scores are the margin.
        """
        n = _num_samples(X)
        margin = np.full(n, np.inf)
        position = np.full(n, -len(self._nodes))  # all rows start at the root
        for level, solved in zip(
            reversed(levels(self._nodes)), reversed(self.solutions_), strict=True
        ):
            here = np.flatnonzero(np.isin(position, [-1 - number for number in level]))
            if len(here) == 0:
                continue
            outputs = self._level_outputs(solved, level, X, here, position[here])
            nodes = -1 - position[here]
            left = np.array([node.left for node in self._nodes])[nodes]
            right = np.array([node.right for node in self._nodes])[nodes]
            position[here] = winner(outputs, left, right)
            if len(self._nodes) == 1:
                return self._two_scores(outputs)
            size = np.where(np.isnan(outputs), np.inf, np.abs(outputs))
            margin[here] = np.minimum(margin[here], size)
        confidence = 1.0 - 0.5 / (1.0 + margin)
        return np.eye(len(self._nodes) + 1)[position] * confidence[:, None]

    def _two_scores(self, outputs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores of two answers; without an output (NaN), left wins as in `winner`."""
        root = self._nodes[0]
        margin = np.where(np.isnan(outputs), np.finfo(np.float32).tiny, outputs)
        return two_scores(margin)[:, np.argsort([root.left, root.right])]

    @staticmethod
    def _level_outputs(
        solved: FittedSubproblems,
        level: list[int],
        X: Any,
        here: NDArray[np.intp],
        position: NDArray[np.intp],
    ) -> NDArray[np.float64]:
        """The output for every row at its node, in one pass over the level."""
        if not isinstance(solved, FittedModels):
            rows = X if len(here) == X.shape[0] else X[here]
            column = np.searchsorted(level, -1 - position)
            return solved.outputs(rows)[np.arange(len(here)), column]
        outputs = np.empty(len(here))
        for place, number in enumerate(level):
            members = position == -1 - number
            if members.any():
                rows = _safe_indexing(X, here[members])
                outputs[members] = solved.output(place, rows)
        return outputs

    def walk_fold(
        self,
        fold: PathFold,
        rows: RowCosts,
        n_values: int,
        softness: Sequence[float],
        proceed: Callable[[], None],
    ) -> NDArray[np.intp]:
        """Predict the held-out rows of a fold along a path.

        The winners of the lower nodes depend on the path parameter and on softness, so
        the subproblems of the upper nodes have an axis for each.

        Parameters
        ----------
        fold : PathFold
            A fold of the learner's path.
        rows : RowCosts
            Costs of the fold's training rows.
        n_values : int
            Number of values of the path parameter.
        softness : sequence of float
            All values of a search.
        proceed : callable
            As for `PathFold.solve`.

        Returns
        -------
        array of shape (n_values, n_softness, n_out)
            Indices of the answers.
        """
        problems = [rows.problem(value) for value in softness]
        nodes = self.tree(rows.actions, rows.n_classes)
        shape = (n_values, len(problems))
        won: list[NDArray[np.intp]] = []
        won_out: list[NDArray[np.intp]] = []
        for node in nodes:
            left, right = (
                won[-1 - side] if side < 0 else np.full((*shape, len(rows.y)), side)
                for side in (node.left, node.right)
            )
            distinct = 1 if node.height == 1 else n_values
            matches = Labels.stacked(
                [
                    Labels.stacked(
                        [
                            match(problem, left[value, a], right[value, a])
                            for a, problem in enumerate(problems)
                        ]
                    )
                    for value in range(distinct)
                ]
            )
            result = fold.solve(matches, fitted=True, proceed=proceed)
            won.append(winner(result.fitted, left, right))
            sides = (
                won_out[-1 - side] if side < 0 else side
                for side in (node.left, node.right)
            )
            won_out.append(winner(result.outputs, *sides))
        return won_out[-1]
