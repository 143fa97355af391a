"""Budgets: what is chosen within limits, and how often these are broken."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from softcost.search import Budget, Evidence, decide, make_rule

CLASSES = np.array(["ham", "spam"])
PRICES = np.array([[0.0, 1.0], [5.0, 0.0]])
LEVEL = 0.1


def counts(rates, n_rows, rng=None):
    """Confusion matrices with errors at given rates, drawn or as they are."""
    rates = np.asarray(rates, float)
    sizes = np.array([n_rows // 2, n_rows - n_rows // 2])
    wrong = rates * sizes if rng is None else rng.binomial(sizes, rates)
    confusion = np.zeros((len(rates), 2, 2))
    confusion[:, 0, 1], confusion[:, 1, 0] = wrong.T
    confusion[:, 0, 0], confusion[:, 1, 1] = (sizes - wrong).T
    return confusion


def a_table(confusion, softness=None):
    total = confusion.sum(axis=(1, 2))
    right = np.diagonal(confusion, axis1=1, axis2=2)
    cost = (confusion * PRICES).sum(axis=(1, 2)) / total
    error = 1 - right.sum(axis=1) / total
    return pd.DataFrame(
        {
            "softness": np.zeros(len(cost)) if softness is None else softness,
            "cost": cost,
            "error": error,
            "weighted_error": error,
            "normalized_cost": cost / 3,
            "g_mean": np.sqrt((right / confusion.sum(axis=2)).prod(axis=1)),
        }
    )


def evidence(confusion, holdout=None, **details):
    n_rows = int(confusion[0].sum())
    told = {"cost_matrix": PRICES, "holdout": holdout} | details
    return Evidence(CLASSES, confusion, n_rows, np.ones(2), **told)


def quietly(table, rule, held):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return decide(table, rule, held)


def simulated(rule, n_tables=400, n_holdout=300, errors=(0.1, 0.3), seed=0):
    """How often a chosen candidate, said to be within the budget, truly is not.

    No training: candidates have true rates of error, from which held-out counts are
    drawn. Their errors grow as their costs fall, around a budget of 0.2.
    """
    rng = np.random.default_rng(seed)
    broken = met = 0
    for _ in range(n_tables):
        wrong = np.sort(rng.uniform(*errors, 20))
        missed = 0.3 - wrong  # of the class whose mistakes are dear
        truth = np.column_stack([2 * wrong - missed, missed])
        cross_validated = counts(truth, 300, rng)
        kept = counts(truth, n_holdout, rng) if n_holdout else None
        held = evidence(cross_validated, kept)
        decision = quietly(a_table(cross_validated), rule, held)
        met += decision.guarantee["met"]
        broken += decision.guarantee["met"] and truth[decision.row].mean() > 0.2
    return broken, met


def most(n_tables=400):
    """What chance leaves of a share of a tenth."""
    return binom.ppf(0.999, n_tables, LEVEL)


def test_a_tested_budget_is_broken_as_seldom_as_promised():
    broken, met = simulated(Budget(error=0.2, confidence=1 - LEVEL))
    plainly, _ = simulated(Budget(error=0.2))
    assert met > 200  # it does not refuse everything
    assert broken <= most()
    assert plainly > 2 * most()


@pytest.mark.parametrize("n_holdout", [300, 0], ids=["sequence", "Holm"])
def test_where_nothing_is_within_the_budget_few_pass(n_holdout):
    """The hardest case: every candidate is a little worse than it may be."""
    rule = Budget(error=0.2, confidence=1 - LEVEL)
    hardest = {"errors": (0.2, 0.21), "n_holdout": n_holdout}
    broken, met = simulated(rule, **hardest)
    assert broken == met <= most()
    assert simulated(Budget(error=0.2), **hardest)[0] > 4 * most()


def test_holm_keeps_the_promise_where_predictions_are_as_good_as_new():
    rule = Budget(error=0.2, confidence=1 - LEVEL)
    broken, met = simulated(rule, n_holdout=0)
    assert met > 200
    assert broken <= most()


def test_a_tested_recall_is_broken_as_seldom_as_promised():
    rng = np.random.default_rng(2)
    rule = Budget(recall={"spam": 0.8}, confidence=1 - LEVEL)
    broken = plainly = 0
    for _ in range(300):
        missed = np.sort(rng.uniform(0.1, 0.3, 15))
        truth = np.column_stack([0.6 - 1.5 * missed, missed])
        drawn = counts(truth, 300, rng)
        held = evidence(drawn, counts(truth, 300, rng))
        tested = quietly(a_table(drawn), rule, held)
        broken += tested.guarantee["met"] and missed[tested.row] > 0.2
        plain = quietly(a_table(drawn), Budget(recall={"spam": 0.8}), held)
        plainly += missed[plain.row] > 0.2
    assert broken <= most(300)
    assert plainly > broken


def test_candidates_are_tested_from_the_safest_to_the_first_that_fails():
    cross_validated = counts([[0.1, 0.1], [0.2, 0.07], [0.3, 0.03]], 400)
    fine, bad = [0.02, 0.02], [0.9, 0.9]
    rule = Budget(error=0.3, confidence=0.95)
    table = a_table(cross_validated)
    for kept, row, passed in (
        ([fine, fine, fine], 2, [0, 1, 2]),
        ([fine, fine, bad], 1, [0, 1]),
        ([fine, bad, fine], 0, [0]),  # the last is never tested
    ):
        held = evidence(cross_validated, counts(kept, 200))
        decision = quietly(table, rule, held)
        assert decision.row == row
        assert decision.guarantee["passed"] == passed
        assert decision.guarantee["kind"] == "exact"
        assert decision.guarantee["rows"] == 200


def test_every_limit_has_to_be_passed():
    cross_validated = counts([[0.1, 0.1], [0.3, 0.05]], 400)
    table, kept = a_table(cross_validated), counts([[0.1, 0.1], [0.3, 0.05]], 4000)
    for limits, row in (
        ({"error": 0.25}, 1),
        ({"error": 0.25, "recall": {"ham": 0.8}}, 0),
        ({"recall": {"ham": 0.8, "spam": 0.8}}, 0),
        ({"g_mean": 0.85}, 0),
        ({"g_mean": 0.7, "weighted_error": 0.5}, 1),
    ):
        rule = Budget(**limits, confidence=0.9)
        decision = quietly(table, rule, evidence(cross_validated, kept))
        assert decision.row == row
        assert decision.guarantee["met"]
        values = decision.guarantee["limits"]
        assert len(values) == len(rule.limits())
        assert all(one["p_value"] <= 0.1 for one in values)


def test_estimates_alone_promise_nothing():
    confusion = counts([[0.1, 0.1], [0.3, 0.05]], 400)
    decision = decide(
        a_table(confusion), Budget(recall={"spam": 0.92}), evidence(confusion)
    )
    assert decision.row == 1
    assert decision.guarantee["met"]
    assert decision.guarantee["kind"] == "none"
    assert decision.guarantee["limits"][0]["estimate"] == pytest.approx(0.95)


def test_where_only_costs_are_limited_the_least_error_is_chosen():
    confusion = counts([[0.1, 0.1], [0.3, 0.05], [0.05, 0.3]], 400)
    table = a_table(confusion)
    assert table["cost"].tolist() == pytest.approx([0.3, 0.275, 0.775])
    assert Budget(cost=0.31).choose(table) == 0
    assert Budget(cost=0.28).choose(table) == 1
    assert Budget(cost=9.0, error=0.9).choose(table) == 1
    assert "the least error" in Budget(cost=9.0).describe()


def test_without_holdout_rows_the_guarantee_is_approximate():
    confusion = counts([[0.1, 0.1], [0.3, 0.05]], 400)
    rule = Budget(error=0.5, confidence=0.9)
    with pytest.warns(UserWarning, match="the guarantee is approximate"):
        decision = decide(a_table(confusion), rule, evidence(confusion))
    assert decision.guarantee["kind"] == "approximate"
    assert decision.guarantee["method"] == "Holm"


def test_the_nearest_is_chosen_with_what_is_missing():
    confusion = counts([[0.2, 0.2], [0.4, 0.1], [0.1, 0.4]], 400)
    table = a_table(confusion)
    with pytest.warns(UserWarning, match=r"no candidate has an error of at most 0.1"):
        assert Budget(error=0.1).choose(table) == 0
    with pytest.warns(UserWarning, match=r"nearest, with recall of 'spam' 0.9,"):
        decision = decide(table, Budget(recall={"spam": 0.99}), evidence(confusion))
    assert decision.row == 1
    assert decision.guarantee["missing"].startswith("no candidate has a recall of")


def test_the_number_of_errors_that_would_have_passed_is_right():
    truth = [[0.2, 0.2], [0.4, 0.1]]
    kept = counts(truth, 200)
    held = evidence(counts(truth, 400), kept)
    with pytest.warns(UserWarning, match="was shown") as heard:
        decide(a_table(kept), Budget(error=0.15, confidence=0.9), held)
    text = str(heard[0].message)
    allowed = int(text.split("at most ")[2].split()[0])
    assert binom.cdf(allowed, 200, 0.15) <= 0.1 < binom.cdf(allowed + 1, 200, 0.15)


def test_the_number_of_rows_that_are_needed_is_right():
    kept = counts([[0.0, 0.0]], 30)
    held = evidence(counts([[0.0, 0.0]], 400), kept)
    with pytest.warns(UserWarning, match="was shown") as heard:
        decide(a_table(kept), Budget(error=0.05, confidence=0.95), held)
    needed = int(str(heard[0].message).split("takes ")[1].split()[0])
    assert 0.95**needed <= 0.05 < 0.95 ** (needed - 1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Budget(), "Budget has no limit"),
        (lambda: Budget(error=5), "an error rate from 0 to 1, not 5"),
        (lambda: Budget(error="low"), "an error rate from 0 to 1"),
        (lambda: Budget(error=True), "an error rate from 0 to 1"),
        (lambda: Budget(g_mean=1.5), "g_mean must be from 0 to 1"),
        (lambda: Budget(coverage=-0.1), "coverage must be from 0 to 1"),
        (lambda: Budget(cost=-1), "cost must be a number that is not negative"),
        (lambda: Budget(cost=np.nan), "cost must be a number"),
        (lambda: Budget(weighted_error="x"), "weighted_error must be a number"),
        (lambda: Budget(normalized_cost=np.inf), "normalized_cost must be a number"),
        (lambda: Budget(recall=0.9), "recall must be a dict"),
        (lambda: Budget(recall={}), "recall must be a dict"),
        (lambda: Budget(recall={"spam": 90}), "recall of 'spam' must be from 0 to 1"),
        (lambda: Budget(error=0.1, confidence=95), "confidence must be between 0"),
        (lambda: Budget(error=0.1, confidence=1.0), "confidence must be between 0"),
        (lambda: Budget(error=0.1, confidence="high"), "confidence must be between"),
        (lambda: make_rule("constrained", max_error=2), "max_error"),
    ],
)
def test_bad_budgets_are_refused(make, message):
    with pytest.raises(ValueError, match=message) as caught:
        make()
    assert str(caught.value).count("\n") == 0


@pytest.mark.parametrize(
    ("rule", "details", "message"),
    [
        (Budget(recall={"egg": 0.9}), {}, "recall names 'egg', which is not a class"),
        (Budget(coverage=0.9), {}, "table has no coverage"),
        (
            Budget(error=0.9, confidence=0.9),
            {"equal_weights": False},
            "sample_weight differs",
        ),
        (
            Budget(cost=0.9, confidence=0.9),
            {"cost_matrix": None},
            "needs costs by class",
        ),
    ],
)
def test_what_the_counts_cannot_tell_is_refused(rule, details, message):
    confusion = counts([[0.1, 0.1], [0.3, 0.05]], 400)
    with pytest.raises(ValueError, match=message):
        quietly(a_table(confusion), rule, evidence(confusion, **details))


@pytest.mark.parametrize(
    "rule", [Budget(recall={"spam": 0.9}), Budget(error=0.1, confidence=0.9)]
)
def test_a_table_alone_is_not_enough_for_a_test(rule):
    with pytest.raises(ValueError, match="needs counts, not the table alone"):
        rule.choose(a_table(counts([[0.1, 0.1]], 400)))


def test_budgets_say_what_they_are():
    rule = Budget(error=0.05, recall={"spam": 0.9}, confidence=0.95)
    assert repr(rule) == "Budget(error=0.05, recall={'spam': 0.9}, confidence=0.95)"
    assert rule.describe() == (
        "the least cost among those with an error of at most 0.05 and a recall of "
        "'spam' of at least 0.9, with a confidence of 0.95"
    )
