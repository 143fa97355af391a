"""Further arguments of ``fit`` reach the learner, with the rows and labels it needs."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from softcost import (
    CostSensitiveOneVsOne,
    FilterTree,
    KernelSVC,
    MinimumExpectedCost,
    OneSidedRegression,
    RegressionOneVsAll,
    SoftCostClassifierCV,
)

PRICES = np.array([[0, 1, 5], [2, 0, 6], [9, 8, 0]])
LABELS = np.array(["a", "b", "c"])


class Recording(LogisticRegression):
    """Keeps what ``fit`` was given."""

    def fit(
        self,
        X,
        y,
        sample_weight=None,
        *,
        eval_set=None,
        eval_sample_weight=None,
        row=None,
        word=None,
    ):
        self.got_ = {
            "X": X,
            "y": y,
            "eval_set": eval_set,
            "eval_sample_weight": eval_sample_weight,
            "row": row,
            "word": word,
        }
        return super().fit(X, y, sample_weight)


class RecordingRegressor(RegressorMixin, BaseEstimator):
    def fit(self, X, y, sample_weight=None, *, eval_set=None):
        self.got_ = {"y": y, "eval_set": eval_set}
        return self

    def predict(self, X):
        return np.zeros(len(X))


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    return rng.normal(size=(90, 2)) + np.eye(3)[y][:, :2] * 2, LABELS[y]


@pytest.fixture
def valid(rows):
    X, y = rows
    order = np.random.default_rng(1).permutation(90)[:40]
    return X[order] + 0.1, y[order]


def test_probabilities(rows, valid):
    X, y = rows
    weight = np.arange(90) % 3 * 1.0  # a third of the rows have none
    model = MinimumExpectedCost(Recording(), cost_matrix=PRICES)
    model.fit(X, y, weight, eval_set=[valid], row=np.arange(90), word="x")
    got = model.estimator_.got_
    ((X_valid, y_valid),) = got["eval_set"]
    np.testing.assert_array_equal(X_valid, valid[0])
    np.testing.assert_array_equal(LABELS[y_valid], valid[1])
    np.testing.assert_array_equal(got["row"], np.flatnonzero(weight))
    np.testing.assert_array_equal(got["X"], X[got["row"]])
    assert got["word"] == "x"


@pytest.mark.parametrize("softness", [0.0, 0.4])
def test_every_subproblem_has_its_targets(softness, rows, valid):
    """Those of a fit to the rows of the eval_set itself."""
    X, y = rows
    make = CostSensitiveOneVsOne(Recording(), cost_matrix=PRICES, softness=softness)
    fitted = make.fit(X, y, eval_set=[valid], row=np.arange(90)).estimators_
    there = CostSensitiveOneVsOne(
        Recording(), cost_matrix=PRICES, softness=softness
    ).fit(*valid)
    for learner, reference in zip(fitted, there.estimators_, strict=True):
        ((X_valid, y_valid),) = learner.got_["eval_set"]
        np.testing.assert_array_equal(X_valid, reference.got_["X"])
        np.testing.assert_array_equal(y_valid, reference.got_["y"])
        np.testing.assert_array_equal(learner.got_["X"], X[learner.got_["row"]])
        assert len(learner.got_["eval_sample_weight"][0]) == len(y_valid)


def test_targets_of_a_regression(rows, valid):
    X, y = rows
    model = RegressionOneVsAll(RecordingRegressor(), cost_matrix=PRICES)
    model.fit(X, y, eval_set=valid)  # a pair instead of a list
    number = np.searchsorted(LABELS, valid[1])
    for k, learner in enumerate(model.estimators_):
        ((_, target),) = learner.got_["eval_set"]
        np.testing.assert_allclose(target, PRICES[number, k] / PRICES.max())


def test_a_search_divides_them_with_the_rows(rows, valid):
    X, y = rows
    search = SoftCostClassifierCV(
        [("mec", MinimumExpectedCost(Checked())), ("pairs", pairs_of(Checked()))],
        cost_matrix=PRICES,
        softness=[0.0, 1.0],
        cv=3,
    )
    search.fit(X, y, row=X[:, 0], eval_set=[valid])
    learner = search.candidate(0).estimator_
    np.testing.assert_array_equal(learner.got_["row"], X[:, 0])


class Checked(Recording):
    """Refuses rows that were separated from theirs, in whichever process."""

    def fit(self, X, y, sample_weight=None, *, row=None, eval_set=None):
        np.testing.assert_array_equal(X[:, 0], row)
        return super().fit(X, y, sample_weight, row=row, eval_set=eval_set)


def pairs_of(learner):
    return CostSensitiveOneVsOne(learner)


def test_calibration_divides_them_too(rows):
    X, y = rows
    model = MinimumExpectedCost(Checked(), calibration="sigmoid", cost_matrix=PRICES)
    model.fit(X, y, row=X[:, 0])


def test_steps_of_a_pipeline(rows, valid):
    X, y = rows
    learner = make_pipeline(StandardScaler(), Recording())
    model = CostSensitiveOneVsOne(learner, cost_matrix=PRICES)
    model.fit(X, y, recording__eval_set=[valid], recording__word="x")
    got = model.estimators_[0][-1].got_
    assert set(np.unique(got["eval_set"][0][1])) <= {0, 1}
    assert got["word"] == "x"
    assert got["eval_sample_weight"] is not None


@pytest.mark.parametrize("search", [False, True])
def test_with_routing_the_learner_requests_them(search, rows, valid):
    X, y = rows
    with config_context(enable_metadata_routing=True):
        learner = Recording().set_fit_request(eval_set=True)
        model = MinimumExpectedCost(learner, cost_matrix=PRICES)
        outer = (
            SoftCostClassifierCV(model, softness=[0.0], cv=3)
            if search
            else GridSearchCV(model, {"softness": [0.0]}, cv=3, error_score="raise")
        )
        outer.fit(X, y, eval_set=[valid], sample_weight=np.full(90, 2.0))
        assert outer.best_estimator_.estimator_.got_["eval_set"] is not None
        with pytest.raises(UnsetMetadataPassedError, match="word"):
            model.fit(X, y, word="x")


@pytest.mark.parametrize(
    ("model", "params", "error", "message"),
    [
        (MinimumExpectedCost(), {"eval_st": 1}, ValueError, "Pipeline"),
        (pairs_of(Recording()), {"eval_st": 1}, TypeError, "eval_st"),
        (pairs_of(KernelSVC()), {"word": 1}, TypeError, "KernelSVC.fit"),
        (FilterTree(Recording()), {"word": 1}, TypeError, "FilterTree passes no"),
        (pairs_of(Recording()), {"eval_set": "x"}, TypeError, r"\[\(X_valid, y_val"),
        (pairs_of(Recording()), {"side": 1}, TypeError, "side"),
        (OneSidedRegression(), {"side": 1}, TypeError, "side"),
        (SoftCostClassifierCV(), {"word": 1}, TypeError, "'auto' chooses"),
    ],
)
def test_what_no_learner_accepts(model, params, error, message, rows):
    X, y = rows
    model.set_params(cost_matrix=PRICES)
    with pytest.raises(error, match=message):
        model.fit(X, y, **params)


def test_labels_of_an_eval_set_must_be_classes(rows, valid):
    X, y = rows
    other = np.where(valid[1] == "a", "d", valid[1])
    with pytest.raises(ValueError, match="eval_set"):
        pairs_of(Recording()).fit(X, y, eval_set=[(valid[0], other)])


def test_an_eval_set_has_no_costs_by_example(rows, valid):
    X, y = rows
    costs = PRICES[np.searchsorted(LABELS, y)]
    with pytest.raises(ValueError, match="pass cost_matrix"):
        pairs_of(Recording()).fit(X, y, costs=costs, eval_set=[valid])


def test_an_eval_set_needs_rows_for_every_subproblem(rows):
    X, y = rows
    model = pairs_of(Recording()).set_params(
        cost_matrix=[[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    )
    first = y == "a"
    with pytest.raises(ValueError, match="rows of every class"):
        model.fit(X, y, eval_set=[(X[first], y[first])])


# LightGBM 4.5 with scikit-learn 1.6
@pytest.mark.filterwarnings("ignore:The LGBMClassifier or classes")
@pytest.mark.filterwarnings("ignore:'force_all_finite' was renamed")
def test_early_stopping_of_boosted_trees(rows, valid):
    """Each pair stops where its own validation rows say."""
    lightgbm = pytest.importorskip("lightgbm")
    X, y = rows
    learner = lightgbm.LGBMClassifier(n_estimators=200, min_child_samples=2, verbose=-1)
    stop = [lightgbm.early_stopping(3, verbose=False)]
    model = CostSensitiveOneVsOne(learner, cost_matrix=PRICES)
    model.fit(X, y, eval_set=[valid], callbacks=stop)
    assert all(machine.best_iteration_ < 200 for machine in model.estimators_)
    again = CostSensitiveOneVsOne(learner, cost_matrix=PRICES)
    again.fit(X, y, eval_X=valid[0], eval_y=valid[1], callbacks=stop)
    np.testing.assert_array_equal(
        model.decision_function(X), again.decision_function(X)
    )
