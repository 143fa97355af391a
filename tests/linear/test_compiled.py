"""Compiled passes against plain numpy."""

import numpy as np
import pytest

from softcost.linear.losses import LOGISTIC, ONE_SIDED, SQUARED, Columns


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("loss", [SQUARED, ONE_SIDED, LOGISTIC])
def test_slopes_and_curvatures(loss, dtype):
    rng = np.random.default_rng(0)
    n, m, kinds = 37, 11, 4
    kind, weight = rng.integers(kinds, size=n), rng.uniform(size=n).astype(dtype)
    sign = rng.choice([-1.0, 1.0], (kinds, m)).astype(dtype)
    shift, scale = rng.normal(size=(2, kinds, m)).astype(dtype)
    scale = np.abs(scale)
    outputs = (3 * rng.normal(size=(n, m))).astype(dtype)
    columns = Columns(loss, kind, weight, sign, shift, scale)
    z, load = sign[kind], scale[kind] * weight[:, None]
    u = z * outputs - shift[kind]
    if loss == LOGISTIC:
        chance = 1 / (1 + np.exp(-z * outputs))
        slope, bend = z * load * chance, load * chance * (1 - chance)
    elif loss == ONE_SIDED:
        slope, bend = z * load * np.maximum(u, 0), load * (u > 0)
    else:
        slope, bend = z * load * u, load
    slopes, bends, sizes = outputs.copy(), outputs.copy(), np.zeros(m, dtype)
    columns.to_slopes(slopes, slice(None), sizes)
    columns.to_curvatures(bends)
    rough = {"rtol": 1e-4, "atol": 1e-6} if dtype == np.float32 else {"rtol": 1e-12}
    np.testing.assert_allclose(slopes, slope, **rough)
    np.testing.assert_allclose(bends, bend, **rough)
    np.testing.assert_allclose(sizes, np.abs(slope).sum(axis=0), **rough)
