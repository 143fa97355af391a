"""A blend: the average of several classifiers' probabilities."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import softcost
from softcost import MinimumExpectedCost
from softcost.reductions import (
    BlendedClassifier,
    blend_weights,
    fit_blend,
    temper_probabilities,
)

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versi", "virginica"])[Y]
LINEAR = make_pipeline(StandardScaler(), LogisticRegression())
MEMBERS = [("linear", LINEAR), ("bayes", GaussianNB()), ("none", DummyClassifier())]


@parametrize_with_checks(
    [BlendedClassifier([("a", LogisticRegression()), ("b", GaussianNB())], cv=2)]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_given_weights_average_what_the_members_say():
    blend = BlendedClassifier(MEMBERS, weights=[3, 1, 0]).fit(X, NAMES)
    first, second = LINEAR.fit(X, NAMES), GaussianNB().fit(X, NAMES)
    expected = 0.75 * first.predict_proba(X) + 0.25 * second.predict_proba(X)
    np.testing.assert_allclose(blend.predict_proba(X), expected)
    assert blend.estimators_[2] is None
    assert set(blend.predict(X)) == set(NAMES)


def test_a_given_power_makes_the_average_surer():
    plain = BlendedClassifier(MEMBERS, weights=[3, 1, 0]).fit(X, NAMES)
    assert plain.inverse_temperature_ == 1
    sure = BlendedClassifier(MEMBERS, weights=[3, 1, 0], inverse_temperature=2).fit(
        X, NAMES
    )
    expected = plain.predict_proba(X) ** 2
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(sure.predict_proba(X), expected)
    np.testing.assert_array_equal(sure.predict(X), plain.predict(X))


@pytest.mark.parametrize(
    ("smoothing", "shares"), [(0.3, [0.1, 0.1, 0.1]), ([0.2, 0, 0.1], [0.2, 0, 0.1])]
)
def test_smoothing_is_shared_by_all_whatever_their_weights(smoothing, shares):
    given = {"weights": [0, 1, 0], "inverse_temperature": 2.0, "random_state": 0}
    sure = BlendedClassifier(MEMBERS, **given).fit(X, NAMES)
    smoothed = BlendedClassifier(MEMBERS, smoothing=smoothing, **given).fit(X, NAMES)
    np.testing.assert_allclose(smoothed.smoothing_, shares)
    left_out = [model is None for model in smoothed.estimators_]
    assert left_out == [w + d == 0 for w, d in zip([0, 1, 0], shares, strict=True)]
    told = [
        np.zeros((len(X), 3)) if model is None else model.predict_proba(X)
        for model in smoothed.estimators_
    ]
    expected = 0.7 * sure.predict_proba(X) + np.tensordot(shares, told, axes=1)
    np.testing.assert_allclose(smoothed.predict_proba(X), expected)
    np.testing.assert_allclose(expected.sum(axis=1), 1)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("wanted", [0.5, 1.0, 1.7, 3.0])
def test_the_learnt_power_mends_what_an_average_is_off(wanted, weighted):
    """Labels are drawn by the power of an average: it is found again."""
    rng = np.random.default_rng(0)
    told = rng.dirichlet([1, 1, 1], (2, 40000)) * 0.97 + 0.01
    exact = temper_probabilities(told.mean(axis=0), wanted)
    y = (rng.uniform(size=(len(exact), 1)) > exact.cumsum(axis=1)).sum(axis=1)
    weight = rng.integers(1, 4, len(y)) if weighted else np.ones(len(y))
    weights, power = fit_blend(told, y, weight.astype(float))
    assert power == pytest.approx(wanted, rel=0.05)
    np.testing.assert_allclose(weights, 0.5, atol=0.05)


def test_stakes_weigh_members_like_repeated_rows_and_leave_the_power_alone():
    rng = np.random.default_rng(1)
    told = rng.dirichlet([1, 1, 1], (3, 300))
    mixed = told.mean(axis=0).cumsum(axis=1)
    y = (rng.uniform(size=(300, 1)) > mixed).sum(axis=1).clip(0, 2)
    weight, class_cost = rng.uniform(0.5, 2, 300), np.array([9.0, 0.5, 0.0])
    weights, power = fit_blend(told, y, weight, class_cost)
    at_stake = weight * (told.mean(axis=0) * class_cost).sum(axis=1)
    counted = at_stake / at_stake.sum() * weight.sum()
    likelihood = told[:, np.arange(300), y].T
    np.testing.assert_allclose(weights, blend_weights(likelihood, counted), atol=1e-4)
    plain = fit_blend(told, y, weight)
    assert np.abs(weights - plain[0]).max() > 0.01
    average = np.tensordot(weights, told, axes=1)

    def loss(b):
        chance = temper_probabilities(average, b)[np.arange(300), y]
        return -weight @ np.log(chance)

    assert loss(power) <= min(loss(power * 0.98), loss(power * 1.02))
    in_cents = fit_blend(told, y, weight, 100 * class_cost)
    np.testing.assert_allclose(in_cents[0], weights, atol=1e-6)
    nothing_at_stake = fit_blend(told, y, weight, 0 * class_cost)
    np.testing.assert_array_equal(nothing_at_stake[0], plain[0])


def test_no_member_gains_by_calling_expensive_classes_more_likely():
    """One tells the probabilities that labels are drawn by, one exaggerates."""
    rng = np.random.default_rng(2)
    exact = rng.dirichlet([4, 4, 1], 5000)
    y = (rng.uniform(size=(5000, 1)) > exact.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    class_cost = np.array([1.0, 1.0, 50.0])
    alarmed = exact * [1, 1, 3]
    alarmed /= alarmed.sum(axis=1, keepdims=True)
    told = np.stack([exact, alarmed])
    weights, _ = fit_blend(told, y, np.ones(5000), class_cost)
    assert weights[0] > 0.9
    likelihood = told[:, np.arange(5000), y].T  # rows by what their labels cost
    assert blend_weights(likelihood, class_cost[y])[0] < 0.1


def test_the_power_is_bounded_where_nothing_surprises():
    told = np.tile([[0.9, 0.1]], (1, 50, 1))
    weights, power = fit_blend(told, np.zeros(50, int), np.ones(50))
    assert weights.tolist() == [1.0]
    assert 1 < power < 10
    never = temper_probabilities(np.array([[1.0, 0.0], [0.5, 0.5]]), power)
    np.testing.assert_allclose(never, [[1, 0], [0.5, 0.5]])


@pytest.mark.parametrize("n_members", [2, 3, 6])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("prior", [0, 1, 20])
def test_learnt_weights_minimise_the_log_loss(n_members, weighted, prior):
    """Against an optimiser without constraints, and the optimality conditions."""
    rng = np.random.default_rng(n_members)
    likelihood = rng.beta(2, 1, (400, n_members)) * rng.uniform(0.5, 1, n_members)
    share = rng.integers(0, 4, 400).astype(float) if weighted else np.ones(400)
    found = blend_weights(likelihood, share if weighted else None, prior=prior)
    assert found.sum() == pytest.approx(1)
    assert (found >= 0).all()

    def loss(w):
        told = share @ np.log(likelihood @ w) + prior * np.log(w[w > 0]).sum()
        return -told / share.sum()

    def of_logits(z):
        w = np.exp(z - z.max())
        return loss(w / w.sum())

    exact = {"maxiter": 20000, "xatol": 1e-8, "fatol": 1e-12}
    other = minimize(
        of_logits, np.zeros(n_members), method="Nelder-Mead", options=exact
    )
    assert loss(found) <= other.fun + 1e-4


def test_a_member_that_knows_nothing_is_left_out():
    often = np.tile(np.arange(150), 4)  # of few rows, none is certain to be useless
    blend = BlendedClassifier(MEMBERS, random_state=0).fit(X[often], NAMES[often])
    assert blend.weights_[2] == 0
    few = BlendedClassifier(MEMBERS, random_state=0).fit(X[::5], NAMES[::5])
    assert 0 < few.weights_[2] < 0.1
    alone = BlendedClassifier(MEMBERS[:1]).fit(X, NAMES)
    assert alone.weights_.tolist() == [1.0]


def test_row_weights_count_like_repeated_rows():
    weight = np.random.default_rng(0).integers(1, 4, len(X))
    again = np.repeat(np.arange(len(X)), weight)
    blend = BlendedClassifier([("b", GaussianNB()), ("l", LINEAR)], weights=[1, 1])
    one = clone(blend).fit(X, NAMES, sample_weight=weight).predict_proba(X)
    two = clone(blend).fit(X[again], NAMES[again]).predict_proba(X)
    np.testing.assert_allclose(one, two, atol=1e-3)


def test_a_class_that_a_fold_lacks():
    y = NAMES.copy()
    y[0] = "once"
    blend = BlendedClassifier(MEMBERS, cv=3, random_state=0).fit(X, y)
    probabilities = blend.predict_proba(X)
    assert probabilities.shape == (150, 4)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_decisions_saved_and_loaded(tmp_path, n_classes):
    rows = n_classes > Y
    prices = np.array([[0, 1, 5], [1, 0, 5], [9, 9, 0]])[:n_classes, :n_classes]
    trees = ("trees", RandomForestClassifier(5, random_state=0))
    blend = BlendedClassifier([*MEMBERS[:1], trees], random_state=0)
    model = MinimumExpectedCost(
        blend, cost_matrix=prices, classes=np.unique(NAMES[rows])
    ).fit(X[rows], NAMES[rows])
    expected = model.predict_proba(X[rows]) @ prices
    np.testing.assert_array_equal(
        model.predict(X[rows]), model.classes_[expected.argmin(axis=1)]
    )
    softcost.save(model, tmp_path / "blend")
    loaded = softcost.load(tmp_path / "blend")
    np.testing.assert_array_equal(
        loaded.predict_proba(X[rows]), model.predict_proba(X[rows])
    )


def test_members_are_set_by_name():
    blend = BlendedClassifier([("tree", DecisionTreeClassifier()), MEMBERS[1]])
    blend.set_params(tree__max_depth=2, bayes=LINEAR)
    assert blend.get_params()["tree"].max_depth == 2
    assert blend.get_params()["bayes"] is LINEAR


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"estimators": []}, "non-empty"),
        ({"estimators": [GaussianNB()]}, "pairs"),
        ({"estimators": [("r", RidgeClassifier())]}, "predict_proba"),
        ({"estimators": [("a", GaussianNB()), ("a", GaussianNB())]}, "unique"),
        ({"weights": [1, 2]}, "weights must be 3 numbers"),
        ({"weights": [0, 0, 0]}, "not all zero"),
        ({"weights": [1, -1, 1]}, "not negative"),
        ({"weights": [1, np.nan, 1]}, "weights"),
        ({"inverse_temperature": 0}, "inverse_temperature"),
        ({"inverse_temperature": "much"}, "inverse_temperature"),
        ({"smoothing": 1.0}, "smoothing"),
        ({"smoothing": -0.1}, "smoothing"),
        ({"smoothing": [0.1, 0.1]}, "smoothing must be a number"),
        ({"smoothing": [0.5, 0.5, 0.0]}, "smoothing must be a number"),
        ({"smoothing": [0.5, -0.1, 0.1]}, "smoothing must be a number"),
        ({"smoothing": [0.5, np.nan, 0.1]}, "smoothing must be a number"),
        ({"cv": 1}, "cv"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(given, message):
    with pytest.raises((TypeError, ValueError), match=message):
        BlendedClassifier(**({"estimators": MEMBERS} | given)).fit(X, NAMES)
