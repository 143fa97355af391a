"""The search as users of scikit-learn expect it."""

import threading

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    ParameterGrid,
    PredefinedSplit,
    TunedThresholdClassifierCV,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_info, threadpool_limits

from softcost.metrics import cost_scorer
from softcost.parallel import one_thread
from softcost.reductions import (
    CATALOGUE,
    CostSensitiveOneVsOne,
    FilterTree,
    MetaCost,
    MinimumExpectedCost,
    OneSidedRegression,
    RegressionOneVsAll,
)
from softcost.search import RandomizedPair, SoftCostClassifierCV
from softcost.svm import KernelSVC

MATRIX = np.array([[0, 1, 5], [1, 0, 5], [9, 9, 0.0]])
FAST = {"softness": 3, "cv": 3}


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def linear():
    return LogisticRegression(max_iter=1000)


def test_results_have_the_names_of_scikit_learn(iris):
    found = SoftCostClassifierCV(
        CostSensitiveOneVsOne(linear()), cost_matrix=MATRIX, **FAST
    ).fit(*iris)
    results = found.cv_results_
    splits = np.array([results[f"split{k}_test_score"] for k in range(3)])
    np.testing.assert_allclose(results["mean_test_score"], splits.mean(axis=0))
    np.testing.assert_allclose(results["std_test_score"], splits.std(axis=0))
    assert results["rank_test_score"].min() == 1
    assert (results["mean_fit_time"] > 0).all()
    assert found.n_splits_ == 3
    assert found.refit_time_ > 0
    assert found.best_params_ == results["params"][found.best_index_]
    assert found.best_params_["softness"] == found.best_softness_
    assert found.best_score_ == results["mean_test_score"][found.best_index_]
    X, y = iris
    assert found.scorer_(found, X, y) == found.score(X, y)


def test_without_a_refit_there_is_nothing_to_predict_with(iris):
    X, y = iris
    found = SoftCostClassifierCV(
        OneSidedRegression(), cost_matrix=MATRIX, refit=False, **FAST
    ).fit(X, y)
    for method in ("predict", "decision_function", "score", "predict_proba"):
        assert not hasattr(found, method)
    with pytest.raises(AttributeError):
        found.predict(X)
    with pytest.raises(NotFittedError):
        SoftCostClassifierCV(OneSidedRegression()).predict(X)


def test_a_new_fit_forgets_the_old_model(iris):
    X, y = iris
    frame = pd.DataFrame(X, columns=list("abcd"))
    found = SoftCostClassifierCV(OneSidedRegression(), cost_matrix=MATRIX, **FAST).fit(
        frame, y
    )
    found.mix(1.0)
    found.set_params(refit=False).fit(X[:, :2], y)
    for name in ("best_estimator_", "mix_", "feature_names_in_", "predict"):
        assert not hasattr(found, name)


def test_probabilities_and_expected_costs_are_those_of_the_model(iris):
    X, y = iris
    found = SoftCostClassifierCV(MinimumExpectedCost(), cost_matrix=MATRIX, **FAST)
    assert hasattr(found, "predict_proba")
    found.fit(X, y)
    np.testing.assert_array_equal(
        found.predict_proba(X), found.best_estimator_.predict_proba(X)
    )
    assert found.expected_costs(X).shape == (len(y), 3)
    assert not hasattr(SoftCostClassifierCV(OneSidedRegression()), "predict_proba")


@pytest.mark.parametrize(
    ("reduction", "grid"),
    [
        (FilterTree(linear()), {"order": [[0, 1, 2], [2, 1, 0]]}),
        (FilterTree(), {"order": [[0, 1, 2], [2, 1, 0]], "C": [1, 16]}),
        (FilterTree(), {"learner__C": [1, 16]}),
        (OneSidedRegression(Ridge()), {"alpha": [0.1, 10]}),
        (OneSidedRegression(Ridge()), {"learner__alpha": [0.1, 10]}),
        (
            CostSensitiveOneVsOne(make_pipeline(StandardScaler(), linear())),
            {"learner__logisticregression__C": [0.1, 1]},
        ),
        (CostSensitiveOneVsOne(), {"learner": [linear(), KernelSVC(C=4)]}),
        (CostSensitiveOneVsOne(), [{"C": [1]}, {"C": [4], "kernel": ["rbf"]}]),
        (MetaCost(linear(), random_state=0), {"n_resamples": [2, 3]}),
    ],
    ids=lambda one: str(one)[:60],
)
def test_whatever_a_reduction_takes_can_be_tuned(reduction, grid, iris):
    X, y = iris
    found = SoftCostClassifierCV(
        reduction, cost_matrix=MATRIX, param_grid=grid, softness=[0.0, 1.0], cv=2
    ).fit(X, y)
    assert len(found.tradeoff_) == 2 * len(ParameterGrid(grid))
    for index in range(len(found.tradeoff_)):
        params = found.cv_results_["params"][index]
        model = found.candidate(index)
        own, inner = model.split_params(
            {name: value for name, value in params.items() if name != "softness"}
        )
        for name, value in own.items():
            assert repr(getattr(model, name)) == repr(value)
        known = model.chosen_learner().get_params()
        assert all(known[name] == value for name, value in inner.items())
        assert model.softness == params["softness"]


def test_without_a_grid_regressors_have_one(iris):
    X, y = iris
    found = SoftCostClassifierCV(
        OneSidedRegression(Ridge()), cost_matrix=MATRIX, softness=[0.0, 1.0], cv=2
    ).fit(X, y)
    tried = found.tradeoff_["alpha"].unique()
    assert len(tried) > 1
    assert found.candidate(0).chosen_learner().alpha in tried


class Cushioned(LogisticRegression):
    """A learner with a parameter of the same name as the search's own."""

    def __init__(self, softness=1.0):
        super().__init__(max_iter=1000)
        self.softness = softness

    def fit(self, X, y, sample_weight=None):
        self.C = self.softness
        return super().fit(X, y, sample_weight)


def test_a_learner_may_have_a_softness_of_its_own(iris):
    X, y = iris
    grid = {"learner__softness": [0.01, 50.0]}
    found = SoftCostClassifierCV(
        CostSensitiveOneVsOne(Cushioned()),
        cost_matrix=MATRIX,
        softness=[0.0, 1.0],
        param_grid=grid,
        cv=2,
    ).fit(X, y)
    assert found.best_softness_ in (0.0, 1.0)
    assert found.best_params_["learner__softness"] in grid["learner__softness"]
    assert sorted(found.tradeoff_["softness"]) == [0.0, 0.0, 1.0, 1.0]
    model = found.candidate(0)
    told = found.cv_results_["params"][0]
    assert model.softness == told["softness"]
    assert model.learner.softness == told["learner__softness"]


def test_settings_with_different_names_share_a_table(iris):
    X, y = iris
    grid = [{"C": [1.0]}, {"C": [4.0], "kernel": ["rbf"], "gamma": [0.5]}]
    found = SoftCostClassifierCV(
        CostSensitiveOneVsOne(), cost_matrix=MATRIX, param_grid=grid, **FAST
    ).fit(X, y)
    assert found.tradeoff_["kernel"].isna().tolist() == [True] * 3 + [False] * 3
    assert found.cv_results_["param_gamma"].mask.tolist() == [True] * 3 + [False] * 3
    again = SoftCostClassifierCV(
        CostSensitiveOneVsOne(KernelSVC(kernel="rbf", gamma=0.5)),
        cost_matrix=MATRIX,
        param_grid={"C": [4.0]},
        **FAST,
    ).fit(X, y)
    np.testing.assert_array_equal(
        found.tradeoff_["cost"][3:].to_numpy(), again.tradeoff_["cost"].to_numpy()
    )


@pytest.mark.parametrize("name", ["csovo", "wap", "csft", "cszl"])
@pytest.mark.parametrize("learner", [None, LogisticRegression()])
def test_two_classes_are_scored_by_the_margin(name, learner):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=300)
    X = rng.normal(size=(300, 2)) + y[:, None]
    model = CATALOGUE[name].load()(learner).fit(X[:200], y[:200])
    inside = clone(model.chosen_learner()).fit(X[:200], y[:200])
    scores = model.decision_function(X[200:])
    assert roc_auc_score(y[200:], scores) == pytest.approx(
        roc_auc_score(y[200:], inside.decision_function(X[200:])), abs=1e-3
    )
    np.testing.assert_array_equal(model.predict(X[200:]), (scores > 0).astype(int))


@pytest.mark.parametrize("name", ["csovo", "wap", "cszl"])
def test_margins_decide_only_where_votes_tie(name):
    rng = np.random.default_rng(1)
    y = rng.integers(5, size=400)
    X = rng.normal(size=(400, 3)) + 0.7 * np.eye(5)[y][:, :3]
    learner = KernelSVC(C=0.1)
    cls = CATALOGUE[name].load()
    model = cls(learner).fit(X, y)
    votes = cls(learner, tie_break="first").fit(X, y).decision_function(X)
    best = votes.max(axis=1)
    chosen = model.predict(X)
    np.testing.assert_array_equal(votes[np.arange(400), chosen], best)
    tied = (votes == best[:, None]).sum(axis=1) > 1
    assert tied.any()
    first = votes.argmax(axis=1)
    np.testing.assert_array_equal(chosen[~tied], first[~tied])
    assert (chosen[tied] != first[tied]).any()


def test_kernel_matrices_are_cut_in_both_directions(iris):
    X, y = iris
    gram = X @ X.T
    inner = SVC(kernel="precomputed", C=0.5)
    for name in ("csovo", "csft", "cszl", "metacost"):
        params = {"random_state": 0} if name == "metacost" else {}
        cls = CATALOGUE[name].load()
        given = cls(inner, cost_matrix=MATRIX, **params).fit(gram, y)
        rows = cls(SVC(kernel="linear", C=0.5), cost_matrix=MATRIX, **params).fit(X, y)
        np.testing.assert_array_equal(given.predict(gram), rows.predict(X))
    grid = {"param_grid": {"C": [0.1, 1]}, **FAST}
    found = SoftCostClassifierCV(
        CostSensitiveOneVsOne(inner), cost_matrix=MATRIX, **grid
    ).fit(gram, y)
    again = SoftCostClassifierCV(
        CostSensitiveOneVsOne(SVC(kernel="linear")), cost_matrix=MATRIX, **grid
    ).fit(X, y)
    pd.testing.assert_frame_equal(found.tradeoff_, again.tradeoff_)
    with pytest.raises(ValueError, match="square kernel matrix"):
        CostSensitiveOneVsOne(inner).fit(gram[:, :9], y)
    with pytest.raises(TypeError, match="kernel matrix"):
        CATALOGUE["gbse"].load()(inner).fit(gram, y)


def test_a_mixture_decides_row_by_row(iris):
    X, y = iris
    found = SoftCostClassifierCV(
        OneSidedRegression(), cost_matrix=MATRIX, random_state=0, **FAST
    ).fit(X, y)
    table = found.tradeoff_
    best, worst = int(table["error"].idxmin()), int(table["error"].idxmax())
    pair = RandomizedPair(
        found.candidate(best), found.candidate(worst), 0.5, random_state=3
    )
    together = pair.predict(X)
    one_by_one = np.concatenate([pair.predict(X[[n]]) for n in range(len(X))])
    np.testing.assert_array_equal(together, one_by_one)
    other = RandomizedPair(pair.first, pair.second, 0.5, random_state=4)
    drawn = np.array([one.draws(X) for one in (pair, other)])
    assert (drawn[0] != drawn[1]).any()
    assert 0.3 < drawn.mean() < 0.7
    assert pair.score(X, y) <= 0
    with pytest.raises(NotFittedError):
        clone(pair).predict(X)


def test_mixtures_of_tables_and_sparse_rows_agree(iris):
    from scipy import sparse

    X, y = iris
    model = CostSensitiveOneVsOne(linear()).fit(X, y)
    pair = RandomizedPair(model, model, 0.5, random_state=0)
    dense = pair.draws(X)
    np.testing.assert_array_equal(pair.draws(pd.DataFrame(X)), dense)
    np.testing.assert_array_equal(pair.draws(sparse.csr_matrix(X)), dense)


@pytest.mark.parametrize(
    "learner",
    [
        GridSearchCV(linear(), {"C": [0.1, 1]}, cv=2),
        VotingClassifier([("a", linear()), ("b", SVC())]),
    ],
    ids=["search", "vote"],
)
def test_learners_that_hand_weights_on(learner, iris):
    X, y = iris
    model = CostSensitiveOneVsOne(learner, cost_matrix=MATRIX).fit(X, y)
    assert np.mean(model.predict(X) != y) < 0.2


def test_weights_of_one_are_not_passed(iris):
    class Proud(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            assert sample_weight is None
            return super().fit(X, y)

    X, y = iris
    MinimumExpectedCost(Proud(max_iter=1000), cost_matrix=MATRIX).fit(X, y)
    CostSensitiveOneVsOne(Proud(max_iter=1000)).fit(X, y)


def test_texts_are_left_to_the_learner():
    texts = ["good film", "bad film", "good play", "bad play", "fine film"] * 4
    y = np.array(["+", "-", "+", "-", "0"] * 4)
    learner = make_pipeline(TfidfVectorizer(), linear())
    for X in (texts, np.array(texts), pd.Series(texts)):
        found = SoftCostClassifierCV(
            CostSensitiveOneVsOne(learner), param_grid={}, softness=2, cv=2
        ).fit(X, y)
        assert (found.predict(X) == y).all()


def test_thresholds_can_be_tuned_by_cost():
    X, y = load_iris(return_X_y=True)
    y = (y == 2).astype(int)
    scorer = cost_scorer(cost_matrix=[[0, 1], [20, 0]])
    tuned = TunedThresholdClassifierCV(linear(), scoring=scorer, cv=3).fit(X, y)
    assert tuned.best_threshold_ < 0.5


@threadpool_limits.wrap(limits=2, user_api="blas")
def test_two_fits_at_once_leave_the_threads_as_they_were():
    def threads():
        found = [one for one in threadpool_info() if one["user_api"] == "blas"]
        return sorted((one["filepath"], one["num_threads"]) for one in found)

    before, inside, go = threads(), threading.Event(), threading.Event()

    def other():
        with one_thread():
            inside.set()
            go.wait()

    worker = threading.Thread(target=other)
    with one_thread():
        worker.start()
        inside.wait()
        assert all(n == 1 for _, n in threads())
    assert all(n == 1 for _, n in threads())  # the other still wants one
    go.set()
    worker.join()
    assert threads() == before


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RegressionOneVsAll(linear()), "not a regressor"),
        (lambda: CostSensitiveOneVsOne(StandardScaler()), "not a classifier"),
        (lambda: CostSensitiveOneVsOne(KMeans()), "not a classifier"),
        (lambda: CostSensitiveOneVsOne(LogisticRegression), "an instance"),
        (lambda: MetaCost(Ridge()), "not a classifier"),
        (lambda: CATALOGUE["costing"].load()(Ridge()), "not a classifier"),
        (lambda: FilterTree(order=5), "order must name"),
        (
            lambda: SoftCostClassifierCV(OneSidedRegression(), param_grid=[]),
            "param_grid is empty",
        ),
        (
            lambda: SoftCostClassifierCV(
                OneSidedRegression(), param_grid={"softness": [0]}
            ),
            "softness=",
        ),
        (lambda: SoftCostClassifierCV(OneSidedRegression(), cv=[]), "cv"),
        (
            lambda: SoftCostClassifierCV(OneSidedRegression(), cv=[([0, 60, 120], [])]),
            "cv",
        ),
        (
            lambda: SoftCostClassifierCV(
                OneSidedRegression(), cost_matrix=MATRIX * 1e307
            ),
            "overflow",
        ),
    ],
)
def test_what_cannot_work_is_refused_in_a_sentence(make, message, iris):
    with pytest.raises((TypeError, ValueError), match=message) as refused:
        make().fit(*iris)
    assert "\n" not in str(refused.value)


def test_folds_may_be_masks(iris):
    X, y = iris
    part = np.arange(len(y)) % 3
    masks = [(part != k, part == k) for k in range(3)]
    found = SoftCostClassifierCV(
        OneSidedRegression(), cost_matrix=MATRIX, softness=2, cv=masks
    ).fit(X, y)
    again = SoftCostClassifierCV(
        OneSidedRegression(), cost_matrix=MATRIX, softness=2, cv=PredefinedSplit(part)
    ).fit(X, y)
    pd.testing.assert_frame_equal(found.tradeoff_, again.tradeoff_)


def test_scores_need_as_many_labels_as_rows(iris):
    X, y = iris
    model = SoftCostClassifierCV(OneSidedRegression(), cost_matrix=MATRIX, **FAST).fit(
        X, y
    )
    for labels in (y, y[:5]):
        with pytest.raises(ValueError, match="y_pred has 10"):
            model.score(X[:10], labels)
    for weight in (-np.ones(10), np.full(10, np.nan), np.zeros(10)):
        with pytest.raises(ValueError, match="sample_weight"):
            model.score(X[:10], y[:10], sample_weight=weight)


def test_labels_in_a_table_of_one_column(iris):
    X, y = iris
    with pytest.warns(Warning, match="column-vector"):
        model = CostSensitiveOneVsOne(linear(), cost_matrix=MATRIX).fit(
            X, pd.DataFrame({"y": y})
        )
    assert np.mean(model.predict(X) != y) < 0.2


def test_a_class_without_weight_stays_a_class(iris):
    X, y = iris
    weight = np.where(y == 1, 0.0, 1.0)
    found = SoftCostClassifierCV(OneSidedRegression(), cost_matrix=MATRIX, **FAST)
    found.fit(X, y, sample_weight=weight)
    assert found.classes_.tolist() == [0, 1, 2]
    assert set(found.predict(X)) <= {0, 2}


def test_no_rows_are_said_to_be_none():
    for model in (CostSensitiveOneVsOne(), CostSensitiveOneVsOne(linear())):
        with pytest.raises(ValueError, match="0 sample"):
            model.fit(np.empty((0, 3)), [])


def test_softness_one_is_regular(iris):
    X, y = iris
    found = SoftCostClassifierCV(
        OneSidedRegression(), cost_matrix=MATRIX, softness=1, cv=2
    ).fit(X, y)
    assert set(found.tradeoff_["softness"]) == {1.0}


def test_a_stray_column_of_costs_is_no_class(iris):
    X, y = iris
    costs = pd.DataFrame(MATRIX[y], columns=[0, 1, 2]).assign(id=np.arange(len(y)))
    with pytest.raises(ValueError, match="'id'"):
        CostSensitiveOneVsOne(linear()).fit(X, y, costs=costs)
    named = pd.DataFrame(np.c_[MATRIX[y], np.full(len(y), 9.0)], columns=[0, 1, 2, 3])
    with pytest.raises(ValueError, match="classes="):
        CostSensitiveOneVsOne(linear()).fit(X, y, costs=named)
    model = CostSensitiveOneVsOne(linear(), classes=[0, 1, 2, 3])
    assert model.fit(X, y, costs=named).classes_.tolist() == [0, 1, 2, 3]
