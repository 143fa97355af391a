"""Filter trees against plain recursion, and how often they ask their learners."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from softcost import FilterTree, KernelSVC


class Leaf:
    def __init__(self, label):
        self.label = label

    def winners(self, X):
        return np.full(len(X), self.label)


class Match:
    """A node of a filter tree, trained after its two sides."""

    def __init__(self, learner, order, X, y, costs, by_survival):
        middle = (len(order) + 1) // 2
        self.sides = [
            plain_tree(learner, part, X, y, costs, by_survival)
            for part in (order[:middle], order[middle:])
        ]
        a, b = (side.winners(X) for side in self.sides)
        rows = np.arange(len(X))
        if by_survival:  # without costs: who takes part is whose label is still there
            part = ((a == y) | (b == y)) & (a != b)
            left, weight = (a == y)[part], None
        else:
            gain = costs[rows, b] - costs[rows, a]
            part = gain != 0
            left, weight = gain[part] > 0, np.abs(gain[part])
        if left.all() or not left.any():
            self.answer = True if len(left) == 0 else bool(left[0])
            self.model = None
        else:
            self.model = clone(learner).fit(
                X[part], left.astype(int), sample_weight=weight
            )

    def winners(self, X):
        a, b = (side.winners(X) for side in self.sides)
        if self.model is None:
            return a if self.answer else b
        return np.where(self.model.predict(X) == 1, a, b)


def plain_tree(learner, order, X, y, costs, by_survival=False):
    if len(order) == 1:
        return Leaf(order[0])
    return Match(learner, order, X, y, costs, by_survival)


LEARNERS = [
    KernelSVC(tol=1e-7),
    LogisticRegression(),
    DecisionTreeClassifier(max_depth=3, random_state=0),
]


@pytest.mark.parametrize(
    "learner", LEARNERS, ids=lambda learner: type(learner).__name__
)
@pytest.mark.parametrize("n_classes", [2, 3, 5, 6])
def test_recursion(learner, n_classes, blobs, example_costs):
    X, y, X_new, rng = blobs(n_classes, n=90)
    costs = example_costs(y, rng)
    order = rng.permutation(n_classes)
    tree = plain_tree(learner, order, X, y, costs)
    model = FilterTree(learner, order=order).fit(X, y, costs=costs)
    np.testing.assert_array_equal(model.predict(X_new), tree.winners(X_new))
    default = plain_tree(learner, np.arange(n_classes), X, y, costs)
    model = FilterTree(learner).fit(X, y, costs=costs)
    np.testing.assert_array_equal(model.predict(X_new), default.winners(X_new))


@pytest.mark.parametrize(
    "learner", LEARNERS, ids=lambda learner: type(learner).__name__
)
@pytest.mark.parametrize("n_classes", [3, 5, 6])
def test_without_costs_labels_that_survive_take_part(learner, n_classes, blobs):
    X, y, X_new, _ = blobs(n_classes, n=90)
    tree = plain_tree(learner, np.arange(n_classes), X, y, None, by_survival=True)
    model = FilterTree(learner).fit(X, y)
    np.testing.assert_array_equal(model.predict(X_new), tree.winners(X_new))


@pytest.fixture(scope="module")
def hundred_classes():
    rng = np.random.default_rng(0)
    y = np.tile(np.arange(100), 3)
    centres = rng.normal(size=(100, 5))
    X = centres[y] + 0.05 * rng.normal(size=(300, 5))
    return X, y, centres[rng.integers(100, size=10_000)]


def test_seven_passes_for_a_hundred_classes(hundred_classes, monkeypatch):
    X, y, X_new = hundred_classes
    model = FilterTree().fit(X, y)
    passes = []
    machines = type(model.solutions_[0])
    outputs = machines.outputs

    def counted(self, rows):
        passes.append(len(rows))
        return outputs(self, rows)

    monkeypatch.setattr(machines, "outputs", counted)
    predicted = model.predict(X_new)
    assert len(passes) <= 7
    assert max(passes) <= len(X_new)
    assert len(np.unique(predicted)) > 90


def test_seven_answers_for_each_row_of_any_learner(hundred_classes, monkeypatch):
    X, y, X_new = hundred_classes
    model = FilterTree(LogisticRegression()).fit(X, y)
    calls = []
    decide = LogisticRegression.decision_function

    def counted(self, rows):
        calls.append(len(rows))
        return decide(self, rows)

    monkeypatch.setattr(LogisticRegression, "decision_function", counted)
    model.predict(X_new)
    assert len(calls) <= 99  # each node once, however many rows there are
    assert sum(calls) <= 7 * len(X_new)


def test_bad_order_is_refused(blobs):
    X, y, _, _ = blobs(3)
    for order in ([0, 1], [0, 1, 1], [0, 1, 2, 3], [0, 1, 5]):
        with pytest.raises(ValueError, match="order must name each of the 3 classes"):
            FilterTree(order=order).fit(X, y)


@pytest.mark.parametrize(
    "learner", LEARNERS, ids=lambda learner: type(learner).__name__
)
def test_where_nothing_is_learnt_the_left_side_passes(learner, blobs):
    X, y, X_new, _ = blobs(4, n=90)
    y = np.where(y == 1, 0, y)
    prices = 1.0 - np.eye(4)
    prices[:2, :2] = 0  # 0 and 1 cost the same for everyone
    model = FilterTree(learner, cost_matrix=prices, classes=range(4)).fit(X, y)
    assert set(model.predict(X_new)) == {0, 2, 3}
    model.set_params(order=[1, 0, 2, 3]).fit(X, y)
    assert set(model.predict(X_new)) == {1, 2, 3}
