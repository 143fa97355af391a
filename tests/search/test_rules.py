"""Which row each criterion chooses, and the mixtures between rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from softcost.search import best_mix, choose_row


def table(**columns):
    frame = pd.DataFrame(columns)
    for name in ("weighted_error", "normalized_cost"):
        if name not in frame:
            frame[name] = frame["error"]
    if "cost_se" not in frame:
        frame["cost_se"] = 0.0
    return frame


tables = (
    st.integers(1, 12)
    .flatmap(
        lambda n: st.tuples(
            *(st.lists(st.integers(0, 5), min_size=n, max_size=n) for _ in range(4))
        )
    )
    .map(
        lambda lists: table(
            softness=np.array(lists[0]) / 5,
            cost=np.array(lists[1], float),
            error=np.array(lists[2]) / 10,
            normalized_cost=np.array(lists[3]) / 10,
        )
    )
)


@given(tables)
def test_cost_breaks_ties_by_softness_then_by_order(frame):
    row = choose_row(frame)
    best = frame[frame["cost"] == frame["cost"].min()]
    best = best[best["softness"] == best["softness"].max()]
    assert row == best.index[0]


@given(tables)
def test_max_is_the_larger_of_error_and_normalised_cost(frame):
    row = choose_row(frame, "max")
    worst = np.maximum(frame["error"], frame["normalized_cost"])
    assert worst[row] == worst.min()
    assert frame["softness"][row] == frame["softness"][worst == worst.min()].max()


@given(tables, st.integers(0, 6))
def test_constrained_is_the_cheapest_that_is_good_enough(frame, tenths):
    budget = tenths / 10
    feasible = frame[frame["error"] <= budget]
    if len(feasible):
        row = choose_row(frame, "constrained", max_error=budget)
        assert frame["error"][row] <= budget
        assert frame["cost"][row] == feasible["cost"].min()
    else:
        with pytest.warns(UserWarning, match="no candidate"):
            row = choose_row(frame, "constrained", max_error=budget)
        assert frame["error"][row] == frame["error"].min()


@given(tables, st.floats(0, 2))
def test_tolerance_is_the_best_error_among_cheap_ones(frame, tolerance):
    row = choose_row(frame, "tolerance", tolerance=tolerance)
    allowed = frame["cost"].min() * (1 + tolerance) * (1 + 1e-9)
    assert frame["cost"][row] <= allowed
    assert frame["error"][row] == frame["error"][frame["cost"] <= allowed].min()


def test_one_standard_error_of_the_cheapest():
    frame = table(
        softness=[0, 0.5, 1],
        cost=[1.0, 1.2, 1.4],
        error=[0.5, 0.3, 0.1],
        cost_se=[0.25, 9, 9],
    )
    assert choose_row(frame, "tolerance", tolerance="1se") == 1


def test_the_weighted_error_counts_where_it_is_asked_for():
    frame = table(
        softness=[0, 1], cost=[1.0, 2.0], error=[0.1, 0.3], weighted_error=[0.4, 0.2]
    )
    chosen = {"max_error": 0.25}
    assert choose_row(frame, "constrained", **chosen) == 0
    assert choose_row(frame, "constrained", **chosen, error="weighted_error") == 1


def test_a_function_may_return_a_row_or_values():
    frame = table(softness=[0, 0.5, 1], cost=[3.0, 1.0, 2.0], error=[0.1, 0.3, 0.2])
    assert choose_row(frame, lambda rows: 2) == 2
    assert choose_row(frame, lambda rows: rows["error"]) == 0
    for answer in (3, -1, True, "no", [1.0], [np.nan] * 3):
        with pytest.raises(ValueError, match="criterion must return"):
            choose_row(frame, lambda rows, answer=answer: answer)


@pytest.mark.parametrize(
    ("criterion", "given_", "names"),
    [
        ("cheapest", {}, "criterion"),
        ("constrained", {}, "max_error"),
        ("cost", {"max_error": 0.1}, "max_error"),
        ("constrained", {"max_error": 5}, "max_error"),
        ("constrained", {"max_error": "low"}, "max_error"),
        ("tolerance", {}, "tolerance"),
        ("cost", {"tolerance": 0.1}, "tolerance"),
        ("tolerance", {"tolerance": -1}, "tolerance"),
        ("tolerance", {"tolerance": "2se"}, "tolerance"),
    ],
)
def test_bad_rules_are_refused_by_name(criterion, given_, names):
    frame = table(softness=[0, 1], cost=[3.0, 1.0], error=[0.1, 0.3])
    with pytest.raises(ValueError, match=names):
        choose_row(frame, criterion, **given_)


points = st.lists(
    st.tuples(st.integers(0, 10), st.integers(0, 20)), min_size=1, max_size=10
).map(lambda pairs: np.array(pairs, float) * [0.1, 1])


@given(points, st.integers(0, 10))
def test_best_mix_solves_the_linear_program(pairs, tenths):
    error, cost = pairs.T
    budget = tenths / 10
    if error.min() > budget:
        with pytest.raises(ValueError, match="max_error"):
            best_mix(error, cost, budget)
        return
    first, second, p = best_mix(error, cost, budget)
    assert 0 <= p <= 1
    assert p * error[first] + (1 - p) * error[second] <= budget + 1e-9
    ones = np.ones((1, len(cost)))
    program = linprog(cost, error[None], [budget], ones, [1.0])
    mixed = p * cost[first] + (1 - p) * cost[second]
    assert mixed == pytest.approx(program.fun, abs=1e-7)


def test_the_mixture_of_the_minimal_example_beats_the_front():
    error, cost = np.array([0, 0.4, 1.0, 0.8]), np.array([10.0, 7, 0, 8])
    first, second, p = best_mix(error, cost, 0.4)
    assert (first, second) == (0, 2)
    assert p * cost[first] + (1 - p) * cost[second] == pytest.approx(6)
