"""Cost, errors and recalls, against plain loops, on asymmetric prices."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import accuracy_score, recall_score

from softcost import costs as sc
from softcost import metrics as sm

prices = st.floats(0.0, 100.0, allow_subnormal=False)


@st.composite
def cases(draw):
    """Labels, predictions, a raw matrix, raw costs, weights; K classes in all."""
    k = draw(st.integers(2, 4))
    n = draw(st.integers(1, 10))
    labels = arrays(np.int64, n, elements=st.integers(0, k - 1))
    true, predicted = draw(labels), draw(labels)
    matrix = draw(arrays(np.float64, (k, k), elements=prices))
    np.fill_diagonal(matrix, matrix.min(axis=1))
    costs = draw(arrays(np.float64, (n, k), elements=prices))
    costs[np.arange(n), true] = costs.min(axis=1)
    weights = draw(arrays(np.float64, n, elements=st.floats(0.5, 3.0)))
    return true, predicted, matrix, costs, weights


def everything(true, predicted, matrix, costs, weights, classes):
    """All measures of one case."""
    base = {"classes": classes, "sample_weight": weights}
    by_label = {label: 1.0 + 2.0 * int(label) for label in classes}
    return [
        sm.mean_cost(true, predicted, cost_matrix=matrix, **base),
        sm.mean_cost(true, predicted, costs=costs, **base),
        sm.error_rate(true, predicted, **base),
        sm.weighted_error(true, predicted, **base),
        sm.weighted_error(true, predicted, error_weight=by_label, **base),
        sm.weighted_error(true, predicted, reduce="sum", **base),
        sm.g_mean(true, predicted, **base),
        sm.g_mean(true, predicted, absent="zero", **base),
        sm.recall_product(true, predicted, **base),
        sm.normalized_cost(true, predicted, cost_matrix=matrix, **base),
        sm.normalized_cost(true, predicted, costs=costs, **base),
    ]


@given(cases())
def test_mean_cost_is_the_mean_of_what_was_paid(case):
    true, predicted, matrix, costs, weights = case
    classes = np.arange(len(matrix))
    by_class = [matrix[t, p] for t, p in zip(true, predicted, strict=True)]
    by_example = [costs[n, p] for n, p in enumerate(predicted)]
    for arguments, paid in (
        ({"cost_matrix": matrix}, by_class),
        ({"costs": costs}, by_example),
    ):
        found = sm.mean_cost(true, predicted, classes=classes, **arguments)
        assert found == pytest.approx(sum(paid) / len(paid))
        found = sm.mean_cost(
            true, predicted, classes=classes, sample_weight=weights, **arguments
        )
        total = sum(w * c for w, c in zip(weights, paid, strict=True))
        assert found == pytest.approx(total / sum(weights))
        assert isinstance(found, float)


@given(cases())
def test_error_is_one_minus_accuracy(case):
    true, predicted, _, _, weights = case
    expected = 1 - accuracy_score(true, predicted)
    assert sm.error_rate(true, predicted) == pytest.approx(expected)
    assert sm.mean_cost(true, predicted) == pytest.approx(expected)
    expected = 1 - accuracy_score(true, predicted, sample_weight=weights)
    found = sm.error_rate(true, predicted, sample_weight=weights)
    assert found == pytest.approx(expected)


@given(cases())
def test_normalised_cost_of_naive_costs_is_the_error(case):
    true, predicted, matrix, _, weights = case
    classes = np.arange(len(matrix))
    naive = 7.0 * (1 - np.eye(len(classes)))
    for weight in (None, weights):
        base = {"classes": classes, "sample_weight": weight}
        error = sm.error_rate(true, predicted, **base)
        for arguments in (
            {"cost_matrix": naive},
            {"cost_matrix": naive + 3.0},
            {"costs": naive[true]},
            {},
        ):
            found = sm.normalized_cost(true, predicted, **arguments, **base)
            assert found == pytest.approx(error)


@given(cases(), st.floats(0.1, 50.0))
def test_normalised_cost(case, scale):
    true, predicted, matrix, _, weights = case
    k = len(matrix)
    base = {"classes": np.arange(k), "sample_weight": weights}
    extra = matrix - np.diag(matrix)[:, None]
    assume(extra.sum() > 1e-6)
    expected = sm.mean_cost(
        true, predicted, cost_matrix=extra * k * (k - 1) / extra.sum(), **base
    )
    found = sm.normalized_cost(true, predicted, cost_matrix=matrix, **base)
    assert found == pytest.approx(expected)
    scaled = sm.normalized_cost(true, predicted, cost_matrix=scale * matrix, **base)
    assert scaled == pytest.approx(expected)
    if len(set(true)) == k:
        by_example = sm.normalized_cost(true, predicted, costs=matrix[true], **base)
        assert by_example == pytest.approx(expected)


@given(cases())
def test_normalised_cost_by_example(case):
    true, predicted, matrix, costs, weights = case
    k = len(matrix)
    canonical = costs - costs.min(axis=1, keepdims=True)
    means = [
        np.average(canonical[true == t], axis=0, weights=weights[true == t]).sum()
        for t in set(true)
    ]
    unit = np.mean(means) / (k - 1)
    assume(unit > 1e-6)
    paid = np.average(canonical[np.arange(len(true)), predicted], weights=weights)
    found = sm.normalized_cost(
        true, predicted, costs=costs, classes=np.arange(k), sample_weight=weights
    )
    assert found == pytest.approx(paid / unit)


def test_normalised_cost_where_nothing_costs_anything():
    assert sm.normalized_cost([0, 1], [1, 0], cost_matrix=[[2, 2], [3, 3]]) == 0.0
    assert sm.normalized_cost([0, 0], [0, 0]) == 0.0


@given(cases())
def test_weighted_error(case):
    true, predicted, matrix, _, weights = case
    classes = list(range(len(matrix)))
    ones = dict.fromkeys(classes, 1.0)
    error = sm.error_rate(true, predicted)
    for error_weight in (None, ones):
        found = sm.weighted_error(
            true, predicted, error_weight=error_weight, classes=classes
        )
        assert found == pytest.approx(error)
    by_label = {k: 1.0 + 2.0 * k for k in classes}
    losses = [by_label[int(t)] * (t != p) for t, p in zip(true, predicted, strict=True)]
    base = {"error_weight": by_label, "classes": classes}
    found = sm.weighted_error(true, predicted, **base)
    assert found == pytest.approx(np.mean(losses))
    found = sm.weighted_error(true, predicted, reduce="sum", **base)
    assert found == pytest.approx(np.sum(losses))
    found = sm.weighted_error(true, predicted, sample_weight=weights, **base)
    assert found == pytest.approx(np.average(losses, weights=weights))
    found = sm.weighted_error(
        true, predicted, reduce="sum", sample_weight=weights, **base
    )
    assert found == pytest.approx(np.dot(losses, weights))


@given(cases())
def test_balanced_error_sums_the_missed_recalls(case):
    """sum_n w_y [wrong] = N_min * sum_y (1 - R_y)."""
    true, predicted, *_ = case
    present = sorted(set(true))
    smallest = min((true == k).sum() for k in present)
    recalls = recall_score(true, predicted, labels=present, average=None)
    expected = smallest * (1 - recalls).sum()
    found = sm.weighted_error(true, predicted, reduce="sum")
    assert found == pytest.approx(expected)


@given(cases())
def test_geometric_mean(case):
    true, predicted, matrix, _, weights = case
    present = sorted(set(true))
    classes = list(range(len(matrix)))
    for weight in (None, weights):
        base = {"classes": classes, "sample_weight": weight}
        recalls = recall_score(
            true, predicted, labels=present, average=None, sample_weight=weight
        )
        product, rooted = np.prod(recalls), np.prod(recalls) ** (1 / len(present))
        assert sm.g_mean(true, predicted, **base) == pytest.approx(rooted)
        assert sm.g_mean(true, predicted, root=False, **base) == pytest.approx(product)
        found = sm.recall_product(true, predicted, **base)
        assert found == pytest.approx(product)
        assert found <= sm.g_mean(true, predicted, **base) + 1e-12
        zero = sm.g_mean(true, predicted, absent="zero", **base)
        product = sm.recall_product(true, predicted, absent="zero", **base)
        if len(present) < len(classes):
            assert zero == product == 0.0
        else:
            assert zero == pytest.approx(rooted)


def test_a_class_of_no_weight_is_absent():
    y, weights = [0, 0, 1], [1, 1, 0]
    assert sm.g_mean(y, [0, 0, 0], sample_weight=weights) == 1.0
    assert sm.g_mean(y, [0, 0, 0], sample_weight=weights, absent="zero") == 0.0


@given(cases(), st.data())
def test_order_of_classes_does_not_matter(case, data):
    true, predicted, matrix, costs, weights = case
    order = data.draw(st.permutations(range(len(matrix))))
    sorted_ = everything(*case, classes=sorted(order))
    moved = everything(
        true,
        predicted,
        matrix[np.ix_(order, order)],
        costs[:, order],
        weights,
        classes=order,
    )
    assert moved == pytest.approx(sorted_)


@given(cases(), st.data())
def test_order_of_examples_does_not_matter(case, data):
    true, predicted, matrix, costs, weights = case
    order = data.draw(st.permutations(range(len(true))))
    classes = range(len(matrix))
    moved = everything(
        true[order], predicted[order], matrix, costs[order], weights[order], [*classes]
    )
    assert moved == pytest.approx(everything(*case, classes=[*classes]))


@given(cases())
def test_weight_two_is_twice(case):
    true, predicted, matrix, *_ = case
    twice = np.repeat(np.arange(len(true)), 2)[1:]
    weights = np.full(len(true), 2.0)
    weights[0] = 1.0
    classes = np.arange(len(matrix))
    for measure in (sm.error_rate, sm.g_mean, sm.mean_cost):
        weighted = measure(true, predicted, classes=classes, sample_weight=weights)
        repeated = measure(true[twice], predicted[twice], classes=classes)
        assert weighted == pytest.approx(repeated)


PRICES = pd.DataFrame([[0, 1, 2], [3, 0, 4], [5, 6, 0]], list("abc"), list("abc"))


def test_costs_stay_in_the_users_units():
    matrix = PRICES.to_numpy() + 10.0
    found = sm.mean_cost(
        ["a", "b"], ["c", "b"], cost_matrix=matrix, classes=list("abc")
    )
    assert found == pytest.approx((12 + 10) / 2)


def test_labels_of_prices_decide():
    shuffled = PRICES.loc[["c", "a", "b"], ["b", "c", "a"]]
    assert sm.mean_cost(["a", "b"], ["b", "a"], cost_matrix=shuffled) == 2.0
    assert sm.mean_cost(["a"], ["a"], cost_matrix=shuffled) == 0.0
    costs = pl.DataFrame({"b": [1, 0], "a": [0, 9]})
    assert sm.mean_cost(["a", "b"], ["b", "a"], costs=costs) == 5.0


def test_a_class_that_is_only_predicted_counts_as_known():
    matrix = PRICES.to_numpy()
    assert sm.mean_cost(["a", "b"], ["c", "a"], cost_matrix=matrix) == 2.5
    assert sm.g_mean(["a", "b"], ["c", "b"], absent="zero") == 0.0
    assert sm.g_mean(["a", "b"], ["a", "b"]) == 1.0


BAD = {
    "lengths differ": (lambda: sm.error_rate([0, 1], [0]), ValueError, "y_pred"),
    "y_true empty": (lambda: sm.error_rate([], []), ValueError, "y_true"),
    "y_pred NaN": (lambda: sm.error_rate([0], [float("nan")]), ValueError, "y_pred"),
    "y_pred None": (lambda: sm.error_rate([0], None), TypeError, "y_pred"),
    "types differ": (lambda: sm.error_rate([0], ["0"]), TypeError, "y_pred"),
    "unknown prediction": (
        lambda: sm.error_rate([0], [2], classes=[0, 1]),
        ValueError,
        "y_pred",
    ),
    "matrix lacks the prediction": (
        lambda: sm.mean_cost(["a"], ["z"], cost_matrix=PRICES),
        ValueError,
        "y_pred",
    ),
    "matrix of another size": (
        lambda: sm.mean_cost([0, 1], [0, 1], cost_matrix=PRICES.to_numpy()),
        ValueError,
        "cost_matrix",
    ),
    "both": (
        lambda: sm.mean_cost([0], [0], cost_matrix=[[0]], costs=[[0]]),
        ValueError,
        "costs",
    ),
    "true label not the cheapest": (
        lambda: sm.mean_cost([0, 1], [0, 1], costs=[[1, 0], [1, 0]]),
        ValueError,
        "costs",
    ),
    "reduce": (
        lambda: sm.weighted_error([0], [0], reduce="max"),
        ValueError,
        "reduce",
    ),
    "absent": (lambda: sm.g_mean([0], [0], absent="one"), ValueError, "absent"),
}
for name, weights in {
    "short": [1.0],
    "negative": [1.0, -1.0],
    "NaN": [1.0, float("nan")],
    "zero": [0.0, 0.0],
    "matrix": [[1.0], [1.0]],
}.items():
    BAD[f"weights {name}"] = (
        lambda weights=weights: sm.error_rate([0, 1], [0, 1], sample_weight=weights),
        ValueError,
        "sample_weight",
    )
BAD["weights text"] = (
    lambda: sm.error_rate([0, 1], [0, 1], sample_weight=["a", "b"]),
    TypeError,
    "sample_weight",
)


@pytest.mark.bad_input
@pytest.mark.parametrize("name", BAD)
def test_one_sentence(name):
    call, exception, argument = BAD[name]
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    assert type(caught.value) is exception
    assert argument in str(caught.value)
    assert str(caught.value).endswith(".")


def test_inputs_are_not_changed():
    true, predicted, weights = np.array([0, 1, 1]), np.array([1, 1, 0]), np.ones(3)
    matrix = np.array([[1.0, 2.0], [3.0, 1.0]])
    costs = sc.raw_cost_vectors(true, cost_matrix=matrix)
    before = [a.copy() for a in (true, predicted, weights, matrix, costs)]
    everything(true, predicted, matrix, costs, weights, [0, 1])
    for a, b in zip(before, (true, predicted, weights, matrix, costs), strict=True):
        assert (a == b).all()


def test_everything_named_is_there():
    for name in sm.__all__:
        assert hasattr(sm, name)
    with pytest.raises(AttributeError, match="no_metric"):
        _ = sm.no_metric


def test_stacks_of_counts_are_measured_one_by_one():
    """Whatever stands before the last two: candidates, folds."""
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 9, (2, 3, 3, 4)).astype(float)
    paid = rng.gamma(2, 9, (2, 3))
    told = {
        "mistake_cost": 3.0, "error_weight": np.array([1.0, 2.0, 5.0]),
        "action_error": np.array([0.25]), "least_cost": 0.5,
    }  # fmt: skip
    found = sm.measures_from_confusion(counts, paid, **told)
    for place in np.ndindex(2, 3):
        one = sm.measures_from_confusion(counts[place], paid[place], **told)
        assert found.keys() == one.keys()
        for name, value in one.items():
            assert found[name][place] == pytest.approx(value)
    one, total = counts[0, 0], counts[0, 0].sum()
    wrong = one[:, :3].sum(axis=1) - np.diagonal(one) + 0.25 * one[:, 3]
    assert found["error"][0, 0] == pytest.approx(wrong.sum() / total)
    assert found["weighted_error"][0, 0] == pytest.approx(wrong @ [1, 2, 5] / total)
    assert found["normalized_cost"][0, 0] == pytest.approx(
        (paid[0, 0] - 0.5) / total / 3
    )
