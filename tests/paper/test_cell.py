"""A unit is a pure function of its parameters, and follows the protocol."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest

from softcost.costs import is_consistent
from softcost.paper import make_request, plan, run_unit, seed
from softcost.paper.cell import (
    chosen_row,
    load_data,
    machine,
    make_trial,
    measure,
    search,
)
from softcost.paper.planning import FAMILIES, TARGETS
from softcost.search import SoftCostClassifierCV
from softcost.svm import KernelSVC


def test_seeds_are_what_their_documentation_says():
    digest = hashlib.sha256(b"split/iris/7").digest()
    assert seed("split", "iris", 7) == int.from_bytes(digest[:4], "big")
    assert seed("split", "iris", 7) != seed("folds", "iris", 7)


def test_the_same_unit_gives_the_same_cells(units, results):
    for unit in units[:4]:
        assert run_unit(unit) == results[unit]


def test_cells_do_not_depend_on_what_else_runs(units, results):
    for unit in reversed(units):
        np.random.seed(unit.run)  # noqa: NPY002
        np.random.rand(5)  # noqa: NPY002
        assert run_unit(unit) == results[unit]


@pytest.mark.parametrize("family", ["OSR", "CSOVO", "CSFT", "CSZL"])
def test_siblings_of_one_search_equal_cells_computed_alone(units, results, family):
    unit = next(unit for unit in units if unit.family == family)
    trial = make_trial(unit, load_data("iris"))
    shared = {cell["algorithm"]: cell for cell in results[unit]}
    assert set(shared) == set(FAMILIES[family])
    whole = search(unit, trial)
    for algorithm, cell in shared.items():
        if algorithm.startswith("soft-"):
            continue
        regular = algorithm in ("OVA", "OVO", "FT")
        own = SoftCostClassifierCV(
            whole.reduction,
            cost_matrix=None if regular else trial.costs,
            classes=trial.classes,
            softness=[1.0] if regular else [0.0],
            criterion=(lambda table: table["error"]) if regular else "cost",
            random_state=trial.folds,
        ).fit(trial.X, trial.y)
        assert own.candidate_params(own.best_index_) == json.loads(cell["params"])
        expected = measure(trial, own.predict(trial.X_test))
        assert {name: cell[name] for name in expected} == expected


def test_what_each_algorithm_may_look_at(unit, results):
    trial = make_trial(unit, load_data("iris"))
    table = search(unit, trial).tradeoff_
    by_name = {cell["algorithm"]: cell for cell in results[unit]}
    regular, hard = table[table["softness"] == 1], table[table["softness"] == 0]
    assert by_name["OVA"]["cv_error"] == regular["error"].min()
    assert by_name["OSR"]["cv_cost"] == hard["cost"].min()
    assert by_name["soft-OSR"]["cv_cost"] == table["cost"].min()
    larger = np.maximum(table["error"], table["normalized_cost"])
    assert larger[chosen_row(table, "soft-OSR-max")] == larger.min()
    # Regular algorithms see no cost at all.
    other = table.assign(cost=-table["cost"], normalized_cost=0.0)
    assert chosen_row(other, "OVA") == chosen_row(table, "OVA")
    for tenth in range(11):
        row = table.iloc[chosen_row(table, f"OSR@{tenth / 10:.1f}")]
        assert row["softness"] == pytest.approx(tenth / 10)


def test_a_quarter_is_tested_and_training_rows_span_the_unit_cube(unit):
    data = load_data("iris")
    trial = make_trial(unit, data)
    assert len(trial.y_test) == 38  # of 150, rounded up
    assert len(trial.y) + len(trial.y_test) == len(data.y)
    assert trial.X.min(axis=0).tolist() == [0.0] * 4
    assert trial.X.max(axis=0).tolist() == [1.0] * 4
    assert trial.X_test.min() < 0 or trial.X_test.max() > 1
    other = make_trial(replace(unit, run=1), data)
    assert (trial.y_test != other.y_test).any()
    assert (trial.costs != other.costs).any()


def test_constant_features_become_zero(unit):
    data = load_data("iris")
    constant = np.column_stack([data.X, np.full(len(data.X), 3.0)])
    # ... in the training part; the test part may differ.
    trial = make_trial(unit, replace(data, X=constant))
    assert not trial.X[:, 4].any()
    assert not trial.X_test[:, 4].any()


@pytest.mark.parametrize(
    ("kind", "consistent"),
    [("plain", False), ("class-ratio", False), ("consistent", True)],
)
def test_kinds_of_costs(unit, kind, consistent):
    trial = make_trial(replace(unit, costs=kind), load_data("iris"))
    assert is_consistent(trial.costs) == consistent
    assert trial.costs.max() == 1
    assert not np.diag(trial.costs).any()


def test_the_expensive_class_takes_turns(unit):
    for run in range(4):
        expensive = replace(unit, costs="emphasis-1e2", run=run)
        costs = make_trial(expensive, load_data("iris")).costs
        assert set(np.delete(costs[:, run % 3], run % 3)) == {1.0}
        assert np.isclose(np.delete(costs, run % 3, axis=1).max(), 0.01)


def test_weighted_one_vs_all_is_that(data_facts):
    (unit,) = plan(make_request("unbalanced", ["wine"], ["weighted-OVA"], runs=1),
                   data_facts)  # fmt: skip
    (cell,) = run_unit(unit)
    trial = make_trial(unit, load_data("wine"))
    counts = {label: np.sum(trial.y == label) for label in trial.classes.tolist()}
    weights = {label: min(counts.values()) / n for label, n in counts.items()}
    assert trial.weights == pytest.approx(weights)
    by_row = np.array([weights[label] for label in trial.y.tolist()])
    machine = KernelSVC(C=json.loads(cell["params"])["C"])
    scores = [
        machine.fit(trial.X, trial.y == label, sample_weight=by_row).decision_function(
            trial.X_test
        )
        for label in trial.classes
    ]
    predicted = trial.classes[np.argmax(scores, axis=0)]
    expected = measure(trial, predicted)
    assert {name: cell[name] for name in expected} == expected
    wrong = predicted != trial.y_test
    total = sum(weights[label] for label in trial.y_test[wrong].tolist())
    assert cell["weighted_error"] == pytest.approx(total)


def test_weighted_families_have_no_regular_sibling():
    for family in TARGETS["unbalanced"].families:
        assert not set(FAMILIES[family]) & {"OVA", "OVO", "FT"}


def test_other_data_are_refused(unit):
    with pytest.raises(ValueError, match="not the same data"):
        run_unit(replace(unit, data="0" * 16))


def test_samples_are_part_of_the_unit(unit):
    small = replace(unit, rows=60)
    trial = make_trial(small, load_data("iris"))
    assert len(trial.y) + len(trial.y_test) == 60
    assert small.key != unit.key


def test_keys_tell_everything_apart(unit):
    others = [
        replace(unit, dataset="wine"), replace(unit, costs="consistent"),
        replace(unit, family="CSFT"), replace(unit, run=1), replace(unit, rows=50),
        replace(unit, data="x"), replace(unit, algorithm="x"), replace(unit, version=0),
    ]  # fmt: skip
    assert len({unit.key, *(other.key for other in others)}) == len(others) + 1


def test_each_run_has_its_own_tree(units):
    data = load_data("iris")
    trees = []
    for run in range(8):
        own = replace(units[0], family="CSFT", run=run)
        trial = make_trial(own, data)
        assert sorted(trial.leaves) == sorted(data.classes)
        assert machine(own, trial).order is trial.leaves
        trees.append(tuple(trial.leaves))
    assert len(set(trees)) > 2
    assert all(unit.version > 1 for unit in units if unit.family == "CSFT")


def test_the_other_reading_of_lambda(unit, results):
    other = plan(
        make_request("inconsistent", ["iris"], ["OVA"], runs=1, grid="1/C"),
        {"iris": (150, unit.data)},
    )[0]
    assert other.key != unit.key
    cells = run_unit(other)
    assert all(json.loads(cell["params"])["C"] <= 4 for cell in cells)
    assert {cell["algorithm"] for cell in cells} == set(unit.algorithms)
    with pytest.raises(ValueError, match="grid must be 'C' or '1/C'"):
        make_request("inconsistent", grid="c")
