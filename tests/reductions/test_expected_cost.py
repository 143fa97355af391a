"""Minimum expected cost: its definition, thresholds, and softness after training."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OutputCodeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from softcost import KernelSVC, MinimumExpectedCost

PRICES = np.array([[0.5, 2.0, 7.0], [1.0, 0.0, 3.0], [9.0, 4.0, 1.0]])


class Told(ClassifierMixin, BaseEstimator):
    """Gives the rows of X as probabilities."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.asarray(X)


def random_probabilities(n, n_classes, seed=0):
    return np.random.RandomState(seed).dirichlet(np.ones(n_classes), n)


def told(cost_matrix, **params):
    """A model that is told probabilities of as many classes as there are prices."""
    n_classes = len(cost_matrix)
    model = MinimumExpectedCost(Told(), cost_matrix=cost_matrix, **params)
    return model.fit(np.eye(n_classes), np.arange(n_classes))


@pytest.mark.parametrize("softness", [0.0, 0.3, 1.0])
def test_definition(softness):
    weight = {0: 2.0, 1: 1.0, 2: 0.5}
    model = told(PRICES, softness=softness, error_weight=weight)
    p = random_probabilities(50, 3)
    excess = PRICES - PRICES.diagonal()[:, None]
    excess /= excess.max()
    for row, choice in zip(p, model.predict(p), strict=True):
        expected = [
            sum(
                row[y] * ((1 - softness) * excess[y, k] + softness * weight[y])
                for y in range(3)
                if y != k
            )
            for k in range(3)
        ]
        assert choice == np.argmin(expected)


def test_expected_costs_are_in_the_users_units_whatever_the_softness():
    model = told(PRICES, softness=0.7)
    p = random_probabilities(20, 3)
    direct = [[sum(row * PRICES[:, k]) for k in range(3)] for row in p]
    np.testing.assert_allclose(model.expected_costs(p), direct)
    np.testing.assert_allclose(model.cost_matrix_, PRICES)
    np.testing.assert_array_equal(model.predict_proba(p), p)


def test_weka_example():
    gains = np.array([[-3, 1, 1], [1, -6, 1], [0, 0, 0]], float)
    shift = np.array([3.0, 6.0, 0.0])  # prices may not be negative
    model = told(gains + shift[:, None])
    p = np.array([[0.7, 0.1, 0.2], [0.1, 0.2, 0.7], [0.0, 0.0, 1.0]])
    np.testing.assert_allclose(
        model.expected_costs(p) - (p @ shift)[:, None],
        [[-2.0, 0.1, 0.8], [-0.1, -1.1, 0.3], [0, 0, 0]],
        atol=1e-12,
    )
    np.testing.assert_array_equal(model.predict(p), [0, 1, 0])


@pytest.mark.parametrize(
    "prices", [[[0, 1], [4, 0]], [[2, 5], [1, 0.5]], [[0, 9], [1, 1]]]
)
def test_two_classes_have_elkans_threshold(prices):
    first, second = np.array(prices, float)
    false_alarm, miss = first[1] - first[0], second[0] - second[1]
    threshold = false_alarm / (false_alarm + miss)
    p = np.linspace(0, 1, 999)
    p = p[np.abs(p - threshold) > 1e-9]
    found = told(prices).predict(np.column_stack([1 - p, p]))
    np.testing.assert_array_equal(found, (p > threshold).astype(int))


def test_elkans_reweighting_moves_the_threshold():
    rng = np.random.RandomState(0)
    X = rng.randint(12, size=(400, 1))
    y = (rng.uniform(size=400) < X[:, 0] / 11).astype(int)
    tree = DecisionTreeClassifier(random_state=0)  # one leaf for each value
    threshold = 1 / (1 + 3.3)
    weight = np.where(y == 0, threshold / (1 - threshold), 1.0)
    priced = MinimumExpectedCost(tree, cost_matrix=[[0, 1], [3.3, 0]]).fit(X, y)
    cells = np.arange(12)[:, None]
    np.testing.assert_array_equal(
        priced.predict(cells), tree.fit(X, y, sample_weight=weight).predict(cells)
    )


def test_softness_may_change_after_training(blobs):
    X, y, X_new, _ = blobs(3)
    model = MinimumExpectedCost(cost_matrix=PRICES).fit(X, y)
    learnt = model.estimator_
    for softness in (0.3, 1.0, 0.0):
        again = MinimumExpectedCost(cost_matrix=PRICES, softness=softness).fit(X, y)
        model.softness = softness
        np.testing.assert_array_equal(
            model.decision_function(X_new), again.decision_function(X_new)
        )
    assert model.estimator_ is learnt
    most_probable = model.predict_proba(X_new).argmax(axis=1)
    assert np.any(model.predict(X_new) != most_probable)
    model.set_params(softness=1.0)
    np.testing.assert_array_equal(model.predict(X_new), most_probable)
    model.softness = 1.5
    with pytest.raises(ValueError, match="softness must be from 0"):
        model.predict(X_new)


def test_costs_by_example_are_averaged_by_true_class(blobs, example_costs):
    X, y, X_new, rng = blobs(3)
    costs = 8 * example_costs(y, rng, 4) + 2
    weight = rng.uniform(0.5, 2, len(y))
    model = MinimumExpectedCost(classes=[0, 1, 2, 3])
    model.fit(X, y, costs=costs, sample_weight=weight)
    means = np.zeros((4, 4))
    for k in range(3):
        means[k] = np.average(costs[y == k], axis=0, weights=weight[y == k])
    np.testing.assert_allclose(model.cost_matrix_, means)
    expected = model.predict_proba(X_new) @ means
    np.testing.assert_array_equal(model.predict(X_new), expected.argmin(axis=1))
    with pytest.raises(ValueError, match="costs is missing"):
        model.score(X, y)


def test_columns_follow_the_given_order_of_classes(blobs):
    X, y, X_new, _ = blobs(3)
    names = np.array(["b", "c", "a"])
    model = MinimumExpectedCost(cost_matrix=PRICES, classes=names).fit(X, names[y])
    plain = MinimumExpectedCost(cost_matrix=PRICES).fit(X, y)
    np.testing.assert_array_equal(model.classes_, ["a", "b", "c"])
    np.testing.assert_allclose(
        model.expected_costs(X_new), plain.expected_costs(X_new)[:, [2, 0, 1]], 1e-4
    )


def test_a_class_without_examples_has_no_probability_but_may_be_predicted(blobs):
    X, y, X_new, _ = blobs(2)
    prices = [[0, 10, 1], [10, 0, 1], [1, 1, 0]]
    model = MinimumExpectedCost(cost_matrix=prices, classes=[0, 1, 2]).fit(X, y)
    assert not model.predict_proba(X_new)[:, 2].any()
    np.testing.assert_array_equal(
        model.predict(X_new) == 2, model.predict_proba(X_new)[:, :2].min(axis=1) > 0.1
    )


def test_one_class_in_the_data():
    X, y = np.zeros((4, 2)), np.array(["b"] * 4)
    model = MinimumExpectedCost(classes=["a", "b", "c"]).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), [[0, 1, 0]] * 4)
    alone = MinimumExpectedCost().fit(X, y)
    np.testing.assert_array_equal(alone.predict_proba(X), np.ones((4, 1)))
    np.testing.assert_array_equal(alone.expected_costs(X), np.zeros((4, 1)))


def test_learners_without_probabilities_are_refused_with_a_remedy(blobs):
    X, y, X_new, _ = blobs(3)
    for learner in (KernelSVC(), LinearSVC()):
        with pytest.raises(TypeError, match=r"no predict_proba.*calibration='sigmoid'"):
            MinimumExpectedCost(learner).fit(X, y)
        model = MinimumExpectedCost(learner, calibration="sigmoid").fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X_new).sum(axis=1), 1)
    model = MinimumExpectedCost(CalibratedClassifierCV(LinearSVC(), cv=2)).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X_new).sum(axis=1), 1)
    only_labels = OutputCodeClassifier(LogisticRegression())
    for calibration in (None, "sigmoid"):  # which would lead nowhere
        with pytest.raises(TypeError, match=r"neither.*CostSensitiveOneVsOne\(learner"):
            MinimumExpectedCost(only_labels, calibration=calibration).fit(X, y)


def test_sparse_rows_need_a_learner_that_takes_them(blobs):
    X, y, X_new, _ = blobs(3)
    X, X_new = np.round(X), np.round(X_new)
    with pytest.raises(TypeError, match=r"X is sparse.*X.toarray"):
        MinimumExpectedCost().fit(sparse.csr_array(X), y)
    model = MinimumExpectedCost(LogisticRegression(tol=1e-8), cost_matrix=PRICES)
    dense = model.fit(X, y).expected_costs(X_new)
    thin = model.fit(sparse.csr_array(X), y).expected_costs(sparse.csr_array(X_new))
    np.testing.assert_allclose(thin, dense, rtol=1e-4)


NEW_PRICES = [
    np.array([[0.0, 9.0, 1.0], [2.0, 0.0, 2.0], [1.0, 1.0, 0.0]]),
    None,
    pd.DataFrame(PRICES.T + 1, index=[0, 1, 2], columns=[0, 1, 2]).iloc[[2, 0, 1]],
]


@pytest.mark.parametrize(
    ("prices", "by_example"),
    [(prices, False) for prices in NEW_PRICES]
    + [(prices, True) for prices in NEW_PRICES if prices is not None],
)
def test_prices_may_change_after_training(blobs, example_costs, prices, by_example):
    X, y, X_new, rng = blobs(3)
    model, costs = MinimumExpectedCost(cost_matrix=PRICES), None
    if by_example:
        model, costs = MinimumExpectedCost(), example_costs(y, rng, 3)
    model.fit(X, y, costs=costs)
    before = model.predict(X_new)
    for softness in (0.0, 0.4):
        again = MinimumExpectedCost(cost_matrix=prices, softness=softness).fit(X, y)
        model.set_params(cost_matrix=prices, softness=softness)
        for method in ("decision_function", "predict", "expected_costs"):
            np.testing.assert_array_equal(
                getattr(model, method)(X_new), getattr(again, method)(X_new)
            )
        np.testing.assert_array_equal(model.cost_matrix_, again.cost_matrix_)
    assert np.any(model.set_params(softness=0.0).predict(X_new) != before)


def test_bad_new_prices_are_refused(blobs):
    X, y, X_new, _ = blobs(3)
    model = MinimumExpectedCost(cost_matrix=PRICES).fit(X, y)
    model.cost_matrix = PRICES[:2, :2]
    with pytest.raises(ValueError, match="cost_matrix has shape"):
        model.predict(X_new)


@pytest.mark.parametrize("softness", [0.0, 0.3])
def test_prices_by_example_decide_as_matrices_of_single_rows(blobs, softness):
    X, y, X_new, rng = blobs(3)
    names = np.array(["b", "c", "a"])
    model = MinimumExpectedCost(
        classes=names, softness=softness, error_weight={"a": 2, "b": 1, "c": 0.5}
    ).fit(X, names[y])
    prices = rng.uniform(0, 9, (len(X_new), 3, 3)) + 1
    prices[:, range(3), range(3)] = rng.uniform(0, 1, (len(X_new), 3))
    chosen = model.predict(X_new, costs=prices)
    expected = model.expected_costs(X_new, costs=prices)
    for row in range(len(X_new)):
        model.set_params(cost_matrix=prices[row])
        one = X_new[row : row + 1]
        np.testing.assert_allclose(expected[row], model.expected_costs(one)[0])
        assert chosen[row] == model.predict(one)[0]
        assert model.predict(one, costs=prices[[row]])[0] == chosen[row]


def test_amounts_at_stake_move_the_threshold():
    """An investigation costs 5, a missed fraud its amount, which may be less than 5."""
    rng = np.random.default_rng(0)
    p, amount = rng.uniform(size=200), rng.uniform(1, 50, 200)
    prices = np.zeros((200, 2, 2))
    prices[:, :, 1] = 5.0
    prices[:, 1, 0] = amount
    alarm = told([[0, 1], [1, 0]]).predict(np.column_stack([1 - p, p]), costs=prices)
    np.testing.assert_array_equal(alarm == 1, p * amount > 5)


@pytest.mark.parametrize(
    ("costs", "remedy"),
    [
        (np.ones((4, 3)), "its own cost matrix"),
        (np.ones((3, 3, 3)), "its own cost matrix"),
        (-np.ones((4, 3, 3)), "from_benefits"),
        (np.full((4, 3, 3), np.nan), "fill it"),
        ("a.csv", "read the file"),
    ],
)
def test_bad_prices_at_decision_time(costs, remedy):
    model = told(PRICES)
    with pytest.raises((ValueError, TypeError), match=remedy) as caught:
        model.predict(random_probabilities(4, 3), costs=costs)
    assert str(caught.value).startswith("costs")


def test_prices_reach_predict_through_a_pipeline(blobs):
    X, y, X_new, rng = blobs(3)
    prices = rng.uniform(1, 9, (len(X_new), 3, 3)) * (1 - np.eye(3))
    model = make_pipeline(StandardScaler(), MinimumExpectedCost(LogisticRegression()))
    with config_context(enable_metadata_routing=True):
        found = model.fit(X, y).predict(X_new, costs=prices)
    scaled = model[0].transform(X_new)
    np.testing.assert_array_equal(found, model[1].predict(scaled, costs=prices))
    assert np.any(found != model[1].predict(scaled))


@pytest.mark.parametrize("decide_by", ["row", "prior"])
@pytest.mark.parametrize("by_row", [False, True])
@pytest.mark.parametrize("actions", [False, True])
def test_predictions_and_their_prices_at_once(decide_by, by_row, actions):
    names = ["a", "b", "c"]
    prices = pd.DataFrame(PRICES, names, names)
    if actions:
        prices["ask"] = 1.2
    p = random_probabilities(60, 3)
    model = MinimumExpectedCost(
        Told(), cost_matrix=prices, decide_by=decide_by, softness=0.2
    ).fit(np.eye(3), names)
    costs = None
    if by_row:
        costs = np.random.RandomState(1).random((60, *prices.shape))
    labels, priced = model.predict_and_price(p, costs=costs)
    np.testing.assert_array_equal(labels, model.predict(p, costs=costs))
    np.testing.assert_array_equal(priced, model.expected_costs(p, costs=costs))


def test_one_class_has_a_price():
    model = MinimumExpectedCost(Told(), cost_matrix=[[0.5]], classes=[7])
    labels, priced = model.fit(np.eye(2), [7, 7]).predict_and_price(np.eye(2))
    np.testing.assert_array_equal(labels, [7, 7])
    np.testing.assert_array_equal(priced, [[0.5], [0.5]])


@pytest.mark.parametrize("as_table", [False, True])
def test_costs_that_change_in_place(as_table):
    """Costs are compared with those of the fit by value, whatever their order."""
    costs = PRICES.copy()
    if as_table:
        costs = pd.DataFrame(costs, range(3), range(3)).loc[[2, 0, 1], [1, 2, 0]]
    model = told(costs)
    p = random_probabilities(40, 3)
    np.testing.assert_array_equal(model.predict(p), told(PRICES).predict(p))
    np.testing.assert_array_equal(model.cost_matrix_, PRICES)
    model.cost_matrix_[:] = 99.0  # a copy
    if as_table:
        costs.loc[0, 2] = 70.0
    else:
        costs[0, 2] = 70.0
    changed = PRICES.copy()
    changed[0, 2] = 70.0
    np.testing.assert_array_equal(model.predict(p), told(changed).predict(p))
    np.testing.assert_array_equal(
        model.expected_costs(p), told(changed).expected_costs(p)
    )
