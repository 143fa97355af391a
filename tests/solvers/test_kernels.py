"""Kernels in distance form against SciPy's distances, at odd shapes."""

import numpy as np
import pytest

from softcost.solvers import kernels, passes
from softcost.solvers.kernel_functions import KERNELS, code_of

SHAPES = [(1, 1), (2, 649), (31, 3), (32, 1), (33, 4), (257, 2), (257, 17)]


def rounding(d):
    """What a sum of d terms in single precision may be off, relatively."""
    return 6e-8 * (d + 8)


@pytest.mark.parametrize(("n", "d"), SHAPES)
def test_gram_matrix_is_the_formula(kernel, n, d, distance_form):
    X = np.random.default_rng(n + d).normal(size=(n, d)).astype(np.float32)
    gram = kernels.gram_matrix(X, kernel, gamma=0.7 / d)
    expected = distance_form(X.astype(float), X.astype(float), kernel, 0.7 / d)
    assert gram.dtype == np.float32
    assert gram.shape == (n, kernels.padded(n))
    np.testing.assert_allclose(gram[:, :n], expected, rtol=rounding(d))
    assert (gram[:, n:] == 0).all()
    np.testing.assert_array_equal(gram[:, :n], gram[:, :n].T)
    assert (np.diagonal(gram) == 0).all()


@pytest.mark.parametrize("gamma", [1e-4, 0.3, 20.0])
@pytest.mark.parametrize("name", ["laplacian", "exponential", "rbf"])
def test_gamma_scales_the_exponent(name, gamma, distance_form):
    X = np.random.default_rng(5).random((40, 3)).astype(np.float32)
    gram = kernels.gram_matrix(X, name, gamma=gamma)
    expected = distance_form(X.astype(float), X.astype(float), name, gamma)
    np.testing.assert_allclose(gram[:, :40], expected, rtol=rounding(3))


@pytest.mark.parametrize("n", [3, 33, 257])
def test_equal_rows_have_no_distance_and_equal_kernels(kernel, n):
    rng = np.random.default_rng(n)
    distinct = rng.normal(size=(n // 3, 5)) * 100
    of = np.concatenate([np.arange(n // 3), rng.integers(0, n // 3, n - n // 3)])
    gram = kernels.gram_matrix(distinct[of], kernel, gamma=1e-3)
    same = of[:, None] == of
    assert (gram[:, :n][same] == 0).all()
    assert (gram[:, :n][~same] < 0).all()
    first = of  # the first n // 3 rows are the distinct ones, in order
    np.testing.assert_array_equal(gram[:, :n], gram[first][:, first])


@pytest.mark.parametrize("n", [1, 2, 33, 257, 600])
def test_threads_change_no_bit(kernel, n):
    X = np.random.default_rng(n).normal(size=(n, 6))
    alone = kernels.gram_matrix(X, kernel)
    together = kernels.gram_matrix(X, kernel, threads=2)
    assert alone.tobytes() == together.tobytes()


@pytest.mark.parametrize(("n", "d"), SHAPES)
def test_pack_transposes_in_panels(n, d):
    X = np.random.default_rng(n * d).normal(size=(n, d))
    panels = kernels.pack(X)
    assert panels.shape == (kernels.padded(n) // 32, d, 32)
    back = panels.transpose(0, 2, 1).reshape(-1, d)
    np.testing.assert_array_equal(back[:n], X.astype(np.float32))
    assert (back[n:] == 0).all()


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 128, 129])
def test_padded_is_the_next_multiple_of_a_step(n):
    width = kernels.padded(n)
    assert width % passes.WIDTH == 0
    assert width >= max(n, 1)
    assert width - passes.WIDTH < max(n, 1)


@pytest.mark.parametrize("m", [1, 3, 4, 9])
@pytest.mark.parametrize("n", [1, 33, 257])
def test_rows_against_others(kernel, m, n, distance_form):
    rng = np.random.default_rng(m * n)
    A = rng.random((m, 4)).astype(np.float32)
    B = rng.random((n, 4)).astype(np.float32)
    out = np.full((m, kernels.padded(n)), np.nan, np.float32)
    kernels.kernel_rows(A, kernels.pack(B), code_of(kernel), 0.5, out, 0)
    expected = distance_form(A.astype(float), B.astype(float), kernel, 0.5)
    # relative to the largest: a tiny squared distance has few digits
    np.testing.assert_allclose(out[:, :n], expected, rtol=rounding(4), atol=1e-9)


def test_rows_from_a_panel_on_leave_the_rest_alone():
    X = np.random.default_rng(0).random((70, 3)).astype(np.float32)
    out = np.full((70, kernels.padded(70)), 7, np.float32)
    kernels.kernel_rows(X, kernels.pack(X), kernels.RBF, 1.0, out, 1)
    assert (out[:, :32] == 7).all()
    whole = kernels.gram_matrix(X, "rbf")
    np.testing.assert_array_equal(out[:, 32:70], whole[:, 32:70])


@pytest.mark.parametrize("n", [1, 2, 33, 257, 300])
def test_precomputed_in_distance_form(n, plain):
    rng = np.random.default_rng(n)
    root = rng.normal(size=(n, 5))
    K = root @ root.T + 3
    gram = kernels.centred(K)
    with pytest.raises(ValueError, match="square"):
        kernels.centred(K[:, :-1])
    half = np.diagonal(K) / 2
    expected = K - half[:, None] - half
    assert gram.shape == (n, kernels.padded(n))
    np.testing.assert_allclose(plain(gram), expected, rtol=1e-6, atol=1e-6)
    assert (np.diagonal(gram) == 0).all()
    assert (gram[:, n:] == 0).all()
    linear = kernels.gram_matrix(root, "linear")
    np.testing.assert_allclose(gram, linear, rtol=1e-4, atol=1e-4)


def test_precomputed_distance_forms_stay_as_they_are(kernel, plain):
    X = np.random.default_rng(3).random((50, 3))
    gram = kernels.gram_matrix(X, kernel)
    assert kernels.centred(plain(gram)).tobytes() == gram.tobytes()


@pytest.mark.parametrize("columns", [0, 1, 31, 32, 40])
def test_submatrix_gathers_and_pads(columns):
    rng = np.random.default_rng(columns)
    gram = kernels.gram_matrix(rng.random((50, 2)))
    rows, chosen = rng.integers(0, 50, 7), rng.integers(0, 50, columns)
    used = np.full((7, kernels.padded(columns)), np.nan, np.float32)
    for given in (None, used):
        out = kernels.submatrix(gram, rows, chosen, given)
        assert out.shape == (7, kernels.padded(columns))
        np.testing.assert_array_equal(out[:, :columns], gram[np.ix_(rows, chosen)])
        assert (out[:, columns:] == 0).all()
    assert out is used


@pytest.mark.parametrize("shape", [(64,), (1, 64), (3, 128), (700, 704), (0, 64)])
def test_rows_begin_with_a_line_of_the_cache(shape):
    for array in (kernels.aligned(*shape), kernels.aligned_zeros(*shape)):
        assert array.shape == shape
        assert array.dtype == np.float32
        assert array.flags.c_contiguous
        assert array.flags.writeable
        assert array.ctypes.data % 64 == 0 or array.size == 0
    assert not kernels.aligned_zeros(*shape).any()
    assert kernels.aligned(2, 64, kind=np.int8).dtype == np.int8


def test_inputs_are_not_changed():
    X = np.random.default_rng(0).random((40, 3))
    K = X @ X.T
    kept_X, kept_K = X.copy(), K.copy()
    kernels.gram_matrix(X, "rbf")
    kernels.centred(K)
    np.testing.assert_array_equal(X, kept_X)
    np.testing.assert_array_equal(K, kept_K)


def test_gamma_changes_exactly_the_kernels_that_have_it(kernel):
    X = np.random.default_rng(0).random((20, 3))
    narrow, wide = (kernels.gram_matrix(X, kernel, gamma=g) for g in (0.5, 2.0))
    changes = not np.array_equal(narrow, wide)
    assert changes == KERNELS[kernel].has_gamma
