"""What a learner may declare, so that the work of many problems is shared.

Any scikit-learn estimator is a learner: it is cloned and fitted to one subproblem
after the other. A learner that can do better says so by having the methods of one of
these protocols, or of both; nothing is registered or inherited. Results must be the
same as those of clone-and-fit, only sooner; `softcost.testing.check_path_learner`
compares them.

That holds where there is nothing to choose, too, as `fit_one` has it: NaN where no row
has a weight; with one side only, the least (side +1) or largest (-1) target; for a
classifier with one label only, that label. A regressor is also given labels, as +1 and
-1. A learner that cannot learn a kind of subproblem raises TypeError.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from softcost.learners._subproblems import Subproblem


class FittedSubproblems(Protocol):
    """Solutions of several subproblems over the same rows."""

    def outputs(self, X: Any) -> NDArray[np.float64]:
        """Outputs for rows, shape (n, n_subproblems).

        A positive output stands for label +1. NaN stands for a subproblem in which no
        row had a weight.
        """
        ...


@runtime_checkable
class FitsMany(Protocol):
    """A learner that fits many subproblems over the same rows better together."""

    def fit_many(
        self, X: Any, subproblems: Sequence[Subproblem], *, threads: int = 1
    ) -> FittedSubproblems:
        """Fit one model to every subproblem, with the parameters set here.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Checked as `input_checks` asks.
        subproblems : sequence of Subproblem
            All of one kind. A learner refuses kinds that it cannot learn.
        threads : int
            Results must not depend on it.
        """
        ...

    def input_checks(self) -> dict[str, Any]:
        """Arguments of `sklearn.utils.validation.validate_data` for X."""
        ...


@runtime_checkable
class FitsKinds(FitsMany, Protocol):
    """A learner that fits subproblems that are posed over kinds of rows.

    With costs by class the kinds are the classes: subproblems are a few numbers, and
    not arrays over all rows.
    """

    def fit_kinds(
        self,
        X: Any,
        subproblems: Sequence[Subproblem],
        kind: NDArray[np.intp],
        weight: NDArray[np.float64],
        *,
        threads: int = 1,
    ) -> FittedSubproblems:
        """As `FitsMany.fit_many`.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
        subproblems : sequence of Subproblem
            Arrays have the shape (n_kinds,).
        kind : array of shape (n,)
            The kind of each row.
        weight : array of shape (n,)
            What the weights of its kind are multiplied by.
        threads : int
        """
        ...


class PathOutputs(NamedTuple):
    """Outputs along a path.

    Attributes
    ----------
    outputs : array of shape (n_values, n_softness, n_out)
        For held-out rows; NaN where no row had a weight.
    fitted : array of shape (n_values, n_softness, n_rows) or None
        For the training rows, where asked for.
    """

    outputs: NDArray[Any]
    fitted: NDArray[Any] | None


class PathFold(Protocol):
    """One training set of a path, on which subproblems are solved."""

    def solve(
        self,
        subproblem: Subproblem,
        *,
        fitted: bool = False,
        proceed: Callable[[], None] = ...,
    ) -> PathOutputs:
        """Solve a subproblem for all values of the path parameter and of softness.

        Called from several threads at once. Results must not depend on the order.

        Parameters
        ----------
        subproblem : Subproblem
            Arrays have the shape (n_softness, n_rows), or (n_values, n_softness,
            n_rows) where the problem changes with the path parameter, too.
        fitted : bool
            Whether outputs for the training rows are wanted.
        proceed : callable
            To be called now and then: raises where work is no longer wanted.
        """
        ...

    def release(self) -> None:
        """Give memory back: nothing more will be solved on this fold."""
        ...


class Path(Protocol):
    """A learner's work on the rows of one search.

    Attributes
    ----------
    groups : array of shape (n,)
        Equal numbers for rows that are equal to the learner; they may be merged into
        one of more weight. ``numpy.arange(n)`` where it cannot tell.
    n_bytes : int
        Memory that the path takes while folds are solved, an estimate.
    """

    groups: NDArray[np.intp]
    n_bytes: int

    def fold(
        self, train: NDArray[np.intp], rows: NDArray[np.intp], out: NDArray[np.intp]
    ) -> PathFold:
        """Open a fold.

        Parameters
        ----------
        train : array
            All training rows of the fold, for what depends on all of them, such as the
            width of a kernel.
        rows : array of shape (n_rows,)
            Those of them that subproblems are posed over: of equal rows, one.
        out : array of shape (n_out,)
            Held-out rows whose outputs are wanted.
        """
        ...


@runtime_checkable
class WalksPath(Protocol):
    """A learner that solves all candidates of a search together.

    Candidates that differ in softness and in one parameter of the learner lie on a
    path, and neighbours on it have similar solutions.

    The path is walked where the reduction's learner is such a learner (not a pipeline
    around one) and every setting names ``path_parameter``: give it a grid by default,
    ``param_grids = {"default": {"C": [...]}}``. To be given one-sided values by
    `OneSidedRegression`, its ``fit`` must take ``side``.

    Attributes
    ----------
    path_parameter : str
        The parameter that is walked along, such as "C".
    """

    path_parameter: str

    def open_path(
        self,
        X: Any,
        tests: Sequence[NDArray[np.intp]],
        values: NDArray[np.float64],
        softness: NDArray[np.float64],
        *,
        threads: int = 1,
    ) -> Path:
        """Prepare a search over X.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Checked as `input_checks` asks.
        tests : sequence of arrays
            Rows held out in each fold of the search. They may help to arrange rows;
            a fold's results must not depend on which other folds are opened.
        values : array of shape (n_values,)
            Of the path parameter; all other parameters are set on the learner.
        softness : array of shape (n_softness,)
            Increasing.
        threads : int
            For what is prepared here.
        """
        ...

    def input_checks(self) -> dict[str, Any]:
        """Arguments of `sklearn.utils.validation.validate_data` for X."""
        ...


class HeldOutSolutions(Protocol):
    """Solutions of some subproblems of a fold, which answer for held-out rows."""

    def outputs(self, part: slice) -> NDArray[Any]:
        """Outputs for some of the held-out rows.

        Returns
        -------
        array of shape (n_part, n_values, n_subproblems, n_softness)
        """
        ...


class LockstepFold(PathFold, Protocol):
    """A fold that solves many subproblems at once."""

    def solve_many(
        self,
        subproblems: Sequence[Subproblem],
        kind: NDArray[np.intp],
        weight: NDArray[np.float64],
        *,
        proceed: Callable[[], None] = ...,
    ) -> HeldOutSolutions:
        """Solve subproblems for all values of the path parameter and of softness.

        Called from several threads at once. Results must not depend on the order.

        Parameters
        ----------
        subproblems : sequence of Subproblem
            Posed over kinds of rows, such as classes, not over the rows themselves:
            arrays have the shape (n_softness, n_kinds).
        kind : array of shape (n_rows,)
            The kind of each of the fold's rows.
        weight : array of shape (n_rows,)
            What the weights of its kind are multiplied by.
        proceed : callable
            As for `PathFold.solve`.
        """
        ...


@runtime_checkable
class WalksInLockstep(WalksPath, Protocol):
    """A learner with a path whose folds are `LockstepFold`.

    They are used where rows of one class pose the same problem, that is with costs by
    class; `PathFold.solve` otherwise.
    """

    def at_once(self, n_softness: int) -> int:
        """How many subproblems are best solved together, at least 1."""
        ...
