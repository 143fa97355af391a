"""The best constant answer, beside which every model is shown."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold

from softcost import load, save
from softcost.metrics import measure
from softcost.reductions import MinimumExpectedCost
from softcost.search import SoftCostClassifierCV

MATRIX = np.array([[0, 1.0, 3.0], [50.0, 0, 2.0], [8.0, 4.0, 0]])


@pytest.fixture(scope="module")
def noise():
    """Features without any information, and classes of different sizes."""
    rng = np.random.default_rng(0)
    y = np.array(["a", "b", "c"])[rng.choice(3, 120, p=[0.5, 0.2, 0.3])]
    return rng.normal(size=(120, 2)), y


@pytest.mark.parametrize("by_example", [False, True])
def test_it_is_chosen_without_the_held_out_rows(by_example, noise):
    X, y = noise
    costs = MATRIX[np.searchsorted(["a", "b", "c"], y)]
    weight = np.random.default_rng(1).uniform(0.5, 2, len(y))
    given = {"costs": costs * np.linspace(1, 3, len(y))[:, None]} if by_example else {}
    search = SoftCostClassifierCV(
        MinimumExpectedCost(),
        cost_matrix=None if by_example else MATRIX,
        softness=2,
        cv=StratifiedKFold(4),
    ).fit(X, y, sample_weight=weight, **given)
    used = given.get("costs", costs)
    answers = np.empty(len(y), y.dtype)
    for train, test in StratifiedKFold(4).split(X, y):
        best = (weight[train] @ used[train]).argmin()
        answers[test] = ["a", "b", "c"][best]
    expected = measure(
        y, answers, costs=used, classes=["a", "b", "c"], sample_weight=weight
    )
    for name in ("cost", "error", "g_mean"):
        assert search.constant_[name] == pytest.approx(expected[name])
    assert search.constant_["label"] == "abc"[(weight @ used).argmin()]


@pytest.fixture(scope="module")
def constant_search(noise):
    """A search with "auto" that has chosen the constant answer."""
    X, y = noise
    search = SoftCostClassifierCV(
        cost_matrix=MATRIX, softness=3, cv=3, random_state=0, keep_data=True
    ).fit(X, y)
    row = int(np.flatnonzero(search.tradeoff_["family"] == "constant")[0])
    return search.choose(lambda table: row)


def test_a_constant_answer_has_the_probabilities_of_the_blend(constant_search, noise):
    X, _ = noise
    search = constant_search
    assert search.best_params_["family"] == "constant"
    assert set(search.predict(X)) == {search.constant_["label"]}
    blend = int(np.flatnonzero(search.tradeoff_["family"] == "blend")[0])
    model = search.candidate(blend)
    np.testing.assert_array_equal(search.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(search.expected_costs(X), model.expected_costs(X))
    assert np.ptp(search.predict_proba(X), axis=0).min() > 0
    # It shares a fit with the blend.
    assert model.estimator_ is search.best_estimator_.estimator_


def test_a_saved_constant_answer(constant_search, noise, tmp_path):
    X, _ = noise
    save(constant_search.keep_candidates(), tmp_path / "model")
    loaded = load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(X), constant_search.predict(X))
    np.testing.assert_array_equal(
        loaded.predict_proba(X), constant_search.predict_proba(X)
    )
    default = loaded.choose("cost")
    assert default.best_index_ in default.candidates_


@pytest.mark.parametrize("softness", [0.0, 0.4, 1.0])
def test_deciding_by_the_prior(noise, softness):
    X, y = noise
    weight = np.random.default_rng(1).uniform(0.5, 2, len(y))
    given = {"cost_matrix": MATRIX, "softness": softness}
    model = MinimumExpectedCost(decide_by="prior", **given).fit(
        X, y, sample_weight=weight
    )
    prior = MinimumExpectedCost(DummyClassifier(strategy="prior"), **given)
    prior.fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(model.predict(X), prior.predict(X))
    np.testing.assert_allclose(
        model.decision_function(X), prior.decision_function(X), rtol=1e-12
    )
    by_row = MinimumExpectedCost(**given).fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(model.predict_proba(X), by_row.predict_proba(X))
    matrices = MATRIX * np.random.default_rng(2).uniform(0, 9, (len(y), 3, 1))
    np.testing.assert_array_equal(
        model.predict(X, costs=matrices), prior.predict(X, costs=matrices)
    )
