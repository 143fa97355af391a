"""The cases that run by default leave out no reduction, no learner and no check."""

import pytest
from convention_cases import COST_CASES, SCIKIT_LEARN_CASES
from sklearn.base import BaseEstimator

import softcost
from softcost import SoftCostClassifierCV
from softcost.reductions import CATALOGUE, Reduction
from softcost.testing import cost_estimator_checks

PUBLIC_ESTIMATORS = {
    cls
    for cls in (getattr(softcost, name) for name in softcost.__all__)
    if isinstance(cls, type) and issubclass(cls, BaseEstimator)
}
REDUCTIONS = {entry.load() for entry in CATALOGUE.values()}
LEARNERS = {
    cls
    for cls in PUBLIC_ESTIMATORS
    if not issubclass(cls, Reduction | SoftCostClassifierCV)
}


def by_default(cases):
    return [case for case in cases if case.default]


@pytest.mark.parametrize(
    "cases", [COST_CASES, SCIKIT_LEARN_CASES], ids=["costs", "sklearn"]
)
def test_every_subject_goes_through_every_check_once(cases):
    promises = [(case.subject, case.name) for case in by_default(cases)]
    assert len(set(promises)) == len(promises)
    assert set(promises) == {(case.subject, case.name) for case in cases}
    assert {case.variant for case in by_default(cases)} == {
        case.variant for case in cases
    }


def test_every_public_estimator_follows_the_conventions_of_scikit_learn():
    estimators = {type(case.estimator) for case in by_default(SCIKIT_LEARN_CASES)}
    assert estimators >= PUBLIC_ESTIMATORS | REDUCTIONS


def test_every_reduction_every_learner_and_every_check_of_costs_is_there():
    cases = by_default(COST_CASES)
    assert {type(case.estimator) for case in cases} == {
        *REDUCTIONS,
        SoftCostClassifierCV,
    }
    learners = {
        type(case.estimator.learner or case.estimator.default_learner())
        for case in cases
        if isinstance(case.estimator, Reduction)
    }
    assert learners >= LEARNERS
    checks = {
        check
        for example_costs in (False, True)
        for actions in (False, True)
        for check in cost_estimator_checks(example_costs=example_costs, actions=actions)
    }
    assert {case.check for case in cases} == checks
