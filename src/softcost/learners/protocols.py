"""Subproblems, and the protocols of learners that share work between them.

Any scikit-learn estimator is a learner: it is cloned and fitted to one subproblem after
the other. A learner that can do better has the methods of one or more of these
protocols. Nothing is registered or inherited. Its results must be those of cloning and
fitting, only faster; `softcost.testing.check_path_learner` compares them.

The same holds for trivial subproblems, as in `fit_one`: NaN if no row has a positive
weight; the smallest target if all sides are +1, the largest if all are -1; for a
classifier with a single label, that label. A regressor may also be given labels, as +1
and -1. A learner raises TypeError for a type of subproblem that it does not support.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import column_or_1d

Kind = TypeVar("Kind", bound="Subproblem")

LearnerKind = Literal["classifier", "regressor"]


@dataclass(frozen=True)
class Subproblem:
    """A learning problem over all rows; the subclass defines the targets' meaning.

    On a path (see `softcost.learners.SupportsPath`) the arrays have leading axes: one
    for softness, or one for the path parameter and one for softness.

    Attributes
    ----------
    target : array of shape (..., n)
        Targets.
    weight : array of shape (..., n)
        Sample weights; rows of weight zero are ignored.

    See Also
    --------
    Labels : A subproblem for classifiers: the targets are +1 and -1.
    Values : A subproblem for regressors: the targets are real numbers.
    OneSidedValues : A subproblem whose targets are upper (side +1) or lower (side -1)
        bounds.

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
        """The same subproblem with arrays of another shape.

        Parameters
        ----------
        *shape : int
            The new shape of every array.

        Returns
        -------
        Subproblem
            Of the same type.
        """
        return type(self)(*(part.reshape(shape) for part in self._arrays()))

    def part(self: Kind, rows: NDArray[np.intp]) -> Kind:
        """The same subproblem over some of the rows.

        Parameters
        ----------
        rows : array of int
            Indices of the rows.

        Returns
        -------
        Subproblem
            Of the same type.
        """
        return type(self)(*(part[..., rows] for part in self._arrays()))

    def _arrays(self) -> list[NDArray[Any]]:
        return [getattr(self, field.name) for field in fields(self)]

    @classmethod
    def stacked(cls: type[Kind], parts: "Sequence[Kind]") -> Kind:
        """Stack subproblems of this type along a new first axis.

        Parameters
        ----------
        parts : sequence of Subproblem
            All of this type and of one shape.

        Returns
        -------
        Subproblem
            Of the same type.
        """
        arrays = zip(*(part._arrays() for part in parts), strict=True)
        return cls(*(np.stack(same) for same in arrays))


@dataclass(frozen=True)
class Labels(Subproblem):
    """A subproblem for classifiers: the targets are +1 and -1.

    Parameters
    ----------
    target : array of shape (..., n)
        +1 or -1.
    weight : array of shape (..., n)
        Sample weights; rows of weight zero are ignored.

    See Also
    --------
    Values : A subproblem for regressors: the targets are real numbers.
    OneSidedValues : A subproblem whose targets are upper (side +1) or lower (side -1)
        bounds.

    Examples
    --------
    The second class against the first; rows of the third are ignored.

    >>> import numpy as np
    >>> from softcost.learners import Labels
    >>> y = np.array([0, 1, 2, 1])
    >>> pair = Labels(np.where(y == 1, 1.0, -1.0), (y < 2).astype(float))
    >>> pair.target.tolist(), pair.weight.tolist()
    ([-1.0, 1.0, -1.0, 1.0], [1.0, 1.0, 0.0, 1.0])
    """


@dataclass(frozen=True)
class Values(Subproblem):
    """A subproblem for regressors: the targets are real numbers.

    Parameters
    ----------
    target : array of shape (..., n)
        The values.
    weight : array of shape (..., n)
        Sample weights; rows of weight zero are ignored.

    See Also
    --------
    Labels : A subproblem for classifiers: the targets are +1 and -1.
    OneSidedValues : A subproblem whose targets are upper (side +1) or lower (side -1)
        bounds.

    Examples
    --------
    The cost of predicting class 0, as in `RegressionOneVsAll`:

    >>> import numpy as np
    >>> from softcost.learners import Values
    >>> costs, y = np.array([[0.0, 1.0], [9.0, 0.0]]), np.array([0, 1, 1])
    >>> Values(costs[y, 0], np.ones(3)).target.tolist()
    [0.0, 9.0, 9.0]
    """


@dataclass(frozen=True)
class OneSidedValues(Subproblem):
    """A subproblem whose targets are upper (side +1) or lower (side -1) bounds.

    Attributes
    ----------
    target : array of shape (..., n)
        The values.
    weight : array of shape (..., n)
        Sample weights; rows of weight zero are ignored.
    side : array of shape (..., n)
        +1 requires a prediction of at most the target, -1 of at least the target.

    See Also
    --------
    Values : A subproblem for regressors: the targets are real numbers.
    softcost.reductions.OneSidedRegression : Poses these subproblems.

    Examples
    --------
    The cost of class 0 is an upper bound if 0 is the true class, otherwise a lower
    bound:

    >>> import numpy as np
    >>> from softcost.learners import OneSidedValues
    >>> y, cost = np.array([0, 1, 1]), np.array([0.0, 2.0, 5.0])
    >>> side = np.where(y == 0, 1.0, -1.0)
    >>> OneSidedValues(cost, np.ones(3), side).side.tolist()
    [1.0, -1.0, -1.0]
    """

    side: NDArray[np.float64]


def check_sides(side: ArrayLike, n: int) -> NDArray[np.float64]:
    """Check the sides of n targets: each is +1 or -1.

    Parameters
    ----------
    side : array-like of shape (n,)
        +1 for upper bounds, -1 for lower bounds.
    n : int
        Number of targets.

    Returns
    -------
    array of shape (n,)
        The same numbers as float64.

    See Also
    --------
    OneSidedValues : A subproblem whose targets are upper (side +1) or lower (side -1)
        bounds.

    Examples
    --------
    >>> from softcost.learners import check_sides
    >>> check_sides([1, -1], 2)
    array([ 1., -1.])
    """
    sides = column_or_1d(np.asarray(side), warn=True)
    if len(sides) != n or not np.isin(sides, (-1, 1)).all():
        raise ValueError(
            f"side must be +1 (at most y) or -1 (at least y) for each of the {n} rows. "
            "Correct it, or pass None for ordinary regression."
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

        A positive output means label +1. NaN means that the subproblem had no row of
        positive weight.

        Parameters
        ----------
        X : rows
            In the form that the learner was fitted to.

        Returns
        -------
        array of shape (n, n_subproblems)
            One column for each subproblem.
        """
        ...


@runtime_checkable
class SupportsMultiFit(Protocol):
    """A learner that fits many subproblems over the same rows together.

    See Also
    --------
    SupportsPath : A learner that solves all candidates of a search together.
    fit_subproblems : Fit a learner to every subproblem.
    softcost.testing.check_path_learner : Tests your own learner.

    Examples
    --------
    The kernel machines share one kernel matrix between all subproblems. A scikit-learn
    estimator is fitted to one subproblem after the other.

    >>> from sklearn.svm import SVC
    >>> from softcost.learners import SupportsMultiFit
    >>> from softcost.svm import KernelSVC
    >>> isinstance(KernelSVC(), SupportsMultiFit), isinstance(SVC(), SupportsMultiFit)
    (True, False)
    """

    def fit_many(
        self, X: Any, subproblems: Sequence[Subproblem], *, threads: int = 1
    ) -> FittedSubproblems:
        """Fit one model to every subproblem, with this learner's parameters.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Rows that passed `input_checks`.
        subproblems : sequence of Subproblem
            All of one type. The learner raises TypeError if it does not support it.
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
    """A learner that fits subproblems posed over kinds of rows.

    With costs by class the kinds are the classes: a subproblem is a few numbers instead
    of arrays over all rows.

    See Also
    --------
    SupportsMultiFit : A learner that fits many subproblems over the same rows together.
    SupportsBatchedPath : A learner with a path whose folds solve many subproblems at
        once.

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
        """Fit one model to every subproblem, see `SupportsMultiFit.fit_many`.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Rows that passed `input_checks`.
        subproblems : sequence of Subproblem
            Arrays of shape (n_kinds,).
        kind : array of shape (n,)
            The kind of each row.
        weight : array of shape (n,)
            Factor of each row for the weight of its kind.
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
        For held-out rows; NaN if no row had a positive weight.
    fitted : array of shape (n_values, n_softness, n_rows) or None
        For the training rows, if requested.

    See Also
    --------
    PathFold : One training set of a path, over which subproblems are solved.

    Examples
    --------
    Three values of C, two of softness, four held-out rows:

    >>> import numpy as np
    >>> from softcost.learners import PathOutputs
    >>> solved = PathOutputs(outputs=np.zeros((3, 2, 4)), fitted=None)
    >>> solved.outputs[0, 1].shape  # first C, second softness
    (4,)
    """

    outputs: NDArray[Any]
    fitted: NDArray[Any] | None


class PathFold(Protocol):
    """One training set of a path, over which subproblems are solved.

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
            Arrays of shape (n_softness, n_rows), or (n_values, n_softness, n_rows) if
            the problem also changes with the path parameter.
        fitted : bool, default=False
            Whether to return outputs for the training rows.
        proceed : callable
            Call it now and then: it raises if the work has been cancelled.

        Returns
        -------
        PathOutputs
            For all values, softnesses and held-out rows.
        """
        ...

    def release(self) -> None:
        """Free memory: nothing more will be solved on this fold."""
        ...


class Path(Protocol):
    """A learner's work on the rows of one search.

    Attributes
    ----------
    groups : array of shape (n,)
        Equal numbers for rows that are equal to the learner; they may be merged into
        one row with the sum of their weights. ``numpy.arange(n)`` if it cannot tell.
    n_bytes : int
        Estimated memory of the path while folds are solved.

    See Also
    --------
    SupportsPath : A learner that solves all candidates of a search together.
    PathFold : One training set of a path, over which subproblems are solved.

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
            All training rows of the fold, for quantities that depend on all of them,
            such as the width of a kernel.
        rows : array of shape (n_rows,)
            The training rows of the subproblems: one of each set of equal rows.
        out : array of shape (n_out,)
            Held-out rows to predict.

        Returns
        -------
        PathFold
            Solves subproblems over these rows.
        """
        ...


@runtime_checkable
class SupportsPath(Protocol):
    """A learner that solves all candidates of a search together.

    Candidates that differ in softness and in one parameter of the learner form a path.
    Neighbours on it have similar solutions, so each one is a warm start for the next.

    A search uses the path if the reduction's learner supports it (a pipeline around
    such a learner does not) and every setting names ``path_parameter``. Define a
    default grid, ``param_grids = {"default": {"C": [...]}}``. `OneSidedRegression`
    poses one-sided values only if ``fit`` accepts ``side``.

    Attributes
    ----------
    path_parameter : str
        The parameter along the path, such as "C".

    See Also
    --------
    SupportsMultiFit : A learner that fits many subproblems over the same rows together.
    Path : A learner's work on the rows of one search.
    softcost.testing.check_path_learner : Compares a path with separate fits.

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
            Rows that passed `input_checks`.
        tests : sequence of arrays
            Held-out rows of each fold, to arrange the rows in memory. Results of a fold
            must not depend on the other folds.
        values : array of shape (n_values,)
            Values of the path parameter. The learner has all other parameters.
        softness : array of shape (n_softness,)
            Values of softness, increasing.
        threads : int, default=1
            Threads for the preparation.

        Returns
        -------
        Path
            Opens the folds.
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
    """Solutions of some subproblems of a fold, which predict held-out rows.

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
    >>> solved = fold.solve_many([upper], kind[[1, 3]], np.ones(2))
    >>> solved.outputs(slice(None)).shape  # rows, values of C, subproblems, softness
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
    SupportsBatchedPath : A learner with a path whose folds solve many subproblems at
        once.
    PathFold : One training set of a path, over which subproblems are solved.
    HeldOutSolutions : Solutions of some subproblems of a fold, which predict held-out
        rows.

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
            Posed over kinds of rows, such as classes, and not over the rows: arrays of
            shape (n_softness, n_kinds).
        kind : array of shape (n_rows,)
            The kind of each row of the fold.
        weight : array of shape (n_rows,)
            Factor of each row for the weight of its kind.
        proceed : callable
            As for `PathFold.solve`.

        Returns
        -------
        HeldOutSolutions
            Predict the held-out rows.
        """
        ...


@runtime_checkable
class SupportsBatchedPath(SupportsPath, Protocol):
    """A learner with a path whose folds solve many subproblems at once.

    A search uses `BatchedFold.solve_many` with costs by class, as rows of a class then
    pose the same problem. Otherwise it uses `PathFold.solve`.

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
        """Number of subproblems to solve together.

        Parameters
        ----------
        n_softness : int
            Number of softness values of each subproblem.

        Returns
        -------
        int
            At least 1. Usually bounded by memory, since all outputs are held at once.
        """
        ...


def last_step(learner: Any) -> Any:
    """The last step of a pipeline, or the learner itself.

    Parameters
    ----------
    learner : estimator
        May be a pipeline in a pipeline.

    Returns
    -------
    estimator
        Never a pipeline.

    See Also
    --------
    kind_of : Whether a learner is a classifier or a regressor; None if it is neither.
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
    """Whether a learner is a classifier or a regressor; None if it is neither.

    Estimators without scikit-learn's tags are recognised by ``_estimator_type``.

    Parameters
    ----------
    learner : estimator
        May be a pipeline or a search.

    Returns
    -------
    {"classifier", "regressor"} or None
        Its kind.

    See Also
    --------
    check_learner : Raise an error for an unsuitable learner.

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
    """Whether a learner needs a kernel matrix instead of features.

    Parameters
    ----------
    learner : estimator
        Any; the answer comes from its scikit-learn tags.

    Returns
    -------
    bool
        True with ``kernel="precomputed"``, for example.

    See Also
    --------
    fit_rows : Fit a model to some rows of X, or to a part of a kernel matrix.
    OnColumns : A model fitted to some rows of a kernel matrix, which selects their
        columns.

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
    """Raise an error for an unsuitable learner.

    Parameters
    ----------
    learner : estimator
        The learner to check.
    needed : {"classifier", "regressor", "any"}
        The required kind.
    user : str
        The reduction that needs it, for the message.

    Raises
    ------
    TypeError
        If it is of another kind, is a class instead of an instance, or has only some
        methods of a protocol.

    See Also
    --------
    kind_of : Whether a learner is a classifier or a regressor; None if it is neither.
    takes_weights : Whether a learner, or the last step of a pipeline, supports sample
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
            f"learner is the class {learner.__name__}, not an estimator. Pass an "
            f"instance, {learner.__name__}()."
        )
    kind = kind_of(learner)
    required = "classifier or regressor" if needed == "any" else needed
    if not hasattr(learner, "fit") or kind is None or needed not in ("any", kind):
        raise TypeError(
            f"learner {name} is not a {required}, which {user} needs: choose another, "
            "such as " + _EXAMPLES[needed] + "."
        )
    _check_protocols(learner, name)


def _check_protocols(learner: Any, name: str) -> None:
    """Raise an error for half a protocol; it would silently not be used."""
    for method, protocol in (
        ("fit_many", SupportsMultiFit),
        ("open_path", SupportsPath),
    ):
        if hasattr(learner, method) and not isinstance(learner, protocol):
            missing = [
                member
                for member in _PROTOCOL_MEMBERS
                if hasattr(protocol, member) or member in protocol.__annotations__
                if not hasattr(learner, member)
            ]
            raise TypeError(
                f"learner {name} has {method} but lacks {', '.join(missing)}. Define "
                f"all members of softcost.learners.{protocol.__name__}."
            )
    if isinstance(learner, SupportsPath):
        params = learner.get_params()  # type: ignore[attr-defined]
        if learner.path_parameter not in params:
            raise ValueError(
                f"learner {name} has path_parameter={learner.path_parameter!r}, which "
                f"is not one of its parameters, {', '.join(sorted(params))}."
            )


_PROTOCOL_MEMBERS = ("input_checks", "path_parameter", "fit_many", "open_path")


_EXAMPLES = {
    "classifier": "LogisticRegression()",
    "any": "LogisticRegression()",
    "regressor": "Ridge()",
}
