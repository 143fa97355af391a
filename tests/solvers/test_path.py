"""Families of problems: every cell is what a cold fit gives, whatever is around it."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from softcost.solvers import kernels, path, smo
from softcost.solvers.path import Family, bisection, solve_path
from softcost.solvers.row_store import Gram, part_of, store_of

C_GRID = np.array([0.25, 2.0, 16.0, 128.0, 1024.0])
SOFTNESS = np.linspace(0, 1, 6)


class Setting:
    """Training rows, held-out rows and their kernels."""

    def __init__(self, n=70, n_out=33, kernel="perceptron", seed=0):
        rng = np.random.default_rng(seed)
        self.X = rng.random((n + n_out, 3))
        self.y = rng.integers(0, 3, n + n_out)
        self.X[:, 0] += 0.4 * self.y  # classes that overlap
        whole = kernels.gram_matrix(self.X, kernel, gamma=2.0)
        train, out = np.arange(n), np.arange(n, n + n_out)
        self.gram = kernels.submatrix(whole, train, train)
        self.cross = kernels.submatrix(whole, train, out)
        self.n, self.n_out, self.y = n, n_out, self.y[:n]

    def path(self, family, C=C_GRID, softness=SOFTNESS, **options):
        return solve_path(
            Gram(self.gram), self.cross, self.n_out, family, C, softness, **options
        )

    def cold(self, targets, lower, upper, tol=1e-8):
        """Outputs for held-out and training rows, from scratch."""
        solution = smo.solve(Gram(self.gram), targets, lower, upper, tol=tol)
        assert solution.converged
        outputs = solution.beta @ self.cross[:, : self.n_out].astype(float)
        fitted = self.gram[:, : self.n].astype(float) @ solution.beta
        return outputs + solution.intercept, fitted + solution.intercept


PRICES = np.array([[0.0, 0.2, 1.0], [0.7, 0.0, 0.1], [0.4, 0.9, 0.0]])


def soft_costs(costs, y, softness):
    """(n_softness, n, K) mixtures with naive costs."""
    naive = 1.0 - np.eye(costs.shape[1])[y]
    share = np.asarray(softness)[:, None, None]
    return (1 - share) * costs + share * naive


def one_sided(costs, y, k, softness=SOFTNESS):
    """The one-sided family of class k: targets affine in softness."""
    soft = soft_costs(costs, y, softness)
    cheapest = soft[:, :, k] == soft.min(axis=2)
    targets = 2 * soft[:, :, k] - 1
    return Family(targets, np.where(cheapest, -1.0, 0.0), np.where(cheapest, 0.0, 1.0))


def pairwise(costs, y, i, j, softness=SOFTNESS):
    """The family of the pair i, j: signed weights affine in softness."""
    soft = soft_costs(costs, y, softness)
    signed = soft[:, :, j] - soft[:, :, i]
    return Family(np.sign(signed), np.minimum(signed, 0), np.maximum(signed, 0))


def free_mistakes(rng, y):
    """Costs of which some are zero: signs differ between softness 0 and above."""
    costs = rng.random((len(y), 3)) * (rng.random((len(y), 3)) < 0.6)
    costs[np.arange(len(y)), y] = 0
    return costs


FAMILIES = {
    "one-sided": lambda s, rng: one_sided(PRICES[s.y], s.y, 1),
    "one-sided, by example": lambda s, rng: one_sided(
        rng.random((s.n, 3)) * PRICES[s.y], s.y, 2
    ),
    "one-sided, free mistakes": lambda s, rng: one_sided(
        free_mistakes(rng, s.y), s.y, 0
    ),
    "pairwise": lambda s, rng: pairwise(PRICES[s.y], s.y, 0, 2),
    "pairwise, free mistakes": lambda s, rng: pairwise(
        free_mistakes(rng, s.y), s.y, 1, 2
    ),
    "boxes at random": lambda s, rng: Family(
        rng.standard_normal((len(SOFTNESS), s.n)),
        -rng.random((len(SOFTNESS), s.n)),
        rng.random((len(SOFTNESS), s.n)),
    ),
    "boxes that come and go": lambda s, rng: Family(
        np.tile(np.sign(rng.standard_normal(s.n)), (len(SOFTNESS), 1)),
        -rng.random((len(SOFTNESS), s.n)) * (rng.random((len(SOFTNESS), s.n)) < 0.5),
        rng.random((len(SOFTNESS), s.n)) * (rng.random((len(SOFTNESS), s.n)) < 0.5),
    ),
}


@pytest.fixture(scope="module")
def setting():
    return Setting()


@pytest.fixture(params=list(FAMILIES))
def family(request, setting):
    return FAMILIES[request.param](setting, np.random.default_rng(11))


def close_to_cold(setting, family, result, C=C_GRID, atol=3e-5):
    """Every cell of a path against a fit from scratch."""
    for c, a in np.ndindex(result.converged.shape):
        f = (c, a) if family.targets.ndim == 3 else a
        problem = family.targets[f], C[c] * family.lower[f], C[c] * family.upper[f]
        outputs, fitted = setting.cold(*problem)
        where = f"C={C[c]}, softness number {a}"
        np.testing.assert_allclose(
            result.fitted[c, a], fitted, atol=atol, err_msg=where
        )
        np.testing.assert_allclose(
            result.outputs[c, a], outputs, atol=atol, err_msg=where
        )


def test_every_cell_is_a_cold_fit(setting, family):
    result = setting.path(family, tol=1e-6, fitted=True)
    assert result.converged.all()
    close_to_cold(setting, family, result)


@pytest.mark.parametrize("tol", [1e-2, 1e-3, 1e-4])
def test_tolerance_bounds_the_difference(setting, family, tol):
    """Within the tolerance of the optimality conditions, a few of it in outputs."""
    result = setting.path(family, tol=tol, fitted=True)
    assert result.converged.all()
    close_to_cold(setting, family, result, atol=10 * tol)


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_every_kernel(kernel, tol):
    setting = Setting(kernel=kernel, seed=1)
    family = one_sided(PRICES[setting.y], setting.y, 0)
    result = setting.path(family, tol=tol, fitted=True)
    assert result.converged.all()
    for c, C in enumerate(C_GRID):
        outputs, fitted = setting.cold(
            family.targets[0], *(C * box[0] for box in (family.lower, family.upper))
        )
        np.testing.assert_allclose(result.fitted[c, 0], fitted, atol=10 * tol + 1e-5)
        # held-out outputs are sums in single precision
        np.testing.assert_allclose(result.outputs[c, 0], outputs, atol=10 * tol + 1e-3)


def test_other_grid_points_do_not_matter(setting, family):
    whole = setting.path(family, tol=1e-6)
    for some_C in ([3], [0, 4], [1, 2, 3]):
        for some in ([0], [2], [5], [0, 5], [1, 2, 4]):
            part = Family(family.targets[some], family.lower[some], family.upper[some])
            result = setting.path(part, C_GRID[some_C], SOFTNESS[some], tol=1e-6)
            np.testing.assert_allclose(
                result.outputs, whole.outputs[np.ix_(some_C, some)], atol=3e-5
            )


@pytest.mark.parametrize("C", [2.0**-12, 2.0**-7])
def test_the_way_to_a_small_C_does_not_matter(setting, C):
    """No coefficient is inside its box: the intercept is the middle of an interval."""
    family = one_sided(PRICES[setting.y], setting.y, 1)
    whole = setting.path(family, np.array([C / 3, C]), tol=1e-6, fitted=True)
    for a in range(len(SOFTNESS)):
        part = Family(
            *(x[a : a + 1] for x in (family.targets, family.lower, family.upper))
        )
        alone = setting.path(part, np.array([C]), SOFTNESS[:1], tol=1e-6)
        np.testing.assert_allclose(whole.outputs[1, a], alone.outputs[0, 0], atol=1e-5)
    close_to_cold(setting, family, whole, np.array([C / 3, C]))


def test_C_in_any_order(setting, family):
    order = [3, 0, 4, 2, 1]
    sorted_C = setting.path(family, tol=1e-3, fitted=True)
    shuffled = setting.path(family, C_GRID[order], tol=1e-3, fitted=True)
    for name in ("outputs", "fitted", "violation", "dual_gap", "steps", "converged"):
        expected = getattr(sorted_C, name)[order]
        np.testing.assert_array_equal(getattr(shuffled, name), expected, err_msg=name)


def test_the_same_C_twice(setting, family):
    result = setting.path(family, np.array([4.0, 1.0, 4.0]), tol=1e-4)
    np.testing.assert_allclose(result.outputs[0], result.outputs[2], atol=1e-3)


def test_families_that_change_with_C(setting):
    """Problem by problem for every C, coming back to an earlier one: as if alone."""
    rng = np.random.default_rng(2)
    soft = [
        one_sided(PRICES[setting.y], setting.y, 0),
        one_sided(PRICES.T[setting.y], setting.y, 0),  # the same signs, other targets
        one_sided(PRICES[setting.y], setting.y, 1),
        FAMILIES["boxes at random"](setting, rng),
    ]
    turns = [0, 1, 0, 2, 3, 0, 1]
    C = np.array([64.0, 64.0, 65.0, 66.0, 1.0, 512.0, 600.0])
    family = Family(
        *(
            np.stack([getattr(soft[k], name) for k in turns])
            for name in ("targets", "lower", "upper")
        )
    )
    for tol, atol in ((1e-3, 1e-2), (1e-6, 3e-5)):
        result = setting.path(family, C, tol=tol, fitted=True)
        assert result.converged.all()
        close_to_cold(setting, family, result, C, atol=atol)
        for c, k in enumerate(turns):
            alone = setting.path(soft[k], C[c : c + 1], tol=tol)
            np.testing.assert_allclose(
                result.outputs[c], alone.outputs[0], atol=2 * atol
            )


def test_a_solution_that_was_overwritten_is_not_taken(setting):
    """Back to earlier targets with smaller boxes, after others took the place."""
    first = one_sided(PRICES[setting.y], setting.y, 0)
    other = one_sided(PRICES.T[setting.y], setting.y, 0)  # the same signs
    boxes = np.array([1e4, 1e-3, 0.1])[:, None, None]
    family = Family(
        np.stack([first.targets, other.targets, first.targets]),
        boxes * np.stack([first.lower, other.lower, first.lower]),
        boxes * np.stack([first.upper, other.upper, first.upper]),
    )
    C = np.array([1.0, 2.0, 3.0])
    result = setting.path(family, C, tol=1e-6, fitted=True)
    assert result.converged.all()
    close_to_cold(setting, family, result, C)


def test_solutions_that_touch_no_bound_serve_larger_C(setting):
    family = one_sided(PRICES[setting.y], setting.y, 1)
    C = 4.0 ** np.arange(8)
    result = setting.path(family, C, tol=1e-6, fitted=True)
    skipped = result.steps == 0
    assert skipped[-1].all()
    assert not skipped[0].any()
    close_to_cold(setting, family, result, C)


def spied(monkeypatch):
    """The memory of the next paths, which at the end holds the last C's solutions."""
    memories, walk = [], path.walk

    def spy(*arguments):
        memories.append(arguments[-2])
        return walk(*arguments)

    monkeypatch.setattr(path, "walk", spy)
    return memories


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
@pytest.mark.parametrize("C", [C_GRID, C_GRID[:3]], ids=["to 1024", "to 16"])
def test_certificates_are_true(setting, family, C, tol, certificate, monkeypatch):
    """Also where no step was made: violation and gap recomputed from coefficients."""
    memories = spied(monkeypatch)
    result = setting.path(family, C, tol=tol, fitted=True)
    K = setting.gram[:, : setting.n].astype(float)
    for a, beta in enumerate(memories[-1].beta):
        problem = (
            family.targets[a], C[-1] * family.lower[a], C[-1] * family.upper[a],
        )  # fmt: skip
        used = (problem[1] < 0) | (problem[2] > 0)
        goal = tol * np.ptp(problem[0][used]) / 2
        gradient = K @ beta - problem[0]
        intercept = np.mean(result.fitted[-1, a] - K @ beta)
        check = certificate(K, *problem, beta, intercept)
        assert check.feasible
        # the stored gradient is single precision, and not summed anew when rough
        rounding = 1e-6 * np.abs(gradient).max() + 0.02 * goal
        assert check.violation <= goal + rounding
        assert result.violation[-1, a] == pytest.approx(check.violation, abs=rounding)
        width = np.maximum(problem[2], -problem[1]).sum()
        assert result.dual_gap[-1, a] == pytest.approx(
            check.gap, abs=2 * rounding * width
        )
        np.testing.assert_allclose(
            result.fitted[-1, a], K @ beta + intercept, atol=rounding
        )


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_fitted_are_outputs_for_the_training_rows(setting, family, tol):
    result = solve_path(
        Gram(setting.gram), setting.gram, setting.n, family, C_GRID, SOFTNESS,
        tol=tol, fitted=True,
    )  # fmt: skip
    np.testing.assert_allclose(result.outputs, result.fitted, atol=1e-4)
    assert setting.path(family).fitted is None


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_resuming_changes_nothing(setting, family, tol, monkeypatch):
    whole = setting.path(family, tol=tol, fitted=True)
    calls = []
    monkeypatch.setattr(smo, "_WORK_PER_CALL", 0)
    sliced = setting.path(family, tol=tol, fitted=True, proceed=lambda: calls.append(1))
    assert len(calls) >= whole.steps.sum() // 100
    assert sliced.converged.all()
    np.testing.assert_allclose(sliced.outputs, whole.outputs, atol=5 * tol + 3e-5)
    np.testing.assert_allclose(sliced.fitted, whole.fitted, atol=5 * tol + 3e-5)
    # a slice begins anew with the cycle of partner choices, nothing more
    assert sliced.steps.sum() <= 1.5 * whole.steps.sum()


def test_proceed_can_stop(setting, family):
    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        setting.path(family, proceed=stop)


@pytest.mark.parametrize("max_steps", [0, 3, 40])
@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_giving_up_is_said(setting, max_steps, tol):
    family = one_sided(PRICES[setting.y], setting.y, 1)
    result = setting.path(family, tol=tol, max_steps=max_steps)
    goal = tol * np.ptp(family.targets, axis=1) / 2
    assert (result.steps <= max_steps).all()
    assert (result.converged == (result.violation <= goal * (1 + 1e-6))).all()
    assert not result.converged.all()
    assert np.isfinite(result.outputs).all()


@pytest.mark.parametrize("tol", [1e-3, 1e-7, 1e-9, 0.0])
@pytest.mark.parametrize("kernel_name", ["perceptron", "linear"])
def test_any_tolerance_ends(kernel_name, tol):
    """What single precision cannot reach is given up and said, not tried for ever."""
    setting = Setting(kernel=kernel_name)
    family = one_sided(PRICES[setting.y], setting.y, 1, SOFTNESS[:2])
    calls = []

    def patience():
        calls.append(1)
        assert len(calls) < 200, "no end in sight"

    result = setting.path(family, softness=SOFTNESS[:2], tol=tol, proceed=patience)
    goal = tol * np.ptp(family.targets, axis=1) / 2
    assert (result.converged == (result.violation <= goal * (1 + 1e-6))).all()
    assert (result.violation <= goal + 1e-5).all()


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_one_label_gives_constants(setting, sign, tol):
    rng = np.random.default_rng(0)
    targets = rng.random((6, setting.n))
    box = rng.random((6, setting.n)) + 0.1
    nothing = np.zeros_like(box)
    family = Family(targets, *((nothing, box) if sign > 0 else (-box, nothing)))
    result = setting.path(family, tol=tol, fitted=True)
    expected = targets.max(axis=1) if sign > 0 else targets.min(axis=1)
    for outputs in (result.outputs, result.fitted):
        want = np.broadcast_to(expected[:, None], outputs.shape)
        np.testing.assert_allclose(outputs, want, atol=1e-6)
    assert (result.steps == 0).all()
    assert result.converged.all()


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_nothing_to_learn_from_gives_nan(setting, tol):
    full = pairwise(PRICES[setting.y], setting.y, 0, 2)
    lower, upper = full.lower.copy(), full.upper.copy()
    empty = np.array([True, False, False, True, False, True])
    lower[empty] = upper[empty] = 0
    result = setting.path(Family(full.targets, lower, upper), tol=tol)
    reference = setting.path(full, tol=tol)
    assert np.isnan(result.outputs[:, empty]).all()
    np.testing.assert_allclose(
        result.outputs[:, ~empty], reference.outputs[:, ~empty], atol=5 * tol + 3e-5
    )


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_nothing_to_learn_from_at_one_C_only(setting, tol):
    full = pairwise(PRICES[setting.y], setting.y, 0, 2)
    there = np.array([0.0, 1.0, 0.0, 1.0])[:, None, None]
    family = Family(
        np.stack([full.targets] * 4), full.lower * there, full.upper * there
    )
    C = np.array([1.0, 4.0, 8.0, 16.0])
    result = setting.path(family, C, tol=tol)
    reference = setting.path(full, C, tol=tol)
    assert np.isnan(result.outputs[[0, 2]]).all()
    np.testing.assert_allclose(
        result.outputs[[1, 3]], reference.outputs[[1, 3]], atol=5 * tol + 3e-5
    )


def test_same_bits_twice_and_in_threads(setting):
    rng = np.random.default_rng(11)
    families = [make(setting, rng) for make in FAMILIES.values()]
    alone = [setting.path(family, fitted=True) for family in families]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda f: setting.path(f, fitted=True), families))
    for one, other in zip(alone, together, strict=True):
        for name in ("outputs", "fitted", "violation", "dual_gap", "steps"):
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes()


def test_rows_on_demand_give_the_same_bits(setting, family):
    full = setting.path(family, fitted=True)
    train = setting.X[: setting.n]
    everyone, out = np.arange(setting.n), np.arange(setting.n, len(setting.X))
    store = store_of(setting.X, "perceptron", capacity=4)
    for lazy, cross in (
        (store_of(train, "perceptron", capacity=0), setting.cross),
        (part_of(store, everyone, out, capacity=6), None),
    ):
        result = solve_path(
            lazy, cross, setting.n_out, family, C_GRID, SOFTNESS, fitted=True
        )
        for name in ("outputs", "fitted", "violation", "dual_gap", "steps"):
            assert getattr(result, name).tobytes() == getattr(full, name).tobytes()


def test_without_a_row_nothing_is_known(setting):
    nobody = np.arange(0)
    store = store_of(setting.X, "perceptron", capacity=4)
    part = part_of(store, nobody, np.arange(5), capacity=6)
    family = Family(*np.zeros((3, len(SOFTNESS), 0)))
    result = solve_path(part, None, 5, family, C_GRID, SOFTNESS)
    assert result.outputs.shape == (len(C_GRID), len(SOFTNESS), 5)
    assert np.isnan(result.outputs).all()


def test_inputs_are_not_changed(setting, family):
    parts = [
        setting.gram, setting.cross, family.targets, family.lower, family.upper,
        C_GRID, SOFTNESS,
    ]  # fmt: skip
    kept = [part.copy() for part in parts]
    setting.path(family)
    for before, after in zip(kept, parts, strict=True):
        np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("n", range(1, 14))
@pytest.mark.parametrize("power", [1.0, 3.0])
def test_bisection_visits_all_ends_first(n, power):
    place = np.arange(n) ** power
    order = bisection(place)
    assert sorted(order) == list(range(n))
    assert order[0] == n - 1
    if n > 1:
        assert order[1] == 0
    for k in range(2, n):  # always between two that are known, nearest to their middle
        left = max(order[:k][order[:k] < order[k]])
        right = min(order[:k][order[:k] > order[k]])
        middle = (place[left] + place[right]) / 2
        off = np.abs(place[left + 1 : right] - middle)
        assert abs(place[order[k]] - middle) == off.min()


def test_what_stays_at_its_bound_costs_no_step(setting):
    """Rounding of a point between two must not keep coefficients from their bounds."""
    n = setting.n - setting.n % 2
    rows = np.arange(n)
    gram = kernels.submatrix(setting.gram, rows, rows)
    weights = np.repeat(0.1 + np.random.default_rng(2).random(n // 2), 2)
    softness = np.linspace(0, 0.9, 10)
    boxes = (1 - softness)[:, None] * weights * np.tile([1.0, -1.0], n // 2)
    family = Family(np.sign(boxes), np.minimum(boxes, 0), np.maximum(boxes, 0))
    cross = np.ascontiguousarray(setting.cross[:n])
    result = solve_path(
        Gram(gram), cross, setting.n_out, family, np.array([1e-6]), softness
    )
    assert result.converged.all()
    assert (result.steps[0, [0, -1]] >= n // 2).all()  # all of them move there
    assert (result.steps[0, 1:-1] == 0).all()
