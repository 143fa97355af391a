"""P-values of limits: exact where they can be, never too small."""

import numpy as np
import pytest
from scipy.stats import beta, binom

from softcost.search import Evidence, Limit

CLASSES = np.array(["ham", "spam", "eggs"])
PRICES = np.array([[0, 1, 4], [2, 0, 8], [9, 3, 0.0]])
WEIGHT = np.array([1.0, 0.5, 0.25])
LEVELS = (0.01, 0.05, 0.1, 0.2, 0.5)


def evidence(confusion, **details):
    confusion = np.asarray(confusion, float)
    n_rows = int(confusion[0].sum())
    told = {"error_weight": WEIGHT, "cost_matrix": PRICES} | details
    return Evidence(CLASSES, confusion, n_rows, **told)


def drawn(rng, truth, sizes, n_samples):
    """Confusion matrices of candidates with the same true rates."""
    return np.stack(
        [rng.multinomial(n, p, n_samples) for n, p in zip(sizes, truth, strict=True)],
        axis=1,
    )


def test_the_error_is_tested_by_the_binomial_tail():
    confusion = drawn(np.random.default_rng(0), np.full((3, 3), 1 / 3), [20, 30, 9], 40)
    found = evidence(confusion).p_values(Limit("error", 0.3))
    errors = 59 - np.trace(confusion, axis1=1, axis2=2)
    np.testing.assert_allclose(found, binom.cdf(errors, 59, 0.3))


def test_a_recall_is_tested_among_the_rows_of_its_class():
    confusion = drawn(np.random.default_rng(0), np.full((3, 3), 1 / 3), [20, 30, 9], 40)
    found = evidence(confusion).p_values(Limit("recall", 0.8, "eggs"))
    missed = 9 - confusion[:, 2, 2]
    np.testing.assert_allclose(found, binom.cdf(missed, 9, 0.2))


def test_the_g_mean_is_tested_by_bounds_of_the_recalls():
    """At the level of the p-value the bounds just reach the limit."""
    truth = 0.9 * np.eye(3) + 0.1 / 3
    confusion = drawn(np.random.default_rng(0), truth, [40, 30, 25], 20)
    found = evidence(confusion).p_values(Limit("g_mean", 0.75))
    right, sizes = np.diagonal(confusion, axis1=1, axis2=2), confusion.sum(axis=2)
    for row, p in enumerate(found):
        bounds = beta.ppf(p / 3, right[row], sizes[row] - right[row] + 1)
        assert p == 1 or np.prod(bounds) == pytest.approx(0.75**3, rel=1e-6)


@pytest.mark.parametrize(
    "measure",
    ["error", "recall", "g_mean", "weighted_error", "cost", "normalized_cost"],
)
def test_p_values_are_never_too_small(measure):
    """With the true value at the limit, p is below d at most with probability d."""
    rng = np.random.default_rng(1)
    truth = np.array([[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.2, 0.1, 0.7]])
    shares = np.array([0.5, 0.3, 0.2])
    n = 4000
    cells = rng.multinomial(150, (shares[:, None] * truth).ravel(), n)
    held = evidence(cells.reshape(n, 3, 3))
    exact = evidence([1e6 * shares[:, None] * truth])
    label = "spam" if measure == "recall" else None
    limit = Limit(measure, exact.means(Limit(measure, 0.0, label))[0], label)
    found = held.p_values(limit)
    assert found.min() < 0.3, "or nothing was tested"
    for level in LEVELS:
        noise = binom.ppf(0.9999, n, level) / n
        assert (found <= level).mean() <= noise


def test_bounded_measures_gain_from_more_rows():
    one = np.array([[[45, 3, 2], [5, 40, 5], [2, 3, 45]]])
    limit = Limit("cost", 1.0)
    few, many = (evidence(k * one).p_values(limit)[0] for k in (1, 10))
    assert many < few < 1


def test_a_limit_that_no_loss_can_break_is_kept():
    one = np.array([[[0, 50, 0], [50, 0, 0], [0, 50, 0]]])
    assert evidence(one).p_values(Limit("cost", 9.0))[0] == 0
    assert evidence(one).p_values(Limit("error", 1.0))[0] == 0


def test_rows_held_out_twice_count_once():
    one = np.array([[[45, 3, 2], [5, 40, 5], [2, 3, 45]]])
    twice = Evidence(CLASSES, 2.0 * one, 150, WEIGHT, PRICES)
    for measure, label in (("error", None), ("recall", "ham"), ("g_mean", None)):
        limit = Limit(measure, 0.2 if measure == "error" else 0.8, label)
        np.testing.assert_allclose(
            twice.p_values(limit), evidence(one).p_values(limit), rtol=1e-6
        )


def test_coverage_counts_answers_that_are_classes():
    confusion = np.zeros((1, 3, 4))
    confusion[0, :, :3] = 10 * np.eye(3)
    confusion[0, :, 3] = [0, 2, 1]
    held = Evidence(CLASSES, confusion, 33, WEIGHT)
    limit = Limit("coverage", 0.8)
    assert held.means(limit)[0] == pytest.approx(30 / 33)
    assert held.p_values(limit)[0] == pytest.approx(binom.cdf(3, 33, 0.2))
