"""Matrices made of an order, of groups and of profits."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from softcost import costs as sc

GRADES = ["none", "mild", "moderate", "severe"]


@pytest.mark.parametrize(("make", "power"), [(sc.absolute, 1), (sc.squared, 2)])
def test_ordered_classes(make, power):
    by_hand = [[abs(i - j) ** power for j in range(4)] for i in range(4)]
    assert make(4).tolist() == by_hand
    named = make(GRADES)
    assert named.index.tolist() == named.columns.tolist() == GRADES
    assert named.to_numpy().tolist() == by_hand
    placed = make({"a": 2.0, "b": -1.0, "c": 7.0})
    assert placed.loc["b", "c"] == placed.loc["c", "b"] == 8.0**power
    assert placed.loc["a", "b"] == 3.0**power


def test_an_order_survives_the_sorting_of_classes():
    """Names go by label: "mild" sorts before "none", and yet is 1 away from it."""
    vectors = sc.as_cost_vectors(["none", "severe"], cost_matrix=sc.absolute(GRADES))
    assert sorted(GRADES) == ["mild", "moderate", "none", "severe"]
    assert vectors.tolist() == [[1, 2, 0, 3], [2, 1, 3, 0]]


def test_groups():
    groups = {"b": "x", "a": "y", "c": "x", "d": "z"}
    matrix = sc.by_group(groups, inside=2, across=7)
    for i in groups:
        for j in groups:
            price = 0 if i == j else 2 if groups[i] == groups[j] else 7
            assert matrix.loc[i, j] == price
    by_position = sc.by_group(list(groups.values()), inside=2, across=7)
    assert (by_position == matrix.to_numpy()).all()
    assert sc.is_consistent(matrix)


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame, pl.DataFrame])
def test_benefits_differ_as_costs_do(form):
    rng = np.random.default_rng(0)
    benefits = rng.normal(size=(20, 3)) * 100
    costs = np.asarray(sc.from_benefits(form(benefits)))
    assert (costs >= 0).all()
    assert (costs.min(axis=1) == 0).all()
    np.testing.assert_allclose(costs - costs[:, :1], benefits[:, :1] - benefits)


def test_labelled_benefits_stay_labelled():
    profits = pd.DataFrame(
        [[20.0, 0.0], [-100.0, 5.0]], index=["good", "bad"], columns=["good", "bad"]
    )
    costs = sc.from_benefits(profits)
    with_names = pl.DataFrame(
        {"true": ["good", "bad"], "good": [20.0, -100.0], "bad": [0.0, 5.0]}
    )
    nested = {"good": {"bad": 0, "good": 20}, "bad": {"good": -100, "bad": 5}}
    for same in (with_names, nested):
        made = sc.check_cost_matrix(sc.from_benefits(same), ["good", "bad"])
        assert (made == costs.to_numpy()).all()
    assert costs.loc["bad", "good"] == 105
    with pytest.raises(ValueError, match="from_benefits"):
        sc.check_cost_matrix(profits)


def test_the_best_decision_is_that_of_the_benefits():
    """The class of least expected cost earns most, whatever the probabilities."""
    rng = np.random.default_rng(1)
    benefits = rng.normal(size=(4, 4)) + 4 * np.eye(4)
    probabilities = rng.dirichlet(np.ones(4), 200)
    earned = (probabilities @ benefits).argmax(axis=1)
    paid = (probabilities @ sc.from_benefits(benefits)).argmin(axis=1)
    assert (earned == paid).all()
