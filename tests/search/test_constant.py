"""The best constant answer, beside which every model is shown."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from softcost.metrics import measure
from softcost.reductions import MinimumExpectedCost
from softcost.search import SoftCostClassifierCV

MATRIX = np.array([[0, 1.0, 3.0], [50.0, 0, 2.0], [8.0, 4.0, 0]])


@pytest.fixture(scope="module")
def noise():
    """Features without any information, and classes of different sizes."""
    rng = np.random.default_rng(0)
    y = np.array(["a", "b", "c"])[rng.choice(3, 120, p=[0.5, 0.2, 0.3])]
    return rng.normal(size=(120, 2)), y


@pytest.mark.parametrize("by_example", [False, True])
def test_it_is_chosen_without_the_held_out_rows(by_example, noise):
    X, y = noise
    costs = MATRIX[np.searchsorted(["a", "b", "c"], y)]
    weight = np.random.default_rng(1).uniform(0.5, 2, len(y))
    given = {"costs": costs * np.linspace(1, 3, len(y))[:, None]} if by_example else {}
    search = SoftCostClassifierCV(
        MinimumExpectedCost(),
        cost_matrix=None if by_example else MATRIX,
        softness=2,
        cv=StratifiedKFold(4),
    ).fit(X, y, sample_weight=weight, **given)
    used = given.get("costs", costs)
    answers = np.empty(len(y), y.dtype)
    for train, test in StratifiedKFold(4).split(X, y):
        best = (weight[train] @ used[train]).argmin()
        answers[test] = ["a", "b", "c"][best]
    expected = measure(
        y, answers, costs=used, classes=["a", "b", "c"], sample_weight=weight
    )
    for name in ("cost", "error", "g_mean"):
        assert search.constant_[name] == pytest.approx(expected[name])
    assert search.constant_["label"] == "abc"[(weight @ used).argmin()]
