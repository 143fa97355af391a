"""Calibrated probabilities: those of scikit-learn, cross-fitted, weights respected."""

import numpy as np
import pytest
import sklearn
from scipy.special import softmax
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.fixes import parse_version

from softcost import MinimumExpectedCost, SoftCostClassifierCV

HAS_TEMPERATURE = parse_version(sklearn.__version__) >= parse_version("1.8")
METHODS = ("temperature", "isotonic", "sigmoid")
PRICES = np.array([[0.0, 2.0, 7.0], [1.0, 0.0, 3.0], [9.0, 4.0, 0.0]])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "learner",
    [LinearSVC(), GaussianNB(), DecisionTreeClassifier(max_depth=3, random_state=0)],
)
def test_as_scikit_learn_does_it(blobs, learner, n_classes, method):
    if method == "temperature" and not HAS_TEMPERATURE:
        pytest.skip("scikit-learn has temperature scaling from 1.8 on")
    X, y, X_new, rng = blobs(n_classes)
    weight = rng.uniform(0.5, 2, len(y))
    theirs = CalibratedClassifierCV(
        learner, method=method, cv=StratifiedKFold(5), ensemble=False
    )
    ours = MinimumExpectedCost(learner, calibration=method)
    np.testing.assert_allclose(
        ours.fit(X, y, sample_weight=weight).predict_proba(X_new),
        theirs.fit(X, y, sample_weight=weight).predict_proba(X_new),
        rtol=1e-5,
        atol=1e-6,
    )


@pytest.mark.parametrize("method", METHODS)
def test_pipelines_get_weights_too(blobs, method):
    """The default learner is a pipeline, whose scaler and last step take weights."""
    X, y, X_new, _ = blobs(3)
    times = 1 + np.arange(len(y)) % 3
    model = MinimumExpectedCost(calibration=method)
    plain = model.fit(X, y).predict_proba(X_new)
    weighted = model.fit(X, y, sample_weight=times).predict_proba(X_new)
    assert np.abs(weighted - plain).max() > 1e-3
    nothing = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    part = nothing > 0
    np.testing.assert_array_equal(
        model.fit(X, y, sample_weight=nothing).predict_proba(X_new),
        model.fit(X[part], y[part]).predict_proba(X_new),
    )


def test_temperature_is_the_best_of_a_fine_grid():
    """Of overconfident probabilities, on rows that the classifier has not seen."""
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(3000, 3))
    y = np.array([rng.choice(3, p=row) for row in softmax(logits, axis=1)])

    class Overconfident(GaussianNB):
        def predict_proba(self, X):
            return softmax(4 * X, axis=1)

    fitted = Overconfident().fit(logits, y)
    model = MinimumExpectedCost(FrozenEstimator(fitted), calibration="temperature")
    found = log_loss(y, model.fit(logits, y).predict_proba(logits))
    tried = np.geomspace(0.5, 2, 201)
    best = min(log_loss(y, softmax(beta * logits, axis=1)) for beta in tried)
    assert found <= best + 1e-9
    assert found < log_loss(y, fitted.predict_proba(logits)) - 0.1
    order = model.predict_proba(logits).argmax(axis=1)
    np.testing.assert_array_equal(order, logits.argmax(axis=1))


@pytest.mark.parametrize("method", METHODS)
def test_calibration_is_cross_fitted(method):
    """A tree that knows its rows by heart is not believed."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = (rng.uniform(size=400) < 0.3).astype(int)
    tree = DecisionTreeClassifier(random_state=0)
    sure = MinimumExpectedCost(tree).fit(X, y).predict_proba(X)
    careful = MinimumExpectedCost(tree, calibration=method).fit(X, y).predict_proba(X)
    assert set(sure.ravel()) == {0.0, 1.0}
    assert careful.max() < 0.9


@pytest.mark.parametrize("method", METHODS)
def test_prefitted_learners_are_calibrated_without_a_fit(blobs, method):
    X, y, X_new, _ = blobs(3)
    names = np.array(["c", "a", "b"])
    half = np.arange(len(y)) % 2 == 0
    fitted = LogisticRegression(C=100, max_iter=1000).fit(X[half], names[y[half]])
    before = fitted.coef_.copy()
    model = MinimumExpectedCost(FrozenEstimator(fitted), calibration=method)
    found = model.fit(X[~half], names[y[~half]]).predict_proba(X_new)
    np.testing.assert_array_equal(fitted.coef_, before)
    theirs = CalibratedClassifierCV(FrozenEstimator(fitted), method=method)
    if method != "temperature" or HAS_TEMPERATURE:
        theirs.fit(X[~half], names[y[~half]])
        np.testing.assert_allclose(found, theirs.predict_proba(X_new), atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_in_a_search_also_with_a_prefitted_learner(blobs, method):
    X, y, X_new, _ = blobs(3)
    fitted = LogisticRegression().fit(X, y)
    for learner in (None, FrozenEstimator(fitted)):
        reduction = MinimumExpectedCost(learner, calibration=method)
        search = SoftCostClassifierCV(reduction, cost_matrix=PRICES, cv=3, softness=3)
        chosen = search.fit(X, y).best_softness_
        again = MinimumExpectedCost(
            learner, calibration=method, cost_matrix=PRICES, softness=chosen
        ).fit(X, y)
        np.testing.assert_array_equal(search.predict(X_new), again.predict(X_new))


class Counted(GaussianNB):
    fits = 0

    def fit(self, X, y, sample_weight=None):
        type(self).fits += 1
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize(("method", "each"), [(None, 1), ("sigmoid", 6)])
def test_a_search_over_softness_costs_one_fit_per_fold(blobs, method, each):
    X, y, _, _ = blobs(3)
    Counted.fits = 0
    SoftCostClassifierCV(
        MinimumExpectedCost(Counted(), calibration=method),
        cost_matrix=PRICES,
        softness=11,
        cv=4,
    ).fit(X, y)
    assert Counted.fits == each * (4 + 1)  # each fold, and the refit


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("learner", [LinearSVC(), GaussianNB()])
def test_rare_and_absent_classes(blobs, learner, method):
    X, y, X_new, _ = blobs(3)
    kept = np.flatnonzero(y != 2)
    kept = np.append(kept, np.flatnonzero(y == 2)[:1])  # one row of class 2
    model = MinimumExpectedCost(learner, calibration=method, classes=[0, 1, 2, 3])
    found = model.fit(X[kept], y[kept]).predict_proba(X_new)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert not found[:, 3].any()


@pytest.mark.parametrize("method", METHODS)
def test_results_do_not_depend_on_n_jobs(blobs, method):
    X, y, X_new, _ = blobs(3)
    trees = ExtraTreesClassifier(5)
    answers = [
        MinimumExpectedCost(trees, calibration=method, random_state=1, n_jobs=n_jobs)
        .fit(X, y)
        .predict_proba(X_new)
        for n_jobs in (None, 2)
    ]
    np.testing.assert_array_equal(*answers)


def test_what_calibration_needs():
    X, y = np.eye(3), np.array([0, 1, 2])
    with pytest.raises(ValueError, match=r"calibration needs held-out rows.*None"):
        MinimumExpectedCost(calibration="sigmoid").fit(X, y)
    with pytest.raises(ValueError, match="calibration"):
        MinimumExpectedCost(calibration="platt").fit(X, y)
