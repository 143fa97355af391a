"""Families of candidates: one reduction, or several under names of their own."""

from collections.abc import Collection
from typing import Any

import numpy as np

from softcost.learners import takes_pairs
from softcost.reductions import Reduction, TrainingData

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
        return {None: _checked(reduction, "reduction")}
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
        families[name] = _checked(family, f"family {name!r}")
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


def _checked(family: Any, what: str) -> Reduction:
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
        if takes_pairs(families[first].working_learner()) != takes_pairs(
            families[name].working_learner()
        ):
            raise ValueError(
                f"families {first!r} and {name!r} differ in what X is, features or a "
                "kernel matrix: search them separately."
            )
