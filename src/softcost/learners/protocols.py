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
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import column_or_1d

# What a reduction asks of a learner: one learning problem over all rows.


Kind = TypeVar("Kind", bound="Subproblem")


@dataclass(frozen=True)
class Subproblem:
    """A learning problem; what its targets mean is said by the subclass.

    On a path (see `softcost.learners.SupportsPath`) the arrays have leading axes: one
    for softness, or one for the path parameter and one for softness.

    Attributes
    ----------
    target : array of shape (..., n)
        What is to be learnt.
    weight : array of shape (..., n)
        Rows of weight zero do not take part.

    See Also
    --------
    Labels : Targets are labels, +1 and -1: for classifiers.
    Values : Targets are values to come close to: for regressors.
    OneSidedValues : Targets are values to stay below (side +1) or above (side -1).

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.learners import Values
    >>> hard = Values(np.array([0.0, 9.0]), np.ones(2))
    >>> regular = Values(np.array([0.0, 1.0]), np.ones(2))
    >>> Values.stacked([hard, regular]).target  # one row for each softness
    array([[0., 9.],
           [0., 1.]])
    """

    target: NDArray[np.float64]
    weight: NDArray[np.float64]

    def reshaped(self: Kind, *shape: int) -> Kind:
        """The same with arrays of another shape.

        Parameters
        ----------
        *shape : int
            The new shape of every array.

        Returns
        -------
        Subproblem
            Of the same kind.
        """
        return type(self)(*(part.reshape(shape) for part in self._arrays()))

    def _arrays(self) -> list[NDArray[Any]]:
        return [getattr(self, field.name) for field in fields(self)]

    @classmethod
    def stacked(cls: type[Kind], parts: "Sequence[Kind]") -> Kind:
        """Subproblems of one kind with one more axis in front.

        Parameters
        ----------
        parts : sequence of Subproblem
            All of this kind and of one shape.

        Returns
        -------
        Subproblem
            Of the same kind.
        """
        arrays = zip(*(part._arrays() for part in parts), strict=True)
        return cls(*(np.stack(same) for same in arrays))


@dataclass(frozen=True)
class Labels(Subproblem):
    """Targets are labels, +1 and -1: for classifiers.

    Parameters
    ----------
    target : array of shape (..., n)
        +1 or -1.
    weight : array of shape (..., n)
        Rows of weight zero do not take part.

    See Also
    --------
    Values : Targets are values to come close to: for regressors.
    OneSidedValues : Targets are values to stay below (side +1) or above (side -1).

    Examples
    --------
    Is a row of the second class rather than of the first? The third does not take part.

    >>> import numpy as np
    >>> from softcost.learners import Labels
    >>> y = np.array([0, 1, 2, 1])
    >>> pair = Labels(np.where(y == 1, 1.0, -1.0), (y < 2).astype(float))
    >>> pair.target.tolist(), pair.weight.tolist()
    ([-1.0, 1.0, -1.0, 1.0], [1.0, 1.0, 0.0, 1.0])
    """


@dataclass(frozen=True)
class Values(Subproblem):
    """Targets are values to come close to: for regressors.

    Parameters
    ----------
    target : array of shape (..., n)
        The values.
    weight : array of shape (..., n)
        Rows of weight zero do not take part.

    See Also
    --------
    Labels : Targets are labels, +1 and -1: for classifiers.
    OneSidedValues : Targets are values to stay below (side +1) or above (side -1).

    Examples
    --------
    What it costs to predict class 0, for `RegressionOneVsAll`:

    >>> import numpy as np
    >>> from softcost.learners import Values
    >>> prices, y = np.array([[0.0, 1.0], [9.0, 0.0]]), np.array([0, 1, 1])
    >>> Values(prices[y, 0], np.ones(3)).target.tolist()
    [0.0, 9.0, 9.0]
    """


@dataclass(frozen=True)
class OneSidedValues(Subproblem):
    """Targets are values to stay below (side +1) or above (side -1).

    Attributes
    ----------
    target : array of shape (..., n)
        The values.
    weight : array of shape (..., n)
        Rows of weight zero do not take part.
    side : array of shape (..., n)
        +1 asks for a prediction of at most the target, -1 of at least.

    See Also
    --------
    Values : Targets are values to come close to: for regressors.
    softcost.reductions.OneSidedRegression : Asks for these.

    Examples
    --------
    The cost of class 0: to be met from below where it is the true class, and from above
    where it is not.

    >>> import numpy as np
    >>> from softcost.learners import OneSidedValues
    >>> y, cost = np.array([0, 1, 1]), np.array([0.0, 2.0, 5.0])
    >>> side = np.where(y == 0, 1.0, -1.0)
    >>> OneSidedValues(cost, np.ones(3), side).side.tolist()
    [1.0, -1.0, -1.0]
    """

    side: NDArray[np.float64]


def check_sides(side: ArrayLike, n: int) -> NDArray[np.float64]:
    """Read the sides of n targets, or refuse what is not +1 or -1 for each.

    Parameters
    ----------
    side : array-like of shape (n,)
        +1 for targets to stay below, -1 for targets to stay above.
    n : int
        How many there must be.

    Returns
    -------
    array of shape (n,)
        The same numbers as float64.

    See Also
    --------
    OneSidedValues : Targets are values to stay below (side +1) or above (side -1).

    Examples
    --------
    >>> from softcost.learners import check_sides
    >>> check_sides([1, -1], 2)
    array([ 1., -1.])
    """
    sides = column_or_1d(np.asarray(side), warn=True)
    if len(sides) != n or not np.isin(sides, (-1, 1)).all():
        raise ValueError(
            f"side should hold +1 (at most y) or -1 (at least y) for each of the {n} "
            "rows; give it that form, or None for both."
        )
    return sides.astype(np.float64)


class FittedSubproblems(Protocol):
    """Solutions of several subproblems over the same rows.

    See Also
    --------
    SupportsMultiFit : A learner that fits many subproblems over the same rows together.
    FittedModels : Models of subproblems that were fitted one by one.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.learners import Labels, fit_subproblems
    >>> from softcost.linear import LinearClassifier
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> above = [Labels(np.where(X[:, 0] > at, 1.0, -1.0), np.ones(4)) for at in (0, 2)]
    >>> solutions = fit_subproblems(LinearClassifier(C=100), X, above)
    >>> np.sign(solutions.outputs(X))
    array([[-1., -1.],
           [ 1., -1.],
           [ 1., -1.],
           [ 1.,  1.]])
    """

    def outputs(self, X: Any) -> NDArray[np.float64]:
        """Outputs for rows, shape (n, n_subproblems).

        A positive output stands for label +1. NaN stands for a subproblem in which no
        row had a weight.

        Parameters
        ----------
        X : rows
            As given to the learner.

        Returns
        -------
        array of shape (n, n_subproblems)
            One column for each subproblem.
        """
        ...


@runtime_checkable
class SupportsMultiFit(Protocol):
    """A learner that fits many subproblems over the same rows better together.

    See Also
    --------
    SupportsPath : A learner that solves all candidates of a search together.
    fit_subproblems : Fit a learner to every subproblem.
    softcost.testing.check_path_learner : Tests a learner of your own.

    Examples
    --------
    The kernel machines share one kernel matrix among all subproblems; an estimator of
    scikit-learn is fitted to one after the other.

    >>> from sklearn.svm import SVC
    >>> from softcost.learners import SupportsMultiFit
    >>> from softcost.svm import KernelSVC
    >>> isinstance(KernelSVC(), SupportsMultiFit), isinstance(SVC(), SupportsMultiFit)
    (True, False)
    """

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
        threads : int, default=1
            Results must not depend on it.

        Returns
        -------
        FittedSubproblems
            The solutions, in the order of `subproblems`.
        """
        ...

    def input_checks(self) -> dict[str, Any]:
        """Arguments of `sklearn.utils.validation.validate_data` for X.

        Returns
        -------
        dict
            Keyword arguments.
        """
        ...


@runtime_checkable
class SupportsKindFit(SupportsMultiFit, Protocol):
    """A learner that fits subproblems that are posed over kinds of rows.

    With costs by class the kinds are the classes: subproblems are a few numbers, and
    not arrays over all rows.

    See Also
    --------
    SupportsMultiFit : A learner that fits many subproblems over the same rows together.
    SupportsBatchedPath : A learner with a path whose folds are `BatchedFold`.

    Examples
    --------
    >>> from softcost.learners import SupportsKindFit
    >>> from softcost.linear import LinearClassifier
    >>> from softcost.svm import KernelSVC
    >>> isinstance(LinearClassifier(), SupportsKindFit)
    True
    >>> isinstance(KernelSVC(), SupportsKindFit)
    False
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
        """As `SupportsMultiFit.fit_many`.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Checked as `input_checks` asks.
        subproblems : sequence of Subproblem
            Arrays have the shape (n_kinds,).
        kind : array of shape (n,)
            The kind of each row.
        weight : array of shape (n,)
            What the weights of its kind are multiplied by.
        threads : int, default=1
            Results must not depend on it.

        Returns
        -------
        FittedSubproblems
            The solutions, in the order of `subproblems`.
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

    See Also
    --------
    PathFold : One training set of a path, on which subproblems are solved.

    Examples
    --------
    Three values of C, two of softness, four held-out rows:

    >>> import numpy as np
    >>> from softcost.learners import PathOutputs
    >>> found = PathOutputs(outputs=np.zeros((3, 2, 4)), fitted=None)
    >>> found.outputs[0, 1].shape  # of the first C, at the second softness
    (4,)
    """

    outputs: NDArray[Any]
    fitted: NDArray[Any] | None


class PathFold(Protocol):
    """One training set of a path, on which subproblems are solved.

    See Also
    --------
    Path : A learner's work on the rows of one search.
    PathOutputs : Outputs along a path.
    BatchedFold : A fold that solves many subproblems at once.

    Examples
    --------
    Two values of C, one softness, and a held-out row:

    >>> import numpy as np
    >>> from softcost.learners import Labels
    >>> from softcost.svm import KernelSVC
    >>> X, rows = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 1, 2])
    >>> C, softness = np.array([1.0, 9.0]), np.zeros(1)
    >>> path = KernelSVC().open_path(X, [np.array([3])], C, softness)
    >>> fold = path.fold(rows, rows, np.array([3]))
    >>> upper = Labels(np.array([[-1.0, -1.0, 1.0]]), np.ones((1, 3)))
    >>> np.sign(fold.solve(upper).outputs).tolist()
    [[[1.0]], [[1.0]]]
    >>> fold.release()
    """

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
        fitted : bool, default=False
            Whether outputs for the training rows are wanted.
        proceed : callable
            To be called now and then: raises where work is no longer wanted.

        Returns
        -------
        PathOutputs
            For all values, softnesses and held-out rows.
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

    See Also
    --------
    SupportsPath : A learner that solves all candidates of a search together.
    PathFold : One training set of a path, on which subproblems are solved.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.svm import KernelSVC
    >>> X = np.array([[0.0], [1.0], [1.0], [2.0]])
    >>> tests = [np.array([0, 1]), np.array([2, 3])]
    >>> path = KernelSVC().open_path(X, tests, np.array([1.0, 4.0]), np.zeros(1))
    >>> path.groups.tolist()  # two rows are equal
    [0, 1, 1, 2]
    """

    groups: NDArray[np.intp]
    n_bytes: int

    def fold(
        self, train: NDArray[np.intp], rows: NDArray[np.intp], out: NDArray[np.intp]
    ) -> PathFold:
        """Open a fold.

        Parameters
        ----------
        train : array of shape (n_train,)
            All training rows of the fold, for what depends on all of them, such as the
            width of a kernel.
        rows : array of shape (n_rows,)
            Those of them that subproblems are posed over: of equal rows, one.
        out : array of shape (n_out,)
            Held-out rows whose outputs are wanted.

        Returns
        -------
        PathFold
            On which subproblems are solved.
        """
        ...


@runtime_checkable
class SupportsPath(Protocol):
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

    See Also
    --------
    SupportsMultiFit : A learner that fits many subproblems over the same rows together.
    Path : A learner's work on the rows of one search.
    softcost.testing.check_path_learner : Compares a path with fits one by one.

    Examples
    --------
    >>> from softcost.learners import SupportsPath
    >>> from softcost.svm import KernelSVC
    >>> isinstance(KernelSVC(), SupportsPath), KernelSVC.path_parameter
    (True, 'C')
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
        threads : int, default=1
            For what is prepared here.

        Returns
        -------
        Path
            Whose folds are then opened.
        """
        ...

    def input_checks(self) -> dict[str, Any]:
        """Arguments of `sklearn.utils.validation.validate_data` for X.

        Returns
        -------
        dict
            Keyword arguments.
        """
        ...


class HeldOutSolutions(Protocol):
    """Solutions of some subproblems of a fold, which answer for held-out rows.

    See Also
    --------
    BatchedFold : A fold that solves many subproblems at once.
    PathOutputs : Outputs along a path.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.learners import Labels
    >>> from softcost.linear import LinearClassifier
    >>> X, kind = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> halves, C, softness = [np.array([0, 2])], np.array([1.0, 10.0]), np.zeros(1)
    >>> path = LinearClassifier().open_path(X, halves, C, softness)
    >>> fold = path.fold(np.array([1, 3]), np.array([1, 3]), np.array([0, 2]))
    >>> upper = Labels(target=np.array([[-1.0, 1.0]]), weight=np.ones((1, 2)))
    >>> found = fold.solve_many([upper], kind[[1, 3]], np.ones(2))
    >>> found.outputs(slice(None)).shape  # rows, values of C, subproblems, softness
    (2, 2, 1, 1)
    """

    def outputs(self, part: slice) -> NDArray[Any]:
        """Outputs for some of the held-out rows.

        Parameters
        ----------
        part : slice
            Which of the held-out rows.

        Returns
        -------
        array of shape (n_part, n_values, n_subproblems, n_softness)
        """
        ...


class BatchedFold(PathFold, Protocol):
    """A fold that solves many subproblems at once.

    See Also
    --------
    SupportsBatchedPath : A learner with a path whose folds are `BatchedFold`.
    PathFold : One training set of a path, on which subproblems are solved.
    HeldOutSolutions : Solutions of some subproblems of a fold, which answer for
        held-out rows.

    Examples
    --------
    The folds of the linear machines are such folds:

    >>> import numpy as np
    >>> from softcost.linear import LinearClassifier
    >>> rows = np.arange(4)
    >>> path = LinearClassifier().open_path(
    ...     rows[:, None] / 1.0, [rows[:2], rows[2:]], np.ones(1), np.zeros(1)
    ... )
    >>> hasattr(path.fold(rows[2:], rows[2:], rows[:2]), "solve_many")
    True
    """

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

        Returns
        -------
        HeldOutSolutions
            They answer for the held-out rows.
        """
        ...


@runtime_checkable
class SupportsBatchedPath(SupportsPath, Protocol):
    """A learner with a path whose folds are `BatchedFold`.

    They are used where rows of one class pose the same problem, that is with costs by
    class; `PathFold.solve` otherwise.

    See Also
    --------
    SupportsPath : A learner that solves all candidates of a search together.
    BatchedFold : A fold that solves many subproblems at once.

    Examples
    --------
    >>> from softcost.learners import SupportsBatchedPath
    >>> from softcost.linear import OneSidedLinear
    >>> from softcost.svm import OneSidedSVR
    >>> isinstance(OneSidedLinear(), SupportsBatchedPath)
    True
    >>> isinstance(OneSidedSVR(), SupportsBatchedPath)
    False
    """

    def at_once(self, n_softness: int) -> int:
        """How many subproblems are best solved together, at least 1.

        Parameters
        ----------
        n_softness : int
            How many values of softness each of them has.

        Returns
        -------
        int
            A memory bound as a rule: their outputs are kept together.
        """
        ...


# What kind of estimator a learner is.


LearnerKind = Literal["classifier", "regressor"]


def last_step(learner: Any) -> Any:
    """The last step of a pipeline, or the learner itself.

    Parameters
    ----------
    learner : estimator
        Also a pipeline in a pipeline.

    Returns
    -------
    estimator
        What learns in the end.

    See Also
    --------
    kind_of : Whether a learner is a classifier or a regressor; None where it is
        neither.
    softcost.persistence.final_step : The same for fitted models.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from softcost.learners import last_step
    >>> last_step(make_pipeline(StandardScaler(), Ridge()))
    Ridge()
    """
    return last_step(learner.steps[-1][1]) if isinstance(learner, Pipeline) else learner


def kind_of(learner: Any) -> LearnerKind | None:
    """Whether a learner is a classifier or a regressor; None where it is neither.

    Estimators that follow older conventions than scikit-learn's tags count, too.

    Parameters
    ----------
    learner : estimator
        Also a pipeline or a search.

    Returns
    -------
    {"classifier", "regressor"} or None
        Its kind.

    See Also
    --------
    check_learner : Refuse what cannot be a learner.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from softcost.learners import kind_of
    >>> kind_of(Ridge())
    'regressor'
    """
    try:
        if is_classifier(learner):
            return "classifier"
        if is_regressor(learner):
            return "regressor"
    except AttributeError:  # no tags
        pass
    declared = getattr(last_step(learner), "_estimator_type", None)
    return declared if declared in ("classifier", "regressor") else None


def is_pairwise(learner: Any) -> bool:
    """Whether a learner wants a kernel matrix instead of rows of features.

    Parameters
    ----------
    learner : estimator
        Whose tags are asked.

    Returns
    -------
    bool
        True for ``kernel="precomputed"`` and the like.

    See Also
    --------
    fit_rows : Fit a model to some rows of X; of a kernel matrix, to their columns, too.
    OnColumns : A model of some rows of a kernel matrix, which looks at their columns
        only.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from softcost.learners import is_pairwise
    >>> is_pairwise(SVC(kernel="precomputed")), is_pairwise(SVC())
    (True, False)
    """
    try:
        return bool(learner.__sklearn_tags__().input_tags.pairwise)
    except AttributeError:
        return False


def check_learner(learner: Any, needed: str, user: str) -> None:
    """Refuse what cannot be a learner.

    Parameters
    ----------
    learner : estimator
        What is to be checked.
    needed : {"classifier", "regressor", "any"}
        The kind that is needed.
    user : str
        Who needs it, for the message.

    Raises
    ------
    TypeError
        Where it is of another kind, a class instead of an instance, or declares a
        protocol in part.

    See Also
    --------
    kind_of : Whether a learner is a classifier or a regressor; None where it is
        neither.
    takes_weights : Whether ``learner.fit``, or that of a pipeline's last step, takes
        weights.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression, Ridge
    >>> from softcost.learners import check_learner
    >>> check_learner(LogisticRegression(), "classifier", "FilterTree")
    >>> check_learner(Ridge(), "classifier", "FilterTree")
    Traceback (most recent call last):
        ...
    TypeError: learner Ridge is not a classifier, which FilterTree needs: choose ...
    """
    name = type(learner).__name__
    if isinstance(learner, type):
        raise TypeError(
            f"learner is the class {learner.__name__}, not an estimator: pass an "
            f"instance, {learner.__name__}()."
        )
    kind = kind_of(learner)
    wanted = "classifier or regressor" if needed == "any" else needed
    if not hasattr(learner, "fit") or kind is None or needed not in ("any", kind):
        raise TypeError(
            f"learner {name} is not a {wanted}, which {user} needs: choose another, "
            "such as " + _EXAMPLES[needed] + "."
        )
    _check_declared(learner, name)


def _check_declared(learner: Any, name: str) -> None:
    """Refuse a protocol that is declared in part: nobody would notice otherwise."""
    for method, protocol in (
        ("fit_many", SupportsMultiFit),
        ("open_path", SupportsPath),
    ):
        if hasattr(learner, method) and not isinstance(learner, protocol):
            missing = [
                one
                for one in ("input_checks", "path_parameter", "fit_many", "open_path")
                if hasattr(protocol, one) or one in protocol.__annotations__
                if not hasattr(learner, one)
            ]
            raise TypeError(
                f"learner {name} has {method} but lacks {', '.join(missing)}: define "
                f"all that softcost.learners.{protocol.__name__} asks for."
            )
    if isinstance(learner, SupportsPath):
        known = learner.get_params()  # type: ignore[attr-defined]
        if learner.path_parameter not in known:
            raise ValueError(
                f"learner {name} says path_parameter={learner.path_parameter!r}, which "
                f"is none of its parameters, {', '.join(sorted(known))}: name one."
            )


_EXAMPLES = {
    "classifier": "LogisticRegression()",
    "any": "LogisticRegression()",
    "regressor": "Ridge()",
}
