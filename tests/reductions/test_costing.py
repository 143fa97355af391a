"""Costing: copies, draws, and learners without weights where weights are needed."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.utils.estimator_checks import parametrize_with_checks

from softcost import Costing, CostSensitiveOneVsOne, FilterTree, KernelSVC
from softcost.reductions.costing import draw_copies, expand

DRAWS = "rows are drawn at random, which equals their weights only on average"


@parametrize_with_checks(
    [Costing(KNeighborsClassifier())],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": DRAWS,
        "check_sample_weight_equivalence_on_sparse_data": DRAWS,
    },
)
def test_scikit_learn_conventions_where_rows_are_drawn(estimator, check):
    check(estimator)


def test_weight_that_a_prediction_gets_wrong_is_its_cost(example_costs):
    rng = np.random.default_rng(0)
    y = rng.integers(4, size=30)
    costs, weight = example_costs(y, rng, 4), rng.uniform(0.5, 2, 30)
    rows, labels, copies = expand(costs, weight)
    assert np.all(copies > 0)
    for n in range(30):
        own = rows == n
        wrong = [copies[own & (labels != k)].sum() for k in range(4)]
        rest = wrong - weight[n] * costs[n]
        np.testing.assert_allclose(rest, rest[0])


def test_without_costs_only_true_labels_have_a_weight():
    y = np.array([2, 0, 1, 1])
    weight = np.array([1.0, 0.0, 3.0, 2.0])
    rows, labels, copies = expand(1.0 - np.eye(3)[y], weight)
    np.testing.assert_array_equal(rows, [0, 2, 3])
    np.testing.assert_array_equal(labels, y[rows])
    np.testing.assert_array_equal(copies, weight[rows])


def test_copies_are_kept_in_proportion_and_never_twice():
    weight = np.array([1.0, 2.0, 4.0, 3.0])
    draws = draw_copies(weight, 4000, np.random.RandomState(0))
    for kept in draws:
        assert len(np.unique(kept)) == len(kept)
    share = np.bincount(np.concatenate(draws), minlength=4) / 4000
    np.testing.assert_allclose(share, weight / 4, atol=0.04)
    assert share[2] == 1


def test_definition(blobs, example_costs):
    X, y, X_new, rng = blobs(3)
    costs, weight = example_costs(y, rng), rng.uniform(0.5, 2, len(y))
    model = Costing(KNeighborsClassifier(3), n_draws=4, random_state=5)
    model.fit(X, y, costs=costs, sample_weight=weight)

    copies = [
        (n, k, weight[n] * (costs[n].max() - costs[n, k]))
        for n in range(len(y))
        for k in range(3)
        if costs[n, k] < costs[n].max()
    ]
    most = max(copy[2] for copy in copies)
    random = np.random.RandomState(5)
    scores = np.zeros((len(X_new), 3))
    for _ in range(4):
        chances = random.uniform(size=len(copies))
        kept = [
            (n, k) for (n, k, w), u in zip(copies, chances, strict=True) if u < w / most
        ]
        rows, labels = zip(*kept, strict=True)
        member = KNeighborsClassifier(3).fit(X[list(rows)], labels)
        scores += member.predict_proba(X_new) / 4
    np.testing.assert_allclose(model.decision_function(X_new), scores)


def test_learners_with_weights_are_fitted_once_to_all_copies(blobs, example_costs):
    X, y, X_new, rng = blobs(3)
    costs = example_costs(y, rng)
    learner = LogisticRegression(tol=1e-8)
    model = Costing(learner).fit(X, y, costs=costs)
    rows, labels, weight = expand(costs, np.ones(len(y)))
    learner.fit(X[rows], labels, sample_weight=weight)
    np.testing.assert_allclose(
        model.decision_function(X_new), learner.predict_proba(X_new), atol=1e-6
    )
    model.set_params(sampling="always", n_draws=3).fit(X, y, costs=costs)
    assert len(model._members) == 3


def test_without_costs_it_is_the_learner_itself(blobs):
    X, y, X_new, _ = blobs(3)
    for learner in (KNeighborsClassifier(), LinearDiscriminantAnalysis(), KernelSVC()):
        np.testing.assert_array_equal(
            Costing(learner).fit(X, y).predict(X_new), learner.fit(X, y).predict(X_new)
        )


@pytest.mark.parametrize("reduction", [CostSensitiveOneVsOne, FilterTree])
def test_it_gives_weights_to_learners_that_have_none(blobs, example_costs, reduction):
    X, y, X_new, rng = blobs(4)
    costs = example_costs(y, rng)
    plain, wrapped = KNeighborsClassifier(), Costing(KNeighborsClassifier())
    with pytest.raises(ValueError, match=r"Costing\(learner\)"):
        reduction(plain).fit(X, y, costs=costs)
    model = reduction(wrapped, random_state=0).fit(X, y, costs=costs)
    regular = reduction(plain).fit(X, y)
    assert np.any(model.predict(X_new) != regular.predict(X_new))
    model.set_params(softness=1.0).fit(X, y, costs=costs)
    np.testing.assert_array_equal(model.predict(X_new), regular.predict(X_new))


def test_weights_decide_where_labels_contradict_each_other():
    X, y = np.zeros((300, 1)), np.arange(300) % 2
    for heavy in (0, 1):
        model = Costing(KNeighborsClassifier(51), random_state=0)
        model.fit(X, y, sample_weight=np.where(y == heavy, 5.0, 1.0))
        assert model.predict([[0.0]]) == heavy


def test_degenerate_prices():
    X, y = np.arange(6.0)[:, None], np.array(["a", "b", "c"] * 2)
    learner = KNeighborsClassifier(1)
    free = Costing(learner, cost_matrix=np.zeros((3, 3))).fit(X, y)
    np.testing.assert_array_equal(free.predict(X), ["a"] * 6)
    certain = np.ones((6, 3))
    certain[:, 1] = 0  # only the rows of class b may have costs
    one = Costing(learner, classes=["a", "b", "c"])
    one.fit(X, np.full(6, "b"), costs=certain)
    np.testing.assert_array_equal(one.predict(X), ["b"] * 6)


def test_results_depend_on_the_seed_only(blobs, example_costs):
    X, y, X_new, rng = blobs(3)
    costs = example_costs(y, rng)
    model = Costing(KNeighborsClassifier(), random_state=3)
    first = model.fit(X, y, costs=costs).decision_function(X_new)
    for n_jobs in (1, 2):
        model.set_params(n_jobs=n_jobs).fit(X, y, costs=costs)
        np.testing.assert_array_equal(model.decision_function(X_new), first)
    model.set_params(random_state=4).fit(X, y, costs=costs)
    assert np.any(model.decision_function(X_new) != first)


def test_sparse_rows(blobs, example_costs):
    X, y, X_new, rng = blobs(3)
    costs = example_costs(y, rng)
    model = Costing(NearestCentroid(), random_state=0)  # neighbours tie among copies
    dense = model.fit(X, y, costs=costs).predict(X_new)
    model.fit(sparse.csr_array(X), y, costs=costs)
    np.testing.assert_array_equal(model.predict(sparse.csr_array(X_new)), dense)


@pytest.mark.parametrize("bad", [{"n_draws": 0}, {"sampling": "never"}])
def test_bad_parameters(blobs, bad):
    X, y, _, _ = blobs(3)
    with pytest.raises(ValueError, match=next(iter(bad))):
        Costing(**bad).fit(X, y)
