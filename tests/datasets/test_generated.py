"""The two sets that are drawn: exact rates of lines, and a believable task."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from softcost.datasets import (
    artificial_line_rates,
    info,
    load,
    make_artificial,
    make_sers,
)

# Lines along the means that minimise (1 - alpha) cost + alpha error, with the raw
# prices and with the prices divided by 30: alpha, scale, b, error, cost.
BEST_LINES = [
    (0.0, 1, 0.0229, 0.24564, 0.28473),
    (0.25, 1, 0.0728, 0.23370, 0.28663),
    (0.5, 1, 0.1440, 0.21706, 0.29732),
    (0.75, 1, 0.2663, 0.19024, 0.34742),
    (0.9, 1, 0.4218, 0.16130, 0.50317),
    (1.0, 1, 0.7429, 0.13312, 1.43390),
    (0.25, 30, 0.4369, 0.15890, 0.52601),
    (0.5, 30, 0.5797, 0.14095, 0.83046),
    (0.75, 30, 0.6726, 0.13463, 1.13515),
    (0.9, 30, 0.7167, 0.13333, 1.31523),
]


@pytest.mark.parametrize(("alpha", "scale", "b", "error", "cost"), BEST_LINES)
def test_best_lines_are_the_published_ones(alpha, scale, b, error, cost):
    def price(offset):
        rates = artificial_line_rates(np.pi / 4, offset)
        return (1 - alpha) * rates.cost / scale + alpha * rates.error

    best = minimize_scalar(
        price, bounds=(-0.5, 1.2), method="bounded", options={"xatol": 1e-9}
    ).x
    rates = artificial_line_rates(np.pi / 4, best)
    assert best == pytest.approx(b, abs=5.1e-5)
    assert rates.error == pytest.approx(error, abs=5.1e-6)
    assert rates.cost == pytest.approx(cost, abs=5.1e-6)


@pytest.mark.parametrize(("phi", "b"), [(0.3, 0.2), (2.5, -0.4), (4.0, 0.9)])
def test_rates_of_a_line_are_those_of_a_large_draw(phi, b):
    X, y = make_artificial(200_000, random_state=3)
    predicted = np.where(X @ [np.cos(phi), np.sin(phi)] > b, "2", "1")
    counts = confusion_matrix(y, predicted, labels=["1", "2"], normalize="true")
    rates = artificial_line_rates(phi, b)
    assert counts[0, 1] == pytest.approx(rates.p12, abs=6e-3)
    assert counts[1, 0] == pytest.approx(rates.p21, abs=6e-3)
    assert rates.error == pytest.approx((rates.p12 + rates.p21) / 2)
    assert rates.cost == pytest.approx((rates.p12 + 30 * rates.p21) / 2)


def test_the_other_side_of_a_line_makes_the_other_mistakes():
    one, other = (
        artificial_line_rates(0.7, 0.3),
        artificial_line_rates(0.7 + np.pi, -0.3),
    )
    assert other.p12 == pytest.approx(1 - one.p12)
    assert other.p21 == pytest.approx(1 - one.p21)


def test_lines_broadcast():
    rates = artificial_line_rates(np.linspace(0, 3, 4)[:, None], np.zeros(5))
    assert {np.shape(rate) for rate in rates} == {(4, 5)}


def test_artificial_set():
    bunch = load("artificial")
    entry = info("artificial")
    assert bunch.data.shape == (entry.rows, entry.features)
    assert bunch.cost_matrix.to_numpy().tolist() == [[0, 1], [30, 0]]
    assert "SYNTHETIC" in bunch.DESCR
    for label, mean, scale in [("1", 0, 0.8), ("2", 1, 0.5)]:
        part = bunch.data[bunch.target == label]
        assert len(part) == entry.class_counts[label]
        np.testing.assert_allclose(part.mean(axis=0), mean, atol=5 * scale / 200**0.5)
        np.testing.assert_allclose(part.std(axis=0), scale, rtol=0.25)


def test_sers_set():
    bunch = load("sers")
    entry = info("sers")
    assert bunch.data.shape == (96, 351) == (entry.rows, entry.features)
    labels, counts = np.unique(bunch.target, return_counts=True)
    assert dict(zip(labels, counts, strict=True)) == dict(entry.class_counts)
    assert "SYNTHETIC" in bunch.DESCR
    assert bunch.feature_names[0] == "400 cm^-1"
    assert (bunch.data > 0).all()


def test_sers_is_a_task_neither_trivial_nor_hopeless():
    X, y = load("sers", return_X_y=True)
    for kernel in ("linear", "rbf"):
        model = make_pipeline(MinMaxScaler(), SVC(kernel=kernel, C=10))
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        error = (cross_val_predict(model, X, y, cv=folds) != y).mean()
        assert 0.1 < error < 0.4


def test_sers_draws_belong_to_one_task():
    """A model of one draw works on another: the species do not depend on the seed."""
    model = make_pipeline(MinMaxScaler(), SVC(kernel="linear"))
    model.fit(*make_sers(300, random_state=0))
    X, y = make_sers(100, random_state=1)
    assert model.score(X, y) > 0.6


@pytest.mark.parametrize("make", [make_artificial, make_sers])
def test_draws_are_seeded_and_balanced(make):
    (X, y), (X_again, y_again) = (make(47, random_state=5) for _ in range(2))
    np.testing.assert_array_equal(X, X_again)
    np.testing.assert_array_equal(y, y_again)
    assert not np.array_equal(X, make(47, random_state=6)[0])
    assert np.ptp(np.unique(y, return_counts=True)[1]) <= 1
    with pytest.raises(ValueError, match="n_samples=1 must be at least"):
        make(1)


def test_the_front_between_the_ends_is_convex():
    """Between lowest cost and lowest error, each point of error costs ever more."""
    rates = artificial_line_rates(np.pi / 4, np.linspace(0.03, 0.74, 50))
    slopes = np.diff(rates.cost) / np.diff(rates.error)
    assert all(later < earlier for earlier, later in pairwise(slopes))
