"""The preference of "auto": the blend first, no dominated choice, stable budgets."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from softcost import SoftCostClassifierCV
from softcost.metrics import pareto_mask
from softcost.search import (
    Budget,
    Evidence,
    LeastCost,
    LeastError,
    MaxOfBoth,
    Tolerance,
)
from softcost.search.preference import PreferBlend, prefers_blend

N_RANDOM = 40


def random_case(rng, *, ties=True):
    """A trade-off table of several families, and penalties."""
    names = ["linear", "trees", "blend", "constant"]
    n_softness = int(rng.integers(1, 6))
    softness = np.linspace(0, 1, n_softness) if n_softness > 1 else np.array([0.3])
    family = np.repeat(names, n_softness * np.array([2, 1, 1, 1]))
    n = len(family)
    table = pd.DataFrame(
        {
            "family": family,
            "softness": np.tile(softness, 5),
            "cost": rng.gamma(2.0, 1.0, n),
            "error": rng.uniform(0, 0.6, n),
        }
    )
    if ties and rng.random() < 0.5:
        table["cost"], table["error"] = table["cost"].round(0), table["error"].round(1)
    table["normalized_cost"] = table["cost"] / 4
    table["cost_se"] = rng.uniform(0, 0.5, n)
    penalty = rng.gamma(2.0, rng.choice([0.05, 0.3, 2.0]), n)
    penalty[np.flatnonzero(family == "blend")[0]] = 0.0
    return table, penalty


def quietly(rule, table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rule.choose(table)


def dominates(table, first, second):
    """Whether the first row is no worse in cost and error, and better in one."""
    values = table[["cost", "error"]].to_numpy()
    a, b = values[first], values[second]
    return bool((a <= b).all() and (a < b).any())


def random_rules(rng, table):
    error = float(rng.choice([rng.uniform(0, 0.6), *table["error"]]))
    cost = float(rng.choice(table["cost"]))
    return [
        LeastCost(),
        MaxOfBoth(),
        Tolerance(cost=float(rng.uniform(0, 1))),
        Tolerance(cost="1se"),
        Budget(error=error),
        Budget(cost=cost),
        Budget(error=error, cost=cost),
    ]


def test_a_choice_is_not_dominated_within_its_family():
    rng = np.random.default_rng(0)
    for _ in range(N_RANDOM):
        table, penalty = random_case(rng)
        for rule in random_rules(rng, table):
            chosen = quietly(PreferBlend(rule, penalty), table)
            family = table.index[table["family"] == table["family"][chosen]]
            if isinstance(rule, Budget) and not within(rule, table)[chosen]:
                continue  # the nearest, whatever its cost
            assert not any(dominates(table, row, chosen) for row in family), rule


def within(rule, table):
    mask = np.ones(len(table), bool)
    for limit in rule.limits():
        mask &= limit.excess(limit.values(table, None)) <= 0
    return mask


def test_a_budget_leads_to_nothing_that_looks_better_than_the_default():
    """As long as the shortlist has a candidate within it, or no family has."""
    rng = np.random.default_rng(1)
    compared = 0
    for _ in range(N_RANDOM):
        table, penalty = random_case(rng)
        default = PreferBlend(LeastCost(), penalty)
        before, shortlist = default.choose(table), default.shortlist(table, "error")
        for rule in random_rules(rng, table):
            after = quietly(PreferBlend(rule, penalty), table)
            if isinstance(rule, Budget):
                met = within(rule, table)
                if met.any() and not (met & shortlist).any():
                    assert met[after]
                    continue
                compared += before != after
            assert not dominates(table, after, before), rule
    assert compared > N_RANDOM / 10


def test_a_budget_that_the_default_meets_changes_nothing():
    rng = np.random.default_rng(2)
    for _ in range(N_RANDOM):
        table, penalty = random_case(rng)
        default = PreferBlend(LeastCost(), penalty).choose(table)
        error = float(rng.uniform(table["error"][default], 0.61))
        budget = PreferBlend(Budget(error=error), penalty)
        assert budget.choose(table) == default
        assert PreferBlend(Tolerance(0.0), penalty).choose(table) == default


def test_other_families_need_a_clear_lead():
    rng = np.random.default_rng(3)
    other = 0
    for _ in range(N_RANDOM):
        table, penalty = random_case(rng)
        blend = table.index[table["family"] == "blend"]
        for rule in random_rules(rng, table):
            chosen = quietly(PreferBlend(rule, penalty), table)
            clear = PreferBlend(rule, penalty).shortlist(table, "error")
            assert table["family"][clear].isin(leading(table, penalty)).all()
            if isinstance(rule, Budget):
                met = within(rule, table)
                if met.any() and not met[blend].any() and not (met & clear).any():
                    # Nothing that is preferred is within the budget.
                    assert met[chosen]
                    if rule.least == "cost":
                        best = (table["cost"] + penalty)[met].min()
                        family = table["family"] == table["family"][chosen]
                        assert (table["cost"] + penalty)[met & family].min() == best
                    continue
            assert chosen in blend or clear[chosen], rule
            other += chosen not in blend
    assert other


def leading(table, penalty):
    """The blend, and families with a candidate that is clearly cheaper."""
    blend = table.index[table["family"] == "blend"]
    clear = table["cost"] + penalty < table["cost"][blend[0]]
    return {"blend", *table["family"][clear]}


def test_the_default_is_the_least_penalised_cost_or_dominates_it():
    rng = np.random.default_rng(4)
    moved = 0
    for _ in range(N_RANDOM):
        table, penalty = random_case(rng, ties=False)
        rule = PreferBlend(LeastCost(), penalty)
        chosen = rule.choose(table)
        least = int((table["cost"] + penalty).argmin())
        assert chosen == least or dominates(table, chosen, least)
        moved += chosen != least
        rows = np.flatnonzero(rule.shortlist(table, "error"))
        front = rows[pareto_mask(table[["cost", "error"]].to_numpy()[rows])]
        assert chosen in front
    assert moved


def test_an_exact_test_follows_the_front_of_the_blend():
    """Holdout rows that another family passes do not replace those of the blend."""
    table = pd.DataFrame(
        {
            "family": ["linear", "blend", "blend"],
            "softness": [0.0, 0.0, 1.0],
            "cost": [0.1, 0.3, 0.4],
            "error": [0.01, 0.2, 0.05],
        }
    )
    penalty = np.array([1.0, 0.0, 0.1])
    wrong = np.array([1.0, 20.0, 5.0])
    counts = np.array([[[50 - k, k], [0.0, 50]] for k in wrong])
    evidence = Evidence(
        np.array(["a", "b"]), counts, 100, np.ones(2), holdout=2 * counts
    )
    rule = PreferBlend(Budget(error=0.15, confidence=0.9), penalty)
    decision = rule.decide(table, evidence)
    assert decision.row == 2
    assert decision.guarantee["met"]
    assert decision.guarantee["kind"] == "exact"
    assert decision.guarantee["passed"] == [2]
    # Nothing of the blend is within 2% by cross-validation: all families are tested.
    rule = PreferBlend(Budget(error=0.05, recall={"b": 0.5}, confidence=0.5), penalty)
    table.loc[2, "error"] = 0.06
    assert rule.decide(table, evidence).row == 0


def test_rules_of_the_user_see_the_whole_table():
    assert not prefers_blend(LeastError())

    class Mine(LeastCost):
        pass

    assert not prefers_blend(Mine())


@pytest.fixture(scope="module")
def search():
    X, y = load_iris(return_X_y=True)
    prices = [[0, 1, 5], [1, 0, 5], [9, 9, 0]]
    return SoftCostClassifierCV(
        cost_matrix=prices, cv=3, softness=3, random_state=0, keep_data=True
    ).fit(X, y)


def test_what_looks_better_is_listed_with_its_standard_error(search):
    """Against the definition, row by row."""
    search.choose("cost")
    table, listed = search.tradeoff_, search.not_chosen()
    chosen = table.iloc[search.best_index_]
    better = table[
        (table["family"] != chosen["family"])
        & (table["cost"] < chosen["cost"] - 1e-9)
        & (table["error"] <= chosen["error"])
    ]
    assert set(listed["family"]) == set(better["family"])
    assert listed["cost"].is_monotonic_increasing
    held_out = search._held_out_rows("test")
    y, prices = held_out.rows.y[held_out.row], search.cost_matrix_
    paid = prices[y, held_out.predicted]
    for entry in listed.itertuples():
        assert entry.cost == better["cost"][better["family"] == entry.family].min()
        difference = paid[search.best_index_] - paid[entry.row]
        assert entry.difference == pytest.approx(difference.mean())
        error = difference.std() / np.sqrt(len(difference))
        assert entry.difference_se == pytest.approx(error)
        assert entry.lead < entry.required_lead
        assert entry.required_lead == search.selection_penalty_[entry.row]


def test_a_budget_lists_only_candidates_within_it(search):
    error = float(search.choose("cost").tradeoff_["error"][search.best_index_])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.choose(Budget(error=error, recall={2: 0.9}))
    assert set(search.not_chosen()["row"]) <= set(search.guarantee_["passed"])


def test_a_search_over_the_users_families_prefers_none():
    X, y = load_iris(return_X_y=True)
    search = SoftCostClassifierCV("auto")
    with pytest.raises(NotFittedError):
        search.not_chosen()
    from softcost import MinimumExpectedCost

    search = SoftCostClassifierCV(MinimumExpectedCost(), cv=3, softness=2).fit(X, y)
    assert search.not_chosen().empty


@pytest.mark.parametrize("bound", np.linspace(0.0, 0.2, 9))
def test_a_copy_chooses_what_the_search_chooses(search, bound):
    import copy

    rule = Budget(error=float(bound))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.choose("cost").keep_candidates()
        expected = search.choose(rule).best_index_
        copied = copy.deepcopy(search)
        del copied._problem
        assert copied.choose("cost").best_index_ != -1
        assert copied.choose(rule).best_index_ == expected
