"""A search over a raw table: strings, categories, dates and missing values."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from softcost import MinimumExpectedCost, SoftCostClassifierCV, load, save
from softcost.reductions import BlendedClassifier
from softcost.tables import TableEncoder

PRICES = {"a": {"b": 1, "c": 9}, "b": {"a": 2, "c": 3}, "c": {"a": 20, "b": 5}}
FEW = {
    "softness": 2,
    "cv": 2,
    "random_state": 0,
    "cost_matrix": PRICES,
    "param_grid": {
        "boosted-trees": {"n_estimators": [10]},
        "extra-trees": {"n_estimators": [10]},
        "linear": {"logisticregression__C": [1.0]},
    },
}


def raw_table(n=150, seed=0):
    """A column of every type, with gaps; three of them say something of the class."""
    rng = np.random.default_rng(seed)
    y = np.array(["a", "b", "c"])[np.arange(n) % 3]
    word = np.where(rng.random(n) < 0.8, np.char.add("word ", y), "other")
    X = pd.DataFrame(
        {
            "word": word,
            "number": 1000 * (y == "c") + 700 * rng.normal(size=n),
            "category": pd.Categorical(rng.choice(["x", "y"], n)),
            "flag": rng.random(n) < np.where(y == "b", 0.9, 0.2),
            "day": pd.Timestamp("2024-01-01")
            + pd.to_timedelta(rng.integers(0, 999, n), unit="D"),
            "nullable": pd.array(rng.integers(0, 5, n), dtype="Int64"),
        }
    )
    X.loc[::7, "word"] = None
    X.loc[::5, "number"] = np.nan
    X.loc[3, "nullable"] = pd.NA
    return X, y


@pytest.fixture(scope="module")
def fitted():
    X, y = raw_table()
    return SoftCostClassifierCV(**FEW).fit(X, y)


def test_all_families_of_the_blend_take_part(fitted):
    used = set(fitted.tradeoff_["family"])
    members = {"linear", "kernel-margin", "extra-trees"}
    assert members | {"boosted-trees", "blend", "constant"} == used
    assert fitted.tradeoff_["cost"].min() < 0.7 * fitted.constant_["cost"]


def test_strings_and_gaps_help(fitted):
    """The blend is clearly better than one that sees the complete numbers only."""
    X, y = raw_table()
    numeric = X[["number"]].fillna(0).to_numpy()
    other = SoftCostClassifierCV(**FEW).fit(numeric, y)
    known = fitted.saving().saving
    assert known > other.saving().saving


def test_models_of_the_search_take_the_raw_table(fitted):
    X, y = raw_table(40, seed=1)
    labels = fitted.predict(X)
    assert isinstance(fitted.best_estimator_, MinimumExpectedCost)
    np.testing.assert_array_equal(fitted.best_estimator_.predict(X), labels)
    assert fitted.predict_proba(X).shape == (40, 3)
    assert fitted.score(X, y) == fitted.best_estimator_.score(X, y)
    row = int(np.flatnonzero(fitted.tradeoff_["family"] == "linear")[0])
    assert set(fitted.candidate(row).predict(X)) <= {"a", "b", "c"}
    assert list(fitted.feature_names_in_) == list(X.columns)
    assert fitted.n_features_in_ == X.shape[1]


def test_rows_are_decided_one_by_one_as_together(fitted):
    X, _ = raw_table(12, seed=2)
    alone = np.concatenate([fitted.predict_proba(X.iloc[[k]]) for k in range(12)])
    np.testing.assert_allclose(alone, fitted.predict_proba(X), atol=1e-12)


def test_columns_by_name_not_by_place(fitted):
    X, _ = raw_table(20, seed=3)
    turned = X[X.columns[::-1]].assign(unknown="more")
    np.testing.assert_array_equal(fitted.predict(turned), fitted.predict(X))


def test_unseen_categories_and_gaps_are_decided(fitted):
    X, _ = raw_table(20, seed=4)
    odd = X.assign(word="never seen", number=np.nan, nullable=pd.NA)
    assert np.isfinite(fitted.predict_proba(odd)).all()


def test_a_missing_column_is_named(fitted):
    X, _ = raw_table(5)
    with pytest.raises(ValueError, match="'word'"):
        fitted.predict(X.drop(columns="word"))


def test_saved_models_decide_raw_rows(fitted, tmp_path):
    X, _ = raw_table(30, seed=5)
    save(fitted, tmp_path / "model.softcost")
    loaded = load(tmp_path / "model.softcost")
    # Versions of scikit-learn differ in the memory order of coefficients.
    np.testing.assert_allclose(
        loaded.predict_proba(X), fitted.predict_proba(X), rtol=1e-12
    )
    np.testing.assert_array_equal(loaded.best_estimator_.predict(X), fitted.predict(X))


def test_codes_and_a_mask_are_the_same_table(fitted):
    """What ``softcost fit`` does: encode first, and say which columns are codes."""
    X, y = raw_table()
    encoder = TableEncoder(output="codes").fit(X, y)
    search = SoftCostClassifierCV(
        **FEW, categorical_features=encoder.categorical_features_
    )
    search.fit(encoder.transform(X), y)
    pd.testing.assert_frame_equal(search.tradeoff_, fitted.tradeoff_)
    codes = encoder.transform(X)
    np.testing.assert_array_equal(search.predict_proba(codes), fitted.predict_proba(X))


def test_numbers_can_be_categories():
    """Class and code are related, but not by order."""
    rng = np.random.default_rng(0)
    code = rng.integers(0, 9, 300)
    y = np.array(["a", "b", "c"])[[0, 1, 2, 1, 0, 2, 2, 0, 1]][code]
    X = pd.DataFrame({"code": code, "noise": rng.normal(size=300)})
    search = SoftCostClassifierCV(**FEW)
    as_number = clone(search).fit(X, y)
    as_category = clone(search).set_params(categorical_features=["code"]).fit(X, y)
    costs = [
        s.tradeoff_.query("family == 'linear'")["cost"].min()
        for s in (as_category, as_number)
    ]
    assert costs[0] < 0.5 * costs[1]


def test_a_fitted_search_forgets_its_encoder():
    X, y = raw_table(60)
    search = SoftCostClassifierCV(**FEW).fit(X, y)
    numbers = np.random.default_rng(0).normal(size=(60, 2))
    search.fit(numbers, y)
    assert not hasattr(search, "encoder_")
    assert search.predict(numbers).shape == (60,)


def test_holdout_rows_do_not_teach_the_encoder():
    X, y = raw_table(90)
    X.loc[:29, "word"] = "only here"
    search = SoftCostClassifierCV(**FEW, holdout=np.arange(30)).fit(X, y)
    place = list(search.encoder_.kinds_).index("word")
    assert "only here" not in search.encoder_.categories_[place]


def test_categorical_features_are_for_auto():
    X, y = raw_table(30)
    search = SoftCostClassifierCV(MinimumExpectedCost(), categorical_features=[0])
    with pytest.raises(ValueError, match="categorical_features"):
        search.fit(X[["number"]].fillna(0), y)
    with pytest.raises(ValueError, match="categorical_features"):
        SoftCostClassifierCV(categorical_features=[7]).fit(np.zeros((30, 2)), y)


def test_a_blend_of_pipelines_is_what_is_refitted(fitted):
    index = int(np.flatnonzero(fitted.tradeoff_["family"] == "blend")[0])
    assert isinstance(fitted.candidate(index).estimator_, BlendedClassifier)
