"""From what a user gave to a problem: everything is checked here, once."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import _safe_indexing

from softcost.reductions import MinimumExpectedCost, Reduction, TrainingData
from softcost.soft._calibration import Calibration, rows_to_use
from softcost.soft._callbacks import tell_callbacks
from softcost.soft._families import (
    check_same,
    given_families,
    grids_by_family,
    is_auto,
)
from softcost.soft._folds import make_folds
from softcost.soft._grids import settings_to_try, softness_values
from softcost.soft._portfolio import (
    FAMILIES,
    TableFacts,
    choose_portfolio,
    portfolio_table,
)
from softcost.soft._problem import JointProblem, SearchProblem
from softcost.soft._progress import part_of, reporter, tell_portfolio

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
    given = (X, y, costs, sample_weight)
    families = _configured(search, asked)
    data = _checked(families, given)
    first = next(iter(data.values()))
    whole, all_rows = data, first.rows
    train, kept = rows_to_use(search, first.rows, groups)
    if train is not None:
        data = {name: one.part(train) for name, one in data.items()}
        first = next(iter(data.values()))
        groups = None if groups is None else _safe_indexing(groups, train)
    folds = make_folds(search.cv, first.rows.y, groups, search.random_state)
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
        data = whole = _checked(families, given)
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


def _checked(
    families: Families, given: tuple[Any, Any, Any, Any]
) -> dict[str | None, TrainingData]:
    """Training data, as each family checks them."""
    data = {name: one.check_data(*given) for name, one in families.items()}
    check_same(families, data)
    return data


def _group_numbers(groups: Any, n: int) -> NDArray[np.intp]:
    """Rows that belong together have the same number."""
    if groups is None:
        return np.arange(n)
    return np.unique(np.asarray(groups), return_inverse=True)[1].ravel()
