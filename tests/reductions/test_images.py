"""X may be anything that the learner supports, such as images: arrays of rows."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from softcost import OneSidedRegression, SoftCostClassifierCV
from softcost.reductions import CATALOGUE

PRICES = np.array([[0, 1, 2], [4, 0, 5], [7, 8, 0.0]])


def flatten(X):
    return np.asarray(X).reshape(len(X), -1)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(n_class=3, return_X_y=True)
    return X[:120] / 16, y[:120]


def learner_of(entry):
    regresses = entry.needs in ("one-sided", "regressor")
    last = Ridge() if regresses else LogisticRegression()
    return make_pipeline(FunctionTransformer(flatten), last)


# "gbse" combines features with indicators of classes, so its X is a table.
@pytest.mark.parametrize("name", sorted(set(CATALOGUE) - {"gbse"}))
@pytest.mark.parametrize("form", [np.asarray, np.ndarray.tolist])
def test_images_are_passed_on(name, form, digits):
    X, y = digits
    entry = CATALOGUE[name]
    model = entry.load()(learner_of(entry), cost_matrix=PRICES, random_state=0)
    images = form(X.reshape(-1, 8, 8))
    expected = model.fit(X, y).predict(X)
    np.testing.assert_array_equal(model.fit(images, y).predict(images), expected)


@pytest.mark.parametrize("name", ["osr", "csovo", "mec"])
def test_a_search_over_images(name, digits):
    X, y = digits
    entry = CATALOGUE[name]
    search = SoftCostClassifierCV(
        entry.load()(learner_of(entry)), cost_matrix=PRICES, softness=3, cv=3,
        random_state=0,
    )  # fmt: skip
    expected = search.fit(X, y).tradeoff_["cost"]
    images = X.reshape(-1, 8, 8)
    np.testing.assert_allclose(search.fit(images, y).tradeoff_["cost"], expected)
    assert search.predict(images[:5]).shape == (5,)


def test_auto_needs_a_table(digits):
    X, y = digits
    with pytest.raises(ValueError, match="table with rows and columns"):
        SoftCostClassifierCV(cost_matrix=PRICES).fit(X.reshape(-1, 8, 8), y)


def test_missing_values_reach_a_regressor_that_supports_them(digits):
    X, y = digits
    X = np.where(np.random.default_rng(0).uniform(size=X.shape) < 0.1, np.nan, X)
    learner = HistGradientBoostingRegressor(max_iter=5)
    model = OneSidedRegression(learner, cost_matrix=PRICES).fit(X, y)
    assert model.__sklearn_tags__().input_tags.allow_nan
    assert model.predict(X).shape == y.shape
