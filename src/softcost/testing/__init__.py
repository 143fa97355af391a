"""Checks that any cost-sensitive estimator should pass, ours or yours.

scikit-learn's own checks never pass costs, so they prove nothing about them. These
do. An estimator takes ``cost_matrix``, ``classes`` and ``softness`` as parameters,
``costs`` as metadata of ``fit`` and ``score``, as every reduction here:

>>> from sklearn.linear_model import Ridge
>>> from softcost import RegressionOneVsAll
>>> from softcost.testing import check_cost_estimator
>>> check_cost_estimator(RegressionOneVsAll(Ridge()), actions=True)

With pytest, ``@pytest.mark.parametrize("check", cost_estimator_checks())`` makes one
test of every check.
"""

from typing import Any
from unittest import SkipTest

from softcost.testing import (  # noqa: F401
    _actions,
    _conventions,
    _costs,
    _labels,
    _refusals,
)
from softcost.testing._paths import check_path_learner
from softcost.testing._rules import check_rule
from softcost.testing._suite import CHECKS, Check

__all__ = [
    "check_cost_estimator",
    "check_path_learner",
    "check_rule",
    "cost_estimator_checks",
]


def check_cost_estimator(
    estimator: Any,
    *,
    example_costs: bool = True,
    softness: bool = True,
    actions: bool = False,
) -> None:
    """Run all checks; the first that fails raises an AssertionError that says why.

    Parameters
    ----------
    estimator : estimator
        An instance; it is cloned, never fitted itself.
    example_costs : bool, default=True
        Whether it takes costs by example. One that does not should refuse them.
    softness : bool, default=True
        Whether ``softness`` is one number from 0 to 1.
    actions : bool, default=False
        Whether it can answer with more than the classes, by parameters ``actions`` and
        ``action_error``. One that cannot should refuse.

    See Also
    --------
    cost_estimator_checks : List the checks, functions of an estimator.
    check_path_learner : Check that a learner's path agrees with fitting it again and
        again.

    Examples
    --------
    What an estimator can do and what is said of it have to agree. This one takes
    actions, so it fails the checks for those that do not:

    >>> from sklearn.linear_model import Ridge
    >>> from softcost import RegressionOneVsAll
    >>> from softcost.testing import check_cost_estimator
    >>> check_cost_estimator(RegressionOneVsAll(Ridge()), actions=False)
    Traceback (most recent call last):
        ...
    AssertionError: an action is not refused.
    """
    for check in cost_estimator_checks(
        example_costs=example_costs, softness=softness, actions=actions
    ):
        try:
            check(estimator)
        except SkipTest:
            continue


def cost_estimator_checks(
    *, example_costs: bool = True, softness: bool = True, actions: bool = False
) -> list[Check]:
    """List the checks, functions of an estimator.

    Parameters
    ----------
    example_costs, softness, actions : bool
        As for `check_cost_estimator`.

    Returns
    -------
    list of functions
        Each takes an estimator and raises an AssertionError where it fails, or
        unittest.SkipTest where it does not apply.

    See Also
    --------
    check_cost_estimator : Run all checks; the first that fails raises an AssertionError
        that says why.

    Examples
    --------
    >>> from softcost.testing import cost_estimator_checks
    >>> len(cost_estimator_checks()) >= 30
    True
    """
    has = {
        "example_costs" if example_costs else "no example_costs",
        "actions" if actions else "no actions",
    }
    if softness:
        has.add("softness")
    return [check for check, needs in CHECKS.items() if needs <= has]
