"""Blocks of rows, one after the other: `partial_fit` of the flat reductions."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.linear_model import Ridge, SGDClassifier, SGDRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPRegressor

from softcost import (
    CostSensitiveOneVsOne,
    OneSidedRegression,
    RegressionOneVsAll,
    SoftCostClassifierCV,
    WeightedAllPairs,
    ZhouLiuRescaling,
    load,
    save,
)
from softcost.reductions import CATALOGUE, FlatReduction

NAMES = np.array(["ant", "bee", "cat", "dog"])
PRICES = np.array([[0, 1, 7, 2], [4, 0, 1, 9], [2, 3, 0, 1], [8, 1, 5, 0.0]])


class Sums(BaseEstimator):
    """Least squares by sums over rows: blocks give what all rows at once give."""

    def fit(self, X, y, sample_weight=None):
        self.sums_ = None
        return self.partial_fit(X, y, sample_weight=sample_weight)

    def partial_fit(self, X, y, sample_weight=None):
        weight = np.ones(len(y)) if sample_weight is None else sample_weight
        rows = np.column_stack([X, np.ones(len(X))])
        new = [rows.T @ (rows * weight[:, None]), rows.T @ (weight * y)]
        old = getattr(self, "sums_", None)
        self.sums_ = (
            new if old is None else [a + b for a, b in zip(old, new, strict=True)]
        )
        gram, right = self.sums_
        self.coef_ = np.linalg.solve(gram + 1e-3 * np.eye(len(gram)), right)
        self.n_features_in_ = X.shape[1]
        return self

    def _values(self, X):
        return X @ self.coef_[:-1] + self.coef_[-1]


class SumsRegressor(RegressorMixin, Sums):
    def predict(self, X):
        return self._values(X)


class SumsClassifier(ClassifierMixin, Sums):
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        self.classes_ = np.array([0, 1])
        return super().partial_fit(X, 2.0 * y - 1, sample_weight=sample_weight)

    def decision_function(self, X):
        return self._values(X)

    def predict(self, X):
        return (self._values(X) > 0).astype(int)


FLAT = [
    entry.load()
    for entry in CATALOGUE.values()
    if issubclass(entry.load(), FlatReduction) and entry.load().row_by_row
]

FLAT_BY_SUMS = [one for one in FLAT if one is not OneSidedRegression]


def learner_for(reduction, by_sums=True):
    values = reduction in (OneSidedRegression, RegressionOneVsAll)
    if by_sums:
        return SumsRegressor() if values else SumsClassifier()
    return SGDRegressor(random_state=1) if values else SGDClassifier(random_state=1)


def rows_of(blobs, n=90):
    X, y, X_new, rng = blobs(n=n)
    return X, NAMES[y], X_new, rng


def in_blocks(model, X, y, cuts, **each):
    """Fed in blocks; ``each`` are arrays by row."""
    for part in np.array_split(np.arange(len(y)), cuts):
        own = {name: values[part] for name, values in each.items()}
        model.partial_fit(X[part], y[part], classes=NAMES, **own)
    return model


@pytest.mark.parametrize(
    "reduction", [one for one in FLAT if one is not OneSidedRegression]
)
@pytest.mark.parametrize("priced", ["matrix", "rows"])
def test_blocks_give_what_all_rows_give_where_the_learner_does(
    reduction, priced, blobs, example_costs
):
    X, y, X_new, rng = rows_of(blobs)
    weight = rng.uniform(0.5, 2, len(y))
    weight[::7] = 0
    each, options = {"sample_weight": weight}, {"softness": 0.3}
    if priced == "rows":
        each["costs"] = 5 * example_costs(np.searchsorted(NAMES, y), rng, 4)
    else:
        options["cost_matrix"] = PRICES
    if priced == "rows":  # the largest price is in the first block, as it has to be
        each["sample_weight"][0] = 1.0
    whole = reduction(learner_for(reduction), **options).fit(X, y, **each)
    model = in_blocks(reduction(learner_for(reduction), **options), X, y, 5, **each)
    assert model.cost_scale_ == whole.cost_scale_
    np.testing.assert_array_equal(model.classes_, whole.classes_)
    np.testing.assert_allclose(
        model.decision_function(X_new), whole.decision_function(X_new), atol=1e-8
    )


@pytest.mark.parametrize("reduction", FLAT)
def test_a_block_is_what_learners_are_given_by_hand(reduction, blobs):
    X, y, X_new, _ = rows_of(blobs)
    learner = learner_for(reduction, by_sums=False)
    model = reduction(learner, cost_matrix=PRICES, softness=0.2)
    model.partial_fit(X[:50], y[:50], classes=NAMES[::-1])
    model.partial_fit(X[50:], y[50:])
    problem = model.check_data(X, y, all_classes=NAMES).rows.problem(0.2)
    outputs = []
    for one in model.subproblems(problem):
        own = clone(reduction(learner).working_learner())
        for part in (slice(50), slice(50, None)):
            target, weight = one.target[part], one.weight[part]
            kept, extra = weight > 0, {}
            if reduction is OneSidedRegression:
                extra["side"] = one.side[part][kept]
            if isinstance(learner, SGDClassifier):
                target, extra["classes"] = (target > 0).astype(int), [0, 1]
            own.partial_fit(
                X[part][kept], target[kept], sample_weight=weight[kept], **extra
            )
        answer = getattr(own, "decision_function", own.predict)
        outputs.append(answer(X_new))
    scores = model.combine(np.column_stack(outputs), 4)
    np.testing.assert_allclose(model.decision_function(X_new), scores, rtol=1e-12)


@pytest.mark.parametrize("reduction", FLAT)
def test_classes_that_come_late_are_learnt(reduction, blobs):
    X, y, _, _ = rows_of(blobs, n=400)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    order = np.argsort(y, kind="stable")
    model = reduction(learner_for(reduction), cost_matrix=PRICES)
    for part in np.array_split(order, 4):  # one class, or two, at a time
        model.partial_fit(X[part], y[part], classes=NAMES)
    assert set(model.predict(X)) == set(NAMES)
    other = reduction(learner_for(reduction), cost_matrix=PRICES)
    other.partial_fit(X[order], y[order], classes=NAMES)
    if reduction is not OneSidedRegression:
        np.testing.assert_array_equal(model.predict(X), other.predict(X))


def test_a_pair_that_no_row_tells_apart_yet_does_not_decide(blobs):
    X, y, X_new, _ = rows_of(blobs)
    model = CostSensitiveOneVsOne(SumsClassifier(), cost_matrix=1 - np.eye(4))
    some = np.isin(y, NAMES[:2])
    model.partial_fit(X[some], y[some], classes=NAMES)
    assert model.estimators_[-1] is None  # cat against dog
    assert np.isfinite(model.decision_function(X_new)).all()
    model.partial_fit(X[~some], y[~some])
    whole = CostSensitiveOneVsOne(SumsClassifier(), cost_matrix=1 - np.eye(4)).fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(X_new), whole.decision_function(X_new), atol=1e-8
    )


def test_two_classes_and_actions(blobs):
    X, y, X_new, _ = rows_of(blobs)
    y = np.where(np.isin(y, NAMES[:2]), "no", "yes")
    prices = pd.DataFrame(
        [[0, 2, 0.5], [9, 0, 0.7]], index=["no", "yes"], columns=["no", "yes", "ask"]
    )
    for reduction in FLAT:
        learner = learner_for(reduction)
        model = reduction(learner, cost_matrix=prices)
        model.partial_fit(X[:40], y[:40]).partial_fit(X[40:], y[40:])
        assert model.actions_.tolist() == ["no", "yes", "ask"]
        assert set(model.predict(X_new)) <= {"no", "yes", "ask"}
        model = reduction(learner, cost_matrix=prices[["no", "yes"]])
        model.partial_fit(X[:40], y[:40]).partial_fit(X[40:], y[40:])
        assert model.decision_function(X_new).shape == (len(X_new),)


def test_the_scale_of_costs_is_that_of_the_first_block(blobs, example_costs):
    X, y, X_new, rng = rows_of(blobs)
    costs = example_costs(np.searchsorted(NAMES, y), rng, 4)
    costs[50:] *= 10
    model = RegressionOneVsAll(SumsRegressor(), softness=0.5)
    model.partial_fit(X[:50], y[:50], costs=costs[:50], classes=NAMES)
    model.partial_fit(X[50:], y[50:], costs=costs[50:])
    soft = 0.5 * costs + 0.5 * (y[:, None] != NAMES)
    hard = RegressionOneVsAll(SumsRegressor()).fit(X, y, costs=soft)
    assert model.cost_scale_ == costs[:50].max()
    np.testing.assert_allclose(
        model.decision_function(X_new),
        hard.cost_scale_ * hard.decision_function(X_new),
        atol=1e-8,
    )


def test_it_learns_from_a_stream(blobs):
    X, y, _, _ = rows_of(blobs, n=3000)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for reduction in FLAT:
        model = reduction(learner_for(reduction, by_sums=False))
        model = in_blocks(model, X, y, 30)
        assert np.mean(model.predict(X) != y) < 0.68, reduction  # by chance 0.75


def test_goes_on_after_fit_and_fit_starts_again(blobs):
    X, y, X_new, _ = rows_of(blobs)
    model = WeightedAllPairs(SumsClassifier(), cost_matrix=PRICES, classes=NAMES)
    whole = WeightedAllPairs(SumsClassifier(), cost_matrix=PRICES).fit(X, y)
    model.fit(X[:60], y[:60]).partial_fit(X[60:], y[60:])
    np.testing.assert_allclose(
        model.decision_function(X_new), whole.decision_function(X_new), atol=1e-8
    )
    model.partial_fit(X[:30], y[:30])
    np.testing.assert_array_equal(model.fit(X, y).predict(X_new), whole.predict(X_new))


def test_a_model_that_was_fed_is_saved(blobs, tmp_path):
    X, y, X_new, _ = rows_of(blobs)
    model = in_blocks(OneSidedRegression(SGDRegressor(random_state=0)), X, y, 3)
    save(model, tmp_path / "model.softcost")
    again = load(tmp_path / "model.softcost")
    np.testing.assert_array_equal(again.predict(X_new), model.predict(X_new))


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_seeds_do_not_depend_on_jobs(blobs, n_jobs):
    X, y, X_new, _ = rows_of(blobs)
    model = CostSensitiveOneVsOne(SGDClassifier(), random_state=3, n_jobs=n_jobs)
    first = in_blocks(model, X, y, 2).decision_function(X_new)
    alone = CostSensitiveOneVsOne(SGDClassifier(), random_state=3)
    again = in_blocks(alone, X, y, 2).decision_function(X_new)
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (CostSensitiveOneVsOne(), "KernelSVC has no partial_fit"),
        (OneSidedRegression(Ridge()), "Ridge has no partial_fit"),
        (OneSidedRegression(SGDClassifier()), "SGDClassifier is not a regressor"),
        (ZhouLiuRescaling(SGDClassifier()), "needs all rows at once"),
    ],
)
def test_no_partial_fit_where_it_cannot_be(model, reason):
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError) as told:
        _ = model.partial_fit
    assert reason in str(told.value.__cause__)
    assert not hasattr(SoftCostClassifierCV(model), "partial_fit")


def test_refusals(blobs, example_costs):
    X, y, _, rng = rows_of(blobs)
    costs = example_costs(np.searchsorted(NAMES, y), rng, 4)

    def fed(**options):
        model = CostSensitiveOneVsOne(GaussianNB(), **options)
        return model.partial_fit(X, y, classes=NAMES)

    with pytest.raises(ValueError, match="classes is missing"):
        CostSensitiveOneVsOne(GaussianNB(), cost_matrix=PRICES).partial_fit(X, y)
    with pytest.raises(ValueError, match="differ from the earlier classes"):
        fed().partial_fit(X, y, classes=NAMES[:3])
    with pytest.raises(ValueError, match="differ from the earlier classes"):
        fed(classes=NAMES[:3])
    with pytest.raises(ValueError, match="has costs by example, unlike"):
        fed().partial_fit(X, y, costs=costs)
    model = CostSensitiveOneVsOne(GaussianNB())
    model.partial_fit(X, y, costs=costs, classes=NAMES)
    with pytest.raises(ValueError, match="has no costs by example"):
        model.partial_fit(X, y)
    with pytest.raises(ValueError, match="cost_matrix was changed"):
        fed(cost_matrix=PRICES).set_params(cost_matrix=2 * PRICES).partial_fit(X, y)
    with pytest.raises(ValueError, match="features"):
        fed().partial_fit(X[:, :1], y)
    with pytest.raises(ValueError, match="labels that"):
        fed().partial_fit(X, np.full(len(y), "eel"))
    with pytest.raises(ValueError, match="needs the class sizes"):
        fed(error_weight="balanced")


def test_weights_that_a_learner_cannot_take_are_refused(blobs):
    X, y, _, _ = rows_of(blobs)
    weight = np.linspace(1, 2, len(y))

    class Unweighted(SumsRegressor):
        def partial_fit(self, X, y):
            return super().partial_fit(X, y)

    for reduction in (RegressionOneVsAll, OneSidedRegression):
        model = reduction(Unweighted())
        with pytest.raises(ValueError, match="sample weights in partial_fit"):
            model.partial_fit(X, y, classes=NAMES, sample_weight=weight)
        assert not hasattr(model, "classes_")
        model.partial_fit(X, y, classes=NAMES).predict(X)
    RegressionOneVsAll(MLPRegressor(hidden_layer_sizes=3)).partial_fit(
        X, y, classes=NAMES
    ).predict(X)
