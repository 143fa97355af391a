"""Searches in lockstep give what clone-and-fit gives, whoever runs them."""

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy import sparse

from softcost.learners import SupportsBatchedPath, SupportsKindFit
from softcost.linear import LinearClassifier, OneSidedLinear
from softcost.reductions import CATALOGUE, FlatReduction, OneSidedRegression
from softcost.search import SoftCostClassifierCV, path_engine

MATRIX = np.array([[0, 1.13, 5.71], [2.37, 0, 4.19], [9.83, 7.57, 0.0]])
STRICT = 1e-10
LEARNERS = {
    "one-sided": OneSidedLinear(tol=STRICT),
    "regressor": OneSidedLinear(tol=STRICT),
    "classifier": LinearClassifier(tol=STRICT),
}


def walked():
    for name, entry in CATALOGUE.items():
        cls = entry.load()
        if issubclass(cls, FlatReduction) or hasattr(cls, "walk_fold"):
            yield name


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    y = rng.integers(3, size=150)
    X = np.column_stack([rng.normal(2 * y, 2), rng.normal(size=(150, 2))])
    X[:, 1] *= 50
    weight = rng.integers(1, 4, 150) / 1.7
    costs = MATRIX[y] * rng.uniform(0.5, 2, (150, 1))
    return X, np.array(["c", "a", "b"])[y], weight, costs


def searched(name, rows, *, by_example=False, learner=None, **settings):
    X, y, weight, costs = rows
    entry = CATALOGUE[name]
    reduction = entry.load()(learner or LEARNERS[entry.needs])
    search = SoftCostClassifierCV(
        reduction,
        cost_matrix=None if by_example else MATRIX,
        classes=["c", "a", "b"],
        softness=4,
        param_grid={"C": [0.003, 0.1, 10.0]},
        cv=3,
        **settings,
    )
    costs = costs if by_example else None
    return search.fit(X, y, costs=costs, sample_weight=weight)


@pytest.mark.parametrize("by_example", [False, True])
@pytest.mark.parametrize("name", walked())
def test_a_path_gives_what_clone_and_fit_gives(name, by_example, rows, monkeypatch):
    if by_example and name == "cszl":
        pytest.skip("rescaling takes costs by class only")
    found = searched(name, rows, by_example=by_example)
    monkeypatch.setattr(path_engine, "can_walk", lambda problem: False)
    cloned = searched(name, rows, by_example=by_example)
    pd.testing.assert_frame_equal(found.tradeoff_, cloned.tradeoff_)
    np.testing.assert_array_equal(
        found.decision_function(rows[0]), cloned.decision_function(rows[0])
    )


@pytest.mark.parametrize("name", ["osr", "csovo", "csovr", "wap"])
def test_kinds_of_rows_pose_the_same_problems_as_rows(name, rows, monkeypatch):
    by_class = searched(name, rows)
    monkeypatch.delattr("softcost.linear.linear_machine.LinearMachine.at_once")
    by_row = searched(name, rows)
    pd.testing.assert_frame_equal(by_class.tradeoff_, by_row.tradeoff_)


def test_the_machines_declare_what_they_share():
    for learner in (OneSidedLinear(), LinearClassifier()):
        assert isinstance(learner, SupportsBatchedPath)
        assert isinstance(learner, SupportsKindFit)


@pytest.mark.parametrize("name", ["osr", "csovo", "csft"])
def test_bits_are_the_same_whoever_does_the_work(name, rows):
    alone = searched(name, rows, n_jobs=1)
    others = [searched(name, rows, n_jobs=2)]
    with parallel_config(backend="loky", n_jobs=2):
        others.append(searched(name, rows))
    for other in others:
        np.testing.assert_array_equal(
            other.tradeoff_.to_numpy(float), alone.tradeoff_.to_numpy(float)
        )
        np.testing.assert_array_equal(
            other.decision_function(rows[0]), alone.decision_function(rows[0])
        )


def test_two_classes_and_sparse_rows(rows):
    X, y, weight, _ = rows
    kept = y != "b"
    prices = {"c": {"c": 0, "a": 7}, "a": {"c": 1, "a": 0}}
    for name in ("osr", "csovo"):
        learner = LEARNERS[CATALOGUE[name].needs]
        searches = [
            SoftCostClassifierCV(
                CATALOGUE[name].load()(learner), cost_matrix=prices, softness=3, cv=3
            ).fit(form(X[kept]), y[kept], sample_weight=weight[kept])
            for form in (np.asarray, sparse.csr_array)
        ]
        pd.testing.assert_frame_equal(searches[0].tradeoff_, searches[1].tradeoff_)
        assert set(searches[0].predict(X)) <= {"a", "c"}


def test_many_rows_are_solved_by_samples_first():
    """Single precision and samples reach the tolerance, and the strict solution."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=60_000)
    X = rng.normal(size=(60_000, 20)) + 0.5 * rng.normal(size=(3, 20))[y]
    X *= 10.0 ** np.linspace(-2, 2, 20)
    rough, strict = (LinearClassifier(1e-3, tol=tol).fit(X, y) for tol in (1e-3, 1e-10))
    assert (rough.certificate_ <= 1e-3).all()
    assert (strict.certificate_ <= 1e-10).all()
    assert (rough.n_iter_ < 6).all()
    difference = rough.decision_function(X) - strict.decision_function(X)
    assert np.abs(difference).max() < 0.02


def test_bits_are_the_same_with_samples_and_single_precision():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=30_000)
    X = rng.normal(size=(30_000, 8)) + rng.normal(size=(3, 8))[y]
    found = [
        SoftCostClassifierCV(
            OneSidedRegression(OneSidedLinear()), cost_matrix=MATRIX, softness=2, cv=3,
            param_grid={"C": [1e-3, 1.0]}, n_jobs=n_jobs,
        ).fit(X, y)
        for n_jobs in (1, 2)
    ]  # fmt: skip
    pd.testing.assert_frame_equal(
        found[0].tradeoff_, found[1].tradeoff_, check_exact=True
    )
    np.testing.assert_array_equal(*(one.decision_function(X[:100]) for one in found))
