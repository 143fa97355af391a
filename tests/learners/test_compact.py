"""Compact forms: probabilities as the classifiers', equal in every batch."""

import gc
import weakref

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from scipy import sparse
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import softcost
from softcost import (
    KernelSVC,
    MinimumExpectedCost,
    OneSidedRegression,
    SoftCostClassifierCV,
)
from softcost.learners import BoostedTrees
from softcost.learners.compact import (
    PlainRows,
    compact_form,
    compact_probabilities,
    registered_types,
)
from softcost.linear import LinearClassifier, NystroemClassifier
from softcost.reductions import BlendedClassifier, SoftmaxScores
from softcost.tables import DenseFeatures

# LightGBM 4.5 and scikit-learn 1.6 do not agree on a name.
pytestmark = pytest.mark.filterwarnings("ignore:'force_all_finite' was renamed")

CODES = [4, 5]  # columns of category codes
CLASSIFIERS = {
    "boosted": BoostedTrees(n_estimators=20, min_child_samples=3),
    "boosted, categories": BoostedTrees(
        n_estimators=20, min_child_samples=3, categorical_features=CODES
    ),
    "lightgbm": LGBMClassifier(n_estimators=15, min_child_samples=3, verbosity=-1),
    "histograms": HistGradientBoostingClassifier(max_iter=15, min_samples_leaf=3),
    "histograms, categories": HistGradientBoostingClassifier(
        max_iter=15, min_samples_leaf=3, categorical_features=CODES
    ),
    "forest": RandomForestClassifier(12, random_state=0),
    "extra trees": ExtraTreesClassifier(12, random_state=0),
    "tree": DecisionTreeClassifier(random_state=0),
    "extra tree": ExtraTreeClassifier(random_state=0),
    "logistic": LogisticRegression(max_iter=1000),
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "dense": make_pipeline(
        DenseFeatures(CODES, scaling="robust"), LogisticRegression(max_iter=1000)
    ),
    "linear": LinearClassifier(loss="logistic"),
    "landmarks": NystroemClassifier(loss="logistic", n_landmarks=30),
    "margins": SoftmaxScores(OneSidedRegression(softness=1.0)),
    "dense margins": make_pipeline(
        DenseFeatures(CODES), SoftmaxScores(OneSidedRegression(softness=1.0))
    ),
    "linear margins": SoftmaxScores(
        OneSidedRegression(softcost.linear.OneSidedLinear())
    ),
}
WITH_NAN = {
    "boosted", "boosted, categories", "lightgbm", "histograms",
    "histograms, categories", "forest", "extra trees", "tree", "extra tree", "dense",
    "dense margins",
}  # fmt: skip


def table(n, n_classes, *, gaps, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    X[:, 2] = rng.integers(0, 2, n)
    X[:, 4], X[:, 5] = rng.integers(0, 40, n), rng.integers(0, 3, n)
    score = X[:, 0] + (X[:, 4] % 3) - X[:, 5] + 0.5 * rng.normal(size=n)
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))
    if gaps:
        X[rng.random(X.shape) < 0.15] = np.nan
    return X, np.array(["low", "mid", "high"])[y]


def rows_to_predict(*, gaps):
    """Rows like those of the training, and others: far away, with unknown codes."""
    X, _ = table(203, 2, gaps=gaps, seed=1)
    X[:20, :4] *= 1e6
    X[20:30, :4] = 0.0
    X[30:40, 4:] = [[57.0, 9.0]]
    X[40:45, 4:] = -1.0
    X[45:48, 4:] = 1e9
    return X


CASES = [
    (name, n_classes, gaps)
    for name in CLASSIFIERS
    for n_classes in (2, 3)
    for gaps in (False, True)
    if not gaps or name in WITH_NAN
]


def fitted(name, n_classes, gaps):
    X, y = table(150, n_classes, gaps=gaps)
    return CLASSIFIERS[name].fit(X, y)


def compact(model, X):
    probabilities = compact_probabilities(model, PlainRows.of(X))
    assert probabilities is not None
    return probabilities


# LightGBM names the columns of an array, and scikit-learn then misses the names.
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize(("name", "n_classes", "gaps"), CASES)
@pytest.mark.parametrize("gaps_later", [False, True])
def test_form_is_the_classifier(name, n_classes, gaps, gaps_later):
    if gaps_later and name not in WITH_NAN:
        pytest.skip("the classifier refuses missing values")
    model, X = fitted(name, n_classes, gaps), rows_to_predict(gaps=gaps_later)
    expected, found = model.predict_proba(X), compact(model, X)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found.argmax(axis=1), expected.argmax(axis=1))
    for size in (1, 3, 8, 33, 70):
        parts = [compact(model, X[at : at + size]) for at in range(0, len(X), size)]
        np.testing.assert_array_equal(np.concatenate(parts), found)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("name", ["forest", "extra trees", "lightgbm", "histograms"])
def test_sums_over_trees_are_equal_to_the_bit(name):
    model = fitted(name, 2, gaps=True)
    X = rows_to_predict(gaps=True)
    if name not in ("forest", "extra trees"):
        logits = np.log(compact(model, X)[:, 1] / compact(model, X)[:, 0])
        raw = (
            model.booster_.predict(X, raw_score=True)
            if name == "lightgbm"
            else (model.decision_function(X))
        )
        np.testing.assert_allclose(logits, raw, rtol=1e-12)
    else:
        np.testing.assert_array_equal(compact(model, X), model.predict_proba(X))


def test_every_registered_type_is_tested():
    models = [fitted(name, 2, gaps=False) for name in CLASSIFIERS]
    kinds = {f"{type(m).__module__}.{type(m).__qualname__}" for m in models}
    assert kinds == set(registered_types())


def test_other_dtypes_and_layouts():
    model = fitted("forest", 3, gaps=False)
    X = rows_to_predict(gaps=False).round()
    expected = compact(model, X)
    for same in (np.asfortranarray(X), X.astype(np.int64), X.astype(np.float32)):
        np.testing.assert_array_equal(compact(model, same), expected)
    frozen = X.copy()
    frozen.flags.writeable = False
    np.testing.assert_array_equal(compact(model, frozen), expected)


@pytest.mark.parametrize(
    "rows",
    [
        sparse.csr_array(np.eye(6)),
        pd.DataFrame(np.eye(6)),
        np.full((2, 6), np.inf),
        np.eye(6).astype(object),
        np.eye(6)[0],
        [[0.0] * 6],
        np.empty((0, 6)),
        np.eye(5),
    ],
)
def test_other_rows_go_to_the_classifier(rows):
    assert (
        compact_probabilities(fitted("logistic", 2, False), PlainRows.of(rows)) is None
    )


def test_rows_that_a_classifier_refuses_are_left_to_it():
    large = np.full((2, 6), 1e300)  # more than single precision holds
    assert (
        compact_probabilities(fitted("forest", 2, False), PlainRows.of(large)) is None
    )
    missing = np.full((2, 6), np.nan)
    model = fitted("logistic", 2, False)
    assert compact_probabilities(model, PlainRows.of(missing)) is None
    with pytest.raises(ValueError, match="NaN"):
        MinimumExpectedCost(LogisticRegression()).fit(np.eye(6), [0, 1] * 3).predict(
            missing
        )


class Opposite(LogisticRegression):
    def predict_proba(self, X):
        return super().predict_proba(X)[:, ::-1]


@pytest.mark.parametrize(
    "model",
    [
        Opposite(max_iter=1000),
        GaussianNB(),
        SoftmaxScores(KernelSVC()),
        make_pipeline(DenseFeatures(), GaussianNB()),
        LinearClassifier(),
    ],
)
def test_no_form(model):
    X, y = table(150, 3, gaps=False)
    assert compact_form(model.fit(X, y)) is None


def test_named_columns_have_no_form():
    X, y = table(150, 2, gaps=False)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    assert compact_form(LogisticRegression(max_iter=1000).fit(frame, y)) is None


@pytest.mark.parametrize("name", sorted(CLASSIFIERS))
def test_fitting_again_makes_another_form(name):
    X = rows_to_predict(gaps=False)
    model = fitted(name, 2, gaps=False)
    before = compact(model, X)
    model.fit(*table(150, 3, gaps=False, seed=2))
    after = compact(model, X)
    assert before.shape != after.shape


@pytest.mark.parametrize(
    ("model", "more"),
    [
        (RandomForestClassifier(3, warm_start=True, random_state=0), "n_estimators"),
        (HistGradientBoostingClassifier(max_iter=3, warm_start=True), "max_iter"),
    ],
)
def test_warm_start_makes_another_form(model, more):
    X, y = table(150, 3, gaps=False)
    before = compact(model.fit(X, y), X)
    after = compact(model.set_params(**{more: 9}).fit(X, y), X)
    assert not np.array_equal(before, after)
    np.testing.assert_allclose(after, model.predict_proba(X), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", sorted(CLASSIFIERS))
def test_forms_do_not_keep_classifiers_alive(name):
    model = softcost.learners.seeded_clone(CLASSIFIERS[name], None)
    model.fit(*table(150, 2, gaps=False))
    compact(model, rows_to_predict(gaps=False))
    alive = weakref.ref(model)
    del model
    gc.collect()
    assert alive() is None


def test_blend_of_forms():
    """The formula, from the members' own probabilities; no member predicts itself."""
    names = ["boosted", "extra trees", "dense", "dense margins"]
    X, y = table(150, 3, gaps=True)
    weights, smoothing = np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.02, 0.0, 0.01, 0])
    blend = BlendedClassifier(
        [(name, CLASSIFIERS[name]) for name in names],
        weights=weights,
        smoothing=smoothing,
        inverse_temperature=1.7,
    ).fit(X, y)
    rows = rows_to_predict(gaps=True)
    members = np.array([member.predict_proba(rows) for member in blend.estimators_])
    average = np.einsum("m,mnk->nk", weights, members) ** 1.7
    expected = 0.97 * average / average.sum(axis=1, keepdims=True)
    expected += np.einsum("m,mnk->nk", smoothing, members)
    found = blend.predict_proba(rows)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    alone = [blend.predict_proba(rows[at : at + 1]) for at in range(len(rows))]
    np.testing.assert_array_equal(np.concatenate(alone), found)


def test_members_do_not_predict_themselves(monkeypatch):
    X, y = table(150, 3, gaps=False)
    model = MinimumExpectedCost(
        BlendedClassifier(
            [("a", CLASSIFIERS["forest"]), ("b", CLASSIFIERS["logistic"])]
        )
    ).fit(X, y)
    expected = model.predict(X)

    def refuse(self, X):
        raise AssertionError("predict_proba of a member was called")

    monkeypatch.setattr(RandomForestClassifier, "predict_proba", refuse)
    monkeypatch.setattr(LogisticRegression, "predict_proba", refuse)
    np.testing.assert_array_equal(model.predict(X), expected)


@pytest.fixture(scope="module")
def default_model():
    X, y = table(180, 3, gaps=True)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(6)])
    frame["x5"] = frame["x5"].map({0: "red", 1: "green", 2: "blue"})
    costs = pd.DataFrame(
        [[0, 1, 5], [2, 0, 1], [9, 3, 0]],
        ["low", "mid", "high"],
        ["low", "mid", "high"],
    )
    return SoftCostClassifierCV(cost_matrix=costs, random_state=0).fit(frame, y), frame


def test_default_model_is_equal_in_every_batch(default_model, tmp_path):
    model, frame = default_model
    softcost.save(model, tmp_path / "model")
    loaded = softcost.load(tmp_path / "model")
    for method in ("predict_proba", "expected_costs", "decision_function", "predict"):
        whole = getattr(model, method)(frame)
        np.testing.assert_array_equal(getattr(loaded, method)(frame), whole)
        for size in (1, 7):
            parts = [
                getattr(loaded, method)(frame.iloc[at : at + size])
                for at in range(0, 42, size)
            ]
            np.testing.assert_array_equal(np.concatenate(parts), whole[:42])


def test_default_model_predicts_mappings(default_model):
    model, frame = default_model
    rows = frame.iloc[:30].to_dict("records")
    np.testing.assert_array_equal(
        model.predict_proba(rows), model.predict_proba(frame.iloc[:30])
    )
    assert model.predict(rows[:1]).tolist() == model.predict(frame.iloc[:1]).tolist()


def test_expected_costs_are_sums_in_the_order_of_the_classes():
    rng = np.random.default_rng(0)
    X, y = table(150, 3, gaps=False)
    model = MinimumExpectedCost(CLASSIFIERS["logistic"]).fit(X, y)
    p = model.predict_proba(X)
    matrices = rng.random((len(X), 3, 3))
    for costs, each in ((None, [1.0 - np.eye(3)] * len(X)), (matrices, matrices)):
        found = model.expected_costs(X, costs=costs)
        expected = [
            (row[0] * C[0] + row[1] * C[1]) + row[2] * C[2]
            for row, C in zip(p, each, strict=True)
        ]
        np.testing.assert_array_equal(found, expected)
