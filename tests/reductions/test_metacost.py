"""MetaCost: relabelling by its definition, resamples, degenerate prices."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from softcost import Costing, MetaCost
from softcost.learners import draw_seeds
from softcost.reductions.base import class_probabilities
from softcost.reductions.metacost import draw_resamples, mean_probabilities

PRICES = np.array([[0, 2, 7], [1, 0, 3], [9, 4, 0]], float)


def resamples_of(seed, n_resamples, weight):
    """The rows that a model with this random state has drawn."""
    rng = np.random.RandomState(seed)
    draw_seeds(rng, n_resamples + 1)
    return draw_resamples(weight, n_resamples, rng)


@pytest.mark.parametrize("use", ["all", "out", "in"])
def test_definition(blobs, use):
    X, y, X_new, rng = blobs(3)
    weight = rng.integers(0, 4, len(y)).astype(float)
    model = MetaCost(
        GaussianNB(), cost_matrix=PRICES, n_resamples=4, use=use, random_state=7
    )
    found = model.fit(X, y, sample_weight=weight).predict(X_new)

    counted = weight > 0  # rows without weight take no part
    X, y, weight = X[counted], y[counted], weight[counted]
    resamples = resamples_of(7, 4, weight)
    members = [GaussianNB().fit(X[rows], y[rows]) for rows in resamples]
    labels = []
    for n in range(len(y)):
        speakers = [
            member
            for member, rows in zip(members, resamples, strict=True)
            if use == "all" or (n in rows) == (use == "in")
        ]
        p = np.zeros(3)
        for member in speakers or members:
            p[member.classes_] += member.predict_proba(X[[n]])[0]
        labels.append(min(range(3), key=lambda k: sum(p * PRICES[:, k])))
    np.testing.assert_array_equal(model.relabelled_, labels)
    assert np.any(labels != y)
    final = GaussianNB().fit(X, labels, sample_weight=weight)
    np.testing.assert_array_equal(found, final.predict(X_new))


def test_rows_for_which_nobody_speaks_use_all_members():
    members = [np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([[0.5, 0.5], [0.2, 0.8]])]
    resamples = [np.array([0, 0]), np.array([0, 1])]
    for use, expected in {
        "all": [[0.7, 0.3], [0.3, 0.7]],
        "in": [[0.7, 0.3], [0.2, 0.8]],
        "out": [[0.7, 0.3], [0.4, 0.6]],
    }.items():
        np.testing.assert_allclose(
            mean_probabilities(members, resamples, use), expected
        )


def test_rows_are_drawn_in_proportion_to_their_weights():
    weight = np.array([0.0, 1, 2, 5, 0])
    draws = np.concatenate(draw_resamples(weight, 2000, np.random.RandomState(0)))
    assert len(draws) == 2000 * 3  # as many rows as have a weight
    share = np.bincount(draws, minlength=5) / len(draws)
    np.testing.assert_allclose(share, weight / weight.sum(), atol=0.03)
    assert not share[weight == 0].any()


def test_learners_without_probabilities_vote(blobs):
    X, y, X_new, _ = blobs(3)
    learner = RidgeClassifier().fit(X, y)
    np.testing.assert_array_equal(
        class_probabilities(learner, X_new, 4), np.eye(4)[learner.predict(X_new)]
    )
    model = MetaCost(RidgeClassifier(), cost_matrix=PRICES, n_resamples=5)
    assert set(model.fit(X, y).predict(X_new)) <= {0, 1, 2}


def test_prices_by_example_are_refused(blobs, example_costs):
    X, y, _, rng = blobs(3)
    with pytest.raises(ValueError, match=r"costs by example.*pass cost_matrix"):
        MetaCost().fit(X, y, costs=example_costs(y, rng))


def test_relabelling_may_leave_one_class_even_one_without_examples(blobs):
    X, y, X_new, _ = blobs(2)
    prices = [[0, 50, 1], [50, 0, 1], [50, 50, 0]]
    model = MetaCost(cost_matrix=prices, classes=["a", "b", "z"], n_resamples=5)
    model.set_params(learner=DecisionTreeClassifier(max_depth=1, min_samples_leaf=20))
    names = np.array(["a", "b"])[np.random.RandomState(0).permutation(y)]
    model.fit(X, names)
    assert set(model.relabelled_) == {"z"}
    np.testing.assert_array_equal(model.predict(X_new), np.full(len(X_new), "z"))


def test_nothing_costs_anything(blobs):
    X, y, X_new, _ = blobs(3)
    model = MetaCost(cost_matrix=np.zeros((3, 3)), n_resamples=2).fit(X, y)
    assert not model.predict(X_new).any()  # all tie: the first class


def test_weights_need_a_learner_that_takes_them(blobs):
    X, y, X_new, rng = blobs(3)
    weight = rng.uniform(1, 2, len(y))
    model = MetaCost(KNeighborsClassifier(1), n_resamples=3, cost_matrix=PRICES)
    model.fit(X, y)
    with pytest.raises(ValueError, match=r"does not support sample weights.*Costing"):
        model.fit(X, y, sample_weight=weight)
    model.set_params(learner=Costing(KNeighborsClassifier(1)))
    assert len(model.fit(X, y, sample_weight=weight).predict(X_new)) == len(X_new)


def test_results_depend_on_the_seed_only(blobs):
    X, y, X_new, _ = blobs(3)
    tree = DecisionTreeClassifier(max_features=1)
    model = MetaCost(tree, cost_matrix=PRICES, n_resamples=6, random_state=3)
    first = model.fit(X, y).decision_function(X_new)
    labels = model.relabelled_
    for n_jobs in (1, 2):
        model.set_params(n_jobs=n_jobs).fit(X, y)
        np.testing.assert_array_equal(model.decision_function(X_new), first)
        np.testing.assert_array_equal(model.relabelled_, labels)
    other = model.set_params(random_state=4).fit(X, y).decision_function(X_new)
    assert np.any(other != first)


def test_sparse_rows(blobs):
    X, y, X_new, _ = blobs(3)
    X, X_new = np.round(X), np.round(X_new)
    learner = LogisticRegression(tol=1e-8)
    model = MetaCost(learner, cost_matrix=PRICES, n_resamples=5, random_state=0)
    dense = model.fit(X, y).decision_function(X_new)
    thin = model.fit(sparse.csr_array(X), y).decision_function(sparse.csr_array(X_new))
    np.testing.assert_allclose(thin, dense, rtol=1e-3, atol=1e-6)
