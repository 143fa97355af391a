"""Vector and plain passes compared in bulk, under whatever processor numba builds for.

Run as a script by `test_targets.py`, once for each target: it prints a hash of all that
the solver found, after comparing it with what the plain twin finds.
"""

import hashlib
import sys
from types import FunctionType

import numpy as np
from numba import njit

from softcost.solvers import kernels, passes, plain_passes, smo
from softcost.solvers.kernel_functions import FEATURE_KERNELS
from softcost.solvers.row_store import Gram
from softcost.solvers.simd import FUSED


def with_plain_passes(function, **others):
    """A compiled solver function, built once more upon the plain twins."""
    names = ("update_and_pick", "largest_rise", "lowest_of", "largest_of", "add_rows")
    twins = {name: getattr(plain_passes, name) for name in names}
    world = {**function.py_func.__globals__, **twins, **others}
    copy = FunctionType(function.py_func.__code__, world)
    return njit(error_model="numpy")(copy)


def solve_with(improve, rows, y, C, tol):
    """What `smo.solve` does, with a given inner loop: coefficients and steps."""
    lower, upper = np.minimum(C * y, 0), np.maximum(C * y, 0)
    beta, gradient = np.zeros(len(y)), np.zeros(rows.values.shape[1], np.float32)
    gradient[: len(y)] = -y
    flags = np.empty((2, len(gradient)), np.int8)
    steps, violation = improve(rows, lower, upper, beta, gradient, flags, tol, 50_000)
    return beta.tobytes(), gradient.tobytes(), steps, violation


def a_problem(rng):
    """A Gram matrix, perhaps with equal rows, labels or targets, and a price."""
    n, d = int(rng.integers(2, 400)), int(rng.integers(1, 12))
    X = rng.standard_normal((n, d))
    if rng.random() < 0.3:
        X = np.round(X)
    y = np.where(X[:, 0] + 0.5 * rng.standard_normal(n) > 0, 1.0, -1.0)
    names = sorted(FEATURE_KERNELS)
    kernel = names[rng.integers(len(names))]
    return Gram(kernels.gram_matrix(X, kernel, gamma=1 / d)), y


def compare_solves(count, digest):
    twin = with_plain_passes(smo.improve)
    rng = np.random.default_rng(0)
    for _ in range(count):
        rows, y = a_problem(rng)
        C, tol = 2.0 ** rng.integers(-3, 8), 10.0 ** rng.integers(-4, -1)
        ours = solve_with(smo.improve, rows, y, C, tol)
        assert ours == solve_with(twin, rows, y, C, tol)
        digest.update(repr(ours).encode())


def _draw(rng, shape, ties, scale):
    """Normal numbers in single precision; on a grid, with both zeros, for ties."""
    numbers = rng.standard_normal(shape, np.float32)
    return (np.round(2 * numbers) / 2 if ties else numbers) * np.float32(scale)


def _compiled_passes(module):
    update, rise = module.update_and_pick, module.largest_rise
    low, large = module.lowest_of, module.largest_of

    @njit
    def every(gradient, rows, step, barred, falling):
        unit, lowest = passes.unit_of(gradient), gradient[0]
        begun, largest = low(gradient, barred), large(gradient)
        at, least, partner = update(
            gradient, rows, 0, 1, step, 2, lowest, barred, falling, unit
        )
        violation = rise(gradient, least, falling, unit)
        return at, least, partner, violation, begun[0], begun[1], largest

    return every


def compare_passes(count, digest):
    """Random passes: ties, zeros of both signs, duplicates, empty and full sets."""
    ours, twins = _compiled_passes(passes), _compiled_passes(plain_passes)
    rng = np.random.default_rng(1)
    for _ in range(count):
        n = int(rng.choice([64, 128, 192, 320]))
        ties = bool(rng.random() < 0.5)
        rows = _draw(rng, (3, n), ties, 1.0)
        gradient = _draw(rng, n, ties, 10.0 ** rng.integers(-6, 7))
        if rng.random() < 0.8:
            rows = -np.abs(rows)
        fills = rng.choice([0.0, 0.02, 0.5, 1.0], 2)
        barred, falling = -(rng.random((2, n)) < fills[:, None]).astype(np.int8)
        step = np.float32(rng.choice([0.0, 1.0, -0.5, rng.standard_normal()]))
        twin = gradient.copy()
        found = ours(gradient, rows, step, barred, falling)
        assert (
            np.array(found).tobytes()
            == np.array(twins(twin, rows, step, barred, falling)).tobytes()
        )
        assert gradient.tobytes() == twin.tobytes()
        digest.update(gradient.tobytes() + np.array(found).tobytes())


if __name__ == "__main__":
    found = hashlib.sha256()
    compare_passes(int(sys.argv[1]), found)
    compare_solves(int(sys.argv[2]), found)
    print("fused" if FUSED else "rounded twice", found.hexdigest())
