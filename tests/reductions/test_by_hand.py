"""Every reduction with every kind of learner, against models fitted by hand.

The subproblems are written out here once more, fitted one after the other with nothing
but the learner's own ``fit``, and combined in loops.
"""

from itertools import combinations, pairwise

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge

from softcost.linear import LinearClassifier, OneSidedLinear
from softcost.reductions import CATALOGUE, ClippedTargetRegressor, OneSidedBoosting
from softcost.svm import KernelSVC, OneSidedSVR

SOFTNESS = 0.3
N_CLASSES = 3
LEARNERS = {
    "svm": {
        "one-sided": OneSidedSVR(C=4),
        "regressor": OneSidedSVR(C=4),
        "classifier": KernelSVC(C=4),
    },
    "linear": {
        "one-sided": Ridge(),
        "regressor": Ridge(),
        "classifier": LogisticRegression(),
        "probabilities": LogisticRegression(),
    },
    "lockstep": {
        "one-sided": OneSidedLinear(C=4, tol=1e-9),
        "regressor": OneSidedLinear(C=4, tol=1e-9),
        "classifier": LinearClassifier(C=4, tol=1e-9),
    },
    "boosting": {
        "one-sided": OneSidedBoosting(n_estimators=8),
        "regressor": HistGradientBoostingRegressor(max_iter=5),
        "classifier": HistGradientBoostingClassifier(max_iter=5),
        "probabilities": HistGradientBoostingClassifier(max_iter=5),
    },
}
FEW = {"metacost": {"n_resamples": 4}, "gbse": {"n_rounds": 3}}


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(8)
    y = np.r_[np.arange(N_CLASSES), rng.integers(N_CLASSES, size=87)]
    X = rng.normal(size=(90, 3)) + 1.5 * np.eye(N_CLASSES)[y]
    matrix = rng.uniform(0.1, 1, (N_CLASSES, N_CLASSES))
    matrix[2, 0] = 1
    np.fill_diagonal(matrix, 0)
    naive = 1 - np.eye(N_CLASSES)
    soft = (1 - SOFTNESS) * matrix + SOFTNESS * naive
    weight = rng.uniform(0.5, 2, 90)
    return X, y, matrix, soft, weight, rng.normal(size=(60, 3)) * 2


def output(learner, X, target, weight, X_new, side=None):
    """What a fitted clone says: its value, or its margin for the label 1."""
    kept = weight > 0
    params = {"sample_weight": weight[kept]}
    if side is not None:
        params["side"] = side[kept]
    if is_classifier(learner):
        model = clone(learner).fit(X[kept], (target[kept] > 0).astype(int), **params)
        margin = model.decision_function(X_new)
        np.testing.assert_array_equal(margin > 0, model.predict(X_new) == 1)
        return margin
    return clone(learner).fit(X[kept], target[kept], **params).predict(X_new)


def osr(learner, X, y, soft, weight, X_new):
    if isinstance(learner, Ridge):
        learner = ClippedTargetRegressor(learner)
    values = [
        output(
            learner, X, 2 * soft[y, k] - 1, weight, X_new,
            side=np.where(soft[y, k] == 0, 1.0, -1.0),
        )
        for k in range(N_CLASSES)
    ]  # fmt: skip
    return np.argmin(values, axis=0)


def csovr(learner, X, y, soft, weight, X_new):
    values = [output(learner, X, soft[y, k], weight, X_new) for k in range(N_CLASSES)]
    return np.argmin(values, axis=0)


def voted(learner, X, weight, X_new, pair):
    votes, sums = np.zeros((2, len(X_new), N_CLASSES))
    for i, j in combinations(range(N_CLASSES), 2):
        gain, own = pair(i, j)
        said = output(learner, X, np.sign(gain), np.abs(gain) * own * weight, X_new)
        votes[:, i] += said > 0
        votes[:, j] += said <= 0
        sums[:, i] += said
        sums[:, j] -= said
    most = votes.max(axis=1, keepdims=True)
    return np.where(votes == most, sums, -np.inf).argmax(axis=1)


def csovo(learner, X, y, soft, weight, X_new):
    c = soft[y]
    return voted(learner, X, weight, X_new, lambda i, j: (c[:, j] - c[:, i], 1.0))


def wap(learner, X, y, soft, weight, X_new):
    v = np.empty((len(y), N_CLASSES))
    for n, costs in enumerate(soft[y]):
        for k in range(N_CLASSES):
            steps = [0.0, *np.sort(costs[costs <= costs[k]])]
            v[n, k] = sum(
                (high - low) / np.sum(costs <= low)
                for low, high in pairwise(steps)
                if high > low
            )
    return voted(learner, X, weight, X_new, lambda i, j: (v[:, j] - v[:, i], 1.0))


def cszl(learner, X, y, soft, weight, X_new):
    def pair(i, j):
        gain = np.where(y == i, soft[i, j], -soft[j, i])
        return gain, (y == i) | (y == j)

    return voted(learner, X, weight, X_new, pair)


def csft(learner, X, y, soft, weight, X_new):
    rows = np.arange(len(y))

    def match(a, b):
        gain = soft[y][rows, b] - soft[y][rows, a]
        return np.sign(gain), np.abs(gain) * weight

    zeros, ones = np.zeros(len(y), int), np.ones(len(y), int)
    target, w = match(zeros, ones)
    inside = output(learner, X, target, w, X)
    first = np.where(inside > 0, 0, 1)
    target, w2 = match(first, np.full(len(y), 2))
    final = output(learner, X, target, w2, X_new)
    lower = output(learner, X, match(zeros, ones)[0], w, X_new)
    return np.where(final > 0, np.where(lower > 0, 0, 1), 2)


def mec(learner, X, y, soft, weight, X_new):
    model = clone(learner).fit(X, y, sample_weight=weight)
    return (model.predict_proba(X_new) @ soft).argmin(axis=1)


def metacost(learner, X, y, soft, weight, X_new):
    rng = np.random.RandomState(0)
    rng.randint(np.iinfo(np.int32).max, size=5)  # seeds of the learners
    chances = np.zeros((len(y), N_CLASSES))
    for _ in range(4):
        rows = rng.choice(len(y), len(y), p=weight / weight.sum())
        model = clone(learner).fit(X[rows], y[rows])
        if hasattr(model, "predict_proba"):
            chances += model.predict_proba(X)
        else:
            chances += np.eye(N_CLASSES)[model.predict(X)]
    labels = (chances @ soft).argmin(axis=1)
    final = clone(learner).fit(X, labels, sample_weight=weight)
    return final.predict(X_new)


def costing(learner, X, y, soft, weight, X_new):
    worth = (soft[y].max(axis=1, keepdims=True) - soft[y]) * weight[:, None]
    rows, labels = np.nonzero(worth)
    model = clone(learner).fit(X[rows], labels, sample_weight=worth[rows, labels])
    return model.predict(X_new)


def gbse(learner, X, y, soft, weight, X_new):
    combines = isinstance(learner, KernelSVC)  # others need products

    def pairs(rows):
        out = []
        for x in rows:
            for k in range(N_CLASSES):
                one = np.eye(N_CLASSES)[k]
                parts = [x, one]
                if not combines:
                    parts.append(np.outer(x, one).ravel())
                out.append(np.concatenate(parts))
        return np.array(out)

    mixes = [np.full((len(rows), N_CLASSES), 1 / N_CLASSES) for rows in (X, X_new)]
    for number in (1, 2, 3):
        costs = soft[y]
        gain = (mixes[0] * costs).sum(1, keepdims=True) - costs
        gain = (gain * weight[:, None]).ravel()
        for place, rows in enumerate((X, X_new)):
            said = output(
                learner, pairs(X), np.sign(gain), np.abs(gain), pairs(rows)
            ).reshape(-1, N_CLASSES)
            accepted = said > 0
            accepted[~accepted.any(axis=1)] = True
            share = accepted / accepted.sum(1, keepdims=True)
            mixes[place] = mixes[place] + (share - mixes[place]) / number
    return mixes[1].argmax(axis=1)


BY_HAND = {
    "osr": osr,
    "csovo": csovo,
    "wap": wap,
    "csft": csft,
    "cszl": cszl,
    "csovr": csovr,
    "metacost": metacost,
    "gbse": gbse,
    "costing": costing,
    "mec": mec,
}
CASES = [
    (name, kind)
    for name, entry in CATALOGUE.items()
    for kind in LEARNERS
    if entry.needs in LEARNERS[kind]
]


def test_nothing_is_missing():
    assert set(BY_HAND) == set(CATALOGUE)
    assert len(CASES) == 4 * len(CATALOGUE) - 2  # the machines have no probabilities


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_agrees_with_models_fitted_by_hand(name, kind, problem):
    X, y, matrix, soft, weight, X_new = problem
    entry = CATALOGUE[name]
    learner = LEARNERS[kind][entry.needs]
    model = entry.load()(
        learner, cost_matrix=7 * matrix, softness=SOFTNESS, **FEW.get(name, {})
    )
    if name == "metacost":
        model.set_params(random_state=0)
    labels = np.array(["p", "q", "r"])
    predicted = model.fit(X, labels[y], sample_weight=weight).predict(X_new)
    expected = labels[BY_HAND[name](learner, X, y, soft, weight, X_new)]
    assert len(np.unique(expected)) > 1
    assert np.mean(predicted != expected) <= (0.02 if kind == "svm" else 0)
