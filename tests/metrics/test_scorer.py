"""The scorer selects by cost, or refuses; it never selects by accuracy."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.metadata_routing import get_routing_for_object

from softcost.metrics import cost_scorer, mean_cost

CLASSES = np.array(["a", "b", "c"])
Y = np.array(["a"] * 12 + ["b"] * 6 + ["c"] * 3)
X = np.arange(len(Y), dtype=float)[:, None]
# "a" is frequent, so it has the best accuracy; "c" is the safe, cheap answer.
PRICES = np.array([[0.0, 9.0, 1.0], [8.0, 0.0, 2.0], [30.0, 7.0, 0.0]])
FRAME = pd.DataFrame(PRICES, CLASSES, CLASSES)
COSTS = PRICES[np.searchsorted(CLASSES, Y)]
GRID = {"answer": ["a", "b", "c"]}


class Constant(ClassifierMixin, BaseEstimator):
    """Always the same answer; requests costs in fit as our estimators do."""

    __metadata_request__fit = {"costs": True}  # noqa: RUF012

    def __init__(self, answer="a"):
        self.answer = answer

    def fit(self, X, y, costs=None):
        self.classes_ = np.unique(y)
        if costs is not None:
            assert len(costs) == len(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.answer)


@pytest.fixture(params=[False, True], ids=["routing off", "routing on"])
def routing(request):
    with sklearn.config_context(enable_metadata_routing=request.param):
        yield request.param


def search(scoring, **options):
    return GridSearchCV(Constant(), GRID, cv=3, scoring=scoring, **options)


def test_accuracy_would_choose_otherwise():
    best = search("accuracy").fit(X, Y).best_params_["answer"]
    costs = {k: mean_cost(Y, [k] * len(Y), cost_matrix=FRAME) for k in CLASSES}
    assert best == "a"
    assert min(costs, key=costs.__getitem__) == "c"
    transposed = {k: mean_cost(Y, [k] * len(Y), cost_matrix=FRAME.T) for k in CLASSES}
    assert min(transposed, key=transposed.__getitem__) != "c"


@pytest.mark.parametrize(
    "scorer",
    [
        cost_scorer(FRAME),
        cost_scorer(FRAME.loc[["c", "a", "b"], ["b", "a", "c"]]),
        cost_scorer(PRICES),
        cost_scorer(PRICES, classes=CLASSES),
        cost_scorer(PRICES[::-1, ::-1], classes=CLASSES[::-1]),
        cost_scorer(FRAME.T.to_dict()),
    ],
    ids=["frame", "shuffled frame", "array", "with classes", "reversed", "dict"],
)
def test_bound_matrix_selects_by_cost(routing, scorer):
    found = search(scorer).fit(X, Y)
    assert found.best_params_["answer"] == "c"
    expected = -mean_cost(Y, ["c"] * len(Y), cost_matrix=FRAME)
    assert found.best_score_ == pytest.approx(expected)
    assert found.score(X, Y) == pytest.approx(expected)
    scores = cross_validate(Constant("c"), X, Y, cv=3, scoring={"cost": scorer})
    assert scores["test_cost"].mean() == pytest.approx(expected)


def test_bound_matrix_lets_costs_through_to_fit(routing):
    found = search(cost_scorer(FRAME)).fit(X, Y, costs=COSTS)
    assert found.best_params_["answer"] == "c"


def test_unbound_scorer_selects_by_routed_costs():
    with sklearn.config_context(enable_metadata_routing=True):
        for costs in (COSTS, pd.DataFrame(COSTS[:, ::-1], columns=CLASSES[::-1])):
            found = search(cost_scorer()).fit(X, Y, costs=costs)
            assert found.best_params_["answer"] == "c"
            expected = -mean_cost(Y, ["c"] * len(Y), cost_matrix=FRAME)
            assert found.best_score_ == pytest.approx(expected)
            scores = cross_validate(
                Constant("c"),
                X,
                Y,
                cv=3,
                scoring={"cost": cost_scorer(), "accuracy": "accuracy"},
                params={"costs": costs},
            )
            assert scores["test_cost"].mean() == pytest.approx(expected)


def test_costs_are_sliced_with_the_rows():
    """Costs that belong to the row, not to the class."""
    rng = np.random.default_rng(0)
    costs = rng.uniform(1, 9, COSTS.shape)
    costs[np.arange(len(Y)), np.searchsorted(CLASSES, Y)] = 0.0
    folds = [(np.arange(0, 21, 2), np.arange(1, 21, 2))]
    with sklearn.config_context(enable_metadata_routing=True):
        score = cross_val_score(
            Constant("b"),
            X,
            Y,
            cv=folds,
            scoring=cost_scorer(),
            params={"costs": costs},
        )
    assert score == pytest.approx([-costs[1::2, 1].mean()])


def test_unbound_scorer_refuses_without_costs(routing):
    with pytest.raises(ValueError, match=r"costs .* cost_scorer\(cost_matrix="):
        search(cost_scorer(), error_score="raise").fit(X, Y)
    with pytest.raises(ValueError, match="costs did not reach"):
        cost_scorer()(Constant().fit(X, Y), X, Y)
    with pytest.raises(ValueError, match="costs did not reach"):
        cross_val_score(
            Constant(), X, Y, cv=3, scoring=cost_scorer(), error_score="raise"
        )


def test_costs_that_cannot_reach_the_scorer_are_not_replaced_by_accuracy():
    """Without routing a search slices costs into fit only."""
    with pytest.raises(ValueError, match="enable_metadata_routing"):
        search(cost_scorer(), error_score="raise").fit(X, Y, costs=COSTS)
    with pytest.warns(UserWarning, match=r"Scoring failed|non-finite"):
        found = search(cost_scorer(), refit=False).fit(X, Y, costs=COSTS)
    assert np.isnan(found.cv_results_["mean_test_score"]).all()


def test_direct_call(routing):
    model = Constant("b").fit(X, Y)
    expected = -mean_cost(Y, ["b"] * len(Y), cost_matrix=FRAME)
    assert cost_scorer(PRICES)(model, X, Y) == pytest.approx(expected)
    assert cost_scorer()(model, X, Y, costs=COSTS) == pytest.approx(expected)
    assert expected < 0
    weights = np.arange(1.0, len(Y) + 1)
    expected = -mean_cost(Y, ["b"] * len(Y), cost_matrix=FRAME, sample_weight=weights)
    for scorer, more in ((cost_scorer(PRICES), {}), (cost_scorer(), {"costs": COSTS})):
        found = scorer(model, X, Y, sample_weight=weights, **more)
        assert found == pytest.approx(expected)


def test_pipeline(routing):
    model = make_pipeline(FunctionTransformer(), Constant("c")).fit(X, Y)
    expected = -mean_cost(Y, ["c"] * len(Y), cost_matrix=FRAME)
    assert cost_scorer(PRICES)(model, X, Y) == pytest.approx(expected)


def test_fold_without_a_class_is_completed_by_the_estimator():
    model = Constant("b").fit(X, Y)
    rows = Y != "c"
    expected = -mean_cost(Y[rows], ["b"] * rows.sum(), cost_matrix=FRAME)
    assert cost_scorer(PRICES)(model, X[rows], Y[rows]) == pytest.approx(expected)
    found = cost_scorer()(model, X[rows], Y[rows], costs=COSTS[rows])
    assert found == pytest.approx(expected)


def test_fold_without_a_class_by_y():
    model = Constant("b").fit(X[Y != "c"], Y[Y != "c"])
    expected = -mean_cost(Y, ["b"] * len(Y), cost_matrix=FRAME)
    assert cost_scorer(PRICES)(model, X, Y) == pytest.approx(expected)


def test_class_that_nobody_knows_needs_classes():
    rows = Y != "c"
    model = Constant("b").fit(X[rows], Y[rows])
    with pytest.raises(ValueError, match=r"cost_matrix .*classes="):
        cost_scorer(PRICES)(model, X[rows], Y[rows])
    expected = -mean_cost(Y[rows], ["b"] * rows.sum(), cost_matrix=FRAME)
    for scorer in (cost_scorer(PRICES, CLASSES), cost_scorer(FRAME)):
        assert scorer(model, X[rows], Y[rows]) == pytest.approx(expected)


def test_unsorted_classes_of_an_estimator_are_not_guessed():
    model = Constant("b").fit(X, Y)
    model.classes_ = np.array(["c", "a", "b"])
    expected = -mean_cost(Y, ["b"] * len(Y), cost_matrix=FRAME)
    with pytest.raises(ValueError, match="pass classes= to cost_scorer"):
        cost_scorer(PRICES)(model, X, Y)
    assert cost_scorer(FRAME)(model, X, Y) == pytest.approx(expected)
    assert cost_scorer(PRICES, CLASSES)(model, X, Y) == pytest.approx(expected)


def test_estimator_without_classes():
    class Bare:
        def predict(self, X):
            return ["b"] * len(X)

    expected = -mean_cost(Y, ["b"] * len(Y), cost_matrix=FRAME)
    assert cost_scorer(PRICES)(Bare(), X, Y) == pytest.approx(expected)


@pytest.mark.parametrize(
    "scorer", [cost_scorer(), cost_scorer(FRAME), cost_scorer(PRICES, CLASSES)]
)
def test_clone_and_pickle(scorer):
    model = Constant("b").fit(X, Y)
    costs = {"costs": COSTS} if "cost_matrix" not in scorer.get_params() else {}
    expected = scorer(model, X, Y, **costs)
    for copy in (
        clone(scorer),
        pickle.loads(pickle.dumps(scorer)),
        clone(search(scorer)).scoring,
    ):
        assert type(copy) is type(scorer)
        assert copy(model, X, Y, **costs) == expected
    assert "CostScorer" in repr(scorer)


def test_what_it_requests():
    with sklearn.config_context(enable_metadata_routing=True):
        unbound = get_routing_for_object(cost_scorer())
        assert unbound.consumes("score", ["costs"]) == {"costs"}
        bound = get_routing_for_object(cost_scorer(PRICES))
        assert bound.consumes("score", ["costs"]) == set()
        weighted = cost_scorer(PRICES).set_score_request(sample_weight=True)
        assert get_routing_for_object(weighted).consumes(
            "score", ["sample_weight"]
        ) == {"sample_weight"}
        assert clone(weighted).get_metadata_routing().consumes(
            "score", ["sample_weight"]
        ) == {"sample_weight"}


def test_thresholds_are_tuned_to_the_least_cost():
    """Missing the second class costs nine times a false alarm: an alarm pays early."""

    class Sure(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict_proba(self, X):
            return np.c_[1 - X[:, 0], X[:, 0]]

    share = np.repeat([0.05, 0.2, 0.4, 0.8], 20)
    y = (np.tile(np.arange(20), 4) / 20 < share).astype(int)
    scorer = cost_scorer([[0, 1], [9, 0]])
    model = TunedThresholdClassifierCV(
        Sure().fit(share[:, None], y),
        scoring=scorer,
        cv="prefit",
        refit=False,
        thresholds=[0.1, 0.3, 0.6, 0.9],
    )
    model.fit(share[:, None], y)
    assert model.best_threshold_ == 0.1
    assert model.best_score_ == pytest.approx(scorer(model, share[:, None], y))
