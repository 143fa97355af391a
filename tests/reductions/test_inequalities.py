"""What any answers of any learners are worth: bounds on the cost of a prediction.

A bound ties together the two halves of a reduction, its subproblems and how it combines
outputs, so outputs are arbitrary here and nothing is learnt.
"""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from softcost import CostSensitiveOneVsOne, OneSidedRegression, WeightedAllPairs
from softcost.costs import CostProblem
from softcost.reductions.filter_tree import balanced_tree, match, winner
from softcost.reductions.pairwise import all_pairs_values
from softcost.svm import pair_votes

prices = st.one_of(
    st.floats(0, 100, allow_subnormal=False), st.sampled_from([0.0, 1.0, 2.0])
)
numbers = st.one_of(st.floats(-200, 200), st.sampled_from([-1.0, 0.0, 1.0]))


@st.composite
def cost_vectors(draw, least=2, most=7):
    """One canonical cost vector of shape (1, K)."""
    n_classes = draw(st.integers(least, most))
    costs = draw(arrays(np.float64, (1, n_classes), elements=prices))
    return costs - costs.min()


def subproblems(reduction, costs):
    y = costs.argmin(axis=1)
    problem = CostProblem(y, costs, None, np.ones(len(costs)))
    return list(reduction().subproblems(problem))


def wrong_weight(problems, outputs):
    """Summed weight of the pairs that chose the more expensive class."""
    lost = [
        problem.weight * ((outputs[:, pair] > 0) != (problem.target > 0))
        for pair, problem in enumerate(problems)
    ]
    return np.sum(lost, axis=0)


@given(st.data())
def test_one_sided_regression(data):
    costs = data.draw(cost_vectors())
    outputs = data.draw(arrays(np.float64, costs.shape, elements=numbers))
    problems = subproblems(OneSidedRegression, costs)
    chosen = OneSidedRegression().combine(outputs, costs.shape[1]).argmax()
    # targets are 2 c - 1, so a violation counts twice
    missed = sum(
        np.maximum(problem.side * (outputs[:, k] - problem.target), 0)[0] / 2
        for k, problem in enumerate(problems)
    )
    assert costs[0, chosen] <= missed + 1e-9


@given(st.data())
def test_cost_sensitive_one_versus_one(data):
    costs = data.draw(cost_vectors())
    problems = subproblems(CostSensitiveOneVsOne, costs)
    outputs = data.draw(arrays(np.float64, (1, len(problems)), elements=numbers))
    chosen = pair_votes(outputs, costs.shape[1]).argmax()
    assert costs[0, chosen] <= wrong_weight(problems, outputs)[0] + 1e-9


@given(st.data())
def test_weighted_all_pairs(data):
    costs = data.draw(cost_vectors())
    problems = subproblems(WeightedAllPairs, costs)
    outputs = data.draw(arrays(np.float64, (1, len(problems)), elements=numbers))
    chosen = pair_votes(outputs, costs.shape[1]).argmax()
    assert costs[0, chosen] <= 2 * wrong_weight(problems, outputs)[0] + 1e-9


@pytest.mark.parametrize(
    ("reduction", "factor"), [(CostSensitiveOneVsOne, 1), (WeightedAllPairs, 2)]
)
def test_the_factors_are_reached_and_never_passed(reduction, factor):
    """Every vote of every pair, for costs of 0 and 1 of up to five classes."""
    worst = 0.0
    for n_classes in (2, 3, 4, 5):
        n_pairs = n_classes * (n_classes - 1) // 2
        outputs = np.array(list(product([-1.0, 1.0], repeat=n_pairs)))
        votes = pair_votes(outputs, n_classes)
        winners = votes == votes.max(axis=1, keepdims=True)  # however ties are broken
        for cheap in list(product([0.0, 1.0], repeat=n_classes))[1:-1]:
            costs = np.array([cheap])
            paid = (winners * costs).max(axis=1)
            lost = wrong_weight(subproblems(reduction, costs), outputs)
            assert np.all(paid <= factor * lost + 1e-12)
            worst = max(worst, np.max(paid[lost > 0] / lost[lost > 0]))
    assert worst == pytest.approx(factor)


@given(st.data())
def test_filter_tree(data):
    costs = data.draw(cost_vectors())
    n_classes = costs.shape[1]
    order = data.draw(st.permutations(range(n_classes)))
    nodes = balanced_tree(order)
    outputs = data.draw(arrays(np.float64, len(nodes), elements=numbers))
    won, lost = [], 0.0
    for node, output in zip(nodes, outputs, strict=True):
        sides = [
            np.array([side]) if side >= 0 else won[-1 - side]
            for side in (node.left, node.right)
        ]
        problem = match(CostProblem(costs.argmin(1), costs, None, np.ones(1)), *sides)
        won.append(winner(np.array([output]), *sides))
        lost += problem.weight[0] * ((output > 0) != (problem.target[0] > 0))
    assert costs[0, won[-1][0]] <= lost + 1e-9


@given(cost_vectors())
def test_pairs_are_weighted_copies_that_cancel(costs):
    """K copies (x, l) of weight max c - c[l] cost what c says, up to a constant.

    One-versus-one on the copies, after cancelling opposite ones, is the cost-sensitive
    one.
    """
    n_classes = costs.shape[1]
    copies = costs.max() - costs[0]
    constant = [copies.sum() - copies[k] - costs[0, k] for k in range(n_classes)]
    np.testing.assert_allclose(constant, constant[0], atol=1e-9)
    pairs = [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]
    for (i, j), problem in zip(
        pairs, subproblems(CostSensitiveOneVsOne, costs), strict=True
    ):
        signed = problem.target[0] * problem.weight[0]
        assert signed == pytest.approx(copies[i] - copies[j], abs=1e-12)


@given(cost_vectors())
def test_all_pairs_values_are_an_integral(costs):
    """Of 1 / #{l : c[l] <= t} from 0 to c[k], a sum of rectangles."""
    values = all_pairs_values(costs)[0]
    for k, end in enumerate(costs[0]):
        edges = np.unique(np.r_[0.0, costs[0][costs[0] <= end], end])
        area = sum(
            (right - left) / np.sum(costs[0] <= left) for left, right in pairwise(edges)
        )
        assert values[k] == pytest.approx(area, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("costs", "values"),
    [
        ((0, 1, 1, 1), (0, 1, 1, 1)),
        ((0, 0, 1, 1), (0, 0, 0.5, 0.5)),
        ((0, 0.5, 0.5, 2), (0, 0.5, 0.5, 1)),
        ((2, 2, 2, 2), (0, 0, 0, 0)),
    ],
)
def test_all_pairs_values_by_hand(costs, values):
    found = all_pairs_values(np.array([costs], float))
    np.testing.assert_allclose(found, [values], rtol=1e-15)
