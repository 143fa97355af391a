"""One problem: the same optimum as scikit-learn and a QP solver, honestly certified."""

import numpy as np
import pytest

from softcost.solvers import kernels, smo
from softcost.solvers.row_store import Gram

TIGHT = 1e-6


def classifier(y, C, weights=1.0):
    """Targets and box of an ordinary support vector machine."""
    box = C * weights * y
    return y, np.minimum(box, 0), np.maximum(box, 0)


def one_sided(z, targets, C, weights=1.0):
    """Box of a one-sided regressor: z = +1 asks for at most the target."""
    return targets, np.where(z > 0, -C * weights, 0), np.where(z < 0, C * weights, 0)


def solve_checked(gram, problem, certificate, tol=TIGHT):
    """Solve, and check everything the solution says about itself."""
    K = gram[:, : len(gram)].astype(float)
    solution = smo.solve(Gram(gram), *problem, tol=tol)
    check = certificate(K, *problem, solution.beta, solution.intercept)
    used = problem[0][(problem[1] < 0) | (problem[2] > 0)]
    goal = tol * (np.ptp(used) / 2 if np.ptp(used) > 0 else 1.0)
    assert check.feasible
    assert solution.converged
    assert solution.violation <= goal
    assert (
        check.violation <= goal * (1 + 1e-6) + 1e-12 * np.abs(K @ solution.beta).max()
    )
    size = abs(check.primal) + abs(check.objective)
    # rough ones may have a rounded gradient, which every row adds, its box times
    rounded = tol >= smo.EXACT_BELOW
    error = rounded * smo.DRIFT * goal * (problem[2] - problem[1]).sum()
    assert solution.objective == pytest.approx(
        check.objective, rel=1e-9, abs=error + 1e-12
    )
    assert solution.dual_gap == pytest.approx(
        check.gap, rel=1e-6, abs=error + 1e-9 * size
    )
    # rows that are missed or hit within the tolerance pay at most their box for it
    assert check.gap <= goal * np.maximum(problem[2], -problem[1]).sum() + 1e-9 * size
    return solution, check


def agree(ours, reference, rel=1e-6):
    """Equal objectives, relatively."""
    assert ours == pytest.approx(reference, rel=rel, abs=1e-12)


@pytest.mark.parametrize("C", [2.0**k for k in (-2, 1, 4, 7, 10)])
def test_objective_of_scikit_learn(kernel, C, noisy, certificate, plain, svc):
    X, y = noisy(120)
    gram = kernels.gram_matrix(X, kernel, gamma=2.0)
    _, ours = solve_checked(gram, classifier(y, C), certificate)
    beta, _ = svc(plain(gram), y, C)
    agree(ours.objective, certificate(plain(gram), *classifier(y, C), beta).objective)


@pytest.mark.parametrize("n", [2, 3, 33, 2000])
def test_objective_of_scikit_learn_at_any_size(n, noisy, certificate, plain, svc):
    X, y = noisy(n, noise=0.1)
    y[:2] = 1, -1
    gram = kernels.gram_matrix(X)
    solution, ours = solve_checked(gram, classifier(y, 4.0), certificate)
    beta, intercept = svc(plain(gram), y, 4.0)
    theirs = certificate(plain(gram), *classifier(y, 4.0), beta)
    agree(ours.objective, theirs.objective)
    outputs = plain(gram) @ solution.beta + solution.intercept
    np.testing.assert_allclose(outputs, plain(gram) @ beta + intercept, atol=1e-5)


@pytest.mark.parametrize("C", [0.25, 4.0, 1024.0])
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e4])
def test_rounding_of_rough_solutions_is_far_below_the_tolerance(
    C, scale, noisy, certificate, plain
):
    """Whether or not the last gradient was summed in double precision."""
    X, y = noisy(300, seed=2, noise=0.1)
    gram = kernels.gram_matrix(X)
    problem = classifier(y, C)
    problem = (scale * problem[0], *problem[1:])
    goal = smo.ROUGH * scale
    found = smo.solve(Gram(gram), *problem, tol=smo.ROUGH)
    check = certificate(plain(gram), *problem, found.beta, found.intercept)
    assert found.converged
    assert check.feasible
    assert found.violation <= goal * (1 + 1e-6)
    assert check.violation == pytest.approx(found.violation, abs=6 * smo.DRIFT * goal)
    # every row adds its gradient, at most its box times
    error = smo.DRIFT * goal * (problem[2] - problem[1]).sum()
    assert found.objective == pytest.approx(check.objective, abs=error)
    assert found.dual_gap == pytest.approx(check.gap, abs=error)


@pytest.mark.parametrize("C", [0.25, 32.0, 1024.0])
def test_weights_from_a_millionth_to_one(kernel, C, noisy, certificate, plain, svc):
    X, y = noisy(150, seed=4)
    weights = 10.0 ** np.random.default_rng(1).uniform(-6, 0, 150)
    gram = kernels.gram_matrix(X, kernel, gamma=2.0)
    problem = classifier(y, C, weights)
    _, ours = solve_checked(gram, problem, certificate)
    beta, _ = svc(plain(gram), y, C, weights)
    agree(ours.objective, certificate(plain(gram), *problem, beta).objective)


def test_precomputed_kernel(noisy, certificate, svc):
    X, y = noisy(80, d=12)
    K = (X @ X.T + 1) ** 2
    problem = classifier(y, 2.0)
    solution, ours = solve_checked(kernels.centred(K), problem, certificate)
    beta, _ = svc(K, y, 2.0)
    reference = certificate(K, *problem, beta)
    agree(ours.objective, reference.objective)
    agree(certificate(K, *problem, solution.beta).objective, reference.objective)


@pytest.mark.parametrize("kind", ["one-sided", "absolute loss", "mixed"])
def test_objective_and_outputs_of_a_qp_solver(
    kernel, kind, certificate, plain, quadratic_program
):
    rng = np.random.default_rng(7)
    n = 60
    # single precision of these is exact, so the linear matrix has its exact rank
    X = rng.integers(0, 256, (n, 3)) / 256
    gram = kernels.gram_matrix(X, kernel, gamma=4.0)
    targets = X[:, 0] ** 2 - X[:, 1] + 0.3 * rng.standard_normal(n)
    z = rng.choice([-1, 1], n)
    weights = 10.0 ** rng.uniform(-2, 0, n)
    for C in (0.25, 4.0, 64.0):
        if kind == "one-sided":
            problem = one_sided(z, targets, C, weights)
        elif kind == "absolute loss":
            problem = targets, -C * weights, C * weights
        else:  # some rows ask for both, at different prices, some for nothing
            problem = targets, -C * weights * (z > 0), C * rng.random(n)
            problem[2][::5] = 0
        solution, ours = solve_checked(gram, problem, certificate)
        beta = quadratic_program(plain(gram), *problem)
        beta = np.clip(beta, *problem[1:])
        reference = plain(gram) @ beta
        objective = beta @ reference / 2 - targets @ beta
        agree(ours.objective, objective)
        width = problem[2] - problem[1]
        inside = (beta - problem[1] > 1e-5 * width) & (problem[2] - beta > 1e-5 * width)
        assert inside.any()  # so that the intercept is unique
        intercept = np.mean((targets - reference)[inside])
        outputs = plain(gram) @ solution.beta + solution.intercept
        np.testing.assert_allclose(outputs, reference + intercept, atol=4e-6)


@pytest.mark.parametrize("n", [2, 3, 40])
@pytest.mark.parametrize("alone", ["rises", "falls"])
@pytest.mark.parametrize("C", [0.25, 4.0, 1e4])
def test_one_row_against_all_others(kernel, n, alone, C, noisy, certificate):
    """Nobody is left to rise, or to fall, once it is at its bound."""
    X, _ = noisy(n)
    y = np.where(np.arange(n) == n // 2, 1.0, -1.0)
    y = y if alone == "rises" else -y
    gram = kernels.gram_matrix(X, kernel, gamma=2.0)
    solution, _ = solve_checked(gram, classifier(y, C), certificate)
    assert np.abs(solution.beta).sum() > 0


def test_small_tolerance_is_reached(kernel, noisy, certificate):
    X, y = noisy(100)
    gram = kernels.gram_matrix(X, kernel, gamma=2.0)
    for C in (1.0, 1024.0):
        solve_checked(gram, classifier(y, C), certificate, tol=1e-8)


@pytest.mark.parametrize("scale", [1e-4, 1e-2, 1e4])
def test_tolerance_is_relative_to_the_targets(scale, certificate):
    rng = np.random.default_rng(3)
    n = 80
    X, z = rng.random((n, 3)), rng.choice([-1, 1], n)
    gram = kernels.gram_matrix(X)
    targets = rng.random(n)
    for tol in (1e-2, 1e-5):
        unit, _ = solve_checked(gram, one_sided(z, targets, 5.0), certificate, tol)
        other, _ = solve_checked(
            gram, one_sided(z, scale * targets, 5.0 * scale), certificate, tol
        )
        K = gram[:, :n].astype(float)
        np.testing.assert_allclose(
            (K @ other.beta + other.intercept) / scale,
            K @ unit.beta + unit.intercept,
            atol=2 * tol,
        )
        assert other.dual_gap / scale**2 <= 5.0 * n * tol


def test_a_common_shift_of_the_targets_is_the_intercepts(certificate, plain):
    rng = np.random.default_rng(3)
    X, z = rng.random((60, 3)), rng.choice([-1, 1], 60)
    gram, targets = kernels.gram_matrix(X), rng.random(60)
    here, _ = solve_checked(gram, one_sided(z, targets, 5.0), certificate)
    there, _ = solve_checked(gram, one_sided(z, targets + 1e3, 5.0), certificate)
    assert there.intercept == pytest.approx(here.intercept + 1e3, abs=1e-5)
    np.testing.assert_allclose(
        plain(gram) @ there.beta, plain(gram) @ here.beta, atol=1e-5
    )


def test_all_rows_equal(kernel, certificate):
    n = 45
    gram = kernels.gram_matrix(np.full((n, 3), 0.3), kernel)
    y = np.where(np.arange(n) < 20, 1.0, -1.0)
    solution, check = solve_checked(gram, classifier(y, 2.0), certificate)
    # 20 against 25: the function is a constant and pleases the majority
    assert solution.intercept == pytest.approx(-1, abs=1e-6)
    assert check.primal == pytest.approx(2.0 * 20 * 2)
    targets = np.arange(n, dtype=float)
    box = np.full(n, 3.0)
    solution, _ = solve_checked(gram, (targets, -box, box), certificate)
    assert solution.intercept == pytest.approx(22, abs=1e-4)  # the median


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_one_label_gives_a_constant(sign, kernel):
    X = np.random.default_rng(0).random((40, 2))
    gram = kernels.gram_matrix(X, kernel)
    targets = np.linspace(-2, 3, 40)
    lower, upper = (np.full(40, min(sign, 0)), np.full(40, max(sign, 0)))
    solution = smo.solve(Gram(gram), targets, lower, upper)
    assert (solution.beta == 0).all()
    # at least all targets, or at most all of them
    assert solution.intercept == (3 if sign > 0 else -2)
    assert (solution.violation, solution.dual_gap, solution.steps) == (0, 0, 0)
    assert solution.converged


def test_rows_without_a_box_do_not_count(noisy, certificate):
    X, y = noisy(70)
    gram = kernels.gram_matrix(X)
    targets, lower, upper = classifier(y, 3.0)
    absent = np.arange(70) % 3 == 0
    lower[absent] = upper[absent] = 0
    targets = np.where(absent, 1e6, targets)  # neither to the scale nor to the fit
    solution, _ = solve_checked(gram, (targets, lower, upper), certificate)
    kept = np.flatnonzero(~absent)
    part = kernels.gram_matrix(X[kept])
    alone, _ = solve_checked(part, classifier(y[kept], 3.0), certificate)
    assert (solution.beta[absent] == 0).all()
    assert solution.objective == pytest.approx(alone.objective, rel=1e-9)
    assert solution.intercept == pytest.approx(alone.intercept, abs=1e-5)


def test_nothing_to_learn_from():
    gram = kernels.gram_matrix(np.random.default_rng(0).random((9, 2)))
    solution = smo.solve(Gram(gram), np.arange(9.0), np.zeros(9), np.zeros(9))
    assert np.isnan(solution.intercept)
    assert (solution.beta == 0).all()
    assert solution.converged


@pytest.mark.parametrize("value", [0.0, 5.0, -1e6])
def test_equal_targets_are_met_by_a_constant(value, noisy):
    X, y = noisy(50)
    gram = kernels.gram_matrix(X)
    _, lower, upper = classifier(y, 8.0)
    solution = smo.solve(Gram(gram), np.full(50, value), lower, upper)
    assert (solution.beta == 0).all()
    assert solution.intercept == value
    assert solution.dual_gap == 0
    assert solution.converged


@pytest.mark.parametrize("distinct", [5, 40])
def test_conflicting_duplicates_at_large_C(distinct, certificate, plain, svc):
    rng = np.random.default_rng(distinct)
    X = rng.random((distinct, 2))[rng.integers(0, distinct, 200)]
    y = rng.choice([-1.0, 1.0], 200)
    gram = kernels.gram_matrix(X)
    _, ours = solve_checked(gram, classifier(y, 1024.0), certificate)
    beta, _ = svc(plain(gram), y, 1024.0)
    problem = classifier(y, 1024.0)
    agree(ours.objective, certificate(plain(gram), *problem, beta).objective)


@pytest.mark.parametrize("max_steps", [0, 1, 7, 50])
def test_giving_up_is_said(max_steps, noisy, certificate, plain):
    X, y = noisy(150)
    gram = kernels.gram_matrix(X)
    problem = classifier(y, 100.0)
    solution = smo.solve(Gram(gram), *problem, tol=1e-6, max_steps=max_steps)
    check = certificate(plain(gram), *problem, solution.beta, solution.intercept)
    assert solution.steps == max_steps
    assert not solution.converged
    assert check.feasible
    assert solution.violation == pytest.approx(check.violation, rel=1e-9)
    assert solution.dual_gap == pytest.approx(check.gap, rel=1e-9)
    assert solution.violation > 1e-6


def test_unreachable_tolerance_ends_and_is_said(noisy):
    X, y = noisy(60)
    gram = kernels.gram_matrix(X)
    solution = smo.solve(Gram(gram), *classifier(y, 10.0), tol=0.0)
    assert solution.converged == (solution.violation == 0)
    assert solution.violation < 1e-9


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_numbers_that_overflow_end_and_it_is_said(noisy):
    X, y = noisy(60)
    gram = kernels.gram_matrix(X)
    gram[3, 5] = gram[5, 3] = -np.inf
    assert not smo.solve(Gram(gram), *classifier(y, 10.0)).converged


def test_work_is_interruptible_and_slices_change_nothing(noisy, monkeypatch):
    X, y = noisy(100)
    gram = kernels.gram_matrix(X)
    problem = classifier(y, 50.0)
    whole = smo.solve(Gram(gram), *problem, tol=TIGHT)
    calls = []
    monkeypatch.setattr(smo, "_WORK_PER_CALL", 0)
    sliced = smo.solve(Gram(gram), *problem, tol=TIGHT, proceed=lambda: calls.append(1))
    assert len(calls) >= whole.steps // 100
    assert sliced.converged
    assert sliced.objective == pytest.approx(whole.objective, rel=1e-9)

    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        smo.solve(Gram(gram), *problem, tol=TIGHT, proceed=stop)


def test_same_bits_twice_and_inputs_unchanged(noisy):
    X, y = noisy(100)
    gram = kernels.gram_matrix(X)
    problem = classifier(y, 50.0)
    kept = [part.copy() for part in (gram, *problem)]
    first = smo.solve(Gram(gram), *problem, tol=TIGHT)
    second = smo.solve(Gram(gram), *problem, tol=TIGHT)
    assert first.beta.tobytes() == second.beta.tobytes()
    assert first.intercept == second.intercept
    for before, after in zip(kept, (gram, *problem), strict=True):
        np.testing.assert_array_equal(before, after)
