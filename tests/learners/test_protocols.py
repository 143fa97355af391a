"""A learner that declares what it shares gives what clone-and-fit gives."""

import numpy as np
import pandas as pd
import pytest
from toy import GroupMeans, PlainMeans

from softcost.learners import (
    Labels,
    OneSidedValues,
    SupportsMultiFit,
    SupportsPath,
    Values,
)
from softcost.reductions import CATALOGUE, FlatReduction
from softcost.search import SoftCostClassifierCV
from softcost.svm import KernelSVC, OneSidedSVR
from softcost.testing import check_path_learner

MATRIX = np.array([[0, 1.13, 5.71], [2.37, 0, 4.19], [9.83, 7.57, 0.0]])  # no ties


def walked_reductions():
    for name, entry in CATALOGUE.items():
        cls = entry.load()
        if issubclass(cls, FlatReduction) or hasattr(cls, "walk_fold"):
            yield name


@pytest.fixture(scope="module")
def rows():
    """Overlapping classes; many rows are equal to the learner."""
    rng = np.random.default_rng(3)
    y = rng.integers(3, size=150)
    X = np.column_stack([rng.normal(3 * y, 2), rng.normal(size=150)])
    weight = rng.integers(1, 4, 150).astype(float)
    costs = MATRIX[y] * rng.uniform(0.5, 2, (150, 1))
    return X, np.array(["c", "a", "b"])[y], weight, costs


def searched(learner, name, rows, by_example):
    X, y, weight, costs = rows
    search = SoftCostClassifierCV(
        CATALOGUE[name].load()(learner),
        cost_matrix=None if by_example else MATRIX,
        classes=["c", "a", "b"],
        softness=4,
        param_grid={"shrinkage": [0.5, 2.0, 10.0]},
        cv=3,
    )
    costs = costs if by_example else None
    return search.fit(X, y, costs=costs, sample_weight=weight)


@pytest.mark.parametrize("by_example", [False, True])
@pytest.mark.parametrize("name", walked_reductions())
def test_a_toy_learner_walks_through_every_reduction(
    name, by_example, rows, monkeypatch
):
    if by_example and name == "cszl":
        pytest.skip("rescaling takes costs by class only")
    walked = searched(GroupMeans(), name, rows, by_example)
    assert not isinstance(PlainMeans(), SupportsMultiFit | SupportsPath)
    monkeypatch.setattr("softcost.search.path_engine.predictions", None)
    cloned = searched(PlainMeans(), name, rows, by_example)
    pd.testing.assert_frame_equal(walked.tradeoff_, cloned.tradeoff_)
    assert walked.best_index_ == cloned.best_index_
    np.testing.assert_array_equal(walked.predict(rows[0]), cloned.predict(rows[0]))
    np.testing.assert_allclose(
        walked.decision_function(rows[0]), cloned.decision_function(rows[0])
    )


def test_settings_off_the_path_are_cloned_and_fitted(rows, monkeypatch):
    X, y, _, _ = rows
    monkeypatch.setattr("softcost.search.path_engine.predictions", None)
    search = SoftCostClassifierCV(
        CATALOGUE["csovr"].load()(GroupMeans()), param_grid={}, softness=2, cv=2
    )
    assert len(search.fit(X, y).tradeoff_) == 2


@pytest.mark.parametrize(
    ("learner", "values"),
    [
        (GroupMeans(), [0.5, 2.0]),
        (KernelSVC(tol=1e-5), [0.5, 8.0]),
        (KernelSVC(kernel="rbf", gamma=0.5, tol=1e-5), [8.0, 0.5]),
        (OneSidedSVR(tol=1e-5), [0.5, 8.0]),
    ],
)
def test_a_path_gives_what_fits_give(learner, values):
    check_path_learner(learner, values)


def test_the_check_of_paths_notices_a_constant_that_is_missing():
    class Forgetful(GroupMeans):
        def open_path(self, X, tests, values, softness, *, threads=1):
            path = super().open_path(X, tests, values, softness)
            path.groups = np.zeros_like(path.groups)
            return path

    with pytest.raises(AssertionError, match="the path and a fit differ"):
        check_path_learner(Forgetful(), [0.5, 2.0])


def test_half_a_protocol_is_refused(rows):
    class Half(PlainMeans):
        path_parameter = "shrinkage"

        def open_path(self, X, tests, values, softness, *, threads=1):
            raise AssertionError

    class Misnamed(GroupMeans):
        path_parameter = "alpha"

    X, y, _, _ = rows
    for learner, message in (
        (Half(), "lacks input_checks"),
        (Misnamed(), "is not one of its parameters"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            CATALOGUE["csovr"].load()(learner).fit(X, y)


def test_the_kernel_machines_declare_both():
    for learner in (KernelSVC(), OneSidedSVR()):
        assert isinstance(learner, SupportsMultiFit)
        assert isinstance(learner, SupportsPath)


def test_a_subproblem_says_what_it_is_and_the_learner_poses_it():
    target, weight = np.array([1.0, -1.0, 1.0]), np.array([1.0, 2.0, 0.0])
    side = np.array([1.0, 1.0, -1.0])
    labels = KernelSVC().posed(Labels(target, weight))
    for part, same in zip(
        labels,
        OneSidedSVR().posed(OneSidedValues(target, weight, -target)),
        strict=True,
    ):
        np.testing.assert_array_equal(part, same)
    values = OneSidedSVR().posed(Values(target, weight))
    np.testing.assert_array_equal(values.lower, -weight)
    np.testing.assert_array_equal(values.upper, weight)
    for wrong in (Values(target, weight), OneSidedValues(target, weight, side)):
        with pytest.raises(TypeError, match="KernelSVC is a classifier"):
            KernelSVC().posed(wrong)


def test_subproblems_stack_and_reshape():
    parts = [Labels(np.full(4, k), np.full(4, 10 * k)) for k in (1.0, 2.0, 3.0)]
    stacked = Labels.stacked(parts)
    assert stacked.target.shape == (3, 4)
    flat = stacked.reshaped(12)
    np.testing.assert_array_equal(flat.weight, np.repeat([10.0, 20, 30], 4))
