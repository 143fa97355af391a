"""Cost curves and net benefit, against tables that are priced anew."""

import numpy as np
import pytest
from made_up import made_up

from softcost import CostCurveDisplay, NetBenefitDisplay

matplotlib = pytest.importorskip("matplotlib")


class Search:
    """What the displays read of a fitted search."""

    def __init__(self, classes="abc", by_example=False):
        data = made_up(classes, 3, 5)
        self.tradeoff_, self.best_index_ = data.table, data.chosen
        self.confusion_ = np.stack([data.confusion, 2 * data.confusion], axis=1)
        self.cost_matrix_, self.classes_ = data.cost_matrix, np.array(list(classes))
        self.costs_by_example_ = by_example
        self.rows = {"regular": data.regular, "hard": data.hard, "chosen": data.chosen}

    def reference_rows(self):
        return self.rows


@pytest.fixture(autouse=True)
def no_window():
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


def test_cost_curves_are_costs_at_scaled_prices():
    search = Search()
    display = CostCurveDisplay.from_estimator(search, "b", factors=[4, 0.5, 1])
    pooled = search.confusion_.sum(axis=1)
    for number, factor in enumerate([0.5, 1, 4]):
        prices = search.cost_matrix_.copy()
        prices[1] *= factor
        costs = (pooled * prices).sum(axis=(1, 2)) / pooled[0].sum()
        for name, row in search.rows.items():
            line = display.lines_[name].get_xydata()
            np.testing.assert_allclose(line[number], [factor, costs[row]])
        least = display.lines_["best candidate"].get_ydata()[number]
        assert least == pytest.approx(costs.min())
    assert display.ax_.get_xscale() == "log"
    display.figure_.canvas.draw()


@pytest.mark.parametrize("positive", ["b", "a", None])
def test_net_benefit_counts_what_is_found_and_false_alarms(positive):
    search = Search("ab")
    display = NetBenefitDisplay.from_estimator(search, positive=positive)
    p = 0 if positive == "a" else 1
    pooled = search.confusion_.sum(axis=1) / search.confusion_[0].sum()
    row, t = pooled[search.best_index_], display.thresholds
    expected = row[p, p] - row[1 - p, p] * t / (1 - t)
    np.testing.assert_allclose(display.lines_["chosen"].get_ydata(), expected)
    everyone = row[p].sum() - row[1 - p].sum() * t / (1 - t)
    np.testing.assert_allclose(display.lines_["always"].get_ydata(), everyone)
    # At the threshold that the prices stand for, benefit ranks as cost does.
    prices = search.cost_matrix_
    assert display.threshold == pytest.approx(
        prices[1 - p, p] / (prices[1 - p, p] + prices[p, 1 - p])
    )
    odds = display.threshold / (1 - display.threshold)
    benefit = pooled[:, p, p] - pooled[:, 1 - p, p] * odds
    cost = (pooled * prices).sum(axis=(1, 2))
    np.testing.assert_array_equal(np.argsort(-benefit), np.argsort(cost))
    display.figure_.canvas.draw()


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: CostCurveDisplay.from_estimator(Search(), "z"), "label='z' is no"),
        (
            lambda: CostCurveDisplay.from_estimator(Search(by_example=True), "a"),
            "were given by example",
        ),
        (
            lambda: CostCurveDisplay.from_estimator(Search(), "a", factors=[0, 1]),
            "factors must be positive",
        ),
        (
            lambda: CostCurveDisplay.from_estimator(Search(), "a", factors=[]),
            "factors must be positive",
        ),
        (lambda: NetBenefitDisplay.from_estimator(Search()), "not for 3 classes"),
        (
            lambda: NetBenefitDisplay.from_estimator(Search("ab"), positive="c"),
            "positive='c' is not a class",
        ),
    ],
)
def test_bad_inputs(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()
