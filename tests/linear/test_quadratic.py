"""Newton directions of many problems at once, against solutions one by one."""

import numpy as np
import pytest
from scipy import sparse

from softcost.linear import newton
from softcost.linear.features import Rows
from softcost.linear.newton import Quadratic, Sampled


def a_problem(width, m, share, *, thin):
    """Rows, curvatures of which each problem has its own few, and right sides."""
    rng = np.random.default_rng([width, m])
    X = rng.normal(size=(900, width)) * np.geomspace(1, 30, width)
    curvature = rng.gamma(1.0, 1.0, (900, m)) * (rng.random((900, m)) < share)
    ridge = np.full(width, 1e-2)
    rows = Rows(sparse.csr_matrix(X) if thin else X)
    return X, rows, curvature, ridge, rng.normal(size=(width, m))


@pytest.mark.parametrize("thin", [False, True])
@pytest.mark.parametrize("share", [0.02, 0.9])
@pytest.mark.parametrize(("width", "m"), [(5, 1), (30, 7), (170, 3)])
def test_directions_are_those_of_each_problem(width, m, share, thin):
    """Few rows of a problem, all of them; wide problems have no matrix of their own."""
    X, rows, curvature, ridge, right = a_problem(width, m, share, thin=thin)
    quadratic = Quadratic(Sampled(rows, slice(None), 1.0), curvature.copy(), ridge)
    found = quadratic.solved(right, np.full(m, 1e-9))
    # A hundred steps do not solve problems that are wide and unlike their mean.
    alike = width <= newton._MAX_SEPARATE_WIDTH or share > 0.5
    for k in range(m):
        H = X.T @ (X * curvature[:, [k]]) + np.diag(ridge)
        root = np.sqrt(np.diagonal(H))
        missed, size = (H @ found[:, k] - right[:, k]) / root, right[:, k] / root
        allowed = 1e-5 if alike else 1.0
        assert np.linalg.norm(missed) <= allowed * np.linalg.norm(size)


def test_a_solved_problem_waits_for_nobody(monkeypatch):
    """Problems like the mean end early; only the others go on."""
    _, rows, curvature, ridge, right = a_problem(30, 8, 0.9, thin=False)
    curvature[:, 7] = 0.0
    curvature[:40, 7] = 1.0
    asked = []
    times = Quadratic.times

    def counted(self, coef, curvature):
        asked.append(coef.shape[1])
        return times(self, coef, curvature)

    monkeypatch.setattr(Quadratic, "times", counted)
    quadratic = Quadratic(Sampled(rows, slice(None), 1.0), curvature, ridge)
    quadratic.solved(right, np.full(8, 1e-3))
    assert asked[0] == 8
    assert asked[-1] < 8
