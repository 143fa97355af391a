"""`DenseFeatures`: the same as a composition of scikit-learn's transformers."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, TargetEncoder
from sklearn.utils.estimator_checks import check_estimator

import softcost
from softcost.tables import DenseFeatures

MASK = [False, True, False, True, False]
HIGH = 60  # categories of a target-encoded column


def codes(seed, n=300, unseen=False):
    """Numbers, two columns of categories, missing values in all but one column."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [
            rng.normal(1e3, 50, n),
            rng.integers(0, 5, n).astype(float),
            rng.normal(0, 1, n),
            rng.integers(0, 3, n).astype(float),
            rng.exponential(1, n),
        ]
    )
    X[rng.random((n, 5)) < [0.2, 0.2, 0.0, 0.0, 0.1]] = np.nan
    if unseen:
        X[:9, 1], X[5:15, 3] = -1, 17
    return X


def reference():
    numbers = [0, 2, 4]
    return ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(strategy="median"), MinMaxScaler()),
             numbers),
            ("missing", MissingIndicator(features="missing-only"), numbers),
            ("categories", OneHotEncoder(handle_unknown="ignore", sparse_output=False),
             [1, 3]),
        ]
    )  # fmt: skip


def test_numbers_and_few_categories_as_scikit_learn_encodes_them():
    train, test = codes(0), codes(1, unseen=True)
    found = DenseFeatures(MASK)
    np.testing.assert_allclose(
        found.fit_transform(train), reference().fit_transform(train), atol=1e-12
    )
    expected = reference().fit(train).transform(test)
    np.testing.assert_allclose(found.transform(test), expected, atol=1e-12)
    for row in (0, 7, 100):
        np.testing.assert_array_equal(
            found.transform(test[[row]])[0], found.transform(test)[row]
        )
    by_number = DenseFeatures([1, 3]).fit(train)
    np.testing.assert_array_equal(by_number.transform(test), found.transform(test))


@pytest.mark.parametrize("labels", [2, 4])
def test_many_categories_as_scikit_learn_target_encodes_them(labels):
    rng = np.random.default_rng(2)
    X = rng.integers(0, HIGH, (2000, 1)).astype(float)
    X[rng.random(2000) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]).astype(int) + rng.integers(0, 2, 2000)) % labels
    found = DenseFeatures([0]).fit(X, y)
    new = np.append(X[:200], [[HIGH + 5.0], [-1.0]], axis=0)
    expected = TargetEncoder(smooth="auto").fit(X, y).transform(new)
    scale = MinMaxScaler().fit(TargetEncoder(smooth="auto").fit(X, y).transform(X))
    np.testing.assert_allclose(
        found.transform(new)[:, :-1], scale.transform(expected), atol=1e-9
    )
    frequency = found.transform(np.arange(HIGH, dtype=float)[:, np.newaxis])[:, -1]
    counts = np.bincount(X[~np.isnan(X)].astype(int), minlength=HIGH)
    assert np.corrcoef(frequency, counts)[0, 1] > 0.95
    assert found.transform([[HIGH + 5.0]])[0, -1] <= frequency.min()


def test_a_rows_own_label_is_not_in_its_features():
    """With labels at random, cross-fitted encodings carry no information on them."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 500, (1000, 1)).astype(float)
    y = rng.integers(0, 2, 1000)
    dense = DenseFeatures([0])
    fitted = dense.fit_transform(X, y)[:, 0]
    assert abs(np.corrcoef(fitted, y)[0, 1]) < 0.1
    assert np.corrcoef(dense.transform(X)[:, 0], y)[0, 1] > 0.3
    np.testing.assert_array_equal(clone(dense).fit_transform(X, y)[:, 0], fitted)
    np.testing.assert_array_equal(
        clone(dense).fit(X, y).transform(X), dense.transform(X)
    )


@pytest.mark.parametrize(
    "y", [np.repeat([0, 1], [999, 1]), np.arange(1000), np.linspace(0, 1.5, 1000)]
)
def test_target_encoding_with_rare_classes_or_numbers(y):
    X = np.random.default_rng(4).integers(0, 50, (1000, 1)).astype(float)
    assert np.isfinite(DenseFeatures([0]).fit_transform(X, y)).all()


def test_without_labels_many_categories_are_one_hot_and_the_rare_ones_share():
    X = np.repeat(np.arange(250.0), np.arange(250) // 50 + 1)[:, np.newaxis]
    dense = DenseFeatures([0]).fit(X)
    names = dense.get_feature_names_out(["city"]).tolist()
    assert names[0] == "city (frequency)"
    assert "city_249" in names
    assert names[-1] == "city (rare)"
    rows = dense.transform([[249.0], [0.0], [1.0], [999.0]])
    np.testing.assert_array_equal(rows[1], rows[2])
    np.testing.assert_array_equal(rows[:, 1:].sum(axis=1), [1, 1, 1, 0])


def test_columns_without_information_and_huge_numbers():
    X = np.array([[5.0, np.nan, 1e15, 2.0], [5.0, np.nan, -1e15, 2.0]])
    dense = DenseFeatures([3])
    np.testing.assert_array_equal(dense.fit_transform(X), [[0, 0, 1, 0], [0, 0, 0, 0]])
    np.testing.assert_array_equal(dense.transform([[7, 3, 0, 1]]), [[0, 0, 0.5, 0]])
    assert len(dense.get_feature_names_out()) == 4


@pytest.mark.parametrize(
    ("X", "columns", "words"),
    [
        ([[1.0, 2], [np.inf, 2]], None, "'x0', row 2"),
        ([[1.0, 0.5], [1, 2]], [1], "'x1' must hold whole numbers"),
        ([[1.0, -2], [1, 2]], [1], "'x1' must hold whole numbers"),
        ([[1.0, 1e12], [1, 2]], [1], "number its categories from 0"),
        ([[1.0, 1], [1, 2]], [2], "categorical_features"),
        ([[1.0, 1], [1, 2]], [True], "categorical_features"),
        ([[1.0, 1], [1, 2]], ["a"], "categorical_features"),
    ],
)
def test_what_cannot_be_encoded(X, columns, words):
    with pytest.raises(ValueError, match=words):
        DenseFeatures(columns).fit(np.array(X))


def test_infinity_at_prediction_is_named():
    dense = DenseFeatures(MASK).fit(codes(0))
    row = codes(1)[:1]
    row[0, 4] = -np.inf
    with pytest.raises(ValueError, match="'x4', row 1"):
        dense.transform(row)


def test_it_follows_the_conventions_of_scikit_learn():
    check_estimator(DenseFeatures(), on_skip=None)


def test_names_are_those_of_the_features():
    dense = DenseFeatures(MASK).fit(codes(0))
    names = dense.get_feature_names_out().tolist()
    assert names == [
        "x0", "x2", "x4", "x0 (missing)", "x4 (missing)",
        *(f"x1_{code}" for code in range(5)), "x1 (missing)",
        *(f"x3_{code}" for code in range(3)),
    ]  # fmt: skip


def test_a_saved_one_transforms_the_same(tmp_path):
    X = np.column_stack([codes(0), np.arange(300.0) % HIGH])
    dense = DenseFeatures([*MASK, True]).fit(X, np.arange(300) % 3)
    softcost.save(dense, tmp_path / "dense")
    loaded = softcost.load(tmp_path / "dense")
    X = np.column_stack([codes(1, unseen=True), np.arange(300.0)])
    np.testing.assert_array_equal(loaded.transform(X), dense.transform(X))
