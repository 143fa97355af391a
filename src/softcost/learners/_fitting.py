"""Fit a learner to subproblems: together where it can, otherwise one by one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from softcost.learners._kinds import kind_of, takes_pairs
from softcost.learners._protocols import FitsMany, FittedSubproblems
from softcost.learners._seeds import draw_seeds, seeded_clone
from softcost.learners._subproblems import Labels, OneSidedValues, Subproblem, Values
from softcost.learners._weights import routing_for, weight_params
from softcost.parallel import local_threads, one_thread, run_jobs


class Constant:
    """What is learnt where there is nothing to choose: always the same output.

    NaN stands for a subproblem without any row.

    Parameters
    ----------
    value : float
        The output; NaN stands for a subproblem without any row.

    See Also
    --------
    fit_one : Fit a clone to one subproblem: the unit of parallel work.
    FittedModels : Models of subproblems that were fitted one by one.

    Examples
    --------
    All labels are the same, so no learner is asked:

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from softcost.learners import Constant, Labels, fit_one
    >>> only = Labels(target=np.ones(3), weight=np.ones(3))
    >>> model = fit_one(LogisticRegression(), np.eye(3), only)
    >>> isinstance(model, Constant), float(model.value)
    (True, 1.0)
    """

    def __init__(self, value: float):
        self.value = value


class OnColumns:
    """A model of some rows of a kernel matrix, which looks at their columns only.

    Parameters
    ----------
    model : estimator
        Fitted to a part of a kernel matrix.
    columns : array of shape (n_rows,)
        The rows that it was fitted to.

    See Also
    --------
    fit_rows : Fit a model to some rows of X; of a kernel matrix, to their columns, too.
    takes_pairs : Whether a learner wants a kernel matrix instead of rows of features.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from softcost.learners import fit_rows
    >>> X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> kernel, rows = X @ X.T, np.array([1, 2])
    >>> part = fit_rows(SVC(kernel="precomputed"), kernel, rows, y[rows], {})
    >>> part.columns.tolist(), part.predict(kernel).tolist()
    ([1, 2], [0, 0, 1, 1])
    """

    def __init__(self, model: Any, columns: NDArray[np.intp]):
        self.model, self.columns = model, columns

    @property
    def classes_(self) -> Any:
        return self.model.classes_

    def __getattr__(self, name: str) -> Any:
        if name not in ("decision_function", "predict", "predict_proba"):
            raise AttributeError(name)
        answer = getattr(self.model, name)
        return lambda X: answer(np.asarray(X)[:, self.columns])


def fit_rows(
    model: Any,
    X: Any,
    rows: NDArray[np.intp],
    y: NDArray[Any],
    params: dict[str, Any],
) -> Any:
    """Fit a model to some rows of X; of a kernel matrix, to their columns, too.

    Parameters
    ----------
    model : estimator
        It is fitted, not a clone of it.
    X : rows
        Features, or a kernel matrix where `takes_pairs` says so.
    rows : array of shape (n_rows,)
        Which rows, increasing.
    y : array of shape (n_rows,)
        Their targets.
    params : dict
        Further arguments of ``fit``, such as weights.

    Returns
    -------
    estimator or `OnColumns`
        Takes X with all its columns.

    See Also
    --------
    fit_one : Fit a clone to one subproblem: the unit of parallel work.
    OnColumns : A model of some rows of a kernel matrix, which looks at their columns
        only.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from softcost.learners import fit_rows
    >>> X, rows = np.array([[0.0], [1.0], [9.0]]), np.array([0, 1])
    >>> line = fit_rows(LinearRegression(), X, rows, np.array([1.0, 2.0]), {})
    >>> line.predict(X).round(6).tolist()
    [1.0, 2.0, 10.0]
    """
    every = len(rows) == _num_samples(X) and bool(np.all(np.diff(rows) == 1))
    with one_thread(), routing_for(model):
        if every:
            return model.fit(X, y, **params)
        if takes_pairs(model):
            part = np.asarray(X)[np.ix_(rows, rows)]
            return OnColumns(model.fit(part, y, **params), rows)
        return model.fit(_safe_indexing(X, rows), y, **params)


class FittedModels:
    """Models of subproblems that were fitted one by one.

    Parameters
    ----------
    members : list of estimators
        The fitted learners; a `Constant` where there was nothing to learn.

    See Also
    --------
    FittedSubproblems : Solutions of several subproblems over the same rows.
    fitted_learners : The fitted learner of every subproblem; None where there was
        nothing to learn.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from softcost.learners import Constant, FittedModels
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> line = LinearRegression().fit(X, [1.0, 2.0, 3.0])
    >>> FittedModels([line, Constant(5.0)]).outputs(X).round(6)
    array([[1., 5.],
           [2., 5.],
           [3., 5.]])
    """

    def __init__(self, members: list[Any]):
        self.members = members

    def outputs(self, X: Any) -> NDArray[np.float64]:
        """Outputs of all models, shape (n, n_members).

        Parameters
        ----------
        X : rows
            Anything that the learners themselves take.

        Returns
        -------
        array of shape (n, n_members)
            One column for each model.
        """
        out = np.empty((_num_samples(X), len(self.members)))
        for number in range(len(self.members)):
            out[:, number] = self.output(number, X)
        return out

    def output(self, number: int, X: Any) -> Any:
        """Output of one model, shape (n,) or a constant.

        Parameters
        ----------
        number : int
            Which model.
        X : rows
            Anything that the learners themselves take.

        Returns
        -------
        array of shape (n,) or float
            A constant where there was nothing to learn.
        """
        member = self.members[number]
        return member.value if isinstance(member, Constant) else signed(member, X)


def fitted_learners(solutions: FittedSubproblems) -> list[Any]:
    """The fitted learner of every subproblem; None where there was nothing to learn.

    Parameters
    ----------
    solutions : FittedSubproblems
        As returned by `fit_subproblems`.

    Returns
    -------
    list of estimators or None
        One for each subproblem.

    Raises
    ------
    AttributeError
        Where the learner solved all subproblems together.

    See Also
    --------
    inner_learner : What the user's learner became; None where it was not needed.
    fit_subproblems : Fit a learner to every subproblem.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from softcost.learners import Constant, FittedModels, fitted_learners
    >>> fitted_learners(FittedModels([Ridge(), Constant(1.0)]))
    [Ridge(), None]
    """
    if not isinstance(solutions, FittedModels):
        raise AttributeError(
            "the learner solves all subproblems together, so there is no estimator for "
            "each of them: see solutions_."
        )
    return [inner_learner(one) for one in solutions.members]


def inner_learner(member: Any) -> Any:
    """What the user's learner became; None where it was not needed.

    Parameters
    ----------
    member : estimator, `Constant` or `OnColumns`
        One of the models of `FittedModels`.

    Returns
    -------
    estimator or None
        The fitted learner itself.

    See Also
    --------
    fitted_learners : The fitted learner of every subproblem; None where there was
        nothing to learn.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from softcost.learners import Constant, OnColumns, inner_learner
    >>> inner_learner(OnColumns(SVC(), np.arange(3)))
    SVC()
    >>> inner_learner(Constant(1.0)) is None
    True
    """
    if isinstance(member, Constant):
        return None
    return member.model if isinstance(member, OnColumns) else member


def signed(learner: Any, X: Any) -> NDArray[np.float64]:
    """A regressor's prediction; a binary classifier's output, positive for label 1."""
    inside = learner.model if isinstance(learner, OnColumns) else learner
    if kind_of(inside) != "classifier":
        outputs = learner.predict(X)
    elif hasattr(learner, "decision_function"):
        outputs = learner.decision_function(X)
    else:
        outputs = np.where(learner.predict(X) == 1, 1.0, -1.0)
    if not np.isfinite(outputs).all():
        raise ValueError(
            f"learner {type(inside).__name__} gave outputs that are not finite: scale "
            "the features, as with StandardScaler(), or choose another learner."
        )
    return outputs


def fit_subproblems(
    learner: Any,
    X: Any,
    subproblems: Sequence[Subproblem],
    *,
    n_jobs: int | None = None,
    rng: np.random.RandomState | None = None,
) -> FittedSubproblems:
    """Fit a learner to every subproblem.

    Parameters
    ----------
    learner : estimator
        Any; all subproblems are fitted together where it declares `FitsMany`.
    X : rows
        Anything that the learner takes.
    subproblems : sequence of Subproblem
        All over the rows of X.
    n_jobs : int, default=None
        Threads for a learner that fits many at once, joblib workers for others.
    rng : numpy.random.RandomState, default=None
        Seeds learners that take a random state, the same whatever n_jobs is.

    Returns
    -------
    FittedSubproblems
        The solutions, in the order of `subproblems`.

    See Also
    --------
    fit_one : Fit a clone to one subproblem: the unit of parallel work.
    FitsMany : A learner that fits many subproblems over the same rows better together.
    fitted_learners : The fitted learner of every subproblem; None where there was
        nothing to learn.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from softcost.learners import Labels, fit_subproblems
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> above = [Labels(np.where(X[:, 0] > at, 1.0, -1.0), np.ones(4)) for at in (0, 1)]
    >>> solutions = fit_subproblems(LogisticRegression(C=100), X, above)
    >>> np.sign(solutions.outputs(X))
    array([[-1., -1.],
           [ 1., -1.],
           [ 1.,  1.],
           [ 1.,  1.]])
    """
    if isinstance(learner, FitsMany):
        return learner.fit_many(X, subproblems, threads=local_threads(n_jobs))
    seeds = draw_seeds(rng, len(subproblems))
    jobs = [
        (subproblem, seed) for subproblem, seed in zip(subproblems, seeds, strict=True)
    ]
    return FittedModels(run_jobs(fit_one, jobs, shared=(learner, X), n_jobs=n_jobs))


def fit_one(
    learner: Any, X: Any, subproblem: Subproblem, seed: int | None = None
) -> Any:
    """Fit a clone to one subproblem: the unit of parallel work.

    Rows of weight zero are left out. Without any row left the result is a constant
    NaN; with one label only, that label; with one side only, the extreme target.

    Parameters
    ----------
    learner : estimator
        It is cloned.
    X : rows
        Anything that the learner takes.
    subproblem : Subproblem
        Arrays of shape (n,).
    seed : int, default=None
        Replaces its random states.

    Returns
    -------
    estimator, `Constant` or `OnColumns`
        A fitted clone, or what stands for it.

    See Also
    --------
    fit_subproblems : Fit a learner to every subproblem.
    fit_rows : Fit a model to some rows of X; of a kernel matrix, to their columns, too.

    Examples
    --------
    A classifier is given 0 and 1, and weights where they differ:

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from softcost.learners import Labels, fit_one
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> labels = Labels(np.array([-1.0, 1.0, 1.0]), np.array([1.0, 2.0, 0.0]))
    >>> fit_one(DecisionTreeClassifier(), X, labels).predict(X).tolist()
    [0, 1, 1]
    """
    kept = np.flatnonzero(subproblem.weight > 0)
    target, weight = subproblem.target[kept], subproblem.weight[kept]
    if len(kept) == 0:
        return Constant(np.nan)
    side, classifies = None, kind_of(learner) == "classifier"
    if isinstance(subproblem, OneSidedValues):
        side = subproblem.side[kept]
        if np.all(side == side[0]):
            return Constant(target.min() if side[0] > 0 else target.max())
    if isinstance(subproblem, Labels) and classifies:
        if np.all(target == target[0]):
            return Constant(target[0])
        target = (target > 0).astype(int)
    elif isinstance(subproblem, Values) and classifies:
        raise TypeError(
            f"learner {type(learner).__name__} is a classifier, but values are to be "
            "learnt: choose a regressor, such as Ridge()."
        )
    model = seeded_clone(learner, seed)
    params = weight_params(model, weight)
    if side is not None:
        params["side"] = side
    return fit_rows(model, X, kept, target, params)
