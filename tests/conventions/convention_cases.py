"""Which estimators go through which checks: some by default, all with a marker.

A subject is what makes a promise (a reduction, a learner, the search), a variant is one
way to set it up (a reduction with another learner, a learner with other parameters).
The product of subjects, variants and checks has thousands of cases. By default every
subject goes through every check once and its variants take turns; ``pytest -m product``
runs all the others. Both come from what is registered: ``CATALOGUE`` and the public
names of ``softcost``.
"""

from functools import partial
from itertools import count

import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold
from sklearn.utils.estimator_checks import estimator_checks_generator

import softcost
from softcost import (
    CostSensitiveOneVsOne,
    MinimumExpectedCost,
    OneSidedRegression,
    SoftCostClassifierCV,
)
from softcost.learners import kind_of
from softcost.linear import LinearClassifier, NystroemClassifier, OneSidedLinear
from softcost.reductions import CATALOGUE, ClippedTargetRegressor, Reduction
from softcost.svm import KernelSVC
from softcost.testing import cost_estimator_checks

# Enough models for a check, where the default is many.
FEW_MODELS = {"metacost": {"n_resamples": 10}, "gbse": {"n_rounds": 10}}
# Boosting needs weak learners: others are right at once, and it stops.
DEFAULT_LEARNER_ONLY = {"gbse"}
# MetaCost averages probabilities over resamples. Votes of so few are too coarse.
NEEDS_PROBABILITIES = {"metacost"}
# Enough for rows around four centres; the default is as many landmarks as rows.
FEW_LANDMARKS = {"n_landmarks": 10}
# Learners of scikit-learn, which reductions give weights in their own way.
FOREIGN_LEARNERS = (LogisticRegression(), Ridge())
# As in scikit-learn's SVC, the default width of the kernel is that of the rows.
WEIGHTED = "check_sample_weight_equivalence"
OF_ROWS = "gamma='scale' depends on the rows, not on their weights"
# Parameters that choose another algorithm.
OTHER_PARAMETERS = (
    KernelSVC(kernel="rbf"),
    LinearClassifier(loss="logistic"),
    NystroemClassifier(kernel="rbf", n_landmarks=5),
)


def public_learners():
    """An instance of every public estimator that a reduction can be made of."""
    public = (getattr(softcost, name) for name in softcost.__all__)
    return [
        cls()
        for cls in public
        if isinstance(cls, type)
        and issubclass(cls, BaseEstimator)
        and not issubclass(cls, Reduction | SoftCostClassifierCV)
    ]


def quick(learner):
    """A learner with as few landmarks as a check needs, if it has any."""
    few = FEW_LANDMARKS if "n_landmarks" in learner.get_params() else {}
    return learner.set_params(**few)


def fits(entry, learner):
    """Whether a reduction of the catalogue can use a learner."""
    if entry.name in DEFAULT_LEARNER_ONLY:
        return False
    if entry.needs == "probabilities" or entry.name in NEEDS_PROBABILITIES:
        return hasattr(learner, "predict_proba")
    kind = "classifier" if entry.needs == "classifier" else "regressor"
    return kind_of(learner) == kind


def reduction_subjects():
    """Every reduction: with its default learner, and with all others it can use."""
    for name, entry in CATALOGUE.items():
        make = partial(entry.load(), **FEW_MODELS.get(name, {}))
        default = type(make().default_learner())
        yield (
            entry.class_name,
            [
                make(),
                *(
                    make(learner)
                    for learner in (*FOREIGN_LEARNERS, *map(quick, public_learners()))
                    if type(learner) is not default and fits(entry, learner)
                ),
            ],
        )


def learner_subjects():
    """Every learner: with its default parameters, and with others."""
    for learner in (*public_learners(), ClippedTargetRegressor()):
        cls = type(learner)
        others = [other for other in OTHER_PARAMETERS if type(other) is cls]
        yield cls.__name__, [learner, *others]


def search_subjects(cv):
    """The search over a path, over clones, in lockstep, and over two reductions."""
    settings = {"softness": [0.0, 0.5, 1.0], "param_grid": {"C": [1.0, 16.0]}, "cv": cv}
    learner = LogisticRegression(max_iter=1000)
    clones = CostSensitiveOneVsOne(learner)
    two = [("csovo", clones), ("bayes", MinimumExpectedCost(learner))]
    yield (
        "SoftCostClassifierCV",
        [
            SoftCostClassifierCV(OneSidedRegression(), **settings),
            SoftCostClassifierCV(clones, **settings),
            SoftCostClassifierCV(OneSidedRegression(OneSidedLinear()), **settings),
            SoftCostClassifierCV(
                two, **settings | {"param_grid": {"csovo": {"C": [1.0]}}}
            ),
        ],
    )


def name_of(check):
    """The name of a check with its parameters."""
    if not isinstance(check, partial):
        return check.__name__
    parameters = [f"{key}={value}" for key, value in check.keywords.items()]
    return "-".join([check.func.__name__, *parameters])


def scikit_learn_checks(estimator):
    """scikit-learn's checks of an estimator, by name."""
    pairs = estimator_checks_generator(estimator)
    return {name_of(check): (instance, check) for instance, check in pairs}


def cost_checks(estimator):
    """Our checks of an estimator with costs, by name."""
    by_class_only = any(
        entry.by_class_only and isinstance(estimator, entry.load())
        for entry in CATALOGUE.values()
    )
    checks = cost_estimator_checks(
        example_costs=not by_class_only,
        softness=not isinstance(estimator, SoftCostClassifierCV),
        actions=getattr(estimator, "takes_actions", True),
    )
    return {name_of(check): (estimator, check) for check in checks}


class Case:
    """An estimator, a check for it, and whether it runs by default."""

    def __init__(self, subject, variant, name, pair, default):
        self.subject, self.variant, self.name = subject, variant, name
        self.estimator, self.check = pair
        self.default = default

    def param(self):
        marks = [] if self.default else [pytest.mark.product]
        if self.name.startswith(WEIGHTED) and "kernel='rbf'" in self.variant:
            marks.append(pytest.mark.xfail(reason=OF_ROWS))
        return pytest.param(
            self.estimator, self.check, id=f"{self.variant}-{self.name}", marks=marks
        )


def select(subjects, checks_of):
    """All cases; of the variants that a check is for, one runs by default, in turn."""
    cases = []
    for offset, (subject, variants) in zip(count(), subjects, strict=False):
        by_check = {}
        for estimator in variants:
            variant = "".join(str(estimator).split())
            for name, pair in checks_of(estimator).items():
                by_check.setdefault(name, []).append((variant, pair))
        for turn, (name, candidates) in enumerate(by_check.items(), start=offset):
            for place, (variant, pair) in enumerate(candidates):
                default = place == turn % len(candidates)
                cases.append(Case(subject, variant, name, pair, default))
    return cases


# Without shuffling and not stratified: some checks have one row of each class.
COST_CASES = select([*reduction_subjects(), *search_subjects(cv=KFold(2))], cost_checks)
SCIKIT_LEARN_CASES = select(
    [*reduction_subjects(), *learner_subjects(), *search_subjects(cv=3)],
    scikit_learn_checks,
)
