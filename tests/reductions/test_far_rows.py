"""Rows far beyond all that was learnt: finite scores, or a refusal, and never NaN.

The first class would win among scores that are no numbers, and nobody would notice.
"""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression, Ridge

from softcost.linear import (
    LinearClassifier,
    NystroemClassifier,
    OneSidedLinear,
    OneSidedNystroem,
)
from softcost.reductions import CATALOGUE
from softcost.svm import KernelSVC, OneSidedSVR

PRICES = [[0, 1, 5], [2, 0, 5], [9, 8, 0]]
VALUES = {
    "linear": OneSidedLinear(), "landmarks": OneSidedNystroem(n_landmarks=5),
    "machines": OneSidedSVR("rbf"), "ridge": Ridge(),
}  # fmt: skip
CLASSES = {
    "linear": LinearClassifier(), "landmarks": NystroemClassifier(n_landmarks=5),
    "machines": KernelSVC("rbf"), "logistic": LogisticRegression(),
}  # fmt: skip
TAKES_VALUES = ("one-sided", "regressor")
PROBABILITIES = {"logistic": CLASSES["logistic"]}
CASES = [
    (word, name, learner)
    for word, entry in CATALOGUE.items()
    for name, learner in (
        VALUES if entry.needs in TAKES_VALUES else
        PROBABILITIES if entry.needs == "probabilities" else CLASSES
    ).items()
]  # fmt: skip
LARGE = (1e10, 1e20, 1e40, 1e160, 1e308)


def rows(count=30):
    rng = np.random.default_rng(0)
    y = np.arange(count) % 3
    return rng.normal(size=(count, 2)) + y[:, None], y


def far():
    return [size * np.array([[1.0, sign]]) for size in LARGE for sign in (0.5, -1.0)]


def finite_or_refused(function, row):
    """The result; None where the row is refused in a sentence about X."""
    words = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of scikit-learn's products
        try:
            found = function(row)
        except ValueError as error:
            found, words = None, str(error)
    if found is None:
        assert "X " in words or "features" in words
        return None
    assert np.isfinite(found).all()
    return found


@pytest.mark.parametrize(("word", "name", "learner"), CASES)
def test_reductions_score_far_rows_or_refuse_them(word, name, learner):
    entry = CATALOGUE[word]
    X, y = rows()
    options = {"n_rounds": 2} if "n_rounds" in entry.load()().get_params() else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = entry.load()(learner, cost_matrix=PRICES, **options).fit(X, y)
        pair = entry.load()(learner, cost_matrix=[[0, 1], [3, 0]], **options)
        pair.fit(X[y < 2], y[y < 2])
    for one in (model, pair):
        for row in far():
            found = finite_or_refused(one.decision_function, row)
            if found is not None:
                assert finite_or_refused(one.predict, row)[0] in one.classes_
    assert finite_or_refused(model.decision_function, X) is not None


@pytest.mark.parametrize("learner", [*VALUES.values(), *CLASSES.values()])
def test_learners_of_our_own_refuse_them_in_words(learner):
    if not type(learner).__module__.startswith("softcost"):
        pytest.skip("scikit-learn's own")
    X, y = rows()
    model = learner.fit(X, y)
    use = getattr(model, "decision_function", model.predict)
    for row in far():
        for given in (row, sparse.csr_array(row)):
            finite_or_refused(use, given)
    with pytest.raises(ValueError, match=r"too large for .*: scale the features"):
        use(np.full((1, 2), 1e308))


@pytest.mark.parametrize(
    ("learner", "weight"),
    [
        (LinearClassifier(), 0.0),
        (LinearClassifier(), 1.0),
        (NystroemClassifier(), 1.0),  # rows without weight are left out
    ],
)
def test_one_cell_beyond_all_is_not_learnt_from(learner, weight):
    """Means and squares would overflow."""
    X, y = rows()
    X[3, 1] = 1e308
    for table in (X, sparse.csr_array(X)):
        with pytest.raises(ValueError, match=r"too large for .*: scale the features"):
            learner.fit(table, y, sample_weight=np.where(np.arange(30) == 3, weight, 1))


def test_outputs_of_machines_that_nobody_taught():
    """Those are NaN on purpose, and do not decide."""
    X, y = rows()
    free = [[0, 5, 0], [1, 0, 1], [0, 5, 0]]
    model = CATALOGUE["csovo"].load()(LinearClassifier(), cost_matrix=free).fit(X, y)
    assert np.isnan(model.solutions_.outputs(X)).any()
    assert np.isfinite(model.decision_function(X)).all()
