"""From what a user gave to a problem: everything is checked here, once."""

import warnings
from collections.abc import Collection
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupShuffleSplit,
    ShuffleSplit,
    StratifiedKFold,
    check_cv,
)
from sklearn.utils import _safe_indexing

from softcost.costs import RowCosts
from softcost.learners import is_pairwise
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
from softcost.search.grids import settings_to_try, softness_values
from softcost.search.problem import Calibration, JointProblem, Rows, SearchProblem
from softcost.search.progress import part_of, reporter, tell_callbacks, tell_portfolio

# Families of candidates: one reduction, or several under names of their own.


AUTO = "auto"
_EXAMPLE = '[("trees", MinimumExpectedCost(HistGradientBoostingClassifier()))]'


def is_auto(reduction: Any) -> bool:
    """Whether families are to be chosen by the table, as they are by default."""
    return reduction is None or (isinstance(reduction, str) and reduction == AUTO)


def are_named(reduction: Any) -> bool:
    """Whether families were given by name."""
    return isinstance(reduction, list | tuple)


def given_families(
    reduction: Any, taken: Collection[str] = ()
) -> dict[str | None, Reduction]:
    """Reductions by name; a single one has the name None.

    Parameters
    ----------
    reduction : Reduction or list of (name, Reduction)
    taken : collection of str
        Names that mean something else.
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
    param_grid: Any, families: Collection[str | None], known: Collection[str] = ()
) -> dict[str | None, Any]:
    """What ``param_grid`` says of each family; None where it does not.

    Parameters
    ----------
    param_grid : dict by family or None; for a single reduction any grid
    families : collection of names
    known : collection of names
        Families that may be named, too, and take no part.
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
        if name not in families and name not in known:
            raise ValueError(
                f"param_grid names {name!r}, which is no family: with several families "
                f"it is a dict of family and grid, and they are {_listed(families)}; "
                "to tune one reduction, pass it, for instance OneSidedRegression()."
            )
    return {name: grids.get(name) for name in families}


def _listed(names: Collection[Any]) -> str:
    return ", ".join(repr(name) for name in names)


def check_same(
    families: dict[str | None, Reduction], data: dict[str | None, TrainingData]
) -> None:
    """Refuse families that see other classes, costs or rows: one table needs one."""
    (first, one), *others = data.items()
    for name, other in others:
        same = {
            "classes": (one.rows.classes, other.rows.classes),
            "actions": (one.rows.actions, other.rows.actions),
            "cost_matrix": (one.rows.raw_matrix, other.rows.raw_matrix),
            "error_weight": (one.rows.error_weight, other.rows.error_weight),
            "action_error": (one.rows.action_error, other.rows.action_error),
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


# How rows are held out.


def make_folds(
    cv: Any, y: NDArray[np.intp], groups: Any, random_state: Any
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Training and held-out rows of every fold.

    An int asks for stratified folds, shuffled where there is a random state. A fold
    may lack a class, since the classes are fixed elsewhere.

    Parameters
    ----------
    cv : int, splitter or iterable of (train, test)
    y : array of shape (n,)
        Numbers of the classes.
    groups : array of shape (n,) or None
    random_state : int, RandomState instance or None

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
        folds = list(splitter.split(np.empty((len(y), 0)), y, groups))
    if not folds:
        raise ValueError("cv has no folds: give at least one pair (train, test).")
    return [
        (_rows(train, len(y), "trains"), _rows(test, len(y), "tests"))
        for train, test in folds
    ]


def default_cv(search: Any, y: NDArray[np.intp], n_rows: int) -> Any:
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
    if is_auto(search.reduction) and search.calibration is None and not tested:
        samples = default_samples(y, n_rows, search.random_state)
        if samples is not None:
            return samples
    return default_folds(n_rows)


def _rows(given: Any, n: int, what: str) -> NDArray[np.intp]:
    """Numbers of rows, from numbers or a mask; some there must be."""
    rows = np.asarray(given)
    if rows.dtype == bool and len(rows) == n:
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or len(rows) == 0:
        raise ValueError(
            f"cv has a fold that {what} on no rows: give every fold row numbers, or "
            "masks, of training and of held-out rows."
        )
    return rows.astype(np.intp)


# Rows that training does not see: what a budget is tested on.


def rows_to_use(
    search: Any, rows: RowCosts, groups: Any
) -> tuple[Rows | None, Rows | None]:
    """Rows to train with, None for all of them, and rows to keep for calibration.

    Rows of weight zero are as if absent, also from folds that are cut here.
    """
    n_rows, cv = len(rows.y), search.cv
    cut_here = cv is None or isinstance(cv, Integral) or hasattr(cv, "split")
    train, kept = np.arange(n_rows), None
    if search.calibration is not None:
        if not cut_here:
            raise ValueError(
                "cv names rows, of which calibration keeps some: give cv as a number "
                "of folds or a splitter."
            )
        train, kept = _split(search.calibration, n_rows, groups, search.random_state)
    if cut_here:
        train = train[rows.weight[train] > 0]
    return (None if len(train) == n_rows else train), kept


def _split(
    calibration: Any, n_rows: int, groups: Any, random_state: Any
) -> tuple[Rows, Rows]:
    """Rows to train with, and rows to keep.

    A share is drawn at random, without a look at the classes: only so are the rows
    independent draws, as an exact test wants. Groups stay together.
    """
    if isinstance(calibration, Real) and not isinstance(calibration, bool):
        if isinstance(calibration, Integral) or not 0 < float(calibration) < 1:
            raise ValueError(
                f"calibration must be a share of the rows between 0 and 1, row numbers "
                f"or a mask, not {calibration!r}; 0.2 keeps a fifth."
            )
        make = ShuffleSplit if groups is None else GroupShuffleSplit
        splitter = make(1, test_size=float(calibration), random_state=random_state)
        train, kept = next(splitter.split(np.empty((n_rows, 0)), groups=groups))
        return np.sort(train), np.sort(kept)
    kept = _named(calibration, n_rows)
    train = np.setdiff1d(np.arange(n_rows), kept)
    if len(train) == 0 or len(kept) == 0:
        wrong = "all" if len(kept) else "none"
        raise ValueError(
            f"calibration keeps {wrong} of the {n_rows} rows: keep some, and leave "
            "most for training."
        )
    return train, kept


def _named(rows: Any, n_rows: int) -> Rows:
    given = np.asarray(rows)
    if given.dtype == bool and given.shape == (n_rows,):
        return np.flatnonzero(given)
    whole = given.ndim == 1 and (given.dtype.kind in "iu" or given.size == 0)
    if not whole or np.any((given < 0) | (given >= n_rows)):
        raise ValueError(
            f"calibration must be a share such as 0.2, row numbers from 0 to "
            f"{n_rows - 1}, or a mask of {n_rows} truth values."
        )
    return np.unique(given.astype(np.intp))


Families = dict[str | None, Reduction]


def prepare(
    search: Any, X: Any, y: Any, costs: Any, sample_weight: Any, groups: Any
) -> tuple[JointProblem, pd.DataFrame | None]:
    """What a search has to do.

    Parameters
    ----------
    search : SoftCostClassifierCV
    X, y, costs, sample_weight, groups
        As in its ``fit``.

    Returns
    -------
    problem : JointProblem
    portfolio : DataFrame or None
        Which families were chosen, where that was asked for.
    """
    auto = is_auto(search.reduction)
    taken = search.get_params(deep=False)
    # Any reduction checks labels and costs; this one leaves X as it is.
    asked: Families = (
        {None: MinimumExpectedCost(LogisticRegression())}
        if auto
        else given_families(search.reduction, taken)
    )
    families = _configured(search, asked)
    data = _checked(families, X, y, costs, sample_weight)
    first = next(iter(data.values()))
    whole, all_rows = data, first.rows
    train, kept = rows_to_use(search, first.rows, groups)
    if train is not None:
        data = {name: one.part(train) for name, one in data.items()}
        first = next(iter(data.values()))
        groups = None if groups is None else _safe_indexing(groups, train)
    n_rows = int(np.count_nonzero(all_rows.weight > 0))
    cv = default_cv(search, first.rows.y, n_rows)
    folds = make_folds(cv, first.rows.y, groups, search.random_state)
    portfolio, grids = None, search.param_grid
    blends: dict[str | None, tuple[str, ...]] = {}
    if auto:
        choices = choose_portfolio(TableFacts.of(first.X, first.rows, folds))
        portfolio = portfolio_table(choices)
        tell_portfolio(portfolio, search.verbose)
        families = _configured(
            search, {one.name: one.reduction for one in choices if one.reduction}
        )
        blends = {one.name: one.blends for one in choices}
        data = whole = {
            name: one.check_features(X, all_rows) for name, one in families.items()
        }
        if train is not None:
            data = {name: one.part(train) for name, one in data.items()}
        own = {one.name: one.param_grid for one in choices if one.reduction}
        told = grids_by_family(grids, own, known=FAMILIES)
        grids = {name: told[name] or grid for name, grid in own.items()}
    progress = tell_callbacks(
        search,
        first.X,
        first.rows.classes[first.rows.y],
        reporter(search.verbose),
    )
    by_family = grids_by_family(grids, families)
    members = [
        SearchProblem(
            reduction=reduction,
            data=replace(data[name], rows=first.rows),
            folds=folds,
            settings=settings_to_try(reduction, by_family[name]),
            softness=softness_values(search.softness),
            n_jobs=search.n_jobs,
            progress=part_of(progress, number, len(families)),
            family=name,
            blends=blends.get(name, ()),
        )
        for number, (name, reduction) in enumerate(families.items())
    ]
    calibration = None
    if train is not None and kept is not None:
        everything = [replace(one, rows=all_rows) for one in whole.values()]
        calibration = Calibration(everything, train, kept)
    numbers = _group_numbers(groups, len(first.rows.y))
    blend = next((one for one in members if one.blends), None)
    problem = JointProblem(
        members,
        numbers,
        calibration,
        progress,
        blend=None if blend is None else blend.family,
        blended=() if blend is None else blend.blends,
    )
    return problem, portfolio


def _configured(search: Any, families: Families) -> Families:
    """Reductions with what the search says of costs."""
    names = (
        "cost_matrix", "classes", "actions", "error_weight", "action_error", "n_jobs",
    )  # fmt: skip
    own = {
        name: getattr(search, name)
        for name in names
        if getattr(search, name) is not None
    }
    found: Families = {}
    for name, given in families.items():
        reduction = clone(given).set_params(**own)
        if search.random_state is not None and reduction.random_state is None:
            reduction.set_params(random_state=search.random_state)
        found[name] = reduction
    return found


# Reductions that agree in these read labels and costs in the same way.
_COST_PARAMETERS = ("cost_matrix", "classes", "actions", "error_weight", "action_error")


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
    """Rows that belong together have the same number."""
    if groups is None:
        return np.arange(n)
    return np.unique(np.asarray(groups), return_inverse=True)[1].ravel()
