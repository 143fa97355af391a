"""Prepare a search: check its arguments once, cut folds, and pose the problem.

Everything after `prepare` trusts the data that it has checked.
"""

import warnings
from collections.abc import Collection, Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupShuffleSplit,
    ParameterGrid,
    ShuffleSplit,
    StratifiedKFold,
    check_cv,
)
from sklearn.utils import _safe_indexing

from softcost.costs import RowCosts, check_softness, costs_of_rows
from softcost.learners import SupportsPath, is_pairwise
from softcost.reductions import MinimumExpectedCost, Reduction, TrainingData
from softcost.search.auto import (
    FAMILIES,
    TableFacts,
    choose_portfolio,
    default_folds,
    default_samples,
    portfolio_table,
)
from softcost.search.budget import Budget
from softcost.search.problem import Fold, Holdout, JointProblem, Rows, SearchProblem
from softcost.search.progress import part_of, reporter, tell_callbacks, tell_portfolio
from softcost.tables import TableEncoder

# Candidate parameters: grids of the user, and the default grids of learners.


# The grid of the paper for the parameter C of kernel machines.
_C_VALUES = [2.0**power for power in (-2, 1, 4, 7, 10)]

# Short grids of the most important parameter, by the name of the learner's class.
_KNOWN: dict[str, dict[str, list[Any]]] = {
    "LogisticRegression": {"C": [0.01, 0.1, 1.0, 10.0, 100.0]},
    "LinearSVC": {"C": [0.01, 0.1, 1.0, 10.0, 100.0]},
    "SVC": {"C": _C_VALUES},
    "SVR": {"C": _C_VALUES},
    "Ridge": {"alpha": [0.01, 0.1, 1.0, 10.0, 100.0]},
    "HistGradientBoostingClassifier": {"max_leaf_nodes": [7, 31]},
    "HistGradientBoostingRegressor": {"max_leaf_nodes": [7, 31]},
    "OneSidedBoosting": {"num_leaves": [7, 31]},
    "RandomForestClassifier": {"min_samples_leaf": [1, 5]},
    "DecisionTreeClassifier": {"min_samples_leaf": [1, 5, 20]},
    "KNeighborsClassifier": {"n_neighbors": [1, 5, 15]},
}


def default_grid(learner: Any, name: str | None) -> dict[str, list[Any]]:
    """The grid of a learner; empty for an unknown learner, which keeps its parameters.

    Parameters
    ----------
    learner : estimator
        It may define grids by name, ``param_grids = {"default": {...}, ...}``.
    name : None or str
        One of its grids, by default "default". The kernel machines also have "inverse":
        C in 2^-10, 2^-7, 2^-4, 2^-1, 2^2.

    Examples
    --------
    >>> from softcost.svm import KernelSVC
    >>> default_grid(KernelSVC(), None)
    {'C': [0.25, 2.0, 16.0, 128.0, 1024.0]}
    """
    grids = getattr(learner, "param_grids", {})
    if (name or "default") in grids:
        return grids[name or "default"]
    if name is not None:
        names = ", ".join(repr(key) for key in grids) or "none"
        raise ValueError(
            f"param_grid must be a dict, a list of dicts, None or the name of a grid "
            f"that the learner has, not {name!r}: {type(learner).__name__} has "
            f"{names}; give a dict of its parameters."
        )
    grid = _KNOWN.get(type(learner).__name__, {})
    return {key: values for key, values in grid.items() if key in learner.get_params()}


# Parameters that the search sets, so that ``param_grid`` cannot.
_MANAGED = ("softness", "cost_matrix", "classes", "error_weight")


def settings_to_try(reduction: Reduction, param_grid: Any) -> list[dict[str, Any]]:
    """Settings of a reduction and its learner, increasing in the path parameter, or C.

    Parameters
    ----------
    reduction : Reduction
        Whose parameters, or whose learner's, are tuned.
    param_grid : dict, list of dicts, None or str
        Names as in `Reduction.split_params`; see `default_grid` for the last two.
    """
    learner, grid = reduction.chosen_learner(), param_grid
    if grid is None or isinstance(grid, str):
        grid = default_grid(learner, grid)
    settings = list(ParameterGrid(grid))
    if not settings:
        raise ValueError(
            "param_grid is empty: give a dict of parameters and values to try, or {} "
            "to try the learner as it is."
        )
    for name in dict.fromkeys(name for params in settings for name in params):
        _check_parameter(name, reduction, learner)
    split = [reduction.split_params(params) for params in settings]
    if isinstance(learner, SupportsPath):
        for _, inner in split:
            _check_params(learner, inner)
    pairwise = is_pairwise(reduction.working_learner())
    first = getattr(learner, "path_parameter", "C")
    for params, (_, inner) in zip(settings, split, strict=True):
        if set(params) != {first} or set(inner) != {first}:
            _check_input(reduction, params, pairwise)
    if all(first in inner for _, inner in split):
        order = sorted(range(len(settings)), key=lambda k: split[k][1][first])
        settings = [settings[k] for k in order]
    return settings


def _check_parameter(name: str, reduction: Reduction, learner: Any) -> None:
    """Refuse an unknown parameter, or one that the search sets."""
    if name in _MANAGED:
        raise ValueError(
            f"param_grid names {name!r}, which the search sets itself: pass "
            f"{name}= to SoftCostClassifierCV, or learner__{name} if the learner has a "
            "parameter of that name."
        )
    outer, inner = reduction.split_params({name: None})
    names = learner.get_params()
    if not outer and not set(inner) <= set(names):
        raise ValueError(
            f"param_grid names {name!r}, which is not a parameter of "
            f"{type(learner).__name__}; it has {', '.join(sorted(names))}."
        )


def _check_params(learner: Any, params: dict[str, Any]) -> None:
    """Check parameters as ``fit`` would: on a path, ``fit`` is not called."""
    if hasattr(learner, "_parameter_constraints"):
        configured = clone(learner)
        configured.set_params(**params)
        configured._validate_params()


def _check_input(reduction: Reduction, params: dict[str, Any], pairwise: bool) -> None:
    """Refuse parameters that change whether X holds features or a kernel matrix."""
    if is_pairwise(reduction.configured(0.0, params).working_learner()) != pairwise:
        setting = ", ".join(f"{name}={value!r}" for name, value in params.items())
        raise ValueError(
            f"param_grid tries {setting}, for which X holds "
            f"{'features' if pairwise else 'a kernel matrix'}, unlike for the learner "
            "as it is: set this in the learner itself."
        )


def softness_values(softness: Any) -> NDArray[np.float64]:
    """Candidate values of softness, increasing; an int above 1 is their number.

    Examples
    --------
    >>> softness_values(3)
    array([0. , 0.5, 1. ])
    """
    if isinstance(softness, Integral) and int(softness) > 1:
        return np.linspace(0, 1, int(softness))
    try:
        values = np.array([check_softness(value) for value in np.atleast_1d(softness)])
    except (TypeError, ValueError):
        values = np.empty(0)
    if len(values) == 0 or len(np.unique(values)) < len(values):
        raise ValueError(
            "softness must be a number of values, such as 11, or distinct values from "
            f"0 to 1, such as [0, 0.3, 1], not {softness!r}."
        )
    return np.sort(values)


Families = dict[str | None, Reduction]


class SearchSettings(Protocol):
    """The parameters of `SoftCostClassifierCV` that prepare a search."""

    reduction: Any
    cost_matrix: Any
    classes: Any
    actions: Any
    softness: Any
    param_grid: Any
    criterion: Any
    error_weight: Any
    action_error: Any
    categorical_features: Any
    cv: Any
    holdout: Any
    n_jobs: int | None
    random_state: Any
    verbose: int

    def get_params(self, deep: bool = True) -> dict[str, Any]: ...


AUTO = "auto"
# Shown in error messages.
_EXAMPLE = '[("trees", MinimumExpectedCost(HistGradientBoostingClassifier()))]'


def is_auto(reduction: Any) -> bool:
    """Whether softcost chooses the families, as it does by default."""
    return reduction is None or (isinstance(reduction, str) and reduction == AUTO)


def are_named(reduction: Any) -> bool:
    """Whether ``reduction`` is a list of named families."""
    return isinstance(reduction, list | tuple)


def given_families(
    reduction: Any, taken: Collection[str] = ()
) -> dict[str | None, Reduction]:
    """Reductions by name; a single reduction has the name None.

    Parameters
    ----------
    reduction : Reduction or list of (name, Reduction)
        As in the search.
    taken : collection of str
        Names that a family cannot have: the parameters of the search.
    """
    if isinstance(reduction, str):
        raise ValueError(
            "reduction must be a reduction, a list of pairs (name, reduction) or "
            f"'auto', not {reduction!r}; pass for instance CostSensitiveOneVsOne()."
        )
    if not are_named(reduction):
        return {None: _checked_family(reduction, "reduction")}
    if len(reduction) == 0:
        raise ValueError(
            f"reduction is an empty list: give at least one family, such as {_EXAMPLE}."
        )
    families: dict[str | None, Reduction] = {}
    for pair in reduction:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise TypeError(
                "reduction must be a list of pairs (name, reduction), and holds a "
                f"{type(pair).__name__}: give every family a name, such as {_EXAMPLE}."
            )
        name, family = pair
        _check_name(name, taken)
        if name in families:
            raise ValueError(
                f"reduction has two families called {name!r}: give each a name of its "
                "own."
            )
        families[name] = _checked_family(family, f"family {name!r}")
    return families


def _check_name(name: Any, taken: Collection[str]) -> None:
    if not isinstance(name, str) or not name.strip():
        raise TypeError(
            f"the name of a family must be some text, not {name!r}; give it a word."
        )
    if "__" in name:
        raise ValueError(
            f"family {name!r} has two underscores in its name, which set_params would "
            "take for a parameter: use a hyphen."
        )
    if name in taken:
        raise ValueError(
            f"family {name!r} is called like a parameter of SoftCostClassifierCV: "
            "choose another name."
        )


def _checked_family(family: Any, what: str) -> Reduction:
    if isinstance(family, type) and issubclass(family, Reduction):
        raise TypeError(
            f"{what} is the class {family.__name__}, not a reduction: pass an "
            f"instance, {family.__name__}()."
        )
    if not isinstance(family, Reduction):
        raise TypeError(
            f"{what} must be one of softcost's reductions, not "
            f"{type(family).__name__}: pass the learner inside one, for instance "
            "CostSensitiveOneVsOne(learner)."
        )
    return family


def grids_by_family(
    param_grid: Any, families: Collection[str | None], unused: Collection[str] = ()
) -> dict[str | None, Any]:
    """The grid of each family; None for families that ``param_grid`` leaves out.

    Parameters
    ----------
    param_grid : dict by family or None; for a single reduction any grid
        As in the search.
    families : collection of names
        Families of the search.
    unused : collection of names
        Families that ``param_grid`` may also name, although they take no part.
    """
    if None in families:
        return {None: param_grid}
    grids = {} if param_grid is None else param_grid
    if not isinstance(grids, dict):
        raise TypeError(
            f"param_grid must be a dict by family, not {type(grids).__name__}: the "
            f"families are {_listed(families)}; to tune one reduction, pass it, for "
            "instance OneSidedRegression()."
        )
    for name in grids:
        if name not in families and name not in unused:
            raise ValueError(
                f"param_grid names {name!r}, which is not a family: with several "
                "families it is a dict of family and grid. The families are "
                f"{_listed(families)}; to tune one reduction, pass it, for instance "
                "OneSidedRegression()."
            )
    return {name: grids.get(name) for name in families}


def _listed(names: Collection[Any]) -> str:
    return ", ".join(repr(name) for name in names)


def check_same(
    families: dict[str | None, Reduction], data: dict[str | None, TrainingData]
) -> None:
    """Refuse families with different classes or costs: they cannot be compared."""
    (first, reference), *others = ((name, part.rows) for name, part in data.items())
    for name, rows in others:
        same = {
            "classes": (reference.classes, rows.classes),
            "actions": (reference.actions, rows.actions),
            "cost_matrix": (reference.raw_matrix, rows.raw_matrix),
            "error_weight": (reference.error_weight, rows.error_weight),
            "action_error": (reference.action_error, rows.action_error),
        }
        for argument, (a, b) in same.items():
            if type(a) is not type(b) or not np.array_equal(a, b):
                raise ValueError(
                    f"families {first!r} and {name!r} have different {argument}: pass "
                    f"{argument}= to SoftCostClassifierCV, which sets it for all."
                )
        if is_pairwise(families[first].working_learner()) != is_pairwise(
            families[name].working_learner()
        ):
            raise ValueError(
                f"families {first!r} and {name!r} differ in what X is, features or a "
                "kernel matrix: search them separately."
            )


def make_folds(
    cv: Any, y: NDArray[Any], groups: Any, random_state: Any, X: Any = None
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Training and held-out rows of every fold.

    An int asks for stratified folds, shuffled if there is a random state. A fold may
    lack a class, since all rows determine the classes.

    Parameters
    ----------
    cv : int, splitter or iterable of (train, test)
        As in the search.
    y : array of shape (n,)
        Labels, or numbers of the classes.
    groups : array of shape (n,) or None
        For splitters that keep groups together.
    random_state : int, RandomState instance or None
        Seeds the shuffling.
    X : rows or None
        For splitters that use the features.

    Examples
    --------
    >>> [test.tolist() for _, test in make_folds(2, np.array([0, 0, 1, 1]), None, None)]
    [[0, 2], [1, 3]]
    """
    if isinstance(cv, Integral) and random_state is not None:
        splitter = StratifiedKFold(int(cv), shuffle=True, random_state=random_state)
    else:
        splitter = check_cv(cv, y, classifier=True)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        features = np.empty((len(y), 0)) if X is None else X
        folds = list(splitter.split(features, y, groups))
    if not folds:
        raise ValueError("cv has no folds: give at least one pair (train, test).")
    return [
        (_rows(train, len(y), "trains"), _rows(test, len(y), "tests"))
        for train, test in folds
    ]


def default_cv(search: SearchSettings, y: NDArray[np.intp], n_rows: int) -> Any:
    """The splitter or number of folds of a search; ``search.cv`` if it is not None.

    With "auto", large tables are searched on stratified samples. A test of a budget
    needs cross-validation, in which every row is held out once.

    Parameters
    ----------
    y : array of shape (n,)
        Numbers of the classes of the rows to split.
    n_rows : int
        Number of rows of the table.
    """
    if search.cv is not None:
        return search.cv
    tested = isinstance(search.criterion, Budget) and search.criterion.confidence
    if is_auto(search.reduction) and search.holdout is None and not tested:
        samples = default_samples(y, n_rows, search.random_state)
        if samples is not None:
            return samples
    return default_folds(n_rows)


def _rows(numbers_or_mask: Any, n: int, what: str) -> NDArray[np.intp]:
    """Numbers of rows of a fold, at least one."""
    rows = np.asarray(numbers_or_mask)
    if rows.dtype == bool and len(rows) == n:
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or len(rows) == 0:
        raise ValueError(
            f"cv has a fold that {what} on no rows: give every fold row numbers, or "
            "masks, of training and of held-out rows."
        )
    rows = rows.astype(np.intp)
    if rows.min() < -n or rows.max() >= n:
        raise ValueError(
            f"cv has a fold that {what} on row {rows[np.abs(rows).argmax()]}, but X "
            f"has {n} rows: make folds for this table."
        )
    return rows % n


def _folds_of_rows(
    search: SearchSettings, rows: RowCosts, groups: Any, X: Any, used: Rows
) -> list[Fold]:
    """Folds over some rows of the table.

    A splitter gets the whole table, since it may refer to rows by number, as
    PredefinedSplit does. Other rows are removed from its folds afterwards, and so are
    folds without any held-out row left.
    """
    cv = search.cv
    if cv is None or isinstance(cv, Integral):
        y = rows.y[used]
        cv = default_cv(search, y, int(np.count_nonzero(rows.weight > 0)))
        some = None if groups is None else _safe_indexing(groups, used)
        return [
            (used[train], used[test])
            for train, test in make_folds(cv, y, some, search.random_state)
        ]
    labels = rows.classes[rows.y]
    is_used = np.zeros(len(labels), bool)
    is_used[used] = True
    folds = [
        (train[is_used[train]], test[is_used[test]])
        for train, test in make_folds(cv, labels, groups, search.random_state, X)
    ]
    folds = [fold for fold in folds if len(fold[1])]
    if not folds or any(len(train) == 0 for train, _ in folds):
        raise ValueError(
            "cv has no folds, or a fold without training rows, after rows of weight "
            "zero and holdout rows are removed: choose another cv."
        )
    return folds


def rows_to_use(
    search: SearchSettings, rows: RowCosts, groups: Any
) -> tuple[Rows, Rows | None]:
    """Training rows, and holdout rows, None without a holdout.

    Rows of weight zero count as absent.
    """
    n_rows, cv = len(rows.y), search.cv
    train, test = np.arange(n_rows), None
    if search.holdout is not None:
        if not (cv is None or isinstance(cv, Integral) or hasattr(cv, "split")):
            raise ValueError(
                "cv lists rows, and holdout removes some of them: pass cv as a number "
                "of folds or a splitter."
            )
        train, test = _split(search.holdout, n_rows, groups, search.random_state)
    return train[rows.weight[train] > 0], test


def _split(
    holdout: Any, n_rows: int, groups: Any, random_state: Any
) -> tuple[Rows, Rows]:
    """Training rows and holdout rows.

    A share is drawn without stratification: an exact test needs independent draws.
    Groups stay together.
    """
    if isinstance(holdout, Real) and not isinstance(holdout, bool):
        if isinstance(holdout, Integral) or not 0 < float(holdout) < 1:
            raise ValueError(
                f"holdout must be a share of the rows between 0 and 1, row numbers or "
                f"a mask, not {holdout!r}; 0.2 holds out a fifth."
            )
        make = ShuffleSplit if groups is None else GroupShuffleSplit
        splitter = make(1, test_size=float(holdout), random_state=random_state)
        train, test = next(splitter.split(np.empty((n_rows, 0)), groups=groups))
        return np.sort(train), np.sort(test)
    test = _holdout_rows(holdout, n_rows)
    train = np.setdiff1d(np.arange(n_rows), test)
    if len(train) == 0 or len(test) == 0:
        share = "all" if len(test) else "none"
        raise ValueError(
            f"holdout has {share} of the {n_rows} rows: hold some out, and leave most "
            "for training."
        )
    return train, test


def _holdout_rows(holdout: Any, n_rows: int) -> Rows:
    rows = np.asarray(holdout)
    if rows.dtype == bool and rows.shape == (n_rows,):
        return np.flatnonzero(rows)
    whole = rows.ndim == 1 and (rows.dtype.kind in "iu" or rows.size == 0)
    if not whole or np.any((rows < 0) | (rows >= n_rows)):
        raise ValueError(
            f"holdout must be a share such as 0.2, row numbers from 0 to "
            f"{n_rows - 1}, or a mask of {n_rows} truth values."
        )
    return np.unique(rows.astype(np.intp))


def prepare(
    search: SearchSettings,
    X: Any,
    y: Any,
    costs: Any,
    sample_weight: Any,
    groups: Any,
    fit_params: Mapping[str, Any] | None = None,
) -> tuple[JointProblem, pd.DataFrame | None]:
    """Check the arguments of a fit, and pose the problem.

    Parameters
    ----------
    search : SoftCostClassifierCV
        Its parameters.
    X, y, costs, sample_weight, groups, fit_params
        As in its ``fit``.

    Returns
    -------
    problem : JointProblem
        Candidates, data and folds.
    portfolio : DataFrame or None
        ``portfolio_`` of the search, with "auto".
    """
    auto = is_auto(search.reduction)
    if search.categorical_features is not None and not auto:
        raise ValueError(
            "categorical_features is for reduction='auto': encode the categories in "
            "the learner, for instance in a pipeline."
        )
    if auto and fit_params:
        raise TypeError(
            f"fit got {', '.join(fit_params)}, but reduction='auto' chooses its "
            "learners itself: pass a reduction with your learner, such as "
            "MinimumExpectedCost(learner)."
        )
    # With "auto" the table determines the families, so labels and costs are checked
    # first, by a reduction that leaves X as it is.
    families: Families = (
        {None: MinimumExpectedCost(LogisticRegression())}
        if auto
        else given_families(search.reduction, search.get_params(deep=False))
    )
    families = _configured(search, families)
    costs = costs_of_rows(costs, X, y)
    everything = {
        name: families[name].with_fit_params(data, fit_params or {})
        for name, data in _checked(families, X, y, costs, sample_weight).items()
    }
    all_rows = next(iter(everything.values())).rows
    weighted, test = rows_to_use(search, all_rows, groups)
    folds = _folds_of_rows(search, all_rows, groups, X, weighted)
    train = _rows_of_model(everything, weighted, test)
    if train is not None:
        folds = [
            (np.searchsorted(train, fold[0]), np.searchsorted(train, fold[1]))
            for fold in folds
        ]
        groups = None if groups is None else _safe_indexing(groups, train)
    data = _parts(everything, train)
    first = next(iter(data.values()))
    portfolio, grids, encoder = None, search.param_grid, None
    blends: dict[str | None, tuple[str, ...]] = {}
    if auto:
        X, encoder, categorical = _auto_features(search, X, all_rows, test)
        matrix = X if train is None else X[train]
        choices = choose_portfolio(
            TableFacts.of(matrix, first.rows, folds, categorical)
        )
        portfolio = portfolio_table(choices)
        tell_portfolio(portfolio, search.verbose)
        used = {choice.name: choice for choice in choices if choice.reduction}
        families = _configured(
            search,
            {choice.name: choice.reduction for choice in choices if choice.reduction},
        )
        blends = {name: choice.blends for name, choice in used.items()}
        everything = {
            name: reduction.check_features(X, all_rows)
            for name, reduction in families.items()
        }
        data = _parts(everything, train)
        users_grids = grids_by_family(grids, used, unused=FAMILIES)
        grids = {
            name: users_grids[name] or choice.param_grid
            for name, choice in used.items()
        }
    progress = tell_callbacks(
        search,
        first.X,
        first.rows.classes[first.rows.y],
        reporter(search.verbose),
    )
    family_grids = grids_by_family(grids, families)
    members = [
        SearchProblem(
            reduction=reduction,
            data=replace(data[name], rows=first.rows),
            folds=folds,
            settings=settings_to_try(reduction, family_grids[name]),
            softness=softness_values(search.softness),
            n_jobs=search.n_jobs,
            progress=part_of(progress, number, len(families)),
            family=name,
            blends=blends.get(name, ()),
        )
        for number, (name, reduction) in enumerate(families.items())
    ]
    holdout = None
    if train is not None and test is not None:
        whole = [replace(family, rows=all_rows) for family in everything.values()]
        holdout = Holdout(whole, train, test)
    blend = next((member for member in members if member.blends), None)
    problem = JointProblem(
        members,
        _group_numbers(groups, len(first.rows.y)),
        holdout,
        progress,
        blend=None if blend is None else blend.family,
        blended=() if blend is None else blend.blends,
        encoder=encoder,
        columns=first.features,
    )
    return problem, portfolio


def _rows_of_model(
    everything: dict[str | None, TrainingData], used: Rows, test: Rows | None
) -> Rows | None:
    """Rows that the refit gets; None for all of them.

    To predict by a kernel matrix, all of its columns are needed, so rows of weight zero
    are kept there.
    """
    n_rows = len(next(iter(everything.values())).rows.y)
    if any(data.pairwise for data in everything.values()):
        used = np.setdiff1d(np.arange(n_rows), [] if test is None else test)
    return None if len(used) == n_rows else used


def _auto_features(
    search: SearchSettings, X: Any, rows: RowCosts, holdout: Rows | None
) -> tuple[Any, TableEncoder | None, tuple[int, ...]]:
    """X as numbers and category codes, for the families of "auto".

    Returns
    -------
    X : array or sparse matrix
    encoder : TableEncoder or None
        Fitted to all rows but those of the holdout, if X is a table.
    categorical : tuple of int
        Columns of category codes.
    """
    categorical_features = search.categorical_features
    if is_table(X):
        encoder = TableEncoder(
            output="codes",
            nominal=() if categorical_features is None else tuple(categorical_features),
        )
        labels = rows.classes[rows.y]
        if holdout is None:
            codes = encoder.fit_transform(X, labels)
        else:
            seen = np.delete(np.arange(len(labels)), holdout)
            encoder.fit(_safe_indexing(X, seen), labels[seen])
            codes = encoder.transform(X)
        return codes, encoder, tuple(np.flatnonzero(encoder.categorical_features_))
    if not sparse.issparse(X):
        X = _matrix(X)
    mask = np.zeros(X.shape[1], bool)
    if categorical_features is not None:
        try:
            mask[np.asarray(categorical_features)] = True
        except IndexError:
            raise ValueError(
                f"categorical_features must be a mask or numbers of the {X.shape[1]} "
                f"columns of X, not {categorical_features!r}."
            ) from None
    return X, None, tuple(np.flatnonzero(mask).tolist())


def _matrix(X: Any) -> NDArray[np.float64]:
    if np.ndim(X) != 2:
        raise ValueError(
            f"reduction='auto' needs a table with rows and columns, not an array with "
            f"{np.ndim(X)} dimensions: reshape X, or pass the reductions to try."
        )
    return np.ascontiguousarray(X, float)


def is_table(X: Any) -> bool:
    """Whether X has columns of different types: a data frame, or cells of text."""
    if hasattr(X, "columns") or hasattr(X, "column_names"):  # the latter of pyarrow
        return True
    return not sparse.issparse(X) and np.asarray(X).dtype.kind in "OUSMm"


def _parts(
    data: dict[str | None, TrainingData], rows: Rows | None
) -> dict[str | None, TrainingData]:
    if rows is None:
        return data
    return {name: family.part(rows) for name, family in data.items()}


# Reductions that agree in these read labels and costs in the same way.
_COST_PARAMETERS = ("cost_matrix", "classes", "actions", "error_weight", "action_error")


def _configured(search: SearchSettings, families: Families) -> Families:
    """Clones of the reductions, with the cost parameters that the search sets."""
    values = {name: getattr(search, name) for name in (*_COST_PARAMETERS, "n_jobs")}
    params = {name: value for name, value in values.items() if value is not None}
    configured: Families = {}
    for name, reduction in families.items():
        copied = clone(reduction).set_params(**params)
        if search.random_state is not None and copied.random_state is None:
            copied.set_params(random_state=search.random_state)
        configured[name] = copied
    return configured


def _checked(
    families: Families, X: Any, y: Any, costs: Any, sample_weight: Any
) -> dict[str | None, TrainingData]:
    """Training data of each family; labels and costs are checked once if they agree."""
    data: dict[str | None, TrainingData] = {}
    checked: list[tuple[Reduction, RowCosts]] = []
    for name, reduction in families.items():
        same = [rows for other, rows in checked if _same_costs(other, reduction)]
        if same:
            data[name] = reduction.check_features(X, same[0])
        else:
            data[name] = reduction.check_data(X, y, costs, sample_weight)
            checked.append((reduction, data[name].rows))
    check_same(families, data)
    return data


def _same_costs(first: Reduction, second: Reduction) -> bool:
    """Whether labels and costs mean the same to two reductions, as far as is cheap."""
    pairs = [(getattr(first, name), getattr(second, name)) for name in _COST_PARAMETERS]
    return all(
        a is b or (isinstance(a, Real | str) and type(a) is type(b) and a == b)
        for a, b in pairs
    )


def _group_numbers(groups: Any, n: int) -> NDArray[np.intp]:
    """The same number for rows of the same group; by default one for each row."""
    if groups is None:
        return np.arange(n)
    return np.unique(np.asarray(groups), return_inverse=True)[1].ravel()
