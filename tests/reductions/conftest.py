import numpy as np
import pytest
from sklearn.base import clone


@pytest.fixture
def blobs():
    """Overlapping classes in the plane: rows, labels, rows to predict, generator."""

    def make(n_classes=4, n=60, seed=0):
        rng = np.random.default_rng(seed)
        y = np.r_[np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)]
        centres = 2.0 * rng.normal(size=(n_classes, 2))
        X = centres[y] + rng.normal(size=(n, 2))
        return X, y, 3.0 * rng.normal(size=(200, 2)), rng

    return make


@pytest.fixture
def example_costs():
    """Costs by example: zero for the true class, up to 1 for others; 1 occurs."""

    def make(y, rng, n_classes=None):
        costs = rng.uniform(0.05, 1, (len(y), n_classes or y.max() + 1))
        costs[0] = 1
        costs[np.arange(len(y)), y] = 0
        return costs

    return make


@pytest.fixture
def plain_votes():
    """Votes of pairs, one loop after the other.

    ``pair(i, j)`` says which rows take part, who should win there (True: i) and with
    what weight.
    """

    def votes(learner, X, X_new, n_classes, pair):
        out = np.zeros((len(X_new), n_classes))
        for i in range(n_classes):
            for j in range(i + 1, n_classes):
                rows, first, weight = pair(i, j)
                rows = rows & (weight > 0)
                if not rows.any():
                    won = np.full(len(X_new), 0.5)
                elif first[rows].all() or not first[rows].any():
                    won = np.full(len(X_new), float(first[rows][0]))
                else:
                    model = clone(learner).fit(
                        X[rows], first[rows].astype(int), sample_weight=weight[rows]
                    )
                    won = (model.predict(X_new) == 1).astype(float)
                out[:, i] += won
                out[:, j] += 1 - won
        return out

    return votes


@pytest.fixture
def one_vs_one(plain_votes):
    """Votes of ordinary one-versus-one, with weights by class if wanted."""

    def votes(learner, X, y, X_new, class_weight=None, n_classes=None):
        n_classes = n_classes or y.max() + 1
        of_class = np.ones(n_classes) if class_weight is None else class_weight

        def pair(i, j):
            return (y == i) | (y == j), y == i, np.asarray(of_class, float)[y]

        return plain_votes(learner, X, X_new, n_classes, pair)

    return votes


@pytest.fixture
def votes_of():
    """Scores of a reduction to pairs, without the margins that decide between ties."""

    def votes(model, X):
        return np.round(2 * model.decision_function(X)) / 2

    return votes
