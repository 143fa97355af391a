"""What a fit knows of its rows, against sums over single rows."""

import numpy as np
import pandas as pd
import pytest

from softcost import costs as sc

PRICES = np.array([[0.0, 1.0, 4.0, 0.5], [2.0, 0.0, 6.0, 0.5], [3.0, 9.0, 1.0, 2.0]])
Y = np.array(["c", "a", "b", "b", "a", "c"])
WEIGHT = np.array([1.0, 2.0, 0.5, 1.5, 0.0, 3.0])


def rows(**details):
    given = {"cost_matrix": PRICES, "actions": ["ask"], "action_error": 0.25}
    return sc.row_costs(Y, sample_weight=WEIGHT, **(given | details))


def by_example(**details):
    """The same prices, row by row, and twice as high in the last."""
    costs = PRICES[[2, 0, 1, 1, 0, 2]] * np.array([1, 1, 1, 1, 9, 2])[:, None]
    return rows(cost_matrix=None, costs=costs, **details)


def test_prices_by_class():
    found = rows()
    least = np.array([[0.0], [0.0], [1.0]])
    assert found.scale == 8
    np.testing.assert_allclose(found.matrix, (PRICES - least) / 8)
    np.testing.assert_allclose(found.costs, found.matrix[[2, 0, 1, 1, 0, 2]])
    np.testing.assert_array_equal(found.in_users_units, PRICES[[2, 0, 1, 1, 0, 2]])
    assert found.actions.tolist() == ["a", "b", "c", "ask"]
    assert (found.n_classes, found.n_actions, found.by_example) == (3, 4, False)
    # Of each class the mean of two mistakes, without the price of asking.
    mistakes = [(1 + 4) / 2, (2 + 6) / 2, (2 + 8) / 2]
    assert found.average_mistake() == pytest.approx(np.mean(mistakes))


def test_prices_by_row():
    """Rows without a weight have no say in the scale, and have none in means."""
    found = by_example()
    assert found.matrix is None
    assert found.by_example
    assert found.scale == 16
    np.testing.assert_allclose(found.costs[5], (2 * PRICES[2] - 2) / 16)
    last = (1 * 10 + 3 * 20) / 4
    assert found.average_mistake() == pytest.approx(np.mean([5, 8, last]) / 2)
    some = found.part(np.array([1, 2]))
    assert some.average_mistake() == pytest.approx(np.mean([5, 8]) / 2)
    assert some.scale == 6


@pytest.mark.parametrize("make", [rows, by_example])
def test_what_answers_cost_without_a_table_of_all(make):
    found = make()
    table = found.in_users_units
    some, answers = np.array([5, 0, 3]), np.array([[0, 1, 3], [2, 2, 0]])
    np.testing.assert_array_equal(
        found.realised_cost(answers, some), table[some, answers]
    )
    every = np.array([3, 2, 1, 0, 0, 3])
    np.testing.assert_array_equal(
        found.realised_cost(every), table[np.arange(6), every]
    )
    np.testing.assert_array_equal(found.least_cost(), table.min(axis=1))
    np.testing.assert_allclose(found.totals(), WEIGHT @ table)


def test_two_classes_have_one_mistake():
    found = sc.row_costs([0, 1, 1], cost_matrix=[[0, 3], [7, 0]])
    assert found.average_mistake() == 5
    assert found.part(np.array([0])).average_mistake() == 5
    alone = sc.row_costs([4, 4], cost_matrix=[[0]])
    assert (alone.average_mistake(), alone.scale) == (0, 1)


def test_means_by_class():
    values = np.arange(12.0).reshape(6, 2)
    found = rows().class_means(values)
    for number, name in enumerate("abc"):
        mine = name == Y
        wanted = np.average(values[mine], axis=0, weights=WEIGHT[mine])
        np.testing.assert_allclose(found[number], wanted)
    light = rows().part(np.array([2])).class_means(values[2:3])
    np.testing.assert_array_equal(light[1], values[2])
    nobody = rows().part(np.array([0, 4])).class_means(values[:2])
    np.testing.assert_array_equal(nobody, [[0, 0], [0, 0], [0, 1]])


@pytest.mark.parametrize("make", [rows, by_example])
@pytest.mark.parametrize("softness", [0.0, 0.3, 1.0])
def test_softness_mixes_in_errors(make, softness):
    """An action counts as a part of an error, all by the weight of the true class."""
    found = make(error_weight={"a": 1, "b": 2, "c": 5})
    problem = found.problem(softness)
    for row, name in enumerate(Y):
        weight = {"a": 1, "b": 2, "c": 5}[name]
        errors = weight * np.array([*(one != name for one in "abc"), 0.25])
        wanted = (1 - softness) * found.costs[row] + softness * errors
        np.testing.assert_allclose(problem.costs[row], wanted)
    assert (problem.matrix is None) == found.by_example
    assert problem.n_actions == 4


def test_equal_rows_are_one():
    """Of one group and class; with prices by row every row stays."""
    groups = np.array([1, 0, 2, 2, 0, 1])
    found, kept = rows(error_weight="balanced").merged(groups)
    assert kept.tolist() == [1, 0, 2]
    assert found.weight.tolist() == [2.0, 4.0, 2.0]
    np.testing.assert_array_equal(
        found.weight_of_errors, rows(error_weight="balanced").weight_of_errors
    )
    found, kept = by_example().merged(groups)
    assert kept.tolist() == [1, 4, 0, 5, 2, 3]
    assert found.weight.tolist() == WEIGHT[kept].tolist()


def test_prices_that_changed():
    known, extra = np.array(["a", "b", "c"]), np.array(["ask"])
    names = ["a", "b", "c", "ask"]
    table = pd.DataFrame(PRICES, index=names[:3], columns=names)
    shuffled = table.loc[["c", "a", "b"], ["b", "ask", "a", "c"]]

    def changed(given, learnt=PRICES):
        return sc.costs_changed(given, learnt, known, None, extra)

    for same in (PRICES, table, shuffled):
        assert not changed(same)
    for other in (PRICES + np.eye(3, 4, 2), 2 * table, 2 * shuffled, None):
        assert changed(other)
    assert changed(PRICES, None)
    assert not changed(None, None)
    assert not sc.costs_changed(None, 1 - np.eye(3), known, None, sc.NO_ACTIONS)


ACTIONS = np.array(["ask", "test"])


@pytest.mark.parametrize("given", [{"ask": 1}, {"ask": 1, "test": 0, "wait": 1}, {}])
def test_every_action_counts_and_no_other(given):
    with pytest.raises(ValueError, match="but the actions are 'ask', 'test'"):
        sc.check_action_error(given, ACTIONS)


def test_a_bad_matrix_of_any_row_is_named():
    known = np.array(["a", "b"])
    good = np.array([[0.0, 2.0], [3.0, 0.0]])
    for cell, bad, words in (
        ((0, 1), -1.0, "negative"), ((1, 0), np.nan, "finite|NaN"),
        ((0, 0), np.inf, "infinite"), ((1, 1), 1e200, "1e150"),
    ):  # fmt: skip
        given = np.array([good, good, good])
        given[(1, *cell)] = bad
        with pytest.raises(ValueError, match=rf"^costs\[1\]: .*({words})"):
            sc.row_matrices(given, known, 3)
    found = sc.row_matrices([good, 2 * good], known, 2, classes=["b", "a"])
    np.testing.assert_array_equal(found[1], 2 * good[::-1, ::-1])
    free = sc.row_matrices([[[1, 1], [1, 1]]], known, 1)
    assert free.tolist() == [[[1, 1], [1, 1]]]


def test_true_classes_in_the_first_column():
    """Also where they are numbers, and so are the names of the others."""
    table = pd.DataFrame({"true": [1, 0], 0: [5.0, 0.0], 1: [0.0, 2.0]})
    assert sc.check_cost_matrix(table, [0, 1]).tolist() == [[0, 2], [5, 0]]
    with pytest.raises(ValueError, match="empty"):
        sc.check_cost_matrix(pd.DataFrame())
    for one in (
        pd.DataFrame({"a": [0.0]}, index=["a"]),
        pd.DataFrame({"true": ["a"], "a": [0.0]}),
    ):
        assert sc.check_cost_matrix(one, ["a"]).tolist() == [[0]]


def test_the_largest_price():
    most = 1e150
    assert sc.check_cost_matrix([[0, most], [1, 0]])[0, 1] == most
    with pytest.raises(ValueError, match="sums could overflow"):
        sc.check_cost_matrix([[0, np.nextafter(most, np.inf)], [1, 0]])


def test_numbers_in_a_column_of_objects_are_labels():
    y = np.array([3, 1, np.int64(3)], dtype=object)
    found = sc.row_costs(y, cost_matrix=[[0, 2], [1, 0]])
    assert found.classes.tolist() == [1, 3]
    assert found.y.tolist() == [1, 0, 1]


def test_a_first_column_of_words_and_numbers_names_nothing():
    table = pd.DataFrame({"a": ["x", 1.0], "b": [2.0, 3.0]}, dtype=object)
    with pytest.raises(TypeError, match="must hold numbers, not 'x'"):
        sc.from_benefits(table)
