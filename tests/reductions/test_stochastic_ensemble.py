"""Boosting with stochastic ensembles: identities, definition, features of pairs."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, make_blobs
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from softcost import Costing, KernelSVC, StochasticEnsembleBoosting
from softcost.reductions.stochastic_ensemble import (
    combines_features,
    gains,
    pair_features,
    policy,
)

PRICES = np.array([[0, 2, 7], [1, 0, 3], [9, 4, 0]], float)


def test_a_mix_gains_nothing_over_itself(example_costs):
    rng = np.random.default_rng(0)
    costs = example_costs(rng.integers(4, size=50), rng, 4)
    mix = rng.dirichlet(np.ones(4), 50)
    np.testing.assert_allclose((mix * gains(mix, costs)).sum(axis=1), 0, atol=1e-14)


def test_chances_sum_to_one(blobs, example_costs):
    X, y, X_new, rng = blobs(4)
    costs = example_costs(y, rng)
    model = StochasticEnsembleBoosting(n_rounds=7, random_state=0)
    mix = model.fit(X, y, costs=costs).decision_function(X_new)
    assert mix.min() >= 0
    np.testing.assert_allclose(mix.sum(axis=1), 1)
    own = model.decision_function(X)
    np.testing.assert_allclose((own * gains(own, costs)).sum(axis=1), 0, atol=1e-14)


def test_products_with_missing_values(blobs):
    """Trees support NaN in dense arrays only; products of features were sparse."""
    X, y, *_ = blobs(3)
    X = X.copy()
    X[::5, 0] = np.nan
    learner = DecisionTreeClassifier(max_depth=3, random_state=0)
    model = StochasticEnsembleBoosting(learner, n_rounds=3, random_state=0)
    assert np.isfinite(model.fit(X, y).decision_function(X)).all()


def test_policy_shares_equally_among_the_accepted():
    accepted = np.array([[True, False, True], [False] * 3, [False, True, False]])
    third = 1 / 3
    np.testing.assert_allclose(
        policy(accepted), [[0.5, 0, 0.5], [third] * 3, [0, 1, 0]]
    )


def test_definition(blobs, example_costs):
    X, y, X_new, rng = blobs(3)
    costs, weight = example_costs(y, rng), rng.integers(0, 3, len(y)).astype(float)
    model = StochasticEnsembleBoosting(GaussianNB(), n_rounds=5, pair_features="concat")
    found = model.fit(X, y, costs=costs, sample_weight=weight).decision_function(X_new)

    def pair(x, k):
        return [*x, *(float(k == other) for other in range(3))]

    def step(learner, rows, mix, number):
        for n, x in enumerate(rows):
            accepted = [learner.predict([pair(x, k)])[0] for k in range(3)]
            shares = np.ones(3) / 3
            if sum(accepted):
                shares = np.array(accepted) / sum(accepted)
            mix[n] = (1 - 1 / number) * mix[n] + shares / number

    mix, mix_new = np.full((len(y), 3), 1 / 3), np.full((len(X_new), 3), 1 / 3)
    for number in range(1, 6):
        pairs, labels, weights = [], [], []
        for n in range(len(y)):
            for k in range(3):
                gain = sum(mix[n] * costs[n]) - costs[n, k]
                if abs(gain) * weight[n] > 1e-12:
                    pairs.append(pair(X[n], k))
                    labels.append(int(gain > 0))
                    weights.append(abs(gain) * weight[n])
        learner = GaussianNB().fit(pairs, labels, sample_weight=weights)
        step(learner, X, mix, number)
        step(learner, X_new, mix_new, number)
    np.testing.assert_allclose(found, mix_new, atol=1e-12)


def test_features_of_pairs():
    X = np.random.RandomState(0).normal(size=(3, 2))
    dense = pair_features(X, 4, interact=True, as_sparse=False)
    assert dense.shape == (12, 2 + 4 + 8)
    for n in range(3):
        for k in range(4):
            row = dense[4 * n + k]
            np.testing.assert_array_equal(row[:2], X[n])
            np.testing.assert_array_equal(row[2:6], np.eye(4)[k])
            np.testing.assert_array_equal(
                row[6:],
                [X[n, j] * (k == other) for j in range(2) for other in range(4)],
            )
    plain = pair_features(X, 4, interact=False, as_sparse=False)
    np.testing.assert_array_equal(plain, dense[:, :6])
    for rows in (X, sparse.csr_array(X)):
        thin = pair_features(rows, 4, interact=True, as_sparse=True)
        np.testing.assert_array_equal(thin.toarray(), dense)


def test_learners_that_need_products():
    need_products = [
        LogisticRegression(),
        RidgeClassifier(),
        LinearSVC(),
        KernelSVC(kernel="linear"),
        make_pipeline(StandardScaler(), LogisticRegression()),
        DecisionTreeClassifier(max_depth=3),
        GaussianNB(),
    ]
    assert not any(map(combines_features, need_products))
    others = [
        DecisionTreeClassifier(),
        KernelSVC(),
        make_pipeline(StandardScaler(), RandomForestClassifier()),
    ]
    assert all(map(combines_features, others))


def test_linear_learners_need_the_products(blobs):
    X = np.r_[np.full((20, 2), 0.0), np.full((20, 2), 1.0), [[0, 1]] * 20]
    y = np.repeat([0, 1, 2], 20)
    model = StochasticEnsembleBoosting(LogisticRegression(C=100), n_rounds=5)
    assert np.all(model.fit(X, y).predict(X) == y)
    model.set_params(pair_features="concat")
    assert np.mean(model.fit(X, y).predict(X) == y) < 0.7


def test_rounds_end_where_the_mix_pays_least_everywhere():
    X, y = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
    model = StochasticEnsembleBoosting(DecisionTreeClassifier(), n_rounds=9).fit(X, y)
    assert len(model.solutions_) == 1
    np.testing.assert_array_equal(model.predict(X), y)
    free = StochasticEnsembleBoosting(cost_matrix=np.zeros((2, 2))).fit(X, y)
    assert not free.solutions_
    assert not free.predict(X).any()


def test_one_class_in_the_data_and_missing_classes(blobs):
    X, y, X_new, _ = blobs(3)
    names = np.array(["b", "d", "e"])[y]
    model = StochasticEnsembleBoosting(DecisionTreeClassifier(), classes=list("abcde"))
    np.testing.assert_array_equal(model.fit(X, names).predict(X), names)
    model.fit(X, np.full(len(y), "d"))
    np.testing.assert_array_equal(model.predict(X_new), np.full(len(X_new), "d"))


def test_learners_without_weights_go_through_costing(blobs):
    X, y, X_new, _ = blobs(3)
    model = StochasticEnsembleBoosting(KNeighborsClassifier(), n_rounds=2)
    model.set_params(cost_matrix=PRICES, random_state=0)
    with pytest.raises(ValueError, match=r"does not support sample weights.*Costing"):
        model.fit(X, y)
    model.set_params(learner=Costing(KNeighborsClassifier()))
    np.testing.assert_allclose(model.fit(X, y).decision_function(X_new).sum(axis=1), 1)


@pytest.mark.parametrize("learner", [None, LogisticRegression(tol=1e-8)])
def test_sparse_rows(blobs, learner):
    X, y, X_new, _ = blobs(3)
    X, X_new = np.round(X), np.round(X_new)
    model = StochasticEnsembleBoosting(
        learner, cost_matrix=PRICES, n_rounds=4, random_state=0
    )
    dense = model.fit(X, y).decision_function(X_new)
    thin = model.fit(sparse.csr_array(X), y).decision_function(sparse.csr_array(X_new))
    np.testing.assert_allclose(thin, dense)


def test_missing_values_where_the_learner_allows_them(blobs):
    X, y, X_new, _ = blobs(3)
    X[::7, 0] = np.nan
    model = StochasticEnsembleBoosting(cost_matrix=PRICES, n_rounds=3).fit(X, y)
    assert np.isfinite(model.decision_function(X_new)).all()
    with pytest.raises(ValueError, match="NaN"):
        model.set_params(learner=LogisticRegression()).fit(X, y)


def test_results_depend_on_the_seed_only(blobs):
    X, y, X_new, _ = blobs(3)
    tree = DecisionTreeClassifier(max_features=1, max_depth=4)
    model = StochasticEnsembleBoosting(tree, cost_matrix=PRICES, random_state=3)
    model.set_params(n_rounds=5)
    first = model.fit(X, y).decision_function(X_new)
    for n_jobs in (1, 2):
        model.set_params(n_jobs=n_jobs).fit(X, y)
        np.testing.assert_array_equal(model.decision_function(X_new), first)
    other = model.set_params(random_state=4).fit(X, y).decision_function(X_new)
    assert np.any(other != first)


@pytest.mark.parametrize("bad", [{"n_rounds": 0}, {"pair_features": "product"}])
def test_bad_parameters(blobs, bad):
    X, y, _, _ = blobs(3)
    with pytest.raises(ValueError, match=next(iter(bad))):
        StochasticEnsembleBoosting(**bad).fit(X, y)


@pytest.mark.parametrize(
    "learner",
    [
        DecisionTreeClassifier(max_depth=3, random_state=0),
        HistGradientBoostingClassifier(max_iter=5),
        GaussianNB(),
    ],
)
def test_learners_that_cannot_combine_features_get_products(learner):
    """check_classifiers_train of scikit-learn requires this accuracy."""
    X, y = make_blobs(n_samples=150, random_state=0)
    X = StandardScaler().fit_transform(X)
    model = StochasticEnsembleBoosting(learner, n_rounds=5).fit(X, y)
    assert (model.predict(X) == y).mean() > 0.83


@pytest.mark.parametrize("factor", [1e-200, 1e-5, 3.0, 1e100])
def test_units_of_costs_do_not_matter(factor):
    X, y = load_iris(return_X_y=True)
    for seed in range(3):
        prices = np.random.default_rng(seed).uniform(1, 9, (3, 3)) * (1 - np.eye(3))
        first, second = (
            StochasticEnsembleBoosting(cost_matrix=costs, n_rounds=8, random_state=0)
            .fit(X, y)
            .predict(X)
            for costs in (prices, factor * prices)
        )
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("features", ["concat", "interact"])
@pytest.mark.parametrize("learner", [DecisionTreeClassifier(), GaussianNB()])
def test_prediction_makes_a_bounded_number_of_pairs_at_a_time(
    features, learner, monkeypatch
):
    """Products with all classes are wide: even one row may have too many pairs."""
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 20
    prices = 1.0 - np.eye(20)
    model = StochasticEnsembleBoosting(
        learner, n_rounds=2, pair_features=features, cost_matrix=prices
    ).fit(X, y)
    expected, sizes = model.decision_function(X), []

    def measured(*args, **options):
        pairs = pair_features(*args, **options)
        sizes.append(pairs.size)
        return pairs

    module = "softcost.reductions.stochastic_ensemble"
    monkeypatch.setattr(f"{module}._MAX_CELLS", 500)
    monkeypatch.setattr(f"{module}.pair_features", measured)
    assert np.array_equal(model.decision_function(X), expected)
    assert max(sizes) <= 500
