"""Every classifier of scikit-learn, LightGBM, XGBoost and CatBoost is a learner."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators

from softcost import (
    Costing,
    CostSensitiveOneVsOne,
    FilterTree,
    MinimumExpectedCost,
    SoftCostClassifierCV,
)
from softcost.learners import takes_weights

PRICES = np.array([[0, 1, 5], [1, 0, 5], [9, 9, 0.0]])
# They give weights to a learner; MinimumExpectedCost needs its probabilities.
WEIGHTING = (CostSensitiveOneVsOne, FilterTree)

# Settings that make a learner quick, or fit for these rows; "inner" stands for another.
SETTINGS = {
    "AdaBoostClassifier": {"n_estimators": 2},
    "BaggingClassifier": {"n_estimators": 2},
    "CatBoostClassifier": {
        "n_estimators": 2,
        "verbose": False,
        "allow_writing_files": False,
        "thread_count": 1,
    },
    "CategoricalNB": {"min_categories": 9},  # it knows no others than it has seen
    "CalibratedClassifierCV": {"cv": 2, "estimator": "inner"},
    "ExtraTreesClassifier": {"n_estimators": 2},
    "FixedThresholdClassifier": {"estimator": "inner"},
    "GradientBoostingClassifier": {"n_estimators": 2},
    "HistGradientBoostingClassifier": {"max_iter": 2, "min_samples_leaf": 2},
    "LGBMClassifier": {"n_estimators": 2, "n_jobs": 1, "verbose": -1},
    "LogisticRegression": {"max_iter": 1000},
    "LogisticRegressionCV": {"Cs": [1.0], "cv": 2, "max_iter": 1000},
    "MLPClassifier": {"hidden_layer_sizes": (4,), "solver": "lbfgs", "max_iter": 9},
    "NuSVC": {"nu": 0.1},
    "OneVsOneClassifier": {"estimator": "inner"},
    "OneVsRestClassifier": {"estimator": "inner"},
    "OutputCodeClassifier": {"estimator": "inner"},
    "RadiusNeighborsClassifier": {"radius": 9.0},
    "RandomForestClassifier": {"n_estimators": 2},
    "SelfTrainingClassifier": {"estimator": "inner"},
    "StackingClassifier": {
        "estimators": [("tree", DecisionTreeClassifier(max_depth=1))],
        "cv": 2,
    },
    "TunedThresholdClassifierCV": {"estimator": "inner", "cv": 2, "thresholds": 5},
    "VotingClassifier": {
        "estimators": [("tree", DecisionTreeClassifier(max_depth=1))],
        "voting": "soft",
    },
    "XGBClassifier": {"n_estimators": 2, "n_jobs": 1},
}

# What cannot be a learner at all, and why.
NEVER = {
    "ClassifierChain": "it learns several targets at once",
    "MultiOutputClassifier": "it learns several targets at once",
}
# What cannot serve minimum expected cost, and how it is refused.
NO_EXPECTATION = {
    "FixedThresholdClassifier": "Only binary",
    "OutputCodeClassifier": "neither predict_proba nor decision_function",
    "TunedThresholdClassifierCV": "Only binary",
}
# What takes no weights: `Costing` gives it weights by sampling.
UNWEIGHTED = {
    "GaussianProcessClassifier",
    "KNeighborsClassifier",
    "LabelPropagation",
    "LabelSpreading",
    "LinearDiscriminantAnalysis",
    "MLPClassifier",  # takes them from scikit-learn 1.7 on
    "NearestCentroid",
    "PassiveAggressiveClassifier",
    "QuadraticDiscriminantAnalysis",
    "RadiusNeighborsClassifier",
}
# What has no probabilities: `CalibratedClassifierCV` makes some.
UNSURE = {
    "LinearSVC",
    "NuSVC",
    "OneVsOneClassifier",
    "PassiveAggressiveClassifier",
    "Perceptron",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "SGDClassifier",
    "SVC",
}

SCIKIT_LEARN = dict(all_estimators(type_filter="classifier"))
ELSEWHERE = {
    "LGBMClassifier": "lightgbm",
    "XGBClassifier": "xgboost",
    "CatBoostClassifier": "catboost",
}
pytestmark = [
    # Of the learners themselves: few rounds, deprecated parameters.
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    # Of a LightGBM that is older than scikit-learn's new tags.
    pytest.mark.filterwarnings("ignore:.*__sklearn_tags__:DeprecationWarning"),
]


def learner(name):
    cls = SCIKIT_LEARN.get(name)
    if cls is None:
        cls = getattr(pytest.importorskip(ELSEWHERE[name]), name)
    inner = LogisticRegression(max_iter=1000)
    settings = {
        key: inner if value == "inner" else value
        for key, value in SETTINGS.get(name, {}).items()
    }
    return cls(**settings)


@pytest.fixture(scope="module")
def rows():
    X, y = load_iris(return_X_y=True)
    return X[::3], np.array(["a", "b", "c"])[y[::3]]


def check(model, rows):
    """Fit and search; the search's model is the one that is fitted by hand."""
    X, y = rows
    model.set_params(cost_matrix=PRICES, random_state=0)
    assert set(model.fit(X, y).predict(X)) <= set("abc")
    search = SoftCostClassifierCV(model, softness=2, cv=2, param_grid={}).fit(X, y)
    assert search.tradeoff_["cost"].between(0, 9).all()
    again = clone(model).set_params(softness=search.best_softness_).fit(X, y)
    np.testing.assert_array_equal(search.predict(X), again.predict(X))


ALL = sorted((SCIKIT_LEARN.keys() | ELSEWHERE.keys()) - NEVER.keys())


def learner_cases():
    """Every learner with weights and with probabilities; the rest is the product."""
    for turn, name in enumerate(ALL):
        by_default = (WEIGHTING[turn % len(WEIGHTING)], MinimumExpectedCost)
        for reduction in (*WEIGHTING, MinimumExpectedCost):
            yield pytest.param(
                name,
                reduction,
                id=f"{name}-{reduction.__name__}",
                marks=() if reduction in by_default else pytest.mark.product,
            )


@pytest.mark.parametrize(("name", "reduction"), learner_cases())
def test_learners(name, reduction, rows):
    one = learner(name)
    if reduction is MinimumExpectedCost:
        if name in NO_EXPECTATION:
            with pytest.raises((TypeError, ValueError), match=NO_EXPECTATION[name]):
                reduction(one).fit(*rows)
            return
        unfit, message = name in UNSURE, r"no predict_proba.*calibration='sigmoid'"
        wrapped = CalibratedClassifierCV(one, cv=2)
    else:
        unfit, message = not takes_weights(one), r"sample weights.*Costing\(learner\)"
        assert not unfit or name in UNWEIGHTED
        wrapped = Costing(one, n_draws=2)
    if unfit:
        with pytest.raises((TypeError, ValueError), match=message):
            reduction(one, cost_matrix=PRICES).fit(*rows)
        one = wrapped
    check(reduction(one), rows)


def test_the_table_is_that_of_scikit_learn():
    known = SCIKIT_LEARN.keys() | ELSEWHERE.keys()
    for table in (SETTINGS, NEVER, NO_EXPECTATION, UNWEIGHTED, UNSURE):
        assert set(table) <= known


@pytest.mark.parametrize("name", sorted(NEVER))
def test_what_cannot_be_a_learner(name, rows):
    one = SCIKIT_LEARN[name](LogisticRegression(max_iter=1000))
    with pytest.raises((ValueError, IndexError)):
        CostSensitiveOneVsOne(one, cost_matrix=PRICES).fit(*rows)


HANDING_ON = [name for name in ALL if SETTINGS.get(name, {}).get("estimator")]


@pytest.mark.parametrize(
    "name", [*HANDING_ON, "StackingClassifier", "AdaBoostClassifier"]
)
def test_metadata_routing_changes_nothing(name, rows):
    X, y = rows
    model = CostSensitiveOneVsOne(learner(name), cost_matrix=PRICES, random_state=0)
    without = model.fit(X, y).decision_function(X)
    with config_context(enable_metadata_routing=True):
        np.testing.assert_array_equal(model.fit(X, y).decision_function(X), without)
