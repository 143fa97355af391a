"""What "auto" tries: families that can do the table, and reasons for the others."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

import softcost
from softcost import SoftCostClassifierCV, load, save
from softcost.reductions import fit_blend, temper_probabilities
from softcost.search.auto import (
    BLEND,
    FAMILIES,
    QUICKEST_FIRST,
    TableFacts,
    choose_portfolio,
)
from softcost.search.cross_val import blended

FEW = {
    "softness": 2,
    "cv": 2,
    "random_state": 0,
    "param_grid": {
        "boosted-trees": {"n_estimators": [3]},
        "boosted-CSOVO": {"n_estimators": [3]},
        "extra-trees": {"n_estimators": [5]},
        "linear": {"logisticregression__C": [1.0]},
    },
}
FACTS = {
    "n_rows": 500,
    "n_distinct": 500,
    "n_features": 10,
    "n_classes": 3,
    "sparse": False,
    "missing": False,
    "categorical": (),
    "largest": 1.0,
    "rarest": 100,
    "by_example": False,
}


def used(**changes):
    choices = choose_portfolio(TableFacts(**(FACTS | changes)))
    assert all(one.name in FAMILIES and one.why for one in choices)
    return {one.name for one in choices if one.reduction is not None}


LARGE = {"boosted-trees", "linear", "blend", "constant"}
SMALL = LARGE | {"extra-trees"}
FEATURES, MARGINS = {"kernel-logistic"}, {"kernel-margin"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, SMALL | MARGINS),
        ({"n_rows": 10**6, "n_distinct": 400}, LARGE | MARGINS),
        ({"n_rows": 10**5, "n_distinct": 10**5}, LARGE),
        ({"n_distinct": 5000, "n_classes": 26}, SMALL | FEATURES),
        ({"n_rows": 20_000, "n_distinct": 20_000}, LARGE | FEATURES),
        ({"missing": True}, SMALL | MARGINS),
        ({"categorical": (1, 3)}, SMALL | MARGINS),
        ({"sparse": True}, SMALL | MARGINS),
        ({"sparse": True, "missing": True}, SMALL - {"linear"}),
        ({"sparse": True, "largest": 1e18}, LARGE),
        ({"largest": 1e18}, LARGE | MARGINS),
        ({"by_example": True}, SMALL | MARGINS | {"boosted-CSOVO"}),
        (
            {"by_example": True, "n_distinct": 10**5},
            SMALL | FEATURES | {"boosted-CSOVO"},
        ),
        (
            {"by_example": True, "n_distinct": 10**5, "n_classes": 9},
            SMALL | FEATURES,
        ),
    ],
)
def test_families_follow_the_table(changes, expected):
    assert used(**changes) == expected


def table(n=60, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = rng.normal(size=(n, 4))
    X[:, 0] += y
    return X, y


def with_missing(X):
    X = X.copy()
    X[::7, 1] = np.nan
    return X


def with_nothing(X):
    X = X.copy()
    X[:, 1] = np.nan
    return X


def with_categories(X):
    frame = pd.DataFrame(X).add_prefix("x")
    return frame.assign(kind=pd.Categorical(np.where(X[:, 1] > 0, "up", "down")))


@pytest.mark.parametrize(
    "change",
    [
        lambda X: X,
        lambda X: pd.DataFrame(X).add_prefix("x"),
        lambda X: X.tolist(),
        lambda X: X > 0,
        lambda X: (10 * X).astype(int),
        lambda X: X.astype(np.float32),
        lambda X: X * 1e18,
        sparse.csr_matrix,
        sparse.csc_matrix,
        with_missing,
        with_nothing,
        with_categories,
        lambda X: with_categories(X).assign(x0=np.nan),
        lambda X: with_categories(with_missing(X)),
        lambda X: np.ones_like(X),
        lambda X: X[:, :1],
        lambda X: X.astype(object),
        lambda X: pd.DataFrame(X).add_prefix("x").assign(word=["x", "y", "z"] * 20),
    ],
)
def test_every_family_that_is_taken_can_do_the_table(change):
    X, y = table()
    given = change(X)
    found = SoftCostClassifierCV("auto", **FEW).fit(given, y)
    portfolio = found.portfolio_
    assert list(portfolio.columns) == ["family", "used", "why"]
    taken = portfolio["family"][portfolio["used"]].tolist()
    assert found.tradeoff_["family"].unique().tolist() == taken
    assert found.predict(given).shape == (60,)
    assert found.constant_["cost"] > 0


def rare(n_rare):
    X, y = table(80, 2)
    y[:n_rare] = 2
    return X, y


@pytest.mark.parametrize("n_rare", [1, 2, 3])
def test_rare_classes_do_not_stop_it(n_rare):
    X, y = rare(n_rare)
    found = SoftCostClassifierCV("auto", **FEW).fit(X, y)
    assert len(found.classes_) == 3


def test_a_rare_class_among_many_rows_is_not_cut_for_early_stopping():
    X, y = table(1200, 2)
    y[0] = 2
    found = SoftCostClassifierCV("auto", **FEW).fit(X, y)
    early = found.portfolio_.set_index("family")["why"]["boosted-trees"]
    assert "early stopping" not in early
    X, y = table(1200, 2)
    found = SoftCostClassifierCV("auto", **(FEW | {"cv": 3})).fit(X, y)
    early = found.portfolio_.set_index("family")["why"]["boosted-trees"]
    assert "early stopping" in early


def test_costs_by_example_weights_and_labels(tmp_path):
    X, y = table()
    rng = np.random.default_rng(0)
    names = np.array(["a", "b", "c"])
    prices = rng.uniform(1, 9, (60, 3))
    prices[np.arange(60), y] = 0
    costs = pd.DataFrame(prices, columns=names)
    weight = rng.integers(0, 3, 60)
    search = SoftCostClassifierCV("auto", error_weight="balanced", **FEW)
    found = clone(search).fit(X, names[y], costs=costs, sample_weight=weight)
    assert set(found.predict(X)) <= set(names)
    softcost.save(found, tmp_path / "auto")
    loaded = softcost.load(tmp_path / "auto")
    np.testing.assert_array_equal(loaded.predict(X), found.predict(X))
    pd.testing.assert_frame_equal(loaded.portfolio_, found.portfolio_)
    # A later fit with a reduction of one's own forgets the portfolio.
    found.set_params(
        reduction=softcost.OneSidedRegression(),
        param_grid={"C": [1.0]},
        error_weight=None,
    )
    assert not hasattr(found.fit(X, y), "portfolio_")


@pytest.mark.parametrize("clearly", [True, False])
def test_another_family_is_chosen_where_it_is_clearly_cheaper(clearly):
    """Against the definition, with costs that are computed row by row.

    The class is a coin toss, but a feature shows which mistake is expensive: costs by
    example, from which only the family outside the blend learns.
    """
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 4)), rng.integers(0, 2, 200)
    costs = np.ones((200, 2))
    if clearly:
        costs[np.arange(200), (X[:, 0] > 0).astype(int)] = 30
    costs[np.arange(200), y] = 0
    grids = FEW["param_grid"] | {"boosted-CSOVO": {"n_estimators": [20]}}
    given = FEW | {"param_grid": grids}
    found = SoftCostClassifierCV("auto", **given).fit(X, y, costs=costs)
    cost, family = found.tradeoff_["cost"], found.tradeoff_["family"]
    held_out = found._held_out_rows("test")
    paid = costs[held_out.row, held_out.predicted]
    ours = np.flatnonzero(family == "blend")[0]
    assert found.tradeoff_["softness"][ours] == 0
    penalised = {ours: cost[ours]}
    unseen = costs.max() / len(y)
    factor = family.isin(["blend", "constant"]).map({True: 1, False: 3})
    for row in range(len(family)):
        lead = paid[ours] - paid[row]
        error = np.sqrt(lead.var() / len(lead) + unseen**2)
        if row != ours:
            penalised[row] = cost[row] + factor[row] * error + unseen
        assert found.selection_penalty_[row] == pytest.approx(
            penalised[row] - cost[row]
        )
    chosen = found.best_index_
    assert family[chosen] in (["boosted-CSOVO"] if clearly else ["blend", "constant"])
    least = min(penalised, key=penalised.get)
    measures = found.tradeoff_[["cost", "error"]]
    assert chosen == least or (measures.loc[chosen] <= measures.loc[least]).all()


@pytest.mark.parametrize(("n", "smoothing"), [(120, 0.05), (1920, 64 / 1920)])
def test_the_blend_predicts_held_out_rows_by_what_other_folds_taught(
    monkeypatch, n, smoothing
):
    """Against the definition, from what each family says of the held-out rows."""
    heard = []

    def listened(problem, parts):
        heard.append((problem, parts))
        return blended(problem, parts)

    monkeypatch.setattr("softcost.search.cross_val.blended", listened)
    X, y = table(n, seed=4)
    X[:, 0] += y
    prices = np.array([[0, 1, 2], [1, 0, 3], [40, 60, 0.0]])
    found = SoftCostClassifierCV("auto", cost_matrix=prices, **FEW).fit(X, y)
    ((problem, parts),) = heard
    told = [
        np.concatenate([part.probabilities[fold].of_settings for part in parts])
        for fold in range(2)
    ]
    class_cost = prices.sum(axis=1)

    def best_settings(probabilities, labels):
        """The setting of each family with the lowest log loss."""
        best, start = [], 0
        for part in parts:
            stop = start + len(part.problem.settings)
            losses = [
                -np.log(np.maximum(one[np.arange(len(labels)), labels], 1e-4)).sum()
                for one in probabilities[start:stop].astype(float)
            ]
            best.append(start + int(np.argmin(losses)))
            start = stop
        return best

    shares = np.array(
        [smoothing / 3 * (p.problem.family != "kernel-margin") for p in parts]
    )
    of_blend = np.flatnonzero(found.tradeoff_["family"] == "blend")
    softest = found.tradeoff_["softness"][of_blend]
    held_out = found._held_out_rows("test")
    own = held_out.predicted[of_blend]
    own = {row: own[:, place] for place, row in enumerate(held_out.row)}
    for fold, test in enumerate(problem.tests):
        other = problem.tests[1 - fold]
        best = best_settings(told[1 - fold], y[other])
        weights, power = fit_blend(
            told[1 - fold][best], y[other], np.ones(len(other)), class_cost
        )
        average = np.tensordot(weights, told[fold][best], axes=1)
        mixed = (1 - smoothing) * temper_probabilities(average, power)
        mixed += np.tensordot(shares, told[fold][best], axes=1)
        for row, chance in zip(test, mixed, strict=True):
            for place, softness in enumerate(softest):
                soft = (1 - softness) * prices / 60 + softness * (1 - np.eye(3))
                expected = chance @ soft
                assert expected[own[row][place]] <= expected.min() + 1e-9
    blend = found.candidate(
        int(np.flatnonzero(found.tradeoff_["family"] == "blend")[0])
    )
    model = blend.estimator_
    assert model.smoothing_.sum() == pytest.approx(smoothing)
    # One setting of each family, and none that counts for nothing.
    families = [name.split()[0] for name, _ in model.estimators]
    assert len(set(families)) == len(families)
    assert (model.weights_ + model.smoothing_ > 0).all()


def test_the_blend_decides_by_the_prices_where_softness_changes_nothing():
    """Where no answer changes, the least softness is taken."""
    X, y = table(150, seed=3)
    X[:, 0] += 4 * y  # told apart easily: softness changes nothing
    prices = [[0, 1, 4], [1, 0, 2], [5, 3, 0]]
    few = FEW | {"softness": 11, "cost_matrix": prices}
    found = SoftCostClassifierCV("auto", **few).fit(X, y)
    assert found.best_params_["family"] == "blend"
    assert found.best_softness_ == 0
    few["softness"] = [0.3, 0.6]  # the least there is
    found.set_params(**few).fit(X, y)
    assert found.best_softness_ == 0.3


def test_regular_and_hard_are_of_the_blend():
    X, y = table(90)
    found = SoftCostClassifierCV("auto", **FEW).fit(X, y)
    rows, told = found.reference_rows(), found.tradeoff_
    assert told["family"][[rows["regular"], rows["hard"]]].tolist() == ["blend"] * 2
    assert told["softness"][[rows["regular"], rows["hard"]]].tolist() == [1, 0]
    assert rows["chosen"] == found.best_index_


def test_a_saved_search_means_the_same_by_the_least_cost(tmp_path):
    """The blend is preferred there, too, although its training rows are gone."""
    for seed in range(20):
        X, y = table(90, seed=seed)
        found = SoftCostClassifierCV("auto", **FEW).fit(X, y)
        chosen, cost = found.best_index_, found.tradeoff_["cost"]
        if cost[chosen] > cost.min():
            break  # another family seems to be cheaper
    assert cost[chosen] > cost.min()
    save(
        found.choose("tolerance", tolerance=0.5).keep_candidates(),
        tmp_path / "model.softcost",
    )
    other = load(tmp_path / "model.softcost")
    np.testing.assert_array_equal(other.selection_penalty_, found.selection_penalty_)
    assert other.candidates_.keys() > {chosen, int(cost.argmin())}
    assert other.choose("cost").best_index_ == chosen
    found.set_params(reduction=softcost.OneSidedRegression(), param_grid=None)
    assert not hasattr(found.fit(X, y), "selection_penalty_")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X: X[:, :, None], "dim"),
        (lambda X: np.where(X > 1, np.inf, X), "infinity"),
        (lambda X: pd.DataFrame({"day": pd.Timestamp(0)}, range(len(X))), "no column"),
    ],
)
def test_what_no_family_can_do_is_refused_in_a_sentence(change, message):
    X, y = table()
    with pytest.raises((TypeError, ValueError), match=message) as refused:
        SoftCostClassifierCV("auto", **FEW).fit(change(X), y)
    assert "\n" not in str(refused.value)


def test_a_tie_goes_to_the_blend():
    """Well-separated classes: everyone answers the same, and rightly."""
    X, y = table(60)
    X = X[:, :1] + 50 * y[:, None]
    few = FEW | {"param_grid": {"linear": {"logisticregression__C": [100.0]}}}
    found = SoftCostClassifierCV("auto", **few).fit(X, y)
    tied = found.tradeoff_["family"][found.tradeoff_["cost"] == 0].unique()
    assert {"linear", "blend"} <= set(tied)
    assert found.best_params_["family"] == "blend"


def test_every_family_has_a_place_in_a_time_limit():
    assert sorted([*QUICKEST_FIRST, BLEND]) == sorted(FAMILIES)
